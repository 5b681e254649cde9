//! Fuzzing what an authenticator says of a key that it has made: what is taken for one is whole.

use super::*;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};

const CLIENT: &[u8] = br#"{"type":"webauthn.create","challenge":"","origin":"http://localhost:8321"}"#;
const ASKED: Asked<'_> = Asked { challenge: b"", site: "localhost", origin: "http://localhost:8321" };
const TOKENS: &[&str] =
    &["\x01\x02\x03&\x20\x01!X\x20", "\"X\x20", "\x01\x01\x03'\x20\x06!X\x20", "\0\0", "\0\x0c", "\x7f\x7f", "E"];

fn check(authenticator: &[u8]) -> bool {
    let Ok(Registration { public, credential }) = Registration::of(authenticator, CLIENT, ASKED) else { return false };
    assert!(!credential.is_empty() && credential.len() <= CREDENTIAL_BYTES);
    assert_eq!(PublicKey::from_wire(&public.to_wire()), Ok(public));
    true
}

#[test]
fn fuzz_registrations() {
    let mut fuzz = Fuzz::new("registrations");
    for Bytes(seed) in seeds("registrations") {
        assert!(check(&seed), "the seeds are sound");
    }
    let registrations = damaged("registrations", TOKENS);
    while fuzz.goes_on() {
        fuzz.batch(&registrations, |Bytes(bytes)| {
            let _ = check(&bytes);
        });
    }
}
