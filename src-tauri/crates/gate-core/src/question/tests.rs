//! A question's digest, and what a terminal shows of it: of every field.

use serde::Serialize;
use serde_json::{Value, json};

use crate::ask::{Ask, Choice, question_text};
use crate::assurance::Assurance;
use crate::digest::{Digest, canonical_json};
use crate::fault::Code;
use crate::git::{Oid, QuestionGit};
use crate::permission::{
    EditUnknown, Permission, PermissionFile, PermissionForm, PermissionKind, PermissionProgram, PermissionRule,
    PermissionRuleKind,
};
use crate::proposal::{AskedRound, ReviewId};

/// What terminals don't show of a question: when it is read.
const UNSHOWN: &str = "urgent";

/// A question with something in each of its fields. A new one belongs here and in the table below.
fn full() -> Ask {
    Ask {
        message: "May I?".to_owned(),
        title: Some("Deploy".to_owned()),
        context: Some("releasing".to_owned()),
        urgent: true,
        options: vec![Choice { label: "Now".to_owned(), description: Some("at noon".to_owned()), recommended: true }],
        allow_multiple: true,
        approval: true,
        diff: Some("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned()),
        git: Some(Box::new(QuestionGit {
            repository: "/home/me/shop".to_owned(),
            what: "main..topic".to_owned(),
            base: Some(oid("1a")),
            base_tree: oid("2b"),
            commit: Some(oid("3c")),
            tree: oid("4d"),
            manifest: Digest::of_bytes(b"manifest"),
        })),
        require: Some(Assurance::L3),
        permission: Some(Box::new(permission())),
        round: Some(Box::new(round())),
    }
}

fn round() -> AskedRound {
    AskedRound { review_id: ReviewId(uuid::Uuid::from_u128(7)), round: 2, manifest: r#"{"v":1}"#.to_owned() }
}

fn permission() -> Permission {
    Permission {
        form: PermissionForm::ClaudeHook,
        tool: "Edit".to_owned(),
        kind: PermissionKind::Edit,
        folder: "/home/me/shop".to_owned(),
        input: r#"{"file_path":"a"}"#.to_owned(),
        says: Some("tidies".to_owned()),
        files: vec![PermissionFile {
            path: "a".to_owned(),
            leads_to: Some("/b".to_owned()),
            outside: true,
            before: Some(Digest::of_bytes(b"a")),
        }],
        unknown: Some(EditUnknown::NotFound),
        programs: vec![PermissionProgram {
            name: "make".to_owned(),
            path: Some("/usr/bin/make".to_owned()),
            leads_to: Some("/usr/bin/gmake".to_owned()),
            inside: true,
        }],
        rules: vec![PermissionRule {
            id: "1".to_owned(),
            kind: PermissionRuleKind::Mode,
            what: vec!["acceptEdits".to_owned()],
            kept: Some("session".to_owned()),
            raw: r#"{"type":"setMode"}"#.to_owned(),
        }],
        session: Some("s".to_owned()),
        subagent: Some("a".to_owned()),
        subagent_type: Some("helper".to_owned()),
        turn: Some("t".to_owned()),
        tool_use_id: Some("u".to_owned()),
    }
}

fn oid(digits: &str) -> Oid {
    Oid::try_from(digits.repeat(20)).expect("a name has 40 digits")
}

/// A field, and something that changes it.
type Change<T> = (&'static str, fn(&mut T));

fn of(ask: &Ask) -> Digest {
    Digest::of_question(ask).expect("a question has texts and switches only")
}

fn names(value: &impl Serialize) -> Vec<String> {
    let value = serde_json::to_value(value).expect("it is JSON");
    value.as_object().expect("it has fields").keys().cloned().collect()
}

#[test]
fn every_field_but_the_urgency_counts() {
    let changes: [Change<Ask>; 12] = [
        ("allow_multiple", |ask| ask.allow_multiple = false),
        ("approval", |ask| ask.approval = false),
        ("context", |ask| ask.context = None),
        ("diff", |ask| ask.diff = None),
        ("git", |ask| ask.git = None),
        ("message", |ask| ask.message.push(' ')),
        ("options", |ask| ask.options.clear()),
        ("permission", |ask| ask.permission = None),
        ("require", |ask| ask.require = Some(Assurance::L2)),
        ("round", |ask| ask.round = None),
        ("title", |ask| ask.title = None),
        ("urgent", |ask| ask.urgent = false),
    ];
    assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&full()), "each field has its row");
    assert_eq!(names(&full().parts()), Ask::PARTS, "an answer to a question with a part that isn't named isn't signed");
    for (name, change) in changes {
        let mut other = full();
        change(&mut other);
        assert_ne!(other, full(), "{name} is another one");
        assert_eq!(of(&other) == of(&full()), name == "urgent", "{name}");
        assert_eq!(other.shown() == full().shown(), name == UNSHOWN, "{name}");
    }
}

#[test]
fn every_field_of_an_option_counts() {
    let changes: [Change<Choice>; 3] = [
        ("description", |choice| choice.description = None),
        ("label", |choice| choice.label.push('.')),
        ("recommended", |choice| choice.recommended = false),
    ];
    assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&full().options[0]), "each has its row");
    for (name, change) in changes {
        let mut other = full();
        change(&mut other.options[0]);
        assert_ne!(of(&other), of(&full()), "{name}");
        assert_eq!(other.shown() == full().shown(), name == UNSHOWN, "{name}");
    }
    let mut turned = full();
    turned.options.push(Choice { label: "Later".to_owned(), description: None, recommended: false });
    let straight = of(&turned);
    turned.options.reverse();
    assert_ne!(of(&turned), straight, "their order is what the person sees");
}

#[test]
fn every_field_of_a_permission_counts_and_is_shown() {
    let changes: [Change<Permission>; 15] = [
        ("files", |asked| asked.files[0].leads_to = None),
        ("folder", |asked| asked.folder.push('2')),
        ("form", |asked| asked.form = PermissionForm::ClaudePrompt),
        ("input", |asked| asked.input.push(' ')),
        ("kind", |asked| asked.kind = PermissionKind::Write),
        ("programs", |asked| asked.programs[0].path = None),
        ("rules", |asked| asked.rules[0].raw.push(' ')),
        ("says", |asked| asked.says = None),
        ("session", |asked| asked.session = None),
        ("subagent", |asked| asked.subagent = None),
        ("subagent_type", |asked| asked.subagent_type = None),
        ("tool", |asked| asked.tool.push('2')),
        ("tool_use_id", |asked| asked.tool_use_id = None),
        ("turn", |asked| asked.turn = None),
        ("unknown", |asked| asked.unknown = None),
    ];
    assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&permission()), "each has its row");
    for (name, change) in changes {
        let mut other = full();
        change(other.permission.as_mut().expect("it is full"));
        assert_ne!(of(&other), of(&full()), "{name}");
        assert_ne!(other.shown(), full().shown(), "{name}");
    }
}

#[test]
fn every_field_of_a_round_counts_and_is_shown() {
    let changes: [Change<AskedRound>; 3] = [
        ("manifest", |asked| asked.manifest.push(' ')),
        ("review_id", |asked| asked.review_id = ReviewId(uuid::Uuid::from_u128(8))),
        ("round", |asked| asked.round = 3),
    ];
    assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&round()), "each has its row");
    for (name, change) in changes {
        let mut other = full();
        change(other.round.as_mut().expect("it is full"));
        assert_ne!(of(&other), of(&full()), "{name}");
        assert_ne!(other.shown(), full().shown(), "{name}");
    }
}

#[test]
fn every_name_of_git_s_counts() {
    let changes: [Change<QuestionGit>; 7] = [
        ("base", |git| git.base = None),
        ("base_tree", |git| git.base_tree = oid("5e")),
        ("commit", |git| git.commit = None),
        ("manifest", |git| git.manifest = Digest::of_bytes(b"another")),
        ("repository", |git| git.repository.push('2')),
        ("tree", |git| git.tree = oid("5e")),
        ("what", |git| git.what = "topic".to_owned()),
    ];
    let git = full().git.expect("it is full");
    assert_eq!(changes.map(|(name, _)| name.to_owned()).to_vec(), names(&git), "each has its row");
    for (name, change) in changes {
        let mut other = full();
        change(other.git.as_mut().expect("it is full"));
        assert_ne!(of(&other), of(&full()), "{name}");
    }
}

#[test]
fn the_text_of_a_question_is_what_its_digest_is_of() {
    let text = question_text(&full()).expect("it has texts and switches only");
    assert_eq!(Digest::of_bytes(text.as_bytes()), of(&full()));
}

#[test]
fn a_value_has_the_digest_of_its_canonical_form() {
    let value = json!({"b": 1, "a": "é"});
    let text = canonical_json(&value).expect("it has integers only");
    assert_eq!(text, r#"{"a":"é","b":1}"#);
    assert_eq!(Digest::of(&value), Ok(Digest::of_bytes(text.as_bytes())));
    // With `printf abc | sha256sum`; FIPS 180-2, B.1.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(Digest::of_bytes(b"abc").to_string(), abc);
    assert_eq!(Digest::of_bytes(b"abc").as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
}

#[test]
fn all_that_is_read_is_shown_in_its_order() {
    let repository = format!(
        "main..topic of shop on 1a1a1a1a1a1a, made by Review Gate\n/home/me/shop\ntree {} on tree {}",
        oid("4d"),
        oid("2b")
    );
    let shown =
        |ask: &Ask| -> Vec<_> { ask.shown().into_iter().map(|(heading, text)| format!("{heading}: {text}")).collect() };
    let expected = [
        "title: Deploy",
        "message: May I?",
        "context: releasing",
        "option: Now",
        "description of the option: at noon",
        "of the option: recommended by the agent",
        "how many options may be chosen: several",
        "what is asked for: an approval",
        &format!("repository: {repository}"),
        "how sure an approval has to be: L3",
        "asked by: claude_hook",
        "tool: Edit",
        "kind: edit",
        "folder: /home/me/shop",
        "all that it is given: {\"file_path\":\"a\"}",
        "it says: tidies",
        "file: a",
        "the file leads to: /b",
        "of the file: outside of the folder",
        &format!("digest of the file: {}", Digest::of_bytes(b"a")),
        "what it would do: What it would do can't be known: the text that it replaces isn't in the file.",
        "program: make",
        "the program lies at: /usr/bin/make",
        "the program leads to: /usr/bin/gmake",
        "of the program: in the folder",
        "rule: 1",
        "the rule as it is offered: {\"type\":\"setMode\"}",
        "session: s",
        "subagent: a",
        "kind of subagent: helper",
        "turn: t",
        "use: u",
        "review: 00000000-0000-0000-0000-000000000007",
        "round: 2",
        "what an approval lets out: {\"v\":1}",
        "diff: --- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    ];
    assert_eq!(shown(&full()), expected);
    let least = Ask { message: " m\r".to_owned(), ..Ask::default() };
    assert_eq!(shown(&least), ["message:  m\r"], "what is absent has no heading, and a text stays as it was sent");
}

#[test]
fn what_is_moved_from_one_field_to_another_counts() {
    let title = Ask { message: "b".to_owned(), title: Some("a".to_owned()), ..Ask::default() };
    let context = Ask { message: "b".to_owned(), context: Some("a".to_owned()), ..Ask::default() };
    assert_ne!(of(&title), of(&context));
}

#[test]
fn the_order_of_fields_and_defaults_that_are_written_do_not_count() {
    let read = |value: Value| of(&serde_json::from_value(value).expect("it is a question"));
    let short = read(json!({"message": "m"}));
    let long = r#"{"diff":null,"approval":false,"options":[],"urgent":false,"message":"m","title":null}"#;
    assert_eq!(read(serde_json::from_str(long).expect("it is JSON")), short);
    let option = read(json!({"message": "m", "options": [{"label": "a"}]}));
    let written = json!({"message": "m", "options": [{"recommended": false, "description": null, "label": "a"}]});
    assert_eq!(read(written), option);
}

#[test]
fn others_make_the_same_digest() {
    // With `printf %s '…' | sha256sum`.
    let ask = Ask { message: "m".to_owned(), ..Ask::default() };
    let text = r#"{"allow_multiple":false,"approval":false,"message":"m","options":[]}"#;
    assert_eq!(canonical_json(&ask.parts()).as_deref(), Ok(text), "defaults are in, what is absent isn't");
    assert_eq!(of(&ask).to_string(), "eea36fbf64b308afb8212e6f101cff957eab7b2093338d28126eed9fb80aeeaa");

    let choice = |label: &str, description: Option<&str>| Choice {
        label: label.to_owned(),
        description: description.map(str::to_owned),
        recommended: description.is_some(),
    };
    let ask = Ask {
        message: "May I deploy *now*?\n".to_owned(),
        title: Some("Deploy".to_owned()),
        urgent: true,
        options: vec![choice("Yes – 是", Some("to \"production\"")), choice("No", None)],
        approval: true,
        ..Ask::default()
    };
    let text = concat!(
        r#"{"allow_multiple":false,"approval":true,"message":"May I deploy *now*?\n","options":"#,
        r#"[{"description":"to \"production\"","label":"Yes – 是","recommended":true},"#,
        r#"{"label":"No","recommended":false}],"title":"Deploy"}"#
    );
    assert_eq!(canonical_json(&ask.parts()).as_deref(), Ok(text));
    assert_eq!(of(&ask).to_string(), "898f6a5eeb05542d0c1d3edb46b6b0ece1a836d567fe4914f50812de047e5349");
    assert_eq!(of(&ask).beginning(), "898f6a5e");

    let git = QuestionGit { what: "staged".to_owned(), commit: None, ..*full().git.expect("it is full") };
    let ask =
        Ask { message: "m".to_owned(), approval: true, diff: full().diff, git: Some(Box::new(git)), ..Ask::default() };
    let text = concat!(
        r#"{"allow_multiple":false,"approval":true,"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n","git":{"#,
        r#""base":"1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a","#,
        r#""base_tree":"2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b","#,
        r#""manifest":"05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f","#,
        r#""repository":"/home/me/shop","tree":"4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d","#,
        r#""what":"staged"},"message":"m","options":[]}"#
    );
    assert_eq!(canonical_json(&ask.parts()).as_deref(), Ok(text));
    assert_eq!(of(&ask).to_string(), "fd2a55a5fb21522fc7de267fade8822148ace5a5569b9bf0372595c9bbdc9106");
}

#[test]
fn a_digest_is_read_as_it_is_written_and_in_no_other_way() {
    let digest = of(&full());
    assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
    let written = serde_json::to_value(digest).expect("it is a text");
    assert_eq!(written, json!(digest.to_string()));
    assert_eq!(serde_json::from_value::<Digest>(written).ok(), Some(digest));
    let text = "0123456789abcdef".repeat(4);
    assert!(text.parse::<Digest>().is_ok());
    let (long, upper) = (format!("{text}0"), text.to_uppercase());
    let (signed, accented) = (text.replace("0", "+"), text.replace("01", "é"));
    for wrong in ["", "0", &text[1..], &long, &upper, &signed, &accented] {
        assert_eq!(wrong.parse::<Digest>().err().map(|fault| fault.code), Some(Code::InvalidInput), "{wrong:?}");
    }
}
