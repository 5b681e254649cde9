//! What is upstream, and fetching one commit of it into a bare repository of its own, which is thrown away
//! afterwards: nothing in it can be stale, locked or half written, and it can't grow from one time to the
//! next. It must not know what is done with the commit.

use std::path::Path;

use gate_core::{Fault, Timestamp};

use super::git::Git;
use super::{Source, explain, tree};

/// Where a fetched commit is named in the repository.
const NEXT: &str = "refs/gate/next";
/// Most bytes of a listing of branches, of a line, and of a tree.
const BRANCHES: usize = 1024 * 1024;
const LINE: usize = 64 * 1024;
const TREE: usize = 64 * 1024 * 1024;
/// Longest first line of a commit that is kept, in characters.
const SUBJECT_CHARS: usize = 200;
/// How many commits of a branch are fetched at first when one is looked for.
const DEEP: u32 = 50;

/// A commit that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// Its id, whole.
    pub(super) id: String,
    /// Its first line, shortened.
    pub(super) subject: String,
    /// When it was made, as it says of itself.
    pub(super) at: Option<Timestamp>,
}

/// The reference that is followed, by the name that the server lists it under.
fn reference(source: &Source) -> String {
    source.branch().map_or_else(|| "HEAD".into(), |branch| format!("refs/heads/{branch}"))
}

/// The id of the newest commit upstream. One short question to the server.
///
/// # Errors
/// `prompt_sync`: it can't be asked, or the branch isn't there.
pub(super) async fn newest(git: &Git, source: &Source, folder: &Path) -> Result<String, Fault> {
    let name = reference(source);
    let said = git.run(source, folder, &["ls-remote", "--quiet", "--", source.address(), &name], BRANCHES).await?;
    if !said.good {
        return Err(explain::failure(source, &said.errors));
    }
    // A pattern matches the ends of names, so others may be among them.
    let listed = String::from_utf8_lossy(&said.output).into_owned();
    let lines = listed.lines().filter_map(|line| line.split_once('\t'));
    let id = lines.filter(|(_, found)| *found == name).map(|(id, _)| id).next();
    match id {
        Some(id) if is_id(id) => Ok(id.to_owned()),
        Some(_) => Err(explain::failure(source, "expected flush")),
        None => Err(explain::no_branch(source)),
    }
}

/// Fetches the commit that the source names into `folder`, which is empty. `newest` is what [`newest`] said.
///
/// # Errors
/// `prompt_sync`: it can't be fetched, passes a bound, or isn't there.
pub(super) async fn fetch(git: &Git, source: &Source, folder: &Path, newest: &str) -> Result<Commit, Fault> {
    let sha256 = newest.len() == 64;
    let format = if sha256 { "--object-format=sha256" } else { "--object-format=sha1" };
    let made = git.run(source, folder, &["init", "--quiet", "--bare", "--template=", format], LINE).await?;
    if !made.good {
        return Err(explain::failure(source, &made.errors));
    }
    let name = reference(source);
    match source.pin() {
        None => {
            get(git, source, folder, &name, 1).await?;
            look_at(git, source, folder, NEXT).await
        }
        Some(pin) => {
            let whole = pin.len() == newest.len();
            // The server may not hand out what no branch names; then it may still be in the branch's past.
            if whole && get(git, source, folder, pin, 1).await.is_ok() {
                return look_at(git, source, folder, NEXT).await;
            }
            let mut depth = DEEP.min(git.limits.history);
            loop {
                get(git, source, folder, &name, depth).await?;
                // Everything here belongs to that branch, so its first digits are looked for among these only.
                let found = look_at(git, source, folder, pin).await;
                if let Ok(commit) = found
                    && commit.id.starts_with(pin)
                {
                    return Ok(commit);
                }
                // Without this file of git's, all of the history is here.
                if depth >= git.limits.history || !folder.join("shallow").exists() {
                    return Err(explain::no_pin(source, git.limits.history));
                }
                depth = depth.saturating_mul(10).min(git.limits.history);
            }
        }
    }
}

async fn get(git: &Git, source: &Source, folder: &Path, what: &str, depth: u32) -> Result<(), Fault> {
    let (what, depth) = (format!("+{what}:{NEXT}"), format!("--depth={depth}"));
    let arguments = [
        "fetch",
        "--quiet",
        "--force",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--update-shallow",
        &depth,
        "--",
        source.address(),
        &what,
    ];
    let said = git.run(source, folder, &arguments, LINE).await?;
    if said.good { Ok(()) } else { Err(explain::failure(source, &said.errors)) }
}

async fn look_at(git: &Git, source: &Source, folder: &Path, name: &str) -> Result<Commit, Fault> {
    let commit = format!("{name}^{{commit}}");
    // `log` would read mail maps and colours; these are the fields alone.
    let arguments = ["rev-list", "--max-count=1", "--format=%H%x00%ct%x00%s", &commit, "--"];
    let said = git.run(source, folder, &arguments, LINE).await?;
    if !said.good {
        return Err(explain::failure(source, &said.errors));
    }
    let text = String::from_utf8_lossy(&said.output).into_owned();
    // The first line is `commit <id>`.
    let line = text.lines().find(|line| line.contains('\0')).unwrap_or_default();
    let mut fields = line.splitn(3, '\0');
    let (id, at, subject) = (fields.next(), fields.next(), fields.next());
    let id = id.filter(|id| is_id(id)).ok_or_else(|| explain::failure(source, "corrupt"))?;
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    Ok(Commit {
        id: id.to_owned(),
        subject: subject.unwrap_or_default().chars().take(SUBJECT_CHARS).map(plain).collect(),
        at: at.and_then(|at| at.parse::<i64>().ok()).map(|seconds| Timestamp(seconds.saturating_mul(1000))),
    })
}

/// What of the commit's folder is taken.
///
/// # Errors
/// `prompt_sync`: the folder isn't there, or something in it is refused.
pub(super) async fn listing(git: &Git, source: &Source, folder: &Path, commit: &str) -> Result<tree::Taken, Fault> {
    let what = format!("{commit}:{}", source.subfolder().unwrap_or_default());
    let arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", &what];
    let said = git.run(source, folder, &arguments, TREE).await?;
    if said.good {
        return tree::read(&said.output, &git.limits);
    }
    let lower = said.errors.to_lowercase();
    let missing = ["not a valid object name", "not a tree object", "does not exist", "exists on disk"];
    if source.subfolder().is_some() && missing.iter().any(|word| lower.contains(word)) {
        return Err(explain::no_subfolder(source));
    }
    Err(explain::failure(source, &said.errors))
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}
