//! The parts of GitLab's answers that are read.

use gate_core::Timestamp;
use serde::Deserialize;

use crate::model::{self, Access, Account, Comment, PullId, PullState, Thread};

#[derive(Deserialize)]
pub(super) struct User {
    pub(super) id: u64,
    username: String,
}

impl From<User> for Account {
    fn from(user: User) -> Self {
        Self { id: user.id, login: user.username }
    }
}

#[derive(Deserialize)]
pub(super) struct Project {
    id: u64,
    path_with_namespace: String,
    default_branch: Option<String>,
    permissions: Option<Permissions>,
}

#[derive(Deserialize)]
struct Permissions {
    project_access: Option<Level>,
    group_access: Option<Level>,
}

#[derive(Deserialize)]
struct Level {
    access_level: u64,
}

impl Project {
    pub(super) fn into_repository(self, developer: u64) -> model::Repository {
        let levels = self.permissions.into_iter().flat_map(|of| [of.project_access, of.group_access]).flatten();
        let may_push = levels.map(|level| level.access_level).max().is_some_and(|level| level >= developer);
        let (id, project, default_branch) = (self.id, self.path_with_namespace, self.default_branch);
        model::Repository { id, project, default_branch, may_push }
    }
}

#[derive(Deserialize)]
pub(super) struct Member {
    access_level: u64,
    state: Option<String>,
}

impl Member {
    pub(super) fn access(&self, developer: u64) -> Access {
        match self.state.as_deref() {
            None | Some("active") if self.access_level >= developer => Access::Write,
            None | Some("active") => Access::Read,
            Some(_) => Access::None,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct MergeRequest {
    iid: u64,
    title: String,
    description: Option<String>,
    web_url: String,
    author: Option<User>,
    state: String,
    #[serde(default)]
    draft: bool,
    sha: Option<String>,
    source_branch: String,
    target_branch: String,
    source_project_id: Option<u64>,
    target_project_id: Option<u64>,
    #[serde(default)]
    labels: Vec<String>,
    diff_refs: Option<DiffRefs>,
}

#[derive(Deserialize)]
struct DiffRefs {
    base_sha: Option<String>,
    head_sha: Option<String>,
    start_sha: Option<String>,
}

impl MergeRequest {
    pub(super) fn into_pull(self, project: &str) -> model::Pull {
        let refs = self.diff_refs.unwrap_or(DiffRefs { base_sha: None, head_sha: None, start_sha: None });
        let state = match self.state.as_str() {
            "merged" => PullState::Merged,
            "opened" => PullState::Open,
            _ => PullState::Closed,
        };
        model::Pull {
            id: PullId { project: project.to_owned(), number: self.iid },
            title: self.title,
            body: self.description.unwrap_or_default(),
            url: self.web_url,
            author: self.author.map(Account::from),
            state,
            draft: self.draft,
            head: refs.head_sha.or(self.sha).unwrap_or_default(),
            base: refs.start_sha,
            merge_base: refs.base_sha,
            branch: self.source_branch,
            target: self.target_branch,
            fork: self.source_project_id.is_none() || self.source_project_id != self.target_project_id,
            labels: self.labels,
            git_ref: format!("refs/merge-requests/{}/head", self.iid),
        }
    }

    pub(super) fn labels(self) -> Vec<String> {
        self.labels
    }
}

/// A merge request as lists have it.
#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) iid: u64,
    source_project_id: Option<u64>,
    target_project_id: Option<u64>,
    references: Option<References>,
}

#[derive(Deserialize)]
struct References {
    full: String,
}

impl Listed {
    /// Whether it comes from the project that it goes to.
    pub(super) fn is_own(&self) -> bool {
        self.source_project_id.is_some() && self.source_project_id == self.target_project_id
    }

    pub(super) fn name(self) -> Option<PullId> {
        let references = self.references?;
        let (project, _) = references.full.rsplit_once('!')?;
        Some(PullId { project: project.to_owned(), number: self.iid })
    }
}

#[derive(Deserialize)]
pub(super) struct Commit {
    pub(super) id: String,
}

#[derive(Deserialize)]
pub(super) struct Discussion {
    pub(super) id: String,
    #[serde(default)]
    pub(super) individual_note: bool,
    pub(super) notes: Vec<Note>,
}

#[derive(Deserialize)]
pub(super) struct Note {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) body: String,
    pub(super) author: Option<User>,
    created_at: Timestamp,
    #[serde(default)]
    pub(super) system: bool,
    #[serde(default)]
    resolvable: bool,
    #[serde(default)]
    resolved: bool,
    pub(super) position: Option<Position>,
}

#[derive(Deserialize)]
pub(super) struct Position {
    pub(super) position_type: Option<String>,
    new_path: Option<String>,
    old_path: Option<String>,
    new_line: Option<u64>,
    old_line: Option<u64>,
}

impl Position {
    /// The new number where there is one: both stand there for a line that both files have.
    pub(super) fn line(&self) -> Option<u64> {
        self.new_line.or(self.old_line)
    }
}

impl Discussion {
    /// Whether all of it that can be is resolved.
    pub(super) fn is_resolved(&self) -> bool {
        let mut resolvable = self.notes.iter().filter(|note| note.resolvable).peekable();
        resolvable.peek().is_some() && resolvable.all(|note| note.resolved)
    }

    /// As a thread, if it is one that can be resolved.
    pub(super) fn thread(self, url: impl Fn(u64) -> String) -> Option<Thread> {
        if self.individual_note || !self.notes.iter().any(|note| note.resolvable) {
            return None;
        }
        let resolved = self.is_resolved();
        let position = self.notes.first().and_then(|note| note.position.as_ref());
        let path = position.and_then(|position| position.new_path.clone().or_else(|| position.old_path.clone()));
        let line = position.and_then(Position::line);
        let said = self.notes.into_iter().filter(|note| !note.system);
        let comment = |note: Note| Comment {
            id: note.id.to_string(),
            author: note.author.map(Account::from),
            body: note.body,
            created_at: note.created_at,
            url: Some(url(note.id)),
            pending: false,
        };
        Some(Thread { id: self.id, path, line, resolved, comments: said.map(comment).collect() })
    }
}

#[derive(Deserialize)]
pub(super) struct Issue {
    iid: u64,
    title: String,
    description: Option<String>,
    web_url: String,
    author: Option<User>,
    state: String,
    #[serde(default)]
    labels: Vec<String>,
}

impl From<Issue> for model::Issue {
    fn from(issue: Issue) -> Self {
        Self {
            number: issue.iid,
            title: issue.title,
            body: issue.description.unwrap_or_default(),
            url: issue.web_url,
            author: issue.author.map(Account::from),
            open: issue.state == "opened",
            labels: issue.labels,
        }
    }
}
