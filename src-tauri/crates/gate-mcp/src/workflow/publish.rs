//! Putting before the person what is to be posted, and hearing what became of it.

use gate_core::Fault;
use gate_core::workflow::{JobReference, PublicationState};

use super::advice;
use super::answer::{Call, News, Told};
use super::input::Published;
use super::port::PublicationRead;
use super::views::{PublicationView, PublishedView};
use crate::answer::Wait;

/// `publish`. It waits for the person, and then until what they kept has left, as long as its client does.
pub(super) async fn publish(
    call: &Call<'_>,
    (job, published): (Option<JobReference>, Published),
) -> Result<Told, Fault> {
    let mut read = match published {
        Published::New(summary) => {
            let job = call.job(job).await?;
            call.port.publish(&call.caller, job, summary).await?
        }
        Published::Request(request) => {
            let read = call.port.published(&call.caller, request).await?;
            call.is_meant(read.job_id)?;
            read
        }
    };
    let (request, wait) = (read.outcome.request_id, Wait { is_on: true, seconds: None });
    while let Some(is_persons) = waits_for_person(&read) {
        let says = format!("Waiting for the person (request {request}).");
        let moved = call.port.moved(&call.caller, request, read.state);
        match call.wait(wait, is_persons, &says, moved).await? {
            News::Came(()) => read = call.port.published(&call.caller, request).await?,
            News::Nothing | News::Away => break,
        }
    }
    let view = PublishedView { success: true, publication: PublicationView::of(&read) };
    let told = Told::alone(&read.outcome)?.with(&view)?;
    Ok(told.next(advice::published(&read, call.port.is_away())))
}

/// Whether there is something to wait for, and then whether it is the person's.
fn waits_for_person(read: &PublicationRead) -> Option<bool> {
    match read.state {
        PublicationState::Open | PublicationState::Approved => Some(true),
        PublicationState::Sending => Some(false),
        PublicationState::Held | PublicationState::Posted | PublicationState::Returned | PublicationState::Dropped => {
            None
        }
    }
}
