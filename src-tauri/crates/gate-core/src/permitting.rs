//! Asking whether an agent may, and answering: what whoever asks hands in and hears, the request that it is asked by, and the
//! answer as it stands in the record. What is asked is a [`Permission`](crate::permission::Permission).

mod acp;
mod answer;
mod asked;
mod printed;
mod question;
mod recorded;

pub use acp::AcpRequest;
pub use answer::{PermissionAnswer, not_a_permission};
pub use question::{PermissionAsk, PermissionQuestion, PermissionSign, PermissionVerdict};
pub use recorded::{PermissionEnd, PermissionSaid};
