//! The parts of REST's answers that are read.

use serde::Deserialize;
use serde_json::Value;

use crate::model::{self, Account, PullId, PullState, ReviewState};

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) id: u64,
    login: String,
}

impl From<User> for Account {
    fn from(user: User) -> Self {
        Self { id: user.id, login: user.login }
    }
}

#[derive(Deserialize)]
pub(super) struct Repository {
    id: u64,
    full_name: String,
    default_branch: Option<String>,
    permissions: Option<Permissions>,
}

#[derive(Deserialize)]
struct Permissions {
    #[serde(default)]
    push: bool,
}

impl From<Repository> for model::Repository {
    fn from(repository: Repository) -> Self {
        let Repository { id, full_name, default_branch, permissions } = repository;
        let may_push = permissions.is_some_and(|permissions| permissions.push);
        Self { id, project: full_name, default_branch, may_push }
    }
}

#[derive(Deserialize)]
pub(super) struct Permission {
    pub(super) permission: String,
    pub(super) user: Option<User>,
}

#[derive(Deserialize)]
pub(super) struct Pull {
    number: u64,
    title: String,
    body: Option<String>,
    html_url: String,
    user: Option<User>,
    state: String,
    merged_at: Option<String>,
    #[serde(default)]
    draft: bool,
    head: End,
    base: End,
    #[serde(default)]
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct End {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    repo: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    full_name: String,
}

impl Pull {
    /// `project` is the name by which it was asked for: the platform may write it otherwise.
    pub(super) fn into_pull(self, project: &str) -> model::Pull {
        let state = match (self.merged_at, self.state.as_str()) {
            (Some(_), _) => PullState::Merged,
            (None, "open") => PullState::Open,
            (None, _) => PullState::Closed,
        };
        let name = |end: &End| end.repo.as_ref().map(|repo| repo.full_name.to_lowercase());
        model::Pull {
            id: PullId { project: project.to_owned(), number: self.number },
            title: self.title,
            body: self.body.unwrap_or_default(),
            url: self.html_url,
            author: self.user.map(Account::from),
            state,
            draft: self.draft,
            // A fork that was deleted has no repository.
            fork: name(&self.head).is_none() || name(&self.head) != name(&self.base),
            head: self.head.sha,
            base: Some(self.base.sha),
            merge_base: None,
            branch: self.head.branch,
            target: self.base.branch,
            labels: names(self.labels),
            git_ref: format!("refs/pull/{}/head", self.number),
        }
    }
}

/// An issue's labels may be texts; a pull request's are objects.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Label {
    Text(String),
    Object { name: Option<String> },
}

pub(super) fn names(labels: Vec<Label>) -> Vec<String> {
    let name = |label| match label {
        Label::Text(name) => Some(name),
        Label::Object { name } => name,
    };
    labels.into_iter().filter_map(name).collect()
}

#[derive(Deserialize)]
pub(super) struct Comparison {
    pub(super) merge_base_commit: Commit,
}

#[derive(Deserialize)]
pub(super) struct Commit {
    pub(super) sha: String,
}

#[derive(Deserialize)]
pub(super) struct FoundIssues {
    items: Vec<FoundIssue>,
}

#[derive(Deserialize)]
struct FoundIssue {
    number: u64,
    repository_url: String,
}

impl FoundIssues {
    pub(super) fn pulls(self) -> Vec<PullId> {
        let pull = |issue: FoundIssue| {
            let (_, project) = issue.repository_url.rsplit_once("/repos/")?;
            Some(PullId { project: project.to_owned(), number: issue.number })
        };
        self.items.into_iter().filter_map(pull).collect()
    }
}

#[derive(Deserialize)]
pub(super) struct Review {
    id: u64,
    node_id: String,
    user: Option<User>,
    state: String,
    body: Option<String>,
    commit_id: Option<String>,
    html_url: Option<String>,
}

impl From<Review> for model::Review {
    fn from(review: Review) -> Self {
        let state = if review.state == "PENDING" { ReviewState::Pending } else { ReviewState::Posted };
        Self {
            id: review.id,
            node: review.node_id,
            author: review.user.map(Account::from),
            state,
            body: review.body.unwrap_or_default(),
            commit: review.commit_id,
            url: review.html_url,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct IssueComment {
    pub(super) node_id: String,
    pub(super) user: Option<User>,
    pub(super) body: Option<String>,
    pub(super) html_url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    number: u64,
    title: String,
    body: Option<String>,
    html_url: String,
    user: Option<User>,
    state: String,
    #[serde(default)]
    labels: Vec<Label>,
    pub(super) pull_request: Option<Value>,
}

impl From<Issue> for model::Issue {
    fn from(issue: Issue) -> Self {
        Self {
            number: issue.number,
            title: issue.title,
            body: issue.body.unwrap_or_default(),
            url: issue.html_url,
            author: issue.user.map(Account::from),
            open: issue.state == "open",
            labels: names(issue.labels),
        }
    }
}
