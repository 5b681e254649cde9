//! Threads, which only GraphQL has: their names, whether they are resolved, and the comments that nobody else sees yet.

use gate_core::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{ForgeError, Happened, Limit};
use crate::http::{Answer, Http};
use crate::limits;
use crate::model::{Account, Comment, PullId, Thread};

/// `PullRequest.reviewThreads`, a page of a hundred with a hundred comments each.
const THREADS: &str = "\
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved path line
          comments(first: 100) {
            pageInfo { hasNextPage endCursor }
            nodes {
              id url body createdAt state
              author { login ... on User { databaseId } ... on Bot { databaseId } }
              pullRequestReview { id }
            }
          }
        }
      }
    }
  }
}";

/// One `PullRequestReviewThread`, with a page of its comments.
const THREAD: &str = "\
query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      id isResolved path line
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id url body createdAt state
          author { login ... on User { databaseId } ... on Bot { databaseId } }
          pullRequestReview { id }
        }
      }
    }
  }
}";

/// Pages of either list that are read.
const PAGES: usize = 500;

/// A thread, and the review that its first comment came with.
pub(super) struct OfReview {
    pub(super) thread: Thread,
    pub(super) review: Option<String>,
}

/// An answer of GraphQL's.
#[derive(Deserialize)]
struct Reply<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Page<T> {
    #[serde(rename = "pageInfo")]
    info: PageInfo,
    nodes: Vec<Option<T>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadWire {
    id: String,
    is_resolved: bool,
    path: Option<String>,
    line: Option<u64>,
    comments: Page<CommentWire>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommentWire {
    id: String,
    url: Option<String>,
    body: String,
    created_at: Timestamp,
    state: String,
    author: Option<Author>,
    pull_request_review: Option<Named>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Author {
    login: String,
    /// Only users and bots have one; nobody's is 0.
    #[serde(default)]
    database_id: Option<u64>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

impl From<CommentWire> for Comment {
    fn from(comment: CommentWire) -> Self {
        let author = comment.author.map(|author| Account { id: author.database_id.unwrap_or(0), login: author.login });
        Self {
            id: comment.id,
            author,
            body: comment.body,
            created_at: comment.created_at,
            url: comment.url,
            pending: comment.state == "PENDING",
        }
    }
}

impl<T> Page<T> {
    /// Where the next page begins.
    fn next(&self) -> Option<String> {
        self.info.end_cursor.clone().filter(|_| self.info.has_next_page)
    }
}

/// All threads of a pull request.
pub(super) fn threads(http: &Http, pull: &PullId) -> Result<Vec<OfReview>, ForgeError> {
    #[derive(Deserialize)]
    struct Data {
        repository: Option<Of>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Of {
        pull_request: Option<Threads>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Threads {
        review_threads: Page<ThreadWire>,
    }
    let project = crate::names::checked(crate::platform::Platform::GitHub, &pull.project)?;
    let (owner, name) = project.split_once('/').unwrap_or_default();
    let (mut all, mut after) = (Vec::new(), None);
    for _ in 0..PAGES {
        let variables = json!({"owner": owner, "name": name, "number": pull.number, "after": after});
        let data: Data = asked(http, THREADS, &variables)?;
        let page = data.repository.and_then(|of| of.pull_request).ok_or_else(missing)?.review_threads;
        after = page.next();
        for thread in page.nodes.into_iter().flatten() {
            all.push(whole(http, thread)?);
        }
        if after.is_none() {
            return Ok(all);
        }
    }
    Err(ForgeError::strange("it has too many threads", Happened::No))
}

/// One thread.
pub(super) fn thread(http: &Http, id: &str) -> Result<OfReview, ForgeError> {
    whole(http, page_of(http, id, None)?)
}

/// A page of the comments of one thread.
fn page_of(http: &Http, id: &str, after: Option<&str>) -> Result<ThreadWire, ForgeError> {
    #[derive(Deserialize)]
    struct Data {
        node: Option<Value>,
    }
    let data: Data = asked(http, THREAD, &json!({"id": id, "after": after}))?;
    // A node of another kind has none of the fields.
    data.node.and_then(|node| serde_json::from_value(node).ok()).ok_or_else(missing)
}

/// The thread with the comments that its first page hasn't.
fn whole(http: &Http, first: ThreadWire) -> Result<OfReview, ForgeError> {
    let mut after = first.comments.next();
    let ThreadWire { id, is_resolved: resolved, path, line, comments } = first;
    let mut comments: Vec<CommentWire> = comments.nodes.into_iter().flatten().collect();
    while let Some(cursor) = after {
        let page = page_of(http, &id, Some(&cursor))?.comments;
        after = page.next().filter(|next| *next != cursor);
        comments.extend(page.nodes.into_iter().flatten());
    }
    let review = comments.first().and_then(|first| first.pull_request_review.as_ref()).map(|named| named.id.clone());
    let comments = comments.into_iter().map(Comment::from).collect();
    Ok(OfReview { thread: Thread { id, path, line, resolved, comments }, review })
}

fn missing() -> ForgeError {
    ForgeError::Refused { status: 404, message: "there is nothing of that name".to_owned() }
}

fn asked<T: DeserializeOwned>(http: &Http, query: &str, variables: &Value) -> Result<T, ForgeError> {
    data(http, &http.query(&json!({"query": query, "variables": variables}))?)
}

/// What an answer holds, unless it holds errors: GraphQL's refusals come with the status 200.
pub(super) fn data<T: DeserializeOwned>(http: &Http, answer: &Answer) -> Result<T, ForgeError> {
    let reply: Reply<Value> = answer.json()?;
    let Some(wrong) = reply.errors.first() else {
        let data = reply.data.ok_or_else(|| ForgeError::strange("it holds nothing", answer.happened()))?;
        return serde_json::from_value(data)
            .map_err(|error| ForgeError::strange(&error.to_string(), answer.happened()));
    };
    let all: Vec<&str> = reply.errors.iter().map(|wrong| wrong.message.as_str()).collect();
    let message = http.shown(&all.join("; "));
    let status = match wrong.kind.as_deref() {
        Some("RATE_LIMITED") => {
            let said = limits::limit(&answer.head);
            let limit = if said.after_seconds.is_some() || said.at.is_some() { said } else { Limit::default() };
            return Err(ForgeError::RateLimited { limit, message });
        }
        // Its word for having given up midway: the change may be there.
        None if message.starts_with("Something went wrong") => {
            return Err(ForgeError::Unreachable { cause: message, happened: answer.happened() });
        }
        Some("NOT_FOUND") => 404,
        Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => 403,
        _ => 422,
    };
    Err(ForgeError::Refused { status, message })
}
