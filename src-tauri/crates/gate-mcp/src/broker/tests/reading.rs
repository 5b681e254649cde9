//! What is long comes in pages, each within its bound, and all of them are the whole.

use gate_core::proposal::bounds;
use serde_json::{Value, json};

use super::{DIFF, House, call, propose, refused};

/// A diff of so many files, each with some hunks.
fn long(files: usize) -> String {
    let hunk = |at: usize| format!("@@ -{at},2 +{at},2 @@\n-{}\n+{}\n c\n", "a".repeat(900), "b".repeat(900));
    let file = |name: usize| format!("--- a/src/f{name}\n+++ b/src/f{name}\n{}{}", hunk(1), hunk(40));
    (0..files).map(file).collect()
}

/// All pages of what is called with these arguments.
async fn pages(relay: &mut crate::connection::relayed::Relay, tool: &str, arguments: Value) -> Vec<Value> {
    let (mut pages, mut arguments) = (Vec::new(), arguments);
    loop {
        let page = call(relay, tool, arguments.clone()).await;
        arguments["cursor"] = page["next_cursor"].clone();
        let is_last = page["next_cursor"].is_null();
        pages.push(page);
        if is_last {
            return pages;
        }
    }
}

fn joined(pages: &[Value]) -> String {
    pages.iter().filter_map(|page| page["diff"].as_str()).collect()
}

#[tokio::test]
async fn a_long_diff_comes_in_pages_that_are_the_diff() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let diff = long(40);
    let description = "d".repeat(20_000);
    let arguments = json!({"intent": "Change all", "diff": diff, "description": description});
    let id = call(&mut proposer, "submit_proposal", arguments).await["review_id"].clone();
    let all = pages(&mut reviewer, "get_proposal", json!({ "review_id": id })).await;
    assert_eq!(joined(&all), diff, "one after the other");
    assert!(all.len() > 2, "{}", all.len());
    for page in &all {
        assert!(page["diff"].as_str().unwrap().len() <= bounds::DIFF_PAGE_BYTES, "48 KiB");
        assert!(page.to_string().len() < 64 * 1024, "with all that stands beside it");
        assert_eq!(page.get("cut"), None, "whole hunks");
    }
    assert_eq!(all[0]["description_cut"], true, "the rest of it is the resource's");
    assert_eq!(all[1].get("description"), None, "it comes once");
    let claim = call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let rest = json!({"review_id": id, "cursor": claim["next_cursor"]});
    let rest = pages(&mut reviewer, "get_proposal", rest).await;
    let claimed = format!("{}{}", claim["diff"].as_str().unwrap(), joined(&rest));
    assert_eq!(claimed, diff, "a claim brings the first page, and get_proposal goes on from there");
    let one = call(&mut reviewer, "get_proposal", json!({"review_id": id, "path": "src/f7"})).await;
    assert_eq!(one["diff"].as_str().unwrap(), &long(8)[long(7).len()..], "one file alone");
    let other = json!({"review_id": id, "path": "src/f7", "cursor": claim["next_cursor"]});
    assert_eq!(refused(&mut reviewer, "get_proposal", other).await.0, "invalid_cursor", "it is another list's");
    let patches = pages(&mut reviewer, "get_patch", json!({ "review_id": id })).await;
    let parts = patches.iter().map(|page| page["patches"][0]["patch_diff"].as_str().unwrap());
    assert_eq!(parts.collect::<String>(), diff, "rounds and patches come in pages, too");
}

#[tokio::test]
async fn a_page_stays_in_the_round_that_it_began_in() {
    let house = House::new();
    let mut proposer = house.agent(10).await;
    let diff = long(40);
    let id = propose(&mut proposer, &diff).await;
    let first = call(&mut proposer, "get_proposal", json!({ "review_id": id })).await;
    let next = json!({"intent": "Change x", "diff": DIFF, "review_id": id});
    assert_eq!(call(&mut proposer, "submit_proposal", next).await["round"], 2);
    let rest = json!({"review_id": id, "cursor": first["next_cursor"]});
    let rest = pages(&mut proposer, "get_proposal", rest).await;
    assert_eq!(format!("{}{}", first["diff"].as_str().unwrap(), joined(&rest)), diff, "not torn by the next one");
    assert_eq!((&rest[0]["shown_round"], &rest[0]["round"]), (&json!(1), &json!(2)), "and it says so");
}

#[tokio::test]
async fn messages_come_in_pages_and_none_is_left_out() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let comment = |number: usize| json!({"file": "x", "line": number + 1, "body": format!("comment {number}")});
    let comments: Vec<_> = (0..230).map(comment).collect();
    let verdict = json!({"review_id": id, "decision": "comment", "reason": "Some.", "comments": comments});
    call(&mut reviewer, "submit_verdict", verdict).await;
    for number in 0..3 {
        let body = format!("{number}{}", "m".repeat(40_000));
        call(&mut proposer, "post_message", json!({"review_id": id, "body": body})).await;
    }
    let settle = |thread: &Value| json!({"review_id": id, "thread_id": thread, "resolve": true, "body": "Done."});
    let all = pages(&mut proposer, "get_messages", json!({ "review_id": id })).await;
    let messages: Vec<_> = all.iter().flat_map(|page| page["messages"].as_array().unwrap().clone()).collect();
    let begins = |message: &Value| message["body"].as_str().unwrap().chars().take(11).collect::<String>();
    let expected = (0..230).map(|number| format!("comment {number}").chars().take(11).collect::<String>());
    let expected = expected.chain((0..3).map(|number| format!("{number}mmmmmmmmmm")));
    assert_eq!(messages.iter().map(begins).collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "each once, in order");
    for page in &all {
        assert!(page.to_string().len() < 64 * 1024, "{}", page.to_string().len());
        let threads = page["threads"].as_array().unwrap().len();
        assert!(threads <= page["messages"].as_array().unwrap().len(), "only those of its messages: {threads}");
    }
    for message in &messages[..229] {
        call(&mut proposer, "post_message", settle(&message["thread_id"])).await;
    }
    let open = pages(&mut reviewer, "get_messages", json!({"review_id": id, "unresolved": true})).await;
    let open: Vec<_> = open.iter().flat_map(|page| page["messages"].as_array().unwrap().clone()).collect();
    assert_eq!(open.iter().map(begins).collect::<Vec<_>>(), ["comment 229"], "what is settled is left out");
    let claim = call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    assert_eq!(claim["messages"][0]["body"], "comment 229", "a claim brings what is open");
}

#[tokio::test]
async fn lists_come_in_pages_and_hold_what_was_asked_for() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    for number in 0..120 {
        let category = if number % 2 == 0 { "docs" } else { "code" };
        let arguments = json!({"intent": format!("{number}"), "category": category, "priority": "high"});
        call(&mut proposer, "submit_proposal", arguments).await;
    }
    let intents = |pages: &[Value]| -> Vec<String> {
        let all = pages.iter().flat_map(|page| page["reviews"].as_array().unwrap().clone());
        all.map(|review| review["intent"].as_str().unwrap().to_owned()).collect()
    };
    let newest_first: Vec<_> = (0..120).rev().map(|number| number.to_string()).collect();
    let all = pages(&mut reviewer, "list_reviews", json!({})).await;
    assert_eq!((intents(&all), all.len()), (newest_first.clone(), 3), "fifty a page");
    let few = pages(&mut reviewer, "list_reviews", json!({"limit": 7, "category": "docs"})).await;
    let docs = newest_first.iter().filter(|number| number.parse::<u32>().unwrap() % 2 == 0).cloned();
    assert_eq!((intents(&few), few.len()), (docs.collect(), 9));
    let since = call(&mut reviewer, "list_reviews", json!({"limit": 4})).await["reviews"][3]["updated_at"].clone();
    let newer = pages(&mut reviewer, "list_reviews", json!({ "since": since })).await;
    assert_eq!(intents(&newer), newest_first[..3], "what changed after that");
    let mine = call(&mut reviewer, "list_reviews", json!({"mine": true})).await;
    assert_eq!(mine["reviews"], json!([]), "it has proposed nothing");
    let other = json!({"cursor": all[0]["next_cursor"], "category": "docs"});
    assert_eq!(refused(&mut reviewer, "list_reviews", other).await.0, "invalid_cursor");
}
