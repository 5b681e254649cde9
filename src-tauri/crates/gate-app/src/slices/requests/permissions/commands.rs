//! The commands: parse, one call, one conversion; and what agents' tools need of them.

use async_trait::async_trait;
use gate_api::subjects::permissions::{
    AnswerPermission, AnswerTerminalPermission, AskPermission, AskPermissionNeeds, BeginPermissionTrial,
    EndPermissionTrial, Handler, PermissionAsked, PermissionNeeds, PermissionTold, PermissionTrial, PermissionTried,
    TellPermission,
};
use gate_api::{Done, Origin};
use gate_core::{
    AnsweredFrom, Asker, Caller, Declared, Fault, Given, Owner, OwnerId, PermissionQuestion, PermissionSign,
    PermissionVerdict,
};
use gate_mcp::{PermissionCall, PermissionPort};

use crate::slices::Gate;
use crate::slices::requests::no_decision;

impl Handler for Gate {
    async fn answer_permission(&self, answered: AnswerPermission, origin: Origin) -> Result<Done, Fault> {
        let AnswerPermission { request_id, digest, answer } = answered;
        let from = match origin {
            Origin::Desktop => AnsweredFrom::Desktop,
            Origin::Browser => AnsweredFrom::Browser,
            // It shows what it decides on, and has that confirmed.
            Origin::Terminal | Origin::Script => return Err(no_decision()),
        };
        self.inner.requests.answer_permission(request_id, digest, &answer, from.into()).await?;
        self.inner.person.settled(request_id);
        Ok(Done {})
    }

    async fn permission_needs(&self, asked: AskPermissionNeeds, _: Origin) -> Result<PermissionNeeds, Fault> {
        let needs = self.inner.requests.needs_of_answer(asked.request_id, &asked.answer).await?;
        Ok(PermissionNeeds { needs })
    }

    async fn answer_terminal_permission(&self, answered: AnswerTerminalPermission, _: Origin) -> Result<Done, Fault> {
        let AnswerTerminalPermission { request_id, digest, answer, digits } = answered;
        self.inner.requests.confirmed_at_terminal(request_id, digest, &digits)?;
        self.inner.requests.answer_permission(request_id, digest, &answer, Given::AT_A_TERMINAL).await?;
        self.inner.person.settled(request_id);
        Ok(Done {})
    }

    async fn ask_permission(&self, asked: AskPermission, _: Origin) -> Result<PermissionAsked, Fault> {
        self.ask_permission_of(asked.permission, None).await
    }

    async fn tell_permission(&self, told: TellPermission, _: Origin) -> Result<PermissionTold, Fault> {
        self.inner.requests.take_sign(&told.sign, &OwnerId::Holder).await
    }

    async fn begin_permission_trial(&self, _: BeginPermissionTrial, _: Origin) -> Result<PermissionTrial, Fault> {
        Ok(PermissionTrial { trial: self.begin_trial() })
    }

    async fn end_permission_trial(&self, ended: EndPermissionTrial, _: Origin) -> Result<PermissionTried, Fault> {
        Ok(PermissionTried { arrived: self.end_trial(&ended.trial) })
    }
}

impl Gate {
    /// As [`Handler::ask_permission`], of the agent that the system names behind the connection.
    pub(crate) async fn ask_permission_of(
        &self,
        question: PermissionQuestion,
        asker: Option<Asker>,
    ) -> Result<PermissionAsked, Fault> {
        let call = PermissionCall {
            caller: Caller {
                client: question.client().to_owned(),
                client_version: question.client_version.clone(),
                workspace: question.folder.clone(),
            },
            declared: Declared { asker, ..Declared::default() },
            agent: None,
            owner: OwnerId::Holder.into(),
            call_key: format!("permit:{}", self.inner.bus.new_id()),
            question,
        };
        Ok(PermissionAsked { verdict: self.ask_whether(call).await? })
    }
}

#[async_trait]
impl PermissionPort for Gate {
    async fn permit(&self, call: PermissionCall) -> Result<PermissionVerdict, Fault> {
        self.ask_whether(call).await
    }

    async fn sign(&self, sign: PermissionSign, owner: Owner) -> Result<Option<String>, Fault> {
        Ok(self.inner.requests.take_sign(&sign, &owner.id).await?.tell)
    }
}
