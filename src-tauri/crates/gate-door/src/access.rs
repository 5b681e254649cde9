//! Who may come in over HTTP: the person's own token, in a file that only they can read, and tokens
//! of single clients, which can be revoked one by one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_core::{Code, Digest, Fault};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use tokio::sync::watch;

use crate::browsers::Browsers;
use crate::secrets::{Digested, from_hex, to_hex, write_private};

/// What every token begins with, so that people and scanners know one when they see it.
const PREFIX: &str = "rg_";
/// Random bytes of a token.
const RANDOM_BYTES: usize = 32;
/// A token file with less than this was not written by us.
const LEAST_CHARS: usize = 32;

/// Who a token belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bearer {
    /// Whoever can read the person's token file.
    Person,
    /// The client of this name.
    Client(String),
}

/// The tokens that are good.
#[derive(Debug)]
pub struct Access {
    file: PathBuf,
    person: RwLock<Digested>,
    state_key: [u8; 32],
    clients: RwLock<Vec<(String, Digested)>>,
    /// Who may show the gate's page. No token opens that, and no key of theirs opens MCP.
    pub browsers: Browsers,
    changed: watch::Sender<()>,
}

impl Access {
    /// Reads the token file, or makes it.
    ///
    /// # Errors
    /// When it can be neither read nor written.
    pub fn open(file: &Path) -> Result<Self, Fault> {
        let token = match std::fs::read_to_string(file) {
            Ok(token) if token.trim().len() >= LEAST_CHARS => {
                gate_os::files::make_private_file(file).map_err(|error| unusable(file, &error))?;
                token.trim().to_owned()
            }
            Ok(_) => write_new(file)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => write_new(file)?,
            Err(error) => return Err(unusable(file, &error)),
        };
        let mut key = Sha256::new_with_prefix(b"review-gate request state\0");
        key.update(&token);
        Ok(Self {
            file: file.to_owned(),
            person: RwLock::new(digest(&token)),
            state_key: key.finalize().into(),
            clients: RwLock::default(),
            browsers: Browsers::open(file.with_file_name("browsers")),
            changed: watch::Sender::default(),
        })
    }

    /// The clients' tokens from now on: names, and digests in hexadecimal.
    pub fn set_clients(&self, clients: impl Iterator<Item = (String, String)>) {
        let read = clients.filter_map(|(name, sha256)| Some((name, from_hex(&sha256)?)));
        *self.clients.write().unwrap_or_else(PoisonError::into_inner) = read.collect();
        self.changed.send_replace(());
    }

    /// Replaces the person's token; the old one is worthless at once.
    ///
    /// # Errors
    /// When the file can't be written; the old token stays good then.
    pub fn rotate(&self) -> Result<String, Fault> {
        let token = write_new(&self.file)?;
        *self.person.write().unwrap_or_else(PoisonError::into_inner) = digest(&token);
        self.changed.send_replace(());
        Ok(token)
    }

    /// Whose token this is. Takes as long for a wrong one as for a right one.
    pub fn bearer(&self, token: &str) -> Option<Bearer> {
        let given = digest(token);
        let clients = self.clients.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = 0_u64;
        for (number, (_, good)) in (1..).zip(clients.iter()) {
            found.conditional_assign(&number, good.ct_eq(&given));
        }
        let person: Choice = self.person.read().unwrap_or_else(PoisonError::into_inner).ct_eq(&given);
        if bool::from(person) {
            return Some(Bearer::Person);
        }
        let at = usize::try_from(found).ok()?.checked_sub(1)?;
        clients.get(at).map(|(name, _)| Bearer::Client(name.clone()))
    }

    /// Signs every browser out. Blocks on the disk.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn sign_out(&self) -> Result<(), Fault> {
        let done = self.browsers.sign_out();
        self.changed.send_replace(());
        done
    }

    /// Signs the browser of this name out. Blocks on the disk.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn sign_one_out(&self, browser: &Digest) -> Result<(), Fault> {
        let done = self.browsers.sign_one_out(browser);
        self.changed.send_replace(());
        done
    }

    /// Hears whenever a token or a sign-in may have become worthless.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The key for what clients keep for the gate; the same after a restart.
    pub fn state_key(&self) -> [u8; 32] {
        self.state_key
    }
}

/// A new token, and the SHA-256 to keep of it, in hexadecimal.
///
/// # Errors
/// When the system has no randomness to give.
pub fn new_token() -> Result<(String, String), Fault> {
    let mut random = [0_u8; RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(|error| Fault::internal(format!("No randomness: {error}.")))?;
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
    let sha256 = to_hex(&digest(&token));
    Ok((token, sha256))
}

fn write_new(file: &Path) -> Result<String, Fault> {
    let (token, _) = new_token()?;
    write_private(file, format!("{token}\n").as_bytes()).map_err(|error| unusable(file, &error))?;
    Ok(token)
}

fn digest(token: &str) -> Digested {
    Sha256::digest(token.as_bytes()).into()
}

fn unusable(file: &Path, error: &io::Error) -> Fault {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::DiskFull } else { Code::ReadOnly };
    let message = format!("The token file {} can't be used: {error}.", file.display());
    Fault::new(code, message, "Give the folder back to your user, or set REVIEW_GATE_HOME to another one.")
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn the_token_is_private_stays_and_can_be_replaced() -> Outcome {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("token");
        let access = Access::open(&file)?;
        let token = std::fs::read_to_string(&file)?.trim().to_owned();
        assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600, "nobody else reads it");
        assert_eq!(access.bearer(&token), Some(Bearer::Person));

        std::fs::set_permissions(&file, Permissions::from_mode(0o644))?;
        let again = Access::open(&file)?;
        assert_eq!(again.bearer(&token), Some(Bearer::Person), "it is the same after a restart");
        assert_eq!(again.state_key(), access.state_key());
        assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600, "and private again");

        let new = again.rotate()?;
        assert_eq!((again.bearer(&token), again.bearer(&new)), (None, Some(Bearer::Person)));
        assert_eq!(std::fs::read_to_string(&file)?.trim(), new);
        Ok(())
    }

    #[test]
    fn an_empty_token_file_lets_nobody_in() -> Outcome {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("token");
        std::fs::write(&file, "\n")?;
        let access = Access::open(&file)?;
        assert_eq!(access.bearer(""), None, "no token is no token");
        assert!(std::fs::read_to_string(&file)?.len() > LEAST_CHARS, "a real one took its place");
        Ok(())
    }

    #[test]
    fn clients_are_told_apart_and_shut_out() -> Outcome {
        let folder = tempfile::tempdir()?;
        let access = Access::open(&folder.path().join("token"))?;
        let (one, other) = (new_token()?, new_token()?);
        let changes = access.changes();
        access.set_clients([("one".to_owned(), one.1), ("other".to_owned(), other.1.clone())].into_iter());
        assert!(changes.has_changed()?, "open connections hear of it");
        assert_eq!(access.bearer(&one.0), Some(Bearer::Client("one".to_owned())));
        assert_eq!(access.bearer(&other.0), Some(Bearer::Client("other".to_owned())));
        access.set_clients([("other".to_owned(), other.1)].into_iter());
        assert_eq!(access.bearer(&one.0), None, "a revoked one");
        Ok(())
    }
}
