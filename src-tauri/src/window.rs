//! The windows. The review window is made once, hidden and loaded, so that showing it costs no start;
//! the main window is made when it is opened, and costs nothing while it is closed.

#[cfg(target_os = "linux")]
mod first_picture;
mod main_window;
mod spot;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_api::subjects::program::WindowSettings;
use gate_app::attention::{Move, Window};
use gate_app::{Gate, Settings};
use gate_core::RequestId;
use serde::{Deserialize, Serialize};
use tauri::window::Color;
use tauri::{
    AppHandle, Emitter as _, Manager as _, Theme, UserAttentionType, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    Wry,
};

pub(crate) use main_window::MainWindow;
use main_window::Opening;
pub(crate) use spot::{Spots, remember, remember_all};

/// The label of the review window.
pub(crate) const REVIEW: &str = "review";
/// The label of the main window.
const MAIN: &str = "main";
/// The windows' usual sizes, in logical pixels.
const REVIEW_SIZE: (f64, f64) = (760.0, 860.0);
const MAIN_SIZE: (f64, f64) = (1180.0, 780.0);
/// The main window is told which page to show.
const PAGE_EVENT: &str = "main-page";
/// The page's own background in both themes (`--surface` in `ui/src/styles/tokens.css`).
const LIGHT_PAPER: Color = Color(0xff, 0xff, 0xff, 0xff);
const DARK_PAPER: Color = Color(0x1a, 0x1a, 0x1f, 0xff);
/// How long a hidden window waits for its page to render a new request before it shows what it has.
const RENDER_WAIT: Duration = Duration::from_millis(150);

/// Where the main window is to be. Which pages there are only the window knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Destination {
    pub(crate) page: Name,
    pub(crate) at: Option<Name>,
}

/// The name of a page, or of what is to be opened there: a conversation, or of the settings a section. It stands in an
/// address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Name(String);

impl Name {
    /// The longest, in characters: longer than a session's number and every section's name.
    const MAX_CHARS: usize = 64;
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        let named = !text.is_empty() && text.len() <= Self::MAX_CHARS && text.chars().all(plain);
        if named {
            return Ok(Self(text));
        }
        Err(format!(
            "a page, a conversation or a section has a name of at most {} letters, digits, `-` and `_`",
            Self::MAX_CHARS
        ))
    }
}

impl Destination {
    /// The destination as it stands in the address of a page that is loaded.
    fn address(&self) -> String {
        let Name(page) = &self.page;
        match &self.at {
            Some(Name(at)) => format!("index.html#main/{page}/{at}"),
            None => format!("index.html#main/{page}"),
        }
    }
}

/// Whether the window should be visible as soon as its page has rendered.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    wanted: AtomicBool,
    loaded: AtomicBool,
    /// The request that the person chose before the page was there to hear it.
    chosen: Mutex<Option<RequestId>>,
}

/// Makes the review window, hidden, and gives its theme.
pub(crate) fn create(app: &AppHandle, settings: &Settings, visible: bool) -> tauri::Result<Theme> {
    let builder = WebviewWindowBuilder::new(app, REVIEW, WebviewUrl::App("index.html".into()))
        .inner_size(REVIEW_SIZE.0, REVIEW_SIZE.1)
        .min_inner_size(480.0, 480.0)
        .always_on_top(settings.window.always_on_top);
    let window = build(builder, settings)?;
    app.state::<Shown>().wanted.store(visible, Ordering::Relaxed);
    window.theme()
}

/// Opens the main window at a page, or brings it to the front and leads it there. Not to be called from
/// the toolkit's own thread, which on Windows has to be free while a window is made.
pub(crate) fn open_main(app: &AppHandle, settings: &Settings, destination: Destination) -> tauri::Result<()> {
    let main = app.state::<MainWindow>();
    let window = app.get_webview_window(MAIN);
    match main.open(destination, window.is_some()) {
        Opening::Make(destination) => make_main(app, settings, &destination).inspect_err(|_| main.failed()),
        Opening::Lead(destination) => window.map_or(Ok(()), |window| lead(&window, &destination)),
        Opening::Wait => Ok(()),
    }
}

/// Tells the main window's page where to go, and brings the window to the front.
fn lead(window: &WebviewWindow, destination: &Destination) -> tauri::Result<()> {
    let told = window.emit_to(MAIN, PAGE_EVENT, destination);
    bring_up(window);
    told
}

fn make_main(app: &AppHandle, settings: &Settings, destination: &Destination) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(destination.address().into()))
        .inner_size(MAIN_SIZE.0, MAIN_SIZE.1)
        .min_inner_size(760.0, 520.0);
    build(builder, settings)?;
    Ok(())
}

/// Takes up settings that were changed while the windows are there. Their pages follow by themselves.
pub(crate) fn follow_settings(app: &AppHandle, settings: &WindowSettings) {
    for label in [REVIEW, MAIN] {
        if let Some(window) = app.get_webview_window(label) {
            log(window.set_theme(theme_of(&settings.theme)));
        }
    }
    if let Some(review) = app.get_webview_window(REVIEW) {
        log(review.set_always_on_top(settings.always_on_top));
    }
}

/// The theme of the setting; absent for the system's.
fn theme_of(setting: &str) -> Option<Theme> {
    match setting {
        "light" => Some(Theme::Light),
        "dark" => Some(Theme::Dark),
        _ => None,
    }
}

/// What both windows have in common. They are shown when their pages have rendered.
fn build(builder: WebviewWindowBuilder<'_, Wry, AppHandle>, settings: &Settings) -> tauri::Result<WebviewWindow> {
    let window = builder
        .title("Review Gate")
        // Taskbars tell the windows apart, and say how many requests wait, as the page does. While it loads, it has
        // no title.
        .on_document_title_changed(|window, title| {
            if !title.is_empty() {
                log(window.set_title(&title));
            }
        })
        .theme(theme_of(&settings.window.theme))
        // Files are dropped on the page, which reads them itself.
        .disable_drag_drop_handler()
        .center()
        .visible(false)
        .build()?;
    #[cfg(target_os = "linux")]
    window.with_webview(|webview| {
        linux::make_slim(&webview.inner());
        first_picture::wait_for(&webview.inner());
    })?;
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
    if let Some(request) = chosen(&shown).take() {
        app.state::<Gate>().raise(Some(request));
    }
    if shown.wanted.swap(false, Ordering::Relaxed) {
        present(app);
    }
}

/// Brings the window to the front and gives it the keyboard. The page hears by itself which request the
/// person chose; one that is still loading is told afterwards.
pub(crate) fn raise(app: &AppHandle, request: Option<RequestId>) {
    let shown = app.state::<Shown>();
    if shown.loaded.load(Ordering::Relaxed) {
        present(app);
    } else {
        *chosen(&shown) = request;
        shown.wanted.store(true, Ordering::Relaxed);
    }
}

fn chosen(shown: &Shown) -> MutexGuard<'_, Option<RequestId>> {
    shown.chosen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the review window is, and the person.
pub(crate) fn standing(app: &AppHandle) -> Window {
    let Some(window) = window(app) else { return Window::Hidden };
    let in_main = || app.get_webview_window(MAIN).is_some_and(|main| main.is_focused().unwrap_or(false));
    match (window.is_visible(), window.is_focused()) {
        (Ok(true), Ok(true)) => Window::Front,
        _ if in_main() => Window::Main,
        (Ok(true), _) => Window::Behind,
        _ => Window::Hidden,
    }
}

/// Whether the person is at one of the windows.
pub(crate) fn has_focus(app: &AppHandle) -> bool {
    app.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}

/// A request came in, or is due again. A hidden window that is to be raised comes up as soon as the
/// request stands on its page.
pub(crate) fn announce(app: &AppHandle, wanted: Move, standing: Window) {
    match (wanted, standing) {
        (Move::Raise, Window::Hidden) => {
            let shown = app.state::<Shown>();
            shown.wanted.store(true, Ordering::Relaxed);
            if shown.loaded.load(Ordering::Relaxed) {
                let app = app.clone();
                tauri::async_runtime::spawn(async move {
                    tokio::time::sleep(RENDER_WAIT).await;
                    ready(&app);
                });
            }
        }
        (Move::Raise, _) => raise(app, None),
        (Move::Mark, _) => {
            if let Some(window) = window(app) {
                // Not every desktop can do that, and the queue in the window shows it anyway.
                let _ = window.request_user_attention(Some(UserAttentionType::Informational));
            }
        }
        (Move::Stay, _) => {}
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
        remember(&window);
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
    let brought = window.clone();
    // On the toolkit's thread, where looking at monitors and pointer costs no waiting.
    log(window.run_on_main_thread(move || {
        log(spot::come_to_pointer(&brought));
        log(brought.show());
        log(brought.unminimize());
        log(brought.set_focus());
    }));
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
