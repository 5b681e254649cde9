//! Answers to requests that don't get through the door: a status, and a fault as JSON.

use bytes::Bytes;
use gate_core::{Code, Fault, bounds};
use gate_mcp::{HttpBody, Toolset};
use http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};

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

pub(crate) fn too_large() -> Response<HttpBody> {
    let message = format!("The body is larger than {} bytes.", bounds::HTTP_BODY_BYTES);
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
