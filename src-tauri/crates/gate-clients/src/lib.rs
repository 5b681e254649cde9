//! Connects agents' clients to the gate: where each keeps its configuration, how our entry stands in it, how it
//! comes in and goes out with every other byte kept, and the rules that tell agents when to ask. Knows no gate,
//! no window and no setting; what it needs of the system is passed in as [`Folders`].

mod carry_out;
mod catalogue;
mod connector;
mod entry;
mod files;
mod folders;
mod kept;
mod ledger;
mod merge;
mod paths;
mod plan;
mod questions;
mod rules;
mod state;
mod toolsets;

pub use carry_out::Done;
pub use catalogue::{Client, NoQuestions, Scope};
pub use connector::{COPIES, Connector, Options};
pub use entry::{Entry, NAME, REMOVE_OF_FOLDER, Start, stable_program};
pub use folders::{Folders, Platform};
pub use kept::{Kept, configuration_of_projects, configured_apart, kept, of_program};
pub use ledger::Kind;
pub use plan::{Change, Plan, Remark};
pub use rules::{RULES, RulesState};
pub use state::{
    ClientRules, Configured, FileState, Permission, QuestionsWay, State, TimeOut, configured, rules_for, states, waits,
};
pub use toolsets::Toolsets;
