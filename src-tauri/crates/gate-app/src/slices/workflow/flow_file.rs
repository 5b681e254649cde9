//! review-flow's file of a job, in the folder that its call named: written after commits and never read. Where the folder
//! `.claude/reviews` isn't there, or a link is in the way, nothing is written.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::workflow::flow_file::{FlowDiff, FlowFile, FlowResult};
use gate_core::workflow::record::{StoredFinding, StoredJob, StoredPublication};
use gate_core::workflow::{JobId, JobStatus, Severity, WorkflowStore as _};
use gate_core::{Fault, Oid};
use gate_os::inside::Inside;

use super::Workflow;
use crate::work::blocking;

/// How long a job's file rests after it was written.
const REST: Duration = Duration::from_millis(250);
/// So many folders of the path, `.claude/reviews`, have to be there; those below are made.
const THERE: usize = 2;

/// Jobs whose files are written at this moment, or rest; whether something has happened to them since.
#[derive(Debug, Default)]
pub(super) struct FlowFiles(Mutex<HashMap<JobId, bool>>);

impl FlowFiles {
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something has happened to a job. Whether its file isn't written by anybody yet.
    fn begins(&self, job: JobId) -> bool {
        let mut all = self.lock();
        match all.get_mut(&job) {
            Some(again) => {
                *again = true;
                false
            }
            None => all.insert(job, false).is_none(),
        }
    }

    /// A job's file has rested. Whether something has happened meanwhile; else nobody writes it any more.
    fn goes_on(&self, job: JobId) -> bool {
        let mut all = self.lock();
        let again = all.get_mut(&job).is_some_and(std::mem::take);
        if !again {
            all.remove(&job);
        }
        again
    }
}

impl Workflow {
    /// Something has happened to a job: its file is written, and no more often than it may be.
    pub(super) fn write_file(self: &Arc<Self>, job: JobId) {
        if !self.files.begins(job) {
            return;
        }
        let workflow = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                if let Err(fault) = workflow.write_file_now(job).await {
                    tracing::warn!(%fault, %job, "review-flow's file of a job can't be written");
                }
                tokio::time::sleep(REST).await;
                if !workflow.files.goes_on(job) {
                    break;
                }
            }
        });
    }

    async fn write_file_now(&self, job: JobId) -> Result<(), Fault> {
        let Some(stored) = self.store.job(job).await? else { return Ok(()) };
        let Some(folder) = stored.local_path.clone() else { return Ok(()) };
        let (path, text) = self.file_of(&stored).await?;
        let draft = format!(".review-gate-{}", self.bus.new_id().simple());
        blocking(move || {
            let file = Inside { folder: Path::new(&folder), path: &path, there: THERE, draft: &draft };
            let written = file.replace(text.as_bytes());
            written.map(drop).map_err(|error| Fault::internal(format!("{path} in {folder}: {error}.")))
        })
        .await
    }

    /// Where a job's file lies in its folder, and what stands in it.
    async fn file_of(&self, stored: &StoredJob) -> Result<(String, String), Fault> {
        let job = stored.summary.job_id;
        let threads = self.store.job_threads(job).await?;
        let actions = self.store.job_actions(job).await?;
        let actions: Vec<_> = actions.iter().map(|action| &action.kept.action).collect();
        let result = match stored.state.status {
            JobStatus::Completed => {
                Some(result(&self.store.job_findings(job).await?, &self.store.job_publications(job).await?))
            }
            _ => None,
        };
        let diff = commits(stored);
        let file = FlowFile {
            pull: &stored.summary.pull,
            definition: &stored.definition,
            job: &stored.state,
            created_at: stored.summary.created_at,
            threads: &threads,
            actions: &actions,
            result,
            diff: diff.as_ref(),
        };
        Ok((file.path(), file.text()?))
    }
}

/// What a job has come to.
fn result(findings: &[StoredFinding], publications: &[StoredPublication]) -> FlowResult {
    let count = |severity| findings.iter().filter(|finding| finding.kept.finding.severity == severity).count();
    let said = publications.iter().rev().find_map(|publication| publication.said.as_ref());
    FlowResult {
        blocking: count(Severity::Blocking),
        warnings: count(Severity::Warning),
        suggestions: count(Severity::Suggestion),
        score: said.and_then(|said| said.score),
        verdict: said.and_then(|said| said.verdict),
    }
}

fn commits(stored: &StoredJob) -> Option<FlowDiff> {
    let text = |commit: &Option<Oid>| commit.as_ref().map(|commit| commit.as_str().to_owned());
    Some(FlowDiff {
        base_sha: text(&stored.base)?,
        head_sha: text(&stored.summary.head)?,
        start_sha: text(&stored.start)?,
    })
}
