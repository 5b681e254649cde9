//! Lines on their way to a writer, written as far as the writer takes them.

use super::envelope::Key;
use gate_core::bounds;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// A line with its newline, shared between the ledger and the outboxes.
pub(crate) type Line = Arc<Vec<u8>>;

/// Written at a time: tokio's stdout keeps a buffer as large as the largest write.
const WRITE_BYTES: usize = 64 * 1024;
/// An outbox that holds more than this should not be given more.
const FULL_BYTES: usize = 1024 * 1024;
/// More than this is only reached by a reader that has stopped reading.
const FLOOD_BYTES: usize = 4 * bounds::LINE_BYTES;

#[derive(Debug)]
pub(crate) struct Outbox<W> {
    writer: W,
    queue: VecDeque<Parcel>,
    /// Bytes of the first parcel that the writer has taken.
    written: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Parcel {
    line: Line,
    receipt: Option<Key>,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, queue: VecDeque::new(), written: 0, bytes: 0 }
    }

    pub(crate) fn push(&mut self, line: impl Into<Line>) {
        self.put(line.into(), None);
    }

    /// Also asks for a receipt from [`Outbox::drive`] when the line is written.
    pub(crate) fn push_registered(&mut self, line: impl Into<Line>, receipt: Key) {
        self.put(line.into(), Some(receipt));
    }

    fn put(&mut self, line: Line, receipt: Option<Key>) {
        self.bytes += line.len();
        self.queue.push_back(Parcel { line, receipt });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes > FULL_BYTES
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.bytes > FLOOD_BYTES
    }

    /// Writes and flushes the first line; gives its receipt if one was asked for. Waits for ever
    /// if there is none. Cancel safe: what the writer has taken is remembered.
    pub(crate) async fn drive(&mut self) -> io::Result<Option<Key>> {
        let Some(first) = self.queue.front() else { return std::future::pending().await };
        while self.written < first.line.len() {
            let until = first.line.len().min(self.written + WRITE_BYTES);
            match self.writer.write(&first.line[self.written..until]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                taken => self.written += taken,
            }
        }
        self.writer.flush().await?;
        self.written = 0;
        let sent = self.queue.pop_front();
        self.bytes -= sent.as_ref().map_or(0, |parcel| parcel.line.len());
        if self.queue.is_empty() {
            self.queue = VecDeque::new();
        }
        Ok(sent.and_then(|parcel| parcel.receipt))
    }
}
