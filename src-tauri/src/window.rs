//! The windows. The review window is made once, hidden and loaded, so that showing it costs no start;
//! the main window is made when it is opened, and costs nothing while it is closed.

mod main_window;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gate_app::Settings;
use gate_core::SessionUuid;
use serde::{Deserialize, Serialize};
use tauri::window::Color;
use tauri::{
    AppHandle, Emitter as _, Manager as _, Theme, UserAttentionType, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    Wry,
};

pub(crate) use main_window::MainWindow;
use main_window::Opening;

/// The label of the review window.
pub(crate) const REVIEW: &str = "review";
/// The label of the main window.
const MAIN: &str = "main";
/// The main window is told which page to show.
const PAGE_EVENT: &str = "main-page";
/// The page's own background in both themes (`--surface` in `ui/src/styles/tokens.css`).
const LIGHT_PAPER: Color = Color(0xff, 0xff, 0xff, 0xff);
const DARK_PAPER: Color = Color(0x1a, 0x1a, 0x1f, 0xff);
/// How long a hidden window waits for its page to render a new request before it shows what it has.
const RENDER_WAIT: Duration = Duration::from_millis(150);

/// A page of the main window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Page {
    Sessions,
    History,
}

/// Where the main window is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    pub(crate) page: Page,
    pub(crate) session: Option<SessionUuid>,
}

impl Place {
    /// The place as it stands in the address of a page that is loaded.
    fn address(&self) -> String {
        let page = match self.page {
            Page::Sessions => "sessions",
            Page::History => "history",
        };
        match self.session {
            Some(session) => format!("index.html#main/{page}/{session}"),
            None => format!("index.html#main/{page}"),
        }
    }
}

/// Whether the window should be visible as soon as its page has rendered.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    wanted: AtomicBool,
    loaded: AtomicBool,
}

/// Makes the window, hidden.
pub(crate) fn create(app: &AppHandle, settings: &Settings, visible: bool) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, REVIEW, WebviewUrl::App("index.html".into()))
        .inner_size(760.0, 860.0)
        .min_inner_size(480.0, 480.0)
        .always_on_top(settings.window.always_on_top);
    build(builder, settings)?;
    app.state::<Shown>().wanted.store(visible, Ordering::Relaxed);
    Ok(())
}

/// Opens the main window at a page, or brings it to the front and leads it there. Not to be called from
/// the toolkit's own thread, which on Windows has to be free while a window is made.
pub(crate) fn open_main(app: &AppHandle, settings: &Settings, place: Place) -> tauri::Result<()> {
    let main = app.state::<MainWindow>();
    let window = app.get_webview_window(MAIN);
    match main.open(place, window.is_some()) {
        Opening::Make(place) => make_main(app, settings, &place).inspect_err(|_| main.failed()),
        Opening::Lead(place) => window.map_or(Ok(()), |window| lead(&window, &place)),
        Opening::Wait => Ok(()),
    }
}

/// Tells the main window's page where to go, and brings the window to the front.
fn lead(window: &WebviewWindow, place: &Place) -> tauri::Result<()> {
    let told = window.emit_to(MAIN, PAGE_EVENT, place);
    bring_up(window);
    told
}

fn make_main(app: &AppHandle, settings: &Settings, place: &Place) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(place.address().into()))
        .inner_size(1180.0, 780.0)
        .min_inner_size(760.0, 520.0);
    build(builder, settings)?;
    Ok(())
}

/// What both windows have in common. They are shown when their pages have rendered.
fn build(builder: WebviewWindowBuilder<'_, Wry, AppHandle>, settings: &Settings) -> tauri::Result<WebviewWindow> {
    let theme = match settings.window.theme.as_str() {
        "light" => Some(Theme::Light),
        "dark" => Some(Theme::Dark),
        _ => None,
    };
    let window = builder
        .title("Review Gate")
        .theme(theme)
        // Files are dropped on the page, which reads them itself.
        .disable_drag_drop_handler()
        .center()
        .visible(false)
        .build()?;
    #[cfg(target_os = "linux")]
    window.with_webview(|webview| linux::make_slim(&webview.inner()))?;
    // What stands there until the page's first frame, so that nothing flashes.
    let paper = if window.theme()? == Theme::Dark { DARK_PAPER } else { LIGHT_PAPER };
    window.set_background_color(Some(paper))?;
    Ok(window)
}

/// A window's page has rendered what it should show: the window may be seen.
pub(crate) fn rendered(window: &WebviewWindow) {
    match window.label() {
        REVIEW => ready(window.app_handle()),
        _ => match window.state::<MainWindow>().rendered() {
            Some(Some(wanted)) => log(lead(window, &wanted)),
            Some(None) => bring_up(window),
            None => {}
        },
    }
}

/// The review window's page has rendered what it should show.
fn ready(app: &AppHandle) {
    let shown = app.state::<Shown>();
    shown.loaded.store(true, Ordering::Relaxed);
    if shown.wanted.swap(false, Ordering::Relaxed) {
        present(app);
    }
}

/// Brings the window to the front and gives it the keyboard.
pub(crate) fn raise(app: &AppHandle) {
    let shown = app.state::<Shown>();
    if shown.loaded.load(Ordering::Relaxed) {
        present(app);
    } else {
        shown.wanted.store(true, Ordering::Relaxed);
    }
}

/// A request came in: shows a hidden window as soon as the request stands on its page; a visible one
/// keeps its place unless the request is urgent.
pub(crate) fn announce(app: &AppHandle, urgent: bool) {
    let visible = window(app).and_then(|window| window.is_visible().ok()).unwrap_or(false);
    if !visible {
        let shown = app.state::<Shown>();
        shown.wanted.store(true, Ordering::Relaxed);
        if shown.loaded.load(Ordering::Relaxed) {
            let app = app.clone();
            tauri::async_runtime::spawn(async move {
                tokio::time::sleep(RENDER_WAIT).await;
                ready(&app);
            });
        }
    } else if urgent {
        raise(app);
    } else if let Some(window) = window(app) {
        // Not every desktop can do that, and the queue in the window shows it anyway.
        let _ = window.request_user_attention(Some(UserAttentionType::Informational));
    }
}

/// Shows what was announced without waiting for the page, which has been given all of it.
pub(crate) fn show_announced(app: &AppHandle) {
    let shown = app.state::<Shown>();
    if shown.loaded.load(Ordering::Relaxed) && shown.wanted.load(Ordering::Relaxed) {
        present(app);
    }
}

/// Puts a window away: the review window is only hidden.
pub(crate) fn put_away(window: &WebviewWindow) {
    match window.label() {
        REVIEW => hide(window.app_handle()),
        _ => log(window.close()),
    }
}

/// Hides the review window.
pub(crate) fn hide(app: &AppHandle) {
    app.state::<Shown>().wanted.store(false, Ordering::Relaxed);
    if let Some(window) = window(app) {
        log(window.hide());
    }
}

fn present(app: &AppHandle) {
    app.state::<Shown>().wanted.store(false, Ordering::Relaxed);
    if let Some(window) = window(app) {
        bring_up(&window);
    }
}

fn bring_up(window: &WebviewWindow) {
    log(window.show());
    log(window.unminimize());
    log(window.set_focus());
}

fn window(app: &AppHandle) -> Option<WebviewWindow> {
    app.get_webview_window(REVIEW)
}

fn log(result: tauri::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the window does not obey");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use webkit2gtk::{
        CacheModel, HardwareAccelerationPolicy, SettingsExt as _, WebContextExt as _, WebView, WebViewExt as _,
    };

    /// Leaves out of WebKit what one page of text and forms has no use for. Without a GPU a hidden
    /// window paints in half the time, the page's process needs half the memory, and the blank
    /// windows of some drivers can't happen; nothing is ever gone back to, so nothing is cached.
    pub(super) fn make_slim(view: &WebView) {
        if let Some(settings) = view.settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
            settings.set_enable_page_cache(false);
            settings.set_enable_webgl(false);
            settings.set_enable_webaudio(false);
            settings.set_enable_mediasource(false);
        }
        if let Some(context) = view.context() {
            context.set_cache_model(CacheModel::DocumentViewer);
        }
    }
}
