//! What the calls give: the parts of both platforms' answers that are used here, under one name each.

use gate_core::Timestamp;
use serde::{Deserialize, Serialize};

/// A user of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The platform's number for them, which stays when the name changes.
    pub id: u64,
    /// The name after the `@`.
    pub login: String,
}

/// A pull or merge request by its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PullId {
    /// `owner/repository`, or GitLab's path of groups.
    pub project: String,
    /// Its number in the project, from 1.
    pub number: u64,
}

/// What a project is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The platform's number for it.
    pub id: u64,
    /// Its path as the platform writes it now.
    pub project: String,
    /// Where pull requests usually go.
    pub default_branch: Option<String>,
    /// Whether the token's user may push.
    pub may_push: bool,
}

/// What somebody may do in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing that others can't.
    None,
    /// Read.
    Read,
    /// Write: GitLab's level 30 (Developer) or more.
    Write,
    /// The platform doesn't say.
    Unknown,
}

impl Access {
    /// Whether they may write; what isn't known is no.
    #[must_use]
    pub fn may_write(self) -> bool {
        self == Self::Write
    }
}

/// How a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullState {
    /// It can be reviewed and merged.
    Open,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
}

/// The commits between which the platform shows a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffRefs {
    /// The merge base.
    pub base: String,
    /// The target branch's commit that it was found with.
    pub start: String,
    /// The newest commit of the request.
    pub head: String,
}

/// A pull or merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pull {
    /// Its name.
    pub id: PullId,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// Where people look at it.
    pub url: String,
    /// Who opened it; absent when the account is gone.
    pub author: Option<Account>,
    /// How it stands.
    pub state: PullState,
    /// Whether it is a draft.
    pub draft: bool,
    /// Its newest commit.
    pub head: String,
    /// The target branch's commit; absent while GitLab still looks for it, just after the request was opened.
    pub base: Option<String>,
    /// The merge base; absent likewise, and on GitHub, where it takes [`crate::Forge::merge_base`].
    pub merge_base: Option<String>,
    /// The branch that it comes from.
    pub branch: String,
    /// The branch that it goes to.
    pub target: String,
    /// Whether it comes from another project, or from one that is gone.
    pub fork: bool,
    /// Its labels.
    pub labels: Vec<String>,
    /// The reference that git fetches its head by.
    pub git_ref: String,
}

impl Pull {
    /// The commits of its diff, where they are known.
    #[must_use]
    pub fn diff_refs(&self) -> Option<DiffRefs> {
        let (base, start) = (self.merge_base.clone()?, self.base.clone()?);
        Some(DiffRefs { base, start, head: self.head.clone() })
    }
}

/// Something said in a thread, or on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The platform's name for it.
    pub id: String,
    /// Who said it; absent when the account is gone.
    pub author: Option<Account>,
    /// What was said, as it was written.
    pub body: String,
    /// When.
    pub created_at: Timestamp,
    /// Where people look at it, where the platform says so.
    pub url: Option<String>,
    /// Whether only its author sees it yet.
    pub pending: bool,
}

/// A thread that can be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The platform's name for it, by which it is answered and resolved.
    pub id: String,
    /// The file that it is at; absent for one about the whole.
    pub path: Option<String>,
    /// Its line now; absent for a file, and for a line that isn't there any more.
    pub line: Option<u64>,
    /// Whether it is resolved.
    pub resolved: bool,
    /// What was said, the oldest first.
    pub comments: Vec<Comment>,
}

/// How a review stands (GitHub).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewState {
    /// Only its author sees it; nobody has more than one in a pull request.
    Pending,
    /// It was posted.
    Posted,
}

/// A review of GitHub's: a report with threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// REST's number for it.
    pub id: u64,
    /// GraphQL's name for it.
    pub node: String,
    /// Who wrote it.
    pub author: Option<Account>,
    /// How it stands.
    pub state: ReviewState,
    /// The report.
    pub body: String,
    /// The commit that it is of.
    pub commit: Option<String>,
    /// Where people look at it.
    pub url: Option<String>,
}

/// How a review is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Said, no more. On their own pull request people can do nothing else.
    Comment,
    /// It asks for changes.
    RequestChanges,
}

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A review, by its report.
    Review,
    /// A comment on the pull request as a whole.
    Comment,
    /// The first comment of a thread.
    Thread,
    /// A later comment of a thread.
    Reply,
}

/// Something of ours that bears a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The marker, as it was asked for.
    pub marker: String,
    /// What it is.
    pub kind: Kind,
    /// The platform's name for it: of a thread and of a reply the thread's.
    pub id: String,
    /// Where people look at it.
    pub url: Option<String>,
    /// What is said there, as the platform has it.
    pub body: String,
    /// Whether only we see it yet.
    pub pending: bool,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Its number in the project.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Where people look at it.
    pub url: String,
    /// Who opened it.
    pub author: Option<Account>,
    /// Whether it is open.
    pub open: bool,
    /// Its labels.
    pub labels: Vec<String>,
}

/// What was looked at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen<T> {
    /// It is as it was; that cost nothing of GitHub's limit.
    Same,
    /// It may be another.
    New {
        /// What it is.
        value: T,
        /// What to ask with the next time; absent where the platform gives none.
        etag: Option<String>,
    },
}
