//! The toolsets that an entry asks for: the arguments of `review-gate mcp`.

use gate_core::{Code, Fault};

/// A toolset: its name, and its tools for clients that are told of each.
type Row = (&'static str, &'static [&'static str]);

/// The toolsets that are served, in the order in which they are written.
const TOOLSETS: [Row; 4] = [
    (
        BY_ITSELF,
        &[
            "review_gate_chat",
            "review_gate_update_progress",
            "review_gate_get_context",
            "review_gate_create_checkpoint",
            "review_gate_list_checkpoints",
            "review_gate_restore_checkpoint",
            "review_gate_get_config",
            "review_gate_update_config",
        ],
    ),
    (
        "broker",
        &[
            "submit_proposal",
            "get_proposal",
            "list_reviews",
            "get_review_status",
            "claim_review",
            "release_review",
            "submit_verdict",
            "post_message",
            "get_messages",
            "submit_patch",
            "get_patch",
            "accept_counter_patch",
            "reject_counter_patch",
            "close_review",
        ],
    ),
    (
        "workflow",
        &[
            "get_workflow",
            "set_phase",
            "start_agent",
            "complete_agent",
            "add_action",
            "get_threads",
            "create_job",
            "get_diff",
            "add_findings",
            "publish",
        ],
    ),
    (
        "gsd",
        &[
            "create_review",
            "list_reviews",
            "claim_review",
            "submit_verdict",
            "close_review",
            "accept_counter_patch",
            "reject_counter_patch",
            "get_review_status",
            "get_proposal",
            "add_message",
            "get_discussion",
            "get_activity_feed",
            "get_audit_log",
            "get_review_timeline",
            "get_review_stats",
            "spawn_reviewer",
            "kill_reviewer",
            "list_reviewers",
        ],
    ),
];
/// The bits of those that are in `all`: the last one is in the place of `broker`.
const TOGETHER: u8 = 0b0111;
/// The bits of those that aren't served together, since their tools have the same names.
const APART: u8 = 0b1010;

/// What `review-gate mcp` serves where nothing else is asked for.
const BY_ITSELF: &str = "gate";
/// All toolsets together, those of later versions too.
const ALL: &str = "all";
const COMMAND: &str = "mcp";
const FLAG: &str = "--toolset";

/// Toolsets that an entry asks for together. Those of [`Toolsets::default`] are asked for without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toolsets {
    /// A bit for each row.
    rows: u8,
    /// Whether they were asked for as `all`.
    all: bool,
}

impl Default for Toolsets {
    fn default() -> Self {
        Self { rows: 1, all: false }
    }
}

impl Toolsets {
    /// Those of these names. `gate`, the tools that every agent has, is only among them where it is named.
    ///
    /// # Errors
    /// `invalid_input` where there is no toolset of a name, no name, or two of which one is in the place of the other.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Fault> {
        let mut found = Self { rows: 0, all: false };
        for name in names {
            match TOOLSETS.iter().position(|(each, _)| *each == name) {
                Some(row) => found.rows |= 1 << row,
                None if name == ALL => found = Self { rows: TOGETHER | (found.rows & APART), all: true },
                None => {
                    return Err(Fault::new(
                        Code::InvalidInput,
                        format!("There is no toolset {name:?}."),
                        format!("Use one of: {}.", Self::choices().collect::<Vec<_>>().join(", ")),
                    ));
                }
            }
        }
        if found.rows & APART == APART {
            return Err(Fault::new(
                Code::InvalidInput,
                "The toolsets \"broker\" and \"gsd\" are the same broker by two names: one is served in the place of the other.",
                "Name one of them; `all` has \"broker\".",
            ));
        }
        if found.rows == 0 {
            return Err(Fault::new(Code::InvalidInput, "No toolset is named.", "Name one: `--toolset gate`."));
        }
        Ok(found)
    }

    /// All names that may be given.
    pub fn choices() -> impl Iterator<Item = &'static str> {
        TOOLSETS.iter().map(|(name, _)| *name).chain([ALL])
    }

    /// Their names, each one of [`Toolsets::choices`] but `all`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.asked().map(|(name, _)| name)
    }

    /// Their tools.
    pub(crate) fn tools(self) -> impl Iterator<Item = &'static str> {
        self.asked().flat_map(|(_, tools)| tools.iter().copied())
    }

    fn asked(self) -> impl Iterator<Item = Row> {
        TOOLSETS.into_iter().enumerate().filter(move |(row, _)| self.rows & (1 << row) != 0).map(|(_, each)| each)
    }

    /// The arguments of the program that serves them.
    pub(crate) fn arguments(self) -> Vec<String> {
        let names: Vec<&str> = match self {
            _ if self == Self::default() => Vec::new(),
            Self { all: true, .. } => vec![ALL],
            Self { all: false, .. } => self.names().collect(),
        };
        let named = names.into_iter().flat_map(|name| [FLAG, name]);
        [COMMAND].into_iter().chain(named).map(str::to_owned).collect()
    }

    /// Those that these arguments ask for; absent where they are no arguments of the program's that serves toolsets.
    pub(crate) fn of_arguments(arguments: &[String]) -> Option<Self> {
        let (command, mut rest) = arguments.split_first()?;
        if command != COMMAND {
            return None;
        }
        let mut names = Vec::new();
        while let Some((first, others)) = rest.split_first() {
            let (value, others) = match first.strip_prefix(FLAG)? {
                "" => others.split_first().map(|(value, others)| (value.as_str(), others))?,
                value => (value.strip_prefix('=')?, others),
            };
            names.extend(value.split(','));
            rest = others;
        }
        if names.is_empty() { Some(Self::default()) } else { Self::named(names).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_asked_for_is_written_and_read_again() {
        for (asked, written) in [
            (&["gate"][..], "mcp"),
            (&["broker"], "mcp --toolset broker"),
            (&["broker", "gate", "broker"], "mcp --toolset gate --toolset broker"),
            (&["all"], "mcp --toolset all"),
            (&["gate", "all"], "mcp --toolset all"),
            (&["gsd"], "mcp --toolset gsd"),
            (&["gsd", "gate"], "mcp --toolset gate --toolset gsd"),
            (&["gsd", "workflow"], "mcp --toolset workflow --toolset gsd"),
        ] {
            let toolsets = Toolsets::named(asked.iter().copied()).unwrap();
            assert_eq!(toolsets.arguments(), words(written), "{asked:?}");
            assert_eq!(Toolsets::of_arguments(&toolsets.arguments()), Some(toolsets), "{asked:?}");
        }
    }

    #[test]
    fn what_people_write_by_hand_is_read_too_and_what_asks_for_something_else_is_not() {
        let both = Toolsets::named(["gate", "broker"]).unwrap();
        assert_eq!(Toolsets::of_arguments(&words("mcp --toolset=gate,broker")), Some(both));
        assert_eq!(Toolsets::of_arguments(&words("mcp --toolset broker,gate")), Some(both));
        for other in ["permit codex", "mcp --toolset", "mcp --toolset gone", "mcp --toolsets all", "mcp gate", "serve"]
        {
            assert_eq!(Toolsets::of_arguments(&words(other)), None, "{other}");
        }
        assert_eq!(Toolsets::of_arguments(&[]), None);
    }

    #[test]
    fn a_name_that_nothing_has_is_refused_with_those_that_there_are() {
        let fault = Toolsets::named(["brokr"]).unwrap_err();
        assert_eq!(fault.code, Code::InvalidInput);
        assert!(fault.to_string().contains("gate, broker, workflow, gsd, all"), "{fault}");
        assert_eq!(Toolsets::named([]).unwrap_err().code, Code::InvalidInput);
        for both in [["broker", "gsd"], ["gsd", "all"], ["all", "gsd"]] {
            let fault = Toolsets::named(both).unwrap_err();
            assert!(fault.message.contains("in the place of the other"), "{both:?}: {fault}");
        }
    }
}
