//! Where a reply was given, and how sure it is that the person gave it. Knows no windows, terminals or settings.

use serde::{Deserialize, Serialize};

/// How a reply reached the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AnsweredFrom {
    /// The desktop app's window.
    Desktop,
    /// The gate's page in a browser.
    Browser,
    /// A terminal.
    Terminal,
    /// A process without a terminal, or one that an agent has started.
    Script,
    /// A form that the agent's own client showed.
    Form,
    /// A button of one of the system's notifications.
    Notification,
}

impl AnsweredFrom {
    /// Every origin.
    pub const ALL: [Self; 6] =
        [Self::Desktop, Self::Browser, Self::Terminal, Self::Script, Self::Form, Self::Notification];

    /// The origin as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Browser => "browser",
            Self::Terminal => "terminal",
            Self::Script => "script",
            Self::Form => "form",
            Self::Notification => "notification",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|from| from.as_str() == text)
    }

    /// How sure a reply from there is by itself: what a terminal says is confirmed besides, or anybody's.
    #[must_use]
    pub fn assurance(self) -> Assurance {
        match self {
            Self::Desktop | Self::Browser => Assurance::L1,
            Self::Terminal | Self::Script | Self::Form | Self::Notification => Assurance::L0,
        }
    }
}

/// How sure it is that the person gave a reply: the higher, the more it takes to forge it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Assurance {
    /// Recorded: any process could have given it.
    #[default]
    L0,
    /// Attended: given in a window, on a page or at a terminal that had shown what it answers.
    L1,
    /// Confirmed by the system: the person gave it their password or finger besides.
    L2,
    /// Touched: a security key was touched besides, and signed the receipt.
    L3,
}

impl Assurance {
    /// All of them, the least sure first.
    pub const ALL: [Self; 4] = [Self::L0, Self::L1, Self::L2, Self::L3];

    /// The level as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

/// Where a reply was given, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// Where.
    pub from: AnsweredFrom,
    /// How sure it is.
    pub assurance: Assurance,
}

impl Given {
    /// At a terminal that had shown all of the question, and whose person confirmed it.
    pub const AT_A_TERMINAL: Self = Self { from: AnsweredFrom::Terminal, assurance: Assurance::L1 };

    /// What agents are told of who gave a reply, to follow “approved” or “given”: “by the person” from
    /// [`Assurance::L1`] on only.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match (self.assurance, self.from) {
            (Assurance::L3, AnsweredFrom::Desktop) => "by the person in the window, with a security key (L3)",
            (Assurance::L3, AnsweredFrom::Browser) => "by the person on the gate's page, with a security key (L3)",
            (Assurance::L3, AnsweredFrom::Terminal) => "by the person at a terminal, with a security key (L3)",
            (Assurance::L2, AnsweredFrom::Desktop) => "by the person in the window, confirmed by the system (L2)",
            (Assurance::L2, AnsweredFrom::Browser) => "by the person on the gate's page, confirmed by the system (L2)",
            (Assurance::L2, AnsweredFrom::Terminal) => "by the person at a terminal, confirmed by the system (L2)",
            (Assurance::L1, AnsweredFrom::Desktop) => "by the person in the window (L1)",
            (Assurance::L1, AnsweredFrom::Browser) => "by the person on the gate's page (L1)",
            (Assurance::L1, AnsweredFrom::Terminal) => "by the person at a terminal (L1)",
            // From nowhere else can it be that sure.
            (Assurance::L1, AnsweredFrom::Script | AnsweredFrom::Form | AnsweredFrom::Notification) => "(L1)",
            (Assurance::L2, AnsweredFrom::Script | AnsweredFrom::Form | AnsweredFrom::Notification) => "(L2)",
            (Assurance::L3, AnsweredFrom::Script | AnsweredFrom::Form | AnsweredFrom::Notification) => "(L3)",
            (Assurance::L0, AnsweredFrom::Desktop) => "in the window, unattended (L0)",
            (Assurance::L0, AnsweredFrom::Browser) => "on the gate's page, unattended (L0)",
            (Assurance::L0, AnsweredFrom::Terminal) => "at a terminal, unconfirmed (L0)",
            (Assurance::L0, AnsweredFrom::Script) => "by a script; nobody looked at it (L0)",
            (Assurance::L0, AnsweredFrom::Form) => "in a form of your own client (L0)",
            (Assurance::L0, AnsweredFrom::Notification) => "in a notification (L0)",
        }
    }
}

impl Given {
    /// As whose agents are told words that were given so: the person's from [`Assurance::L1`] on only.
    #[must_use]
    pub fn author(self) -> String {
        match self.assurance >= Assurance::L1 {
            true => "the person".to_owned(),
            false => format!("given {}", self.in_words()),
        }
    }
}

impl From<AnsweredFrom> for Given {
    /// What is given from there by itself.
    fn from(from: AnsweredFrom) -> Self {
        Self { from, assurance: from.assurance() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_attended_is_said_to_be_the_persons() {
        for from in AnsweredFrom::ALL {
            for assurance in Assurance::ALL {
                let words = Given { from, assurance }.in_words();
                let is_persons = words.contains("by the person");
                assert!(!is_persons || assurance >= Assurance::L1, "{from:?} at {assurance:?}: {words}");
                assert!(words.contains(assurance.as_str()), "the level is said: {words}");
                let author = Given { from, assurance }.author();
                assert_eq!(author == "the person", assurance >= Assurance::L1, "{from:?} at {assurance:?}: {author}");
                let by_a_key = words.contains("with a security key");
                assert_eq!(by_a_key, is_persons && assurance == Assurance::L3, "{from:?} at {assurance:?}: {words}");
                let by_the_system = words.contains("confirmed by the system");
                assert_eq!(
                    by_the_system,
                    is_persons && assurance == Assurance::L2,
                    "{from:?} at {assurance:?}: {words}"
                );
            }
        }
    }

    #[test]
    fn what_stands_in_the_record_is_read_again() {
        for from in AnsweredFrom::ALL {
            assert_eq!(AnsweredFrom::parse(from.as_str()), Some(from));
        }
        for level in Assurance::ALL {
            assert_eq!(Assurance::parse(level.as_str()), Some(level));
        }
        assert!(Assurance::ALL.is_sorted(), "the surer is the greater");
        assert_eq!(AnsweredFrom::Terminal.assurance(), Assurance::L0, "a terminal alone says nothing of a person");
    }
}
