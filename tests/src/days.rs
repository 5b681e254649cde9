//! Where persons work who don't sit at a desktop of their own: a machine that is reached by SSH, a container, a service.

mod container;
mod service;
mod ssh;

pub use container::Container;
pub use service::OwnSystemd;
pub use ssh::{Forwarded, Remote, Tmux};
