//! opencode's `edit`, `write` and `apply_patch`, and the diff that it makes of them for people: without a mark at the beginning,
//! without what all lines are indented by, and of an `edit` without carriage returns.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::patch::{self, Change};
use super::tools::{Does, is_blank, real, writes};

/// A use of one of its tools.
#[derive(Debug, Clone)]
pub(super) enum Call {
    Edit { path: String, old: String, new: String, all: bool },
    Write { path: String, content: String },
    Patch(String),
}

/// What it makes of a file: both texts as its diff has them, and what it writes.
struct Made {
    before: String,
    after: String,
    written: String,
}

fn unmarked(text: &str) -> (bool, String) {
    text.strip_prefix('\u{feff}').map_or((false, text.to_owned()), |text| (true, text.to_owned()))
}

/// As it writes a text: with one mark or none.
fn written(is_marked: bool, text: &str) -> String {
    let text = unmarked(text).1;
    if is_marked { format!("\u{feff}{text}") } else { text }
}

impl Call {
    /// What it says in its question.
    pub(super) fn input(&self, folder: &Path) -> Option<String> {
        let at = |path: &str| folder.join(path);
        let (metadata, args): (Value, Value) = match self {
            Self::Edit { path, old, new, all } => {
                let made = self.makes(&real(&at(path)))?;
                let args = json!({"filePath": at(path), "oldString": old, "newString": new, "replaceAll": all});
                (json!({"filepath": at(path), "diff": made.diff()}), args)
            }
            Self::Write { path, content } => {
                let made = self.makes(&real(&at(path)))?;
                let args = json!({"filePath": at(path), "content": content});
                (json!({"filepath": at(path), "diff": made.diff()}), args)
            }
            Self::Patch(patch) => {
                let [change] = <[Change; 1]>::try_from(patch::read(patch)).ok()?;
                let (kind, name, to) = match &change {
                    Change::Add(name, _) => ("add", name, None),
                    Change::Delete(name) => ("delete", name, None),
                    Change::Update(name, None, _) => ("update", name, None),
                    Change::Update(name, Some(to), _) => ("move", name, Some(at(to))),
                };
                let mut file = json!({"filePath": at(name), "relativePath": name, "type": kind});
                if let Some(to) = to {
                    file["movePath"] = json!(to);
                }
                let diff = patched(&change, folder)?.diff();
                (json!({"filepath": name, "diff": diff, "files": [file]}), json!({ "patchText": patch }))
            }
        };
        Some(json!({"patterns": ["a"], "metadata": metadata, "args": args}).to_string())
    }

    /// What it does to the files that are there.
    pub(super) fn does(&self, folder: &Path) -> Does {
        let place = |path: &str| real(&folder.join(path));
        match self {
            Self::Edit { path, .. } | Self::Write { path, .. } => match self.makes(&place(path)) {
                Some(made) => writes(place(path), &made.written),
                None => Does::Refuses,
            },
            Self::Patch(text) => {
                let Ok([change]) = <[Change; 1]>::try_from(patch::read(text)) else { return Does::Unsaid };
                let Some(made) = patched(&change, folder) else { return Does::Refuses };
                match change {
                    Change::Add(name, _) | Change::Update(name, None, _) => writes(place(&name), &made.written),
                    Change::Delete(name) => Does::Writes(BTreeMap::from([(place(&name), None)])),
                    Change::Update(name, Some(to), _) => {
                        let moved = (place(&to), Some(made.written.into_bytes()));
                        Does::Writes(BTreeMap::from([(place(&name), None), moved]))
                    }
                }
            }
        }
    }

    fn makes(&self, place: &Path) -> Option<Made> {
        let is_there = place.is_file();
        let (was_marked, text) = unmarked(&fs::read_to_string(place).unwrap_or_default());
        let plain = |text: &str| text.replace("\r\n", "\n");
        match self {
            Self::Edit { old, new, .. } if old.is_empty() => {
                let (is_marked, after) = unmarked(new);
                (!is_there).then(|| Made { before: String::new(), written: written(is_marked, &after), after })
            }
            Self::Edit { old, new, all, .. } => {
                let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
                let (old, new) = (plain(old).replace('\n', ends), plain(new).replace('\n', ends));
                // Places may overlap.
                let (first, last) = (text.find(&old)?, text.rfind(&old)?);
                if first != last && !all {
                    return None;
                }
                let (is_marked, after) = unmarked(&text.replace(&old, &new));
                let written = written(was_marked || is_marked, &after);
                Some(Made { before: plain(&text), after: plain(&after), written })
            }
            Self::Write { content, .. } => {
                let (is_marked, after) = unmarked(content);
                Some(Made { before: text, written: written(was_marked || is_marked, &after), after })
            }
            Self::Patch(_) => None,
        }
    }
}

fn patched(change: &Change, folder: &Path) -> Option<Made> {
    let read = |name: &str| Some(unmarked(&fs::read_to_string(folder.join(name)).ok()?));
    match change {
        Change::Add(_, content) => {
            let (is_marked, after) = unmarked(content);
            Some(Made { before: String::new(), written: written(is_marked, &after), after })
        }
        Change::Delete(name) => Some(Made { before: read(name)?.1, after: String::new(), written: String::new() }),
        Change::Update(name, _, chunks) => {
            let (was_marked, before) = read(name)?;
            let (is_marked, after) = unmarked(&patch::updated(&before, chunks)?);
            Some(Made { before, written: written(was_marked || is_marked, &after), after })
        }
    }
}

impl Made {
    fn diff(&self) -> String {
        trimmed(&unified(&self.before, &self.after))
    }
}

/// A unified diff with three lines around what differs, in one hunk.
fn unified(before: &str, after: &str) -> String {
    if before == after {
        return "Index: a\n===\n--- a\n+++ a\n".to_owned();
    }
    let (old, new): (Vec<_>, Vec<_>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (begin, around) = (head.saturating_sub(3), tail.min(3));
    let (olds, news) = (old.len() - tail, new.len() - tail);
    let range = |end: usize| match end + around - begin {
        0 => format!("{begin},0"),
        length => format!("{},{length}", begin + 1),
    };
    let mut text = format!("Index: a\n===\n--- a\n+++ a\n@@ -{} +{} @@\n", range(olds), range(news));
    let rows =
        [(' ', &old[begin..head]), ('-', &old[head..olds]), ('+', &new[head..news]), (' ', &old[olds..olds + around])];
    for (mark, line) in rows.into_iter().flat_map(|(mark, lines)| lines.iter().map(move |line| (mark, line))) {
        text.push(mark);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
    text
}

/// A diff without what all of its lines are indented by.
fn trimmed(diff: &str) -> String {
    let is_content =
        |line: &str| line.starts_with(['+', '-', ' ']) && !line.starts_with("---") && !line.starts_with("+++");
    let blanks = |line: &str| line.chars().skip(1).take_while(|c| is_blank(&c.to_string())).count();
    let lines: Vec<&str> = diff.split('\n').collect();
    let contents = lines.iter().filter(|line| is_content(line) && !is_blank(&line[1..]));
    let taken = contents.map(|line| blanks(line)).min().unwrap_or_default();
    let cut = |line: &&str| match is_content(line) {
        true => line[..1].chars().chain(line[1..].chars().skip(taken)).collect(),
        false => (*line).to_owned(),
    };
    lines.iter().map(cut).collect::<Vec<String>>().join("\n")
}
