//! The gate's page in a browser: the same UI as the windows', its commands, and what happens.
//!
//! Its files are everybody's; what it asks for it signs with a key that it made when it signed in (`signed.rs`). No token
//! opens it, and a browser sends nothing along by itself: pages of other local programs, those that the settings let speak
//! MCP among them, have nothing to show. `Host` and `Origin` are checked before; here it is checked besides that the
//! gate's own page asks.

mod assets;
mod download;
mod events;
#[cfg(test)]
mod fuzz;
mod notice;
mod policy;
mod sign_in;
mod signed;

use std::sync::Arc;

use gate_api::subjects::connections;
use gate_api::subjects::conversations::{self, Export};
use gate_api::{Answer, Command};
use gate_core::{Code, Digest, Fault};
use gate_mcp::HttpBody;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde::Serialize;

use crate::body::whole;
use crate::browsers::{Pass, Place};
use crate::refusal::SignedOut;
use crate::{Door, refusal};
pub(crate) use download::Downloads;
use policy::Asker;
use signed::Proof;

/// Opens a line, and says with that that the gate is here, the browser signed in, and which version it is.
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

/// A request that is signed by a browser that is signed in, as far as its head goes.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) pass: Pass,
    /// What the digest of its body has to be.
    digest: Digest,
}

/// Who has signed the request. Its number is used up with that; none is where it was before.
pub(crate) fn signer<B>(door: &Door, request: &Request<B>, port: u16) -> Option<Signed> {
    let (host, path) = (host(request.headers())?, request.uri().path());
    let proof = Proof::of(request.headers())?;
    let (pass, key) = door.access.browsers.find(&proof.key, Place { host, port }, door.gate.now())?;
    let text = proof.text(host, request.method(), path);
    if !door.gate.has_signed(&key, &proof.signature, text.as_bytes()) {
        return None;
    }
    let is_new = match path {
        // What is sent again opens a line that is of no use without the key.
        HERE => proof.opens(),
        _ => door.lines.take(&pass.name(), proof.line, proof.number),
    };
    is_new.then_some(Signed { pass, digest: proof.digest })
}

/// Answers a request that [`is_for_page`].
pub(crate) async fn serve(
    door: &Door,
    signed: Option<Signed>,
    request: Request<Incoming>,
    port: u16,
) -> Response<HttpBody> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    // The person comes from anywhere: an address bar, a chat, a bookmark.
    let comes_by = path == "/" && is_read(&method);
    let asker = if is_read(&method) { Asker::Reads } else { Asker::Changes };
    let response = if !comes_by && !policy::is_own_page(request.headers(), asker) {
        refusal::foreign_origin()
    } else {
        match (path.as_str(), is_read(&method)) {
            (HERE | COMMAND | EVENTS, _) if method == Method::POST => ask(door, signed, request).await,
            (sign_in::PATH, _) if method == Method::POST => sign_in::sign_in(door, request, port).await,
            ("/", true) => assets::index(request.headers()),
            (notice::STYLE, true) => notice::style(),
            (notice::ICON, true) => notice::icon(),
            (path, _) if method == Method::GET && path.starts_with(download::PATH) => {
                door.downloads.fetch(&door.access.browsers, door.gate.now(), path).await
            }
            (path, true) => match assets::find(path) {
                Some(asset) => asset.response(request.headers()),
                None => refusal::nothing_here(),
            },
            _ => refusal::wrong_page_method(),
        }
    };
    policy::guarded(response)
}

/// What only a browser that is signed in may ask.
async fn ask(door: &Door, signed: Option<Signed>, request: Request<Incoming>) -> Response<HttpBody> {
    let Some(Signed { pass, digest }) = signed else {
        return match Proof::of(request.headers()) {
            Some(_) => refusal::signed_out(SignedOut::Out),
            None => sign_in::unsigned(request.headers()),
        };
    };
    let (head, body) = request.into_parts();
    // A type that a form can't send, so that no page gets here without the browser's asking first.
    if head.uri.path() == COMMAND && !is_json(&head.headers) {
        return refusal::no_json();
    }
    let body = match whole(body).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    if Digest::of_bytes(&body) != digest {
        return refusal::signed_out(SignedOut::Out);
    }
    match head.uri.path() {
        HERE => line(door, &pass),
        EVENTS => events::stream(door, &pass),
        _ => command(door, &pass, &body).await,
    }
}

/// A line for a page of this browser.
#[derive(Debug, Serialize)]
struct Here {
    version: &'static str,
    line: String,
}

fn line(door: &Door, pass: &Pass) -> Response<HttpBody> {
    match door.lines.open(pass.name()) {
        Ok(line) => refusal::answer(StatusCode::OK, &Here { version: env!("CARGO_PKG_VERSION"), line }),
        Err(fault) => refusal::fault(&fault),
    }
}

/// Carries out one command of the page.
async fn command(door: &Door, pass: &Pass, body: &[u8]) -> Response<HttpBody> {
    let command = match serde_json::from_slice(body) {
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
        command => {
            let mut answer = door.gate.carry_out(command, pass.origin()).await?;
            if let Answer::Connections(connections::Answer::ListBrowsers(told)) = &mut answer {
                told.browsers.iter_mut().for_each(|each| each.here = each.browser == pass.name());
            }
            Ok(answer)
        }
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
