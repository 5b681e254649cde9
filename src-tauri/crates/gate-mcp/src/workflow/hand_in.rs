//! What a run hands in: findings, and what it wants done on the platform.

use gate_core::Fault;
use gate_core::workflow::{Action, ActionType, JobReference};

use super::advice;
use super::answer::{Call, Told};
use super::input::HandedIn;
use super::views::{ActionView, FindingView, FindingsView, ThreadsView};

/// `add_action`.
pub(super) async fn action(call: &Call<'_>, (job, action): (Option<JobReference>, Action)) -> Result<Told, Fault> {
    let (job, action_type) = (call.job(job).await?, action.action_type());
    let (action_id, anchor) = call.port.add_action(&call.caller, job, action).await?;
    let told = Told::alone(&ActionView { success: true, action_id, action_type, anchor })?;
    Ok(told.next(if action_type == ActionType::FetchThreads { advice::FETCHED } else { advice::ADDED }))
}

/// `add_findings`.
pub(super) async fn findings(call: &Call<'_>, HandedIn { job, agent, findings }: HandedIn) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let kept = call.port.add_findings(&call.caller, job, agent, findings).await?;
    Told::alone(&FindingsView { success: true, findings: kept.iter().map(FindingView::of).collect() })
}

/// `get_threads`.
pub(super) async fn threads(call: &Call<'_>, (job, refresh): (Option<JobReference>, bool)) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let read = call.port.threads(&call.caller, job, refresh).await?;
    Told::alone(&ThreadsView {
        success: true,
        threads: &read.threads,
        count: read.threads.len(),
        fetched_at: read.fetched_at,
        stale: read.stale,
    })
}
