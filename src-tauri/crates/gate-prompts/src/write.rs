//! Writes the files of the person's own prompts: whole or not at all, one or several, and nowhere but in their folder.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use gate_core::ask::excerpt;
use gate_core::prompt::checked_id;
use gate_core::{Code, Fault, PromptFormat, PromptOrigin, PromptProblem};
use sha2::{Digest as _, Sha256};
use tempfile::TempPath;

use crate::folder::format_of;
use crate::preview::checked;
use crate::set::PromptSet;

/// The extensions of prompts, that of the file that counts first.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "md"];

/// A prompt that is to be saved.
#[derive(Debug, Clone, Copy)]
pub struct Saving<'a> {
    /// Its id.
    pub id: &'a str,
    /// How its file is written.
    pub format: PromptFormat,
    /// What its file is to hold.
    pub text: &'a str,
    /// Names the text that was seen in its place; absent where there is to be none.
    pub seen: Option<&'a str>,
}

/// Prompts that were saved together, and what was there before.
#[derive(Debug)]
pub struct Saved {
    /// What was written for each, in their order.
    pub written: Vec<Written>,
    placed: Vec<Placed>,
    /// Folders that were made for them.
    folders: Vec<PathBuf>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file's path below the folder.
    pub file: String,
    /// Names its text now.
    pub sha256: String,
}

/// Writes the files of prompts in this folder, which is created with the folders of the ids: all of them, or none. A
/// file of the same format keeps its extension; one of another format is replaced. It blocks. The library is to be
/// reloaded afterwards.
///
/// # Errors
/// `invalid_input` and `too_large` for an id; `prompt` where a text makes no prompt, with what is wrong;
/// `name_taken` where there is one and `seen` is absent; `prompt_conflict` where it is not what `seen`
/// says; `read_only`, `disk_full` and `unreadable_file` where it can't be written. Of several prompts, the message
/// names the one that it is about.
pub fn save(folder: &Path, set: &PromptSet, prompts: &[Saving<'_>]) -> Result<Saved, Fault> {
    let about = |at: usize, fault: Fault| {
        let (Some(prompt), 2..) = (prompts.get(at), prompts.len()) else { return fault };
        let (count, id) = (prompts.len(), excerpt(prompt.id, 80));
        let message = format!("None of the {count} prompts was saved, because of `{id}`: {}", fault.message);
        Fault { message, ..fault }
    };
    for (at, prompt) in prompts.iter().enumerate() {
        is_prompt(set, prompt).map_err(|fault| about(at, fault))?;
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let root = fs::canonicalize(folder).map_err(|error| failed(folder, &error))?;
    let mut stage = Stage { root, files: Vec::with_capacity(prompts.len()), folders: Vec::new() };
    for (at, prompt) in prompts.iter().enumerate() {
        // A prompt of another layer isn't touched: the new file hides it.
        let other = set.file(prompt.id).filter(|file| file.origin != PromptOrigin::Local);
        let foreign = other.is_some_and(|file| Some(&*file.sha256) == prompt.seen);
        stage.add(prompt, foreign).map_err(|fault| about(at, fault))?;
    }
    stage.put().map_err(|(at, fault)| about(at, fault))
}

fn is_prompt(set: &PromptSet, prompt: &Saving<'_>) -> Result<(), Fault> {
    checked_id(prompt.id)?;
    match checked(set, prompt.id, prompt.format, prompt.text) {
        (Some(_), _) => Ok(()),
        (None, problems) => Err(refused(&problems)),
    }
}

fn refused(problems: &[PromptProblem]) -> Fault {
    let errors: Vec<_> = problems.iter().filter(|problem| !problem.warning).collect();
    let Some(first) = errors.first() else { return Fault::internal("The text makes no prompt.") };
    let place = match (first.line, first.column) {
        (Some(line), Some(column)) => format!("Line {line}, column {column}: "),
        _ => String::new(),
    };
    let more = match errors.len() {
        1 => String::new(),
        count => format!(" And {} more.", count - 1),
    };
    Fault::new(Code::Prompt, format!("{place}{}{more}", first.message), first.mend.clone())
}

/// Files that lie whole beside their places, so that only names are left to change. What isn't put there goes with
/// this, and so do the folders that were made.
struct Stage {
    root: PathBuf,
    files: Vec<Staged>,
    folders: Vec<PathBuf>,
}

struct Staged {
    id: String,
    new: TempPath,
    path: PathBuf,
    before: Option<Before>,
    sha256: String,
}

/// A file that is where it is to be.
#[derive(Debug)]
struct Placed {
    path: PathBuf,
    /// What it takes the place of: a file of its name, or one of another format.
    before: Option<Before>,
}

/// A file as it was.
#[derive(Debug)]
struct Before {
    path: PathBuf,
    bytes: Vec<u8>,
    permissions: Permissions,
}

impl Stage {
    fn add(&mut self, prompt: &Saving<'_>, foreign: bool) -> Result<(), Fault> {
        let Saving { id, format, text, seen } = *prompt;
        let parent = descend(&self.root, id, &mut self.folders)?;
        let before = existing(&self.root, id)?.map(Before::of).transpose()?;
        match (&before, seen) {
            (Some(_), None) => {
                let message = format!("There is a prompt `{id}` already.");
                return Err(Fault::new(
                    Code::NameTaken,
                    message,
                    "Choose another name, or open that prompt and change it.",
                ));
            }
            (Some(before), Some(seen)) if digest(&before.bytes) != seen => return Err(conflict(id)),
            (None, Some(_)) if !foreign => return Err(conflict(id)),
            _ => {}
        }
        let kept = before.as_ref().map(|before| &before.path).filter(|path| format_at(path) == Some(format));
        let path = kept.cloned().unwrap_or_else(|| self.root.join(format!("{id}.{}", format.extension())));
        let same = before.as_ref().filter(|before| before.path == path);
        let new = beside(&parent, text.as_bytes(), same.map(|before| &before.permissions))
            .map_err(|error| failed(&path, &error))?;
        self.files.push(Staged { id: id.to_owned(), new, path, before, sha256: crate::builtin::sha256(text) });
        Ok(())
    }

    /// Gives every file its name. Where one can't have it, all is as it was, and it is said which.
    fn put(mut self) -> Result<Saved, (usize, Fault)> {
        let mut saved = Saved { written: Vec::new(), placed: Vec::new(), folders: Vec::new() };
        for (at, staged) in std::mem::take(&mut self.files).into_iter().enumerate() {
            let Staged { id, new, path, before, sha256 } = staged;
            let over = before.as_ref().is_some_and(|before| before.path == path);
            let named = if over { new.persist(&path) } else { new.persist_noclobber(&path) };
            if let Err(refused) = named {
                let fault = match refused.error.kind() {
                    ErrorKind::AlreadyExists => conflict(&id),
                    _ => failed(&path, &refused.error),
                };
                return Err((at, saved.given_up(fault)));
            }
            let file = path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            saved.written.push(Written { file, sha256 });
            saved.placed.push(Placed { path, before });
        }
        // Only now, so that each prompt has a file all the while.
        let placed = saved.placed.iter().enumerate();
        let mut replaced = placed.filter_map(|(at, placed)| Some((at, placed.replaced()?)));
        let remove = |old: &Path| fs::remove_file(old).map_err(|error| failed(old, &error));
        let removed = replaced.try_for_each(|(at, old)| remove(old).map_err(|fault| (at, fault)));
        if let Err((at, fault)) = removed {
            return Err((at, saved.given_up(fault)));
        }
        settle(&saved.placed);
        saved.folders = std::mem::take(&mut self.folders);
        Ok(saved)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.files.clear();
        remove_empty(&self.folders);
    }
}

impl Saved {
    /// Has all of it as it was before. It blocks.
    ///
    /// # Errors
    /// As where a file can't be written; the others are as they were.
    pub fn take_back(self) -> Result<(), Fault> {
        let mut taken_back = Ok(());
        for placed in self.placed.iter().rev() {
            if let Err(error) = placed.take_back() {
                taken_back = Err(failed(&placed.path, &error));
            }
        }
        settle(&self.placed);
        remove_empty(&self.folders);
        taken_back
    }

    /// The fault for why nothing was saved, once all is as it was.
    fn given_up(self, fault: Fault) -> Fault {
        match self.take_back() {
            Ok(()) => fault,
            Err(worse) => {
                let message = format!("{} And not all of it is as it was: {}", fault.message, worse.message);
                Fault { message, ..fault }
            }
        }
    }
}

impl Placed {
    /// The file of another format whose place it takes.
    fn replaced(&self) -> Option<&Path> {
        self.before.as_ref().map(|before| before.path.as_path()).filter(|old| *old != self.path)
    }

    fn take_back(&self) -> std::io::Result<()> {
        if let Some(before) = &self.before {
            let Some(parent) = before.path.parent() else { return Ok(()) };
            let new = beside(parent, &before.bytes, Some(&before.permissions))?;
            new.persist(&before.path).map_err(|refused| refused.error)?;
        }
        if self.before.is_none() || self.replaced().is_some() { fs::remove_file(&self.path) } else { Ok(()) }
    }
}

impl Before {
    fn of(path: PathBuf) -> Result<Self, Fault> {
        let unreadable = |error: std::io::Error| failed(&path, &error);
        let bytes = fs::read(&path).map_err(unreadable)?;
        let permissions = fs::metadata(&path).map_err(unreadable)?.permissions();
        Ok(Self { path, bytes, permissions })
    }
}

/// Deletes the file of a prompt in this folder, and the folders that are empty then. It blocks.
///
/// # Errors
/// `unknown_prompt` where there is none; `prompt_conflict` where it is not what `seen` says; `read_only`
/// and `unreadable_file` where it can't be deleted.
pub fn delete(folder: &Path, id: &str, seen: &str) -> Result<(), Fault> {
    checked_id(id)?;
    let unknown = || {
        let message = format!("You have no prompt `{}` of your own.", excerpt(id, 80));
        Fault::new(Code::UnknownPrompt, message, "Built-in and synchronised prompts can be hidden, not deleted.")
    };
    let root = fs::canonicalize(folder).map_err(|_| unknown())?;
    let path = existing(&root, id)?.ok_or_else(unknown)?;
    let bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
    if digest(&bytes) != seen {
        return Err(conflict(id));
    }
    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
    let mut parent = path.parent();
    while let Some(empty) = parent.filter(|parent| **parent != root && fs::remove_dir(parent).is_ok()) {
        parent = empty.parent();
    }
    Ok(())
}

fn conflict(id: &str) -> Fault {
    Fault::new(
        Code::PromptConflict,
        format!("The file of `{id}` was changed since you looked at it."),
        "Look at it again, and make your change once more.",
    )
}

fn failed(path: &Path, error: &std::io::Error) -> Fault {
    let code = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DiskFull,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::ReadOnly,
        _ => Code::UnreadableFile,
    };
    let message = format!("{} can't be written: {error}.", path.display());
    Fault::new(code, message, "Check that you may write there and that the disk has room.")
}

fn outside(path: &Path) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} is a link or no folder, and isn't followed.", path.display()),
        "Replace it by an ordinary file or folder, or choose another name.",
    )
}

fn is_link(path: &Path) -> Result<bool, Fault> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(metadata.file_type().is_symlink()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(path, &error)),
    }
}

/// The folder of an id, made where it isn't there, one step after the other. `made` gets those that were.
fn descend(root: &Path, id: &str, made: &mut Vec<PathBuf>) -> Result<PathBuf, Fault> {
    let mut at = root.to_path_buf();
    let parts: Vec<&str> = id.split('/').collect();
    for part in parts.iter().take(parts.len().saturating_sub(1)) {
        at.push(part);
        match fs::create_dir(&at) {
            Ok(()) => made.push(at.clone()),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(&at, &error)),
            Err(_) => {}
        }
        let good = fs::symlink_metadata(&at).is_ok_and(|metadata| metadata.is_dir());
        if !good {
            return Err(outside(&at));
        }
    }
    Ok(at)
}

/// The file of an id that counts.
fn existing(root: &Path, id: &str) -> Result<Option<PathBuf>, Fault> {
    let mut at = root.to_path_buf();
    let parts: Vec<&str> = id.split('/').collect();
    for part in parts.iter().take(parts.len().saturating_sub(1)) {
        at.push(part);
        if is_link(&at)? {
            return Err(outside(&at));
        }
    }
    for extension in EXTENSIONS {
        let path = root.join(format!("{id}.{extension}"));
        if is_link(&path)? {
            return Err(outside(&path));
        }
        if path.is_file() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn format_at(path: &Path) -> Option<PromptFormat> {
    path.extension().and_then(|extension| extension.to_str()).and_then(format_of)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file into this folder, under a name of its own, until all of it is on the disk.
fn beside(parent: &Path, bytes: &[u8], permissions: Option<&Permissions>) -> std::io::Result<TempPath> {
    let mut new = tempfile::Builder::new().prefix(".prompt-").tempfile_in(parent)?;
    new.write_all(bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = permissions.map_or(0o644, |permissions| permissions.mode() & 0o777);
        new.as_file().set_permissions(Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = permissions;
    new.as_file().sync_all()?;
    Ok(new.into_temp_path())
}

/// Has the names there after a power cut as well; not every system can say so of a folder.
fn settle(placed: &[Placed]) {
    let folders: BTreeSet<_> = placed.iter().filter_map(|placed| placed.path.parent()).collect();
    for folder in folders {
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
}

/// Removes folders that were made one after the other. One that isn't empty stays.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}
