//! Questions, losses, answers, what is taken back, restarts and heirs in any order, on a real record: an approval
//! reaches its owner or their heir alone, for the question that was shown, and no answer is lost.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gate_api::Origin;
use gate_api::subjects::requests::{SendReply, UndoReply};
use gate_core::{
    Ask, Code, Decision, Digest, Draft, Fault, Owner, OwnerId, Process, RequestId, RequestStatus, SessionUuid,
    Timestamp,
};
use gate_mcp::{Agent, Asked, Call, ChatPort};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use tempfile::TempDir;

use crate::fuzzing::Fuzz;
use crate::slices::Gate;
use crate::tests::owners::running;
use crate::tests::{call, now, open};

/// How many questions agents ask, and so ask again.
const QUESTIONS: usize = 3;
/// Most steps of one history.
const STEPS: usize = 20;

/// Who calls: two tokens, the processes of one client in one folder that have ended, one in another folder, and one of
/// the first folder that runs.
const CALLERS: usize = 6;
const RUNS: usize = 5;

fn callers(running: Process) -> [Owner; CALLERS] {
    let ended = |began: &str, folder: &str| {
        Owner::of_process(Process { pid: u32::MAX, began: began.to_owned() }, "codex", folder)
    };
    [
        OwnerId::Token("one".to_owned()).into(),
        OwnerId::Token("other".to_owned()).into(),
        ended("first", "/w"),
        ended("second", "/w"),
        ended("elsewhere", "/other"),
        Owner::of_process(running, "codex", "/w"),
    ]
}

/// Whether a caller may have what is an owner's: it is the owner, or the owner has ended and it is of the same client
/// and folder.
fn may_have(owner: usize, who: usize) -> bool {
    owner == who || (matches!(owner, 2 | 3) && matches!(who, 2 | 3 | RUNS))
}

#[derive(Debug, Clone)]
enum Step {
    /// Asks, in a session that is known or in none.
    Ask { who: usize, question: usize, within: Option<Index> },
    /// Comes back for a request that it names.
    Resume { who: usize, request: Index },
    /// Sends a call again under its key.
    Again { call: Index },
    /// The person answers in the window, what they were shown or something else.
    Answer { request: Index, approves: bool, shown: bool },
    /// They take it back.
    Undo { request: Index },
    /// What could be taken back can't be any more.
    LetGo,
    /// A call is lost.
    Lose { call: Index },
    /// The result of a call has arrived.
    Hear { call: Index },
    /// The gate ends and another one starts.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let who = || 0..CALLERS;
    let index = any::<Index>;
    prop_oneof![
        6 => (who(), 0..QUESTIONS, proptest::option::weighted(0.3, index()))
            .prop_map(|(who, question, within)| Step::Ask { who, question, within }),
        4 => (who(), index()).prop_map(|(who, request)| Step::Resume { who, request }),
        2 => index().prop_map(|call| Step::Again { call }),
        6 => (index(), any::<bool>(), proptest::bool::weighted(0.8))
            .prop_map(|(request, approves, shown)| Step::Answer { request, approves, shown }),
        2 => index().prop_map(|request| Step::Undo { request }),
        3 => Just(Step::LetGo),
        3 => index().prop_map(|call| Step::Lose { call }),
        3 => index().prop_map(|call| Step::Hear { call }),
        1 => Just(Step::Restart),
    ]
}

/// What the person gave to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given {
    text: String,
    decision: Option<Decision>,
    /// It can be taken back, and no agent hears of it.
    held: bool,
}

/// A request as it has to be.
struct Known {
    id: RequestId,
    session: SessionUuid,
    question: usize,
    given: Option<Given>,
    /// An agent has the reply.
    heard: bool,
}

/// A call that was answered with a request, and whose result hasn't arrived.
struct Made {
    who: usize,
    call: Call,
    request: usize,
    /// Counts it as waiting.
    attendance: Option<Box<dyn Any + Send + Sync>>,
}

/// One history: what there has to be, beside what there is.
struct History<'a> {
    gate: &'a mut Gate,
    folder: &'a TempDir,
    callers: &'a [Owner; CALLERS],
    number: u64,
    keys: u32,
    requests: Vec<Known>,
    owners: BTreeMap<SessionUuid, usize>,
    made: Vec<Made>,
}

impl History<'_> {
    fn question(&self, question: usize) -> Ask {
        let message = format!("Question {question} of history {}?", self.number);
        Ask { message, approval: true, ..Ask::default() }
    }

    fn digest(&self, question: usize) -> Digest {
        Digest::of_question(&self.question(question)).expect("a question has a digest")
    }

    /// A call of its own, which names nothing.
    fn call(&mut self, who: usize, question: usize) -> Call {
        self.keys += 1;
        let agent = format!("caller-{who}");
        Call {
            ask: self.question(question),
            agent: Some(Agent::Relay(agent.clone())),
            owner: self.callers[who].clone(),
            ..call(&format!("{agent}:{}-{}", self.number, self.keys), "")
        }
    }

    async fn take(&mut self, step: Step) {
        let requests = self.requests.len();
        match step {
            Step::Ask { who, question, within } => {
                let within = within.filter(|_| requests > 0).map(|at| self.requests[at.index(requests)].session);
                let call = Call { session_uuid: within, ..self.call(who, question) };
                self.ask(who, question, call).await;
            }
            Step::Resume { who, request } if requests > 0 => {
                let at = request.index(requests);
                let call = Call { request_id: Some(self.requests[at].id), ..self.call(who, 0) };
                self.comes_back(who, at, call).await;
            }
            Step::Again { call } if !self.made.is_empty() => {
                let made = &self.made[call.index(self.made.len())];
                let (who, at, call) = (made.who, made.request, made.call.clone());
                self.comes_back(who, at, call).await;
            }
            Step::Answer { request, approves, shown } if requests > 0 => {
                self.answer(request.index(requests), approves, shown).await;
            }
            Step::Undo { request } if requests > 0 => self.undo(request.index(requests)).await,
            Step::LetGo => self.let_go().await,
            Step::Lose { call } if !self.made.is_empty() => drop(self.made.remove(call.index(self.made.len()))),
            Step::Hear { call } if !self.made.is_empty() => self.hear(call.index(self.made.len())).await,
            Step::Restart => self.restart().await,
            // Nothing was asked yet.
            _ => {}
        }
    }

    /// Whether a caller may go on in a session.
    fn may(&self, who: usize, session: SessionUuid) -> bool {
        self.owners.get(&session).is_some_and(|owner| may_have(*owner, who))
    }

    async fn ask(&mut self, who: usize, question: usize, call: Call) {
        let asked = self.gate.inner.requests.ask(call.clone()).await;
        if let Some(session) = call.session_uuid.filter(|session| !self.may(who, *session)) {
            assert_eq!(code(asked), Some(Code::UnknownSession), "{who} asks in no session of others");
            self.owners_are(who, session).await;
            return;
        }
        let asked = asked.expect("a question is taken");
        let at = match self.requests.iter().position(|known| known.id == asked.request_id) {
            Some(at) => {
                let known = &self.requests[at];
                assert_eq!(known.question, question, "no other question's answer is its own");
                assert!(self.may(who, known.session), "{who} has what is another's");
                assert!(
                    call.session_uuid.is_none_or(|session| session == known.session),
                    "of the session that it names"
                );
                assert!(!known.heard, "an answer that was heard answers nothing anew");
                at
            }
            None => {
                let (id, session) = (asked.request_id, asked.session_uuid);
                assert!(call.session_uuid.is_none_or(|named| named == session), "in the session that it names");
                self.owners.entry(session).or_insert(who);
                self.requests.push(Known { id, session, question, given: None, heard: false });
                self.requests.len() - 1
            }
        };
        self.has_its_result(at, &asked).await;
        self.all_owners_are(who).await;
        self.made.push(Made { who, call, request: at, attendance: asked.attendance });
    }

    async fn comes_back(&mut self, who: usize, at: usize, call: Call) {
        let asked = self.gate.inner.requests.ask(call.clone()).await;
        let session = self.requests[at].session;
        if !self.may(who, session) {
            assert_eq!(code(asked), Some(Code::UnknownRequest), "to {who}, what is another's isn't there");
            self.owners_are(who, session).await;
            return;
        }
        let asked = asked.expect("its own is found");
        assert_eq!(asked.request_id, self.requests[at].id, "by its id and by its key");
        self.has_its_result(at, &asked).await;
        self.all_owners_are(who).await;
        self.made.push(Made { who, call, request: at, attendance: asked.attendance });
    }

    /// What a call is told of a request is what the person gave to its question, once that can't be taken back.
    async fn has_its_result(&self, at: usize, asked: &Asked) {
        let known = &self.requests[at];
        let Some(given) = known.given.as_ref().filter(|given| !given.held) else {
            assert_eq!(asked.outcome, None, "nobody has answered, or could take it back");
            return;
        };
        let outcome = self.gate.inner.requests.closed(known.id).await.expect("it was answered");
        assert!(asked.outcome.as_ref().is_none_or(|told| *told == outcome), "one answer: {outcome:?}");
        let told = (outcome.status, outcome.request_id, outcome.digest, outcome.decision, outcome.text.as_str());
        let digest = Some(self.digest(known.question));
        assert_eq!(told, (RequestStatus::Answered, known.id, digest, given.decision, given.text.as_str()));
    }

    /// Whose sessions are has changed to an heir who called, or not at all.
    async fn all_owners_are(&mut self, who: usize) {
        let sessions: Vec<SessionUuid> = self.owners.keys().copied().collect();
        for session in sessions {
            self.owners_are(who, session).await;
        }
    }

    async fn owners_are(&mut self, who: usize, session: SessionUuid) {
        let owned = self.gate.inner.store.owner_of_session(session).await.expect("the record can be read");
        let owner = owned.and_then(|owned| owned.owner).expect("it is somebody's");
        let is = self.callers.iter().position(|caller| caller.id == owner.id).expect("one of those who call");
        let was = self.owners.insert(session, is).expect("it was somebody's");
        assert!(is == was || (is == who && may_have(was, who)), "{was}'s session became {is}'s by a call of {who}");
    }

    async fn answer(&mut self, at: usize, approves: bool, shown: bool) {
        self.keys += 1;
        let known = &self.requests[at];
        let digest = self.digest(if shown { known.question } else { (known.question + 1) % QUESTIONS });
        let decision = Some(if approves { Decision::Approved } else { Decision::ChangesRequested });
        let text = format!("reply {}", self.keys);
        let draft = Draft { text: text.clone(), ..Draft::default() };
        let sent =
            self.gate.execute(SendReply { request_id: known.id, digest, decision, draft }, Origin::Desktop).await;
        match (&known.given, shown) {
            (None, true) => {
                sent.expect("what was shown is answered");
                self.requests[at].given = Some(Given { text, decision, held: true });
            }
            (None, false) => assert_eq!(code(sent), Some(Code::ChangedQuestion), "only what was shown is answered"),
            (Some(_), _) => assert!(sent.is_err(), "the first answer counts"),
        }
    }

    async fn undo(&mut self, at: usize) {
        let known = &mut self.requests[at];
        let undone = self.gate.execute(UndoReply { request_id: known.id }, Origin::Desktop).await;
        match known.given.take_if(|given| given.held) {
            Some(given) => {
                let request = undone.expect("it could be taken back").request;
                assert_eq!(
                    (request.status, request.draft.text),
                    (RequestStatus::Pending, given.text),
                    "as it was written"
                );
            }
            None => assert!(undone.is_err(), "there is nothing to be taken back"),
        }
    }

    async fn let_go(&mut self) {
        self.gate.inner.requests.let_replies_go(Timestamp(i64::MAX)).await;
        for given in self.requests.iter_mut().filter_map(|known| known.given.as_mut()) {
            given.held = false;
        }
    }

    /// The result arrives, where there is one.
    async fn hear(&mut self, at: usize) {
        let known = &mut self.requests[self.made[at].request];
        if known.given.as_ref().is_some_and(|given| !given.held) {
            known.heard = true;
            let key = self.made[at].call.call_key.clone();
            // Its client may use the key again, and then for another question.
            self.made.retain(|made| made.call.call_key != key);
            self.gate.inner.store.mark_delivered(&key, now()).await.expect("the record can be written");
        }
    }

    async fn restart(&mut self) {
        // Whoever waited is cut off, and may come back.
        for made in &mut self.made {
            drop(made.attendance.take());
        }
        self.gate.inner.receipts.close().await;
        self.gate.inner.store.close().await;
        *self.gate = open(self.folder, true).await.expect("a gate starts again");
        self.let_go().await;
    }

    /// At the end, whoever a request is of has all that was given to it, and the person all that wasn't.
    async fn nothing_is_lost(&mut self) {
        self.let_go().await;
        for at in 0..self.requests.len() {
            let owner = self.owners[&self.requests[at].session];
            let call = Call { request_id: Some(self.requests[at].id), ..self.call(owner, 0) };
            self.comes_back(owner, at, call).await;
            let known = &self.requests[at];
            let look = ChatPort::look(&*self.gate, known.id, &self.callers[owner]).await.expect("it is there");
            let answered = known.given.is_some();
            let status = if answered { RequestStatus::Answered } else { RequestStatus::Pending };
            assert_eq!(look.status, status);
            assert_eq!(self.gate.inner.queue.board.all().iter().any(|waits| waits.request_id == known.id), !answered);
        }
    }
}

fn code<T>(done: Result<T, Fault>) -> Option<Code> {
    done.err().map(|fault| fault.code)
}

#[test]
fn fuzz_histories() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let callers = callers(runtime.block_on(running()).expect("this test was started by a process"));
    let steps = vec(step(), 1..STEPS);
    let mut fuzz = Fuzz::new("fuzz_histories");
    while fuzz.goes_on() {
        let folder = tempfile::tempdir().expect("a folder for a record");
        let gate = runtime.block_on(open(&folder, true)).expect("a gate starts");
        // Each history's questions are its own, so that one record holds many.
        let all = Mutex::new((gate, 0));
        fuzz.batch(&steps, |steps| {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let (gate, number) = &mut *all;
            *number += 1;
            let mut history = History {
                gate,
                folder: &folder,
                callers: &callers,
                number: *number,
                keys: 0,
                requests: Vec::new(),
                owners: BTreeMap::new(),
                made: Vec::new(),
            };
            runtime.block_on(async {
                for step in steps {
                    history.take(step).await;
                }
                history.nothing_is_lost().await;
            });
        });
    }
}
