//! What the window may ask of the shell.

use gate_api::{Answer, Command};
use gate_app::{Gate, Origin};
use gate_core::{Code, Fault, markdown};
use tauri::{AppHandle, State};

use crate::window;

/// A command for the gate, from the window and so from the person at it.
#[tauri::command]
pub(crate) async fn gate(gate: State<'_, Gate>, command: Command) -> Result<Answer, Fault> {
    gate.execute(command, Origin::Desktop).await
}

/// Hides the window; it answers nothing.
#[tauri::command]
pub(crate) fn hide_window(app: AppHandle) {
    window::hide(&app);
}

/// Opens a link of an agent's text in the person's browser, after the same check that made it a link.
#[tauri::command]
pub(crate) async fn open_link(href: String) -> Result<(), Fault> {
    if !markdown::may_open(&href) {
        return Err(Fault::new(
            Code::InvalidInput,
            "This link may not be opened.",
            "Only https, http and mailto links open.",
        ));
    }
    let opened = tauri::async_runtime::spawn_blocking(move || open::that_detached(href)).await;
    match opened {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(no_browser(&error.to_string())),
        Err(error) => Err(Fault::internal(error.to_string())),
    }
}

/// The page has rendered what it should show.
#[tauri::command]
pub(crate) fn window_ready(app: AppHandle) {
    window::ready(&app);
}

fn no_browser(error: &str) -> Fault {
    Fault::new(Code::Internal, format!("No browser could be started: {error}."), "Copy the link and open it yourself.")
}
