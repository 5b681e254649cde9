//! The table of a campaign: what each of its tests did, how long it took, and how it ended. What they did they say
//! themselves (`tests/corpus/campaign.rs`); the rest is nextest's.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::write;
use crate::workspace::Workspace;

/// Names the file that the tests write what they do into.
const TOLD: &str = "REVIEW_GATE_CAMPAIGN_TOLD";

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Row {
    test: String,
    did: String,
    seconds: f64,
    failed: bool,
}

fn told(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/campaign.tsv")
}

/// Where nextest says how each test ended, as its profile `campaign` has it.
fn ended(workspace: &Workspace) -> PathBuf {
    workspace.target.join("nextest/campaign/ended.xml")
}

/// Has the tests of this command say what they do.
pub(super) fn told_by(workspace: &Workspace, command: &mut Command) -> Result<()> {
    write(&told(workspace), b"")?;
    // What an earlier campaign left there says nothing of this one.
    write(&ended(workspace), b"")?;
    command.env(TOLD, told(workspace));
    Ok(())
}

/// Prints the table; nothing where no test has ended.
pub(super) fn print(workspace: &Workspace) -> Result<()> {
    let read = |file: PathBuf| std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()));
    let rows = rows(&read(ended(workspace))?, &read(told(workspace))?);
    if !rows.is_empty() {
        println!("\n{}", table(&rows));
    }
    Ok(())
}

/// The tests that ended, by their names, with what they said.
fn rows(ended: &str, told: &str) -> Vec<Row> {
    let did: BTreeMap<&str, &str> = told.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut rows: Vec<Row> = ended
        .split("<testcase ")
        .skip(1)
        .filter_map(|case| {
            let (head, body) = case.split_once('>')?;
            let name = attribute(head, "name")?;
            // What a test prints is between its tags, too, and escaped.
            let failed = !head.ends_with('/') && (body.contains("<failure") || body.contains("<error"));
            Some(Row {
                test: format!("{} {name}", attribute(head, "classname")?),
                did: (*did.get(name).unwrap_or(&"")).to_owned(),
                seconds: attribute(head, "time")?.parse().ok()?,
                failed,
            })
        })
        .collect();
    rows.sort_by(|one, other| one.test.cmp(&other.test));
    rows
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = head.split_once(&format!(" {name}=\"")).or_else(|| {
        // The first one stands directly behind the tag's name.
        head.strip_prefix(&format!("{name}=\"")).map(|rest| ("", rest))
    })?;
    rest.split_once('"').map(|(value, _)| value)
}

fn table(rows: &[Row]) -> String {
    let mut lines = vec!["| test | did | took | ended |".to_owned(), "|---|---|---:|---|".to_owned()];
    lines.extend(rows.iter().map(|Row { test, did, seconds, failed }| {
        format!("| {test} | {did} | {seconds:.0} s | {} |", if *failed { "failed" } else { "well" })
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_each_test_did_and_how_it_ended() {
        let ended = r#"<testsuites name="campaign" tests="2"><testsuite name="gate-tests::e2e">
            <testcase name="receipts::kills" classname="gate-tests::e2e" timestamp="x" time="83.412"><failure type="x">
            <![CDATA[so]]></failure></testcase>
            <testcase name="kills::of" classname="gate-receipts::receipts" timestamp="x" time="2.900">
            <system-out>a &lt;failure&gt; of another</system-out></testcase>
            <testcase name="fuzz_a" classname="gate-core" timestamp="x" time="600.1"/></testsuite></testsuites>"#;
        let told = "receipts::kills\t500 kills\nkills::of\t40 kills\n";
        let expected = "| test | did | took | ended |
|---|---|---:|---|
| gate-core fuzz_a |  | 600 s | well |
| gate-receipts::receipts kills::of | 40 kills | 3 s | well |
| gate-tests::e2e receipts::kills | 500 kills | 83 s | failed |";
        assert_eq!(table(&rows(ended, told)), expected, "each test stands there with its own");
        assert_eq!(rows("", told), [], "where nothing has ended there is nothing to be told");
    }
}
