//! The domain of Review Gate: what a review request, a reply and a waiting client are, and the
//! rules that hold for them.
//!
//! Pure: no files, sockets, clock, environment or async runtime. Time and identifiers are passed
//! in by the caller, so every rule here can be tested without a fixture.

pub mod ask;
pub mod assurance;
mod bounded;
pub mod bounds;
pub mod clients;
pub mod conversation;
pub mod diff;
pub mod digest;
pub mod export;
pub mod fault;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
pub mod git;
pub mod ids;
mod kind;
pub mod lineage;
pub mod markdown;
pub mod note;
pub mod outcome;
pub mod owner;
pub mod page;
pub mod permission;
pub mod permitting;
pub mod presence;
pub mod progress;
pub mod prompt;
pub mod proposal;
mod question;
pub mod reply;
pub mod request;
pub mod require;
mod round;
pub mod search;
pub mod seat;
pub mod secrets;
pub mod session;
pub mod snippet;
pub mod timestamp;
mod unseen;
mod wire;
pub mod workflow;

pub use ask::{Ask, Choice, changed_files, question_text};
pub use assurance::{AnsweredFrom, Assurance, Given};
pub use conversation::{Checkpoint, Conversation, Message, Restored, Role, Visible, Withheld};
pub use digest::Digest;
pub use fault::{Code, Fault};
pub use git::{GitKind, GitTrees, Oid, QuestionGit};
pub use ids::{AttachmentId, CheckpointId, RequestId, RestoreId, SessionUuid, SettingChangeId};
pub use kind::RequestKind;
pub use lineage::{Lineage, Seen};
pub use note::{Note, NoteId};
pub use outcome::Outcome;
pub use owner::{Owner, OwnerId, Process};
pub use page::{Became, ConversationQuery, Found, Hit, Page, Piece, Place};
pub use permission::{Permission, PermissionForm, PermissionKind};
pub use permitting::{
    AcpRequest, PermissionAnswer, PermissionAsk, PermissionEnd, PermissionQuestion, PermissionSaid, PermissionSign,
    PermissionVerdict,
};
pub use presence::{Absence, Presence, QuietHours, Snooze};
pub use progress::{Progress, ProgressUpdate, Step, StepState};
pub use prompt::{
    ArgumentType, Completes, GivenArgument, Prompt, PromptArgument, PromptContent, PromptFormat, PromptList,
    PromptMessage, PromptOrigin, PromptProblem, PromptRole, PromptSource, PromptVersionId, RenderedPrompt,
};
pub use reply::{Attachment, Decision, Draft, LineComment, Remark, Reply, Side};
pub use request::{Asker, Caller, Declared, RequestStatus, ReviewRequest};
pub use require::Rule;
pub use seat::{Seat, SeatSession, ShownOn};
pub use session::{Life, SessionStatus, SessionTimes};
pub use snippet::{Snippet, SnippetId};
pub use timestamp::Timestamp;
