//! Agents that ask whether they may, and the person's answers.

use gate_core::{
    Digest, PermissionAnswer, PermissionAsk, PermissionForm, PermissionQuestion, PermissionSign, PermissionVerdict,
    RequestId,
};
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::requests::ApprovalNeeds;
use crate::{commands, events};

commands! {
    /// Answers a permission question; the agent hears of it at once, and nothing takes it back. `changed_question` where
    /// it isn't the one that was shown, or a file of its diff has changed since: then another request asks anew.
    /// `other_kind` where the request is none. An allow that has to be surer waits as `send_reply` does.
    answer_permission: AnswerPermission {
        /// Which request.
        request_id: RequestId,
        /// The digest that the question had when it was shown.
        digest: Digest,
        /// The answer.
        answer: PermissionAnswer,
    } -> Done, by Speaker, Act;

    /// What an answer to a permission question takes besides the act, where it has to be surer than that: a rule that the
    /// agent keeps, and an edited text, may take more than allowing what was asked. Faults as of `answer_permission`.
    permission_needs: AskPermissionNeeds {
        /// Which request.
        request_id: RequestId,
        /// The answer that may be given.
        answer: PermissionAnswer,
    } -> PermissionNeeds, by Answerer, Look;

    /// Answers a permission question at a terminal, with the digits of `begin_terminal_reply`. Faults as of
    /// `answer_permission` and of `send_terminal_reply`.
    answer_terminal_permission: AnswerTerminalPermission {
        /// Which request.
        request_id: RequestId,
        /// The digest that the question had when it was shown.
        digest: Digest,
        /// The answer.
        answer: PermissionAnswer,
        /// The digits that were typed.
        digits: String,
    } -> Done, by Decider, Act, ts(skip);

    /// Asks the person for an agent whether it may, and waits for the answer. Whoever gives the command up withdraws the
    /// question.
    ask_permission: AskPermission {
        /// What is asked.
        permission: PermissionQuestion,
    } -> PermissionAsked, by Local, Wait, ts(skip);

    /// Tells of something at the agent by which a question may be over: its tool was used, or its turn ended.
    tell_permission: TellPermission {
        /// What happened.
        sign: PermissionSign,
    } -> PermissionTold, by Local, Look, ts(skip);

    /// Begins a trial of the way by which an agent's questions come here. A question with the trial's name as its session is
    /// shown to nobody, and its agent is told to ask itself. The latest 16 are known, for a minute.
    begin_permission_trial: BeginPermissionTrial {} -> PermissionTrial, by Local, Look, ts(skip);

    /// Ends a trial, and says what has come of it.
    end_permission_trial: EndPermissionTrial {
        /// The trial's name.
        trial: String,
    } -> PermissionTried, by Local, Look, ts(skip);
}

events! {
    /// A permission question is over without an answer from here. `request_closed` follows.
    PermissionOver {
        /// Which request.
        request_id: RequestId,
        /// Why.
        why: PermissionAsk,
    }, InWindows;

    /// A file of a permission question has changed: another request asks anew in its place, and `request_closed`
    /// follows for the old one.
    PermissionReplaced {
        /// The request that is over.
        request_id: RequestId,
        /// The one in its place.
        by: RequestId,
    }, InWindows;
}

/// What an answer to a permission question takes besides the act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionNeeds {
    /// How sure it has to be; absent where the act is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub needs: Option<ApprovalNeeds>,
}

/// What became of a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAsked {
    /// The answer, or that the agent is to ask at its own prompt.
    pub verdict: PermissionVerdict,
}

/// What came of a sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionTold {
    /// What the agent's model should be told of what it has just done; absent where there is nothing.
    pub tell: Option<String>,
    /// How many questions were closed by it.
    pub closed: u32,
}

/// A trial of the way here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionTrial {
    /// Its name: the session that the question has to be of.
    pub trial: String,
}

/// What has come of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionTried {
    /// Its question, the first that came; absent where none did, and where no such trial is known.
    pub arrived: Option<PermissionArrived>,
}

/// The question of a trial, as it came here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionArrived {
    /// Whose words it had.
    pub form: PermissionForm,
    /// The tool that it was about.
    pub tool: String,
    /// Why nobody would have been asked had it been a real one; absent where somebody would.
    pub unasked: Option<PermissionAsk>,
}
