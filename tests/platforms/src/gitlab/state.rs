//! What a GitLab keeps.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::{Person, Posted, Proposed};
use crate::diff::Diff;
use crate::http::{Answer, Request};
use crate::server::{Platform, Sight};

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) url: String,
    pub(super) people: Vec<Person>,
    pub(super) projects: BTreeMap<String, Project>,
    pub(super) merges: Vec<Merge>,
    pub(super) carried_out: Vec<String>,
    last_id: u64,
}

#[derive(Debug, Default)]
pub(super) struct Project {
    pub(super) levels: BTreeMap<String, u64>,
    pub(super) branches: BTreeMap<String, String>,
    pub(super) issues: Vec<Issue>,
}

#[derive(Debug)]
pub(super) struct Issue {
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) body: String,
}

/// A merge request.
#[derive(Debug)]
pub(super) struct Merge {
    pub(super) proposed: Proposed,
    pub(super) closed: bool,
    /// The oldest first; lists have them the other way round (`merge_requests.md`, "Get merge request diff versions").
    pub(super) versions: Vec<Version>,
    pub(super) discussions: Vec<Discussion>,
}

#[derive(Debug)]
pub(super) struct Version {
    pub(super) id: u64,
    pub(super) head: String,
    pub(super) start: String,
    pub(super) base: String,
    pub(super) diff: Diff,
}

#[derive(Debug, Clone)]
pub(super) struct Discussion {
    pub(super) id: String,
    /// A comment on its own, which can't be resolved.
    pub(super) individual: bool,
    pub(super) resolved: bool,
    pub(super) position: Option<Value>,
    pub(super) notes: Vec<Note>,
}

#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) id: u64,
    pub(super) author: String,
    pub(super) body: String,
    pub(super) made: Instant,
}

impl Version {
    pub(super) fn refs(&self) -> Value {
        json!({"base_sha": self.base, "head_sha": self.head, "start_sha": self.start})
    }
}

impl State {
    pub(super) fn new(people: &[Person]) -> Self {
        Self { people: people.to_vec(), last_id: 5_000, ..Self::default() }
    }

    pub(super) fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn person(&self, login: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.login == login)
    }

    pub(super) fn project(&mut self, name: &str) -> &mut Project {
        self.projects.entry(name.to_owned()).or_default()
    }

    pub(super) fn level(&self, project: &str, login: &str) -> u64 {
        self.projects.get(project).and_then(|project| project.levels.get(login)).copied().unwrap_or(0)
    }

    pub(super) fn merge(&mut self, number: u64) -> Option<&mut Merge> {
        self.merges.iter_mut().find(|merge| merge.proposed.number == number)
    }

    pub(super) fn propose(&mut self, proposed: &Proposed) {
        let project = self.project(&proposed.project);
        project.branches.insert(proposed.branch.clone(), proposed.head.clone());
        project.branches.insert(proposed.target.clone(), proposed.base.clone());
        let discussions = Vec::new();
        self.merges.push(Merge { proposed: proposed.clone(), closed: false, versions: Vec::new(), discussions });
        self.push(proposed.number, &proposed.head, &proposed.diff);
    }

    pub(super) fn push(&mut self, number: u64, head: &str, diff: &str) {
        self.version(number, head, Diff::read(diff));
    }

    fn version(&mut self, number: u64, head: &str, diff: Diff) {
        let id = self.id();
        let Some(merge) = self.merge(number) else { return };
        merge.proposed.head = head.to_owned();
        let Proposed { head, base: start, merge_base: base, .. } = merge.proposed.clone();
        merge.versions.push(Version { id, head, start, base, diff });
    }

    pub(super) fn note(&mut self, author: &str, body: &str) -> Note {
        Note { id: self.id(), author: author.to_owned(), body: body.to_owned(), made: Instant::now() }
    }

    pub(super) fn discuss(&mut self, number: u64, author: &str, path: &str, line: u64, bodies: &[&str]) -> String {
        let notes: Vec<Note> = bodies.iter().map(|body| self.note(author, body)).collect();
        let id = self.named();
        let position = json!({"position_type": "text", "new_path": path, "old_path": path, "new_line": line});
        let discussion =
            Discussion { id: id.clone(), individual: false, resolved: false, position: Some(position), notes };
        if let Some(merge) = self.merge(number) {
            merge.discussions.push(discussion);
        }
        id
    }

    /// A discussion's id: forty hexadecimal digits.
    pub(super) fn named(&mut self) -> String {
        format!("{:040x}", self.id())
    }

    pub(super) fn posted(&mut self, number: u64) -> Vec<Posted> {
        let Some(merge) = self.merge(number) else { return Vec::new() };
        let mut posted = Vec::new();
        for discussion in &merge.discussions {
            let said = |name: &str| discussion.position.as_ref().map(|position| position[name].clone());
            let text = |name: &str| said(name).and_then(|value| value.as_str().map(str::to_owned));
            let number = |name: &str| said(name).and_then(|value| value.as_u64());
            for (index, note) in discussion.notes.iter().enumerate() {
                let kind = match (discussion.individual, index) {
                    (true, _) => "comment",
                    (false, 0) => "thread",
                    (false, _) => "reply",
                };
                let (author, body) = (note.author.clone(), note.body.clone());
                let (path, line) = (text("new_path"), number("new_line").or(number("old_line")));
                let commit = text("head_sha");
                posted.push(Posted { kind, author, body, path, line, pending: false, state: None, commit });
            }
        }
        posted
    }

    /// `rest/authentication.md`: a bearer's token, or `PRIVATE-TOKEN`.
    pub(super) fn caller(&self, request: &Request) -> Option<Person> {
        let bearer = request.header("authorization").and_then(|shown| shown.strip_prefix("Bearer "));
        let token = bearer.or_else(|| request.header("private-token"))?;
        self.people.iter().find(|person| !person.token.is_empty() && person.token == token).cloned()
    }
}

impl Platform for State {
    fn answer(&mut self, request: &Request, sight: Sight) -> Answer {
        let Some(caller) = self.caller(request) else { return Answer::refused(401, "401 Unauthorized") };
        self.rest(request, &caller, sight)
    }

    fn head_moves(&mut self, to: &str) {
        let numbers: Vec<u64> = self.merges.iter().map(|merge| merge.proposed.number).collect();
        for number in numbers {
            let newest = self.merge(number).and_then(|merge| merge.versions.last().map(|version| version.diff.clone()));
            self.version(number, to, newest.unwrap_or_default());
        }
    }

    fn revoke(&mut self, request: &Request) {
        let Some(caller) = self.caller(request) else { return };
        for person in self.people.iter_mut().filter(|person| person.id == caller.id) {
            person.token.clear();
        }
    }
}
