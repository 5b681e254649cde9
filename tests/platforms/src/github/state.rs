//! What a GitHub keeps.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::common::{Person, Posted, Proposed};
use crate::diff::Diff;
use crate::http::{Answer, Request};
use crate::server::{Platform, Sight};

/// Bodies have at most so many characters: "body is too long (maximum is 65536 characters)", as reported.
pub(super) const BODY: usize = 65_536;

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) url: String,
    pub(super) people: Vec<Person>,
    pub(super) projects: BTreeMap<String, Project>,
    pub(super) pulls: Vec<Pull>,
    last_id: u64,
}

#[derive(Debug, Default)]
pub(super) struct Project {
    pub(super) access: BTreeMap<String, String>,
    pub(super) branches: BTreeMap<String, String>,
    pub(super) issues: Vec<Issue>,
}

#[derive(Debug)]
pub(super) struct Issue {
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) body: String,
}

#[derive(Debug)]
pub(super) struct Pull {
    pub(super) proposed: Proposed,
    pub(super) closed: bool,
    /// Each commit that was its head, with what it changed; the newest last.
    pub(super) commits: Vec<(String, Diff)>,
    pub(super) reviews: Vec<Review>,
    pub(super) threads: Vec<Thread>,
    pub(super) comments: Vec<Comment>,
}

#[derive(Debug, Clone)]
pub(super) struct Review {
    pub(super) id: u64,
    pub(super) node: String,
    pub(super) author: String,
    pub(super) state: String,
    pub(super) body: String,
    pub(super) commit: String,
    pub(super) made: Instant,
}

#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) node: String,
    pub(super) path: String,
    /// Absent for one at a file, and for one whose place isn't in the diff.
    pub(super) line: Option<u64>,
    pub(super) is_file: bool,
    pub(super) resolved: bool,
    pub(super) comments: Vec<Comment>,
}

#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub(super) id: u64,
    pub(super) node: String,
    pub(super) author: String,
    pub(super) body: String,
    /// The review that it came with; 0 for a comment on the whole.
    pub(super) review: u64,
    pub(super) made: Instant,
}

impl Thread {
    /// Whether it is anywhere: one that isn't goes when its review is shown.
    pub(super) fn stands(&self) -> bool {
        self.is_file || self.line.is_some()
    }
}

impl Pull {
    pub(super) fn review(&mut self, id: u64) -> Option<&mut Review> {
        self.reviews.iter_mut().find(|review| review.id == id)
    }

    pub(super) fn is_pending(&self, review: u64) -> bool {
        self.reviews.iter().any(|known| known.id == review && known.state == "PENDING")
    }

    pub(super) fn pending_of(&self, login: &str) -> Option<&Review> {
        self.reviews.iter().find(|review| review.author == login && review.state == "PENDING")
    }

    /// What a commit changed; of the head without one.
    pub(super) fn diff(&self, commit: Option<&str>) -> Option<&Diff> {
        let mut commits = self.commits.iter().rev();
        commits.find(|(known, _)| commit.is_none_or(|commit| commit == known)).map(|(_, diff)| diff)
    }
}

impl State {
    pub(super) fn new(people: &[Person]) -> Self {
        Self { people: people.to_vec(), last_id: 1_000, ..Self::default() }
    }

    /// A number that nothing has, and a node of that kind: a name of another form, which no REST path takes.
    pub(super) fn named(&mut self, kind: &str) -> (u64, String) {
        self.last_id += 1;
        (self.last_id, format!("{kind}_kwDO{}", self.last_id))
    }

    pub(super) fn person(&self, login: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.login == login)
    }

    pub(super) fn project(&mut self, name: &str) -> &mut Project {
        self.projects.entry(name.to_owned()).or_default()
    }

    pub(super) fn may_push(&self, project: &str, login: &str) -> bool {
        let access = self.projects.get(project).and_then(|project| project.access.get(login));
        access.is_some_and(|access| access == "write" || access == "admin")
    }

    pub(super) fn pull(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.proposed.number == number)
    }

    pub(super) fn propose(&mut self, proposed: &Proposed) {
        let project = self.project(&proposed.project);
        project.branches.insert(proposed.branch.clone(), proposed.head.clone());
        project.branches.insert(proposed.target.clone(), proposed.base.clone());
        let commits = vec![(proposed.head.clone(), Diff::read(&proposed.diff))];
        let (reviews, threads, comments) = (Vec::new(), Vec::new(), Vec::new());
        self.pulls.push(Pull { proposed: proposed.clone(), closed: false, commits, reviews, threads, comments });
    }

    pub(super) fn discuss(&mut self, number: u64, author: &str, path: &str, line: u64, bodies: &[&str]) -> String {
        let review = self.submitted(number, author);
        let comments: Vec<Comment> = bodies.iter().map(|body| self.comment(author, body, review)).collect();
        let (_, node) = self.named("PRRT");
        let thread = Thread {
            node: node.clone(),
            path: path.to_owned(),
            line: Some(line),
            is_file: false,
            resolved: false,
            comments,
        };
        if let Some(pull) = self.pull(number) {
            pull.threads.push(thread);
        }
        node
    }

    /// A review without words, as one that a single comment comes with.
    pub(super) fn submitted(&mut self, number: u64, author: &str) -> u64 {
        let (id, node) = self.named("PRR");
        let made = Instant::now();
        if let Some(pull) = self.pull(number) {
            let commit = pull.proposed.head.clone();
            let (author, body, state) = (author.to_owned(), String::new(), "COMMENTED".to_owned());
            pull.reviews.push(Review { id, node, author, state, body, commit, made });
        }
        id
    }

    pub(super) fn begin(&mut self, number: u64, author: &str, body: &str) {
        let id = self.submitted(number, author);
        if let Some(review) = self.pull(number).and_then(|pull| pull.review(id)) {
            (review.state, review.body) = ("PENDING".to_owned(), body.to_owned());
        }
    }

    pub(super) fn comment(&mut self, author: &str, body: &str, review: u64) -> Comment {
        let (id, node) = self.named(if review == 0 { "IC" } else { "PRRC" });
        Comment { id, node, author: author.to_owned(), body: body.to_owned(), review, made: Instant::now() }
    }

    pub(super) fn push(&mut self, number: u64, head: &str, diff: &str) {
        let Some(pull) = self.pull(number) else { return };
        pull.proposed.head = head.to_owned();
        pull.proposed.diff = diff.to_owned();
        pull.commits.push((head.to_owned(), Diff::read(diff)));
    }

    pub(super) fn posted(&mut self, number: u64) -> Vec<Posted> {
        let Some(pull) = self.pull(number) else { return Vec::new() };
        let review = |review: &Review| Posted {
            kind: "review",
            author: review.author.clone(),
            body: review.body.clone(),
            path: None,
            line: None,
            pending: review.state == "PENDING",
            state: Some(review.state.clone()),
            commit: Some(review.commit.clone()),
        };
        // A review without words is what comes with a comment.
        let reviews = pull.reviews.iter().filter(|review| !review.body.is_empty() || review.state == "PENDING");
        let mut posted: Vec<Posted> = reviews.map(review).collect();
        let said = |kind, comment: &Comment, thread: Option<&Thread>| Posted {
            kind,
            author: comment.author.clone(),
            body: comment.body.clone(),
            path: thread.map(|thread| thread.path.clone()),
            line: thread.and_then(|thread| thread.line),
            pending: pull.is_pending(comment.review),
            state: None,
            commit: None,
        };
        for thread in &pull.threads {
            for (index, comment) in thread.comments.iter().enumerate() {
                posted.push(said(if index == 0 { "thread" } else { "reply" }, comment, Some(thread)));
            }
        }
        posted.extend(pull.comments.iter().map(|comment| said("comment", comment, None)));
        posted
    }

    /// Whose request it is: `rest/…`, "Authenticating to the REST API": a bearer's token, or `token`.
    pub(super) fn caller(&self, request: &Request) -> Option<Person> {
        let shown = request.header("authorization")?;
        let token = shown.strip_prefix("Bearer ").or_else(|| shown.strip_prefix("token "))?;
        self.people.iter().find(|person| !person.token.is_empty() && person.token == token).cloned()
    }
}

impl Platform for State {
    fn answer(&mut self, request: &Request, sight: Sight) -> Answer {
        let Some(caller) = self.caller(request) else { return Answer::refused(401, "Bad credentials") };
        // "Getting started with the REST API", "User agent required".
        if request.header("user-agent").is_none_or(str::is_empty) {
            return Answer::refused(403, "Request forbidden by administrative rules.");
        }
        if request.path() == "/api/graphql" {
            return self.graph(request, &caller, sight);
        }
        self.rest(request, &caller, sight)
    }

    fn head_moves(&mut self, to: &str) {
        for pull in &mut self.pulls {
            let diff = pull.diff(None).cloned().unwrap_or_default();
            pull.proposed.head = to.to_owned();
            pull.commits.push((to.to_owned(), diff));
        }
    }

    fn revoke(&mut self, request: &Request) {
        let Some(caller) = self.caller(request) else { return };
        for person in self.people.iter_mut().filter(|person| person.id == caller.id) {
            person.token.clear();
        }
    }
}
