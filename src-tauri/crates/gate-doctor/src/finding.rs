//! The checks by name, and how each says what it found, in the phrases of `words.rs`.

use gate_api::{Finding, Level, Phrase};
use gate_core::Fault;

use crate::words;

/// A check. Its title is `check-NAME` in the catalogues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Check {
    pub(crate) id: &'static str,
}

/// Makes of each name a check, and the list of all.
macro_rules! checks {
    ($($name:ident = $id:literal;)*) => {
        $(#[allow(dead_code, reason = "not every system has all of them")] pub(crate) const $name: Check = Check { id: $id };)*

        #[cfg(test)]
        const ALL: &[Check] = &[$($name),*];
    };
}

checks! {
    PROGRAM = "program";
    DESKTOP = "desktop";
    WEBKIT = "webkit";
    OTHERS = "others";
    HOME = "home";
    DISK = "disk";
    FILE_SYSTEM = "file_system";
    SETTINGS = "settings";
    GATE = "gate";
    LOCK = "lock";
    SOCKET = "socket";
    TOKEN = "token";
    HTTP = "http";
    DATABASE = "database";
    BACKUPS = "backups";
    SEARCH = "search";
    PROMPTS = "prompts";
    DISPLAY = "display";
    WINDOW = "window";
    PERSON = "person";
    GUARDS = "guards";
    RECEIPTS = "receipts";
    SYSTEM = "system";
    NOTIFICATIONS = "notifications";
    TRAY = "tray";
    VOICE = "voice";
    MICROPHONE = "microphone";
    MODEL = "model";
    CLIENTS = "clients";
    POPUP = "popup";
    HEARD = "heard";
}

impl Check {
    /// All is well.
    pub(crate) fn good(self, cause: Phrase) -> Finding {
        self.found(Level::Good, cause)
    }

    /// Good to know.
    pub(crate) fn note(self, cause: Phrase) -> Finding {
        self.found(Level::Note, cause)
    }

    /// It was not looked at.
    pub(crate) fn skipped(self, cause: Phrase) -> Finding {
        self.found(Level::Skipped, cause)
    }

    /// It works less well than it could.
    pub(crate) fn warning(self, cause: Phrase, mend: Phrase) -> Finding {
        Finding { mend: Some(mend), ..self.found(Level::Warning, cause) }
    }

    /// It doesn't work.
    pub(crate) fn fault(self, cause: Phrase, mend: Phrase) -> Finding {
        Finding { mend: Some(mend), ..self.found(Level::Fault, cause) }
    }

    /// It doesn't work, and a fault says why: its sentences stay as they are.
    pub(crate) fn failed(self, fault: &Fault) -> Finding {
        self.fault(words::as_it_is(fault.message.as_str()), words::as_it_is(fault.mend.as_str()))
    }

    fn found(self, level: Level, cause: Phrase) -> Finding {
        named(self.id.to_owned(), self.title(), level, cause)
    }

    fn title(self) -> Phrase {
        Phrase::new(format!("check-{}", self.id.replace('_', "-")))
    }
}

/// A finding of a check that is made up as it goes: one for each client.
pub(crate) fn named(check: String, title: Phrase, level: Level, cause: Phrase) -> Finding {
    Finding { check, title, level, cause, mend: None, command: None }
}

/// What a finding says besides its cause.
pub(crate) trait Mending {
    /// With what to do about it.
    fn mend(self, mend: Phrase) -> Self;
    /// With the one command that does it.
    fn command(self, command: impl Into<String>) -> Self;
}

impl Mending for Finding {
    fn mend(mut self, mend: Phrase) -> Self {
        self.mend = Some(mend);
        self
    }

    fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use gate_clients::{Client, Scope};

    use super::*;
    use crate::clients::{CLIENT, TRIAL, title};
    use crate::questions::QUESTIONS;

    #[test]
    fn the_catalogues_have_the_title_of_every_check_and_no_other() {
        let mut said: Vec<Phrase> = ALL.iter().map(|check| check.title()).collect();
        for check in [CLIENT, TRIAL, QUESTIONS] {
            said.extend([Scope::User, Scope::Project].map(|scope| title(check, Client::Zed, scope)));
        }
        assert_eq!(gate_texts::testing::differences("check", said), Vec::<String>::new());
    }
}
