//! For how long nobody has typed or clicked, as far as the system says. What follows from it is decided in gate-app's
//! `attention.rs`.

#[cfg_attr(target_os = "linux", path = "hands/x11.rs")]
#[cfg_attr(target_os = "macos", path = "hands/macos.rs")]
#[cfg_attr(target_os = "windows", path = "hands/windows.rs")]
mod system;

use std::fmt;
use std::time::Duration;

/// What a system knows of the person's hands.
trait Input: Send + Sync {
    /// For how long they have done nothing; absent where it doesn't say.
    fn idle(&self) -> Option<Duration>;
}

/// The person's hands; one of the app.
pub(crate) struct Hands(Box<dyn Input>);

impl Hands {
    /// As this system knows them.
    pub(crate) fn of_this_system() -> Self {
        Self(Box::new(system::System::default()))
    }

    /// For how long they have neither typed nor clicked; absent where nobody can say.
    pub(crate) fn idle(&self) -> Option<Duration> {
        self.0.idle()
    }
}

impl fmt::Debug for Hands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hands").field(&self.idle()).finish()
    }
}
