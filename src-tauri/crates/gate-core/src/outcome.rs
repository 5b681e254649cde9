//! What an agent gets back from asking, for programs and for models.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use crate::assurance::{AnsweredFrom, Assurance, Given};
use crate::digest::Digest;
use crate::git::GitTrees;
use crate::ids::{RequestId, SessionUuid};
use crate::reply::{Attachment, Decision, LineComment, Remark, Reply, Side};
use crate::request::RequestStatus;
use crate::timestamp::Timestamp;

/// An attachment as an agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachmentLink {
    /// Where its bytes are read.
    pub uri: String,
    /// The file's name.
    pub name: String,
    /// The type found in its content.
    pub mime_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// A private copy that the agent may read, where it runs on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The structured result of `review_gate_chat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Where the request stands.
    pub status: RequestStatus,
    /// The conversation, to be passed on the next call.
    pub session_uuid: SessionUuid,
    /// The request, to be passed to go on waiting for it.
    pub request_id: RequestId,
    /// The decision; absent unless the person made one.
    pub decision: Option<Decision>,
    /// The person's text.
    pub text: String,
    /// The chosen options.
    pub selected: Vec<String>,
    /// Comments on lines of the diff.
    pub comments: Vec<LineComment>,
    /// Comments on passages of the message; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// Attached files.
    pub attachments: Vec<AttachmentLink>,
    /// When it was answered.
    pub answered_at: Option<Timestamp>,
    /// How it was answered.
    pub answered_from: Option<AnsweredFrom>,
    /// The digest of the question that was shown and answered; left out where it wasn't answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The trees that the question showed, where the gate read them of a repository: a decision is good for these
    /// alone. Left out where it wasn't answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitTrees>,
    /// How sure it is that the person gave it; left out where it wasn't answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// The reply's receipt: its line's digest; left out where it wasn't answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Digest>,
}

/// The reply to an earlier request that its agent hasn't fetched: a pointer to it, without decision or words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Earlier {
    /// The request.
    pub request_id: RequestId,
    /// Its headline.
    pub title: String,
    /// When the person answered.
    pub answered_at: Timestamp,
}

impl Earlier {
    /// What a model is told of them.
    #[must_use]
    pub fn for_model(all: &[Self]) -> String {
        let mut text =
            "The person has answered earlier requests of yours that you have not fetched. Nothing of that is \
                        in this result; call review_gate_chat with the request_id (and the same message) to get it:"
                .to_owned();
        for Self { request_id, title, .. } in all {
            let _ = write!(text, "\n- request_id {request_id}: {title}");
        }
        text
    }
}

impl Outcome {
    /// An outcome without a reply: still pending, cancelled or expired.
    #[must_use]
    pub fn without_reply(status: RequestStatus, session_uuid: SessionUuid, request_id: RequestId) -> Self {
        Self {
            status,
            session_uuid,
            request_id,
            decision: None,
            text: String::new(),
            selected: Vec::new(),
            comments: Vec::new(),
            remarks: Vec::new(),
            attachments: Vec::new(),
            answered_at: None,
            answered_from: None,
            digest: None,
            git: None,
            assurance: None,
            receipt: None,
        }
    }

    /// The outcome that a reply makes to the question of this digest.
    #[must_use]
    pub fn answered(session_uuid: SessionUuid, request_id: RequestId, reply: &Reply, digest: Option<Digest>) -> Self {
        Self {
            status: RequestStatus::Answered,
            session_uuid,
            request_id,
            decision: reply.decision,
            text: reply.text.clone(),
            selected: reply.selected.clone(),
            comments: reply.comments.clone(),
            remarks: reply.remarks.clone(),
            attachments: reply.attachments.iter().map(link).collect(),
            answered_at: Some(reply.answered_at),
            answered_from: Some(reply.answered_from),
            digest,
            git: None,
            assurance: Some(reply.assurance),
            receipt: None,
        }
    }

    /// Where the reply was given, and how sure that is; absent where there is none.
    #[must_use]
    pub fn given(&self) -> Option<Given> {
        self.answered_from.map(|from| Given { from, assurance: self.assurance.unwrap_or_default() })
    }

    /// The same for a model to read. `approval` says whether the agent asked for a decision, `away` whether the person is
    /// away.
    #[must_use]
    pub fn for_model(&self, approval: bool, away: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut besides = None;
        match self.decision {
            Some(Decision::Approved) => parts.push(format!("APPROVED {}{}.", self.by_whom(), self.for_what())),
            Some(Decision::ChangesRequested) => {
                parts.push(format!("CHANGES REQUESTED {}. Not approved.", self.by_whom()));
            }
            // The reply itself comes first.
            None if self.status == RequestStatus::Answered && !approval => besides = self.meaning(approval, away),
            None => parts.extend(self.meaning(approval, away)),
        }
        if !self.selected.is_empty() {
            parts.push(format!("Chosen: {}", self.selected.join(" | ")));
        }
        if !self.text.is_empty() {
            parts.push(self.text.clone());
        }
        if !self.comments.is_empty() {
            let mut list = "Comments on the diff:".to_owned();
            for comment in &self.comments {
                let side = match comment.side {
                    Side::Old => " (old side)",
                    Side::New => "",
                };
                let body = comment.body.replace('\n', "\n  ");
                let _ = write!(list, "\n- {}{side}: {body}", comment.place());
            }
            parts.push(list);
        }
        if !self.remarks.is_empty() {
            parts.push("Remarks on passages of your message:".to_owned());
            parts.extend(self.remarks.iter().map(Remark::in_markdown));
        }
        if !self.attachments.is_empty() {
            let mut list = "Attached:".to_owned();
            for AttachmentLink { name, mime_type, path, .. } in &self.attachments {
                let _ = write!(list, "\n- {name} ({mime_type})");
                if let Some(path) = path {
                    let _ = write!(list, ", to be read at {path}");
                }
            }
            parts.push(list);
        }
        parts.extend(besides);
        parts.push(format!("(session_uuid {}; pass it on your next call.)", self.session_uuid));
        parts.join("\n\n")
    }

    /// What of a repository an approval is for, in words; empty where the gate read none.
    fn for_what(&self) -> String {
        let only = |GitTrees { base, tree }: &GitTrees| format!(", only for tree {tree} on tree {base}");
        self.git.as_ref().map(only).unwrap_or_default()
    }

    /// Who gave the reply, in words; of one whose origin isn't known nothing is said of the person.
    fn by_whom(&self) -> &'static str {
        self.given().map_or("from somewhere unknown (L0)", Given::in_words)
    }

    /// What the fields don't say: what it means that there is no decision, and that nobody can say of the reply that it
    /// is the person's. Absent where the person has answered as they were asked.
    #[must_use]
    pub fn meaning(&self, approval: bool, away: bool) -> Option<String> {
        let is_persons = self.given().is_some_and(|given| given.assurance >= Assurance::L1);
        let text = match self.status {
            RequestStatus::Answered if approval && self.decision.is_none() => {
                format!("The reply, given {}, has no decision. Not approved.", self.by_whom())
            }
            RequestStatus::Answered if is_persons => return None,
            RequestStatus::Answered => format!("Given {}: this may not be the person's word.", self.by_whom()),
            RequestStatus::Pending if away => format!(
                "The person is away and has not answered yet. Nothing is approved. Don't wait and don't ask again now: \
                 say what you are waiting for and end your turn. When you are started again, call review_gate_chat \
                 with request_id {} (and the same message); the answer is kept for you.",
                self.request_id
            ),
            RequestStatus::Pending => format!(
                "The person has not answered yet. Nothing is approved. Call review_gate_chat again with \
                 request_id {} (and the same message) to go on waiting; don't ask the question anew.",
                self.request_id
            ),
            RequestStatus::Cancelled => {
                "The request was closed without an answer. Nothing is approved; don't go on as if it were.".to_owned()
            }
            RequestStatus::Expired => {
                "The request expired without an answer. Nothing is approved. Ask again if you still need to know."
                    .to_owned()
            }
        };
        Some(text)
    }
}

fn link(attachment: &Attachment) -> AttachmentLink {
    AttachmentLink {
        uri: attachment.uri(),
        name: attachment.name.clone(),
        mime_type: attachment.mime_type.clone(),
        size: attachment.size,
        path: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Oid;
    use uuid::Uuid;

    fn outcome(status: RequestStatus) -> Outcome {
        Outcome::without_reply(status, SessionUuid(Uuid::nil()), RequestId(Uuid::nil()))
    }

    #[test]
    fn only_an_approval_reads_as_one() {
        for status in
            [RequestStatus::Pending, RequestStatus::Cancelled, RequestStatus::Expired, RequestStatus::Answered]
        {
            let text = outcome(status).for_model(true, false);
            assert!(!text.contains("APPROVED"), "{status:?} must not read as an approval: {text}");
        }
        let approved = Outcome { decision: Some(Decision::Approved), ..outcome(RequestStatus::Answered) };
        assert!(approved.for_model(true, false).starts_with("APPROVED"), "an approval says so first");
    }

    #[test]
    fn a_result_says_who_gave_the_reply_and_by_the_person_only_where_it_is_sure() {
        let given = |from: AnsweredFrom, decision| {
            let (answered_from, assurance) = (Some(from), Some(from.assurance()));
            Outcome { decision, answered_from, assurance, ..outcome(RequestStatus::Answered) }
        };
        let approved = given(AnsweredFrom::Desktop, Some(Decision::Approved));
        assert!(approved.for_model(true, false).starts_with("APPROVED by the person in the window (L1).\n"));
        assert_eq!(approved.meaning(true, false), None, "the fields say all of it");
        let scripted = given(AnsweredFrom::Script, Some(Decision::Approved));
        let text = scripted.for_model(true, false);
        assert!(text.starts_with("APPROVED by a script; nobody looked at it (L0).\n"), "{text}");
        let refused = given(AnsweredFrom::Script, Some(Decision::ChangesRequested)).for_model(true, false);
        assert!(refused.starts_with("CHANGES REQUESTED by a script; nobody looked at it (L0). Not approved."));
        for from in [AnsweredFrom::Terminal, AnsweredFrom::Script, AnsweredFrom::Form, AnsweredFrom::Notification] {
            for decision in [None, Some(Decision::Approved), Some(Decision::ChangesRequested)] {
                let outcome = given(from, decision);
                let told = [outcome.for_model(true, false), outcome.meaning(true, false).unwrap_or_default()];
                assert!(!told.concat().contains("by the person"), "{from:?}: {told:?}");
                assert!(told.iter().all(|text| text.contains("(L0)")), "text and structure say it: {told:?}");
            }
        }
    }

    #[test]
    fn an_approval_of_a_repository_says_which_trees_it_is_for() {
        let oid = |digits: &str| Oid::try_from(digits.repeat(20)).expect("it has 40 digits");
        let trees = GitTrees { base: oid("9a"), tree: oid("4f") };
        let (answered_from, assurance) = (Some(AnsweredFrom::Desktop), Some(Assurance::L1));
        let git = Some(trees);
        let answered = Outcome { answered_from, assurance, git, ..outcome(RequestStatus::Answered) };
        let approved = Outcome { decision: Some(Decision::Approved), ..answered.clone() };
        let (tree, base) = ("4f".repeat(20), "9a".repeat(20));
        let first = format!("APPROVED by the person in the window (L1), only for tree {tree} on tree {base}.\n");
        assert!(approved.for_model(true, false).starts_with(&first));
        let value = serde_json::to_value(&approved).unwrap_or_default();
        assert_eq!(value["git"], serde_json::json!({"base": base, "tree": tree}));
        let refused = Outcome { decision: Some(Decision::ChangesRequested), ..answered };
        assert!(!refused.for_model(true, false).contains("only for"), "nothing is good for anything");
    }

    #[test]
    fn an_agent_whose_person_is_away_ends_its_turn_and_knows_how_to_come_back() {
        let text = outcome(RequestStatus::Pending).for_model(false, true);
        assert!(text.contains("away") && text.contains("end your turn"), "{text}");
        assert!(text.contains("request_id 00000000-0000-0000-0000-000000000000"), "it needs the id: {text}");
        assert!(!text.contains("APPROVED") && !text.contains("review-gate answer"), "nobody else is named: {text}");
    }

    #[test]
    fn ranges_and_remarks_are_told_to_programs_and_to_models() {
        let on =
            |start_line| LineComment { file: "a.rs".into(), start_line, line: 18, side: Side::Old, body: "b".into() };
        let said = Outcome {
            comments: vec![on(Some(12)), on(None)],
            remarks: vec![Remark { quote: "two queues".into(), body: "One is enough.".into() }],
            ..outcome(RequestStatus::Answered)
        };
        let text = said.for_model(true, false);
        assert!(text.contains("\n- a.rs lines 12-18 (old side): b\n- a.rs:18 (old side): b"), "{text}");
        assert!(text.contains("Remarks on passages of your message:\n\n> two queues\n\nOne is enough."), "{text}");
        let value = serde_json::to_value(&said).unwrap_or_default();
        assert_eq!(value["comments"][0]["start_line"], 12);
        assert_eq!(value["comments"][1].get("start_line"), None, "one line is as it was");
        assert_eq!(value["remarks"], serde_json::json!([{"quote": "two queues", "body": "One is enough."}]));
        let without = serde_json::to_value(outcome(RequestStatus::Answered)).unwrap_or_default();
        assert_eq!(without.get("remarks"), None, "a reply without remarks is as it was");
    }

    #[test]
    fn what_the_fields_say_needs_no_second_word() {
        let (from, assurance) = (AnsweredFrom::Browser, Some(Assurance::L1));
        let answered = Outcome { answered_from: Some(from), assurance, ..outcome(RequestStatus::Answered) };
        assert_eq!(answered.meaning(false, false), None, "nobody asked for a decision");
        assert!(answered.meaning(true, false).is_some_and(|text| text.contains("Not approved")), "somebody did");
        let approved = Outcome { decision: Some(Decision::Approved), ..answered };
        assert_eq!(approved.meaning(true, false), None, "there is one");
    }

    #[test]
    fn a_pending_result_tells_the_agent_how_to_come_back() {
        let text = outcome(RequestStatus::Pending).for_model(false, false);
        assert!(text.contains("request_id 00000000-0000-0000-0000-000000000000"), "the agent needs the id: {text}");
    }
}
