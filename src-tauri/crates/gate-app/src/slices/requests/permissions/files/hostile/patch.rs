//! Codex's `apply_patch`, which opencode has as well, where its lines stand in the file as they stand in the patch.

use std::fs;
use std::path::Path;

use super::Held;
use super::tools::{Does, real};

pub(super) enum Change {
    Add(String, String),
    Delete(String),
    /// With its new name.
    Update(String, Option<String>, Vec<Chunk>),
}

#[derive(Default)]
pub(super) struct Chunk {
    context: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
    at_end: bool,
}

/// The changes of a patch; none of one that has something else.
pub(super) fn read(text: &str) -> Vec<Change> {
    let lines: Vec<&str> = text.trim().split('\n').collect();
    let [first, lines @ .., last] = lines.as_slice() else { return Vec::new() };
    if first.trim() != "*** Begin Patch" || last.trim() != "*** End Patch" {
        return Vec::new();
    }
    let mut changes: Vec<Change> = Vec::new();
    for line in lines {
        if let Some(name) = line.strip_prefix("*** Add File: ") {
            changes.push(Change::Add(name.to_owned(), String::new()));
        } else if let Some(name) = line.strip_prefix("*** Delete File: ") {
            changes.push(Change::Delete(name.to_owned()));
        } else if let Some(name) = line.strip_prefix("*** Update File: ") {
            changes.push(Change::Update(name.to_owned(), None, Vec::new()));
        } else {
            match changes.last_mut() {
                Some(Change::Add(_, content)) if line.starts_with('+') => {
                    content.push_str(&line[1..]);
                    content.push('\n');
                }
                Some(Change::Update(_, moved, chunks)) => match line.strip_prefix("*** Move to: ") {
                    Some(to) => *moved = Some(to.to_owned()),
                    None if line.starts_with("@@") => {
                        let context = Some(line[2..].trim().to_owned()).filter(|context| !context.is_empty());
                        chunks.push(Chunk { context, ..Chunk::default() });
                    }
                    None if chunks.is_empty() => return Vec::new(),
                    None => chunks.last_mut().into_iter().for_each(|chunk| chunk.takes(line)),
                },
                _ => return Vec::new(),
            }
        }
    }
    changes
}

impl Chunk {
    fn takes(&mut self, line: &str) {
        match line.chars().next() {
            None => {
                self.old.push(String::new());
                self.new.push(String::new());
            }
            Some(' ') => {
                self.old.push(line[1..].to_owned());
                self.new.push(line[1..].to_owned());
            }
            Some('-') => self.old.push(line[1..].to_owned()),
            Some('+') => self.new.push(line[1..].to_owned()),
            Some(_) => self.at_end |= line == "*** End of File",
        }
    }
}

/// What chunks leave of a text: lines are found where they stand as they are, from where the last were found.
pub(super) fn updated(before: &str, chunks: &[Chunk]) -> Option<String> {
    let mut lines: Vec<String> = before.split('\n').map(str::to_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let mut places = Vec::new();
    let mut from = 0;
    for Chunk { context, old, new, at_end } in chunks {
        if let Some(context) = context {
            from += lines.get(from..)?.iter().position(|line| line == context)? + 1;
        }
        if old.is_empty() {
            let at = lines.len() - usize::from(lines.last().is_some_and(String::is_empty));
            places.push((at, 0, new));
            continue;
        }
        let last = lines.len().checked_sub(old.len())?;
        let stands = |at: usize| lines[at..at + old.len()] == old[..];
        let at = Some(last).filter(|at| *at_end && *at >= from && stands(*at));
        let at = at.or_else(|| (from..=last).find(|at| stands(*at)))?;
        places.push((at, old.len(), new));
        from = at + old.len();
    }
    places.sort_by_key(|(at, ..)| *at);
    for (at, length, new) in places.into_iter().rev() {
        lines.splice(at..at + length, new.iter().cloned());
    }
    if lines.last().is_none_or(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    Some(lines.join("\n"))
}

/// What Codex does with a patch.
pub(super) fn does(patch: &str, folder: &Path) -> Does {
    let changes = read(patch);
    if changes.is_empty() {
        return Does::Unsaid;
    }
    let place = |name: &str| real(&folder.join(name));
    let mut held = Held::new();
    for change in changes {
        match change {
            Change::Add(name, content) => {
                held.insert(place(&name), Some(content.into_bytes()));
            }
            Change::Delete(name) if folder.join(&name).is_file() => {
                held.insert(place(&name), None);
            }
            Change::Delete(_) => return Does::Refuses,
            Change::Update(name, moved, chunks) => {
                let Ok(before) = fs::read_to_string(folder.join(&name)) else { return Does::Refuses };
                let Some(after) = updated(&before, &chunks) else { return Does::Unsaid };
                if let Some(to) = moved {
                    held.insert(place(&name), None);
                    held.insert(place(&to), Some(after.into_bytes()));
                } else {
                    held.insert(place(&name), Some(after.into_bytes()));
                }
            }
        }
    }
    Does::Writes(held)
}
