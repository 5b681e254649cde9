//! Heads of requests for the page as nobody would write them.

use http::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, AUTHORIZATION, COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Request};
use proptest::prelude::*;

use super::policy::{self, Asker};
use super::signed::Proof;
use super::{assets, is_for_page, notice, sign_in};
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
    "Review-Gate ",
    "key=",
    "line=",
    "number=7",
    "signature=AQID",
    "digest=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
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
        fuzz.batch(&(text(), text(), text(), text(), text()), |(host, origin, site, shown, target)| {
            let mut headers = HeaderMap::new();
            let language = target.as_str();
            for (name, value) in [
                (HOST, host.as_str()),
                (ORIGIN, &origin),
                (COOKIE, &shown),
                (AUTHORIZATION, &shown),
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
            if let Some(proof) = Proof::of(&headers) {
                assert!(shown.contains(proof.line) && !proof.line.contains(','), "{proof:?} of {shown:?}");
            }
            if sign_in::cookie_of_before(&headers).is_some() {
                assert!(shown.contains("review_gate_"), "{shown:?}");
            }
            if policy::is_own_page(&headers, Asker::Changes) {
                let said = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
                let own = said.is_none() && origin.eq_ignore_ascii_case(&format!("http://{host}"));
                assert!(said == Some("same-origin") || own, "{said:?} from {origin:?} at {host:?}");
                assert!(policy::is_own_page(&headers, Asker::Reads), "who may change may read");
            }
            assert!(notice::not_built(&headers).status().is_server_error());
            if let Ok(uri) = target.parse() {
                let mut request = Request::new(());
                *request.uri_mut() = uri;
                let path = request.uri().path();
                assert!(!path.starts_with("/mcp") || !is_for_page(request.method(), path), "MCP has its own door");
                if let Some(asset) = assets::find(path) {
                    assert!(asset.response(&headers).status().is_success(), "{path}");
                }
            }
        });
    }
}
