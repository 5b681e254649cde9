//! What others ask of the receipts: lists, how the chain is, copies for backups.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use gate_receipts::{Found, NAME, Report, verify_chain};

use super::Receipts;

impl Receipts {
    /// The newest receipts, the newest first, at most so many.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn list(&self, most: usize) -> Result<Vec<Found>, Fault> {
        self.chain(move |chain| {
            let newest = chain.newest().into_iter().take(most);
            let found = newest.filter_map(|id| chain.receipt(id).transpose());
            Ok(found.collect::<Result<Vec<_>, _>>()?)
        })
        .await
    }

    /// How the chain is, all of it.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn report(&self) -> Result<Report, Fault> {
        self.chain(|chain| Ok(chain.report().clone())).await
    }

    /// Copies the log, and what was set aside before it, into a folder of backups. What isn't sound takes the place of
    /// no copy: it was set aside before.
    ///
    /// # Errors
    /// When a file can't be read or written; the copy from before is as it was then.
    pub(crate) async fn back_up(&self, folder: PathBuf) -> Result<(), Fault> {
        self.report().await?;
        let from = self.folder.clone();
        self.with_log(move |_| copy_log(&from, &folder)).await
    }
}

/// Copies a log that nobody writes, and what was set aside before it, into a folder of backups. It blocks.
///
/// # Errors
/// When a file can't be read or written, and where the log isn't whole: it takes no copy's place.
pub(crate) fn copy_sound_log(from: &Path, folder: &Path) -> Result<(), Fault> {
    if verify_chain(from, None, &[])?.is_whole() {
        return copy_log(from, folder);
    }
    let error = io::Error::other("a line isn't what was written; the next start sets the log aside");
    Err(uncopied(folder, &error))
}

fn copy_log(from: &Path, folder: &Path) -> Result<(), Fault> {
    for name in files_of(from).map_err(|error| uncopied(from, &error))? {
        copy(&from.join(&name), folder, &name).map_err(|error| uncopied(folder, &error))?;
    }
    Ok(())
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
