//! The reviewer pool: its tools are there, and say whose it is. Agents neither start nor end programs here.

use gate_core::{Code, Fault};

use crate::broker::answer::{Call, Told};

/// `spawn_reviewer`, `kill_reviewer` and `list_reviewers`.
pub(super) async fn none(_call: &Call<'_>, (): ()) -> Result<Told, Fault> {
    Err(Fault::new(
        Code::RoleForbidden,
        "The reviewer pool isn't configured by agents: no program is started, ended or listed for them.",
        "The person says in security.pool which programs review what nobody claims; these come and go by themselves. \
         get_review_status with wait tells you of a verdict.",
    ))
}
