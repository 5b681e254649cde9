//! What wakes the thread that watches the folders.

/// Why it is woken.
#[derive(Debug)]
pub(crate) enum Wake {
    /// Something in a folder changed.
    Changed,
    /// The folders are others.
    Folders,
    /// Nobody wants to know any more.
    End,
}
