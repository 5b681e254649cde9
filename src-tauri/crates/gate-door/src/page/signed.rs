//! What a page signs with the key that it made when it signed in: which request this is, to whom, and its number on a
//! line that the gate has given it. Knows the form of that; whose key it is, [`crate::browsers`] knows.
//!
//! `Authorization: Review-Gate key=K, line=L, number=N, digest=D, signature=S`, where K is the SHA-256 of the public key
//! and D that of the body, both in hexadecimal, and S the signature in base64url over these lines, without a line break
//! at the end:
//!
//! ```text
//! review-gate page 1
//! http://localhost:8321
//! POST
//! /ui/command
//! L
//! N
//! D
//! ```
//!
//! A line is opened, and a browser signed in, with an empty L and the number 0.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_core::Digest;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};

/// The scheme, and what every text that is signed begins with.
const SCHEME: &str = "Review-Gate";
const BEGINNING: &str = "review-gate page 1";

/// What a request is signed with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proof<'a> {
    /// Whose key it is said to be: the digest of the public key.
    pub(super) key: Digest,
    /// The line that it is on; empty where one is opened.
    pub(super) line: &'a str,
    /// Its number there.
    pub(super) number: u64,
    /// Of the body, which is to come.
    pub(super) digest: Digest,
    /// Over all of it.
    pub(super) signature: Vec<u8>,
}

impl<'a> Proof<'a> {
    /// What the head says. Absent where it says nothing, anything twice, or something else.
    pub(super) fn of(headers: &'a HeaderMap) -> Option<Self> {
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (all.next(), all.next()) else { return None };
        let (scheme, said) = value.to_str().ok()?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let mut parts = [None; 5];
        for part in said.split(',') {
            let (name, value) = part.trim().split_once('=')?;
            let at = ["key", "line", "number", "digest", "signature"].iter().position(|known| *known == name)?;
            let place = parts.get_mut(at)?;
            if place.replace(value).is_some() {
                return None;
            }
        }
        let [key, line, number, digest, signature] = parts;
        Some(Self {
            key: key?.parse().ok()?,
            line: line?,
            number: number?.parse().ok()?,
            digest: digest?.parse().ok()?,
            signature: URL_SAFE_NO_PAD.decode(signature?).ok()?,
        })
    }

    /// Whether it is on no line, as what opens one is.
    pub(super) fn opens(&self) -> bool {
        self.line.is_empty() && self.number == 0
    }

    /// What has to be signed for this request.
    pub(super) fn text(&self, host: &str, method: &Method, path: &str) -> String {
        let (line, number, digest) = (self.line, self.number, &self.digest);
        let host = host.to_ascii_lowercase();
        format!("{BEGINNING}\nhttp://{host}\n{method}\n{path}\n{line}\n{number}\n{digest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn headers(values: &[&str]) -> Result<HeaderMap, http::header::InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse()?);
        }
        Ok(headers)
    }

    #[test]
    fn what_is_signed_is_told_by_the_head_once_and_whole() -> Outcome {
        let (key, digest) = (Digest::of_bytes(b"key"), Digest::of_bytes(b"body"));
        let good = format!("Review-Gate key={key}, line=abc, number=7, digest={digest}, signature=AQID");
        let head = headers(&[&good])?;
        let proof = Proof::of(&head).ok_or("it is whole")?;
        assert_eq!(proof, Proof { key, line: "abc", number: 7, digest, signature: vec![1, 2, 3] });
        assert_eq!(
            proof.text("LOCALHOST:8321", &Method::POST, "/ui/command"),
            format!("review-gate page 1\nhttp://localhost:8321\nPOST\n/ui/command\nabc\n7\n{digest}")
        );
        for (what, wrong) in [
            ("another scheme", good.replace("Review-Gate", "Bearer")),
            ("a part is missing", good.replace(", number=7", "")),
            ("a part is there twice", format!("{good}, number=8")),
            ("a part that nobody knows", format!("{good}, more=1")),
            ("no number", good.replace("=7", "=-7")),
            ("no digest", good.replace(&digest.to_string(), "00")),
            ("no base64", good.replace("AQID", "=")),
            ("nothing", "Review-Gate".to_owned()),
        ] {
            assert_eq!(Proof::of(&headers(&[&wrong])?), None, "{what}");
        }
        assert_eq!(Proof::of(&headers(&[&good, &good])?), None, "two are none");
        Ok(())
    }
}
