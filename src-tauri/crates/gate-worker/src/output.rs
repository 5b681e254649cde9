//! What a run prints: handed on line by line as it comes, counted, and its last words kept.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much of the last words is kept, in bytes.
const TAIL: usize = 8 * 1024;
/// A longer line is handed on in pieces of this many bytes.
const LINE: usize = 8 * 1024;
/// How much is read at once.
const PIECE: usize = 16 * 1024;

/// Where something was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// What was printed so far.
pub(crate) struct Printed<W> {
    most: usize,
    count: usize,
    output: Vec<u8>,
    tail: VecDeque<u8>,
    lines: [Vec<u8>; 2],
    watch: W,
}

impl<W: FnMut(Stream, &str)> Printed<W> {
    /// Nothing yet; of which there may be `most` bytes.
    pub(crate) fn new(most: usize, watch: W) -> Self {
        Self { most, count: 0, output: Vec::new(), tail: VecDeque::new(), lines: [Vec::new(), Vec::new()], watch }
    }

    /// Reads both to their ends, or until there is more than there may be: `true` then. Whoever goes on reading after that
    /// does so to their ends, and keeps the last words alone. Given up in between, it goes on where it was.
    pub(crate) async fn read(
        &mut self,
        output: &mut (impl AsyncRead + Unpin),
        errors: &mut (impl AsyncRead + Unpin),
    ) -> bool {
        let was_over = self.is_over();
        let (mut pieces, mut are_open) = ([vec![0; PIECE], vec![0; PIECE]], [true, true]);
        let [first, second] = &mut pieces;
        while are_open != [false, false] {
            let (stream, read) = tokio::select! {
                read = output.read(first), if are_open[0] => (Stream::Output, read),
                read = errors.read(second), if are_open[1] => (Stream::Errors, read),
            };
            let piece = match stream {
                Stream::Output => &first[..],
                Stream::Errors => &second[..],
            };
            match read {
                Ok(count) if count > 0 => self.take(stream, &piece[..count]),
                Ok(_) | Err(_) => are_open[stream as usize] = false,
            }
            if self.is_over() && !was_over {
                return true;
            }
        }
        for stream in [Stream::Output, Stream::Errors] {
            self.line(stream);
        }
        false
    }

    fn is_over(&self) -> bool {
        self.count > self.most
    }

    fn take(&mut self, stream: Stream, piece: &[u8]) {
        let was_over = self.is_over();
        self.count = self.count.saturating_add(piece.len());
        self.tail.extend(piece);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
        if was_over {
            return;
        }
        if stream == Stream::Output {
            self.output.extend_from_slice(piece);
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.lines[stream as usize].extend_from_slice(part);
            if part.ends_with(b"\n") || self.lines[stream as usize].len() >= LINE {
                self.line(stream);
            }
        }
    }

    /// Hands on what there is of a line.
    fn line(&mut self, stream: Stream) {
        let line = std::mem::take(&mut self.lines[stream as usize]);
        for part in line.chunks(LINE) {
            (self.watch)(stream, String::from_utf8_lossy(part).trim_end_matches(['\n', '\r']));
        }
    }

    /// Standard output.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// The last of what was printed, in the order in which it came.
    pub(crate) fn tail(&self) -> String {
        let (begin, end) = self.tail.as_slices();
        String::from_utf8_lossy(&[begin, end].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_handed_on_and_the_last_words_kept() {
        let mut seen = Vec::new();
        let long = "x".repeat(LINE + 10);
        let text = format!("one\ntwo\r\n\n{long}\nlast");
        let mut printed = Printed::new(1 << 20, |stream, line: &str| seen.push((stream, line.to_owned())));
        assert!(!printed.read(&mut text.as_bytes(), &mut &b"oh\n"[..]).await, "it is within its bound");
        assert_eq!((printed.output(), printed.tail().len()), (text, TAIL));
        let errors: Vec<_> = seen.iter().filter(|(stream, _)| *stream == Stream::Errors).collect();
        assert_eq!(errors, [&(Stream::Errors, "oh".to_owned())]);
        let output: Vec<_> =
            seen.iter().filter(|(stream, _)| *stream == Stream::Output).map(|(_, line)| line).collect();
        assert_eq!(output, ["one", "two", "", &long[..LINE], &long[LINE..], "last"]);
    }

    #[tokio::test]
    async fn too_much_is_noticed_on_either_stream() {
        for (output, errors) in [(&b"12345"[..], &b""[..]), (b"", b"12345"), (b"123", b"45")] {
            let mut printed = Printed::new(4, |_, _: &str| ());
            assert!(printed.read(&mut &output[..], &mut &errors[..]).await, "five bytes are more than four");
            let kept = printed.output();
            assert!(!printed.read(&mut &b"later"[..], &mut &b""[..]).await, "it is read on, so that nobody is stopped");
            assert_eq!(printed.output(), kept, "and not kept");
            assert!(printed.tail().ends_with("later"), "but for the last words");
            let mut printed = Printed::new(5, |_, _: &str| ());
            assert!(!printed.read(&mut &output[..], &mut &errors[..]).await, "five are five");
        }
    }
}
