//! Where a hunk begins and ends. Models miscount, so a header's counts are believed only if they
//! fit what follows; a right diff is then never misread, whatever its lines look like.

/// What a hunk's header says: the first line on each side, and how many lines it has there.
pub(super) struct Ranges {
    old: u32,
    olds: u32,
    new: u32,
    news: u32,
}

impl Ranges {
    pub(super) fn of(header: &str) -> Option<Self> {
        let rest = header.strip_prefix("@@ -")?;
        let (ranges, _) = rest.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |range: &str| -> Option<(u32, u32)> {
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((old, olds), (new, news)) = (range(old)?, range(new)?);
        Some(Self { old, olds, new, news })
    }

    /// The numbers of the first lines, from 1.
    pub(super) fn starts(&self) -> (u32, u32) {
        (self.old.max(1), self.new.max(1))
    }

    /// Whether `next` may be the same file's next hunk: between the two, both sides are equal.
    fn lead_to(&self, next: &Self) -> bool {
        // Where a side has no lines, its number is that of the line before.
        let first = |start: u32, count: u32| i64::from(start) + i64::from(count == 0);
        let olds = first(next.old, next.olds) - first(self.old, self.olds) - i64::from(self.olds);
        let news = first(next.new, next.news) - first(self.new, self.news) - i64::from(self.news);
        olds == news && olds >= 0
    }

    /// The index of the line behind the hunk whose header stands at `at`, if its counts are right:
    /// so many lines are there, and then something else begins.
    pub(super) fn counted_end(&self, lines: &[&str], at: usize) -> Option<usize> {
        let (mut olds, mut news) = (self.olds, self.news);
        let mut end = at + 1;
        while olds > 0 || news > 0 || lines.get(end).is_some_and(|line| line.starts_with('\\')) {
            let (old, new) = match lines.get(end)?.as_bytes().first() {
                None | Some(b' ' | b'\t') => (1, 1),
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                Some(b'\\') => (0, 0),
                Some(_) => return None,
            };
            (olds, news) = (olds.checked_sub(old)?, news.checked_sub(new)?);
            end += 1;
        }
        let next = lines[end..].iter().position(|line| !line.is_empty()).map(|blank| end + blank);
        let ends = next.is_none_or(|next| match lines[next] {
            header if header.starts_with("@@ ") => Self::of(header).is_some_and(|next| self.lead_to(&next)),
            _ => ends_any_hunk(lines, next) || trailer(lines[next]),
        });
        ends.then_some(end)
    }
}

/// Whether the line at `at` can't belong to the hunk before it, whatever that one counts.
pub(super) fn ends_any_hunk(lines: &[&str], at: usize) -> bool {
    let starts = |offset: usize, mark: &str| lines.get(at + offset).is_some_and(|line| line.starts_with(mark));
    starts(0, "@@ ")
        || starts(0, "diff --git ")
        || at_signature(lines, at)
        || at_file_header(lines, at) && (lines.len() == at + 2 || starts(2, "@@ "))
}

/// Whether `--- OLD` and `+++ NEW` stand at `at`.
pub(super) fn at_file_header(lines: &[&str], at: usize) -> bool {
    let starts = |offset: usize, mark: &str| lines.get(at + offset).is_some_and(|line| line.starts_with(mark));
    starts(0, "--- ") && starts(1, "+++ ")
}

/// Whether the signature that `git format-patch` ends with stands at `at`: git's version.
pub(super) fn at_signature(lines: &[&str], at: usize) -> bool {
    lines.get(at).is_some_and(|line| line.trim_end() == "--")
        && lines.get(at + 1).is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()))
}

/// Lines that may stand between files: git's extended headers, svn's and hg's separators.
pub(super) fn trailer(line: &str) -> bool {
    [
        "index ",
        "Index: ",
        "=====",
        "old mode",
        "new mode",
        "new file",
        "deleted file",
        "similarity",
        "rename ",
        "Binary files",
        "Only in",
        "diff ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}
