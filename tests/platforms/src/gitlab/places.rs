//! Which places a thread may have: `discussions.md`, "Create a new thread in the merge request diff", "Parameters for multiline
//! comments" and "Line code". GitLab takes lines of a file beyond its hunks, too, when both numbers fit; here they have to be in
//! one, as the product shows no others.

use serde_json::Value;
use sha1::{Digest as _, Sha1};

use super::state::Merge;
use crate::diff::{File, Row};

/// What it says of every place that it can't find, as reported.
const LINE: &str = "400 Bad request - Note {:line_code=>[\"can't be blank\", \"must be a valid line code\"]}";

/// Whether a position is one.
pub(super) fn check(merge: &Merge, position: &Value) -> Result<(), String> {
    let text = |name: &str| position[name].as_str().ok_or_else(|| format!("position[{name}] is missing"));
    let (base, start, head) = (text("base_sha")?, text("start_sha")?, text("head_sha")?);
    let kind = text("position_type")?;
    // An older version is taken, too: what is said there is outdated at once.
    let fits =
        |version: &&super::state::Version| version.base == base && version.start == start && version.head == head;
    let Some(version) = merge.versions.iter().find(fits) else {
        return Err("400 Bad request - Note {:position=>[\"is incomplete\"]}".to_owned());
    };
    let (old_path, new_path) = (text("old_path")?, text("new_path")?);
    let Some(file) = version.diff.file(new_path).filter(|file| file.paths() == (old_path, new_path)) else {
        return Err(LINE.to_owned());
    };
    match kind {
        "file" => Ok(()),
        "text" => lines(file, new_path, position),
        _ => Err("position[position_type] does not have a valid value".to_owned()),
    }
}

/// An added line has its new number alone, a removed one its old one, any other both.
fn lines(file: &File, path: &str, position: &Value) -> Result<(), String> {
    let wrong = || LINE.to_owned();
    let (old, new) = (position["old_line"].as_u64(), position["new_line"].as_u64());
    let fits = |row: &Row| match (row.sign, old, new) {
        (b'+', None, Some(new)) => row.new == new,
        (b'-', Some(old), None) => row.old == old,
        (b' ', Some(old), Some(new)) => row.old == old && row.new == new,
        _ => false,
    };
    let end = file.find(fits).ok_or_else(wrong)?;
    let range = &position["line_range"];
    if range.is_null() {
        return Ok(());
    }
    let first = coded(file, path, &range["start"]).ok_or_else(wrong)?;
    let last = coded(file, path, &range["end"]).ok_or_else(wrong)?;
    if last == end && first < last { Ok(()) } else { Err(wrong()) }
}

/// The row that a line code names: the path's SHA-1 and both counters. Its type is `new` for an added line, else `old`.
fn coded(file: &File, path: &str, end: &Value) -> Option<(usize, usize)> {
    let hash: String = Sha1::digest(path.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let numbers = end["line_code"].as_str()?.strip_prefix(&hash)?.strip_prefix('_')?;
    let (old, new) = numbers.split_once('_')?;
    let (old, new): (u64, u64) = (old.parse().ok()?, new.parse().ok()?);
    let at = file.find(|row| row.old == old && row.new == new && (row.sign == b'+') == (end["type"] == "new"))?;
    file.row(at).map(|_| at)
}
