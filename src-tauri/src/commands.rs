//! What the window may ask of the shell.

use gate_api::{Answer, Command};
use gate_app::{Gate, Origin};
use gate_core::{Code, Fault, RequestId, SessionUuid, markdown};
use tauri::{AppHandle, State, WebviewWindow};

use crate::window::{self, Page, Place};

/// A command for the gate, from the window and so from the person at it.
#[tauri::command]
pub(crate) async fn gate(gate: State<'_, Gate>, command: Command) -> Result<Answer, Fault> {
    gate.execute(command, Origin::Desktop).await
}

/// Puts the calling window away; it answers nothing.
#[tauri::command]
pub(crate) fn hide_window(window: WebviewWindow) {
    window::put_away(&window);
}

/// Opens the main window at a page.
#[tauri::command]
pub(crate) async fn open_main(
    app: AppHandle,
    gate: State<'_, Gate>,
    page: Page,
    session: Option<SessionUuid>,
) -> Result<(), Fault> {
    window::open_main(&app, gate.settings(), Place { page, session })
        .map_err(|error| Fault::internal(format!("The main window can't be opened: {error}.")))
}

/// Brings the review window to the front, at a request where one is named.
#[tauri::command]
pub(crate) fn show_review(gate: State<'_, Gate>, request_id: Option<RequestId>) {
    gate.raise(request_id);
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

/// The calling window's page has rendered what it should show.
#[tauri::command]
pub(crate) fn window_ready(window: WebviewWindow) {
    window::rendered(&window);
}

fn no_browser(error: &str) -> Fault {
    Fault::new(Code::Internal, format!("No browser could be started: {error}."), "Copy the link and open it yourself.")
}
