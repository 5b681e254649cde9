//! How the person is there, over a restart.

use gate_core::{Absence, Timestamp};

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column};

/// The table of how the person is there, with one row.
pub(crate) const TABLE: Table = Table {
    name: "presence",
    columns: &[
        column("row"),
        column("away_since"),
        column("by_itself"),
        column("do_not_disturb"),
        column("quiet_until"),
    ],
    owner: Owner::Nobody,
    known: Known::Replaced { key: "row", when: "true" },
};

impl Store {
    /// What was last stored; a person who is there where nothing was.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn absence(&self) -> Result<Absence, StoreError> {
        let row = sqlx::query!("SELECT away_since, by_itself, do_not_disturb, quiet_until FROM presence")
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map_or_else(Absence::default, |row| Absence {
            away_since: row.away_since.map(Timestamp),
            by_itself: row.by_itself != 0,
            do_not_disturb: row.do_not_disturb != 0,
            until: row.quiet_until.map(Timestamp),
        }))
    }

    /// Stores it in the place of what was there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn set_absence(&self, absence: Absence) -> Result<(), StoreError> {
        let (away_since, until) = (absence.away_since.map(|at| at.0), absence.until.map(|at| at.0));
        sqlx::query!(
            "INSERT INTO presence (row, away_since, by_itself, do_not_disturb, quiet_until) VALUES (1, ?1, ?2, ?3, ?4)
             ON CONFLICT (row) DO UPDATE SET away_since = excluded.away_since, by_itself = excluded.by_itself,
                 do_not_disturb = excluded.do_not_disturb, quiet_until = excluded.quiet_until",
            away_since,
            absence.by_itself,
            absence.do_not_disturb,
            until,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }
}
