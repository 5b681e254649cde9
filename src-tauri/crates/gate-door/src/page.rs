//! The gate's page in a browser: the same UI as the windows', its commands, and what happens.
//!
//! A cookie opens it, never a token. `Host` and `Origin` are checked before; here it is checked that
//! the gate's own page asks. Browsers send cookies to every port of a host, so pages of other local
//! programs count as strangers, those that the settings let speak MCP among them.

mod assets;
mod download;
mod events;
#[cfg(test)]
mod fuzz;
mod notice;
mod policy;
mod sign_in;

use std::sync::Arc;

use gate_api::subjects::conversations::{self, Export};
use gate_api::{Answer, Command};
use gate_core::{Code, Fault};
use gate_mcp::HttpBody;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::body::whole;
use crate::browsers::Pass;
use crate::{Door, refusal};
pub(crate) use download::Downloads;
use policy::Asker;

/// Says that the gate is here and the browser signed in, and which version it is.
const HERE: &str = "/ui/here";
const COMMAND: &str = "/ui/command";
const EVENTS: &str = "/ui/events";

/// Whether a request is for the page. What isn't belongs to MCP.
pub(crate) fn is_for_page(method: &Method, path: &str) -> bool {
    match path {
        "/" | notice::ICON => is_read(method),
        path => path.starts_with("/ui/") || path.starts_with("/assets/") || assets::find(path).is_some(),
    }
}

/// The browser that the request comes from, if it is signed in.
pub(crate) fn pass(door: &Door, headers: &HeaderMap) -> Option<Pass> {
    let host = host(headers)?;
    let all = sign_in::cookies(headers, host);
    all.into_iter().find_map(|cookie| door.access.browsers.pass(cookie, host, door.gate.now()))
}

/// Answers a request that [`is_for_page`].
pub(crate) async fn serve(door: &Door, pass: Option<Pass>, request: Request<Incoming>) -> Response<HttpBody> {
    let response = match pass {
        Some(pass) => serve_signed_in(door, &pass, request).await,
        None => serve_stranger(door, &request).await,
    };
    policy::guarded(response)
}

/// Whoever isn't signed in can do that, and nothing else.
async fn serve_stranger(door: &Door, request: &Request<Incoming>) -> Response<HttpBody> {
    let headers = request.headers();
    match request.uri().path() {
        "/" => match sign_in::code(request) {
            Some(code) => sign_in::exchange(door, headers, code).await,
            // A link on another site's page doesn't bring the cookie along; the gate's own page does.
            None if policy::comes_from_elsewhere(headers) => notice::go_on(),
            None => notice::sign_in(headers),
        },
        notice::STYLE => notice::style(),
        notice::ICON => notice::icon(),
        _ => refusal::signed_out(),
    }
}

async fn serve_signed_in(door: &Door, pass: &Pass, request: Request<Incoming>) -> Response<HttpBody> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if method == Method::GET && path == "/" {
        return match sign_in::code(&request) {
            // Its code has no business in the address bar, be it good or spent.
            Some(_) => sign_in::to_page(None),
            None => assets::index(request.headers()),
        };
    }
    let asker = if method == Method::POST { Asker::Changes } else { Asker::Reads };
    if !policy::is_own_page(request.headers(), asker) {
        return refusal::foreign_origin();
    }
    match (path.as_str(), is_read(&method)) {
        (COMMAND, _) if method == Method::POST => command(door, pass, request).await,
        (HERE, true) => refusal::answer(StatusCode::OK, &serde_json::json!({ "version": env!("CARGO_PKG_VERSION") })),
        (EVENTS, _) if method == Method::GET => events::stream(door, pass),
        (notice::STYLE, true) => notice::style(),
        (notice::ICON, true) => notice::icon(),
        (path, _) if method == Method::GET && path.starts_with(download::PATH) => {
            door.downloads.fetch(pass, path).await
        }
        ("/", true) => assets::index(request.headers()),
        (path, true) => match assets::find(path) {
            Some(asset) => asset.response(request.headers()),
            None => refusal::nothing_here(),
        },
        _ => refusal::wrong_page_method(),
    }
}

/// Carries out one command of the page.
async fn command(door: &Door, pass: &Pass, request: Request<Incoming>) -> Response<HttpBody> {
    // A type that a form can't send, so that no page gets here without the browser's asking first.
    if !is_json(request.headers()) {
        return refusal::no_json();
    }
    let body = match whole(request.into_body()).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let command = match serde_json::from_slice(&body) {
        Ok(command) => command,
        Err(error) => {
            return refusal::fault(&Fault::new(
                Code::Protocol,
                format!("The command can't be read: {error}."),
                "The page is of another version than the gate: reload it.",
            ));
        }
    };
    note_use(door, pass);
    match carry_out(door, pass, command).await {
        Ok(answer) => refusal::answer(StatusCode::OK, &answer),
        Err(fault) => refusal::fault(&fault),
    }
}

/// A browser stays signed in for as long as it is used.
fn note_use(door: &Door, pass: &Pass) {
    let now = door.gate.now();
    if door.access.browsers.is_noted(pass, now) {
        return;
    }
    let (access, pass) = (Arc::clone(&door.access), pass.clone());
    tokio::task::spawn_blocking(move || {
        if let Err(fault) = access.browsers.note_use(&pass, now) {
            tracing::warn!(%fault, "a browser will be signed out although it is used");
        }
    });
}

async fn carry_out(door: &Door, pass: &Pass, command: Command) -> Result<Answer, Fault> {
    match command {
        // The machine's files are not the browser's: what is written here is fetched from there.
        Command::Conversations(conversations::Command::Export(Export { session_uuid, format, path: None })) => {
            let exported = door.downloads.export(&*door.gate, pass, session_uuid, format).await?;
            Ok(Answer::Conversations(conversations::Answer::Export(Box::new(exported))))
        }
        Command::Conversations(conversations::Command::Export(_)) => Err(not_here(
            "A page in a browser names no files of the gate's machine.",
            "Export without a path, and the browser downloads it; or use `review-gate export` in a terminal.",
        )),
        Command::Conversations(conversations::Command::Import(_)) => Err(not_here(
            "A page in a browser reads no files of the gate's machine.",
            "Use `review-gate import FILE` in a terminal there.",
        )),
        command => door.gate.carry_out(command, pass.origin()).await,
    }
}

fn not_here(message: &str, mend: &str) -> Fault {
    Fault::new(Code::InvalidInput, message, mend)
}

fn is_read(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The host and port that the browser calls the gate by. It was checked to be one of this machine's.
fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(HOST)?.to_str().ok()
}
