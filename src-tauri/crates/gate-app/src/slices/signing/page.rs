//! A touch of a security key in the person's browser (WebAuthn), where the gate's page stands in it: the browser is asked
//! by an event, and answers by a command of the page. The same for keys that are to be enrolled.
//!
//! What is signed is the digest of the receipt's line. Whether the signature counts is not decided here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_api::Phrase;
use gate_api::subjects::keys::{Event, GiveTouch, PageKeyBegun};
use gate_core::{AnsweredFrom, Assurance, Code, Digest, Fault, RequestId, ReviewRequest, Timestamp};
use gate_receipts::{Asked, Bytes, Line, Proof, Registration};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::keys::{PageKey, SecurityKeys};
use super::signer::{NotSigned, Shows, Signature, Signer, TOUCH, Touched, text_of};
use crate::bus::Bus;

/// The relying party: a key knows no port.
const SITE: &str = "localhost";
/// Bytes of a challenge.
const CHALLENGE_BYTES: usize = 32;
/// For how long a key may be made for a challenge, in milliseconds.
const BEGUN_MILLIS: u64 = 5 * 60 * 1000;
/// Largest thing that a browser says of a key, in bytes: it has to fit into a receipt's line.
const SAID_BYTES: usize = 8 * 1024;
/// Longest word of a browser that is told, in characters.
const WORD_CHARS: usize = 40;

/// Security keys, by way of the person's browser.
#[derive(Debug)]
pub(super) struct PageSigner {
    bus: Bus,
    keys: Arc<SecurityKeys>,
    /// The origin of the gate's page; absent where it isn't served.
    origin: Option<String>,
    /// What browsers are asked for just now.
    asked: Mutex<HashMap<RequestId, Wanted>>,
    /// What the next key is to be held against, and since when.
    begun: Mutex<Option<([u8; CHALLENGE_BYTES], Timestamp)>>,
}

/// A touch that a page was asked for.
#[derive(Debug)]
struct Wanted {
    /// Of one of these.
    of: Vec<PageKey>,
    said: oneshot::Sender<Result<Proof, NotSigned>>,
}

impl PageSigner {
    /// With these keys, on the page of this origin.
    pub(super) fn new(bus: Bus, keys: Arc<SecurityKeys>, origin: Option<String>) -> Self {
        Self { bus, keys, origin, asked: Mutex::default(), begun: Mutex::default() }
    }

    /// The keys that can be touched on the gate's page as it is served now.
    fn here(&self) -> Vec<PageKey> {
        let mut keys = self.keys.of_pages();
        keys.retain(|key| Some(&key.origin) == self.origin.as_ref());
        keys
    }

    /// What is told where only a key of the page could sign, and the person is elsewhere.
    pub(super) fn only_there(&self) -> Option<Phrase> {
        self.origin.as_deref().map(|page| Phrase::new("level-page-key").with("page", page))
    }

    /// What is told where there are keys of a page, and none of the one that is served now.
    pub(super) fn elsewhere(&self) -> Option<Phrase> {
        let of_pages = self.keys.of_pages();
        let other = of_pages.first().filter(|_| self.here().is_empty())?;
        Some(Phrase::new("level-key-elsewhere").with("page", other.origin.as_str()))
    }

    /// Begins to have a key made.
    ///
    /// # Errors
    /// `invalid_input` where no page is served; where the system gives no randomness.
    pub(super) fn begin(&self) -> Result<PageKeyBegun, Fault> {
        let origin = self.origin.clone().ok_or_else(|| {
            let mend = "Set `network.http: true` in config.yaml and restart the gate with `review-gate stop`.";
            Fault::new(Code::InvalidInput, "The gate serves no HTTP, so there is no page to touch a key in.", mend)
        })?;
        let mut challenge = [0; CHALLENGE_BYTES];
        getrandom::fill(&mut challenge).map_err(|error| Fault::internal(format!("No randomness: {error}.")))?;
        *self.begun() = Some((challenge, self.bus.now()));
        // The same for all keys of a home's page: one device keeps one of them.
        let user = Digest::of_bytes(origin.as_bytes());
        Ok(PageKeyBegun {
            challenge: STANDARD.encode(challenge),
            site: SITE.to_owned(),
            origin,
            user: STANDARD.encode(user.as_bytes()),
            known: self.here().iter().map(|key| STANDARD.encode(&key.credential)).collect(),
        })
    }

    /// Enrols a key that was made.
    ///
    /// # Errors
    /// `invalid_input` where it isn't the one that was begun; where that can't be written.
    pub(super) async fn add(
        &self,
        name: &str,
        authenticator: &str,
        client: &str,
        given: AnsweredFrom,
    ) -> Result<(), Fault> {
        let begun = self.begun().take();
        let now = self.bus.now();
        let begun = begun.filter(|(_, at)| now <= at.plus_millis(BEGUN_MILLIS));
        let (Some((challenge, _)), Some(origin)) = (begun, &self.origin) else {
            return Err(not_added("it took too long, or another one was begun meanwhile"));
        };
        let asked = Asked { challenge: &challenge, site: SITE, origin };
        let read = (decoded(authenticator), decoded(client));
        let (Some(authenticator), Some(client)) = read else { return Err(not_added("it isn't base64, or too long")) };
        let made = Registration::of(&authenticator, &client, asked).map_err(|why| not_added(&why.to_string()))?;
        self.keys.add_of_page(made, origin, name, given).await
    }

    /// Takes the touch of a page that was asked for it.
    ///
    /// # Errors
    /// `not_signed` where nobody waits for it.
    pub(super) fn touched(&self, touch: &GiveTouch) -> Result<(), Fault> {
        let wanted = self.lock().remove(&touch.request_id).ok_or_else(nobody_waits)?;
        let proof = proof(touch, &wanted.of);
        wanted.said.send(proof).map_err(|_| nobody_waits())
    }

    /// Takes it that there will be no touch.
    pub(super) fn not_touched(&self, request: RequestId, error: &str) {
        if let Some(wanted) = self.lock().remove(&request) {
            // Whoever doesn't wait any longer needs no reason.
            let _ = wanted.said.send(Err(why_not(error)));
        }
    }

    fn begun(&self) -> MutexGuard<'_, Option<([u8; CHALLENGE_BYTES], Timestamp)>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Wanted>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Signer for PageSigner {
    fn level(&self) -> Assurance {
        Assurance::L3
    }

    fn patience(&self) -> Duration {
        TOUCH
    }

    fn reachable(&self) -> Result<(), Phrase> {
        if !self.here().is_empty() {
            return Ok(());
        }
        Err(self.elsewhere().unwrap_or_else(|| Phrase::new("level-no-key")))
    }

    fn is_in_page(&self) -> bool {
        true
    }

    async fn sign(
        &self,
        line: &Line,
        request: &ReviewRequest,
        _: &Shows<'_>,
        cancelled: CancellationToken,
    ) -> Result<Box<dyn Signature>, NotSigned> {
        let (request, text) = (request.request_id, text_of(line)?);
        let keys = self.here();
        let credentials = keys.iter().map(|key| STANDARD.encode(&key.credential)).collect();
        let (said, saying) = oneshot::channel();
        self.lock().insert(request, Wanted { of: keys, said });
        let _over = Over { signer: self, request };
        let challenge = STANDARD.encode(Digest::of_bytes(text.as_bytes()).as_bytes());
        let site = SITE.to_owned();
        self.bus.emit(Event::TouchWanted { request_id: request, challenge, site, credentials });
        match cancelled.run_until_cancelled(saying).await {
            Some(Ok(said)) => said.map(|proof| Box::new(Touched(proof)) as Box<dyn Signature>),
            Some(Err(_)) | None => Err(NotSigned::Cancelled),
        }
    }
}

/// That a touch is waited for. Pages hear when it isn't any longer.
struct Over<'a> {
    signer: &'a PageSigner,
    request: RequestId,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.signer.lock().remove(&self.request);
        self.signer.bus.emit(Event::TouchOver { request_id: self.request });
    }
}

/// What the page says, as a proof of one of these keys.
fn proof(touch: &GiveTouch, of: &[PageKey]) -> Result<Proof, NotSigned> {
    let unread = || NotSigned::Unproved("it isn't base64, or too long".to_owned());
    let read = |text: &str| decoded(text).map(Bytes).ok_or_else(unread);
    let credential = decoded(&touch.credential).ok_or_else(unread)?;
    let key = of.iter().find(|key| key.credential == credential);
    let key = key.ok_or_else(|| NotSigned::Unproved("it is by a key that wasn't asked for".to_owned()))?;
    Ok(Proof::Webauthn {
        key: key.key.clone(),
        sig: read(&touch.signature)?,
        authenticator: read(&touch.authenticator)?,
        client: read(&touch.client)?,
    })
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    // Four characters stand for three bytes.
    if text.len() / 4 * 3 > SAID_BYTES { None } else { STANDARD.decode(text).ok() }
}

/// Why a browser has no touch, by its own word (<https://www.w3.org/TR/webauthn-3/>, section 5.1.4).
fn why_not(error: &str) -> NotSigned {
    let (what, mend) = match error {
        "NotAllowedError" => (
            "The browser says that the key wasn't touched: it was cancelled, took too long, or it was another key.",
            "Approve again, and touch the key that you added here when it blinks.",
        ),
        "SecurityError" => (
            "The browser asks no key for a page at this address.",
            "Open the page by a link of `review-gate link`, as http://localhost, then approve again.",
        ),
        "NotSupportedError" => (
            "This browser can't ask security keys.",
            "Open the page in a browser that can (WebAuthn), then approve again.",
        ),
        other => {
            let word: String = other.chars().filter(char::is_ascii_alphanumeric).take(WORD_CHARS).collect();
            let what = format!("The browser says: {word}.");
            return NotSigned::Failed { what, mend: "Plug the key in, then approve again.".to_owned() };
        }
    };
    NotSigned::Failed { what: what.to_owned(), mend: mend.to_owned() }
}

fn not_added(why: &str) -> Fault {
    let mend = "Add it again, in the page that `review-gate link` opens; nothing was added.";
    Fault::new(Code::InvalidInput, format!("The key wasn't added: {why}."), mend)
}

fn nobody_waits() -> Fault {
    let mend = "Approve again, and touch the key when it blinks.";
    Fault::new(Code::NotSigned, "This touch isn't waited for any longer.", mend)
}

#[cfg(test)]
mod tests;
