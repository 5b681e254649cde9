//! What an act leaves of what came with it.

use gate_core::RequestId;
use gate_core::workflow::Event;
use gate_core::workflow::record::{AddedFinding, PublicationSummary, StoredAction};

/// What was left of what came with an act.
#[derive(Default)]
pub(super) struct Left {
    pub(super) events: Vec<Event>,
    pub(super) findings: Vec<AddedFinding>,
    pub(super) action: Option<StoredAction>,
    pub(super) publication: Option<PublicationSummary>,
    pub(super) withdraws: Option<RequestId>,
}
