//! A unified diff as git writes it, and which places it has. Written from git's own page (git-diff, "Generating patch text with
//! -p") and from how the platforms number lines; it shares nothing with the product's reader.

/// What is changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diff {
    files: Vec<File>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct File {
    /// Absent for a file that is new.
    old: Option<String>,
    /// Absent for a file that is gone.
    new: Option<String>,
    hunks: Vec<Vec<Row>>,
}

/// A line of a hunk: the numbers that both counters have at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) sign: u8,
    pub(crate) old: u64,
    pub(crate) new: u64,
}

impl Diff {
    pub(crate) fn read(text: &str) -> Self {
        let mut files: Vec<File> = Vec::new();
        // How many lines of the hunk are still to come, on either side.
        let (mut olds, mut news) = (0_u64, 0_u64);
        let (mut old, mut new) = (0, 0);
        for line in text.lines() {
            let Some(file) = files.last_mut().filter(|_| !line.starts_with("diff --git ") || olds + news > 0) else {
                if let Some(names) = line.strip_prefix("diff --git ") {
                    files.push(File::of(names));
                }
                continue;
            };
            let sign = line.bytes().next().unwrap_or(b' ');
            if olds + news > 0 && b" +-".contains(&sign) {
                let Some(hunk) = file.hunks.last_mut() else { continue };
                hunk.push(Row { sign, old, new });
                let (on_old, on_new) = (u64::from(sign != b'+'), u64::from(sign != b'-'));
                (old, new) = (old + on_old, new + on_new);
                (olds, news) = (olds.saturating_sub(on_old), news.saturating_sub(on_new));
            } else if let Some(ranges) = line.strip_prefix("@@ -") {
                if let Some(((from_old, count_old), (from_new, count_new))) = ranges_of(ranges) {
                    (old, olds, new, news) = (from_old, count_old, from_new, count_new);
                    file.hunks.push(Vec::new());
                }
            } else {
                file.header(line);
            }
        }
        Self { files }
    }

    /// The file of this path: GitHub and GitLab name it by the new tree's, or the old one's where it is gone.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.new.as_deref().or(file.old.as_deref()) == Some(path))
    }
}

impl File {
    /// `a/x b/x`, which the lines after it say again, but for empty files and mere renames.
    fn of(names: &str) -> Self {
        let half = names.len() / 2;
        let (old, new) = (names.get(..half), names.get(half + 1..));
        let name = |side: Option<&str>, mark| side.and_then(|name| name.strip_prefix(mark)).map(str::to_owned);
        Self { old: name(old, "a/"), new: name(new, "b/"), hunks: Vec::new() }
    }

    fn header(&mut self, line: &str) {
        let path = |rest: &str, mark| unquoted(rest.trim_end_matches('\t')).strip_prefix(mark).map(str::to_owned);
        if let Some(rest) = line.strip_prefix("--- ") {
            self.old = path(rest, "a/");
        } else if let Some(rest) = line.strip_prefix("+++ ") {
            self.new = path(rest, "b/");
        } else if let Some(rest) = line.strip_prefix("rename from ").or_else(|| line.strip_prefix("copy from ")) {
            self.old = Some(unquoted(rest));
        } else if let Some(rest) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            self.new = Some(unquoted(rest));
        }
    }

    /// Both paths as GitLab wants them: where there is no such file, the other's.
    pub(crate) fn paths(&self) -> (&str, &str) {
        let old = self.old.as_deref().or(self.new.as_deref()).unwrap_or_default();
        (old, self.new.as_deref().or(self.old.as_deref()).unwrap_or_default())
    }

    /// The hunk and the place in it of the first row that fits.
    pub(crate) fn find(&self, fits: impl Fn(&Row) -> bool) -> Option<(usize, usize)> {
        let mut hunks = self.hunks.iter().enumerate();
        hunks.find_map(|(hunk, rows)| Some((hunk, rows.iter().position(&fits)?)))
    }

    pub(crate) fn row(&self, (hunk, row): (usize, usize)) -> Option<&Row> {
        self.hunks.get(hunk)?.get(row)
    }
}

/// `3,4 +3,5 @@ fn x`: where each side begins, and how many lines it has.
fn ranges_of(text: &str) -> Option<((u64, u64), (u64, u64))> {
    let (old, rest) = text.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| match text.split_once(',') {
        Some((from, count)) => Some((from.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((range(old)?, range(new)?))
}

/// A path as git quotes it where it has bytes beyond ASCII, quotes or control characters.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return text.to_owned() };
    let mut out = Vec::new();
    let mut bytes = inner.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b't') => out.push(b'\t'),
            Some(b'n') => out.push(b'\n'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    value = value * 8 + bytes.next().map_or(0, |digit| u32::from(digit.saturating_sub(b'0')));
                }
                out.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/cart.rs b/src/cart.rs\n--- a/src/cart.rs\n+++ b/src/cart.rs\n@@ -3,3 +3,4 @@ fn total\n a\n-b\n+c\n+--- d\n e\n@@ -20 +21,0 @@\n-z\ndiff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\ndiff --git \"a/\\303\\274\" \"b/\\303\\274\"\n--- \"a/\\303\\274\"\n+++ \"b/\\303\\274\"\n@@ -1 +1 @@\n-x\n+y\n";

    #[test]
    fn rows_have_both_numbers() {
        let diff = Diff::read(DIFF);
        let file = diff.file("src/cart.rs").expect("it is there");
        let rows: Vec<(char, u64, u64)> =
            file.hunks.iter().flatten().map(|row| (char::from(row.sign), row.old, row.new)).collect();
        let expected = [(' ', 3, 3), ('-', 4, 4), ('+', 5, 4), ('+', 5, 5), (' ', 5, 6), ('-', 20, 21)];
        assert_eq!(rows, expected, "a line that begins as a header does is one of the hunk");
        assert_eq!(file.hunks.len(), 2);
    }

    #[test]
    fn files_are_found_by_the_path_that_the_platforms_use() {
        let diff = Diff::read(DIFF);
        assert_eq!(diff.file("new name").map(File::paths), Some(("old name", "new name")));
        assert!(diff.file("old name").is_none(), "a renamed file has its new name");
        assert_eq!(diff.file("gone").map(File::paths), Some(("gone", "gone")));
        assert!(diff.file("ü").is_some(), "quoted as git does");
    }
}
