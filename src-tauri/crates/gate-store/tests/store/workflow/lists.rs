//! Lists of jobs, page by page, and which job a pull request's name means.

use std::collections::BTreeSet;

use gate_core::workflow::record::{Actor, Asking, JobPlace, JobQuery, JobsOf, NewJob, PullFacts};
use gate_core::workflow::{Act, JobId, JobReference, JobStatus, WorkflowStore};

use super::scene::*;
use crate::fixture::{NOW, Outcome};
use crate::parties::{client, nobody_ended};

/// A job as it was created: when, its party, where it belongs, and whether it was cancelled.
type Created<'a> = (gate_core::Timestamp, JobId, &'a str, &'a str, bool);

impl Scene {
    async fn listed(&self, query: &JobQuery) -> Result<Vec<JobId>, Error> {
        let (mut found, mut place) = (Vec::new(), None);
        loop {
            let page = self.store.jobs(query, place, 7).await?;
            let Some(last) = page.last() else { break };
            place = Some(JobPlace { updated_at: last.updated_at, job_id: last.job_id });
            found.extend(page.iter().map(|job| job.job_id));
        }
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len(), "each once: {query:?}");
        Ok(found)
    }

    async fn meant(&self, named: &str, party: &str, workspaces: &[&str]) -> Result<Option<JobId>, Error> {
        let JobReference::Pull(reference) = JobReference::parse(named)? else { return Err("it names a PR".into()) };
        let workspaces = workspaces.iter().map(|place| (*place).to_owned()).collect();
        let asking = Asking { party: Box::new(client(party)), has_ended: nobody_ended, workspaces };
        Ok(self.store.job_of_pull(&reference, &asking).await?)
    }
}

#[tokio::test]
async fn a_list_holds_what_it_is_asked_for_the_latest_changed_first() -> Outcome {
    let scene = Scene::new().await?;
    let mut all = Vec::new();
    for number in 0..60_u64 {
        let by = if number % 2 == 0 { "claude-code" } else { "codex" };
        let workspace = ["/srv/shop", "/srv/tools", "/srv/elsewhere"][usize::try_from(number % 3)?];
        let new = NewJob { workspace: workspace.to_owned(), ..scene.new_job(1 + number) };
        let at = NOW + i64::try_from(number / 4)?;
        let job = scene.create_at(Some(&client(by)), new, None, at).await?.job;
        if number % 5 == 0 {
            scene.act_at(&Actor::Person, job.job_id, Act::Cancel, Default::default(), at).await?;
        }
        all.push((job.updated_at, job.job_id, by, workspace, number % 5 == 0));
    }
    all.sort_by_key(|one| std::cmp::Reverse((one.0, one.1)));
    let of =
        |holds: &dyn Fn(&Created<'_>) -> bool| all.iter().filter(|one| holds(one)).map(|one| one.1).collect::<Vec<_>>();
    let codex = client("codex").key;
    let party = || JobsOf::Party(codex.clone());
    let seen = |workspaces: &[&str]| JobsOf::Seen {
        workspaces: workspaces.iter().map(|place| (*place).to_owned()).collect(),
        own: codex.clone(),
    };
    let cancelled = Some(JobStatus::Cancelled);
    for (status, whose, expected) in [
        (None, JobsOf::All, of(&|_| true)),
        (cancelled, JobsOf::All, of(&|one| one.4)),
        (None, party(), of(&|one| one.2 == "codex")),
        (cancelled, party(), of(&|one| one.2 == "codex" && one.4)),
        (None, seen(&["/srv/shop"]), of(&|one| one.2 == "codex" || one.3 == "/srv/shop")),
        (
            cancelled,
            seen(&["/srv/shop", "/srv/tools", "/srv/shop"]),
            of(&|one| (one.2 == "codex" || one.3 != "/srv/elsewhere") && one.4),
        ),
        (Some(JobStatus::Running), JobsOf::All, Vec::new()),
    ] {
        let query = JobQuery { status, of: whose };
        assert_eq!(scene.listed(&query).await?, expected, "{query:?}");
    }
    let of_pull = JobQuery { status: None, of: JobsOf::Pull(pull(7)) };
    let listed = scene.store.jobs(&of_pull, None, 9).await?;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0], scene.read(listed[0].job_id).await?.summary, "a line of a list says the same as the job");
    Ok(())
}

#[tokio::test]
async fn a_job_is_listed_as_its_run_s_too_and_comes_to_the_top_as_something_happens() -> Outcome {
    let scene = Scene::new().await?;
    let (first, second) = (scene.create(1).await?, scene.create(2).await?);
    let codex = client("codex").key;
    scene.act_at(&Actor::Person, first, Act::HandOver(codex.clone()), Default::default(), NOW + 1).await?;
    scene.act_at(&run_of("two", "codex"), first, Act::Add, Default::default(), NOW + 2).await?;
    let query = JobQuery { status: None, of: JobsOf::Party(codex) };
    assert_eq!(scene.listed(&query).await?, [first]);
    assert_eq!(scene.listed(&JobQuery::default()).await?, [first, second]);
    scene.act_at(&run_of("two", "codex"), first, Act::Add, Default::default(), NOW + 9).await?;
    let place = scene.store.jobs(&JobQuery::default(), None, 1).await?[0].updated_at;
    assert_eq!(place.0, NOW + 2, "what isn't told leaves it where it is");
    Ok(())
}

#[tokio::test]
async fn a_pull_request_s_name_means_ones_own_unfinished_job_before_any_newer_one() -> Outcome {
    let scene = Scene::new().await?;
    let mut jobs = Vec::new();
    for (at, by, letter, cancels) in [
        (0, "claude-code", 'a', true),
        (1, "claude-code", 'b', false),
        (2, "claude-code", 'c', true),
        (3, "codex", 'd', false),
    ] {
        let facts = PullFacts { head: Some(commit(letter)), ..PullFacts::default() };
        let new = NewJob { facts, ..scene.new_job(42) };
        let job = scene.create_at(Some(&client(by)), new, None, NOW + at).await?.job.job_id;
        if cancels {
            scene.act(&Actor::Person, job, Act::Cancel).await?;
        }
        jobs.push(job);
    }
    let name = "github:owner/repo:42";
    assert_eq!(scene.meant(name, "claude-code", &["/srv/shop"]).await?, Some(jobs[1]), "it isn't finished");
    assert_eq!(scene.meant(name, "codex", &[]).await?, Some(jobs[3]));
    assert_eq!(scene.meant(name, "gemini-cli", &["/srv/shop"]).await?, Some(jobs[3]), "the newest that it sees");
    assert_eq!(scene.meant(name, "gemini-cli", &[]).await?, None, "nobody else sees it");
    assert_eq!(scene.meant("github-followup:owner/repo:42", "codex", &[]).await?, None);
    assert_eq!(scene.meant("gitlab:owner/repo:42", "codex", &[]).await?, None);
    scene.act(&Actor::Person, jobs[1], Act::Cancel).await?;
    assert_eq!(scene.meant(name, "claude-code", &[]).await?, Some(jobs[2]), "the newest of what is over");
    Ok(())
}

#[tokio::test]
async fn the_commits_of_a_job_stay_and_the_newest_one_is_known() -> Outcome {
    let scene = Scene::new().await?;
    let new = NewJob { facts: PullFacts::default(), ..scene.new_job(1) };
    let job = scene.create_as(Some(&client("claude-code")), new, None).await?.job;
    assert_eq!((job.title, job.head), (None, None), "the platform hasn't answered");
    let facts = |letter, title: &str| PullFacts {
        title: Some(title.to_owned()),
        head: Some(commit(letter)),
        base: Some(commit('e')),
        start: None,
    };
    scene.store.put_pull(job.job_id, facts('a', "First")).await?;
    let known = scene.store.put_pull(job.job_id, facts('b', "Second")).await?.ok_or("it is there")?;
    assert_eq!(
        (known.title.as_deref(), known.head, known.newest),
        (Some("Second"), Some(commit('a')), Some(commit('b')))
    );
    assert_eq!(scene.read(job.job_id).await?.base, Some(commit('e')));
    assert_eq!(scene.store.put_pull(scene.new_job(1).job_id, facts('a', "None")).await?, None);
    Ok(())
}
