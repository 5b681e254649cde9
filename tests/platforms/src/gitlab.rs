//! A GitLab on loopback: `HOST/api/v4`.
//!
//! Pages named here are those of its sources, below `doc/api/`.

mod discussions;
mod places;
mod rest;
mod state;

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Person, Posted, Proposed};
use crate::server::{Fault, Heard, Server};
use state::{Issue, State};

/// A running GitLab. Ends when dropped.
#[derive(Debug)]
pub struct FakeGitLab {
    server: Server<State>,
}

impl FakeGitLab {
    /// Starts one in which these people have accounts.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start(people: &[Person]) -> io::Result<Self> {
        let server = Server::start(State::new(people))?;
        let url = server.url();
        server.platform().url = url;
        Ok(Self { server })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Opens a merge request; its project is there from now on.
    pub fn propose(&self, proposed: &Proposed) {
        self.server.platform().propose(proposed);
    }

    /// What somebody may do in a project: 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
    pub fn lets(&self, project: &str, login: &str, level: u64) {
        self.server.platform().project(project).levels.insert(login.to_owned(), level);
    }

    /// A branch is there from now on.
    pub fn branch(&self, project: &str, branch: &str, commit: &str) {
        self.server.platform().project(project).branches.insert(branch.to_owned(), commit.to_owned());
    }

    /// An issue is there from now on.
    pub fn issue(&self, project: &str, number: u64, title: &str, body: &str) {
        let issue = Issue { number, title: title.to_owned(), body: body.to_owned() };
        self.server.platform().project(project).issues.push(issue);
    }

    /// Somebody has begun a thread at a line of the new file, and these are its notes. Gives its id.
    pub fn discuss(&self, number: u64, author: &str, path: &str, line: u64, bodies: &[&str]) -> String {
        self.server.platform().discuss(number, author, path, line, bodies)
    }

    /// Somebody pushed: there is a new version, and this is what the merge request changes.
    pub fn push(&self, number: u64, head: &str, diff: &str) {
        self.server.platform().push(number, head, diff);
    }

    /// Everything that was posted to a merge request, in order. `commit` is the head that a thread is of.
    #[must_use]
    pub fn posted(&self, number: u64) -> Vec<Posted> {
        self.server.platform().posted(number)
    }

    /// The labels of a merge request.
    #[must_use]
    pub fn labels(&self, number: u64) -> Vec<String> {
        self.server.platform().merge(number).map(|merge| merge.proposed.labels.clone()).unwrap_or_default()
    }

    /// The ids of the threads that are resolved.
    #[must_use]
    pub fn resolved(&self, number: u64) -> Vec<String> {
        let mut state = self.server.platform();
        let Some(merge) = state.merge(number) else { return Vec::new() };
        let resolved = merge.discussions.iter().filter(|discussion| discussion.resolved);
        resolved.map(|discussion| discussion.id.clone()).collect()
    }

    /// Lines of what was posted that GitLab carried out instead of showing them (`doc/user/project/quick_actions.md`).
    #[must_use]
    pub fn carried_out(&self) -> Vec<String> {
        self.server.platform().carried_out.clone()
    }

    /// Each merge request: its number, title, description and whether it is a draft.
    #[must_use]
    pub fn merge_requests(&self) -> Vec<Value> {
        let state = self.server.platform();
        let all = state.merges.iter().map(|merge| &merge.proposed);
        all.map(|of| json!({"number": of.number, "title": of.title, "body": of.body, "draft": of.draft})).collect()
    }

    /// Every request so far.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        self.server.heard()
    }

    /// The next request with this method whose target or body has this part goes wrong, once.
    pub fn fails(&self, method: &str, part: &str, fault: Fault) {
        self.server.fails(0, Some(method), part, fault);
    }

    /// The request after `after` others goes wrong, whichever it is.
    pub fn fails_at(&self, after: usize, fault: Fault) {
        self.server.fails(after, None, "", fault);
    }

    /// What is posted from now on is seen by readers only after so long.
    pub fn late(&self, late: Duration) {
        self.server.late(late);
    }

    /// What was posted so far is seen.
    pub fn show(&self) {
        self.server.show();
    }
}
