//! The programs of a home with a window, of which the desktop app asks a bus of the test's who is logged in, and opens
//! WebKit's inspector where a test drives it. It has to be told where by whatever is started as the app: a relay hands no
//! such variable on.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::bin;

const COMMAND_LINE: &str = "review-gate";
const APP: &str = "review-gate-desktop";
const RELAY: &str = "review-gate-relay";
const VOICE: &str = "review-gate-voice";

/// A folder with the programs. It goes away with its last clone.
#[derive(Debug, Clone)]
pub(crate) struct Programs(Arc<TempDir>);

impl Programs {
    /// With an app that is given these variables, and for which this is the system's bus.
    pub(crate) fn with(app_env: &[(String, String)], system_bus: &str) -> Result<Self> {
        let (command_line, app) = (bin(COMMAND_LINE)?, bin(APP)?);
        let built = command_line.parent().context("a program is in a folder")?;
        // Beside them: a file has its names within one file system.
        let folder = tempfile::Builder::new().prefix("window-").tempdir_in(built).context("no folder for programs")?;
        for name in [COMMAND_LINE, RELAY, VOICE] {
            std::fs::hard_link(bin(name)?, folder.path().join(name))?;
        }
        let variables: String = app_env.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
        let variables = format!("{variables}DBUS_SYSTEM_BUS_ADDRESS='{system_bus}'");
        let script = format!("#!/bin/sh\n{variables} exec '{}' \"$@\"\n", app.display());
        let file = folder.path().join(APP);
        std::fs::write(&file, script)?;
        std::fs::set_permissions(&file, Permissions::from_mode(0o755))?;
        Ok(Self(Arc::new(folder)))
    }

    /// The command line.
    pub(crate) fn command_line(&self) -> PathBuf {
        self.path().join(COMMAND_LINE)
    }

    /// What starts the app.
    pub(crate) fn app(&self) -> PathBuf {
        self.path().join(APP)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}
