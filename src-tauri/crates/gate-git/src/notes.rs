//! Notes on commits, in `refs/notes/review-gate`, and files of commits: what a machine that checks receipts reads. The
//! one thing that is written into a repository is a note, when it is asked for.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::CONTENT_BYTES;
use crate::own_dir::{OwnDir, blocking};
use crate::path::RepoPath;
use crate::process::{Call, Until};
use crate::repository::Repository;

/// Where the notes are.
pub const NOTES: &str = "refs/notes/review-gate";
/// Most folders above a note: git sorts them into ever more as they get many.
const FOLDERS: usize = 3;
/// How often a note is written that others write at the same time.
const TRIES: u32 = 3;

/// Who writes a note, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Without `<`, `>` and line ends.
    pub name: String,
    /// Without `<`, `>` and line ends.
    pub email: String,
    /// Seconds since 1970, UTC.
    pub seconds: i64,
}

impl Repository {
    /// A file of a commit, at most `most` bytes; absent where it has none. Of a link it is where that leads.
    ///
    /// # Errors
    /// [`Error::What`] for a path with a line end, [`Error::TooLarge`], [`Error::Missing`], [`Error::Damaged`].
    pub async fn file(&self, commit: &Oid, path: &RepoPath, most: usize) -> Result<Option<Vec<u8>>, Error> {
        if path.as_bytes().contains(&b'\n') {
            return Err(Error::What { text: path.to_string(), why: "the path has a line end" });
        }
        self.first_of(commit, &[path.as_bytes().to_vec()], most).await
    }

    /// The note on an object, at most `most` bytes; absent where there is none.
    ///
    /// # Errors
    /// As [`Repository::file`].
    pub async fn note(&self, on: &Oid, most: usize) -> Result<Option<Vec<u8>>, Error> {
        let Some(notes) = self.named(&format!("{NOTES}^{{commit}}"), self.until()).await? else { return Ok(None) };
        // `abcd…`, `ab/cd…`, and so on.
        let paths = (0..=FOLDERS).map(|folders| {
            let (mut path, digits) = (String::new(), on.as_str());
            (0..folders).for_each(|at| path.extend([&digits[2 * at..2 * at + 2], "/"]));
            path.push_str(&digits[2 * folders..]);
            path.into_bytes()
        });
        self.first_of(&notes, &paths.collect::<Vec<_>>(), most).await
    }

    /// The first of these files that a commit has.
    async fn first_of(&self, commit: &Oid, paths: &[Vec<u8>], most: usize) -> Result<Option<Vec<u8>>, Error> {
        let until = self.until();
        // The folders that lead there.
        let mut names = BTreeSet::from([format!("{commit}^{{tree}}").into_bytes(), commit.as_str().into()]);
        for path in paths {
            let folders = (0..path.len()).filter(|at| path[*at] == b'/');
            names.extend(folders.map(|end| [commit.as_str().as_bytes(), b":", &path[..end]].concat()));
        }
        let asked = names.into_iter().flat_map(|name| [&name[..], b"\n"].concat()).collect::<Vec<_>>();
        let call = self.look(&["cat-file", "--batch-check"]).most(asked.len() + 1024 * 1024).input(asked);
        let listing = self.output(call, until).await?;
        let mut oids = BTreeSet::from([commit.clone()]);
        for line in listing.split(|byte| *byte == b'\n').map(String::from_utf8_lossy) {
            let mut words = line.split(' ');
            if let (Some(oid), Some("tree")) = (words.next().and_then(Oid::parse), words.next()) {
                oids.insert(oid);
            }
        }
        let store = Objects::temporary(&self.git, self.format()).await?;
        self.bring(oids, &store, CONTENT_BYTES, until).await?;
        for path in paths {
            // `MODE KIND OID\tPATH\0`, whether the object is there or not.
            let call = store.own.call(&["ls-tree", "-z", "--full-tree", commit.as_str(), "--"]);
            let said = self.git.run(call.argument(crate::os::text(path)), until).await?;
            let listing = self.lacking(said)?;
            let head = listing.split(|byte| *byte == b'\t').next().map(String::from_utf8_lossy).unwrap_or_default();
            let mut words = head.split(' ');
            let Some(oid) = words.nth(2).and_then(Oid::parse).filter(|_| head.contains(" blob ")) else { continue };
            self.bring(BTreeSet::from([oid.clone()]), &store, most as u64, until).await?;
            return store.read(&oid, most).await.map(Some);
        }
        Ok(None)
    }

    /// Puts a note on an object, in place of the one that is there. This writes into the repository: the note, and the
    /// reference that leads to it. No hook hears of it, and no log of references has it.
    ///
    /// # Errors
    /// [`Error::ReferenceMoved`] where others write notes all the time; [`Error::Unsupported`] where references aren't
    /// files; [`Error::Io`], [`Error::DiskFull`].
    pub async fn set_note(&self, on: &Oid, note: &[u8], by: &Signature) -> Result<(), Error> {
        if !self.settings.reference_files {
            return Err(Error::Unsupported {
                why: "its references aren't files, so that no note is written".to_owned(),
            });
        }
        let until = self.until();
        for _ in 0..TRIES {
            let before = self.named(&format!("{NOTES}^{{commit}}"), until).await?;
            let after = self.noted(before.as_ref(), on, note, by, until).await?;
            if self.moved(before.as_ref(), after, until).await? {
                return Ok(());
            }
        }
        Err(Error::ReferenceMoved { name: NOTES.to_owned() })
    }

    /// The commit of notes with one more, written among the repository's objects by a git of ours.
    async fn noted(
        &self,
        before: Option<&Oid>,
        on: &Oid,
        note: &[u8],
        by: &Signature,
        until: Until,
    ) -> Result<Oid, Error> {
        let own = OwnDir::temporary(&self.git, self.format(), Vec::new()).await?;
        let date = format!("@{} +0000", by.seconds);
        let objects = self.places.objects.first().map(|path| path.as_os_str()).unwrap_or_default();
        let call = |arguments: &[&str]| -> Call {
            own.call(arguments)
                .with("GIT_OBJECT_DIRECTORY", objects)
                .with("GIT_AUTHOR_NAME", &by.name)
                .with("GIT_AUTHOR_EMAIL", &by.email)
                .with("GIT_AUTHOR_DATE", &date)
                .with("GIT_COMMITTER_NAME", &by.name)
                .with("GIT_COMMITTER_EMAIL", &by.email)
                .with("GIT_COMMITTER_DATE", &date)
        };
        let oid = |output: Vec<u8>| {
            let words = "it named no object".to_owned();
            Oid::of_bytes(output.trim_ascii_end()).ok_or(Error::Git { command: "notes".to_owned(), words })
        };
        let blob = call(&["hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"]).input(note);
        let blob = oid(self.output(blob, until).await?)?;
        if let Some(before) = before {
            self.output(call(&["update-ref", NOTES, before.as_str()]), until).await?;
        }
        let add = ["notes", "--ref", NOTES, "add", "--force", "-C", blob.as_str(), on.as_str()];
        self.output(call(&add), until).await?;
        oid(self.output(call(&["rev-parse", "--verify", NOTES]), until).await?)
    }

    /// Sets the reference of the notes, as git does: whoever has its lock looks what it is, and puts what it will be in
    /// its place. Whether it was still what it is to have been.
    async fn moved(&self, before: Option<&Oid>, after: Oid, until: Until) -> Result<bool, Error> {
        let reference = self.places.common_dir.join(NOTES);
        let lock = reference.with_extension("lock");
        let (made, held) = (lock.clone(), reference.clone());
        let file = blocking(move || {
            let folder = held.parent().unwrap_or(&held);
            fs::create_dir_all(folder).map_err(Error::io(folder))?;
            match OpenOptions::new().write(true).create_new(true).open(&made) {
                Ok(file) => Ok(Some((file, Lock(Some(made))))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
                Err(error) => Err(Error::io(made)(error)),
            }
        });
        let Some((mut file, held)) = file.await? else { return Ok(false) };
        if self.named(&format!("{NOTES}^{{commit}}"), until).await?.as_ref() != before {
            return Ok(false);
        }
        blocking(move || {
            let written = file.write_all(format!("{after}\n").as_bytes()).and_then(|()| file.sync_all());
            written.and_then(|()| held.put(&reference)).map_err(Error::io(reference))
        })
        .await?;
        Ok(true)
    }
}

/// A reference's lock, which goes when it is dropped.
struct Lock(Option<PathBuf>);

impl Lock {
    /// Puts the file that is the lock in the reference's place.
    fn put(mut self, reference: &Path) -> io::Result<()> {
        if let Some(lock) = &self.0 {
            fs::rename(lock, reference)?;
        }
        // From here on a lock of this name is another's.
        self.0 = None;
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(lock) = &self.0 {
            // Whoever removed it by hand has done what is done here.
            let _ = fs::remove_file(lock);
        }
    }
}
