//! Scenes of jobs: the sequence that clients know, time-outs, a run that takes over, what is said of what is left.

use serde_json::json;

use super::super::*;
use super::NOW;
use crate::fault::Code;
use crate::timestamp::Timestamp;

const MINUTE: i64 = 60_000;

/// A job that acts are done to, one after the other.
struct Scene {
    definition: Definition,
    job: JobState,
    now: i64,
    told: Vec<String>,
}

impl Scene {
    fn new(change: impl FnOnce(&mut Definition)) -> Self {
        let mut definition = built_in("review").expect("it is built in");
        definition.agents.truncate(2);
        change(&mut definition);
        let definition = definition.checked().expect("it keeps the rules");
        let job = JobState::new(&definition, false, Timestamp(NOW));
        Self { definition, job, now: NOW, told: Vec::new() }
    }

    fn by(&mut self, by: &By, act: &Act) -> Result<Answer, Code> {
        let step = self.job.step(&self.definition, by, act, Timestamp(self.now));
        let step = step.map_err(|refusal| refusal.fault().code)?;
        self.told.extend(step.events.iter().map(|event| event.kind.as_str().to_owned()));
        self.job = step.job;
        Ok(step.answer)
    }

    fn run(&mut self, act: &Act) -> Result<serde_json::Value, Code> {
        let caller = caller("one", Connection::There);
        self.by(&By::Run(caller), act).map(|answer| serde_json::to_value(answer).expect("it can be written"))
    }

    fn gate(&mut self, act: &Act) {
        self.by(&By::Gate, act).expect("the gate may");
    }

    fn phase(&mut self, phase: &str) -> Result<serde_json::Value, Code> {
        self.run(&Act::SetPhase(Phase::parse(phase).expect("a phase")))
    }

    fn start(&mut self, name: &str) -> Result<serde_json::Value, Code> {
        self.run(&Act::StartAgent(name.to_owned()))
    }

    fn end(&mut self, name: &str, end: AgentEnd) -> Result<serde_json::Value, Code> {
        let error = (end == AgentEnd::Failed).then(|| "it can't be done".to_owned());
        self.run(&Act::CompleteAgent { name: name.to_owned(), end, error, attempt: None })
    }

    fn pass(&mut self, minutes: i64) {
        self.now += minutes * MINUTE;
        self.gate(&Act::Clock);
    }

    fn status(&self, at: usize) -> &'static str {
        self.job.agents[at].status.as_str()
    }

    fn next(&self) -> String {
        told::next(&self.job, &self.definition)
    }
}

fn caller(run: &str, holder: Connection) -> Caller {
    Caller { run: run.to_owned(), party: "own".to_owned(), is_own: true, holder }
}

#[test]
fn the_sequence_that_clients_know_goes_through() {
    let mut scene = Scene::new(|_| {});
    let at = "2026-11-21T03:49:21.125Z";
    assert_eq!(scene.phase("initializing"), Ok(json!({"phase": "initializing", "overallProgress": 0})));
    assert_eq!(scene.phase("agents-running"), Ok(json!({"phase": "agents-running", "overallProgress": 5})));
    let started = json!({
        "agentName": "clean-architecture", "startedAt": at, "overallProgress": 25, "phase": "agents-running", "attempt": 1
    });
    assert_eq!(scene.start("clean-arch"), Ok(started.clone()), "by the name that the seed has for it");
    assert_eq!(scene.start("clean-architecture"), Ok(started), "said twice");
    let ended = json!({
        "agentName": "clean-architecture", "status": "completed", "completedAt": at, "overallProgress": 45,
        "next": "start_agent(\"ddd\"); 1 of the agents that set_phase(\"synthesizing\") needs aren't finished."
    });
    assert_eq!(scene.end("clean-architecture", AgentEnd::Success), Ok(ended));
    assert_eq!(scene.phase("synthesizing"), Err(Code::AgentsUnfinished));
    scene.start("ddd").expect("it is its turn");
    let failed = scene.end("ddd", AgentEnd::Failed).expect("it runs");
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("it can't be done")));
    for (phase, percent) in [("synthesizing", 90), ("publishing", 95), ("completed", 100), ("completed", 100)] {
        assert_eq!(scene.phase(phase), Ok(json!({"phase": phase, "overallProgress": percent})), "a failed one counts");
    }
    let told = [
        "job:started",
        "phase:changed",
        "phase:changed",
        "agent:started",
        "agent:completed",
        "agent:started",
        "agent:failed",
        "phase:changed",
        "phase:changed",
        "phase:changed",
        "job:completed",
    ];
    assert_eq!(scene.told, told, "each once");
    assert_eq!(scene.start("ddd"), Err(Code::JobFinished));
}

#[test]
fn an_audit_begins_the_job_and_audits_wait_for_those_before_them() {
    let mut scene = Scene::new(|_| {});
    assert_eq!(scene.end("ddd", AgentEnd::Success), Err(Code::AgentNotStarted));
    assert_eq!(scene.start("ddd"), Err(Code::AgentOrder));
    assert_eq!(scene.start("clean-architecture").map(|it| it["phase"].clone()), Ok(json!("agents-running")));
    assert_eq!(scene.phase("publishing"), Err(Code::PhaseOrder));
    let mut beside = Scene::new(|it| it.agents[1].order = 1);
    beside.start("ddd").expect("it runs beside the other one");
    beside.start("clean-architecture").expect("and that beside it");
    assert_eq!((beside.status(0), beside.status(1)), ("running", "running"));
}

#[test]
fn a_name_that_is_none_is_told_with_the_nearest_one() {
    let scene = Scene::new(|_| {});
    let by = By::Run(caller("one", Connection::There));
    let says = |name: &str| {
        let step = scene.job.step(&scene.definition, &by, &Act::StartAgent(name.to_owned()), Timestamp(NOW));
        step.expect_err(name).fault()
    };
    let near = says("clean-architectur");
    assert_eq!(near.code, Code::UnknownAgent);
    assert!(near.mend.contains("`clean-architecture`?"), "{near}");
    assert!(says("Clean-Arch2").mend.contains("Did you mean `clean-architecture`?"), "by another of its names, too");
    let far = says("quantum");
    assert!(!far.mend.contains("mean") && far.mend.contains("`ddd`"), "{far}");
    assert!(says(&"x".repeat(5000)).message.len() < 200, "what was sent isn't sent back whole");
}

#[test]
fn an_audit_whose_time_is_over_has_failed_and_may_yet_end_well() {
    let mut scene = Scene::new(|_| {});
    scene.start("clean-arch").expect("it is its turn");
    scene.pass(19);
    assert_eq!(step::due(&scene.job, &scene.definition), Some(Timestamp(NOW + 20 * MINUTE)));
    assert_eq!(scene.status(0), "running");
    scene.pass(1);
    assert_eq!(scene.job.agents[0].error.as_deref(), Some("It took longer than 20 minutes."));
    let late = scene.end("clean-arch", AgentEnd::Success).expect("it is taken");
    assert_eq!((&late["status"], scene.job.agents[0].late), (&json!("completed"), true));

    scene.start("ddd").expect("it is its turn");
    scene.pass(20);
    assert_eq!(scene.start("ddd").map(|it| it["attempt"].clone()), Ok(json!(2)), "it has a try left");
    let first = Act::CompleteAgent { name: "ddd".to_owned(), end: AgentEnd::Success, error: None, attempt: Some(1) };
    assert_eq!(scene.run(&first), Err(Code::AgentFinished), "a newer attempt has begun");
    scene.end("ddd", AgentEnd::Failed).expect("it runs");
    assert_eq!(scene.end("ddd", AgentEnd::Success), Err(Code::AgentFinished), "it said so itself");
    assert_eq!(scene.start("ddd"), Err(Code::AgentFinished), "no try is left");
}

#[test]
fn time_for_a_person_and_with_the_gate_off_does_not_count() {
    let mut scene = Scene::new(|it| it.limits.job_minutes = 30);
    scene.start("clean-arch").expect("it is its turn");
    scene.now += 10 * MINUTE;
    scene.gate(&Act::Wait(true));
    assert_eq!(step::due(&scene.job, &scene.definition), None, "a person isn't hurried");
    scene.pass(600);
    assert_eq!(scene.status(0), "running");
    scene.gate(&Act::Wait(false));
    scene.now += 300 * MINUTE;
    scene.gate(&Act::Off(u64::try_from(300 * MINUTE).expect("it is positive")));
    scene.pass(9);
    assert_eq!(scene.status(0), "running", "nineteen minutes count");
    scene.pass(1);
    assert_eq!(scene.status(0), "failed");
    scene.start("clean-arch").expect("it has a try left");
    scene.pass(9);
    assert_eq!(scene.job.status, JobStatus::Running);
    scene.pass(1);
    assert_eq!((scene.job.status, scene.status(0)), (JobStatus::Failed, "failed"), "thirty minutes of the job do");
    assert_eq!(scene.start("ddd"), Err(Code::JobFinished));
}

#[test]
fn another_run_takes_over_once_the_holder_is_gone() {
    let mut scene = Scene::new(|_| {});
    scene.start("clean-arch").expect("it is its turn");
    let ask = |scene: &mut Scene, holder| {
        let act = Act::StartAgent("clean-arch".to_owned());
        scene.by(&By::Run(caller("two", holder)), &act)
    };
    let gone = |scene: &Scene, millis: i64| Connection::Gone(Timestamp(scene.now - millis));
    assert_eq!(ask(&mut scene, Connection::There), Err(Code::JobTaken));
    let holder = gone(&scene, 29_999);
    assert_eq!(ask(&mut scene, holder), Err(Code::JobTaken));
    let holder = gone(&scene, 30_000);
    let Ok(Answer::Started(started)) = ask(&mut scene, holder) else { panic!("it takes over") };
    assert_eq!((started.attempt, scene.job.epoch, scene.job.agents[0].failures), (2, 2, 0), "that isn't its failure");
    assert_eq!(scene.end("clean-arch", AgentEnd::Success), Err(Code::JobTaken), "the old run has lost it");
    scene.now += 20 * MINUTE;
    assert_eq!(scene.run(&Act::Add), Err(Code::JobTaken), "as long as its relay is there");
    let other = Caller { party: "other".to_owned(), is_own: false, ..caller("three", gone(&scene, 60_000)) };
    assert_eq!(scene.by(&By::Run(other.clone()), &Act::Add), Err(Code::UnknownJob));
    scene.by(&By::Person, &Act::HandOver("other".to_owned())).expect("they may");
    assert!(scene.by(&By::Run(other), &Act::Add).is_ok(), "by the person's word");
    scene.now += 20 * MINUTE;
    let quiet = By::Run(caller("two", Connection::Unknown));
    assert_eq!(scene.by(&quiet, &Act::Add), Err(Code::JobTaken), "it may be at work");
    scene.now += 1;
    assert!(scene.by(&quiet, &Act::Add).is_ok(), "it was quiet for longer than an audit may take");
}

#[test]
fn a_lost_run_is_started_again_once_and_is_told_what_is_left() {
    let mut scene = Scene::new(|_| {});
    scene.start("clean-arch").expect("it is its turn");
    scene.end("clean-arch", AgentEnd::Success).expect("it runs");
    scene.start("ddd").expect("it is its turn");
    scene.gate(&Act::Lose);
    assert!(scene.job.restarts());
    scene.pass(90);
    assert_eq!(scene.job.status, JobStatus::Interrupted, "time in which nobody is at it doesn't count");
    let said = told::instructions(&scene.job, &scene.definition);
    assert!(said.contains("Done: `clean-architecture`."), "{said}");
    scene.by(&By::Run(caller("two", Connection::There)), &Act::Add).expect("it takes over at once");
    assert_eq!((scene.status(0), scene.status(1)), ("completed", "pending"));
    assert!(scene.next().starts_with("start_agent(\"ddd\")"), "{}", scene.next());
    scene.gate(&Act::Lose);
    assert!(!scene.job.restarts(), "once");
}

#[test]
fn nothing_is_published_without_an_audit_that_has_to_succeed() {
    let mut scene = Scene::new(|it| it.agents[1].on_failure = OnFailure::Block);
    for name in ["clean-arch", "ddd"] {
        scene.start(name).expect("it is its turn");
        scene.end(name, if name == "ddd" { AgentEnd::Failed } else { AgentEnd::Success }).expect("it runs");
    }
    scene.phase("synthesizing").expect("they are finished");
    assert_eq!(scene.phase("publishing"), Err(Code::AgentFailed));
    assert_eq!(scene.start("ddd"), Err(Code::PhaseOrder), "its phase is over");
    assert!(scene.next().contains("set_phase(\"agents-running\") goes back"), "{}", scene.next());
    scene.phase("agents-running").expect("it goes back");
    scene.start("ddd").expect("it has a try left");
    scene.end("ddd", AgentEnd::Success).expect("it runs");
    scene.phase("synthesizing").expect("they are finished");
    assert_eq!(scene.phase("agents-running"), Err(Code::PhaseOrder), "there is nothing to go back for");
    scene.phase("publishing").expect("nothing blocks");
    for left in [2, 1, 0] {
        scene.by(&By::Person, &Act::Return).expect("they ask for changes");
        assert!(scene.next().starts_with("The person asked for changes"), "{}", scene.next());
        let back = scene.phase("synthesizing");
        assert_eq!(back.is_ok(), left > 0, "three times in all");
        if left > 0 {
            scene.run(&Act::Publish).expect("it has the job");
            scene.phase("publishing").expect("all is finished");
        }
    }
}

#[test]
fn instructions_have_the_seed_s_order_and_say_what_comes_next() {
    let definition = built_in("review").expect("it is built in");
    let job = JobState::new(&definition, false, Timestamp(NOW));
    let said = told::instructions(&job, &definition);
    let order = [
        "get_workflow",
        "set_phase(\"initializing\")",
        "set_phase(\"agents-running\")",
        "start_agent(agentName)",
        "complete_agent(agentName",
        "set_phase(\"synthesizing\")",
        "set_phase(\"publishing\")",
        "set_phase(\"completed\")",
    ];
    let places: Vec<_> = order.iter().map(|step| said.find(step).unwrap_or_else(|| panic!("{step} is said"))).collect();
    assert!(places.is_sorted(), "{said}");
    assert!(said.contains("finished before `publishing`: `threads`, `report`."), "{said}");
    assert!(!said.contains("What is left"), "all of it is left");
    let own = Definition { instructions: Some("Do it.".to_owned()), ..definition.clone() };
    assert!(told::instructions(&job, &own).starts_with("Do it.\n\nThese agents"), "a workflow may have its own");
    let begun = JobState { begun: true, ..job };
    assert!(told::instructions(&begun, &definition).contains("\n\nNot started: `clean-architecture`,"));
}
