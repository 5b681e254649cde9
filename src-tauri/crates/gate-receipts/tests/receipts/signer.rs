//! Keys in software that sign as a service, `ssh-keygen` and a browser do.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use gate_core::{Digest, Timestamp};
use gate_receipts::{Bytes, Decided, Enrolled, Keys, Level, Line, NAMESPACE, Proof, PublicKey, Said};
use ring::digest::{SHA256, SHA512, digest};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};

use crate::world::{AT, HOME, approval, digest as digest_of};

/// The page of the tests.
pub(crate) const ORIGIN: &str = "http://localhost:8321";

/// A key.
pub(crate) enum Device {
    /// In a file, or a service's.
    Plain(Ed25519KeyPair),
    /// On a security key.
    Ed25519(Ed25519KeyPair, String),
    /// On a security key; the private key as PKCS #8.
    P256(Vec<u8>, String),
}

/// What a security key says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    pub(crate) flags: u8,
    pub(crate) counter: u32,
}

pub(crate) const TOUCHED: Says = Says { flags: 1, counter: 7 };

fn ed25519(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("any seed is a key")
}

impl Device {
    pub(crate) fn plain(seed: u8) -> Self {
        Self::Plain(ed25519(seed))
    }

    pub(crate) fn ed25519(seed: u8, application: &str) -> Self {
        Self::Ed25519(ed25519(seed), application.to_owned())
    }

    pub(crate) fn p256(application: &str) -> Self {
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Self::P256(key.expect("a key can be made").as_ref().to_vec(), application.to_owned())
    }

    pub(crate) fn public(&self) -> PublicKey {
        let of = |pair: &Ed25519KeyPair| pair.public_key().as_ref().try_into().expect("32 bytes");
        match self {
            Self::Plain(pair) => PublicKey::Ed25519(of(pair)),
            Self::Ed25519(pair, application) => {
                PublicKey::SkEd25519 { key: of(pair), application: application.clone() }
            }
            Self::P256(private, application) => {
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, private, &SystemRandom::new());
                let pair = pair.expect("it is a key");
                let point = pair.public_key().as_ref().try_into().expect("65 bytes");
                PublicKey::SkP256 { point, application: application.clone() }
            }
        }
    }

    /// The key as `authorized_keys` has it.
    pub(crate) fn authorized(&self) -> String {
        format!("{} {}", self.public().algorithm(), STANDARD.encode(self.public().to_wire()))
    }

    pub(crate) fn enrolled(&self, origin: Option<&str>) -> Keys {
        let origin = origin.map(str::to_owned);
        Keys(vec![Enrolled { public: self.public(), origin, after: 0, until: None }])
    }

    /// As `ssh-keygen -Y sign` does, without armour.
    pub(crate) fn ssh(&self, text: &str, says: Says, namespace: &str, hash: &str) -> Vec<u8> {
        let hashed = match hash {
            "sha256" => digest(&SHA256, text.as_bytes()),
            _ => digest(&SHA512, text.as_bytes()),
        };
        let mut signed = b"SSHSIG".to_vec();
        for part in [namespace.as_bytes(), b"", hash.as_bytes(), hashed.as_ref()] {
            put(&mut signed, part);
        }
        let mut signature = Vec::new();
        put(&mut signature, self.public().algorithm().as_bytes());
        match self {
            Self::Plain(pair) => put(&mut signature, pair.sign(&signed).as_ref()),
            Self::Ed25519(pair, application) => {
                put(&mut signature, pair.sign(&by_key(application, says, &signed)).as_ref());
                signature.push(says.flags);
                signature.extend_from_slice(&says.counter.to_be_bytes());
            }
            Self::P256(private, application) => {
                let rng = SystemRandom::new();
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, private, &rng);
                let made = pair.expect("it is a key").sign(&rng, &by_key(application, says, &signed));
                let made = made.expect("it signs");
                let (r, s) = made.as_ref().split_at(32);
                let mut both = Vec::new();
                put(&mut both, &integer(r));
                put(&mut both, &integer(s));
                put(&mut signature, &both);
                signature.push(says.flags);
                signature.extend_from_slice(&says.counter.to_be_bytes());
            }
        }
        let mut bytes = b"SSHSIG\0\0\0\x01".to_vec();
        for part in [&self.public().to_wire()[..], namespace.as_bytes(), b"", hash.as_bytes(), &signature] {
            put(&mut bytes, part);
        }
        bytes
    }

    /// As a browser does: the signature, the authenticator's data and the browser's.
    pub(crate) fn web(&self, text: &str, says: Says, client: impl Fn(&str) -> String) -> [Bytes; 3] {
        let application = self.public().application().expect("it is a security key").to_owned();
        let mut authenticator = Digest::of_bytes(application.as_bytes()).as_bytes().to_vec();
        authenticator.push(says.flags);
        authenticator.extend_from_slice(&says.counter.to_be_bytes());
        let challenge = URL_SAFE_NO_PAD.encode(Digest::of_bytes(text.as_bytes()).as_bytes());
        let client = client(&challenge).into_bytes();
        let signed = [&authenticator[..], Digest::of_bytes(&client).as_bytes()].concat();
        let signature = match self {
            Self::Plain(pair) | Self::Ed25519(pair, _) => pair.sign(&signed).as_ref().to_vec(),
            Self::P256(private, _) => {
                let rng = SystemRandom::new();
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, private, &rng);
                let made = pair.expect("it is a key").sign(&rng, &signed);
                made.expect("it signs").as_ref().to_vec()
            }
        };
        [Bytes(signature), Bytes(authenticator), Bytes(client)]
    }

    /// A receipt of this level that the service signed.
    pub(crate) fn service(&self, mut line: Line) -> Line {
        let Self::Plain(pair) = self else { panic!("a service has a plain key") };
        let text = line.signed().expect("it can be written");
        let sig = Bytes(pair.sign(text.as_bytes()).as_ref().to_vec());
        line.proof = Proof::Ed25519 { key: self.public().fingerprint(), sig };
        line
    }

    /// A receipt that was signed by `ssh-keygen`.
    pub(crate) fn sshsig(&self, mut line: Line, says: Says) -> Line {
        let text = line.signed().expect("it can be written");
        let sig = Bytes(self.ssh(&text, says, NAMESPACE, "sha512"));
        line.proof = Proof::Sshsig { key: self.public().fingerprint(), sig };
        line
    }

    /// A receipt that was signed in a page of this origin.
    pub(crate) fn webauthn(&self, line: Line, says: Says, origin: &str) -> Line {
        self.webauthn_with(line, says, |challenge| {
            format!(
                r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"{origin}","crossOrigin":false,"more":1}}"#
            )
        })
    }

    pub(crate) fn webauthn_with(&self, mut line: Line, says: Says, client: impl Fn(&str) -> String) -> Line {
        let text = line.signed().expect("it can be written");
        let [sig, authenticator, client] = self.web(&text, says, client);
        line.proof = Proof::Webauthn { key: self.public().fingerprint(), sig, authenticator, client };
        line
    }
}

/// An approval of that level, to be signed.
pub(crate) fn approved(level: Level, at: Timestamp) -> Line {
    let said = Said::Decided(Decided { level, ..approval(1, at) });
    let prev = Some(digest_of("before"));
    Line { home: HOME, seq: 5, prev, at: AT, step: None, said, proof: Proof::None {} }
}

fn by_key(application: &str, says: Says, message: &[u8]) -> Vec<u8> {
    let mut signed = Digest::of_bytes(application.as_bytes()).as_bytes().to_vec();
    signed.push(says.flags);
    signed.extend_from_slice(&says.counter.to_be_bytes());
    signed.extend_from_slice(Digest::of_bytes(message).as_bytes());
    signed
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&u32::try_from(part.len()).expect("it is short").to_be_bytes());
    bytes.extend_from_slice(part);
}

/// A number as SSH writes it: without zeros in front, but for one where it would be negative.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let digits = &bytes[start..];
    let zero: &[u8] = if digits.first().is_some_and(|first| *first >= 0x80) { &[0] } else { &[] };
    [zero, digits].concat()
}
