//! What a relay says to its gate besides the agent's messages, in the agent's stream but not of it.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Every private line starts with exactly these bytes.
pub const PRIVATE_PREFIX: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/review_gate/"#;

/// How the method of every private line begins; nobody but a relay may say such a method.
pub(crate) const PRIVATE_METHODS: &str = "notifications/review_gate/";

const DELIVERED: &str = "delivered";
const HEARTBEAT: &str = "heartbeat";

/// A relay's notification to its gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivateNote {
    /// The response to a `tools/call` was written to the agent's pipe, whole. May come twice for
    /// one response, and on a later connection than the response did.
    Delivered {
        /// The request's JSON-RPC id as JSON text: `7` or `"seven"`.
        id_raw: String,
    },
    /// The relay lives; comes every 10 s.
    Heartbeat,
}

impl PrivateNote {
    /// The note as a line with its newline.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = PRIVATE_PREFIX.to_vec();
        match self {
            Self::Delivered { id_raw } => {
                line.extend_from_slice(format!("{DELIVERED}\",\"params\":{{\"id\":{id_raw}}}}}\n").as_bytes());
            }
            Self::Heartbeat => line.extend_from_slice(format!("{HEARTBEAT}\"}}\n").as_bytes()),
        }
        line
    }
}

/// The note in a line from a relay, or `None` if the line is the agent's. Nearly free for those.
#[must_use]
pub fn private(line: &[u8]) -> Option<PrivateNote> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    #[derive(Deserialize)]
    struct Note<'a> {
        #[serde(borrow)]
        params: Option<Params<'a>>,
    }
    let rest = line.strip_prefix(PRIVATE_PREFIX)?;
    if rest.starts_with(HEARTBEAT.as_bytes()) {
        return Some(PrivateNote::Heartbeat);
    }
    rest.strip_prefix(DELIVERED.as_bytes())?.strip_prefix(b"\"")?;
    let note: Note<'_> = serde_json::from_slice(line).ok()?;
    Some(PrivateNote::Delivered { id_raw: note.params?.id.get().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{PrivateNote, private};

    #[test]
    fn what_a_relay_writes_is_what_the_gate_reads() {
        let notes = [
            PrivateNote::Heartbeat,
            PrivateNote::Delivered { id_raw: "7".into() },
            PrivateNote::Delivered { id_raw: r#""a \"b\" c""#.into() },
        ];
        for note in notes {
            assert_eq!(private(&note.to_line()), Some(note), "both ends must agree on the bytes");
        }
    }

    #[test]
    fn an_agents_line_is_not_private() {
        let line = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        assert_eq!(private(line), None, "an agent's notification must reach the server");
    }
}
