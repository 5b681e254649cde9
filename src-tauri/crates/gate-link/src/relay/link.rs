//! One connection to a gate, from its hello to its end.

use super::asked::Asked;
use super::envelope::Key;
use super::outbox::{Line, Outbox};
use crate::lines::{LineReader, Read};
use gate_core::bounds;
use gate_os::local::{ReadHalf, Stream, WriteHalf};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::time::Instant;

#[derive(Debug)]
pub(crate) struct Link {
    lines: LineReader<ReadHalf>,
    out: Outbox<WriteHalf>,
    pub(crate) asked: Asked,
    swallow: HashSet<Key>,
    pub(crate) since: Instant,
    /// Whether the gate has said anything.
    pub(crate) heard: bool,
}

/// What happened on a link.
#[derive(Debug)]
pub(crate) enum Happening {
    /// The gate said a line, or too long a one.
    Said(Read),
    /// It took a line.
    Took,
    /// The connection is over.
    Over,
}

impl Link {
    pub(crate) fn new(stream: Stream, number: u64, hello: Vec<u8>, replay: super::ledger::Replay) -> Self {
        let (reader, writer) = stream.into_split();
        let mut out = Outbox::new(writer);
        out.push(hello);
        for line in replay.lines {
            out.push(line);
        }
        Self {
            lines: LineReader::new(reader, bounds::LINE_BYTES),
            out,
            asked: Asked::on(number),
            swallow: replay.swallow,
            since: Instant::now(),
            heard: false,
        }
    }

    /// Waits for what happens next; reads only if `reading`. Cancel safe.
    pub(crate) async fn next(&mut self, reading: bool) -> Happening {
        tokio::select! {
            read = self.lines.next(), if reading => match read {
                // A line that was cut off is dropped: the next gate says it again.
                Err(_) | Ok(Read::End | Read::Rest(_)) => Happening::Over,
                Ok(said) => {
                    self.heard = true;
                    Happening::Said(said)
                }
            },
            took = self.out.drive() => took.map_or(Happening::Over, |_| Happening::Took),
        }
    }

    pub(crate) fn send(&mut self, line: &Line) {
        self.out.push(Arc::clone(line));
    }

    pub(crate) fn send_new(&mut self, line: Vec<u8>) {
        self.out.push(line);
    }

    /// Whether the response is to a request that was only replayed for its effect; true once.
    pub(crate) fn swallows(&mut self, key: &Key) -> bool {
        self.swallow.remove(key)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.out.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.out.is_full()
    }
}
