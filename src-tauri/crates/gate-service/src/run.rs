//! The program: what it is asked to do, its key, and the socket that the system hands it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gate_receipts::SigningKey;

use crate::client::Client;
use crate::install::{Root, install, status, uninstall};
use crate::polkit::Polkit;
use crate::witness::{Times, Witness, now};

const USAGE: &str = "\
review-gated: has approvals of Review Gate confirmed by polkit, and signs their receipts

  sudo review-gated install     copies this program to /usr/local/libexec, and writes its units, its user and
                                polkit's action; says each file
  sudo review-gated uninstall   takes these out again; the key stays
  review-gated status           says what of it is there, and whether it answers
  review-gated serve            what systemd starts: its standard input is the socket

  --into FOLDER                 with install and uninstall: below a folder, with nothing run
";
/// Where the key and what it remembers are, unless systemd says otherwise.
const STATE: &str = "/var/lib/review-gated";
/// Most threads that read receipts and files.
const THREADS: usize = 8;
/// Longest key, in bytes.
const KEY_BYTES: u64 = 1024;

/// Runs the program with its arguments.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let arguments: Vec<String> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = io::stdout().lock();
    let done = match words.as_slice() {
        ["serve"] => serve(),
        ["install"] => program().and_then(|program| install(&Root::System, &program, &mut out)),
        ["install", "--into", folder] => {
            program().and_then(|program| install(&Root::Folder(folder.into()), &program, &mut out))
        }
        ["uninstall"] => uninstall(&Root::System, &mut out),
        ["uninstall", "--into", folder] => uninstall(&Root::Folder(folder.into()), &mut out),
        ["status"] => status(&Root::System, &mut out).and_then(|()| answers(&mut out)),
        ["--help" | "-h" | "help"] => out.write_all(USAGE.as_bytes()),
        ["--version" | "-V"] => writeln!(out, "review-gated {}", env!("CARGO_PKG_VERSION")),
        _ => Err(io::Error::new(ErrorKind::InvalidInput, format!("it isn't called so\n\n{USAGE}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = if error.kind() == ErrorKind::InvalidInput { 2 } else { 1 };
            // There is nowhere else to say it.
            let _ = writeln!(io::stderr(), "review-gated: {error}");
            ExitCode::from(code)
        }
    }
}

fn program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

fn answers(out: &mut dyn Write) -> io::Result<()> {
    match runtime()?.block_on(Client::default().reachable(None)) {
        Ok(reached) => writeln!(out, "answers  with the key {}", reached.key.fingerprint()),
        Err(refused) => {
            writeln!(out, "silent   {refused}\n         {}", refused.mend())?;
            Err(io::Error::other("approvals can't be confirmed here"))
        }
    }
}

fn serve() -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        return Err(io::Error::other("it runs as a user of its own, not as root: systemd starts it so"));
    }
    let state = std::env::var_os("STATE_DIRECTORY").map_or_else(|| PathBuf::from(STATE), PathBuf::from);
    let key = key_in(&state)?;
    let listener = listener()?;
    runtime()?.block_on(async {
        let listener = tokio::net::UnixListener::from_std(listener)?;
        Witness::new(key, &state, Polkit, now, Times::default()).listen(listener).await
    })
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()
}

/// Standard input, as the socket that others connect to.
fn listener() -> io::Result<std::os::unix::net::UnixListener> {
    let no_socket = |why: &str| io::Error::other(format!("standard input has to be the socket to listen on: {why}"));
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    match rustix::net::sockopt::socket_acceptconn(&stdin) {
        Ok(true) => {}
        Ok(false) => return Err(no_socket("it doesn't listen")),
        Err(error) => return Err(no_socket(&error.to_string())),
    }
    if rustix::net::sockopt::socket_domain(&stdin)? != rustix::net::AddressFamily::UNIX {
        return Err(no_socket("it isn't local"));
    }
    let listener = std::os::unix::net::UnixListener::from(stdin);
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The key that is kept there; the first time it is made.
fn key_in(folder: &Path) -> io::Result<SigningKey> {
    let path = folder.join("key");
    let bad = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    match File::open(&path) {
        Ok(file) => {
            let meta = file.metadata()?;
            if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
                return Err(bad(&"the key has to be this user's, and nobody else's to read"));
            }
            let mut kept = Vec::new();
            file.take(KEY_BYTES).read_to_end(&mut kept)?;
            SigningKey::from_pkcs8(&kept).map_err(|error| bad(&error))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made = SigningKey::generate().map_err(|error| bad(&error))?;
            // Whole or not at all: half a key would stop every start after this one.
            let fresh = folder.join("key.new");
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true).mode(0o600);
            let mut file = options.open(&fresh).map_err(|error| bad(&error))?;
            file.write_all(&made).and_then(|()| file.sync_all()).map_err(|error| bad(&error))?;
            fs::rename(&fresh, &path).and_then(|()| File::open(folder)?.sync_all()).map_err(|error| bad(&error))?;
            SigningKey::from_pkcs8(&made).map_err(|error| bad(&error))
        }
        Err(error) => Err(bad(&error)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_key_is_made_once_and_nobody_elses_to_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = key_in(folder.path()).expect("it is made");
        let second = key_in(folder.path()).expect("it is read");
        assert_eq!(first.public(), second.public(), "it stays the same");
        let path = folder.path().join("key");
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
        assert!(key_in(folder.path()).is_err(), "a key that others could have read isn't used");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        fs::write(&path, "no key").expect("it is ours");
        assert!(key_in(folder.path()).is_err(), "and none is made in the place of a broken one");
    }
}
