//! Git directories of our own: git runs in these, with these settings, and only looks at the objects of a repository.
//! So nothing that a repository's settings name is ever run, not even by a setting that git learns tomorrow. Knows no
//! repository.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::Error;
use crate::oid::{Format, Oid};
use crate::options::TEXT_BYTES;
use crate::process::{Call, Git};

/// Settings of every directory of ours.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("core", "bare", "false"),
    ("core", "fsmonitor", "false"),
    ("core", "untrackedCache", "false"),
    ("core", "splitIndex", "false"),
    ("core", "hooksPath", "/dev/null"),
    ("core", "attributesFile", "/dev/null"),
    ("core", "excludesFile", "/dev/null"),
    ("core", "safecrlf", "false"),
    ("core", "quotePath", "true"),
    ("core", "commitGraph", "false"),
    ("core", "multiPackIndex", "false"),
    ("core", "logAllRefUpdates", "false"),
    ("core", "looseCompression", "1"),
    ("pack", "compression", "1"),
    ("pack", "threads", "1"),
    ("pack", "writeReverseIndex", "false"),
    ("index", "sparse", "false"),
    ("fastimport", "unpackLimit", "0"),
    ("protocol", "allow", "never"),
    ("gc", "auto", "0"),
    ("maintenance", "auto", "false"),
];

/// A setting: section, key and value, as bytes since paths are.
pub(crate) type Setting = (&'static str, &'static str, Vec<u8>);

/// A git directory of ours.
#[derive(Debug)]
pub(crate) struct OwnDir {
    folder: PathBuf,
    /// Removes it, where it is thrown away.
    _temporary: Option<TempDir>,
}

impl OwnDir {
    /// Makes one in this folder, which is empty or isn't there.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(crate) async fn make(folder: &Path, format: Format, settings: Vec<Setting>) -> Result<Self, Error> {
        let folder = folder.to_owned();
        blocking(move || {
            write(&folder, format, &settings)?;
            Ok(Self { folder, _temporary: None })
        })
        .await
    }

    /// Makes one that goes when it is dropped.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(crate) async fn temporary(git: &Git, format: Format, settings: Vec<Setting>) -> Result<Self, Error> {
        let scratch = git.scratch().to_owned();
        blocking(move || {
            let folder = tempfile::Builder::new().prefix("git-").tempdir_in(&scratch).map_err(Error::io(scratch))?;
            write(folder.path(), format, &settings)?;
            Ok(Self { folder: folder.path().to_owned(), _temporary: Some(folder) })
        })
        .await
    }

    /// One that was made before.
    pub(crate) fn there(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), _temporary: None }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// A run of git in it, which sees its objects alone.
    pub(crate) fn call<A: AsRef<std::ffi::OsStr>>(&self, arguments: &[A]) -> Call {
        Call::new(arguments, &self.folder).with("GIT_DIR", self.folder.as_os_str())
    }

    /// Commits whose parents it lacks are the first ones that there are.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(crate) fn begin_at(&self, commits: &[Oid]) -> Result<(), Error> {
        let file = self.folder.join("shallow");
        let lines: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        fs::write(&file, lines).map_err(Error::io(file))
    }
}

fn write(folder: &Path, format: Format, settings: &[Setting]) -> Result<(), Error> {
    for part in ["objects/pack", "objects/info", "refs", "info"] {
        let part = folder.join(part);
        fs::create_dir_all(&part).map_err(Error::io(part))?;
    }
    let mut config = b"[core]\n\trepositoryFormatVersion = 1\n".to_vec();
    let _ = write!(config, "\tbigFileThreshold = {TEXT_BYTES}\n[extensions]\n\tobjectFormat = {}\n", format.name());
    let own = SETTINGS.iter().map(|(section, key, value)| (*section, *key, value.as_bytes()));
    for (section, key, value) in own.chain(settings.iter().map(|(section, key, value)| (*section, *key, &value[..]))) {
        let _ = write!(config, "[{section}]\n\t{key} = \"");
        config.extend(value.iter().flat_map(|byte| escaped(*byte)));
        config.extend_from_slice(b"\"\n");
    }
    for (name, content) in [("config", &config[..]), ("HEAD", b"ref: refs/heads/none\n")] {
        let file = folder.join(name);
        fs::write(&file, content).map_err(Error::io(file))?;
    }
    Ok(())
}

/// See "Values" in <https://git-scm.com/docs/git-config#_values>.
fn escaped(byte: u8) -> Vec<u8> {
    match byte {
        b'"' | b'\\' => vec![b'\\', byte],
        b'\n' => b"\\n".to_vec(),
        _ => vec![byte],
    }
}

/// One path in a variable that takes several.
pub(crate) fn quoted(path: &Path) -> OsString {
    let mut text = b"\"".to_vec();
    for byte in crate::os::bytes(path.as_os_str()) {
        text.extend(escaped(*byte));
    }
    text.push(b'"');
    crate::os::text(&text)
}

/// Does what blocks where that is no harm.
///
/// # Errors
/// Those of the work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(Error::io("git")(std::io::Error::other(error))))
}
