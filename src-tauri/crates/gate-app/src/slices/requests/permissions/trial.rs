//! Trials of the way by which an agent's questions come here. The doctor has a client's own hook ask such a question; it is known
//! by its session, nobody is shown it, and whoever asks it is told to ask at its own prompt.

use gate_api::subjects::permissions::PermissionArrived;
use gate_core::{PermissionAsk, PermissionQuestion};
use tokio::time::{Duration, Instant};

use super::asking::prepared;
use super::{Permissions, Trial};
use crate::slices::Gate;
use crate::work::blocking;

/// Trials that are known at the same time.
const TRIALS: usize = 16;
/// How long a trial is known.
const LIFE: Duration = Duration::from_secs(60);

impl Gate {
    /// Begins a trial, and gives its name.
    pub(super) fn begin_trial(&self) -> String {
        let name = PermissionQuestion::trials_session(self.inner.bus.new_id());
        let trial = Trial { name: name.clone(), until: Instant::now() + LIFE, arrived: None };
        let mut known = self.inner.requests.permissions.lock();
        if known.trials.len() >= TRIALS {
            known.trials.pop_front();
        }
        known.trials.push_back(trial);
        name
    }

    /// Ends a trial, and says what has come.
    pub(super) fn end_trial(&self, name: &str) -> Option<PermissionArrived> {
        let mut known = self.inner.requests.permissions.lock();
        let at = known.trials.iter().position(|trial| trial.name == name)?;
        known.trials.remove(at)?.arrived
    }

    /// Whether a question is of a trial, which has heard of it then. One that is over by now has nobody to be told.
    pub(super) async fn is_a_trial(&self, question: &PermissionQuestion) -> bool {
        let Some(name) = question.trial() else { return false };
        let permissions = &self.inner.requests.permissions;
        if permissions.tries(name) {
            let asked = question.clone();
            // As of a real one: what can't be read would be asked elsewhere.
            let unreadable = || blocking(move || prepared(asked.permission()?));
            let unasked = match self.unasked() {
                None => unreadable().await.is_err().then_some(PermissionAsk::Unreadable),
                unasked => unasked,
            };
            permissions.arrived(name, PermissionArrived { form: question.form, tool: question.tool.clone(), unasked });
        }
        true
    }
}

impl Permissions {
    /// Whether a trial of this name goes on.
    fn tries(&self, name: &str) -> bool {
        let mut known = self.lock();
        known.trials.retain(|trial| Instant::now() < trial.until);
        known.trials.iter().any(|trial| trial.name == name)
    }

    fn arrived(&self, name: &str, arrived: PermissionArrived) {
        if let Some(trial) = self.lock().trials.iter_mut().find(|trial| trial.name == name) {
            trial.arrived.get_or_insert(arrived);
        }
    }
}

#[cfg(test)]
mod tests {
    use gate_api::Origin;
    use gate_api::subjects::permissions::{AskPermission, BeginPermissionTrial, EndPermissionTrial, PermissionAsked};
    use gate_core::{PermissionForm, PermissionVerdict};

    use super::*;
    use crate::tests::{Outcome, gate};

    fn question(session: &str) -> PermissionQuestion {
        PermissionQuestion {
            session: Some(session.to_owned()),
            ..PermissionQuestion::new(PermissionForm::ClaudeHook, "Bash".to_owned(), r#"{"command":"true"}"#.to_owned())
        }
    }

    async fn begun(gate: &Gate) -> Result<String, gate_core::Fault> {
        Ok(gate.execute(BeginPermissionTrial {}, Origin::Script).await?.trial)
    }

    #[tokio::test]
    async fn a_trial_is_heard_of_and_nobody_is_asked() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let mut events = gate.events();
        let trial = begun(&gate).await?;
        let asked = || async { gate.execute(AskPermission { permission: question(&trial) }, Origin::Script).await };
        let gone = PermissionAsked { verdict: PermissionVerdict::Ask { why: PermissionAsk::Gone } };
        assert_eq!(asked().await?, gone, "its agent asks itself, at once");
        let ended = gate.execute(EndPermissionTrial { trial: trial.clone() }, Origin::Script).await?.arrived;
        let arrived = PermissionArrived { form: PermissionForm::ClaudeHook, tool: "Bash".to_owned(), unasked: None };
        assert_eq!(ended, Some(arrived), "the trial has heard of it, and that a person would have been asked");
        assert_eq!(asked().await?, gone, "one that comes after the end is nobody's question either");
        let again = gate.execute(EndPermissionTrial { trial }, Origin::Script).await?.arrived;
        assert_eq!(again, None, "an ended trial isn't known");
        assert!(gate.inner.requests.queue.board.permissions().is_empty(), "nothing waits");
        assert!(events.try_recv().is_err(), "and no window, sound or notification hears of anything");
        Ok(())
    }

    #[tokio::test]
    async fn a_trial_tells_why_nobody_would_be_asked() -> Outcome {
        for (window, input, why) in
            [(false, r#"{"command":"true"}"#, PermissionAsk::Nobody), (true, "{", PermissionAsk::Unreadable)]
        {
            let (_folder, gate) = gate(window).await?;
            let trial = begun(&gate).await?;
            let permission = PermissionQuestion { input: input.to_owned(), ..question(&trial) };
            gate.execute(AskPermission { permission }, Origin::Script).await?;
            assert_eq!(gate.end_trial(&trial).and_then(|arrived| arrived.unasked), Some(why));
        }
        Ok(())
    }

    #[tokio::test]
    async fn only_so_many_trials_are_known() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let first = begun(&gate).await?;
        for _ in 0..TRIALS {
            begun(&gate).await?;
        }
        assert!(gate.is_a_trial(&question(&first)).await, "it stays one");
        assert_eq!(gate.end_trial(&first), None, "which nobody waits for any more");
        assert_eq!(gate.inner.requests.permissions.lock().trials.len(), TRIALS);
        Ok(())
    }
}
