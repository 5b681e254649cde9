//! What others ask of the receipts: lists, how the chain is, copies for backups.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gate_core::{Code, Digest, Fault};
use gate_receipts::{Found, NAME, Report};

use super::Receipts;

/// Most receipts that a list has.
pub(crate) const LISTED: usize = 1000;

/// How the chain is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChainState {
    /// What a whole reading of it found.
    pub(crate) report: Report,
    /// Its newest line's digest; absent where it has none.
    pub(crate) head: Option<Digest>,
}

/// What a backup of the receipts came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backed {
    /// Files that were copied.
    pub(crate) files: usize,
}

impl Receipts {
    /// The newest receipts, the newest first, at most [`LISTED`].
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn list(&self, most: usize) -> Result<Vec<Found>, Fault> {
        self.chain(move |chain| {
            let newest = chain.newest().into_iter().take(most.min(LISTED));
            let found = newest.filter_map(|id| chain.receipt(id).transpose());
            Ok(found.collect::<Result<Vec<_>, _>>()?)
        })
        .await
    }

    /// How the chain is, all of it.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn state(&self) -> Result<ChainState, Fault> {
        self.chain(|chain| {
            let report = chain.report().clone();
            Ok(ChainState { head: report.head.map(|head| head.line), report })
        })
        .await
    }

    /// Copies the log, and what was set aside before it, into a folder of backups. What isn't sound takes the place of
    /// no copy: it was set aside before.
    ///
    /// # Errors
    /// When a file can't be read or written; the copy from before is as it was then.
    pub(crate) async fn back_up(&self, folder: PathBuf) -> Result<Backed, Fault> {
        self.state().await?;
        let from = self.folder().to_owned();
        self.with_log(move |_| {
            let files = files_of(&from).map_err(|error| uncopied(&from, &error))?;
            for name in &files {
                copy(&from.join(name), &folder, name).map_err(|error| uncopied(&folder, &error))?;
            }
            Ok(Backed { files: files.len() })
        })
        .await
    }
}

/// The log, and those that were set aside.
fn files_of(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if name == NAME || (name.starts_with("receipts.") && name.ends_with(".log")) {
            files.push(name);
        }
    }
    Ok(files)
}

/// A log only grows, and one that was set aside stays as it is.
fn copy(from: &Path, folder: &Path, name: &str) -> io::Result<()> {
    let (to, part) = (folder.join(name), folder.join(format!("{name}.part")));
    if name != NAME && to.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    fs::copy(from, &part)?;
    fs::File::open(&part)?.sync_all()?;
    fs::rename(&part, &to)
}

fn uncopied(folder: &Path, error: &io::Error) -> Fault {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::DiskFull } else { Code::ReadOnly };
    Fault::new(
        code,
        format!("The receipts can't be copied to {}: {error}.", folder.display()),
        "Free some space or give the folder back to your user; the record itself was backed up.",
    )
}
