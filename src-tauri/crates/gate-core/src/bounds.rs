//! Every bound of the domain, by name. Each one is enforced where input enters and has a message
//! that names it.

/// Longest review message, in bytes of UTF-8.
pub const MESSAGE_BYTES: usize = 1024 * 1024;
/// Longest title, in characters.
pub const TITLE_CHARS: usize = 200;
/// Characters of a message that lists of requests show.
pub const EXCERPT_CHARS: usize = 160;
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
/// Largest input of a tool that an agent asks for, in bytes of JSON: a file or a command of a megabyte, most of it escaped,
/// still fits.
pub const PERMISSION_INPUT_BYTES: usize = 4 * 1024 * 1024;
/// Longest name in a permission question (a tool's, a session's, a turn's), in characters.
pub const PERMISSION_NAME_CHARS: usize = 400;
/// Most folders of a `PATH` in which the programs of a command are looked for.
pub const PERMISSION_PATH_FOLDERS: usize = 128;
/// Most rules that an agent offers with one question.
pub const PERMISSION_RULES: usize = OPTIONS - 1;
/// Longest rule that an agent offers, in bytes of JSON.
pub const PERMISSION_RULE_BYTES: usize = 64 * 1024;
/// Largest file that is read for the diff of an edit, in bytes.
pub const PERMISSION_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Most files of one edit that are read.
pub const PERMISSION_FILES: usize = 100;
/// Most texts that one edit replaces and that are looked for: each takes a walk through the file.
pub const PERMISSION_EDITS: usize = 1000;
/// How much of a command stands in the message of its request, in bytes; all of it stands in the permission.
pub const PERMISSION_MESSAGE_BYTES: usize = 4 * 1024;
/// Longest path of a repository that an agent names, in characters.
pub const REPOSITORY_PATH_CHARS: usize = 4096;
/// Longest name of a commit or of a range that an agent names, in characters.
pub const REVISION_CHARS: usize = 512;
/// Most repositories' contents that are kept for what was shown of them.
pub const KEPT_SNAPSHOTS: usize = 2000;
/// Longest time that a diff of a repository takes from the call to the question, in seconds.
pub const REPOSITORY_SECONDS: u64 = 60;
/// Longest reply text, in bytes of UTF-8.
pub const REPLY_BYTES: usize = 1024 * 1024;
/// Most line comments in one reply.
pub const COMMENTS: usize = 1000;
/// Longest line comment, in bytes of UTF-8.
pub const COMMENT_BYTES: usize = 64 * 1024;
/// Longest text of all line comments of a reply together, in bytes of UTF-8.
pub const COMMENTS_BYTES: usize = 2 * 1024 * 1024;
/// Most remarks on passages of the message in one reply.
pub const REMARKS: usize = COMMENTS;
/// Longest passage that a remark quotes, in characters.
pub const QUOTE_CHARS: usize = 4000;
/// Longest text of all remarks of a reply with what they quote, in bytes of UTF-8.
pub const REMARKS_BYTES: usize = COMMENTS_BYTES;
/// Most snippets.
pub const SNIPPETS: usize = 200;
/// Longest name of a snippet, in characters.
pub const SNIPPET_NAME_CHARS: usize = 80;
/// Longest text of a snippet, in characters.
pub const SNIPPET_CHARS: usize = 20_000;
/// Longest text that is looked for among the files of a workspace, in characters.
pub const FILE_QUERY_CHARS: usize = 200;
/// Most files of a workspace that are looked at for that.
pub const FILES_WALKED: usize = 50_000;
/// Longest time that a workspace is looked through, in milliseconds.
pub const FILES_WALK_MILLIS: u64 = 1000;
/// Most files that one completion offers.
pub const FILES_OFFERED: usize = 50;
/// Most attachments in one reply.
pub const ATTACHMENTS: usize = 20;
/// Largest attachment, in bytes.
pub const ATTACHMENT_BYTES: usize = 10 * 1024 * 1024;
/// Longest attachment file name, in characters.
pub const ATTACHMENT_NAME_CHARS: usize = 255;
/// Most requests that may be pending at the same time in one gate.
pub const PENDING_REQUESTS: usize = 10_000;
/// Most requests of one client that may be pending at the same time.
pub const CLIENT_PENDING_REQUESTS: usize = 50;
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
pub const HTTP_CONNECTIONS: usize = 2048;
/// Most HTTP connections that wait to be accepted. Where this queue is full, the system drops what a client sends first,
/// and the client sends it again after a second (RFC 6298, 2.1).
pub const HTTP_QUEUE: u32 = 1024;
/// Most HTTP sessions in memory at the same time; the one that has been quiet for longest makes room.
pub const HTTP_SESSIONS: usize = 2048;
/// For how long a link to the page in a browser may be used, in milliseconds: ten minutes.
pub const LINK_MILLIS: u64 = 10 * 60 * 1000;
/// Most links that can be open at the same time; a further one makes the oldest worthless.
pub const LINKS: usize = 32;
/// For how long a browser stays signed in at most, in milliseconds: 30 days.
pub const BROWSER_MILLIS: u64 = 30 * 24 * 60 * 60 * 1000;
/// After how long without a command from it a browser is signed out, in milliseconds: 72 hours, which a weekend is less
/// than.
pub const BROWSER_UNUSED_MILLIS: u64 = 72 * 60 * 60 * 1000;
/// Most browsers that are signed in at the same time; a further one signs the oldest out.
pub const BROWSERS: usize = 64;
/// Most pages of one browser that hear what happens. A browser keeps six connections to one place,
/// and commands need some of them; a further page takes the oldest one's place.
pub const BROWSER_PAGES: usize = 4;
/// Most lines of one browser on which its pages sign what they ask for; each page that is loaded opens one, and a further
/// one makes the oldest worthless, whose page then opens another.
pub const BROWSER_LINES: usize = 32;
/// For how long an export waits to be fetched by a browser, in milliseconds: a minute.
pub const DOWNLOAD_MILLIS: u64 = 60 * 1000;
/// Most exports that wait to be fetched by a browser; a further one takes the oldest one's place.
pub const DOWNLOADS: usize = 8;
/// Longest name of a client's token, in characters.
pub const TOKEN_NAME_CHARS: usize = 60;
/// Most tokens of single clients, revoked ones among them.
pub const TOKENS: usize = 1000;
/// Most folders that a token is given.
pub const TOKEN_FOLDERS: usize = 100;

/// Longest note to an agent, in characters.
pub const NOTE_CHARS: usize = 10_000;
/// Most notes that may wait for the agent of one session.
pub const NOTES: usize = 20;
/// How long doctor's test request waits for the person, in seconds.
pub const TEST_REQUEST_SECONDS: u64 = 120;
/// Furthest moment until which a request may be put off and quiet be kept, in days from now.
pub const PUT_OFF_DAYS: i64 = 366;

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
/// After so many conversations were looked through, a page of those in which a question became something ends.
pub const PAGE_LOOKED_THROUGH: usize = 1000;
/// Most clients, and most workspaces, that the history offers to be narrowed down to.
pub const HISTORY_CHOICES: u32 = 100;
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

/// Largest `config.yaml`, and largest text of settings that is imported, in bytes.
pub const SETTINGS_BYTES: usize = 1024 * 1024;
/// Deepest nesting of `config.yaml`.
pub const SETTINGS_DEPTH: usize = 32;
/// Most entries of `config.yaml`, those that an alias stands for counted as often as it stands.
pub const SETTINGS_NODES: usize = 100_000;
/// Most entries of a setting that is a list or a table.
pub const SETTING_ITEMS: usize = 100;
/// Longest text of a setting, or of one of its entries, in characters.
pub const SETTING_CHARS: usize = 200;
/// Changes of settings that are remembered.
pub const SETTING_CHANGES: usize = 200;
/// Longest mark by which a page says that it keeps the microphone open.
pub const PAGE_MARK_CHARS: usize = 64;
/// Largest configuration or rules file of a client that is read and changed, in bytes.
pub const CLIENT_FILE_BYTES: usize = 1024 * 1024;
/// The same for `~/.claude.json`, in which Claude Code keeps its history of prompts as well.
pub const CLIENT_STATE_BYTES: usize = 16 * 1024 * 1024;

/// Most files of one prompts folder, partials among them.
pub const PROMPT_FILES: usize = 10_000;
/// Largest file of a prompt, in bytes.
pub const PROMPT_FILE_BYTES: usize = 256 * 1024;
/// Largest size of all prompts of one folder, in bytes.
pub const PROMPTS_BYTES: usize = 64 * 1024 * 1024;
/// Deepest folder in a prompts folder.
pub const PROMPT_DEPTH: usize = 12;
/// Longest id of a prompt, in characters.
pub const PROMPT_ID_CHARS: usize = 200;
/// Longest title, category or version of a prompt, and longest name of an argument, in characters.
pub const PROMPT_TITLE_CHARS: usize = 200;
/// Longest description of a prompt or an argument, in characters.
pub const PROMPT_DESCRIPTION_CHARS: usize = 4000;
/// Longest icon of a prompt, in bytes.
pub const PROMPT_ICON_BYTES: usize = 16 * 1024;
/// Most arguments of a prompt.
pub const PROMPT_ARGUMENTS: usize = 50;
/// Most values of an argument.
pub const PROMPT_VALUES: usize = 200;
/// Most messages of a prompt.
pub const PROMPT_MESSAGES: usize = 50;
/// Longest value of an argument that is given, in bytes of UTF-8.
pub const PROMPT_ARGUMENT_BYTES: usize = 1024 * 1024;
/// Longest text of a rendered prompt, all messages together, in bytes of UTF-8.
pub const PROMPT_RENDERED_BYTES: usize = 4 * 1024 * 1024;
/// Longest time that rendering a prompt may take, in milliseconds.
pub const PROMPT_RENDER_MILLIS: u64 = 500;
/// Deepest nesting of partials while a prompt is rendered.
pub const PROMPT_PARTIAL_DEPTH: usize = 16;
/// Most versions of one prompt that are kept.
pub const PROMPT_VERSIONS: usize = 100;
/// Most times that prompts were used that are kept, the latest.
pub const PROMPT_USES: usize = 100_000;
/// Uses of prompts that wait to be written; as many are written at once.
pub const PROMPT_USES_WAITING: usize = 256;
/// Most characters that are kept of an argument that a prompt was used with.
pub const PROMPT_KEPT_ARGUMENT_CHARS: usize = 400;
/// Most characters that are kept of all the arguments that a prompt was used with.
pub const PROMPT_KEPT_CHARS: usize = 2000;
/// Most prompts that one import makes.
pub const PROMPT_IMPORTS: usize = 1000;
/// Largest file that prompts are imported from, in bytes.
pub const PROMPT_IMPORT_BYTES: usize = 8 * 1024 * 1024;
/// Longest time that one run of git may take for a synchronisation, in seconds.
pub const PROMPT_SYNC_SECONDS: u64 = 120;
/// Shortest time between two synchronisations by themselves, in seconds.
pub const PROMPT_SYNC_PAUSE_SECONDS: u64 = 30;
/// Largest body of a webhook, in bytes: GitHub's own bound.
pub const WEBHOOK_BYTES: usize = 25 * 1024 * 1024;
/// Most processes that are looked at above one that connects.
pub const ANCESTORS: usize = 32;
/// Most arguments of a process that are looked at.
pub const PROCESS_ARGUMENTS: usize = 64;
/// Longest path of a process's program or folder, and longest argument of it, in bytes; what is longer is cut.
pub const PROCESS_TEXT_BYTES: usize = 1024;
/// Most agents' processes that are remembered while they run.
pub const AGENTS: usize = 1024;
/// Most trees from which one is asked to have been approved, at once.
pub const APPROVED_FROM: usize = 1024;
