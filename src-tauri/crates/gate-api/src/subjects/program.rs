//! The gate itself: what a window starts with, how the gate is, and ending it.

use gate_core::{Fault, Presence, RequestId};
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::requests::RequestSummary;
use crate::sessions::SessionSummary;
use crate::{commands, events};

commands! {
    /// Everything a window needs when it starts.
    snapshot: TakeSnapshot {} -> Snapshot, by Anyone, Look;

    /// Whether all is well.
    status: ReadStatus {} -> Status, by Anyone, Look, ts(skip);

    /// Brings the window to the front where there is one: at once where somebody is seen to start the app or `review-gate`
    /// themselves (Linux), else once nobody types or clicks; for another program once a minute at most.
    raise: Raise {} -> Done, by Anyone, Look, ts(skip);

    /// Stops the gate gently, after the answer; a script only while no reply could still be taken back.
    stop: Stop {} -> Done, by Local, Look, ts(skip);
}

events! {
    /// The person should know of this: a backup failed, the record was damaged.
    Warning {
        /// What it is.
        fault: Fault,
    }, InWindows;

    /// Events were lost: the whole queue has to be looked at again.
    Resync, AtAGlance;

    /// The person should see this request now.
    Raise {
        /// Which one; absent for whichever comes first.
        request_id: Option<RequestId>,
        /// Whether the person did that by hotkey, tray, notification or another window: what they type then is meant
        /// for it.
        by_person: bool,
    }, InWindows;

    /// The window is asked for, and nobody is seen to do it. Whether it comes up is the shell's to find out; if it does,
    /// `raise` follows.
    RaiseAsked {
        /// Whether the app or `review-gate` was started, with no agent above it that can be seen.
        starts: bool,
    }, InWindows;
}

/// Everything a window needs when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snapshot {
    /// The program's version.
    pub version: String,
    /// Pending requests, urgent first, then oldest first, put off ones last.
    pub requests: Vec<RequestSummary>,
    /// Sessions in memory, active ones first, then the latest heard.
    pub sessions: Vec<SessionSummary>,
    /// How the person is there.
    pub presence: Presence,
    /// Settings that the window follows.
    pub settings: WindowSettings,
    /// Faults in the settings file that the person should know of.
    pub warnings: Vec<Fault>,
    /// The path of the command line program, for the snippet that connects an agent.
    pub command_path: String,
}

/// Settings that the window follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WindowSettings {
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Size of running text in pixels, 11 to 24.
    pub font_size: u8,
    /// Whether the window stays above others.
    pub always_on_top: bool,
    /// `system`, or the tag of a language that there is a folder of texts for, e.g. `zh-CN`.
    pub language: String,
    /// For how many seconds a reply sent from a window can be taken back, 0 to 30; 0 for not at all.
    pub undo_seconds: u8,
    /// Whether a request that comes in sounds.
    pub sounds: bool,
    /// Whether the desktop is told of a request that comes in.
    pub notifications: bool,
    /// Whether nothing moves, whatever the desktop says.
    pub reduced_motion: bool,
    /// Whether the end of what is spoken may be a command: send, approve, new line.
    pub voice_commands: bool,
    /// Whether nothing can be approved before all of it was on the screen.
    pub require_seen: bool,
}

/// How the gate is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The report.
    pub status: StatusReport,
}

/// How the gate is; what `review-gate status --json` prints. Doctor reads it of gates of other versions, too: what
/// one doesn't say is taken for its default, but for what waits in it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatusReport {
    /// Always true: a gate that doesn't run can't say so.
    #[serde(default)]
    pub running: bool,
    /// Its process.
    #[serde(default)]
    pub pid: u32,
    /// The program's version.
    #[serde(default)]
    pub version: String,
    /// Number of pending requests.
    pub pending: usize,
    /// Its home folder.
    #[serde(default)]
    pub home: String,
    /// Whether it has a window.
    #[serde(default)]
    pub window: bool,
    /// Whether the person is away: agents are told so and come back later.
    #[serde(default)]
    pub away: bool,
    /// Whether do-not-disturb or the quiet hours hold: only urgent requests come up.
    #[serde(default)]
    pub quiet: bool,
    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    #[serde(default)]
    pub http: Option<String>,
    /// What lets others answer for the person more easily than a gate does by itself: flags of `serve`, and guards
    /// that the person has made weaker.
    #[serde(default)]
    pub weak: Vec<String>,
    /// How many browsers are signed in to its page.
    #[serde(default)]
    pub browsers: usize,
    /// How the receipts are; absent where they can't be read, and from a gate that keeps none.
    #[serde(default)]
    pub receipts: Option<ReceiptsState>,
    /// Where its window is shown; absent without one, and where that can't be told.
    #[serde(default)]
    pub shown: Option<ShownAt>,
}

/// Where a window is shown, by what the system tells of login sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownAt {
    /// At this seat, in the session that the person has before them.
    Seat(String),
    /// On this display, while they have another one before them: what is given in it is recorded, and no more (L0).
    Elsewhere(String),
    /// On this display; nobody is logged in at a seat, as over VNC, in WSL, in a container.
    Unseated(String),
}

/// How the log of receipts is, all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceiptsState {
    /// Its lines, with those of logs that were set aside.
    pub lines: u64,
    /// How often the chain was broken and begun anew.
    pub breaks: usize,
    /// Logs that were set aside and aren't there any more as they were.
    pub lost: usize,
}
