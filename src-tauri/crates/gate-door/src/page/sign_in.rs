//! From a one-time link to a cookie.

use std::sync::Arc;

use gate_core::bounds;
use gate_mcp::HttpBody;
use http::header::{COOKIE, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};

use super::{host, notice, policy};
use crate::browsers::NewPass;
use crate::{Door, refusal};

/// Longest code that is looked at, in bytes; ours have 32.
const CODE_BYTES: usize = 128;
/// Most cookies of our name that are looked at; a browser sends one.
const COOKIES: usize = 4;

/// The code of a link that somebody follows.
pub(super) fn code<B>(request: &Request<B>) -> Option<&str> {
    if *request.method() != Method::GET {
        return None;
    }
    let query = request.uri().query()?;
    let code = query.split('&').find_map(|pair| pair.strip_prefix("code="))?;
    Some(code.get(..CODE_BYTES).unwrap_or(code))
}

/// Signs the browser in that followed a link, or says why not.
pub(super) async fn exchange(door: &Door, headers: &HeaderMap, code: &str) -> Response<HttpBody> {
    // A link that is only looked at by a program must be good when the person comes.
    if policy::looks_ahead(headers) {
        return refusal::not_ahead();
    }
    let Some(host) = host(headers) else { return notice::sign_in(headers) };
    let (access, name) = (Arc::clone(&door.access), cookie_name(host));
    let (code, host) = (code.to_owned(), host.to_owned());
    let now = door.gate.now();
    let done = tokio::task::spawn_blocking(move || access.browsers.sign_in(&code, &host, now)).await;
    match done {
        Ok(Ok(Ok(NewPass { cookie, pass }))) => {
            if let Err(fault) = door.gate.signed_in(pass.name(), pass.origin()).await {
                tracing::warn!(%fault, "that a browser signed in can't be noted, so it isn't");
                let access = Arc::clone(&door.access);
                // What isn't noted is signed out at the next start, too.
                let _ = tokio::task::spawn_blocking(move || access.browsers.sign_one_out(&pass)).await;
                return refusal::fault(&fault);
            }
            tracing::info!("a browser has signed in");
            to_page(Some(&format!(
                "{name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
                bounds::BROWSER_MILLIS / 1000
            )))
        }
        Ok(Ok(Err(refused))) => notice::refused(headers, refused),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "a browser could not be signed in");
            refusal::fault(&fault)
        }
        Err(error) => refusal::fault(&gate_core::Fault::internal(error.to_string())),
    }
}

/// To the page, without what stands in the address.
pub(super) fn to_page(cookie: Option<&str>) -> Response<HttpBody> {
    let mut response = Response::new(Full::default().boxed_unsync());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(cookie).ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

/// The values of the gate's cookies. Cookies know no ports (RFC 6265, section 8.5): the name holds it,
/// so that two gates that are reached at one host don't take each other's place.
pub(super) fn cookies<'a>(headers: &'a HeaderMap, host: &str) -> Vec<&'a str> {
    let name = cookie_name(host);
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).take(COOKIES).collect()
}

fn cookie_name(host: &str) -> String {
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.chars().all(|c| c.is_ascii_digit()));
    format!("review_gate_{}", port.filter(|port| !port.is_empty()).unwrap_or("80"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_of_gates_at_other_ports_are_others() {
        assert_eq!(cookie_name("127.0.0.1:8321"), "review_gate_8321");
        assert_eq!(cookie_name("localhost"), "review_gate_80");
        assert_eq!(cookie_name("[::1]"), "review_gate_80", "what is in brackets is no port");
        let mut headers = HeaderMap::new();
        let sent = HeaderValue::from_static("a=b; review_gate_9=other; review_gate_8321=ours;review_gate_83210=no");
        headers.insert(COOKIE, sent);
        assert_eq!(cookies(&headers, "127.0.0.1:8321"), ["ours"]);
        assert_eq!(cookies(&headers, "127.0.0.1:1"), Vec::<&str>::new());
    }

    #[test]
    fn the_code_is_what_stands_in_the_links_query() {
        let of = |method: Method, uri: &str| {
            let mut request = Request::new(());
            *request.method_mut() = method;
            *request.uri_mut() = uri.parse().unwrap_or_default();
            code(&request).map(str::to_owned)
        };
        assert_eq!(of(Method::GET, "/?code=abc"), Some("abc".to_owned()));
        assert_eq!(of(Method::GET, "/?x=1&code=abc&y"), Some("abc".to_owned()));
        assert_eq!(of(Method::HEAD, "/?code=abc"), None, "looking spends nothing");
        assert_eq!(of(Method::GET, "/?xcode=abc"), None);
        assert_eq!(of(Method::GET, &format!("/?code={}", "a".repeat(500))).map(|code| code.len()), Some(CODE_BYTES));
    }
}
