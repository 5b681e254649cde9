//! The file manager's D-Bus interface (<https://www.freedesktop.org/wiki/Specifications/file-manager-interface/>), over
//! the session bus. GIO speaks to it, as for notifications.

use std::path::PathBuf;

use gtk::gio::{self, BusType, DBusCallFlags};
use gtk::glib::{Error, MainContext};
use gtk::prelude::{FileExt as _, ToVariant as _};
use tauri::AppHandle;
use tokio::sync::oneshot;

const NAME: &str = "org.freedesktop.FileManager1";
const PATH: &str = "/org/freedesktop/FileManager1";
/// How long the file manager may take, its start among that, in milliseconds.
const CALL_MILLIS: i32 = 10_000;

/// Has the file manager show a file in its folder; false where none does.
pub(crate) async fn shows(app: &AppHandle, file: PathBuf) -> bool {
    let (tell, told) = oneshot::channel();
    let asked = app.run_on_main_thread(move || {
        MainContext::default().spawn_local(async move {
            let shown = show_item(file).await;
            if let Err(error) = &shown {
                tracing::info!(%error, "no file manager shows files; the folder is opened instead");
            }
            // Whoever asked may be gone.
            let _ = tell.send(shown.is_ok());
        });
    });
    asked.is_ok() && told.await.unwrap_or(false)
}

async fn show_item(file: PathBuf) -> Result<(), Error> {
    let bus = gio::bus_get_future(BusType::Session).await?;
    let uri = gio::File::for_path(file).uri().to_string();
    let parameters = (vec![uri], String::new()).to_variant();
    let flags = DBusCallFlags::NONE;
    bus.call_future(Some(NAME), PATH, NAME, "ShowItems", Some(&parameters), None, flags, CALL_MILLIS).await.map(drop)
}
