//! What a run hands in: known again or new, and at most so much.

use gate_core::Timestamp;
use gate_core::workflow::publication::PublicationDraft;
use gate_core::workflow::record::{NewFinding, PublicationChange};
use gate_core::workflow::{Act, Action, FindingState, ItemId, Thread, ThreadStatus, WorkflowStore, bounds};

use super::scene::*;
use crate::fixture::{NOW, Outcome};
use crate::parties::{client, code};

#[tokio::test]
async fn a_finding_is_new_once_and_the_same_one_whenever_it_is_handed_in_again() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let by_alias = NewFinding { agent_name: Some("clean-arch".to_owned()), ..finding("One") };
    let first = scene.find(job, vec![by_alias, finding("Two"), finding("One")]).await?;
    assert_eq!(first.findings[0], first.findings[2], "twice in one call");
    assert_eq!(first.job.findings, 2);
    let again = scene.find(job, vec![finding("Two")]).await?;
    assert_eq!((again.findings[0].clone(), again.happened), (first.findings[1].clone(), false), "the first one");
    let kept = scene.store.job_findings(job).await?;
    assert_eq!(kept[0].kept.agent_name.as_deref(), Some("clean-architecture"), "by the name that it has");
    let unknown = NewFinding { agent_name: Some("quantum".to_owned()), ..finding("Three") };
    assert_eq!(code(scene.find(job, vec![finding("Four"), unknown]).await), "unknown_agent");
    assert_eq!(scene.read(job).await?.summary.findings, 2, "none of them was taken");
    assert_eq!(scene.kinds(job).await?, ["job:created", "job:started", "finding:added"]);
    Ok(())
}

#[tokio::test]
async fn a_later_job_of_the_pull_request_knows_what_was_found_and_what_the_person_did_without() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let found = scene.find(job, vec![finding("Kept"), finding("Dropped")]).await?.findings;
    let items: Vec<_> = found.iter().map(|found| ItemId(found.finding_id.0)).collect();
    let id = publication_id();
    scene.publish(job, publication(id, &[(items[0], "Kept"), (items[1], "Dropped")])).await?;
    let draft = PublicationDraft { dropped: [items[1]].into(), ..PublicationDraft::default() };
    let asked = scene.store.publication(id).await?.ok_or("it is there")?.asked;
    let digest = asked.manifest(&draft)?.digest()?;
    scene.change(id, None, PublicationChange::Approve { draft, digest }).await?;
    let mut next = scene.new_job(1);
    next.facts.head = Some(commit('b'));
    let next = scene.create_as(Some(&client("claude-code")), next, None).await?.job.job_id;
    let elsewhere = scene.create(2).await?;
    let states = |acted: gate_core::workflow::record::Acted| {
        acted.findings.into_iter().map(|found| found.state).collect::<Vec<_>>()
    };
    let all = || vec![finding("Kept"), finding("Dropped"), finding("Other")];
    let of_next = states(scene.find(next, all()).await?);
    assert_eq!(of_next, [FindingState::Known, FindingState::Dismissed, FindingState::New]);
    assert_eq!(states(scene.find(elsewhere, all()).await?), [FindingState::New; 3], "of another pull request");
    Ok(())
}

#[tokio::test]
async fn a_job_has_so_many_findings_and_actions_and_no_more() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    let many = |from: usize, count: usize| (from..from + count).map(|n| finding(&format!("Finding {n}"))).collect();
    for at in 0..bounds::FINDINGS / bounds::FINDINGS_AT_ONCE {
        scene.find(job, many(at * bounds::FINDINGS_AT_ONCE, bounds::FINDINGS_AT_ONCE)).await?;
    }
    assert_eq!(code(scene.find(job, many(bounds::FINDINGS, 1)).await), "too_many");
    assert_eq!(code(scene.find(job, many(0, 1)).await), "done", "one that it has is no further one");
    for n in 0..bounds::ACTIONS {
        scene.add(job, Action::AddLabel { label: format!("label {n}") }).await?;
    }
    assert_eq!(code(scene.add(job, Action::FetchThreads {}).await), "too_many");
    let again = scene.add(job, Action::AddLabel { label: "label 7".to_owned() }).await?;
    let seventh = scene.store.job_actions(job).await?[7].kept.action_id;
    assert_eq!(again.action.map(|action| action.kept.action_id), Some(seventh));
    assert_eq!(scene.read(job).await?.summary.findings as usize, bounds::FINDINGS);
    Ok(())
}

#[tokio::test]
async fn an_action_is_of_a_thread_that_the_pull_request_has_once_that_is_known() -> Outcome {
    let scene = Scene::new().await?;
    let job = scene.create(1).await?;
    assert_eq!(code(scene.add(job, reply_in("t1")).await), "done", "nobody has asked the platform");
    let thread = Thread {
        id: "t2".to_owned(),
        file: None,
        line: None,
        status: ThreadStatus::Open,
        body: "?".to_owned(),
        comments: None,
    };
    scene.store.put_threads(job, &[thread], Timestamp(NOW)).await?;
    assert_eq!(code(scene.add(job, reply_in("t2")).await), "done");
    assert_eq!(code(scene.add(job, reply_in("t3")).await), "unknown_thread");
    scene.store.put_threads(job, &[], Timestamp(NOW)).await?;
    assert_eq!(scene.store.job_threads(job).await?, [], "those before are gone");
    assert_eq!(code(scene.act(&run_of("two", "codex"), job, Act::Add).await), "unknown_job", "of another party");
    Ok(())
}
