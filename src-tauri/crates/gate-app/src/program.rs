//! The gate itself: what a window starts with, how the gate is, and ending it.

use gate_api::subjects::program::{
    Event, Handler, Raise, ReadStatus, ReceiptsState, ShownAt, Snapshot, Status, StatusReport, Stop, TakeSnapshot,
};
use gate_api::{Done, Origin};
use gate_core::{Fault, Seat};
use gate_receipts::Reason;

use crate::slices::Gate;

impl Handler for Gate {
    async fn snapshot(&self, _: TakeSnapshot, _: Origin) -> Result<Snapshot, Fault> {
        Ok(Snapshot {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            requests: self.inner.queue.board.all(),
            sessions: self.inner.conversations.sessions.all(),
            presence: self.inner.person.presence(),
            settings: self.settings().window_settings(),
            warnings: self.inner.bus.warnings(),
            command_path: self.inner.host.command_path.clone(),
        })
    }

    async fn status(&self, _: ReadStatus, _: Origin) -> Result<Status, Fault> {
        let status = StatusReport {
            running: true,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pending: self.pending(),
            home: self.inner.host.home.data_folder().display().to_string(),
            window: self.inner.host.window,
            away: self.inner.person.is_away(),
            quiet: self.inner.person.presence().quiet,
            http: self.inner.host.http.clone(),
            weak: self.weak(),
            browsers: self.inner.connections.browsers().len(),
            receipts: self.receipts_state().await,
            shown: self.inner.host.seat.as_ref().map(shown_at),
        };
        Ok(Status { status })
    }

    async fn raise(&self, _: Raise, origin: Origin) -> Result<Done, Fault> {
        self.inner.bus.emit(match origin {
            // As far as can be seen: what is typed then isn't taken for it.
            Origin::Desktop | Origin::Terminal => Event::Raise { request_id: None, by_person: false },
            Origin::Browser | Origin::Script => Event::RaiseAsked { starts: false },
        });
        Ok(Done {})
    }

    async fn stop(&self, _: Stop, origin: Origin) -> Result<Done, Fault> {
        self.may_stop(origin)?;
        self.stop();
        Ok(Done {})
    }
}

fn shown_at(seat: &Seat) -> ShownAt {
    match seat {
        Seat::Own(seat) => ShownAt::Seat(seat.clone()),
        Seat::Elsewhere(display) => ShownAt::Elsewhere(display.clone()),
        Seat::Unknown(display) => ShownAt::Unseated(display.clone()),
    }
}

impl Gate {
    /// The app is started once more, by a person or by a program.
    pub(crate) fn start_again(&self) -> Done {
        self.inner.bus.emit(Event::RaiseAsked { starts: true });
        Done {}
    }

    /// How the receipts are; absent where they can't be read.
    async fn receipts_state(&self) -> Option<ReceiptsState> {
        let report = match self.inner.receipts.report().await {
            Ok(report) => report,
            Err(fault) => {
                tracing::warn!(%fault, "the receipts can't be read");
                return None;
            }
        };
        let breaks = report.breaks.iter().filter(|said| said.reason != Reason::Upgrade).count();
        Some(ReceiptsState { lines: report.lines, breaks, lost: report.lost.len() })
    }
}
