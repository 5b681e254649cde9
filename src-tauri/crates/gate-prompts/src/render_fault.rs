//! Why a prompt can't be rendered.

use gate_core::Fault;

/// Why a prompt can't be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderFault {
    /// Why.
    pub fault: Fault,
    /// The argument that it is about.
    pub argument: Option<String>,
}
