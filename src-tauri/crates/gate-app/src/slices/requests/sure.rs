//! How sure an approval has to be, and who makes it so: the person's rules, what the agent asks for, what can be reached.

use std::sync::Arc;

use gate_api::ApprovalNeeds;
use gate_core::require::required;
use gate_core::{Asker, Assurance, Code, Decision, Fault, Given, RequestId, ReviewRequest, Rule};

use super::Requests;
use crate::slices::signing::Signer;
use crate::unknown::unknown_request;

/// How sure a reply is to be.
#[derive(Debug)]
pub(super) struct Sure {
    /// Where it is given, and how sure that is once it is signed.
    pub(super) given: Given,
    /// Who signs it; absent where the act is enough.
    pub(super) signer: Option<Arc<dyn Signer>>,
}

impl Requests {
    /// How sure a reply is to be. Only an approval has to be surer than its act; text, options and changes go as they
    /// are.
    ///
    /// # Errors
    /// `level_unreachable` where an approval can't be as sure as it has to be.
    pub(super) async fn sure(
        &self,
        request: RequestId,
        decision: Option<Decision>,
        given: Given,
    ) -> Result<Sure, Fault> {
        let given = self.receipts.as_seen(given);
        let plain = Sure { given, signer: None };
        if decision != Some(Decision::Approved) {
            return Ok(plain);
        }
        let required = self.required_of(request).await?;
        self.signing.look(required).await;
        let Some(signer) = self.signing.signer(required, given.from)? else { return Ok(plain) };
        if given.assurance < Assurance::L1 {
            return Err(Fault::new(
                Code::LevelUnreachable,
                format!("An approval has to be as sure as {} here, and nobody looked at this one.", required.as_str()),
                "Approve it in the window or on the gate's page; nothing was sent.",
            ));
        }
        Ok(Sure { given: Given { assurance: signer.level(), ..given }, signer: Some(signer) })
    }

    /// How sure an approval of a request has to be.
    ///
    /// # Errors
    /// `unknown_request`, and when the record can't be read.
    pub(crate) async fn required_of(&self, request: RequestId) -> Result<Assurance, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let asker = self.store.asker(request).await?;
        Ok(self.required(&asked, asker.as_ref()))
    }

    fn required(&self, request: &ReviewRequest, asker: Option<&Asker>) -> Assurance {
        let settings = self.settings.in_force();
        let least = Assurance::parse(&settings.security.require).unwrap_or(Assurance::L1);
        let rules: Vec<_> = settings.security.require_for.iter().filter_map(|rule| Rule::parse(rule).ok()).collect();
        // What the client says of itself, and what the system does.
        let folders = [request.caller.workspace.as_str(), asker.map_or("", |asker| &asker.folder)];
        required(&request.ask, &folders, least, &rules)
    }

    /// As [`Self::needs`], of a request of the record.
    ///
    /// # Errors
    /// As [`Self::required_of`].
    pub(super) async fn needs_of(&self, request: RequestId) -> Result<Option<ApprovalNeeds>, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let asker = self.store.asker(request).await?;
        Ok(self.needs(&asked, asker.as_ref()).await)
    }

    /// Whether an approval of a request takes more than the act.
    pub(super) fn takes_more(&self, request: &ReviewRequest, asker: Option<&Asker>) -> bool {
        request.ask.approval && self.required(request, asker) > Assurance::L1
    }

    /// What an approval of a request takes besides the act; nothing where none is asked for.
    pub(super) async fn needs(&self, request: &ReviewRequest, asker: Option<&Asker>) -> Option<ApprovalNeeds> {
        if !self.takes_more(request, asker) {
            return None;
        }
        let required = self.required(request, asker);
        self.signing.look(required).await;
        self.signing.needs(required)
    }
}
