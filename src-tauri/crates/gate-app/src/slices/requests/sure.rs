//! How sure an approval has to be, and who makes it so: the person's rules, what the agent asks for, what can be reached.

use std::sync::Arc;

use gate_api::ApprovalNeeds;
use gate_core::require::required;
use gate_core::{
    Ask, Asker, Assurance, Code, Decision, Draft, Fault, Given, Permission, PermissionAnswer, PermissionVerdict,
    RequestId, ReviewRequest, Rule,
};

use super::{LARGE_BYTES, Requests};
use crate::slices::signing::{Signer, Waiting};
use crate::unknown::unknown_request;
use crate::work::blocking;

/// How sure a reply is to be.
#[derive(Debug)]
pub(super) struct Sure {
    /// Where it is given, and how sure that is once it is signed.
    pub(super) given: Given,
    /// Who signs it; absent where the act is enough.
    pub(super) signer: Option<Arc<dyn Signer>>,
    /// That the person may still cancel that.
    pub(super) waiting: Waiting,
}

/// What the person asks of approvals.
#[derive(Debug)]
struct Wanted {
    /// How sure each has to be.
    least: Assurance,
    /// Which have to be surer than that.
    rules: Vec<Rule>,
}

impl Wanted {
    fn of(&self, ask: &Ask, folders: [&str; 2]) -> Assurance {
        required(ask, &folders, self.least, &self.rules)
    }

    /// Whether it takes the whole question to know what is wanted of it.
    fn reads_all(&self) -> bool {
        self.rules.iter().any(Rule::reads_all)
    }
}

impl Requests {
    /// How sure a reply is to be. Only an approval has to be surer than its act; text, options and changes go as they
    /// are.
    ///
    /// # Errors
    /// `level_unreachable` where an approval can't be as sure as it has to be: a permission never by an act that nobody may
    /// have seen.
    pub(super) async fn sure(
        &self,
        request: RequestId,
        decision: Option<Decision>,
        draft: &Draft,
        given: Given,
        waiting: Waiting,
    ) -> Result<Sure, Fault> {
        let given = self.receipts.as_seen(given);
        let plain = Sure { given, signer: None, waiting };
        if decision != Some(Decision::Approved) {
            return Ok(plain);
        }
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        if asked.ask.permission.is_some() && given.assurance < Assurance::L1 {
            return Err(Fault::new(
                Code::LevelUnreachable,
                "Nobody can tell that you see this window: it is on another display than yours.",
                "Allow it on the gate's page or where the agent asks itself; nothing was sent.",
            ));
        }
        let required = self.required_of_answer(&asked, &draft.text, &draft.selected).await?;
        self.signing.look(required).await;
        let Some(signer) = self.signing.signer(required, given.from)? else { return Ok(plain) };
        if given.assurance < Assurance::L1 {
            return Err(Fault::new(
                Code::LevelUnreachable,
                format!("An approval has to be as sure as {} here, and nobody looked at this one.", required.as_str()),
                "Approve it in the window or on the gate's page; nothing was sent.",
            ));
        }
        Ok(Sure { given: Given { assurance: signer.level(), ..given }, signer: Some(signer), ..plain })
    }

    /// How sure an approval of a request has to be.
    ///
    /// # Errors
    /// `unknown_request`, and when the record can't be read.
    pub(crate) async fn required_of(&self, request: RequestId) -> Result<Assurance, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let asker = self.store.asker(request).await?;
        self.required(&asked, asker.as_ref()).await
    }

    /// How sure an approval has to be with this text and these options: of a permission, for what is allowed by it. A changed
    /// input is held against the rules as well as the one that was asked for; a rule that the agent keeps is as sure as
    /// all that it may allow later.
    ///
    /// # Errors
    /// As [`Self::required_of`], and where it is no answer to the permission.
    pub(super) async fn required_of_answer(
        &self,
        asked: &ReviewRequest,
        text: &str,
        selected: &[String],
    ) -> Result<Assurance, Fault> {
        let asker = self.store.asker(asked.request_id).await?;
        let required = self.required(asked, asker.as_ref()).await?;
        let Some(permission) = &asked.ask.permission else { return Ok(required) };
        match PermissionVerdict::of_answer(&asked.ask, Some(Decision::Approved), text, selected)? {
            PermissionVerdict::Allow { rule: Some(_), .. } => {
                Ok(self.wanted().rules.iter().map(|rule| rule.level).fold(required, Assurance::max))
            }
            PermissionVerdict::Allow { input: Some(input), .. } => {
                let permission = Box::new(Permission { input, ..(**permission).clone() });
                let mut changed = asked.clone();
                changed.ask.permission = Some(permission);
                Ok(required.max(self.required(&changed, asker.as_ref()).await?))
            }
            PermissionVerdict::Allow { .. } | PermissionVerdict::Deny { .. } | PermissionVerdict::Ask { .. } => {
                Ok(required)
            }
        }
    }

    /// What an answer to a permission takes besides the act; nothing where it allows nothing.
    ///
    /// # Errors
    /// As [`Self::required_of_answer`].
    pub(super) async fn needs_of_answer(
        &self,
        request: RequestId,
        answer: &PermissionAnswer,
    ) -> Result<Option<ApprovalNeeds>, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let (decision, draft) = answer.as_reply(&asked.ask)?;
        if decision != Decision::Approved {
            return Ok(None);
        }
        let required = self.required_of_answer(&asked, &draft.text, &draft.selected).await?;
        self.signing.look(required).await;
        Ok(self.signing.needs(required))
    }

    fn wanted(&self) -> Wanted {
        let settings = self.settings.in_force();
        let least = Assurance::parse(&settings.security.require).unwrap_or(Assurance::L1);
        let rules = settings.security.require_for.iter().filter_map(|rule| Rule::parse(rule).ok());
        Wanted { least, rules: rules.filter(|rule| rule.level > least).collect() }
    }

    /// How sure an approval of a request has to be. A large question is read off the async threads.
    async fn required(&self, request: &ReviewRequest, asker: Option<&Asker>) -> Result<Assurance, Fault> {
        let (wanted, folders) = (self.wanted(), folders(request, asker));
        if !wanted.reads_all() || bytes(&request.ask) <= LARGE_BYTES {
            return Ok(wanted.of(&request.ask, folders));
        }
        let (ask, folders) = (request.ask.clone(), folders.map(str::to_owned));
        blocking(move || Ok(wanted.of(&ask, folders.each_ref().map(String::as_str)))).await
    }

    /// As [`Self::needs`], of a request of the record.
    ///
    /// # Errors
    /// As [`Self::required_of`].
    pub(super) async fn needs_of(&self, request: RequestId) -> Result<Option<ApprovalNeeds>, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let asker = self.store.asker(request).await?;
        self.needs(&asked, asker.as_ref()).await
    }

    /// As [`Self::needs`], of a request as lists have it, without its context and its diff. Where a rule looks at these it
    /// is read whole.
    ///
    /// # Errors
    /// As [`Self::required_of`].
    pub(super) async fn needs_of_listed(&self, listed: &ReviewRequest) -> Result<Option<ApprovalNeeds>, Fault> {
        if listed.ask.approval && self.wanted().reads_all() {
            return self.needs_of(listed.request_id).await;
        }
        let asker = self.store.asker(listed.request_id).await?;
        self.needs(listed, asker.as_ref()).await
    }

    /// Whether an approval of a request takes more than the act. For small ones: all of it is read here.
    pub(super) fn takes_more(&self, request: &ReviewRequest, asker: Option<&Asker>) -> bool {
        request.ask.approval && self.wanted().of(&request.ask, folders(request, asker)) > Assurance::L1
    }

    /// What an approval of a request takes besides the act; nothing where none is asked for.
    ///
    /// # Errors
    /// Where that can't be found out.
    pub(super) async fn needs(
        &self,
        request: &ReviewRequest,
        asker: Option<&Asker>,
    ) -> Result<Option<ApprovalNeeds>, Fault> {
        if !request.ask.approval {
            return Ok(None);
        }
        let required = self.required(request, asker).await?;
        self.signing.look(required).await;
        Ok(self.signing.needs(required))
    }
}

/// Where the agent works: by what its client says of itself, and by what the system does.
fn folders<'a>(request: &'a ReviewRequest, asker: Option<&'a Asker>) -> [&'a str; 2] {
    [&request.caller.workspace, asker.map_or("", |asker| &asker.folder)]
}

/// How much of a question rules look at.
fn bytes(ask: &Ask) -> usize {
    let asked = ask.permission.as_ref().map(|asked| &asked.input);
    let long = [Some(&ask.message), ask.context.as_ref(), ask.diff.as_ref(), asked];
    long.into_iter().flatten().map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use gate_mcp::Call;
    use gate_settings::Values;
    use serde_json::json;

    use super::*;
    use crate::host::Allows;
    use crate::slices::Gate;
    use crate::slices::signing::Ways;
    use crate::tests::{Outcome, call, open_to_sign};

    async fn gate(folder: &tempfile::TempDir, rules: &[&str]) -> Result<Gate, Fault> {
        let settings = Values::from([("security.require_for", json!(rules))]);
        open_to_sign(folder, true, settings, Allows::default(), Ways::default()).await
    }

    fn diff(path: &str, lines: usize) -> String {
        let added = "+a line that is new\n".repeat(lines);
        format!("--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,{} @@\n a\n{added}", lines + 1)
    }

    #[tokio::test]
    async fn a_list_says_what_an_approval_takes_by_all_of_its_question() -> Outcome {
        let folder = tempfile::tempdir()?;
        let gate = gate(&folder, &["L3; path=deploy/", "L2; words=production"]).await?;
        let asks = [
            ("path", Ask { diff: Some(diff("deploy/app.yaml", 1)), ..Ask::default() }, Some(Assurance::L3)),
            ("words", Ask { context: Some("for production".to_owned()), ..Ask::default() }, Some(Assurance::L2)),
            ("neither", Ask { diff: Some(diff("README.md", 1)), ..Ask::default() }, None),
        ];
        for (name, ask, _) in &asks {
            let ask = Ask { message: (*name).to_owned(), approval: true, ..ask.clone() };
            gate.inner.requests.ask(Call { ask, ..call(name, name) }).await?;
        }
        let listed = gate.inner.requests.pending().await?;
        for (name, _, level) in asks {
            let shown = listed.iter().find(|shown| shown.request.ask.message == name).ok_or("it is listed")?;
            assert_eq!(shown.needs.as_ref().map(|needs| needs.level), level, "{name}");
            let opened = gate.inner.requests.open_request(shown.request.request_id).await?.needs;
            assert_eq!(shown.needs, opened, "{name}: a list and the request itself say the same");
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_large_question_is_held_against_the_rules_off_the_async_threads() -> Outcome {
        let folder = tempfile::tempdir()?;
        let gate = gate(&folder, &["L3; path=deploy/"]).await?;
        for (lines, at_once) in [(1, true), (50_000, false)] {
            let ask = Ask { approval: true, diff: Some(diff("deploy/app.yaml", lines)), ..Ask::default() };
            let key = lines.to_string();
            let call = call(&key, &key);
            let ask = Ask { message: call.ask.message.clone(), ..ask };
            let request = gate.inner.requests.ask(Call { ask, ..call }).await?.request_id;
            let request = gate.inner.store.request(request).await?.ok_or("a request")?;
            let mut required = pin!(gate.inner.requests.required(&request, None));
            let first = required.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(matches!(first, Poll::Ready(_)), at_once, "{lines} lines");
            if !at_once {
                assert_eq!(required.await?, Assurance::L3, "and what it finds counts");
            }
        }
        Ok(())
    }
}
