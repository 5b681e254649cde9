//! Git on repositories of others, with none of their code running, and nothing changed in them.
//!
//! A repository that an agent works in isn't trusted. Its settings can name programs (`core.fsmonitor`, filters, hooks,
//! …), its attributes can have a file passed over in a diff, its folder of objects can hold anything under any name. So
//! the `git` program runs in directories of our own (`own_dir.rs`), whose settings are ours; the repository lends its
//! objects, its files and a copy of its index. Only two things are asked of git in the repository itself, since both
//! read and run nothing: its settings (`git config --list`), of which a list of harmless ones is heeded, and what a name
//! names (`git rev-parse`). What is shown or believed was taken over into objects of ours first, where each one's name
//! was made anew from what it holds ([`Objects`]).
//!
//! | question | answer |
//! |---|---|
//! | what is to be approved: work tree, index, a commit, a range | [`Repository::snapshot`] with an [`Objects`] that keeps it; [`Snapshot::manifest`] |
//! | the same again, later | [`Objects::compare`], [`Objects::read`] |
//! | what is being committed (a hook) | [`Repository::with_index`], [`Repository::staged`] |
//! | trees and parents of commits; those of a range; whether a branch has one | [`Repository::commits`], [`Repository::range`], [`Repository::past`], [`Repository::has`] |
//! | which branch a name means | [`Repository::reference`] |
//! | where two parted | [`Repository::parted`] |
//! | the same patch on another base; the rebase or merge that git makes by itself | [`Repository::patch`], [`Repository::rebased`], [`Repository::merged`] |
//! | a diff that somebody proposes: whether it is to come near git, whether it fits, what it makes | [`Proposal::read`], [`Repository::apply`], [`Repository::fits`] |
//! | whether what was committed or staged is what was approved | [`Repository::outcome`] |
//! | rules and keys of a branch; receipts on a commit | [`Repository::file`], [`Repository::note`], [`Repository::set_note`] |
//! | whether two folders are of one repository; what it reads beyond a folder | [`Repository::common_dir`], [`Repository::outside`] |
//! | where its hooks are | [`Repository::hooks_folder`] |
//!
//! [`child`] bounds the programs that are started, here and where prompts come from.
//!
//! It must not know what is asked of people, what is approved, networks, or the gate's record.

mod applied;
mod apply;
mod change;
pub mod child;
mod compare;
mod error;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod history;
mod index;
mod merge;
mod notes;
mod objects;
mod oid;
mod options;
mod os;
mod own_dir;
mod patch;
mod path;
mod places;
mod process;
mod proposal;
mod refused;
mod repository;
mod settings;
mod snapshot;
mod tree;
mod unfit;
mod what;

pub use applied::{Approved, Outcome};
pub use apply::{Application, Applied, Fits, Touched, Warning, Way};
pub use change::{Change, Entry, Lines, Mode};
pub use compare::Difference;
pub use error::Error;
pub use history::Range;
pub use notes::{NOTES, Signature};
pub use objects::{Commit, Objects};
pub use oid::{Format, Oid};
pub use options::{COMMITS, CONTENT_BYTES, DIFF_BYTES, FILES, Form, Options, SECONDS, TEXT_BYTES};
pub use patch::Patch;
pub use path::RepoPath;
pub use places::{Kind, Owners};
pub use process::{Git, Person};
pub use proposal::{Origin, PROPOSAL_BYTES, Proposal, ProposedFile, Span};
pub use refused::Refused;
pub use repository::Repository;
pub use snapshot::{Manifest, ManifestFile, Snapshot};
pub use unfit::{Misfit, Unfit};
pub use what::{Revision, What};
