//! What time does to jobs, and which one a runner takes next.

use gate_core::Timestamp;
use gate_core::workflow::record::{Actor, Handed, NewJob};
use gate_core::workflow::{Act, AgentStatus, JobId, JobStatus, WorkflowStore};

use super::scene::*;
use crate::fixture::{NOW, Outcome};
use crate::parties::client;

impl Scene {
    /// After how many minutes time ends something next.
    async fn next(&self) -> Result<Option<i64>, Error> {
        let all = self.store.jobs_due(Timestamp(i64::MAX), 9).await?;
        let next = self.store.next_job_due().await?;
        assert_eq!(next, all.first().map(|due| due.at), "the next one is the first of all");
        Ok(next.map(|at| (at.0 - NOW) / MINUTE))
    }

    async fn queue(&self) -> Result<Vec<JobId>, Error> {
        Ok(self.store.jobs_to_run(9).await?.into_iter().map(|job| job.job_id).collect())
    }
}

#[tokio::test]
async fn an_audit_and_a_job_end_in_their_time_and_time_with_the_gate_off_is_left_out() -> Outcome {
    let mut scene = Scene::new().await?;
    let job = scene.create(1).await?;
    assert_eq!(scene.next().await?, None, "nobody has begun it");
    scene.act(&run("one"), job, Act::StartAgent("clean-arch".to_owned())).await?;
    assert_eq!(scene.next().await?, Some(20));
    scene.act(&Actor::Gate, job, Act::Wait(true)).await?;
    assert_eq!(scene.next().await?, None, "a person isn't hurried");
    scene.act_at(&Actor::Gate, job, Act::Wait(false), Handed::Nothing, NOW + 5 * MINUTE).await?;
    assert_eq!(scene.next().await?, Some(25));
    scene.restart().await?;
    scene.store.jobs_were_off(600_000, Timestamp(NOW + 15 * MINUTE)).await?;
    assert_eq!(scene.next().await?, Some(35), "ten minutes don't count");
    let at = NOW + 35 * MINUTE;
    assert_eq!(scene.store.jobs_due(Timestamp(at - 1), 9).await?, []);
    let due = scene.store.jobs_due(Timestamp(at), 9).await?;
    assert_eq!(due.iter().map(|due| due.job_id).collect::<Vec<_>>(), [job]);
    let ended = scene.act_at(&Actor::Gate, job, Act::Clock, Handed::Nothing, at).await?;
    assert!(ended.happened);
    assert_eq!(scene.read(job).await?.state.agents[0].status, AgentStatus::Failed);
    assert_eq!(scene.next().await?, Some(75), "then the job itself");
    let over = scene.act_at(&Actor::Gate, job, Act::Clock, Handed::Nothing, NOW + 75 * MINUTE).await?;
    assert_eq!((over.job.status, scene.next().await?), (JobStatus::Failed, None));
    Ok(())
}

#[tokio::test]
async fn runners_take_the_person_s_jobs_first_then_the_oldest_and_a_lost_one_once_more() -> Outcome {
    let scene = Scene::new().await?;
    let party = client("claude-code");
    let with_runner = |number| NewJob { runner: Some("claude".to_owned()), ..scene.new_job(number) };
    let parked = NewJob { is_parked: true, ..with_runner(1) };
    let parked = scene.create_at(Some(&party), parked, None, NOW).await?.job.job_id;
    scene.create(2).await?;
    let second = scene.create_at(Some(&party), with_runner(3), None, NOW + 2).await?.job.job_id;
    let first = scene.create_at(Some(&party), with_runner(4), None, NOW + 1).await?.job.job_id;
    let of_person = scene.create_at(None, with_runner(5), None, NOW + 3).await?.job.job_id;
    assert_eq!(scene.queue().await?, [of_person, first, second], "not what reviews itself, nor what waits for a go");
    scene.act(&Actor::Person, parked, Act::Release).await?;
    assert_eq!(scene.queue().await?, [of_person, parked, first, second]);
    scene.act(&run("one"), first, Act::Add).await?;
    scene.act(&Actor::Person, second, Act::Cancel).await?;
    assert_eq!(scene.queue().await?, [of_person, parked]);
    scene.act(&Actor::Gate, first, Act::Lose).await?;
    assert_eq!(scene.queue().await?, [of_person, parked, first], "its run was lost");
    scene.act(&run("two"), first, Act::Add).await?;
    scene.act(&Actor::Gate, first, Act::Lose).await?;
    assert_eq!(scene.queue().await?, [of_person, parked], "once");
    Ok(())
}
