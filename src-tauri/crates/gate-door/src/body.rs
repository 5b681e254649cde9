//! Bodies of requests, within their bounds.

use std::time::Duration;

use bytes::Bytes;
use gate_core::bounds;
use gate_mcp::HttpBody;
use http::Response;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;

use crate::refusal;

/// How long a body may take to come.
const WAIT: Duration = Duration::from_secs(30);

/// The body, within its bounds of size and time.
pub(crate) async fn whole(body: Incoming) -> Result<Bytes, Response<HttpBody>> {
    bounded(body, bounds::HTTP_BODY_BYTES).await
}

/// The body, of at most `most` bytes, within its bound of time.
pub(crate) async fn bounded(body: Incoming, most: usize) -> Result<Bytes, Response<HttpBody>> {
    let body = Limited::new(body, most).collect();
    match tokio::time::timeout(WAIT, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(refusal::too_large(most)),
        Ok(Err(_)) => Err(refusal::half_sent()),
        Err(_) => Err(refusal::too_slow()),
    }
}
