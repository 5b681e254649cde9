//! Lists of a great many reviews, of which nearly all are over: each kind of list, its first pages.

#![expect(clippy::print_stdout, reason = "it says which record is made")]

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::scene::{Scene, proposal_of_files};
use super::{CLIENTS, SECTION, at_most};
use crate::options::Options;
use crate::report::Report;
use crate::stats::Times;

/// Milliseconds that a page may take.
const PAGE_MS: f64 = 10.0;
/// KiB that it may have.
const PAGE_KIB: f64 = 64.0;
/// From this many reviews on the goals hold.
const MANY: u32 = 100_000;
/// Pages of a list that are read one after the other.
const PAGES: usize = 5;

pub(super) fn measure(options: &Options, sizes: &[u32], report: &mut Report) -> Result<()> {
    let mut scene = Scene::new(options)?;
    // Each party is known by what it submits, and of the first of these all others are made.
    for number in 0..CLIENTS {
        scene.proposer(number)?.does("submit_proposal", &proposal_of_files(number, 0))?;
    }
    let mut filled = 0;
    for size in sizes {
        println!("A record of {size} reviews:");
        scene.while_stopped(|database| fill(database, filled, *size))?;
        filled = *size;
        one_size(options, &scene, *size, report)?;
    }
    Ok(())
}

fn one_size(options: &Options, scene: &Scene, size: u32, report: &mut Report) -> Result<()> {
    let mut client = scene.proposer(0)?;
    let (mut all, mut largest) = (Times::default(), 0);
    for (name, query) in [
        ("of a place", json!({})),
        ("of a status that few have", json!({"status": "approved"})),
        ("of a status that nearly all have", json!({"status": "closed"})),
        ("of a category that few have", json!({"category": "docs"})),
        ("of a category that none has", json!({"category": "none"})),
        ("of a priority that few have", json!({"priority": "high"})),
        ("of a folder", json!({"path": "src"})),
        ("of one's own", json!({"mine": true})),
    ] {
        let mut times = Times::default();
        for round in 0..=options.pick(40, 10) {
            let mut asked = query.clone();
            for _ in 0..PAGES {
                let begin = Instant::now();
                client.send("list_reviews", &asked)?;
                let (mut result, bytes) = client.receive()?;
                let took = begin.elapsed();
                if result["isError"] == true {
                    bail!("{asked} was refused: {result}");
                }
                // The first round reads from the disk what the others find in memory.
                if round > 0 {
                    times.push(took);
                    largest = largest.max(bytes);
                }
                match result["structuredContent"]["next_cursor"].take() {
                    Value::Null => break,
                    cursor => asked["cursor"] = cursor,
                }
            }
        }
        report.figure(SECTION, format!("{size} reviews: a page {name}, p50"), times.median(), "ms");
        tell(report, format!("{size} reviews: a page {name}, p99"), times.p99(), "ms", size, PAGE_MS);
        all.0.extend(times.0);
    }
    report.samples(SECTION, format!("{size} reviews: pages"), &all);
    #[expect(clippy::cast_precision_loss, reason = "a page is small")]
    let kib = largest as f64 / 1024.0;
    tell(report, format!("{size} reviews: the largest page"), kib, "KiB", size, PAGE_KIB);
    Ok(())
}

fn tell(report: &mut Report, name: String, value: f64, unit: &'static str, size: u32, bound: f64) {
    if size >= MANY {
        at_most(report, name, value, unit, bound);
    } else {
        report.figure(SECTION, name, value, unit);
    }
}

/// Makes further reviews of the first one that there is: one in a thousand approved, the others over. Which rows are looked
/// up once is said (`CROSS JOIN`): left to itself, SQLite looks through all events for each review.
fn fill(database: &Path, from: u32, to: u32) -> Result<()> {
    let mut connection = Connection::open(database)?;
    // What can't be made anew after a crash is made anew as a whole.
    connection.pragma_update(None, "synchronous", "OFF")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TEMP TABLE known AS SELECT row_number() OVER (ORDER BY party) - 1 AS number, party FROM parties;
         CREATE TEMP TABLE first AS SELECT * FROM proposals WHERE diff_sha256 IS NOT NULL ORDER BY rowid LIMIT 1;
         CREATE TEMP TABLE numbers (i INTEGER PRIMARY KEY, id TEXT, is_approved INTEGER, party TEXT);",
    )?;
    transaction.execute(
        "WITH RECURSIVE n (i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
         INSERT INTO numbers
         SELECT n.i, printf('01800000-0000-7000-8000-%012x', n.i), n.i % 1000 = 0,
                (SELECT party FROM known WHERE number = n.i % (SELECT count(*) FROM known))
         FROM n",
        [from, to],
    )?;
    let made = transaction.execute(
        "INSERT INTO proposals (review_id, session_uuid, party, place, workspace, intent, category, priority, labels, status,
                                state, free_since, diff_sha256, base, queue_key, created_at, updated_at, event)
         SELECT n.id, f.session_uuid, n.party, f.place, f.workspace, f.intent || ' ' || n.i, iif(n.i % 100 = 7, 'docs', NULL),
                iif(n.i % 100 = 9, 'high', 'normal'), f.labels, iif(n.is_approved, 'approved', 'closed'),
                iif(n.is_approved, json_set(f.state, '$.status', 'approved', '$.approved_by', 'agent'),
                    json_set(f.state, '$.status', 'closed', '$.ending', 'withdrawn')),
                f.free_since, f.diff_sha256, f.base, f.queue_key, f.created_at - 1000000000 + n.i,
                f.created_at - 1000000000 + n.i, 1
         FROM numbers n JOIN first f",
        [],
    )?;
    if made == 0 {
        bail!("no review is there that others could be made of");
    }
    transaction.execute_batch(
        "INSERT INTO rounds (review_id, round, party, author, diff_sha256, description, checked, created_at)
         SELECT n.id, 1, n.party, r.author, r.diff_sha256, r.description, r.checked, r.created_at
         FROM first f CROSS JOIN rounds r ON r.review_id = f.review_id CROSS JOIN numbers n;
         INSERT INTO events (subject, n, at, party, role, type, data)
         SELECT n.id, 1, e.at, n.party, e.role, e.type, e.data
         FROM first f CROSS JOIN events e ON e.subject = f.review_id AND e.n = 1 CROSS JOIN numbers n;
         INSERT INTO proposal_files (review_id, place, path)
         SELECT n.id, p.place, p.path
         FROM first f CROSS JOIN proposal_files p ON p.review_id = f.review_id CROSS JOIN numbers n
         WHERE n.is_approved;
         DROP TABLE numbers; DROP TABLE first; DROP TABLE known;",
    )?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error).context("the record can't be closed")
}
