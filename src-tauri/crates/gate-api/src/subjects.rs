//! The commands that a front end gives and the events that it hears, subject by subject, and any of them as it goes
//! over a wire.

pub mod connections;
pub mod conversations;
pub mod doctor;
pub mod keys;
pub mod permissions;
pub mod person;
pub mod program;
pub mod prompts;
pub mod receipts;
pub mod requests;
pub mod reviews;
pub mod settings;
pub mod snippets;
pub mod voice;

use gate_core::Fault;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::declare::{CarriedOutBy, Declaration, Origin, Seen};

macro_rules! subjects {
    ($($(#[doc = $about:literal])+ $subject:ident: $Subject:ident $(with $Event:ident)?,)+) => {
        /// Any command. On the wire it is an object with its name as `command` and its input beside it.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Command {
            $($(#[doc = $about])+ $Subject($subject::Command),)+
        }

        impl<'de> Deserialize<'de> for Command {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut input = Map::<String, Value>::deserialize(deserializer)?;
                let name = input.remove("command").ok_or_else(|| D::Error::missing_field("command"))?;
                let name = name.as_str().ok_or_else(|| D::Error::custom("`command` is no text"))?;
                let mut input = Value::Object(input);
                $(
                    if let Some(read) = $subject::Command::read(name, &mut input) {
                        return read.map(Self::$Subject).map_err(D::Error::custom);
                    }
                )+
                Err(D::Error::custom(format_args!("there is no command `{name}`")))
            }
        }

        /// What any command answers; serialised as the answer alone.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Answer {
            $($(#[doc = $about])+ $Subject($subject::Answer),)+
        }

        /// Carries out every command.
        pub trait Handler: $($subject::Handler +)+ {}

        impl<H: $($subject::Handler +)+> Handler for H {}

        impl<H: Handler> CarriedOutBy<H> for Command {
            type Answer = Answer;

            fn declaration(&self) -> &'static Declaration {
                match self {
                    $(Self::$Subject(command) => CarriedOutBy::<H>::declaration(command),)+
                }
            }

            async fn carry_out(self, by: &H, origin: Origin) -> Result<Answer, Fault> {
                match self {
                    $(Self::$Subject(command) => command.carry_out(by, origin).await.map(Answer::$Subject),)+
                }
            }
        }

        /// Anything that happens in the gate. On the wire it is an object with its name as `event` and what it tells
        /// beside it.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(untagged)]
        pub enum Event {
            $($(
                #[doc = concat!("Of the subject [`", stringify!($subject), "`].")]
                $Subject(#[cfg_attr(feature = "typescript", ts(inline))] $subject::$Event),
            )?)+
        }

        impl Event {
            /// Where it is seen.
            #[must_use]
            pub const fn seen(&self) -> Seen {
                match self {
                    $($(Self::$Subject(event) => $subject::$Event::seen(event),)?)+
                }
            }
        }

        $($(
            impl From<$subject::$Event> for Event {
                fn from(event: $subject::$Event) -> Self {
                    Self::$Subject(event)
                }
            }
        )?)+

        /// A subject: its name, what it is about, and what is declared of its commands.
        pub const SUBJECTS: &[Subject] = &[$(Subject {
            name: stringify!($Subject),
            about: concat!($($about),+),
            commands: $subject::Command::DECLARATIONS,
        }),+];

        /// The names of each subject's events.
        pub const EVENTS: &[&[&str]] = &[$($($subject::$Event::NAMES,)?)+];

        /// The same for the UI's types.
        #[cfg(feature = "typescript")]
        pub mod typescript {
            #![allow(missing_docs, dead_code, reason = "only their TypeScript is wanted")]

            /// Any command that a window gives.
            #[derive(ts_rs::TS)]
            #[ts(untagged)]
            pub enum Command {
                $($Subject(#[ts(inline)] super::$subject::typescript::Command),)+
            }

            /// What each command of a window answers, by the command's name.
            #[derive(ts_rs::TS)]
            pub struct Answers {
                $(#[ts(flatten)] $subject: super::$subject::typescript::Answers,)+
            }
        }
    };
}

/// Commands of one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// What is declared of its commands.
    pub commands: &'static [&'static Declaration],
}

subjects! {
    /// The requests that wait, and answering them.
    requests: Requests with Event,
    /// Agents that ask whether they may, and the person's answers.
    permissions: Permissions with Event,
    /// Reviews of agents' proposals by other agents.
    reviews: Reviews with Event,
    /// Receipts of what was given.
    receipts: Receipts,
    /// The security keys that approvals may be signed with.
    keys: Keys with Event,
    /// The person's snippets.
    snippets: Snippets,
    /// Sessions and the record of what was said.
    conversations: Conversations with Event,
    /// How the person is there.
    person: Person with Event,
    /// The settings.
    settings: Settings with Event,
    /// The prompts.
    prompts: Prompts with Event,
    /// The agents' clients, and who may come in over HTTP.
    connections: Connections with Event,
    /// Speaking, and the speech models.
    voice: Voice with Event,
    /// Why nothing pops up.
    doctor: Doctor,
    /// The gate itself.
    program: Program with Event,
}
