//! Reviews: begun, shown, taken back; answers to comments by REST.

use std::time::Instant;

use serde_json::{Value, json};

use super::places::Wanted;
use super::rest::{invalid, missing};
use super::state::{BODY, Pull, Review, State, Thread};
use crate::common::Person;
use crate::http::{Answer, Request};
use crate::server::Sight;

/// As reported: it holds for a review that is shown at once, too.
const ONE: &str = "User can only have one pending review per pull request";

impl State {
    /// `rest/pulls/list-reviews`: a pending one is there for its author.
    pub(super) fn reviews(&mut self, number: u64, caller: &Person, sight: Sight) -> Vec<Value> {
        let Some(pull) = self.pull(number) else { return Vec::new() };
        let is_seen =
            |review: &&Review| sight.sees(review.made) && (review.state != "PENDING" || review.author == caller.login);
        let seen: Vec<Review> = pull.reviews.iter().filter(is_seen).cloned().collect();
        seen.iter().map(|review| self.said_review(number, review)).collect()
    }

    fn said_review(&self, number: u64, review: &Review) -> Value {
        json!({
            "id": review.id, "node_id": review.node, "user": self.user(&review.author), "state": review.state,
            "body": review.body, "commit_id": review.commit,
            "html_url": format!("{}/pull/{number}#pullrequestreview-{}", self.url, review.id),
        })
    }

    /// `rest/pulls/create-review`: pending where no event is said. One bad place refuses all of it, and isn't named.
    pub(super) fn review(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let body = said["body"].as_str().unwrap_or_default().to_owned();
        let remarks = said["comments"].as_array().cloned().unwrap_or_default();
        let Some(pull) = self.pull(number) else { return missing() };
        if pull.pending_of(&caller.login).is_some() {
            return invalid(ONE);
        }
        let commit = said["commit_id"].as_str().unwrap_or(&pull.proposed.head).to_owned();
        let Some(diff) = pull.diff(Some(&commit)) else { return invalid("commit_id is not part of the pull request") };
        let state = match state_after(pull, said["event"].as_str(), &body, !remarks.is_empty(), caller) {
            Ok(state) => state,
            Err(why) => return invalid(why),
        };
        let too_long = |text: &str| text.chars().count() > BODY;
        let is_good = |remark: &Value| {
            let words = remark["body"].as_str().unwrap_or_default();
            // `subject_type` is no field of these.
            let at_line = remark["subject_type"].is_null();
            at_line
                && !words.trim().is_empty()
                && !too_long(words)
                && Wanted::of(remark, "start_line", "start_side").is_in(diff)
        };
        if too_long(&body) || !remarks.iter().all(is_good) {
            return invalid("Line could not be resolved");
        }
        let (id, node) = self.named("PRR");
        for remark in &remarks {
            let words = remark["body"].as_str().unwrap_or_default();
            let comment = self.comment(&caller.login, words, id);
            let (_, node) = self.named("PRRT");
            let path = remark["path"].as_str().unwrap_or_default().to_owned();
            let (line, comments) = (remark["line"].as_u64(), vec![comment]);
            let thread = Thread { node, path, line, is_file: false, resolved: false, comments };
            self.keep(number, thread);
        }
        let review = Review { id, node, author: caller.login.clone(), state, body, commit, made: Instant::now() };
        let answer = Answer::json(200, &self.said_review(number, &review));
        if let Some(pull) = self.pull(number) {
            pull.reviews.push(review);
        }
        answer
    }

    pub(super) fn keep(&mut self, number: u64, thread: Thread) {
        if let Some(pull) = self.pull(number) {
            pull.threads.push(thread);
        }
    }

    /// `rest/pulls/submit-review`. What has no place goes silently, as reported.
    pub(super) fn submit(&mut self, number: u64, id: &str, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let Some((id, pull)) = id.parse::<u64>().ok().zip(self.pull(number)) else { return missing() };
        let holds = pull.threads.iter().any(|thread| thread.comments.iter().any(|comment| comment.review == id));
        let Some(review) = pull.review(id).filter(|review| review.author == caller.login).cloned() else {
            return missing();
        };
        if review.state != "PENDING" {
            return invalid("Can not submit a review that is not pending");
        }
        let body = said["body"].as_str().unwrap_or(&review.body).to_owned();
        let Some(event) = said["event"].as_str() else { return invalid("event is missing") };
        let state = match state_after(pull, Some(event), &body, holds, caller) {
            Ok(state) => state,
            Err(why) => return invalid(why),
        };
        pull.threads
            .retain(|thread| thread.stands() || thread.comments.first().is_none_or(|comment| comment.review != id));
        let Some(review) = pull.review(id) else { return missing() };
        (review.state, review.body) = (state, body);
        let review = review.clone();
        Answer::json(200, &self.said_review(number, &review))
    }

    /// `rest/pulls/delete-pending-review`.
    pub(super) fn discard(&mut self, number: u64, id: &str, caller: &Person) -> Answer {
        let Some((id, pull)) = id.parse::<u64>().ok().zip(self.pull(number)) else { return missing() };
        let Some(review) = pull.review(id).filter(|review| review.author == caller.login).cloned() else {
            return missing();
        };
        if review.state != "PENDING" {
            return invalid("Can not delete a non-pending pull request review");
        }
        pull.reviews.retain(|known| known.id != id);
        for thread in &mut pull.threads {
            thread.comments.retain(|comment| comment.review != id);
        }
        pull.threads.retain(|thread| !thread.comments.is_empty());
        Answer::json(200, &self.said_review(number, &review))
    }

    /// `rest/pulls/create-reply-for-review-comment`: the number of a thread's first comment, and no pending review, as reported.
    pub(super) fn reply(&mut self, number: u64, id: &str, request: &Request, caller: &Person) -> Answer {
        let said = request.json();
        let Some((id, pull)) = id.parse::<u64>().ok().zip(self.pull(number)) else { return missing() };
        if pull.pending_of(&caller.login).is_some() {
            return invalid("user_id can only have one pending review per pull request");
        }
        let first = |thread: &Thread| thread.comments.first().is_some_and(|comment| comment.id == id);
        let Some(index) = pull.threads.iter().position(first) else { return missing() };
        let Some(body) = said["body"].as_str().filter(|body| !body.trim().is_empty()) else {
            return invalid("body can't be blank");
        };
        let review = self.submitted(number, &caller.login);
        let comment = self.comment(&caller.login, body, review);
        let answer = json!({"id": comment.id, "node_id": comment.node, "body": comment.body});
        if let Some(thread) = self.pull(number).and_then(|pull| pull.threads.get_mut(index)) {
            thread.comments.push(comment);
        }
        Answer::json(201, &answer)
    }
}

/// The state that an event leads to. On their own pull request people comment and no more, as reported; a comment or a call for
/// changes has words, the review's or its threads' (`rest/pulls/create-review`, `body`).
fn state_after(
    pull: &Pull,
    event: Option<&str>,
    body: &str,
    holds: bool,
    caller: &Person,
) -> Result<String, &'static str> {
    let own = pull.proposed.author == caller.login;
    let empty = body.trim().is_empty();
    match event {
        None | Some("") => Ok("PENDING".to_owned()),
        Some("COMMENT") if empty && !holds => Err("body can't be blank"),
        Some("COMMENT") => Ok("COMMENTED".to_owned()),
        Some("REQUEST_CHANGES") if own => Err("Can not request changes on your own pull request"),
        Some("REQUEST_CHANGES") if empty => Err("body can't be blank"),
        Some("REQUEST_CHANGES") => Ok("CHANGES_REQUESTED".to_owned()),
        Some("APPROVE") if own => Err("Can not approve your own pull request"),
        Some("APPROVE") => Ok("APPROVED".to_owned()),
        Some(_) => Err("event is invalid"),
    }
}
