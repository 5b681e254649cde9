//! Every bound of the domain, by name. Each one is enforced where input enters and has a message
//! that names it.

/// Longest review message, in bytes of UTF-8.
pub const MESSAGE_BYTES: usize = 1024 * 1024;
/// Longest title, in characters.
pub const TITLE_CHARS: usize = 200;
/// Longest context, in bytes of UTF-8.
pub const CONTEXT_BYTES: usize = 256 * 1024;
/// Most options in one request.
pub const OPTIONS: usize = 20;
/// Longest option label, in characters.
pub const OPTION_LABEL_CHARS: usize = 200;
/// Longest option description, in characters.
pub const OPTION_DESCRIPTION_CHARS: usize = 1000;
/// Longest unified diff, in bytes.
pub const DIFF_BYTES: usize = 4 * 1024 * 1024;
/// Longest reply text, in bytes of UTF-8.
pub const REPLY_BYTES: usize = 1024 * 1024;
/// Most line comments in one reply.
pub const COMMENTS: usize = 1000;
/// Longest line comment, in bytes of UTF-8.
pub const COMMENT_BYTES: usize = 64 * 1024;
/// Longest text of all line comments of a reply together, in bytes of UTF-8.
pub const COMMENTS_BYTES: usize = 2 * 1024 * 1024;
/// Most attachments in one reply.
pub const ATTACHMENTS: usize = 20;
/// Largest attachment, in bytes.
pub const ATTACHMENT_BYTES: usize = 10 * 1024 * 1024;
/// Longest attachment file name, in characters.
pub const ATTACHMENT_NAME_CHARS: usize = 255;
/// Most requests that may be pending at the same time in one gate.
pub const PENDING_REQUESTS: usize = 10_000;
/// Longest line (one JSON message) on the local socket, in bytes: a request with the longest
/// message and diff, every character escaped, still fits.
pub const LINE_BYTES: usize = 48 * 1024 * 1024;

/// Largest body of an HTTP request, in bytes.
pub const HTTP_BODY_BYTES: usize = LINE_BYTES;
/// Longest head (request line and headers) of an HTTP request, in bytes.
pub const HTTP_HEAD_BYTES: usize = 16 * 1024;
/// Most headers of an HTTP request.
pub const HTTP_HEADERS: usize = 64;
/// Most HTTP connections at the same time.
pub const HTTP_CONNECTIONS: usize = 256;
/// Most HTTP sessions in memory at the same time; the one that has been quiet for longest makes room.
pub const HTTP_SESSIONS: usize = 256;
/// Longest name of a client's token, in characters.
pub const TOKEN_NAME_CHARS: usize = 60;
/// Most tokens of single clients, revoked ones among them.
pub const TOKENS: usize = 1000;

/// Longest status message of a progress report, in characters.
pub const STATUS_MESSAGE_CHARS: usize = 2000;
/// Longest name of a step, in characters.
pub const STEP_NAME_CHARS: usize = 200;
/// Most steps of a session's work.
pub const STEPS: usize = 200;
/// Longest name of a checkpoint, in characters.
pub const CHECKPOINT_NAME_CHARS: usize = 200;
/// Longest description of a checkpoint, in characters.
pub const CHECKPOINT_DESCRIPTION_CHARS: usize = 2000;
/// Most checkpoints of one conversation.
pub const CHECKPOINTS: usize = 1000;
/// Conversations or messages on one page.
pub const PAGE_ITEMS: usize = 50;
/// Bytes of text on one page of messages; a page ends early rather than hold more, but never
/// without a message.
pub const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// Longest text that is looked for, in characters.
pub const SEARCH_CHARS: usize = 500;
/// Most words that are looked for together.
pub const SEARCH_WORDS: usize = 20;
/// Most resources that one connection may subscribe to.
pub const SUBSCRIPTIONS: usize = 1000;
/// Most bytes of one conversation in a file that is imported, its attachments in base64 among them.
pub const IMPORT_BYTES: usize = 1024 * 1024 * 1024;
/// Longest name of a client, its version, and a workspace's path, in bytes of UTF-8.
pub const CALLER_BYTES: usize = 4096;
