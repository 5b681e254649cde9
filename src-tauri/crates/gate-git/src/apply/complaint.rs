//! Why a proposal doesn't fit, read from what `git apply` says of it.

use std::collections::BTreeMap;

use crate::change::Entry;
use crate::error::Error;
use crate::path::RepoPath;
use crate::process::Said;
use crate::proposal::{Origin, Proposal, ProposedFile};
use crate::refused::Refused;
use crate::unfit::{Misfit, Unfit};

/// What git complained of first, as far as it is known.
///
/// # Errors
/// [`Error::Refused`] where git can't read the proposal, [`Error::Git`] where it failed in another way.
pub(super) fn found(proposal: &Proposal, there: &BTreeMap<RepoPath, Entry>, said: Said) -> Result<Unfit, Error> {
    if let Some(refused) = unreadable(proposal, &said.words) {
        return Err(refused.into());
    }
    let files = proposal.files();
    for (at, file) in files.iter().enumerate() {
        for path in file.paths() {
            if let Some((why, hunk)) = complaint(file, path, &said.words) {
                return Ok(Unfit { path: path.clone(), hunk, why, head: None });
            }
        }
        // Of many complaints the first ones aren't kept.
        let is_first = files[..at].iter().all(|earlier| earlier.paths().all(|path| *path != file.path));
        if is_first && let Some((path, why)) = absence(file, there) {
            return Ok(Unfit { path: path.clone(), hunk: None, why, head: None });
        }
    }
    Err(said.failure())
}

/// What git says of a path.
fn complaint(file: &ProposedFile, path: &RepoPath, words: &str) -> Option<(Misfit, Option<(usize, u32)>)> {
    let name = String::from_utf8_lossy(path.as_bytes());
    let says = |text: &str| words.contains(&text.replace("{}", &name));
    let failed = format!("error: patch failed: {name}:");
    if let Some(at) = words.find(&failed) {
        let number: String = words[at + failed.len()..].chars().take_while(char::is_ascii_digit).collect();
        let line = number.parse().ok()?;
        let hunk = file.hunks.iter().position(|begins| *begins == line).map(|at| (at + 1, line));
        return Some((Misfit::Lines, hunk));
    }
    let phrases = [
        ("error: {}: does not exist in index", Misfit::Missing),
        ("error: {}: already exists in index", Misfit::There),
        ("error: path {} has been renamed/deleted", Misfit::Missing),
        ("error: {}: wrong type", Misfit::Kind),
        ("error: affected file '{}' is beyond a symbolic link", Misfit::Link),
        ("error: reading from '{}' beyond a symbolic link", Misfit::Link),
        ("error: unable to add cache entry for {}\n", Misfit::Folder),
        ("error: the patch applies to '{}' (", Misfit::Contents),
        ("error: the patch applies to an empty '{}' but", Misfit::Contents),
        ("error: binary patch does not apply to '{}'", Misfit::Contents),
        ("error: binary patch to '{}' creates incorrect result", Misfit::Contents),
        ("error: the necessary postimage", Misfit::Contents),
        (" of {} does not match old mode", Misfit::Kind),
        ("error: {}: patch does not apply", Misfit::Lines),
    ];
    phrases.iter().find(|(text, _)| says(text)).map(|(_, why)| (*why, None))
}

/// Whether a file isn't there that is to change, or one is that is to come.
fn absence<'a>(file: &'a ProposedFile, there: &BTreeMap<RepoPath, Entry>) -> Option<(&'a RepoPath, Misfit)> {
    let from = file.from.as_ref().map(Origin::path);
    match (from, file.is_new) {
        (Some(from), _) if !there.contains_key(from) => Some((from, Misfit::Missing)),
        (Some(_), _) if there.contains_key(&file.path) => Some((&file.path, Misfit::There)),
        (None, true) if there.contains_key(&file.path) => Some((&file.path, Misfit::There)),
        (None, false) if !there.contains_key(&file.path) => Some((&file.path, Misfit::Missing)),
        _ => None,
    }
}

/// Where git can't read what we could.
fn unreadable(proposal: &Proposal, words: &str) -> Option<Refused> {
    let phrases = [
        "corrupt patch at ",
        "corrupt binary patch at ",
        "unrecognized binary patch at ",
        "git diff header lacks filename information",
        "bad git-diff",
        "unable to find filename in patch at ",
        "invalid mode on ",
        "inconsistent header lines ",
        "with only garbage at ",
        "without header at ",
        "without full index line",
        "No valid patches in input",
        "unrecognized input",
        "depends on old contents",
        "still has contents",
        "corrupt patch for submodule ",
        "invalid path '",
        "is invalid on ",
    ];
    let line = words.lines().find(|line| phrases.iter().any(|phrase| line.contains(phrase)))?;
    let first = proposal.files().first().map_or(1, |file| file.line);
    // `… at line 5`, `… (line 5)`, or by newer versions `… at <stdin>:5`.
    let number = ["line ", "<stdin>:"].iter().find_map(|mark| {
        let (_, number) = line.rsplit_once(mark)?;
        number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()
    });
    if line.contains("invalid path '") {
        let file = proposal.files().iter().find(|file| {
            file.paths().any(|path| line.contains(&*format!("'{}'", String::from_utf8_lossy(path.as_bytes()))))
        });
        return Some(Refused::Unreadable { line: file.map_or(first, |file| file.line), why: "git takes no such path" });
    }
    Some(Refused::Unreadable { line: number.unwrap_or(first), why: "git can't read it" })
}
