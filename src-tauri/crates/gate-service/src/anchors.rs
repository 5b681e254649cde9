//! What was signed of each home, in a file for each user: so that a log that is shorter than it was is seen, and none is
//! signed for that goes back.
//!
//! Knows lines by their numbers, digests and times.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gate_core::Timestamp;
use gate_receipts::{Head, HomeId, Line};
use serde::{Deserialize, Serialize};

use crate::refused::{Refused, Why};

/// Most homes of a user that are remembered; the one that was quiet for longest makes room.
pub(crate) const HOMES: usize = 64;
/// Heads of a home, newest first: where the last line is damaged, the one before still vouches for the rest.
const HEADS: usize = 3;
/// Longest file, in bytes.
const FILE_BYTES: u64 = 256 * 1024;

/// A home, as far as it was signed for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Home {
    heads: Vec<Head>,
    at: Timestamp,
}

type Homes = BTreeMap<String, Home>;

/// What is remembered, below a folder.
#[derive(Debug, Clone)]
pub(crate) struct Anchors(PathBuf);

impl Anchors {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// What is known of a user's home, newest first.
    ///
    /// # Errors
    /// Where the file can't be read: nothing is signed then.
    pub(crate) fn heads(&self, user: u32, home: HomeId) -> Result<Vec<Head>, Refused> {
        Ok(self.read(user)?.remove(&home.to_string()).map(|home| home.heads).unwrap_or_default())
    }

    /// Whether this line may come next: its number isn't below one that stands in the log, and its time isn't before that
    /// one's, unless the clock itself was set back since.
    ///
    /// # Errors
    /// Where it may not.
    pub(crate) fn may_follow(&self, user: u32, line: &Line, now: Timestamp) -> Result<(), Refused> {
        let homes = self.read(user)?;
        let Some(home) = homes.get(&line.home.to_string()) else { return Ok(()) };
        let last = home.heads.first().map_or(0, |head| head.seq);
        if line.seq <= last {
            let message = format!("Line {last} of this home was signed before, but this one is number {}.", line.seq);
            return Err(Refused::new(Why::Behind, message));
        }
        if line.at < home.at && now >= home.at {
            let message = format!("A line of {} was signed before, but this one is of {}.", home.at, line.at);
            return Err(Refused::new(Why::Clock, message));
        }
        Ok(())
    }

    /// Remembers that a line that was signed stands in its log.
    ///
    /// # Errors
    /// Where it can't be written.
    pub(crate) fn keep(&self, user: u32, line: &Line, head: Head) -> Result<(), Refused> {
        let mut homes = self.read(user)?;
        let known = homes.remove(&line.home.to_string());
        let before = known.map(|home| home.heads).unwrap_or_default();
        let heads = std::iter::once(head).chain(before.into_iter().filter(|before| before.seq < head.seq));
        let heads = heads.take(HEADS).collect();
        while homes.len() >= HOMES {
            let oldest = homes.iter().min_by_key(|(_, home)| home.at).map(|(id, _)| id.clone());
            homes.remove(&oldest.unwrap_or_default());
        }
        homes.insert(line.home.to_string(), Home { heads, at: line.at });
        self.write(user, &homes).map_err(|error| self.broken(user, &error))
    }

    fn file(&self, user: u32) -> PathBuf {
        self.0.join(format!("{user}.json"))
    }

    fn read(&self, user: u32) -> Result<Homes, Refused> {
        let text = match bounded(&self.file(user)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Homes::new()),
            Err(error) => return Err(self.broken(user, &error)),
        };
        serde_json::from_str(&text).map_err(|error| self.broken(user, &error.into()))
    }

    fn write(&self, user: u32, homes: &Homes) -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.0)?;
        serde_json::to_writer(&mut file, homes)?;
        file.flush()?;
        file.as_file().sync_all()?;
        file.persist(self.file(user)).map_err(|error| error.error)?;
        File::open(&self.0)?.sync_all()
    }

    fn broken(&self, user: u32, error: &std::io::Error) -> Refused {
        Refused::new(Why::Broken, format!("{} can't be used: {error}.", self.file(user).display()))
    }
}

/// A file that is no longer than ours can be.
fn bounded(path: &Path) -> std::io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.len() > FILE_BYTES {
        return Err(std::io::Error::other(format!("it has more than {FILE_BYTES} bytes")));
    }
    std::io::read_to_string(file)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::testing::{AT, HOME, line};

    const USER: u32 = 1000;

    fn at(seq: u64, millis: i64) -> Line {
        Line { seq, at: Timestamp(AT.0 + millis), ..line() }
    }

    fn keep(anchors: &Anchors, line: &Line) {
        anchors.keep(USER, line, line.head().expect("it can be written")).expect("there is room");
    }

    #[test]
    fn a_home_goes_forward_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let anchors = Anchors::in_folder(folder.path());
        let why = |line: &Line, now: i64| {
            anchors.may_follow(USER, line, Timestamp(AT.0 + now)).err().map(|refused| refused.why)
        };
        assert_eq!(why(&at(1, 0), 0), None, "nothing is known yet");
        keep(&anchors, &at(5, 5_000));
        assert_eq!(why(&at(6, 6_000), 6_000), None);
        assert_eq!(why(&at(5, 6_000), 6_000), Some(Why::Behind), "it stands in the log: another would take its place");
        assert_eq!(why(&at(4, 6_000), 6_000), Some(Why::Behind));
        assert_eq!(why(&at(6, 4_999), 6_000), Some(Why::Clock));
        assert_eq!(why(&at(6, 4_000), 4_000), None, "the clock was set back, and the line can't know a later time");
        assert_eq!(anchors.may_follow(USER + 1, &at(1, 0), AT), Ok(()), "another user's home is another");
        let other = Line { home: HomeId(Uuid::from_u128(7)), ..at(1, 0) };
        assert_eq!(anchors.may_follow(USER, &other, AT), Ok(()), "so is another home");
    }

    #[test]
    fn the_last_heads_are_remembered_beyond_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        for seq in 1..=5 {
            keep(&Anchors::in_folder(folder.path()), &at(seq, 0));
        }
        let heads = Anchors::in_folder(folder.path()).heads(USER, HOME).expect("it is there");
        let numbers: Vec<u64> = heads.iter().map(|head| head.seq).collect();
        assert_eq!(numbers, [5, 4, 3]);
        assert_eq!(heads.first().copied(), at(5, 0).head().ok(), "with their digests");
    }

    #[test]
    fn the_quietest_home_makes_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let anchors = Anchors::in_folder(folder.path());
        let home = |number: usize| HomeId(Uuid::from_u128(u128::try_from(number).expect("it is small")));
        for number in 0..=HOMES {
            let millis = i64::try_from(number).expect("it is small");
            keep(&anchors, &Line { home: home(number), ..at(1, millis) });
        }
        let known = |number| !anchors.heads(USER, home(number)).expect("it is there").is_empty();
        assert!(!known(0) && known(1) && known(HOMES));
    }

    #[test]
    fn where_it_can_t_be_read_nothing_is_signed() {
        let folder = tempfile::tempdir().expect("a folder");
        let anchors = Anchors::in_folder(folder.path());
        for wrong in ["", "{", "[]", &"x".repeat(300_000)] {
            std::fs::write(folder.path().join(format!("{USER}.json")), wrong).expect("it is written");
            let refused = anchors.may_follow(USER, &at(1, 0), AT).map_err(|refused| refused.why);
            assert_eq!(refused, Err(Why::Broken), "{} bytes", wrong.len());
        }
    }
}
