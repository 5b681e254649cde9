//! What is posted to GitLab: the requests, and what their answers say.

use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use super::{at, project_at, wire};
use crate::error::ForgeError;
use crate::http::Answer;
use crate::model::{DiffRefs, PullId};
use crate::names::encoded;
use crate::place::{At, Line, LineKind, Place};
use crate::write::{Answers, Done, Method, Opened, Prepared, Remark, Target, Write};

/// What makes a merge request a draft: `doc/user/project/merge_requests/drafts.md`.
const DRAFT: &str = "Draft: ";

/// The request that a write becomes.
pub(super) fn prepared(write: &Write) -> Result<Prepared, ForgeError> {
    use Method::{Post, Put};
    match write {
        Write::Begin { .. } | Write::Submit { .. } | Write::Discard { .. } => {
            Err(ForgeError::Invalid("GitLab has no reviews that are begun and shown.".to_owned()))
        }
        Write::Place { pull, refs, remark, .. } => placed(pull, refs, remark),
        Write::Comment { pull, body } => {
            let path = format!("{}/notes", at(pull)?);
            Ok(Prepared::rest(Post, path, &json!({"body": body}), Answers::Comment))
        }
        Write::Reply { pull, thread, body } => {
            let path = format!("{}/discussions/{}/notes", at(pull)?, encoded(thread));
            Ok(Prepared::rest(Post, path, &json!({"body": body}), Answers::Comment))
        }
        Write::Resolve { pull, thread } => {
            let path = format!("{}/discussions/{}", at(pull)?, encoded(thread));
            Ok(Prepared::rest(Put, path, &json!({"resolved": true}), Answers::Resolved))
        }
        Write::Label { pull, labels } => {
            if let Some(label) = labels.iter().find(|label| label.contains(',')) {
                return Err(ForgeError::Invalid(format!("GitLab's labels have no commas: {label}")));
            }
            let said = json!({"add_labels": labels.join(",")});
            Ok(Prepared::rest(Put, at(pull)?, &said, Answers::Labels))
        }
        Write::Open(opened) => {
            let Opened { project, title, body, branch, target, draft } = opened;
            let title = if *draft { format!("{DRAFT}{title}") } else { title.clone() };
            let path = format!("{}/merge_requests", project_at(project)?);
            let said = json!({"title": title, "description": body, "source_branch": branch, "target_branch": target});
            Ok(Prepared::rest(Post, path, &said, Answers::Pull { project: project.clone() }))
        }
        Write::Update { pull, title, body } => {
            let said = [("title", title), ("description", body)];
            let said: serde_json::Map<String, Value> = said
                .into_iter()
                .filter_map(|(name, text)| Some((name.to_owned(), Value::String(text.clone()?))))
                .collect();
            let answers = Answers::Pull { project: pull.project.clone() };
            Ok(Prepared::rest(Put, at(pull)?, &Value::Object(said), answers))
        }
    }
}

/// `doc/api/discussions.md`, "Create a new thread in the merge request diff".
fn placed(pull: &PullId, refs: &DiffRefs, remark: &Remark) -> Result<Prepared, ForgeError> {
    let Place { path, old_path, at: place } = &remark.place;
    let mut position = json!({
        "base_sha": refs.base, "start_sha": refs.start, "head_sha": refs.head,
        "new_path": path, "old_path": old_path.as_ref().unwrap_or(path),
    });
    match place {
        At::File => position["position_type"] = "file".into(),
        At::Lines { start, end } => {
            position["position_type"] = "text".into();
            if end.kind != LineKind::Removed {
                position["new_line"] = end.new.into();
            }
            if end.kind != LineKind::Added {
                position["old_line"] = end.old.into();
            }
            if let Some(start) = start {
                position["line_range"] = json!({"start": range_end(path, *start), "end": range_end(path, *end)});
            }
        }
    }
    let said = json!({"body": remark.body, "position": position});
    let answers = Answers::Thread { line: remark.place.line() };
    Ok(Prepared::rest(Method::Post, format!("{}/discussions", at(pull)?), &said, answers))
}

/// "Parameters for multiline comments" there, and "Line code".
fn range_end(path: &str, line: Line) -> Value {
    let hash: String = Sha1::digest(path.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let kind = if line.kind == LineKind::Added { "new" } else { "old" };
    json!({"line_code": format!("{hash}_{}_{}", line.old, line.new), "type": kind})
}

/// Reads what came of a write.
pub(super) fn perform(web: &str, answer: &Answer, prepared: &Prepared) -> Result<Done, ForgeError> {
    match &prepared.answers {
        Answers::Review => Err(ForgeError::Invalid("GitLab has no reviews that are begun and shown.".to_owned())),
        Answers::Thread { line } => {
            let discussion: wire::Discussion = answer.json()?;
            let note = discussion.notes.first();
            let position = note.and_then(|note| note.position.as_ref());
            let stands = position.is_some_and(|position| match line {
                Some(_) => position.line() == *line,
                None => position.position_type.as_deref() == Some("file"),
            });
            let url = note.and_then(|note| url(web, &prepared.target, note.id));
            Ok(Done::Thread { id: Some(discussion.id), url, stands })
        }
        Answers::Comment => {
            let note: wire::Note = answer.json()?;
            Ok(Done::Comment { id: note.id.to_string(), url: url(web, &prepared.target, note.id), pending: false })
        }
        Answers::Resolved => Ok(Done::Resolved(answer.json::<wire::Discussion>()?.is_resolved())),
        Answers::Labels => Ok(Done::Labels(answer.json::<wire::MergeRequest>()?.labels())),
        Answers::Pull { project } => Ok(Done::Pull(Box::new(answer.json::<wire::MergeRequest>()?.into_pull(project)))),
    }
}

/// Where people look at a comment, from where it was posted to: answers about comments don't say.
fn url(web: &str, target: &Target, note: u64) -> Option<String> {
    let Target::Rest(path) = target else { return None };
    let mut parts = path.strip_prefix("/projects/")?.split('/');
    let project = parts.next()?.replace("%2F", "/");
    let number = parts.nth(1)?;
    Some(format!("{web}/{project}/-/merge_requests/{number}#note_{note}"))
}
