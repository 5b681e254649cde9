//! What a browser has to be told before it lets a page that the settings name speak to the gate
//! (Fetch standard, "CORS protocol"). Other pages are told nothing.

use gate_mcp::HttpBody;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};

/// The answer to the question whether a request may be made at all.
pub(crate) fn preflight(page: &HeaderValue, headers: &HeaderMap) -> Response<HttpBody> {
    let mut response = Response::new(Full::default().boxed_unsync());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let allowed = HeaderValue::from_static("GET, POST, DELETE");
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_METHODS, allowed);
    if let Some(asked) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    readable_by(page, response)
}

/// Lets this page read the response, and the header that names its session.
pub(crate) fn readable_by(page: &HeaderValue, mut response: Response<HttpBody>) -> Response<HttpBody> {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
    headers.insert(VARY, HeaderValue::from_static("origin"));
    response
}
