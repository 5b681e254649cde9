//! What an edit would do to the files as they are: byte for byte, or why that can't be known. The rules are those of each
//! agent's own tool (Claude Code 2.1.197, Codex 0.169.0, opencode 1.18.33); what these do by likeness, such as taking curly
//! quotes for straight ones, isn't guessed at.
//!
//! Opens no file: what stands in them is told.

use serde_json::Value;

use super::form::PermissionForm;
use super::read::{PermissionKind, is_ambiguous, text_of};
use super::{EditUnknown, Permission, codex, exact, hunks, opencode};
use crate::bounds;

#[cfg(test)]
mod tests;

/// What an edit is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Texts of a file are replaced by others, one after the other.
    Replace {
        /// The file.
        path: String,
        /// What by what.
        edits: Vec<Replacement>,
    },
    /// A file is written whole.
    Whole {
        /// The file.
        path: String,
        /// All that it then holds.
        content: String,
    },
    /// A text becomes another; of what file it is all isn't said.
    Told {
        /// The file.
        path: String,
        /// What was there; absent where there was no file.
        old: Option<String>,
        /// What is there then.
        new: String,
    },
    /// A patch of Codex's.
    Patch(Vec<codex::FileChange>),
    /// A unified diff that the agent made of its edit.
    Given {
        /// The file.
        path: String,
        /// The diff.
        diff: String,
        /// What becomes of the file.
        becomes: Becomes,
        /// What its tool was called with; absent where that isn't known.
        called: Option<opencode::Called>,
    },
}

/// What becomes of a file that an agent gives a diff of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Becomes {
    /// It is changed.
    Changed,
    /// It is written whole, whatever was there.
    Written,
    /// It is deleted.
    Deleted,
    /// It is changed and gets this name.
    Moved(String),
}

/// A text in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    old: String,
    new: String,
    all: bool,
}

/// What was found of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFound {
    /// There is none.
    Missing,
    /// This text.
    Text(String),
    /// Something that can't be edited as text, or read.
    Not(EditUnknown),
}

/// What an edit would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The unified diff of all its files; absent where that can't be known or shown.
    pub diff: Option<String>,
    /// Why.
    pub unknown: Option<EditUnknown>,
}

/// A file before and after; absent where there is none.
type Sides = (Option<String>, Option<String>);

impl Change {
    /// What the input of an edit says.
    ///
    /// # Errors
    /// Why that isn't known.
    pub fn of(permission: &Permission) -> Result<Self, EditUnknown> {
        if is_ambiguous(&permission.input) {
            return Err(EditUnknown::Form);
        }
        let input: Value = serde_json::from_str(&permission.input).map_err(|_| EditUnknown::Form)?;
        let change = match permission.form {
            PermissionForm::ClaudeHook | PermissionForm::ClaudePrompt => match permission.tool.as_str() {
                "Edit" => Self::Replace { path: path_of(&input, "file_path")?, edits: vec![replacement(&input)?] },
                "MultiEdit" => {
                    let edits = input.get("edits").and_then(Value::as_array).ok_or(EditUnknown::Form)?;
                    if edits.len() > bounds::PERMISSION_EDITS {
                        return Err(EditUnknown::TooLarge);
                    }
                    let edits = edits.iter().map(replacement).collect::<Result<_, _>>()?;
                    Self::Replace { path: path_of(&input, "file_path")?, edits }
                }
                "Write" => Self::Whole { path: path_of(&input, "file_path")?, content: said(&input, "content")? },
                _ => return Err(EditUnknown::Form),
            },
            PermissionForm::CodexHook => Self::Patch(codex::read(&said(&input, "command")?).ok_or(EditUnknown::Form)?),
            PermissionForm::Opencode => given(&input)?,
            PermissionForm::Acp => {
                let content = input.get("content").and_then(Value::as_array).ok_or(EditUnknown::Untold)?;
                let [diff] = content.as_slice() else { return Err(EditUnknown::Form) };
                let old = match (text_of(diff, "type"), diff.get("oldText")) {
                    (Some("diff"), None | Some(Value::Null)) => None,
                    (Some("diff"), Some(Value::String(old))) => Some(old.clone()),
                    _ => return Err(EditUnknown::Form),
                };
                // opencode makes its texts of a diff in which neither carriage returns nor a mark at the file's beginning
                // stand, nor whether the file goes or gets another name.
                if input.get("rawInput").and_then(|raw| text_of(raw, "diff")).is_some() {
                    return Err(EditUnknown::Untold);
                }
                Self::Told { path: path_of(diff, "path")?, old, new: said(diff, "newText")? }
            }
            PermissionForm::CodexDaemon => return Err(EditUnknown::Untold),
        };
        // What agents make of `~` and of blanks around a path isn't guessed at.
        let is_plain = |path: &&str| !path.is_empty() && path.trim() == *path && !path.starts_with('~');
        let paths = change.paths();
        if !paths.iter().all(is_plain) {
            return Err(EditUnknown::NoPath);
        }
        // A file that is there twice is what the first change makes of it when the second one comes.
        let mut places: Vec<_> = paths.iter().map(|path| super::place(&permission.folder, path)).collect();
        places.sort_unstable();
        match places.windows(2).any(|pair| pair.first() == pair.last() && pair.first() != Some(&None)) {
            true => Err(EditUnknown::Form),
            false => Ok(change),
        }
    }

    /// The files that it names, in the agent's words. Where one of a patch gets another name, both.
    #[must_use]
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Given { path, becomes: Becomes::Moved(to), .. } => vec![path, to],
            Self::Replace { path, .. }
            | Self::Whole { path, .. }
            | Self::Told { path, .. }
            | Self::Given { path, .. } => vec![path],
            Self::Patch(files) => files.iter().flat_map(codex::FileChange::paths).collect(),
        }
    }

    /// Whether it takes this one of its files away. Of a link the link goes, and not what it leads to.
    #[must_use]
    pub fn removes(&self, path: &str) -> bool {
        match self {
            Self::Replace { .. } | Self::Whole { .. } | Self::Told { .. } => false,
            Self::Given { path: of, becomes, .. } => {
                of == path && matches!(becomes, Becomes::Deleted | Becomes::Moved(_))
            }
            Self::Patch(files) => files.iter().any(|file| file.removes() && file.path() == path),
        }
    }
}

impl PermissionKind {
    /// Whether files are changed by it.
    #[must_use]
    pub const fn is_edit(self) -> bool {
        matches!(self, Self::Edit | Self::Write)
    }
}

/// What a change would do to these files, which are those of [`Change::paths`] in their order.
#[must_use]
pub fn prepared(change: &Change, found: &[FileFound]) -> Prepared {
    let diff = diffs_of(change, found).and_then(|diffs| {
        let diff = diffs.concat();
        match diff.len() {
            0 => return Err(EditUnknown::Nothing),
            length if length > bounds::DIFF_BYTES => return Err(EditUnknown::TooLarge),
            _ => {}
        }
        // One that isn't read as it was written, to the byte, isn't shown as one.
        exact::says_each_byte(&diff, &diffs)?;
        Ok(diff)
    });
    match diff {
        Ok(diff) => Prepared { diff: Some(diff), unknown: None },
        Err(why) => Prepared { diff: None, unknown: Some(why) },
    }
}

/// A diff for each file.
fn diffs_of(change: &Change, found: &[FileFound]) -> Result<Vec<String>, EditUnknown> {
    let one = || found.first().ok_or(EditUnknown::NoPath).and_then(text);
    match change {
        Change::Replace { path, edits } => {
            let before = one()?;
            let after = replaced(before, edits)?;
            Ok(vec![hunks::file_diff((path, before), (path, Some(&after)))])
        }
        Change::Whole { path, content } => {
            let before = one()?;
            if before.is_some_and(|text| text.contains('\r')) {
                return Err(EditUnknown::LineEnds);
            }
            Ok(vec![hunks::file_diff((path, before), (path, Some(content)))])
        }
        Change::Told { path, old, new } => {
            let before = one()?;
            match (before, old.as_deref()) {
                (Some(before), _) if before.contains('\r') => return Err(EditUnknown::LineEnds),
                // Some agents say "" of a file that isn't there.
                (before, Some(old)) if before.unwrap_or_default() == old => {}
                (None, None) => {}
                (Some(_), None) => return Err(EditUnknown::IsThere),
                // A part of the file alone, as some agents send it: where else it may stand, and what else becomes of the
                // file, they don't say.
                (Some(before), Some(old)) if before.contains(old) => return Err(EditUnknown::Untold),
                (_, Some(_)) => return Err(EditUnknown::NotFound),
            }
            Ok(vec![hunks::file_diff((path, before), (path, Some(new)))])
        }
        Change::Given { path, diff, becomes, called } => {
            let before = one()?;
            // Without it, a mark at the file's beginning may be added, which the diff leaves out.
            let done = |before: Option<&str>| called.as_ref().ok_or(EditUnknown::Untold)?.becomes(before, diff);
            match becomes {
                Becomes::Changed => Ok(vec![hunks::file_diff((path, before), (path, Some(&done(before)?)))]),
                Becomes::Written => Ok(vec![hunks::file_diff((path, before), (path, Some(&done(None)?)))]),
                Becomes::Deleted => {
                    match opencode::is_of(opencode::unmarked(before.ok_or(EditUnknown::NotFound)?), "", diff) {
                        true => Ok(vec![hunks::file_diff((path, before), (path, None))]),
                        false => Err(EditUnknown::Form),
                    }
                }
                Becomes::Moved(to) => {
                    let there = found.get(1).ok_or(EditUnknown::NoPath).and_then(text)?;
                    before.ok_or(EditUnknown::NotFound)?;
                    let after = done(before)?;
                    let gone = hunks::file_diff((path, before), (path, None));
                    Ok(vec![gone, hunks::file_diff((to, there), (to, Some(&after)))])
                }
            }
        }
        Change::Patch(files) => {
            let mut diffs = Vec::with_capacity(files.len());
            let mut found = found.iter();
            for file in files {
                let mut next = || found.next().ok_or(EditUnknown::NoPath).and_then(text);
                let source = next()?;
                let target = if file.moved().is_some() { Some(next()?) } else { None };
                let (before, after): Sides = file.sides(source)?;
                match (file.moved(), target) {
                    (Some(to), Some(there)) => {
                        diffs.push(hunks::file_diff((file.path(), before.as_deref()), (file.path(), None)));
                        diffs.push(hunks::file_diff((to, there), (to, after.as_deref())));
                    }
                    _ => {
                        let path = file.path();
                        diffs.push(hunks::file_diff((path, before.as_deref()), (path, after.as_deref())));
                    }
                }
            }
            Ok(diffs)
        }
    }
}

fn text(found: &FileFound) -> Result<Option<&str>, EditUnknown> {
    match found {
        FileFound::Missing => Ok(None),
        FileFound::Text(text) => Ok(Some(text)),
        FileFound::Not(why) => Err(*why),
    }
}

/// As Claude Code's `Edit` and `MultiEdit` do it.
fn replaced(before: Option<&str>, edits: &[Replacement]) -> Result<String, EditUnknown> {
    let mut text = match (before, edits) {
        (None, [first, ..]) if first.old.is_empty() => String::new(),
        (None, _) => return Err(EditUnknown::NotFound),
        (Some(before), _) if before.contains('\r') => return Err(EditUnknown::LineEnds),
        (Some(before), _) => before.to_owned(),
    };
    for (at, Replacement { old, new, all }) in edits.iter().enumerate() {
        if old == new {
            return Err(EditUnknown::Nothing);
        }
        // It refuses to replace what an earlier one has brought.
        let sought = old.trim_end_matches('\n');
        if !sought.is_empty() && edits.iter().take(at).any(|earlier| earlier.new.contains(sought)) {
            return Err(EditUnknown::Form);
        }
        if old.is_empty() {
            if !text.chars().all(opencode::is_blank) {
                return Err(EditUnknown::IsThere);
            }
            text.clone_from(new);
            continue;
        }
        match text.matches(old.as_str()).take(if *all { usize::MAX } else { 2 }).count() {
            0 => return Err(EditUnknown::NotFound),
            2.. if !all => return Err(EditUnknown::Several),
            // More than there is memory for, if need be.
            found if found.saturating_mul(new.len()) > bounds::DIFF_BYTES => return Err(EditUnknown::TooLarge),
            _ => {}
        }
        // What is deleted takes the end of its line along.
        let line = format!("{old}\n");
        let old = if new.is_empty() && !old.ends_with('\n') && text.contains(&line) { &line } else { old };
        text = if *all { text.replace(old.as_str(), new) } else { text.replacen(old.as_str(), new, 1) };
        if text.len() > bounds::DIFF_BYTES {
            return Err(EditUnknown::TooLarge);
        }
    }
    Ok(text)
}

fn replacement(from: &Value) -> Result<Replacement, EditUnknown> {
    let all = match from.get("replace_all") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(all)) => *all,
        Some(_) => return Err(EditUnknown::Form),
    };
    Ok(Replacement { old: said(from, "old_string")?, new: said(from, "new_string")?, all })
}

/// What opencode's `edit`, `write` and `apply_patch` say. The last has a list of files, whose paths are whole; its other words
/// are from the work tree on, and for many files at once.
fn given(input: &Value) -> Result<Change, EditUnknown> {
    let metadata = input.get("metadata").ok_or(EditUnknown::Untold)?;
    let diff = said(metadata, "diff")?;
    let called = input.get("args").and_then(opencode::Called::of);
    let whole = |from: &Value, name: &str| match path_of(from, name)? {
        path if path.starts_with('/') => Ok(path),
        _ => Err(EditUnknown::NoPath),
    };
    let Some(files) = metadata.get("files") else {
        return Ok(Change::Given { path: whole(metadata, "filepath")?, diff, becomes: Becomes::Changed, called });
    };
    let [file] = files.as_array().map(Vec::as_slice).unwrap_or_default() else { return Err(EditUnknown::Form) };
    let becomes = match (text_of(file, "type"), file.get("movePath")) {
        (Some("update"), None) => Becomes::Changed,
        (Some("add"), None) => Becomes::Written,
        (Some("delete"), None) => Becomes::Deleted,
        (Some("move"), Some(_)) => Becomes::Moved(whole(file, "movePath")?),
        _ => return Err(EditUnknown::Form),
    };
    Ok(Change::Given { path: whole(file, "filePath")?, diff, becomes, called })
}

fn said(from: &Value, name: &str) -> Result<String, EditUnknown> {
    text_of(from, name).map(str::to_owned).ok_or(EditUnknown::Form)
}

fn path_of(from: &Value, name: &str) -> Result<String, EditUnknown> {
    text_of(from, name).map(str::to_owned).ok_or(EditUnknown::NoPath)
}
