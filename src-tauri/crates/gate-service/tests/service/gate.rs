//! The gate, as a process of the person's: it has receipts confirmed, with an agent of the same session beside it.

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use gate_core::{AnsweredFrom, Ask, Decision, Digest, RequestId, Timestamp, question_text};
use gate_receipts::{
    Content, Decided, Enrolled, Head, HomeId, Keys, Level, Line, Proof, PublicKey, RECEIPT_MILLIS, Said, Verifier as _,
};
use gate_service::{Client, Why};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::agent::{Agent, Person, Told};

/// Names the trials to the process that is the gate.
pub(crate) const TRIALS: &str = "REVIEW_GATE_TEST_TRIALS";
/// What a line of its output begins with.
pub(crate) const SAYS: &str = "gate: ";
/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(30);
const HOME: HomeId = HomeId(Uuid::from_u128(0x0193_4a51_7cde_7000_8000_0000_0000_0001));

/// One receipt that is to be confirmed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Trial {
    pub(crate) seq: u64,
    pub(crate) decision: Decision,
    pub(crate) title: String,
    /// The person at the prompt; without one there is no agent.
    pub(crate) person: Option<Person>,
    pub(crate) locale: String,
    /// Whether the gate goes once the prompt is there.
    pub(crate) leaves: bool,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            seq: 1,
            decision: Decision::Approved,
            title: "Deploy the shop".to_owned(),
            person: Some(Person::Types),
            locale: "en_US.UTF-8".to_owned(),
            leaves: false,
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Whether the service could be reached before, or why not.
    pub(crate) reached: Option<Why>,
    /// The heads that it remembered then.
    pub(crate) heads: Vec<Head>,
    /// Why it wasn't confirmed.
    pub(crate) why: Option<Why>,
    /// The digits that the gate showed.
    pub(crate) digits: Option<String>,
    /// What the agent was told.
    pub(crate) told: Vec<Told>,
    /// The name of the key whose signature holds, and the signed line.
    pub(crate) signed: Option<(String, Head)>,
}

#[tokio::test]
async fn in_the_persons_process() {
    let Ok(trials) = std::env::var(TRIALS) else { return };
    let trials: Vec<Trial> = serde_json::from_str(&trials).expect("it is JSON");
    for trial in trials {
        let outcome = tokio::time::timeout(LIMIT, attempt(&trial)).await.expect("it ends");
        let said = serde_json::to_string(&outcome).expect("it is JSON");
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{SAYS}{said}").expect("somebody listens");
    }
}

async fn attempt(trial: &Trial) -> Outcome {
    let mut agent = match trial.person {
        Some(person) => Some(Agent::begin(person, &trial.locale).await),
        None => None,
    };
    let client = Client::default();
    let reached = client.reachable(Some(HOME)).await;
    let mut digits = None;
    let mut told = Vec::new();
    let ask = asked(trial);
    let question = question_text(&ask).expect("it is text");
    let line = line(trial, &question);
    let confirming = client.confirm(&line, &question, |shown| digits = Some(shown.to_owned()));
    let confirmed = if let (true, Some(agent)) = (trial.leaves, agent.as_mut()) {
        tokio::select! {
            confirmed = confirming => Some(confirmed),
            prompt = agent.told.recv() => { told.extend(prompt); None }
        }
    } else {
        Some(confirming.await)
    };
    if let (None, Some(agent)) = (&confirmed, agent.as_mut()) {
        told.extend(agent.told.recv().await);
    }
    let (why, signed) = match confirmed {
        None => (None, None),
        Some(Err(refused)) => (Some(refused.why), None),
        Some(Ok(confirmed)) => {
            assert!(holds(confirmed.line(), confirmed.key()), "the signature holds");
            let name = confirmed.key().fingerprint().to_string();
            let head = confirmed.line().head().expect("it can be written");
            confirmed.kept().await.expect("it is remembered");
            (None, Some((name, head)))
        }
    };
    if let Some(agent) = agent {
        told.extend(agent.end().await);
    }
    let heads = reached.as_ref().map(|reached| reached.heads.clone()).unwrap_or_default();
    Outcome { reached: reached.err().map(|refused| refused.why), heads, why, digits, told, signed }
}

fn holds(line: &Line, key: &PublicKey) -> bool {
    let keys = Keys(vec![Enrolled { public: key.clone(), origin: None, after: 0, until: None }]);
    keys.prove(line).is_ok_and(|proved| proved.is_some_and(|proved| proved.level == Level::L2))
}

fn asked(trial: &Trial) -> Ask {
    Ask {
        message: "May I?".to_owned(),
        title: Some(trial.title.clone()),
        context: None,
        urgent: false,
        options: Vec::new(),
        allow_multiple: false,
        approval: true,
        require: None,
        diff: None,
        git: None,
        permission: None,
        round: None,
    }
}

fn line(trial: &Trial, question: &str) -> Line {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970");
    let at = Timestamp(i64::try_from(since.as_millis()).expect("it is long before the end"));
    let said = Said::Decided(Decided {
        from: at,
        expires: (trial.decision == Decision::Approved).then(|| at.plus_millis(RECEIPT_MILLIS)),
        request: RequestId(Uuid::from_u128(1)),
        decision: Some(trial.decision),
        reply: Digest::of_bytes(b"reply"),
        about: Digest::of_bytes(b"about"),
        level: Level::L2,
        given: AnsweredFrom::Desktop,
        content: Content { ask: Some(Digest::of_bytes(question.as_bytes())), ..Content::default() },
    });
    let prev = (trial.seq > 1).then(|| Digest::of_bytes(b"before"));
    Line { home: HOME, seq: trial.seq, prev, at, step: None, said, proof: Proof::None {} }
}
