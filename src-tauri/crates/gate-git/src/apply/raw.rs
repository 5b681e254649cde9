//! The files of a work tree as they lie there, as a tree of ours: their very bytes, without anything that git or a filter
//! would make of them. Only what a proposal touches is read, and no link is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gate_os::files;

use super::attempt::{Attempt, Ground};
use crate::change::Mode;
use crate::error::Error;
use crate::own_dir::blocking;
use crate::path::RepoPath;
use crate::tree::NewTree;
use crate::{os, own_dir::Setting};

/// Most files that are looked at in a folder which stands in a file's place.
const FILES_IN_WAY: usize = 10_000;

/// What is found, by path: its mode and what it holds.
type Found = BTreeMap<Vec<u8>, (Mode, Vec<u8>)>;

impl Attempt<'_> {
    /// That of the files below `top`. What a file system doesn't tell of a file (that it may be executed, that it is a
    /// link) is as `known` has it.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Io`].
    pub(super) async fn ground_of_files(&self, top: &Path, known: &Ground) -> Result<Ground, Error> {
        let paths: Vec<Vec<u8>> = self.proposal.paths().into_iter().map(|path| path.as_bytes().to_vec()).collect();
        let modes = known.files.iter().map(|(path, entry)| (path.clone(), entry.mode)).collect();
        let kept = &self.repository.settings.kept;
        let reader = Files {
            top: top.to_owned(),
            touched: paths.into_iter().collect(),
            modes,
            has_modes: !is_off(kept, "filemode"),
            has_links: !is_off(kept, "symlinks"),
            left: self.options.content_bytes,
            most: self.options.content_bytes,
        };
        let found = blocking(move || reader.read()).await?;
        let mut tree = NewTree::of(&self.repository.format().empty_tree());
        for (path, (mode, holds)) in found {
            if mode == Mode::Submodule {
                // Whatever is in there belongs to another repository: a commit that no proposal names.
                tree.with(&path, mode.as_str(), self.repository.format().empty_tree().as_str());
            } else {
                tree.with_contents(&path, mode.as_str(), &holds);
            }
        }
        let tree = tree.written(self.repository, self.call(&[], "none"), self.until).await?;
        self.ground_of(tree).await
    }
}

/// Reads the files of a work tree that a proposal touches.
struct Files {
    top: PathBuf,
    touched: BTreeSet<Vec<u8>>,
    modes: BTreeMap<RepoPath, Mode>,
    has_modes: bool,
    has_links: bool,
    left: u64,
    most: u64,
}

/// What is at a path.
enum There {
    Nothing,
    Folder,
    /// One with a repository of its own.
    Repository,
    Link(Vec<u8>),
    File,
    /// A pipe, a device.
    Other,
}

impl Files {
    fn read(mut self) -> Result<Found, Error> {
        let mut found = Found::new();
        for path in self.touched.clone() {
            self.take(&path, &mut found)?;
        }
        Ok(found)
    }

    fn take(&mut self, path: &[u8], found: &mut Found) -> Result<(), Error> {
        if let Some((above, what)) = self.in_the_way(path)? {
            let way = match what {
                There::Link(to) => (Mode::Link, to),
                There::Repository => (Mode::Submodule, Vec::new()),
                There::File | There::Other => (Mode::File, Vec::new()),
                There::Nothing | There::Folder => return Ok(()),
            };
            // If the proposal touches that, too, it is read for its own sake.
            found.entry(above).or_insert(way);
            return Ok(());
        }
        let file = self.file(path);
        let way = match self.at(path)? {
            There::Nothing => return Ok(()),
            There::Folder => return self.look_into(path, found),
            There::Link(to) => (Mode::Link, to),
            There::Repository | There::Other => (Mode::Submodule, Vec::new()),
            There::File => {
                let Some(holds) = self.contents(&file)? else { return Ok(()) };
                (self.mode(path, &file), holds)
            }
        };
        // While it was read a folder above may have become a link to elsewhere.
        if self.in_the_way(path)?.is_none() {
            found.insert(path.to_vec(), way);
        }
        Ok(())
    }

    fn file(&self, path: &[u8]) -> PathBuf {
        self.top.join(os::text(path))
    }

    /// What above a path is no folder.
    fn in_the_way(&self, path: &[u8]) -> Result<Option<(Vec<u8>, There)>, Error> {
        for end in (0..path.len()).filter(|at| path[*at] == b'/') {
            match self.at(&path[..end])? {
                There::Folder => {}
                what => return Ok(Some((path[..end].to_vec(), what))),
            }
        }
        Ok(None)
    }

    fn at(&self, path: &[u8]) -> Result<There, Error> {
        let file = self.file(path);
        let kind = match fs::symlink_metadata(&file) {
            Ok(data) => data.file_type(),
            Err(error) if is_absence(&error) => return Ok(There::Nothing),
            Err(error) => return Err(Error::io(file)(error)),
        };
        if kind.is_symlink() {
            let to = fs::read_link(&file).map_err(Error::io(&file))?;
            return Ok(There::Link(os::bytes(to.as_os_str()).to_vec()));
        }
        if kind.is_dir() {
            let own = fs::symlink_metadata(file.join(".git")).is_ok();
            return Ok(if own { There::Repository } else { There::Folder });
        }
        Ok(if kind.is_file() { There::File } else { There::Other })
    }

    /// Absent where it has just gone.
    fn contents(&mut self, file: &Path) -> Result<Option<Vec<u8>>, Error> {
        let opened = match files::private_and_no_link().read(true).open(file) {
            Ok(opened) => opened,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(Error::io(file)(error)),
        };
        let mut holds = Vec::new();
        opened.take(self.left + 1).read_to_end(&mut holds).map_err(Error::io(file))?;
        match self.left.checked_sub(holds.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(Error::TooLarge { what: "What is looked at", most: self.most }),
        }
        Ok(Some(holds))
    }

    fn mode(&self, path: &[u8], file: &Path) -> Mode {
        let known = self.modes.get(&RepoPath::new(path)).copied();
        match known {
            Some(Mode::Link) if !self.has_links => Mode::Link,
            Some(Mode::Executable) if !self.has_modes => Mode::Executable,
            _ if self.has_modes && files::may_start(file) => Mode::Executable,
            _ => Mode::File,
        }
    }

    /// Takes in that a folder has files which the proposal doesn't touch: one stands for them. Those that it touches are
    /// read anyway.
    fn look_into(&self, folder: &[u8], found: &mut Found) -> Result<(), Error> {
        let mut left = vec![folder.to_vec()];
        let mut seen = 0;
        while let Some(next) = left.pop() {
            let entries = fs::read_dir(self.file(&next)).map_err(Error::io(self.file(&next)))?;
            for entry in entries.flatten() {
                let path = [&next[..], b"/", os::bytes(&entry.file_name())].concat();
                seen += 1;
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && seen < FILES_IN_WAY {
                    left.push(path);
                } else if !self.touched.contains(&path) {
                    let left = [folder, b"/.left"].concat();
                    found.entry(left).or_insert((Mode::File, Vec::new()));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Whether a setting of the repository switches this off.
fn is_off(kept: &[Setting], name: &str) -> bool {
    let last = kept.iter().rev().find(|(section, key, _)| *section == "core" && *key == name);
    last.is_some_and(|(_, _, value)| value == b"false")
}

fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
