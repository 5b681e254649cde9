//! Whoever acts on reviews and on jobs: what says whether two of them are one.

use gate_core::Timestamp;
use gate_core::proposal::Party;
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::table::{Instead, Known, Owner, Table, column, json};

/// Whoever acts.
pub(crate) const TABLE: Table = Table {
    name: "parties",
    columns: &[column("party"), json::<Party>("facts", Instead::Nothing), column("seen_at")],
    owner: Owner::Nobody,
    known: Known::Replaced { key: "party", when: "excluded.seen_at > parties.seen_at" },
};

/// What is known of a party; absent where nothing is.
pub(super) async fn facts(connection: &mut SqliteConnection, party: &str) -> Result<Option<Party>, StoreError> {
    let found = sqlx::query_scalar!("SELECT facts FROM parties WHERE party = ?1", party);
    found.fetch_optional(connection).await?.as_deref().map(from_json).transpose()
}

/// Remembers a party.
pub(super) async fn keep(connection: &mut SqliteConnection, party: &Party, now: Timestamp) -> Result<(), StoreError> {
    let facts = to_json(party)?;
    sqlx::query!(
        "INSERT INTO parties (party, facts, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (party) DO UPDATE SET facts = excluded.facts, seen_at = excluded.seen_at
         WHERE parties.facts <> excluded.facts",
        party.key,
        facts,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}
