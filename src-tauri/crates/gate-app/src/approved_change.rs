//! One approved result of a review beside what git holds.

use gate_core::Fault;
use gate_core::proposal::{Fits, ProposedFile};
use gate_git::{
    Application, Applied, Approved, FILES, ManifestFile, Mode, Objects, Oid, Options, Outcome, Proposal, RepoPath,
    Repository, Revision, Snapshot, Way,
};

/// A change that was approved, as it was found when it was proposed.
#[derive(Debug, Clone, Copy)]
pub struct ApprovedChange<'a> {
    /// What becomes of each file.
    pub files: &'a [ProposedFile],
    /// How its diff fitted what was there.
    pub fits: Fits,
    /// The commit that it fitted, or `worktree`.
    pub base: Option<&'a str>,
    /// Its diff; absent where it is known to change other files than those it is held against.
    pub diff: Option<&'a str>,
}

/// What it is held against.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// What of it is looked at.
    pub snapshot: &'a Snapshot,
    /// Where what differs in that is kept.
    pub keep: &'a Objects,
}

/// What became of an approved change in a snapshot.
///
/// One that changes other files than the snapshot differs, whatever it makes of those that both change. Its diff is
/// applied again where that is what was looked at: on the very commit that it was approved on. Else the names that its
/// files had then count.
///
/// # Errors
/// Where git can't read the repository.
pub async fn outcome(change: ApprovedChange<'_>, beside: Beside<'_>) -> Result<Outcome, Fault> {
    let Some(diff) = change.diff else { return Ok(others(change.files, beside.snapshot)) };
    let Beside { repository, snapshot, keep } = beside;
    if let Some(made) = made_again(change, diff, beside).await {
        let approved = Approved { changes: &made.changes, diff: &made.diff };
        return Ok(repository.outcome(&approved, snapshot, keep).await?);
    }
    let Some(changes) = changes(change.files) else { return Ok(others(change.files, snapshot)) };
    let approved = Approved { changes: &changes, diff: diff.as_bytes() };
    Ok(repository.outcome(&approved, snapshot, keep).await?)
}

/// What its diff makes of the commit that it was approved on; absent where it was approved on something else, or can't be
/// applied there by now.
async fn made_again(change: ApprovedChange<'_>, diff: &str, beside: Beside<'_>) -> Option<Application> {
    if change.fits != Fits::Commit {
        return None;
    }
    let base: Revision = change.base.and_then(Oid::parse)?.as_str().parse().ok()?;
    let proposal = Proposal::read(diff.as_bytes(), FILES).ok()?;
    let options = Options::default();
    let made = beside.repository.apply(&proposal, Some(&base), Applied::Proposed, beside.keep, &options).await.ok()?;
    (made.way == Way::Forward).then_some(made)
}

/// What becomes of each path, as it was found when it was proposed; absent where that isn't known of all.
fn changes(files: &[ProposedFile]) -> Option<Vec<ManifestFile>> {
    let oid = |text: &Option<String>| match text {
        Some(text) => Oid::parse(text).map(Some),
        None => Some(None),
    };
    let mut changes = Vec::new();
    for file in files {
        let (old, new) = (oid(&file.old)?, oid(&file.new)?);
        let mode = match &file.new_mode {
            Some(text) => Some(mode(text)?),
            None => None,
        };
        if (old.is_none() && new.is_none()) || mode.is_some() != new.is_some() {
            return None;
        }
        let path = RepoPath::new(file.path.as_str());
        match &file.old_path {
            // Of a copy it has no contents before.
            Some(from) if old.is_some() => {
                changes.push(ManifestFile(RepoPath::new(from.as_str()), None, old, None));
                changes.push(ManifestFile(path, mode, None, new));
            }
            _ => changes.push(ManifestFile(path, mode, old, new)),
        }
    }
    changes.sort();
    Some(changes)
}

fn mode(text: &str) -> Option<Mode> {
    [Mode::File, Mode::Executable, Mode::Link, Mode::Submodule].into_iter().find(|mode| mode.as_str() == text)
}

/// How a result differs that isn't of the same files, or of which nothing more is known.
fn others(files: &[ProposedFile], snapshot: &Snapshot) -> Outcome {
    let there = |path: &[u8]| {
        let mut both = snapshot.files.iter().flat_map(|change| change.old_path.iter().chain([&change.path]));
        both.any(|known| known.as_bytes() == path)
    };
    let approved = |path: &RepoPath| {
        let mut both = files.iter().flat_map(|file| file.old_path.iter().chain([&file.path]));
        both.any(|known| known.as_bytes() == path.as_bytes())
    };
    let missing = files.iter().filter(|file| !there(file.path.as_bytes()));
    let mut paths: Vec<RepoPath> = missing.map(|file| RepoPath::new(file.path.as_str())).collect();
    let changed = snapshot.files.iter().map(|change| &change.path);
    let extra: Vec<RepoPath> = changed.filter(|path| !approved(path)).cloned().collect();
    if paths.is_empty() && extra.is_empty() {
        // The same files, and nothing says that they are so.
        paths = files.iter().map(|file| RepoPath::new(file.path.as_str())).collect();
    }
    Outcome::Differs { paths, extra }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, old: Option<&str>, new: Option<&str>) -> ProposedFile {
        let oid = |digits: Option<&str>| digits.map(|digits| digits.repeat(20));
        let mode = |of: Option<&str>| of.map(|_| "100644".to_owned());
        ProposedFile {
            path: path.to_owned(),
            old_mode: mode(old),
            new_mode: mode(new),
            old: oid(old),
            new: oid(new),
            ..ProposedFile::default()
        }
    }

    #[test]
    fn a_renamed_file_is_one_that_went_and_one_that_came_and_a_copy_is_new() {
        let oid = |digits: &str| Oid::parse(&digits.repeat(20));
        let renamed = ProposedFile { old_path: Some("z".to_owned()), ..file("a", Some("1a"), Some("2b")) };
        let copied = ProposedFile { old_path: Some("z".to_owned()), ..file("b", None, Some("2b")) };
        let of = |path: &str, mode, old, new| ManifestFile(RepoPath::new(path), mode, old, new);
        assert_eq!(
            changes(&[renamed, copied, file("gone", Some("1a"), None)]),
            Some(vec![
                of("a", Some(Mode::File), None, oid("2b")),
                of("b", Some(Mode::File), None, oid("2b")),
                of("gone", None, oid("1a"), None),
                of("z", None, oid("1a"), None),
            ])
        );
    }

    #[test]
    fn where_the_contents_are_not_known_nothing_is_the_same() {
        let unknown = ProposedFile { new_mode: Some("100644".to_owned()), ..file("a", None, None) };
        assert_eq!(changes(std::slice::from_ref(&unknown)), None, "neither before nor after is known");
        let half = ProposedFile { new: None, ..file("a", Some("1a"), Some("2b")) };
        assert_eq!(changes(&[half]), None, "it stays, and with what isn't known");
        assert_eq!(changes(&[ProposedFile { new_mode: Some("7".to_owned()), ..file("a", None, Some("2b")) }]), None);
    }
}
