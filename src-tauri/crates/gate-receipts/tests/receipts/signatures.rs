//! Signatures: which hold, and how sure they make a receipt.

use gate_receipts::{
    Counted, CounterSaid, Decided, Keys, Level, Line, NAMESPACE, Proof, Said, SshSignature, Touch, Unproved, Verifier,
    assured,
};

use crate::signer::{Device, ORIGIN, Says, TOUCHED, approved};
use crate::world::{AT, World, approval};

const UNTOUCHED: Says = Says { flags: 0, counter: 8 };
/// Verified, but not touched: no key says so, and none is believed.
const ODD: Says = Says { flags: 4, counter: 8 };

/// Another line with the same signature.
fn changed(line: &Line) -> Line {
    let mut line = line.clone();
    let Said::Decided(decided) = &mut line.said else { panic!("it is a receipt") };
    decided.content.diff = None;
    line
}

fn proved(line: &Line, keys: &Keys) -> Result<Level, Unproved> {
    // Whatever is proved is a line that can be stored.
    let text = line.canonical().expect("it can be written");
    assert_eq!(Line::parse(text.as_bytes()).as_ref(), Ok(line));
    assured(line, keys)
}

#[test]
fn a_service_s_signature_holds_for_its_line_alone() {
    let (ours, other) = (Device::plain(1), Device::plain(2));
    let line = ours.service(approved(Level::L2, AT));
    assert_eq!(proved(&line, &ours.enrolled(None)), Ok(Level::L2));
    assert_eq!(proved(&changed(&line), &ours.enrolled(None)), Err(Unproved::Wrong));
    assert_eq!(proved(&line, &other.enrolled(None)), Err(Unproved::UnknownKey));
    assert_eq!(proved(&line, &Keys::default()), Err(Unproved::UnknownKey));
    let mut by_other = other.service(approved(Level::L2, AT));
    let Proof::Ed25519 { key, .. } = &mut by_other.proof else { panic!("it is signed so") };
    *key = ours.public().fingerprint();
    assert_eq!(proved(&by_other, &ours.enrolled(None)), Err(Unproved::Wrong), "a name is no signature");
    let lower = ours.service(approved(Level::L1, AT));
    assert_eq!(proved(&lower, &ours.enrolled(None)), Ok(Level::L1), "it is as sure as it says, and no surer");
}

#[test]
fn a_receipt_without_a_signature_is_attended_at_most() {
    assert_eq!(proved(&approved(Level::L1, AT), &Keys::default()), Ok(Level::L1));
    assert_eq!(assured(&approved(Level::L3, AT), &Keys::default()), Ok(Level::L1));
}

#[test]
fn a_touched_key_of_ssh_holds() {
    for device in [Device::ed25519(3, "ssh:"), Device::p256("ssh:")] {
        let keys = device.enrolled(None);
        let line = device.sshsig(approved(Level::L3, AT), TOUCHED);
        assert_eq!(proved(&line, &keys), Ok(Level::L3));
        let said = keys.prove(&line).expect("it holds").expect("it is signed");
        assert_eq!(said.touch, Some(Touch { flags: 1, counter: 7 }));
        assert_eq!(proved(&changed(&line), &keys), Err(Unproved::Wrong));
        for says in [UNTOUCHED, ODD] {
            let line = device.sshsig(approved(Level::L3, AT), says);
            assert_eq!(proved(&line, &keys), Err(Unproved::Untouched), "{says:?}");
        }
        let mut lying = line.clone();
        let Proof::Sshsig { sig, .. } = &mut lying.proof else { panic!("it is signed so") };
        let flags = sig.0.len() - 5;
        sig.0[flags] = 5;
        assert_eq!(proved(&lying, &keys), Err(Unproved::Wrong), "what the key says is signed, too");
    }
}

#[test]
fn a_key_in_a_file_stands_for_no_touch() {
    let device = Device::plain(4);
    let line = device.sshsig(approved(Level::L3, AT), TOUCHED);
    assert_eq!(proved(&line, &device.enrolled(None)), Ok(Level::L1));
}

#[test]
fn a_signature_for_something_else_is_none() {
    let device = Device::ed25519(5, "ssh:");
    let text = "a text";
    let of = |bytes: Vec<u8>| SshSignature::parse(&bytes).is_ok_and(|signature| signature.is_of(text.as_bytes()));
    assert!(of(device.ssh(text, TOUCHED, NAMESPACE, "sha512")) && of(device.ssh(text, TOUCHED, NAMESPACE, "sha256")));
    assert!(!of(device.ssh(text, TOUCHED, "git", "sha512")), "a signature of a commit is no approval");
    assert!(!of(device.ssh("another", TOUCHED, NAMESPACE, "sha512")));
    assert!(!of(device.ssh(text, TOUCHED, NAMESPACE, "sha1")), "nor of a weaker digest");
}

#[test]
fn armour_comes_off_and_nothing_else() {
    let begin = "-----BEGIN SSH SIGNATURE-----";
    let end = "-----END SSH SIGNATURE-----";
    let bytes = |text: &str| SshSignature::without_armour(text).ok();
    assert_eq!(bytes(&format!("{begin}\nU1NI\nU0lH\n{end}\n")), Some(b"SSHSIG".to_vec()));
    for wrong in ["", "U1NI", &format!("{begin}\nU1N\n{end}"), &format!("{begin}\nU1NI\n"), &format!("{begin}{end}x")] {
        assert_eq!(bytes(wrong), None, "{wrong}");
    }
}

#[test]
fn a_touched_key_of_a_page_holds_for_that_page() {
    for device in [Device::ed25519(6, "localhost"), Device::p256("localhost")] {
        let keys = device.enrolled(Some(ORIGIN));
        let line = device.webauthn(approved(Level::L3, AT), TOUCHED, ORIGIN);
        assert_eq!(proved(&line, &keys), Ok(Level::L3));
        assert_eq!(proved(&changed(&line), &keys), Err(Unproved::Wrong));
        let by = |says, origin| proved(&device.webauthn(approved(Level::L3, AT), says, origin), &keys);
        assert_eq!(by(UNTOUCHED, ORIGIN), Err(Unproved::Untouched));
        let others =
            ["http://localhost:3000", "http://localhost", "https://localhost:8321", "http://evil.example:8321"];
        for other in others {
            assert_eq!(by(TOUCHED, other), Err(Unproved::OtherPage), "{other}");
        }
        assert_eq!(proved(&line, &device.enrolled(None)), Err(Unproved::OtherPage), "a key of SSH has no page");
    }
}

#[test]
fn an_assertion_is_of_a_page_that_stands_in_no_other() {
    let device = Device::p256("localhost");
    let by = |client: fn(&str) -> String| {
        proved(&device.webauthn_with(approved(Level::L3, AT), TOUCHED, client), &device.enrolled(Some(ORIGIN)))
    };
    let good = |challenge: &str| {
        format!(r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"http://localhost:8321"}}"#)
    };
    assert_eq!(by(good), Ok(Level::L3));
    let framed = |challenge: &str| {
        format!(
            r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"http://localhost:8321","crossOrigin":true}}"#
        )
    };
    assert_eq!(by(framed), Err(Unproved::Wrong), "another page shows it in a frame");
    let created = |challenge: &str| {
        format!(r#"{{"type":"webauthn.create","challenge":"{challenge}","origin":"http://localhost:8321"}}"#)
    };
    assert_eq!(by(created), Err(Unproved::Wrong), "making a key approves nothing");
    let old = |_: &str| r#"{"type":"webauthn.get","challenge":"AAAA","origin":"http://localhost:8321"}"#.to_owned();
    assert_eq!(by(old), Err(Unproved::Wrong), "an assertion for another line");
    let twice = |challenge: &str| {
        format!(r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"x","origin":"http://localhost:8321"}}"#)
    };
    assert_eq!(by(twice), Err(Unproved::Unreadable), "one that says two things says nothing");
}

#[test]
fn a_counter_that_skips_is_told() {
    let by_ssh = |device: &Device, line, says| device.sshsig(line, says);
    let in_a_page = |device: &Device, line, says| device.webauthn(line, says, ORIGIN);
    told_of_counters(&Device::ed25519(7, "ssh:"), by_ssh);
    told_of_counters(&Device::p256("localhost"), in_a_page);
}

fn told_of_counters(device: &Device, sign: impl Fn(&Device, Line, Says) -> Line) {
    let mut world = World::new();
    let mut log = world.quietly();
    for counter in [3, 4, 9, 9] {
        let now = world.now();
        let said = Said::Decided(Decided { level: Level::L3, ..approval(1, now.at) });
        let line = log.draft(said, now).expect("it can be drafted");
        log.append_signed(sign(device, line, Says { flags: 1, counter }), now).expect("it can be written");
    }
    let key = device.public().fingerprint();
    let said = |seq, counted| CounterSaid { seq, key: key.clone(), counted };
    let expected = [said(3, Counted::Skipped(4)), said(4, Counted::NotMore)];
    assert_eq!(log.chain().expect("it can be read").report().counters, expected);
    drop(log);
    let mut log = world.quietly();
    assert_eq!(log.chain().expect("it can be read").report().counters, expected, "the file says the same");
}
