//! Private copies of what people attached, for agents that read files and not resources. Each stands in a folder of its
//! session, and is gone with that.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gate_core::{Attachment, SessionUuid};
use gate_os::files;

use super::Conversations;

/// What a copy is called whose attachment has no name that a file could have.
const NAMELESS: &str = "attachment";

impl Conversations {
    /// A copy of an attachment, made where there is none yet. Absent where it can't be written, which the log says.
    pub(crate) async fn copy_for(
        &self,
        session: SessionUuid,
        attachment: Attachment,
        bytes: Vec<u8>,
    ) -> Option<PathBuf> {
        let folder = self.folders.copies.join(session.to_string()).join(attachment.attachment_id.to_string());
        let made = tokio::task::spawn_blocking(move || copy(&folder, &attachment.name, &bytes)).await;
        made.map_err(io::Error::other)
            .flatten()
            .inspect_err(|error| tracing::warn!(%error, "a copy can't be made"))
            .ok()
    }

    /// Deletes the copies of sessions that are over.
    pub(crate) fn drop_copies(&self, sessions: &[SessionUuid]) {
        let folders: Vec<_> = sessions.iter().map(|session| self.folders.copies.join(session.to_string())).collect();
        drop(tokio::task::spawn_blocking(move || folders.iter().for_each(|folder| remove(folder))));
    }

    /// Deletes the copies of all sessions but those that are active: a gate that broke down leaves some.
    pub(super) fn drop_copies_of_others(&self) {
        let active: Vec<_> = self.sessions.all().iter().map(|session| session.session_uuid.to_string()).collect();
        let all = self.folders.copies.clone();
        drop(tokio::task::spawn_blocking(move || {
            for entry in fs::read_dir(all).into_iter().flatten().flatten() {
                if !active.iter().any(|session| entry.file_name() == session.as_str()) {
                    remove(&entry.path());
                }
            }
        }));
    }
}

/// Written whole under another name first: an agent must not read half of it.
fn copy(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = Path::new(name).file_name().filter(|file| *file == name).unwrap_or(NAMELESS.as_ref());
    let (path, half) = (folder.join(name), folder.with_extension("half"));
    if path.is_file() {
        return Ok(path);
    }
    files::create_folder(folder)?;
    let mut file = files::private().write(true).create(true).truncate(true).open(&half)?;
    file.write_all(bytes)?;
    fs::rename(&half, &path)?;
    Ok(path)
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "the copies of a session can't be deleted");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_copy_is_private_whole_and_below_its_folder_whatever_it_is_called() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        for (name, called) in [
            ("plan.txt", "plan.txt"),
            ("计划 2.md", "计划 2.md"),
            ("../../.bashrc", NAMELESS),
            ("/etc/passwd", NAMELESS),
            ("..", NAMELESS),
            ("", NAMELESS),
        ] {
            let folder = home.path().join("copies").join(name.len().to_string());
            let path = copy(&folder, name, b"bytes")?;
            assert_eq!(path, folder.join(called), "{name}");
            assert_eq!(fs::read(&path)?, b"bytes");
            assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o600, "{name}: nobody else reads it");
            assert_eq!(fs::metadata(&folder)?.permissions().mode() & 0o777, 0o700, "{name}");
            assert_eq!(copy(&folder, name, b"bytes")?, path, "asked for again, it is the same");
        }
        Ok(())
    }
}
