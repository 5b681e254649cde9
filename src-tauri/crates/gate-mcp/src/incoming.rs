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
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What a line was.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request that can't be read: it is to be answered with this.
    Refused(RequestId, ErrorData),
    /// Nothing that anyone waits for an answer to.
    Nothing,
}

/// Reads a relay's lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new() }
    }

    /// The next line's content; absent when the relay has gone, or sends a line that is longer than
    /// a relay lets through. Cancel safe: what was read stays.
    ///
    /// # Errors
    /// The reader's.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            let seen = self.reader.fill_buf().await?;
            if seen.is_empty() {
                return Ok(None);
            }
            let newline = seen.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(seen.len(), |at| at + 1);
            self.line.extend_from_slice(&seen[..taken]);
            self.reader.consume(taken);
            if self.line.len() > bounds::LINE_BYTES + 1 {
                return Ok(None);
            }
            if newline.is_some() {
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
const LINE_KEPT: usize = 64 * 1024;

fn read(line: &[u8]) -> Incoming {
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
            Incoming::Message(_) | Incoming::Nothing => None,
        }
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
