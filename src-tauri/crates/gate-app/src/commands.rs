//! Commands of the front ends: who may, whether it is an act of the person, one call. What each does is in its slice's
//! folder, a line or two that lead to where it is done.

use gate_api::subjects::program::Stop;
use gate_api::{CarriedOutBy, Declaration, Kind, May, Origin, TypedCommand as _, Who};
use gate_core::{Code, Fault};

use crate::slices::Gate;
use crate::slices::requests::no_decision;
use crate::work::whole;

impl Gate {
    /// Carries out one command, and gives its answer's own type where it is one that is known.
    ///
    /// # Errors
    /// A [`Fault`] with its code; nothing is half done then.
    pub async fn execute<C>(&self, command: C, origin: Origin) -> Result<C::Answer, Fault>
    where
        C: CarriedOutBy<Self> + Send + 'static,
        C::Answer: Send + 'static,
    {
        let (gate, declaration) = (self.clone(), command.declaration());
        let work = async move {
            gate.admit(declaration, origin).await?;
            command.carry_out(&gate, origin).await
        };
        let done = match declaration.kind {
            Kind::Wait => work.await,
            Kind::Act | Kind::Look => whole(work).await,
        };
        self.inner.conversations.notice_damage(done.as_ref().err());
        done
    }

    async fn admit(&self, declaration: &Declaration, origin: Origin) -> Result<(), Fault> {
        self.permit(declaration.who, origin)?;
        // What a process does by itself says nothing about the person.
        if origin != Origin::Script && declaration.kind == Kind::Act {
            self.inner.person.acted().await;
        }
        Ok(())
    }

    /// Whether a command of this declaration may come from there. What it may name is looked at where it is carried
    /// out.
    pub(crate) fn permit(&self, who: Who, origin: Origin) -> Result<(), Fault> {
        match who.may(origin) {
            May::Always | May::OnlySafer => Ok(()),
            May::WhereScriptsAnswer => self.may_answer(origin),
            May::WhereTerminalsDecide => self.may_decide(),
            May::Never => Err(never(who)),
        }
    }

    /// An agent with a shell must not answer for the person, nor read what they wrote to others.
    pub(crate) fn may_answer(&self, origin: Origin) -> Result<(), Fault> {
        let scripts = self.settings().security.scripted_answers.unwrap_or(self.inner.host.allows.scripts);
        if origin == Origin::Script && !scripts {
            return Err(Fault::new(
                Code::ScriptedAnswersOff,
                "No person is at a terminal of this process: it has none, or an agent started it. Scripts do nothing \
                 here that is the person's to do or to read.",
                "Do it in the window, on the gate's page, or in a terminal that no agent has started. To let scripts \
                 answer, start a gate without a window with `review-gate serve --allow-scripts`, or switch on \
                 `security.scripted_answers` in the settings of the window or the page.",
            ));
        }
        Ok(())
    }

    /// Whether the gate may be stopped from there: that takes away where the person could still take a reply back.
    pub(crate) fn may_stop(&self, origin: Origin) -> Result<(), Fault> {
        self.permit(Stop::DECLARATION.who, origin)?;
        if self.inner.queue.board.holds_any() && self.may_answer(origin).is_err() {
            return Err(Fault::new(
                Code::ScriptedAnswersOff,
                "The person can still take a reply back, and stopping the gate would take that away from them.",
                "Wait half a minute, then stop it; nothing was stopped.",
            ));
        }
        Ok(())
    }

    /// A terminal may be anybody's: it decides only where the person has said so.
    fn may_decide(&self) -> Result<(), Fault> {
        match self.settings().security.terminal_answers.unwrap_or(self.inner.host.allows.terminal) {
            true => Ok(()),
            false => Err(no_decision()),
        }
    }

    /// What lets others answer more easily than a gate does by itself, in the words of flags and settings.
    pub(crate) fn weak(&self) -> Vec<String> {
        let mut weak = self.inner.host.allows.flags();
        weak.extend(gate_settings::weak(&self.inner.settings.loaded().values));
        weak
    }
}

/// Why a command of this declaration never comes from where it came from.
fn never(who: Who) -> Fault {
    match who {
        Who::Speaker => Fault::new(
            Code::ScriptedAnswersOff,
            "No person is at a terminal of this process, and this is done for a person only: speaking, \
             answering what agents ask to be allowed, and signing browsers out.",
            "Do it in the window, on the gate's page, or with `review-gate` in a terminal that no agent has started.",
        ),
        Who::Confirmer => Fault::new(
            Code::SettingForbidden,
            "A guard gets weaker only where the person confirms it.",
            "Change it in the window's settings, or on a signed-in page.",
        ),
        Who::Decider => Fault::new(
            Code::ScriptedAnswersOff,
            "No person is at a terminal of this process: it has none, or an agent started it.",
            "Decide in the window, on the gate's page, or with `review-gate answer` in a terminal that no agent has \
             started.",
        ),
        Who::Anyone | Who::Answerer | Who::Tuner | Who::Local | Who::LocalAnswerer => {
            Fault::new(Code::InvalidInput, "This can't be done from a browser.", "Use `review-gate` in a terminal.")
        }
    }
}
