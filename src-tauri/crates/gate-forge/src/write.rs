//! Writes: each is the bytes of one request before it goes anywhere, and these bytes are what goes out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{DiffRefs, Event, Pull, PullId, Review};
use crate::place::Place;

/// A remark with its place. Its body is posted byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Where.
    pub place: Place,
    /// What is said.
    pub body: String,
}

/// A pull request that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// In which project.
    pub project: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// The branch that it comes from, in the same project.
    pub branch: String,
    /// The branch that it goes to.
    pub target: String,
    /// Whether it is a draft.
    pub draft: bool,
}

/// Something to be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Begins a review that nobody else sees yet, with its report and its remarks at lines (GitHub). One bad place refuses
    /// all of it.
    Begin {
        /// Where.
        pull: PullId,
        /// The commit that it is of.
        head: String,
        /// The report.
        body: String,
        /// The remarks; none at a file as a whole, which only [`Write::Place`] can have.
        remarks: Vec<Remark>,
    },
    /// Shows a review that was begun to all (GitHub).
    Submit {
        /// Where.
        pull: PullId,
        /// [`Review::id`].
        review: u64,
        /// How.
        event: Event,
    },
    /// Takes back a review that was begun and not shown (GitHub).
    Discard {
        /// Where.
        pull: PullId,
        /// [`Review::id`].
        review: u64,
    },
    /// A thread at a place: on GitHub in a review that was begun, on GitLab at once.
    Place {
        /// Where.
        pull: PullId,
        /// [`Review::node`]; GitLab has none.
        review: Option<String>,
        /// The commits of the diff; GitHub takes the review's.
        refs: DiffRefs,
        /// The remark.
        remark: Remark,
    },
    /// A comment on the pull request as a whole.
    Comment {
        /// Where.
        pull: PullId,
        /// What is said.
        body: String,
    },
    /// An answer in a thread.
    Reply {
        /// Where.
        pull: PullId,
        /// [`crate::Thread::id`].
        thread: String,
        /// What is said.
        body: String,
    },
    /// Resolves a thread.
    Resolve {
        /// Where.
        pull: PullId,
        /// [`crate::Thread::id`].
        thread: String,
    },
    /// Adds labels, beside those that are there.
    Label {
        /// Where.
        pull: PullId,
        /// Which.
        labels: Vec<String>,
    },
    /// Opens a pull request.
    Open(Opened),
    /// Changes a pull request's title, description, or both.
    Update {
        /// Which.
        pull: PullId,
        /// The new title.
        title: Option<String>,
        /// The new description.
        body: Option<String>,
    },
}

/// The method of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Makes something.
    Post,
    /// Sets something.
    Put,
    /// Changes a part of something.
    Patch,
    /// Takes something away.
    Delete,
}

/// Where a write goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A path below the API's address; begins with a slash.
    Rest(String),
    /// GitHub's GraphQL.
    GraphQl,
}

/// How the answer to a write is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// A review.
    Review,
    /// A thread that should stand at this line; at the file as a whole where there is none.
    Thread {
        /// The line.
        line: Option<u64>,
    },
    /// A comment.
    Comment,
    /// A thread, resolved or not.
    Resolved,
    /// All labels that there are now.
    Labels,
    /// A pull request.
    Pull {
        /// In which project.
        project: String,
    },
}

/// A write as the bytes that go out. It holds no token: what it says can be kept and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// How.
    pub method: Method,
    /// Where.
    pub target: Target,
    /// JSON; empty for none.
    pub body: String,
    /// How its answer is read.
    pub answers: Answers,
}

/// What came of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// The review that was begun, shown or taken back.
    Review(Box<Review>),
    /// A thread.
    Thread {
        /// Its name; absent where the platform made none, and said nothing.
        id: Option<String>,
        /// Where people look at it.
        url: Option<String>,
        /// Whether it stands where it should. If not, nobody will see it there: the remark takes its fallback.
        stands: bool,
    },
    /// A comment or an answer.
    Comment {
        /// The platform's name for it.
        id: String,
        /// Where people look at it.
        url: Option<String>,
        /// Whether only we see it yet.
        pending: bool,
    },
    /// Whether the thread is resolved now.
    Resolved(bool),
    /// All labels that there are now.
    Labels(Vec<String>),
    /// The pull request that was opened or changed.
    Pull(Box<Pull>),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        })
    }
}

impl Prepared {
    pub(crate) fn rest(method: Method, path: String, body: &serde_json::Value, answers: Answers) -> Self {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        Self { method, target: Target::Rest(path), body, answers }
    }
}
