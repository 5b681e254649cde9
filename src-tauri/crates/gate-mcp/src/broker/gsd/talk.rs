//! What is said in a review, and what happened in it.

use std::collections::VecDeque;

use gate_core::proposal::{ReviewEvent, ReviewId, StoredMessage, StoredRound, ThreadMessageId, bounds};
use gate_core::{Digest, Fault, Timestamp};
use serde_json::json;

use super::input::Message;
use super::refused::told;
use super::views::{EventView, MessageView, MomentView, project};
use super::words;
use crate::broker::answer::{Call, Told};
use crate::broker::port::{Said, SaidAt};

/// Messages that are read together.
const READ_AT_ONCE: usize = 500;
/// Bytes of the messages of one result.
const BODIES: usize = 1024 * 1024;

/// `add_message`.
pub(super) async fn add(call: &Call<'_>, message: Message) -> Result<Told, Fault> {
    let Message { review, body, has_more } = message;
    let message_id = named_by(&call.caller.whose.call_key);
    let said = Said { at: SaidAt::Review, body, resolve: None, message_id: Some(message_id) };
    let (said, _) = told(call, review, call.port.say(&call.caller, review, said).await).await?;
    let mut fields = json!({ "message_id": message_id, "review_id": review, "round": said.round });
    if has_more {
        fields["asides"] = json!(["`metadata` isn't kept: say it in the body."]);
    }
    Told::alone(&fields)
}

/// The identifier of the message that a call says: the same where the same call comes again.
fn named_by(call_key: &str) -> ThreadMessageId {
    let digest = Digest::of_bytes(call_key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_bytes()[..16]);
    ThreadMessageId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// `get_discussion`.
pub(super) async fn discussion(call: &Call<'_>, (review, round): (ReviewId, Option<u32>)) -> Result<Told, Fault> {
    let (rounds, _) = call.port.patches(&call.caller, review).await?;
    let (mut after, mut limit, mut newest) = (0, READ_AT_ONCE, Newest::default());
    let threads = loop {
        let (threads, mut messages) = call.port.messages(&call.caller, review, after, limit).await?;
        let is_all = messages.len() < limit;
        if !is_all {
            // Comments of one verdict have one event: they are read together.
            let last = messages.last().map(|message| message.event);
            messages.retain(|message| Some(message.event) != last);
        }
        match messages.last() {
            Some(last) => after = last.event,
            None => limit = limit.saturating_mul(2),
        }
        for message in messages {
            let of = round_of(&rounds, message.created_at);
            if round.is_none_or(|round| round == of) {
                newest.push(message, of);
            }
        }
        if is_all {
            break threads;
        }
    };
    let view = |(message, of): &(StoredMessage, u32)| json!(MessageView::of(message, *of, &threads));
    let messages: Vec<_> = newest.kept.iter().map(view).collect();
    Told::alone(&json!({ "review_id": review, "messages": messages, "count": messages.len() }))
}

/// The round that was the newest then.
fn round_of(rounds: &[StoredRound], at: Timestamp) -> u32 {
    rounds.iter().take_while(|round| round.created_at <= at).last().map_or(1, |round| round.round)
}

/// The newest messages, within the bounds of a result.
#[derive(Default)]
struct Newest {
    kept: VecDeque<(StoredMessage, u32)>,
    bytes: usize,
}

impl Newest {
    fn push(&mut self, message: StoredMessage, round: u32) {
        self.bytes = self.bytes.saturating_add(message.body.len());
        self.kept.push_back((message, round));
        while self.kept.len() > bounds::WHOLE_LIST || self.bytes > BODIES {
            let Some((oldest, _)) = self.kept.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.body.len());
        }
    }
}

/// `get_audit_log`.
pub(super) async fn audit_log(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let last = call.port.look(&call.caller, review).await?.review.event;
    let events = newest(call, review, last).await?;
    let told: Vec<_> = views(&events).collect();
    Told::alone(&json!({ "review_id": review, "events": told, "count": told.len() }))
}

/// `get_review_timeline`.
pub(super) async fn timeline(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let look = call.port.look(&call.caller, review).await?;
    let events = newest(call, review, look.review.event).await?;
    let told: Vec<_> = views(&events).map(MomentView::from).collect();
    Told::alone(&json!({
        "review_id": review,
        "intent": look.intent,
        "current_status": words::standing(look.review.status),
        "project": project(&look.labels),
        "category": look.review.category,
        "events": told,
        "event_count": told.len(),
    }))
}

/// The newest events of a review whose last one has this number, in their order.
async fn newest(call: &Call<'_>, review: ReviewId, last: u64) -> Result<Vec<ReviewEvent>, Fault> {
    let most = u64::try_from(bounds::WHOLE_LIST).unwrap_or(u64::MAX);
    call.port.events(&call.caller, review, last.saturating_sub(most), bounds::WHOLE_LIST).await
}

/// Each event, with where the review stood before it.
fn views(events: &[ReviewEvent]) -> impl Iterator<Item = EventView<'_>> {
    let before = std::iter::once(None).chain(events.iter().map(words::since));
    events.iter().zip(before).map(|(event, before)| EventView::of(event, before))
}

#[cfg(test)]
mod tests {
    use gate_core::proposal::ReviewRole;

    use super::*;

    fn message(event: u64, body: String) -> StoredMessage {
        let message_id = named_by(&event.to_string());
        let (author, created_at) = ("codex".to_owned(), Timestamp(0));
        StoredMessage { message_id, thread_id: None, role: ReviewRole::Reviewer, author, body, created_at, event }
    }

    #[test]
    fn of_many_or_long_messages_the_newest_are_told() {
        let mut newest = Newest::default();
        for event in 0..600 {
            newest.push(message(event, "x".to_owned()), 1);
        }
        let kept: Vec<_> = newest.kept.iter().map(|(message, _)| message.event).collect();
        assert_eq!(kept, (100..600).collect::<Vec<_>>(), "the newest 500, in their order");
        let mut newest = Newest::default();
        for event in 0..20 {
            newest.push(message(event, "x".repeat(bounds::BODY_BYTES)), 1);
        }
        let kept: Vec<_> = newest.kept.iter().map(|(message, _)| message.event).collect();
        assert_eq!(kept, (4..20).collect::<Vec<_>>(), "as many of the longest as fit");
    }

    #[test]
    fn a_call_names_its_message_and_another_call_another() {
        assert_eq!(named_by("relay:1"), named_by("relay:1"), "a call that comes again says nothing twice");
        assert_ne!(named_by("relay:1"), named_by("relay:2"));
    }
}
