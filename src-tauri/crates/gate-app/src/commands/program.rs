//! The gate itself: what a window starts with, how the gate is, and ending it.

use gate_api::commands::program::{Handler, Raise, ReadStatus, Snapshot, Status, StatusReport, Stop, TakeSnapshot};
use gate_api::{Done, Origin};
use gate_core::Fault;

use crate::gate::Gate;

impl Handler for Gate {
    async fn snapshot(&self, _: TakeSnapshot, _: Origin) -> Result<Snapshot, Fault> {
        Ok(Snapshot {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            requests: self.inner.board.all(),
            sessions: self.inner.sessions.all(),
            presence: self.presence(),
            settings: self.settings().window_settings(),
            warnings: self.warnings(),
            command_path: self.inner.command_path.clone(),
        })
    }

    async fn status(&self, _: ReadStatus, _: Origin) -> Result<Status, Fault> {
        let status = StatusReport {
            running: true,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pending: self.pending(),
            home: self.inner.home.clone(),
            window: self.inner.window,
            away: self.is_away(),
            quiet: self.presence().quiet,
            http: self.inner.http.clone(),
        };
        Ok(Status { status })
    }

    async fn raise(&self, _: Raise, _: Origin) -> Result<Done, Fault> {
        self.raise(None);
        Ok(Done {})
    }

    async fn stop(&self, _: Stop, _: Origin) -> Result<Done, Fault> {
        self.stop();
        Ok(Done {})
    }
}
