//! What is put together of findings and actions, what the person makes of it, and the bytes of the manifest.

use uuid::Uuid;

use super::*;
use crate::diff::{DiffView, parse};
use crate::workflow::action::Action;
use crate::workflow::anchor::place;
use crate::workflow::finding::{Finding, KeptFinding};
use crate::workflow::words::{FindingState, Platform, Readiness, Severity};
use crate::workflow::{ActionId, FindingId, PublicationId};

const DIFF: &str =
    "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n fn a() {\n-    one();\n+    two();\n+    three();\n }\n";

fn diff() -> DiffView {
    parse(DIFF).expect("it is a diff")
}

fn finding(number: u128, severity: Severity, file: Option<&str>, line: Option<u32>) -> KeptFinding {
    let finding = Finding {
        title: format!("Finding {number}"),
        body: "Ask @ada.".to_owned(),
        severity,
        file: file.map(str::to_owned),
        line,
        end_line: None,
        side: None,
        snippet: None,
        suggestion: None,
        category: None,
    };
    let anchor = place(&finding.sought(), &diff()).anchor;
    KeptFinding {
        finding_id: FindingId(Uuid::from_u128(number)),
        fingerprint: finding.fingerprint(None).expect("it can be written"),
        state: FindingState::New,
        anchor,
        agent_name: None,
        finding,
    }
}

fn action(number: u128, action: Action) -> KeptAction {
    KeptAction { action_id: ActionId(Uuid::from_u128(number)), action }
}

fn summary() -> Summary {
    Summary {
        summary: "All in all.".to_owned(),
        event: PublishEvent::Comment,
        score: Score::of(7.5).ok(),
        verdict: Some(Readiness::NeedsFixes),
    }
}

fn composed(findings: &[KeptFinding], actions: &[KeptAction], summary: Option<&Summary>) -> Result<Vec<Item>, Fault> {
    compose(PublicationId(Uuid::from_u128(900)), Platform::Github, &diff(), findings, actions, summary)
}

fn asked(items: Vec<Item>) -> AskedPublication {
    AskedPublication {
        job_id: JobId(Uuid::from_u128(1)),
        pull: Pull::parse("https://github.com/owner/repo/pull/42", &[]).expect("an address"),
        head: Oid::try_from("a".repeat(40)).expect("a commit"),
        event: PublishEvent::Comment,
        items,
    }
}

#[test]
fn items_stand_in_the_order_in_which_they_leave() {
    let findings = [
        finding(1, Severity::Suggestion, Some("src/a.rs"), Some(2)),
        finding(2, Severity::Blocking, Some("src/a.rs"), Some(3)),
        finding(3, Severity::Blocking, None, None),
        KeptFinding { state: FindingState::Dismissed, ..finding(4, Severity::Blocking, None, None) },
    ];
    let thread = || "t1".to_owned();
    let actions = [
        action(11, Action::AddLabel { label: "bug".to_owned() }),
        action(12, Action::PostComment { body: "Well.".to_owned() }),
        action(13, Action::ThreadResolve { thread_id: thread(), message: Some("Done.".to_owned()) }),
        action(14, Action::FetchThreads {}),
        action(15, Action::ThreadReply { thread_id: thread(), message: "Why?".to_owned() }),
        action(16, Action::PostInlineComment { file_path: "src/a.rs".to_owned(), line: 3, body: "Here.".to_owned() }),
    ];
    let items = composed(&findings, &actions, Some(&summary())).expect("they can be put together");
    let order: Vec<_> = items.iter().map(|item| (item.id.0.as_u128(), item.kind.as_str())).collect();
    let expected = [
        (3, "finding"),
        (2, "finding"),
        (1, "finding"),
        (16, "inline_comment"),
        (15, "reply"),
        (13, "resolve"),
        (12, "comment"),
        (11, "label"),
        (900, "report"),
    ];
    assert_eq!(order, expected, "the gravest first, a reply before what settles, the report last");
    let report = items.last().and_then(|item| item.text.as_deref());
    assert_eq!(report, Some("All in all.\n\n**Score: 7.5/10 · Verdict: needs fixes**"));
    assert_eq!(composed(&[], &[], None).map_err(|fault| fault.code), Err(Code::EmptyReply));
    assert_eq!(composed(&[], &actions[3..4], None).map_err(|fault| fault.code), Err(Code::EmptyReply));
}

#[test]
fn a_finding_says_what_it_is_where_it_stands_and_what_is_said_in_its_place() {
    let mut suggested = finding(5, Severity::Warning, Some("src/a.rs"), Some(2));
    suggested.finding.suggestion = Some("    four();\n".to_owned());
    let items = composed(&[suggested], &[], None).expect("it can be put together");
    let manifest = asked(items).manifest(&PublicationDraft::default()).expect("it is kept");
    let item = &manifest.items[0];
    let marker = "\n\n<!-- review-gate:1 00000000-0000-0000-0000-000000000005 -->";
    let said = "**Warning** · Finding 5\n\nAsk `@ada`.";
    let body = format!("{said}\n\n```suggestion\n    four();\n```{marker}");
    assert_eq!(item.body.as_deref(), Some(body.as_str()));
    let fallback = item.fallback.as_ref().expect("lines may be refused");
    assert_eq!(fallback.place, Place::Report {}, "a comment of its own");
    assert_eq!(
        fallback.body,
        format!("`src/a.rs:2`\n\n{said}\n\n```\n    four();\n```{marker}"),
        "nothing to be applied"
    );
    let point = Point { old: None, new: Some(2) };
    let line = Place::Line { file: "src/a.rs".to_owned(), old_file: None, side: Side::New, from: point, to: point };
    assert_eq!(item.place, line);

    let elsewhere = composed(&[finding(6, Severity::Warning, Some("b`c.rs"), Some(9))], &[], None);
    let elsewhere = elsewhere.expect("it can be put together");
    assert_eq!((&elsewhere[0].place, &elsewhere[0].heading), (&Place::Report {}, &None));
    let said = elsewhere[0].text.as_deref().unwrap_or_default();
    assert!(said.starts_with("`` b`c.rs:9 ``\n\n**Warning**"), "the text says where: {said}");
    let file = composed(&[finding(7, Severity::Warning, Some("src/a.rs"), Some(90))], &[], None);
    let file = file.expect("it can be put together");
    assert_eq!(file[0].place, Place::File { file: "src/a.rs".to_owned(), old_file: None });
    assert_eq!(file[0].heading.as_deref(), Some("`src/a.rs`"));
}

#[test]
fn a_manifest_has_one_form_and_says_all_that_leaves() {
    let reply = action(15, Action::ThreadReply { thread_id: "t1".to_owned(), message: "Why?".to_owned() });
    let resolve = action(13, Action::ThreadResolve { thread_id: "t1".to_owned(), message: None });
    let asked = asked(composed(&[], &[reply, resolve], None).expect("they can be put together"));
    let json = asked.manifest(&PublicationDraft::default()).and_then(|it| it.json()).expect("it can be written");
    let head = "a".repeat(40);
    let expected = format!(
        concat!(
            r#"{{"event":"comment","head":"{head}","host":"github.com","items":[{{"body":"Why?\n\n<!-- review-gate:1 "#,
            r#"00000000-0000-0000-0000-00000000000f -->","fallback":null,"id":"00000000-0000-0000-0000-00000000000f","#,
            r#""kind":"reply","place":{{"kind":"thread","thread":"t1"}}}},{{"body":null,"fallback":null,"#,
            r#""id":"00000000-0000-0000-0000-00000000000d","kind":"resolve","place":{{"kind":"thread","thread":"t1"}}}}],"#,
            r#""job":"00000000-0000-0000-0000-000000000001","kind":"publication","number":42,"project":"owner/repo","v":1}}"#
        ),
        head = head
    );
    assert_eq!(json, expected);
    let read: Manifest = serde_json::from_str(&json).expect("it can be read");
    assert_eq!(read.json().as_ref(), Ok(&json), "and is the same again");
    assert_eq!(read.digest(), Ok(Digest::of_bytes(json.as_bytes())));
}

#[test]
fn the_person_s_draft_drops_rewords_and_changes_nothing_else() {
    let findings = [
        finding(1, Severity::Blocking, Some("src/a.rs"), Some(2)),
        finding(2, Severity::Warning, Some("src/a.rs"), Some(3)),
    ];
    let asked = asked(composed(&findings, &[], Some(&summary())).expect("they can be put together"));
    let all = asked.manifest(&PublicationDraft::default()).expect("all is kept");
    let (first, second) = (asked.items[0].id, asked.items[1].id);
    let draft = PublicationDraft {
        dropped: BTreeSet::from([first, ItemId(Uuid::from_u128(77))]),
        texts: BTreeMap::from([(second, "Said\u{202e} otherwise, @ada.".to_owned())]),
        event: Some(PublishEvent::RequestChanges),
    };
    assert_eq!(asked.counts(&draft), (2, 3), "an item that isn't there is dropped for nothing");
    let kept = asked.manifest(&draft).expect("something is kept");
    assert_eq!(kept.event, PublishEvent::RequestChanges);
    assert_eq!(kept.items.iter().map(|item| item.id).collect::<Vec<_>>(), [second, asked.items[2].id]);
    let marker = format!("\n\n<!-- review-gate:1 {second} -->");
    assert_eq!(kept.items[0].body, Some(format!("Said⟨U+202E⟩ otherwise, `@ada`.{marker}")), "disarmed, too");
    assert_eq!(kept.items[0].place, all.items[1].place);
    assert_eq!(kept.items[1], all.items[2], "the report's bytes don't change");
    assert_ne!(kept.digest(), all.digest());
    assert_eq!(asked.manifest(&draft), Ok(kept), "the same draft makes the same");

    let refused = |draft: &PublicationDraft| asked.manifest(draft).map_err(|fault| fault.code).expect_err("refused");
    let dropped = asked.items.iter().map(|item| item.id).collect();
    assert_eq!(refused(&PublicationDraft { dropped, ..PublicationDraft::default() }), Code::EmptyReply);
    let reworded =
        |text: String| PublicationDraft { texts: BTreeMap::from([(second, text)]), ..PublicationDraft::default() };
    assert_eq!(refused(&reworded(" ".to_owned())), Code::EmptyReply);
    assert_eq!(refused(&reworded(format!("ghp_{}", "a1B2".repeat(10)))), Code::UnsafeText);
    assert_eq!(refused(&reworded("x".repeat(65_000))), Code::TooLarge, "with its marker");
}

#[test]
fn a_draft_comes_back_as_it_was_kept() {
    let draft = PublicationDraft {
        dropped: BTreeSet::from([ItemId(Uuid::from_u128(1))]),
        texts: BTreeMap::from([(ItemId(Uuid::from_u128(2)), "a".to_owned())]),
        event: None,
    };
    let kept = serde_json::to_string(&draft).expect("it can be written");
    assert_eq!(serde_json::from_str::<PublicationDraft>(&kept).ok(), Some(draft));
    assert_eq!(serde_json::from_str::<PublicationDraft>("{}").ok(), Some(PublicationDraft::default()));
}

#[test]
fn a_score_has_tenths_and_one_s_own_pull_request_takes_comments() {
    for (points, json) in [(0.0, "0"), (10.0, "10"), (7.5, "7.5"), (6.1, "6.1")] {
        let score = Score::of(points).expect("it is one");
        assert_eq!(serde_json::to_string(&score).ok().as_deref(), Some(json));
        assert_eq!(serde_json::from_str::<Score>(json).ok(), Some(score));
    }
    for points in [-0.1, 10.1, 7.55, f64::NAN, f64::INFINITY] {
        assert_eq!(Score::of(points).map_err(|fault| fault.code), Err(Code::InvalidInput), "{points}");
    }
    let own = |platform, event| check_event(platform, true, event).map_err(|fault| fault.code);
    assert_eq!(own(Platform::Github, PublishEvent::RequestChanges), Err(Code::PlatformRefused));
    assert_eq!(own(Platform::Github, PublishEvent::Comment), Ok(()));
    assert_eq!(own(Platform::Gitlab, PublishEvent::RequestChanges), Ok(()));
    assert_eq!(check_event(Platform::Github, false, PublishEvent::RequestChanges), Ok(()));
}
