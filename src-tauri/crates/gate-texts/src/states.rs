//! What a person calls the states that the record holds: the windows' words, so that a terminal and a file to be read
//! say the same.

use gate_core::export::StateWords;
use gate_core::{AnsweredFrom, Decision, PermissionEnd, PermissionSaid, RequestStatus, SessionStatus, StepState};

use crate::Texts;

impl StateWords for Texts {
    fn session(&self, status: SessionStatus) -> String {
        self.say(match status {
            SessionStatus::Active => "status-active",
            SessionStatus::Completed => "status-completed",
            SessionStatus::Timeout => "status-timeout",
            SessionStatus::Stale => "status-stale",
        })
    }

    fn request(&self, status: RequestStatus) -> String {
        self.say(match status {
            RequestStatus::Pending => "conversation-waits",
            RequestStatus::Answered => "main-became-answered",
            RequestStatus::Cancelled => "conversation-withdrawn",
            RequestStatus::Expired => "conversation-expired",
        })
    }

    fn decision(&self, decision: Decision) -> String {
        self.say(match decision {
            Decision::Approved => "conversation-approved",
            Decision::ChangesRequested => "conversation-changes",
        })
    }

    fn answered_from(&self, from: AnsweredFrom) -> Option<String> {
        let id = match from {
            AnsweredFrom::Desktop => return None,
            AnsweredFrom::Browser => "conversation-from-browser",
            AnsweredFrom::Terminal => "conversation-from-terminal",
            AnsweredFrom::Script => "conversation-from-script",
            AnsweredFrom::Form => "conversation-from-form",
            AnsweredFrom::Notification => "conversation-from-notification",
        };
        Some(self.say(id))
    }

    fn permission(&self, said: &PermissionSaid) -> String {
        match said {
            PermissionSaid::Asked { asks_there, ended } => {
                let id = if *asks_there { "conversation-asked-there" } else { "conversation-asked-nowhere" };
                let ended = ended.map_or("unknown", PermissionEnd::as_str);
                self.tell(id, [("ended", ended.into())])
            }
            PermissionSaid::Once => self.say("conversation-allowed"),
            PermissionSaid::Edited => self.say("conversation-allowed-edited"),
            PermissionSaid::Rule { kind, what } => {
                self.tell("conversation-allowed-rule", [("kind", kind.as_str().into()), ("what", what.as_str().into())])
            }
            PermissionSaid::Denied => self.say("conversation-denied"),
        }
    }

    fn step(&self, state: StepState) -> String {
        self.say(match state {
            StepState::Pending => "sessions-step-pending",
            StepState::InProgress => "sessions-step-running",
            StepState::Completed => "sessions-step-done",
            StepState::Failed => "sessions-step-failed",
            StepState::Skipped => "sessions-step-skipped",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gate_core::permission::PermissionRuleKind;

    #[test]
    fn every_state_is_called_as_the_windows_call_it() {
        let english = Texts::english();
        assert_eq!(
            SessionStatus::ALL.map(|status| english.session(status)),
            ["active", "completed", "gone quiet", "disconnected"]
        );
        assert_eq!(
            RequestStatus::ALL.map(|status| english.request(status)),
            ["waits for you", "answered", "withdrawn", "expired"]
        );
        assert_eq!(
            [Decision::Approved, Decision::ChangesRequested].map(|decision| english.decision(decision)),
            ["approved", "changes requested"]
        );
        assert_eq!(
            AnsweredFrom::ALL.map(|from| english.answered_from(from).unwrap_or_default()),
            [
                "",
                "on the gate’s page",
                "at a terminal",
                "by a script; nobody looked at it",
                "in a form of the agent’s client",
                "in a notification",
            ]
        );
        let rule = |kind| PermissionSaid::Rule { kind, what: "npm test *".to_owned() };
        assert_eq!(
            [
                PermissionSaid::Once,
                rule(PermissionRuleKind::Allows),
                rule(PermissionRuleKind::Mode),
                rule(PermissionRuleKind::Folders),
                rule(PermissionRuleKind::Other),
                PermissionSaid::Edited,
                PermissionSaid::Denied,
                PermissionSaid::Asked { asks_there: true, ended: None },
                PermissionSaid::Asked { asks_there: false, ended: None },
                PermissionSaid::Asked { asks_there: true, ended: Some(PermissionEnd::Away) },
                PermissionSaid::Asked { asks_there: false, ended: Some(PermissionEnd::TimeOver) },
                PermissionSaid::Asked { asks_there: true, ended: Some(PermissionEnd::AnsweredThere) },
            ]
            .map(|said| english.permission(&said)),
            [
                "allowed",
                "allowed for npm test *",
                "allowed, and from now on in the mode npm test *",
                "allowed, and opened npm test *",
                "allowed with the rule npm test *",
                "allowed, changed",
                "denied",
                "not answered here",
                "not answered here; the agent takes that as a denial",
                "not answered here: you were away",
                "not answered here: its time was over; the agent takes that as a denial",
                "answered at the agent’s own prompt",
            ]
        );
        assert_eq!(StepState::ALL.map(|state| english.step(state)), ["to do", "running", "done", "failed", "skipped"]);
    }

    #[test]
    fn every_language_has_a_word_of_its_own_for_every_state() {
        for tag in crate::LANGUAGES {
            let texts = Texts::preferred([tag]);
            let sessions = SessionStatus::ALL.map(|status| texts.session(status)).into_iter();
            let requests = RequestStatus::ALL.map(|status| texts.request(status)).into_iter();
            let steps = StepState::ALL.map(|state| texts.step(state)).into_iter();
            let ends = PermissionEnd::ALL.map(Some).into_iter().chain([None]);
            let asked =
                ends.flat_map(|ended| [true, false].map(|asks_there| PermissionSaid::Asked { asks_there, ended }));
            let asked: Vec<_> = asked.collect();
            let words: std::collections::HashSet<_> = asked.iter().map(|said| texts.permission(said)).collect();
            // Only what was asked anew is no denial, whoever asks.
            assert_eq!(words.len(), asked.len() - 1, "{tag} says of each end what it is: {words:?}");
            let answered = [PermissionSaid::Once, PermissionSaid::Edited, PermissionSaid::Denied];
            let said = asked.into_iter().chain(answered).map(|said| texts.permission(&said));
            for word in sessions.chain(requests).chain(steps).chain(said) {
                // A text that is missing is said by its id.
                let is_id =
                    ["status-", "main-", "conversation-", "sessions-"].iter().any(|area| word.starts_with(area));
                assert!(!is_id && !word.is_empty(), "{tag} says {word:?}");
            }
        }
    }
}
