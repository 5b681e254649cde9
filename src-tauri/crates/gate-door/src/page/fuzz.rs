//! Heads of requests for the page as nobody would write them.

use http::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Request};
use proptest::prelude::*;

use super::policy::{self, Asker};
use super::{assets, is_for_page, notice, sign_in};
use crate::browsers::Refused;
use crate::fuzzing::Fuzz;

const TOKENS: &[&str] = &[
    "127.0.0.1",
    ":8321",
    "[::1]",
    "http://",
    "null",
    "same-origin",
    "same-site",
    "none",
    "review_gate_8321=",
    "review_gate_80=",
    ";",
    "=",
    " ",
    ",",
    "gzip",
    ";q=0",
    "zh-CN",
    "code=",
    "&",
    "?",
    "/",
    "..",
    "%2e",
    "/assets/",
    "/ui/",
];

#[test]
fn fuzz_page_heads() {
    let text = || {
        let part = prop_oneof![prop::sample::select(TOKENS).prop_map(str::to_owned), "\\PC{0,6}"];
        prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
    };
    let mut fuzz = Fuzz::new("fuzz_page_heads");
    while fuzz.goes_on() {
        fuzz.batch(&(text(), text(), text(), text(), text()), |(host, origin, site, cookie, target)| {
            let mut headers = HeaderMap::new();
            let language = target.as_str();
            for (name, value) in [
                (HOST, host.as_str()),
                (ORIGIN, &origin),
                (COOKIE, &cookie),
                (ACCEPT_ENCODING, language),
                (ACCEPT_LANGUAGE, language),
            ] {
                if let Ok(value) = HeaderValue::from_str(value) {
                    headers.insert(name, value);
                }
            }
            if let Ok(value) = HeaderValue::from_str(&site) {
                headers.insert("sec-fetch-site", value);
            }
            for found in sign_in::cookies(&headers, &host) {
                assert!(cookie.contains(found) && !found.contains(';'), "{found:?} of {cookie:?}");
            }
            if policy::is_own_page(&headers, Asker::Changes) {
                let said = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
                let own = said.is_none() && origin.eq_ignore_ascii_case(&format!("http://{host}"));
                assert!(said == Some("same-origin") || own, "{said:?} from {origin:?} at {host:?}");
                assert!(policy::is_own_page(&headers, Asker::Reads), "who may change may read");
            }
            assert!(notice::refused(&headers, Refused::Unknown).status().is_client_error());
            if let Ok(uri) = target.parse() {
                let mut request = Request::new(());
                *request.uri_mut() = uri;
                if let Some(code) = sign_in::code(&request) {
                    assert!(target.contains(code), "{code:?} of {target:?}");
                }
                let path = request.uri().path();
                assert!(!path.starts_with("/mcp") || !is_for_page(request.method(), path), "MCP has its own door");
                if let Some(asset) = assets::find(path) {
                    assert!(asset.response(&headers).status().is_success(), "{path}");
                }
            }
        });
    }
}
