//! A hook in its folder: written beside what was there, and taken out again with every byte put back.
//!
//! Knows files, and neither git nor what a hook does.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};

use super::script::{Hook, Whose, whose};

/// Largest hook that is looked into, in bytes; no larger one is ours.
const HOOK_BYTES: u64 = 1024 * 1024;

/// What is to be done with a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It is as it is to be.
    Nothing,
    /// Ours is written where none was, or over an older one of ours.
    Write,
    /// What is there is kept under another name, and ours takes its place.
    Chain,
    /// What was kept is put back.
    PutBack,
    /// Ours is deleted.
    Delete,
    /// It isn't ours, and stays; what was kept besides, if anything was, stays, too.
    Leave { kept: bool },
}

/// A hook's file.
#[derive(Debug, Clone)]
pub(super) struct HookFile {
    pub(super) hook: Hook,
    folder: PathBuf,
}

impl HookFile {
    pub(super) fn new(hook: Hook, folder: &Path) -> Self {
        Self { hook, folder: folder.to_owned() }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(self.hook.name())
    }

    /// Where what was there before is kept.
    pub(super) fn kept(&self) -> PathBuf {
        self.folder.join(self.hook.kept())
    }

    /// What there is to do so that this is the hook.
    ///
    /// # Errors
    /// `client_file` where something would be lost.
    pub(super) fn plan(&self, script: &str) -> Result<Change, Fault> {
        let path = self.path();
        match self.found()? {
            None => Ok(Change::Write),
            Some((Whose::Ours, bytes)) if bytes == script.as_bytes() => Ok(Change::Nothing),
            Some((Whose::Ours, _)) => Ok(Change::Write),
            Some((Whose::Changed, _)) => Err(changed(&path)),
            Some((Whose::Others, _)) if is_there(&self.kept()) => Err(Fault::new(
                Code::ClientFile,
                format!("{} isn't Review Gate's, and {} is there from before.", path.display(), self.kept().display()),
                "Move one of the two away, then install it again; nothing was changed.",
            )),
            Some((Whose::Others, _)) => Ok(Change::Chain),
        }
    }

    /// What there is to do so that it is as it was before.
    ///
    /// # Errors
    /// `client_file` where something would be lost.
    pub(super) fn plan_out(&self) -> Result<Change, Fault> {
        let kept = is_there(&self.kept());
        match self.found()? {
            Some((Whose::Changed, _)) => Err(changed(&self.path())),
            Some((Whose::Ours, _)) | None if kept => Ok(Change::PutBack),
            Some((Whose::Ours, _)) => Ok(Change::Delete),
            None => Ok(Change::Nothing),
            Some((Whose::Others, _)) => Ok(Change::Leave { kept }),
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// Where a file can't be written. What was there is there then, under its own name or the one that it is kept by.
    pub(super) fn carry_out(&self, change: &Change, script: &str) -> Result<(), Fault> {
        let (path, kept) = (self.path(), self.kept());
        let done = match change {
            Change::Nothing | Change::Leave { .. } => Ok(()),
            Change::Write => self.write(script, None),
            Change::Chain => self.write(script, Some(&kept)),
            Change::PutBack => fs::rename(&kept, &path),
            Change::Delete => fs::remove_file(&path),
        };
        done.map_err(|error| unwritable(&path, &error))
    }

    fn write(&self, script: &str, keep_at: Option<&Path>) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let (path, next) = (self.path(), self.folder.join(format!("{}.review-gate-new", self.hook.name())));
        let put = || {
            let mut file = File::create(&next)?;
            file.write_all(script.as_bytes())?;
            executable(&file)?;
            file.sync_all()?;
            if let Some(kept) = keep_at {
                fs::rename(&path, kept)?;
            }
            fs::rename(&next, &path)
        };
        let done = put();
        if done.is_err() {
            // It may not have been made.
            let _ = fs::remove_file(&next);
        }
        done
    }

    /// What is there, and whose it is.
    fn found(&self) -> Result<Option<(Whose, Vec<u8>)>, Fault> {
        let path = self.path();
        let data = match path.symlink_metadata() {
            Ok(data) => data,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unwritable(&path, &error)),
        };
        // A link is kept as one, wherever it leads.
        if !data.is_file() || data.len() > HOOK_BYTES {
            return Ok(Some((Whose::Others, Vec::new())));
        }
        let bytes = fs::read(&path).map_err(|error| unwritable(&path, &error))?;
        Ok(Some((whose(&bytes), bytes)))
    }
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(unix)]
fn executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &File) -> io::Result<()> {
    Ok(())
}

fn changed(path: &Path) -> Fault {
    Fault::new(
        Code::ClientFile,
        format!("{} is Review Gate's, and somebody has changed it since.", path.display()),
        "Move your lines to another file, delete this one, then try again; nothing was changed.",
    )
}

fn unwritable(path: &Path, error: &io::Error) -> Fault {
    let code = if error.kind() == ErrorKind::StorageFull { Code::DiskFull } else { Code::ReadOnly };
    Fault::new(
        code,
        format!("{} can't be read or written: {error}.", path.display()),
        "Make the folder of the hooks writable for your user, then try again.",
    )
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::hooks::script::Wish;

    fn script(program: &str) -> String {
        let program = Path::new(program);
        Hook::PreCommit.script(Wish { program, home: None, all: false, protected: None, reviews: false })
    }

    /// Plans and does it.
    fn install(file: &HookFile, text: &str) -> Result<Change, Fault> {
        let change = file.plan(text)?;
        file.carry_out(&change, text).map(|()| change)
    }

    fn uninstall(file: &HookFile) -> Result<Change, Fault> {
        let change = file.plan_out()?;
        file.carry_out(&change, "").map(|()| change)
    }

    fn files(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_hook_comes_and_goes_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = HookFile::new(Hook::PreCommit, &folder.path().join("hooks"));
        let text = script("/bin/one");
        assert_eq!(uninstall(&file), Ok(Change::Nothing), "there is none");
        assert_eq!(install(&file, &text), Ok(Change::Write));
        assert_eq!(fs::read(file.path()).expect("a hook"), text.as_bytes());
        let mode = fs::metadata(file.path()).expect("a hook").permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "git runs no other");
        assert_eq!(install(&file, &text), Ok(Change::Nothing), "twice changes nothing");
        assert_eq!(install(&file, &script("/bin/two")), Ok(Change::Write), "an older one of ours is replaced");
        assert_eq!(uninstall(&file), Ok(Change::Delete));
        assert_eq!(files(&folder.path().join("hooks")), [""; 0]);
    }

    #[test]
    fn what_was_there_is_kept_and_put_back_to_the_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = HookFile::new(Hook::PreCommit, folder.path());
        let before = b"#!/bin/sh\r\necho \xff mine\n";
        fs::write(file.path(), before).expect("a hook");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o710)).expect("a mode");
        let looks = || fs::metadata(file.path()).map(|data| (data.permissions().mode(), data.modified().ok()));
        let then = looks().expect("it is there");
        assert_eq!(install(&file, &script("/bin/one")), Ok(Change::Chain));
        assert_eq!(fs::read(file.kept()).expect("it is kept"), before);
        assert_eq!(install(&file, &script("/bin/two")), Ok(Change::Write), "what is kept stays kept");
        assert_eq!(uninstall(&file), Ok(Change::PutBack));
        assert_eq!(fs::read(file.path()).expect("it is back"), before);
        assert_eq!(looks().expect("it is there"), then, "its mode and its time, too");
        assert_eq!(files(folder.path()), ["pre-commit"]);
        assert_eq!(uninstall(&file), Ok(Change::Leave { kept: false }), "it is somebody else's");
    }

    #[test]
    fn a_link_is_kept_as_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = HookFile::new(Hook::PrePush, folder.path());
        std::os::unix::fs::symlink("nowhere", file.path()).expect("a link");
        assert_eq!(install(&file, &script("/bin/one")), Ok(Change::Chain));
        assert_eq!(fs::read_link(file.kept()).expect("a link"), Path::new("nowhere"));
        assert_eq!(uninstall(&file), Ok(Change::PutBack));
        assert_eq!(fs::read_link(file.path()).expect("a link"), Path::new("nowhere"));
    }

    #[test]
    fn nothing_is_lost_where_others_wrote_in_between() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = HookFile::new(Hook::PreCommit, folder.path());
        let text = script("/bin/one");
        fs::write(file.path(), "first\n").expect("a hook");
        install(&file, &text).expect("it is chained");
        fs::write(file.path(), format!("{text}echo mine\n")).expect("a change");
        for fault in [install(&file, &text).expect_err("changed"), uninstall(&file).expect_err("changed")] {
            assert!(fault.message.contains("somebody has changed it"), "{fault}");
        }
        fs::write(file.path(), "second\n").expect("another program's");
        let fault = install(&file, &text).expect_err("two would be kept");
        assert!(fault.mend.contains("Move one of the two away"), "{fault}");
        assert_eq!(uninstall(&file), Ok(Change::Leave { kept: true }));
        assert_eq!(fs::read(file.path()).expect("it stays"), b"second\n");
        assert_eq!(fs::read(file.kept()).expect("it stays"), b"first\n");
        fs::remove_file(file.path()).expect("it goes");
        assert_eq!(uninstall(&file), Ok(Change::PutBack), "what was kept has its name again");
        assert_eq!(fs::read(file.path()).expect("it is back"), b"first\n");
    }
}
