//! Links that show the gate in a person's browser.

use std::sync::Arc;

use gate_api::Origin;
use gate_core::{Code, Fault, Timestamp};
use gate_door::browsers::LinkedBy;

use super::Connections;
use crate::work::blocking;

impl Connections {
    /// A link that signs one browser in, once, and until when it may be used. Never for an agent:
    /// whoever has it can answer.
    pub(crate) fn new_link(&self, origin: Origin) -> Result<(String, Timestamp), Fault> {
        let http = self.host.http.as_deref().ok_or_else(|| {
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
        Ok((format!("{http}/?code={code}"), until))
    }

    /// Signs every browser out.
    pub(crate) async fn sign_out(&self) -> Result<(), Fault> {
        let access = Arc::clone(&self.access);
        blocking(move || access.sign_out()).await
    }

    /// Whether what is asked now shows somewhere by itself: in a window, or in a browser's page.
    pub(crate) fn is_seen(&self) -> bool {
        self.host.window || self.access.browsers.any_listens()
    }
}
