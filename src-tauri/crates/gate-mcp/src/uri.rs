//! The URIs of resources: what each of them names, and the queries that they take.

use gate_core::ask::excerpt;
use gate_core::{AttachmentId, Code, Fault, SessionStatus, SessionUuid, prompt};
use uuid::Uuid;

use crate::skills;

/// How every URI of the gate begins, but for those of skills.
const BASE: &str = "file://review-gate/";
/// How the URIs of skills begin and end (SEP-2640), and what lists them.
const SKILL: &str = "skill://";
const SKILL_FILE: &str = "/SKILL.md";
const SKILL_INDEX: &str = "index.json";
/// Longest query, in bytes: the longest words and the longest cursor, every byte encoded, still fit.
const QUERY_BYTES: usize = 8 * 1024;
/// Length of a UUID in its one form: 32 digits of either case with their four hyphens.
const UUID_BYTES: usize = 36;

/// What a URI names, without its query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// All conversations.
    Conversations,
    /// The active ones.
    Active,
    /// One conversation with its messages.
    Conversation(SessionUuid),
    /// One session.
    Session(SessionUuid),
    /// A conversation's checkpoints.
    Checkpoints(SessionUuid),
    /// The settings.
    Config,
    /// An attachment's bytes.
    Attachment(AttachmentId),
    /// All prompts.
    Templates,
    /// The file of the prompt of this id.
    Template(String),
    /// What skills there are.
    Skills,
    /// The prompt that has this name as a skill.
    Skill(String),
}

impl Target {
    /// What a URI names, and its query. Absent where it names nothing that there could be.
    pub(crate) fn of(uri: &str) -> Option<(Self, &str)> {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        if let Some(path) = path.strip_prefix(SKILL) {
            return Some((skill(path)?, query));
        }
        let path = path.strip_prefix(BASE)?;
        let target = match path.split_once('/') {
            None if path == "conversations" => Self::Conversations,
            None if path == "config" => Self::Config,
            None if path == "templates" => Self::Templates,
            Some(("templates", name)) => Self::Template(template(name)?),
            Some(("conversations", "active")) => Self::Active,
            Some(("conversations", id)) => Self::Conversation(SessionUuid(uuid(id)?)),
            Some(("sessions", id)) => Self::Session(SessionUuid(uuid(id)?)),
            Some(("checkpoints", id)) => Self::Checkpoints(SessionUuid(uuid(id)?)),
            Some(("attachments", id)) => Self::Attachment(AttachmentId(uuid(id)?)),
            _ => return None,
        };
        Some((target, query))
    }

    /// The one URI of it.
    pub(crate) fn uri(&self) -> String {
        match self {
            Self::Conversations => format!("{BASE}conversations"),
            Self::Active => format!("{BASE}conversations/active"),
            Self::Conversation(id) => format!("{BASE}conversations/{id}"),
            Self::Session(id) => format!("{BASE}sessions/{id}"),
            Self::Checkpoints(id) => format!("{BASE}checkpoints/{id}"),
            Self::Config => format!("{BASE}config"),
            Self::Attachment(id) => format!("{BASE}attachments/{id}"),
            Self::Templates => format!("{BASE}templates"),
            Self::Template(id) => {
                let mut uri = format!("{BASE}templates");
                for part in id.split('/') {
                    uri.push('/');
                    encode(part, &mut uri);
                }
                uri
            }
            Self::Skills => format!("{SKILL}{SKILL_INDEX}"),
            Self::Skill(name) => format!("{SKILL}{name}{SKILL_FILE}"),
        }
    }

    /// The parameters that its query may have.
    fn parameters(&self) -> &'static [&'static str] {
        match self {
            Self::Conversations => &["cursor", "q", "status"],
            Self::Conversation(_) | Self::Checkpoints(_) | Self::Templates => &["cursor"],
            Self::Active
            | Self::Session(_)
            | Self::Config
            | Self::Attachment(_)
            | Self::Template(_)
            | Self::Skills
            | Self::Skill(_) => &[],
        }
    }
}

/// The query of a URI. What is empty is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Where the page begins.
    pub(crate) cursor: Option<String>,
    /// The words that are looked for.
    pub(crate) q: Option<String>,
    /// Where the session stands.
    pub(crate) status: Option<SessionStatus>,
}

impl Query {
    /// Reads a target's query, `name=value` joined by `&`.
    ///
    /// # Errors
    /// `invalid_input` that names the parameter: one that the target doesn't have, one that comes
    /// twice, a status that there isn't. `too_large` over [`QUERY_BYTES`].
    pub(crate) fn parse(target: &Target, query: &str) -> Result<Self, Fault> {
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
            let Some(known) = target.parameters().iter().copied().find(|known| *known == name) else {
                return Err(unknown(target, name));
            };
            if seen.contains(&known) {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("The URI has `{known}` twice."),
                    "Pass each parameter once.",
                ));
            }
            seen.push(known);
            let value = Some(decoded(value, true)).filter(|value| !value.is_empty());
            match known {
                "cursor" => parsed.cursor = value,
                "q" => parsed.q = value,
                _ => parsed.status = value.map(|value| status(&value)).transpose()?,
            }
        }
        Ok(parsed)
    }

    /// The URI of a target with this query.
    pub(crate) fn uri(&self, target: &Target) -> String {
        let fields = [
            ("q", self.q.as_deref()),
            ("status", self.status.map(SessionStatus::as_str)),
            ("cursor", self.cursor.as_deref()),
        ];
        let mut uri = target.uri();
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (index, (name, value)) in given.enumerate() {
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
fn uuid(text: &str) -> Option<Uuid> {
    Some(text).filter(|text| text.len() == UUID_BYTES).and_then(|text| Uuid::try_parse(text).ok())
}

/// A prompt's id as it stands in a URI. One that no file can have names nothing.
fn template(name: &str) -> Option<String> {
    let id = decoded(name, false);
    prompt::checked_id(&id).ok().map(|()| id)
}

/// What the rest of a `skill:` URI names.
fn skill(path: &str) -> Option<Target> {
    if path == SKILL_INDEX {
        return Some(Target::Skills);
    }
    let name = path.strip_suffix(SKILL_FILE).filter(|name| skills::is_name(name))?;
    Some(Target::Skill(name.to_owned()))
}

fn unknown(target: &Target, name: &str) -> Fault {
    let mend = match target.parameters() {
        [] => "Leave the query out.".to_owned(),
        names => format!("It may have {}.", names.join(", ")),
    };
    let name = excerpt(&decoded(name, true), 60);
    Fault::new(Code::InvalidInput, format!("The URI's query has no parameter `{name}`."), mend)
}

fn status(text: &str) -> Result<SessionStatus, Fault> {
    SessionStatus::parse(text).ok_or_else(|| {
        let all = SessionStatus::ALL.map(SessionStatus::as_str).join(", ");
        Fault::new(
            Code::InvalidInput,
            format!("`status` is {:?}; it may be one of {all}.", excerpt(text, 60)),
            "Pass one of them, or leave it out for all.",
        )
    })
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
fn encode(text: &str, uri: &mut String) {
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
#[path = "uri/tests.rs"]
mod tests;
