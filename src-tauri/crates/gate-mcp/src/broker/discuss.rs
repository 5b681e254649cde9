//! Talking about a review: messages in threads, and patches that a reviewer offers.

use std::collections::HashSet;

use gate_core::proposal::{
    PatchId, PatchStatus, ReviewId, ReviewRole, StoredMessage, StoredPatch, StoredRound, StoredThread, ThreadId, bounds,
};
use gate_core::{Code, Digest, Fault, page::bad_cursor};

use super::PAGE_BYTES;
use super::advice;
use super::answer::{Call, News, Told};
use super::input::Heard;
use super::pages;
use super::port::{OfferedPatch, Said};
use super::views::{MessageView, MessagesView, Nothing, OfferedView, PatchView, PatchesView, SaidView, ThreadView};
use crate::cursor;
use crate::port::ConnectionPort;

/// Messages that are looked at together.
const LOOKED_AT: usize = 200;
/// Messages on a page.
const MESSAGES: usize = 50;
/// Rounds and patches on a page.
const PATCHES: usize = 50;

/// `post_message`.
pub(super) async fn post(call: &Call<'_>, (review, said): (ReviewId, Said)) -> Result<Told, Fault> {
    let (review, thread_id) = call.port.say(&call.caller, review, said).await?;
    let next = format!("get_messages with since {} and wait tells you of an answer.", review.event);
    Ok(Told::of(&review, &SaidView { thread_id })?.next(next))
}

/// Where a page of messages begins: after an event, of whose next one some were told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    after: u64,
    /// Messages after that event that were told.
    told: usize,
}

/// `get_messages`.
pub(super) async fn messages(call: &Call<'_>, heard: Heard) -> Result<Told, Fault> {
    let Heard { review, since, unresolved, cursor, wait } = heard;
    let gate: &dyn ConnectionPort = call.called.gate;
    let list = format!("messages {review} {unresolved} {since:?}");
    let place = match cursor.as_deref() {
        Some(cursor) => opened(gate, &list, cursor)?,
        None => Place { after: since.unwrap_or(0), told: 0 },
    };
    let mut look = call.port.look(&call.caller, review).await?;
    let mut page = MessagePage::read(call, review, place, unresolved).await?;
    let (mut changed, mut next) = (None, None);
    if wait.is_on && cursor.is_none() && (since.is_none() || page.messages.is_empty()) {
        let says = format!("Waiting for a message (review {review}).");
        let after = since.unwrap_or(look.review.event);
        let happened = call.port.happened(&call.caller, review, after);
        let is_persons = look.review.turn == gate_core::proposal::Turn::Person;
        let news = call.wait(wait, is_persons, &says, happened).await?;
        changed = Some(matches!(news, News::Came(())));
        match news {
            News::Came(()) => {
                look = call.port.look(&call.caller, review).await?;
                page = MessagePage::read(call, review, place, unresolved).await?;
            }
            News::Nothing => next = Some(advice::again(&look.review)),
            News::Away => next = Some(advice::AWAY.to_owned()),
        }
    }
    let next_cursor = page.next.map(|next| cursor::seal_text(gate, &list, &format!("{} {}", next.after, next.told)));
    let next_cursor = next_cursor.transpose()?;
    let next = match next_cursor.is_some() {
        true => "There are more: call again with next_cursor.".to_owned(),
        false => next.unwrap_or_else(|| advice::next(&look.review, look.role, call.port.is_away())),
    };
    let named: HashSet<ThreadId> = page.messages.iter().filter_map(|message| message.thread_id).collect();
    let view = MessagesView {
        messages: page.messages.iter().map(MessageView::of).collect(),
        threads: page.threads.iter().filter(|thread| named.contains(&thread.thread_id)).map(ThreadView::of).collect(),
        next_cursor,
        changed,
    };
    Ok(Told::of(&look.review, &view)?.next(next))
}

fn opened(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<Place, Fault> {
    let text = cursor::open_text(gate, list, cursor)?;
    let (after, told) = text.split_once(' ').ok_or_else(bad_cursor)?;
    let place = after.parse().ok().zip(told.parse().ok()).map(|(after, told)| Place { after, told });
    place.ok_or_else(bad_cursor)
}

/// Messages of one page, and all threads.
struct MessagePage {
    messages: Vec<StoredMessage>,
    threads: Vec<StoredThread>,
    next: Option<Place>,
}

impl MessagePage {
    /// Reads until the page is full, or there are no more.
    async fn read(call: &Call<'_>, review: ReviewId, from: Place, unresolved: bool) -> Result<Self, Fault> {
        let mut page = Self { messages: Vec::new(), threads: Vec::new(), next: None };
        let (mut place, mut left) = (from, PAGE_BYTES);
        loop {
            let limit = place.told.saturating_add(LOOKED_AT);
            let (threads, messages) = call.port.messages(&call.caller, review, place.after, limit).await?;
            let is_all = messages.len() < limit;
            page.threads = threads;
            for message in messages.into_iter().skip(place.told) {
                if unresolved && !page.is_open(&message) {
                    place = place.past(message.event);
                    continue;
                }
                const FIELDS: usize = 250;
                let size = FIELDS.saturating_add(message.body.len());
                // One is on every page, or the next would never come.
                let fits = page.messages.is_empty() || (size <= left && page.messages.len() < MESSAGES);
                if !fits {
                    page.next = Some(place);
                    return Ok(page);
                }
                left = left.saturating_sub(size);
                place = place.past(message.event);
                page.messages.push(message);
            }
            if is_all {
                return Ok(page);
            }
        }
    }

    fn is_open(&self, message: &StoredMessage) -> bool {
        let of = |thread: &&StoredThread| Some(thread.thread_id) == message.thread_id;
        self.threads.iter().find(of).is_some_and(|thread| !thread.resolved)
    }
}

impl Place {
    /// After one more message, of this event: a verdict's comments have all the same.
    fn past(self, event: u64) -> Self {
        let before = event.saturating_sub(1);
        match before > self.after {
            true => Self { after: before, told: 1 },
            false => Self { told: self.told.saturating_add(1), ..self },
        }
    }
}

/// `submit_patch`.
pub(super) async fn offer(call: &Call<'_>, (review, patch): (ReviewId, OfferedPatch)) -> Result<Told, Fault> {
    let approves = patch.approves;
    let (review, patch_id) = call.port.offer_patch(&call.caller, review, patch).await?;
    let next = match approves {
        true => {
            format!("Accepting it is your approval. get_review_status with since {} and wait tells you.", review.event)
        }
        false => "The proposer sees it. submit_verdict still decides on the round as it is.".to_owned(),
    };
    Ok(Told::of(&review, &OfferedView { patch_id })?.next(next))
}

/// A round or a patch, as the list of both has it.
struct Entry<'a> {
    view: PatchView<'a>,
    sha256: Option<Digest>,
}

/// `get_patch`.
pub(super) async fn patches(
    call: &Call<'_>,
    (review, patch, cursor): (ReviewId, Option<PatchId>, Option<String>),
) -> Result<Told, Fault> {
    let gate: &dyn ConnectionPort = call.called.gate;
    let list = format!("patches {review} {patch:?}");
    let (mut index, mut from) = match cursor.as_deref() {
        Some(cursor) => {
            let text = cursor::open_text(gate, &list, cursor)?;
            let (index, from) = text.split_once(' ').ok_or_else(bad_cursor)?;
            index.parse::<usize>().ok().zip(from.parse::<usize>().ok()).ok_or_else(bad_cursor)?
        }
        None => (0, 0),
    };
    let look = call.port.look(&call.caller, review).await?;
    let (rounds, offered) = call.port.patches(&call.caller, review).await?;
    let mut entries = entries(&rounds, &offered);
    if let Some(patch) = patch {
        entries.retain(|entry| entry.view.patch_id == Some(patch));
        if entries.is_empty() {
            return Err(unknown_patch(patch));
        }
    }
    let (mut left, mut shown, mut next) = (bounds::DIFF_PAGE_BYTES, Vec::new(), None);
    for Entry { mut view, sha256 } in entries.into_iter().skip(index) {
        let description = view.description.map_or(0, str::len);
        if !shown.is_empty() && (left <= description || shown.len() >= PATCHES) {
            next = Some((index, from));
            break;
        }
        left = left.saturating_sub(description);
        let text = match sha256 {
            Some(sha256) => call.port.diff(&call.caller, review, sha256).await?,
            None => String::new(),
        };
        let page = pages::page(&text, from, left);
        // What fits whole on a page of its own isn't torn.
        if !shown.is_empty() && page.next.is_some() {
            next = Some((index, from));
            break;
        }
        left = left.saturating_sub(page.text.len());
        view.patch_diff = page.text.to_owned();
        view.cut = page.next.is_some();
        let rest = page.next;
        shown.push(view);
        match rest {
            Some(rest) => {
                next = Some((index, rest));
                break;
            }
            None => (index, from) = (index + 1, 0),
        }
    }
    let next_cursor =
        next.map(|(index, from)| cursor::seal_text(gate, &list, &format!("{index} {from}"))).transpose()?;
    let advice = match next_cursor.is_some() {
        true => "There is more: call again with next_cursor.".to_owned(),
        false
            if look.role == ReviewRole::Proposer && shown.iter().any(|view| view.status == Some(PatchStatus::Open)) =>
        {
            "accept_counter_patch makes an open patch your next round; reject_counter_patch does without it.".to_owned()
        }
        false => advice::next(&look.review, look.role, call.port.is_away()),
    };
    Ok(Told::of(&look.review, &PatchesView { patches: shown, next_cursor })?.next(advice))
}

/// Rounds and patches, by when they came. A patch that became a round is that round.
fn entries<'a>(rounds: &'a [StoredRound], offered: &'a [StoredPatch]) -> Vec<Entry<'a>> {
    let of_round = |round: &'a StoredRound| Entry {
        view: PatchView {
            round: round.round,
            patch_id: round.patch_id,
            status: None,
            approves: false,
            role: if round.patch_id.is_some() { ReviewRole::Reviewer } else { ReviewRole::Proposer },
            author: &round.author,
            description: round.description.as_deref().map(cut),
            created_at: round.created_at,
            patch_diff: String::new(),
            cut: false,
        },
        sha256: round.diff_sha256,
    };
    let of_patch = |patch: &'a StoredPatch| Entry {
        view: PatchView {
            round: patch.round,
            patch_id: Some(patch.patch_id),
            status: Some(patch.status),
            approves: patch.approves,
            role: ReviewRole::Reviewer,
            author: &patch.author,
            description: patch.description.as_deref().map(cut),
            created_at: patch.created_at,
            patch_diff: String::new(),
            cut: false,
        },
        sha256: Some(patch.diff_sha256),
    };
    let became = |patch: &&StoredPatch| rounds.iter().any(|round| round.patch_id == Some(patch.patch_id));
    let offered = offered.iter().filter(|patch| !became(patch)).map(of_patch);
    let mut entries: Vec<_> = rounds.iter().map(of_round).chain(offered).collect();
    entries.sort_by_key(|entry| entry.view.created_at);
    entries
}

/// A description within its bound on a page of several.
fn cut(description: &str) -> &str {
    const BYTES: usize = 4 * 1024;
    &description[..description.floor_char_boundary(BYTES)]
}

fn unknown_patch(patch: PatchId) -> Fault {
    Fault::new(
        Code::UnknownPatch,
        format!("The review has no patch {patch}."),
        "Call get_patch without patch_id for all of them.",
    )
}

/// `accept_counter_patch`.
pub(super) async fn accept(
    call: &Call<'_>,
    (review, patch, reason): (ReviewId, Option<PatchId>, Option<String>),
) -> Result<Told, Fault> {
    let review = call.port.accept_patch(&call.caller, review, patch, reason).await?;
    let told = Told::of(&review, &Nothing { changed: None })?;
    Ok(told.next(advice::next(&review, ReviewRole::Proposer, call.port.is_away())))
}

/// `reject_counter_patch`.
pub(super) async fn reject(
    call: &Call<'_>,
    (review, patch, reason): (ReviewId, Option<PatchId>, Option<String>),
) -> Result<Told, Fault> {
    let review = call.port.reject_patch(&call.caller, review, patch, reason).await?;
    let told = Told::of(&review, &Nothing { changed: None })?;
    Ok(told.next(advice::next(&review, ReviewRole::Proposer, call.port.is_away())))
}
