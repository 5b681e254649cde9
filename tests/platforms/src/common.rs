//! People, pull requests and what was posted, as tests name them: the same for both platforms.

/// Somebody who has a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The platform's number for them.
    pub id: u64,
    /// Their name there.
    pub login: String,
    /// What they show; nobody's where it is empty.
    pub token: String,
}

impl Person {
    /// A person.
    #[must_use]
    pub fn new(id: u64, login: &str, token: &str) -> Self {
        Self { id, login: login.to_owned(), token: token.to_owned() }
    }
}

/// A pull request as it is at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// Its project.
    pub project: String,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// Who opened it.
    pub author: String,
    /// Its newest commit.
    pub head: String,
    /// The target branch's commit.
    pub base: String,
    /// The merge base.
    pub merge_base: String,
    /// The branch that it comes from.
    pub branch: String,
    /// The branch that it goes to.
    pub target: String,
    /// Whether it comes from another project.
    pub fork: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// What it changes, as a unified diff of git's from the merge base to the head.
    pub diff: String,
    /// Its labels.
    pub labels: Vec<String>,
}

impl Default for Proposed {
    fn default() -> Self {
        let commit = |digit: &str| digit.repeat(40);
        let text = str::to_owned;
        Self {
            project: text("acme/shop"),
            number: 42,
            title: text("Round the cart's total"),
            body: text("It was off by a cent."),
            author: text("ada"),
            head: commit("a"),
            base: commit("b"),
            merge_base: commit("c"),
            branch: text("fix-total"),
            target: text("main"),
            fork: false,
            draft: false,
            diff: String::new(),
            labels: Vec::new(),
        }
    }
}

/// Something that stands in a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// `review`, `comment`, `thread` or `reply`.
    pub kind: &'static str,
    /// Who posted it.
    pub author: String,
    /// What it says.
    pub body: String,
    /// The file that it is at.
    pub path: Option<String>,
    /// The line that it is at: the old number of a removed one.
    pub line: Option<u64>,
    /// Whether only its author sees it.
    pub pending: bool,
    /// How a review of GitHub's stands: `PENDING`, `COMMENTED`, `CHANGES_REQUESTED`.
    pub state: Option<String>,
    /// The commit that it is of.
    pub commit: Option<String>,
}
