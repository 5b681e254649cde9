//! Jobs on a real store, with the clock passed in: the seed's sequence, takeovers, time-outs, review-flow's file, and what
//! others see.

use std::path::{Path, PathBuf};

use gate_core::workflow::step::Answer;
use gate_core::workflow::{
    Act, Action, AgentEnd, AgentStatus, AnchorKind, Finding, FindingState, JobId, JobReference, JobStatus, JobType,
    Phase, Severity,
};
use gate_core::{Code, Fault};
use gate_mcp::{CallerPort as _, Change, JobRead, JobWish, ReviewCaller, WorkflowPort};
use gate_os::files::real_path;
use serde_json::Value;
use tempfile::TempDir;

use crate::slices::Gate;
use crate::tests::reviews::{MINUTE, after, started};
use crate::tests::wait::{LIMIT, eventually};
use crate::tests::{Outcome, gate, open};

const URL: &str = "https://github.com/owner/repo/pull/42";

/// A reviewer whose program began so, in this folder; two that began otherwise are one party where one has ended.
fn reviewer(began: &str, folder: &Path) -> ReviewCaller {
    started(began, "claude-code", &folder.display().to_string())
}

/// One of another party.
fn stranger(folder: &Path) -> ReviewCaller {
    started("stranger", "codex", &folder.display().to_string())
}

fn clone() -> std::io::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let real = real_path(folder.path())?;
    Ok((folder, real))
}

fn wish(local_path: Option<&Path>) -> JobWish {
    JobWish {
        url: URL.to_owned(),
        workflow: None,
        job_type: None,
        local_path: local_path.map(|path| path.display().to_string()),
        force: false,
    }
}

async fn job(gate: &Gate, caller: &ReviewCaller) -> Result<JobId, Fault> {
    gate.create(caller, wish(None)).await.map(|created| created.job_id)
}

fn start(name: &str) -> Act {
    Act::StartAgent(name.to_owned())
}

fn end(name: &str, end: AgentEnd) -> Act {
    Act::CompleteAgent { name: name.to_owned(), end, error: None, attempt: None }
}

fn finding(title: &str, severity: Severity) -> Finding {
    Finding {
        title: title.to_owned(),
        body: "See here.".to_owned(),
        severity,
        file: Some("src/a.rs".to_owned()),
        line: Some(2),
        end_line: None,
        side: None,
        snippet: None,
        suggestion: None,
        category: None,
    }
}

/// All that the instructions say, in their order.
async fn the_sequence(gate: &Gate, again: impl Fn() -> ReviewCaller, job: JobId) -> Result<JobRead, Fault> {
    let read = gate.read(&again(), job).await?;
    let of = |phase: Phase| read.definition.agents.iter().filter(move |agent| agent.phase == phase);
    gate.act(&again(), job, Act::SetPhase(Phase::Initializing)).await?;
    gate.act(&again(), job, Act::SetPhase(Phase::AgentsRunning)).await?;
    for agent in of(Phase::AgentsRunning) {
        gate.act(&again(), job, start(&agent.name)).await?;
        gate.act(&again(), job, end(&agent.name, AgentEnd::Success)).await?;
    }
    gate.act(&again(), job, Act::SetPhase(Phase::Synthesizing)).await?;
    for agent in of(Phase::Synthesizing) {
        gate.act(&again(), job, start(&agent.name)).await?;
        gate.act(&again(), job, end(&agent.name, AgentEnd::Success)).await?;
    }
    gate.act(&again(), job, Act::SetPhase(Phase::Publishing)).await?;
    gate.act(&again(), job, Act::SetPhase(Phase::Completed)).await?;
    gate.read(&again(), job).await
}

#[tokio::test]
async fn whoever_creates_a_job_reviews_it_at_once_and_takes_it_through_its_phases() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let again = || reviewer("one", &folder);
    let first = again();
    let created = gate.create(&first, wish(None)).await?;
    assert!(created.created, "it is a new one");
    assert_eq!(created.status, JobStatus::Running, "the agent that creates it reviews it itself");
    assert_eq!(gate.create(&first, wish(None)).await?, created, "a call that comes again is told the same");
    let same = gate.create(&again(), wish(None)).await?;
    assert_eq!((same.job_id, same.created), (created.job_id, false), "the same pull request is the same job");
    let job = created.job_id;

    let JobReference::Pull(named) = JobReference::parse("github:owner/repo:42")? else {
        return Err("it names a pull request".into());
    };
    assert_eq!(gate.job_of(&again(), &named).await?, job, "review-flow's name means it");
    let mut changes = gate.inner.bus.changes();
    let read = the_sequence(&gate, again, job).await?;
    let heard = std::iter::from_fn(|| changes.try_recv().ok());
    let about = format!("file://review-gate/jobs/{job}");
    assert!(
        heard.into_iter().any(|change| change == Change::Resource(about.clone())),
        "whoever subscribed hears of it"
    );
    assert_eq!((read.state.status, read.state.phase), (JobStatus::Completed, Phase::Completed));
    assert_eq!(read.state.overall_progress(&read.definition), 100);
    assert!(read.stale && read.title.is_none(), "no platform was asked");
    assert!(gate.create(&again(), wish(None)).await?.created, "the next review of it is another job");

    let client = &first.whose.owner;
    let events = gate.job_events_for(client, job, 0, 100).await?.ok_or("it is theirs")?;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    let begins = ["job:created", "job:started", "phase:changed", "phase:changed", "agent:started"];
    assert_eq!(kinds[..5], begins, "each phase is told once");
    assert!(kinds.contains(&"job:completed"), "{kinds:?}");
    assert!(events.iter().zip(1..).all(|(event, n)| event.n == n), "they are numbered without a gap");
    Ok(())
}

#[tokio::test]
async fn what_a_run_hands_in_is_kept_once_and_what_needs_the_platform_says_so() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let again = || reviewer("one", &folder);
    let job = job(&gate, &again()).await?;
    let findings = || vec![finding("It is slow", Severity::Warning), finding("It is wrong", Severity::Blocking)];
    let kept = gate.add_findings(&again(), job, Some("ddd".to_owned()), findings()).await?;
    assert_eq!(kept.iter().map(|kept| kept.state).collect::<Vec<_>>(), [FindingState::New; 2]);
    assert_eq!(kept[0].anchor.kind, AnchorKind::Report, "no diff is known");
    let same = gate.add_findings(&again(), job, None, findings()).await?;
    assert_eq!(same[1].finding_id, kept[1].finding_id, "said again it is the same");
    let nobody = gate.add_findings(&again(), job, Some("dddd".to_owned()), findings()).await;
    assert_eq!(nobody.err().map(|fault| fault.code), Some(Code::UnknownAgent));

    let action = Action::PostComment { body: "Thanks.".to_owned() };
    let (id, anchor) = gate.add_action(&again(), job, action.clone()).await?;
    assert_eq!((gate.add_action(&again(), job, action).await?.0, anchor), (id, None));
    let threads = gate.threads(&again(), job, true).await?;
    assert!(threads.stale && threads.fetched_at.is_none() && threads.threads.is_empty());
    let diff = gate.diff(&again(), job, false).await.err().ok_or("no diff is known")?;
    assert_eq!(diff.code, Code::PlatformUnreachable, "{diff}");
    assert!(diff.message.contains("github.com"), "{diff}");
    Ok(())
}

#[tokio::test]
async fn a_job_is_seen_by_its_party_alone() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let own = reviewer("one", &folder);
    let job = job(&gate, &own).await?;
    let other = stranger(&folder);
    let unknown = |fault: Option<Fault>| assert_eq!(fault.map(|fault| fault.code), Some(Code::UnknownJob));
    unknown(gate.read(&other, job).await.err());
    unknown(gate.act(&other, job, Act::SetPhase(Phase::AgentsRunning)).await.err());
    unknown(gate.threads(&other, job, false).await.err());
    unknown(gate.diff(&other, job, false).await.err());
    unknown(gate.add_findings(&other, job, None, vec![finding("No", Severity::Warning)]).await.err());
    let JobReference::Pull(named) = JobReference::parse("github:owner/repo:42")? else {
        return Err("it names a pull request".into());
    };
    unknown(gate.job_of(&other, &named).await.err());
    assert!(gate.job_for(&other.whose.owner, job).await?.is_none());
    assert!(gate.job_events_for(&other.whose.owner, job, 0, 9).await?.is_none());
    assert!(gate.jobs_for(&other.whose.owner, None, 9).await?.is_empty());
    assert_eq!(gate.jobs_for(&own.whose.owner, None, 9).await?.len(), 1);
    let begins = &job.to_string()[..8];
    assert_eq!(gate.jobs_like(&own.whose.owner, begins, 9).await?, (vec![job], 1));
    let theirs = gate.create(&other, wish(None)).await?;
    assert!(theirs.created && theirs.job_id != job, "another party has a job of its own of the same pull request");
    Ok(())
}

#[tokio::test]
async fn another_run_of_the_party_takes_over_once_the_relay_of_the_first_is_gone() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let (first, second) = (|| reviewer("one", &folder), || reviewer("two", &folder));
    let connected = gate.inner.queue.relays.connect("one");
    let job = job(&gate, &first()).await?;
    gate.act(&first(), job, start("ddd")).await.err().ok_or("its order comes later")?;
    gate.act(&first(), job, start("clean-arch")).await?;
    let takes = || async { gate.act(&second(), job, start("clean-arch")).await };
    let refused = |fault: Option<Fault>| assert_eq!(fault.map(|fault| fault.code), Some(Code::JobTaken));
    gate.inner.workflow.pass_time(after(5 * MINUTE)).await;
    refused(takes().await.err());
    assert!(gate.read(&second(), job).await.is_ok(), "it may look");
    drop(connected);
    gate.inner.workflow.pass_time(after(5 * MINUTE + MINUTE / 4)).await;
    refused(takes().await.err());
    gate.inner.workflow.pass_time(after(5 * MINUTE + MINUTE)).await;
    assert_eq!(gate.read(&second(), job).await?.state.status, JobStatus::Interrupted);
    let Answer::Started(answer) = takes().await? else { return Err("it was started".into()) };
    assert_eq!((answer.agent_name.as_str(), answer.attempt), ("clean-architecture", 2), "it is begun anew");
    refused(gate.act(&first(), job, end("clean-arch", AgentEnd::Success)).await.err());
    Ok(())
}

#[tokio::test]
async fn a_run_that_comes_back_after_the_gate_goes_on_and_time_without_it_does_not_count() -> Outcome {
    let (home, before) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let again = || reviewer("one", &folder);
    let job = job(&before, &again()).await?;
    before.act(&again(), job, start("clean-architecture")).await?;
    let call = again();
    before.act(&call, job, end("clean-architecture", AgentEnd::Failed)).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    let after_start = open(&home, true).await?;
    let Answer::Ended(same) = after_start.act(&call, job, end("clean-architecture", AgentEnd::Failed)).await? else {
        return Err("it has ended".into());
    };
    assert_eq!(same.status, AgentStatus::Failed, "a call that comes again is told the same");
    let Answer::Started(answer) = after_start.act(&again(), job, start("clean-architecture")).await? else {
        return Err("it was started".into());
    };
    assert_eq!(answer.attempt, 2, "what was done is kept");
    after_start.note_delivery(&call.whose.call_key).await;
    Ok(())
}

#[tokio::test]
async fn audits_and_jobs_that_take_too_long_fail_and_time_that_was_off_is_theirs() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let again = || reviewer("one", &folder);
    let _connected = gate.inner.queue.relays.connect("one");
    let job = job(&gate, &again()).await?;
    gate.act(&again(), job, start("clean-architecture")).await?;
    let first = || async {
        let state = gate.read(&again(), job).await?.state;
        Ok::<_, Fault>((state.agents[0].status, state.status))
    };
    gate.inner.workflow.pass_time(after(19 * MINUTE)).await;
    assert_eq!(first().await?, (AgentStatus::Running, JobStatus::Running), "it has time left");
    gate.inner.workflow.was_off(10 * MINUTE, after(29 * MINUTE)).await;
    gate.inner.workflow.pass_time(after(29 * MINUTE)).await;
    assert_eq!(first().await?, (AgentStatus::Running, JobStatus::Running), "the machine slept");
    gate.inner.workflow.pass_time(after(31 * MINUTE)).await;
    assert_eq!(first().await?, (AgentStatus::Failed, JobStatus::Running), "it took longer than it may");
    gate.inner.workflow.pass_time(after(71 * MINUTE)).await;
    assert_eq!(first().await?.1, JobStatus::Failed, "and so did the job");
    let late = gate.act(&again(), job, start("ddd")).await;
    assert_eq!(late.err().map(|fault| fault.code), Some(Code::JobFinished));
    Ok(())
}

/// Reads review-flow's file once it says so.
async fn file(path: &Path, phase: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let look = || {
        let read = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        std::future::ready(Ok(read.filter(|read| read["progress"]["phase"] == phase)))
    };
    Ok(eventually(&format!("a file that says {phase}"), LIMIT, look).await?)
}

#[tokio::test]
async fn review_flow_s_file_follows_a_job_in_the_folder_that_its_call_named() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    std::fs::create_dir_all(folder.join(".claude/reviews"))?;
    let again = || reviewer("one", &folder);
    let job = gate.create(&again(), wish(Some(&folder))).await?.job_id;
    let path = folder.join(".claude/reviews/logs/github-owner/repo-42.json");
    let written = file(&path, "pending").await?;
    assert_eq!(written["mergeRequestId"], "github-owner/repo-42");
    gate.add_findings(&again(), job, None, vec![finding("It is wrong", Severity::Blocking)]).await?;
    the_sequence(&gate, again, job).await?;
    let written = file(&path, "completed").await?;
    assert_eq!(written["progress"]["stepsCompleted"].as_array().map(Vec::len), Some(8));
    assert_eq!(written["result"]["blocking"], 1, "{written}");
    Ok(())
}

#[tokio::test]
async fn a_folder_that_is_not_the_callers_is_refused() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let ((_clone, folder), (_other, elsewhere)) = (clone()?, clone()?);
    std::fs::create_dir(folder.join("below"))?;
    let refused = |named: PathBuf| {
        let gate = &gate;
        let caller = reviewer("one", &folder);
        async move { gate.create(&caller, wish(Some(&named))).await.err().map(|fault| fault.code) }
    };
    for named in [elsewhere.clone(), folder.join(".."), folder.join("none"), PathBuf::from("below")] {
        assert_eq!(refused(named.clone()).await, Some(Code::OutsideWorkspace), "{}", named.display());
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&elsewhere, folder.join("link"))?;
        assert_eq!(refused(folder.join("link")).await, Some(Code::OutsideWorkspace), "by where it really is");
    }
    assert_eq!(refused(folder.join("below")).await, None);
    Ok(())
}

#[tokio::test]
async fn a_workflow_is_named_or_the_usual_one_of_its_type() -> Outcome {
    let (_home, gate) = gate(true).await?;
    let (_clone, folder) = clone()?;
    let again = || reviewer("one", &folder);
    let reviewed = job(&gate, &again()).await?;
    gate.add_findings(&again(), reviewed, None, vec![finding("It is wrong", Severity::Blocking)]).await?;
    the_sequence(&gate, again, reviewed).await?;
    let followup = JobWish { job_type: Some(JobType::Followup), ..wish(None) };
    let followup = gate.create(&again(), followup).await?.job_id;
    let read = gate.read(&again(), followup).await?;
    assert_eq!(read.definition.name, "followup");
    let previous = read.previous.ok_or("there was a review before it")?;
    assert_eq!((previous.job_id, previous.findings.len()), (reviewed, 1), "whose findings it looks at again");
    for (workflow, job_type) in [("reveiw", None), ("review", Some(JobType::Followup))] {
        let wrong = JobWish { workflow: Some(workflow.to_owned()), job_type, ..wish(None) };
        let refused = gate.create(&again(), wrong).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::WorkflowDefinition), "{workflow} {job_type:?}");
    }
    let forced = gate.create(&again(), JobWish { force: true, ..wish(None) }).await?;
    assert!(forced.created);
    assert!(gate.session(&again(), false).await?.is_some(), "it goes on in one session");
    Ok(())
}
