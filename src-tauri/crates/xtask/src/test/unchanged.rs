//! Whether what a step looks at has changed since it last ended well.
//!
//! Kept below `target`, so a clean clone takes every step.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::digest::digest;
use crate::workspace::Workspace;

/// What was found of one step's files.
pub(super) struct Unchanged {
    file: PathBuf,
    digest: String,
}

impl Unchanged {
    /// Looks at all of `files`.
    pub(super) fn look(workspace: &Workspace, step: &str, files: &[PathBuf]) -> Result<Self> {
        let folder = workspace.target.join("xtask/unchanged");
        Ok(Self { file: folder.join(step.replace([' ', ':'], "-")), digest: digest(files)? })
    }

    /// Whether the step ended well for the very same files.
    pub(super) fn is_so(&self) -> bool {
        std::fs::read_to_string(&self.file).is_ok_and(|kept| kept == self.digest)
    }

    /// Remembers that the step ended well.
    pub(super) fn keep(&self) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&self.file, &self.digest))
            .with_context(|| format!("can't write {}", self.file.display()))
    }
}
