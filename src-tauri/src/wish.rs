//! The wish for the window of somebody, or something, that asked for it while hands were at work: it comes up once they
//! rest. When that is, is decided in gate-app's `attention.rs`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gate_app::Gate;
use gate_app::attention::Asked;
use tauri::async_runtime::JoinHandle;
use tauri::{AppHandle, Manager as _};

use crate::hands::Hands;
use crate::window;

/// For how long a wish is kept. Whoever does something else meanwhile no longer waits for the window.
const KEPT: Duration = Duration::from_secs(10);
/// How often is looked whether hands rest.
const LOOK: Duration = Duration::from_millis(100);

/// The wish that is kept; one of the app.
#[derive(Debug, Default)]
pub(crate) struct Wish(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    starts: bool,
    looking: JoinHandle<()>,
}

/// Keeps the wish, from now on. One that is kept already is the same wish; it stays that of a start, if it was.
pub(crate) fn keep(app: &AppHandle, gate: &Gate, starts: bool) {
    let wish = app.state::<Wish>();
    let mut kept = wish.lock();
    let earlier = kept.take().filter(|earlier| !earlier.looking.inner().is_finished());
    let starts = starts || earlier.as_ref().is_some_and(|earlier| earlier.starts);
    if let Some(earlier) = earlier {
        earlier.looking.abort();
    }
    let looking = tauri::async_runtime::spawn(look(app.clone(), gate.clone(), starts));
    *kept = Some(Kept { starts, looking });
}

/// Asks again until the window has come up, or may not, or nobody waits for it any more.
async fn look(app: AppHandle, gate: Gate, starts: bool) {
    let until = Instant::now() + KEPT;
    while Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        let idle = app.state::<Hands>().idle();
        if gate.raise_asked(starts, window::standing(&app), idle) != Asked::OnceHandsRest {
            return;
        }
    }
}

impl Wish {
    /// The window comes up: nothing is left to wish for.
    pub(crate) fn drop(&self) {
        if let Some(kept) = self.lock().take() {
            kept.looking.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
