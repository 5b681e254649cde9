//! Writes the files of the person's own prompts: whole or not at all, and nowhere but in their folder.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use gate_core::ask::excerpt;
use gate_core::prompt::checked_id;
use gate_core::{Code, Fault, PromptFormat, PromptOrigin, PromptProblem};
use sha2::{Digest as _, Sha256};

use crate::folder::format_of;
use crate::preview::checked;
use crate::set::PromptSet;

/// The extensions of prompts, that of the file that counts first.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "md"];

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file's path below the folder.
    pub file: String,
    /// Names its text now.
    pub sha256: String,
}

/// Writes a prompt's file in this folder, which is created with the folders of the id. A file of the same
/// format keeps its extension; one of another format is replaced. It blocks. The library is to be reloaded
/// afterwards.
///
/// # Errors
/// `invalid_input` and `too_large` for the id; `prompt` where the text makes no prompt, with what is wrong;
/// `name_taken` where there is one and `seen` is absent; `prompt_conflict` where it is not what `seen`
/// says; `read_only`, `disk_full` and `unreadable_file` where it can't be written.
pub fn save(
    folder: &Path,
    set: &PromptSet,
    id: &str,
    format: PromptFormat,
    text: &str,
    seen: Option<&str>,
) -> Result<Written, (Fault, Vec<PromptProblem>)> {
    checked_id(id).map_err(bare)?;
    let (prompt, problems) = checked(set, id, format, text);
    if prompt.is_none() {
        return Err((refused(&problems), problems));
    }
    // A prompt of another layer isn't touched: the new file hides it.
    let foreign = set.file(id).is_some_and(|file| file.origin != PromptOrigin::Local && Some(&*file.sha256) == seen);
    written(folder, id, format, text, seen, foreign).map_err(bare)
}

fn bare(fault: Fault) -> (Fault, Vec<PromptProblem>) {
    (fault, Vec::new())
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

fn written(
    folder: &Path,
    id: &str,
    format: PromptFormat,
    text: &str,
    seen: Option<&str>,
    foreign: bool,
) -> Result<Written, Fault> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let root = fs::canonicalize(folder).map_err(|error| failed(folder, &error))?;
    let parent = descend(&root, id)?;
    let existing = existing(&root, id)?;
    match (&existing, seen) {
        (Some(_), None) => {
            let message = format!("There is a prompt `{id}` already.");
            return Err(Fault::new(
                Code::NameTaken,
                message,
                "Choose another name, or open that prompt and change it.",
            ));
        }
        (Some(path), Some(seen)) if digest(path)? != seen => return Err(conflict(id)),
        (None, Some(_)) if !foreign => return Err(conflict(id)),
        _ => {}
    }
    let kept = existing.as_ref().filter(|path| format_at(path) == Some(format));
    let path = kept.cloned().unwrap_or_else(|| root.join(format!("{id}.{}", format.extension())));
    put(&parent, &path, text, kept.is_some()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => conflict(id),
        _ => failed(&path, &error),
    })?;
    if let Some(old) = existing.filter(|old| *old != path) {
        fs::remove_file(&old).map_err(|error| failed(&old, &error))?;
    }
    let file = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
    Ok(Written { file, sha256: crate::builtin::sha256(text) })
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
    if digest(&path)? != seen {
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

/// The folder of an id, made where it isn't there, one step after the other.
fn descend(root: &Path, id: &str) -> Result<PathBuf, Fault> {
    let mut at = root.to_path_buf();
    let parts: Vec<&str> = id.split('/').collect();
    for part in parts.iter().take(parts.len().saturating_sub(1)) {
        at.push(part);
        match fs::create_dir(&at) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(&at, &error)),
            _ => {}
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

fn digest(path: &Path) -> Result<String, Fault> {
    let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a new file beside the old one, and gives it its name when all of it is on the disk.
fn put(parent: &Path, path: &Path, text: &str, over: bool) -> std::io::Result<()> {
    let mut new = tempfile::Builder::new().prefix(".prompt-").tempfile_in(parent)?;
    new.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode() & 0o777);
        new.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    }
    new.as_file().sync_all()?;
    let kept = if over { new.persist(path) } else { new.persist_noclobber(path) };
    kept.map_err(|error| error.error)?;
    // So that the name is there after a power cut as well; not every system can say so of a folder.
    if let Ok(folder) = File::open(parent) {
        let _ = folder.sync_all();
    }
    Ok(())
}
