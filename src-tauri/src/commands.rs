//! What the window may ask of the shell.

use std::path::{Path, PathBuf};

use gate_api::subjects::settings::ReadSettings;
use gate_api::{Answer, Command};
use gate_app::{Gate, Origin};
use gate_core::{Code, Fault, RequestId, markdown};
use tauri::{AppHandle, State, WebviewWindow};

use crate::outside::outside;
use crate::window::{self, Destination, Name};
use crate::{browser, folder};

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

/// Opens the main window at a page, and what is named there.
#[tauri::command]
pub(crate) async fn open_main(
    app: AppHandle,
    gate: State<'_, Gate>,
    page: Name,
    at: Option<Name>,
) -> Result<(), Fault> {
    window::open_main(&app, &gate.settings(), Destination { page, at })
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
    outside(href).await.map_err(|error| {
        let message = format!("No browser could be started: {error}.");
        Fault::new(Code::Internal, message, "Copy the link and open it yourself.")
    })
}

/// Opens the gate's page in the person's browser.
#[tauri::command]
pub(crate) async fn open_in_browser(gate: State<'_, Gate>) -> Result<(), Fault> {
    browser::open(&gate).await
}

/// Opens the settings file in the program that this person's system has for it.
#[tauri::command]
pub(crate) async fn open_settings(gate: State<'_, Gate>) -> Result<(), Fault> {
    let file = gate.execute(ReadSettings {}, Origin::Desktop).await?.file;
    if !Path::new(&file).exists() {
        let message = format!("{file} isn't there yet: nothing was changed so far.");
        return Err(Fault::new(Code::SettingsFile, message, "Change a setting on these pages; that makes the file."));
    }
    outside(file.clone()).await.map_err(|error| {
        let message = format!("No program could be started for {file}: {error}.");
        Fault::new(Code::SettingsFile, message, "Copy the path and open the file yourself.")
    })
}

/// Shows a file in the person's file manager, or at least its folder. Nothing in the file is opened.
#[tauri::command]
pub(crate) async fn show_in_folder(app: AppHandle, path: PathBuf) -> Result<(), Fault> {
    let Some(parent) = path.parent().filter(|_| path.is_absolute() && path.is_file()) else {
        let message = format!("{} isn't there any more.", path.display());
        return Err(Fault::new(Code::UnreadableFile, message, "It was moved or deleted; export it once more."));
    };
    if folder::shows(&app, path.clone()).await {
        return Ok(());
    }
    outside(parent.display().to_string()).await.map_err(|error| {
        let message = format!("No file manager could be started: {error}.");
        Fault::new(Code::Internal, message, "Copy the path and open the folder yourself.")
    })
}

/// The calling window's page has rendered what it should show.
#[tauri::command]
pub(crate) fn window_ready(window: WebviewWindow) {
    window::rendered(&window);
}
