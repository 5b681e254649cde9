//! What happens in the gate, told to the page, the window and the tray.

use gate_api::Event;
use gate_app::Gate;
use tauri::{AppHandle, Emitter as _};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::tray::Tray;
use crate::window;

/// Forwards events until the gate ends.
pub(crate) async fn forward(app: AppHandle, gate: Gate, mut events: Receiver<Event>, mut tray: Tray) {
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "the window fell behind; it looks at the whole queue again");
                Event::Resync
            }
            Err(RecvError::Closed) => return,
        };
        // The wish to show comes first, so that the page's word that it has rendered finds it.
        if let Event::RequestAdded { request, .. } = &event {
            window::announce(&app, request.urgent);
        }
        if let Err(error) = app.emit("gate", &event) {
            tracing::warn!(%error, "the page could not be told");
        }
        match &event {
            Event::RequestAdded { view, .. } => {
                // The page has all it needs: it renders while the window comes up.
                if view.is_some() {
                    window::show_announced(&app);
                }
                tray.update(&gate.at_a_glance());
            }
            Event::RequestClosed { .. }
            | Event::SessionChanged { .. }
            | Event::SessionForgotten { .. }
            | Event::Resync => tray.update(&gate.at_a_glance()),
            Event::Raise { .. } => window::raise(&app),
            Event::RequestChanged { .. } | Event::HistoryChanged | Event::Warning { .. } => {}
        }
    }
}
