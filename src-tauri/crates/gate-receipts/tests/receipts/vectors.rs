//! The vectors that other implementations check. `REVIEW_GATE_WRITE_SAMPLES=1` writes them anew, those of signatures
//! only where their file is gone, since no signature is made twice.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::{
    AnsweredFrom, Assurance, Attachment, AttachmentId, Decision, Digest, LineComment, Remark, Reply, Side, Timestamp,
};
use gate_receipts::{
    About, Aside, Break, Bytes, Chain, Decided, Does, Guard, Head, Key, Keys, Known, LINE_BYTES, Level, Line, Opened,
    Opening, Proof, PublicKey, Reading, Reason, Released, SALT_BYTES, Said, Sent, SignIn, Standing, StoredPath,
    Withdrawn, assured, reply_digest,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::signer::{Device, ORIGIN, Says, TOUCHED, approved};
use crate::world::{AT, HOLD, HOME, approval, digest};

fn path(name: &str) -> PathBuf {
    PathBuf::from(format!("{}/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR")))
}

fn is_writing() -> bool {
    std::env::var("REVIEW_GATE_WRITE_SAMPLES").is_ok_and(|value| value == "1")
}

fn read(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).expect("the vectors are there");
    serde_json::from_str(&text).expect("they are JSON")
}

fn write(name: &str, value: &Value) {
    let text = serde_json::to_string_pretty(value).expect("it is JSON") + "\n";
    std::fs::write(path(name), text).expect("it can be written");
}

fn is_as_committed(name: &str, value: &Value) {
    if is_writing() {
        write(name, value);
    }
    assert_eq!(&read(name), value, "{name}.json; REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
}

fn line(said: Said) -> Line {
    let prev = (!matches!(said, Said::Break(_))).then(|| digest("before"));
    Line { home: HOME, seq: 412, prev, at: AT, step: None, said, proof: Proof::None {} }
}

/// Something of each kind, and what is odd about some.
fn lines() -> Vec<(&'static str, Line)> {
    let receipt = digest("receipt");
    let public = PublicKey::SkEd25519 { key: [7; 32], application: "ssh:".to_owned() };
    let mut whole = approval(1, AT);
    whole.content.manifest = Some(digest("manifest"));
    let plain = Decided { decision: None, expires: None, ..approval(2, AT) };
    let script = Decided { level: Level::L0, given: AnsweredFrom::Script, ..approval(3, AT) };
    let guard = |was: Option<&str>, now: Option<&str>| {
        let (was, now) = (was.map(str::to_owned), now.map(str::to_owned));
        Said::Guard(Guard { setting: "security.require".to_owned(), was, now, given: AnsweredFrom::Desktop })
    };
    let aside = Aside {
        name: "receipts.20261121T034921125Z.log".to_owned(),
        digest: digest("aside"),
        good: 3,
        bad: 1,
        until: Some(Head { seq: 3, line: digest("line") }),
    };
    let anchors = vec![Known { by: "database".to_owned(), seq: 4, line: digest("line 4") }];
    let shorter = Break { reason: Reason::Shorter, aside: Some(aside), anchors, undelivered: 2 };
    let upgrade = Break { reason: Reason::Upgrade, aside: None, anchors: Vec::new(), undelivered: 0 };
    let key = |does, public: Option<&PublicKey>, origin: Option<&str>| {
        Said::Key(Key {
            key: PublicKey::SkEd25519 { key: [7; 32], application: "ssh:".to_owned() }.fingerprint(),
            does,
            public: public.map(|public| Bytes(public.to_wire())),
            origin: origin.map(str::to_owned),
            given: AnsweredFrom::Desktop,
        })
    };
    let rounded = Timestamp(1_795_232_960_000);
    let first = Line { seq: 1, prev: None, ..line(Said::Decided(approval(4, AT))) };
    vec![
        ("an approval with all that it can be of", line(Said::Decided(whole))),
        ("a plain reply", line(Said::Decided(plain))),
        ("a script's", line(Said::Decided(script))),
        ("the first line", first),
        ("a whole second", Line { at: rounded, ..line(Said::Decided(approval(5, AT))) }),
        ("a tenth of a second", Line { at: Timestamp(rounded.0 + 100), ..line(Said::Released(Released { receipt })) }),
        ("a clock that was set back", Line { step: Some(-3_600_000), ..line(Said::Released(Released { receipt })) }),
        ("taken back", line(Said::Withdrawn(Withdrawn { receipt, given: AnsweredFrom::Browser }))),
        ("sent", line(Said::Sent(Sent { receipt, row: (1 << 53) - 1, bytes: digest("bytes") }))),
        ("a guard with odd signs", line(guard(Some("\"\u{8}\u{1f}\u{7f}\u{2028}é e\u{301} 😀\\/\""), Some("[]")))),
        ("a guard that is the default again", line(guard(Some("\"L3\""), None))),
        (
            "a sign-in",
            line(Said::SignIn(SignIn { browser: digest("b"), does: Does::Begins, given: AnsweredFrom::Terminal })),
        ),
        ("a key", line(key(Does::Begins, Some(&public), Some(ORIGIN)))),
        ("a key that is removed", line(key(Does::Ends, None, None))),
        ("a break", line(Said::Break(shorter))),
        ("an upgrade", Line { seq: 1, ..line(Said::Break(upgrade)) }),
        ("signed by a service", Device::plain(1).service(approved(Level::L2, AT))),
    ]
}

#[test]
fn lines_are_as_committed() {
    let cases = lines().into_iter().map(|(name, line)| {
        let text = line.canonical().expect("it can be written");
        assert_eq!(Line::parse(text.as_bytes()), Ok(line.clone()), "{name}");
        let (digest, signed) = (line.digest().expect("it has one"), line.signed().expect("it has one"));
        json!({"name": name, "line": text, "digest": digest, "signed": signed})
    });
    is_as_committed("lines", &Value::Array(cases.collect()));
}

/// What the first of `lines` is made into.
fn changes() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("a blank", "\"v\":1", "\"v\": 1"),
        ("another order", "\"seq\":412,\"v\":1", "\"v\":1,\"seq\":412"),
        ("a field twice", "\"v\":1", "\"v\":1,\"v\":1"),
        ("an unknown field", "\"v\":1", "\"v\":1,\"w\":1"),
        ("an unknown field of the content", "\"content\":{", "\"content\":{\"a\":1,"),
        ("an unknown field of the proof", "\"type\":\"none\"", "\"type\":\"none\",\"x\":1"),
        ("an unknown kind", "\"decided\"", "\"decreed\""),
        ("an unknown level", "\"L1\"", "\"L4\""),
        ("null", "\"decision\":\"approved\"", "\"decision\":null"),
        ("a float", "412", "412.0"),
        ("an exponent", "412", "4.12e2"),
        ("zero with a sign", "412", "-0"),
        ("a number that is too large", "412", "9007199254740992"),
        ("an escape that needn't be", "approved", "\\u0061pproved"),
        ("a time with a zero too many", "21.125Z", "21.1250Z"),
        ("a time of another zone", "T03:49:21.125Z", "T04:49:21.125+01:00"),
        ("a time with a small z", "21.125Z", "21.125z"),
        ("a day that isn't", "2026-11-21", "2026-11-31"),
        ("an id in capitals", "7cde", "7CDE"),
        ("a digest that is too short", "\"prev\":\"", "\"prev\":\"0"),
        ("number 0", "412", "0"),
        ("the first line with one before it", "412", "1"),
        ("another version", "\"v\":1", "\"v\":2"),
        ("a level without its signature", "\"L1\"", "\"L2\""),
        ("a script that attends", "\"desktop\"", "\"script\""),
        ("a form that decides", "\"given\":\"desktop\"", "\"given\":\"form\""),
        ("good before it was given", "\"from\":\"2026-11-21T03:49:26", "\"from\":\"2026-11-21T03:49:20"),
        ("good for too long", "\"expires\":\"2026-12-21T03:49:26", "\"expires\":\"2026-12-21T03:49:27"),
        ("a clock that was set by nothing", "\"v\":1", "\"step\":0,\"v\":1"),
    ]
}

#[test]
fn what_is_refused_is_as_committed() {
    let good = lines().remove(0).1.canonical().expect("it can be written");
    let changed = changes().into_iter().map(|(name, from, to)| {
        assert!(good.contains(from), "{name}");
        (name, good.replacen(from, to, 1))
    });
    let others = [
        ("nothing", String::new()),
        ("half of it", good[..good.len() / 2].to_owned()),
        ("a list", format!("[{good}]")),
        ("a line feed behind it", format!("{good}\n")),
        ("a mark before it", format!("\u{feff}{good}")),
        ("a line that is too long", format!("{good}{}", " ".repeat(LINE_BYTES))),
    ];
    let cases = changed.chain(others).map(|(name, text)| {
        let code = Line::parse(text.as_bytes()).expect_err(name).code();
        json!({"name": name, "line": text, "code": code})
    });
    let mut cases: Vec<Value> = cases.collect();
    let no_text = [good.as_bytes(), b"\xff"].concat();
    let code = Line::parse(&no_text).expect_err("no text").code();
    cases.push(json!({"name": "no text", "base64": STANDARD.encode(no_text), "code": code}));
    is_as_committed("refused", &Value::Array(cases));
}

/// A log with one of each standing, and a clock that was set.
fn log() -> (String, Vec<Head>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |seconds: i64| Timestamp(AT.0 + seconds * 1_000);
    let opening = Opening {
        folder: folder.path().to_owned(),
        home: HOME,
        anchors: Vec::new(),
        upgrade: true,
        now: Reading { at: AT, steady: None },
    };
    let Opened { mut log, .. } = gate_receipts::Log::open(opening).expect("it can be opened");
    let mut put = |seconds, said| {
        let appended = log.append(said, Reading { at: at(seconds), steady: None });
        appended.expect("it can be written").head
    };
    let mut heads: Vec<Head> = (1_i64..=4)
        .map(|number| put(number, Said::Decided(approval(u128::try_from(number).expect("it fits"), at(number)))))
        .collect();
    let [_, second, third, fourth] = heads[..] else { panic!("there are four") };
    heads.push(put(5, Said::Withdrawn(Withdrawn { receipt: second.line, given: AnsweredFrom::Desktop })));
    heads.push(put(6, Said::Released(Released { receipt: third.line })));
    heads.push(put(60, Said::Withdrawn(Withdrawn { receipt: fourth.line, given: AnsweredFrom::Browser })));
    heads.push(put(30, Said::Sent(Sent { receipt: third.line, row: 0, bytes: digest("bytes") })));
    let text = std::fs::read_to_string(folder.path().join(gate_receipts::NAME)).expect("it is there");
    let first = Line::parse(text.lines().next().expect("there are lines").as_bytes()).expect("it is a line");
    heads.insert(0, first.head().expect("it has one"));
    (text, heads)
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Held { .. } => "held",
        Standing::Good => "good",
        Standing::TakenBack { .. } => "taken_back",
        Standing::Revoked { .. } => "revoked",
        Standing::Expired { .. } => "expired",
    }
}

fn broken(text: &str, heads: &[Head]) -> Vec<Value> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().concat();
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    let newest = &heads[heads.len() - 1..];
    let cases = [
        ("a line is missing", without(3), &[][..]),
        ("the first line is missing", without(0), &[]),
        ("two lines changed places", swapped.concat(), &[]),
        ("a line was changed", text.replacen("\"desktop\"", "\"browser\"", 1), &[]),
        ("a line stands there twice", format!("{text}{}", lines[lines.len() - 1]), &[]),
        ("the last line is missing", without(lines.len() - 1), newest),
        ("the last line was changed", text.replace("\"row\":0", "\"row\":1"), newest),
    ];
    let cases = cases.into_iter().map(|(name, log, heads)| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join(gate_receipts::NAME), &log).expect("it can be written");
        let report = gate_receipts::verify_chain(folder.path(), Some(HOME), heads).expect("it can be read");
        assert!(!report.is_whole(), "{name}");
        json!({"name": name, "log": log, "heads": heads})
    });
    cases.collect()
}

#[test]
fn a_chain_is_as_committed() {
    let (text, heads) = log();
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join(gate_receipts::NAME), &text).expect("it can be written");
    let chain = Chain::read(folder.path(), Some(HOME), &heads).expect("it can be read");
    assert!(chain.report().is_whole());
    let mut standings = Vec::new();
    for head in &heads[1..5] {
        let found = chain.receipt(head.line).expect("it can be read").expect("it is a receipt");
        let (from, expires) = (found.decided.from, found.decided.expires.expect("an approval ends"));
        let moments = [Timestamp(from.0 - i64::try_from(HOLD).expect("it fits")), Timestamp(from.0 - 1), from];
        for now in moments.into_iter().chain([Timestamp(expires.0 - 1), expires]) {
            for landed in [false, true] {
                let standing = word(found.decided.standing(&found.after, now, landed));
                standings.push(json!({"receipt": head.line, "now": now, "landed": landed, "standing": standing}));
            }
        }
    }
    let digests: Vec<_> = heads.iter().map(|head| json!([head.seq, head.line])).collect();
    let steps: Vec<_> = chain.report().steps.iter().map(|step| json!([step.seq, step.millis])).collect();
    let broken = broken(&text, &heads);
    let newest = &heads[heads.len() - 2..];
    let value = json!({
        "log": text, "heads": newest, "digests": digests, "steps": steps, "standings": standings, "broken": broken,
    });
    is_as_committed("chain", &value);
}

#[test]
fn what_stays_home_is_as_committed() {
    let salt = |byte| Bytes(vec![byte; SALT_BYTES]);
    let whole = About {
        salt: salt(1),
        client: Some("Claude Code 3 \u{202e}".to_owned()),
        program: Some(StoredPath::from(&b"/usr/bin/node"[..])),
        folder: Some(StoredPath::from(&b"/srv/e\xcc\x81 \xff"[..])),
        seat: Some("seat0".to_owned()),
        seen: vec![StoredPath::from(&b"src/a.rs"[..]), StoredPath::from(&b"b\xfe"[..])],
    };
    let empty = About { salt: salt(2), client: None, program: None, folder: None, seat: None, seen: Vec::new() };
    let salted = About { salt: salt(3), ..empty.clone() };
    let cases = [("all of it", whole), ("nothing known", empty), ("another salt", salted)].map(|(name, about)| {
        let text = gate_core::digest::canonical_json(&about).expect("it can be written");
        assert_eq!(serde_json::from_str::<About>(&text).ok(), Some(about.clone()), "{name}");
        json!({"name": name, "text": text, "digest": about.digest().expect("it has one")})
    });
    is_as_committed("about", &Value::Array(cases.to_vec()));
}

#[test]
fn replies_are_as_committed() {
    let comment = |start_line, side| LineComment {
        file: "src/a.rs".to_owned(),
        start_line,
        line: 12,
        side,
        body: "Why?\n".to_owned(),
    };
    let whole = Reply {
        decision: Some(Decision::ChangesRequested),
        text: "Nicht so – 不行".to_owned(),
        selected: vec!["Later".to_owned(), "Never".to_owned()],
        comments: vec![comment(None, Side::New), comment(Some(3), Side::Old)],
        remarks: vec![Remark { quote: "all of it".to_owned(), body: "Half.".to_owned() }],
        attachments: vec![Attachment {
            attachment_id: AttachmentId(Uuid::from_u128(1)),
            name: "a.png".to_owned(),
            mime_type: "image/png".to_owned(),
            size: 3,
        }],
        answered_at: AT,
        answered_from: AnsweredFrom::Desktop,
        assurance: Assurance::L1,
        imported_at: None,
    };
    let content = Digest::of_bytes(b"abc");
    let said = json!({
        "decision": "changes_requested",
        "text": "Nicht so – 不行",
        "selected": ["Later", "Never"],
        "comments": [
            {"file": "src/a.rs", "line": 12, "side": "new", "body": "Why?\n"},
            {"file": "src/a.rs", "start_line": 3, "line": 12, "side": "old", "body": "Why?\n"},
        ],
        "remarks": [{"quote": "all of it", "body": "Half."}],
        "attachments": [{"name": "a.png", "mime_type": "image/png", "content": content}],
    });
    let plain = Reply {
        decision: None,
        text: "Go on.".to_owned(),
        selected: Vec::new(),
        comments: Vec::new(),
        remarks: Vec::new(),
        attachments: Vec::new(),
        ..whole.clone()
    };
    let said_plainly = json!({"text": "Go on.", "selected": [], "comments": [], "remarks": [], "attachments": []});
    let cases = [("all of it", whole, vec![content], said), ("a text", plain, vec![], said_plainly)];
    let cases = cases.map(|(name, reply, contents, said)| {
        let digest = reply_digest(&reply, &contents).expect("it has one");
        assert_eq!(Digest::of(&said), Ok(digest), "{name}: this is what it is made of");
        json!({"name": name, "text": gate_core::digest::canonical_json(&said).expect("it is JSON"), "digest": digest})
    });
    is_as_committed("replies", &Value::Array(cases.to_vec()));
}

/// A line, and the key that counts, with its page.
type Signed = (&'static str, Line, PublicKey, Option<&'static str>);

fn signed() -> Vec<Signed> {
    let receipt = || approved(Level::L3, AT);
    let untouched = Says { flags: 4, counter: 8 };
    let (service, plain) = (Device::plain(1), Device::plain(2));
    let (touch, touch_256) = (Device::ed25519(3, "ssh:"), Device::p256("ssh:"));
    let (page, page_256) = (Device::ed25519(4, "localhost"), Device::p256("localhost"));
    let other_page = "http://localhost:3000";
    let signed = |device: &Device, name, line, origin| (name, line, device.public(), origin);
    let mut changed = touch.sshsig(receipt(), TOUCHED);
    changed.at = Timestamp(AT.0 - 1);
    vec![
        signed(&service, "by a service", service.service(approved(Level::L2, AT)), None),
        signed(&plain, "by another service", service.service(approved(Level::L2, AT)), None),
        signed(&plain, "SSH, a key in a file", plain.sshsig(receipt(), TOUCHED), None),
        signed(&touch, "SSH, Ed25519, touched", touch.sshsig(receipt(), TOUCHED), None),
        signed(&touch, "SSH, Ed25519, not touched", touch.sshsig(receipt(), untouched), None),
        signed(&touch, "SSH, Ed25519, of another line", changed, None),
        signed(&touch_256, "SSH, P-256, touched", touch_256.sshsig(receipt(), TOUCHED), None),
        signed(&touch_256, "SSH, P-256, not touched", touch_256.sshsig(receipt(), untouched), None),
        signed(&page, "WebAuthn, Ed25519", page.webauthn(receipt(), TOUCHED, ORIGIN), Some(ORIGIN)),
        signed(&page_256, "WebAuthn, P-256", page_256.webauthn(receipt(), TOUCHED, ORIGIN), Some(ORIGIN)),
        signed(&page_256, "WebAuthn, not touched", page_256.webauthn(receipt(), untouched, ORIGIN), Some(ORIGIN)),
        signed(&page_256, "WebAuthn, another port", page_256.webauthn(receipt(), TOUCHED, other_page), Some(ORIGIN)),
    ]
}

fn outcome(line: &Line, public: PublicKey, origin: Option<String>) -> String {
    let enrolled = gate_receipts::Enrolled { public, origin, after: 0, until: None };
    match assured(line, &Keys(vec![enrolled])) {
        Ok(level) => format!("{level:?}"),
        Err(unproved) => unproved.code().to_owned(),
    }
}

#[test]
fn signatures_are_as_committed() {
    if is_writing() && !path("signatures").exists() {
        let cases = signed().into_iter().map(|(name, line, public, origin)| {
            let text = line.canonical().expect("it can be written");
            let key = match origin {
                Some(origin) => json!({"public": Bytes(public.to_wire()), "origin": origin}),
                None => json!({"public": Bytes(public.to_wire())}),
            };
            let outcome = outcome(&line, public, origin.map(str::to_owned));
            json!({"name": name, "line": text, "keys": [key], "outcome": outcome})
        });
        write("signatures", &Value::Array(cases.collect()));
    }
    let cases = read("signatures");
    let cases = cases.as_array().expect("they are a list");
    let names: Vec<_> = cases.iter().map(|case| case["name"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, signed().iter().map(|(name, ..)| *name).collect::<Vec<_>>());
    for case in cases {
        let line = Line::parse(case["line"].as_str().expect("a text").as_bytes()).expect("it is a line");
        let public: Bytes = serde_json::from_value(case["keys"][0]["public"].clone()).expect("it is base64");
        let public = PublicKey::from_wire(&public.0).expect("it is a key");
        let origin = case["keys"][0]["origin"].as_str().map(str::to_owned);
        assert_eq!(outcome(&line, public, origin), case["outcome"].as_str().unwrap_or_default(), "{}", case["name"]);
    }
}

#[test]
fn the_fuzz_tests_seeds_are_as_committed() {
    let corpus = |name: &str| PathBuf::from(format!("{}/../../../tests/corpus/{name}", env!("CARGO_MANIFEST_DIR")));
    let mut seeds: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for (name, line) in lines() {
        let file = name.replace([' ', '\''], "_").replace('-', "_");
        seeds.push((corpus("receipts").join(file), line.canonical().expect("it can be written").into_bytes()));
    }
    for case in read("signatures").as_array().expect("they are a list") {
        let file = case["name"].as_str().expect("a text").replace([' ', ',', '-'], "_");
        let line = Line::parse(case["line"].as_str().expect("a text").as_bytes()).expect("it is a line");
        let bytes = match line.proof {
            Proof::None {} | Proof::Ed25519 { .. } => continue,
            Proof::Sshsig { sig, .. } => sig.0,
            Proof::Webauthn { authenticator, client, .. } => [authenticator.0, client.0].concat(),
        };
        seeds.push((corpus("signatures").join(file), bytes));
    }
    for (path, bytes) in seeds {
        if is_writing() {
            std::fs::write(&path, &bytes).expect("it can be written");
        }
        assert_eq!(std::fs::read(&path).ok(), Some(bytes), "{}", path.display());
    }
}
