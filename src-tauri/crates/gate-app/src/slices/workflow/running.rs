//! What runs do with their jobs, and what they hand in.

use std::collections::BTreeMap;
use std::sync::Arc;

use gate_core::diff::DiffView;
use gate_core::workflow::anchor::{Placed, Sought, place};
use gate_core::workflow::record::{Acted, Acting, Handed, NewAction, NewFinding, StoredJob, known_agent};
use gate_core::workflow::{
    Act, Action, ActionId, Anchor, Finding, FindingId, JobId, KeptFinding, Pull, WorkflowStore as _,
};
use gate_core::{Code, Fault, PromptContent};
use gate_mcp::{JobRead, PreviousReview, ReviewCaller, ThreadsRead};

use super::Workflow;
use super::seeing::run_of;

impl Workflow {
    /// Does something to a job as the caller's run.
    pub(super) async fn act(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        job_id: JobId,
        act: Act,
        with: Handed,
    ) -> Result<Acted, Fault> {
        let stored = self.seen(caller, job_id).await?;
        let actor = self.actor(caller, &stored);
        let call_key = Some(caller.whose.call_key.clone());
        self.acted(caller, Acting { job_id, actor, act, with, call_key, at: self.bus.now() }).await
    }

    /// The same, made ready. The caller's run has the job then.
    pub(super) async fn acted(self: &Arc<Self>, caller: &ReviewCaller, acting: Acting) -> Result<Acted, Fault> {
        let (job, at) = (acting.job_id, acting.at);
        let acted = self.done(acting).await?;
        self.clock.holds(job, &run_of(caller), at);
        Ok(acted)
    }

    /// A job with what its reviewer needs.
    pub(super) async fn read_job(&self, stored: StoredJob) -> Result<JobRead, Fault> {
        let threads = self.store.job_threads(stored.summary.job_id).await?;
        let previous = match stored.previous {
            Some(previous) => self.previous(previous).await?,
            None => None,
        };
        let StoredJob { summary, state, definition, base, .. } = stored;
        Ok(JobRead {
            job_id: summary.job_id,
            definition,
            state,
            pull: summary.pull,
            title: summary.title,
            head: summary.head,
            base,
            threads,
            stale: true,
            previous,
        })
    }

    async fn previous(&self, job_id: JobId) -> Result<Option<PreviousReview>, Fault> {
        let Some(stored) = self.store.job(job_id).await? else { return Ok(None) };
        let findings = self.store.job_findings(job_id).await?.into_iter().map(|finding| finding.kept);
        Ok(Some(PreviousReview { job_id, head: stored.summary.head, findings: findings.collect() }))
    }

    /// The threads as they were told last: the platform can't be asked.
    pub(super) async fn threads_of(&self, stored: &StoredJob) -> Result<ThreadsRead, Fault> {
        let threads = self.store.job_threads(stored.summary.job_id).await?;
        Ok(ThreadsRead { threads, fetched_at: stored.threads_at, stale: true })
    }

    /// Adds an action.
    pub(super) async fn add_action(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        job: JobId,
        action: Action,
    ) -> Result<(ActionId, Option<Anchor>), Fault> {
        let mut anchor = None;
        if let Action::PostInlineComment { file_path, line, .. } = &action {
            let sought = Sought { file: Some(file_path), line: Some(*line), ..Sought::default() };
            anchor = Some(placed(&sought).anchor);
        }
        let new = NewAction { action_id: ActionId(self.bus.new_id()), anchor, action };
        let acted = self.act(caller, job, Act::Add, Handed::Action(new)).await?;
        let kept = acted.action.ok_or_else(|| Fault::internal("an action that was added isn't there"))?;
        Ok((kept.kept.action_id, kept.anchor))
    }

    /// Adds findings, in their order.
    pub(super) async fn add_findings(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        job: JobId,
        agent: Option<String>,
        findings: Vec<Finding>,
    ) -> Result<Vec<KeptFinding>, Fault> {
        let stored = self.seen(caller, job).await?;
        let agent_name = agent.map(|name| known_agent(&stored.definition, &name)).transpose()?;
        let new = findings.iter().map(|finding| {
            let Placed { anchor, text, .. } = placed(&finding.sought());
            Ok(NewFinding {
                finding_id: FindingId(self.bus.new_id()),
                fingerprint: finding.fingerprint(text.as_deref())?,
                anchor,
                agent_name: agent_name.clone(),
                finding: finding.clone(),
            })
        });
        let new = new.collect::<Result<Vec<_>, Fault>>()?;
        let acted = self.act(caller, job, Act::Add, Handed::Findings(new)).await?;
        let kept = acted.findings.into_iter().zip(findings).map(|(added, finding)| KeptFinding {
            finding_id: added.finding_id,
            fingerprint: added.fingerprint,
            state: added.state,
            anchor: added.anchor,
            agent_name: agent_name.clone(),
            finding,
        });
        Ok(kept.collect())
    }

    /// The text of an audit's prompt: the library's of its id, where that has one.
    pub(super) async fn prompt_of(&self, caller: &ReviewCaller, stored: &StoredJob, agent: &str) -> Option<String> {
        let definition = &stored.definition;
        let named = definition.agent(agent)?;
        let id = named.prompt.clone().unwrap_or_else(|| format!("{}/{}", definition.name, named.name));
        self.prompts.current().entry(&id)?;
        match self.prompts.render_prompt(&caller.whose.caller, &id, &BTreeMap::new()).await {
            Ok(rendered) => {
                let texts = rendered.messages.into_iter().filter_map(|message| match message.content {
                    PromptContent::Text { text } => Some(text),
                    PromptContent::Resource { .. } => None,
                });
                Some(texts.collect::<Vec<_>>().join("\n\n")).filter(|text| !text.trim().is_empty())
            }
            Err(fault) => {
                tracing::warn!(%fault, prompt = id, "the prompt of an audit can't be rendered");
                None
            }
        }
    }
}

/// Where something is put: no diff is known while the platform can't be asked, and so at the pull request as a whole.
fn placed(sought: &Sought<'_>) -> Placed {
    place(sought, &DiffView::default())
}

/// The fault of what needs the platform, which can't be asked.
pub(super) fn unreachable(pull: &Pull, what: &str) -> Fault {
    Fault::new(
        Code::PlatformUnreachable,
        format!("Review Gate doesn't ask {} yet, so {what}.", pull.host),
        "Read the change with your own tools, and go on: the phases, the agents, findings and actions are kept with the job.",
    )
}
