//! Messages as they come from a relay. rmcp's own reader drops a line that it can't read, or answers
//! it without an id, and the client waits for ever; here each such request is refused by its id.

use std::io;

use gate_core::bounds;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// How every line begins that the relay says itself and not for its client. It writes exactly these bytes, and no
/// client gets such a method past it.
const PRIVATE: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/review_gate/"#;

/// What a line was.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request that can't be read: it is to be answered with this.
    Refused(RequestId, ErrorData),
    /// The relay's client has the result of this call.
    Delivered(RequestId),
    /// The relay lives.
    Beat,
    /// Nothing that anyone waits for an answer to.
    Nothing,
}

/// Reads a relay's lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    /// The next line's content; absent when the relay has gone, or sends a line that is longer than
    /// a relay lets through. Cancel safe: what was read stays.
    ///
    /// # Errors
    /// The reader's.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            let mut seen = self.reader.fill_buf().await?;
            if seen.is_empty() {
                return Ok(None);
            }
            let taken = io::BufRead::read_until(&mut seen, b'\n', &mut self.line)?;
            self.reader.consume(taken);
            if self.line.len() > bounds::LINE_BYTES + 1 {
                return Ok(None);
            }
            if self.line.last() == Some(&b'\n') {
                let incoming = read(&self.line);
                self.line.clear();
                // One large message must not cost its size for as long as the agent lives.
                self.line.shrink_to(LINE_KEPT);
                return Ok(Some(incoming));
            }
        }
    }
}

/// How much room for a line is kept, in bytes.
const LINE_KEPT: usize = 4 * 1024;

/// What the relay says itself. What a later one says that isn't known is nothing.
fn private(line: &[u8]) -> Option<Incoming> {
    #[derive(Deserialize)]
    struct Note {
        params: Call,
    }
    #[derive(Deserialize)]
    struct Call {
        id: RequestId,
    }
    let word = line.strip_prefix(PRIVATE)?.split(|byte| *byte == b'"').next();
    Some(match word {
        Some(b"heartbeat") => Incoming::Beat,
        Some(b"delivered") => {
            let note: Result<Note, _> = serde_json::from_slice(line);
            note.map_or(Incoming::Nothing, |note| Incoming::Delivered(note.params.id))
        }
        _ => Incoming::Nothing,
    })
}

fn read(line: &[u8]) -> Incoming {
    if let Some(note) = private(line) {
        return note;
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Incoming::Message(Box::new(message)),
        Err(error) => error,
    };
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
        #[serde(rename = "method")]
        _method: IgnoredAny,
    }
    let envelope: Result<Envelope<'_>, _> = serde_json::from_slice(line);
    let id = envelope.ok().and_then(|envelope| serde_json::from_str::<RequestId>(envelope.id.get()).ok());
    let Some(id) = id else {
        tracing::debug!(%error, "a line that is no message");
        return Incoming::Nothing;
    };
    let (code, what) = match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(_) => (ErrorCode::INVALID_REQUEST, "a part of it has the wrong type or is missing".to_owned()),
        // A lone surrogate, a number beyond all bounds, nesting without end.
        Err(error) => (ErrorCode::PARSE_ERROR, error.to_string()),
    };
    Incoming::Refused(id, ErrorData::new(code, format!("The request can't be read: {what}."), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<(RequestId, ErrorCode)> {
        match read(line.as_bytes()) {
            Incoming::Refused(id, error) => Some((id, error.code)),
            Incoming::Message(_) | Incoming::Delivered(_) | Incoming::Beat | Incoming::Nothing => None,
        }
    }

    #[test]
    fn what_a_relay_says_itself_is_told_from_what_its_client_says() {
        let said = |rest: &str| read(&[PRIVATE, rest.as_bytes()].concat());
        for (id, named) in [("7", RequestId::Number(7)), (r#""a\"b""#, RequestId::String("a\"b".into()))] {
            let note = said(&format!("delivered\",\"params\":{{\"id\":{id}}}}}\n"));
            assert!(matches!(&note, Incoming::Delivered(id) if *id == named), "{note:?}");
        }
        assert!(matches!(said("heartbeat\"}\n"), Incoming::Beat));
        for unknown in ["delivered\",\"params\":{\"id\":[]}}\n", "delivered\"}\n", "heartbeats\"}\n", "later\"}\n"] {
            assert!(matches!(said(unknown), Incoming::Nothing), "{unknown}");
        }
        let client = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert!(matches!(read(client), Incoming::Message(_)), "all else is the client's");
    }

    #[test]
    fn a_request_that_cannot_be_read_is_refused_by_its_id() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (params, code) in [
            (r#"{"name":"t","arguments":{"message":"\ud800"}}"#.to_owned(), ErrorCode::PARSE_ERROR),
            (r#"{"name":"t","arguments":{"n":1e999}}"#.to_owned(), ErrorCode::PARSE_ERROR),
            (format!(r#"{{"name":"t","arguments":{{"deep":{deep}}}}}"#), ErrorCode::PARSE_ERROR),
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
            assert_eq!(refused(&line), Some((RequestId::Number(7), code)), "{line:.80}");
        }
        let wrong = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","_meta":7}}"#;
        let old = r#"{"id":8,"method":"ping"}"#;
        for line in [wrong, old] {
            assert!(
                matches!(refused(line), Some((_, ErrorCode::INVALID_REQUEST)))
                    || matches!(read(line.as_bytes()), Incoming::Message(_)),
                "it is understood or refused, never left: {line}"
            );
        }
    }

    #[test]
    fn what_needs_no_answer_gets_none() {
        for line in ["{}", "nonsense", r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"n":1e999}}"#] {
            assert!(matches!(read(line.as_bytes()), Incoming::Nothing), "{line}");
        }
    }

    #[tokio::test]
    async fn a_line_beyond_the_bound_ends_the_connection() -> io::Result<()> {
        let mut long = vec![b'x'; bounds::LINE_BYTES + 2];
        long.push(b'\n');
        assert!(Lines::new(&long[..]).next().await?.is_none(), "no relay lets one through");
        let mut lines = Lines::new(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"[..]);
        assert!(matches!(lines.next().await?, Some(Incoming::Message(_))));
        assert!(lines.next().await?.is_none(), "and then it has gone");
        Ok(())
    }
}
