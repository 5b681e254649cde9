//! A question and its receipt, for tests.

use gate_core::permission::{EditUnknown, PermissionFile, PermissionProgram, PermissionRule, PermissionRuleKind};
use gate_core::proposal::{AskedRound, ReviewId};
use gate_core::{
    AnsweredFrom, Ask, Assurance, Choice, Decision, Digest, Oid, Permission, PermissionForm, PermissionKind,
    QuestionGit, RequestId, Timestamp, question_text,
};
use gate_receipts::{Content, Decided, Git, HomeId, Level, Line, Proof, RECEIPT_MILLIS, Said};
use uuid::Uuid;

pub(crate) const HOME: HomeId = HomeId(Uuid::from_u128(0x0193_4a51_7cde_7000_8000_0000_0000_0001));
/// 2026-11-21T03:49:21.125Z.
pub(crate) const AT: Timestamp = Timestamp(1_795_232_961_125);

pub(crate) fn oid(digits: &str) -> Oid {
    Oid::try_from(digits.repeat(20)).expect("a name has 40 digits")
}

/// A question about a repository, with something in each field.
pub(crate) fn asked() -> Ask {
    Ask {
        message: "May I?".to_owned(),
        title: Some("Deploy".to_owned()),
        context: Some("releasing".to_owned()),
        urgent: true,
        options: vec![Choice { label: "Now".to_owned(), description: Some("at noon".to_owned()), recommended: true }],
        allow_multiple: true,
        approval: true,
        require: Some(Assurance::L2),
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
        permission: Some(Box::new(permission())),
        round: Some(Box::new(AskedRound {
            review_id: ReviewId(uuid::Uuid::from_u128(7)),
            round: 2,
            manifest: r#"{"v":1}"#.to_owned(),
        })),
    }
}

/// A permission with something in each field.
fn permission() -> Permission {
    Permission {
        form: PermissionForm::ClaudeHook,
        tool: "Edit".to_owned(),
        kind: PermissionKind::Edit,
        folder: "/home/me/shop".to_owned(),
        input: "{}".to_owned(),
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
            kept: None,
            raw: "{}".to_owned(),
        }],
        session: Some("s".to_owned()),
        subagent: Some("a".to_owned()),
        subagent_type: Some("helper".to_owned()),
        turn: Some("t".to_owned()),
        tool_use_id: Some("u".to_owned()),
    }
}

pub(crate) fn text_of(ask: &Ask) -> Vec<u8> {
    question_text(ask).expect("it has texts and switches only").into_bytes()
}

/// The approval of a question.
pub(crate) fn approval(ask: &Ask) -> Decided {
    let from = AT.plus_millis(5_000);
    Decided {
        from,
        expires: Some(from.plus_millis(RECEIPT_MILLIS)),
        request: RequestId(Uuid::from_u128(1)),
        decision: Some(Decision::Approved),
        reply: Digest::of_bytes(b"reply"),
        about: Digest::of_bytes(b"about"),
        level: Level::L2,
        given: AnsweredFrom::Desktop,
        content: Content {
            ask: Some(Digest::of_bytes(&text_of(ask))),
            diff: ask.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes())),
            manifest: None,
            git: ask.git.as_ref().map(|git| Git { base: git.base_tree.clone(), tree: git.tree.clone() }),
        },
    }
}

/// A line that says so.
pub(crate) fn line_of(decided: Decided) -> Line {
    let prev = Some(Digest::of_bytes(b"before"));
    Line { home: HOME, seq: 412, prev, at: AT, step: None, said: Said::Decided(decided), proof: Proof::None {} }
}

pub(crate) fn line() -> Line {
    line_of(approval(&asked()))
}
