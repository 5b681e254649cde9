//! A GitHub Enterprise Server on loopback: `HOST/api/v3` and `HOST/api/graphql`.
//!
//! Pages named here: `rest/…` is a path of `github/rest-api-description` (`descriptions/api.github.com`), `graphql` is
//! `octokit/graphql-schema`.

mod graph;
mod places;
mod pulls;
mod rest;
mod reviews;
mod state;

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Person, Posted, Proposed};
use crate::server::{Fault, Heard, Server};
use state::{Issue, State};

/// A running GitHub. Ends when dropped.
#[derive(Debug)]
pub struct FakeGitHub {
    server: Server<State>,
}

impl FakeGitHub {
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

    /// Opens a pull request; its project is there from now on.
    pub fn propose(&self, proposed: &Proposed) {
        self.server.platform().propose(proposed);
    }

    /// What somebody may do in a project: `admin`, `write`, `read`, `none`.
    pub fn lets(&self, project: &str, login: &str, may: &str) {
        self.server.platform().project(project).access.insert(login.to_owned(), may.to_owned());
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

    /// Somebody has begun a thread at a line of the new file, and these are its comments. Gives its node.
    pub fn discuss(&self, number: u64, author: &str, path: &str, line: u64, bodies: &[&str]) -> String {
        self.server.platform().discuss(number, author, path, line, bodies)
    }

    /// Somebody has begun a review and not shown it.
    pub fn begin(&self, number: u64, author: &str, body: &str) {
        self.server.platform().begin(number, author, body);
    }

    /// Somebody pushed: this is the head, and what the pull request changes.
    pub fn push(&self, number: u64, head: &str, diff: &str) {
        self.server.platform().push(number, head, diff);
    }

    /// Everything that was posted to a pull request, in order, what nobody but its author sees among it.
    #[must_use]
    pub fn posted(&self, number: u64) -> Vec<Posted> {
        self.server.platform().posted(number)
    }

    /// The labels of a pull request.
    #[must_use]
    pub fn labels(&self, number: u64) -> Vec<String> {
        self.server.platform().pull(number).map(|pull| pull.proposed.labels.clone()).unwrap_or_default()
    }

    /// The nodes of the threads that are resolved.
    #[must_use]
    pub fn resolved(&self, number: u64) -> Vec<String> {
        let mut state = self.server.platform();
        let Some(pull) = state.pull(number) else { return Vec::new() };
        pull.threads.iter().filter(|thread| thread.resolved).map(|thread| thread.node.clone()).collect()
    }

    /// Each pull request: its number, title, description and whether it is a draft.
    #[must_use]
    pub fn pulls(&self) -> Vec<Value> {
        let state = self.server.platform();
        let pulls = state.pulls.iter().map(|pull| &pull.proposed);
        let said = pulls.map(|of| json!({"number": of.number, "title": of.title, "body": of.body, "draft": of.draft}));
        said.collect()
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
