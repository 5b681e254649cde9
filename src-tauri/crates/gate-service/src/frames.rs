//! Messages on a stream: a line of JSON each, and so many bytes as one has announced.
//!
//! Knows no message.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::wire::MESSAGE_BYTES;

/// What goes wrong between two ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The other end is gone.
    #[error("the connection was closed")]
    Closed,
    /// The system says so.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The other end says what isn't known here.
    #[error("no message of this version: {0}")]
    Unknown(String),
}

/// Says one.
pub(crate) async fn say(to: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> Result<(), FrameError> {
    let mut line = serde_json::to_vec(message).map_err(|error| FrameError::Unknown(error.to_string()))?;
    line.push(b'\n');
    to.write_all(&line).await?;
    Ok(to.flush().await?)
}

/// Hears one. Byte by byte, so that none of what comes behind it is taken; they are few.
pub(crate) async fn hear<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> Result<T, FrameError> {
    let mut line = Vec::new();
    loop {
        match from.read_u8().await {
            Ok(b'\n') => break,
            Ok(byte) if line.len() < MESSAGE_BYTES => line.push(byte),
            Ok(_) => return Err(FrameError::Unknown(format!("longer than {MESSAGE_BYTES} bytes"))),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Err(FrameError::Closed),
            Err(error) => return Err(error.into()),
        }
    }
    serde_json::from_slice(&line).map_err(|error| FrameError::Unknown(error.to_string()))
}

/// So many bytes, which are no more than `bound`.
#[cfg(target_os = "linux")]
pub(crate) async fn bytes(
    from: &mut (impl AsyncRead + Unpin),
    length: usize,
    bound: usize,
) -> Result<Vec<u8>, FrameError> {
    if length > bound {
        return Err(FrameError::Unknown(format!("{length} bytes are more than {bound}")));
    }
    // Room is taken as they come, not as they are announced.
    let mut bytes = Vec::new();
    let read = from.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut bytes).await?;
    if read < length { Err(FrameError::Closed) } else { Ok(bytes) }
}
