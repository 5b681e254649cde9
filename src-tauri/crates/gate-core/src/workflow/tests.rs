//! The table of transitions against the workflow's design, which `tests/corpus/jobs.rs` has as data: random acts of runs, the
//! person and the gate, and what holds at each step.

mod scenes;
#[path = "../../../../../tests/corpus/jobs.rs"]
mod tables;

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::timestamp::Timestamp;
use tables::{ACTS, AUDITS_OF_JOB, Dice, Did, Holder, Model, PHASES, STATUSES, STRANGER, way};

/// 2026-11-21, in milliseconds since the Unix epoch.
const NOW: i64 = 1_795_232_961_125;
const CASES: u32 = 2000;
const LENGTH: usize = 80;

fn definition() -> Definition {
    let review = built_in("review").expect("it is built in");
    let of = |(at, (order, weight, blocks, late)): (usize, (u32, u32, bool, bool))| AgentDefinition {
        name: format!("audit-{at}"),
        order,
        weight,
        on_failure: if blocks { OnFailure::Block } else { OnFailure::Continue },
        phase: if late { Phase::Synthesizing } else { Phase::AgentsRunning },
        aliases: vec![format!("a{at}")],
        ..review.agents[0].clone()
    };
    let definition = Definition { agents: AUDITS_OF_JOB.into_iter().enumerate().map(of).collect(), ..review };
    definition.checked().expect("it keeps the rules")
}

fn by(did: &Did, now: i64) -> By {
    match did.act {
        "release" | "cancel" | "hand_over" | "return" => By::Person,
        "fail" | "supersede" | "lose" | "clock" | "wait" | "go_on" | "off" => By::Gate,
        _ => By::Run(Caller {
            run: format!("run {}", did.run),
            party: if did.run == STRANGER { "other" } else { "own" }.to_owned(),
            is_own: did.run != STRANGER,
            holder: match did.holder {
                Holder::There => Connection::There,
                Holder::Gone(millis) => Connection::Gone(Timestamp(now - millis)),
                Holder::Unknown => Connection::Unknown,
            },
        }),
    }
}

fn act(did: &Did) -> Act {
    // By its other name, too.
    let name = format!("{}{}", if did.after % 2 == 0 { "audit-" } else { "a" }, did.audit);
    let complete = |end, error: Option<&str>| Act::CompleteAgent {
        name: name.clone(),
        end,
        error: error.map(str::to_owned),
        attempt: did.attempt,
    };
    match did.act {
        "start" => Act::StartAgent(name),
        "succeed" => complete(AgentEnd::Success, None),
        "give_up" => complete(AgentEnd::Failed, Some("it can't be done")),
        "add" => Act::Add,
        "publish" => Act::Publish,
        "release" => Act::Release,
        "cancel" => Act::Cancel,
        "hand_over" => Act::HandOver("other".to_owned()),
        "return" => Act::Return,
        "fail" => Act::Fail("it can't be run".to_owned()),
        "supersede" => Act::Supersede,
        "lose" => Act::Lose,
        "clock" => Act::Clock,
        "wait" => Act::Wait(true),
        "go_on" => Act::Wait(false),
        "off" => Act::Off(did.after.unsigned_abs()),
        phase => Act::SetPhase(Phase::parse(phase).unwrap_or_else(|| panic!("{phase} is no act"))),
    }
}

/// What the model and the job have in common: words, numbers, the holder, the audits.
type Compared = (
    (&'static str, &'static str, bool, bool, bool),
    (u32, u64, u32, bool),
    Option<String>,
    Vec<(&'static str, u32, u32, bool, bool)>,
);

fn comparable(job: &JobState) -> Compared {
    let audit =
        |agent: &AgentState| (agent.status.as_str(), agent.attempt, agent.failures, agent.timed_out, agent.late);
    let holder = job.run.as_ref().map(|run| run.key.clone());
    let words = (job.status.as_str(), job.phase.as_str(), job.begun, job.waits, job.changes_requested);
    let numbers = (job.steps_back, job.epoch, job.losses, job.handed_to.is_some());
    (words, numbers, holder, job.agents.iter().map(audit).collect())
}

fn expected(model: &Model) -> Compared {
    let audit = |audit: &tables::Audit| (audit.status, audit.attempt, audit.failures, audit.timed_out, audit.late);
    let holder = model.holder.map(|run| format!("run {run}"));
    let words = (model.status, model.phase, model.begun, model.waits, model.changes);
    let numbers = (model.steps_back, model.epoch, model.losses, model.handed);
    (words, numbers, holder, model.audits.iter().map(audit).collect())
}

/// What doesn't depend on the model.
fn invariants(before: &JobState, step: &Step, definition: &Definition, did: &Did) {
    let after = &step.job;
    let what = || format!("{did:?}\nbefore: {before:?}\nafter: {after:?}");
    assert!(!before.status.is_finished() || before == after, "what is over stays as it is: {}", what());
    assert!(after.epoch >= before.epoch && after.steps_back <= bounds::STEPS_BACK, "numbers only grow: {}", what());
    let falls = after.overall_progress(definition) < before.overall_progress(definition);
    let again = after.agents.iter().zip(&before.agents).any(|(after, before)| after.attempt > before.attempt);
    let may_fall = after.steps_back > before.steps_back || after.epoch > before.epoch || again;
    assert!(!falls || may_fall, "progress falls for a reason: {}", what());
    assert!(after.overall_progress(definition) <= 100, "{}", what());
    for agent in &after.agents {
        let is_over = after.status.is_finished() && agent.status == AgentStatus::Running;
        assert!(!is_over, "nothing runs in a job that is over: {}", what());
        assert!(agent.failures <= definition.limits.retries + 1, "as many tries as it has: {}", what());
        assert!(agent.status != AgentStatus::Running || agent.started_at.is_some(), "{}", what());
        assert!(!agent.status.is_finished() || agent.completed_at.is_some(), "{}", what());
    }
    if !after.status.is_finished() {
        let now = Timestamp(i64::MAX / 2);
        assert!(after.step(definition, &By::Person, &Act::Cancel, now).is_ok(), "the person can end it: {}", what());
    }
    assert!(!told::next(after, definition).is_empty(), "something is said of what is left: {}", what());
}

/// A run that says the same twice.
fn said_twice(step: &Step, definition: &Definition, did: &Did, by: &By, now: Timestamp) {
    if !matches!(by, By::Run(_)) {
        return;
    }
    let again = step.job.step(definition, by, &act(did), now);
    let again = again.unwrap_or_else(|refusal| panic!("what was done can be said again: {refusal:?} after {did:?}"));
    assert_eq!((&again.answer, again.events.len()), (&step.answer, 0), "the same answer and nothing told: {did:?}");
    assert_eq!((again.publishes, &again.job), (false, &step.job), "and nothing changed: {did:?}");
}

/// Walks along the tables. `used` is told what was done where; without it, what holds at each step is looked at, too.
fn walk(is_parked: bool, acts: &[Dice], mut used: Option<&mut BTreeSet<(&'static str, &'static str)>>) {
    let definition = definition();
    let mut model = Model::new(is_parked, NOW);
    let mut job = JobState::new(&definition, is_parked, Timestamp(NOW));
    for dice in acts {
        let did = model.dice(*dice);
        model.passes(did.after);
        let (by, now) = (by(&did, model.now), Timestamp(model.now));
        match (model.does(&did), job.step(&definition, &by, &act(&did), now)) {
            (Ok(next), Ok(step)) => {
                let state = if PHASES.contains(&did.act) { model.phase } else { model.status };
                if let Some(used) = &mut used {
                    used.insert((did.act, state));
                } else {
                    invariants(&job, &step, &definition, &did);
                    said_twice(&step, &definition, &did, &by, now);
                }
                assert_eq!(comparable(&step.job), expected(&next), "{did:?} at {model:?}");
                let told: Vec<_> = step.events.iter().map(|event| event.kind.as_str()).collect();
                assert_eq!(told, next.told, "{did:?} at {model:?}");
                assert_eq!(step.job.overall_progress(&definition), next.progress(), "{did:?} at {model:?}");
                assert_eq!(step.publishes, next.told.contains(&"job:completed"), "{did:?}");
                (model, job) = (next, step.job);
            }
            (Err(code), Err(refusal)) => assert_eq!(refusal.fault().code.as_str(), code, "{did:?} at {model:?}"),
            (expected, found) => panic!("{did:?} at {model:?}: the tables have {expected:?}, and it is {found:?}"),
        }
    }
    let kept = serde_json::to_string(&job).expect("it can be kept");
    assert_eq!(serde_json::from_str::<JobState>(&kept).ok(), Some(job), "it comes back as it was kept");
}

#[test]
fn random_acts_do_what_the_tables_say_and_never_more() {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let tested = TestRunner::new(config).run(&(any::<bool>(), vec(any::<Dice>(), 1..LENGTH)), |(is_parked, acts)| {
        walk(is_parked, &acts, None);
        Ok(())
    });
    if let Err(error) = tested {
        panic!("{error}");
    }
}

#[test]
fn random_acts_use_every_way_there_is() {
    let mut numbers = 0_u64;
    // The same numbers at every run (splitmix64).
    let mut byte = || {
        numbers = numbers.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (numbers ^ (numbers >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u8::try_from((mixed ^ (mixed >> 31)) & 0xff).expect("eight bits")
    };
    let mut used = BTreeSet::new();
    for case in 0..3000 {
        let acts: Vec<Dice> = (0..LENGTH).map(|_| (byte(), byte(), byte(), byte(), byte())).collect();
        walk(case % 4 == 0, &acts, Some(&mut used));
    }
    for (from, to) in PHASES.iter().flat_map(|from| PHASES.iter().map(move |to| (*from, *to))) {
        let can = !matches!(way(from, to), "order" | "over");
        assert!(!can || used.contains(&(to, from)), "from {from} to {to} was never gone");
    }
    for act in ACTS {
        let done = STATUSES.iter().filter(|status| used.contains(&(act, **status))).count();
        assert!(done > 0, "{act} was never done");
    }
}
