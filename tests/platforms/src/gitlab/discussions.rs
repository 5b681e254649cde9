//! Discussions: threads at places, comments on their own, answers, and what GitLab carries out of them.

use serde_json::{Value, json};

use super::places;
use super::rest::{missing, page};
use super::state::{Discussion, Note, State};
use crate::common::Person;
use crate::http::{Answer, Request};
use crate::server::Sight;

/// `doc/administration/instance_limits.md`: a comment has at most so many characters.
const BODY: usize = 1_000_000;
const DEVELOPER: u64 = 30;

impl State {
    pub(super) fn in_merge(
        &mut self,
        method: &str,
        number: u64,
        rest: &[&str],
        request: &Request,
        caller: &Person,
        sight: Sight,
    ) -> Answer {
        match (method, rest) {
            ("GET", ["discussions"]) => {
                let all = self.discussions(number, sight);
                page(request, all)
            }
            ("POST", ["discussions"]) => self.begin(number, request, caller),
            ("POST", ["notes"]) => self.say(number, request, caller),
            ("GET", ["discussions", id]) => match self.discussion(number, id).cloned() {
                Some(discussion) => Answer::json(200, &self.said_discussion(&discussion, sight)),
                None => missing(),
            },
            ("PUT", ["discussions", id]) => self.resolve(number, id, request, caller),
            ("POST", ["discussions", id, "notes"]) => self.reply(number, id, request, caller),
            _ => missing(),
        }
    }

    fn discussion(&mut self, number: u64, id: &str) -> Option<&mut Discussion> {
        self.merge(number)?.discussions.iter_mut().find(|discussion| discussion.id == id)
    }

    fn discussions(&mut self, number: u64, sight: Sight) -> Vec<Value> {
        let all = self.merge(number).map(|merge| merge.discussions.clone()).unwrap_or_default();
        let seen = all.iter().filter(|discussion| discussion.notes.iter().any(|note| sight.sees(note.made)));
        seen.map(|discussion| self.said_discussion(discussion, sight)).collect()
    }

    /// `discussions.md`, "List project merge request discussion items".
    fn said_discussion(&self, discussion: &Discussion, sight: Sight) -> Value {
        let notes = discussion.notes.iter().filter(|note| sight.sees(note.made));
        let notes: Vec<Value> = notes.map(|note| self.said_note(discussion, note)).collect();
        json!({"id": discussion.id, "individual_note": discussion.individual, "notes": notes})
    }

    fn said_note(&self, discussion: &Discussion, note: &Note) -> Value {
        let kind = match (&discussion.position, discussion.individual) {
            (Some(_), _) => json!("DiffNote"),
            (None, false) => json!("DiscussionNote"),
            (None, true) => Value::Null,
        };
        let mut said = json!({
            "id": note.id, "type": kind, "body": note.body, "author": self.user(&note.author), "system": false,
            "created_at": "2026-11-21T09:30:00.000Z", "resolvable": !discussion.individual,
        });
        if !discussion.individual {
            said["resolved"] = discussion.resolved.into();
        }
        if let Some(position) = &discussion.position {
            said["position"] = position.clone();
        }
        said
    }

    /// What is left of a body once its quick actions are carried out; nothing where that was all.
    fn words(&mut self, request: &Request) -> Result<String, Answer> {
        let said = request.json();
        let Some(body) = said["body"].as_str().filter(|body| !body.trim().is_empty()) else {
            return Err(Answer::json(400, &json!({"error": "body is missing"})));
        };
        if body.chars().count() > BODY {
            return Err(Answer::refused(400, "400 Bad request - Note {:note=>[\"is too long\"]}"));
        }
        let is_command = |line: &&str| {
            line.strip_prefix('/').and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_ascii_alphabetic())
        };
        let (commands, words): (Vec<&str>, Vec<&str>) = body.lines().partition(is_command);
        if commands.is_empty() {
            return Ok(body.to_owned());
        }
        self.carried_out.extend(commands.into_iter().map(str::to_owned));
        if words.iter().all(|line| line.trim().is_empty()) {
            return Err(Answer::json(202, &json!({"commands_changes": {}, "summary": ["Commands applied"]})));
        }
        Ok(words.join("\n"))
    }

    /// "Create new merge request thread".
    fn begin(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let position = Some(request.json()["position"].clone()).filter(|position| !position.is_null());
        if let Some((position, merge)) = position.as_ref().zip(self.merge(number))
            && let Err(why) = places::check(merge, position)
        {
            return Answer::refused(400, &why);
        }
        let words = match self.words(request) {
            Ok(words) => words,
            Err(answer) => return answer,
        };
        let (id, note) = (self.named(), self.note(&caller.login, &words));
        self.keep(number, Discussion { id, individual: false, resolved: false, position, notes: vec![note] })
    }

    fn keep(&mut self, number: u64, discussion: Discussion) -> Answer {
        let notes: Vec<Value> = discussion.notes.iter().map(|note| self.said_note(&discussion, note)).collect();
        let said = json!({"id": discussion.id, "individual_note": discussion.individual, "notes": notes});
        if let Some(merge) = self.merge(number) {
            merge.discussions.push(discussion);
        }
        Answer::json(201, &said)
    }

    /// `notes.md`, "Create new merge request note".
    fn say(&mut self, number: u64, request: &Request, caller: &Person) -> Answer {
        let words = match self.words(request) {
            Ok(words) => words,
            Err(answer) => return answer,
        };
        let (id, note) = (self.named(), self.note(&caller.login, &words));
        let discussion =
            Discussion { id, individual: true, resolved: false, position: None, notes: vec![note.clone()] };
        let said = self.said_note(&discussion, &note);
        self.keep(number, discussion);
        Answer::json(201, &said)
    }

    /// "Add note to existing merge request thread". A comment on its own becomes a thread by it.
    fn reply(&mut self, number: u64, id: &str, request: &Request, caller: &Person) -> Answer {
        if self.discussion(number, id).is_none() {
            return Answer::refused(404, "404 Discussion Not Found");
        }
        let words = match self.words(request) {
            Ok(words) => words,
            Err(answer) => return answer,
        };
        let note = self.note(&caller.login, &words);
        let Some(discussion) = self.discussion(number, id) else { return missing() };
        discussion.individual = false;
        discussion.notes.push(note.clone());
        let discussion = discussion.clone();
        Answer::json(201, &self.said_note(&discussion, &note))
    }

    /// "Resolve a merge request thread": from developer on, or the author.
    fn resolve(&mut self, number: u64, id: &str, request: &Request, caller: &Person) -> Answer {
        let of = self.merge(number).map(|merge| merge.proposed.clone()).unwrap_or_default();
        if self.level(&of.project, &caller.login) < DEVELOPER && of.author != caller.login {
            return Answer::refused(403, "403 Forbidden");
        }
        let said = request.json();
        let wanted = said["resolved"].as_bool().or_else(|| request.query("resolved").map(|word| word == "true"));
        let Some(wanted) = wanted else { return Answer::json(400, &json!({"error": "resolved is missing"})) };
        let Some(discussion) = self.discussion(number, id).filter(|discussion| !discussion.individual) else {
            return Answer::refused(404, "404 Discussion Not Found");
        };
        discussion.resolved = wanted;
        let discussion = discussion.clone();
        let notes: Vec<Value> = discussion.notes.iter().map(|note| self.said_note(&discussion, note)).collect();
        Answer::json(200, &json!({"id": discussion.id, "individual_note": false, "notes": notes}))
    }
}
