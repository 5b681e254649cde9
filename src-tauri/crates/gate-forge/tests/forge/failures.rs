//! Each way in which a request ends badly: what it is called, and whether it may have happened.

use std::net::TcpListener;
use std::time::Duration;

use gate_core::Timestamp;
use gate_forge::{Done, ForgeError, Happened, Patience, Platform, Write};
use gate_platforms::{FakeGitHub, Fault};

use crate::scene::{TOKEN, client, client_with, done, github, gitlab, people, pull};

fn comment() -> Write {
    Write::Comment { pull: pull(), body: "Hello.".to_owned() }
}

fn says(status: u16, head: &[(&str, &str)], body: &str) -> Fault {
    let head = head.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Fault::Says { status, head, body: body.to_owned() }
}

/// What a comment ends as when this goes wrong, and how many of it are there then.
fn ends(fault: Fault) -> (ForgeError, usize) {
    let (fake, forge) = github();
    fake.fails("POST", "/comments", fault);
    let error = done(&*forge, &comment()).expect_err("it goes wrong");
    (error, fake.posted(42).len())
}

#[test]
fn limits_say_when() {
    let (error, there) = ends(says(429, &[("retry-after", "7")], ""));
    assert!(matches!(&error, ForgeError::RateLimited { limit, .. } if limit.after_seconds == Some(7)));
    assert_eq!((error.happened(), error.code(), there), (Happened::No, "rate_limited", 0));
    let head = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000000")];
    let (error, _) = ends(says(403, &head, r#"{"message":"API rate limit exceeded"}"#));
    assert!(matches!(error, ForgeError::RateLimited { limit, .. } if limit.at == Some(Timestamp(1_800_000_000_000))));
    let (error, _) = ends(says(403, &[], r#"{"message":"You have exceeded a secondary rate limit."}"#));
    assert!(matches!(error, ForgeError::RateLimited { .. }), "in words alone: {error}");
    let (error, _) = ends(says(403, &[], r#"{"message":"Resource not accessible"}"#));
    assert!(matches!(error, ForgeError::Refused { status: 403, .. }), "any other 403 is a refusal: {error}");
    let (fake, forge) = gitlab();
    fake.fails("POST", "/notes", says(429, &[("ratelimit-reset", "1800000000")], "Retry later"));
    let error = done(&*forge, &comment()).expect_err("it goes wrong");
    assert!(matches!(error, ForgeError::RateLimited { limit, .. } if limit.at == Some(Timestamp(1_800_000_000_000))));
}

#[test]
fn what_may_have_happened_is_told_from_what_has_not() {
    for (fault, happened) in [
        (Fault::Broken { acts: false }, 0),
        (Fault::Broken { acts: true }, 1),
        (Fault::Reset { acts: false }, 0),
        (Fault::Reset { acts: true }, 1),
        (Fault::Half, 1),
        (says(200, &[], "<html>a proxy's page"), 0),
        (says(408, &[], ""), 0),
    ] {
        let (error, there) = ends(fault.clone());
        assert_eq!((error.happened(), error.code()), (Happened::Maybe, "platform_unreachable"), "{fault:?}: {error}");
        assert_eq!(there, happened, "{fault:?}: from here both look the same");
    }
}

#[test]
fn reading_changes_nothing_however_it_ends() {
    let (fake, forge) = github();
    for fault in [Fault::Broken { acts: true }, Fault::Reset { acts: true }, Fault::Half, says(200, &[], "[")] {
        fake.fails("GET", "/pulls/42", fault);
        assert_eq!(forge.pull(&pull()).expect_err("it goes wrong").happened(), Happened::No);
    }
    fake.fails("POST", "reviewThreads", Fault::Half);
    assert_eq!(
        forge.threads(&pull()).expect_err("it goes wrong").happened(),
        Happened::No,
        "nor does GraphQL's reading"
    );
}

#[test]
fn nobody_there_is_no_doubt() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let error = done(&*client(Platform::GitHub, &address, TOKEN), &comment()).expect_err("nobody listens");
    assert_eq!((error.happened(), error.code()), (Happened::No, "platform_unreachable"), "{error}");
}

#[test]
fn silence_and_an_answer_without_end_are_bounded() {
    let (fake, forge) = github();
    let short = Patience { silence: Duration::from_millis(300), whole: Duration::from_secs(20) };
    let hasty = client_with(Platform::GitHub, &fake.url(), TOKEN, short);
    fake.fails("POST", "/comments", Fault::Silent);
    let error = done(&*hasty, &comment()).expect_err("it is silent");
    assert_eq!(error.happened(), Happened::Maybe, "{error}");
    fake.fails("GET", "/user", Fault::Endless);
    let error = forge.me().expect_err("it has no end");
    assert!(error.to_string().contains("bytes"), "{error}");
}

#[test]
fn a_revoked_token_is_told() {
    let (fake, forge) = github();
    fake.fails("GET", "/user", Fault::Revoked);
    let error = forge.me().expect_err("nobody's token");
    assert_eq!((error.code(), error.happened()), ("platform_auth", Happened::No));
    let error = forge.threads(&pull()).expect_err("nor GraphQL's");
    assert_eq!(error.code(), "platform_auth");
}

#[test]
fn redirections_are_refused_and_the_token_stays() {
    let elsewhere = FakeGitHub::start(&people()).expect("a port");
    for status in [301, 302, 307, 308] {
        let (fake, forge) = github();
        let to = format!("{}/api/v3/user", elsewhere.url());
        fake.fails("GET", "/user", says(status, &[("location", &to)], ""));
        assert!(matches!(forge.me(), Err(ForgeError::Refused { status: said, .. }) if said == status));
        fake.fails("POST", "/comments", says(status, &[("location", &to)], ""));
        assert!(matches!(done(&*forge, &comment()), Err(ForgeError::Refused { .. })));
    }
    assert_eq!(elsewhere.heard(), [], "nobody else heard of it");
}

#[test]
fn a_head_that_moves_is_seen() {
    let (fake, forge) = github();
    let old = forge.head(&pull()).expect("a head");
    fake.fails("POST", "/reviews", Fault::HeadMoves("e".repeat(40)));
    let begin = Write::Begin { pull: pull(), head: old.clone(), body: "Report.".to_owned(), remarks: Vec::new() };
    assert!(matches!(done(&*forge, &begin), Ok(Done::Review(review)) if review.commit.as_ref() == Some(&old)));
    assert_eq!(forge.head(&pull()).ok(), Some("e".repeat(40)), "the review stands on the commit that was meant");
}

#[test]
fn graphql_says_its_refusals_with_success() {
    let (fake, forge) = github();
    let thread = fake.discuss(42, "ada", "src/cart.rs", 12, &["Why?"]);
    let resolve = Write::Resolve { pull: pull(), thread: thread.clone() };
    let wrong = |kind: &str, message: &str| {
        says(200, &[("retry-after", "9")], &format!(r#"{{"data":null,"errors":[{{{kind}"message":"{message}"}}]}}"#))
    };
    fake.fails("POST", "resolveReviewThread", wrong(r#""type":"RATE_LIMITED","#, "API rate limit exceeded"));
    assert!(
        matches!(done(&*forge, &resolve), Err(ForgeError::RateLimited { limit, .. }) if limit.after_seconds == Some(9))
    );
    fake.fails("POST", "resolveReviewThread", wrong(r#""type":"FORBIDDEN","#, "no"));
    assert!(matches!(done(&*forge, &resolve), Err(ForgeError::Refused { status: 403, .. })));
    fake.fails("POST", "resolveReviewThread", wrong("", "Something went wrong while executing your query."));
    assert_eq!(
        done(&*forge, &resolve).expect_err("it gave up").happened(),
        Happened::Maybe,
        "it may have gone through"
    );
    fake.fails("POST", "resolveReviewThread", says(200, &[], r#"{"data":{"resolveReviewThread":null}}"#));
    assert_eq!(done(&*forge, &resolve).expect_err("it says nothing").happened(), Happened::Maybe);
    assert_eq!(fake.resolved(42), Vec::<String>::new());
    let mallory = client(Platform::GitHub, &fake.url(), "mallory-token");
    assert!(matches!(done(&*mallory, &resolve), Err(ForgeError::Refused { status: 403, .. })), "the fake's own word");
}
