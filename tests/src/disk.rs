//! A disk of a test's own.

use std::path::{Path, PathBuf};

use anyhow::Result;
use tokio::process::Command;

use crate::run::Ran;

/// A small disk in memory, mounted on a folder. Taken away when dropped.
#[derive(Debug)]
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one with these options of tmpfs(5), e.g. `size=8m,mode=700`. Absent where this user may not.
    ///
    /// # Errors
    /// When the folder can't be made.
    pub async fn mount(at: &Path, options: &str) -> Result<Option<Self>> {
        std::fs::create_dir_all(at)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
        Ok(Ran::of(mount).await.is_ok_and(|ran| ran.code == Some(0)).then(|| Self(at.to_owned())))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // At once, whoever still uses it.
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
