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

/// Reads a patch; absent where it isn't one as Codex describes them.
pub(super) fn read(text: &str) -> Option<Vec<FileChange>> {
    let mut lines = text.trim().lines().peekable();
    if lines.next()?.trim() != "*** Begin Patch" {
        return None;
    }
    let mut files = Vec::new();
    loop {
        let line = lines.next()?;
        if line.trim() == "*** End Patch" {
            // What stands behind the end would be anything.
            return (lines.next().is_none() && !files.is_empty()).then_some(files);
        }
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
            let moved = lines.next_if(|line| line.starts_with("*** Move to: "));
            let moved = moved.and_then(|line| line.strip_prefix("*** Move to: ")).map(str::to_owned);
            let mut chunks = Vec::new();
            while lines.peek().is_some_and(|line| !line.starts_with("*** ") || line.trim() == "*** End of File") {
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
}

fn chunk<'a>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>, is_first: bool) -> Option<Chunk> {
    let mut chunk = Chunk::default();
    match lines.next_if(|line| line.starts_with("@@")) {
        Some("@@") => {}
        Some(line) => chunk.context = Some(line.strip_prefix("@@ ")?.to_owned()),
        // Only the first may go without.
        None if is_first => {}
        None => return None,
    }
    let mut read = 0;
    while let Some(line) = lines.next_if(|line| !line.starts_with("@@") && !line.starts_with("***")) {
        read += 1;
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
    chunk.at_end = lines.next_if(|line| line.trim() == "*** End of File").is_some();
    Some(chunk)
}

/// The file's text behind all chunks. It ends with a line feed, as Codex leaves it.
fn updated(before: &str, chunks: &[Chunk]) -> Result<String, EditUnknown> {
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
            places.push((lines.len(), 0, &chunk.new));
            continue;
        }
        let (mut old, mut new) = (chunk.old.as_slice(), chunk.new.as_slice());
        let mut at = found(&lines, old, from, chunk.at_end);
        if at.is_none() && old.last().is_some_and(String::is_empty) {
            old = old.get(..old.len() - 1).unwrap_or_default();
            if new.last().is_some_and(String::is_empty) {
                new = new.get(..new.len() - 1).unwrap_or_default();
            }
            at = found(&lines, old, from, chunk.at_end);
        }
        let at = at.ok_or(EditUnknown::NotFound)?;
        places.push((at, old.len(), new));
        from = at + old.len();
    }
    places.sort_by_key(|(at, ..)| *at);
    let mut after = String::with_capacity(before.len());
    let mut at = 0;
    let mut put = |line: &str| {
        after.push_str(line);
        after.push('\n');
    };
    for (place, length, new) in places {
        lines.get(at..place).ok_or(EditUnknown::Form)?.iter().copied().for_each(&mut put);
        new.iter().map(String::as_str).for_each(&mut put);
        at = place + length;
    }
    lines.get(at..).unwrap_or_default().iter().copied().for_each(&mut put);
    Ok(after)
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
