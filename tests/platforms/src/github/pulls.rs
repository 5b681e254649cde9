//! Pull requests: reading, listing, opening and changing them; their comments and labels.

use serde_json::{Value, json};

use super::rest::{invalid, labels, missing, page};
use super::state::{BODY, Comment, State};
use crate::common::{Person, Proposed};
use crate::http::{Answer, Request};
use crate::server::Sight;

impl State {
    /// As `rest/pulls/get` has it.
    pub(super) fn said(&mut self, number: u64) -> Value {
        let url = self.url.clone();
        let Some(pull) = self.pull(number) else { return Value::Null };
        let of = pull.proposed.clone();
        let (labels, closed) = (labels(pull), pull.closed);
        let from = if of.fork { format!("fork/{}", of.project) } else { of.project.clone() };
        json!({
            "number": of.number, "title": of.title, "body": of.body, "draft": of.draft,
            "html_url": format!("{url}/{}/pull/{}", of.project, of.number),
            "state": if closed { "closed" } else { "open" }, "merged_at": Value::Null,
            "user": self.user(&of.author), "labels": labels,
            "head": {"ref": of.branch, "sha": of.head, "repo": {"full_name": from}},
            "base": {"ref": of.target, "sha": of.base, "repo": {"full_name": of.project}},
        })
    }

    /// `rest/pulls/list`: open ones where no state is said; `head` takes the owner before the branch, else it is ignored.
    pub(super) fn list(&mut self, project: &str, request: &Request) -> Answer {
        let head = request.query("head").filter(|head| head.contains(':'));
        let branch = head.as_deref().and_then(|head| head.split_once(':')).map(|(_, branch)| branch.to_owned());
        let all = request.query("state").is_some_and(|state| state == "all");
        let fits = self.pulls.iter().filter(|pull| {
            let of = &pull.proposed;
            of.project == project && (all || !pull.closed) && branch.as_ref().is_none_or(|branch| *branch == of.branch)
        });
        let mut numbers: Vec<u64> = fits.map(|pull| pull.proposed.number).collect();
        numbers.reverse();
        let all = numbers.into_iter().map(|number| self.said(number)).collect();
        page(request, all)
    }

    /// `rest/pulls/create`.
    pub(super) fn open(&mut self, project: &str, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        let (title, branch, target) = (text("title"), text("head"), text("base"));
        if title.is_empty() {
            return invalid("title is missing");
        }
        if !self.may_push(project, &caller.login) {
            return missing();
        }
        let branches = &self.project(project).branches;
        let (Some(head), Some(base)) = (branches.get(&branch).cloned(), branches.get(&target).cloned()) else {
            return invalid("head or base is invalid");
        };
        let same = |of: &Proposed| of.project == project && of.branch == branch && of.target == target;
        if self.pulls.iter().any(|pull| !pull.closed && same(&pull.proposed)) {
            let owner = project.split('/').next().unwrap_or_default();
            return invalid(&format!("A pull request already exists for {owner}:{branch}."));
        }
        let number = self.pulls.iter().map(|pull| pull.proposed.number).max().unwrap_or(0) + 1;
        let (body, draft) = (text("body"), said["draft"].as_bool().unwrap_or(false));
        let (project, author) = (project.to_owned(), caller.login.clone());
        let fresh =
            Proposed { project, number, title, body, author, head, base, branch, target, draft, ..Proposed::default() };
        self.propose(&fresh);
        Answer::json(201, &self.said(number))
    }

    /// `rest/pulls/update`.
    pub(super) fn update(&mut self, number: u64, request: &Request) -> Answer {
        let said = request.json();
        if let Some(pull) = self.pull(number) {
            if let Some(title) = said["title"].as_str() {
                pull.proposed.title = title.to_owned();
            }
            if let Some(body) = said["body"].as_str() {
                pull.proposed.body = body.to_owned();
            }
            if let Some(state) = said["state"].as_str() {
                pull.closed = state == "closed";
            }
        }
        Answer::json(200, &self.said(number))
    }

    pub(super) fn comments(&mut self, number: u64, sight: Sight) -> Vec<Value> {
        let Some(pull) = self.pull(number) else { return Vec::new() };
        let seen: Vec<Comment> = pull.comments.iter().filter(|comment| sight.sees(comment.made)).cloned().collect();
        seen.iter().map(|comment| self.said_comment(number, comment)).collect()
    }

    fn said_comment(&self, number: u64, comment: &Comment) -> Value {
        json!({
            "id": comment.id, "node_id": comment.node, "user": self.user(&comment.author), "body": comment.body,
            "html_url": format!("{}/pull/{number}#issuecomment-{}", self.url, comment.id),
        })
    }

    /// `rest/issues/create-comment`.
    pub(super) fn say(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let Some(body) = said["body"].as_str().filter(|body| !body.trim().is_empty()) else {
            return invalid("body can't be blank");
        };
        if body.chars().count() > BODY {
            return invalid("body is too long (maximum is 65536 characters)");
        }
        let comment = self.comment(&caller.login, body, 0);
        let answer = Answer::json(201, &self.said_comment(number, &comment));
        if let Some(pull) = self.pull(number) {
            pull.comments.push(comment);
        }
        answer
    }

    /// `rest/issues/add-labels`: those that are there stay. Only who may push sets them.
    pub(super) fn label(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let Some(wanted) = said["labels"].as_array().filter(|labels| !labels.is_empty()) else {
            return invalid("labels is missing");
        };
        let project = self.pull(number).map(|pull| pull.proposed.project.clone()).unwrap_or_default();
        if !self.may_push(&project, &caller.login) {
            return Answer::refused(403, "Must have admin rights to Repository.");
        }
        let Some(pull) = self.pull(number) else { return missing() };
        for label in wanted.iter().filter_map(Value::as_str) {
            if !pull.proposed.labels.iter().any(|known| known.eq_ignore_ascii_case(label)) {
                pull.proposed.labels.push(label.to_owned());
            }
        }
        Answer::json(200, &Value::Array(labels(pull)))
    }
}
