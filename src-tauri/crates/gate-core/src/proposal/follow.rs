//! Threads follow their lines over rounds: where one that began on an earlier round stands in a later one.

mod lines;

use serde::{Deserialize, Serialize};

use super::anchor::Anchor;
use super::bounds;
use crate::diff::DiffView;
use lines::Follower;

/// Where a thread of an earlier round stands in a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Followed {
    /// The place there; without a line where its lines are gone. Its file may be one that the later round doesn't change.
    pub place: Anchor,
    /// Lines that are gone, as they were: at most [`bounds::QUOTED_LINES`], each cut to [`bounds::QUOTED_BYTES`].
    pub quoted: Vec<String>,
}

/// Where places of an earlier round are in a later one, in their order.
#[must_use]
pub fn follow<'a>(places: impl IntoIterator<Item = &'a Anchor>, earlier: &DiffView, later: &DiffView) -> Vec<Followed> {
    let mut follower = Follower::new(earlier, later);
    places.into_iter().map(|place| followed(place, &mut follower)).collect()
}

fn followed(place: &Anchor, follower: &mut Follower<'_>) -> Followed {
    let lines = place.line.map(|last| (place.start_line.unwrap_or(last), last));
    let found = follower.find(&place.file, place.side, lines);
    let file = found.file.unwrap_or_else(|| place.file.clone());
    match found.lines {
        Some((first, last)) => Followed {
            place: Anchor {
                file,
                line: Some(last),
                start_line: Some(first).filter(|first| *first != last),
                side: place.side,
            },
            quoted: Vec::new(),
        },
        None => Followed {
            place: Anchor { file, line: None, start_line: None, side: place.side },
            quoted: quoted(&found.texts),
        },
    }
}

fn quoted(lines: &[String]) -> Vec<String> {
    let cut = |line: &String| match line.len() > bounds::QUOTED_BYTES {
        true => format!("{}…", &line[..line.floor_char_boundary(bounds::QUOTED_BYTES)]),
        false => line.clone(),
    };
    let mut quoted: Vec<_> = lines.iter().take(bounds::QUOTED_LINES).map(cut).collect();
    if lines.len() > bounds::QUOTED_LINES {
        quoted.push("…".to_owned());
    }
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::diff::parse;
    use crate::reply::Side;

    /// A diff of a file whose lines are these, each with its mark.
    fn diff(path: &str, start: u32, lines: &[&str]) -> String {
        let count = |mark| lines.iter().filter(|line| !line.starts_with(mark)).count();
        let (old, new) = (count('+'), count('-'));
        format!("--- a/{path}\n+++ b/{path}\n@@ -{start},{old} +{start},{new} @@\n{}\n", lines.join("\n"))
    }

    fn on(lines: (u32, u32), side: Side) -> Anchor {
        let (first, last) = lines;
        Anchor { file: "a".to_owned(), line: Some(last), start_line: Some(first).filter(|_| first != last), side }
    }

    fn moved(place: &Anchor, earlier: &str, later: &str) -> Followed {
        let read = |text: &str| parse(text).expect("it is a diff");
        follow([place], &read(earlier), &read(later)).pop().expect("a place for each")
    }

    /// Where the lines are, and what is quoted.
    fn stands(place: &Anchor, earlier: &str, later: &str) -> (Option<(u32, u32)>, Vec<String>) {
        let Followed { place, quoted } = moved(place, earlier, later);
        (place.line.map(|last| (place.start_line.unwrap_or(last), last)), quoted)
    }

    const BEFORE: &[&str] = &[" fn a() {", "-    one();", "+    two();", "+    three();", " }"];

    #[test]
    fn lines_are_found_where_they_stand_now() {
        let before = diff("a", 10, BEFORE);
        let later = diff(
            "a",
            30,
            &[" use x;", " fn a() {", "-    one();", "+    zero();", "+    two();", "+    three();", " }"],
        );
        let cases = [
            ("one that others came above", (11, 11), Side::New, Some((33, 33))),
            ("several", (11, 12), Side::New, Some((33, 34))),
            ("one around the change", (10, 10), Side::New, Some((31, 31))),
            ("one that says little, by the one before it", (13, 13), Side::New, Some((35, 35))),
            ("one that was removed", (11, 11), Side::Old, Some((32, 32))),
        ];
        for (what, lines, side, there) in cases {
            assert_eq!(stands(&on(lines, side), &before, &later), (there, Vec::new()), "{what}");
        }
    }

    #[test]
    fn lines_that_are_gone_are_quoted_at_their_file() {
        let before = diff("a", 10, BEFORE);
        let later = diff("a", 10, &[" fn a() {", "-    one();", "+    four();", "+    three();", " }"]);
        let quoted = |lines: &[&str]| (None, lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        assert_eq!(stands(&on((11, 11), Side::New), &before, &later), quoted(&["    two();"]));
        let both = stands(&on((11, 12), Side::New), &before, &later);
        assert_eq!(both, quoted(&["    two();", "    three();"]), "of several all have to be there");
        let between = diff("a", 10, &[" fn a() {", "-    one();", "+    two();", "+    x();", "+    three();", " }"]);
        let torn = stands(&on((11, 12), Side::New), &before, &between);
        assert_eq!(torn, quoted(&["    two();", "    three();"]), "with nothing between them");
        let elsewhere = moved(&on((11, 11), Side::New), &before, &diff("b", 1, BEFORE));
        assert_eq!(elsewhere.place.file, "a", "a file that isn't there keeps its name");
        assert_eq!((elsewhere.place.line, elsewhere.quoted), (None, vec!["    two();".to_owned()]));
    }

    #[test]
    fn a_line_that_moved_is_found_by_its_words_and_one_of_many_alike_is_not_guessed() {
        let before = diff("a", 1, &[" x", "+check(1);", " act();", " y", " z", " }"]);
        let later = diff("a", 1, &[" x", " act();", " y", " z", "+check(1);", " }"]);
        assert_eq!(stands(&on((2, 2), Side::New), &before, &later).0, Some((5, 5)), "past what didn't change");
        let (one, many) = (diff("a", 1, &["+}", "+x"]), diff("a", 1, &["+y", "+}", "+y", "+}", "+y"]));
        assert_eq!(stands(&on((1, 1), Side::New), &one, &many), (None, vec!["}".to_owned()]), "which of both?");
        let (one, other) = (diff("a", 1, &["+}", "+x"]), diff("a", 1, &["+y", "+}"]));
        assert_eq!(stands(&on((1, 1), Side::New), &one, &other).0, None, "a brace alone tells nothing");
    }

    #[test]
    fn a_file_is_found_through_a_rename_and_as_a_whole() {
        let before = diff("a", 10, BEFORE);
        let renamed = before.replace("+++ b/a", "+++ b/b");
        let found = moved(&on((11, 11), Side::New), &before, &renamed).place;
        assert_eq!((found.file.as_str(), found.line), ("b", Some(11)));
        let whole = Anchor { line: None, ..on((1, 1), Side::New) };
        assert_eq!(moved(&whole, &before, &before), Followed { place: whole.clone(), quoted: Vec::new() });
        let unshown = moved(&on((500, 500), Side::New), &before, &before);
        assert_eq!((unshown.place.line, unshown.quoted), (None, Vec::new()), "what the round didn't show");
    }

    #[test]
    fn what_is_quoted_has_a_bound() {
        let long = format!("+{}", "ä".repeat(bounds::QUOTED_BYTES));
        let lines: Vec<_> = std::iter::repeat_n(long.as_str(), bounds::QUOTED_LINES + 5).collect();
        let before = diff("a", 1, &lines);
        let place = on((1, u32::try_from(lines.len()).expect("few")), Side::New);
        let (_, quoted) = stands(&place, &before, &diff("a", 1, &["+x"]));
        assert_eq!((quoted.len(), quoted.last().map(String::as_str)), (bounds::QUOTED_LINES + 1, Some("…")));
        assert!(quoted.iter().all(|line| line.len() <= bounds::QUOTED_BYTES + "…".len()));
    }

    proptest! {
        /// Whatever a round becomes: a thread stands at the very lines that it is about, or quotes them.
        #[test]
        fn a_thread_never_stands_at_other_words(
            before in vec((0..4_usize, "[abc}]{0,2}"), 1..12),
            after in vec((0..4_usize, "[abc}]{0,2}"), 1..12),
            (first, more) in (1..12_u32, 0..3_u32),
            is_old in any::<bool>(),
        ) {
            let text = |rows: &[(usize, String)]| {
                let lines: Vec<_> = rows.iter().map(|(mark, text)| format!("{}{text}", [" ", "+", "-", " "][*mark])).collect();
                diff("a", 1, &lines.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let read = |rows: &[(usize, String)]| parse(&text(rows)).expect("it is a diff");
            let (earlier, later) = (read(&before), read(&after));
            let side = if is_old { Side::Old } else { Side::New };
            let said = |diff: &DiffView, (first, last): (u32, u32)| -> Vec<String> {
                let rows = diff.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.rows);
                let number = |row: &crate::diff::Row| if is_old { row.old } else { row.new };
                let on = rows.filter(|row| number(row).is_some_and(|line| (first..=last).contains(&line)));
                on.map(|row| row.segments.iter().map(|segment| segment.text.as_str()).collect()).collect()
            };
            let place = on((first, first + more), side);
            let found = follow([&place], &earlier, &later).pop().expect("a place for each");
            let was = said(&earlier, (first, first + more));
            match found.place.line {
                Some(last) => {
                    let start = found.place.start_line.unwrap_or(last);
                    prop_assert_eq!(said(&later, (start, last)), was);
                    prop_assert_eq!(last - start, more);
                }
                None => prop_assert_eq!(found.quoted, was),
            }
            let unchanged = follow([&place], &earlier, &earlier).pop().expect("a place for each");
            if let Some(last) = unchanged.place.line {
                prop_assert_eq!(last, first + more, "in the same changes it stays where it is");
            }
        }
    }
}
