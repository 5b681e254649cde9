//! Exports on their way to a browser: written to a private folder, fetched once, gone. A browser signs nothing that it
//! downloads: the address is a secret, which the answer to a signed command tells, and good once, for a minute.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use gate_api::subjects::conversations::{self, Export, Exported};
use gate_api::{Answer, Command};
use gate_core::export::ExportFormat;
use gate_core::{Fault, SessionUuid, Timestamp, bounds};
use gate_mcp::HttpBody;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Response};

use super::events::Pieces;
use crate::browsers::{Browsers, Pass};
use crate::port::DoorPort;
use crate::refusal;
use crate::secrets::random;

/// Where a browser fetches them.
pub(super) const PATH: &str = "/ui/download/";
/// Random bytes of an address: 192 bits.
const ADDRESS_BYTES: usize = 24;
/// How much of a file is read at once, in bytes.
const PIECE: usize = 64 * 1024;
/// Pieces that are read and wait for the browser.
const READ_AHEAD: usize = 4;

/// Exports that wait to be fetched.
#[derive(Debug)]
pub(crate) struct Downloads {
    folder: PathBuf,
    waiting: Mutex<VecDeque<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    /// Its address.
    path: String,
    /// The browser that asked for it, which has to be signed in still.
    pass: Pass,
    until: Timestamp,
    folder: PathBuf,
    file: PathBuf,
}

impl Downloads {
    /// Downloads below this folder, which nothing else uses. What a gate before this one left there goes.
    pub(crate) fn new(folder: PathBuf) -> Self {
        remove(&folder);
        Self { folder, waiting: Mutex::default() }
    }

    /// Writes an export; the answer's `path` is where the browser fetches it, ending in the file's name.
    pub(super) async fn export(
        &self,
        gate: &dyn DoorPort,
        pass: &Pass,
        session: Option<SessionUuid>,
        format: ExportFormat,
    ) -> Result<Exported, Fault> {
        let secret = random::<ADDRESS_BYTES>()?;
        let folder = self.folder.join(gate.new_id().simple().to_string());
        let made = folder.clone();
        let making = tokio::task::spawn_blocking(move || std::fs::create_dir_all(made));
        let made = making.await.map_err(|error| Fault::internal(error.to_string()))?;
        made.map_err(|error| Fault::internal(format!("No folder for the export: {error}.")))?;
        let path = Some(folder.display().to_string());
        let export = conversations::Command::Export(Export { session_uuid: session, format, path });
        let exported = match gate.carry_out(Command::Conversations(export), pass.origin()).await {
            Ok(Answer::Conversations(conversations::Answer::Export(exported))) => Ok(*exported),
            Ok(_) => Err(Fault::internal("An export was answered as another command.")),
            Err(fault) => Err(fault),
        };
        let Exported { path: file, conversations } = match exported {
            Ok(exported) => exported,
            Err(fault) => {
                tokio::task::spawn_blocking(move || remove(&folder));
                return Err(fault);
            }
        };
        let file = PathBuf::from(file);
        let path = format!("{PATH}{secret}/{}", encoded(name_of(&file)));
        let until = gate.now().plus_millis(bounds::DOWNLOAD_MILLIS);
        self.keep(Waiting { path: path.clone(), pass: pass.clone(), until, folder, file });
        Ok(Exported { path, conversations })
    }

    fn keep(&self, new: Waiting) {
        let oldest = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push_back(new);
            if waiting.len() > bounds::DOWNLOADS { waiting.pop_front() } else { None }
        };
        if let Some(oldest) = oldest {
            tokio::task::spawn_blocking(move || remove(&oldest.folder));
        }
    }

    fn take(&self, path: &str) -> Option<Waiting> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|each| each.path == path)?;
        waiting.remove(at)
    }

    /// The file, whose name is gone with this.
    pub(super) async fn fetch(&self, browsers: &Browsers, now: Timestamp, path: &str) -> Response<HttpBody> {
        let Some(waiting) = self.take(path) else { return refusal::nothing_here() };
        if waiting.until <= now || !browsers.is_good(&waiting.pass, now) {
            tokio::task::spawn_blocking(move || remove(&waiting.folder));
            return refusal::nothing_here();
        }
        let opening = tokio::task::spawn_blocking(move || {
            let file = File::open(&waiting.file);
            // What is open can be read to its end.
            remove(&waiting.folder);
            let file = file?;
            Ok::<_, std::io::Error>((file.metadata()?.len(), file, waiting.file))
        });
        let Ok(Ok((length, file, name))) = opening.await else { return refusal::nothing_here() };
        let (send, body) = Pieces::channel(READ_AHEAD);
        tokio::task::spawn_blocking(move || {
            let mut file = file.take(length);
            loop {
                let mut piece = vec![0; PIECE];
                match file.read(&mut piece) {
                    Ok(count @ 1..) => piece.truncate(count),
                    Ok(0) => return,
                    Err(error) => {
                        // The length that was promised doesn't come, which the browser notices.
                        tracing::warn!(%error, "an export could not be read");
                        return;
                    }
                }
                if send.blocking_send(Bytes::from(piece)).is_err() {
                    return;
                }
            }
        });
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        if let Some(disposition) = attachment(&name) {
            headers.insert(CONTENT_DISPOSITION, disposition);
        }
        response
    }
}

fn name_of(file: &Path) -> &str {
    file.file_name().and_then(OsStr::to_str).unwrap_or("export")
}

/// A name as addresses and headers have it: bytes that aren't letters, digits or one of `-._` in hexadecimal.
fn encoded(name: &str) -> String {
    name.bytes().fold(String::with_capacity(name.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Names the file (RFC 6266); its name is one of ours, of letters, digits, hyphens and dots.
fn attachment(file: &Path) -> Option<HeaderValue> {
    let name = name_of(file);
    let named =
        if name.is_ascii() { format!("filename=\"{name}\"") } else { format!("filename*=UTF-8''{}", encoded(name)) };
    HeaderValue::from_str(&format!("attachment; {named}")).ok()
}

fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "an export for a browser is left over");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::StatusCode;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::browsers::{LinkedBy, Place};
    use crate::fake_gate::{EXPORTED, FakeGate};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const HERE: Place<'_> = Place { host: "localhost:8321", port: 8321 };
    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn signed_in(browsers: &Browsers) -> Result<Pass, Box<dyn std::error::Error>> {
        let (code, _) = browsers.new_link(LinkedBy::Person, NOW)?;
        Ok(browsers.sign_in(&code, b"a key", HERE, "", NOW)?.map_err(|refused| format!("{refused:?}"))?)
    }

    #[test]
    fn a_plain_name_is_said_as_it_is() {
        let named = attachment(Path::new("/downloads/1/review-gate-all-2026-11-21.json"));
        assert_eq!(named, HeaderValue::from_str("attachment; filename=\"review-gate-all-2026-11-21.json\"").ok());
    }

    #[tokio::test]
    async fn an_export_is_fetched_once_soon_and_a_further_one_takes_the_oldest_ones_place() -> Outcome {
        let folder = tempfile::tempdir()?;
        let gate = FakeGate;
        let place = folder.path().join("downloads");
        std::fs::create_dir_all(place.join("left over"))?;
        let downloads = Downloads::new(place.clone());
        assert!(!place.exists(), "nothing of an earlier gate stays");
        let browsers = Browsers::open(folder.path().join("browsers"));
        let one = signed_in(&browsers)?;
        let mut paths = Vec::new();
        for _ in 0..=bounds::DOWNLOADS {
            paths.push(downloads.export(&gate, &one, None, ExportFormat::Json).await?.path);
        }
        assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len(), "each address is a secret of its own");
        let fetch = async |path: &str, now| downloads.fetch(&browsers, now, path).await;
        assert_eq!(fetch(&paths[0], NOW).await.status(), StatusCode::NOT_FOUND, "the oldest made room");
        let late = NOW.plus_millis(bounds::DOWNLOAD_MILLIS);
        assert_eq!(fetch(&paths[3], late).await.status(), StatusCode::NOT_FOUND, "nobody came for it in time");
        let response = fetch(&paths[1], NOW).await;
        assert_eq!(response.status(), StatusCode::OK);
        let encoded = "%E5%88%A0%E9%99%A4-2026-11-21.json";
        assert!(paths[1].ends_with(&format!("/{encoded}")), "an address that is all ASCII: {}", paths[1]);
        let named = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{encoded}"))?;
        assert_eq!(response.headers().get(CONTENT_DISPOSITION), Some(&named), "and the file's own name");
        let length = response.headers().get(CONTENT_LENGTH).cloned();
        let body = response.into_body().collect().await?.to_bytes();
        assert_eq!(length, Some(HeaderValue::from(body.len())));
        assert!(body.as_ref() == EXPORTED, "the whole file: {body:?}");
        assert_eq!(fetch(&paths[1], NOW).await.status(), StatusCode::NOT_FOUND, "once");
        for wrong in [PATH, "/ui/download/../token", &paths[2][..paths[2].len() - 1]] {
            assert_eq!(fetch(wrong, NOW).await.status(), StatusCode::NOT_FOUND, "{wrong}");
        }
        browsers.sign_out()?;
        assert_eq!(fetch(&paths[2], NOW).await.status(), StatusCode::NOT_FOUND, "nor after signing out");
        Ok(())
    }
}
