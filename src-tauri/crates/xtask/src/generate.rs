//! `cargo xtask generate`: a home folder with a large record, for measuring how the gate grows with it.
//!
//! The record comes in as any other does: an exported file, read by the real `review-gate import`.
//! What is in the file is made in [`conversation`]; this drives the programs and keeps the note that
//! says what is there.

mod conversation;
mod gate;
mod words;

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;
use conversation::{Plan, RARE, rfc3339};
use gate::Gate;
use words::Vocabulary;

/// What says, beside the record, how it was made. Written last: without it, a record is not whole.
const NOTE: &str = "generated.json";
const DATABASE: &str = "review-gate.db";
const FILE: &str = "generated-import.json";
/// A word that no message holds.
const ABSENT: &str = "qqxabsent";
/// Conversations that the note names for whoever wants to read some.
const NAMED: u64 = 500;
/// How often it is told how far the work is.
const TELL: Duration = Duration::from_secs(5);
/// The date that the file claims to be of: after the last message, 2026-11-01T00:00:00Z.
const EXPORTED_AT: u64 = 1_793_491_200_000;

#[derive(Args)]
#[command(after_help = "The same seed makes the same record. A folder that holds just the record that is wanted is \
left as it is. A million messages take about ten minutes and 2 GB with the release programs.

Examples:
  cargo xtask generate --conversations 200 --messages 10000 --home /tmp/record
  cargo xtask generate --conversations 20000 --messages 1000000 --home /tmp/large --programs target/release
  REVIEW_GATE_HOME=/tmp/record review-gate history retry")]
pub(crate) struct Options {
    /// How many conversations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    conversations: u64,
    /// How many questions and replies they have together
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    messages: u64,
    /// The folder; it is made, or has to be empty
    #[arg(long, value_name = "DIR")]
    home: PathBuf,
    /// What the random numbers begin with
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder with review-gate; without it, target/release or else target/debug
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

/// What is in a generated home.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    conversations: u64,
    messages: u64,
    seed: u64,
    /// Of the migrations' text: a record of another schema would be migrated before it could be measured.
    schema: String,
    /// The session with the most messages.
    largest: String,
    /// Some sessions, spread evenly.
    some: Vec<String>,
    /// Some of those that have checkpoints.
    checkpointed: Vec<String>,
    /// What can be looked for: a name, and the words.
    searches: Vec<(String, String)>,
}

/// A record that is wanted.
pub(crate) struct Wanted<'a> {
    pub(crate) programs: &'a Path,
    pub(crate) home: &'a Path,
    pub(crate) conversations: u64,
    pub(crate) messages: u64,
    pub(crate) seed: u64,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let built = || {
        let programs = ["release", "debug"].map(|profile| workspace.binary(profile, "review-gate"));
        programs.into_iter().find(|program| program.is_file()).and_then(|program| program.parent().map(Path::to_owned))
    };
    let programs = options.programs.clone().or_else(built);
    let programs = programs.context("review-gate isn't built; `cargo build --package review-gate` does that")?;
    let wanted = Wanted {
        programs: &programs,
        home: &options.home,
        conversations: options.conversations,
        messages: options.messages,
        seed: options.seed,
    };
    match wanted.state(workspace)? {
        State::Ready => {
            println!("{} holds just this record already.", wanted.home.display());
            Ok(())
        }
        State::Other => bail!(
            "{} holds a record already, and not the one that is wanted; name an empty folder, or remove that one",
            wanted.home.display()
        ),
        State::Missing => wanted.make(workspace),
    }
}

/// What is in the folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The record that is wanted.
    Ready,
    /// None.
    Missing,
    /// Another one, or a part of one.
    Other,
}

impl Wanted<'_> {
    /// What is in the folder now.
    pub(crate) fn state(&self, workspace: &Workspace) -> Result<State> {
        Ok(self.state_of(&schema(workspace)?))
    }

    fn state_of(&self, schema: &str) -> State {
        if !self.home.join(DATABASE).exists() {
            return State::Missing;
        }
        let Ok(text) = std::fs::read_to_string(self.home.join(NOTE)) else { return State::Other };
        let fits = |note: Note| {
            let its = (note.conversations, note.messages, note.seed, note.schema.as_str());
            its == (self.conversations, self.messages, self.seed, schema)
        };
        if serde_json::from_str(&text).is_ok_and(fits) { State::Ready } else { State::Other }
    }

    /// Makes the record. The folder must hold none.
    pub(crate) fn make(&self, workspace: &Workspace) -> Result<()> {
        if self.messages < self.conversations {
            bail!("{} messages are too few: each of the {} conversations has one", self.messages, self.conversations);
        }
        let home = std::path::absolute(self.home)?;
        std::fs::create_dir_all(&home).with_context(|| format!("can't make {}", home.display()))?;
        let file = home.join(FILE);
        println!("A record of {} messages in {} conversations:", self.messages, self.conversations);
        let note = self.write(&file, schema(workspace)?)?;
        let mut gate = Gate::start(self.programs, &home)?;
        gate.import(&file, self.messages)?;
        gate.until_searchable(RARE)?;
        gate.stop()?;
        std::fs::remove_file(&file)?;
        let text = serde_json::to_string_pretty(&note)?;
        std::fs::write(home.join(NOTE), text + "\n").context("can't write the note")?;
        println!("  ready: {}", home.display());
        Ok(())
    }

    /// Writes the file, one conversation at a time.
    fn write(&self, path: &Path, schema: String) -> Result<Note> {
        let plan = Plan { conversations: self.conversations, messages: self.messages, seed: self.seed };
        let vocabulary = Vocabulary::new();
        let mut note = self.note(&vocabulary, schema);
        let file = File::create(path).with_context(|| format!("can't write {}", path.display()))?;
        let mut out = BufWriter::new(file);
        let head = r#"{"format":"review-gate-record","version":1,"exported_at":""#;
        write!(out, "{head}{}\",\"conversations\":[", rfc3339(EXPORTED_AT))?;
        let (mut told, mut before, mut most) = (Teller::default(), 0, 0);
        for (number, size) in (0..).zip(plan.sizes()) {
            let made = plan.conversation(&vocabulary, number, size, before);
            out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut out, &made.json)?;
            if number % self.conversations.div_ceil(NAMED) == 0 {
                note.some.push(made.session_uuid.clone());
            }
            if made.has_checkpoints && (note.checkpointed.len() as u64) < NAMED {
                note.checkpointed.push(made.session_uuid.clone());
            }
            if size > most {
                (most, note.largest) = (size, made.session_uuid);
            }
            before += size;
            told.tell(|| format!("{before} messages written"));
        }
        out.write_all(b"\n]}\n")?;
        out.flush()?;
        Ok(note)
    }

    fn note(&self, vocabulary: &Vocabulary, schema: String) -> Note {
        let of = |ranks: &[usize]| -> String {
            let words: Vec<&str> = ranks.iter().map(|rank| vocabulary.ranked(*rank)).collect();
            words.join(" ")
        };
        let beginning: String = vocabulary.ranked(3).chars().take(2).collect();
        let searches = [
            ("a rare word", RARE.to_owned()),
            ("a common word", of(&[0])),
            ("two words", of(&[300, 900])),
            ("a phrase", format!("\"{}\"", of(&[40, 60]))),
            ("a beginning", beginning),
            ("a Chinese word", "配置".to_owned()),
            ("a word that nothing has", ABSENT.to_owned()),
        ];
        Note {
            conversations: self.conversations,
            messages: self.messages,
            seed: self.seed,
            schema,
            largest: String::new(),
            some: Vec::new(),
            checkpointed: Vec::new(),
            searches: searches.into_iter().map(|(name, words)| (name.to_owned(), words)).collect(),
        }
    }
}

/// Tells how far the work is, now and then.
struct Teller(Instant);

impl Default for Teller {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Teller {
    fn tell(&mut self, what: impl FnOnce() -> String) {
        if self.0.elapsed() >= TELL {
            println!("  {}", what());
            self.0 = Instant::now();
        }
    }
}

/// A digest of the migrations.
fn schema(workspace: &Workspace) -> Result<String> {
    let folder = workspace.root.join("migrations");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort_unstable();
    let mut digest = DefaultHasher::new();
    for file in files {
        std::fs::read(&file).with_context(|| format!("can't read {}", file.display()))?.hash(&mut digest);
    }
    Ok(format!("{:016x}", digest.finish()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// A folder that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("review-gate-xtask-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn wanted(home: &Path) -> Wanted<'_> {
        Wanted { programs: Path::new("."), home, conversations: 40, messages: 2000, seed: 3 }
    }

    #[test]
    fn the_file_is_json_with_every_message_and_the_note_names_what_is_in_it() {
        let folder = Folder::new("file");
        let file = folder.0.join(FILE);
        let note = wanted(&folder.0).write(&file, "s".to_owned()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let head =
            r#"{"format":"review-gate-record","version":1,"exported_at":"2026-11-01T00:00:00Z","conversations":["#;
        assert!(text.starts_with(head), "what it is comes before what is in it");
        let record: Value = serde_json::from_str(&text).unwrap();
        let conversations = record["conversations"].as_array().unwrap();
        let count = |conversation: &Value| conversation["entries"].as_array().map_or(0, Vec::len);
        assert_eq!((conversations.len(), conversations.iter().map(count).sum::<usize>()), (40, 2000));

        let ids: Vec<&str> = conversations.iter().filter_map(|each| each["session_uuid"].as_str()).collect();
        assert_eq!(note.some, ids, "so few are named all");
        let largest = conversations.iter().max_by_key(|each| count(each)).unwrap();
        assert_eq!(largest["session_uuid"], note.largest);
        for (name, words) in &note.searches {
            let found = text.contains(words.trim_matches('"').split(' ').next().unwrap());
            assert_eq!(found, !name.contains("nothing"), "{name}: {words}");
        }
    }

    #[test]
    fn only_the_wanted_and_whole_record_is_used_again() {
        let folder = Folder::new("state");
        let wanted = wanted(&folder.0);
        assert_eq!(wanted.state_of("s"), State::Missing, "an empty folder can be filled");
        std::fs::write(folder.0.join(DATABASE), "").unwrap();
        assert_eq!(wanted.state_of("s"), State::Other, "without a note, it may be anything");
        let note = serde_json::to_string(&wanted.note(&Vocabulary::new(), "s".to_owned())).unwrap();
        std::fs::write(folder.0.join(NOTE), note).unwrap();
        assert_eq!(wanted.state_of("s"), State::Ready);
        assert_eq!(wanted.state_of("t"), State::Other, "its tables are older");
        assert_eq!(Wanted { seed: 4, ..wanted }.state_of("s"), State::Other, "and so is one of another seed");
    }
}
