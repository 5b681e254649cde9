//! What whoever asks for an agent hands in, and what comes back.

use serde::{Deserialize, Serialize};

use crate::ask::{at_most_bytes, at_most_chars};
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::permission::{Permission, PermissionForm, PermissionKind, PermissionRule, said};

/// How the session of a question begins that only tries the way here.
const TRIAL: &str = "review-gate-doctor:";

/// A question whether an agent may, in the parts in which the agent sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionQuestion {
    /// Whose words these are.
    pub form: PermissionForm,
    /// The agent's own name of its tool.
    pub tool: String,
    /// The tool's input: JSON, byte for byte as the agent sent it.
    pub input: String,
    /// The folder in which it is to happen, as the agent says; empty when unknown.
    #[serde(default)]
    pub folder: String,
    /// The rules that the agent offers, each as JSON, byte for byte.
    #[serde(default)]
    pub offered: Vec<String>,
    /// The client's own name; empty for that of the form.
    #[serde(default)]
    pub client: String,
    /// The client's own version; empty when unknown.
    #[serde(default)]
    pub client_version: String,
    /// The agent's own name of its session.
    #[serde(default)]
    pub session: Option<String>,
    /// The agent's own name of the subagent that asks.
    #[serde(default)]
    pub subagent: Option<String>,
    /// What kind of subagent that is.
    #[serde(default)]
    pub subagent_type: Option<String>,
    /// The agent's own name of the turn.
    #[serde(default)]
    pub turn: Option<String>,
    /// The agent's own name of the tool's use.
    #[serde(default)]
    pub tool_use_id: Option<String>,
    /// What the agent says of it outside of the input.
    #[serde(default)]
    pub says: Option<String>,
    /// The folders of the agent's `PATH`, in which the programs of a command are looked for; one that is no text is absent.
    #[serde(default)]
    pub path: Vec<Option<String>>,
    /// How many seconds to wait for the person, where that is less than the setting says.
    #[serde(default)]
    pub wait_seconds: Option<u32>,
}

impl PermissionQuestion {
    /// The use of a tool, of which nothing else is said.
    #[must_use]
    pub const fn new(form: PermissionForm, tool: String, input: String) -> Self {
        Self {
            form,
            tool,
            input,
            folder: String::new(),
            offered: Vec::new(),
            client: String::new(),
            client_version: String::new(),
            session: None,
            subagent: None,
            subagent_type: None,
            turn: None,
            tool_use_id: None,
            says: None,
            path: Vec::new(),
            wait_seconds: form.longest_wait(),
        }
    }

    /// The name of a trial, as the session that its question is asked in.
    #[must_use]
    pub fn trials_session(id: impl std::fmt::Display) -> String {
        format!("{TRIAL}{id}")
    }

    /// The session of a question that only tries the way here; absent for every other. Nobody is ever shown a trial, and
    /// nothing allows it, whether it is one that is going on or not.
    #[must_use]
    pub fn trial(&self) -> Option<&str> {
        self.session.as_deref().filter(|session| session.starts_with(TRIAL))
    }
}

/// A sign that a question may be over where the agent asked it, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionSign {
    /// Whose words these are.
    pub form: PermissionForm,
    /// What happened, in the agent's words, e.g. `PostToolUse`.
    pub event: String,
    /// The agent's own name of its session.
    #[serde(default)]
    pub session: Option<String>,
    /// The agent's own name of its subagent.
    #[serde(default)]
    pub subagent: Option<String>,
    /// The tool that was used.
    #[serde(default)]
    pub tool: Option<String>,
    /// What it was given: JSON, byte for byte.
    #[serde(default)]
    pub input: Option<String>,
    /// The agent's own name of the tool's use.
    #[serde(default)]
    pub tool_use_id: Option<String>,
}

/// Why an agent is to ask at its own prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionAsk {
    /// The person has switched such questions off here.
    Off,
    /// The person is away.
    Away,
    /// Nobody would see it: there is no window, no page, and terminals don't decide.
    Nobody,
    /// Nobody answered in time.
    TimeOver,
    /// The person has put it aside.
    PutAside,
    /// It was answered where the agent itself asked.
    AnsweredThere,
    /// Whoever asked is gone.
    Gone,
    /// It can't be read, or is too large.
    Unreadable,
    /// The gate is being stopped.
    Stopping,
}

impl PermissionAsk {
    /// The same in a sentence, for an agent that has no prompt of its own.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Off => "Permission questions are switched off in Review Gate.",
            Self::Away => "The person is away. Ask again later, or go on with what needs no permission.",
            Self::Nobody => "Nobody can be asked: Review Gate has no window here. Go on with what needs no permission.",
            Self::TimeOver => "Nobody answered in time. Ask again later, or go on with what needs no permission.",
            Self::PutAside => "The person has put the question aside. Don't ask it again; go on without it.",
            Self::AnsweredThere | Self::Gone => "The question was taken back.",
            Self::Unreadable => "Review Gate can't read or show what was asked. Ask for less at once.",
            Self::Stopping => "Review Gate was stopped before anybody answered. Ask again later.",
        }
    }
}

/// What becomes of a question. Only an act of the person allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PermissionVerdict {
    /// The person allows it.
    Allow {
        /// The input as the person changed it, JSON; absent where it is as it was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        /// The offered rule that the agent is to keep, byte for byte.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
    },
    /// The person denies it.
    Deny {
        /// What the model is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Nobody has answered: the agent asks at its own prompt.
    Ask {
        /// Why.
        why: PermissionAsk,
    },
}

impl PermissionQuestion {
    /// The question as it is stored, before anybody has looked at the files that an edit names.
    ///
    /// # Errors
    /// `too_large`, `too_many` or `invalid_input`, naming the field: what can't be read is asked elsewhere.
    pub fn permission(&self) -> Result<Permission, Fault> {
        at_most_bytes("input", &self.input, bounds::PERMISSION_INPUT_BYTES)?;
        at_most_chars("tool", &self.tool, bounds::PERMISSION_NAME_CHARS)?;
        at_most_bytes("folder", &self.folder, bounds::CALLER_BYTES)?;
        for (field, text) in [
            ("session", &self.session),
            ("subagent", &self.subagent),
            ("subagent_type", &self.subagent_type),
            ("turn", &self.turn),
            ("tool_use_id", &self.tool_use_id),
        ] {
            at_most_chars(field, text.as_deref().unwrap_or_default(), bounds::PERMISSION_NAME_CHARS)?;
        }
        if self.tool.trim().is_empty() {
            return Err(Fault::new(Code::InvalidInput, "`tool` is empty.", "Name the tool that is to be used."));
        }
        let input: serde_json::Value = serde_json::from_str(&self.input).map_err(|error| {
            Fault::new(Code::InvalidInput, format!("`input` is no JSON: {error}."), "Send the tool's input as it is.")
        })?;
        if self.offered.len() > bounds::PERMISSION_RULES {
            return Err(Fault::new(
                Code::TooMany,
                format!(
                    "`offered` has {} entries; at most {} are allowed.",
                    self.offered.len(),
                    bounds::PERMISSION_RULES
                ),
                "Offer fewer rules.",
            ));
        }
        let says = self.says.clone().or_else(|| said(&input));
        at_most_bytes("says", says.as_deref().unwrap_or_default(), bounds::CONTEXT_BYTES)?;
        let rules = match self.form.answers().rule {
            true => PermissionRule::all_of(self.form, &self.offered)?,
            false => Vec::new(),
        };
        Ok(Permission {
            form: self.form,
            tool: self.tool.clone(),
            kind: PermissionKind::of(self.form, &self.tool, &input),
            folder: self.folder.clone(),
            input: self.input.clone(),
            says: says.filter(|text| !text.trim().is_empty()),
            files: Vec::new(),
            unknown: None,
            programs: Vec::new(),
            rules,
            session: named(&self.session),
            subagent: named(&self.subagent),
            subagent_type: named(&self.subagent_type),
            turn: named(&self.turn),
            tool_use_id: named(&self.tool_use_id),
        })
    }

    /// The client's own name.
    #[must_use]
    pub fn client(&self) -> &str {
        if self.client.is_empty() { self.form.client() } else { &self.client }
    }
}

fn named(name: &Option<String>) -> Option<String> {
    name.clone().filter(|name| !name.is_empty())
}
