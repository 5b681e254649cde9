//! The tray icon: how many requests wait, how far the agents are, and the way to the windows.

use gate_app::{Gate, Glance};
use tauri::image::Image;
use tauri::menu::{MenuBuilder, MenuItem, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Wry};

use crate::window::{self, Page, Place};

const CALM: &[u8] = include_bytes!("../../icons/tray.png");
const WAITING: &[u8] = include_bytes!("../../icons/tray-waiting.png");

/// The tray icon and the menu entry that show the number.
pub(crate) struct Tray {
    icon: TrayIcon<Wry>,
    count: MenuItem<Wry>,
    /// What they show.
    shown: Option<Glance>,
}

/// Makes the tray icon. Desktops without a tray keep it to themselves.
pub(crate) fn create(app: &AppHandle, glance: &Glance) -> tauri::Result<Tray> {
    let count = MenuItemBuilder::with_id("review", &glance.waiting).build(app)?;
    let menu = MenuBuilder::new(app)
        .item(&count)
        .text("sessions", "Sessions")
        .text("history", "History")
        .separator()
        .text("quit", "Quit Review Gate")
        .build()?;
    let icon = TrayIconBuilder::with_id("gate")
        .icon(Image::from_bytes(CALM)?)
        .menu(&menu)
        .show_menu_on_left_click(false)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "review" => window::raise(app),
            "sessions" => open_main(app, Page::Sessions),
            "history" => open_main(app, Page::History),
            "quit" => app.state::<Gate>().stop(),
            _ => {}
        })
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event {
                window::raise(tray.app_handle());
            }
        })
        .build(app)?;
    let mut tray = Tray { icon, count, shown: None };
    tray.update(glance);
    Ok(tray)
}

/// On a thread of its own: a window that is made while the menu's event is handled deadlocks on Windows.
fn open_main(app: &AppHandle, page: Page) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let place = Place { page, session: None };
        if let Err(error) = window::open_main(&app, app.state::<Gate>().settings(), place) {
            tracing::warn!(%error, "the main window can't be opened");
        }
    });
}

impl Tray {
    /// Shows how things are.
    pub(crate) fn update(&mut self, glance: &Glance) {
        if self.shown.as_ref() == Some(glance) {
            return;
        }
        let pending = glance.pending;
        let before = self.shown.as_ref().map(|before| before.pending);
        let same_count = before == Some(pending);
        let same_icon = before.is_some_and(|before| (before > 0) == (pending > 0));
        let number = || self.icon.set_title((pending > 0).then(|| pending.to_string()));
        let shown = self
            .icon
            .set_tooltip(Some(&glance.tooltip))
            .and_then(|()| if same_count { Ok(()) } else { self.count.set_text(&glance.waiting) })
            .and_then(|()| if same_count { Ok(()) } else { number() })
            .and_then(|()| {
                let image = if pending > 0 { WAITING } else { CALM };
                if same_icon { Ok(()) } else { self.icon.set_icon(Some(Image::from_bytes(image)?)) }
            });
        self.shown = Some(glance.clone());
        if let Err(error) = shown {
            tracing::warn!(%error, "the tray icon can't be changed");
        }
    }
}
