//! One declaration per command and per event: what [`commands!`](crate::commands!) and [`events!`](crate::events!)
//! make of each, and the words that it is declared with. Knows no single one.

use gate_core::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Where a command comes from; a reply's record shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The desktop app's own window.
    Desktop,
    /// The gate's page in a browser that a person has signed in.
    Browser,
    /// A person at a terminal.
    Terminal,
    /// A process without a terminal, or one that an agent has started.
    Script,
}

impl Origin {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Desktop, Self::Browser, Self::Terminal, Self::Script];
}

/// Who may give a command. Each is a row of the table in `docs/commands.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every front end.
    Anyone,
    /// Whoever may answer for the person, or read what they wrote: a script only where scripts may answer.
    Answerer,
    /// Whoever looks at a window or a page: it confirms what makes a guard weaker.
    Confirmer,
    /// A person at a terminal, where terminals decide.
    Decider,
    /// Whoever a person can be heard at: never a script, whatever the settings say.
    Speaker,
    /// Every front end; guards get only safer by it.
    Tuner,
    /// Every front end but the page, which may be open on another machine.
    Local,
    /// Whoever is both an [`Self::Answerer`] and [`Self::Local`].
    LocalAnswerer,
}

/// Whether one origin may give a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// It may.
    Always,
    /// Where scripts may answer: under `serve --allow-scripts`, or where the person has confirmed it.
    WhereScriptsAnswer,
    /// Where terminals may decide: under `serve --terminal`, or where the person has confirmed it.
    WhereTerminalsDecide,
    /// It may, but guards get only safer by it.
    OnlySafer,
    /// It may not.
    Never,
}

impl Who {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Anyone,
        Self::Answerer,
        Self::Confirmer,
        Self::Decider,
        Self::Speaker,
        Self::Tuner,
        Self::Local,
        Self::LocalAnswerer,
    ];

    /// Whether a command of this declaration may come from there.
    #[must_use]
    pub const fn may(self, origin: Origin) -> May {
        match (origin, self) {
            (Origin::Browser, Self::Local | Self::LocalAnswerer)
            | (Origin::Script, Self::Speaker)
            | (Origin::Terminal | Origin::Script, Self::Confirmer)
            | (Origin::Desktop | Origin::Browser | Origin::Script, Self::Decider) => May::Never,
            (Origin::Terminal, Self::Decider) => May::WhereTerminalsDecide,
            (Origin::Script, Self::Answerer | Self::LocalAnswerer) => May::WhereScriptsAnswer,
            (Origin::Terminal | Origin::Script, Self::Tuner) => May::OnlySafer,
            (Origin::Desktop | Origin::Browser | Origin::Terminal | Origin::Script, _) => May::Always,
        }
    }
}

/// What giving a command says of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is something that a person does: they are there.
    Act,
    /// It says nothing of the person: somebody looks, or a program does it by itself. It is carried out to its end.
    Look,
    /// It waits for somebody or for something long, and is given up when whoever gave it goes away.
    Wait,
}

/// What is declared of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it does, and the codes of its faults.
    pub about: &'static str,
    /// Who may give it.
    pub who: Who,
    /// Whether it is an act of the person.
    pub kind: Kind,
}

/// Where an event is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The tray, too, may show something else after it.
    AtAGlance,
    /// Only windows follow it.
    InWindows,
}

/// A command by itself, which knows the type of its answer.
pub trait TypedCommand: Serialize + DeserializeOwned + Send {
    /// What comes back.
    type Answer: Serialize + DeserializeOwned + Send;
    /// What is declared of it.
    const DECLARATION: &'static Declaration;
}

/// What `H` carries out: one command, or any of several.
pub trait CarriedOutBy<H> {
    /// What comes back.
    type Answer;

    /// What is declared of it.
    fn declaration(&self) -> &'static Declaration;

    /// Carries it out, whoever may give it.
    ///
    /// # Errors
    /// A fault with its code; nothing is half done then.
    fn carry_out(self, by: &H, origin: Origin) -> impl Future<Output = Result<Self::Answer, Fault>> + Send;
}

/// Declares the commands of one subject, in a module of its own. Each has a documentation, a name (on the wire, and
/// of the method that carries it out), a type with its input, its answer's type, who may give it and what that says
/// of the person. `ts(skip)` keeps one that no window gives out of the UI's types.
///
/// It makes the commands' types, `Command` and `Answer` for any of them, and the trait `Handler`.
///
/// ```
/// mod lamps {
///     use gate_api::Done;
///
///     gate_api::commands! {
///         /// Switches a lamp.
///         switch_lamp: SwitchLamp {
///             /// Whether it is to burn.
///             on: bool,
///         } -> Done, by Answerer, Act;
///     }
/// }
///
/// use gate_api::{TypedCommand as _, Who};
///
/// assert_eq!(lamps::SwitchLamp::DECLARATION.who, Who::Answerer);
/// ```
///
/// Who may give it has to be said:
///
/// ```compile_fail
/// mod lamps {
///     use gate_api::Done;
///
///     gate_api::commands! {
///         /// Switches a lamp.
///         switch_lamp: SwitchLamp {
///             /// Whether it is to burn.
///             on: bool,
///         } -> Done, Act;
///     }
/// }
/// ```
///
/// And who carries out a subject's commands carries out all of them:
///
/// ```compile_fail
/// mod lamps {
///     use gate_api::Done;
///
///     gate_api::commands! {
///         /// Switches a lamp.
///         switch_lamp: SwitchLamp {} -> Done, by Answerer, Act;
///     }
/// }
///
/// struct Nobody;
///
/// impl lamps::Handler for Nobody {}
/// ```
#[macro_export]
macro_rules! commands {
    ($(
        $(#[doc = $about:literal])+
        $name:ident: $Typed:ident {
            $($(#[$attribute:meta])+ $field:ident: $Type:ty $(as $typescript:literal)?,)*
        } -> $Answer:ty, by $Who:ident, $Kind:ident $(, ts($skip:ident))?;
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub struct $Typed {
                $($(#[$attribute])+ pub $field: $Type,)*
            }

            impl $crate::TypedCommand for $Typed {
                type Answer = $Answer;
                const DECLARATION: &'static $crate::Declaration = &$crate::Declaration {
                    name: stringify!($name),
                    about: concat!($($about),+),
                    who: $crate::Who::$Who,
                    kind: $crate::Kind::$Kind,
                };
            }

            impl<H: Handler> $crate::CarriedOutBy<H> for $Typed {
                type Answer = $Answer;

                fn declaration(&self) -> &'static $crate::Declaration {
                    <Self as $crate::TypedCommand>::DECLARATION
                }

                async fn carry_out(self, by: &H, origin: $crate::Origin) -> Result<$Answer, gate_core::Fault> {
                    by.$name(self, origin).await
                }
            }
        )+

        /// Any command of this subject.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Command {
            $($(#[doc = $about])+ $Typed($Typed),)+
        }

        impl Command {
            /// What is declared of each, in the declarations' order.
            pub const DECLARATIONS: &'static [&'static $crate::Declaration] =
                &[$(<$Typed as $crate::TypedCommand>::DECLARATION),+];

            /// Reads the input of the command with this name; absent, and the input left alone, where it is of
            /// another subject.
            pub fn read(name: &str, input: &mut serde_json::Value) -> Option<Result<Self, serde_json::Error>> {
                match name {
                    $(stringify!($name) => Some(serde_json::from_value(input.take()).map(Self::$Typed)),)+
                    _ => None,
                }
            }
        }

        impl<H: Handler> $crate::CarriedOutBy<H> for Command {
            type Answer = Answer;

            fn declaration(&self) -> &'static $crate::Declaration {
                match self {
                    $(Self::$Typed(_) => <$Typed as $crate::TypedCommand>::DECLARATION,)+
                }
            }

            async fn carry_out(self, by: &H, origin: $crate::Origin) -> Result<Answer, gate_core::Fault> {
                match self {
                    $(Self::$Typed(command) => by.$name(command, origin).await.map(Box::new).map(Answer::$Typed),)+
                }
            }
        }

        /// What any command of this subject answers; serialised as the answer alone.
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
        #[serde(untagged)]
        pub enum Answer {
            $(
                #[doc = concat!("Of [`", stringify!($Typed), "`].")]
                $Typed(Box<$Answer>),
            )+
        }

        /// Carries out the commands of this subject. Who may give them is looked at before.
        pub trait Handler: Send + Sync {
            $(
                $(#[doc = $about])+
                fn $name(
                    &self,
                    command: $Typed,
                    origin: $crate::Origin,
                ) -> impl Future<Output = Result<$Answer, gate_core::Fault>> + Send;
            )+
        }

        /// The same for the UI's types.
        #[cfg(feature = "typescript")]
        #[doc(hidden)]
        pub mod typescript {
            #![allow(missing_docs, dead_code, non_camel_case_types, reason = "only their TypeScript is wanted")]

            use super::*;

            #[derive(serde::Deserialize, ts_rs::TS)]
            #[ts(tag = "command")]
            pub enum Command {
                $(
                    $(#[ts($skip)])?
                    $(#[doc = $about])+
                    $name {
                        $($(#[$attribute])+ $(#[ts(type = $typescript)])? $field: $Type,)*
                    },
                )+
            }

            #[derive(ts_rs::TS)]
            pub struct Answers {
                $(
                    $(#[ts($skip)])?
                    $(#[doc = $about])+
                    pub $name: $Answer,
                )+
            }
        }
    };
}

/// Declares the events of one subject, beside its commands. Each has a documentation, a name, what it tells, and where
/// it is seen. It makes `Event` for any of them; on the wire the name is in `snake_case`.
///
/// ```
/// mod lamps {
///     gate_api::events! {
///         /// A lamp was switched.
///         LampSwitched {
///             /// Whether it burns.
///             on: bool,
///         }, AtAGlance;
///
///         /// All lamps are other than before.
///         LampsChanged, InWindows;
///     }
/// }
///
/// let event = lamps::Event::LampSwitched { on: true };
/// assert_eq!(event.seen(), gate_api::Seen::AtAGlance);
/// assert_eq!(serde_json::json!(event), serde_json::json!({"event": "lamp_switched", "on": true}));
/// ```
///
/// Where it is seen has to be said:
///
/// ```compile_fail
/// mod lamps {
///     gate_api::events! {
///         /// All lamps are other than before.
///         LampsChanged;
///     }
/// }
/// ```
#[macro_export]
macro_rules! events {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident $({ $($(#[$attribute:meta])+ $field:ident: $Type:ty,)+ })?, $Seen:ident;
    )+) => {
        /// Anything that happens in this subject.
        #[allow(clippy::large_enum_variant, reason = "any event is as large as the largest of all subjects")]
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(tag = "event", rename_all = "snake_case")]
        pub enum Event {
            $($(#[doc = $about])+ $Name $({ $($(#[$attribute])+ $field: $Type,)+ })?,)+
        }

        impl Event {
            /// The names of all, as they are declared.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($Name)),+];

            /// Where it is seen.
            #[must_use]
            pub const fn seen(&self) -> $crate::Seen {
                match self {
                    $(Self::$Name { .. } => $crate::Seen::$Seen,)+
                }
            }
        }
    };
}
