//! What a notification of the system says of a request, and what its buttons may do. They may open it,
//! put it off, or choose one of its options; a decision is only ever given in a window, on a page or at a terminal.

use std::collections::HashSet;

use gate_api::RequestSummary;
use gate_api::subjects::requests::Question;
use gate_core::ask::{plain_line, uncoded};
use gate_core::markdown::visible;
use gate_core::{Ask, Code, Digest, Draft, Fault, RequestId, RequestStatus};

use super::Requests;
use super::view::digested;
use crate::unknown::unknown_request;

/// Quick replies of a notification; a request with more options has none.
const REPLIES: usize = 3;
/// The longest label that is a button, in characters.
const REPLY_CHARS: usize = 40;
/// The longest title, in characters.
const TITLE_CHARS: usize = 120;

/// What a notification shows of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Of which request.
    pub request_id: RequestId,
    /// The digest of its question, which a quick reply names.
    pub digest: Digest,
    /// Its headline.
    pub title: String,
    /// The agent's name as a person reads it, e.g. `Claude Code`; empty where it says none.
    pub client: String,
    /// The last part of the folder that the agent works in; empty when unknown.
    pub workspace: String,
    /// Whether it comes before everything else.
    pub urgent: bool,
    /// The options that a button may choose; empty where none may.
    pub replies: Vec<String>,
}

/// What came of a quick reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuickReply {
    /// It was sent.
    Sent,
    /// The person has begun to write something, which it would have left out: the request is to be
    /// opened instead.
    Begun,
}

impl Requests {
    /// What a notification shows of a request; absent for one that no longer waits.
    ///
    /// # Errors
    /// When the record can't be read.
    pub(crate) async fn notice_of(&self, request_id: RequestId) -> Result<Option<Notice>, Fault> {
        let request = self.store.request(request_id).await?.ok_or_else(|| unknown_request(request_id))?;
        let pending = self.summary(request_id).filter(|_| request.status == RequestStatus::Pending);
        let Some(summary) = pending else { return Ok(None) };
        Ok(Some(notice(&summary, &digested(request.ask).await?)))
    }

    /// The reply that a click on a notification's button means; absent where it would leave out something that the
    /// person has begun to write.
    ///
    /// # Errors
    /// `unknown_request`, and `invalid_input` for what is no quick reply of this request.
    pub(crate) async fn quick_reply(&self, request_id: RequestId, label: &str) -> Result<Option<Draft>, Fault> {
        let request = self.store.request(request_id).await?.ok_or_else(|| unknown_request(request_id))?;
        if !quick_replies(&request.ask).iter().any(|reply| reply == label) {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{label:?} is no quick reply of request {request_id}."),
                "Open the request and answer it there.",
            ));
        }
        let draft = self.store.draft(request_id).await?;
        let chosen = Draft { selected: vec![label.to_owned()], ..Draft::default() };
        Ok((draft == Draft::default() || draft == chosen).then_some(chosen))
    }
}

fn notice(summary: &RequestSummary, question: &Question) -> Notice {
    Notice {
        request_id: summary.request_id,
        digest: question.digest,
        title: plain_line(&summary.title, TITLE_CHARS),
        client: summary.client.clone(),
        workspace: summary.workspace_name.clone(),
        urgent: summary.urgent,
        replies: quick_replies(&question.ask),
    }
}

/// The options of a request that a button may choose: of a plain question with few short ones. A button shows no marks of
/// code, and no two show the same.
fn quick_replies(ask: &Ask) -> Vec<String> {
    let labels = ask.options.iter().map(|choice| choice.label.clone());
    let fit = ask.options.len() <= REPLIES
        && ask
            .options
            .iter()
            .all(|choice| choice.label.chars().count() <= REPLY_CHARS && visible(&choice.label) == choice.label);
    let shown: HashSet<String> = ask.options.iter().map(|choice| uncoded(&choice.label)).collect();
    if ask.approval || ask.allow_multiple || !fit || shown.len() < ask.options.len() {
        Vec::new()
    } else {
        labels.collect()
    }
}

#[cfg(test)]
mod tests {
    use gate_api::Origin;
    use gate_api::subjects::requests::SaveDraft;
    use gate_core::Choice;
    use gate_mcp::Call;

    use super::*;
    use crate::slices::Gate;
    use crate::tests::{Outcome, call, gate};

    fn choice(label: &str) -> Choice {
        Choice { label: label.to_owned(), description: None, recommended: false }
    }

    fn question(key: &str, labels: &[&str], change: impl FnOnce(&mut Ask)) -> Call {
        let mut asked = call(key, key);
        asked.ask.options = labels.iter().map(|label| choice(label)).collect();
        change(&mut asked.ask);
        asked
    }

    /// The digest that the notice of a request has.
    async fn shown(gate: &Gate, request: RequestId) -> Result<Digest, Box<dyn std::error::Error>> {
        Ok(gate.notice_of(request).await?.ok_or("a request that waits has a notice")?.digest)
    }

    #[tokio::test]
    async fn only_few_short_options_of_a_plain_question_are_quick_replies() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let long = "x".repeat(REPLY_CHARS + 1);
        let cases: [(Call, &[&str]); 7] = [
            (question("a", &["SQLite", "sled"], |_| ()), &["SQLite", "sled"]),
            (question("b", &["1", "2", "3", "4"], |_| ()), &[]),
            (question("c", &["yes", &long], |_| ()), &[]),
            (question("d", &["yes", "\u{202e}on"], |_| ()), &[]),
            (question("e", &["yes"], |ask| ask.approval = true), &[]),
            (question("f", &["yes"], |ask| ask.allow_multiple = true), &[]),
            (question("g", &["`yes`", "yes"], |_| ()), &[]),
        ];
        for (call, replies) in cases {
            let key = call.call_key.clone();
            let asked = gate.inner.requests.ask(call).await?;
            let notice = gate.notice_of(asked.request_id).await?.ok_or("a request that waits has a notice")?;
            assert_eq!(notice.replies, replies, "{key}");
            assert_eq!((&*notice.title, &*notice.workspace), (&*key, "w"));
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_title_has_no_marks_of_code() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let titled = question("a", &["`SQLite`"], |ask| ask.title = Some("Drop `retry_webhook`?".to_owned()));
        let asked = gate.inner.requests.ask(titled).await?;
        let notice = gate.notice_of(asked.request_id).await?.ok_or("a request that waits has a notice")?;
        assert_eq!(notice.title, "Drop retry_webhook?", "a notification shows text alone");
        assert_eq!(notice.replies, ["`SQLite`"], "an option is chosen by its label as it was sent");
        Ok(())
    }

    #[tokio::test]
    async fn a_quick_reply_chooses_one_option_once() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let asked = gate.inner.requests.ask(question("a", &["SQLite", "sled"], |_| ())).await?;
        let id = asked.request_id;
        let code = |reply: Result<QuickReply, Fault>| reply.err().map(|fault| fault.code);
        let digest = shown(&gate, id).await?;
        assert_eq!(code(gate.quick_reply(id, digest, "files").await), Some(Code::InvalidInput), "it isn't among them");
        let other = Digest::of(&"another question")?;
        assert_eq!(code(gate.quick_reply(id, other, "sled").await), Some(Code::ChangedQuestion), "it wasn't shown");
        assert_eq!(gate.quick_reply(id, digest, "sled").await?, QuickReply::Sent);
        assert_eq!(gate.inner.store.status(id).await?, Some(RequestStatus::Answered), "it is in the record");
        assert_eq!(gate.notice_of(id).await?, None, "there is nothing left to tell");
        assert_eq!(code(gate.quick_reply(id, digest, "SQLite").await), Some(Code::NotPending), "the first one counts");
        Ok(())
    }

    #[tokio::test]
    async fn a_quick_reply_never_decides_and_never_drops_what_was_written() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let deploy = gate.inner.requests.ask(question("deploy", &["Approve"], |ask| ask.approval = true)).await?;
        let digest = shown(&gate, deploy.request_id).await?;
        let refused = gate.quick_reply(deploy.request_id, digest, "Approve").await.err();
        assert_eq!(refused.map(|fault| fault.code), Some(Code::InvalidInput), "a decision is given in the window");

        let asked = gate.inner.requests.ask(question("a", &["SQLite", "sled"], |_| ())).await?;
        let draft = Draft { text: "because".to_owned(), ..Draft::default() };
        let save = SaveDraft { request_id: asked.request_id, draft: draft.clone() };
        gate.execute(save, Origin::Desktop).await?;
        let digest = shown(&gate, asked.request_id).await?;
        assert_eq!(gate.quick_reply(asked.request_id, digest, "sled").await?, QuickReply::Begun);
        assert_eq!(gate.inner.store.draft(asked.request_id).await?, draft, "the draft is as it was");
        assert_eq!(gate.pending(), 2, "nothing was answered");
        Ok(())
    }
}
