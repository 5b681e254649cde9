//! What is taken for a key of a page and what for its touch, by a key in software: each check broken once.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};

use super::*;

const SITE: &str = "localhost";
const ORIGIN: &str = "http://localhost:8321";
const CHALLENGE: &[u8] = b"thirty-two bytes that nobody had";
const ASKED: Asked<'_> = Asked { challenge: CHALLENGE, site: SITE, origin: ORIGIN };
/// Touched, verified by a PIN, and a key follows.
const MADE: u8 = 0b0100_0101;
const CREDENTIAL: &[u8] = b"a credential";

fn p256() -> (Vec<u8>, [u8; 65]) {
    let rng = SystemRandom::new();
    let private = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &rng).expect("a key can be made");
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, private.as_ref(), &rng).expect("it is a key");
    (private.as_ref().to_vec(), pair.public_key().as_ref().try_into().expect("65 bytes"))
}

fn cose_p256(point: &[u8; 65]) -> Vec<u8> {
    [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..], &point[1..33], &[0x22, 0x58, 32], &point[33..]].concat()
}

fn cose_ed25519(key: &[u8]) -> Vec<u8> {
    [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32][..], key].concat()
}

/// The authenticator's data.
fn said(site: &str, flags: u8, counter: u32) -> Vec<u8> {
    let mut data = Digest::of_bytes(site.as_bytes()).as_bytes().to_vec();
    data.push(flags);
    data.extend_from_slice(&counter.to_be_bytes());
    data
}

fn made(site: &str, flags: u8, cose: &[u8]) -> Vec<u8> {
    let length = u16::try_from(CREDENTIAL.len()).expect("it is short").to_be_bytes();
    [&said(site, flags, 0)[..], &[7; 16], &length, CREDENTIAL, cose].concat()
}

fn client(act: &str, challenge: &[u8], origin: &str, more: &str) -> Vec<u8> {
    let challenge = URL_SAFE_NO_PAD.encode(challenge);
    format!(r#"{{"type":"{act}","challenge":"{challenge}","origin":"{origin}"{more}}}"#).into_bytes()
}

fn created() -> Vec<u8> {
    client("webauthn.create", CHALLENGE, ORIGIN, r#","crossOrigin":false,"other_keys_can_be_added_here":"yes""#)
}

#[test]
fn a_key_that_was_touched_in_the_page_is_read_whole() {
    let (_, point) = p256();
    let es256 = Registration::of(&made(SITE, MADE, &cose_p256(&point)), &created(), ASKED);
    let public = PublicKey::SkP256 { point, application: SITE.to_owned() };
    assert_eq!(es256, Ok(Registration { public, credential: CREDENTIAL.to_vec() }));
    let eddsa = Registration::of(&made(SITE, MADE, &cose_ed25519(&[9; 32])), &created(), ASKED);
    let public = PublicKey::SkEd25519 { key: [9; 32], application: SITE.to_owned() };
    assert_eq!(eddsa, Ok(Registration { public, credential: CREDENTIAL.to_vec() }));
    // Extensions come after the key, where the flags say so.
    let more = [made(SITE, MADE | HAS_MORE, &cose_p256(&point)), vec![0xa0]].concat();
    assert!(Registration::of(&more, &created(), ASKED).is_ok());
}

#[test]
fn a_key_is_made_for_this_page_by_a_touch_and_stays_on_its_device() {
    let (_, point) = p256();
    let cose = cose_p256(&point);
    let by = |site: &str, flags: u8, client: &[u8]| Registration::of(&made(site, flags, &cose), client, ASKED).err();
    assert_eq!(by(SITE, MADE, &created()), None);
    assert_eq!(by(SITE, MADE & !1, &created()), Some(Unregistered::Untouched), "verified, and not touched");
    assert_eq!(by(SITE, MADE | COPIABLE, &created()), Some(Unregistered::Copied), "a password manager's");
    assert_eq!(by("127.0.0.1", MADE, &created()), Some(Unregistered::Wrong), "another site's");
    let sent =
        |act: &str, challenge: &[u8], origin: &str, more: &str| by(SITE, MADE, &client(act, challenge, origin, more));
    assert_eq!(sent("webauthn.create", CHALLENGE, ORIGIN, ""), None);
    assert_eq!(sent("webauthn.get", CHALLENGE, ORIGIN, ""), Some(Unregistered::Wrong), "an assertion makes no key");
    assert_eq!(sent("webauthn.create", b"an earlier one", ORIGIN, ""), Some(Unregistered::Wrong));
    for other in ["http://localhost:8322", "http://localhost", "https://localhost:8321", "http://127.0.0.1:8321"] {
        assert_eq!(sent("webauthn.create", CHALLENGE, other, ""), Some(Unregistered::OtherPage), "{other}");
    }
    for framed in [r#","crossOrigin":true"#, r#","topOrigin":"http://localhost:3000""#] {
        assert_eq!(sent("webauthn.create", CHALLENGE, ORIGIN, framed), Some(Unregistered::Wrong), "{framed}");
    }
    assert_eq!(by(SITE, MADE, b"{}"), Some(Unregistered::Unreadable));
}

#[test]
fn a_key_of_another_kind_or_that_is_cut_is_none() {
    let (_, point) = p256();
    let whole = made(SITE, MADE, &cose_p256(&point));
    let unreadable = |data: &[u8]| Registration::of(data, &created(), ASKED) == Err(Unregistered::Unreadable);
    for end in 0..whole.len() {
        assert!(unreadable(&whole[..end]), "cut at {end}");
    }
    assert!(unreadable(&[&whole[..], &[0]].concat()), "with something behind it that isn't told of");
    assert!(unreadable(&made(SITE, MADE & !HAS_KEY, &cose_p256(&point))), "no key is told of");
    assert!(unreadable(&said(SITE, 1, 7)), "an assertion's data");
    let mut rsa = cose_p256(&point);
    rsa[4] = 0x38;
    assert!(unreadable(&made(SITE, MADE, &rsa)), "another algorithm");
    let mut nameless = whole;
    nameless[53..55].copy_from_slice(&[0, 0]);
    assert!(unreadable(&nameless), "without a name it can't be asked for");
}

#[test]
fn a_touch_is_of_this_line_by_this_key_in_this_page_and_each_check_counts() {
    const LINE: &[u8] = b"a line";
    let (private, point) = p256();
    let key = PublicKey::SkP256 { point, application: SITE.to_owned() };
    let challenge = Digest::of_bytes(LINE);
    let got = |act: &str, more: &str| client(act, challenge.as_bytes(), ORIGIN, more);
    let sign = |signed: &[u8]| {
        let rng = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &private, &rng).expect("it is a key");
        pair.sign(&rng, signed).expect("it signs").as_ref().to_vec()
    };
    let is_of = |authenticator: &[u8], client: &[u8], key: &PublicKey, line: &[u8]| {
        let assertion = Assertion::parse(authenticator, client).expect("it can be read");
        let signature = sign(&[authenticator, Digest::of_bytes(client).as_bytes()].concat());
        assertion.is_of(line, key, &signature)
    };
    let (data, good) = (said(SITE, 5, 41), got("webauthn.get", ""));
    assert!(is_of(&data, &good, &key, LINE));
    let read = Assertion::parse(&data, &good).expect("it can be read");
    assert_eq!((read.touch, read.origin()), (Touch { flags: 5, counter: 41 }, ORIGIN));
    assert!(!is_of(&data, &good, &key, b"another line"));
    assert!(!is_of(&data, &got("webauthn.create", ""), &key, LINE));
    assert!(!is_of(&data, &got("webauthn.get", r#","crossOrigin":true"#), &key, LINE));
    assert!(!is_of(&data, &got("webauthn.get", r#","topOrigin":"http://localhost:3000""#), &key, LINE));
    assert!(!is_of(&said("example.org", 5, 41), &good, &key, LINE), "a touch for another site");
    let other = PublicKey::SkP256 { point: p256().1, application: SITE.to_owned() };
    assert!(!is_of(&data, &good, &other, LINE), "another key's");
    let signature = sign(&[&data[..], Digest::of_bytes(&good).as_bytes()].concat());
    for (at, what) in [(32, "the touch"), (36, "the counter")] {
        let mut lying = data.clone();
        lying[at] ^= 1;
        let assertion = Assertion::parse(&lying, &good).expect("it can be read");
        assert!(!assertion.is_of(LINE, &key, &signature), "{what} is signed, too");
    }
}

#[test]
fn a_key_of_ed25519_signs_as_well() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[3; 32]).expect("any seed is a key");
    let data = made(SITE, MADE, &cose_ed25519(pair.public_key().as_ref()));
    let key = Registration::of(&data, &created(), ASKED).expect("a key").public;
    let client = client("webauthn.get", Digest::of_bytes(b"a line").as_bytes(), ORIGIN, "");
    let authenticator = said(SITE, 1, 1);
    let signed = [&authenticator[..], Digest::of_bytes(&client).as_bytes()].concat();
    let assertion = Assertion::parse(&authenticator, &client).expect("it can be read");
    assert!(assertion.is_of(b"a line", &key, pair.sign(&signed).as_ref()));
    assert!(!assertion.is_of(b"a line", &key, &[0; 64]));
}
