//! Whether files are those that they were.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// Of the files' names and contents, in their order. Good for comparing on one machine, with one build of xtask.
pub(crate) fn digest(files: &[PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        let bytes = std::fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
        file.hash(&mut hasher);
        bytes.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_and_another_name_are_seen() {
        let folder = std::env::temp_dir().join(format!("xtask-digest-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        let (one, two) = (folder.join("one"), folder.join("two"));
        std::fs::write(&one, "a").expect("a file");
        std::fs::write(&two, "a").expect("a file");
        let of = |file: &PathBuf| digest(std::slice::from_ref(file)).expect("it can be read");
        let before = of(&one);
        assert_eq!(before, of(&one), "the same file is the same");
        assert_ne!(before, of(&two), "another name may be another module");
        std::fs::write(&one, "b").expect("a file");
        assert_ne!(before, of(&one), "a changed byte has to be checked");
        std::fs::remove_dir_all(&folder).expect("the test's folder goes");
    }
}
