//! `review-gate` without a command: opens the desktop app.

use std::process::ExitCode;

use gate_api::subjects::program::{Raise, ReadStatus};
use gate_core::{Code, Fault};
use gate_link::Home;

use crate::client::Client;
use crate::{exit, output};

pub(crate) async fn run(home: &Home) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    let status = client.ask(ReadStatus {}).await?.status;
    if !status.window {
        return Err(Fault::new(
            Code::Internal,
            "The gate that runs has no window.",
            "Show it in a browser with `review-gate link`, answer here with `review-gate requests` and `review-gate \
             answer`, or stop it with `review-gate stop` and start the desktop app where there is a display.",
        ));
    }
    client.ask(Raise {}).await?;
    // Whether a person has started this, the gate finds out itself.
    output::line("The window comes up: at once where you have started this yourself, else once nobody types.");
    Ok(ExitCode::from(exit::DONE))
}
