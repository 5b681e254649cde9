//! Agents that ask whether they may.

use gate_api::subjects::permissions::{
    AnswerPermission, AnswerTerminalPermission, AskPermission, Handler, PermissionAsked, PermissionTold, TellPermission,
};
use gate_api::{Done, Origin};
use gate_core::{Fault, PermissionAsk, PermissionVerdict};

use crate::slices::Gate;
use crate::unknown::unknown_request;

impl Handler for Gate {
    async fn answer_permission(&self, answered: AnswerPermission, _: Origin) -> Result<Done, Fault> {
        Err(unknown_request(answered.request_id))
    }

    async fn answer_terminal_permission(&self, answered: AnswerTerminalPermission, _: Origin) -> Result<Done, Fault> {
        Err(unknown_request(answered.request_id))
    }

    async fn ask_permission(&self, _: AskPermission, _: Origin) -> Result<PermissionAsked, Fault> {
        Ok(PermissionAsked { verdict: PermissionVerdict::Ask { why: PermissionAsk::Off } })
    }

    async fn tell_permission(&self, _: TellPermission, _: Origin) -> Result<PermissionTold, Fault> {
        Ok(PermissionTold { tell: None, closed: 0 })
    }
}
