//! The record as agents read it again: a reply is in it as its receipt has it, and nothing of one that is held back, was
//! revoked, or wasn't given here.

use std::collections::{BTreeMap, HashMap};

use gate_core::search::{Words, said};
use gate_core::{
    Assurance, AttachmentId, Fault, Found, Hit, Message, Page, Reply, RequestId, RequestKind, RequestStatus, Role,
    Timestamp, Withheld,
};

use super::Requests;
use super::receipted::Known;

impl Requests {
    /// A page of messages as agents may know it.
    ///
    /// # Errors
    /// When record or receipts can't be read.
    pub(crate) async fn as_agents_know(&self, mut page: Page<Message>) -> Result<Page<Message>, Fault> {
        let is_open = |message: &Message| message.status.is_some_and(|status| status != RequestStatus::Answered);
        let looked_at = page.items.iter().filter(|message| !message.note && message.imported_at.is_none());
        // Of a question whose reply is on another page nothing is known but when it was asked.
        let mut asked: BTreeMap<RequestId, Timestamp> = BTreeMap::new();
        for message in looked_at.filter(|message| !is_open(message)) {
            let at = asked.entry(message.request_id).or_insert(message.created_at);
            *at = (*at).max(message.created_at);
        }
        let known = self.all_known(asked).await?;
        for message in &mut page.items {
            // Of a permission that says what stands in the person's files, which whoever asks may not be able to read.
            if message.has_diff {
                let standing = self.store.standing(message.request_id).await?;
                message.has_diff = standing.is_none_or(|standing| standing.kind != RequestKind::Permission);
            }
        }
        page.items.retain_mut(|message| match known.get(&message.request_id) {
            // A note decides nothing, whatever stands beside it.
            _ if message.note => {
                message.decision = None;
                true
            }
            None => true,
            Some(known) if message.role == Role::Person => known.tell(message),
            Some(known) => {
                message.status = known.status().or(message.status);
                true
            }
        });
        Ok(page)
    }

    /// What was found by these words as agents may find it: what is shown around them is of the reply that was compared,
    /// not as it was read when it was found.
    ///
    /// # Errors
    /// When record or receipts can't be read.
    pub(crate) async fn as_agents_find(
        &self,
        mut page: Page<Found>,
        words: Option<&Words>,
    ) -> Result<Page<Found>, Fault> {
        let by_person = |hit: &&Hit| hit.role == Role::Person;
        let hits: Vec<i64> = page
            .items
            .iter()
            .filter_map(|found| found.hit.as_ref().filter(by_person))
            .map(|hit| hit.message_id)
            .collect();
        if hits.is_empty() {
            return Ok(page);
        }
        let replies = self.store.answered_by(&hits).await?;
        let asked = replies.iter().filter_map(|reply| Some((reply.request_id?, reply.created_at)));
        let known = self.all_known(asked.collect()).await?;
        let requests: HashMap<i64, Option<RequestId>> =
            replies.into_iter().map(|reply| (reply.message_id, reply.request_id)).collect();
        page.items.retain_mut(|found| {
            let Some(hit) = found.hit.as_mut().filter(|hit| hit.role == Role::Person) else { return true };
            // What was taken back since it was found isn't among them.
            let Some(request) = requests.get(&hit.message_id) else { return false };
            match request.map(|request| known.get(&request)) {
                // A note, which has no receipt; what is from before there were any.
                None | Some(Some(Told::Before)) => true,
                Some(Some(Told::Given(reply))) => {
                    let text = said(&reply.text, &reply.selected, &reply.comments, &reply.remarks);
                    hit.pieces = words.map(|words| words.piece_of(&text)).unwrap_or_default();
                    true
                }
                Some(Some(Told::Withheld(_) | Told::Nothing(_)) | None) => false,
            }
        });
        Ok(page)
    }

    /// Whether a file belongs to a reply that agents may have: its bytes are compared each time.
    ///
    /// # Errors
    /// When record or receipts can't be read.
    pub(crate) async fn gives(&self, attachment: AttachmentId) -> Result<bool, Fault> {
        let Some(request) = self.store.request_of_attachment(attachment).await? else { return Ok(false) };
        Ok(match self.known(request).await? {
            Some(Known::So(standing) | Known::Unsure(standing)) => {
                let files = standing.reply.iter().flat_map(|reply| &reply.attachments);
                files.into_iter().any(|file| file.attachment_id == attachment)
            }
            Some(Known::Before) => true,
            Some(Known::Revoked(_) | Known::Foreign) | None => false,
        })
    }

    /// What agents may know of these requests, by when each was answered or, where that isn't known, asked.
    async fn all_known(&self, asked: BTreeMap<RequestId, Timestamp>) -> Result<HashMap<RequestId, Told>, Fault> {
        let mut known = HashMap::with_capacity(asked.len());
        if asked.is_empty() {
            return Ok(known);
        }
        // History is told from the rest at once: a page may be full of it.
        let before = self.receipts.those_before(asked.iter().map(|(request, at)| (*request, *at)).collect()).await?;
        for request in asked.into_keys() {
            if before.contains(&request) {
                known.insert(request, Told::Before);
                continue;
            }
            let told = match self.known_again(request).await? {
                None => continue,
                Some(Known::Before) => Told::Before,
                Some(Known::Foreign) => Told::Withheld(Withheld::NotGivenHere),
                Some(Known::Revoked(_)) => Told::Withheld(Withheld::Revoked),
                Some(Known::So(standing) | Known::Unsure(standing)) => match standing.reply {
                    Some(reply) => Told::Given(Box::new(reply)),
                    None => Told::Nothing(standing.status),
                },
            };
            known.insert(request, told);
        }
        Ok(known)
    }
}

/// What agents read of a reply.
#[derive(Debug)]
enum Told {
    /// It was given here, and is this.
    Given(Box<Reply>),
    /// It is from before there were receipts.
    Before,
    /// Why nothing of it is read.
    Withheld(Withheld),
    /// There is none: the request stands so.
    Nothing(RequestStatus),
}

impl Told {
    /// What a question says that became of it; absent where that is as the record has it.
    fn status(&self) -> Option<RequestStatus> {
        match self {
            Self::Given(_) | Self::Before | Self::Withheld(Withheld::NotGivenHere) => None,
            Self::Withheld(Withheld::Revoked) => Some(RequestStatus::Cancelled),
            Self::Nothing(status) => Some(*status),
        }
    }

    /// Makes a message what agents may read of it. False where there is nothing.
    fn tell(&self, message: &mut Message) -> bool {
        match self {
            // Not as it was read with the page: that may be another by now than what was compared.
            Self::Given(reply) => {
                let Reply { decision, text, selected, comments, remarks, attachments, .. } = &**reply;
                message.decision = *decision;
                text.clone_into(&mut message.text);
                selected.clone_into(&mut message.selected);
                comments.clone_into(&mut message.comments);
                remarks.clone_into(&mut message.remarks);
                attachments.clone_into(&mut message.attachments);
                message.answered_from = Some(reply.answered_from);
                message.assurance = Some(reply.assurance);
                message.imported_at = reply.imported_at;
                true
            }
            Self::Before => {
                message.assurance = Some(Assurance::L0);
                true
            }
            Self::Withheld(why) => {
                *message = withheld(message, *why);
                true
            }
            Self::Nothing(_) => false,
        }
    }
}

/// A message without anything that it said.
fn withheld(message: &Message, why: Withheld) -> Message {
    Message {
        message_id: message.message_id,
        request_id: message.request_id,
        role: message.role,
        note: message.note,
        created_at: message.created_at,
        superseded: message.superseded,
        withheld: Some(why),
        text: String::new(),
        title: None,
        status: None,
        has_diff: false,
        permission: None,
        decision: None,
        selected: Vec::new(),
        comments: Vec::new(),
        remarks: Vec::new(),
        attachments: Vec::new(),
        answered_from: None,
        assurance: None,
        imported_at: None,
    }
}
