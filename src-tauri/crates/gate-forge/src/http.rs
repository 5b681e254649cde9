//! One request and its answer: to the platform's own address alone, without redirections, bounded in size and time.
//!
//! The token stands in one header, of requests to the API's address. Nothing is logged here.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::{HeaderMap, Request, Response, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, AsSendBody, Body, Timeout};

use crate::base::Base;
use crate::error::{ForgeError, Happened};
use crate::limits;
use crate::platform::Platform;
use crate::token::Token;
use crate::write::{Prepared, Target};

/// The largest answer that is read: a page of a hundred comments has far less.
const ANSWER: u64 = 32 * 1024 * 1024;
/// As much is taken of what a platform says of a refusal.
const MESSAGE: usize = 500;
/// GitHub's version of its REST API that is spoken here: the first with a date.
const VERSION: &str = "2022-11-28";

/// How long is waited for a platform.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For a name, for a connection, and for each next piece.
    pub silence: Duration,
    /// For all of an answer.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), whole: Duration::from_secs(120) }
    }
}

/// A client of one platform with one token.
#[derive(Debug)]
pub(crate) struct Http {
    base: Base,
    token: Token,
    agent: Agent,
}

/// An answer that isn't a refusal.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: HeaderMap,
    body: Vec<u8>,
    happened: Happened,
}

impl Http {
    pub(crate) fn new(base: Base, token: Token, patience: Patience) -> Self {
        // The system's own certificates: some networks have one of theirs.
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let mut config = Agent::config_builder()
            .tls_config(tls)
            .https_only(base.api().starts_with("https://"))
            .http_status_as_error(false)
            .max_redirects(0)
            // A connection that was kept may be gone when the next request goes out, and nobody knows whether it arrived.
            .max_idle_connections(0)
            .user_agent(concat!("review-gate/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(patience.whole))
            .timeout_resolve(Some(patience.silence))
            .timeout_connect(Some(patience.silence))
            .timeout_recv_response(Some(patience.silence))
            .timeout_per_read(Some(patience.silence))
            .timeout_per_write(Some(patience.silence));
        if base.is_near() {
            // The environment's proxy doesn't reach this machine.
            config = config.proxy(None);
        }
        Self { base, token, agent: config.build().new_agent() }
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// Reads what is at a path below the API's address. With an ETag, 304 is an answer, too.
    pub(crate) fn get(&self, path: &str, etag: Option<&str>) -> Result<Answer, ForgeError> {
        let mut request = self.request("GET", &self.base.below(path)?)?;
        if let Some(etag) = etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        self.asked(request, (), Happened::No)
    }

    /// As [`Http::get`], read.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, ForgeError> {
        self.get(path, None)?.json()
    }

    /// Sends a write.
    pub(crate) fn send(&self, prepared: &Prepared) -> Result<Answer, ForgeError> {
        let request = self.request(&prepared.method.to_string(), &self.base.address(&prepared.target)?)?;
        if prepared.body.is_empty() {
            return self.asked(request, (), Happened::Maybe);
        }
        let request = request.header(header::CONTENT_TYPE, "application/json");
        self.asked(request, prepared.body.as_str(), Happened::Maybe)
    }

    /// Asks GraphQL a question that changes nothing.
    pub(crate) fn query(&self, query: &Value) -> Result<Answer, ForgeError> {
        let request = self.request("POST", &self.base.address(&Target::GraphQl)?)?;
        let request = request.header(header::CONTENT_TYPE, "application/json");
        self.asked(request, query.to_string().as_str(), Happened::No)
    }

    fn request(&self, method: &str, address: &str) -> Result<ureq::http::request::Builder, ForgeError> {
        let request = Request::builder().method(method).uri(address);
        let request = request.header(header::AUTHORIZATION, self.token.authorization()?);
        Ok(match self.base.platform() {
            Platform::GitHub => {
                request.header(header::ACCEPT, "application/vnd.github+json").header("x-github-api-version", VERSION)
            }
            Platform::GitLab => request.header(header::ACCEPT, "application/json"),
        })
    }

    /// `happened`: what a failure after the request went out means.
    fn asked(
        &self,
        request: ureq::http::request::Builder,
        body: impl AsSendBody,
        happened: Happened,
    ) -> Result<Answer, ForgeError> {
        let request = request.body(body).map_err(|_| ForgeError::Invalid("That is no request.".to_owned()))?;
        let mut answer = self.agent.run(request).map_err(|error| self.lost(&error, happened))?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(ANSWER).read_to_vec();
        match status {
            200..=299 => {
                let body = body.map_err(|error| self.lost(&error, happened))?;
                Ok(Answer { status, head: answer.headers().clone(), body, happened })
            }
            304 => Ok(Answer { status, head: answer.headers().clone(), body: Vec::new(), happened }),
            // A refusal is one, whether its reason arrives or not.
            _ => Err(self.refused(status, &answer, &body.unwrap_or_default(), happened)),
        }
    }

    fn refused(&self, status: u16, answer: &Response<Body>, body: &[u8], happened: Happened) -> ForgeError {
        let message = self.message(body);
        if limits::is_limit(status, answer.headers(), &message) {
            return ForgeError::RateLimited { limit: limits::limit(answer.headers()), message };
        }
        match status {
            401 => ForgeError::Auth { message },
            300..=399 => {
                let message = "it leads to another address, which isn't followed; look whether the project was renamed";
                ForgeError::Refused { status, message: message.to_owned() }
            }
            408 | 500.. => ForgeError::Unreachable { cause: format!("it answers {status} {message}"), happened },
            _ => ForgeError::Refused { status, message },
        }
    }

    /// What a platform says of a refusal, without the token, in one line.
    pub(crate) fn message(&self, body: &[u8]) -> String {
        let text = match serde_json::from_slice::<Value>(body) {
            Ok(value) => said(&value),
            Err(_) => String::new(),
        };
        self.shown(&text)
    }

    /// A text of the platform's as it may stand in an error.
    pub(crate) fn shown(&self, text: &str) -> String {
        let text = self.token.hidden_in(text);
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MESSAGE).collect();
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn lost(&self, error: &ureq::Error, happened: Happened) -> ForgeError {
        let happened = if is_before_sending(error) { Happened::No } else { happened };
        let cause = match error {
            ureq::Error::HostNotFound => "its name isn't known, or there is no network".to_owned(),
            ureq::Error::Timeout(_) => "it is silent".to_owned(),
            ureq::Error::BodyExceedsLimit(most) => format!("its answer has more than {most} bytes"),
            error => self.shown(&error.to_string()),
        };
        ForgeError::Unreachable { cause, happened }
    }
}

/// Whether a request hadn't begun to leave.
fn is_before_sending(error: &ureq::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
    match error {
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::Rustls(rustls::Error::InvalidCertificate(_))
        | ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => true,
        ureq::Error::Io(error) => [ConnectionRefused, HostUnreachable, NetworkUnreachable].contains(&error.kind()),
        _ => false,
    }
}

/// `message` and `errors` of GitHub, `message` and `error` of GitLab, each a text, a list or an object of lists.
fn said(value: &Value) -> String {
    let words: Vec<String> = match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().map(said).collect(),
        Value::Object(fields) => {
            let known = ["message", "error", "error_description", "errors"].into_iter();
            let mut words: Vec<String> = known.filter_map(|name| fields.get(name)).map(said).collect();
            if words.iter().all(String::is_empty) {
                words = fields.iter().map(|(name, value)| format!("{name} {}", said(value))).collect();
            }
            words
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    };
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("; ")
}

impl Answer {
    /// The body. What can't be read is as good as no answer.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ForgeError> {
        serde_json::from_slice(&self.body).map_err(|error| ForgeError::strange(&error.to_string(), self.happened))
    }

    /// Whether there is a further page of a list: GitHub says so in `link`, GitLab in `x-next-page`, too.
    pub(crate) fn has_next(&self) -> bool {
        let text = |name: &str| self.head.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        !text("x-next-page").trim().is_empty() || text("link").contains("rel=\"next\"")
    }

    /// What to ask with the next time.
    pub(crate) fn etag(&self) -> Option<String> {
        self.head.get(header::ETAG)?.to_str().ok().map(str::to_owned)
    }

    /// What a failure to understand it means.
    pub(crate) fn happened(&self) -> Happened {
        self.happened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_platform_says_is_found_in_every_shape() {
        for (body, expected) in [
            (
                r#"{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}"#,
                "Unprocessable Entity; Line could not be resolved",
            ),
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"Review","message":"only one"}]}"#,
                "Validation Failed; only one",
            ),
            (r#"{"message":["Another open merge request exists"]}"#, "Another open merge request exists"),
            (r#"{"message":{"title":["can't be blank"]}}"#, "title can't be blank"),
            (
                r#"{"error":"insufficient_scope","error_description":"more is needed"}"#,
                "insufficient_scope; more is needed",
            ),
        ] {
            let value: Value = serde_json::from_str(body).expect("JSON");
            assert_eq!(said(&value), expected);
        }
    }

    #[test]
    fn what_a_platform_says_is_shown_plain_short_and_without_the_token() {
        let base = Base::of(Platform::GitHub, "github.com").expect("an address");
        let http = Http::new(base, Token::new("hunter2").expect("a token"), Patience::default());
        assert!(!format!("{http:?}").contains("hunter2"), "nor does a client print its token");
        let said = http.message(br#"{"message":"Bad hunter2\u0007\n\u001b[31mcredentials"}"#);
        assert_eq!(said, "Bad … [31mcredentials", "what it says is plain, and has no token");
        assert!(http.message(format!("{{\"message\":\"{}\"}}", "x".repeat(9_000)).as_bytes()).len() <= MESSAGE);
    }
}
