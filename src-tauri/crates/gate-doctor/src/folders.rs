//! The home's folders and private files: who may enter and read them, whether they can be written, and how
//! much room is left.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use gate_api::Finding;
use gate_link::Socket;
use gate_os::User;
use gate_os::files::{self, Rights};
use gate_store::{FileSystem, file_system, free_bytes};

use crate::environment::Environment;
use crate::finding::{Check, DISK, FILE_SYSTEM, HOME, Mending as _, SOCKET, TOKEN};
use crate::{shell, words};

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
            FileSystem::Local => FILE_SYSTEM.good(words::disk_local()),
            FileSystem::Network => FILE_SYSTEM.note(words::disk_network(folder)),
        });
    }
    findings.extend(other_folders(environment));
    findings.extend([Socket::Mcp, Socket::Control].map(|which| socket(environment, which)));
    // Of both that they aren't there yet is said once.
    findings.dedup();
    findings.extend(token(environment));
    findings
}

fn home(environment: &Environment, folder: &Path) -> Finding {
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return HOME.note(words::home_not_yet(folder)),
        Err(error) => return HOME.fault(words::cant_read(folder, error.to_string()), words::mend_other_home()),
    };
    if !found.is_dir() {
        let command = format!("mv {0} {0}.old", shell::word(folder, environment.user_folder()));
        return HOME.fault(words::no_folder(folder), words::mend_move_what_is_there()).command(command);
    }
    if let Some(open) = open_to_others(environment, HOME, folder, "700") {
        return open;
    }
    match trial(folder) {
        Ok(()) => HOME.good(words::as_it_is(folder)),
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
    let mut written = files::private().write(true).create_new(true).open(&file)?;
    let done = written.write_all(&[0; TRIAL_BYTES]).and_then(|()| written.sync_all());
    fs::remove_file(&file)?;
    done
}

fn unwritable(environment: &Environment, check: Check, folder: &Path, error: &io::Error) -> Finding {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            DISK.fault(words::disk_full(folder, error.to_string()), words::mend_free_space())
        }
        ErrorKind::ReadOnlyFilesystem => check.fault(words::disk_read_only(folder), words::mend_disk_writable()),
        _ => {
            let command = format!("chmod u+rwx {}", shell::word(folder, environment.user_folder()));
            let cause = words::cant_write(folder, error.to_string());
            check.fault(cause, words::mend_yours_and_writable()).command(command)
        }
    }
}

/// What is left on the disk of a folder.
fn space(free: Option<u64>, folder: &Path) -> Finding {
    let Some(free) = free else { return DISK.skipped(words::disk_unknown()) };
    let left = words::disk_left(free / 1_000_000, folder);
    match free {
        0..NO_BYTES => DISK.fault(left, words::mend_no_space()),
        NO_BYTES..FEW_BYTES => DISK.warning(left, words::mend_little_space()),
        _ => DISK.good(left),
    }
}

/// What is wrong with a file or folder that must be this user's alone.
fn open_to_others(environment: &Environment, check: Check, path: &Path, mode: &str) -> Option<Finding> {
    let word = shell::word(path, environment.user_folder());
    let Rights { owner, others } = Rights::of(path).ok()?;
    let ours = User::this();
    if owner != ours {
        let cause = words::of_another_user(path, owner.to_string(), ours.to_string());
        let command = match cfg!(windows) {
            true => format!("takeown /r /f {word}"),
            false => format!("sudo chown -R {ours} {word}"),
        };
        return Some(check.fault(cause, words::mend_yours()).command(command));
    }
    others.map(|rights| {
        let cause = match path.is_dir() {
            true => words::others_enter(path, rights),
            false => words::others_read(path, rights),
        };
        let command = match cfg!(windows) {
            true => format!("icacls {word} /inheritance:r /grant:r *{ours}:(OI)(CI)F"),
            false => format!("chmod {mode} {word}"),
        };
        check.fault(cause, words::mend_yours_alone()).command(command)
    })
}

/// A socket, and the folder that keeps others out of it.
fn socket(environment: &Environment, socket: Socket) -> Finding {
    let folder = environment.home.socket_folder(socket);
    let socket = environment.home.socket(socket);
    if folder != environment.home.data_folder()
        && let Some(open) = open_to_others(environment, SOCKET, folder, "700")
    {
        return open;
    }
    if cfg!(windows) {
        // A pipe has no file, and looking at it would connect to it.
        return SOCKET.good(words::as_it_is(socket));
    }
    match fs::symlink_metadata(socket) {
        Ok(_) if files::is_socket(socket) => SOCKET.good(words::as_it_is(socket)),
        Ok(_) => SOCKET
            .fault(words::socket_in_the_way(socket), words::mend_move())
            .command(format!("mv {0} {0}.old", shell::word(socket, environment.user_folder()))),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            SOCKET.good(words::socket_not_yet())
        }
        Err(error) => SOCKET.fault(words::cant_see(socket, error.to_string()), words::mend_socket_folder()),
    }
}

fn token(environment: &Environment) -> Option<Finding> {
    let file = environment.home.token_file();
    let shown = file.as_path();
    match fs::metadata(&file) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(TOKEN.note(words::first_start())),
        // That of its folder says it.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return None,
        Err(error) => return Some(TOKEN.fault(words::cant_see(shown, error.to_string()), words::mend_folder_yours())),
    }
    if let Some(open) = open_to_others(environment, TOKEN, &file, "600") {
        let readable = open
            .command
            .as_deref()
            .is_some_and(|command| !command.starts_with("sudo") && !command.starts_with("takeown"));
        return Some(match readable {
            true => open.mend(words::mend_token_read()).command("review-gate token rotate"),
            false => open,
        });
    }
    Some(match fs::read_to_string(&file) {
        Ok(text) if text.trim().len() >= TOKEN_CHARS => TOKEN.good(words::as_it_is(shown)),
        Ok(_) => TOKEN.warning(words::token_empty(shown), words::mend_token_empty()).command("review-gate stop"),
        Err(error) => TOKEN
            .fault(words::cant_read(shown, error.to_string()), words::mend_make_new())
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
