//! Lines for tests of this crate.

use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use uuid::Uuid;

use crate::keys::PublicKey;
use crate::kinds::{
    Aside, Break, Content, Decided, Does, Git, Guard, Key, Known, Level, Reason, Released, Said, Sent, SignIn,
    Withdrawn,
};
use crate::line::Line;
use crate::parts::{Bytes, Head, HomeId, Oid};
use crate::proof::Proof;

pub(crate) const HOME: HomeId = HomeId(Uuid::from_u128(0x0193_4a51_7cde_7000_8000_0000_0000_0001));
/// 2026-11-21T03:49:21.125Z.
pub(crate) const AT: Timestamp = Timestamp(1_795_232_961_125);

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

pub(crate) fn tree(text: &str) -> Oid {
    Oid::try_from(digest(text).to_string()).expect("a digest has 64 digits")
}

pub(crate) fn request(number: u128) -> RequestId {
    RequestId(Uuid::from_u128(number))
}

/// An approval in the window, held for five seconds.
pub(crate) fn approval(number: u128, at: Timestamp) -> Decided {
    let from = at.plus_millis(5_000);
    Decided {
        from,
        expires: Some(from.plus_millis(crate::RECEIPT_MILLIS)),
        request: request(number),
        decision: Some(Decision::Approved),
        reply: digest("reply"),
        about: digest("about"),
        level: Level::L1,
        given: AnsweredFrom::Desktop,
        content: Content {
            ask: Some(digest("ask")),
            diff: Some(digest("diff")),
            manifest: None,
            git: Some(Git { base: tree("base"), tree: tree(&format!("tree {number}")) }),
        },
    }
}

/// Something of each kind, with each of its fields.
pub(crate) fn one_of_each() -> Vec<Said> {
    let receipt = digest("receipt");
    let public = PublicKey::SkEd25519 { key: [7; 32], application: "ssh:".to_owned() };
    let mut whole = approval(1, AT);
    whole.content.manifest = Some(digest("manifest"));
    vec![
        Said::Decided(whole),
        Said::Released(Released { receipt }),
        Said::Withdrawn(Withdrawn { receipt, given: AnsweredFrom::Browser }),
        Said::Sent(Sent { receipt, row: 0, bytes: digest("bytes") }),
        Said::Guard(Guard {
            setting: "security.require".to_owned(),
            was: Some("\"L2\"".to_owned()),
            now: Some("\"L1\"".to_owned()),
            given: AnsweredFrom::Desktop,
        }),
        Said::SignIn(SignIn { browser: digest("browser"), does: Does::Begins, given: AnsweredFrom::Terminal }),
        Said::Key(Key {
            key: public.fingerprint(),
            does: Does::Begins,
            public: Some(Bytes(public.to_wire())),
            origin: Some("http://localhost:8321".to_owned()),
            given: AnsweredFrom::Desktop,
        }),
        Said::Break(Break {
            reason: Reason::Shorter,
            aside: Some(Aside {
                name: "receipts.20261121T034921125Z.log".to_owned(),
                digest: digest("aside"),
                good: 3,
                bad: 1,
                until: Some(Head { seq: 3, line: digest("line") }),
            }),
            anchors: vec![Known { by: "database".to_owned(), seq: 4, line: digest("line 4") }],
            undelivered: 2,
        }),
    ]
}

/// A line that says that, with a number and a link that fit.
pub(crate) fn line(said: Said) -> Line {
    let is_break = matches!(said, Said::Break(_));
    let prev = (!is_break).then(|| digest("before"));
    Line { home: HOME, seq: 412, prev, at: AT, step: None, said, proof: Proof::None {} }
}
