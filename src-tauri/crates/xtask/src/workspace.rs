//! Where the parts of the workspace are, from `cargo metadata`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use cargo_metadata::{MetadataCommand, Package};

/// The workspace that the current folder belongs to.
pub(crate) struct Workspace {
    /// The folder with the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Where cargo builds, usually `target`.
    pub(crate) target: PathBuf,
    /// The members, with their dependencies.
    pub(crate) packages: Vec<Package>,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let metadata = MetadataCommand::new()
            .no_deps()
            .exec()
            .context("can't read the workspace; run this inside a clone of the repository")?;
        Ok(Self {
            root: metadata.workspace_root.into(),
            target: metadata.target_directory.into(),
            packages: metadata.packages,
        })
    }

    pub(crate) fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// A built program of `profile` (`debug` or `release`).
    pub(crate) fn binary(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Where the benchmark's yardstick and its results are.
    pub(crate) fn bench(&self) -> PathBuf {
        self.target.join("bench")
    }

    /// Where the tools live that only tests need.
    pub(crate) fn test_tools(&self) -> PathBuf {
        self.target.join("test-tools")
    }
}

/// The folder, made, without what an earlier run left in it.
pub(crate) fn empty(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("can't empty {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    Ok(folder)
}
