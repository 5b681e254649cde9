//! HTTP/1.1 as far as a platform's client speaks it: one request a connection.

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;

use serde_json::Value;

/// The largest body that is taken.
const MOST: usize = 16 * 1024 * 1024;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path and the query.
    pub(crate) target: String,
    /// Names in small letters.
    pub(crate) head: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    /// Reads one; nothing where the other side goes before it is whole.
    pub(crate) fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut parts = line.split_ascii_whitespace();
        let (Some(method), Some(target)) = (parts.next(), parts.next()) else { return Ok(None) };
        let (method, target) = (method.to_owned(), target.to_owned());
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            match line.trim_end().split_once(':') {
                Some((name, value)) => head.push((name.to_ascii_lowercase(), value.trim().to_owned())),
                None => break,
            }
        }
        let length = head.iter().find(|(name, _)| name == "content-length");
        let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0).min(MOST);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Some(Self { method, target, head, body }))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// A value of the query, decoded.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        self.queries(name).into_iter().next()
    }

    /// All values of a name in the query, decoded.
    pub(crate) fn queries(&self, name: &str) -> Vec<String> {
        let (_, query) = self.target.split_once('?').unwrap_or_default();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(known, _)| decoded(known) == name).map(|(_, value)| decoded(value)).collect()
    }

    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// A page of a list: its entries, and the number of the next page. Both platforms: `per_page` up to 100, `page` from 1.
    pub(crate) fn page(&self, all: Vec<Value>, usual: usize) -> (Vec<Value>, Option<usize>) {
        let number =
            |name: &str| self.query(name).and_then(|text| text.parse::<usize>().ok()).filter(|count| *count > 0);
        let (size, page) = (number("per_page").unwrap_or(usual).min(100), number("page").unwrap_or(1));
        let next = (all.len() > page * size).then_some(page + 1);
        (all.into_iter().skip((page - 1) * size).take(size).collect(), next)
    }
}

/// `%XX` and `+` as what they stand for.
pub(crate) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                out.push(value);
                at += 2;
            }
            None => out.push(if *byte == b'+' { b' ' } else { *byte }),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, head: Vec::new(), body: body.to_string() }
    }

    /// A refusal in the platform's words.
    pub(crate) fn refused(status: u16, message: &str) -> Self {
        Self::json(status, &serde_json::json!({"message": message}))
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.head.push((name.to_owned(), value.into()));
        self
    }

    /// Writes it, or as much of its body; the length says how long it is.
    pub(crate) fn write(&self, stream: &mut TcpStream, as_much: usize) -> io::Result<()> {
        let mut start = format!("HTTP/1.1 {} X\r\ncontent-type: application/json\r\n", self.status);
        for (name, value) in &self.head {
            start.push_str(&format!("{name}: {value}\r\n"));
        }
        start.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", self.body.len()));
        stream.write_all(start.as_bytes())?;
        stream.write_all(&self.body.as_bytes()[..as_much.min(self.body.len())])?;
        stream.flush()
    }
}
