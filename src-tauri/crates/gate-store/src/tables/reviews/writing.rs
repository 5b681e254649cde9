//! The rows that an act leaves.

use gate_core::proposal::{Acted, Due, NewDiff, PatchId, Review, ReviewId, ReviewStatus, Turn, lease};
use gate_core::{Digest, Timestamp};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::json::to_json;
use crate::rows::BlobRow;
use crate::tables::numbers::signed;

/// A review's state as it is written.
pub(super) struct State<'a> {
    pub(super) state: &'a Review,
    /// Since when nobody has it.
    pub(super) free_since: Timestamp,
    /// When something happened in it last.
    pub(super) changed_at: Timestamp,
    pub(super) now: Timestamp,
    /// The number of its last event.
    pub(super) event: u64,
}

/// Writes where a review stands, and what is due of it.
pub(super) async fn state(
    connection: &mut SqliteConnection,
    review: ReviewId,
    written: State<'_>,
) -> Result<(), StoreError> {
    let State { state, free_since, changed_at, now, event } = written;
    let (review_id, status, json) = (review.to_string(), state.status.as_str(), to_json(state)?);
    let holder = state.claim.as_ref().map(|claim| claim.holder.as_str());
    let (due, due_at) = due_next(state, free_since, now);
    let event = signed(event);
    sqlx::query!(
        "UPDATE proposals SET status = ?2, state = ?3, holder = ?4, free_since = ?5, due = ?6, due_at = ?7,
                              updated_at = max(updated_at, ?8), event = ?9
         WHERE review_id = ?1",
        review_id,
        status,
        json,
        holder,
        free_since.0,
        due,
        due_at,
        changed_at.0,
        event,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What is due of a review next, in a word, and when.
pub(super) fn due_next(state: &Review, free_since: Timestamp, now: Timestamp) -> (Option<&'static str>, Option<i64>) {
    due(state, free_since, now).map(|(due, at)| (word(due), at.0)).unzip()
}

fn due(state: &Review, free_since: Timestamp, now: Timestamp) -> Option<(Due, Timestamp)> {
    if let Some(held) = &state.held {
        return Some((Due::Decision, held.until));
    }
    if let Some(until) = state.lease_until() {
        return Some((Due::Lease, until));
    }
    match state.status {
        ReviewStatus::Closed => None,
        ReviewStatus::Created if state.asked.is_none() && !state.is_told_unreviewed() => {
            Some((Due::Unreviewed, free_since.plus_millis(lease::UNREVIEWED_MILLIS)))
        }
        _ if state.turn() == Turn::Person => None,
        _ => Some((Due::Quiet, now.plus_millis(lease::QUIET_MILLIS))),
    }
}

const DUE: [(Due, &str); 4] =
    [(Due::Lease, "lease"), (Due::Unreviewed, "unreviewed"), (Due::Quiet, "quiet"), (Due::Decision, "decision")];

fn word(due: Due) -> &'static str {
    DUE.iter().find(|(known, _)| *known == due).map_or("", |(_, word)| word)
}

/// Reads what was written of what is due.
pub(super) fn read_due(word: &str) -> Result<Due, StoreError> {
    let found = DUE.iter().find(|(_, known)| *known == word).map(|(due, _)| *due);
    found.ok_or_else(|| StoreError::Unexpected(format!("{word:?} is nothing that can be due")))
}

/// A round as it is written.
pub(super) struct Round<'a> {
    pub(super) number: u32,
    pub(super) party: &'a str,
    pub(super) author: &'a str,
    pub(super) new: &'a NewDiff,
    /// The patch that it is.
    pub(super) patch: Option<PatchId>,
    /// The round whose approvals by agents hold for it, too.
    pub(super) carried_from: Option<u32>,
}

/// Writes a round, which is the newest from now on. Gives its diff's digest.
pub(super) async fn round(
    connection: &mut SqliteConnection,
    review: ReviewId,
    place: &str,
    round: Round<'_>,
    now: Timestamp,
) -> Result<Option<Digest>, StoreError> {
    let digest = diff(connection, &round.new.diff).await?;
    let (review_id, sha256) = (review.to_string(), digest.map(|digest| digest.to_string()));
    sqlx::query!(
        "UPDATE proposals SET diff_sha256 = ?2, base = ?3, stale = 0 WHERE review_id = ?1",
        review_id,
        sha256,
        round.new.checked.base,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("DELETE FROM proposal_files WHERE review_id = ?1", review_id).execute(&mut *connection).await?;
    round_rows(connection, review, place, round, digest, now).await?;
    Ok(digest)
}

/// Writes a round and the paths that it changes.
pub(super) async fn round_rows(
    connection: &mut SqliteConnection,
    review: ReviewId,
    place: &str,
    round: Round<'_>,
    digest: Option<Digest>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Round { number, party, author, new, patch, carried_from } = round;
    let (review_id, checked) = (review.to_string(), to_json(&new.checked)?);
    let (sha256, patch_id) = (digest.map(|digest| digest.to_string()), patch.map(|patch| patch.to_string()));
    sqlx::query!(
        "INSERT INTO rounds (review_id, round, party, author, diff_sha256, description, checked, patch_id, carried_from, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        review_id,
        number,
        party,
        author,
        sha256,
        new.description,
        checked,
        patch_id,
        carried_from,
        now.0,
    )
    .execute(&mut *connection)
    .await?;
    let paths: Vec<_> =
        new.checked.files.iter().flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten().collect();
    if paths.is_empty() {
        return Ok(());
    }
    let paths = to_json(&paths)?;
    sqlx::query!(
        "INSERT OR IGNORE INTO proposal_files (review_id, place, path)
         SELECT ?1, ?2, value FROM json_each(?3)",
        review_id,
        place,
        paths,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps the bytes of a diff. Gives their digest; nothing for none.
pub(super) async fn diff(connection: &mut SqliteConnection, bytes: &[u8]) -> Result<Option<Digest>, StoreError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let digest = Digest::of_bytes(bytes);
    BlobRow { sha256: &digest.to_string(), bytes }.insert_missing(connection).await?;
    Ok(Some(digest))
}

/// Remembers what a call led to.
pub(super) async fn call(
    connection: &mut SqliteConnection,
    call_key: &str,
    acted: &Acted,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (review_id, result) = (acted.review.review_id.to_string(), to_json(acted)?);
    sqlx::query!(
        "INSERT INTO broker_calls (call_key, review_id, result, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO NOTHING",
        call_key,
        review_id,
        result,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Forgets what calls over HTTP led to before then, and what this one did in a review that is over: the same call is
/// another one from then on.
pub(super) async fn forget_calls_over_http(
    connection: &mut SqliteConnection,
    call_key: &str,
    before: i64,
) -> Result<(), StoreError> {
    sqlx::query!(
        "DELETE FROM broker_calls WHERE call_key IN
             (SELECT call_key FROM broker_calls INDEXED BY broker_calls_over_http
              WHERE call_key GLOB 'http-*' AND created_at < ?2
              UNION ALL
              SELECT c.call_key FROM broker_calls c JOIN proposals p ON p.review_id = c.review_id
              WHERE c.call_key = ?1 AND p.status = 'closed')",
        call_key,
        before,
    )
    .execute(connection)
    .await?;
    Ok(())
}
