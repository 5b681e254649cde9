//! Why nothing pops up.

use serde::{Deserialize, Serialize};

use crate::commands;
use crate::doctor::{DoctorReport, Finding};

commands! {
    /// Looks at the whole chain, from the program to what each client starts, and tries it. `too_many` while another
    /// look goes on. Takes up to half a minute, and with `popup` as long as the person takes.
    doctor: Examine {
        /// Whether a request is shown, too, to see whether the person sees it; it waits for
        /// [`gate_core::bounds::TEST_REQUEST_SECONDS`] at most.
        #[serde(default)]
        popup: bool,
    } -> DoctorReport, by Anyone, Wait;

    /// Shows the person a request that tells whether they see it, and waits. Leaves nothing in the
    /// record. `too_many` while another one waits.
    test_request: TestRequest {} -> TestedRequest, by Anyone, Look;
}

/// Whether the person saw a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TestedRequest {
    /// What came of it.
    pub finding: Finding,
}
