//! What is to be signed, read from its bytes: a line that is a receipt of the question that came with it, and nothing
//! else. What it isn't sure of, it refuses.
//!
//! Knows neither people nor polkit; the key only by the name that goes into the line.

use std::collections::BTreeMap;

use gate_core::digest::canonical_json;
use gate_core::{Ask, Decision, Digest, Oid, Timestamp};
use gate_receipts::{Content, Decided, Git, Level, Line, Proof, Said};
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::refused::{Refused, Why};
use crate::shown::Shown;

/// How far a line's time may be from this machine's, in milliseconds: so long may a gate have waited for its turn.
const CLOCK_MILLIS: i64 = 10 * 60 * 1000;

/// A receipt that may be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The line, with a proof that proves nothing yet.
    pub(crate) line: Line,
    /// What the person is shown.
    pub(crate) shown: Shown,
    /// Of the line's bytes.
    pub(crate) digest: Digest,
}

/// A question, as its digest is made of it. What isn't read has to be known nevertheless: here, or to gate-core.
#[derive(Debug, Deserialize)]
struct Question {
    message: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default, rename = "context")]
    _context: Option<String>,
    #[serde(rename = "options")]
    _options: Vec<Offered>,
    #[serde(rename = "allow_multiple")]
    _allow_multiple: bool,
    approval: bool,
    #[serde(default)]
    diff: Option<String>,
    #[serde(default)]
    git: Option<Held>,
    #[serde(default, rename = "require")]
    _require: Option<Level>,
    #[serde(default, rename = "permission")]
    _permission: Option<Vec<Asked>>,
    #[serde(flatten, deserialize_with = "known")]
    _others: (),
}

/// Takes the parts of a question that gate-core knows by their names, whatever they hold.
fn known<'de, D: Deserializer<'de>>(others: D) -> Result<(), D::Error> {
    let others = BTreeMap::<String, IgnoredAny>::deserialize(others)?;
    match others.into_keys().find(|name| !Ask::PARTS.contains(&name.as_str())) {
        Some(name) => Err(D::Error::custom(format_args!("unknown field `{name}`"))),
        None => Ok(()),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Offered {
    #[serde(rename = "label")]
    _label: String,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(rename = "recommended")]
    _recommended: bool,
}

/// What an agent asks to be allowed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(rename = "form")]
    _form: String,
    #[serde(rename = "tool")]
    _tool: String,
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(rename = "folder")]
    _folder: String,
    #[serde(rename = "input")]
    _input: String,
    #[serde(default, rename = "says")]
    _says: Option<String>,
    #[serde(rename = "files")]
    _files: Vec<AskedFile>,
    #[serde(default, rename = "unknown")]
    _unknown: Option<String>,
    #[serde(default, rename = "programs")]
    _programs: Vec<AskedProgram>,
    #[serde(rename = "rules")]
    _rules: Vec<AskedRule>,
    #[serde(default, rename = "session")]
    _session: Option<String>,
    #[serde(default, rename = "subagent")]
    _subagent: Option<String>,
    #[serde(default, rename = "subagent_type")]
    _subagent_type: Option<String>,
    #[serde(default, rename = "turn")]
    _turn: Option<String>,
    #[serde(default, rename = "tool_use_id")]
    _tool_use_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedFile {
    #[serde(rename = "path")]
    _path: String,
    #[serde(default, rename = "leads_to")]
    _leads_to: Option<String>,
    #[serde(rename = "outside")]
    _outside: bool,
    #[serde(default, rename = "before")]
    _before: Option<Digest>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedProgram {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "path")]
    _path: String,
    #[serde(default, rename = "leads_to")]
    _leads_to: Option<String>,
    #[serde(rename = "inside")]
    _inside: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedRule {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "raw")]
    _raw: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    repository: String,
    #[serde(rename = "what")]
    _what: String,
    #[serde(default, rename = "base")]
    _base: Option<Oid>,
    base_tree: Oid,
    #[serde(default, rename = "commit")]
    _commit: Option<Oid>,
    tree: Oid,
    #[serde(rename = "manifest")]
    _manifest: Digest,
}

impl Receipt {
    /// Reads a line without its proof, and the question that it says it is of. `unsigned` stands in the proof's place.
    ///
    /// # Errors
    /// Where the bytes aren't both, or the line says something else than the question.
    pub(crate) fn read(line: &[u8], question: &[u8], unsigned: Proof, now: Timestamp) -> Result<Self, Refused> {
        let digest = Digest::of_bytes(line);
        let line = line_of(line, unsigned)?;
        let decided = receipt_in(&line)?;
        let decision = decided.decision.ok_or_else(|| unfit("nothing is decided in it"))?;
        if line.at.0.abs_diff(now.0) > CLOCK_MILLIS.unsigned_abs() {
            let message = format!("The receipt is of {}, but this machine's clock says {now}.", line.at);
            return Err(Refused::new(Why::Clock, message));
        }
        let asked = question_of(question, &decided.content)?;
        if decision == Decision::Approved && !asked.approval {
            return Err(unfit("it approves a question that asks for no approval"));
        }
        let (repository, tree) = match &asked.git {
            Some(git) => (Some(git.repository.as_str()), Some(&git.tree)),
            None => (None, None),
        };
        let title = asked.title.as_deref().unwrap_or(&asked.message);
        let shown = Shown::of(decision, title, repository, tree);
        Ok(Self { line, shown, digest })
    }

    /// The same receipt as another line of its log: what it says is the same but for its hold and its end.
    ///
    /// # Errors
    /// Where it says something else.
    pub(crate) fn again(&self, line: &[u8], unsigned: Proof) -> Result<Line, Refused> {
        let line = line_of(line, unsigned)?;
        let (first, then) = (receipt_in(&self.line)?, receipt_in(&line)?);
        let in_time = Decided { from: first.from, expires: first.expires, ..then.clone() };
        if in_time != *first || line.home != self.line.home || then.from < first.from {
            return Err(Refused::new(Why::OtherContent, "This isn't the receipt that was confirmed."));
        }
        if line.at < self.line.at || line.at.0.abs_diff(self.line.at.0) > CLOCK_MILLIS.unsigned_abs() {
            return Err(Refused::new(Why::Clock, "The receipt's time isn't that of the confirmation."));
        }
        Ok(line)
    }
}

/// The receipt that the line is.
fn receipt_in(line: &Line) -> Result<&Decided, Refused> {
    match &line.said {
        Said::Decided(decided) if decided.level == Level::L2 => Ok(decided),
        _ => Err(unfit("it is no receipt of level L2")),
    }
}

/// Whether it is a line, and in no other form than the one that is signed.
fn line_of(bytes: &[u8], unsigned: Proof) -> Result<Line, Refused> {
    let broken = |error: String| unfit(&error);
    let mut fields: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| unfit(&format!("no JSON object: {error}")))?;
    let proof = serde_json::to_value(unsigned).map_err(|error| broken(error.to_string()))?;
    if fields.insert("proof".to_owned(), proof).is_some() {
        return Err(unfit("it has a proof already"));
    }
    let whole = canonical_json(&fields).map_err(|fault| broken(fault.message))?;
    let line = Line::parse(whole.as_bytes()).map_err(|error| broken(error.to_string()))?;
    let signed = line.signed().map_err(|error| broken(error.to_string()))?;
    if signed.as_bytes() == bytes { Ok(line) } else { Err(unfit("it isn't in its canonical form")) }
}

/// The question, if it is the one that the line names.
fn question_of(bytes: &[u8], content: &Content) -> Result<Question, Refused> {
    let other = |what: &str| Refused::new(Why::OtherContent, format!("The receipt is of another {what}."));
    let Content { ask, diff, manifest, git } = content;
    if *ask != Some(Digest::of_bytes(bytes)) {
        return Err(other("question"));
    }
    if manifest.is_some() {
        return Err(unfit("it lets out what isn't shown here"));
    }
    let asked: Question =
        serde_json::from_slice(bytes).map_err(|error| unfit(&format!("the question isn't known here: {error}")))?;
    if *diff != asked.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes())) {
        return Err(other("diff"));
    }
    let trees = asked.git.as_ref().map(|git| Git { base: git.base_tree.clone(), tree: git.tree.clone() });
    if *git == trees { Ok(asked) } else { Err(other("tree")) }
}

fn unfit(why: &str) -> Refused {
    Refused::new(Why::Unfit, format!("This is no receipt that is signed here: {why}."))
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
