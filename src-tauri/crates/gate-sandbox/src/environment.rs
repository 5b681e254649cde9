//! Which variables of the environment an agent has in its sandbox. Taken away is what leads out of it: to displays, buses,
//! agents for keys, terminals and editors that can be told to run something, and to the gate's home. What an agent needs
//! to reach its model stays.

use std::ffi::{OsStr, OsString};

/// What is taken away. A `*` at the end stands for anything.
const LEADS_OUT: &[&str] = &[
    // Displays and what is heard and seen on them.
    "DISPLAY",
    "WAYLAND_*",
    "XAUTHORITY",
    "ICEAUTHORITY",
    "SESSION_MANAGER",
    "PULSE_*",
    "PIPEWIRE_*",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_*",
    "XDG_SEAT*",
    "XDG_VTNR",
    "GTK_MODULES",
    // Buses.
    "DBUS_*",
    "AT_SPI_*",
    "GNOME_KEYRING_*",
    "IBUS_*",
    // Keys.
    "SSH_AUTH_SOCK",
    "SSH_AGENT_*",
    "SSH_ASKPASS*",
    "SUDO_ASKPASS",
    "GIT_ASKPASS",
    "GPG_*",
    // Terminals and editors that take commands.
    "TMUX*",
    "STY",
    "KITTY_*",
    "WEZTERM_*",
    "ALACRITTY_*",
    "ZELLIJ*",
    "VSCODE_*",
    "NVIM*",
    "WINDOWID",
    // Others that would do the agent's bidding outside.
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "SYSTEMD_*",
    "NOTIFY_SOCKET",
    "LISTEN_*",
    // Folders that are others inside.
    "TMPDIR",
    "TMP",
    "TEMP",
    "OLDPWD",
    // The gate.
    "REVIEW_GATE_*",
    "LD_PRELOAD",
    "LD_AUDIT",
];

/// The variables of these that stay.
pub(crate) fn inside(all: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    all.into_iter().filter(|(name, _)| stays(name)).collect()
}

fn stays(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !LEADS_OUT.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => name == *pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_out_is_taken_away_and_what_reaches_a_model_stays() {
        for name in
            ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "SSH_AUTH_SOCK", "TMUX_PANE"]
        {
            assert!(!stays(OsStr::new(name)), "{name} leads out of the sandbox");
        }
        for name in ["ANTHROPIC_API_KEY", "HTTPS_PROXY", "PATH", "HOME", "TERM", "LANG", "LD_LIBRARY_PATH"] {
            assert!(stays(OsStr::new(name)), "an agent needs {name}");
        }
    }
}
