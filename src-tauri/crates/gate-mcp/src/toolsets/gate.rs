//! The gate's own toolset: asking the person, the record of a session, the settings.

use super::DEFAULT_TOOLSET;
use crate::chat::ChatPort;
use crate::config::ConfigPort;
use crate::permission::PermissionPort;
use crate::port::ConnectionPort;
use crate::prompts::PromptPort;
use crate::record::RecordPort;
use crate::toolset::{ToolsetOf, part};
use crate::{chat, config, record};

/// The running gate as its own toolset and the prompts, which every endpoint has, need it. Whatever has all of
/// these ports is one.
pub trait Gate: ConnectionPort + ChatPort + RecordPort + ConfigPort + PromptPort + PermissionPort {}

impl<G: ConnectionPort + ChatPort + RecordPort + ConfigPort + PromptPort + PermissionPort> Gate for G {}

/// What a client tells its model about the server.
const INSTRUCTIONS: &str = "A person works beside you. Before you end your turn, and whenever a decision is theirs, \
call review_gate_chat and act on the reply. Only `decision: approved` is an approval. When a result is `pending`, call \
again with its request_id. Pass the session_uuid of the first result on every later call. While you work, \
review_gate_update_progress shows the person how far you are; review_gate_get_context gives the conversation back to \
you when you have lost it. Prompts of the person's are served as MCP prompts and as skills.";

/// The toolset itself.
pub(crate) static TOOLSET: ToolsetOf<dyn Gate> = ToolsetOf {
    name: DEFAULT_TOOLSET,
    instructions: INSTRUCTIONS,
    parts: &[
        part!(chat::SUBJECT: ChatPort),
        part!(record::SUBJECT: RecordPort),
        part!(chat::ATTACHMENTS: ChatPort),
        part!(config::SUBJECT: ConfigPort),
    ],
};
