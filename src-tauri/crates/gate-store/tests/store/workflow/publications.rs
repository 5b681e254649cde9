//! Revisions of publications: which one stands, and what is refused.

use gate_core::workflow::publication::PublicationDraft;
use gate_core::workflow::record::Actor;
use gate_core::workflow::record::{Handed, PublicationChange};
use gate_core::workflow::{Act, HeldFor, JobStatus, PublicationState, WorkflowStore};

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in};
use crate::parties::code;

#[tokio::test]
async fn the_next_revision_takes_the_place_of_an_open_one_whose_question_is_withdrawn() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let (id, one, two) = (publication_id(), item_id(), item_id());
    let first = publication(id, &[(one, "One")]);
    scene.publish(job, first.clone()).await?;
    let asked = ask_in(&scene.store, scene.session, "Post it?", NOW).await?.request_id;
    let other = ask_in(&scene.store, scene.session, "Post it too?", NOW).await?.request_id;
    assert!(scene.store.publication_asked(id, 1, asked).await?);
    assert!(!scene.store.publication_asked(id, 1, other).await?, "another one asks about it");
    let same = scene.publish(job, first).await?;
    assert_eq!((same.happened, same.withdraws), (false, None), "the same is that one");
    assert_eq!(code(scene.publish(job, publication(publication_id(), &[(one, "One")])).await), "wrong_state");
    let next = scene.publish(job, publication(id, &[(one, "One"), (two, "Two")])).await?;
    let put = next.publication.ok_or("it is put")?;
    assert_eq!((put.revision, put.state, next.withdraws), (2, PublicationState::Open, Some(asked)));
    let all = scene.store.job_publications(job).await?;
    let states: Vec<_> = all.iter().map(|one| (one.summary.revision, one.summary.state)).collect();
    assert_eq!(states, [(1, PublicationState::Dropped), (2, PublicationState::Open)]);
    assert_eq!(all[0].request_id, Some(asked), "what was asked stays known");
    assert!(!scene.store.publication_asked(id, 1, asked).await?, "nobody is asked about the first any more");
    let late = scene.change(id, Some(asked), PublicationChange::Return).await;
    assert_eq!(code(late), "wrong_state", "a word on the first question decides nothing");
    let open = scene.store.open_publications().await?;
    assert_eq!(open.iter().map(|open| (open.revision, open.request_id)).collect::<Vec<_>>(), [(2, None)]);
    Ok(())
}

#[tokio::test]
async fn changes_that_are_asked_for_come_to_the_run_and_the_next_revision_is_open() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let (id, one) = (publication_id(), item_id());
    scene.publish(job, publication(id, &[(one, "One")])).await?;
    let returned = scene.change(id, None, PublicationChange::Return).await?;
    assert_eq!(returned.publication.state, PublicationState::Returned);
    assert!(scene.read(job).await?.state.changes_requested, "its run is told");
    let put = scene.publish(job, publication(id, &[(one, "One, said better")])).await?.publication;
    assert_eq!(put.map(|put| put.revision), Some(2));
    assert!(!scene.read(job).await?.state.changes_requested);
    let digest = scene.store.publication(id).await?.ok_or("it is there")?.summary.digest;
    let approve = PublicationChange::Approve { draft: PublicationDraft::default(), digest };
    scene.change(id, None, approve).await?;
    assert_eq!(code(scene.publish(job, publication(id, &[(one, "Another")])).await), "person_deciding");
    scene.change(id, None, PublicationChange::Send).await?;
    let held = scene.change(id, None, PublicationChange::Hold(HeldFor::HeadMoved)).await?;
    assert_eq!(held.publication.held_for, Some(HeldFor::HeadMoved));
    scene.change(id, None, PublicationChange::Drop).await?;
    let anew = scene.publish(job, publication(publication_id(), &[(one, "One")])).await?.publication;
    assert_eq!(anew.map(|put| put.revision), Some(1), "another one after the end of the first");
    assert_eq!(code(scene.publish(job, publication(id, &[(one, "One")])).await), "wrong_state");
    scene.kinds(job).await?;
    Ok(())
}

#[tokio::test]
async fn the_gate_puts_what_is_left_of_a_completed_job() -> Outcome {
    let scene = Scene::new().await?;
    let (job, other) = (scene.create(1).await?, scene.create(2).await?);
    scene.complete(job).await?;
    scene.complete(other).await?;
    assert_eq!(scene.store.jobs_to_publish(9).await?.len(), 2);
    scene.store.nothing_to_publish(other).await?;
    let new = publication(publication_id(), &[(item_id(), "One")]);
    let by_run = scene.publish(job, new.clone()).await;
    assert_eq!(code(by_run), "job_finished", "its run has ended it");
    let put = Handed::Publication(Box::new(new));
    let put = scene.act_at(&Actor::Gate, job, Act::Publish, put, NOW).await?;
    assert_eq!((put.job.status, put.publication.is_some()), (JobStatus::Completed, true));
    assert_eq!(scene.store.jobs_to_publish(9).await?, [], "nothing is left to be done");
    Ok(())
}
