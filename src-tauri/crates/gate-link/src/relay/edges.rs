//! Finding the id of a message that is too long to be read: in its first or last bytes, where
//! every serialiser in use puts it.

use super::envelope::key;

/// What the edges of a message tell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Edges {
    /// The id as JSON text.
    pub(crate) id: Option<String>,
    /// Whether it answers a request rather than being one.
    pub(crate) response: bool,
}

/// Reads the edges of a line.
pub(crate) fn read(head: &[u8], tail: &[u8]) -> Edges {
    let mut edges = Edges::default();
    let mut scan = Scan { text: head, at: 0 };
    let mut depth = 0_usize;
    let mut field: Option<&[u8]> = None;
    while let Some(token) = scan.token() {
        match token {
            b"{" | b"[" => depth += 1,
            b"}" | b"]" => depth = depth.saturating_sub(1),
            b":" | b"," => {}
            _ if depth == 1 && scan.peek() == Some(b':') => {
                edges.response |= matches!(token, b"\"result\"" | b"\"error\"");
                field = Some(token);
                continue;
            }
            _ if depth == 1 && field == Some(b"\"id\"") => edges.id = scalar(token),
            _ => {}
        }
        if token != b":" {
            field = None;
        }
    }
    edges.id = edges.id.or_else(|| id_at_the_end(tail));
    edges
}

/// The id of a message that ends with it: `…,"id":7}`. One brace closes both the object that the
/// id stands in and the message, so they are the same object. After a backslash, or after what
/// isn't known, the name may be longer.
fn id_at_the_end(tail: &[u8]) -> Option<String> {
    let text = tail.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let from = text.windows(5).rposition(|window| window[0] != b'\\' && window[1..] == *b"\"id\"")?;
    let value = text[from + 5..].trim_ascii_start().strip_prefix(b":")?.trim_ascii();
    scalar(value)
}

fn scalar(token: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(token).ok()?;
    key(text).map(|_| text.to_owned())
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// The next token that is whole within the text.
    fn token(&mut self) -> Option<&'a [u8]> {
        self.peek()?;
        let rest = &self.text[self.at..];
        let length = match rest.first()? {
            b'{' | b'}' | b'[' | b']' | b':' | b',' => 1,
            b'"' => {
                let mut escaped = false;
                let close = rest.iter().skip(1).position(|byte| {
                    let closes = *byte == b'"' && !escaped;
                    escaped = *byte == b'\\' && !escaped;
                    closes
                })?;
                close + 2
            }
            _ => rest.iter().position(|byte| b"{}[]:,\" \t\r\n".contains(byte))?,
        };
        self.at += length;
        Some(&rest[..length])
    }

    /// The first byte of the next token.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Edges, read};

    #[test]
    fn the_id_is_found_at_either_edge_but_not_within() {
        let found = |head: &str, tail: &str| read(head.as_bytes(), tail.as_bytes());
        let request = |id: Option<&str>| Edges { id: id.map(str::to_owned), response: false };
        let start = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"text":"aaaa"#;
        assert_eq!(found(start, "aaaa\"}}\n"), request(Some("7")), "Rust and Go write it first");
        let start = r#"{"method":"tools/call","params":{"name":"x","arguments":{"id":8,"text":"aaaa"#;
        assert_eq!(
            found(start, "aa\"}},\"jsonrpc\":\"2.0\",\"id\":\"a b\"}\n"),
            request(Some("\"a b\"")),
            "others last"
        );
        assert_eq!(found(start, "aa\",\"id\":8}}}\n"), request(None), "an argument is not the message's id");
        assert_eq!(found(start, "aa\"}},\"the\\\"id\":8}\n"), request(None), "nor is a field with a longer name");
        assert_eq!(found(start, "\"id\":8}\n"), request(None), "nor what may be one");
    }

    #[test]
    fn a_response_is_told_from_a_request() {
        let edges = read(br#"{"jsonrpc":"2.0","id":"x","result":{"content":"aaaa"#, b"aaa\"}}\n");
        assert_eq!(
            edges,
            Edges { id: Some("\"x\"".into()), response: true },
            "a refused response must not be answered with an error"
        );
    }
}
