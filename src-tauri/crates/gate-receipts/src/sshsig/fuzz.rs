//! Fuzzing signatures: what is read of damaged ones holds for nothing.

use super::*;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};
use crate::webauthn::Assertion;

const TOKENS: &[&str] = &[
    "SSHSIG",
    "\0\0\0\x01",
    "\0\0\0\0",
    "\0\0\0\x0bssh-ed25519",
    "\0\0\0\x1ask-ssh-ed25519@openssh.com",
    "\0\0\0\x22sk-ecdsa-sha2-nistp256@openssh.com",
    "\0\0\0\x06sha256",
    "\0\0\0\x06sha512",
    "\x7f\x7f\x7f\x7f",
    "\"type\":\"webauthn.get\"",
    "\"crossOrigin\":true",
    "{",
    "}",
    "\"",
];

/// Each seed is the authenticator's data of 37 bytes and the browser's, or a signature of SSH.
fn check(bytes: &[u8]) {
    if let Ok(signature) = SshSignature::parse(bytes) {
        assert!(!signature.is_of(b"another text"), "it is of nothing that it wasn't made of");
        assert_eq!(PublicKey::from_wire(&signature.key.to_wire()), Ok(signature.key));
    }
    if let Some((authenticator, client)) = bytes.split_at_checked(37)
        && let Ok(assertion) = Assertion::parse(authenticator, client)
    {
        let key = PublicKey::SkEd25519 { key: [1; 32], application: "localhost".to_owned() };
        assert!(!assertion.is_of(b"another text", &key, &[0; 64]));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = SshSignature::without_armour(text);
    }
}

#[test]
fn fuzz_signatures() {
    let mut fuzz = Fuzz::new("signatures");
    for Bytes(seed) in seeds("signatures") {
        check(&seed);
        let is_signature = SshSignature::parse(&seed).is_ok();
        let is_assertion =
            seed.split_at_checked(37).is_some_and(|(data, client)| Assertion::parse(data, client).is_ok());
        assert!(is_signature || is_assertion, "the seeds are sound");
    }
    let signatures = damaged("signatures", TOKENS);
    while fuzz.goes_on() {
        fuzz.batch(&signatures, |Bytes(bytes)| check(&bytes));
    }
}
