//! What Linux, macOS and Windows do differently, each behind one name: whose a process is, folders and files for one user
//! alone, writing where others work, connections between processes of one machine, what the system says of a process, and starting and ending
//! programs. Everything else is written once, for all three.
//!
//! Each module has a file for each family of systems, with the same functions in it; no other crate asks which system it
//! is for any of this.

pub mod below;
pub mod files;
pub mod inside;
pub mod local;
pub mod process;
pub mod programs;
pub mod stdio;
mod user;
#[cfg(windows)]
mod windows;

pub use user::User;
