//! The tray icon: how many requests wait, and the way back to the window.

use gate_app::Gate;
use tauri::image::Image;
use tauri::menu::{MenuBuilder, MenuItem, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Wry};

use crate::window;

const CALM: &[u8] = include_bytes!("../../icons/tray.png");
const WAITING: &[u8] = include_bytes!("../../icons/tray-waiting.png");

/// The tray icon and the menu entry that show the number.
pub(crate) struct Tray {
    icon: TrayIcon<Wry>,
    count: MenuItem<Wry>,
    /// The number that they show.
    shown: Option<usize>,
}

/// Makes the tray icon. Desktops without a tray keep it to themselves.
pub(crate) fn create(app: &AppHandle, pending: usize) -> tauri::Result<Tray> {
    let count = MenuItemBuilder::with_id("open", words(pending)).build(app)?;
    let menu = MenuBuilder::new(app).item(&count).separator().text("quit", "Quit Review Gate").build()?;
    let icon = TrayIconBuilder::with_id("gate")
        .icon(Image::from_bytes(CALM)?)
        .menu(&menu)
        .show_menu_on_left_click(false)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "open" => window::raise(app),
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
    tray.update(pending);
    Ok(tray)
}

impl Tray {
    /// Shows how many requests wait.
    pub(crate) fn update(&mut self, pending: usize) {
        if self.shown == Some(pending) {
            return;
        }
        let text = words(pending);
        let same_icon = self.shown.is_some_and(|before| (before > 0) == (pending > 0));
        let shown = self
            .count
            .set_text(&text)
            .and_then(|()| self.icon.set_tooltip(Some(&text)))
            .and_then(|()| self.icon.set_title((pending > 0).then(|| pending.to_string())))
            .and_then(|()| {
                let image = if pending > 0 { WAITING } else { CALM };
                if same_icon { Ok(()) } else { self.icon.set_icon(Some(Image::from_bytes(image)?)) }
            });
        self.shown = Some(pending);
        if let Err(error) = shown {
            tracing::warn!(%error, "the tray icon can't be changed");
        }
    }
}

fn words(pending: usize) -> String {
    match pending {
        0 => "Review Gate: nothing is waiting".to_owned(),
        1 => "Review Gate: 1 request is waiting".to_owned(),
        many => format!("Review Gate: {many} requests are waiting"),
    }
}
