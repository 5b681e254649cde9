//! A run, from its claim to what came of it. It acts by its own claim's token alone: whoever has claimed the review since
//! isn't disturbed by how it ends.

use std::path::Path;
use std::sync::Arc;

use gate_api::subjects::reviews::RunEnd;
use gate_core::proposal::act::{Lost, SeenClaim};
use gate_core::proposal::{
    Act, Acted, Anchor, Brought, Claimed, NewDiff, PatchId, ReviewId, ReviewStore as _, StoredReview, Verdict, bounds,
    unknown_review,
};
use gate_core::{Code, Fault, Side};
use gate_worker::{Ended, Outcome, Question, Run, Shelter, Shut, answer, loopback_ports};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::super::Reviews;
use super::given::SCHEMA;
use super::kept::{Over, keep};
use super::{FAILURES, Held, Place, Running, Told, name_of, party_of_program};
use crate::work::blocking;

/// Bytes of a run's last words that are kept.
const TAIL_BYTES: usize = 4 * 1024;

/// What a run answers.
#[derive(Debug, Deserialize)]
struct Answer {
    decision: String,
    reason: String,
    #[serde(default)]
    comments: Vec<Comment>,
    #[serde(default)]
    patch: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Comment {
    file: String,
    line: u32,
    body: String,
}

/// How a run failed.
struct Failure {
    /// In words of ours: it is said to agents, too.
    why: String,
    /// What is kept of it for the person: what the program says of it, and the last that it printed.
    over: Over,
}

impl Failure {
    fn new(end: RunEnd, why: impl Into<String>, printed: impl Into<String>) -> Self {
        Self { why: why.into(), over: Over { printed: printed.into(), ..Over::new(end) } }
    }
}

impl Reviews {
    /// Claims its review; absent where somebody was faster, or it isn't for this one.
    pub(super) async fn claim_for_run(self: &Arc<Self>, running: &Running) -> Result<Option<Held>, Fault> {
        match self.by_pool(running, Act::Claim, Brought::Nothing).await {
            Ok(Acted { claim_token: Some(token), review, .. }) => Ok(Some(Held { token, round: review.round })),
            Ok(_) => Ok(None),
            Err(fault) if fault.code != Code::Database => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Runs, and does what came of it.
    pub(super) async fn run(
        self: &Arc<Self>,
        running: &Running,
        held: Held,
        place: &mut Place,
        stop: &CancellationToken,
    ) -> Result<(), Fault> {
        let (folder, words) = match self.made_for_run(running).await {
            Ok(made) => made,
            Err(fault) => {
                let failure = Failure::new(
                    RunEnd::NotStarted,
                    fault.message.clone(),
                    format!("{} {}", fault.message, fault.mend),
                );
                return self.failed(running, held, failure).await;
            }
        };
        let environment = &self.pool.environment;
        let shelter = match running.is_unsheltered {
            true => Shelter::None,
            false => Shelter::Sandbox(Shut {
                hidden: self.pool.hidden.clone(),
                mark: gate_link::Home::in_a_sandbox().to_owned(),
                ports: loopback_ports(running.program, environment),
                ..Shut::default()
            }),
        };
        let run = Run {
            program: &running.installed,
            question: Question { words, schema: Some(SCHEMA.to_owned()), ..Question::default() },
            folder,
            environment,
            limits: running.limits,
            shelter,
            starter: self.pool.starter.clone(),
        };
        let cancel = stop.child_token();
        let ended = run.ended(answer::object::<Answer>, |_, _| (), &cancel);
        tokio::pin!(ended);
        let ended = tokio::select! {
            biased;
            ended = &mut ended => ended,
            // The person has taken it, or a newer round came: what it would say is for nobody.
            () = self.claim_is_gone(running.review, held) => {
                cancel.cancel();
                ended.await
            }
        };
        place.cost = ended.spent.money;
        place.is_started = !matches!(ended.outcome, Outcome::Refused(_));
        self.came_of(running, held, ended).await
    }

    async fn came_of(
        self: &Arc<Self>,
        running: &Running,
        held: Held,
        Ended { outcome, tail, spent, took }: Ended<Answer>,
    ) -> Result<(), Fault> {
        let over = |end| Over { took: Some(took), money: spent.money, ..Over::new(end) };
        let failure = match outcome {
            Outcome::Answered(answer) => match self.said(running, held, answer).await {
                Ok(()) => {
                    self.pool.lock().pauses.entry(running.program).or_default().end();
                    self.pool.untell(&self.bus, Told::Fails(running.program));
                    self.keep_run(running.review, running.program, held.round, over(RunEnd::Answered)).await;
                    return Ok(());
                }
                Err(fault) if is_late(fault.code) => {
                    self.keep_run(running.review, running.program, held.round, over(RunEnd::Late)).await;
                    self.give_back(running, held).await;
                    return Ok(());
                }
                Err(fault) => Failure::new(RunEnd::NotTaken, fault.message.clone(), fault.message),
            },
            Outcome::Cancelled => {
                self.keep_run(running.review, running.program, held.round, over(RunEnd::Late)).await;
                self.give_back(running, held).await;
                return Ok(());
            }
            Outcome::Refused(refusal) => {
                let failure = Failure::new(RunEnd::NotStarted, "it can't be started", refusal.to_string());
                return self.failed(running, held, failure).await;
            }
            Outcome::TimedOut => Failure::new(RunEnd::TimedOut, "it took too long", last(&tail)),
            Outcome::TooMuchOutput => Failure::new(RunEnd::TooMuchOutput, "it printed too much", last(&tail)),
            Outcome::Unusable { why } => {
                Failure::new(RunEnd::Unusable, "its answer can't be read", format!("{why}\n{}", last(&tail)))
            }
            Outcome::Crashed { code, why } => {
                let how = code.map_or_else(|| "it was ended".to_owned(), |code| format!("it ended with code {code}"));
                let printed = format!("{}\n{}", why.unwrap_or_default(), last(&tail));
                let failure = Failure::new(RunEnd::Crashed, how, printed);
                Failure { over: Over { code, ..failure.over }, ..failure }
            }
        };
        let over = Over { took: Some(took), money: spent.money, ..failure.over };
        self.failed(running, held, Failure { over, ..failure }).await
    }

    /// Resolves when a claim isn't this one any more, or its round isn't the newest.
    async fn claim_is_gone(&self, review: ReviewId, held: Held) {
        let Ok(mut woken) = self.wakes.of(review) else { return std::future::pending().await };
        loop {
            match self.store.review(review).await {
                Ok(Some(stored))
                    if stored.state.claim.is_some()
                        && stored.state.token == held.token
                        && stored.state.round == held.round => {}
                Ok(_) => return,
                Err(_) => {}
            }
            if woken.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// What a run answered is its program's verdict.
    async fn said(self: &Arc<Self>, running: &Running, held: Held, answer: Answer) -> Result<(), Fault> {
        let decision = match answer.decision.as_str() {
            "approved" => Verdict::Approved,
            "rejected" | "changes_requested" => Verdict::Rejected,
            "escalate" => Verdict::Escalate,
            _ => return Err(Fault::new(Code::InvalidInput, "its answer is no decision", "Nothing was recorded.")),
        };
        let claimed = Claimed { token: Some(held.token), round: Some(held.round) };
        let stored = self.store.review(running.review).await?.ok_or_else(|| unknown_review(running.review))?;
        if decision == Verdict::Approved {
            self.still_fits(&stored).await?;
        }
        if let Some(patch) = answer.patch.filter(|patch| !patch.trim().is_empty()) {
            self.offer_for_pool(running, claimed, &stored, patch).await;
        }
        let comments = answer.comments.into_iter().take(bounds::VERDICT_COMMENTS).map(|comment| {
            let anchor = Anchor { file: comment.file, line: Some(comment.line), start_line: None, side: Side::New };
            self.comment(anchor, comment.body)
        });
        let with = Brought::Judged { reason: Some(answer.reason), comments: comments.collect(), results: Vec::new() };
        self.by_pool(running, Act::Verdict(decision, claimed), with).await.map(drop)
    }

    /// A patch of a run is offered where it fits; where it doesn't, its words count all the same.
    async fn offer_for_pool(
        self: &Arc<Self>,
        running: &Running,
        claimed: Claimed,
        stored: &StoredReview,
        patch: String,
    ) {
        let base = stored.summary.base.as_deref().filter(|base| *base != "worktree");
        let held = async {
            let repository = self.requests.repository(Path::new(&stored.summary.workspace)).await?;
            self.requests.hold_against(&repository, patch.as_bytes(), base, false).await
        };
        let held = match held.await {
            Ok(held) => held,
            Err(fault) => {
                tracing::info!(code = fault.code.as_str(), review = %running.review, "a patch of a run doesn't fit");
                return;
            }
        };
        let new = NewDiff { diff: patch.into_bytes(), description: None, checked: held.checked };
        let with = Brought::Patch { patch_id: PatchId(self.bus.new_id()), new: Box::new(new), approves: false };
        if let Err(fault) = self.by_pool(running, Act::OfferPatch(claimed), with).await {
            tracing::info!(code = fault.code.as_str(), review = %running.review, "a patch of a run isn't taken");
        }
    }

    async fn by_pool(self: &Arc<Self>, running: &Running, act: Act, with: Brought) -> Result<Acted, Fault> {
        let party = party_of_program(running.program).ok_or_else(|| Fault::internal("a pool without a party"))?;
        self.done(self.acting(party, running.review, act, with)).await
    }

    /// A run that was for nothing gives its claim back, where that is still its own. That counts against nobody.
    async fn give_back(self: &Arc<Self>, running: &Running, held: Held) {
        let release = Act::Release(Claimed { token: Some(held.token), round: None });
        match self.by_pool(running, release, Brought::Nothing).await {
            Err(fault) if fault.code == Code::Database => {
                tracing::warn!(%fault, review = %running.review, "a run's claim can't be given back");
            }
            // It is another's, or nobody's, by now.
            _ => {}
        }
    }

    /// A run came to nothing: its claim is given back, and its program is left alone after some of these.
    async fn failed(
        self: &Arc<Self>,
        running: &Running,
        held: Held,
        Failure { why, over }: Failure,
    ) -> Result<(), Fault> {
        let (review, program, now) = (running.review, running.program, self.bus.now());
        let is_left_alone = {
            let mut state = self.pool.lock();
            let failed = state.failed.entry((review, held.round, program)).or_default();
            *failed += 1;
            let often = *failed >= FAILURES;
            let pause = state.pauses.entry(program).or_default();
            pause.failed(now);
            often || pause.until(now).is_some()
        };
        // What it printed isn't for the log: it may have read whatever its user may.
        tracing::warn!(%review, program = program.id(), why, "a run of the pool failed");
        let text = format!("{review}, round {}: {why}\n\n{}\n", held.round, over.printed);
        let file = self.pool.printed.join(format!("{}.txt", program.id()));
        let kept = file.clone();
        if let Err(fault) = blocking(move || keep(&kept, text.as_bytes())).await {
            tracing::warn!(%fault, "what a program printed can't be kept");
        }
        self.keep_run(review, program, held.round, over).await;
        if is_left_alone {
            let message = format!("{} fails in the reviewer pool: {why}.", program.name());
            let mend =
                format!("The last that it printed is in {}. It is tried again on other reviews.", file.display());
            self.pool.tell(&self.bus, Told::Fails(program), Fault::new(Code::Internal, message, mend));
        }
        let lose = Act::Lose(Lost::Run, Some(SeenClaim { token: held.token, acted_at: None }));
        let with = Brought::Reason(format!("{}: {why}", name_of(program)));
        match self.act_alone(review, lose, with).await {
            Err(fault) if matches!(fault.code, Code::WrongState | Code::ClaimLost | Code::PersonDeciding) => Ok(()),
            other => other.map(drop),
        }
    }
}

/// Whether an answer came when the claim was another's already.
fn is_late(code: Code) -> bool {
    matches!(code, Code::ClaimLost | Code::NotHolder | Code::StaleRound | Code::WrongState | Code::PersonDeciding)
        || code == Code::DiffConflict
}

/// The last words of a run.
fn last(tail: &str) -> String {
    let begins = tail.len().saturating_sub(TAIL_BYTES);
    let begins = (begins..tail.len()).find(|at| tail.is_char_boundary(*at)).unwrap_or(tail.len());
    tail[begins..].to_owned()
}
