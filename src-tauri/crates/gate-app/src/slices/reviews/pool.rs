//! The reviewer pool: the person's own agent programs, started for a review that nobody claims. Each run is one round in a
//! throwaway folder, and its answer is a verdict like any other agent's; what isn't an answer gives the claim back.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::proposal::act::Lost;
use gate_core::proposal::{
    Act, Acting, Actor, Anchor, Brought, Claimed, MessagePlace, NewDiff, NewMessage, Party, PatchId, ReviewId,
    ReviewQuery, ReviewStatus, ReviewStore as _, StoredReview, StoredRound, ThreadId, ThreadMessageId, Verdict, bounds,
    unknown_review,
};
use gate_core::{Code, Digest, Fault, Side, Timestamp};
use gate_link::has_ended;
use gate_worker::{
    Allowance, Ended, Installed, Limits, Outcome, Pause, Program, Question, Run, Runs, Shelter, Shut, Used, answer,
};
use serde::Deserialize;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::Reviews;
use crate::work::blocking;

/// For how many milliseconds a review may wait for somebody to claim it before a run is started.
const UNCLAIMED_MILLIS: u64 = 30 * 1000;
/// How often it is looked for such reviews, in milliseconds.
const LOOK_MILLIS: u64 = 5 * 1000;
/// Runs of one program on one round that may fail before it is left alone.
const FAILURES: u32 = 2;
/// For how many milliseconds it is believed whether a program is installed.
const INSTALLED_MILLIS: u64 = 10 * 60 * 1000;
/// Milliseconds of a day.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Bytes of a run's last words that are kept.
const TAIL_BYTES: usize = 4 * 1024;
/// The folder for runs, in the person's folder for what can be made anew: the gate's own are hidden from runs.
const FOLDER: &str = "review-gate/runs";
/// What a run's answer has to be.
const SCHEMA: &str = include_str!("pool/answer.json");
/// What a run is told.
const WORDS: &str = include_str!("pool/words.md");

/// What runs, what ran, and what is known of programs.
#[derive(Debug)]
pub(super) struct Pool {
    folder: PathBuf,
    /// The gate's folders, which no run sees.
    hidden: Vec<PathBuf>,
    /// The program that starts runs.
    starter: PathBuf,
    runs: OnceCell<Runs>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Used,
    pauses: HashMap<Program, Pause>,
    failed: HashMap<(ReviewId, u32, Program), u32>,
    running: HashSet<ReviewId>,
    installed: HashMap<Program, (Option<Installed>, Timestamp)>,
    looked_at: Option<Timestamp>,
}

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

impl Pool {
    /// The pool of the gate that keeps its data in this folder.
    pub(super) fn new(data: &Path, hidden: Vec<PathBuf>, starter: PathBuf) -> Self {
        let (runs, state) = (OnceCell::new(), Mutex::default());
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        // Of several homes each has its own, which it empties at its first run.
        let own = Digest::of_bytes(data.as_os_str().as_encoded_bytes()).beginning();
        let folder = cache.unwrap_or_else(std::env::temp_dir).join(FOLDER).join(own);
        Self { folder, hidden, starter, runs, state }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a run holds the claim on a review.
    pub(super) fn is_running(&self, review: ReviewId) -> bool {
        self.lock().running.contains(&review)
    }

    async fn runs(&self) -> Result<&Runs, Fault> {
        let folder = self.folder.clone();
        let opened = || async {
            blocking(move || {
                std::fs::create_dir_all(&folder)
                    .map_err(|error| Fault::of_file(error.kind(), format!("{}: {error}.", folder.display())))?;
                let runs = Runs::open(folder).map_err(|refusal| refused(&refusal))?;
                let left = runs.sweep();
                tracing::debug!(left, "folders of runs from before were removed");
                Ok(runs)
            })
            .await
        };
        self.runs.get_or_try_init(opened).await
    }

    /// A program as it is installed; absent where it isn't, or lacks what a run needs.
    async fn installed(
        &self,
        program: Program,
        environment: &[(OsString, OsString)],
        now: Timestamp,
    ) -> Option<Installed> {
        let known = self.lock().installed.get(&program).cloned();
        if let Some((installed, at)) = known.filter(|(_, at)| now < at.plus_millis(INSTALLED_MILLIS)) {
            let _ = at;
            return installed;
        }
        let found = Installed::find(program, None, environment).await;
        if let Err(refusal) = &found {
            tracing::warn!(program = program.id(), why = %refusal, "a program of the reviewer pool can't be run");
        }
        let installed = found.ok();
        self.lock().installed.insert(program, (installed.clone(), now));
        installed
    }
}

impl Reviews {
    /// Starts runs for reviews that nobody claims, where the person has a pool.
    pub(super) async fn look_for_reviewers(self: &Arc<Self>, now: Timestamp) {
        let programs = self.pool_programs();
        if programs.is_empty() {
            return;
        }
        {
            let mut state = self.pool.lock();
            if state.looked_at.is_some_and(|at| now < at.plus_millis(LOOK_MILLIS)) {
                return;
            }
            state.looked_at = Some(now);
        }
        let query = ReviewQuery { status: Some(ReviewStatus::Created), ..ReviewQuery::default() };
        let waiting = match self.store.reviews(&query, None, bounds::LIST_ITEMS).await {
            Ok(waiting) => waiting,
            Err(fault) => {
                tracing::warn!(%fault, "which reviews wait for the pool can't be looked up");
                return;
            }
        };
        // Whoever waits longest is first.
        for review in waiting.iter().rev().filter(|review| now >= review.updated_at.plus_millis(UNCLAIMED_MILLIS)) {
            if let Err(fault) = self.begin_run(review.review_id, &programs, now).await {
                tracing::warn!(%fault, review = %review.review_id, "no run can be started for a review");
            }
        }
    }

    /// The programs that the person lets review, in their order.
    pub(super) fn pool_programs(&self) -> Vec<Program> {
        self.settings.in_force().security.pool.iter().filter_map(|id| Program::of_id(id)).collect()
    }

    /// Starts a run of the next program that has said nothing of a review's newest round, where there may be one.
    async fn begin_run(self: &Arc<Self>, review: ReviewId, programs: &[Program], now: Timestamp) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        let Some(program) = self.next_program(&stored, programs, now).await? else { return Ok(()) };
        let environment: Vec<_> = std::env::vars_os().collect();
        let Some(installed) = self.pool.installed(program, &environment, now).await else { return Ok(()) };
        let settings = self.settings.in_force();
        let allowed =
            Allowance { at_once: settings.review.pool_at_once, a_day: settings.review.pool_a_day, money_a_day: None };
        let day = now.0.div_euclid(DAY_MILLIS);
        {
            let mut state = self.pool.lock();
            if state.running.contains(&review) || state.used.start(day, &allowed).is_err() {
                return Ok(());
            }
            state.running.insert(review);
        }
        let limits =
            Limits { time: Duration::from_secs(u64::from(settings.review.pool_minutes) * 60), ..Limits::default() };
        let unsheltered = settings.security.pool_unsheltered == Some(true);
        let (reviews, stop) = (Arc::clone(self), self.bus.stop().child_token());
        tokio::spawn(async move {
            let running = Running { review, program, installed, environment, limits, unsheltered };
            let cost = match Box::pin(reviews.run(&running, &stop)).await {
                Ok(cost) => cost,
                Err(fault) => {
                    tracing::warn!(%fault, %review, program = program.id(), "a run of the pool came to nothing");
                    None
                }
            };
            let mut state = reviews.pool.lock();
            state.running.remove(&review);
            state.used.end(day, cost);
        });
        Ok(())
    }

    /// The next program of these that may look at a review's newest round; absent where there is none.
    async fn next_program(
        &self,
        stored: &StoredReview,
        programs: &[Program],
        now: Timestamp,
    ) -> Result<Option<Program>, Fault> {
        let verdicts = self.store.verdicts(stored.summary.review_id).await?;
        let round = stored.summary.round;
        let state = self.pool.lock();
        let has_said = |program: &Program| {
            verdicts.iter().any(|verdict| verdict.round == round && verdict.author == name_of(*program))
        };
        let is_left_alone = |program: &Program| {
            let failed = state.failed.get(&(stored.summary.review_id, round, *program)).copied().unwrap_or(0);
            failed >= FAILURES || state.pauses.get(program).is_some_and(|pause| pause.until(now).is_some())
        };
        Ok(programs.iter().copied().find(|program| !has_said(program) && !is_left_alone(program)))
    }

    /// Claims, runs, and gives what came of it. Gives what it cost, where the program tells.
    async fn run(
        self: &Arc<Self>,
        running: &Running,
        stop: &CancellationToken,
    ) -> Result<Option<gate_worker::Money>, Fault> {
        let review = running.review;
        let claimed = match self.by_pool(running, Act::Claim, Brought::Nothing).await {
            Ok(claimed) => claimed,
            // Somebody was faster, or it isn't for this one.
            Err(fault) if fault.code != Code::Database => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let token = claimed.claim_token.unwrap_or_default();
        let claimed = Claimed { token: Some(token), round: Some(claimed.review.round) };
        let made = self.made_for_run(running).await;
        let (folder, words) = match made {
            Ok(made) => made,
            Err(fault) => return self.failed(running, &fault.message).await.map(|()| None),
        };
        let shelter = match running.unsheltered {
            true => Shelter::None,
            false => Shelter::Sandbox(Shut {
                hidden: self.pool.hidden.clone(),
                mark: gate_link::Home::in_a_sandbox().to_owned(),
                ports: loopback_ports(&running.environment),
                ..Shut::default()
            }),
        };
        let run = Run {
            program: &running.installed,
            question: Question { words, schema: Some(SCHEMA.to_owned()), ..Question::default() },
            folder,
            environment: &running.environment,
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
            () = self.claim_is_gone(review, token) => {
                cancel.cancel();
                ended.await
            }
        };
        let Ended { outcome, tail, spent, .. } = ended;
        match outcome {
            Outcome::Answered(answer) => match self.said(running, claimed, answer).await {
                Ok(()) => self.pool.lock().pauses.entry(running.program).or_default().end(),
                Err(fault) if is_late(fault.code) => {}
                Err(fault) => self.failed(running, &fault.message).await?,
            },
            Outcome::Cancelled => drop(self.lose(review).await),
            Outcome::Refused(refusal) => self.failed(running, &refusal.to_string()).await?,
            Outcome::TimedOut => self.failed(running, &format!("it took too long\n{}", last(&tail))).await?,
            Outcome::TooMuchOutput => self.failed(running, "it printed too much").await?,
            Outcome::Unusable { why } => self.failed(running, &format!("{why}\n{}", last(&tail))).await?,
            Outcome::Crashed { why, .. } => {
                let why = why.unwrap_or_else(|| "it failed".to_owned());
                self.failed(running, &format!("{why}\n{}", last(&tail))).await?;
            }
        }
        Ok(spent.money)
    }

    /// Resolves when a claim isn't this one any more.
    async fn claim_is_gone(&self, review: ReviewId, token: u64) {
        let Ok(mut woken) = self.wakes.of(review) else { return std::future::pending().await };
        loop {
            if woken.changed().await.is_err() {
                return std::future::pending().await;
            }
            match self.store.review(review).await {
                Ok(Some(stored)) if stored.state.claim.is_some() && stored.state.token == token => {}
                Ok(_) => return,
                Err(_) => {}
            }
        }
    }

    /// The folder that a run sees, and what it is told.
    async fn made_for_run(&self, running: &Running) -> Result<(gate_worker::Folder, String), Fault> {
        let review = running.review;
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let round = self.store.rounds(review, stored.summary.round).await?.into_iter().next();
        let round = round.ok_or_else(|| Fault::internal("a review without a round"))?;
        let diff = self.text_of(round.diff_sha256).await?;
        let sides = self.sides(&stored, &round, &diff).await;
        let talk = self.talk(review).await?;
        let runs = self.pool.runs().await?;
        let mut folder = runs.folder().map_err(|refusal| refused(&refusal))?;
        let words = WORDS
            .replace("{proposer}", &stored.summary.proposer)
            .replace("{intent}", &stored.intent)
            .replace("{description}", round.description.as_deref().unwrap_or(""));
        let folder = blocking(move || {
            put(&mut folder, "change.diff", diff.as_bytes())?;
            put(&mut folder, "discussion.md", talk.as_bytes())?;
            for (path, before, after) in sides {
                // What configures agents is left out by itself; what can't be put there is in the diff.
                for (side, bytes) in [("before", before), ("after", after)] {
                    if let Some(bytes) = bytes {
                        let _ = folder.put(Path::new(&format!("{side}/{path}")), &bytes);
                    }
                }
            }
            Ok(folder)
        });
        Ok((folder.await?, words))
    }

    /// The files that a round changes, before and after, where they are known.
    async fn sides(
        &self,
        stored: &StoredReview,
        round: &StoredRound,
        diff: &str,
    ) -> Vec<(String, Option<Vec<u8>>, Option<Vec<u8>>)> {
        if round.checked.repository.is_none() || diff.is_empty() {
            return Vec::new();
        }
        let base = round.checked.base.as_deref().filter(|base| *base != "worktree");
        let folder = PathBuf::from(&stored.summary.workspace);
        match self.requests.sides_of(&folder, diff.as_bytes(), base).await {
            Ok(sides) => sides,
            Err(fault) => {
                tracing::warn!(%fault, "a run is given the diff alone");
                Vec::new()
            }
        }
    }

    /// What was said of a review so far, as Markdown.
    async fn talk(&self, review: ReviewId) -> Result<String, Fault> {
        let mut talk = String::new();
        for verdict in self.store.verdicts(review).await? {
            let reason = verdict.reason.unwrap_or_default();
            talk.push_str(&format!(
                "## {}: {} (round {})\n\n{reason}\n\n",
                verdict.author,
                verdict.decision.as_str(),
                verdict.round
            ));
        }
        let threads = self.store.threads(review).await?;
        for message in self.store.review_messages(review, 0, bounds::LIST_ITEMS).await? {
            let thread = threads.iter().find(|thread| Some(thread.thread_id) == message.thread_id);
            let place = thread.map_or_else(String::new, |thread| {
                let line = thread.anchor.line.map(|line| format!(":{line}")).unwrap_or_default();
                format!(" on {}{line}", thread.anchor.file)
            });
            talk.push_str(&format!("## {}{place}\n\n{}\n\n", message.author, message.body));
        }
        Ok(talk)
    }

    /// What a run answered is its program's verdict.
    async fn said(self: &Arc<Self>, running: &Running, claimed: Claimed, answer: Answer) -> Result<(), Fault> {
        let decision = match answer.decision.as_str() {
            "approved" => Verdict::Approved,
            "rejected" | "changes_requested" => Verdict::Rejected,
            "escalate" => Verdict::Escalate,
            other => {
                let message = format!("the run said {:?}, which is no decision", gate_core::ask::excerpt(other, 60));
                return Err(Fault::new(Code::InvalidInput, message, "Nothing was recorded."));
            }
        };
        let stored = self.store.review(running.review).await?.ok_or_else(|| unknown_review(running.review))?;
        if decision == Verdict::Approved {
            self.still_fits(&stored).await?;
        }
        if let Some(patch) = answer.patch.filter(|patch| !patch.trim().is_empty()) {
            self.offer_for_pool(running, claimed, &stored, patch).await;
        }
        let comments = answer.comments.into_iter().take(bounds::VERDICT_COMMENTS).map(|comment| NewMessage {
            message_id: ThreadMessageId(self.bus.new_id()),
            place: MessagePlace::Lines(
                ThreadId(self.bus.new_id()),
                Anchor { file: comment.file, line: Some(comment.line), start_line: None, side: Side::New },
            ),
            body: comment.body,
            resolve: None,
            round: None,
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
        let folder = PathBuf::from(&stored.summary.workspace);
        let held = match self.requests.hold_against(&folder, patch.as_bytes(), base, false).await {
            Ok(held) => held,
            Err(fault) => {
                tracing::info!(%fault, review = %running.review, "a patch of a run doesn't fit");
                return;
            }
        };
        let new = NewDiff { diff: patch.into_bytes(), description: None, checked: held.checked };
        let with = Brought::Patch { patch_id: PatchId(self.bus.new_id()), new: Box::new(new), approves: false };
        if let Err(fault) = self.by_pool(running, Act::OfferPatch(claimed), with).await {
            tracing::info!(%fault, review = %running.review, "a patch of a run isn't taken");
        }
    }

    async fn by_pool(
        self: &Arc<Self>,
        running: &Running,
        act: Act,
        with: Brought,
    ) -> Result<gate_core::proposal::Acted, Fault> {
        let party = Party {
            key: format!("pool {}", running.program.id()),
            heirs: None,
            client: name_of(running.program),
            workspace: String::new(),
            group: None,
            above: Vec::new(),
            unseen: false,
        };
        let actor = Actor::Agent { party: Box::new(party), comments_only: false, has_ended };
        let (review_id, at) = (running.review, self.bus.now());
        self.done(Acting { review_id, actor, act, with, answers: None, call_key: None, at }).await
    }

    async fn lose(self: &Arc<Self>, review: ReviewId) -> Result<(), Fault> {
        match self.act_alone(review, Act::Lose(Lost::Run, None), Brought::Nothing).await {
            Err(fault) if fault.code == Code::WrongState => Ok(()),
            other => other.map(drop),
        }
    }

    /// A run came to nothing: its claim is given back, and its program is left alone after some of these.
    async fn failed(self: &Arc<Self>, running: &Running, why: &str) -> Result<(), Fault> {
        let review = running.review;
        let round = self.store.review(review).await?.map_or(0, |stored| stored.summary.round);
        {
            let mut state = self.pool.lock();
            *state.failed.entry((review, round, running.program)).or_default() += 1;
            state.pauses.entry(running.program).or_default().failed(self.bus.now());
        }
        tracing::warn!(%review, program = running.program.id(), %why, "a run of the pool failed");
        let with = Brought::Reason(format!("{}: {why}", name_of(running.program)));
        match self.act_alone(review, Act::Lose(Lost::Run, None), with).await {
            Err(fault) if fault.code == Code::WrongState => Ok(()),
            other => other.map(drop),
        }
    }
}

/// A run that was begun.
struct Running {
    review: ReviewId,
    program: Program,
    installed: Installed,
    environment: Vec<(OsString, OsString)>,
    limits: Limits,
    unsheltered: bool,
}

/// What others read of a run's party.
fn name_of(program: Program) -> String {
    format!("pool/{}", program.id())
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

/// Ports of this machine on which a model is served that a variable names.
fn loopback_ports(environment: &[(OsString, OsString)]) -> Vec<u16> {
    let urls = environment.iter().filter(|(name, _)| name.to_string_lossy().ends_with("_BASE_URL"));
    let ports = urls.filter_map(|(_, url)| {
        let url = url.to_str()?;
        let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next()?;
        let (name, port) = host.rsplit_once(':')?;
        matches!(name, "127.0.0.1" | "localhost" | "[::1]").then(|| port.parse().ok()).flatten()
    });
    ports.collect()
}

fn put(folder: &mut gate_worker::Folder, path: &str, bytes: &[u8]) -> Result<(), Fault> {
    folder.put(Path::new(path), bytes).map(drop).map_err(|refusal| refused(&refusal))
}

fn refused(refusal: &gate_worker::Refusal) -> Fault {
    Fault::new(Code::Sandbox, refusal.message.clone(), refusal.mend.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_of_this_machine_are_let_in() {
        let environment = [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8123/v1"),
            ("OPENAI_BASE_URL", "https://models.example:443"),
            ("GOOGLE_GEMINI_BASE_URL", "http://localhost:99"),
            ("OTHER", "http://127.0.0.1:7"),
        ];
        let environment: Vec<_> = environment.map(|(name, value)| (name.into(), value.into())).to_vec();
        assert_eq!(loopback_ports(&environment), [8123, 99]);
    }

    #[test]
    fn the_schema_is_one_that_all_programs_take() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("it is JSON");
        assert_eq!(schema["additionalProperties"], false, "Codex takes no other");
        let fields: Vec<_> = schema["properties"].as_object().expect("it has fields").keys().cloned().collect();
        let required: Vec<_> = schema["required"].as_array().expect("it requires them").clone();
        assert!(fields.iter().all(|field| required.contains(&field.as_str().into())), "nor fields that may lack");
    }
}
