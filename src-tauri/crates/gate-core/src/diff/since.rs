//! What of a diff is new since an earlier one: files by their paths, lines by what they change and
//! where. Errs on the side of new: a line that can't be placed counts as not seen before.

use std::collections::HashMap;

use super::align::{Line, pairs};
use super::{DiffFile, DiffView, Row, RowEnd, RowKind, Since};

/// Marks in `diff` what `earlier` doesn't have. Both as parsed, without marked words. Linear in their
/// lines but for a factor that is bounded.
pub(super) fn mark(diff: &mut DiffView, earlier: &DiffView) {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut by_old_path: HashMap<&str, usize> = HashMap::new();
    for (index, file) in earlier.files.iter().enumerate() {
        by_name.entry(name(file)).or_insert(index);
        by_old_path.entry(&file.old_path).or_insert(index);
    }
    by_old_path.remove("");
    for file in &mut diff.files {
        let found = by_name.get(name(file)).or_else(|| by_old_path.get(file.old_path.as_str()));
        match found.and_then(|index| earlier.files.get(*index)) {
            Some(before) => file.since = Some(compare(file, before)),
            None => {
                file.since = Some(Since::New);
                changed_rows(file).for_each(|row| row.fresh = true);
            }
        }
    }
}

/// The path that a person knows a file by.
fn name(file: &DiffFile) -> &str {
    if file.new_path.is_empty() { &file.old_path } else { &file.new_path }
}

fn changed_rows(file: &mut DiffFile) -> impl Iterator<Item = &mut Row> {
    file.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows).filter(|row| row.kind != RowKind::Context)
}

fn compare(file: &mut DiffFile, before: &DiffFile) -> Since {
    // Nobody can tell what is in a binary file.
    let same_file = (file.change, &file.old_path, &file.new_path)
        == (before.change, &before.old_path, &before.new_path)
        && (&file.old_mode, &file.new_mode) == (&before.old_mode, &before.new_mode)
        && !file.binary
        && !before.binary;
    if same_file && texts(file).eq(texts(before)) {
        return Since::Same;
    }
    let mut keys: HashMap<Said<'_>, u32> = HashMap::new();
    let (old, new) = (lines(before, &mut keys), lines(file, &mut keys));
    let pairs = pairs(&old, &new, keys.len());
    let mut surroundings = Surroundings::of(&old, &new);
    let seen: Vec<bool> = new
        .iter()
        .zip(&pairs)
        .map(|(line, pair)| pair.is_some_and(|pair| line.context || surroundings.same(old[pair].hunk, line.hunk)))
        .collect();
    let mut all_seen = true;
    let rows = file.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows);
    let mut count = 0;
    for (row, seen) in rows.zip(seen) {
        if row.kind != RowKind::Context {
            row.fresh = !seen;
            all_seen &= seen;
            count += 1;
        }
    }
    let same = same_file && all_seen && count == old.iter().filter(|line| !line.context).count();
    if same { Since::Same } else { Since::Changed }
}

/// What a row without marked words says.
type Said<'a> = (RowKind, Option<RowEnd>, &'a str);

fn texts(file: &DiffFile) -> impl Iterator<Item = Said<'_>> {
    file.hunks.iter().flat_map(|hunk| &hunk.rows).map(said)
}

fn said(row: &Row) -> Said<'_> {
    (row.kind, row.end, row.segments.first().map_or("", |segment| segment.text.as_str()))
}

fn lines<'a>(file: &'a DiffFile, keys: &mut HashMap<Said<'a>, u32>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (hunk, rows) in file.hunks.iter().enumerate() {
        for row in &rows.rows {
            let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
            let key = *keys.entry(said(row)).or_insert(next);
            lines.push(Line { key, context: row.kind == RowKind::Context, hunk });
        }
    }
    lines
}

/// Which hunks are about the same place: they have a line around the change in common, or none at all.
struct Surroundings {
    old: Vec<Vec<u32>>,
    new: Vec<Vec<u32>>,
    /// The last answer: lines beside each other ask the same.
    last: Option<((usize, usize), bool)>,
}

impl Surroundings {
    fn of(old: &[Line], new: &[Line]) -> Self {
        Self { old: around(old), new: around(new), last: None }
    }

    fn same(&mut self, old: usize, new: usize) -> bool {
        if let Some((asked, same)) = self.last
            && asked == (old, new)
        {
            return same;
        }
        let around_old = self.old.get(old).map_or(&[][..], Vec::as_slice);
        let around_new = self.new.get(new).map_or(&[][..], Vec::as_slice);
        let same = (around_old.is_empty() && around_new.is_empty())
            || around_old.iter().any(|key| around_new.binary_search(key).is_ok());
        self.last = Some(((old, new), same));
        same
    }
}

/// The unchanged lines of each hunk, sorted.
fn around(lines: &[Line]) -> Vec<Vec<u32>> {
    let mut hunks: Vec<Vec<u32>> = Vec::new();
    for line in lines {
        hunks.resize_with(hunks.len().max(line.hunk + 1), Vec::new);
        if line.context {
            hunks[line.hunk].push(line.key);
        }
    }
    hunks.iter_mut().for_each(|hunk| hunk.sort_unstable());
    hunks
}

#[cfg(test)]
mod tests {
    use super::super::{parse, text_of, view_since};
    use super::*;

    /// A diff of one file whose hunks are given by their lines.
    fn diff(path: &str, hunks: &[&[&str]]) -> String {
        let mut text = format!("--- a/{path}\n+++ b/{path}\n");
        for (number, lines) in hunks.iter().enumerate() {
            let count = |mark| lines.iter().filter(|line| !line.starts_with(mark)).count();
            let start = 1 + 100 * number;
            text.push_str(&format!("@@ -{start},{} +{start},{} @@\n{}\n", count('+'), count('-'), lines.join("\n")));
        }
        text
    }

    fn compared(earlier: &str, later: &str) -> (Vec<Option<Since>>, Vec<String>) {
        let view = view_since(later, Some(earlier)).unwrap_or_default();
        let rows = view.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.rows);
        let fresh = rows.filter(|row| row.fresh).map(text_of).collect();
        (view.files.iter().map(|file| file.since).collect(), fresh)
    }

    const CHANGE: &[&str] = &[" fn a() {", "-    one();", "+    two();", " }"];

    #[test]
    fn without_an_earlier_diff_nothing_is_compared() {
        let view = view_since(&diff("a", &[CHANGE]), None).unwrap_or_default();
        assert_eq!(view.files[0].since, None);
        assert!(view.files[0].hunks[0].rows.iter().all(|row| !row.fresh));
        let (since, _) = compared("no diff", &diff("a", &[CHANGE]));
        assert_eq!(since, [None], "nor with one that can't be read");
    }

    #[test]
    fn the_same_change_at_other_lines_with_more_around_it_is_the_same() {
        let moved = "--- a/a\n+++ b/a\n@@ -31,5 +41,5 @@\n use x;\n fn a() {\n-    one();\n+    two();\n }\n";
        assert_eq!(compared(&diff("a", &[CHANGE]), moved), (vec![Some(Since::Same)], Vec::new()));
        assert_eq!(compared(moved, &diff("a", &[CHANGE])), (vec![Some(Since::Same)], Vec::new()));
    }

    #[test]
    fn only_what_is_new_in_a_file_is_fresh() {
        let later =
            diff("a", &[&[" fn a() {", "-    one();", "+    two();", "+    three();", " }"], &[" x", "+y", " z"]]);
        let (since, fresh) = compared(&diff("a", &[CHANGE]), &later);
        assert_eq!((since, fresh), (vec![Some(Since::Changed)], vec!["    three();".to_owned(), "y".to_owned()]));
    }

    #[test]
    fn what_is_no_longer_changed_makes_a_file_changed_without_fresh_lines() {
        let earlier = diff("a", &[CHANGE, &[" x", "+y", " z"]]);
        assert_eq!(compared(&earlier, &diff("a", &[CHANGE])), (vec![Some(Since::Changed)], Vec::new()));
    }

    #[test]
    fn a_line_that_moved_is_fresh() {
        let (before, after) =
            (diff("a", &[&[" a", "+check();", " act();", " b"]]), diff("a", &[&[" a", " act();", "+check();", " b"]]));
        assert_eq!(compared(&before, &after), (vec![Some(Since::Changed)], vec!["check();".to_owned()]));
        let elsewhere = diff("a", &[&[" x", "+check();", " y"]]);
        assert_eq!(compared(&before, &elsewhere).1, ["check();"], "into another place of the file, too");
        let braces = (diff("a", &[&[" {", "+check();", " {", " {"]]), diff("a", &[&[" {", " {", " {", "+check();"]]));
        assert_eq!(compared(&braces.0, &braces.1).1, ["check();"], "past lines that look like others, too");
        let two =
            (diff("a", &[&["+check();", "+log();", " act();"]]), diff("a", &[&[" act();", "+check();", "+log();"]]));
        assert_eq!(compared(&two.0, &two.1).1, ["check();", "log();"], "however many there are");
    }

    #[test]
    fn files_are_found_by_their_paths_through_renames_and_deletions() {
        let earlier = diff("a", &[CHANGE]);
        let renamed = earlier.replace("+++ b/a", "+++ b/b");
        assert_eq!(compared(&earlier, &renamed), (vec![Some(Since::Changed)], Vec::new()), "its lines were seen");
        let (since, fresh) = compared(&earlier, &diff("b", &[CHANGE]));
        assert_eq!((since, fresh.len()), (vec![Some(Since::New)], 2), "another file is new as a whole");
        let deleted = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert_eq!(compared(&earlier, deleted), (vec![Some(Since::Changed)], vec!["x".to_owned()]));
        let picture = "diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";
        assert_eq!(compared(picture, picture).0, [Some(Since::Changed)], "nobody can tell of a binary file");
    }

    #[test]
    fn long_files_that_have_nothing_or_everything_in_common_are_compared_too() {
        let file = |line: &dyn Fn(usize) -> String| {
            let lines: String = (0..20_000).map(|number| format!("+{}\n", line(number))).collect();
            format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,20000 @@\n{lines}")
        };
        let unique = file(&|number| format!("line {number}"));
        assert_eq!(compared(&unique, &unique).0, [Some(Since::Same)]);
        let shifted = file(&|number| format!("line {}", number + 7));
        assert_eq!(compared(&unique, &shifted).1.len(), 7, "only the last ones are new");
        let others = file(&|number| format!("other {number}"));
        assert_eq!(compared(&unique, &others).1.len(), 20_000);
        let (few, fewer) = (file(&|number| format!("{}", number % 3)), file(&|number| format!("{}", number % 2)));
        assert_eq!(compared(&few, &fewer).0, [Some(Since::Changed)], "lines that are all alike end somewhere");
        assert!(parse(&few).is_ok());
    }
}
