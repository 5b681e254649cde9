//! What a run goes through: looking at its job, its phases, its agents.

use gate_core::Fault;
use gate_core::workflow::step::{Answer, EndedAnswer, PhaseAnswer, StartedAnswer};
use gate_core::workflow::{Act, JobReference, Phase, told, wrong_job};

use super::advice;
use super::answer::{Call, Told};
use super::port::{CreatedJob, JobWish};
use super::views::{CreatedView, EndedView, PhaseView, StartedView, WorkflowView};

/// `create_job`.
pub(super) async fn create(call: &Call<'_>, wish: JobWish) -> Result<Told, Fault> {
    if let Some(own) = call.called.channel.job() {
        return Err(wrong_job(own));
    }
    let CreatedJob { job_id, status, created } = call.port.create(&call.caller, wish).await?;
    let told = Told::alone(&CreatedView { success: true, job_id, status, created })?;
    Ok(told.next(advice::created(status, created)))
}

/// `get_workflow`.
pub(super) async fn workflow(call: &Call<'_>, job: Option<JobReference>) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let read = call.port.read(&call.caller, job).await?;
    let next = told::next(&read.state, &read.definition);
    Ok(Told::alone(&WorkflowView::of(&read))?.next(format!("Next: {next}")))
}

/// `set_phase`.
pub(super) async fn set_phase(call: &Call<'_>, (job, phase): (Option<JobReference>, Phase)) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let Answer::Phase(PhaseAnswer { phase, overall_progress }) =
        call.port.act(&call.caller, job, Act::SetPhase(phase)).await?
    else {
        return Err(answered_otherwise());
    };
    Ok(Told::alone(&PhaseView { success: true, phase, overall_progress })?.next(advice::phase(phase)))
}

/// `start_agent`.
pub(super) async fn start(call: &Call<'_>, (job, name): (Option<JobReference>, String)) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let Answer::Started(StartedAnswer { agent_name, started_at, overall_progress, phase, attempt }) =
        call.port.act(&call.caller, job, Act::StartAgent(name)).await?
    else {
        return Err(answered_otherwise());
    };
    let prompt = call.port.prompt(&call.caller, job, &agent_name).await?;
    let view = StartedView { success: true, agent_name, started_at, overall_progress, phase, attempt, prompt };
    Ok(Told::alone(&view)?.next(advice::STARTED))
}

/// `complete_agent`.
pub(super) async fn complete(call: &Call<'_>, (job, act): (Option<JobReference>, Act)) -> Result<Told, Fault> {
    let job = call.job(job).await?;
    let Answer::Ended(EndedAnswer { agent_name, status, completed_at, overall_progress, error, next }) =
        call.port.act(&call.caller, job, act).await?
    else {
        return Err(answered_otherwise());
    };
    let view = EndedView { success: true, agent_name, status, completed_at, overall_progress, error };
    Ok(Told::alone(&view)?.next(next))
}

fn answered_otherwise() -> Fault {
    Fault::internal("An act was answered as another one.")
}
