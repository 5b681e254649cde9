//! REST: which path leads where, and who may go there.

use serde_json::{Value, json};

use super::state::{Pull, State};
use crate::common::Person;
use crate::http::{Answer, Request, decoded};
use crate::server::Sight;

/// Entries of a page where none is said (`rest/…`, parameter `per-page`).
const PAGE: usize = 30;

pub(super) fn missing() -> Answer {
    Answer::refused(404, "Not Found")
}

/// `rest/…`, response `validation_failed`.
pub(super) fn invalid(why: &str) -> Answer {
    Answer::json(422, &json!({"message": "Unprocessable Entity", "errors": [why], "status": "422"}))
}

/// A page of a list, with `link` where there is another ("Using pagination in the REST API").
pub(super) fn page(request: &Request, all: Vec<Value>) -> Answer {
    let (entries, next) = request.page(all, PAGE);
    let answer = Answer::json(200, &Value::Array(entries));
    match next {
        // Made to lead astray whoever follows it instead of counting.
        Some(next) => answer.with("link", format!("<https://elsewhere.example/?page={next}>; rel=\"next\"")),
        None => answer,
    }
}

impl State {
    pub(super) fn rest(&mut self, request: &Request, caller: &Person, sight: Sight) -> Answer {
        let Some(path) = request.path().strip_prefix("/api/v3/") else { return missing() };
        let parts: Vec<String> = path.split('/').map(decoded).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", ["user"]) => Answer::json(200, &self.user(&caller.login)),
            ("GET", ["search", "issues"]) => self.search(request),
            (method, ["repos", owner, name, rest @ ..]) => {
                let project = format!("{owner}/{name}");
                // `full_name` is found in any case; what isn't there is 404.
                let known = self.projects.keys().find(|known| known.eq_ignore_ascii_case(&project)).cloned();
                let Some(project) = known else { return missing() };
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
            ("GET", []) => Answer::json(200, &self.repository(project, caller)),
            ("GET", ["collaborators", login, "permission"]) => self.permission(project, login, caller),
            ("GET", ["compare", range]) => self.compare(project, range),
            ("GET", ["pulls"]) => self.list(project, request),
            ("POST", ["pulls"]) => self.open(project, request, caller),
            ("GET", ["issues", number]) => self.issue(project, number),
            (method, [kind @ ("pulls" | "issues"), number, rest @ ..]) => {
                // A node is no number, and leads nowhere.
                let Ok(number) = number.parse::<u64>() else { return missing() };
                if self.pull(number).is_none_or(|pull| pull.proposed.project != project) {
                    return missing();
                }
                self.in_pull(method, kind, number, rest, request, caller, sight)
            }
            _ => missing(),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one request, each needed by some of its paths")]
    fn in_pull(
        &mut self,
        method: &str,
        kind: &str,
        number: u64,
        rest: &[&str],
        request: &Request,
        caller: &Person,
        sight: Sight,
    ) -> Answer {
        match (method, kind, rest) {
            ("GET", "pulls", []) => Answer::json(200, &self.said(number)),
            ("PATCH", "pulls", []) => self.update(number, request),
            ("GET", "pulls", ["reviews"]) => {
                let all = self.reviews(number, caller, sight);
                page(request, all)
            }
            ("POST", "pulls", ["reviews"]) => self.review(number, request, caller),
            ("POST", "pulls", ["reviews", id, "events"]) => self.submit(number, id, request, caller),
            ("DELETE", "pulls", ["reviews", id]) => self.discard(number, id, caller),
            ("POST", "pulls", ["comments", id, "replies"]) => self.reply(number, id, request, caller),
            ("GET", "issues", ["comments"]) => {
                let all = self.comments(number, sight);
                page(request, all)
            }
            ("POST", "issues", ["comments"]) => self.say(number, request, caller),
            ("GET", "issues", ["labels"]) => {
                let labels = self.pull(number).map(|pull| labels(pull)).unwrap_or_default();
                page(request, labels)
            }
            ("POST", "issues", ["labels"]) => self.label(number, request, caller),
            _ => missing(),
        }
    }

    pub(super) fn user(&self, login: &str) -> Value {
        match self.person(login) {
            Some(person) => json!({"id": person.id, "login": person.login, "node_id": format!("U_{}", person.id)}),
            None => Value::Null,
        }
    }

    fn repository(&self, project: &str, caller: &Person) -> Value {
        let push = self.may_push(project, &caller.login);
        json!({
            "id": 7, "full_name": project, "default_branch": "main",
            "clone_url": format!("{}/{project}.git", self.url), "permissions": {"push": push, "pull": true},
        })
    }

    /// `rest/collaborators/get-collaborator-permission-level`: those who may push are told.
    fn permission(&self, project: &str, login: &str, caller: &Person) -> Answer {
        if !self.may_push(project, &caller.login) {
            return Answer::refused(403, "Must have push access to view collaborator permission.");
        }
        let Some(person) = self.person(login) else { return missing() };
        let access = self.projects.get(project).and_then(|project| project.access.get(&person.login));
        let access = access.map_or("read", String::as_str);
        Answer::json(200, &json!({"permission": access, "role_name": access, "user": self.user(login)}))
    }

    fn compare(&self, project: &str, range: &str) -> Answer {
        let Some((base, head)) = range.split_once("...") else { return missing() };
        let fits = |pull: &&Pull| {
            let of = &pull.proposed;
            of.project == project && of.base == base && pull.commits.iter().any(|(commit, _)| commit == head)
        };
        match self.pulls.iter().find(fits) {
            Some(pull) => Answer::json(200, &json!({"merge_base_commit": {"sha": pull.proposed.merge_base}})),
            None => missing(),
        }
    }

    /// `rest/search/issues-and-pull-requests`: every open one, whoever is asked for.
    fn search(&self, request: &Request) -> Answer {
        if request.query("q").is_none_or(|words| !words.contains("is:pr")) {
            return invalid("q is missing");
        }
        let open = self.pulls.iter().filter(|pull| !pull.closed);
        let items: Vec<Value> = open
            .map(|pull| {
                let Pull { proposed, .. } = pull;
                json!({
                    "number": proposed.number,
                    "repository_url": format!("{}/api/v3/repos/{}", self.url, proposed.project),
                })
            })
            .collect();
        Answer::json(200, &json!({"total_count": items.len(), "incomplete_results": false, "items": items}))
    }

    fn issue(&self, project: &str, number: &str) -> Answer {
        let Ok(number) = number.parse::<u64>() else { return missing() };
        let issue = self.projects.get(project).and_then(|of| of.issues.iter().find(|issue| issue.number == number));
        if let Some(issue) = issue {
            let url = format!("{}/{project}/issues/{number}", self.url);
            let said = json!({
                "number": number, "title": issue.title, "body": issue.body, "html_url": url, "state": "open",
                "user": self.people.first().map(|person| self.user(&person.login)), "labels": [{"name": "bug"}, "old"],
            });
            return Answer::json(200, &said);
        }
        let mut pulls = self.pulls.iter().filter(|pull| pull.proposed.project == project);
        match pulls.find(|pull| pull.proposed.number == number) {
            Some(pull) => {
                let of = &pull.proposed;
                let said = json!({
                    "number": number, "title": of.title, "body": of.body, "html_url": self.url, "state": "open",
                    "user": self.user(&of.author), "labels": labels(pull), "pull_request": {"url": self.url},
                });
                Answer::json(200, &said)
            }
            None => missing(),
        }
    }
}

pub(super) fn labels(pull: &Pull) -> Vec<Value> {
    pull.proposed.labels.iter().map(|label| json!({"name": label})).collect()
}
