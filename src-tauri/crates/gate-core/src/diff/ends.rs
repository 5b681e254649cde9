//! How the lines of a file end. Nothing is said of it while all end alike.

use super::{DiffFile, LineEnd, LineEnds, RowEnd, RowKind};

/// The ends of the lines of one side.
#[derive(Default)]
struct Side {
    lf: bool,
    crlf: bool,
}

impl Side {
    fn end(&self) -> Option<LineEnd> {
        match (self.lf, self.crlf) {
            (true, true) => Some(LineEnd::Mixed),
            (true, false) => Some(LineEnd::Lf),
            (false, true) => Some(LineEnd::Crlf),
            (false, false) => None,
        }
    }
}

/// Says how the file's lines end where they don't all end alike, and takes the word off its rows where they do.
pub(super) fn tell(file: &mut DiffFile) {
    let (mut old, mut new) = (Side::default(), Side::default());
    for row in file.hunks.iter().flat_map(|hunk| &hunk.rows) {
        let sides = match row.kind {
            RowKind::Context => [Some(&mut old), Some(&mut new)],
            RowKind::Removed => [Some(&mut old), None],
            RowKind::Added => [None, Some(&mut new)],
            RowKind::Outside => continue,
        };
        for side in sides.into_iter().flatten() {
            match row.end {
                Some(RowEnd::Crlf) => side.crlf = true,
                Some(RowEnd::Nothing) => {}
                None => side.lf = true,
            }
        }
    }
    let (old, new) = (old.end(), new.end());
    let ends = old.or(new).zip(new.or(old)).map(|(old, new)| LineEnds { old, new });
    file.line_ends = ends.filter(|ends| ends.old != ends.new || ends.old == LineEnd::Mixed);
    if file.line_ends.is_none() {
        for row in file.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows) {
            row.end = row.end.filter(|end| *end != RowEnd::Crlf);
        }
    }
}
