//! From a one-time link to a browser that is signed in: its page sends the code, which stood behind the `#` of the
//! address, with the public key that it has made, and shows that the key is its own.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_core::{Digest, Fault};
use gate_mcp::HttpBody;
use http::header::{COOKIE, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use hyper::body::Incoming;
use serde::Deserialize;

use super::signed::Proof;
use super::{host, is_json, line, policy};
use crate::Door;
use crate::body::bounded;
use crate::browsers::{Pass, Place, Refused};
use crate::refusal::{self, SignedOut};

/// Where a page signs in.
pub(super) const PATH: &str = "/ui/sign-in";
/// Largest body of that, in bytes; ours have 200.
const BODY_BYTES: usize = 4 * 1024;

/// What a page sends to sign in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The link's.
    code: String,
    /// A point on P-256, uncompressed, in base64url.
    key: String,
}

/// Signs the browser in whose page asks, or says why not. The answer is that of a line, which is opened at once.
pub(super) async fn sign_in(door: &Door, request: Request<Incoming>, port: u16) -> Response<HttpBody> {
    // A page that is only looked at by a program must find a good link when the person comes.
    if policy::looks_ahead(request.headers()) {
        return refusal::not_ahead();
    }
    if !is_json(request.headers()) {
        return refusal::no_json();
    }
    let (head, body) = request.into_parts();
    let (Some(host), Some(proof)) = (host(&head.headers), Proof::of(&head.headers)) else {
        return refusal::signed_out(SignedOut::None);
    };
    let body = match bounded(body, BODY_BYTES).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let Ok(Asked { code, key }) = serde_json::from_slice(&body) else { return refusal::no_json() };
    let key = URL_SAFE_NO_PAD.decode(key).unwrap_or_default();
    let text = proof.text(host, &Method::POST, PATH);
    let is_its_own = proof.opens()
        && (proof.digest, proof.key) == (Digest::of_bytes(&body), Digest::of_bytes(&key))
        && door.gate.has_signed(&key, &proof.signature, text.as_bytes());
    if !is_its_own {
        return refusal::signed_out(SignedOut::None);
    }
    let agent = head.headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    match register(door, code, key, (host.to_owned(), port), agent.to_owned()).await {
        Ok(Ok(pass)) => {
            tracing::info!("a browser has signed in");
            let mut response = line(door, &pass);
            if let Some(cookie) = cookie_of_before(&head.headers) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Ok(Err(refused)) => refusal::signed_out(match refused {
            Refused::Used => SignedOut::Used,
            Refused::Expired => SignedOut::Expired,
            Refused::Unknown => SignedOut::Unknown,
        }),
        Err(fault) => {
            tracing::warn!(%fault, "a browser could not be signed in");
            refusal::fault(&fault)
        }
    }
}

async fn register(
    door: &Door,
    code: String,
    key: Vec<u8>,
    (host, port): (String, u16),
    agent: String,
) -> Result<Result<Pass, Refused>, Fault> {
    let (access, now) = (Arc::clone(&door.access), door.gate.now());
    let signing_in = tokio::task::spawn_blocking(move || {
        access.browsers.sign_in(&code, &key, Place { host: &host, port }, &agent, now)
    });
    let pass = match signing_in.await.map_err(|error| Fault::internal(error.to_string()))?? {
        Ok(pass) => pass,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Err(fault) = door.gate.signed_in(pass.name(), pass.origin()).await {
        let access = Arc::clone(&door.access);
        // What isn't noted is signed out at the next start, too.
        let _ = tokio::task::spawn_blocking(move || access.browsers.sign_one_out(&pass.name())).await;
        return Err(fault);
    }
    Ok(Ok(pass))
}

/// The cookie of a browser that was signed in with one, as browsers once were, as what takes it away. Cookies know no
/// ports (RFC 6265, section 8.5): its name held it.
pub(super) fn cookie_of_before(headers: &HeaderMap) -> Option<HeaderValue> {
    let name = cookie_name(host(headers)?);
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut names = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    names.find(|(known, _)| *known == name)?;
    HeaderValue::from_str(&format!("{name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")).ok()
}

/// Says to a page that signs nothing that it has to sign in.
pub(super) fn unsigned(headers: &HeaderMap) -> Response<HttpBody> {
    refusal::signed_out(if cookie_of_before(headers).is_some() { SignedOut::Before } else { SignedOut::None })
}

fn cookie_name(host: &str) -> String {
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.chars().all(|c| c.is_ascii_digit()));
    format!("review_gate_{}", port.filter(|port| !port.is_empty()).unwrap_or("80"))
}

#[cfg(test)]
mod tests {
    use http::header::HOST;

    use super::*;

    #[test]
    fn a_cookie_of_before_is_known_and_taken_away_and_no_other_gates() {
        assert_eq!(cookie_name("127.0.0.1:8321"), "review_gate_8321");
        assert_eq!(cookie_name("localhost"), "review_gate_80");
        assert_eq!(cookie_name("[::1]"), "review_gate_80", "what is in brackets is no port");
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8321"));
        headers.insert(COOKIE, HeaderValue::from_static("a=b; review_gate_9=other;review_gate_83210=no"));
        assert_eq!(cookie_of_before(&headers), None);
        headers.append(COOKIE, HeaderValue::from_static("c=d; review_gate_8321=ours"));
        let gone = cookie_of_before(&headers).and_then(|cookie| cookie.to_str().map(str::to_owned).ok());
        let gone = gone.unwrap_or_default();
        assert!(gone.starts_with("review_gate_8321=;") && gone.ends_with("Max-Age=0"), "{gone}");
    }
}
