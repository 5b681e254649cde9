//! A record in which agents propose and review.

use gate_core::proposal::{
    Act, Acted, Acting, Actor, Anchor, Brought, Checked, Claimed, Fits, MessagePlace, Need, NewDiff, NewMessage,
    NewReview, NextReview, Party, PatchId, Priority, ProposedFile, Replied, Review, ReviewEvent, ReviewId, ReviewStore,
    StoredReview, ThreadId, ThreadMessageId, Verdict,
};
use gate_core::{AnsweredFrom, Assurance, Fault, Given, Process, SessionUuid, Side, Timestamp};
use gate_store::Store;
use serde_json::Map;
use uuid::Uuid;

use crate::fixture::{NOW, World};

pub(super) use crate::parties::{begin, client, code, nobody_ended, process};

pub(super) type Error = Box<dyn std::error::Error>;

/// The repository of most proposals.
pub(super) const PLACE: &str = "/srv/shop/.git";
/// The tables whose rows belong to one review.
pub(crate) const TABLES: [&str; 11] = [
    "proposals",
    "rounds",
    "proposal_files",
    "claims",
    "verdicts",
    "counter_patches",
    "approved_results",
    "threads",
    "thread_messages",
    "broker_calls",
    "events",
];
/// How the person gives what they give.
pub(super) const IN_WINDOW: Given = Given { from: AnsweredFrom::Desktop, assurance: Assurance::L1 };
pub(super) const PERSON: Actor = Actor::Person(IN_WINDOW);
pub(super) const MINUTE: i64 = 60 * 1000;
pub(super) const DAY: i64 = 24 * 60 * MINUTE;

/// A record, and a conversation of the proposer's.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) store: Store,
    pub(super) session: SessionUuid,
}

impl Scene {
    pub(super) async fn new() -> Result<Self, Error> {
        let world = World::new()?;
        let store = world.open_well().await?;
        let session = begin(&store).await?;
        Ok(Self { world, store, session })
    }

    /// The gate is ended and started again.
    pub(super) async fn restart(&mut self) -> Result<(), Error> {
        self.store.close().await;
        self.store = self.world.open_well().await?;
        Ok(())
    }

    /// A proposal of this party that changes these files.
    pub(super) fn proposal(&self, files: &[&str]) -> NewReview {
        NewReview {
            review_id: ReviewId(Uuid::now_v7()),
            session_uuid: self.session,
            intent: "Retry webhook deliveries".to_owned(),
            category: None,
            priority: Priority::Normal,
            labels: [("phase".to_owned(), "3".to_owned())].into(),
            parent_id: None,
            workspace: "/srv/shop".to_owned(),
            first: diff(files, ""),
            need: Need::AGENT,
            sticky: false,
        }
    }

    pub(super) async fn submit_new(&self, by: &Party, new: NewReview) -> Result<ReviewId, Fault> {
        Ok(submit(&self.store, by, new, NOW).await?.review.review_id)
    }

    /// A proposal of one file, in one go.
    pub(super) async fn submit(&self, by: &Party) -> Result<ReviewId, Fault> {
        self.submit_new(by, self.proposal(&["src/a.rs"])).await
    }

    pub(super) async fn act(&self, by: &Actor, review: ReviewId, act: Act) -> Result<Acted, Fault> {
        self.act_with(by, review, act, Brought::Nothing).await
    }

    pub(super) async fn act_with(&self, by: &Actor, review: ReviewId, act: Act, with: Brought) -> Result<Acted, Fault> {
        self.act_at(by, review, act, with, NOW).await
    }

    pub(super) async fn act_at(
        &self,
        by: &Actor,
        review: ReviewId,
        act: Act,
        with: Brought,
        at: i64,
    ) -> Result<Acted, Fault> {
        let with = match (&act, with) {
            (Act::Settle | Act::Reply, Brought::Nothing) => Brought::Replied(replied(IN_WINDOW)),
            (_, with) => with,
        };
        let (actor, at) = (by.clone(), Timestamp(at));
        self.store.act(Acting { review_id: review, actor, act, with, answers: None, call_key: None, at }).await
    }

    pub(super) async fn claim(&self, by: &Actor, review: ReviewId) -> Result<u64, Error> {
        Ok(self.act(by, review, Act::Claim).await?.claim_token.ok_or("whoever claims has a token")?)
    }

    pub(super) async fn judge(&self, by: &Actor, review: ReviewId, verdict: Verdict) -> Result<Acted, Fault> {
        self.act_with(by, review, Act::Verdict(verdict, Claimed::default()), judged("as it is", Vec::new())).await
    }

    pub(super) async fn read(&self, review: ReviewId) -> Result<StoredReview, Error> {
        Ok(self.store.review(review).await?.ok_or("the review is gone")?)
    }

    pub(super) async fn state(&self, review: ReviewId) -> Result<Review, Error> {
        Ok(self.read(review).await?.state)
    }

    pub(super) async fn events(&self, review: ReviewId) -> Result<Vec<ReviewEvent>, Error> {
        Ok(self.store.review_events(review, 0, 10_000).await?)
    }

    /// The words of what happened, whose numbers have no gap.
    pub(super) async fn kinds(&self, review: ReviewId) -> Result<Vec<String>, Error> {
        let events = self.events(review).await?;
        let numbers: Vec<_> = events.iter().map(|event| event.n).collect();
        let expected: Vec<_> = (1..=events.len() as u64).collect();
        assert_eq!(numbers, expected, "events are numbered without a gap");
        assert_eq!(self.read(review).await?.summary.event, events.len() as u64, "the summary names the last one");
        Ok(events.into_iter().map(|event| event.kind).collect())
    }

    /// How many rows a table has.
    pub(super) fn count(&self, table: &str) -> Result<i64, Error> {
        self.world.count(table)
    }
}

pub(super) async fn submit(store: &Store, by: &Party, new: NewReview, at: i64) -> Result<Acted, Fault> {
    store.submit(new, by, nobody_ended, None, Timestamp(at)).await
}

pub(super) fn agent(party: &Party) -> Actor {
    Actor::Agent { party: Box::new(party.clone()), has_ended: nobody_ended }
}

/// The same when others have ended.
pub(super) fn agent_after(party: &Party, has_ended: fn(&Process) -> bool) -> Actor {
    Actor::Agent { party: Box::new(party.clone()), has_ended }
}

/// A diff of these files, as the gate found it.
pub(super) fn diff(files: &[&str], words: &str) -> NewDiff {
    let one = |file: &&str| format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-old\n+new {words}\n");
    let file = |path: &&str| ProposedFile { path: (*path).to_owned(), added: 1, removed: 1, ..ProposedFile::default() };
    NewDiff {
        diff: files.iter().map(one).collect::<String>().into_bytes(),
        description: Some(format!("What it is to do: {words}")),
        checked: Checked {
            fits: Fits::Commit,
            repository: Some(PLACE.to_owned()),
            base: Some("8f80ccf".to_owned()),
            files: files.iter().map(file).collect(),
            ..Checked::default()
        },
    }
}

/// A reply of no words that was given so.
pub(super) fn replied(given: Given) -> Replied {
    Replied { given, text: None, said: Vec::new(), reply: Map::new() }
}

pub(super) fn judged(reason: &str, comments: Vec<NewMessage>) -> Brought {
    Brought::Judged { reason: Some(reason.to_owned()), comments, results: Vec::new() }
}

pub(super) fn said(body: &str, place: MessagePlace) -> NewMessage {
    NewMessage { message_id: ThreadMessageId(Uuid::now_v7()), place, body: body.to_owned(), resolve: None, round: None }
}

/// A place in a file, where a thread begins.
pub(super) fn at_line(file: &str, line: u32) -> (ThreadId, MessagePlace) {
    let thread = ThreadId(Uuid::now_v7());
    let anchor = Anchor { file: file.to_owned(), line: Some(line), start_line: None, side: Side::New };
    (thread, MessagePlace::Lines(thread, anchor))
}

pub(super) fn patch(files: &[&str], words: &str, approves: bool) -> (PatchId, Brought) {
    let patch_id = PatchId(Uuid::now_v7());
    (patch_id, Brought::Patch { patch_id, new: Box::new(diff(files, words)), approves })
}

/// The next round, of these files.
pub(super) fn next_round(files: &[&str], words: &str) -> (Act, Brought) {
    (Act::Round { replaces: None, need: Need::AGENT, carries: None }, Brought::Round(Box::new(diff(files, words))))
}

pub(super) const ACCEPT: Act = Act::AcceptPatch { need: Need::AGENT, approves: false };

/// What the person's decision is, good at once.
pub(super) fn decide(approved: bool) -> Act {
    Act::Decide { approved, until: Timestamp(NOW) }
}

/// Claims whatever comes next in the repository.
pub(super) async fn claim_next(store: &Store, by: &Actor) -> Result<Option<Acted>, Fault> {
    claim_next_of(store, by, &NextReview { places: vec![PLACE.to_owned()], categories: Vec::new() }).await
}

pub(super) async fn claim_next_of(store: &Store, by: &Actor, next: &NextReview) -> Result<Option<Acted>, Fault> {
    let acting = Acting {
        review_id: ReviewId(Uuid::nil()),
        actor: by.clone(),
        act: Act::Claim,
        with: Brought::Nothing,
        answers: None,
        call_key: None,
        at: Timestamp(NOW),
    };
    store.claim_next(acting, next).await
}
