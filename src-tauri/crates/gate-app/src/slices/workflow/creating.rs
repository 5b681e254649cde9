//! A new job: which workflow it goes through, which pull request it is about, and in which folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gate_core::proposal::bounds::OVER_HTTP;
use gate_core::workflow::definition::BUILT_IN;
use gate_core::workflow::record::{Acted, Acting, Creating, Handed, JobQuery, JobsOf, NewJob, PullFacts, StoredJob};
use gate_core::workflow::{
    Act, Definition, JobId, JobStatus, JobType, Pull, WorkflowStore as _, built_in, unknown_job,
};
use gate_core::{Code, Fault, SessionUuid};
use gate_link::has_ended;
use gate_mcp::{CreatedJob, JobWish, ReviewCaller};
use gate_os::files::real_path;

use super::Workflow;
use super::seeing::is_own;
use crate::work::{blocking, whole};

/// Jobs of a pull request among which the one before a follow-up is looked for.
const EARLIER: usize = 50;

impl Workflow {
    /// Creates a job, whose run the caller is, or finds the same one that there is.
    pub(super) async fn create(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        session: SessionUuid,
        wish: JobWish,
    ) -> Result<CreatedJob, Fault> {
        let call_key = call_key(caller, wish.force);
        let before = self.store.job_call(&call_key).await?;
        let (job, created) = match before {
            Some(before) => (before.job.job_id, before.happened),
            None => {
                let acted = self.begin(caller, session, wish, call_key).await?;
                (acted.job.job_id, acted.happened)
            }
        };
        let status = self.starts(caller, job).await?;
        Ok(CreatedJob { job_id: job, status, created })
    }

    async fn begin(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        session_uuid: SessionUuid,
        wish: JobWish,
        call_key: String,
    ) -> Result<Acted, Fault> {
        let pull = Pull::parse(&wish.url, &[])?;
        let definition = definition(wish.workflow.as_deref(), wish.job_type)?;
        let owner = &caller.whose.owner;
        let local_path = match wish.local_path {
            Some(named) => Some(local_path(named, self.reviews.folders_of(owner).await?).await?),
            None => None,
        };
        let place = self.reviews.places_of(owner).await?.into_iter().next();
        let previous = match definition.job_type {
            JobType::Followup => self.review_before(caller, &pull).await?,
            JobType::Review => None,
        };
        let new = NewJob {
            job_id: JobId(self.bus.new_id()),
            session_uuid,
            pull,
            facts: PullFacts::default(),
            definition,
            workspace: place.unwrap_or_else(|| caller.whose.caller.workspace.clone()),
            local_path,
            runner: None,
            is_parked: false,
            previous,
            force: wish.force,
        };
        let creating = Creating {
            new,
            party: Some(Box::new(caller.party.clone())),
            has_ended,
            call_key: Some(call_key),
            at: self.bus.now(),
        };
        let workflow = Arc::clone(self);
        whole(async move {
            let acted = workflow.store.create_job(creating).await?;
            if acted.happened {
                workflow.told(acted.job.job_id);
            }
            Ok(acted)
        })
        .await
    }

    /// Whoever created a job without a runner reviews it, at once. Gives where it stands then.
    async fn starts(self: &Arc<Self>, caller: &ReviewCaller, job_id: JobId) -> Result<JobStatus, Fault> {
        let stored = self.store.job(job_id).await?.ok_or_else(|| unknown_job(Some(&job_id.to_string())))?;
        if stored.state.status != JobStatus::Queued || stored.summary.runner.is_some() {
            return Ok(stored.state.status);
        }
        let actor = self.actor(caller, &stored);
        let (act, with) = (Act::Add, Handed::Nothing);
        self.acted(caller, Acting { job_id, actor, act, with, call_key: None, at: self.bus.now() })
            .await
            .map(|acted| acted.job.status)
    }

    /// The newest review of a pull request that the caller's party has ended.
    async fn review_before(&self, caller: &ReviewCaller, pull: &Pull) -> Result<Option<JobId>, Fault> {
        let query = JobQuery { status: Some(JobStatus::Completed), of: JobsOf::Pull(pull.clone()) };
        for job in self.store.jobs(&query, None, EARLIER).await? {
            let stored = self.store.job(job.job_id).await?;
            let fits = |stored: &StoredJob| job.job_type == JobType::Review && is_own(stored, &caller.party);
            if stored.as_ref().is_some_and(fits) {
                return Ok(Some(job.job_id));
            }
        }
        Ok(None)
    }
}

/// Names a call. One that creates another job each time it is made may come again under another key, over HTTP.
fn call_key(caller: &ReviewCaller, force: bool) -> String {
    match caller.digest.as_ref().filter(|_| force) {
        Some(digest) => format!("{OVER_HTTP}{} {digest}", caller.party.key),
        None => caller.whose.call_key.clone(),
    }
}

/// The workflow of this name, else the one of this type.
fn definition(name: Option<&str>, job_type: Option<JobType>) -> Result<Definition, Fault> {
    let usual = match job_type {
        Some(JobType::Followup) => "followup",
        Some(JobType::Review) | None => "review",
    };
    let name = name.unwrap_or(usual);
    let refused = |message: String| {
        let mend =
            format!("Name one of {}, or leave `workflow` out.", BUILT_IN.map(|name| format!("`{name}`")).join(", "));
        Fault::new(Code::WorkflowDefinition, message, mend)
    };
    let Some(definition) = built_in(name) else {
        return Err(refused(format!("There is no workflow {:?}.", gate_core::ask::excerpt(name, 80))));
    };
    match job_type {
        Some(wanted) if wanted != definition.job_type => Err(refused(format!(
            "The workflow `{name}` is for a job of type `{}`, and `jobType` is `{}`.",
            definition.job_type.as_str(),
            wanted.as_str()
        ))),
        _ => Ok(definition),
    }
}

/// A folder that a call names, by its real path.
///
/// # Errors
/// `outside_workspace` where it isn't one of the caller's own, or in one.
async fn local_path(named: String, own: Vec<String>) -> Result<String, Fault> {
    blocking(move || {
        let real = real_path(Path::new(&named)).ok().filter(|real| Path::new(&named).is_absolute() && real.is_dir());
        let own: Vec<PathBuf> = own.iter().filter_map(|own| real_path(Path::new(own)).ok()).collect();
        let fits = real.filter(|real| own.iter().any(|own| real.starts_with(own)));
        match fits.as_deref().and_then(Path::to_str) {
            Some(real) => Ok(real.to_owned()),
            None => Err(outside(&named, &own)),
        }
    })
    .await
}

fn outside(named: &str, own: &[PathBuf]) -> Fault {
    let known = match own {
        [] => "and Review Gate knows of no folder of yours".to_owned(),
        own => {
            let own: Vec<_> = own.iter().map(|own| own.display().to_string()).collect();
            format!("which is no folder in {}", own.join(", "))
        }
    };
    Fault::new(
        Code::OutsideWorkspace,
        format!("`localPath` is {:?}, {known}.", gate_core::ask::excerpt(named, 300)),
        "Name the whole path of the clone that your program works in, or leave it away.",
    )
}
