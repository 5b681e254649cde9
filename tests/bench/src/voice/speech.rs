//! What is spoken: sentences of code reviews by espeak-ng, and noises without speech.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use gate_voice::SAMPLE_RATE;

use super::program::decoded;

/// As people answer agents that review code. Nothing that may be written in two ways.
pub(super) const SENTENCES: [&str; 60] = [
    "Please rename the function and add a test for the empty case.",
    "The error message should say which file could not be read.",
    "Split this into two commits, the cleanup first.",
    "I would rather keep the old name and deprecate it later.",
    "Why is the lock held while we wait for the network?",
    "Move the parsing into its own module, then write a test for it.",
    "This looks good, but the comment above the loop is wrong.",
    "Use the standard library instead of another dependency.",
    "The cache must be cleared when the user signs out.",
    "Don't swallow the error here, return it to the caller.",
    "Run the whole test suite before you open the pull request.",
    "The variable name says the opposite of what it holds.",
    "Can you explain why the second query is needed?",
    "Approve the migration, but make a backup before you start.",
    "The button should be disabled while the request is running.",
    "Add a time limit to the download and try again twice.",
    "I don't think we need a trait for this.",
    "Write the configuration to a temporary file and rename it.",
    "The index is missing on the table with the messages.",
    "Check that the path does not leave the folder.",
    "Let us delete the feature flag, everyone has the new version.",
    "The retry should wait longer each time, up to a minute.",
    "Please use the same wording as the settings page.",
    "There is a race between closing the window and saving the draft.",
    "Make the constructor private and add a builder.",
    "The documentation still describes the old behaviour.",
    "Return early when the list is empty.",
    "That number needs a name and a reason.",
    "Log the identifier, never the token itself.",
    "Keep the public interface as it is and change only the inside.",
    "The test passes by accident because the clock is mocked.",
    "Show the progress in the tray and in the main window.",
    "Put the new column at the end and fill it in the background.",
    "We should measure this before we make it more complicated.",
    "Please squash the last three commits into one.",
    "The parser accepts a trailing comma, but the writer drops it.",
    "Remove the sleep and wait for the condition instead.",
    "I want to see the screenshot in the dark theme too.",
    "Use a queue here so that the order is kept.",
    "The memory grows because the listener is never removed.",
    "Do not merge this until the security review is done.",
    "Handle the case where the disk is full.",
    "The second argument is never used, so take it out.",
    "Make sure the keyboard focus returns to the text field.",
    "Start the server on another port if the first one is taken.",
    "The diff is too large, show me the interesting part first.",
    "Compare the signatures in constant time.",
    "Please write the release notes in plain English.",
    "The import has to be atomic, all of it or nothing.",
    "Give the command a help text with an example.",
    "This branch can never be reached, so delete it.",
    "Ask me again when the benchmark has finished.",
    "Wrap the call in a transaction and roll back on failure.",
    "The color of the warning is hard to read.",
    "Pin the version of the compiler in the build file.",
    "Sort the results by the time of the last change.",
    "The first line of the message should be a summary.",
    "Load the plugin only when it is needed.",
    "Use the existing helper, it already handles the edge cases.",
    "Stop here and show me what you have so far.",
];
/// espeak-ng's voices, in turns.
const VOICES: [&str; 3] = ["en-us", "en-gb", "en-us+f3"];
/// How loud sound has to be to count as speech, of [`i16::MAX`].
const AUDIBLE: u16 = 300;

/// A text, spoken.
pub(super) fn spoken(program: &Path, text: &str, number: usize) -> Result<Vec<i16>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("spoken.wav");
    let voice = VOICES[number % VOICES.len()];
    let ended = Command::new("espeak-ng").args(["-v", voice, "-s", "155", "-w"]).arg(&file).arg(text).status()?;
    if !ended.success() {
        bail!("espeak-ng ended with {ended}");
    }
    decoded(program, &file)
}

/// Exactly from the first that can be heard to the last.
pub(super) fn tight(samples: &[i16]) -> &[i16] {
    let is_audible = |sample: &i16| sample.unsigned_abs() >= AUDIBLE;
    let first = samples.iter().position(is_audible).unwrap_or(0);
    let last = samples.iter().rposition(is_audible).map_or(samples.len(), |last| last + 1);
    &samples[first.min(last)..last]
}

/// So many seconds of sentences, one after the other, cut off wherever that is.
pub(super) fn seconds(program: &Path, length: usize) -> Result<Vec<i16>> {
    let wanted = length * SAMPLE_RATE as usize;
    let mut samples = Vec::new();
    let mut sentences = SENTENCES.iter().cycle();
    while samples.len() < wanted
        && let Some(sentence) = sentences.next()
    {
        samples.extend(spoken(program, sentence, 0)?);
    }
    samples.truncate(wanted);
    Ok(samples)
}

/// A recording without speech, each number another one: silence, hum, noise of three colours, key clicks.
pub(super) fn noise(number: usize) -> Vec<i16> {
    let length = SAMPLE_RATE as usize * (2 + number % 6);
    let loud = [0.002, 0.01, 0.05, 0.15][number / 6 % 4];
    let mut random = Random(number as u64 + 1);
    let mut slow = 0.0;
    let sound = (0..length).map(|at| {
        let seconds = at as f64 / f64::from(SAMPLE_RATE);
        let white = random.next();
        match number % 6 {
            0 => white * 0.0005,
            1 => {
                loud * (std::f64::consts::TAU * 50.0 * seconds).sin()
                    + loud * 0.3 * (std::f64::consts::TAU * 150.0 * seconds).sin()
            }
            2 => white * loud,
            3 => {
                slow = 0.98 * slow + 0.2 * white;
                slow * loud
            }
            4 => {
                slow = 0.7 * slow + 0.5 * white;
                slow * loud
            }
            _ => {
                // A key, then another, a few times a second.
                let within = (seconds * 5.3 + (number % 7) as f64 * 0.1).fract();
                white * loud * 4.0 * (-within * 120.0).exp()
            }
        }
    });
    #[expect(clippy::cast_possible_truncation, reason = "kept within the range")]
    sound.map(|sample: f64| (sample.clamp(-1.0, 1.0) * f64::from(i16::MAX)) as i16).collect()
}

/// xorshift64*: the same each time.
struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = u32::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32).unwrap_or(0);
        f64::from(high) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}

/// The words of a text, as they sound.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain: String = text.to_lowercase().replace(['-', '’'], " ").replace("behavior", "behaviour");
    let only = |word: &str| word.chars().filter(|character| character.is_alphanumeric()).collect::<String>();
    plain.split_whitespace().map(only).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_as_they_sound() {
        assert_eq!(words("Don't re-run it, please!"), ["dont", "re", "run", "it", "please"]);
    }

    #[test]
    fn what_is_tight_begins_and_ends_with_sound() {
        assert_eq!(tight(&[0, 10, 5000, 0, -4000, 20]), [5000, 0, -4000]);
    }

    #[test]
    fn noises_differ_and_are_the_same_each_time() {
        assert_eq!(noise(2), noise(2));
        assert_ne!(noise(2), noise(8));
    }
}
