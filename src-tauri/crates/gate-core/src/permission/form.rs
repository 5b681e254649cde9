//! The ways in which agents ask, and which answers each takes (`docs/permissions.md`).

use serde::{Deserialize, Serialize};

/// Whose words a question has, and in which form its answer goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionForm {
    /// Claude Code's hook `PermissionRequest`, as a command or as a call of a tool.
    ClaudeHook,
    /// Claude Code without a terminal: `--permission-prompt-tool`.
    ClaudePrompt,
    /// Codex's hook `PermissionRequest`, as a command or as a call of a tool.
    CodexHook,
    /// Codex's daemon or app-server, by a client of it.
    CodexDaemon,
    /// opencode's event `permission.asked`, by its plugin.
    Opencode,
    /// `session/request_permission` of ACP.
    Acp,
}

/// The answers that an agent takes. What isn't taken has no button and no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionAnswers {
    /// It may be allowed once.
    pub once: bool,
    /// It may be denied.
    pub deny: bool,
    /// A denial may have a sentence for the model.
    pub reason: bool,
    /// It may be changed and allowed.
    pub edited: bool,
    /// One of the rules that the agent offers may be kept by it.
    pub rule: bool,
}

impl PermissionForm {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::ClaudeHook, Self::ClaudePrompt, Self::CodexHook, Self::CodexDaemon, Self::Opencode, Self::Acp];

    /// The form as it stands on the wire and in a digest.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeHook => "claude_hook",
            Self::ClaudePrompt => "claude_prompt",
            Self::CodexHook => "codex_hook",
            Self::CodexDaemon => "codex_daemon",
            Self::Opencode => "opencode",
            Self::Acp => "acp",
        }
    }

    /// The client whose form it is, by its own name; empty for one that many have.
    #[must_use]
    pub const fn client(self) -> &'static str {
        match self {
            Self::ClaudeHook | Self::ClaudePrompt => "claude-code",
            Self::CodexHook | Self::CodexDaemon => "codex",
            Self::Opencode => "opencode",
            Self::Acp => "",
        }
    }

    /// The answers that the agent takes in this form.
    #[must_use]
    pub const fn answers(self) -> PermissionAnswers {
        let (reason, edited, rule) = match self {
            Self::ClaudeHook => (true, true, true),
            Self::ClaudePrompt => (true, true, false),
            Self::CodexHook => (true, false, false),
            Self::Opencode => (true, false, true),
            Self::CodexDaemon | Self::Acp => (false, false, true),
        };
        PermissionAnswers { once: true, deny: true, reason, edited, rule }
    }

    /// How many seconds a question of this form waits at most: Codex keeps its own prompt back meanwhile.
    #[must_use]
    pub const fn longest_wait(self) -> Option<u32> {
        match self {
            Self::CodexHook => Some(60),
            _ => None,
        }
    }

    /// Whether the use of a tool is left to the agent: of one of the gate's own, by which agents ask the person something, since
    /// to be asked whether they may ask would be one question too many; and of those that ask for a choice or show a plan.
    #[must_use]
    pub fn leaves_out(tool: &str) -> bool {
        tool.starts_with("mcp__review-gate__") || ["AskUserQuestion", "ExitPlanMode"].contains(&tool)
    }

    /// Whether the agent's own prompt stands beside the question, and who answers first is heard.
    #[must_use]
    pub const fn asks_beside(self) -> bool {
        matches!(self, Self::ClaudeHook | Self::CodexDaemon | Self::Opencode)
    }

    /// Whether the agent, or its client, asks itself what isn't answered here; else that is taken as a denial.
    #[must_use]
    pub const fn asks_there(self) -> bool {
        !matches!(self, Self::ClaudePrompt)
    }

    /// Whether a further question of the same session and subagent says that the one before is over: this agent asks
    /// one thing at a time.
    #[must_use]
    pub const fn asks_one_at_a_time(self) -> bool {
        matches!(self, Self::ClaudeHook)
    }
}
