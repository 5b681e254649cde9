//! Heads of requests as nobody would write them.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;

use crate::fuzzing::Fuzz;
use crate::head;

const TOKENS: &[&str] =
    &["localhost", "127.0.0.1", "[::1]", ":", "@", "/", "..", "evil.example", "http://", "null", "Bearer ", "\t", " "];

#[test]
fn fuzz_http_heads() {
    let value =
        prop::collection::vec(prop_oneof![prop::sample::select(TOKENS).prop_map(str::to_owned), "\\PC{0,6}"], 0..6)
            .prop_map(|parts| parts.concat());
    let mut fuzz = Fuzz::new("fuzz_http_heads");
    while fuzz.goes_on() {
        fuzz.batch(&(value.clone(), value.clone(), value.clone()), |(host, origin, token)| {
            let mut headers = HeaderMap::new();
            for (name, value) in [(HOST, &host), (ORIGIN, &origin), (AUTHORIZATION, &token)] {
                if let Ok(value) = HeaderValue::from_str(value) {
                    headers.insert(name, value);
                }
            }
            if head::is_local_host(&headers, &[]) {
                let name = host.rsplit_once(':').map_or(host.as_str(), |(name, port)| {
                    if port.chars().all(|c| c.is_ascii_digit()) { name } else { host.as_str() }
                });
                let local = ["localhost", "127.0.0.1", "[::1]"];
                assert!(local.iter().any(|known| known.eq_ignore_ascii_case(name)), "{host:?} is not this machine");
            }
            if headers.contains_key(ORIGIN) && head::is_allowed_origin(&headers, &[]) {
                assert!(origin.eq_ignore_ascii_case(&format!("http://{host}")), "{origin:?} is not {host:?}");
            }
            if let Some(found) = head::bearer(&headers) {
                assert!(token.to_ascii_lowercase().starts_with("bearer ") && token.contains(found), "{token:?}");
            }
        });
    }
}
