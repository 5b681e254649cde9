//! The gate's page in the person's browser. Its link is handed over as `review-gate link --open` does: by a file, never by
//! a command line.

use std::time::Duration;

use gate_api::Event;
use gate_api::subjects::connections::{self, ListBrowsers, MakeLink};
use gate_app::{Gate, Origin};
use gate_core::{Code, Fault};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::outside::opening;

/// How long a browser may take to read the file and to sign in, or to show the page where it is signed in already.
const OPENING: Duration = Duration::from_secs(30);

/// Opens the page with a link that signs the browser in as the person's. Gives back once the browser was started; the
/// file goes a moment later, and the person is warned where no browser has come to the page.
pub(crate) async fn open(gate: &Gate) -> Result<(), Fault> {
    let mut events = gate.events();
    let link = gate.execute(MakeLink {}, Origin::Desktop).await?;
    let page = gate.link_page(&link.url)?;
    // One that has failed before is told anew.
    gate.take_back_warning(&no_browser());
    let opener = opening(page.path().display().to_string()).await.map_err(|error| {
        let message = format!("No browser could be started: {error}.");
        Fault::new(Code::Internal, message, "Open the link that `review-gate link` prints by hand.")
    })?;
    let gate = gate.clone();
    tauri::async_runtime::spawn(async move {
        let has_come = tokio::select! {
            () = signed_in(&mut events) => true,
            () = opener.failed() => false,
            // One that was signed in before doesn't do so again.
            () = tokio::time::sleep(OPENING) => has_a_page(&gate).await,
        };
        drop(page);
        if !has_come {
            gate.warn(no_browser());
        }
    });
    Ok(())
}

async fn signed_in(events: &mut Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(Event::Connections(connections::Event::BrowserSignedIn { .. })) | Err(RecvError::Closed) => return,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
        }
    }
}

/// Whether the page is open in a browser; where that can't be told, nobody is warned.
async fn has_a_page(gate: &Gate) -> bool {
    let listed = gate.execute(ListBrowsers {}, Origin::Desktop).await;
    listed.map_or(true, |listed| listed.browsers.iter().any(|browser| browser.open))
}

fn no_browser() -> Fault {
    Fault::new(
        Code::Internal,
        "No browser has come to the gate's page.",
        "Open what `review-gate link` prints in your browser. One in a sandbox (Snap, Flatpak) may not read the file that \
         leads to the page.",
    )
}
