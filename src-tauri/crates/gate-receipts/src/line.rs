//! One line: its form, what of it is signed, and the strict reader.
//!
//! Knows no file, and no line but itself.

use gate_core::digest::canonical_json;
use gate_core::{Digest, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::kinds::{Level, Said, Unfit};
use crate::parts::{Head, HomeId};
use crate::proof::Proof;

/// The version of the form. Another field or kind is another version.
pub const VERSION: u64 = 1;
/// Longest line, in bytes, without the line feed behind it.
pub const LINE_BYTES: usize = 64 * 1024;
/// Lines have smaller numbers than this, so that there is always a next one.
pub const SEQ_BOUND: u64 = 1 << 52;

/// One line of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The home.
    pub home: HomeId,
    /// Its number. The first is 1; each is one more than that before it.
    pub seq: u64,
    /// The digest of the line before; absent where a chain begins.
    pub prev: Option<Digest>,
    /// When it was written, by the clock of that moment.
    pub at: Timestamp,
    /// By how many milliseconds the clock was set since the line before; absent where it wasn't.
    pub step: Option<i64>,
    /// What it says.
    pub said: Said,
    /// Who signed it.
    pub proof: Proof,
}

/// Why bytes are no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// They are more than a line may have.
    #[error("a line has at most {LINE_BYTES} bytes, but this one has {0}")]
    TooLong(usize),
    /// They are no JSON object.
    #[error("no JSON object: {0}")]
    NotJson(String),
    /// The form is another one.
    #[error("its version is {0}, and this program knows {VERSION}")]
    Version(u64),
    /// A field is missing, unknown, or isn't what it has to be.
    #[error("{0}")]
    Field(String),
    /// A field doesn't fit the others.
    #[error("`{field}`: {why}")]
    Unfit {
        /// The field.
        field: &'static str,
        /// What has to hold.
        why: &'static str,
    },
    /// They say something that is written otherwise.
    #[error("not in its canonical form (RFC 8785), from byte {0} on")]
    NotCanonical(usize),
}

impl LineError {
    /// A stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLong(_) => "too_long",
            Self::NotJson(_) => "not_json",
            Self::Version(_) => "version",
            Self::Field(_) => "field",
            Self::Unfit { .. } => "unfit",
            Self::NotCanonical(_) => "not_canonical",
        }
    }
}

impl From<Unfit> for LineError {
    fn from((field, why): Unfit) -> Self {
        Self::Unfit { field, why }
    }
}

impl Line {
    /// Reads a line, without the line feed behind it. Whatever isn't written as this program writes it is refused, so
    /// that a line has one form and one digest.
    ///
    /// # Errors
    /// What is wrong first.
    pub fn parse(bytes: &[u8]) -> Result<Self, LineError> {
        if bytes.len() > LINE_BYTES {
            return Err(LineError::TooLong(bytes.len()));
        }
        let mut fields: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| LineError::NotJson(error.to_string()))?;
        let version = needed(&mut fields, "v")?;
        if version != VERSION {
            return Err(LineError::Version(version));
        }
        let line = Self {
            home: needed(&mut fields, "home")?,
            seq: needed(&mut fields, "seq")?,
            prev: absent_or(&mut fields, "prev")?,
            at: needed(&mut fields, "at")?,
            step: absent_or(&mut fields, "step")?,
            proof: needed(&mut fields, "proof")?,
            // What is left over is the kind's, which names what it doesn't know.
            said: serde_json::from_value(Value::Object(fields)).map_err(|error| LineError::Field(error.to_string()))?,
        };
        line.check()?;
        let written = line.canonical()?;
        if written.as_bytes() != bytes {
            let differs = written.bytes().zip(bytes).position(|(one, other)| one != *other);
            return Err(LineError::NotCanonical(differs.unwrap_or(written.len().min(bytes.len()))));
        }
        Ok(line)
    }

    /// The line as it is written, without the line feed behind it.
    ///
    /// # Errors
    /// [`LineError::Field`] where a number is no integer below 2⁵³.
    pub fn canonical(&self) -> Result<String, LineError> {
        written(&self.fields()?)
    }

    /// What a signature is made of: the line without `proof`.
    ///
    /// # Errors
    /// As [`Self::canonical`].
    pub fn signed(&self) -> Result<String, LineError> {
        let mut fields = self.fields()?;
        fields.remove("proof");
        written(&fields)
    }

    /// Its digest, which the next line has as `prev`, and by which a receipt is named.
    ///
    /// # Errors
    /// As [`Self::canonical`].
    pub fn digest(&self) -> Result<Digest, LineError> {
        self.canonical().map(|text| Digest::of_bytes(text.as_bytes()))
    }

    /// Where a chain stands whose last line it is.
    ///
    /// # Errors
    /// As [`Self::canonical`].
    pub fn head(&self) -> Result<Head, LineError> {
        Ok(Head { seq: self.seq, line: self.digest()? })
    }

    /// Whether it follows that line.
    #[must_use]
    pub fn follows(&self, head: Head) -> bool {
        self.prev == Some(head.line) && self.seq == head.seq + 1
    }

    /// Whether a chain may begin with it.
    #[must_use]
    pub fn begins(&self) -> bool {
        self.prev.is_none()
    }

    fn fields(&self) -> Result<Map<String, Value>, LineError> {
        let Value::Object(mut fields) = value(&self.said)? else {
            return Err(LineError::Field("what a line says has fields".to_owned()));
        };
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("v", VERSION.into());
        put("home", value(&self.home)?);
        put("seq", self.seq.into());
        put("at", value(&self.at)?);
        put("proof", value(&self.proof)?);
        if let Some(prev) = &self.prev {
            put("prev", value(prev)?);
        }
        if let Some(step) = self.step {
            put("step", step.into());
        }
        Ok(fields)
    }

    /// Whether its fields fit together.
    fn check(&self) -> Result<(), Unfit> {
        let is_break = matches!(self.said, Said::Break(_));
        match self.prev {
            _ if self.seq == 0 => return Err(("seq", "the first line is 1")),
            _ if self.seq >= SEQ_BOUND => return Err(("seq", "no chain is so long")),
            None if self.seq > 1 && !is_break => return Err(("prev", "only the first line and a `break` have none")),
            Some(_) if self.seq == 1 || is_break => return Err(("prev", "the first line and a `break` have none")),
            _ => {}
        }
        if self.step == Some(0) {
            return Err(("step", "a clock that wasn't set has none"));
        }
        self.said.check(self.at)?;
        match &self.said {
            Said::Decided(decided) if decided.level > Level::L1 && decided.level != self.proof.most() => {
                Err(("level", "it takes a signature of its kind"))
            }
            _ => Ok(()),
        }
    }
}

fn written(fields: &Map<String, Value>) -> Result<String, LineError> {
    canonical_json(fields).map_err(|fault| LineError::Field(fault.message))
}

fn value(of: &impl serde::Serialize) -> Result<Value, LineError> {
    serde_json::to_value(of).map_err(|error| LineError::Field(error.to_string()))
}

fn needed<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Result<T, LineError> {
    absent_or(fields, name)?.ok_or_else(|| LineError::Field(format!("missing field `{name}`")))
}

fn absent_or<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Result<Option<T>, LineError> {
    let Some(value) = fields.remove(name) else { return Ok(None) };
    serde_json::from_value(value).map(Some).map_err(|error| LineError::Field(format!("`{name}`: {error}")))
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
