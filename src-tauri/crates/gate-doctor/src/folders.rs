//! The home's folders and private files: who may enter and read them, whether they can be written, and how
//! much room is left.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use gate_api::Finding;
use gate_store::{FileSystem, file_system, free_bytes};

use crate::environment::Environment;
use crate::finding::{Check, DISK, FILE_SYSTEM, HOME, Mending as _, SOCKET, TOKEN};
use crate::shell;

/// Below this, in bytes, little can be stored: a reply's attachment may be as large.
const FEW_BYTES: u64 = 50 * 1024 * 1024;
/// Below this, in bytes, next to nothing can be stored.
const NO_BYTES: u64 = 1024 * 1024;
/// What is written to see whether it can be, in bytes: the least that a database grows by.
const TRIAL_BYTES: usize = 4096;
/// A token file with less than this holds no token.
const TOKEN_CHARS: usize = 32;

pub(crate) fn check(environment: &Environment) -> Vec<Finding> {
    let folder = environment.home.data_folder();
    let mut findings = vec![home(environment, folder)];
    if folder.is_dir() {
        findings.push(space(free_bytes(folder), folder));
        findings.push(match file_system(folder) {
            FileSystem::Local => FILE_SYSTEM.good("A local one."),
            FileSystem::Network => FILE_SYSTEM.note(format!(
                "{} is on a network: the database is kept with a rollback journal there, which is slower.",
                folder.display()
            )),
        });
    }
    findings.extend(other_folders(environment));
    findings.push(socket(environment));
    findings.extend(token(environment));
    findings
}

fn home(environment: &Environment, folder: &Path) -> Finding {
    let shown = folder.display();
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return HOME.note(format!("{shown} is made when the gate first starts."));
        }
        Err(error) => {
            return HOME.fault(format!("{shown} can't be read: {error}."), "Set REVIEW_GATE_HOME to another folder.");
        }
    };
    if !found.is_dir() {
        let command = format!("mv {0} {0}.old", shell::word(folder, environment.user_folder()));
        return HOME.fault(format!("{shown} is no folder."), "Move what is there elsewhere.").command(command);
    }
    if let Some(open) = open_to_others(environment, HOME, folder, &found, "700") {
        return open;
    }
    match trial(folder) {
        Ok(()) => HOME.good(shown.to_string()),
        Err(error) => unwritable(environment, HOME, folder, &error),
    }
}

/// The folders of settings and logs, where they are not the same: only what is wrong with them.
fn other_folders(environment: &Environment) -> Vec<Finding> {
    let home = &environment.home;
    let config = home.config_file();
    let folders = [config.parent().unwrap_or(&config), home.logs_folder()];
    let others = folders.into_iter().filter(|folder| *folder != home.data_folder() && folder.is_dir());
    let failed = others.filter_map(|folder| Some((folder, trial(folder).err()?)));
    failed.map(|(folder, error)| unwritable(environment, HOME, folder, &error)).collect()
}

/// Writes a little to a file that is gone again, as every other way to find out is wrong about some disk.
fn trial(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".doctor-{}", std::process::id()));
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    let done = written.write_all(&[0; TRIAL_BYTES]).and_then(|()| written.sync_all());
    fs::remove_file(&file)?;
    done
}

fn unwritable(environment: &Environment, check: Check, folder: &Path, error: &io::Error) -> Finding {
    let shown = folder.display();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            DISK.fault(format!("Nothing more can be stored in {shown}: {error}."), "Free some space on that disk.")
        }
        ErrorKind::ReadOnlyFilesystem => check.fault(
            format!("{shown} is on a disk that can't be written."),
            "Make that disk writable, or set REVIEW_GATE_HOME to another folder.",
        ),
        _ => {
            let command = format!("chmod u+rwx {}", shell::word(folder, environment.user_folder()));
            check.fault(format!("{shown} can't be written: {error}."), "Make it yours and writable.").command(command)
        }
    }
}

/// What is left on the disk of a folder.
fn space(free: Option<u64>, folder: &Path) -> Finding {
    let Some(free) = free else { return DISK.skipped("The system doesn't tell how much is left.") };
    let left = format!("{} MB are left for {}.", free / 1_000_000, folder.display());
    match free {
        0..NO_BYTES => DISK.fault(left, "Free some space on that disk: nothing can be stored."),
        NO_BYTES..FEW_BYTES => DISK.warning(left, "Free some space on that disk before it is full."),
        _ => DISK.good(left),
    }
}

/// What is wrong with a file or folder that must be this user's alone.
fn open_to_others(
    environment: &Environment,
    check: Check,
    path: &Path,
    found: &Metadata,
    mode: &str,
) -> Option<Finding> {
    let (shown, word) = (path.display(), shell::word(path, environment.user_folder()));
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours {
        let cause = format!("{shown} belongs to user {}, and you are user {ours}.", found.uid());
        let command = format!("sudo chown -R {ours} {word}");
        return Some(check.fault(cause, "Make it yours.").command(command));
    }
    let rights = found.mode() & 0o7777;
    (rights & 0o077 != 0).then(|| {
        let what = if found.is_dir() { "enter" } else { "read" };
        let cause = format!("Other users of this machine may {what} {shown}: its mode is {rights:04o}.");
        check.fault(cause, "Make it yours alone.").command(format!("chmod {mode} {word}"))
    })
}

/// The socket, and the folder that keeps others out of it.
fn socket(environment: &Environment) -> Finding {
    let socket = environment.home.socket();
    let shown = socket.display();
    let folder = socket.parent().unwrap_or(socket);
    if folder != environment.home.data_folder()
        && let Ok(found) = fs::metadata(folder)
        && let Some(open) = open_to_others(environment, SOCKET, folder, &found, "700")
    {
        return open;
    }
    match fs::symlink_metadata(socket) {
        Ok(found) if found.file_type().is_socket() => SOCKET.good(shown.to_string()),
        Ok(_) => SOCKET
            .fault(format!("{shown} is in the way of the local socket: it is none."), "Move it elsewhere.")
            .command(format!("mv {0} {0}.old", shell::word(socket, environment.user_folder()))),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            SOCKET.good("It is made when the gate starts.")
        }
        Err(error) => SOCKET.fault(
            format!("{shown} can't be looked at: {error}."),
            "Make its folder yours and writable, or set REVIEW_GATE_HOME to another one.",
        ),
    }
}

fn token(environment: &Environment) -> Option<Finding> {
    let file = environment.home.token_file();
    let shown = file.display();
    let found = match fs::metadata(&file) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Some(TOKEN.note("It is made when the gate first starts."));
        }
        // That of its folder says it.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return None,
        Err(error) => {
            return Some(TOKEN.fault(format!("{shown} can't be looked at: {error}."), "Make its folder yours."));
        }
    };
    if let Some(open) = open_to_others(environment, TOKEN, &file, &found, "600") {
        let mend = "Others may have read it: make a new one, and tell it to clients over HTTP.";
        let readable = open.command.as_deref().is_some_and(|command| command.starts_with("chmod"));
        return Some(if readable { open.mend(mend).command("review-gate token rotate") } else { open });
    }
    Some(match fs::read_to_string(&file) {
        Ok(text) if text.trim().len() >= TOKEN_CHARS => TOKEN.good(shown.to_string()),
        Ok(_) => TOKEN
            .warning(format!("{shown} holds no token."), "Start the gate again: it makes a new one.")
            .command("review-gate stop"),
        Err(error) => TOKEN
            .fault(format!("{shown} can't be read: {error}."), "Make a new one.")
            .command("review-gate token rotate"),
    })
}

#[cfg(test)]
mod tests {
    use gate_api::Level;

    use super::*;

    #[test]
    fn the_bounds_of_room_on_the_disk_are_exact() {
        for (free, level) in [
            (Some(0), Level::Fault),
            (Some(NO_BYTES - 1), Level::Fault),
            (Some(NO_BYTES), Level::Warning),
            (Some(FEW_BYTES - 1), Level::Warning),
            (Some(FEW_BYTES), Level::Good),
            (None, Level::Skipped),
        ] {
            assert_eq!(space(free, Path::new("/srv/x")).level, level, "{free:?} bytes");
        }
    }

    #[test]
    fn a_trial_leaves_nothing_behind() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        trial(folder.path())?;
        assert_eq!(fs::read_dir(folder.path())?.count(), 0, "doctor looks and changes nothing");
        Ok(())
    }
}
