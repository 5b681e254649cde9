//! Reading and writing clients' files: whole, bounded, atomically, through links, with their mode kept.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use sha2::{Digest as _, Sha256};

/// The bytes of a file; absent where there is none.
///
/// # Errors
/// A fault that names the file where it is no file, too large, or can't be read.
pub(crate) fn read(path: &Path, bound: usize) -> Result<Option<Vec<u8>>, Fault> {
    let Some(target) = resolved(path)? else { return Ok(None) };
    let found = fs::metadata(&target).map_err(|error| failed("read", path, &error))?;
    if !found.is_file() {
        let what = if found.is_dir() { "a folder" } else { "no ordinary file" };
        return Err(refused(path, &format!("is {what}"), "Move it away; the client expects a file there."));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&target).map_err(|error| failed("read", path, &error))?;
    file.take(bound as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed("read", path, &error))?;
    if bytes.len() > bound {
        return Err(Fault::new(
            Code::TooLarge,
            format!("{} is larger than {bound} bytes.", path.display()),
            "Make it smaller, or add the entry by hand as the README shows.",
        ));
    }
    Ok(Some(bytes))
}

/// The bytes as text.
pub(crate) fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        refused(path, &format!("is no UTF-8 text in line {line}"), "Save it as UTF-8, then try again.")
    })
}

/// Puts `after` in the place of `before`, which has to be there still. No `after` deletes the file.
pub(crate) fn replace(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>, bound: usize) -> Result<(), Fault> {
    if read(path, bound)?.as_deref() != before {
        return Err(refused(path, "was changed by another program at this moment", "Try again."));
    }
    let target = resolved(path)?.unwrap_or_else(|| path.to_owned());
    let Some(after) = after else {
        return match fs::remove_file(&target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("delete", path, &error)),
            _ => Ok(()),
        };
    };
    let mode = match fs::metadata(&target) {
        Ok(found) if found.permissions().readonly() => {
            return Err(Fault::new(
                Code::ReadOnly,
                format!("{} is read-only.", path.display()),
                "Allow writing it (`chmod u+w`), then try again.",
            ));
        }
        Ok(found) => Some(found.permissions()),
        Err(_) => None,
    };
    write(&target, after, mode).map_err(|error| failed("write", path, &error))
}

fn write(target: &Path, bytes: &[u8], mode: Option<fs::Permissions>) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".review-gate-");
    // A new file is as readable as the user's other files: the system takes away what they don't want.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// Makes the folder with those above it. What had to be made, the outermost first.
pub(crate) fn make_folders(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.exists()).collect();
    fs::create_dir_all(folder).map_err(|error| failed("make the folder of", folder, &error))?;
    Ok(missing.into_iter().rev().map(Path::to_owned).collect())
}

/// What a link leads to; absent where there is nothing.
fn resolved(path: &Path) -> Result<Option<PathBuf>, Fault> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => match fs::canonicalize(path) {
            Ok(target) => Ok(Some(target)),
            Err(_) => Err(refused(path, "is a link that leads nowhere", "Mend or delete the link, then try again.")),
        },
        Ok(_) => Ok(Some(path.to_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(failed("read", path, &error)),
    }
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that is left as it is.
pub(crate) fn refused(path: &Path, what: &str, mend: &str) -> Fault {
    Fault::new(Code::ClientFile, format!("{} {what}; it was left as it is.", path.display()), mend)
}

/// What the system refused.
pub(crate) fn failed(action: &str, path: &Path, error: &io::Error) -> Fault {
    let (code, mend) = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            (Code::ReadOnly, "Give yourself the right to it, then try again.")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (Code::DiskFull, "Make room, then try again."),
        io::ErrorKind::NotADirectory => (Code::ClientFile, "A file stands where a folder should be: move it away."),
        _ => (Code::UnreadableFile, "Look at the file and its folder, then try again."),
    };
    Fault::new(code, format!("Can't {action} {}: {error}.", path.display()), mend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "{}").unwrap();
        let outcome = replace(&file, Some(b"{ }"), Some(b"[]"), 100);
        assert_eq!(outcome.map_err(|fault| fault.code), Err(Code::ClientFile), "somebody else wrote it");
        assert_eq!(fs::read(&file).unwrap(), b"{}", "and it is as they left it");
    }

    #[test]
    fn the_bound_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5), Ok(Some(b"12345".to_vec())), "as long as it may be");
        assert_eq!(read(&file, 4).map_err(|fault| fault.code), Err(Code::TooLarge), "a byte longer");
    }
}
