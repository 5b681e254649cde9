//! Browsers that may show the gate's page: links that sign one in, once, and the public keys that they signed in with.
//! Knows no HTTP, and of codes it keeps digests only; what is signed with a key others look at.

mod called;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_api::Origin;
use gate_api::subjects::connections::SignedInBrowser;
use gate_core::{Code, Digest, Fault, Timestamp, bounds};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio_util::sync::CancellationToken;

use called::Called;

use crate::secrets::{Digested, random, write_private};

/// Random bytes of a link's code: 192 bits.
const CODE_BYTES: usize = 24;
/// How old what is noted of a browser's use may be, in milliseconds.
const NOTED_MILLIS: u64 = 60 * 60 * 1000;
/// Largest file of signed-in browsers that is read.
const FILE_BYTES: u64 = 256 * 1024;

/// Who asked for the link that a browser was signed in with. What it answers counts as theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkedBy {
    /// A person.
    Person,
    /// A process without a terminal.
    Script,
}

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    name: Digest,
    linked_by: LinkedBy,
}

impl Pass {
    /// What names this browser: the digest of its public key.
    pub fn name(&self) -> Digest {
        self.name
    }

    /// Where commands of this browser come from.
    pub fn origin(&self) -> Origin {
        match self.linked_by {
            LinkedBy::Person => Origin::Browser,
            LinkedBy::Script => Origin::Script,
        }
    }
}

/// Where a browser finds the gate. What it signs in one place is nothing in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The host and port that the browser calls the gate by; a forwarded port is another than the gate's.
    pub host: &'a str,
    /// The gate's own port. Who has it while the gate has another one is the page's origin to the browser, and could
    /// have its key sign.
    pub port: u16,
}

/// Why a link's code signs nobody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No link had it, or it was forgotten.
    Unknown,
    /// It has signed a browser in before.
    Used,
    /// It is too old.
    Expired,
}

/// The links and the browsers.
#[derive(Debug)]
pub struct Browsers {
    file: PathBuf,
    links: Mutex<VecDeque<Link>>,
    signed_in: Mutex<Vec<SignedIn>>,
    /// Held while the file changes, so that it never says less than what came before.
    writing: Mutex<()>,
    pages: Mutex<VecDeque<Page>>,
    next_page: AtomicU64,
}

#[derive(Debug)]
struct Link {
    code: Digested,
    until: Timestamp,
    linked_by: LinkedBy,
    used: bool,
}

/// A browser as it stands in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SignedIn {
    /// Its public key, a point on P-256 as WebCrypto exports it, in base64url.
    key: String,
    /// [`Place::host`], in lower case.
    host: String,
    /// [`Place::port`].
    port: u16,
    until: Timestamp,
    /// When it is over unless the browser is used before.
    unused_until: Timestamp,
    linked_by: LinkedBy,
    /// What it calls itself.
    #[serde(default)]
    called: Called,
}

impl SignedIn {
    fn point(&self) -> Vec<u8> {
        // What is no base64 is the key of nobody.
        URL_SAFE_NO_PAD.decode(&self.key).unwrap_or_default()
    }

    fn name(&self) -> Digest {
        Digest::of_bytes(&self.point())
    }

    fn is_good(&self, now: Timestamp) -> bool {
        self.until > now && self.unused_until > now
    }

    /// As the person is told of it; `open` says whether a page of it listens.
    fn told(&self, open: bool) -> SignedInBrowser {
        SignedInBrowser {
            browser: self.name(),
            name: self.called.name.clone(),
            system: self.called.system.clone(),
            address: self.host.clone(),
            signed_in_at: before(self.until, bounds::BROWSER_MILLIS),
            used_at: before(self.unused_until, bounds::BROWSER_UNUSED_MILLIS),
            by_script: self.linked_by == LinkedBy::Script,
            open,
            here: false,
        }
    }

    fn is_at(&self, place: Place<'_>) -> bool {
        self.port == place.port && self.host.eq_ignore_ascii_case(place.host)
    }
}

/// A page that listens.
#[derive(Debug)]
struct Page {
    number: u64,
    browser: Digest,
    replaced: CancellationToken,
}

impl Browsers {
    /// Reads who is signed in. A file that can't be read signs everybody out, and stops nothing.
    pub fn open(file: PathBuf) -> Self {
        let signed_in = read(&file).unwrap_or_else(|error| {
            tracing::warn!(%error, "who is signed in can't be read; browsers need a new link");
            Vec::new()
        });
        Self {
            file,
            links: Mutex::default(),
            signed_in: Mutex::new(signed_in),
            writing: Mutex::default(),
            pages: Mutex::default(),
            next_page: AtomicU64::new(0),
        }
    }

    /// A new link's code, and until when it may be used.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn new_link(&self, linked_by: LinkedBy, now: Timestamp) -> Result<(String, Timestamp), Fault> {
        let code = random::<CODE_BYTES>()?;
        let until = now.plus_millis(bounds::LINK_MILLIS);
        let mut links = lock(&self.links);
        if links.len() == bounds::LINKS {
            links.pop_front();
        }
        links.push_back(Link { code: digest(&code), until, linked_by, used: false });
        Ok((code, until))
    }

    /// Signs in with a link's code the browser that has this public key, in this place; `agent` is what it says of itself
    /// (`User-Agent`), of which only names that are known are kept. The code is spent with that, whatever happens to the
    /// rest. Blocks on the disk.
    ///
    /// # Errors
    /// When who is signed in can't be written.
    pub fn sign_in(
        &self,
        code: &str,
        key: &[u8],
        place: Place<'_>,
        agent: &str,
        now: Timestamp,
    ) -> Result<Result<Pass, Refused>, Fault> {
        let linked_by = match self.spend(code, now) {
            Ok(linked_by) => linked_by,
            Err(refused) => return Ok(Err(refused)),
        };
        let entry = SignedIn {
            key: URL_SAFE_NO_PAD.encode(key),
            host: place.host.to_ascii_lowercase(),
            port: place.port,
            until: now.plus_millis(bounds::BROWSER_MILLIS),
            unused_until: now.plus_millis(bounds::BROWSER_UNUSED_MILLIS),
            linked_by,
            called: Called::of(agent),
        };
        let pass = Pass { name: entry.name(), linked_by };
        self.change(|all| {
            all.retain(|each| each.is_good(now) && each.key != entry.key);
            if all.len() >= bounds::BROWSERS {
                all.remove(0);
            }
            all.push(entry);
        })?;
        Ok(Ok(pass))
    }

    fn spend(&self, code: &str, now: Timestamp) -> Result<LinkedBy, Refused> {
        let given = digest(code);
        let mut links = lock(&self.links);
        let link = links.iter_mut().find(|link| bool::from(link.code.ct_eq(&given))).ok_or(Refused::Unknown)?;
        if link.used {
            return Err(Refused::Used);
        }
        if link.until <= now {
            return Err(Refused::Expired);
        }
        link.used = true;
        Ok(link.linked_by)
    }

    /// The browser of this name in this place, and its public key. Whoever asks in its name has to show that the key is
    /// theirs.
    pub fn find(&self, name: &Digest, place: Place<'_>, now: Timestamp) -> Option<(Pass, Vec<u8>)> {
        let found = self.entry(name, now).filter(|found| found.is_at(place))?;
        Some((Pass { name: *name, linked_by: found.linked_by }, found.point()))
    }

    /// Whether a browser is still signed in.
    pub fn is_good(&self, pass: &Pass, now: Timestamp) -> bool {
        self.entry(&pass.name, now).is_some()
    }

    /// Whether that this browser is used is noted already, to the hour.
    pub fn is_noted(&self, pass: &Pass, now: Timestamp) -> bool {
        let noted = self.entry(&pass.name, now).map(|found| found.unused_until);
        noted.is_some_and(|end| end > now.plus_millis(bounds::BROWSER_UNUSED_MILLIS - NOTED_MILLIS))
    }

    /// Notes that a browser is used: it stays signed in. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written; the browser is signed out earlier then.
    pub fn note_use(&self, pass: &Pass, now: Timestamp) -> Result<(), Fault> {
        self.change(|all| {
            for each in all.iter_mut().filter(|each| each.name() == pass.name) {
                each.unused_until = now.plus_millis(bounds::BROWSER_UNUSED_MILLIS);
            }
        })
    }

    fn entry(&self, name: &Digest, now: Timestamp) -> Option<SignedIn> {
        lock(&self.signed_in).iter().find(|each| each.is_good(now) && each.name() == *name).cloned()
    }

    /// The names of the browsers that are signed in, as [`Pass::name`] gives them.
    pub fn names(&self) -> Vec<Digest> {
        lock(&self.signed_in).iter().map(SignedIn::name).collect()
    }

    /// The browsers that are signed in, the newest first.
    pub fn all(&self, now: Timestamp) -> Vec<SignedInBrowser> {
        let signed_in = lock(&self.signed_in).clone();
        let good = signed_in.iter().rev().filter(|each| each.is_good(now));
        good.map(|each| each.told(self.listens(&each.name()))).collect()
    }

    /// The one of this name, if it is signed in.
    pub fn one(&self, name: &Digest, now: Timestamp) -> Option<SignedInBrowser> {
        self.entry(name, now).map(|found| found.told(self.listens(name)))
    }

    /// Signs out every browser but those that are known to have signed in, and those whose time is over. Gives how many
    /// that were. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written; they are signed out all the same.
    pub fn keep_only(&self, now: Timestamp, known: impl Fn(&Digest) -> bool) -> Result<usize, Fault> {
        let is_known = |each: &SignedIn| !each.is_good(now) || known(&each.name());
        let before = lock(&self.signed_in).len();
        lock(&self.signed_in).retain(&is_known);
        let gone = before.saturating_sub(lock(&self.signed_in).len());
        if gone > 0 {
            self.change(|_| {})?;
        }
        Ok(gone)
    }

    /// Signs the browser of this name out. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written. It is signed out all the same; a restart would believe the file.
    pub fn sign_one_out(&self, name: &Digest) -> Result<(), Fault> {
        let is_another = |each: &SignedIn| each.name() != *name;
        let kept = self.change(|all| all.retain(is_another));
        lock(&self.signed_in).retain(is_another);
        kept
    }

    /// Signs every browser out, and makes every link worthless. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written. They are signed out all the same; a restart would believe the file.
    pub fn sign_out(&self) -> Result<(), Fault> {
        lock(&self.links).clear();
        let kept = self.change(Vec::clear);
        lock(&self.signed_in).clear();
        kept
    }

    fn change(&self, change: impl FnOnce(&mut Vec<SignedIn>)) -> Result<(), Fault> {
        let _writing = lock(&self.writing);
        let mut all = lock(&self.signed_in).clone();
        change(&mut all);
        let text = serde_json::to_vec(&all).map_err(|error| Fault::internal(error.to_string()))?;
        write_private(&self.file, &text).map_err(|error| unwritable(&self.file, &error))?;
        *lock(&self.signed_in) = all;
        Ok(())
    }

    /// A page of this browser begins to listen; it does until the result is dropped or replaced.
    pub fn listen(&self, pass: &Pass) -> (u64, CancellationToken) {
        let number = self.next_page.fetch_add(1, Ordering::Relaxed);
        let replaced = CancellationToken::new();
        let mut pages = lock(&self.pages);
        if pages.iter().filter(|page| page.browser == pass.name).count() >= bounds::BROWSER_PAGES
            && let Some(at) = pages.iter().position(|page| page.browser == pass.name)
            && let Some(oldest) = pages.remove(at)
        {
            oldest.replaced.cancel();
        }
        pages.push_back(Page { number, browser: pass.name, replaced: replaced.clone() });
        (number, replaced)
    }

    /// That page listens no longer.
    pub fn leave(&self, number: u64) {
        lock(&self.pages).retain(|page| page.number != number);
    }

    fn listens(&self, browser: &Digest) -> bool {
        lock(&self.pages).iter().any(|page| page.browser == *browser)
    }

    /// Whether some page listens, so that what is asked is seen.
    pub fn any_listens(&self) -> bool {
        !lock(&self.pages).is_empty()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many milliseconds before that.
fn before(at: Timestamp, millis: u64) -> Timestamp {
    Timestamp(at.0.saturating_sub(i64::try_from(millis).unwrap_or(i64::MAX)))
}

/// Of a link's code. It is good for that purpose: a token that stands in another list means nothing here.
fn digest(code: &str) -> Digested {
    let mut digest = Sha256::new_with_prefix(b"review-gate browser link\0");
    digest.update(code);
    digest.finalize().into()
}

fn read(file: &Path) -> io::Result<Vec<SignedIn>> {
    match std::fs::metadata(file) {
        Ok(data) if data.len() > FILE_BYTES => return Err(io::Error::other("the file is too large")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        _ => {}
    }
    let all: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file)?).map_err(io::Error::other)?;
    // One that signed in with a cookie, as browsers once did, has no key: it signs in once more.
    Ok(all.into_iter().filter_map(|each| serde_json::from_value(each).ok()).collect())
}

fn unwritable(file: &Path, error: &io::Error) -> Fault {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::DiskFull } else { Code::ReadOnly };
    let message = format!("Who is signed in can't be kept in {}: {error}.", file.display());
    Fault::new(code, message, "Give the folder back to your user, or free some space; then make a new link.")
}

#[cfg(test)]
mod tests;
