//! A GitHub and a GitLab on loopback, for tests: they keep what is posted, record every request, and refuse what the real ones
//! refuse. They know none of the product's crates, and tell places in a diff by a reader of their own: what the product takes for
//! a place is held against another reading.
//!
//! A crate of its own, not a part of the end-to-end tests' harness, so that the tests of a crate can use it without all that
//! drives windows, agents and buses; what depends on nothing of the product may be used by the tests of any of it.
//!
//! Each rule names the page that has it. Where the pages are silent and users of the platforms have reported what happens, it says
//! "as reported". Besides, everything can go wrong ([`Fault`]), and what was posted may show late.
//!
//! | file | owns |
//! |---|---|
//! | `server.rs`, `http.rs` | connections, what was heard, what goes wrong when; requests and answers |
//! | `common.rs` | people, pull requests and what was posted, as tests name them |
//! | `diff.rs` | a unified diff, and which places it has |
//! | `github.rs`, `github/` | GitHub: REST, and as much GraphQL as names threads |
//! | `gitlab.rs`, `gitlab/` | GitLab |

mod common;
mod diff;
mod github;
mod gitlab;
mod graphql;
mod http;
mod server;

pub use common::{Person, Posted, Proposed};
pub use github::FakeGitHub;
pub use gitlab::FakeGitLab;
pub use server::{Fault, Heard};
