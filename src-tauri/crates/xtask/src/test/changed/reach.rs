//! How far a change reaches: the tables that `changed.rs` decides by.
//!
//! The end-to-end tests start the real programs, and every crate is in one of these, so no tool can tell which of them a
//! change may break. What is declared here is who looks at what a crate does. Who merely passes through it isn't named:
//! all the tests run in `.ci/run`, and in `cargo xtask test` without `--changed`.

/// Which subjects of the end-to-end tests (`tests/tests/e2e/*.rs`) look at something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndToEnd {
    /// All of them.
    All,
    /// Those with these names. One that ends with `*` begins so; `subject::beginning` is some tests of a subject.
    Of(&'static [&'static str]),
}

use EndToEnd::{All, Of};

/// Each crate of the workspace. Every request goes through the first seven.
pub(super) const CRATES: &[(&str, EndToEnd)] = &[
    ("gate-core", All),
    ("gate-api", All),
    ("gate-app", All),
    ("gate-cli", All),
    ("gate-link", All),
    ("gate-mcp", All),
    ("gate-os", All),
    ("gate-clients", Of(CLIENTS)),
    ("gate-doctor", Of(&["doctor*", "browser_settings", "cli", "clients_install", "http", "window_settings"])),
    ("gate-door", Of(DOOR)),
    (
        "gate-git",
        Of(&[
            "broker",
            "browser_prompts",
            "days",
            "levels",
            "prompts",
            "real_agents_reviews",
            "repository",
            "reviews_cli",
            "system",
            "verify",
        ]),
    ),
    ("gate-prompts", Of(PROMPTS)),
    ("gate-receipts", Of(RECEIPTS)),
    ("gate-sandbox", Of(&["real_agents_sandbox", "run*", "verify"])),
    ("gate-service", Of(&["days", "doctor*", "levels", "receipts", "system", "verify"])),
    ("gate-settings", Of(SETTINGS)),
    ("gate-speech", Of(SPEECH)),
    ("gate-store", Of(STORE)),
    ("gate-texts", Of(TEXTS)),
    ("gate-voice", Of(SPEECH)),
    ("gate-worker", Of(&["real_agents_worker"])),
    // Nothing of the programs calls it yet: its own tests look at it.
    ("gate-forge", Of(&[])),
    ("review-gate", Of(SHELL)),
    ("gate-tests", All),
    // These drive, face and measure the product, and none of its programs has them.
    ("gate-bench", Of(&[])),
    ("gate-platforms", Of(&[])),
    ("xtask", Of(&[])),
];

/// What agents' clients are told of the gate, and what they do then.
const CLIENTS: &[&str] = &[
    "browser_settings",
    "clients_install",
    "doctor*",
    "perm*",
    "real_agents",
    "real_agents_permissions",
    "real_agents_reviews",
    "real_agents_sandbox",
    "real_agents_waiting::as_installed_",
    "run",
    "run_ways",
    "window_settings",
];

/// MCP over HTTP, and the page of a browser that is signed in.
const DOOR: &[&str] = &[
    "broker",
    "browser*",
    "days",
    "http*",
    "logs",
    "owners",
    "presence",
    "prompts",
    "receipts",
    "record_clients",
    "record_tools",
    "repository",
    "schema",
    "settings",
    "sockets",
    "tasks",
    "ways_clients",
    "ways_network",
    "workflow",
];

/// Prompts where they are listed, written, fetched and called.
const PROMPTS: &[&str] = &[
    "browser_prompts",
    "doctor",
    "logs",
    "prompts",
    "protocol",
    "real_agents",
    "record_resources",
    "schema",
    "ways_clients",
    "window_prompts",
];

/// What a receipt is written for, and what is read back of it.
const RECEIPTS: &[&str] = &[
    "broker",
    "browser_keys",
    "chat",
    "doctor_record",
    "http_kills",
    "kills",
    "levels",
    "presence",
    "receipts",
    "record_cli",
    "record_kills",
    "record_receipts",
    "repository",
    "reviews_cli",
    "run_ways",
    "system",
    "trust",
    "verify",
    "ways_answering",
    "ways_network",
    "window_clients",
    "window_drafts",
];

/// Settings that are seen, changed, guarded, or wrong.
const SETTINGS: &[&str] = &[
    "bad_input",
    "broker",
    "browser_settings",
    "cli",
    "clients_install",
    "doctor",
    "http",
    "levels",
    "prompts",
    "receipts",
    "repository",
    "run",
    "run_project",
    "settings",
    "start",
    "trust",
    "waiting",
    "ways_answering",
    "window_desktop",
    "window_person",
    "window_settings",
];

/// What is spoken, and the program that hears it.
const SPEECH: &[&str] = &["doctor_desktop", "harness", "voice", "window_voice"];

/// What is stored, found again, and survives.
const STORE: &[&str] = &[
    "bad_input",
    "broker",
    "browser_trials",
    "chat",
    "doctor_record",
    "http_kills",
    "kills",
    "logs",
    "many",
    "owners",
    "presence",
    "prompts",
    "receipts",
    "record_*",
    "remarks",
    "reviews_cli",
    "run_ways",
    "start",
    "tasks",
    "waiting",
    "ways_network",
    "window_drafts",
    "window_queue",
    "window_record",
    "workflow",
];

/// Words at a terminal, on the pages before a sign-in, in the tray and in notifications.
const TEXTS: &[&str] = &[
    "bad_input",
    "browser_door",
    "browser_settings",
    "cli",
    "clients_install",
    "doctor*",
    "levels",
    "perm*",
    "prompts",
    "record_cli",
    "remarks",
    "repository",
    "run",
    "settings",
    "system",
    "tasks",
    "trust",
    "verify",
    "window_desktop",
    "window_look",
    "window_person",
    "window_settings",
];

/// The windows, the tray and whatever else the desktop app puts on a screen.
const SHELL: &[&str] = &["days", "doctor_desktop", "start", "ways_answering::a_desktop_", "window_*"];

/// What shows the built UI: windows, and pages in a browser.
pub(super) const UI: &[&str] =
    &["browser*", "days", "doctor_desktop", "http_page", "ways_answering::a_desktop_", "window_*"];

/// Folders of `ui/` from which nothing comes into windows and pages.
pub(super) const NOT_IN_WINDOWS: &[&str] = &["ui/tests/", "ui/tests-browser/", "ui/src/dev/"];

/// What the conformance suite looks at: the step is taken where one of these runs, and after a change to xtask.
pub(super) const CONFORMANCE: &str = "protocol";

/// A subject's file that others use, and these others.
pub(super) const SHARED: &[(&str, &[&str])] = &[
    ("clients_install", &["wine"]),
    ("kills", &["wine"]),
    ("levels", &["verify"]),
    ("real_agents", &["real_agents_waiting"]),
    ("real_agents_offers", &["real_agents"]),
    ("real_agents_permissions", &["real_agents_acp"]),
    ("receipts", &["broker", "record_receipts"]),
    ("run", &["run_project", "run_terminal"]),
    ("voice", &["wine"]),
];

/// Pages below `docs/` that tests read, with the crate whose own tests do, and the subject that does.
pub(super) const PAGES: &[(&str, Option<&str>, Option<&str>)] = &[
    ("agents.md", Some("gate-app"), Some("real_agents")),
    ("headless.md", None, Some("days::service")),
    ("prompts.md", Some("gate-prompts"), None),
];

/// The page below `docs/` that the UI's tests read.
pub(super) const UI_READS: &str = "settings.md";

/// Tests of the UI, below `ui/`, that read Rust's sources: what remains of `ui test` when the UI itself is as it was.
pub(super) const READ_RUST: &[&str] = &["tests/catalogues.test.ts", "tests/pages.test.ts"];

/// Files that no test reads: the steps that are always taken look at them, or nothing does.
pub(super) const NO_TEST_READS: &[&str] = &[
    ".ci/",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "rustfmt.toml",
    "tests/tests/e2e/main.rs",
];

/// Folders of crates, but for those in `src-tauri/crates`. A file of a crate that isn't in one of them, as
/// `src-tauri/build.rs`, calls for everything.
const FOLDERS: &[(&str, &str)] = &[
    (".sqlx/", "gate-store"),
    ("src-tauri/linux/", "gate-service"),
    ("src-tauri/src/", "review-gate"),
    ("tests/bench/", "gate-bench"),
    ("tests/platforms/", "gate-platforms"),
    ("tests/src/", "gate-tests"),
];

/// The crate that the file is a part of, wherever one is changed with it.
pub(super) fn crate_of(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("src-tauri/crates/") {
        return rest.split('/').next();
    }
    FOLDERS.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, name)| *name)
}

/// The crate of which the file is only in the tests from outside: no program has it.
pub(super) fn tests_of(path: &str) -> Option<&str> {
    let (name, inside) = path.strip_prefix("src-tauri/crates/")?.split_once('/')?;
    inside.starts_with("tests/").then_some(name)
}

/// Whether a name in a row means this subject, or some of its tests.
pub(super) fn names(name: &str, subject: &str) -> bool {
    match name.strip_suffix('*') {
        Some(beginning) => subject.starts_with(beginning),
        None => name.split("::").next() == Some(subject),
    }
}
