//! Homes on Windows.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::home::{Home, HomeOptions};
use crate::wine::{BELOW, DRIVE, Wine};

impl Home {
    /// A home of `review-gate.exe`, `C:\home`, in a Windows of its own.
    ///
    /// # Errors
    /// When the programs for Windows aren't built.
    pub fn on_windows(options: HomeOptions) -> Result<Self> {
        let folder = Self::own_folder()?;
        let wine = Wine::new(&folder)?;
        Self::on(folder, HomeOptions { below: Some(PathBuf::from(BELOW)), ..options }, wine)
    }

    /// The drive `C:` of a home on Windows.
    #[must_use]
    pub fn drive(&self) -> PathBuf {
        self.folder().join(DRIVE)
    }

    /// The folder of the drive's user, who is called as this machine's.
    ///
    /// # Errors
    /// When there is none.
    pub fn user_there(&self) -> Result<PathBuf> {
        let users = std::fs::read_dir(self.drive().join("users"))?.flatten().map(|user| user.path());
        users.into_iter().find(|user| !user.ends_with("Public")).context("Windows has a user")
    }
}
