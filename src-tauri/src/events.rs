//! What happens in the gate, told to the page, the window, the tray and the person.

use std::time::Duration;

use gate_api::subjects::{program, requests, settings};
use gate_api::{Event, Seen};
use gate_app::Gate;
use gate_app::attention::{Asked, Attention, Move, Window};
use gate_core::RequestId;
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::hands::Hands;
use crate::wish::{self, Wish};
use crate::{notices, sound, tray, window};

/// How long a sound and the tray wait for a window that comes up: its menu is made by the thread that draws the window, and
/// nobody hears that a sound came later.
const WINDOW_FIRST: Duration = Duration::from_millis(150);

/// Forwards events until the gate ends.
pub(crate) async fn forward(app: AppHandle, gate: Gate, mut events: Receiver<Event>) {
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "the window fell behind; it looks at the whole queue again");
                program::Event::Resync.into()
            }
            Err(RecvError::Closed) => return,
        };
        // A page that is given the whole request begins with it while is looked where the window stands, and renders while
        // that comes up. Where it has to ask for it, the wish to show comes first, so that its word that it has rendered
        // finds that.
        let is_whole = matches!(&event, Event::Requests(requests::Event::RequestAdded { view: Some(_), .. }));
        if is_whole {
            tell_pages(&app, &event);
        }
        let called = call(&app, &gate, &event);
        if is_whole {
            window::show_announced(&app);
        } else {
            tell_pages(&app, &event);
        }
        match &event {
            Event::Requests(requests::Event::RequestClosed { request_id, .. }) => notices::close(&app, *request_id),
            Event::Requests(requests::Event::RequestsClosed { request_ids, .. }) => {
                for request in request_ids {
                    notices::close(&app, *request);
                }
            }
            Event::Program(program::Event::Raise { request_id, .. }) => {
                app.state::<Wish>().drop();
                if let Some(request) = request_id {
                    notices::close(&app, *request);
                }
                window::raise(&app, *request_id);
            }
            Event::Program(program::Event::RaiseAsked { starts }) => {
                let standing = window::standing(&app);
                let wanted = gate.raise_asked(*starts, standing, app.state::<Hands>().idle());
                if wanted == Asked::OnceHandsRest {
                    wish::keep(&app, &gate, *starts);
                }
                let is_marked = matches!(wanted, Asked::Now(Move::Mark) | Asked::OnceHandsRest);
                if is_marked && standing == Window::Behind {
                    window::announce(&app, Move::Mark, standing);
                }
            }
            Event::Settings(settings::Event::SettingsChanged { settings }) => window::follow_settings(&app, settings),
            _ => {}
        }
        let glanced = event.seen() == Seen::AtAGlance;
        if called.is_some_and(|(_, attention)| attention.window == Move::Raise) {
            let (app, gate) = (app.clone(), gate.clone());
            tauri::async_runtime::spawn(async move {
                tokio::time::sleep(WINDOW_FIRST).await;
                tell_besides(&app, &gate, called, glanced);
            });
        } else {
            tell_besides(&app, &gate, called, glanced);
        }
    }
}

/// What else tells of an event: a notification, a sound, the tray.
fn tell_besides(app: &AppHandle, gate: &Gate, called: Option<(RequestId, Attention)>, glanced: bool) {
    if let Some((request, attention)) = called {
        tell(app, gate, request, attention);
    }
    if glanced {
        tray::update(app);
    }
}

fn tell_pages(app: &AppHandle, event: &Event) {
    if let Err(error) = app.emit("gate", event) {
        tracing::warn!(%error, "the page could not be told");
    }
}

/// Has the window come up where a request calls for the person, and gives what else it does.
fn call(app: &AppHandle, gate: &Gate, event: &Event) -> Option<(RequestId, Attention)> {
    let standing = || window::standing(app);
    let idle = || app.state::<Hands>().idle();
    let (request, standing, attention) = match event {
        Event::Requests(requests::Event::RequestAdded { request, again: false, .. }) => {
            let standing = standing();
            (request.request_id, standing, gate.attention(request, standing, idle()))
        }
        Event::Requests(requests::Event::RequestDue { request_id }) => {
            let standing = standing();
            (*request_id, standing, gate.attention_again(*request_id, standing, idle()))
        }
        _ => return None,
    };
    window::announce(app, attention.window, standing);
    Some((request, attention))
}

fn tell(app: &AppHandle, gate: &Gate, request: RequestId, attention: Attention) {
    if attention.notify {
        let (app, gate) = (app.clone(), gate.clone());
        tauri::async_runtime::spawn(async move { notices::show(&app, &gate, request).await });
    }
    if let Some(sound) = attention.sound {
        sound::play(sound);
    }
}
