//! Fuzzing what comes from a stream: lines and the hello are the same however the bytes arrive.

use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};
use crate::hello::{HELLO_BYTES, Hello, read_hello};
use crate::lines::{EDGE_BYTES, LineReader, Read};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, BufReader, ReadBuf};

const TOKENS: &[&str] = &[
    "\n",
    "\r\n",
    "\"role\":\"relay\"",
    "\"role\":\"control\"",
    "\"review_gate\":1",
    "\"review_gate\":-1",
    "\"pid\":4294967296",
    "\"terminal\":true",
    "null",
    "{",
    "}",
    "[",
    "\"",
    "\\ud800",
    "\\u0000",
    "1e999",
    "\u{202e}",
    "\0",
    ",",
    ":",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// Gives its bytes in parts of the given sizes, then in one.
struct Parts<'a> {
    bytes: &'a [u8],
    sizes: &'a [usize],
}

impl AsyncRead for Parts<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let size = self.sizes.split_off_first().copied().unwrap_or(usize::MAX);
        let size = size.min(buffer.remaining()).min(self.bytes.len());
        let part = self.bytes.split_off(..size).unwrap_or_default();
        buffer.put_slice(part);
        Poll::Ready(Ok(()))
    }
}

#[test]
fn fuzz_stream() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let mut fuzz = Fuzz::new("stream");
    for Bytes(seed) in seeds("hello") {
        runtime.block_on(hello_is_read(&seed, &[1; 80], 7));
    }
    let sizes = || vec(prop_oneof![1_usize..4, 1_usize..3000], 0..40);
    let hello = (damaged("hello", TOKENS), 0_usize..2 * HELLO_BYTES, sizes(), 1_usize..9000);
    // Lengths around the bound and around what is kept of a line that is too long.
    let length = prop_oneof![0_usize..20, 0_usize..3 * EDGE_BYTES, 2 * EDGE_BYTES - 3..2 * EDGE_BYTES + 3];
    let bound = prop_oneof![EDGE_BYTES..EDGE_BYTES + 3, EDGE_BYTES..3 * EDGE_BYTES];
    let lines = (vec(length, 0..8), bound, sizes(), any::<bool>());
    while fuzz.goes_on() {
        fuzz.batch(&lines, |(lengths, bound, sizes, ended)| {
            let mut bytes = Vec::new();
            for (number, length) in lengths.iter().enumerate() {
                bytes.extend((0..*length).map(|at| b'!' + u8::try_from((at + number) % 90).unwrap_or(0)));
                bytes.push(b'\n');
            }
            if !ended {
                bytes.pop();
            }
            runtime.block_on(lines_are_read(&bytes, bound, &sizes));
        });
        fuzz.batch(&hello, |(Bytes(mut bytes), padding, sizes, buffer)| {
            if padding % 4 == 0 {
                bytes.splice(0..0, std::iter::repeat_n(b' ', padding));
            }
            runtime.block_on(hello_is_read(&bytes, &sizes, buffer));
        });
    }
}

async fn lines_are_read(bytes: &[u8], bound: usize, sizes: &[usize]) {
    let mut reader = LineReader::new(Parts { bytes, sizes }, bound);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let ends = line.len() - text.len();
        let expected = if text.len() > bound {
            let tail = line[text.len() - EDGE_BYTES..].to_vec();
            Read::TooLong { head: line[..EDGE_BYTES].to_vec(), tail }
        } else if ends == 1 {
            Read::Line(line.to_vec())
        } else {
            Read::Rest(line.to_vec())
        };
        let read = reader.next().await.expect("memory can be read");
        assert!(read == expected, "a line of {} bytes with the bound {bound}", text.len());
    }
    for _ in 0..2 {
        assert_eq!(reader.next().await.expect("memory can be read"), Read::End, "the end stays the end");
    }
}

async fn hello_is_read(bytes: &[u8], sizes: &[usize], buffer: usize) {
    let mut reader = BufReader::with_capacity(buffer, Parts { bytes, sizes });
    let read = said(&mut reader).await;
    assert_eq!(read, said(bytes).await, "the parts that it comes in mean nothing");
    let length = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len() + 1, |newline| newline + 1);
    let Ok(hello) = read else { return };
    assert!(length <= HELLO_BYTES.min(bytes.len()), "a hello is a whole line, and not too long");
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).await.expect("memory can be read");
    assert_eq!(rest, bytes[length..], "what follows the hello is left to others");
    let line = hello.to_line();
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1), "a hello is one line");
    if line.len() <= HELLO_BYTES {
        assert_eq!(said(&*line).await, Ok(hello), "what is read can be said");
    }
}

async fn said<R: AsyncBufRead + Unpin>(mut reader: R) -> Result<Hello, String> {
    read_hello(&mut reader, Duration::from_secs(60)).await.map_err(|error| error.to_string())
}
