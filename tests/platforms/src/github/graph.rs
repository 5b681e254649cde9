//! GraphQL, as far as threads need it. Errors come with the status 200, as they do there.

use serde_json::{Value, json};

use super::places::{Wanted, has_file};
use super::state::{Comment, State, Thread};
use crate::common::Person;
use crate::graphql::{Field, cut, find, read};
use crate::http::{Answer, Request};
use crate::server::Sight;

/// `graphql`, resource limitations: `first` is from 1 to 100.
const FIRST: usize = 100;

/// What isn't had: the kind of error and what it says.
type Wrong = (&'static str, String);

fn unknown(id: &str) -> Wrong {
    ("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'."))
}

impl State {
    pub(super) fn graph(&mut self, request: &Request, caller: &Person, sight: Sight) -> Answer {
        let said = request.json();
        let query = said["query"].as_str().unwrap_or_default();
        let outcome = read(query).map_err(|why| ("", why)).and_then(|fields| {
            let all = self.resolved_to(&fields, &said["variables"], caller, sight)?;
            cut(&all, &fields).map_err(|why| ("", why))
        });
        let answer = match outcome {
            Ok(data) => json!({"data": data}),
            // What can't be parsed has no type.
            Err(("", message)) => json!({"errors": [{"message": message}]}),
            Err((kind, message)) => json!({"data": Value::Null, "errors": [{"type": kind, "message": message}]}),
        };
        Answer::json(200, &answer)
    }

    fn resolved_to(
        &mut self,
        fields: &[Field],
        variables: &Value,
        caller: &Person,
        sight: Sight,
    ) -> Result<Value, Wrong> {
        let field = fields.first().ok_or(("", "nothing is asked for".to_owned()))?;
        let input = &variables["input"];
        match field.name.as_str() {
            "repository" => self.repository_of(fields, variables, caller, sight),
            "node" => self.node(fields, variables, caller, sight),
            "addPullRequestReviewThread" => self.place(fields, input, caller, sight),
            "addPullRequestReviewThreadReply" => self.answer_in(input, caller),
            "resolveReviewThread" => self.resolve(fields, input, caller, sight),
            name => Err(("", format!("Field '{name}' doesn't exist"))),
        }
    }

    fn repository_of(
        &mut self,
        fields: &[Field],
        variables: &Value,
        caller: &Person,
        sight: Sight,
    ) -> Result<Value, Wrong> {
        let text = |name: &str| variables[name].as_str().unwrap_or_default();
        let project = format!("{}/{}", text("owner"), text("name"));
        let number = variables["number"].as_u64().unwrap_or(0);
        let Some(pull) = self.pull(number).filter(|pull| pull.proposed.project == project) else {
            return Err(("NOT_FOUND", "Could not resolve to a PullRequest.".to_owned()));
        };
        let sees = |thread: &&Thread| thread.comments.iter().any(|comment| is_seen(pull, comment, caller, sight));
        let seen: Vec<Thread> = pull.threads.iter().filter(sees).cloned().collect();
        let page = page_of(fields, "reviewThreads", variables, seen)?;
        let comments = |thread: &Thread| self.said_thread(fields, number, thread, None, caller, sight);
        let nodes: Vec<Value> = page.0.iter().map(comments).collect::<Result<_, _>>()?;
        Ok(json!({"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page.1, "nodes": nodes}}}}))
    }

    fn node(&mut self, fields: &[Field], variables: &Value, caller: &Person, sight: Sight) -> Result<Value, Wrong> {
        let id = variables["id"].as_str().unwrap_or_default();
        let (number, thread) = self.thread(id).ok_or_else(|| unknown(id))?;
        Ok(json!({"node": self.said_thread(fields, number, &thread, Some(variables), caller, sight)?}))
    }

    fn thread(&self, node: &str) -> Option<(u64, Thread)> {
        self.pulls.iter().find_map(|pull| {
            let thread = pull.threads.iter().find(|thread| thread.node == node)?;
            Some((pull.proposed.number, thread.clone()))
        })
    }

    fn said_thread(
        &self,
        fields: &[Field],
        number: u64,
        thread: &Thread,
        variables: Option<&Value>,
        caller: &Person,
        sight: Sight,
    ) -> Result<Value, Wrong> {
        let pull = self.pulls.iter().find(|pull| pull.proposed.number == number);
        let pull = pull.ok_or_else(|| unknown("?"))?;
        let seen = thread.comments.iter().filter(|comment| is_seen(pull, comment, caller, sight)).cloned();
        let (seen, info) = page_of(fields, "comments", variables.unwrap_or(&Value::Null), seen.collect())?;
        let review =
            |id: u64| pull.reviews.iter().find(|review| review.id == id).map(|review| json!({"id": review.node}));
        let comment = |comment: &Comment| {
            let author = self.person(&comment.author);
            json!({
                "id": comment.node, "body": comment.body, "createdAt": "2026-11-21T09:30:00Z",
                "url": format!("{}/pull/{number}#discussion_r{}", self.url, comment.id),
                "state": if pull.is_pending(comment.review) { "PENDING" } else { "SUBMITTED" },
                "author": author.map(|person| json!({"login": person.login, "databaseId": person.id})),
                "pullRequestReview": review(comment.review),
            })
        };
        let comments: Vec<Value> = seen.iter().map(comment).collect();
        Ok(json!({
            "id": thread.node, "isResolved": thread.resolved, "path": thread.path, "line": thread.line,
            "subjectType": if thread.is_file { "FILE" } else { "LINE" },
            "comments": {"pageInfo": info, "nodes": comments},
        }))
    }

    /// `graphql`, `AddPullRequestReviewThreadInput`. A place that isn't in the diff is no error, as reported: a path that isn't
    /// there makes no thread, a line that isn't makes one without a line.
    fn place(&mut self, fields: &[Field], input: &Value, caller: &Person, sight: Sight) -> Result<Value, Wrong> {
        let node = input["pullRequestReviewId"].as_str().unwrap_or_default();
        let body = input["body"].as_str().unwrap_or_default().to_owned();
        let path = input["path"].as_str().unwrap_or_default().to_owned();
        let mine = |pull: &&mut super::state::Pull| {
            pull.reviews.iter().any(|review| review.node == node && review.author == caller.login)
        };
        let pull = self.pulls.iter_mut().find(mine).ok_or_else(|| unknown(node))?;
        let Some(review) = pull.pending_of(&caller.login).filter(|review| review.node == node).cloned() else {
            return Err(("UNPROCESSABLE", "Review has already been submitted.".to_owned()));
        };
        if body.trim().is_empty() {
            return Err(("UNPROCESSABLE", "Body can't be blank".to_owned()));
        }
        if !has_file(pull, &path) {
            return Ok(json!({"addPullRequestReviewThread": {"thread": Value::Null}}));
        }
        let is_file = input["subjectType"].as_str() == Some("FILE");
        let wanted = Wanted::of(input, "startLine", "startSide");
        let stands = pull.diff(Some(&review.commit)).is_some_and(|diff| wanted.is_in(diff));
        let line = wanted.line.filter(|_| !is_file && stands);
        let number = pull.proposed.number;
        let comment = self.comment(&caller.login, &body, review.id);
        let (_, node) = self.named("PRRT");
        let thread = Thread { node, path, line, is_file, resolved: false, comments: vec![comment] };
        self.keep(number, thread.clone());
        let said = self.said_thread(fields, number, &thread, None, caller, sight.of_all())?;
        Ok(json!({"addPullRequestReviewThread": {"thread": said}}))
    }

    /// `graphql`, `AddPullRequestReviewThreadReplyInput`: the thread's node. While its author has a pending review, it belongs to it.
    fn answer_in(&mut self, input: &Value, caller: &Person) -> Result<Value, Wrong> {
        let node = input["pullRequestReviewThreadId"].as_str().unwrap_or_default();
        let body = input["body"].as_str().unwrap_or_default().to_owned();
        let (number, _) = self.thread(node).ok_or_else(|| unknown(node))?;
        if body.trim().is_empty() {
            return Err(("UNPROCESSABLE", "Body can't be blank".to_owned()));
        }
        let pending = self.pull(number).and_then(|pull| pull.pending_of(&caller.login).map(|review| review.id));
        let review = pending.unwrap_or_else(|| self.submitted(number, &caller.login));
        let comment = self.comment(&caller.login, &body, review);
        let url = format!("{}/pull/{number}#discussion_r{}", self.url, comment.id);
        let state = if pending.is_some() { "PENDING" } else { "SUBMITTED" };
        let said = json!({"id": comment.node, "url": url, "state": state});
        let threads = self.pull(number).map(|pull| &mut pull.threads);
        if let Some(thread) = threads.and_then(|all| all.iter_mut().find(|thread| thread.node == node)) {
            thread.comments.push(comment);
        }
        Ok(json!({"addPullRequestReviewThreadReply": {"comment": said}}))
    }

    /// `graphql`, `resolveReviewThread`: the pull request's author and those who may push.
    fn resolve(&mut self, fields: &[Field], input: &Value, caller: &Person, sight: Sight) -> Result<Value, Wrong> {
        let node = input["threadId"].as_str().unwrap_or_default();
        let (number, _) = self.thread(node).ok_or_else(|| unknown(node))?;
        let of = self.pull(number).map(|pull| pull.proposed.clone()).unwrap_or_default();
        if of.author != caller.login && !self.may_push(&of.project, &caller.login) {
            return Err(("FORBIDDEN", format!("{} does not have the correct permissions.", caller.login)));
        }
        let threads = self.pull(number).map(|pull| &mut pull.threads);
        if let Some(thread) = threads.and_then(|all| all.iter_mut().find(|thread| thread.node == node)) {
            thread.resolved = true;
        }
        let (_, thread) = self.thread(node).ok_or_else(|| unknown(node))?;
        Ok(json!({"resolveReviewThread": {"thread": self.said_thread(fields, number, &thread, None, caller, sight)?}}))
    }
}

fn is_seen(pull: &super::state::Pull, comment: &Comment, caller: &Person, sight: Sight) -> bool {
    sight.sees(comment.made) && (!pull.is_pending(comment.review) || comment.author == caller.login)
}

/// A page of a connection: as many as `first` says, after the cursor of `after` where the variables have it.
fn page_of<T>(fields: &[Field], name: &str, variables: &Value, all: Vec<T>) -> Result<(Vec<T>, Value), Wrong> {
    let Some(field) = find(fields, name) else { return Ok((all, Value::Null)) };
    let first = field.arguments.split_once("first:").map(|(_, rest)| rest.trim_start());
    let digits = first.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
    let first = digits.and_then(|digits| digits.parse::<usize>().ok()).filter(|first| (1..=FIRST).contains(first));
    let first = first.ok_or_else(|| ("", format!("`first` of {name} is from 1 to 100")))?;
    let pages = field.arguments.contains("after:");
    let after = variables["after"].as_str().filter(|_| pages).and_then(|cursor| cursor.strip_prefix("after-"));
    let from: usize = after.and_then(|after| after.parse().ok()).unwrap_or(0);
    let more = all.len() > from + first;
    let page: Vec<T> = all.into_iter().skip(from).take(first).collect();
    let info = json!({"hasNextPage": more, "endCursor": format!("after-{}", from + page.len())});
    Ok((page, info))
}
