//! The person's own agent programs, started without a terminal for one *run* each: in which folder, with which words, under
//! which bounds, and what came of it.
//!
//! Knows no gate, no review and no MCP, stores nothing and decides nothing: whoever starts a run says what is to be run,
//! where, and what the answer has to look like, and is told how it ended. No shell is ever between; a run is given neither
//! more of the environment than is listed nor, in its sandbox, more of the files.
//!
//! | file | owns |
//! |---|---|
//! | `programs.rs` | the table of programs: how each is called, asked, signed in, and what of its help has to be there |
//! | `installed.rs` | finding one, its version, and whether its help has what the call needs |
//! | `call.rs` | a question as a program's arguments, input and files |
//! | `reading.rs` | a program's answer, and what it cost, out of what it printed |
//! | `answer.rs` | one JSON object out of what a model said |
//! | `environment.rs`, `variables.rs` | which variables a run has |
//! | `folder.rs` | throwaway folders, and what is left out of them |
//! | `limits.rs` | how long, how much |
//! | `allowance.rs`, `pause.rs` | how many at once and a day, for how much; when a program is left alone for a while |
//! | `sandbox.rs` | what a run sees in its sandbox |
//! | `starter.rs` | the process that a run is started by: this program again |
//! | `output.rs` | what is printed: its lines, its bound, its tail |
//! | `run.rs` | a run from its start to its outcome |
//!
//! The processes, each started by the one above it:
//!
//! ```text
//! whoever starts runs
//!   review-gate worker-start: ends all below when its standard input ends, as it does with whoever has started it
//!     the agent's program, in a session of its own
//! or, in a sandbox, what gate-sandbox starts; see there
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), gate_worker::Refusal> {
//! use gate_worker::{Installed, Limits, Program, Question, Run, Runs, Shelter, answer};
//!
//! #[derive(serde::Deserialize)]
//! struct Verdict { decision: String, reason: String }
//!
//! let environment: Vec<_> = std::env::vars_os().collect();
//! let program = Installed::find(Program::Codex, None, &environment).await?;
//! let runs = Runs::open("/home/me/.cache/runs".into())?;
//! let mut folder = runs.folder()?;
//! folder.put("src/parser.rs".as_ref(), b"fn main() {}")?;
//! let run = Run {
//!     program: &program,
//!     question: Question { words: "Review src/parser.rs.".into(), ..Question::default() },
//!     folder,
//!     environment: &environment,
//!     limits: Limits::default(),
//!     shelter: Shelter::None,
//!     starter: "/usr/bin/review-gate".into(),
//! };
//! let ended = run.ended(answer::object::<Verdict>, |_, line| drop(line.len()), &Default::default()).await;
//! # let _ = ended;
//! # Ok(()) }
//! ```

mod allowance;
pub mod answer;
mod call;
mod environment;
mod folder;
mod installed;
mod limits;
mod output;
mod pause;
mod programs;
mod reading;
mod refusal;
mod run;
mod sandbox;
mod starter;
mod variables;

pub use allowance::{Allowance, Full, Used};
pub use call::Question;
pub use environment::loopback_ports;
pub use folder::{Folder, Put, Runs};
pub use installed::Installed;
pub use limits::{FolderLimits, Limits};
pub use output::Stream;
pub use pause::Pause;
pub use programs::Program;
pub use reading::{Money, Spent};
pub use refusal::Refusal;
pub use run::{Ended, Outcome, Run};
pub use sandbox::{Network, Shelter, Shut};
pub use starter::stage;
