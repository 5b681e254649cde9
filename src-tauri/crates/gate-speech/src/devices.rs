//! `review-gate-voice devices`: the microphones that a person may want to choose. On Linux the sound system
//! offers each one in a dozen ways that differ in nothing a person cares for.

use std::io::Write as _;
use std::process::ExitCode;

use gate_api::Microphone;

use crate::microphone::System;

/// Prints them as a JSON list.
pub(crate) fn run() -> ExitCode {
    let (default, others) = System::new().microphones();
    let microphones = choice(default, others);
    crate::role(|| {
        let mut line = serde_json::to_vec(&microphones)?;
        line.push(b'\n');
        std::io::stdout().write_all(&line)
    })
}

/// The default first, then the others, each once.
fn choice(default: Option<Microphone>, others: Vec<Microphone>) -> Vec<Microphone> {
    let mut chosen: Vec<Microphone> = default.map(named).into_iter().collect();
    for other in others {
        let Some(other) = worth(other) else { continue };
        if chosen.iter().all(|known| known.id != other.id && known.name != other.name) {
            chosen.push(other);
        }
    }
    chosen
}

/// The default of ALSA says of itself how it is wired, not what it is.
fn named(default: Microphone) -> Microphone {
    if default.id != "alsa:default" {
        return default;
    }
    let name = if default.name.is_empty() || default.name == "default" { "System default" } else { &default.name };
    Microphone { name: name.to_owned(), ..default }
}

/// Whether a person may want it.
fn worth(microphone: Microphone) -> Option<Microphone> {
    let Some(pcm) = microphone.id.strip_prefix("alsa:") else { return Some(microphone) };
    // Of all the ways to one card, the one that takes any rate and format; by the card's name, which stays
    // the same when another one is plugged in before it.
    if let Some(card) = pcm.strip_prefix("plughw:CARD=") {
        let by_name = card.starts_with(|c: char| !c.is_ascii_digit());
        return by_name.then_some(microphone);
    }
    // Made by the person, in the configuration of ALSA; what comes with the system is either a way to a card,
    // with a colon, or one of these.
    const PARTS: [&str; 16] = [
        "default",
        "sysdefault",
        "null",
        "pulse",
        "pipewire",
        "jack",
        "oss",
        "lavrate",
        "samplerate",
        "speex",
        "speexrate",
        "upmix",
        "vdownmix",
        "usbstream",
        "a52",
        "dmix",
    ];
    (!pcm.contains(':') && !PARTS.contains(&pcm)).then_some(microphone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microphone(id: &str, name: &str) -> Microphone {
        Microphone { id: id.to_owned(), name: name.to_owned(), default: id.ends_with(":default") }
    }

    fn ids(microphones: &[Microphone]) -> Vec<&str> {
        microphones.iter().map(|microphone| microphone.id.as_str()).collect()
    }

    #[test]
    fn each_card_of_alsa_is_there_once() {
        let others = [
            ("alsa:null", "Discard all samples"),
            ("alsa:default", "Default Audio Device"),
            ("alsa:pulse", "PulseAudio Sound Server"),
            ("alsa:sysdefault:CARD=PCH", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:front:CARD=PCH,DEV=0", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:hw:CARD=PCH,DEV=0", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:plughw:CARD=PCH,DEV=0", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:dsnoop:CARD=PCH,DEV=0", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:plughw:CARD=0,DEV=0", "HDA Intel PCH, ALC257 Analog"),
            ("alsa:plughw:CARD=Yeti,DEV=0", "Yeti Stereo Microphone, USB Audio"),
            ("alsa:studio", "My own"),
            ("alsa:usbstream:CARD=Yeti", "USB Stream Output"),
        ];
        let others = others.map(|(id, name)| microphone(id, name)).to_vec();
        let chosen = choice(Some(microphone("alsa:default", "default")), others);
        let wanted = ["alsa:default", "alsa:plughw:CARD=PCH,DEV=0", "alsa:plughw:CARD=Yeti,DEV=0", "alsa:studio"];
        assert_eq!(ids(&chosen), wanted);
        assert_eq!(chosen[0].name, "System default");
    }

    #[test]
    fn other_systems_name_them_well() {
        let others = vec![microphone("coreaudio:a", "MacBook Microphone"), microphone("coreaudio:b", "Yeti")];
        let default = Microphone { default: true, ..others[0].clone() };
        assert_eq!(ids(&choice(Some(default), others)), ["coreaudio:a", "coreaudio:b"]);
    }

    #[test]
    fn no_sound_card_is_no_microphone() {
        assert_eq!(choice(None, vec![microphone("alsa:null", "Discard all samples")]), []);
    }
}
