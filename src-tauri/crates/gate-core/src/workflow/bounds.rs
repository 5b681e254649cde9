//! The bounds of the review workflow. Whatever passes one is refused with an error that names it.

/// Jobs of one party that aren't finished.
pub const OPEN_JOBS: u32 = 1000;
/// Audits of a workflow.
pub const AGENTS: usize = 50;
/// Characters of a workflow's name and title, and of an audit's name, other names and shown name.
pub const NAME_CHARS: usize = 80;
/// Other names of an audit.
pub const ALIASES: usize = 10;
/// Patterns of files of an audit.
pub const FILE_PATTERNS: usize = 50;
/// Characters of each, and of the id of a prompt.
pub const PATTERN_CHARS: usize = 200;
/// The largest order of an audit.
pub const ORDER: u32 = 1000;
/// The largest weight of an audit; the smallest is 1.
pub const WEIGHT: u32 = 100;
/// Bytes of a workflow's own instructions.
pub const INSTRUCTIONS_BYTES: usize = 16 * 1024;
/// The most minutes that a job may take.
pub const JOB_MINUTES: u32 = 24 * 60;
/// The most retries of an audit.
pub const RETRIES: u32 = 10;
/// The most lines of a diff that a workflow may allow for a run that starts by itself.
pub const LINES: u32 = 1_000_000;
/// How often a job may step back to an earlier phase.
pub const STEPS_BACK: u32 = 3;
/// For how many milliseconds a run's relay may be gone before another one of its party takes over.
pub const GONE_MILLIS: u64 = 30 * 1000;
/// How often a job is started again by itself after its run was lost.
pub const RESTARTS: u32 = 1;
/// Bytes of an audit's error.
pub const ERROR_BYTES: usize = 4 * 1024;
/// Findings of one call.
pub const FINDINGS_AT_ONCE: usize = 100;
/// Findings of a job.
pub const FINDINGS: usize = 1000;
/// Actions of a job.
pub const ACTIONS: usize = 1000;
/// Characters of a finding's title.
pub const TITLE_CHARS: usize = 200;
/// Bytes of a finding's body, of a suggestion, of a snippet, and of a comment or a reply.
pub const BODY_BYTES: usize = 32 * 1024;
/// Bytes of a report's summary.
pub const SUMMARY_BYTES: usize = 48 * 1024;
/// Characters of what is posted as one comment, with all that is put around it: GitHub takes 65,536.
pub const POSTED_CHARS: usize = 65_000;
/// Characters of a category.
pub const CATEGORY_CHARS: usize = 60;
/// Characters of a label; GitLab takes 255.
pub const LABEL_CHARS: usize = 255;
/// Characters of a thread's identifier.
pub const THREAD_ID_CHARS: usize = 200;
/// Characters of a file's path.
pub const PATH_CHARS: usize = 4096;
/// The largest number of a line.
pub const LINE: u32 = 10_000_000;
/// Characters of a pull request's address.
pub const URL_CHARS: usize = 2000;
/// Items of a publication.
pub const ITEMS: usize = FINDINGS + ACTIONS + 1;
