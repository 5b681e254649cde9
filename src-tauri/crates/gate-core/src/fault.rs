//! What went wrong, for whoever has to mend it: a stable code, one sentence, and what to do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::ErrorKind;

/// The stable name of a kind of fault. Programs match on it; it never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A field is missing, of the wrong type, or breaks a rule that is no size.
    InvalidInput,
    /// A field is larger than its bound.
    TooLarge,
    /// More entries than the bound allows.
    TooMany,
    /// The unified diff can't be parsed.
    InvalidDiff,
    /// No review request has this identifier.
    UnknownRequest,
    /// No session has this identifier.
    UnknownSession,
    /// No attachment has this identifier.
    UnknownAttachment,
    /// The conversation has no such checkpoint.
    UnknownCheckpoint,
    /// There is no such restore to be undone.
    UnknownRestore,
    /// No snippet has this identifier.
    UnknownSnippet,
    /// No note has this identifier.
    UnknownNote,
    /// What was to be taken back has been given to the agent.
    TooLate,
    /// There is a checkpoint of this name in the conversation, or a snippet of this name, already.
    NameTaken,
    /// The agent has several sessions, and the call names none of them.
    AmbiguousSession,
    /// The cursor is none that this list has given.
    InvalidCursor,
    /// The session still has open questions.
    StillPending,
    /// The request was answered, withdrawn or closed before.
    NotPending,
    /// There is no such token, or one of that name exists already.
    UnknownToken,
    /// The browser isn't signed in, or not any more.
    SignedOut,
    /// The question is another one than the person was shown; nothing was answered.
    ChangedQuestion,
    /// The reply holds nothing.
    EmptyReply,
    /// The answer is one to another kind of request; nothing was answered.
    OtherKind,
    /// A process without a terminal, or one that an agent has started, tried to do what is a person's.
    ScriptedAnswersOff,
    /// A decision came from a terminal, and they are switched off there, or nobody has confirmed it.
    TerminalAnswersOff,
    /// A guard would get weaker: the person has to confirm that. Nothing was changed.
    NeedsConfirmation,
    /// The disk is full.
    DiskFull,
    /// The home folder or a file in it can't be written.
    ReadOnly,
    /// The database is damaged.
    DatabaseDamaged,
    /// The database was written by a newer version of the program.
    DatabaseNewer,
    /// The database can't be used for another reason.
    Database,
    /// The path of the local socket is longer than the system allows.
    SocketPathTooLong,
    /// The folder of the local socket can be entered by others.
    SocketFolderOpen,
    /// No gate runs, and none could be started.
    GateUnreachable,
    /// The gate is shutting down.
    ShuttingDown,
    /// A message on the local socket is longer than allowed or isn't what the protocol says.
    Protocol,
    /// A setting is invalid in the file or the environment; another value holds in its place.
    InvalidSetting,
    /// A value can't be what a setting is to be; nothing was changed.
    SettingRejected,
    /// A setting was changed by somebody else since it was looked at; nothing was changed.
    SettingConflict,
    /// Whoever asks may not change this setting.
    SettingForbidden,
    /// No setting, or no change of one, has this name.
    UnknownSetting,
    /// The settings file can't be read or changed as it is; it was left alone.
    SettingsFile,
    /// A file can't be read.
    UnreadableFile,
    /// There is no client of this name.
    UnknownClient,
    /// A client's configuration isn't what it should be, so that it was left as it is.
    ClientFile,
    /// The program for voice isn't there or doesn't run on this machine.
    VoiceUnavailable,
    /// There is no microphone.
    NoMicrophone,
    /// Another program holds the microphone.
    MicrophoneBusy,
    /// The system doesn't let this program listen.
    MicrophoneDenied,
    /// The microphone went away while it listened, and no other took its place.
    MicrophoneGone,
    /// No speech model is there.
    NoSpeechModel,
    /// A speech model's file is damaged, or isn't one.
    SpeechModel,
    /// Transcribing failed.
    Transcription,
    /// A download broke off.
    Download,
    /// The recording isn't there any more.
    NoTake,
    /// A file holds no sound that can be read.
    Audio,
    /// No prompt has this id.
    UnknownPrompt,
    /// A prompt can't be made from its file or with these arguments; the message says where.
    Prompt,
    /// A prompt's file is other than it was when it was looked at; nothing was changed.
    PromptConflict,
    /// The prompts can't be fetched from their repository; those that were there are still served.
    PromptSync,
    /// A git repository can't be read as it was asked; the message says why.
    Repository,
    /// An agent can't be put into a sandbox here, or not into the one that was asked for; it wasn't started.
    Sandbox,
    /// A receipt can't be written, one is missing, or a reply isn't what its receipt is of.
    Receipts,
    /// An approval has to be surer than can be had here now; nothing was sent.
    LevelUnreachable,
    /// An approval wasn't confirmed or signed: declined, cancelled, too late, or it went wrong. Nothing was sent.
    NotSigned,
    /// No review has this identifier, or it isn't the caller's to see.
    UnknownReview,
    /// No thread of the review or of the pull request has this identifier.
    UnknownThread,
    /// No patch of the review has this identifier.
    UnknownPatch,
    /// Nobody reviews their own proposal.
    OwnProposal,
    /// Only the proposer may do that.
    NotProposer,
    /// Another reviewer has the review.
    AlreadyClaimed,
    /// The round is kept for another reviewer for a while.
    Reserved,
    /// The caller has approved this round.
    AlreadyApproved,
    /// The caller hasn't claimed the review.
    NotHolder,
    /// The caller's claim is lost; nothing was recorded.
    ClaimLost,
    /// There is a newer round; nothing was recorded.
    StaleRound,
    /// The person is deciding the review right now.
    PersonDeciding,
    /// That can't be done where the review stands.
    WrongState,
    /// The caller may not do that, whatever the review's state.
    RoleForbidden,
    /// The diff doesn't apply to the repository.
    DiffConflict,
    /// What is named isn't in the folder that the caller works in.
    OutsideWorkspace,
    /// Several clients come with the caller's token; nobody can tell whose act it is.
    SharedIdentity,
    /// The workflow's phases come in another order.
    PhaseOrder,
    /// Audits that the phase needs aren't finished.
    AgentsUnfinished,
    /// An audit failed without which nothing is published.
    AgentFailed,
    /// Audits come before this one that aren't finished.
    AgentOrder,
    /// The audit wasn't started.
    AgentNotStarted,
    /// The audit is finished, and isn't started or ended again.
    AgentFinished,
    /// No job has this identifier, or it isn't the caller's to see.
    UnknownJob,
    /// The job's workflow has no audit of this name.
    UnknownAgent,
    /// The connection is for another job.
    WrongJob,
    /// The job is over.
    JobFinished,
    /// The job waits for the person's go.
    JobParked,
    /// Another run has the job; nothing was recorded.
    JobTaken,
    /// The definition of a workflow breaks a rule; the message says where.
    WorkflowDefinition,
    /// The platform doesn't take the token, or there is none.
    PlatformAuth,
    /// The platform refused what it was asked.
    PlatformRefused,
    /// The platform can't be reached.
    PlatformUnreachable,
    /// The platform takes no more for a while.
    RateLimited,
    /// A text has in it what looks like a token or a private key; it isn't shown or posted.
    UnsafeText,
    /// Anything that should not happen.
    Internal,
}

impl Code {
    /// The code as it stands on the wire, e.g. `too_large`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::TooLarge => "too_large",
            Self::TooMany => "too_many",
            Self::InvalidDiff => "invalid_diff",
            Self::UnknownRequest => "unknown_request",
            Self::UnknownSession => "unknown_session",
            Self::UnknownAttachment => "unknown_attachment",
            Self::UnknownCheckpoint => "unknown_checkpoint",
            Self::UnknownRestore => "unknown_restore",
            Self::UnknownSnippet => "unknown_snippet",
            Self::UnknownNote => "unknown_note",
            Self::TooLate => "too_late",
            Self::NameTaken => "name_taken",
            Self::AmbiguousSession => "ambiguous_session",
            Self::InvalidCursor => "invalid_cursor",
            Self::StillPending => "still_pending",
            Self::NotPending => "not_pending",
            Self::UnknownToken => "unknown_token",
            Self::SignedOut => "signed_out",
            Self::ChangedQuestion => "changed_question",
            Self::EmptyReply => "empty_reply",
            Self::OtherKind => "other_kind",
            Self::ScriptedAnswersOff => "scripted_answers_off",
            Self::TerminalAnswersOff => "terminal_answers_off",
            Self::NeedsConfirmation => "needs_confirmation",
            Self::DiskFull => "disk_full",
            Self::ReadOnly => "read_only",
            Self::DatabaseDamaged => "database_damaged",
            Self::DatabaseNewer => "database_newer",
            Self::Database => "database",
            Self::SocketPathTooLong => "socket_path_too_long",
            Self::SocketFolderOpen => "socket_folder_open",
            Self::GateUnreachable => "gate_unreachable",
            Self::ShuttingDown => "shutting_down",
            Self::Protocol => "protocol",
            Self::InvalidSetting => "invalid_setting",
            Self::SettingRejected => "setting_rejected",
            Self::SettingConflict => "setting_conflict",
            Self::SettingForbidden => "setting_forbidden",
            Self::UnknownSetting => "unknown_setting",
            Self::SettingsFile => "settings_file",
            Self::UnreadableFile => "unreadable_file",
            Self::UnknownClient => "unknown_client",
            Self::ClientFile => "client_file",
            Self::VoiceUnavailable => "voice_unavailable",
            Self::NoMicrophone => "no_microphone",
            Self::MicrophoneBusy => "microphone_busy",
            Self::MicrophoneDenied => "microphone_denied",
            Self::MicrophoneGone => "microphone_gone",
            Self::NoSpeechModel => "no_speech_model",
            Self::SpeechModel => "speech_model",
            Self::Transcription => "transcription",
            Self::Download => "download",
            Self::NoTake => "no_take",
            Self::Audio => "audio",
            Self::UnknownPrompt => "unknown_prompt",
            Self::Prompt => "prompt",
            Self::PromptConflict => "prompt_conflict",
            Self::PromptSync => "prompt_sync",
            Self::Repository => "repository",
            Self::Sandbox => "sandbox",
            Self::Receipts => "receipts",
            Self::LevelUnreachable => "level_unreachable",
            Self::NotSigned => "not_signed",
            Self::UnknownReview => "unknown_review",
            Self::UnknownThread => "unknown_thread",
            Self::UnknownPatch => "unknown_patch",
            Self::OwnProposal => "own_proposal",
            Self::NotProposer => "not_proposer",
            Self::AlreadyClaimed => "already_claimed",
            Self::Reserved => "reserved",
            Self::AlreadyApproved => "already_approved",
            Self::NotHolder => "not_holder",
            Self::ClaimLost => "claim_lost",
            Self::StaleRound => "stale_round",
            Self::PersonDeciding => "person_deciding",
            Self::WrongState => "wrong_state",
            Self::RoleForbidden => "role_forbidden",
            Self::DiffConflict => "diff_conflict",
            Self::OutsideWorkspace => "outside_workspace",
            Self::SharedIdentity => "shared_identity",
            Self::PhaseOrder => "phase_order",
            Self::AgentsUnfinished => "agents_unfinished",
            Self::AgentFailed => "agent_failed",
            Self::AgentOrder => "agent_order",
            Self::AgentNotStarted => "agent_not_started",
            Self::AgentFinished => "agent_finished",
            Self::UnknownJob => "unknown_job",
            Self::UnknownAgent => "unknown_agent",
            Self::WrongJob => "wrong_job",
            Self::JobFinished => "job_finished",
            Self::JobParked => "job_parked",
            Self::JobTaken => "job_taken",
            Self::WorkflowDefinition => "workflow_definition",
            Self::PlatformAuth => "platform_auth",
            Self::PlatformRefused => "platform_refused",
            Self::PlatformUnreachable => "platform_unreachable",
            Self::RateLimited => "rate_limited",
            Self::UnsafeText => "unsafe_text",
            Self::Internal => "internal",
        }
    }
}

/// A fault that reaches a person, an agent or a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Fault {
    /// The stable code.
    pub code: Code,
    /// One sentence that names the cause.
    pub message: String,
    /// What to do about it.
    pub mend: String,
}

impl Fault {
    /// A fault with its cause and its mend.
    pub fn new(code: Code, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { code, message: message.into(), mend: mend.into() }
    }

    /// A fault that only a defect of the program can cause.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message, "Try again; if it happens again, report it with the log file.")
    }

    /// A file or a folder that can't be used: `kind` is the system's word for why.
    pub fn of_file(kind: ErrorKind, message: impl Into<String>) -> Self {
        let (code, mend) = match kind {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (Code::DiskFull, "Free some space and try again."),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                (Code::ReadOnly, "Make the folder and what is in it writable, then try again.")
            }
            ErrorKind::NotFound => (Code::UnreadableFile, "Check the path, then try again."),
            _ => (Code::UnreadableFile, "Check the disk and its free space, then try again."),
        };
        Self::new(code, message, mend)
    }

    /// A file of the home that a newer version has written.
    pub fn of_newer_file(message: impl Into<String>) -> Self {
        let mend = "Update Review Gate, or set REVIEW_GATE_HOME to another folder. The file was not touched.";
        Self::new(Code::DatabaseNewer, message, mend)
    }

    /// What one of this product's programs says and another doesn't understand.
    pub fn of_versions(message: impl Into<String>) -> Self {
        let mend = "Use a review-gate and a gate of the same version; restart the older one.";
        Self::new(Code::Protocol, message, mend)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.code.as_str(), self.message, self.mend)
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn a_code_is_written_the_same_way_by_serde_and_by_as_str() {
        for code in [
            Code::InvalidInput,
            Code::SocketPathTooLong,
            Code::ScriptedAnswersOff,
            Code::DatabaseNewer,
            Code::UnsafeText,
        ] {
            let text = serde_json::to_string(&code).unwrap_or_default();
            assert_eq!(text, format!("\"{}\"", code.as_str()), "one spelling for one code");
        }
    }
}
