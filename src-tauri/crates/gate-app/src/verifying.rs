//! Whether something was approved, as it is asked on the relays' socket: by `review-gate verify` in a sandbox, where there is
//! no log of receipts. A question and its answer are a line of JSON each, one after the other. Whoever asks hears of what was
//! asked about in the folder that it works in, by the kernel's word, and no more than yes or no.

use gate_api::{Approved, AskApproved};
use gate_core::{Code, Fault, bounds};
use gate_link::{LineReader, Read};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use crate::slices::Gate;

/// Answers until the connection ends. `folder` is where whoever asks works.
pub(crate) async fn serve<R, W>(gate: Gate, folder: Option<String>, read: R, mut write: W, stop: CancellationToken)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut lines = LineReader::new(read, bounds::LINE_BYTES);
    loop {
        let next = tokio::select! {
            next = lines.next() => next,
            () = stop.cancelled() => return,
        };
        let answer = match next {
            Ok(Read::Line(line)) => match serde_json::from_slice::<AskApproved>(&line) {
                Ok(asked) => answer(&gate, asked, folder.as_deref()).await,
                Err(error) => Approved::Fault(unreadable(&error.to_string())),
            },
            Ok(Read::TooLong { .. }) => Approved::Fault(unreadable("it is too long")),
            Ok(Read::Rest(_) | Read::End) | Err(_) => return,
        };
        let Ok(line) = serde_json::to_string(&answer) else { return };
        if write.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn answer(gate: &Gate, asked: AskApproved, folder: Option<&str>) -> Approved {
    let Some(folder) = folder else {
        return Approved::Fault(Fault::new(
            Code::Repository,
            "The system doesn't say in which folder this program works, as in a container or over a forwarded socket.",
            "Run it outside, where the log of receipts is.",
        ));
    };
    gate.inner.requests.approved(asked, folder).await.unwrap_or_else(Approved::Fault)
}

fn unreadable(why: &str) -> Fault {
    Fault::of_versions(format!("The question can't be read: {why}."))
}
