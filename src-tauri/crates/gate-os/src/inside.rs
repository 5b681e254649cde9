//! Writing below a folder that others work in, through no link: whoever puts one in the way gets nothing written elsewhere.

use std::io;
use std::path::Path;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// A file below a folder.
#[derive(Debug, Clone, Copy)]
pub struct Inside<'a> {
    /// The folder, by its real path.
    pub folder: &'a Path,
    /// The file's path below it, with `/` between folders.
    pub path: &'a str,
    /// So many of these folders have to be there; those after them are made.
    pub there: usize,
    /// A name that nothing beside the file has: under it the file is written before it gets its own.
    pub draft: &'a str,
}

impl Inside<'_> {
    /// Puts these bytes in the file's place, whole or not at all. False, and nothing is written, where a folder that has to be
    /// there isn't, or where what has a name on the way is no folder, or no file at its end; a link is neither. On Windows
    /// whoever replaces a folder by a link at that very moment may still be followed.
    ///
    /// # Errors
    /// The system's.
    pub fn replace(&self, bytes: &[u8]) -> io::Result<bool> {
        let is_real = crate::files::real_path(self.folder).is_ok_and(|real| real == self.folder);
        if is_real { system::replace(self, bytes) } else { Ok(false) }
    }

    /// The folders on the way, and the file's name.
    fn parts(&self) -> (impl Iterator<Item = &str>, &str) {
        let (folders, name) = self.path.rsplit_once('/').unwrap_or(("", self.path));
        (folders.split('/').filter(|part| !part.is_empty()), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const PATH: &str = ".claude/reviews/logs/owner/repo-42.json";

    fn write(folder: &Path, text: &str) -> io::Result<bool> {
        Inside { folder, path: PATH, there: 2, draft: ".draft" }.replace(text.as_bytes())
    }

    #[test]
    fn the_file_is_written_only_where_its_folder_is_there() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = crate::files::real_path(folder.path())?;
        assert!(!write(&folder, "1")?, "the first two folders have to be there");
        assert!(!folder.join(".claude").exists(), "and aren't made");
        fs::create_dir_all(folder.join(".claude/reviews"))?;
        assert!(write(&folder, "1")? && write(&folder, "2")?);
        assert_eq!(fs::read_to_string(folder.join(PATH))?, "2");
        assert_eq!(fs::read_dir(folder.join(".claude/reviews/logs/owner"))?.count(), 1, "nothing is left beside it");
        fs::remove_file(folder.join(PATH))?;
        fs::create_dir(folder.join(PATH))?;
        assert!(!write(&folder, "3")?, "a folder of its name stays");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_on_the_way_is_not_followed() -> io::Result<()> {
        for link in [".claude", ".claude/reviews", ".claude/reviews/logs", ".claude/reviews/logs/owner", PATH] {
            let (folder, other) = (tempfile::tempdir()?, tempfile::tempdir()?);
            let [folder, other] = [folder.path(), other.path()].map(crate::files::real_path);
            let (folder, other) = (folder?, other?);
            fs::create_dir_all(other.join("reviews/logs/owner"))?;
            fs::write(other.join("file"), "theirs")?;
            let at = folder.join(link);
            if let Some(above) = at.parent() {
                fs::create_dir_all(above)?;
            }
            let target = if link == PATH { other.join("file") } else { other.clone() };
            std::os::unix::fs::symlink(target, &at)?;
            assert!(!write(&folder, "1")?, "{link} is a link");
            assert_eq!(fs::read_to_string(other.join("file"))?, "theirs", "{link}");
            let left =
                ["repo-42.json", "owner/repo-42.json", "logs/owner/repo-42.json", "reviews/logs/owner/repo-42.json"];
            assert!(left.iter().all(|left| !other.join(left).exists()), "{link}: nothing is written behind it");
        }
        Ok(())
    }
}
