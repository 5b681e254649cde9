//! What an agent may only read: which of it is there and can be guarded, what guards it, and what becomes of it meanwhile.
//!
//! A file is guarded by a mount on its place. A place that isn't there can't be guarded without making it, which git would
//! see; and one whose file is replaced outside, as git does with its `config`, loses its mount. Both are told as soon as
//! they are seen.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A place that an agent isn't to change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Guarded {
    path: PathBuf,
    /// What was there; absent where nothing was, or nothing that a mount can guard.
    was: Option<(u64, u64)>,
    /// Whether anything was, be it reached by a link.
    was_there: bool,
    told: bool,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AllGuarded(Vec<Guarded>);

impl AllGuarded {
    /// As they are now.
    pub(crate) fn look(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut paths: Vec<PathBuf> = paths.into_iter().collect();
        paths.sort();
        paths.dedup();
        let all = paths.into_iter().map(|path| {
            let (was, was_there) = (of(&path), is_there(&path));
            Guarded { path, was, was_there, told: false }
        });
        Self(all.collect())
    }

    /// The places with something on them.
    pub(crate) fn there(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|guarded| guarded.was.is_some()).map(|guarded| guarded.path.as_path())
    }

    /// The places that a mount can't guard: links.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Path> {
        let links = self.0.iter().filter(|guarded| guarded.was.is_none() && guarded.was_there);
        links.map(|guarded| guarded.path.as_path())
    }

    /// What has become of them since, each told once.
    pub(crate) fn news(&mut self) -> Vec<String> {
        let mut news = Vec::new();
        for guarded in self.0.iter_mut().filter(|guarded| !guarded.told) {
            let now = of(&guarded.path);
            let path = guarded.path.display();
            let said = match guarded.was {
                None if now.is_some() || !guarded.was_there && is_there(&guarded.path) => format!(
                    "{path} is new, and counts outside of the sandbox, too: read it before you start an agent or git there."
                ),
                Some(was) if now != Some(was) => format!(
                    "{path} was replaced outside, so the agent may write it from now on: end the agent and start it anew."
                ),
                None | Some(_) => continue,
            };
            guarded.told = true;
            news.push(said);
        }
        news
    }
}

/// The folders above a place, up to the one that may be written: each has to stay where it is, or the place could be
/// moved away with it.
pub(crate) fn pins<'a>(place: &'a Path, writable: &Path) -> Vec<&'a Path> {
    let above = place.ancestors().skip(1).take_while(|folder| *folder != writable);
    above.collect()
}

/// Which file or folder is there; absent where none is, or one that is reached by a link.
fn of(path: &Path) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok().filter(|found| !found.is_symlink())?;
    let is_direct = fs::canonicalize(path).is_ok_and(|real| real == path);
    is_direct.then(|| (found.dev(), found.ino()))
}

/// Whether there is anything: a link counts, wherever it leads.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_new_and_what_was_replaced_is_told_once() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let (there, absent) = (folder.join("config"), folder.join(".mcp.json"));
        fs::write(&there, "a")?;
        let mut all = AllGuarded::look([there.clone(), absent.clone()]);
        assert_eq!(all.there().collect::<Vec<_>>(), [there.as_path()]);
        assert_eq!(all.news(), [""; 0], "nothing has happened");
        fs::write(folder.join("lock"), "b")?;
        fs::rename(folder.join("lock"), &there)?;
        fs::write(&absent, "{}")?;
        let news = all.news();
        assert_eq!(news.len(), 2, "{news:?}");
        assert!(news.iter().any(|said| said.contains("is new")) && news.iter().any(|said| said.contains("replaced")));
        assert_eq!(all.news(), [""; 0], "each is told once");
        Ok(())
    }

    #[test]
    fn what_is_new_by_a_link_is_told_as_well() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let mut all = AllGuarded::look([".mcp.json", ".claude/skills"].map(|name| folder.join(name)));
        symlink("nowhere", folder.join(".mcp.json"))?;
        fs::create_dir_all(folder.join("elsewhere/skills"))?;
        symlink("elsewhere", folder.join(".claude"))?;
        let news = all.news();
        assert_eq!(
            news.iter().filter(|said| said.contains("is new")).count(),
            2,
            "whoever follows it obeys it: {news:?}"
        );
        assert_eq!(AllGuarded::look([folder.join(".mcp.json")]).open().count(), 1, "one to nowhere can't be guarded");
        Ok(())
    }

    #[test]
    fn the_folders_between_are_what_has_to_stay() {
        let pinned = pins(Path::new("/p/.git/modules/a/config"), Path::new("/p"));
        assert_eq!(pinned, ["/p/.git/modules/a", "/p/.git/modules", "/p/.git"].map(Path::new));
    }
}
