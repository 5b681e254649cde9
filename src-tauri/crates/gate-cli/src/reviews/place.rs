//! The place that a comment is about, which has to be one that the round shows.

use gate_api::subjects::reviews::ReviewView;
use gate_core::diff::DiffFile;
use gate_core::proposal::Anchor;
use gate_core::{Code, Fault, Side};

use super::told::named;

/// Most stretches of lines that are named.
const STRETCHES: usize = 5;

/// Whether a round has a place.
///
/// # Errors
/// `invalid_input` with what it has, where not.
pub(super) fn is_there(view: &ReviewView, place: &Anchor) -> Result<(), Fault> {
    let (round, file) = (view.round, &place.file);
    let Some(diff) = &view.diff else {
        return Err(refused(format!("Round {round} has no diff, and so no files."), "Leave out --file."));
    };
    let is_it = |known: &&DiffFile| known.new_path == *file || known.old_path == *file;
    let Some(known) = diff.files.iter().find(is_it) else {
        let paths: Vec<_> = diff.files.iter().map(|file| path(file).to_owned()).collect();
        let message = format!("Round {round} doesn't change {file:?}; it changes {}.", named(&paths));
        return Err(refused(message, "Name one of its files, or leave out --file to say it of the whole."));
    };
    let Some(line) = place.line else { return Ok(()) };
    let lines = lines(known, place.side);
    if lines.contains(&line) {
        return Ok(());
    }
    let when = if place.side == Side::Old { "before" } else { "after" };
    let there = match stretches(&lines) {
        stretches if stretches.is_empty() => "none".to_owned(),
        stretches => stretches,
    };
    Err(refused(
        format!(
            "Round {round} doesn't show line {line} of {file:?} as it is {when} the change; of its lines it shows {there}."
        ),
        "Name one of them (with --old as they were before the change), or leave out --line to say it of the file.",
    ))
}

fn refused(message: String, mend: &str) -> Fault {
    Fault::new(Code::InvalidInput, message, mend)
}

fn path(file: &DiffFile) -> &str {
    if file.new_path.is_empty() { &file.old_path } else { &file.new_path }
}

/// The numbers of the lines that are shown of a side, in their order.
fn lines(file: &DiffFile, side: Side) -> Vec<u32> {
    let rows = file.hunks.iter().filter(|hunk| !hunk.outside).flat_map(|hunk| &hunk.rows);
    rows.filter_map(|row| if side == Side::Old { row.old } else { row.new }).collect()
}

/// Numbers as stretches, e.g. `3–9, 20`.
fn stretches(lines: &[u32]) -> String {
    let all: Vec<_> = lines.chunk_by(|one, next| one.checked_add(1) == Some(*next)).collect();
    let stretch = |lines: &&[u32]| match lines {
        [first, .., last] => format!("{first}–{last}"),
        lines => lines.iter().map(u32::to_string).collect(),
    };
    let mut said: Vec<String> = all.iter().take(STRETCHES).map(stretch).collect();
    if all.len() > STRETCHES {
        said.push("…".to_owned());
    }
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -3,3 +3,4 @@\n c\n-d\n+D\n+dd\n e\n\
@@ -20 +21 @@\n-t\n+T\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

    #[test]
    fn a_line_is_there_where_the_diff_shows_it_on_that_side() {
        let view = gate_core::diff::view(DIFF).expect("it is a diff");
        let [file, gone] = view.files.as_slice() else { panic!("there are two files") };
        assert_eq!(lines(file, Side::New), [3, 4, 5, 6, 21]);
        assert_eq!(lines(file, Side::Old), [3, 4, 5, 20]);
        assert_eq!((lines(gone, Side::New), lines(gone, Side::Old)), (vec![], vec![1]));
        assert_eq!(path(gone), "gone");
    }

    #[test]
    fn lines_are_said_as_stretches_and_not_without_end() {
        assert_eq!(stretches(&[3, 4, 5, 6, 21]), "3–6, 21");
        assert_eq!(stretches(&[]), "");
        let odd: Vec<u32> = (0..20).map(|line| 2 * line + 1).collect();
        assert_eq!(stretches(&odd), "1, 3, 5, 7, 9, …");
    }
}
