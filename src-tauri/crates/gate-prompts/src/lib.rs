//! The prompt library: files in folders, Handlebars, watching, and fetching a folder from a git repository.
//!
//! It knows files and templates. It knows nothing of windows, of MCP and of the database: whoever serves
//! prompts asks a [`PromptSet`], which is one whole version that never changes.
//!
//! What is here reads files and renders: it blocks, so an async caller puts it on a thread for that; [`rendering`] has some.

mod bare;
mod builtin;
mod deep;
mod file;
mod folder;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod import;
mod library;
mod preview;
mod render_fault;
mod set;
pub mod sync;
mod template;
#[cfg(test)]
mod tests;
mod tree;
mod trouble;
mod values;
mod wake;
mod watch;
mod write;

pub use builtin::CHANGED as BUILT_IN_CHANGED;
pub use deep::rendering;
pub use import::{Import, ImportedPrompt, plan, plan_files};
pub use library::{Folders, Library, Reloaded};
pub use preview::{Preview, preview};
pub use render_fault::RenderFault;
pub use set::{Entry, OnDisk, PromptSet};
pub use watch::Watch;
pub use write::{Saved, Saving, Written, delete, save};
