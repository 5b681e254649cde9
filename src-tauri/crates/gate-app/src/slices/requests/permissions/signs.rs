//! Signs that a question is over where the agent asks itself: its tool was used, it asks the next thing, or its turn has
//! ended.

use std::sync::Arc;

use gate_api::subjects::permissions::PermissionTold;
use gate_core::{Fault, OwnerId, PermissionAsk, PermissionQuestion, PermissionSign, RequestId};

use super::{Requests, Used};

/// What a model is told of an input that it hasn't asked for.
const CHANGED: &str = "The person changed the input of this tool before they allowed it. What was done is what the \
                       result shows, not what you asked for.";

/// Events by which the use of one tool is told.
const USED: [&str; 3] = ["PostToolUse", "PostToolUseFailure", "permission.replied"];
/// Events by which whatever a session asked is over.
const ENDED: [&str; 4] = ["Stop", "UserPromptSubmit", "SessionEnd", "Interrupt"];
/// Those among them by which nobody has answered anything.
const LEFT: [&str; 2] = ["SessionEnd", "Interrupt"];

impl Requests {
    /// Closes what a sign of this owner's says is over.
    pub(crate) async fn take_sign(
        self: &Arc<Self>,
        sign: &PermissionSign,
        owner: &OwnerId,
    ) -> Result<PermissionTold, Fault> {
        let mut closed = 0;
        let left = LEFT.contains(&sign.event.as_str());
        let why = if left { PermissionAsk::Gone } else { PermissionAsk::AnsweredThere };
        for request in self.permissions.over_by(sign, owner) {
            closed += u32::from(self.end_permission(request, why).await?);
        }
        let tell = self.permissions.take_edited(sign, owner).then(|| CHANGED.to_owned());
        Ok(PermissionTold { tell, closed })
    }

    /// An agent that asks one thing at a time has had an answer to what it asked before.
    pub(super) async fn end_the_one_before(
        self: &Arc<Self>,
        question: &PermissionQuestion,
        owner: &OwnerId,
    ) -> Result<(), Fault> {
        if question.form.asks_one_at_a_time() && question.session.is_some() {
            for request in self.permissions.before(question, owner) {
                self.end_permission(request, PermissionAsk::AnsweredThere).await?;
            }
        }
        Ok(())
    }
}

impl super::Permissions {
    /// The questions that are over by a sign.
    fn over_by(&self, sign: &PermissionSign, owner: &OwnerId) -> Vec<RequestId> {
        // Whose session it is has to be said: else it would be anybody's.
        let Some(session) = &sign.session else { return Vec::new() };
        let is_over = |used: &Used| {
            used.is_of(owner, sign)
                && used.session.as_ref() == Some(session)
                && match sign.event.as_str() {
                    event if USED.contains(&event) => used.is_told_by(sign),
                    event if ENDED.contains(&event) => sign.subagent.is_none() || used.subagent == sign.subagent,
                    _ => false,
                }
        };
        let known = self.lock();
        known.waiting.iter().filter(|(_, waiting)| is_over(&waiting.used)).map(|(request, _)| *request).collect()
    }

    /// The questions of the same owner, session and subagent, where these ask one thing at a time.
    fn before(&self, question: &PermissionQuestion, owner: &OwnerId) -> Vec<RequestId> {
        let same = |used: &Used| {
            used.owner == *owner
                && used.form == question.form
                && used.session == question.session
                && used.subagent == question.subagent
        };
        let known = self.lock();
        let before = known.waiting.iter().filter(|(_, waiting)| waiting.asks_one_at_a_time && same(&waiting.used));
        before.map(|(request, _)| *request).collect()
    }

    /// Whether a sign tells of an input that the person had changed. It is told once.
    fn take_edited(&self, sign: &PermissionSign, owner: &OwnerId) -> bool {
        if !USED.contains(&sign.event.as_str()) || sign.session.is_none() {
            return false;
        }
        let mut known = self.lock();
        let at = known
            .edited
            .iter()
            .position(|used| used.is_of(owner, sign) && used.session == sign.session && used.is_told_by(sign));
        at.and_then(|at| known.edited.remove(at)).is_some()
    }
}

impl Used {
    /// Whether it is of the owner and the client that a sign comes from.
    fn is_of(&self, owner: &OwnerId, sign: &PermissionSign) -> bool {
        self.owner == *owner && self.form.client() == sign.form.client()
    }

    /// Whether a sign tells of just this.
    fn is_told_by(&self, sign: &PermissionSign) -> bool {
        if let (Some(own), Some(told)) = (&self.tool_use_id, &sign.tool_use_id)
            && own == told
        {
            return true;
        }
        let input = sign.input.as_deref().and_then(|input| serde_json::from_str(input).ok());
        self.subagent == sign.subagent && sign.tool.as_ref() == Some(&self.tool) && input.as_ref() == Some(&self.input)
    }
}
