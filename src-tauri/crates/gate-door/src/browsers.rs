//! Browsers that may show the gate's page: links that sign one in, once, and the cookies that they are
//! exchanged for. Knows no HTTP; of codes and cookies it keeps digests only.

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

use crate::secrets::{Digested, from_hex, to_hex, write_private};

/// Random bytes of a link's code: 192 bits.
const CODE_BYTES: usize = 24;
/// Random bytes of a cookie.
const COOKIE_BYTES: usize = 32;
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
    cookie: Digested,
    linked_by: LinkedBy,
}

impl Pass {
    /// What names this browser to those who must not know its cookie.
    pub fn name(&self) -> Digest {
        Digest::of_bytes(&self.cookie)
    }

    /// Where commands of this browser come from.
    pub fn origin(&self) -> Origin {
        match self.linked_by {
            LinkedBy::Person => Origin::Browser,
            LinkedBy::Script => Origin::Script,
        }
    }
}

/// A browser that has just signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPass {
    /// Its cookie.
    pub cookie: String,
    /// What others know of it.
    pub pass: Pass,
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
    /// SHA-256 of the cookie, in hexadecimal.
    sha256: String,
    /// The host and port that the browser calls the gate by; the cookie is good there only.
    host: String,
    until: Timestamp,
    /// When it is over unless the browser is used before; absent in files from before there was such an end.
    #[serde(default)]
    unused_until: Option<Timestamp>,
    linked_by: LinkedBy,
}

impl SignedIn {
    fn name(&self) -> Option<Digest> {
        from_hex(&self.sha256).map(|cookie| Digest::of_bytes(&cookie))
    }

    fn is_good(&self, now: Timestamp) -> bool {
        self.until > now && self.unused_until.is_none_or(|end| end > now)
    }
}

/// A page that listens.
#[derive(Debug)]
struct Page {
    number: u64,
    cookie: Digested,
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
        links.push_back(Link { code: digest("link", &code), until, linked_by, used: false });
        Ok((code, until))
    }

    /// Exchanges a link's code for a cookie that is good at this host. The code is spent with that,
    /// whatever happens to the cookie. Blocks on the disk.
    ///
    /// # Errors
    /// When who is signed in can't be written.
    pub fn sign_in(&self, code: &str, host: &str, now: Timestamp) -> Result<Result<NewPass, Refused>, Fault> {
        let linked_by = match self.spend(code, now) {
            Ok(linked_by) => linked_by,
            Err(refused) => return Ok(Err(refused)),
        };
        let cookie = random::<COOKIE_BYTES>()?;
        let entry = SignedIn {
            sha256: to_hex(&digest("cookie", &cookie)),
            host: host.to_ascii_lowercase(),
            until: now.plus_millis(bounds::BROWSER_MILLIS),
            unused_until: Some(now.plus_millis(bounds::BROWSER_UNUSED_MILLIS)),
            linked_by,
        };
        self.change(|all| {
            all.retain(|each| each.is_good(now));
            if all.len() >= bounds::BROWSERS {
                all.remove(0);
            }
            all.push(entry);
        })?;
        let pass = Pass { cookie: digest("cookie", &cookie), linked_by };
        Ok(Ok(NewPass { cookie, pass }))
    }

    fn spend(&self, code: &str, now: Timestamp) -> Result<LinkedBy, Refused> {
        let given = digest("link", code);
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

    /// The browser that this cookie signs in at this host.
    pub fn pass(&self, cookie: &str, host: &str, now: Timestamp) -> Option<Pass> {
        let cookie = digest("cookie", cookie);
        self.find(&cookie, now)
            .filter(|found| found.host.eq_ignore_ascii_case(host))
            .map(|found| Pass { cookie, linked_by: found.linked_by })
    }

    /// Whether a browser is still signed in.
    pub fn is_good(&self, pass: &Pass, now: Timestamp) -> bool {
        self.find(&pass.cookie, now).is_some()
    }

    /// Whether that this browser is used is noted already, to the hour.
    pub fn is_noted(&self, pass: &Pass, now: Timestamp) -> bool {
        let noted = self.find(&pass.cookie, now).and_then(|found| found.unused_until);
        noted.is_some_and(|end| end > now.plus_millis(bounds::BROWSER_UNUSED_MILLIS - NOTED_MILLIS))
    }

    /// Notes that a browser is used: it stays signed in. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written; the browser is signed out earlier then.
    pub fn note_use(&self, pass: &Pass, now: Timestamp) -> Result<(), Fault> {
        let cookie = to_hex(&pass.cookie);
        self.change(|all| {
            for each in all.iter_mut().filter(|each| each.sha256 == cookie) {
                each.unused_until = Some(now.plus_millis(bounds::BROWSER_UNUSED_MILLIS));
            }
        })
    }

    fn find(&self, cookie: &Digested, now: Timestamp) -> Option<SignedIn> {
        let is_it = |each: &&SignedIn| {
            each.is_good(now) && from_hex(&each.sha256).is_some_and(|good| bool::from(good.ct_eq(cookie)))
        };
        lock(&self.signed_in).iter().find(is_it).cloned()
    }

    /// The names of the browsers that are signed in, as [`Pass::name`] gives them.
    pub fn names(&self) -> Vec<Digest> {
        lock(&self.signed_in).iter().filter_map(SignedIn::name).collect()
    }

    /// Signs out every browser but those that are known to have signed in, and those whose time is over. Gives how many
    /// that were. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written; they are signed out all the same.
    pub fn keep_only(&self, now: Timestamp, known: impl Fn(&Digest) -> bool) -> Result<usize, Fault> {
        let is_known = |each: &SignedIn| !each.is_good(now) || each.name().is_some_and(|name| known(&name));
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
    /// When the file can't be written.
    pub fn sign_one_out(&self, pass: &Pass) -> Result<(), Fault> {
        let cookie = to_hex(&pass.cookie);
        self.change(|all| all.retain(|each| each.sha256 != cookie))
    }

    /// Signs every browser out, and makes every link worthless. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be written; a restart would sign them in again then.
    pub fn sign_out(&self) -> Result<(), Fault> {
        lock(&self.links).clear();
        self.change(Vec::clear)
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
        if pages.iter().filter(|page| page.cookie == pass.cookie).count() >= bounds::BROWSER_PAGES
            && let Some(at) = pages.iter().position(|page| page.cookie == pass.cookie)
            && let Some(oldest) = pages.remove(at)
        {
            oldest.replaced.cancel();
        }
        pages.push_back(Page { number, cookie: pass.cookie, replaced: replaced.clone() });
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

/// A digest that is good for one purpose: a token that stands in another list means nothing here.
fn digest(purpose: &str, secret: &str) -> Digested {
    let mut digest = Sha256::new_with_prefix(format!("review-gate browser {purpose}\0"));
    digest.update(secret);
    digest.finalize().into()
}

fn random<const BYTES: usize>() -> Result<String, Fault> {
    let mut random = [0_u8; BYTES];
    getrandom::fill(&mut random).map_err(|error| Fault::internal(format!("No randomness: {error}.")))?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}

fn read(file: &Path) -> io::Result<Vec<SignedIn>> {
    match std::fs::metadata(file) {
        Ok(data) if data.len() > FILE_BYTES => return Err(io::Error::other("the file is too large")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        _ => {}
    }
    serde_json::from_slice(&std::fs::read(file)?).map_err(io::Error::other)
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

    const HOST: &str = "127.0.0.1:8321";
    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn browsers() -> Result<(tempfile::TempDir, Browsers), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let browsers = Browsers::open(folder.path().join("browsers"));
        Ok((folder, browsers))
    }

    #[test]
    fn a_browser_that_nobody_uses_for_three_days_is_signed_out() -> Outcome {
        let (folder, browsers) = browsers()?;
        let (code, _) = browsers.new_link(LinkedBy::Person, NOW)?;
        let cookie = browsers.sign_in(&code, HOST, NOW)?.map_err(|refused| format!("{refused:?}"))?.cookie;
        let (hour, days) = (60 * 60 * 1000, |days: u64| NOW.plus_millis(days * 24 * 60 * 60 * 1000));
        let pass = browsers.pass(&cookie, HOST, days(2)).ok_or("it was used two days ago")?;
        assert!(browsers.is_noted(&pass, NOW.plus_millis(hour - 1)), "the file isn't written for each command");
        assert!(!browsers.is_noted(&pass, NOW.plus_millis(hour)), "but every hour");
        assert!(browsers.pass(&cookie, HOST, days(3)).is_none(), "72 hours");

        browsers.note_use(&pass, days(2))?;
        let again = Browsers::open(folder.path().join("browsers"));
        let last = Timestamp(days(5).0 - 1);
        assert!(again.pass(&cookie, HOST, last).is_some(), "three days more, over a restart too");
        assert!(!again.is_good(&pass, days(5)), "and then an open page hears no more");
        Ok(())
    }

    #[test]
    fn a_link_signs_one_browser_in_for_thirty_days_and_over_restarts() -> Outcome {
        let (folder, browsers) = browsers()?;
        let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
        assert_eq!(until, NOW.plus_millis(10 * 60 * 1000), "ten minutes, as the documentation says");
        assert!(code.len() >= 22, "at least 128 bits: {code}");
        let cookie = browsers.sign_in(&code, HOST, NOW)?.map_err(|refused| format!("{refused:?}"))?.cookie;
        assert_eq!(browsers.sign_in(&code, HOST, NOW)?, Err(Refused::Used), "once only");

        let file = folder.path().join("browsers");
        let kept = std::fs::read_to_string(&file)?;
        assert!(!kept.contains(&cookie) && !kept.contains(&code), "nothing in the file opens anything: {kept}");
        assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600, "nobody else reads it");

        let again = Browsers::open(file);
        let last = Timestamp(NOW.plus_millis(bounds::BROWSER_MILLIS).0 - 1);
        let soon = again.pass(&cookie, HOST, NOW).ok_or("still signed in after a restart")?;
        again.note_use(&soon, last)?;
        let pass = again.pass(&cookie, "127.0.0.1:8321", last).ok_or("still signed in after a restart")?;
        assert_eq!(pass.origin(), Origin::Browser);
        assert!(again.pass(&cookie, HOST, last.plus_millis(1)).is_none(), "30 days, no more");
        assert!(again.pass(&cookie, "localhost:8321", NOW).is_none(), "another host is another place");
        assert!(again.pass(&cookie, "127.0.0.1:8322", NOW).is_none(), "and so is another port");
        assert!(again.pass(&code, HOST, NOW).is_none(), "a code is no cookie");
        again.sign_out()?;
        assert!(!again.is_good(&pass, NOW), "signed out");
        assert!(Browsers::open(folder.path().join("browsers")).pass(&cookie, HOST, NOW).is_none(), "for good");
        Ok(())
    }

    #[test]
    fn a_code_that_is_old_wrong_or_forgotten_signs_nobody_in() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
        assert_eq!(browsers.sign_in(&code, HOST, until)?, Err(Refused::Expired));
        for wrong in ["", "x", &code[1..]] {
            assert_eq!(browsers.sign_in(wrong, HOST, NOW)?, Err(Refused::Unknown), "{wrong:?}");
        }
        for _ in 0..bounds::LINKS {
            browsers.new_link(LinkedBy::Person, NOW)?;
        }
        assert_eq!(browsers.sign_in(&code, HOST, NOW)?, Err(Refused::Unknown), "the oldest gave way");
        Ok(())
    }

    #[test]
    fn what_a_script_signed_in_stays_a_script() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let (code, _) = browsers.new_link(LinkedBy::Script, NOW)?;
        let cookie = browsers.sign_in(&code, HOST, NOW)?.map_err(|refused| format!("{refused:?}"))?.cookie;
        let pass = browsers.pass(&cookie, HOST, NOW).ok_or("signed in")?;
        assert_eq!(pass.origin(), Origin::Script, "the record must not call it a person in a browser");
        Ok(())
    }

    #[test]
    fn a_further_browser_signs_the_oldest_out_and_a_further_page_replaces_the_oldest() -> Outcome {
        let (_folder, browsers) = browsers()?;
        let mut cookies = Vec::new();
        for _ in 0..=bounds::BROWSERS {
            let (code, _) = browsers.new_link(LinkedBy::Person, NOW)?;
            cookies.push(browsers.sign_in(&code, HOST, NOW)?.map_err(|refused| format!("{refused:?}"))?.cookie);
        }
        assert!(browsers.pass(&cookies[0], HOST, NOW).is_none() && browsers.pass(&cookies[1], HOST, NOW).is_some());
        let (one, other) = (browsers.pass(&cookies[1], HOST, NOW), browsers.pass(&cookies[2], HOST, NOW));
        let (one, other) = (one.ok_or("signed in")?, other.ok_or("signed in")?);
        let (_, of_other) = browsers.listen(&other);
        let pages: Vec<_> = (0..=bounds::BROWSER_PAGES).map(|_| browsers.listen(&one)).collect();
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
        let (code, _) = browsers.new_link(LinkedBy::Person, NOW)?;
        assert!(browsers.sign_in(&code, HOST, NOW)?.is_ok(), "a new link works");
        Ok(())
    }
}
