//! The diff in pages, each line with its numbers.

use gate_core::diff::DiffFile;
use gate_core::proposal::bounds::DIFF_PAGE_BYTES;
use gate_core::workflow::anchor::{commentable, name, with_numbers};
use gate_core::{Fault, page::bad_cursor};

use super::advice;
use super::answer::{Call, Told};
use super::input::Diffed;
use super::port::JobDiff;
use super::views::{DiffPage, FileView};
use crate::cursor;
use crate::port::ConnectionPort;

/// Bytes that a file takes beside its paths, its text and its lines.
const FIELDS: usize = 120;
/// Bytes that two numbers of lines take.
const LINES: usize = 18;
/// First and last lines of one file.
const COMMENTABLE: usize = 1000;

/// Where a page begins: in this file, at this byte of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    file: usize,
    at: usize,
}

/// `get_diff`.
pub(super) async fn diff(call: &Call<'_>, Diffed { job, path, since_last, cursor }: Diffed) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let JobDiff { head, diff, incomplete } = call.port.diff(&call.caller, job, since_last).await?;
    let gate: &dyn ConnectionPort = call.called.gate;
    let list = format!("workflow diff {job} {head} {since_last} {path:?}");
    let from = match cursor.as_deref() {
        Some(cursor) => opened(gate, &list, cursor)?,
        None => Place::default(),
    };
    let files: Vec<_> = diff.files.iter().filter(|file| is_of(file, path.as_deref())).collect();
    let (files, next) = page(&files, from, DIFF_PAGE_BYTES);
    let next_cursor = next.map(|next| cursor::seal_text(gate, &list, &format!("{} {}", next.file, next.at)));
    let next_cursor = next_cursor.transpose()?;
    let advice = if next_cursor.is_some() { advice::MORE } else { advice::WHOLE };
    Ok(Told::alone(&DiffPage { success: true, files, incomplete, next_cursor })?.next(advice))
}

fn opened(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<Place, Fault> {
    let text = cursor::open_text(gate, list, cursor)?;
    let (file, at) = text.split_once(' ').ok_or_else(bad_cursor)?;
    file.parse().ok().zip(at.parse().ok()).map(|(file, at)| Place { file, at }).ok_or_else(bad_cursor)
}

/// Whether a file is this one, or in this folder, by one of its paths.
fn is_of(file: &DiffFile, path: Option<&str>) -> bool {
    let Some(path) = path else { return true };
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let below = |own: &str| own.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below(&file.new_path) || below(&file.old_path)
}

/// The page that begins there, and where the next one does. Whole files where they fit, whole lines where one is on a page.
fn page<'a>(files: &[&'a DiffFile], from: Place, bytes: usize) -> (Vec<FileView<'a>>, Option<Place>) {
    let (mut shown, mut left, mut at) = (Vec::new(), bytes, from.at);
    for (index, file) in files.iter().enumerate().skip(from.file) {
        let whole = with_numbers(file);
        let rest = whole.get(at..).unwrap_or_default();
        let mut lines: Vec<_> = if at == 0 { commentable(file) } else { Vec::new() };
        lines.truncate(COMMENTABLE);
        let besides = FIELDS + file.old_path.len() + file.new_path.len() + LINES * lines.len();
        let fits = besides + rest.len() <= left;
        if !fits && !shown.is_empty() {
            return (shown, Some(Place { file: index, at: 0 }));
        }
        let text = if fits { rest } else { cut(rest, left.saturating_sub(besides)) };
        let old_path = Some(file.old_path.as_str()).filter(|old| !old.is_empty() && *old != name(file));
        shown.push(FileView {
            path: name(file),
            old_path,
            change: file.change,
            commentable: lines.into_iter().map(|(first, last)| [first, last]).collect(),
            text: text.to_owned(),
        });
        if !fits {
            return (shown, Some(Place { file: index, at: at + text.len() }));
        }
        (left, at) = (left.saturating_sub(besides + rest.len()), 0);
    }
    (shown, None)
}

/// As many whole lines as fit, else a part of the first one; something at least.
fn cut(text: &str, bytes: usize) -> &str {
    let most = text.floor_char_boundary(bytes.max(1000));
    let lines = text[..most].rfind('\n').map_or(most, |end| end + 1);
    &text[..lines]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gate_core::diff::parse;

    /// Files, each with this many new lines of so many characters.
    fn files(each: &[(usize, usize)]) -> Vec<DiffFile> {
        let file = |(index, (lines, chars)): (usize, &(usize, usize))| {
            let added = format!("+{}\n", "é".repeat(*chars)).repeat(*lines);
            format!("--- /dev/null\n+++ b/src/{index}\n@@ -0,0 +1,{lines} @@\n{added}")
        };
        parse(&each.iter().enumerate().map(file).collect::<String>()).unwrap().files
    }

    /// All pages one after the other: for each its texts by file.
    fn pages(files: &[DiffFile], bytes: usize) -> Vec<Vec<(String, String)>> {
        let all: Vec<_> = files.iter().collect();
        let (mut pages, mut from) = (Vec::new(), Some(Place::default()));
        while let Some(place) = from {
            let (shown, next) = page(&all, place, bytes);
            assert_ne!(next, from, "a page goes on");
            pages.push(shown.into_iter().map(|file| (file.path.to_owned(), file.text)).collect());
            from = next;
        }
        pages
    }

    #[test]
    fn the_pages_one_after_the_other_are_the_diff() {
        let all = files(&[(3, 10), (400, 40), (1, 5000), (2, 10)]);
        for bytes in [2000, 9000, 1_000_000] {
            let pages = pages(&all, bytes);
            let mut texts: Vec<(String, String)> = Vec::new();
            for (path, text) in pages.iter().flatten() {
                match texts.last_mut().filter(|(last, _)| last == path) {
                    Some((_, whole)) => whole.push_str(text),
                    None => texts.push((path.clone(), text.clone())),
                }
            }
            let whole: Vec<_> = all.iter().map(|file| (name(file).to_owned(), with_numbers(file))).collect();
            assert_eq!(texts, whole, "in pages of {bytes} bytes");
            let sizes = pages.iter().map(|page| page.iter().map(|(_, text)| text.len()).sum::<usize>());
            assert!(sizes.max() <= Some(bytes), "in pages of {bytes} bytes");
        }
        assert_eq!(pages(&all, 1_000_000).len(), 1, "one page has it where it fits");
        let cut = pages(&all, 9000);
        assert!(cut[1].iter().all(|(_, text)| text.ends_with('\n')), "a page ends with a line: {cut:?}");
    }

    #[test]
    fn a_path_is_a_file_or_a_folder() {
        let all = files(&[(1, 1)]);
        for (path, is_shown) in [
            (None, true),
            (Some("src/0"), true),
            (Some("./src/0"), true),
            (Some("src"), true),
            (Some("src/"), true),
            (Some("sr"), false),
            (Some("src/00"), false),
            (Some("0"), false),
        ] {
            assert_eq!(is_of(&all[0], path), is_shown, "{path:?}");
        }
    }

    #[test]
    fn lines_that_can_be_commented_stand_with_the_first_part_of_their_file() {
        let all = files(&[(400, 40)]);
        let refs: Vec<_> = all.iter().collect();
        let (first, next) = page(&refs, Place::default(), 9000);
        assert_eq!(first[0].commentable, [[1, 400]]);
        let (second, _) = page(&refs, next.unwrap(), 9000);
        assert!(second[0].commentable.is_empty());
    }
}
