//! Which programs asked, by the system's word.

use gate_core::{Asker, RequestId};
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column, identifier};

/// Their table.
pub(crate) const TABLE: Table = Table {
    name: "askers",
    columns: &[identifier("request_id"), column("program"), column("folder")],
    owner: Owner::Request,
    known: Known::Stays,
};

/// Keeps which program asked.
pub(super) async fn insert(to: &mut SqliteConnection, request_id: &str, asker: &Asker) -> Result<(), StoreError> {
    let Asker { program, folder } = asker;
    sqlx::query!("INSERT INTO askers (request_id, program, folder) VALUES (?1, ?2, ?3)", request_id, program, folder)
        .execute(to)
        .await?;
    Ok(())
}

impl Store {
    /// Which program asked; absent where the system didn't say it.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn asker(&self, request: RequestId) -> Result<Option<Asker>, StoreError> {
        let request = request.to_string();
        let found = sqlx::query!("SELECT program, folder FROM askers WHERE request_id = ?1", request)
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.map(|row| Asker { program: row.program, folder: row.folder }))
    }
}
