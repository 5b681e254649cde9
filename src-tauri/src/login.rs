//! Starting at login: an entry in the system's own list of what starts then, where the person can also
//! see and remove it. The list is the truth; the setting only says what it is to be.

use std::sync::atomic::{AtomicBool, Ordering};

use gate_core::{Code, Fault};
use tauri::{AppHandle, Manager as _};

/// Whether the app starts at login, as far as it has been looked at.
#[derive(Debug, Default)]
pub(crate) struct AtLogin(AtomicBool);

/// Whether the app starts at login.
pub(crate) fn is_on(app: &AppHandle) -> bool {
    app.state::<AtLogin>().0.load(Ordering::Relaxed)
}

/// Makes the app start at login, hidden, or not.
pub(crate) fn set(app: &AppHandle, on: bool) -> Result<(), Fault> {
    system::set(app, on).map_err(|error| {
        Fault::new(
            Code::Internal,
            format!("What starts at login can't be changed: {error}."),
            "Change it in the system's settings; the program to start is `review-gate-desktop --hidden`.",
        )
    })?;
    app.state::<AtLogin>().0.store(on, Ordering::Relaxed);
    Ok(())
}

/// Looks at the list, and brings it to what the setting says.
pub(crate) fn follow(app: &AppHandle, setting: Option<bool>) -> Result<(), Fault> {
    let is_on = system::is_on(app).unwrap_or_else(|error| {
        tracing::warn!(error, "what starts at login can't be read");
        false
    });
    app.state::<AtLogin>().0.store(is_on, Ordering::Relaxed);
    match setting {
        Some(on) if on != is_on => set(app, on),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! freedesktop.org's Autostart specification: a desktop entry in `autostart/`. The official plugin
    //! doesn't look at `XDG_CONFIG_HOME` and breaks on paths with spaces.

    use std::io::ErrorKind;
    use std::path::{Path, PathBuf};

    use tauri::{AppHandle, Manager as _};

    const FILE: &str = "autostart/review-gate.desktop";
    /// The variable that a gate in a folder of its own needs at login too.
    const HOME: &str = "REVIEW_GATE_HOME";

    pub(super) fn is_on(app: &AppHandle) -> Result<bool, String> {
        match std::fs::read_to_string(file(app)?) {
            Ok(entry) => Ok(starts(&entry)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn set(app: &AppHandle, on: bool) -> Result<(), String> {
        let file = file(app)?;
        let done = if on {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let entry = entry(&program, std::env::var(HOME).ok().as_deref());
            file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&file, entry))
        } else {
            std::fs::remove_file(&file)
        };
        match done {
            Err(error) if on || error.kind() != ErrorKind::NotFound => Err(format!("{}: {error}", file.display())),
            _ => Ok(()),
        }
    }

    fn file(app: &AppHandle) -> Result<PathBuf, String> {
        Ok(app.path().config_dir().map_err(|error| error.to_string())?.join(FILE))
    }

    fn entry(program: &Path, home: Option<&str>) -> String {
        let home = home.map(|home| format!("env {} ", quoted(&format!("{HOME}={home}")))).unwrap_or_default();
        let program = quoted(&program.display().to_string());
        format!(
            "[Desktop Entry]\nType=Application\nName=Review Gate\nExec={home}{program} --hidden\nIcon=review-gate\nTerminal=false\n"
        )
    }

    /// An argument of `Exec` (Desktop Entry specification, "The Exec key"): quoted, and written in a
    /// value, where a backslash is two.
    fn quoted(argument: &str) -> String {
        let mut text = String::from('"');
        for letter in argument.chars() {
            match letter {
                '"' | '`' | '$' => text.extend(['\\', '\\', letter]),
                '\\' => text.push_str("\\\\\\\\"),
                '%' => text.push_str("%%"),
                letter => text.push(letter),
            }
        }
        text + "\""
    }

    /// Whether an entry starts anything: the system's settings switch one off without removing it.
    fn starts(entry: &str) -> bool {
        let says = |line: &str| entry.lines().any(|found| found.replace(' ', "") == line);
        !says("Hidden=true") && !says("X-GNOME-Autostart-enabled=false")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_entry_names_the_program_whatever_its_path_holds() {
            let made = entry(Path::new("/opt/My \"Gate\"/100%/$x"), None);
            let expected = "Exec=\"/opt/My \\\\\"Gate\\\\\"/100%%/\\\\$x\" --hidden";
            assert_eq!(made.lines().find(|line| line.starts_with("Exec")), Some(expected));
            let portable = entry(Path::new("/a"), Some("/my home"));
            let expected = "Exec=env \"REVIEW_GATE_HOME=/my home\" \"/a\" --hidden";
            assert_eq!(portable.lines().find(|line| line.starts_with("Exec")), Some(expected));
        }

        #[test]
        fn an_entry_that_was_switched_off_starts_nothing() {
            let made = entry(Path::new("/a"), None);
            assert!(starts(&made), "as it is written");
            for line in ["Hidden=true", "X-GNOME-Autostart-enabled = false"] {
                assert!(!starts(&format!("{made}{line}\n")), "{line}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use tauri::AppHandle;
    use tauri_plugin_autostart::ManagerExt as _;

    pub(super) fn is_on(app: &AppHandle) -> Result<bool, String> {
        app.autolaunch().is_enabled().map_err(|error| error.to_string())
    }

    pub(super) fn set(app: &AppHandle, on: bool) -> Result<(), String> {
        let list = app.autolaunch();
        if on { list.enable() } else { list.disable() }.map_err(|error| error.to_string())
    }
}
