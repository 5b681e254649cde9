//! How SQLite finds what statements about reviews and jobs ask for: by an index, and never by walking through all that there is.

use std::collections::BTreeSet;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _, SqliteConnection};

use super::scene::TABLES;
use crate::fixture::Outcome;
use crate::migration::ALL;
use crate::workflow::scene::TABLES as OF_JOBS;

/// Whether a table is one of reviews or of jobs, or of what several share.
fn is_looked_at(table: &&str) -> bool {
    TABLES.contains(table) || OF_JOBS.contains(table) || ["parties", "blobs"].contains(table)
}

/// What walks through a table and may: what it begins with, and why.
const MAY: [(&str, &str); 1] =
    [("DELETE FROM blobs WHERE NOT EXISTS", "once an hour, all contents that nothing has any more")];

async fn schema() -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = SqliteConnectOptions::new().in_memory(true).connect().await?;
    ALL.run(&mut connection).await?;
    Ok(connection)
}

/// Every statement that this crate has, as they are kept beside the code.
fn statements() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.sqlx"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let described: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
            all.push(described["query"].as_str().ok_or("a statement has its text")?.to_owned());
        }
    }
    all.sort();
    Ok(all)
}

/// The tables of reviews and jobs that a statement names, with what it calls them.
fn named(statement: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = statement.split(|at: char| !at.is_alphanumeric() && at != '_').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let mut named = BTreeSet::new();
    for pair in words.windows(2).filter(|pair| is_looked_at(&pair[0])) {
        named.extend([pair[0], pair[1]]);
    }
    named.extend(words.last().filter(|word| is_looked_at(word)));
    named
}

#[tokio::test]
async fn no_statement_about_reviews_or_jobs_walks_through_a_table() -> Outcome {
    let mut connection = schema().await?;
    // Of such an index all rows are looked for.
    let partial: Vec<String> =
        sqlx::query_scalar("SELECT l.name FROM sqlite_schema t JOIN pragma_index_list(t.name) l WHERE l.partial = 1")
            .fetch_all(&mut connection)
            .await?;
    let (mut looked, mut walked) = (0, Vec::new());
    for statement in statements()? {
        let named = named(&statement);
        if named.is_empty() || MAY.iter().any(|(begins, _)| statement.starts_with(begins)) {
            continue;
        }
        looked += 1;
        let plan = sqlx::raw_sql(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")));
        for step in plan.fetch_all(&mut connection).await? {
            let step: String = step.try_get("detail")?;
            let Some(scanned) = step.strip_prefix("SCAN ") else { continue };
            let mut words = scanned.split(' ');
            let is_named = words.next().is_some_and(|name| named.contains(name));
            let is_partial = words.next_back().is_some_and(|last| partial.iter().any(|index| index == last));
            if is_named && !is_partial && !scanned.contains("VIRTUAL TABLE") {
                walked.push(format!("{step}: {statement}"));
            }
        }
    }
    assert_eq!(walked, Vec::<String>::new(), "with many of them each of these takes long");
    assert!(looked > 110, "they are looked at: {looked}");
    Ok(())
}

#[tokio::test]
async fn whatever_refers_to_a_row_is_found_by_an_index_when_that_is_deleted() -> Outcome {
    let mut connection = schema().await?;
    let unfound: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, f.\"from\" FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f
         WHERE t.type = 'table' AND NOT EXISTS
             (SELECT 1 FROM pragma_index_list(t.name) l JOIN pragma_index_info(l.name) i
              WHERE i.seqno = 0 AND i.name = f.\"from\"
                AND (l.partial = 0 OR EXISTS (SELECT 1 FROM sqlite_schema x
                                              WHERE x.name = l.name AND x.sql LIKE '%WHERE ' || f.\"from\" || ' IS NOT NULL')))",
    )
    .fetch_all(&mut connection)
    .await?;
    assert_eq!(unfound, Vec::new(), "each row that is deleted walks through all rows of such a table");
    Ok(())
}
