//! Reviews as the person is shown them: texts parsed, names with nothing in them that hides. Who is a program of the
//! person's pool is known by its party, never by its name.

use std::collections::{HashMap, HashSet};

use gate_api::subjects::reviews::{
    ReviewMessage, ReviewPatch, ReviewPatchView, ReviewRound, ReviewThread, ReviewVerdict, ReviewView,
};
use gate_core::diff;
use gate_core::markdown::{self, visible};
use gate_core::proposal::{
    ApprovedBy, EventKind, POOL, PatchId, ReviewId, ReviewRole, ReviewStatus, ReviewStore as _, ReviewSummary,
    StoredMessage, StoredPatch, StoredRound, StoredVerdict, ThreadId, bounds, unknown_review,
};
use gate_core::{Code, Decision, Fault, Timestamp};

use super::Reviews;
use super::following::followed;
use crate::work::blocking;

/// A review in a few words, with names as they are shown.
pub(super) fn shown(review: ReviewSummary) -> ReviewSummary {
    ReviewSummary {
        proposer: name(&review.proposer),
        holder: review.holder.as_deref().map(name),
        workspace: visible(&review.workspace),
        ..review
    }
}

/// A client's name as a person reads it. One that isn't plain stands in a sentence that says so (`Party::label`), and
/// that stays whole: within it no name is a known one.
fn name(client: &str) -> String {
    match client.is_ascii() {
        true => visible(&gate_core::clients::display_name(client)),
        false => visible(client),
    }
}

/// As whose it is kept what is sure to be the person's (`Given::author`).
const THE_PERSON: &str = "the person";
/// How their names begin, which anybody may say.
const POOL_NAME: &str = "pool/";
/// Most events of a review that are looked through for the pool's.
const EVENTS: usize = 20_000;

/// What in a review is the pool's.
#[derive(Debug, Default)]
struct OfPool {
    /// The numbers of its acts.
    events: HashSet<u64>,
    /// When it gave verdicts.
    verdicts: HashSet<Timestamp>,
    /// Its patches.
    patches: HashSet<String>,
}

impl OfPool {
    /// A name as a person reads it. What the pool's programs have before theirs is said beside it.
    fn named(is_pool: bool, author: &str) -> String {
        name(author.strip_prefix(POOL_NAME).filter(|_| is_pool).unwrap_or(author))
    }
}

impl Reviews {
    /// A review with one of its rounds.
    pub(super) async fn view(&self, review: ReviewId, round: Option<u32>) -> Result<ReviewView, Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let rounds = self.store.rounds(review, 1).await?;
        let wanted = round.unwrap_or(stored.summary.round);
        let found = rounds.iter().find(|found| found.round == wanted).ok_or_else(|| {
            let message =
                format!("There is no round {wanted}: the review has the rounds 1 to {}.", stored.summary.round);
            Fault::new(Code::InvalidInput, message, "Leave it out for the newest one.")
        })?;
        let text = self.text_of(found.diff_sha256).await?;
        let before = match rounds.iter().find(|before| before.round.saturating_add(1) == wanted) {
            Some(before) => self.text_of(before.diff_sha256).await?,
            None => String::new(),
        };
        let threads = self.store.threads(review).await?;
        let earlier = self.earlier(&threads, &rounds, wanted).await?;
        let (diff, mut follow) = match text.is_empty() {
            true => (None, HashMap::new()),
            false => {
                let compared = move || {
                    let diff = diff::view_since(&text, Some(before.as_str()).filter(|text| !text.is_empty()))?;
                    let follow = followed(&earlier, &diff);
                    Ok((Some(diff), follow))
                };
                blocking(compared).await?
            }
        };
        let verdicts = self.store.verdicts(review).await?;
        let patches = self.store.patches(review).await?;
        let most = usize::try_from(bounds::MESSAGES).unwrap_or(usize::MAX);
        let messages = self.store.review_messages(review, 0, most).await?;
        let description = found.description.as_deref().map(markdown::parse);
        let authors = verdicts.iter().map(|verdict| &verdict.author).chain(patches.iter().map(|patch| &patch.author));
        let mut authors = authors.chain(messages.iter().map(|message| &message.author));
        let pool = match authors.any(|author| author.starts_with(POOL_NAME)) {
            true => self.of_pool(review).await?,
            false => OfPool::default(),
        };
        let mut said: HashMap<Option<ThreadId>, Vec<ReviewMessage>> = HashMap::new();
        for message in messages {
            said.entry(message.thread_id).or_default().push(said_as(message, &pool));
        }
        let (runs, failed_runs) = self.counted_runs(review).await?;
        let overlaps = self.overlapping(&stored.summary).await?;
        let applied = self.applied_of(&stored.summary).await?;
        let threads = threads.into_iter().map(|thread| ReviewThread {
            messages: said.remove(&Some(thread.thread_id)).unwrap_or_default(),
            thread_id: thread.thread_id,
            round: thread.round,
            place: thread.anchor,
            follows: follow.remove(&thread.thread_id),
            resolved: thread.resolved,
        });
        Ok(ReviewView {
            threads: threads.collect(),
            messages: said.remove(&None).unwrap_or_default(),
            review: shown(stored.summary),
            intent: stored.intent,
            description,
            labels: stored.labels,
            round: wanted,
            rounds: rounds.into_iter().map(round_as).collect(),
            diff,
            verdicts: verdicts.into_iter().map(|verdict| verdict_as(verdict, &pool)).collect(),
            patches: patches.into_iter().map(|patch| patch_as(patch, &pool)).collect(),
            asked: stored.state.asked,
            request_id: stored.request_id,
            deciding: stored.state.held.map(|held| match held.approved {
                true => Decision::Approved,
                false => Decision::ChangesRequested,
            }),
            pool_holds: stored.state.claim.is_some_and(|claim| claim.holder.starts_with(POOL)),
            runs,
            failed_runs,
            applied,
            overlaps,
        })
    }

    /// Other reviews that change a file that this one does, as they are shown.
    async fn overlapping(&self, review: &ReviewSummary) -> Result<Vec<ReviewSummary>, Fault> {
        // Of one that was applied the files are kept, and are in nobody's way.
        if review.status == ReviewStatus::Closed {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for other in self.store.overlaps(review.review_id).await? {
            found.extend(self.store.review(other).await?.map(|other| shown(other.summary)));
        }
        Ok(found)
    }

    /// What in a review is the pool's, by the parties of its events.
    async fn of_pool(&self, review: ReviewId) -> Result<OfPool, Fault> {
        let mut found = OfPool::default();
        let events = self.store.review_events(review, 0, EVENTS).await?;
        for event in events {
            if !event.party.as_deref().is_some_and(|party| party.starts_with(POOL)) {
                continue;
            }
            found.events.insert(event.n);
            if event.kind == EventKind::Verdict.as_str() {
                found.verdicts.insert(event.at);
            }
            found.patches.extend(event.data.get("patch_id").and_then(|id| id.as_str()).map(str::to_owned));
        }
        Ok(found)
    }

    /// A patch of a review with what it changes.
    pub(super) async fn patch_view(&self, review: ReviewId, patch: PatchId) -> Result<ReviewPatchView, Fault> {
        let patches = self.store.patches(review).await?;
        let found = patches.into_iter().find(|found| found.patch_id == patch).ok_or_else(|| {
            let message = format!("No patch of this review has the id {patch}.");
            Fault::new(Code::UnknownPatch, message, "Open the review again; it names those that there are.")
        })?;
        let text = self.text_of(Some(found.diff_sha256)).await?;
        let diff = blocking(move || diff::view(&text)).await?;
        let pool = match found.author.starts_with(POOL_NAME) {
            true => self.of_pool(review).await?,
            false => OfPool::default(),
        };
        Ok(ReviewPatchView { patch: patch_as(found, &pool), diff })
    }
}

fn said_as(message: StoredMessage, of: &OfPool) -> ReviewMessage {
    let pool = of.events.contains(&message.event);
    ReviewMessage {
        message_id: message.message_id,
        role: message.role,
        author: OfPool::named(pool, &message.author),
        pool,
        sure: message.role == ReviewRole::Person && message.author == THE_PERSON,
        body: markdown::parse(&message.body),
        created_at: message.created_at,
    }
}

fn round_as(round: StoredRound) -> ReviewRound {
    ReviewRound {
        round: round.round,
        author: name(&round.author),
        fits: round.checked.fits,
        base: round.checked.base,
        warnings: round.checked.warnings,
        patch_id: round.patch_id,
        carried_from: round.carried_from,
        created_at: round.created_at,
    }
}

fn verdict_as(verdict: StoredVerdict, of: &OfPool) -> ReviewVerdict {
    let pool = of.verdicts.contains(&verdict.created_at) && verdict.author.starts_with(POOL_NAME);
    ReviewVerdict {
        round: verdict.round,
        decision: verdict.decision,
        reason: verdict.reason.as_deref().map(markdown::parse),
        by: verdict.by,
        author: OfPool::named(pool, &verdict.author),
        pool,
        sure: verdict.by == ApprovedBy::Person && verdict.author == THE_PERSON,
        created_at: verdict.created_at,
    }
}

fn patch_as(patch: StoredPatch, of: &OfPool) -> ReviewPatch {
    let pool = of.patches.contains(&patch.patch_id.to_string());
    ReviewPatch {
        patch_id: patch.patch_id,
        round: patch.round,
        description: patch.description.as_deref().map(markdown::parse),
        approves: patch.approves,
        status: patch.status,
        author: OfPool::named(pool, &patch.author),
        pool,
        created_at: patch.created_at,
    }
}

#[cfg(test)]
mod tests {
    use gate_core::diff::Since;
    use gate_core::proposal::{
        Act, Acting, Actor, Anchor, Brought, Claimed, MessagePlace, NewMessage, Party, ThreadMessageId, Verdict,
    };
    use gate_core::reply::Side;
    use gate_core::{AnsweredFrom, Caller, Declared, Owner, OwnerId, Process};
    use gate_mcp::{BrokerPort as _, ProposedChange, ReviewCaller, SubmittedProposal, Whose};
    use uuid::Uuid;

    use super::*;
    use crate::slices::Gate;
    use crate::tests::{Outcome, gate};

    fn caller(client: &str) -> ReviewCaller {
        let owner = Owner { id: OwnerId::Token(client.to_owned()), heirs: None };
        ReviewCaller {
            party: Party::of(&owner, client, "/w"),
            whose: Whose {
                session_uuid: None,
                caller: Caller {
                    client: client.to_owned(),
                    client_version: "1".to_owned(),
                    workspace: "/w".to_owned(),
                },
                declared: Declared::default(),
                agent: None,
                owner,
                call_key: format!("{client}:{}", Uuid::now_v7()),
            },
            folder: Some("/w".to_owned()),
            digest: None,
        }
    }

    /// A new review, or the next round of one.
    async fn proposed(gate: &Gate, review_id: Option<ReviewId>, diff: &str) -> Result<ReviewId, Fault> {
        let proposal = SubmittedProposal {
            intent: "Try again.".to_owned(),
            change: ProposedChange::Diff(diff.to_owned()),
            description: None,
            base: None,
            category: None,
            priority: None,
            labels: std::collections::BTreeMap::new(),
            review_id,
            round: None,
            parent_id: None,
            applied: false,
        };
        gate.submit(&caller("proposer"), proposal).await.map(|submitted| submitted.review.review_id)
    }

    /// A review by a party of this key that calls itself so: a comment on a line, then a verdict.
    async fn reviewed(gate: &Gate, review: ReviewId, key: &str, client: &str) -> Result<ReviewView, Fault> {
        let reviews = &gate.inner.reviews;
        let party = Party { key: key.to_owned(), client: client.to_owned(), ..caller("any").party };
        let has_ended: fn(&Process) -> bool = |_| false;
        let done = |act: Act, with: Brought| {
            let actor = Actor::Agent { party: Box::new(party.clone()), has_ended };
            reviews.done(Acting {
                review_id: review,
                actor,
                act,
                with,
                answers: None,
                call_key: None,
                at: reviews.bus.now(),
            })
        };
        done(Act::Claim, Brought::Nothing).await?;
        let claimed = reviews.view(review, None).await?;
        assert_eq!(claimed.pool_holds, key.starts_with("pool "), "{key}: who has it");
        let anchor = Anchor { file: "x".to_owned(), line: Some(1), start_line: None, side: Side::New };
        let comment = NewMessage {
            message_id: ThreadMessageId(Uuid::now_v7()),
            place: MessagePlace::Lines(ThreadId(Uuid::now_v7()), anchor),
            body: "Why?".to_owned(),
            resolve: None,
            round: None,
        };
        let with = Brought::Judged { reason: Some("So.".to_owned()), comments: vec![comment], results: Vec::new() };
        done(Act::Verdict(Verdict::Comment, Claimed::default()), with).await?;
        reviews.view(review, None).await
    }

    #[tokio::test]
    async fn a_program_of_the_pool_is_known_by_what_it_is_and_not_by_its_name() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let diff = |word: &str| format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{word}\n");
        for (key, client, pool, shown) in [
            ("pool codex", "pool/codex", true, "Codex"),
            ("pool gemini-cli", "pool/gemini-cli", true, "gemini-cli"),
            ("token sly", "pool/codex", false, "an agent that calls itself “pool/codex”"),
            ("token long", "zed-the-editor-of-that-name", false, "zed-the-editor-of-that-name"),
        ] {
            let review = proposed(&gate, None, &diff(&key.replace(' ', "-"))).await?;
            let view = reviewed(&gate, review, key, client).await?;
            let verdict = &view.verdicts[0];
            assert_eq!((verdict.pool, verdict.author.as_str()), (pool, shown), "{key}: its verdict");
            let said = &view.threads[0].messages[0];
            assert_eq!((said.pool, said.author.as_str()), (pool, shown), "{key}: its comment");
        }
        Ok(())
    }

    #[tokio::test]
    async fn words_of_the_persons_say_whether_they_are_sure_to_be_theirs() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let review = proposed(&gate, None, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").await?;
        let reviews = &gate.inner.reviews;
        for from in [AnsweredFrom::Desktop, AnsweredFrom::Script] {
            let message = NewMessage {
                message_id: ThreadMessageId(Uuid::now_v7()),
                place: MessagePlace::Review,
                body: "Wait.".to_owned(),
                resolve: None,
                round: None,
            };
            reviews.by_person(from.into(), review, Act::Message, Brought::Message(message)).await?;
        }
        let said = reviews.view(review, None).await?.messages;
        let sure: Vec<_> = said.iter().map(|message| (message.role, message.sure)).collect();
        assert_eq!(sure, [(ReviewRole::Person, true), (ReviewRole::Person, false)], "a script may say anything");
        Ok(())
    }

    #[tokio::test]
    async fn a_round_says_what_the_one_before_didnt_have() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let file = |path: &str, word: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+{word}\n");
        let review = proposed(&gate, None, &(file("x", "b") + &file("y", "b"))).await?;
        proposed(&gate, Some(review), &(file("x", "c") + &file("y", "b") + &file("z", "b"))).await?;
        let since = |view: ReviewView| -> Vec<_> {
            view.diff.into_iter().flat_map(|diff| diff.files).map(|file| file.since).collect()
        };
        let reviews = &gate.inner.reviews;
        let newest = since(reviews.view(review, None).await?);
        assert_eq!(newest, [Some(Since::Changed), Some(Since::Same), Some(Since::New)], "beside the first");
        assert_eq!(since(reviews.view(review, Some(1)).await?), [None, None], "the first stands beside nothing");
        Ok(())
    }

    #[tokio::test]
    async fn a_decision_that_may_be_taken_back_is_told() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let reviews = &gate.inner.reviews;
        for (approved, told) in [(true, Decision::Approved), (false, Decision::ChangesRequested)] {
            let diff = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{approved}\n");
            let review = proposed(&gate, None, &diff).await?;
            assert_eq!(reviews.view(review, None).await?.deciding, None, "nothing is decided");
            let act = Act::Decide { approved, until: reviews.bus.now().plus_millis(60_000) };
            reviews.by_person(AnsweredFrom::Desktop.into(), review, act, Brought::Nothing).await?;
            assert_eq!(reviews.view(review, None).await?.deciding, Some(told), "it may be taken back yet");
            reviews.by_person(AnsweredFrom::Desktop.into(), review, Act::Undo, Brought::Nothing).await?;
            assert_eq!(reviews.view(review, None).await?.deciding, None, "it was taken back");
        }
        Ok(())
    }
}
