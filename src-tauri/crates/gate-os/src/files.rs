//! Folders and files for this user alone, names that are on disk for sure, and telling one file from another.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::User;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Why a folder isn't this user's alone, and can't be made so.
#[derive(Debug)]
pub enum NotPrivate {
    /// The system refuses to tell or to change it.
    Io {
        /// What was tried, e.g. `read`.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// It isn't a folder.
    NoFolder,
    /// It is another user's.
    Anothers(User),
    /// Others use it, too, and so it isn't to be changed; who may do what in it, in the system's words.
    Shared(String),
}

/// Options that make new files for this user alone. On Windows files have the rights of their folder, which is to be made
/// by [`create_folder`].
#[must_use]
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    system::keep_to_owner(&mut options);
    options
}

/// Options that open a file itself where a link to another one has its name: such a one isn't opened.
#[must_use]
pub fn private_and_no_link() -> OpenOptions {
    let mut options = private();
    system::follow_no_link(&mut options);
    options
}

/// Where a path leads when every link on the way is followed, as people and other programs read it: on Windows without
/// the mark `\\?\` where it isn't needed, which git and many others don't take.
///
/// # Errors
/// The system's, where nothing is there.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    system::real_path(path)
}

/// Takes the rights of others to a file away; those of its owner become reading and writing.
///
/// # Errors
/// The system's.
pub fn make_private_file(file: &Path) -> io::Result<()> {
    system::make_private_file(file)
}

/// The same of one that is open, given with its path.
///
/// # Errors
/// The system's.
pub fn make_private_open(file: &File, path: &Path) -> io::Result<()> {
    system::make_private_open(file, path)
}

/// Takes the rights of others to a file away, and leaves those of its owner as they are. Nothing where it can't be looked at.
///
/// # Errors
/// The system's.
pub fn take_from_others(file: &Path) -> io::Result<()> {
    system::take_from_others(file)
}

/// Gives a folder's owner all rights to it again, where a program of theirs has taken some away.
///
/// # Errors
/// The system's.
pub fn make_enterable(folder: &Path) -> io::Result<()> {
    system::make_enterable(folder)
}

/// Makes a folder and the missing ones above it, all of them for this user alone. One that exists is left as it is.
///
/// # Errors
/// The system's.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    system::create_folder(folder)
}

/// Makes sure that a folder is one of this user's that nobody else can enter, taking away the rights of others where that is
/// safe. On Windows the system and its administrators, who may do everything anyway, keep theirs.
///
/// # Errors
/// [`NotPrivate`]: it belongs to another user, or is a place that others share, whose rights aren't ours to change.
pub fn make_private_folder(folder: &Path) -> Result<(), NotPrivate> {
    system::make_private_folder(folder)
}

/// Whether a path is a folder of this user's that nobody else can enter.
///
/// # Errors
/// The system's.
pub fn is_private_folder(path: &Path) -> io::Result<bool> {
    system::is_private_folder(path)
}

/// Whose an open file is.
///
/// # Errors
/// The system's.
pub fn owner(file: &File) -> io::Result<User> {
    system::owner(file)
}

/// Whose a file or folder is, and what others may do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    /// Its owner.
    pub owner: User,
    /// What others may do, in the system's words (`0755`, a security identifier); absent where that is nothing.
    pub others: Option<String>,
}

impl Rights {
    /// Of what a path leads to.
    ///
    /// # Errors
    /// The system's.
    pub fn of(path: &Path) -> io::Result<Self> {
        system::rights(path)
    }
}

/// Whether this user may write to a file or folder, as far as its rights say.
#[must_use]
pub fn may_write(path: &Path) -> bool {
    system::may_write(path)
}

/// Whether a path is a file that this user may start.
#[must_use]
pub fn may_start(path: &Path) -> bool {
    system::may_start(path)
}

/// Whether a path is a local socket's. On Windows those are no files.
#[must_use]
pub fn is_socket(path: &Path) -> bool {
    system::is_socket(path)
}

/// Whose what has this path is; of a link, whose the link is.
///
/// # Errors
/// The system's.
pub fn owner_at(path: &Path) -> io::Result<User> {
    system::owner_at(path)
}

/// Waits until a folder's names are on disk. Windows does that by itself, and some network file systems can't for
/// folders.
///
/// # Errors
/// The system's.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() != ErrorKind::InvalidInput => Err(error),
        _ => Ok(()),
    }
}

/// How many bytes the user may still write to a folder; absent where that can't be told.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    system::free_bytes(folder)
}

/// Which file it is: its file system, and its number there. The same for all names of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The number in it.
    pub number: u64,
}

impl FileId {
    /// Of what a path leads to.
    ///
    /// # Errors
    /// The system's.
    pub fn of(path: &Path) -> io::Result<Self> {
        system::id_of(path)
    }
}

/// What a file looks like from outside. Whoever writes to it, or puts another in its place, changes that; on Windows a file
/// of the same length and time is taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its length in bytes.
    pub bytes: u64,
    /// When it was last written to, where the file system says so.
    pub modified: Option<SystemTime>,
    /// Device, number, and when it was last changed in any way, in seconds and nanoseconds; zeros on Windows.
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    /// Of what was found there.
    #[must_use]
    pub fn of(found: &Metadata) -> Self {
        Self { bytes: found.len(), modified: found.modified().ok(), identity: system::identity(found) }
    }
}

/// A path or an argument as bytes, to be kept in a file: on Unix just those that it has, on Windows UTF-8 in which what is
/// no text is replaced.
#[must_use]
pub fn to_bytes(text: &OsStr) -> Vec<u8> {
    system::to_bytes(text)
}

/// The same back.
#[must_use]
pub fn from_bytes(bytes: Vec<u8>) -> OsString {
    system::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_made_is_this_users_alone() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let made = folder.path().join("a").join("b");
        create_folder(&made)?;
        assert!(is_private_folder(&made)? && is_private_folder(&folder.path().join("a"))?, "with the one above it");
        assert!(make_private_folder(&made).is_ok(), "and stays so");
        create_folder(&made)?;
        let file = made.join("file");
        private().write(true).create_new(true).open(&file)?;
        assert!(owner(&File::open(&file)?)?.is_this() && owner_at(&file)?.is_this());
        assert_eq!(Rights::of(&made)?, Rights { owner: User::this(), others: None });
        assert!(may_write(&file) && !may_start(&made) && !is_socket(&file), "a folder isn't started");
        assert!(!is_private_folder(&file)?, "a file is none");
        assert!(matches!(make_private_folder(&file), Err(NotPrivate::NoFolder)));
        sync_folder(&made)
    }

    #[test]
    fn a_file_is_told_from_another_and_known_by_all_its_names() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let [one, other, name] = ["one", "other", "name"].map(|name| folder.path().join(name));
        std::fs::write(&one, "1")?;
        std::fs::write(&other, "1")?;
        std::fs::hard_link(&one, &name)?;
        assert_eq!(FileId::of(&one)?, FileId::of(&name)?);
        assert_ne!(FileId::of(&one)?, FileId::of(&other)?);
        let before = Stamp::of(&std::fs::metadata(&one)?);
        assert_eq!(before, Stamp::of(&std::fs::metadata(&name)?));
        std::fs::write(&one, "12")?;
        assert_ne!(before, Stamp::of(&std::fs::metadata(&one)?), "whoever writes to it changes that");
        Ok(())
    }

    #[test]
    fn a_path_comes_back_as_it_was() {
        let path = OsStr::new("/tmp/ä b/x.sock");
        assert_eq!(from_bytes(to_bytes(path)), path);
    }

    #[test]
    fn a_file_system_says_how_much_is_free() {
        assert!(free_bytes(&std::env::temp_dir()).is_some_and(|free| free > 0));
        assert_eq!(free_bytes(Path::new("/no/such/folder")), None);
    }
}
