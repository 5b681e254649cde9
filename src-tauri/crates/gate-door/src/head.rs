//! What is checked of a request's head, before anything else is looked at.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

/// Names of this machine that are good without a setting.
const LOCAL: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// Whether the client means this machine: one `Host`, a local name, any port (a forwarded one is
/// another than ours).
pub(crate) fn is_local_host(headers: &HeaderMap, allowed: &[String]) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Some(authority) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else { return false };
    let name = authority.host();
    // An authority may also hold a user, and more behind an address in brackets: no `Host` does.
    let is_port = |rest: &str| rest.strip_prefix(':').is_some_and(|port| port.chars().all(|c| c.is_ascii_digit()));
    if !authority.as_str().strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_port(rest)) {
        return false;
    }
    let same = |other: &str| name.eq_ignore_ascii_case(other);
    LOCAL.iter().any(|local| same(local)) || allowed.iter().any(|host| same(host))
}

/// Whether the request comes from no page, from one of the gate's own, or from one that the settings
/// name. The `Host` was checked before.
pub(crate) fn is_allowed_origin(headers: &HeaderMap, allowed: &[String]) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let own = headers.get(HOST).and_then(|host| host.to_str().ok()).map(|host| format!("http://{host}"));
    let is_allowed = |origin: &str| own.iter().chain(allowed).any(|allowed| allowed.eq_ignore_ascii_case(origin));
    headers.get_all(ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(is_allowed))
}

/// The page that the request comes from, if the settings name it.
pub(crate) fn named_origin(headers: &HeaderMap, allowed: &[String]) -> Option<HeaderValue> {
    let origin = headers.get(ORIGIN)?;
    let text = origin.to_str().ok()?;
    allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(text)).then(|| origin.clone())
}

/// The token of `Authorization: Bearer …` (RFC 6750, section 2.1).
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        let allowed = ["gate.internal".to_owned()];
        for (host, good) in [
            ("127.0.0.1:8321", true),
            ("LOCALHOST", true),
            ("[::1]:9", true),
            ("gate.internal:80", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost@evil.example", false),
            ("evil@localhost", false),
            ("[::1]..", false),
            ("[::1]0", false),
            ("localhost:x", false),
            ("", false),
        ] {
            assert_eq!(is_local_host(&headers(&[("host", host)]), &allowed), good, "{host:?}");
        }
        assert!(!is_local_host(&headers(&[]), &allowed), "a host has to be named");
        assert!(!is_local_host(&headers(&[("host", "localhost"), ("host", "evil.example")]), &allowed), "once");
    }

    #[test]
    fn pages_come_in_only_where_the_settings_name_them() {
        let allowed = ["http://localhost:6274".to_owned()];
        assert!(is_allowed_origin(&headers(&[]), &allowed), "programs send none");
        assert!(is_allowed_origin(&headers(&[("origin", "http://localhost:6274")]), &allowed));
        let own = |origin| headers(&[("host", "127.0.0.1:8321"), ("origin", origin)]);
        assert!(is_allowed_origin(&own("http://127.0.0.1:8321"), &[]), "the gate's own pages");
        assert!(!is_allowed_origin(&own("http://127.0.0.1:8322"), &[]), "another program's are not");
        for origin in ["http://localhost:6275", "https://localhost:6274", "null", "http://localhost"] {
            assert!(!is_allowed_origin(&headers(&[("origin", origin)]), &allowed), "{origin}");
        }
    }

    #[test]
    fn a_token_is_read_as_the_standard_says() {
        assert_eq!(bearer(&headers(&[("authorization", "Bearer abc")])), Some("abc"));
        assert_eq!(bearer(&headers(&[("authorization", "bearer  abc")])), Some("abc"), "the scheme has no case");
        for wrong in ["Basic abc", "abc", "Bearer"] {
            assert_eq!(bearer(&headers(&[("authorization", wrong)])), None, "{wrong}");
        }
        assert_eq!(bearer(&headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")])), None, "one only");
    }
}
