//! GitHub and GitLab behind typed calls: what a pull or merge request is and says, and what is posted to it.
//!
//! Knows no job, no manifest, no approval and no SQL, and decides nothing: whoever calls says what is asked and when, and is
//! told what came of it, or whether it may have happened although nobody knows. Nothing is posted in two steps here: a write is
//! prepared as the bytes of one request ([`Forge::prepare`]), which can be kept and shown, and these bytes are what goes out
//! ([`Forge::perform`]). It keeps no clock and waits for nothing but answers: when the next request may go is [`Pace`]'s word.
//!
//! | file | owns |
//! |---|---|
//! | `forge.rs` | [`Forge`]: the calls, the same for both platforms |
//! | `github.rs`, `github/` | GitHub's: REST and GraphQL |
//! | `gitlab.rs`, `gitlab/` | GitLab's |
//! | `model.rs`, `place.rs` | what the calls give and take |
//! | `write.rs` | writes, and the request that each becomes |
//! | `platform.rs`, `base.rs`, `names.rs` | which platforms there are; where one's API is; paths of projects in it |
//! | `http.rs`, `limits.rs`, `pages.rs` | one request and its answer; what an answer says of limits; lists of several pages |
//! | `token.rs` | the token, which nothing prints |
//! | `error.rs` | why something can't be had |
//! | `pace.rs` | when a host may be asked again |
//!
//! What git fetches isn't here: [`Base::git_url`] and [`Pull::git_ref`] say from where.

mod base;
mod error;
mod forge;
mod github;
mod gitlab;
mod http;
mod limits;
mod model;
mod names;
mod pace;
mod pages;
mod place;
mod platform;
mod token;
mod write;

pub use base::Base;
pub use error::{ForgeError, Happened, Limit};
pub use forge::{Forge, asked};
pub use github::GitHub;
pub use gitlab::GitLab;
pub use http::Patience;
pub use model::{
    Access, Account, Comment, DiffRefs, Event, Found, Issue, Kind, Pull, PullId, PullState, Repository, Review,
    ReviewState, Seen, Thread,
};
pub use pace::{Next, Pace};
pub use place::{At, Line, LineKind, Place};
pub use platform::Platform;
pub use token::Token;
pub use write::{Answers, Done, Method, Opened, Prepared, Remark, Target, Write};
