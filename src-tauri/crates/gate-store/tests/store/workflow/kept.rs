//! What stays while something of a job is open, what goes with its conversation, and what is filled up from a damaged file.

use gate_core::workflow::record::{Acting, Actor, Handed, PublicationChange};
use gate_core::workflow::{Act, Thread, ThreadStatus, WorkflowStore};
use gate_core::{Code, RequestStatus, SessionStatus, Timestamp};
use gate_store::Retained;

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in, code};

const DAY: i64 = 24 * 60 * MINUTE;

#[tokio::test]
async fn what_is_open_of_a_job_keeps_its_conversation_and_all_of_it_goes_with_that() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let thread = Thread {
        id: "t1".to_owned(),
        file: None,
        line: None,
        status: ThreadStatus::Open,
        body: "?".to_owned(),
        comments: None,
    };
    scene.store.put_threads(job, &[thread], Timestamp(NOW)).await?;
    scene.find(job, vec![finding("One")]).await?;
    scene.add(job, reply_in("t1")).await?;
    let id = publication_id();
    scene.publish(job, publication(id, &[(item_id(), "One")])).await?;
    let asked = ask_in(&scene.store, scene.session, "Post it?", NOW).await?.request_id;
    let other = ask_in(&scene.store, scene.session, "And what else?", NOW).await?.request_id;
    assert!(scene.store.publication_asked(id, 1, asked).await?);
    let said = Acting {
        job_id: job,
        actor: run("one"),
        act: Act::Add,
        with: Handed::Nothing,
        call_key: Some("relay:1".to_owned()),
        at: Timestamp(NOW),
    };
    scene.store.act_on_job(said).await?;
    for table in TABLES {
        assert_ne!(scene.world.count(table)?, 0, "{table}: there is something to delete");
    }
    scene.store.set_session_status(scene.session, SessionStatus::Timeout, None).await?;
    let late = Timestamp(NOW + 400 * DAY);
    let retained = scene.store.retain(Some(30), Some(1), late).await?;
    assert_eq!(retained, Retained { expired: vec![other], ..Retained::default() }, "only the question beside it");
    scene.store.close_request(asked, RequestStatus::Cancelled, Timestamp(NOW)).await?;
    assert_eq!(code(scene.store.delete_conversation(scene.session).await), Some(Code::StillPending), "a job runs");
    scene.act(&Actor::Person, job, Act::Cancel).await?;
    assert_eq!(
        code(scene.store.delete_conversation(scene.session).await),
        Some(Code::StillPending),
        "it isn't decided"
    );
    scene.change(id, None, PublicationChange::Drop).await?;
    scene.store.delete_conversation(scene.session).await?;
    for table in TABLES.into_iter().chain(["events"]) {
        assert_eq!(scene.world.count(table)?, 0, "{table}: nothing is left behind");
    }
    assert_eq!(scene.store.job(job).await?, None);
    Ok(())
}

#[tokio::test]
async fn jobs_are_filled_up_from_the_damaged_file_and_go_on() -> Outcome {
    let mut scene = Scene::new().await?;
    let job = scene.create(1).await?;
    scene.act(&run("one"), job, Act::StartAgent("clean-arch".to_owned())).await?;
    scene.store.backup(&scene.world.backups(), 5, Timestamp(NOW)).await?;
    let later = scene.create(2).await?;
    scene.act(&run("one"), job, ended("clean-architecture")).await?;
    scene.find(job, vec![finding("One")]).await?;
    let id = publication_id();
    scene.publish(job, publication(id, &[(item_id(), "One")])).await?;
    let before = (scene.read(job).await?, scene.read(later).await?, scene.kinds(job).await?);
    let (findings, put) = (scene.store.job_findings(job).await?, scene.store.publication(id).await?);
    scene.store.close().await;
    scene.world.spoil_index("review_requests_pending")?;

    let opened = scene.world.open().await?;
    assert!(opened.recovery.is_some(), "the damage is noticed");
    scene.store = opened.store;
    assert_eq!((scene.read(job).await?, scene.read(later).await?, scene.kinds(job).await?), before);
    assert_eq!((scene.store.job_findings(job).await?, scene.store.publication(id).await?), (findings, put));
    scene.act(&run("one"), job, Act::StartAgent("ddd".to_owned())).await?;
    scene.kinds(job).await?;
    Ok(())
}
