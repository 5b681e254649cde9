//! The token: in the one header of requests to the platform, and nowhere else.

use gate_forge::{DiffRefs, Event, Forge, ForgeError, Prepared, Write};
use gate_platforms::{Fault, Heard};

use crate::scene::{ADDED, TOKEN, at, done, github, gitlab, pull, remark};

/// One of each.
fn writes() -> Vec<Write> {
    let refs = DiffRefs { base: "c".repeat(40), start: "b".repeat(40), head: "a".repeat(40) };
    let words = || "Words.".to_owned();
    let thread = || "T".to_owned();
    vec![
        Write::Begin { pull: pull(), head: "a".repeat(40), body: words(), remarks: vec![remark(at(ADDED), "x")] },
        Write::Submit { pull: pull(), review: 1, event: Event::Comment },
        Write::Discard { pull: pull(), review: 1 },
        Write::Place { pull: pull(), review: Some("R".to_owned()), refs, remark: remark(at(ADDED), "x") },
        Write::Comment { pull: pull(), body: words() },
        Write::Reply { pull: pull(), thread: thread(), body: words() },
        Write::Resolve { pull: pull(), thread: thread() },
        Write::Label { pull: pull(), labels: vec!["bug".to_owned()] },
        Write::Update { pull: pull(), title: Some(words()), body: None },
    ]
}

fn check(forge: &dyn Forge, heard: &dyn Fn() -> Vec<Heard>) {
    assert!(!format!("{forge:?}").contains(TOKEN), "a client prints no token");
    for write in writes() {
        let Ok(prepared) = forge.prepare(&write) else { continue };
        let kept = serde_json::to_string(&prepared).expect("it can be kept");
        assert!(!kept.contains(TOKEN), "what is kept and shown of a write has none: {kept}");
        let again: Prepared = serde_json::from_str(&kept).expect("it can be read again");
        assert_eq!(again, prepared, "what goes out after a restart is what was kept");
        // Whether it is taken doesn't matter here.
        let _ = forge.perform(&again);
    }
    let _ = (forge.pull(&pull()), forge.threads(&pull()), forge.me());
    assert!(heard().len() >= 9, "they went out");
    for request in heard() {
        let authorization = request.head.iter().filter(|(_, value)| value.contains(TOKEN));
        let names: Vec<&str> = authorization.map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["authorization"], "in one header");
        assert!(!request.target.contains(TOKEN) && !request.body.contains(TOKEN), "and in nothing else");
    }
}

#[test]
fn the_token_is_in_one_header_alone() {
    let (fake, forge) = github();
    check(&*forge, &|| fake.heard());
    let (fake, forge) = gitlab();
    check(&*forge, &|| fake.heard());
}

#[test]
fn a_platform_that_says_the_token_back_is_not_repeated() {
    let (fake, forge) = github();
    let body = format!(r#"{{"message":"Bad token {TOKEN}","errors":["{TOKEN}"]}}"#);
    for status in [400, 401, 403, 429, 500] {
        let says = Fault::Says { status, head: vec![("retry-after".to_owned(), TOKEN.to_owned())], body: body.clone() };
        fake.fails("GET", "/user", says);
        let error = forge.me().expect_err("it is refused");
        assert!(!format!("{error} {error:?}").contains(TOKEN), "{error:?}");
    }
}

#[test]
fn what_was_kept_leads_to_no_other_host() {
    let (fake, forge) = github();
    let write = Write::Comment { pull: pull(), body: "x".to_owned() };
    let kept = serde_json::to_string(&forge.prepare(&write).expect("a write")).expect("it can be kept");
    for path in ["@127.0.0.2/x", ".example.org/x", "//example.org", "/x y", "http://example.org/"] {
        let changed = kept.replace("/repos/acme/shop/issues/42/comments", path);
        let prepared: Prepared = serde_json::from_str(&changed).expect("it is well-formed");
        match forge.perform(&prepared) {
            Err(ForgeError::Invalid(_)) => {}
            Err(ForgeError::Refused { status: 404, .. }) => {
                assert!(path.starts_with("//"), "{path} stays with the host")
            }
            other => panic!("{path}: {other:?}"),
        }
    }
    assert!(done(&*forge, &write).is_ok());
    assert_eq!(fake.heard().len(), 2);
}
