//! Who may ask for the page's things, and what a browser is told of what it may do with them.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Response};

/// The windows' policy (`tauri.conf.json`), for a page that has its gate at its own origin.
const CONTENT_POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; script-src 'self'; \
                              connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
                              frame-src 'none'; frame-ancestors 'none'";

/// What the request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// It changes something: the page has to be named.
    Changes,
    /// It reads, which a browser lets no page of another origin do.
    Reads,
}

/// Whether the gate's own page asks, or the person at the address bar. The browser itself says so:
/// `Sec-Fetch-Site` (Fetch Metadata) can't be set by a page; `Origin` is what older ones send.
pub(super) fn is_own_page(headers: &HeaderMap, asker: Asker) -> bool {
    if let Some(site) = word(headers, "sec-fetch-site") {
        return site == "same-origin" || (site == "none" && asker == Asker::Reads);
    }
    match headers.get(ORIGIN) {
        Some(origin) => {
            let own = headers.get(HOST).and_then(|host| host.to_str().ok()).map(|host| format!("http://{host}"));
            own.is_some_and(|own| origin.to_str().is_ok_and(|origin| own.eq_ignore_ascii_case(origin)))
        }
        None => asker == Asker::Reads,
    }
}

/// Whether the browser only looks ahead, so that nobody has seen anything yet.
pub(super) fn looks_ahead(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose"].iter().any(|name| word(headers, name).is_some_and(|word| word.contains("prefetch")))
}

fn word<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The response, with what holds for everything of the page.
pub(super) fn guarded<B>(mut response: Response<B>) -> Response<B> {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Whatever says nothing of itself is today's, and the person's.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [("host", "127.0.0.1:8321")].iter().chain(pairs) {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_the_gates_own_page_changes_anything() {
        for (sent, reads, changes) in [
            (&[("sec-fetch-site", "same-origin")][..], true, true),
            (&[("sec-fetch-site", "none")], true, false),
            (&[("sec-fetch-site", "same-site")], false, false),
            (&[("sec-fetch-site", "cross-site")], false, false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:8321")], false, false),
            (&[("origin", "http://127.0.0.1:8321")], true, true),
            (&[("origin", "http://127.0.0.1:8322")], false, false),
            (&[("origin", "null")], false, false),
            (&[], true, false),
        ] {
            let headers = headers(sent);
            assert_eq!(is_own_page(&headers, Asker::Reads), reads, "reading with {sent:?}");
            assert_eq!(is_own_page(&headers, Asker::Changes), changes, "changing with {sent:?}");
        }
    }

    #[test]
    fn the_policy_is_the_windows_own() -> Result<(), Box<dyn std::error::Error>> {
        let config: serde_json::Value = serde_json::from_str(include_str!("../../../../../tauri.conf.json"))?;
        let windows = config["app"]["security"]["csp"].as_str().ok_or("the windows have a policy")?;
        let rules = |policy: &str| -> Vec<String> { policy.split(';').map(|rule| rule.trim().to_owned()).collect() };
        let ours = rules(CONTENT_POLICY);
        for rule in rules(windows).iter().filter(|rule| !rule.starts_with("connect-src")) {
            assert!(ours.contains(rule), "{rule:?} holds for the windows and not for the page");
        }
        assert_eq!(ours.len(), rules(windows).len() + 1, "and nothing more is said than who may frame it");
        Ok(())
    }
}
