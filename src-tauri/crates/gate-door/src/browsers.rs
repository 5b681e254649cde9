//! Browsers that may show the gate's page: links that sign one in, once, and the public keys that they signed in with.
//! Knows no HTTP, and of codes it keeps digests only; what is signed with a key others look at.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_api::Origin;
use gate_core::{Code, Digest, Fault, Timestamp, bounds};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio_util::sync::CancellationToken;

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

    /// Signs in with a link's code the browser that has this public key, in this place. The code is spent with that,
    /// whatever happens to the rest. Blocks on the disk.
    ///
    /// # Errors
    /// When who is signed in can't be written.
    pub fn sign_in(
        &self,
        code: &str,
        key: &[u8],
        place: Place<'_>,
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

    /// Signs one browser out. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written. It is signed out all the same; a restart would believe the file.
    pub fn sign_one_out(&self, pass: &Pass) -> Result<(), Fault> {
        let is_another = |each: &SignedIn| each.name() != pass.name;
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

    /// Whether some page listens, so that what is asked is seen.
    pub fn any_listens(&self) -> bool {
        !lock(&self.pages).is_empty()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const HERE: Place<'_> = Place { host: "localhost:8321", port: 8321 };
    const NOW: Timestamp = Timestamp(1_800_000_000_000);
    const KEY: &[u8] = b"a point on the curve";

    fn browsers() -> Result<(tempfile::TempDir, Browsers), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let browsers = Browsers::open(folder.path().join("browsers"));
        Ok((folder, browsers))
    }

    fn signed_in(browsers: &Browsers, linked_by: LinkedBy, key: &[u8]) -> Result<Pass, Box<dyn std::error::Error>> {
        let (code, _) = browsers.new_link(linked_by, NOW)?;
        Ok(browsers.sign_in(&code, key, HERE, NOW)?.map_err(|refused| format!("{refused:?}"))?)
    }

    #[test]
    fn a_browser_that_nobody_uses_for_three_days_is_signed_out() -> Outcome {
        let (folder, browsers) = browsers()?;
        let pass = signed_in(&browsers, LinkedBy::Person, KEY)?;
        let (hour, days) = (60 * 60 * 1000, |days: u64| NOW.plus_millis(days * 24 * 60 * 60 * 1000));
        assert!(browsers.find(&pass.name(), HERE, days(2)).is_some(), "it was used two days ago");
        assert!(browsers.is_noted(&pass, NOW.plus_millis(hour - 1)), "the file isn't written for each command");
        assert!(!browsers.is_noted(&pass, NOW.plus_millis(hour)), "but every hour");
        assert!(browsers.find(&pass.name(), HERE, days(3)).is_none(), "72 hours");

        browsers.note_use(&pass, days(2))?;
        let again = Browsers::open(folder.path().join("browsers"));
        let last = Timestamp(days(5).0 - 1);
        assert!(again.find(&pass.name(), HERE, last).is_some(), "three days more, over a restart too");
        assert!(!again.is_good(&pass, days(5)), "and then an open page hears no more");
        Ok(())
    }

    #[test]
    fn a_link_signs_one_browser_in_for_thirty_days_and_over_restarts() -> Outcome {
        let (folder, browsers) = browsers()?;
        let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
        assert_eq!(until, NOW.plus_millis(10 * 60 * 1000), "ten minutes, as the documentation says");
        assert!(code.len() >= 22, "at least 128 bits: {code}");
        let pass = browsers.sign_in(&code, KEY, HERE, NOW)?.map_err(|refused| format!("{refused:?}"))?;
        assert_eq!(pass.name(), Digest::of_bytes(KEY), "its key is its name, in the receipts too");
        assert_eq!(browsers.sign_in(&code, b"another", HERE, NOW)?, Err(Refused::Used), "once only");

        let file = folder.path().join("browsers");
        let kept = std::fs::read_to_string(&file)?;
        assert!(!kept.contains(&code), "nothing in the file opens anything: {kept}");
        assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600, "nobody else reads it");

        let again = Browsers::open(file);
        let last = Timestamp(NOW.plus_millis(bounds::BROWSER_MILLIS).0 - 1);
        again.note_use(&pass, last)?;
        let (found, key) = again.find(&pass.name(), HERE, last).ok_or("still signed in after a restart")?;
        assert_eq!((found.origin(), key.as_slice()), (Origin::Browser, KEY));
        assert!(again.find(&pass.name(), HERE, last.plus_millis(1)).is_none(), "30 days, no more");
        for elsewhere in [
            Place { host: "127.0.0.1:8321", ..HERE },
            Place { host: "localhost:8322", ..HERE },
            Place { port: 8322, ..HERE },
        ] {
            assert!(again.find(&pass.name(), elsewhere, NOW).is_none(), "another place: {elsewhere:?}");
        }
        assert!(again.find(&Digest::of_bytes(b"another"), HERE, NOW).is_none(), "nobody else");
        again.sign_out()?;
        assert!(!again.is_good(&pass, NOW), "signed out");
        assert_eq!(Browsers::open(folder.path().join("browsers")).names(), [], "for good");
        Ok(())
    }

    #[test]
    fn whoever_is_signed_out_is_that_whatever_can_be_written() -> Outcome {
        let (folder, browsers) = browsers()?;
        let mut passes = Vec::new();
        for key in [KEY, b"another point"] {
            passes.push(signed_in(&browsers, LinkedBy::Person, key)?);
        }
        std::fs::remove_dir_all(folder.path())?;
        assert!(browsers.sign_one_out(&passes[0]).is_err(), "it can't be kept");
        assert!(!browsers.is_good(&passes[0], NOW) && browsers.is_good(&passes[1], NOW), "the one is signed out");
        assert!(browsers.sign_out().is_err());
        assert!(!browsers.is_good(&passes[1], NOW), "and now the other");
        Ok(())
    }

    #[test]
    fn a_code_that_is_old_wrong_or_forgotten_signs_nobody_in() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
        assert_eq!(browsers.sign_in(&code, KEY, HERE, until)?, Err(Refused::Expired));
        for wrong in ["", "x", &code[1..]] {
            assert_eq!(browsers.sign_in(wrong, KEY, HERE, NOW)?, Err(Refused::Unknown), "{wrong:?}");
        }
        for _ in 0..bounds::LINKS {
            browsers.new_link(LinkedBy::Person, NOW)?;
        }
        assert_eq!(browsers.sign_in(&code, KEY, HERE, NOW)?, Err(Refused::Unknown), "the oldest gave way");
        assert_eq!(browsers.names(), []);
        Ok(())
    }

    #[test]
    fn what_a_script_signed_in_stays_a_script() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let pass = signed_in(&browsers, LinkedBy::Script, KEY)?;
        let (found, _) = browsers.find(&pass.name(), HERE, NOW).ok_or("signed in")?;
        assert_eq!(found.origin(), Origin::Script, "the record must not call it a person in a browser");
        Ok(())
    }

    #[test]
    fn a_further_browser_signs_the_oldest_out_and_a_further_page_replaces_the_oldest() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let mut all = Vec::new();
        for number in 0..=bounds::BROWSERS {
            all.push(signed_in(&browsers, LinkedBy::Person, &number.to_be_bytes())?);
        }
        assert!(!browsers.is_good(&all[0], NOW) && browsers.is_good(&all[1], NOW));
        let (one, other) = (&all[1], &all[2]);
        let (_, of_other) = browsers.listen(other);
        let pages: Vec<_> = (0..=bounds::BROWSER_PAGES).map(|_| browsers.listen(one)).collect();
        let replaced: Vec<_> = pages.iter().map(|(_, replaced)| replaced.is_cancelled()).collect();
        assert_eq!(replaced.iter().filter(|is| **is).count(), 1, "one makes room: {replaced:?}");
        assert!(replaced[0] && !of_other.is_cancelled(), "the oldest of the same browser");
        for (number, _) in pages {
            browsers.leave(number);
        }
        assert!(browsers.any_listens(), "the other one's page");
        Ok(())
    }

    #[test]
    fn a_damaged_file_signs_out_and_stops_nothing() -> Outcome {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("browsers");
        std::fs::write(&file, "{]")?;
        let browsers = Browsers::open(file);
        signed_in(&browsers, LinkedBy::Person, KEY).map(drop)
    }

    #[test]
    fn a_browser_that_signed_in_with_a_cookie_is_forgotten_and_the_others_stay() -> Outcome {
        let (folder, browsers) = browsers()?;
        let pass = signed_in(&browsers, LinkedBy::Person, KEY)?;
        let file = folder.path().join("browsers");
        let mut all: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&file)?)?;
        let mut before = all[0].clone();
        before["sha256"] = "00".repeat(32).into();
        before.as_object_mut().ok_or("an entry")?.remove("key");
        all.insert(0, before);
        std::fs::write(&file, serde_json::to_vec(&all)?)?;
        assert_eq!(Browsers::open(file).names(), [pass.name()]);
        Ok(())
    }
}
