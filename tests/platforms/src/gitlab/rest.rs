//! Which path leads where, and who may go there; projects, people, merge requests.

use serde_json::{Value, json};

use super::state::{Merge, State};
use crate::common::{Person, Proposed};
use crate::http::{Answer, Request, decoded};
use crate::server::Sight;

/// Entries of a page where none is said (`rest/_index.md`, "Offset-based pagination").
const PAGE: usize = 20;
const DEVELOPER: u64 = 30;
const REPORTER: u64 = 20;

pub(super) fn missing() -> Answer {
    Answer::refused(404, "404 Not found")
}

/// A page of a list; `x-next-page` is empty for the last.
pub(super) fn page(request: &Request, all: Vec<Value>) -> Answer {
    let (entries, next) = request.page(all, PAGE);
    let next = next.map(|next| next.to_string()).unwrap_or_default();
    Answer::json(200, &Value::Array(entries)).with("x-next-page", next)
}

impl State {
    pub(super) fn rest(&mut self, request: &Request, caller: &Person, sight: Sight) -> Answer {
        let Some(path) = request.path().strip_prefix("/api/v4/") else { return missing() };
        let parts: Vec<String> = path.split('/').map(decoded).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", ["user"]) => Answer::json(200, &self.user(&caller.login)),
            ("GET", ["merge_requests"]) => self.list(None, request),
            (method, ["projects", project, rest @ ..]) => {
                if !self.projects.contains_key(*project) {
                    return Answer::refused(404, "404 Project Not Found");
                }
                let project = (*project).to_owned();
                self.in_project(method, &project, rest, request, caller, sight)
            }
            _ => missing(),
        }
    }

    fn in_project(
        &mut self,
        method: &str,
        project: &str,
        rest: &[&str],
        request: &Request,
        caller: &Person,
        sight: Sight,
    ) -> Answer {
        match (method, rest) {
            ("GET", []) => Answer::json(200, &self.said_project(project, caller)),
            ("GET", ["members", "all", id]) => self.member(project, id),
            ("GET", ["repository", "merge_base"]) => self.merge_base(project, request),
            ("GET", ["issues", number]) => self.issue(project, number),
            ("GET", ["merge_requests"]) => self.list(Some(project), request),
            ("POST", ["merge_requests"]) => self.open(project, request, caller),
            (method, ["merge_requests", number, rest @ ..]) => {
                let Ok(number) = number.parse::<u64>() else { return missing() };
                if self.merge(number).is_none_or(|merge| merge.proposed.project != project) {
                    return missing();
                }
                match (method, rest) {
                    ("GET", []) => Answer::json(200, &self.said(number, true)),
                    ("PUT", []) => self.update(number, request, caller),
                    ("GET", ["versions"]) => self.versions(number, request),
                    (method, rest) => self.in_merge(method, number, rest, request, caller, sight),
                }
            }
            _ => missing(),
        }
    }

    pub(super) fn user(&self, login: &str) -> Value {
        match self.person(login) {
            Some(person) => json!({"id": person.id, "username": person.login, "state": "active"}),
            None => Value::Null,
        }
    }

    fn said_project(&self, project: &str, caller: &Person) -> Value {
        let level = self.level(project, &caller.login);
        let access = if level > 0 { json!({"access_level": level}) } else { Value::Null };
        json!({
            "id": 5, "path_with_namespace": project, "default_branch": "main",
            "http_url_to_repo": format!("{}/{project}.git", self.url),
            "permissions": {"project_access": access, "group_access": Value::Null},
        })
    }

    /// `project_members.md`: 404 for whoever is none.
    fn member(&self, project: &str, id: &str) -> Answer {
        let person = self.people.iter().find(|person| person.id.to_string() == id);
        match person.map(|person| (person, self.level(project, &person.login))) {
            Some((person, level)) if level > 0 => Answer::json(
                200,
                &json!({"id": person.id, "username": person.login, "state": "active", "access_level": level}),
            ),
            _ => missing(),
        }
    }

    /// `repositories.md`, "Merge base".
    fn merge_base(&self, project: &str, request: &Request) -> Answer {
        let refs = request.queries("refs[]");
        let fits = |merge: &&Merge| {
            let of = &merge.proposed;
            of.project == project
                && refs.contains(&of.base)
                && merge.versions.iter().any(|version| refs.contains(&version.head))
        };
        match self.merges.iter().find(fits) {
            Some(merge) => Answer::json(200, &json!({"id": merge.proposed.merge_base})),
            None => missing(),
        }
    }

    fn issue(&self, project: &str, number: &str) -> Answer {
        let issues = self.projects.get(project).map(|project| &project.issues);
        let issue = issues.and_then(|issues| issues.iter().find(|issue| issue.number.to_string() == number));
        let Some(issue) = issue else { return missing() };
        let said = json!({
            "iid": issue.number, "title": issue.title, "description": issue.body, "state": "opened", "labels": ["bug"],
            "web_url": format!("{}/{project}/-/issues/{number}", self.url),
            "author": self.people.first().map(|person| self.user(&person.login)),
        });
        Answer::json(200, &said)
    }

    /// `merge_requests.md`, "Get single MR"; lists have no `diff_refs`.
    pub(super) fn said(&mut self, number: u64, whole: bool) -> Value {
        let url = self.url.clone();
        let Some(merge) = self.merge(number) else { return Value::Null };
        let of = merge.proposed.clone();
        let closed = merge.closed;
        let refs = merge.versions.last().filter(|_| whole).map(super::state::Version::refs);
        let mut said = json!({
            "iid": of.number, "title": of.title, "description": of.body, "draft": of.draft, "sha": of.head,
            "state": if closed { "closed" } else { "opened" }, "author": self.user(&of.author), "labels": of.labels,
            "source_branch": of.branch, "target_branch": of.target,
            "source_project_id": if of.fork { 99 } else { 5 }, "target_project_id": 5,
            "web_url": format!("{url}/{}/-/merge_requests/{}", of.project, of.number),
            "references": {"full": format!("{}!{}", of.project, of.number)},
        });
        if let Some(refs) = refs {
            said["diff_refs"] = refs;
        }
        said
    }

    /// `merge_requests.md`, "Get merge request diff versions": the newest first.
    fn versions(&mut self, number: u64, request: &Request) -> Answer {
        let Some(merge) = self.merge(number) else { return missing() };
        let versions = merge.versions.iter().rev().map(|version| {
            json!({
                "id": version.id, "head_commit_sha": version.head, "base_commit_sha": version.base,
                "start_commit_sha": version.start,
            })
        });
        let all = versions.collect();
        page(request, all)
    }

    /// `merge_requests.md`, "List merge requests".
    fn list(&mut self, project: Option<&str>, request: &Request) -> Answer {
        let (branch, state) = (request.query("source_branch"), request.query("state"));
        let fits = self.merges.iter().filter(|merge| {
            let of = &merge.proposed;
            project.is_none_or(|project| project == of.project)
                && branch.as_ref().is_none_or(|branch| *branch == of.branch)
                && state.as_deref().is_none_or(|state| state == "all" || (state == "opened") != merge.closed)
        });
        let mut numbers: Vec<u64> = fits.map(|merge| merge.proposed.number).collect();
        numbers.reverse();
        let all = numbers.into_iter().map(|number| self.said(number, false)).collect();
        page(request, all)
    }

    /// `merge_requests.md`, "Create MR": one open one for a source and a target branch. A draft by its title
    /// (`doc/user/project/merge_requests/drafts.md`).
    fn open(&mut self, project: &str, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        let (title, branch, target) = (text("title"), text("source_branch"), text("target_branch"));
        if title.is_empty() || branch.is_empty() || target.is_empty() {
            return Answer::json(400, &json!({"error": "title, source_branch, target_branch are missing"}));
        }
        if self.level(project, &caller.login) < DEVELOPER {
            return Answer::refused(403, "403 Forbidden");
        }
        let branches = &self.project(project).branches;
        let (Some(head), Some(base)) = (branches.get(&branch).cloned(), branches.get(&target).cloned()) else {
            return Answer::json(400, &json!({"message": {"source_branch": ["does not exist"]}}));
        };
        let same = |of: &Proposed| of.project == project && of.branch == branch && of.target == target;
        if let Some(other) = self.merges.iter().find(|merge| !merge.closed && same(&merge.proposed)) {
            let why =
                format!("Another open merge request already exists for this source branch: !{}", other.proposed.number);
            return Answer::json(409, &json!({"message": [why]}));
        }
        let number = self.merges.iter().map(|merge| merge.proposed.number).max().unwrap_or(0) + 1;
        let (project, author, body) = (project.to_owned(), caller.login.clone(), text("description"));
        let draft = title.starts_with("Draft:");
        let fresh =
            Proposed { project, number, title, body, author, head, base, branch, target, draft, ..Proposed::default() };
        self.propose(&fresh);
        Answer::json(201, &self.said(number, true))
    }

    /// `merge_requests.md`, "Update MR": the author and those from developer on; labels from reporter on.
    fn update(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let of = self.merge(number).map(|merge| merge.proposed.clone()).unwrap_or_default();
        let level = self.level(&of.project, &caller.login);
        let changes = said["title"].is_string() || said["description"].is_string();
        if of.author != caller.login && (level < REPORTER || (changes && level < DEVELOPER)) {
            return Answer::refused(403, "403 Forbidden");
        }
        let Some(merge) = self.merge(number) else { return missing() };
        if let Some(title) = said["title"].as_str() {
            merge.proposed.title = title.to_owned();
        }
        if let Some(body) = said["description"].as_str() {
            merge.proposed.body = body.to_owned();
        }
        for label in said["add_labels"].as_str().unwrap_or_default().split(',').filter(|label| !label.is_empty()) {
            if !merge.proposed.labels.iter().any(|known| known == label) {
                merge.proposed.labels.push(label.to_owned());
            }
        }
        Answer::json(200, &self.said(number, true))
    }
}
