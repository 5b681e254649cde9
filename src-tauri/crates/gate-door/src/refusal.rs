//! Answers to requests that don't get through the door: a status, and a fault as JSON.

use bytes::Bytes;
use gate_core::{Code, Fault};
use gate_mcp::{HttpBody, Toolset};
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde::Serialize;

/// The gate is alive; that is all that a stranger learns.
pub(crate) fn alive() -> Response<HttpBody> {
    json(StatusCode::OK, Bytes::from_static(b"{\"status\":\"ok\"}"))
}

pub(crate) fn foreign_host() -> Response<HttpBody> {
    refused(
        StatusCode::FORBIDDEN,
        Code::InvalidInput,
        "The Host header doesn't name this machine.",
        "Use http://127.0.0.1 or localhost, or name the host in `network.allowed_hosts`.",
    )
}

pub(crate) fn foreign_origin() -> Response<HttpBody> {
    refused(
        StatusCode::FORBIDDEN,
        Code::InvalidInput,
        "Pages of other origins may not speak to the gate.",
        "If it is a page of yours, name its origin in `network.allowed_origins`.",
    )
}

pub(crate) fn no_token() -> Response<HttpBody> {
    let mut response = refused(
        StatusCode::UNAUTHORIZED,
        Code::UnknownToken,
        "The request has no valid token.",
        "Send `Authorization: Bearer …` with the content of the file `token` in the gate's home, or with a token \
         from `review-gate token create NAME`.",
    );
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"review-gate\""));
    response
}

pub(crate) fn no_such_path() -> Response<HttpBody> {
    let names: Vec<_> = Toolset::names().map(|name| format!("/mcp/{name}")).collect();
    let mend = format!("Use /mcp, {}.", names.join(", "));
    refused(StatusCode::NOT_FOUND, Code::InvalidInput, "There is nothing at this path.", &mend)
}

pub(crate) fn wrong_method() -> Response<HttpBody> {
    let mend = "Use GET, POST or DELETE as MCP's Streamable HTTP says.";
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, Code::InvalidInput, "This method isn't served.", mend);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
    response
}

/// GitHub's word, where nobody has set a secret for it.
pub(crate) fn no_webhook() -> Response<HttpBody> {
    refused(
        StatusCode::NOT_FOUND,
        Code::InvalidInput,
        "No webhook is expected.",
        "Set `prompts.repository`, and `prompts.webhook_secret` to the secret that the webhook has on GitHub.",
    )
}

/// More webhooks at once than are read.
pub(crate) fn busy() -> Response<HttpBody> {
    let mut response =
        refused(StatusCode::SERVICE_UNAVAILABLE, Code::TooMany, "Other webhooks are being read.", "Send it again.");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// A webhook that its signature doesn't fit.
pub(crate) fn unsigned(fault: &Fault) -> Response<HttpBody> {
    answer(StatusCode::UNAUTHORIZED, fault)
}

/// Why a page has to sign in. It has words for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignedOut {
    /// It has signed nothing.
    None,
    /// It was signed in with a cookie, as browsers once were.
    Before,
    /// What it has signed is worth nothing (any more), here or now.
    Out,
    /// Its link has signed a browser in before.
    Used,
    /// Its link is too old.
    Expired,
    /// Its link is nobody's, or was forgotten.
    Unknown,
}

/// The page in a browser, to whoever isn't signed in.
pub(crate) fn signed_out(why: SignedOut) -> Response<HttpBody> {
    #[derive(Serialize)]
    struct Told {
        #[serde(flatten)]
        fault: Fault,
        why: SignedOut,
    }
    let fault = Fault::new(
        Code::SignedOut,
        "This browser isn't signed in.",
        "Run `review-gate link` in a terminal on the gate's machine, and open the link in this browser.",
    );
    answer(StatusCode::UNAUTHORIZED, &Told { fault, why })
}

/// A program that looks at a link before the person does.
pub(crate) fn not_ahead() -> Response<HttpBody> {
    let message = "A link that signs in isn't fetched ahead.";
    let mut response = refused(StatusCode::SERVICE_UNAVAILABLE, Code::InvalidInput, message, "Open the link.");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("0"));
    response
}

pub(crate) fn nothing_here() -> Response<HttpBody> {
    let mend = "Reload the page; it may be of another version than the gate.";
    refused(StatusCode::NOT_FOUND, Code::InvalidInput, "There is nothing at this path.", mend)
}

pub(crate) fn wrong_page_method() -> Response<HttpBody> {
    let mend = "Reload the page; it may be of another version than the gate.";
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, Code::InvalidInput, "This method isn't served.", mend);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
    response
}

pub(crate) fn no_json() -> Response<HttpBody> {
    let mend = "Send it with `Content-Type: application/json`.";
    refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::InvalidInput, "A command is JSON.", mend)
}

/// What a command of the page came to. The status says what kind of fault it is; the page reads the
/// fault itself.
pub(crate) fn fault(fault: &Fault) -> Response<HttpBody> {
    let status = match fault.code {
        Code::UnknownRequest
        | Code::UnknownPrompt
        | Code::UnknownSession
        | Code::UnknownAttachment
        | Code::UnknownCheckpoint
        | Code::UnknownRestore => StatusCode::NOT_FOUND,
        Code::NotPending | Code::ChangedQuestion | Code::StillPending | Code::NameTaken | Code::PromptConflict => {
            StatusCode::CONFLICT
        }
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::ScriptedAnswersOff => StatusCode::FORBIDDEN,
        Code::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        Code::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
        Code::Internal | Code::ReadOnly | Code::Database | Code::DatabaseDamaged => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    };
    answer(status, fault)
}

/// Any value as JSON.
pub(crate) fn answer<T: Serialize>(status: StatusCode, value: &T) -> Response<HttpBody> {
    match serde_json::to_vec(value) {
        Ok(body) => json(status, body.into()),
        Err(error) => fault(&Fault::internal(error.to_string())),
    }
}

pub(crate) fn too_large(most: usize) -> Response<HttpBody> {
    let message = format!("The body is larger than {most} bytes.");
    refused(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLarge, &message, "Send less in one request.")
}

pub(crate) fn too_slow() -> Response<HttpBody> {
    let message = "The body didn't come in time.";
    refused(StatusCode::REQUEST_TIMEOUT, Code::InvalidInput, message, "Send the request again, in one go.")
}

pub(crate) fn half_sent() -> Response<HttpBody> {
    refused(StatusCode::BAD_REQUEST, Code::InvalidInput, "The body ended early.", "Send the request again, whole.")
}

fn refused(status: StatusCode, code: Code, message: &str, mend: &str) -> Response<HttpBody> {
    // Strings only: there is nothing in it that could fail to serialise.
    json(status, serde_json::to_vec(&Fault::new(code, message, mend)).unwrap_or_default().into())
}

fn json(status: StatusCode, body: Bytes) -> Response<HttpBody> {
    let mut response = Response::new(Full::new(body).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
