//! What the gate was started as.

use gate_link::Home;

/// What the gate was started as: it stays so until it stops.
#[derive(Debug)]
pub(crate) struct Host {
    /// Its folders.
    pub(crate) home: Home,
    /// The command line program, as an agent's client should start it.
    pub(crate) command_path: String,
    /// Whether it has a window.
    pub(crate) window: bool,
    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    pub(crate) http: Option<String>,
}
