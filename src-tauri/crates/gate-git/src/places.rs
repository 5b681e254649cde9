//! Where the parts of a repository lie, whose they are, and whether they belong together. Reads names and small files,
//! and runs nothing.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gate_os::files::{self, FileId};

use crate::error::Error;
use crate::os;

/// Longest file that says where something else is, in bytes.
const LINK_BYTES: u64 = 16 * 1024;
/// Most folders of objects of one repository.
const STORES: usize = 64;

/// Whose repositories are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owners {
    /// Those of the user that this program runs as.
    Me,
    /// Anybody's, as the person allowed.
    Anyone,
}

/// What a repository is to its work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The folder has its repository in `.git`.
    Main,
    /// One more work tree of a repository, by `git worktree`.
    Linked,
    /// A repository within another one's work tree.
    Submodule,
    /// `.git` is a file or a link that leads to a repository which doesn't say whose it is.
    Separate,
    /// It has no work tree.
    Bare,
}

/// The folders of a repository, without links in their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) kind: Kind,
    pub(crate) worktree: Option<PathBuf>,
    /// What is this work tree's own: `HEAD`, the index.
    pub(crate) git_dir: PathBuf,
    /// What all work trees share: settings, references.
    pub(crate) common_dir: PathBuf,
    /// Its objects first, then those of others that it borrows.
    pub(crate) objects: Vec<PathBuf>,
}

/// The repository that this folder is in: of the nearest folder above that has one, on the same file system.
///
/// What its settings say of its work tree comes later ([`settled`]).
///
/// # Errors
/// [`Error::NoRepository`], [`Error::NotOwned`], [`Error::Astray`], [`Error::Unsupported`], [`Error::TooMany`],
/// [`Error::Io`].
pub(crate) fn find(path: &Path, owners: Owners) -> Result<Places, Error> {
    let missing = || Error::NoRepository { path: path.to_owned() };
    let start = files::real_path(path).map_err(|_| missing())?;
    let data = fs::metadata(&start).map_err(|_| missing())?;
    if !data.is_dir() {
        return Err(missing());
    }
    let device = FileId::of(&start).map_err(|_| missing())?.device;
    for folder in start.ancestors() {
        if FileId::of(folder).map_or(true, |folder| folder.device != device) {
            break;
        }
        if let Some(places) = at(folder, owners)? {
            return Ok(places);
        }
    }
    Err(missing())
}

fn at(folder: &Path, owners: Owners) -> Result<Option<Places>, Error> {
    let link = folder.join(".git");
    let by_link = fs::symlink_metadata(&link).is_ok_and(|data| data.is_symlink());
    let (git_dir, worktree, by_file) = match fs::metadata(&link) {
        Ok(data) if data.is_dir() => (real(&link)?, Some(folder), by_link),
        Ok(data) if data.is_file() => {
            let bytes = small(&link)?;
            let Some(to) = bytes.strip_prefix(b"gitdir: ") else {
                return Err(Error::Unsupported { why: format!("{} is no link of git's", link.display()) });
            };
            let to = folder.join(os::text(to.trim_ascii_end()));
            (files::real_path(&to).map_err(|_| Error::NoRepository { path: to })?, Some(folder), true)
        }
        _ => (folder.to_owned(), None, false),
    };
    let Some(common_dir) = common_dir(&git_dir)? else { return Ok(None) };
    let owned: [Option<&Path>; 4] = [worktree, by_file.then_some(&*link), Some(&git_dir), Some(&common_dir)];
    if owners == Owners::Me {
        for path in owned.into_iter().flatten() {
            if !files::owner_at(path).map_err(Error::io(path))?.is_this() {
                return Err(Error::NotOwned { path: path.to_owned() });
            }
        }
    }
    let linked = common_dir != git_dir;
    let kind = match (worktree, by_file) {
        (None, _) => Kind::Bare,
        (Some(_), false) => Kind::Main,
        (Some(_), true) if linked => Kind::Linked,
        (Some(_), true) => Kind::Separate,
    };
    if linked {
        // Of two that lead to each other neither can be somebody else's, put here to be looked at.
        let back = small(&git_dir.join("gitdir")).unwrap_or_default();
        let back = git_dir.join(os::text(back.trim_ascii_end()));
        if worktree.is_none() || files::real_path(&back).ok() != files::real_path(&link).ok() {
            return Err(Error::Astray { link, to: git_dir });
        }
    }
    let objects = stores(&common_dir.join("objects"))?;
    let worktree = worktree.map(Path::to_owned);
    Ok(Some(Places { kind, worktree, git_dir, common_dir, objects }))
}

/// The folder that a git directory shares with others; itself, where there are none. Absent where it is none.
fn common_dir(git_dir: &Path) -> Result<Option<PathBuf>, Error> {
    if !git_dir.join("HEAD").is_file() {
        return Ok(None);
    }
    let link = git_dir.join("commondir");
    let common = if link.is_file() {
        real(&git_dir.join(os::text(small(&link)?.trim_ascii_end())))?
    } else {
        git_dir.to_owned()
    };
    Ok((common.join("objects").is_dir() && common.join("refs").is_dir()).then_some(common))
}

/// What the settings say of the work tree: `worktree` is `core.worktree`, from the git directory, and `bare` is
/// `core.bare`.
///
/// # Errors
/// [`Error::Astray`] where the settings lead elsewhere.
pub(crate) fn settled(mut places: Places, worktree: Option<&Path>, bare: bool) -> Result<Places, Error> {
    let Some(folder) = places.worktree.clone() else { return Ok(places) };
    if let Some(named) = worktree {
        let named = places.git_dir.join(named);
        if files::real_path(&named).ok().as_deref() != Some(&*folder) {
            return Err(Error::Astray { link: folder.join(".git"), to: named });
        }
        if places.kind == Kind::Separate {
            places.kind = Kind::Submodule;
        }
    } else if bare && places.kind == Kind::Separate {
        // The folder only holds a bare repository and its work trees.
        (places.kind, places.worktree) = (Kind::Bare, None);
    }
    Ok(places)
}

/// A folder of objects, and all those whose objects it borrows.
fn stores(own: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut all = vec![real(own)?];
    let mut next = 0;
    while let Some(store) = all.get(next).cloned() {
        next += 1;
        let file = store.join("info/alternates");
        if !file.is_file() {
            continue;
        }
        for line in small(&file)?.split(|byte| *byte == b'\n') {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if line.starts_with(b"\"") {
                return Err(Error::Unsupported { why: format!("{} has quoted paths", file.display()) });
            }
            // One that isn't there is nothing to git, either.
            let Ok(found) = files::real_path(&store.join(os::text(line))) else { continue };
            if !all.contains(&found) {
                all.push(found);
            }
            if all.len() > STORES {
                return Err(Error::TooMany { what: "folders of objects", most: STORES });
            }
        }
    }
    Ok(all)
}

fn real(path: &Path) -> Result<PathBuf, Error> {
    files::real_path(path).map_err(Error::io(path))
}

fn small(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(Error::io(path))?;
    file.take(LINK_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > LINK_BYTES {
        return Err(Error::TooLarge { what: "A file of git's that leads elsewhere", most: LINK_BYTES });
    }
    Ok(bytes)
}
