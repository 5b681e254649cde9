//! What is sent again counts once, and of two at once each is whole.

use gate_core::Timestamp;
use gate_core::workflow::record::{Acting, Handed, NewJob, PullFacts};
use gate_core::workflow::{Act, JobStatus, Phase, WorkflowStore, built_in};

use super::scene::*;
use crate::fixture::{NOW, Outcome};
use crate::parties::{client, code};

#[tokio::test]
async fn a_call_that_is_sent_again_gives_its_first_result_until_that_has_arrived() -> Outcome {
    let mut scene = Scene::new().await?;
    let party = client("claude-code");
    let new = NewJob { force: true, ..scene.new_job(1) };
    let first = scene.create_as(Some(&party), new.clone(), Some("relay:1")).await?;
    let other = NewJob { job_id: scene.new_job(1).job_id, ..new };
    let second = scene.create_as(Some(&party), other, Some("relay:1")).await?;
    assert_eq!((second.job, second.happened), (first.job.clone(), false), "one job, and not two");
    let job = first.job.job_id;
    let start = Acting {
        job_id: job,
        actor: run("one"),
        act: Act::StartAgent("clean-arch".to_owned()),
        with: Handed::Nothing,
        call_key: Some("relay:2".to_owned()),
        at: Timestamp(NOW),
    };
    let started = scene.store.act_on_job(start.clone()).await?;
    let hands_in = Acting {
        act: Act::Add,
        with: Handed::Findings(vec![finding("One")]),
        call_key: Some("relay:3".to_owned()),
        ..start.clone()
    };
    let found = scene.store.act_on_job(hands_in.clone()).await?;
    scene.act(&run("one"), job, ended("clean-architecture")).await?;
    scene.restart().await?;

    let again = scene.store.act_on_job(start.clone()).await?;
    assert_eq!((again.answer, again.job), (started.answer, started.job), "the first one, whatever has happened since");
    assert!(!again.happened);
    let again = scene.store.job_call("relay:3").await?.ok_or("it was done before")?;
    assert_eq!((again.findings, again.answer), (found.findings, found.answer));
    scene.store.job_call_delivered("relay:2").await?;
    assert_eq!(scene.store.job_call("relay:2").await?, None);
    assert_eq!(code(scene.store.act_on_job(start).await), "agent_finished", "after that it is another call");
    scene.kinds(job).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_refused_leaves_nothing_and_what_is_said_twice_is_told_once() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let by = run("one");
    let refused = Acting {
        job_id: job,
        actor: by.clone(),
        act: Act::SetPhase(Phase::Completed),
        with: Handed::Nothing,
        call_key: Some("relay:1".to_owned()),
        at: Timestamp(NOW),
    };
    let before = scene.read(job).await?;
    assert_eq!(code(scene.store.act_on_job(refused).await), "phase_order");
    assert_eq!(scene.read(job).await?, before, "nothing of it is there, not even that a run began");
    assert_eq!(scene.store.job_call("relay:1").await?, None);
    for act in [Act::SetPhase(Phase::Initializing), Act::StartAgent("ddd".to_owned())] {
        let first = scene.act(&by, job, act.clone()).await;
        let second = scene.act(&by, job, act).await;
        match (first, second) {
            (Ok(first), Ok(second)) => assert_eq!((second.answer, second.happened), (first.answer, false)),
            (first, second) => assert_eq!((code(first), code(second)), ("agent_order", "agent_order")),
        }
    }
    assert_eq!(scene.kinds(job).await?, ["job:created", "job:started", "phase:changed"]);
    Ok(())
}

#[tokio::test]
async fn the_same_job_is_one_job() -> Outcome {
    let scene = Scene::new().await?;
    let (claude, codex) = (client("claude-code"), client("codex"));
    let first = scene.create_as(Some(&claude), scene.new_job(1), None).await?;
    let same = scene.create_as(Some(&claude), scene.new_job(1), None).await?;
    assert_eq!((same.job, same.happened), (first.job.clone(), false));
    let unknown = PullFacts::default();
    let headless = NewJob { facts: unknown.clone(), ..scene.new_job(1) };
    let found = scene.create_as(Some(&claude), headless.clone(), None).await?;
    assert_eq!(found.job.job_id, first.job.job_id, "while a head isn't known, it is the one that isn't finished");
    let facts = PullFacts { head: Some(commit('b')), ..unknown };
    let followup = built_in("followup").ok_or("it is built in")?;
    let mut elsewhere = scene.new_job(1);
    elsewhere.pull.host = "git.example.com".to_owned();
    for (by, new, why) in [
        (Some(&codex), scene.new_job(1), "of another party"),
        (None, scene.new_job(1), "the person's"),
        (Some(&claude), scene.new_job(2), "of another pull request"),
        (Some(&claude), elsewhere, "of another host"),
        (Some(&claude), NewJob { facts, ..scene.new_job(1) }, "of another head"),
        (Some(&claude), NewJob { definition: followup, ..scene.new_job(1) }, "of another workflow"),
        (Some(&claude), NewJob { force: true, ..scene.new_job(1) }, "since it is to be"),
    ] {
        assert!(scene.create_as(by, new, None).await?.happened, "{why}");
    }
    assert!(!scene.create_as(None, scene.new_job(1), None).await?.happened, "the person has it");
    scene.complete(first.job.job_id).await?;
    let done = scene.create_as(Some(&codex), scene.new_job(3), None).await?;
    scene.act(&gate_core::workflow::record::Actor::Person, done.job.job_id, Act::Cancel).await?;
    let again = scene.create_as(Some(&codex), scene.new_job(3), None).await?;
    assert_eq!(again.job.status, JobStatus::Cancelled, "the same head, although it is over");
    let headless = NewJob { pull: pull(3), ..headless };
    assert!(scene.create_as(Some(&codex), headless, None).await?.happened, "one that is over may be of another head");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_at_once_one_run_has_the_job_and_each_thing_is_told_once() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..64 {
        let store = scene.store.clone();
        tasks.spawn(async move {
            let acting = Acting {
                job_id: job,
                actor: run(&format!("run {}", number % 4)),
                act: Act::StartAgent("clean-arch".to_owned()),
                with: Handed::Nothing,
                call_key: None,
                at: Timestamp(NOW),
            };
            store.act_on_job(acting).await.map(|acted| acted.happened)
        });
    }
    let (mut happened, mut taken) = (0, 0);
    while let Some(done) = tasks.join_next().await {
        match done? {
            Ok(true) => happened += 1,
            Ok(false) => {}
            Err(fault) => {
                assert_eq!(fault.code.as_str(), "job_taken");
                taken += 1;
            }
        }
    }
    assert_eq!(
        (happened, taken),
        (1, 48),
        "one began it, its own calls are answered the same, the others have to wait"
    );
    assert_eq!(scene.kinds(job).await?, ["job:created", "job:started", "phase:changed", "agent:started"]);
    Ok(())
}
