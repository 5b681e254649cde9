//! The UI's files, as they were built. They are packed, and unpacked only for who can't read that; a
//! program that never serves them never reads them.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::GzDecoder;
use gate_mcp::HttpBody;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{BodyExt as _, Full};

use super::notice;
use crate::refusal;

/// A file of the UI.
#[derive(Debug)]
pub(super) struct Asset {
    /// Its path in the address, e.g. `/assets/index-1a2b.js`.
    path: &'static str,
    gzip: &'static [u8],
}

/// By their paths.
const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file at this path.
pub(super) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok().and_then(|at| ASSETS.get(at))
}

/// The page.
pub(super) fn index(headers: &HeaderMap) -> Response<HttpBody> {
    match find("/index.html") {
        Some(index) => index.response(headers),
        None => notice::not_built(headers),
    }
}

impl Asset {
    pub(super) fn response(&self, headers: &HeaderMap) -> Response<HttpBody> {
        let packed = accepts_gzip(headers);
        let body = match packed {
            true => Bytes::from_static(self.gzip),
            false => {
                let mut plain = Vec::new();
                match GzDecoder::new(self.gzip).read_to_end(&mut plain) {
                    Ok(_) => Bytes::from(plain),
                    Err(_) => return refusal::nothing_here(),
                }
            }
        };
        let mut response = Response::new(Full::new(body).boxed_unsync());
        let head = response.headers_mut();
        if packed {
            head.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        head.insert(VARY, HeaderValue::from_static("accept-encoding"));
        head.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind()));
        // A file's name below /assets holds a hash of its content; the page's own doesn't.
        let keep = if self.path.starts_with("/assets/") { "private, max-age=31536000, immutable" } else { "no-cache" };
        head.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
        response
    }

    /// Its type, by its name.
    fn kind(&self) -> &'static str {
        match self.path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "html" => "text/html; charset=utf-8",
            "js" | "mjs" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "json" | "map" => "application/json",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "ico" => "image/x-icon",
            "webp" => "image/webp",
            "woff2" => "font/woff2",
            "wasm" => "application/wasm",
            "wav" => "audio/wav",
            "mp3" => "audio/mpeg",
            "ogg" => "audio/ogg",
            "txt" | "ftl" => "text/plain; charset=utf-8",
            _ => "application/octet-stream",
        }
    }
}

/// Whether the browser reads gzip (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse().is_ok_and(|q: f32| q <= 0.0));
        ["gzip", "*"].contains(&name.trim().to_ascii_lowercase().as_str()) && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_go_to_whoever_reads_them() {
        for (sent, packed) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(sent));
            assert_eq!(accepts_gzip(&headers), packed, "{sent:?}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()), "who says nothing gets it plain");
    }

    #[test]
    fn files_are_found_by_their_path_only() {
        assert!(ASSETS.is_sorted_by_key(|asset| asset.path), "they are looked for by halves");
        for asset in ASSETS {
            assert!(find(asset.path).is_some() && asset.path.starts_with('/'), "{}", asset.path);
        }
        for path in ["", "/", "/assets/", "/assets/../index.html", "/index.html/", "/../token"] {
            assert!(find(path).is_none(), "{path:?}");
        }
    }
}
