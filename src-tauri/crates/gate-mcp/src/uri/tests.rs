//! URIs as clients write them; the fuzz test tries all others.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::fuzzing::Fuzz;

const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";

#[test]
fn every_uri_names_its_target_and_is_written_in_one_way() {
    let session: SessionUuid = ID.parse().unwrap();
    for (uri, target, query) in [
        ("conversations", Target::Conversations, ""),
        ("conversations?q=a&status=active", Target::Conversations, "q=a&status=active"),
        ("conversations/active", Target::Active, ""),
        (&format!("conversations/{ID}?cursor=x"), Target::Conversation(session), "cursor=x"),
        (&format!("sessions/{}", ID.to_uppercase()), Target::Session(session), ""),
        (&format!("checkpoints/{ID}"), Target::Checkpoints(session), ""),
        (&format!("checkpoints/{ID}?cursor=x"), Target::Checkpoints(session), "cursor=x"),
        (&format!("attachments/{ID}"), Target::Attachment(AttachmentId(session.0)), ""),
        ("templates?cursor=x", Target::Templates, "cursor=x"),
        ("templates/team/code_review", Target::Template("team/code_review".into()), ""),
        ("templates/team%2Fcode_review", Target::Template("team/code_review".into()), ""),
        ("templates/pr%C3%BCfung/a%20b", Target::Template("prüfung/a b".into()), ""),
    ] {
        let uri = format!("{BASE}{uri}");
        assert_eq!(Target::of(&uri), Some((target.clone(), query)), "{uri}");
        assert_eq!(Target::of(&target.uri()), Some((target, "")), "{uri}");
    }
    let written = Target::Template("prüfung/a b".into()).uri();
    assert_eq!(written, "file://review-gate/templates/pr%C3%BCfung/a%20b", "as RFC 6570 expands {{+name}}");
    assert_eq!(Target::of("skill://index.json"), Some((Target::Skills, "")));
    assert_eq!(Target::of("skill://code-review/SKILL.md"), Some((Target::Skill("code-review".into()), "")));
    for uri in [
        "",
        "file://review-gate",
        "file://review-gate/",
        "file://review-gate/conversations/",
        "file://review-gate/conversations/nonsense",
        "file://review-gate/conversations/0190a6e47a1070008000000000000001",
        "file://review-gate/sessions/{0190a6e4-7a10-7000-8000-000000000001}",
        "file://review-gate/checkpoints/urn:uuid:0190a6e4-7a10-7000-8000-000000000001",
        "file://review-gate/sessions",
        "file://review-gate/attachments/../../etc/passwd",
        "file://review-gate/templates/",
        "file://review-gate/templates/a/../b",
        "file://review-gate/templates/%2e%2e/b",
        "file://review-gate/templates/_partials/x",
        "file://review-gate/templates/%FF",
        "skill://",
        "skill:///SKILL.md",
        "skill://a/b/SKILL.md",
        "skill://A/SKILL.md",
        "skill://a/other.md",
        "file:///etc/passwd",
        "https://review-gate/conversations",
    ] {
        assert_eq!(Target::of(uri), None, "{uri} names nothing");
    }
}

#[test]
fn a_query_is_decoded_and_what_is_wrong_with_it_is_named() {
    let parsed = Query::parse(&Target::Conversations, "q=caf%C3%A9+100%25+a%2Bb&status=stale&cursor=").unwrap();
    let q = Some("café 100% a+b".to_owned());
    assert_eq!(parsed, Query { cursor: None, q, status: Some(SessionStatus::Stale) }, "what is empty is absent");
    for (target, query, name) in [
        (Target::Conversations, "limit=3", "`limit`"),
        (Target::Conversations, "status=open", "`status`"),
        (Target::Conversations, "q=a&q=b", "`q`"),
        (Target::Active, "cursor=x", "`cursor`"),
        (Target::Session(ID.parse().unwrap()), "q=x", "`q`"),
        (Target::Template("a".into()), "cursor=x", "`cursor`"),
        (Target::Skill("a".into()), "cursor=x", "`cursor`"),
        (Target::Conversations, &format!("q={}", "x".repeat(QUERY_BYTES)), "8192"),
    ] {
        let fault = Query::parse(&target, query).err();
        assert!(fault.as_ref().is_some_and(|fault| fault.message.contains(name)), "{query}: {fault:?}");
    }
}

#[test]
fn a_workspace_with_spaces_and_letters_of_any_language_is_read() {
    assert_eq!(decoded("/home/a%20b/%E5%90%8D", false), "/home/a b/名");
    assert_eq!(decoded("/100%/x+y", false), "/100%/x+y", "a lone percent sign stays, and a plus sign in a path");
}

#[test]
fn fuzz_uris() {
    let mut fuzz = Fuzz::new("uris");
    let part = prop_oneof![
        4 => select(vec![
            BASE, "conversations", "conversations/", "active", "sessions/", "checkpoints/", "attachments/", ID, "?",
            "templates/", "skill://", "/SKILL.md", "a b", "&", "=", "cursor=", "q=", "status=", "active", "+", "%", "%20", "%C3", "%zz", "%+5", "..", "/", "#", "\0",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let uri = vec(part, 0..12).prop_map(|parts| parts.concat());
    let rooted =
        uri.prop_map(
            |rest| if rest.starts_with(BASE) || rest.starts_with(SKILL) { rest } else { format!("{BASE}{rest}") },
        );
    let query = (any::<Option<String>>(), any::<Option<String>>(), select(vec![None, Some(SessionStatus::Timeout)]));
    while fuzz.goes_on() {
        fuzz.batch(&rooted, |uri| any_uri(&uri));
        fuzz.batch(&query, |(cursor, q, status)| {
            let nonempty = |text: Option<String>| text.filter(|text| !text.is_empty());
            let query = Query { cursor: nonempty(cursor), q: nonempty(q), status };
            let uri = query.uri(&Target::Conversations);
            let (target, text) = Target::of(&uri).unwrap();
            assert_eq!(Query::parse(&target, text), Ok(query), "what is written is read again: {uri}");
            assert!(uri.is_ascii(), "and fits a URI: {uri}");
        });
    }
}

fn any_uri(uri: &str) {
    let Some((target, query)) = Target::of(uri) else { return };
    assert_eq!(Target::of(&target.uri()), Some((target.clone(), "")), "what it names has a URI of its own");
    match Query::parse(&target, query) {
        Ok(query) => {
            let again = query.uri(&target);
            let (same, text) = Target::of(&again).unwrap();
            let read = Query::parse(&same, text);
            assert_eq!((same, read), (target, Ok(query)), "written again, it is the same");
        }
        Err(fault) => {
            assert_eq!(fault.code, Code::InvalidInput);
            assert!(fault.message.len() < 500, "however long the URI is: {fault:?}");
            assert!(!fault.message.contains(char::is_control), "on one line: {fault:?}");
        }
    }
}
