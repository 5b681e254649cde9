//! Jobs as the workflow's tools and resources know them.

use async_trait::async_trait;
use gate_core::ids::unknown_request;
use gate_core::workflow::publication::Summary;
use gate_core::workflow::record::{Asking, Handed, JobEvent, JobPlace, JobQuery, JobSummary, JobsOf};
use gate_core::workflow::step::Answer;
use gate_core::workflow::{
    Act, Action, ActionId, Anchor, Finding, JobId, KeptFinding, PublicationState, PullReference, WorkflowStore as _,
    unknown_job,
};
use gate_core::{Code, Fault, Owner, RequestId};
use gate_link::has_ended;
use gate_mcp::{CreatedJob, JobDiff, JobRead, JobWish, PublicationRead, ReviewCaller, ThreadsRead, WorkflowPort};

use super::running::unreachable;
use crate::slices::Gate;

/// Jobs that are looked through for identifiers that begin so.
const LOOKED_THROUGH: usize = 1000;

#[async_trait]
impl WorkflowPort for Gate {
    async fn job_of(&self, caller: &ReviewCaller, pull: &PullReference) -> Result<JobId, Fault> {
        let asking = Asking { party: Box::new(caller.party.clone()), has_ended, workspaces: Vec::new() };
        self.inner.store.job_of_pull(pull, &asking).await?.ok_or_else(|| unknown_job(None))
    }

    async fn create(&self, caller: &ReviewCaller, wish: JobWish) -> Result<CreatedJob, Fault> {
        let session = self.inner.conversations.session_for(&caller.whose, true).await?;
        let session = session.ok_or_else(|| Fault::internal("a session that was begun isn't there"))?;
        self.inner.workflow.create(caller, session, wish).await
    }

    async fn read(&self, caller: &ReviewCaller, job: JobId) -> Result<JobRead, Fault> {
        let stored = self.inner.workflow.seen(caller, job).await?;
        self.inner.workflow.read_job(stored).await
    }

    async fn act(&self, caller: &ReviewCaller, job: JobId, act: Act) -> Result<Answer, Fault> {
        self.inner.workflow.act(caller, job, act, Handed::Nothing).await.map(|acted| acted.answer)
    }

    async fn prompt(&self, caller: &ReviewCaller, job: JobId, agent: &str) -> Result<Option<String>, Fault> {
        let stored = self.inner.workflow.seen(caller, job).await?;
        Ok(self.inner.workflow.prompt_of(caller, &stored, agent).await)
    }

    async fn add_action(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        action: Action,
    ) -> Result<(ActionId, Option<Anchor>), Fault> {
        self.inner.workflow.add_action(caller, job, action).await
    }

    async fn add_findings(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        agent: Option<String>,
        findings: Vec<Finding>,
    ) -> Result<Vec<KeptFinding>, Fault> {
        self.inner.workflow.add_findings(caller, job, agent, findings).await
    }

    async fn threads(&self, caller: &ReviewCaller, job: JobId, _refresh: bool) -> Result<ThreadsRead, Fault> {
        let stored = self.inner.workflow.seen(caller, job).await?;
        self.inner.workflow.threads_of(&stored).await
    }

    async fn diff(&self, caller: &ReviewCaller, job: JobId, _since_last: bool) -> Result<JobDiff, Fault> {
        let stored = self.inner.workflow.seen(caller, job).await?;
        Err(unreachable(&stored.summary.pull, "it doesn't know the diff"))
    }

    async fn publish(&self, caller: &ReviewCaller, job: JobId, _summary: Summary) -> Result<PublicationRead, Fault> {
        let stored = self.inner.workflow.seen(caller, job).await?;
        Err(unreachable(&stored.summary.pull, "it can't put before the person what would be posted"))
    }

    async fn published(&self, _caller: &ReviewCaller, request: RequestId) -> Result<PublicationRead, Fault> {
        // Nothing is put before the person while no platform is asked.
        Err(unknown_request(request))
    }

    async fn moved(&self, _caller: &ReviewCaller, request: RequestId, _from: PublicationState) -> Result<(), Fault> {
        Err(unknown_request(request))
    }

    async fn jobs_for(&self, client: &Owner, after: Option<JobPlace>, limit: usize) -> Result<Vec<JobSummary>, Fault> {
        if !client.id.has_lists() {
            return Ok(Vec::new());
        }
        let query = JobQuery { status: None, of: JobsOf::Party(client.id.to_string()) };
        self.inner.store.jobs(&query, after, limit).await
    }

    async fn job_for(&self, client: &Owner, job: JobId) -> Result<Option<JobRead>, Fault> {
        match self.inner.workflow.seen_by(client, job).await {
            Ok(stored) => self.inner.workflow.read_job(stored).await.map(Some),
            Err(fault) if fault.code == Code::UnknownJob => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn job_events_for(
        &self,
        client: &Owner,
        job: JobId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<JobEvent>>, Fault> {
        match self.inner.workflow.seen_by(client, job).await {
            Ok(_) => self.inner.store.job_events(job, after, limit).await.map(Some),
            Err(fault) if fault.code == Code::UnknownJob => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn jobs_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<JobId>, u64), Fault> {
        let beginning = beginning.to_lowercase();
        let listed = self.jobs_for(client, None, LOOKED_THROUGH).await?.into_iter().map(|job| job.job_id);
        let like: Vec<_> = listed.filter(|job| job.to_string().starts_with(&beginning)).collect();
        let count = u64::try_from(like.len()).unwrap_or(u64::MAX);
        Ok((like.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)).collect(), count))
    }
}
