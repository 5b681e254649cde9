//! What is posted to GitHub: the requests, and what their answers say.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{at, commit, graphql, repository, wire};
use crate::error::{ForgeError, Happened};
use crate::http::Http;
use crate::model::{Event, PullId};
use crate::place::{At, Line, LineKind};
use crate::write::{Answers, Done, Method, Opened, Prepared, Remark, Target, Write};

const PLACE: &str = "\
mutation($input: AddPullRequestReviewThreadInput!) {
  addPullRequestReviewThread(input: $input) {
    thread { id line subjectType comments(first: 1) { nodes { url } } }
  }
}";
const REPLY: &str = "\
mutation($input: AddPullRequestReviewThreadReplyInput!) {
  addPullRequestReviewThreadReply(input: $input) { comment { id url state } }
}";
const RESOLVE: &str = "\
mutation($input: ResolveReviewThreadInput!) {
  resolveReviewThread(input: $input) { thread { id isResolved } }
}";

/// The request that a write becomes.
pub(super) fn prepared(write: &Write) -> Result<Prepared, ForgeError> {
    use Method::{Delete, Patch, Post};
    match write {
        Write::Begin { pull, head, body, remarks } => begun(pull, head, body, remarks),
        Write::Submit { pull, review, event } => {
            let event = match event {
                Event::Comment => "COMMENT",
                Event::RequestChanges => "REQUEST_CHANGES",
            };
            let path = format!("{}/reviews/{review}/events", at(pull, "pulls")?);
            Ok(Prepared::rest(Post, path, &json!({"event": event}), Answers::Review))
        }
        Write::Discard { pull, review } => {
            let path = format!("{}/reviews/{review}", at(pull, "pulls")?);
            Ok(Prepared::rest(Delete, path, &Value::Null, Answers::Review))
        }
        Write::Place { review, remark, .. } => placed(review.as_deref(), remark),
        Write::Comment { pull, body } => {
            let path = format!("{}/comments", at(pull, "issues")?);
            Ok(Prepared::rest(Post, path, &json!({"body": body}), Answers::Comment))
        }
        Write::Reply { thread, body, .. } => {
            Ok(mutation(REPLY, &json!({"pullRequestReviewThreadId": thread, "body": body}), Answers::Comment))
        }
        Write::Resolve { thread, .. } => Ok(mutation(RESOLVE, &json!({"threadId": thread}), Answers::Resolved)),
        Write::Label { pull, labels } => {
            let path = format!("{}/labels", at(pull, "issues")?);
            Ok(Prepared::rest(Post, path, &json!({"labels": labels}), Answers::Labels))
        }
        Write::Open(opened) => {
            let Opened { project, title, body, branch, target, draft } = opened;
            let path = format!("{}/pulls", repository(project)?);
            let said = json!({"title": title, "body": body, "head": branch, "base": target, "draft": draft});
            Ok(Prepared::rest(Post, path, &said, Answers::Pull { project: project.clone() }))
        }
        Write::Update { pull, title, body } => {
            let said = [("title", title), ("body", body)];
            let said: serde_json::Map<String, Value> = said
                .into_iter()
                .filter_map(|(name, text)| Some((name.to_owned(), Value::String(text.clone()?))))
                .collect();
            let answers = Answers::Pull { project: pull.project.clone() };
            Ok(Prepared::rest(Patch, at(pull, "pulls")?, &Value::Object(said), answers))
        }
    }
}

/// `POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews` without `event`, which leaves it pending. Its `comments` have no
/// `subject_type`.
fn begun(pull: &PullId, head: &str, body: &str, remarks: &[Remark]) -> Result<Prepared, ForgeError> {
    let mut comments = Vec::new();
    for remark in remarks {
        let At::Lines { start, end } = remark.place.at else {
            let why = "A remark at a file as a whole goes into a review singly.";
            return Err(ForgeError::Invalid(why.to_owned()));
        };
        let mut comment = json!({
            "path": remark.place.path, "body": remark.body, "line": end.number(), "side": side(end),
        });
        if let Some(start) = start {
            comment["start_line"] = start.number().into();
            comment["start_side"] = side(start).into();
        }
        comments.push(comment);
    }
    let said = json!({"commit_id": commit(head)?, "body": body, "comments": comments});
    Ok(Prepared::rest(Method::Post, format!("{}/reviews", at(pull, "pulls")?), &said, Answers::Review))
}

/// `addPullRequestReviewThread`. Without a review it would begin one, which nobody shows.
fn placed(review: Option<&str>, remark: &Remark) -> Result<Prepared, ForgeError> {
    let why = || ForgeError::Invalid("On GitHub a thread is placed in a review that was begun.".to_owned());
    let review = review.ok_or_else(why)?;
    let mut input = json!({"pullRequestReviewId": review, "path": remark.place.path, "body": remark.body});
    match remark.place.at {
        At::File => input["subjectType"] = "FILE".into(),
        At::Lines { start, end } => {
            input["subjectType"] = "LINE".into();
            input["line"] = end.number().into();
            input["side"] = side(end).into();
            if let Some(start) = start {
                input["startLine"] = start.number().into();
                input["startSide"] = side(start).into();
            }
        }
    }
    Ok(mutation(PLACE, &input, Answers::Thread { line: remark.place.line() }))
}

/// Lines that both sides have are named by the new one.
fn side(line: Line) -> &'static str {
    if line.kind == LineKind::Removed { "LEFT" } else { "RIGHT" }
}

fn mutation(query: &str, input: &Value, answers: Answers) -> Prepared {
    let body = json!({"query": query, "variables": {"input": input}}).to_string();
    Prepared { method: Method::Post, target: Target::GraphQl, body, answers }
}

/// Sends a write, and reads what came of it.
pub(super) fn perform(http: &Http, prepared: &Prepared) -> Result<Done, ForgeError> {
    let answer = http.send(prepared)?;
    match (&prepared.answers, &prepared.target) {
        (Answers::Review, _) => Ok(Done::Review(Box::new(answer.json::<wire::Review>()?.into()))),
        (Answers::Thread { line }, _) => graphql::data::<Placed>(http, &answer).map(|placed| placed.done(*line)),
        (Answers::Comment, Target::Rest(_)) => {
            let comment: wire::IssueComment = answer.json()?;
            Ok(Done::Comment { id: comment.node_id, url: comment.html_url, pending: false })
        }
        (Answers::Comment, Target::GraphQl) => {
            let Some(comment) = graphql::data::<Replied>(http, &answer)?.payload.comment else {
                return Err(ForgeError::strange("it holds no comment", Happened::Maybe));
            };
            let pending = comment.state.as_deref() == Some("PENDING");
            Ok(Done::Comment { id: comment.id, url: comment.url, pending })
        }
        (Answers::Resolved, _) => {
            let thread = graphql::data::<Resolved>(http, &answer)?.payload.thread;
            Ok(Done::Resolved(thread.is_some_and(|thread| thread.is_resolved)))
        }
        (Answers::Labels, _) => Ok(Done::Labels(wire::names(answer.json()?))),
        (Answers::Pull { project }, _) => Ok(Done::Pull(Box::new(answer.json::<wire::Pull>()?.into_pull(project)))),
    }
}

#[derive(Deserialize)]
struct Placed {
    #[serde(rename = "addPullRequestReviewThread")]
    payload: Option<PlacedThread>,
}

#[derive(Deserialize)]
struct PlacedThread {
    thread: Option<ThreadWire>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadWire {
    id: String,
    line: Option<u64>,
    subject_type: String,
    comments: Comments,
}

#[derive(Deserialize)]
struct Comments {
    nodes: Vec<Option<Linked>>,
}

#[derive(Deserialize)]
struct Linked {
    url: Option<String>,
}

impl Placed {
    /// A place that isn't in the diff is taken without an error: there is no thread then, or one without its line, which
    /// nobody sees once the review is shown.
    fn done(self, line: Option<u64>) -> Done {
        let Some(thread) = self.payload.and_then(|payload| payload.thread) else {
            return Done::Thread { id: None, url: None, stands: false };
        };
        let stands = match line {
            Some(_) => thread.line == line,
            None => thread.subject_type == "FILE",
        };
        let url = thread.comments.nodes.into_iter().flatten().next().and_then(|comment| comment.url);
        Done::Thread { id: Some(thread.id), url, stands }
    }
}

#[derive(Deserialize)]
struct Replied {
    #[serde(rename = "addPullRequestReviewThreadReply")]
    payload: RepliedComment,
}

#[derive(Deserialize)]
struct RepliedComment {
    comment: Option<CommentWire>,
}

#[derive(Deserialize)]
struct CommentWire {
    id: String,
    url: Option<String>,
    state: Option<String>,
}

#[derive(Deserialize)]
struct Resolved {
    #[serde(rename = "resolveReviewThread")]
    payload: ResolvedThread,
}

#[derive(Deserialize)]
struct ResolvedThread {
    thread: Option<ResolvedState>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolvedState {
    is_resolved: bool,
}
