//! Frames between the gate and `review-gate-voice`: one byte for the kind, the length of the rest in four
//! bytes, little-endian, then a message as JSON or sound as samples of 16 bits, little-endian, mono,
//! [`crate::SAMPLE_RATE`] a second.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The longest frame, in bytes: half a minute of sound.
pub const FRAME_BYTES: usize = 1 << 20;

const HEAD: usize = 5;
const MESSAGE: u8 = b'm';
const SOUND: u8 = b's';

/// A message or sound.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame<M> {
    /// A message.
    Message(M),
    /// Sound.
    Sound(Vec<i16>),
}

/// Reads a frame; `None` where the other side has ended in order.
///
/// # Errors
/// When it ended within a frame, or a frame isn't what it should be.
pub fn read<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<Frame<M>>> {
    let mut head = [0; HEAD];
    if from.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..])?;
    let mut body = vec![0; length(head)?];
    from.read_exact(&mut body)?;
    parsed(head[0], &body).map(Some)
}

/// Writes a message, at once.
///
/// # Errors
/// When the other side has gone.
pub fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&of_message(message)?)?;
    to.flush()
}

/// Writes sound, at once, in as many frames as it needs.
///
/// # Errors
/// When the other side has gone.
pub fn write_sound(to: &mut impl Write, samples: &[i16]) -> io::Result<()> {
    for piece in samples.chunks(FRAME_BYTES / 2) {
        to.write_all(&of_sound(piece))?;
    }
    to.flush()
}

/// As [`read`]. Not to be given up halfway: what was read of a frame would be lost.
///
/// # Errors
/// As [`read`].
pub async fn receive<M: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Frame<M>>> {
    let mut head = [0; HEAD];
    if from.read(&mut head[..1]).await? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..]).await?;
    let mut body = vec![0; length(head)?];
    from.read_exact(&mut body).await?;
    parsed(head[0], &body).map(Some)
}

/// As [`write()`].
///
/// # Errors
/// As [`write()`].
pub async fn send(to: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> io::Result<()> {
    to.write_all(&of_message(message)?).await?;
    to.flush().await
}

/// As [`write_sound`].
///
/// # Errors
/// As [`write_sound`].
pub async fn send_sound(to: &mut (impl AsyncWrite + Unpin), samples: &[i16]) -> io::Result<()> {
    for piece in samples.chunks(FRAME_BYTES / 2) {
        to.write_all(&of_sound(piece)).await?;
    }
    to.flush().await
}

fn length(head: [u8; HEAD]) -> io::Result<usize> {
    let [_, length @ ..] = head;
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES { Err(wrong(format!("a frame of {length} bytes"))) } else { Ok(length) }
}

fn parsed<M: DeserializeOwned>(kind: u8, body: &[u8]) -> io::Result<Frame<M>> {
    match kind {
        MESSAGE => serde_json::from_slice(body).map(Frame::Message).map_err(|error| wrong(error.to_string())),
        SOUND if body.len().is_multiple_of(2) => {
            let samples = body.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
            Ok(Frame::Sound(samples.collect()))
        }
        kind => Err(wrong(format!("a frame of kind {kind} with {} bytes", body.len()))),
    }
}

fn of_message(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message).map_err(|error| wrong(error.to_string()))?;
    if body.len() > FRAME_BYTES {
        return Err(wrong(format!("a frame of {} bytes", body.len())));
    }
    Ok(framed(MESSAGE, body.len(), |frame| frame.extend_from_slice(&body)))
}

fn of_sound(samples: &[i16]) -> Vec<u8> {
    framed(SOUND, samples.len() * 2, |frame| {
        frame.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    })
}

fn framed(kind: u8, length: usize, body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + length);
    frame.push(kind);
    frame.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    body(&mut frame);
    frame
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ToListener;

    #[test]
    fn what_is_written_is_read() {
        let mut pipe = Vec::new();
        let open = ToListener::Open { microphone: Some("mic".to_owned()) };
        write(&mut pipe, &open).expect("a vector takes all");
        write_sound(&mut pipe, &[0, 1, -1, i16::MIN, i16::MAX]).expect("a vector takes all");
        let mut from = pipe.as_slice();
        assert_eq!(read(&mut from).expect("a frame"), Some(Frame::Message(open)));
        let sound = Some(Frame::<ToListener>::Sound(vec![0, 1, -1, i16::MIN, i16::MAX]));
        assert_eq!(read(&mut from).expect("a frame"), sound);
        assert_eq!(read::<ToListener>(&mut from).expect("an end in order"), None);
    }

    #[test]
    fn long_sound_goes_in_several_frames() {
        let samples = vec![7; FRAME_BYTES];
        let mut pipe = Vec::new();
        write_sound(&mut pipe, &samples).expect("a vector takes all");
        let mut from = pipe.as_slice();
        let mut heard = Vec::new();
        while let Some(Frame::Sound(piece)) = read::<ToListener>(&mut from).expect("frames") {
            heard.extend(piece);
        }
        assert_eq!(heard, samples);
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let cases: [(&[u8], &str); 5] = [
            (b"x\x01\0\0\0a", "an unknown kind"),
            (b"m\x02\0\0\0{}", "no message"),
            (b"m\xff\xff\xff\x7f", "too long"),
            (b"s\x03\0\0\0abc", "half a sample"),
            (b"m\x05\0\0\0a", "an end within"),
        ];
        for (bytes, what) in cases {
            assert!(read::<ToListener>(&mut &*bytes).is_err(), "{what}");
        }
    }
}
