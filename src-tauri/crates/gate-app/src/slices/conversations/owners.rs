//! Whose sessions are, for agents: who may go on in one, who may read it, what they are listed. The person's commands
//! ask nothing of this.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use gate_core::owner::{May, may};
use gate_core::{AttachmentId, ConversationQuery, Fault, Found, Owner, OwnerId, Page, Place, RequestId, SessionUuid};
use gate_link::has_ended;
use gate_mcp::Change;
use gate_store::Owned;

use super::Conversations;
use crate::unknown::unknown_session;

/// Of how many requests it is kept in memory whose they are.
pub(super) const OWNERS: usize = 64;

/// The names of the tokens whose clients may read what is others'.
#[derive(Debug, Default)]
pub(crate) struct Readers(RwLock<HashSet<String>>);

impl Readers {
    /// Those from now on.
    pub(crate) fn set(&self, names: HashSet<String>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = names;
    }

    fn has(&self, caller: &Owner) -> bool {
        match &caller.id {
            OwnerId::Token(name) => self.0.read().unwrap_or_else(PoisonError::into_inner).contains(name),
            OwnerId::SharedToken | OwnerId::Process(_) | OwnerId::Relay(_) | OwnerId::Holder => false,
        }
    }
}

/// What of the record a caller is listed.
enum Listed<'a> {
    Everything,
    Own(&'a OwnerId),
    Nothing,
}

impl Conversations {
    /// Lets a caller go on in a session. It is theirs from now on where it was nobody's, or its owner's whose heir they
    /// are.
    pub(crate) async fn admit(&self, session: SessionUuid, caller: &Owner) -> Result<(), Fault> {
        match self.takes_up(self.store.owner_of_session(session).await?, caller).await? {
            true => Ok(()),
            false => Err(unknown_session(session)),
        }
    }

    /// The same with the session of a request: whether the caller may have it. Agents read an answered one again and
    /// again: whose it is changes only by what is done here.
    pub(crate) async fn admits_to(&self, request: RequestId, caller: &Owner) -> Result<bool, Fault> {
        if let Some(found) = self.owners.get(request) {
            return self.takes_up(Some(found), caller).await;
        }
        let since = self.owners.before_reading();
        let found = Box::pin(self.store.owner_of_request(request)).await?;
        if let Some(found) = &found {
            self.owners.keep(request, found, since);
        }
        self.takes_up(found, caller).await
    }

    /// Makes a session another's, as [`Store::hand_over`] does.
    ///
    /// [`Store::hand_over`]: gate_store::Store::hand_over
    async fn hand_over(&self, found: &Owned, to: Option<&Owner>) -> Result<bool, Fault> {
        let done = self.store.hand_over(found, to).await;
        // Where it failed, too: it may be in the record nevertheless.
        self.owners.clear();
        Ok(done?)
    }

    async fn takes_up(&self, found: Option<Owned>, caller: &Owner) -> Result<bool, Fault> {
        let Some(found) = found else { return Ok(false) };
        match may(found.owner.as_ref(), caller, has_ended) {
            None => Ok(false),
            Some(May::Own | May::Hold) => Ok(true),
            Some(May::Inherit) => Box::pin(self.inherits(&found, caller)).await,
        }
    }

    /// Makes a session an heir's. False where it is another's since.
    async fn inherits(&self, found: &Owned, heir: &Owner) -> Result<bool, Fault> {
        if self.hand_over(found, Some(heir)).await? {
            return Ok(true);
        }
        // Another heir was faster, or another call of this one.
        let now = self.store.owner_of_session(found.session_uuid).await?.and_then(|now| now.owner);
        Ok(now.is_some_and(|owner| owner.id == heir.id))
    }

    /// The person makes a session another's, or nobody's: then it is whose agent names it first.
    pub(crate) async fn give(&self, session: SessionUuid, to: Option<&Owner>) -> Result<(), Fault> {
        let mut given = false;
        while !given {
            let found = self.store.owner_of_session(session).await?.ok_or_else(|| unknown_session(session))?;
            given = self.hand_over(&found, to).await?;
        }
        self.sessions.leave(session);
        // To its new owner it has just come to be.
        self.bus.change(Change::Began(session));
        Ok(())
    }

    /// Whether a caller may read a session.
    pub(crate) async fn sees(&self, session: SessionUuid, caller: &Owner) -> Result<bool, Fault> {
        Ok(self.may_read(self.store.owner_of_session(session).await?, caller))
    }

    /// Whether a caller may read an attachment.
    pub(crate) async fn sees_attachment(&self, attachment: AttachmentId, caller: &Owner) -> Result<bool, Fault> {
        Ok(self.may_read(self.store.owner_of_attachment(attachment).await?, caller))
    }

    fn may_read(&self, found: Option<Owned>, caller: &Owner) -> bool {
        let may_have = |found: Owned| may(found.owner.as_ref(), caller, has_ended).is_some();
        found.is_some_and(|found| self.readers.has(caller) || may_have(found))
    }

    fn listed<'a>(&self, caller: &'a Owner) -> Listed<'a> {
        if self.readers.has(caller) {
            Listed::Everything
        } else if caller.id.has_lists() {
            Listed::Own(&caller.id)
        } else {
            Listed::Nothing
        }
    }

    /// A page of the conversations that a caller is listed.
    pub(crate) async fn page_of(
        &self,
        caller: &Owner,
        query: ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Found>, Fault> {
        match self.listed(caller) {
            Listed::Everything => self.page(&query, after).await,
            Listed::Own(owner) => self.page(&ConversationQuery { owner: Some(owner.clone()), ..query }, after).await,
            Listed::Nothing => Ok(Page { items: Vec::new(), next: None }),
        }
    }

    /// The sessions that a caller is listed whose identifier begins so, and how many there are in all.
    pub(crate) async fn sessions_like(
        &self,
        caller: &Owner,
        beginning: &str,
        most: u32,
    ) -> Result<(Vec<SessionUuid>, u64), Fault> {
        match self.listed(caller) {
            Listed::Everything => Ok(self.store.sessions_like(beginning, most, None).await?),
            Listed::Own(owner) => Ok(self.store.sessions_like(beginning, most, Some(owner)).await?),
            Listed::Nothing => Ok((Vec::new(), 0)),
        }
    }

    /// The same of attachments.
    pub(crate) async fn attachments_like(
        &self,
        caller: &Owner,
        beginning: &str,
        most: u32,
    ) -> Result<(Vec<AttachmentId>, u64), Fault> {
        match self.listed(caller) {
            Listed::Everything => Ok(self.store.attachments_like(beginning, most, None).await?),
            Listed::Own(owner) => Ok(self.store.attachments_like(beginning, most, Some(owner)).await?),
            Listed::Nothing => Ok((Vec::new(), 0)),
        }
    }
}
