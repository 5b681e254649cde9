//! The URIs of resources: their parts as they are written, and the queries that they take. What a URI names
//! is its subject's to say.

use std::collections::BTreeMap;

use gate_core::ask::excerpt;
use gate_core::{Code, Fault};
use uuid::Uuid;

/// How every URI of the gate begins, but for those of skills.
const BASE: &str = "file://review-gate/";
/// The parameter that says where a page begins.
const CURSOR: &str = "cursor";
/// Longest query, in bytes: the longest words and the longest cursor, every byte encoded, still fit.
const QUERY_BYTES: usize = 8 * 1024;
/// Length of a UUID in its one form: 32 digits of either case with their four hyphens.
const UUID_BYTES: usize = 36;

/// What stands behind the beginning that all URIs of the gate have.
pub(crate) fn below(uri: &str) -> Option<&str> {
    uri.strip_prefix(BASE)
}

/// The URI of what stands behind that beginning.
pub(crate) fn of(path: &str) -> String {
    format!("{BASE}{path}")
}

/// A parameter that the query of a URI may have.
#[derive(Debug)]
pub(crate) struct Parameter {
    name: &'static str,
    /// What is wrong with a value.
    check: fn(&str) -> Result<(), Fault>,
}

impl Parameter {
    /// Where a page begins.
    pub(crate) const CURSOR: Self = Self::text(CURSOR);

    /// One that may be any text.
    pub(crate) const fn text(name: &'static str) -> Self {
        Self::checked(name, |_| Ok(()))
    }

    /// One whose values are checked.
    pub(crate) const fn checked(name: &'static str, check: fn(&str) -> Result<(), Fault>) -> Self {
        Self { name, check }
    }
}

/// The query of a URI. What is empty is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Where the page begins.
    pub(crate) cursor: Option<String>,
    /// What else is passed.
    given: BTreeMap<&'static str, String>,
}

impl Query {
    /// Reads the query of a resource with these parameters, `name=value` joined by `&`.
    ///
    /// # Errors
    /// `invalid_input` that names the parameter: one that the resource doesn't have, one that comes
    /// twice, a value that it can't have. `too_large` over [`QUERY_BYTES`].
    pub(crate) fn parse(parameters: &'static [Parameter], query: &str) -> Result<Self, Fault> {
        if query.len() > QUERY_BYTES {
            return Err(Fault::new(
                Code::TooLarge,
                format!("The URI's query has {} bytes; at most {QUERY_BYTES} are allowed.", query.len()),
                "Look for fewer words, and pass a cursor exactly as it came.",
            ));
        }
        let mut parsed = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let Some(known) = parameters.iter().find(|known| known.name == name) else {
                return Err(unknown(parameters, name));
            };
            if seen.contains(&known.name) {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("The URI has `{}` twice.", known.name),
                    "Pass each parameter once.",
                ));
            }
            seen.push(known.name);
            let value = decoded(value, true);
            if !value.is_empty() {
                (known.check)(&value)?;
                parsed = parsed.with(known.name, value);
            }
        }
        Ok(parsed)
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// The same query of another page.
    pub(crate) fn at(self, cursor: Option<String>) -> Self {
        Self { cursor, ..self }
    }

    /// With the value of one more parameter.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        match name {
            CURSOR => self.cursor = Some(value),
            name => drop(self.given.insert(name, value)),
        }
        self
    }

    /// The URI of a resource with this query: the cursor is the last of its parameters.
    pub(crate) fn uri(&self, resource: String) -> String {
        let given = self.given.iter().map(|(name, value)| (*name, value));
        let mut uri = resource;
        for (index, (name, value)) in given.chain(self.cursor.as_ref().map(|cursor| (CURSOR, cursor))).enumerate() {
            uri.push(if index == 0 { '?' } else { '&' });
            uri.push_str(name);
            uri.push('=');
            encode(value, &mut uri);
        }
        uri
    }
}

/// A UUID as it stands in the gate's own URIs. Other notations of one would make several URIs of one
/// resource.
pub(crate) fn uuid(text: &str) -> Option<Uuid> {
    Some(text).filter(|text| text.len() == UUID_BYTES).and_then(|text| Uuid::try_parse(text).ok())
}

fn unknown(parameters: &[Parameter], name: &str) -> Fault {
    let mend = match parameters {
        [] => "Leave the query out.".to_owned(),
        known => {
            let names: Vec<_> = known.iter().map(|known| known.name).collect();
            format!("It may have {}.", names.join(", "))
        }
    };
    let name = excerpt(&decoded(name, true), 60);
    Fault::new(Code::InvalidInput, format!("The URI's query has no parameter `{name}`."), mend)
}

/// Undoes the percent-encoding of a URI's part (RFC 3986, section 2.1). A lone percent sign stays; in a
/// query, a plus sign is a blank.
pub(crate) fn decoded(part: &str, is_query: bool) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).filter(|pair| pair.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|pair| std::str::from_utf8(pair).ok());
        match code.filter(|_| first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(if is_query && first == b'+' { b' ' } else { first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Percent-encodes everything but the unreserved characters (RFC 3986, section 2.3).
pub(crate) fn encode(text: &str, uri: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            uri.push(char::from(byte));
        } else {
            uri.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_with_spaces_and_letters_of_any_language_is_read() {
        assert_eq!(decoded("/home/a%20b/%E5%90%8D", false), "/home/a b/名");
        assert_eq!(decoded("/100%/x+y", false), "/100%/x+y", "a lone percent sign stays, and a plus sign in a path");
    }
}
