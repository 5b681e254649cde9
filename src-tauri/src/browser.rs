//! The gate's page in the person's browser. Its link is handed over as `review-gate link --open` does: by a file, never by
//! a command line.

use std::time::Duration;

use gate_api::Event;
use gate_api::subjects::connections::{self, MakeLink};
use gate_app::{Gate, Origin};
use gate_core::{Code, Fault};
use tokio::sync::broadcast::error::RecvError;

use crate::outside::outside;

/// How long a browser may take to read the file and to sign in, or to show the page where it is signed in already.
const OPENING: Duration = Duration::from_secs(30);

/// Opens the page with a link that signs the browser in as the person's. Gives back once the browser was started; the
/// file goes a moment later.
pub(crate) async fn open(gate: &Gate) -> Result<(), Fault> {
    let mut events = gate.events();
    let link = gate.execute(MakeLink {}, Origin::Desktop).await?;
    let page = gate.link_page(&link.url)?;
    outside(page.path().display().to_string()).await.map_err(|error| {
        let message = format!("No browser could be started: {error}.");
        Fault::new(Code::Internal, message, "Open the link that `review-gate link` prints by hand.")
    })?;
    tauri::async_runtime::spawn(async move {
        let signed_in = async {
            loop {
                match events.recv().await {
                    Ok(Event::Connections(connections::Event::BrowserSignedIn { .. })) | Err(RecvError::Closed) => {
                        break;
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                }
            }
        };
        // One that was signed in before doesn't do so again.
        let _ = tokio::time::timeout(OPENING, signed_in).await;
        drop(page);
    });
    Ok(())
}
