//! What a webhook of GitHub, Gitea or Forgejo says: whether it is signed, and whether it is about the
//! synchronised branch. It must not know HTTP, and nothing is fetched from what it says: it only makes the
//! synchronisation look.
//!
//! Sources: <https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries>,
//! <https://docs.github.com/webhooks/webhook-events-and-payloads#push>.

use std::collections::VecDeque;

use gate_core::{Code, Fault, bounds};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use sha2::Sha256;

use super::{Secret, Source};

/// How many deliveries are remembered.
const DELIVERIES: usize = 1000;
/// Longest name of a delivery, in bytes.
const DELIVERY_BYTES: usize = 200;

/// What a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Webhook {
    /// The first one, which only says hello.
    Ping,
    /// Something was pushed.
    Push {
        /// Whether to the branch that is synchronised, so that it is time to look.
        matches: bool,
    },
    /// Anything else.
    Other,
}

/// Checks the signature of a body: `X-Hub-Signature-256`, `sha256=` and the HMAC in hexadecimal digits. Takes
/// the same time wherever a wrong one differs.
///
/// # Errors
/// `too_large` over [`bounds::WEBHOOK_BYTES`]; `invalid_input` for no secret, no signature or a wrong one.
pub fn verify(secret: &Secret, body: &[u8], signature: Option<&str>) -> Result<(), Fault> {
    if body.len() > bounds::WEBHOOK_BYTES {
        return Err(Fault::new(
            Code::TooLarge,
            format!("The delivery is larger than {} MiB.", bounds::WEBHOOK_BYTES / (1024 * 1024)),
            "Let the webhook send the event `push` only.",
        ));
    }
    if secret.expose().is_empty() {
        return Err(invalid("No secret is set for webhooks.", "Set one here and at the repository's webhook."));
    }
    let Some(signature) = signature else {
        return Err(invalid("The delivery isn't signed.", "Set the same secret at the repository's webhook as here."));
    };
    let wrong = || {
        invalid(
            "The delivery's signature is wrong.",
            "Set the same secret at the repository's webhook as here, and let nothing on the way change the body.",
        )
    };
    let given = signature.trim().strip_prefix("sha256=").and_then(bytes_of).ok_or_else(wrong)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).map_err(|_| wrong())?;
    mac.update(body);
    mac.verify_slice(&given).map_err(|_| wrong())
}

/// Reads a delivery that [`verify`] found good. `event` is `X-GitHub-Event`, or `X-Gitea-Event`.
///
/// # Errors
/// `invalid_input` where a push can't be read.
pub fn read(event: &str, body: &[u8], source: &Source) -> Result<Webhook, Fault> {
    match event {
        "ping" => return Ok(Webhook::Ping),
        "push" => {}
        _ => return Ok(Webhook::Other),
    }
    let push: Push = serde_json::from_slice(body).map_err(|_| {
        invalid("The delivery of a push can't be read.", "Set the webhook's content type to `application/json`.")
    })?;
    let same = push.repository.full_name.eq_ignore_ascii_case(source.path());
    let own = push.repository.default_branch.as_deref();
    let branch = push.reference.strip_prefix("refs/heads/");
    let followed = match (branch, source.branch().or(own)) {
        (Some(pushed), Some(followed)) => pushed == followed,
        // Which branch is the repository's own isn't said: a look finds out.
        (Some(_), None) => true,
        (None, _) => false,
    };
    // A pinned commit stays as it is, whatever is pushed.
    Ok(Webhook::Push { matches: same && followed && source.pin().is_none() })
}

#[derive(Deserialize)]
struct Push {
    #[serde(rename = "ref")]
    reference: String,
    repository: Repository,
}

#[derive(Deserialize)]
struct Repository {
    full_name: String,
    default_branch: Option<String>,
}

/// The deliveries that were there: one that is sent again is answered and not acted on.
#[derive(Debug, Default)]
pub struct Deliveries {
    seen: VecDeque<String>,
}

impl Deliveries {
    /// Whether a delivery, by `X-GitHub-Delivery`, is here for the first time among the last thousand. One
    /// without a usable name counts as one that was here. Ask only for what [`verify`] found good, so that a
    /// stranger can't make a delivery seem known.
    pub fn is_new(&mut self, delivery: &str) -> bool {
        if delivery.is_empty() || delivery.len() > DELIVERY_BYTES || self.seen.iter().any(|seen| seen == delivery) {
            return false;
        }
        if self.seen.len() >= DELIVERIES {
            self.seen.pop_front();
        }
        self.seen.push_back(delivery.to_owned());
        true
    }
}

fn invalid(message: &str, mend: &str) -> Fault {
    Fault::new(Code::InvalidInput, message, mend)
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::SourceText;
    use super::*;
    use proptest::prelude::*;

    fn source(branch: Option<&str>, pin: Option<&str>) -> Source {
        let text = SourceText {
            repository: "Acme/prompts".into(),
            branch: branch.map(Into::into),
            pin: pin.map(Into::into),
            ..SourceText::default()
        };
        Source::parse(text).expect("good")
    }

    /// The example of GitHub's documentation.
    #[test]
    fn the_documented_example_is_good_and_anything_else_is_not() {
        let secret = Secret::new("It's a Secret to Everybody");
        let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        verify(&secret, b"Hello, World!", Some(good)).expect("the documentation says so");
        for (body, signature) in [
            (&b"Hello, World"[..], Some(good)),
            (b"Hello, World!", None),
            (b"Hello, World!", Some("")),
            (b"Hello, World!", Some("sha256=")),
            (b"Hello, World!", Some(&good[7..])),
            (b"Hello, World!", Some(&good[..good.len() - 1])),
            (b"Hello, World!", Some(&good[..good.len() - 2])),
            (b"Hello, World!", Some(&good.replace('7', "8"))),
            (b"Hello, World!", Some("sha1=757107ea0eb2509fc211221cce984b8a37570b6d")),
            (b"Hello, World!", Some("sha256=zz7107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")),
            (b"Hello, World!", Some("sha256=é57107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")),
        ] {
            let fault = verify(&secret, body, signature).expect_err("it is another");
            assert_eq!(fault.code, Code::InvalidInput, "{signature:?}");
        }
        assert!(verify(&Secret::new(""), b"x", Some(good)).is_err(), "no secret lets nobody in");
        let large = vec![0; bounds::WEBHOOK_BYTES + 1];
        assert_eq!(verify(&secret, &large, Some(good)).map_err(|fault| fault.code), Err(Code::TooLarge));
    }

    #[test]
    fn a_push_counts_for_its_repository_and_branch() {
        let body = |name: &str, reference: &str| {
            format!(
                r#"{{"ref":"{reference}","repository":{{"full_name":"{name}","default_branch":"main"}},"after":"x"}}"#
            )
        };
        let main = "refs/heads/main";
        for (name, reference, branch, pin, matches) in [
            ("acme/Prompts", main, None, None, true),
            ("acme/prompts", main, Some("main"), None, true),
            ("acme/prompts", "refs/heads/next", None, None, false),
            ("acme/prompts", "refs/heads/next", Some("next"), None, true),
            ("acme/prompts", main, Some("next"), None, false),
            ("acme/prompts", "refs/tags/main", None, None, false),
            ("acme/prompts2", main, None, None, false),
            ("evil/acme/prompts", main, None, None, false),
            ("acme/prompts", main, None, Some("abcdef1"), false),
        ] {
            let got = read("push", body(name, reference).as_bytes(), &source(branch, pin));
            assert_eq!(got, Ok(Webhook::Push { matches }), "{name} {reference} {branch:?} {pin:?}");
        }
        assert_eq!(read("ping", b"", &source(None, None)), Ok(Webhook::Ping));
        assert_eq!(read("issues", b"", &source(None, None)), Ok(Webhook::Other));
        assert!(read("push", b"payload=%7B%7D", &source(None, None)).is_err(), "a form isn't read");
    }

    #[test]
    fn a_delivery_counts_once_and_only_so_many_are_remembered() {
        let mut deliveries = Deliveries::default();
        assert!(deliveries.is_new("a") && !deliveries.is_new("a") && !deliveries.is_new(""));
        assert!((0..DELIVERIES).all(|index| deliveries.is_new(&index.to_string())));
        assert_eq!(deliveries.seen.len(), DELIVERIES, "memory is bound");
        assert!(!deliveries.is_new("0") && deliveries.is_new("a"), "the oldest is forgotten first");
    }

    proptest! {
        #[test]
        fn fuzz_any_body_and_signature_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200), signature in "(sha256=)?\\PC{0,70}") {
            prop_assert!(verify(&Secret::new("s"), &body, Some(&signature)).is_err());
            let _ = read("push", &body, &source(None, None));
        }
    }
}
