//! The beginning of a file that is being downloaded. Locked, so that two programs don't write the same one,
//! and hashed as it grows.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use gate_voice::models::PART;
use sha2::{Digest as _, Sha256};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// What is there of a file.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    file: File,
    hash: Sha256,
    len: u64,
    /// Bytes of the whole.
    whole: u64,
}

impl Part {
    /// Opens what is there of `file`, or begins. More than the whole is as good as nothing.
    pub(super) fn open(file: &Path, whole: u64) -> Result<Self, Fault> {
        let mut path = file.as_os_str().to_owned();
        path.push(PART);
        let path = PathBuf::from(path);
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let opened = opened.map_err(|error| not_written(&path, &error, whole))?;
        match opened.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Fault::new(
                    Code::Download,
                    "Another program downloads this model already.",
                    "Wait until it is there, or stop that one.",
                ));
            }
            // A disk that knows no locks: the hash at the end tells what two of them have written.
            Err(TryLockError::Error(_)) => {}
        }
        let mut part = Self { path, file: opened, hash: Sha256::new(), len: 0, whole };
        part.take_up().map_err(|error| part.not_written(&error))?;
        if part.len > whole {
            part.restart()?;
        }
        Ok(part)
    }

    /// Hashes what is there.
    fn take_up(&mut self) -> io::Result<()> {
        let there = self.file.metadata()?.len();
        let mut piece = vec![0; PIECE];
        let mut from = (&self.file).take(there);
        loop {
            match from.read(&mut piece)? {
                0 => return Ok(()),
                got => {
                    self.hash.update(&piece[..got]);
                    self.len += got as u64;
                }
            }
        }
    }

    /// Bytes that are there.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The hash of what is there, in small hexadecimal digits.
    pub(super) fn sha256(&self) -> String {
        self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Adds to it.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.file.write_all(bytes).map_err(|error| self.not_written(&error))?;
        self.hash.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Forgets what is there.
    pub(super) fn restart(&mut self) -> Result<(), Fault> {
        if self.len > 0 {
            let emptied = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
            emptied.map_err(|error| self.not_written(&error))?;
            self.hash = Sha256::new();
            self.len = 0;
        }
        Ok(())
    }

    /// Gives the file its name, when it is safe on the disk.
    pub(super) fn finish(self, file: &Path) -> Result<(), Fault> {
        let named = self.file.sync_all().and_then(|()| fs::rename(&self.path, file));
        named.map_err(|error| self.not_written(&error))
    }

    fn not_written(&self, error: &io::Error) -> Fault {
        not_written(&self.path, error, self.whole - self.len.min(self.whole))
    }
}

fn not_written(path: &Path, error: &io::Error, missing: u64) -> Fault {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
        return Fault::new(
            Code::DiskFull,
            format!("The disk became full: {} MB of the model are missing.", missing.div_ceil(1_000_000)),
            "Delete something on that disk and go on with the download, or take a smaller model.",
        );
    }
    let folder = path.parent().unwrap_or(path).display();
    Fault::new(
        Code::ReadOnly,
        format!("The model can't be written into {folder}: {error}."),
        "Make the folder writable.",
    )
}
