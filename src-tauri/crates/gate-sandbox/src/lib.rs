//! An agent in a sandbox, with bubblewrap: which files it sees, which of them it may write, what of the environment and of
//! the network it has, and its terminal. Linux only; elsewhere it refuses and says so.
//!
//! Knows no gate and no client: what is to be shown of these, and what is to be hidden, is passed in as a [`Wish`].
//!
//! | file | owns |
//! |---|---|
//! | `wish.rs` | what is wanted |
//! | `layout.rs`, `git.rs`, `git/settings.rs` | which files are seen, and how |
//! | `guarded.rs` | what may only be read, and whether it still is so |
//! | `environment.rs`, `descriptors.rs` | which variables stay, and that nothing else that was open does |
//! | `machine.rs` | what the machine can do, and the refusals |
//! | `bubblewrap.rs` | all of that as bubblewrap's arguments |
//! | `network.rs` | pasta |
//! | `terminal.rs` | a terminal of the agent's own |
//! | `run.rs` | running it, from outside |
//! | `stage.rs` | the steps on the way in and to pasta, which are this program again |
//!
//! The processes, each started by the one above it:
//!
//! ```text
//! review-gate run            the person's terminal; hands keys, signals and the window's size on
//!   review-gate sandbox-enter, which becomes bwrap: a session of its own, the network, Landlock
//!     review-gate sandbox-first: the first process inside; waits for the agent
//!       the agent
//!   review-gate sandbox-connect, which becomes pasta where the network is the sandbox's own
//! ```

mod wish;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod git;
#[cfg(target_os = "linux")]
mod guarded;
#[cfg(target_os = "linux")]
mod layout;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod terminal;

pub use wish::{AgentFiles, Network, Wish};

#[cfg(target_os = "linux")]
pub use self::{run::Sandbox, stage::stage};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Sandbox, stage};
