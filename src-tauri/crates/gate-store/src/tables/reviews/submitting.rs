//! A new review with its first round.

use gate_core::ask::excerpt;
use gate_core::proposal::{
    Acted, Actor, EventKind, NewReview, Party, Review, ReviewRole, ReviewStatus, ReviewSummary, bounds, need::Need,
};
use gate_core::{Code, Fault, Process, Timestamp};
use serde_json::{Map, json};
use sqlx::SqliteConnection;

use super::{acting, reading, writing};
use crate::error::StoreError;
use crate::json::to_json;
use crate::tables::{events, parties};

/// For so long a client over HTTP may call again what broke off.
const CALLED_AGAIN_MILLIS: i64 = 10 * 60 * 1000;

/// A review as it is submitted.
#[derive(Debug)]
pub(super) struct Submitting {
    pub(super) new: NewReview,
    pub(super) party: Party,
    pub(super) has_ended: fn(&Process) -> bool,
    pub(super) call_key: Option<String>,
    pub(super) now: Timestamp,
}

pub(super) async fn submit(
    connection: &mut SqliteConnection,
    submitting: &Submitting,
) -> Result<Result<Acted, Fault>, StoreError> {
    let Submitting { new, party, has_ended, call_key, now } = submitting;
    if let Some(key) = call_key {
        if key.starts_with(bounds::OVER_HTTP) {
            writing::forget_calls_over_http(connection, key, now.0.saturating_sub(CALLED_AGAIN_MILLIS)).await?;
        }
        if let Some(before) = reading::call(connection, key).await? {
            return Ok(Ok(Acted { happened: false, ..before }));
        }
    }
    parties::keep(connection, party, *now).await?;
    let open = sqlx::query_scalar!("SELECT count(*) FROM proposals WHERE party = ?1 AND status <> 'closed'", party.key);
    if open.fetch_one(&mut *connection).await? >= i64::from(bounds::OPEN_REVIEWS) {
        return Ok(Err(Fault::new(
            Code::TooMany,
            format!("You have {} open reviews, which is the most.", bounds::OPEN_REVIEWS),
            "Close those that are decided with close_review.",
        )));
    }
    let review_id = new.review_id.to_string();
    let (mut state, asks) = beginning(new.need, new.sticky);
    let mut withdraws = None;
    if let Some(parent) = new.parent_id {
        let actor = Actor::Agent { party: Box::new(party.clone()), has_ended: *has_ended };
        match acting::supersede(connection, parent, new.review_id, &actor, *now).await? {
            Ok((follows, question)) => {
                state.sticky |= follows;
                withdraws = question;
            }
            Err(fault) => return Ok(Err(fault)),
        }
    }
    let (status, state_json) = (state.status.as_str(), to_json(&state)?);
    let (session_uuid, priority, labels) = (new.session_uuid.to_string(), new.priority.as_str(), to_json(&new.labels)?);
    let parent_id = new.parent_id.map(|parent| parent.to_string());
    let place = place(new);
    let queue_key = new.priority.queue_key(*now);
    let (due, due_at) = writing::due_next(&state, *now, *now);
    let diff = writing::diff(connection, &new.first.diff).await?;
    let sha256 = diff.map(|digest| digest.to_string());
    let event = 1;
    sqlx::query!(
        "INSERT INTO proposals (review_id, session_uuid, party, place, workspace, intent, category, priority, labels,
                                parent_id, status, state, free_since, diff_sha256, base, queue_key, due, due_at,
                                created_at, updated_at, event)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?13, ?13, 1)",
        review_id,
        session_uuid,
        party.key,
        place,
        new.workspace,
        new.intent,
        new.category,
        priority,
        labels,
        parent_id,
        status,
        state_json,
        now.0,
        sha256,
        new.first.checked.base,
        queue_key,
        due,
        due_at,
    )
    .execute(&mut *connection)
    .await?;
    let author = party.label();
    let round = writing::Round {
        number: 1,
        party: &party.key,
        author: &author,
        new: &new.first,
        patch: None,
        carried_from: None,
    };
    writing::round_rows(connection, new.review_id, &place, round, diff, *now).await?;
    let told = events::Told {
        party: Some(&party.key),
        role: Some(ReviewRole::Proposer.as_str()),
        kind: EventKind::Submitted.as_str(),
        data: Map::from_iter([("round".to_owned(), json!(1))]),
    };
    events::write(connection, &review_id, event, told, *now).await?;
    let review = ReviewSummary {
        review_id: new.review_id,
        session_uuid: new.session_uuid,
        status: state.status,
        outcome: None,
        turn: state.turn(),
        round: 1,
        intent: excerpt(&new.intent, bounds::INTENT_SHOWN_CHARS),
        category: new.category.clone(),
        priority: new.priority,
        workspace: new.workspace.clone(),
        proposer: author,
        party: party.key.clone(),
        holder: None,
        lease_until: None,
        need: state.needs(),
        approvals: 0,
        approved_by: None,
        found: None,
        diff_sha256: diff,
        base: new.first.checked.base.clone(),
        stale: false,
        created_at: *now,
        updated_at: *now,
        event,
    };
    let acted = Acted { review, happened: true, claim_token: None, thread_id: None, patch_id: None, withdraws, asks };
    if let Some(key) = call_key {
        writing::call(connection, key, &acted, *now).await?;
    }
    Ok(Ok(acted))
}

/// Where a review begins, and whether the person is asked at once: nobody else could decide it.
fn beginning(need: Need, sticky: bool) -> (Review, bool) {
    let mut state = Review::new(need);
    state.sticky = sticky;
    let asks = need.agents == 0;
    if asks {
        state.status = ReviewStatus::AwaitingPerson;
        state.asked = Some(gate_core::proposal::Asked::Decision);
    }
    (state, asks)
}

/// Where a review belongs.
fn place(new: &NewReview) -> String {
    new.first.checked.repository.clone().unwrap_or_else(|| new.workspace.clone())
}
