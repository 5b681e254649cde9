//! The review window: made once, hidden and loaded, so that showing it costs no start.

use std::sync::atomic::{AtomicBool, Ordering};

use gate_app::Settings;
use tauri::{AppHandle, Manager as _, Theme, UserAttentionType, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

const LABEL: &str = "review";

/// Whether the window should be visible as soon as its page has rendered.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    wanted: AtomicBool,
    ready: AtomicBool,
}

/// Makes the window, hidden.
pub(crate) fn create(app: &AppHandle, settings: &Settings, visible: bool) -> tauri::Result<()> {
    let theme = match settings.window.theme.as_str() {
        "light" => Some(Theme::Light),
        "dark" => Some(Theme::Dark),
        _ => None,
    };
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("index.html".into()))
        .title("Review Gate")
        .inner_size(760.0, 860.0)
        .min_inner_size(480.0, 480.0)
        .theme(theme)
        .always_on_top(settings.window.always_on_top)
        // Files are dropped on the page, which reads them itself.
        .disable_drag_drop_handler()
        .center()
        .visible(false)
        .build()?;
    app.state::<Shown>().wanted.store(visible, Ordering::Relaxed);
    Ok(())
}

/// The page has rendered: from now on the window may be shown.
pub(crate) fn ready(app: &AppHandle) {
    let shown = app.state::<Shown>();
    shown.ready.store(true, Ordering::Relaxed);
    if shown.wanted.swap(false, Ordering::Relaxed) {
        present(app);
    }
}

/// Brings the window to the front and gives it the keyboard.
pub(crate) fn raise(app: &AppHandle) {
    let shown = app.state::<Shown>();
    if shown.ready.load(Ordering::Relaxed) {
        present(app);
    } else {
        shown.wanted.store(true, Ordering::Relaxed);
    }
}

/// A request came in: shows a hidden window; a visible one keeps its place unless it is urgent.
pub(crate) fn announce(app: &AppHandle, urgent: bool) {
    let visible = window(app).and_then(|window| window.is_visible().ok()).unwrap_or(false);
    if !visible || urgent {
        raise(app);
    } else if let Some(window) = window(app) {
        // Not every desktop can do that, and the queue in the window shows it anyway.
        let _ = window.request_user_attention(Some(UserAttentionType::Informational));
    }
}

/// Hides the window.
pub(crate) fn hide(app: &AppHandle) {
    app.state::<Shown>().wanted.store(false, Ordering::Relaxed);
    if let Some(window) = window(app) {
        log(window.hide());
    }
}

fn present(app: &AppHandle) {
    let Some(window) = window(app) else { return };
    log(window.show());
    log(window.unminimize());
    log(window.set_focus());
}

fn window(app: &AppHandle) -> Option<WebviewWindow> {
    app.get_webview_window(LABEL)
}

fn log(result: tauri::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the window does not obey");
    }
}
