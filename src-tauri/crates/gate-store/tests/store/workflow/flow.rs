//! The way of a job, from its creation to what was posted of it.

use gate_core::workflow::publication::{ItemResult, PublicationDraft};
use gate_core::workflow::record::{Handed, Loose, NewAction, PublicationChange};
use gate_core::workflow::step::Answer;
use gate_core::workflow::{
    Act, ActionId, AgentStatus, ItemId, ItemState, JobStatus, Phase, PublicationState, Thread, ThreadComment,
    ThreadStatus, WorkflowStore,
};
use gate_core::{Digest, Timestamp};
use uuid::Uuid;

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in};
use crate::parties::client;

fn thread(id: &str) -> Thread {
    let comment = ThreadComment { author: None, body: "Why?".to_owned(), created_at: Timestamp(NOW - MINUTE) };
    Thread {
        id: id.to_owned(),
        file: Some("src/a.rs".to_owned()),
        line: Some(3),
        status: ThreadStatus::Open,
        body: "Why?".to_owned(),
        comments: Some(vec![comment]),
    }
}

#[tokio::test]
async fn a_job_goes_its_way_and_all_of_it_is_there_after_a_restart() -> Outcome {
    let mut scene = Scene::new().await?;
    let job = scene.create(42).await?;
    let threads = [thread("t1"), Thread { comments: None, line: None, ..thread("t2") }];
    scene.store.put_threads(job, &threads, Timestamp(NOW)).await?;
    let by = run("one");
    scene.act(&by, job, Act::SetPhase(Phase::Initializing)).await?;
    let started = scene.act(&by, job, Act::StartAgent("clean-arch".to_owned())).await?;
    let Answer::Started(answer) = &started.answer else { panic!("{started:?}") };
    assert_eq!((answer.agent_name.as_str(), answer.attempt), ("clean-architecture", 1), "by another of its names");
    assert_eq!((started.job.status, started.job.phase), (JobStatus::Running, Phase::AgentsRunning));
    let found = scene.find(job, vec![finding("One"), finding("Two")]).await?.findings;
    let action = NewAction { action_id: ActionId(Uuid::now_v7()), anchor: None, action: reply_in("t1") };
    let added = scene.act_at(&by, job, Act::Add, Handed::Action(action.clone()), NOW).await?;
    scene.act(&by, job, ended("clean-architecture")).await?;
    scene.act(&by, job, Act::StartAgent("ddd".to_owned())).await?;
    scene.act(&by, job, ended("ddd")).await?;
    scene.act(&by, job, Act::SetPhase(Phase::Synthesizing)).await?;
    scene.restart().await?;

    scene.act(&by, job, Act::SetPhase(Phase::Publishing)).await?;
    let items: Vec<_> = found.iter().map(|found| ItemId(found.finding_id.0)).collect();
    let new = publication(publication_id(), &[(items[0], "One"), (items[1], "Two")]);
    let put = scene.publish(job, new.clone()).await?.publication.ok_or("it is put before the person")?;
    let done = scene.act_at(&by, job, Act::SetPhase(Phase::Completed), Handed::Nothing, NOW + 1).await?;
    assert!(done.publishes && done.happened, "what stands in none is to be put");
    assert_eq!((done.job.status, done.job.overall_progress), (JobStatus::Completed, 100));
    let kinds = scene.kinds(job).await?;
    let read = (scene.read(job).await?, scene.store.job_findings(job).await?, scene.store.job_actions(job).await?);
    scene.restart().await?;

    let after = (scene.read(job).await?, scene.store.job_findings(job).await?, scene.store.job_actions(job).await?);
    assert_eq!(after, read, "all of it is there");
    assert_eq!(scene.kinds(job).await?, kinds);
    assert_eq!(scene.store.job_threads(job).await?, threads);
    assert_eq!(after.0.summary, done.job);
    assert_eq!(after.0.party, Some(client("claude-code")));
    assert!(after.0.state.agents.iter().all(|agent| agent.status == AgentStatus::Completed));
    assert_eq!(after.0.definition, definition());
    assert_eq!(added.action.map(|action| action.kept), Some(after.2[0].kept.clone()));
    assert_eq!(after.1[1].stands, Some(PublicationState::Open));
    let loose = Loose::of(after.1, after.2);
    assert!(loose.has_new && loose.findings.len() == 2 && loose.actions.len() == 1, "the reply stands in none");
    assert_eq!(scene.store.jobs_to_publish(9).await?, [job], "a restart forgets nothing that is to be done");
    let expected = [
        "job:created",
        "job:started",
        "phase:changed",
        "phase:changed",
        "agent:started",
        "finding:added",
        "action:added",
        "agent:completed",
        "agent:started",
        "agent:completed",
        "phase:changed",
        "phase:changed",
        "publication:changed",
        "phase:changed",
        "job:completed",
    ];
    assert_eq!(kinds, expected);
    let stored = scene.store.publication(put.id).await?.ok_or("it is there")?;
    assert_eq!((stored.summary, stored.asked.items), (put, new.items));
    Ok(())
}

#[tokio::test]
async fn what_is_approved_is_kept_to_the_byte_and_each_item_comes_to_something() -> Outcome {
    let mut scene = Scene::new().await?;
    let job = scene.create(42).await?;
    let (kept, dropped) = (item_id(), item_id());
    let new = publication(publication_id(), &[(kept, "Kept"), (dropped, "Dropped")]);
    let put = scene.publish(job, new.clone()).await?.publication.ok_or("it is put")?;
    let asked = ask_in(&scene.store, scene.session, "Post these?", NOW).await?.request_id;
    assert!(scene.store.publication_asked(put.id, 1, asked).await?);
    let stored = scene.store.publication_of(asked).await?.ok_or("it is found by its question")?;
    let draft = PublicationDraft { dropped: [dropped].into(), ..PublicationDraft::default() };
    let manifest = stored.asked.manifest(&draft)?;
    let digest = manifest.digest()?;
    let approve = |digest: Digest| PublicationChange::Approve { draft: draft.clone(), digest };
    let other = scene.change(put.id, Some(asked), approve(put.digest)).await;
    assert_eq!(crate::parties::code(other), "changed_question", "another manifest than the one that was shown");
    let approved = scene.change(put.id, Some(asked), approve(digest)).await?;
    assert_eq!((approved.publication.state, approved.publication.digest), (PublicationState::Approved, digest));
    assert_eq!(approved.publication.items[1].state, ItemState::Dropped);
    scene.restart().await?;

    let stored = scene.store.publication(put.id).await?.ok_or("it is there")?;
    assert_eq!(stored.manifest.as_deref(), Some(manifest.json()?.as_str()), "to the byte");
    let undone = scene.change(put.id, Some(asked), PublicationChange::Undo).await?;
    assert_eq!((undone.publication.digest, undone.publication.items), (put.digest, put.items), "as before");
    assert_eq!(scene.store.publication(put.id).await?.and_then(|stored| stored.manifest), None);
    scene.change(put.id, Some(asked), approve(digest)).await?;
    scene.change(put.id, None, PublicationChange::Send).await?;
    let early = scene.change(put.id, None, PublicationChange::Finish).await;
    assert_eq!(crate::parties::code(early), "wrong_state", "one of them hasn't left");
    let url = Some("https://github.com/owner/repo/pull/42#r1".to_owned());
    let posted =
        |id| ItemResult { id, kind: new.items[0].kind, state: ItemState::Posted, url: url.clone(), reason: None };
    let of_dropped = scene.change(put.id, None, PublicationChange::Items(vec![posted(dropped)])).await;
    assert_eq!(crate::parties::code(of_dropped), "wrong_state", "the person did without it");
    scene.change(put.id, None, PublicationChange::Items(vec![posted(kept)])).await?;
    let done = scene.change(put.id, None, PublicationChange::Finish).await?.publication;
    assert_eq!((done.state, done.items[0].url.clone()), (PublicationState::Posted, url));
    let again = scene.change(put.id, None, PublicationChange::Finish).await?;
    assert!(!again.happened, "said twice");
    scene.kinds(job).await?;
    Ok(())
}
