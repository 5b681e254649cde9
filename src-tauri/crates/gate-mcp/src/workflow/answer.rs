//! One call of a tool of the workflow, and the job that it means.

use gate_core::workflow::{JobId, JobReference, wrong_job};
use gate_core::{Code, Fault};

use super::port::WorkflowPort;
use crate::answer::Results;

pub(super) use crate::answer::{News, Told};

/// One call of a tool of the workflow.
pub(super) type Call<'a> = crate::answer::Call<'a, dyn WorkflowPort>;

impl Results for dyn WorkflowPort {
    const FIRST: &'static [&'static str] = &[
        "success",
        "jobId",
        "workflow",
        "context",
        "currentState",
        "agentName",
        "phase",
        "status",
        "startedAt",
        "completedAt",
        "overallProgress",
        "attempt",
        "publication",
    ];
    const WITHOUT: &'static str = "get_workflow, get_threads and get_diff work";
}

impl Call<'_> {
    /// The job that a call names; where its connection is for one job, that one alone, which needs no name.
    ///
    /// # Errors
    /// `invalid_input` where none is named, `wrong_job` where it is another one than the connection's, `unknown_job`.
    pub(super) async fn job(&self, named: Option<JobReference>) -> Result<JobId, Fault> {
        let own = self.called.channel.job();
        let job = match (named, own) {
            (None, Some(own)) => return Ok(own),
            (None, None) => return Err(unnamed()),
            (Some(JobReference::Id(job)), _) => job,
            (Some(JobReference::Pull(pull)), None) => return self.port.job_of(&self.caller, &pull).await,
            (Some(JobReference::Pull(pull)), Some(own)) => match self.port.job_of(&self.caller, &pull).await {
                Err(fault) if fault.code == Code::UnknownJob => return Err(wrong_job(own)),
                job => job?,
            },
        };
        self.is_meant(job).map(|()| job)
    }

    /// Whether what is named is of the connection's job, where it has one.
    ///
    /// # Errors
    /// `wrong_job`.
    pub(super) fn is_meant(&self, job: JobId) -> Result<(), Fault> {
        match self.called.channel.job() {
            Some(own) if own != job => Err(wrong_job(own)),
            _ => Ok(()),
        }
    }
}

fn unnamed() -> Fault {
    Fault::new(
        Code::InvalidInput,
        "`jobId` is missing.",
        "Pass the jobId that create_job gave, or github:OWNER/REPO:NUMBER; create_job with the pull request's URL begins one.",
    )
}
