//! Commands of the front ends: who may, whether it is an act of the person, one call. What each does is in its slice's
//! folder, a line or two that lead to where it is done.

use gate_api::{CarriedOutBy, Declaration, Kind, May, Origin, Who};
use gate_core::{Code, Fault};

use crate::slices::Gate;
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
            May::Always | May::ButSecurity => Ok(()),
            May::WhereScriptsAnswer => self.may_answer(origin),
            May::Never => Err(never(who)),
        }
    }

    /// An agent with a shell must not answer for the person.
    pub(crate) fn may_answer(&self, origin: Origin) -> Result<(), Fault> {
        let scripts = self.settings().security.scripted_answers.unwrap_or(!self.inner.host.window);
        if origin == Origin::Script && !scripts {
            return Err(Fault::new(
                Code::ScriptedAnswersOff,
                "This process has no terminal, and answers from scripts are switched off.",
                "Answer in the window or from a terminal, or set `security.scripted_answers: true` in config.yaml by hand.",
            ));
        }
        Ok(())
    }
}

/// Why a command of this declaration never comes from where it came from.
fn never(who: Who) -> Fault {
    match who {
        Who::Speaker => Fault::new(
            Code::ScriptedAnswersOff,
            "This process has no terminal, and the microphone is opened for a person only.",
            "Speak in the window, or with `review-gate answer ID --voice` in a terminal.",
        ),
        Who::Anyone | Who::Answerer | Who::Tuner | Who::Local | Who::LocalAnswerer => {
            Fault::new(Code::InvalidInput, "This can't be done from a browser.", "Use `review-gate` in a terminal.")
        }
    }
}
