//! Codex's `apply_patch`: its form, and what it does where its lines are in the file exactly as they stand in the patch.
//! What Codex finds by likeness (other blanks, other dashes) isn't found here.

use super::EditUnknown;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// A file is made, whatever was there.
    Add {
        /// The file.
        path: String,
        /// All that it then holds.
        content: String,
    },
    /// A file is deleted.
    Delete {
        /// The file.
        path: String,
    },
    /// A file is changed, and perhaps gets another name.
    Update {
        /// The file.
        path: String,
        /// Its new name.
        moved: Option<String>,
        /// What is changed, in the file's order.
        chunks: Vec<Chunk>,
    },
}

/// Lines in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunk {
    /// A line behind which to look.
    context: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
    /// Whether the old lines are the file's last.
    at_end: bool,
}

impl FileChange {
    /// The file.
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Delete { path } | Self::Update { path, .. } => path,
        }
    }

    /// Its new name.
    pub(super) fn moved(&self) -> Option<&str> {
        match self {
            Self::Update { moved, .. } => moved.as_deref(),
            Self::Add { .. } | Self::Delete { .. } => None,
        }
    }

    /// Whether this is in what it writes.
    pub(super) fn brings(&self, c: char) -> bool {
        match self {
            Self::Add { content, .. } => content.contains(c),
            Self::Delete { .. } => false,
            Self::Update { chunks, .. } => chunks.iter().any(|chunk| chunk.new.iter().any(|line| line.contains(c))),
        }
    }

    /// Whether there is no file of its name behind it.
    pub(super) const fn removes(&self) -> bool {
        matches!(self, Self::Delete { .. } | Self::Update { moved: Some(_), .. })
    }

    /// The files that it names.
    pub(super) fn paths(&self) -> Vec<&str> {
        [Some(self.path()), self.moved()].into_iter().flatten().collect()
    }

    /// The file before and after, the latter under its new name.
    pub(super) fn sides(&self, found: Option<&str>) -> Result<(Option<String>, Option<String>), EditUnknown> {
        let before = found.map(str::to_owned);
        match self {
            Self::Add { content, .. } => Ok((before, Some(content.clone()))),
            Self::Delete { .. } => match found {
                Some(_) => Ok((before, None)),
                None => Err(EditUnknown::NotFound),
            },
            Self::Update { chunks, .. } => {
                let after = updated(found.ok_or(EditUnknown::NotFound)?, chunks)?;
                Ok((before, Some(after)))
            }
        }
    }
}

/// Reads a patch; absent where it isn't one as Codex describes them, or one that Codex's versions read in different ways: some
/// skip blank lines before a chunk, some take blanks around a mark away.
pub(super) fn read(text: &str) -> Option<Vec<FileChange>> {
    if text.contains('\r') {
        return None;
    }
    let lines: Vec<&str> = text.trim().split('\n').collect();
    let [first, within @ .., last] = lines.as_slice() else { return None };
    if first.trim() != "*** Begin Patch" || last.trim() != "*** End Patch" {
        return None;
    }
    let mut lines = within.iter().copied().peekable();
    let mut files = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            let mut content = String::new();
            while let Some(added) = lines.next_if(|line| line.starts_with('+')) {
                content.push_str(added.get(1..)?);
                content.push('\n');
            }
            files.push(FileChange::Add { path: path.to_owned(), content });
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            files.push(FileChange::Delete { path: path.to_owned() });
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            let moved = match lines.next_if(|line| line.trim().starts_with("*** Move to:")) {
                Some(line) if line == line.trim() => Some(line.strip_prefix("*** Move to: ")?.to_owned()),
                Some(_) => return None,
                None => None,
            };
            let mut chunks = Vec::new();
            while lines.peek().is_some_and(|line| !line.starts_with("***")) {
                chunks.push(chunk(&mut lines, chunks.is_empty())?);
            }
            if chunks.is_empty() {
                return None;
            }
            files.push(FileChange::Update { path: path.to_owned(), moved, chunks });
        } else {
            return None;
        }
    }
    (!files.is_empty()).then_some(files)
}

fn chunk<'a>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>, is_first: bool) -> Option<Chunk> {
    let mut chunk = Chunk::default();
    match lines.next_if(|line| line.starts_with("@@")) {
        Some("@@") => {}
        Some(line) if line == line.trim_end() => chunk.context = Some(line.strip_prefix("@@ ")?.to_owned()),
        Some(_) => return None,
        // Only the first may go without.
        None if is_first && lines.peek().is_some_and(|line| !line.trim().is_empty()) => {}
        None => return None,
    }
    let mut read = 0;
    while let Some(line) = lines.next_if(|line| !line.starts_with("@@") && !line.starts_with("***")) {
        read += 1;
        if is_mark(line.trim()) {
            return None;
        }
        let (mark, text) = match line.chars().next() {
            None => (' ', ""),
            Some(mark) => (mark, line.get(mark.len_utf8()..)?),
        };
        match mark {
            ' ' => {
                chunk.old.push(text.to_owned());
                chunk.new.push(text.to_owned());
            }
            '-' => chunk.old.push(text.to_owned()),
            '+' => chunk.new.push(text.to_owned()),
            _ => return None,
        }
    }
    if read == 0 {
        return None;
    }
    chunk.at_end = lines.next_if_eq(&"*** End of File").is_some();
    Some(chunk)
}

/// Whether a line without blanks around it may be one of the patch's own: as a line of a file it has a blank before it, which
/// not every version of Codex minds.
fn is_mark(line: &str) -> bool {
    line.starts_with("*** ") || line == "@@" || line.starts_with("@@ ")
}

/// The file's text behind all chunks. It ends with a line feed, as Codex leaves it.
fn updated(before: &str, chunks: &[Chunk]) -> Result<String, EditUnknown> {
    if before.contains('\r') {
        return Err(EditUnknown::LineEnds);
    }
    let mut lines: Vec<&str> = before.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let mut places: Vec<(usize, usize, &[String])> = Vec::with_capacity(chunks.len());
    let mut from = 0;
    for chunk in chunks {
        if let Some(context) = &chunk.context {
            from = found(&lines, std::slice::from_ref(context), from, false).ok_or(EditUnknown::NotFound)? + 1;
        }
        if chunk.old.is_empty() {
            // Versions differ in whether lines without old ones go behind their context, and before a last empty line.
            if chunk.context.is_some() || lines.last() == Some(&"") {
                return Err(EditUnknown::Form);
            }
            places.push((lines.len(), 0, &chunk.new));
            continue;
        }
        let missing = match chunk.old.last() {
            // Some versions look again without an empty line at the end.
            Some(last) if last.is_empty() => EditUnknown::Form,
            _ => EditUnknown::NotFound,
        };
        let at = found(&lines, &chunk.old, from, chunk.at_end).ok_or(missing)?;
        places.push((at, chunk.old.len(), &chunk.new));
        from = at + chunk.old.len();
    }
    places.sort_by_key(|(at, ..)| *at);
    let mut after: Vec<&str> = Vec::with_capacity(lines.len());
    let mut at = 0;
    for (place, length, new) in places {
        after.extend(lines.get(at..place).ok_or(EditUnknown::Form)?);
        after.extend(new.iter().map(String::as_str));
        at = place + length;
    }
    after.extend(lines.get(at..).unwrap_or_default());
    // Some versions take an empty line at the end for the end of the line before it.
    if after.last() == Some(&"") {
        return Err(EditUnknown::Form);
    }
    Ok(after.into_iter().flat_map(|line| [line, "\n"]).collect())
}

/// Where these lines stand, from a line on; at the end first, where they are to be the last.
fn found(lines: &[&str], wanted: &[String], from: usize, at_end: bool) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let from = if at_end { last } else { from };
    (from..=last).find(|at| {
        let there = lines.get(*at..at + wanted.len()).unwrap_or_default();
        there.iter().zip(wanted).all(|(line, wanted)| *line == wanted.as_str())
    })
}
