//! Links that show the gate in a person's browser.

use std::sync::Arc;

use gate_api::Origin;
use gate_api::subjects::connections::{Event, SignedInBrowser};
use gate_core::{Code, Digest, Fault, Timestamp, bounds};
use gate_door::browsers::LinkedBy;

use super::Connections;
use crate::slices::receipts::{given, planted_browsers};
use crate::work::blocking;

impl Connections {
    /// A link that signs one browser in, once, and until when it may be used. Never for an agent:
    /// whoever has it can answer.
    pub(crate) fn new_link(&self, origin: Origin) -> Result<(String, Timestamp), Fault> {
        let page = self.host.page().ok_or_else(|| {
            Fault::new(
                Code::InvalidSetting,
                "The gate serves no HTTP, so there is no page to link to.",
                "Set `network.http: true` in config.yaml and restart the gate with `review-gate stop`.",
            )
        })?;
        let linked_by = match origin {
            Origin::Desktop | Origin::Browser | Origin::Terminal => LinkedBy::Person,
            Origin::Script => LinkedBy::Script,
        };
        let (code, until) = self.access.browsers.new_link(linked_by, self.bus.now())?;
        // The code where browsers keep it to themselves.
        Ok((format!("{page}/#code={code}"), until))
    }

    /// Signs every browser out, whatever can be written of it.
    ///
    /// # Errors
    /// When the file that keeps them can't be written.
    pub(crate) async fn sign_out(&self, origin: Origin) -> Result<(), Fault> {
        let browsers = self.access.browsers.names();
        let access = Arc::clone(&self.access);
        let kept = blocking(move || access.sign_out()).await;
        // Also where the file has them still: then the next start knows that they aren't.
        for browser in browsers {
            self.receipts.signed_out(browser, given(origin)).await;
        }
        self.bus.emit(Event::BrowsersSignedOut);
        kept
    }

    /// The browsers that are signed in, the newest first.
    pub(crate) fn browsers(&self) -> Vec<SignedInBrowser> {
        self.access.browsers.all(self.bus.now())
    }

    /// Signs one browser out, whatever can be written of it.
    ///
    /// # Errors
    /// When the file that keeps them can't be written.
    pub(crate) async fn sign_out_browser(&self, browser: Digest, origin: Origin) -> Result<(), Fault> {
        if !self.access.browsers.names().contains(&browser) {
            return Ok(());
        }
        let access = Arc::clone(&self.access);
        let kept = blocking(move || access.sign_one_out(&browser)).await;
        self.receipts.signed_out(browser, given(origin)).await;
        self.bus.emit(Event::BrowsersSignedOut);
        kept
    }

    /// Notes that a browser signed in, with a link that counts as given there, and tells the person.
    pub(crate) async fn signed_in(&self, browser: Digest, origin: Origin) -> Result<(), Fault> {
        self.receipts.signed_in(browser, given(origin)).await?;
        if let Some(browser) = self.access.browsers.one(&browser, self.bus.now()) {
            self.bus.emit(Event::BrowserSignedIn { browser });
        }
        Ok(())
    }

    /// Signs out the browsers whose signing in no receipt tells of: whoever writes the file that keeps them is nobody
    /// that the gate knows. Reads the receipts only where there is a browser.
    pub(super) async fn vouch_for_browsers(&self) -> Result<(), Fault> {
        if self.access.browsers.names().is_empty() {
            return Ok(());
        }
        let known = self.receipts.browsers().await?;
        let (access, now) = (Arc::clone(&self.access), self.bus.now());
        let lasts = move |at: &Timestamp| at.plus_millis(bounds::BROWSER_MILLIS) > now;
        let is_known = move |browser: &Digest| known.get(browser).is_some_and(&lasts);
        let gone = blocking(move || access.browsers.keep_only(now, is_known)).await;
        match gone {
            Ok(0) => {}
            Ok(gone) => self.bus.warn(planted_browsers(gone)),
            Err(fault) => self.bus.warn(fault),
        }
        Ok(())
    }

    /// Whether what is asked now shows somewhere by itself: in a window, or in a browser's page.
    pub(crate) fn is_seen(&self) -> bool {
        self.host.window || self.access.browsers.any_listens()
    }

    /// Whether a person may see what is asked now, and answer it: in a window, or in a browser that is signed in.
    pub(crate) fn may_be_seen(&self) -> bool {
        self.is_seen() || !self.access.browsers.names().is_empty()
    }
}
