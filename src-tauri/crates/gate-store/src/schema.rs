//! The schema: what the migrations make of a database, and which of them it has.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::error::StoreError;

/// Every migration that this program knows.
pub(crate) static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");

/// The newest schema that this program knows.
pub(crate) fn known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// The applied migrations, in order; none where the file has none of this program's tables.
pub(crate) async fn applied(connection: &mut SqliteConnection) -> Result<Vec<i64>, StoreError> {
    let migrated: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'")
            .fetch_one(&mut *connection)
            .await?;
    if migrated == 0 {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version").fetch_all(connection).await?)
}

/// The schema of a newer program. Such a program knows every migration that this one knows: a file
/// with an unknown one in place of a known one is damaged, not newer.
pub(crate) async fn newer(connection: &mut SqliteConnection) -> Result<Option<i64>, StoreError> {
    let applied = applied(connection).await?;
    let has_all = MIGRATIONS.iter().all(|migration| applied.contains(&migration.version));
    Ok(applied.into_iter().max().filter(|found| has_all && *found > known()))
}

/// What of the migrated schema isn't as this program's migrations make it. A byte that changed in it
/// would make every later statement fail, or a rule refuse what it should take.
pub(crate) async fn foreign_schema(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let mut fresh = fresh_schema().await?;
    let wanted = schema_of(&mut fresh).await?;
    fresh.close().await?;
    let found = schema_of(connection).await?;
    let differs = wanted.into_iter().find(|object| !found.contains(object));
    Ok(differs.map(|(kind, name, _)| format!("the {kind} {name} isn't as it was made")))
}

/// A database in memory as this program's migrations make it.
pub(crate) async fn fresh_schema() -> Result<SqliteConnection, StoreError> {
    let mut fresh = SqliteConnectOptions::new().in_memory(true).disable_statement_logging().connect().await?;
    MIGRATIONS.run(&mut fresh).await?;
    Ok(fresh)
}

async fn schema_of(connection: &mut SqliteConnection) -> Result<Vec<(String, String, String)>, StoreError> {
    let objects = sqlx::query_as(
        "SELECT type, name, sql FROM sqlite_schema
         WHERE sql IS NOT NULL AND name <> '_sqlx_migrations' AND name NOT LIKE 'sqlite%'",
    )
    .fetch_all(connection)
    .await?;
    Ok(objects)
}
