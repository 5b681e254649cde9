//! The library as its users see it: real folders, real files, whole versions.

mod bombs;
mod broken;
mod documented;
mod folders;
mod fuzz;
mod imports;
mod rendering;
mod swapped;
mod writing;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gate_core::{PromptContent, Timestamp};

use crate::{Folders, Library, PromptSet, RenderFault};

/// 2026-11-21T03:49:21Z.
pub(crate) const NOW: Timestamp = Timestamp(1_795_232_961_000);

/// The folders of prompts of one test, which go with it.
pub(crate) struct TestFolders {
    _home: tempfile::TempDir,
    pub(crate) local: PathBuf,
    pub(crate) synced: PathBuf,
}

impl TestFolders {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let (local, synced) = (home.path().join("local"), home.path().join("synced"));
        std::fs::create_dir_all(&local).unwrap();
        Self { _home: home, local, synced }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let test = Self::new();
        put(&test.local, files);
        test
    }

    pub(crate) fn folders(&self) -> Folders {
        Folders { local: self.local.clone(), synced: Some(self.synced.clone()) }
    }

    pub(crate) fn open(&self) -> Library {
        Library::open(self.folders())
    }
}

pub(crate) fn put(folder: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn given(arguments: &[(&str, &str)]) -> BTreeMap<String, String> {
    arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The text of a prompt's only message.
pub(crate) fn text(set: &PromptSet, id: &str, arguments: &[(&str, &str)]) -> Result<String, RenderFault> {
    let rendered = set.render(id, &given(arguments), NOW)?;
    match &rendered.messages[0].content {
        PromptContent::Text { text } => Ok(text.clone()),
        PromptContent::Resource { .. } => panic!("{id} has a text"),
    }
}
