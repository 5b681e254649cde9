//! Lines of a stream, to the byte. One that is longer than is looked into comes in parts, so that it can be handed on as it is
//! without being kept.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes asked for at a time.
const CHUNK_BYTES: usize = 32 * 1024;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A line with its newline.
    Line(Vec<u8>),
    /// A part of a longer line, or what stood behind the last newline.
    Part {
        bytes: Vec<u8>,
        /// Whether the line ends with it.
        ends: bool,
    },
}

/// Reads lines of at most a given length whole.
#[derive(Debug)]
pub(super) struct Frames<R> {
    reader: R,
    bound: usize,
    /// What was read last, and how much of it is used up.
    chunk: Vec<u8>,
    from: usize,
    line: Vec<u8>,
    /// Whether the line is handed on in parts.
    is_within: bool,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Lines of at most `bound` bytes, without the newline.
    pub(super) fn new(reader: R, bound: usize) -> Self {
        Self { reader, bound, chunk: Vec::with_capacity(CHUNK_BYTES), from: 0, line: Vec::new(), is_within: false }
    }

    /// What comes next; absent at the end. Cancel safe: a call that is dropped has lost nothing.
    pub(super) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if self.from == self.chunk.len() {
                self.chunk.clear();
                self.from = 0;
                if self.reader.read_buf(&mut self.chunk).await? == 0 {
                    return Ok(self.rest());
                }
            }
            let seen = &self.chunk[self.from..];
            let end = seen.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(seen.len(), |at| at + 1);
            self.line.extend_from_slice(&seen[..taken]);
            self.from += taken;
            let length = self.line.len() - usize::from(end.is_some());
            if self.is_within || length > self.bound {
                self.is_within = end.is_none();
                return Ok(Some(Frame::Part { bytes: std::mem::take(&mut self.line), ends: end.is_some() }));
            }
            if end.is_some() {
                return Ok(Some(Frame::Line(std::mem::take(&mut self.line))));
            }
        }
    }

    /// What has come of a line whose end nobody waits for any more; absent where nothing has.
    pub(super) fn rest(&mut self) -> Option<Frame> {
        let bytes = std::mem::take(&mut self.line);
        (!bytes.is_empty()).then_some(Frame::Part { bytes, ends: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8], bound: usize) -> Vec<Frame> {
        let mut frames = Frames::new(text, bound);
        let mut found = Vec::new();
        while let Some(frame) = frames.next().await.expect("memory can be read") {
            found.push(frame);
        }
        found
    }

    fn bytes(frames: &[Frame]) -> Vec<u8> {
        let bytes = frames.iter().map(|frame| match frame {
            Frame::Line(bytes) | Frame::Part { bytes, .. } => bytes.as_slice(),
        });
        bytes.collect::<Vec<_>>().concat()
    }

    #[tokio::test]
    async fn a_line_at_the_bound_is_whole_and_a_longer_one_comes_in_parts() {
        let line = |text: &str| Frame::Line(text.as_bytes().to_vec());
        let part = |text: &str, ends| Frame::Part { bytes: text.as_bytes().to_vec(), ends };
        let found = all(b"12345\n123456\n\nab\nrest", 5).await;
        assert_eq!(found, [line("12345\n"), part("123456\n", true), line("\n"), line("ab\n"), part("rest", true)]);
        assert_eq!(all(b"1234567", 5).await, [part("1234567", false)], "one that never ends is handed on, too");
    }

    #[tokio::test]
    async fn not_a_byte_is_lost_or_changed() {
        let long = [vec![0xff; 3 * CHUNK_BYTES], b"\r\n\0".to_vec(), vec![b'a'; CHUNK_BYTES], b"\n\n{}\n\xc3".to_vec()];
        let text = long.concat();
        for bound in [0, 1, 5, CHUNK_BYTES, text.len()] {
            assert_eq!(bytes(&all(&text, bound).await), text, "with a bound of {bound}");
        }
    }
}
