//! Which variables of the environment a gate gets that is started here, and which an app doesn't keep that was started
//! in another way. An agent's client gives its relays whatever its configuration says, and what the gate would do with
//! some of it is not an agent's to say.
//!
//! Taken away is what is listed. Everything else stays: a person's way to type (`GTK_IM_MODULE`, `XMODIFIERS`), how
//! large and in which colours they see it, their language, display and session, and what makes a window come up at all
//! on their graphics (`WEBKIT_DISABLE_…`).

use std::ffi::OsStr;

/// What makes a program run code of others, in itself or in those that it starts. A `*` stands for anything.
const LOADS_CODE: &[&str] = &[
    // The dynamic linker and the C library.
    "LD_*",
    "DYLD_*",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    // GTK, GLib and what they draw and play with.
    "GTK_MODULES",
    "GTK3_MODULES",
    "GTK_PATH",
    "GTK_EXE_PREFIX",
    "GTK_IM_MODULE_FILE",
    "GIO_*MODULE*",
    "GDK_PIXBUF_MODULE*",
    "GI_TYPELIB_PATH",
    "GST_PLUGIN*",
    "GST_REGISTRY*",
    "ALSA_PLUGIN_DIR",
    "ALSA_CONFIG_*",
    "PIPEWIRE_MODULE_DIR",
    "SPA_PLUGIN_DIR",
    // Graphics.
    "LIBGL_DRIVERS_PATH",
    "LIBVA_DRIVERS_PATH",
    "GBM_BACKENDS_PATH",
    "__EGL_VENDOR_LIBRARY_*",
    "VK_*",
    // WebKit.
    "WEBKIT_EXEC_PATH",
    "WEBKIT_INJECTED_BUNDLE_PATH",
    // What the gate starts: git, ssh, a shell, a program of the person's.
    "GIT_*",
    "SSH_ASKPASS*",
    "SSH_SK_PROVIDER",
    "OPENSSL_*",
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "SHELLOPTS",
    "PYTHON*",
    "PERL5*",
    "RUBYLIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "ELECTRON_RUN_AS_NODE",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
];

/// What lets others drive a window, or look into it.
const OPENS: &[&str] = &["TAURI_*", "WEBKIT_INSPECTOR_*", "WEBVIEW2_*", "GTK_DEBUG"];

/// What would have the gate ask another program than the system: whoever has that bus says in which session the person
/// sits, so whether a window is where they are.
const MISLEADS: &[&str] = &["DBUS_SYSTEM_BUS_ADDRESS"];

/// What would make the gate protect the person less.
const WEAKENS: &[&str] = &["REVIEW_GATE__SECURITY__*"];

/// Whether a gate that is started gets the variable of this name.
pub(super) fn stays(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ![LOADS_CODE, OPENS, MISLEADS, WEAKENS].into_iter().flatten().any(|pattern| fits(pattern, &name))
}

/// Where the sound of a test's own desktop is.
const SOUND: &str = "ALSA_CONFIG_PATH";

/// Whether an app that runs already has a variable of this name that it isn't to have. Those of guards it may: they only
/// make them safer. One that is `drivable`, for tests, keeps what opens its window, which bus is the system's, and where
/// its sound is.
pub(super) fn is_foreign(name: &OsStr, drivable: bool) -> bool {
    let name = name.to_string_lossy();
    let is_listed = |list: &[&str]| list.iter().any(|pattern| fits(pattern, &name));
    match drivable {
        true => is_listed(LOADS_CODE) && name != SOUND,
        false => [LOADS_CODE, OPENS, MISLEADS].into_iter().any(is_listed),
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|behind| rest.is_empty() || behind.char_indices().any(|(at, _)| fits(rest, &behind[at..]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stays, each with a reason to.
    const KEPT: &[(&str, &str)] = &[
        ("GTK_IM_MODULE", "typing Chinese"),
        ("QT_IM_MODULE", "typing Chinese"),
        ("XMODIFIERS", "typing Chinese"),
        ("IBUS_ADDRESS", "typing Chinese"),
        ("IBUS_ENABLE_SYNC_MODE", "typing Chinese"),
        ("GTK_THEME", "seeing it"),
        ("GDK_SCALE", "seeing it"),
        ("GDK_DPI_SCALE", "seeing it"),
        ("GDK_BACKEND", "a window at all"),
        ("GTK_A11Y", "hearing it"),
        ("WEBKIT_DISABLE_DMABUF_RENDERER", "a window that isn't white"),
        ("WEBKIT_DISABLE_COMPOSITING_MODE", "a window that isn't white"),
        ("LANG", "the person's language"),
        ("LANGUAGE", "the person's language"),
        ("LC_ALL", "the person's language"),
        ("DISPLAY", "a window at all"),
        ("WAYLAND_DISPLAY", "a window at all"),
        ("XAUTHORITY", "a window at all"),
        ("XDG_RUNTIME_DIR", "where the sockets are"),
        ("DBUS_SESSION_BUS_ADDRESS", "the tray and notifications"),
        ("SSH_AUTH_SOCK", "a repository of prompts"),
        ("HTTPS_PROXY", "a speech model's download"),
        ("PATH", "finding git"),
        ("HOME", "the person's folder"),
        ("REVIEW_GATE_LOG", "a debug log"),
        ("REVIEW_GATE__NETWORK__PORT", "a setting that guards nothing"),
        ("ENVIRONMENT", "its name only begins like one that goes"),
    ];

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, expected) in [
            ("ENV", "ENV", true),
            ("ENV", "ENVIRONMENT", false),
            ("LD_*", "LD_PRELOAD", true),
            ("LD_*", "LDFLAGS", false),
            ("GIO_*MODULE*", "GIO_EXTRA_MODULES", true),
            ("GIO_*MODULE*", "GIO_MODULE_DIR", true),
            ("GIO_*MODULE*", "GIO_USE_VFS", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        for (name, why) in KEPT {
            assert!(stays(OsStr::new(name)), "without {name} there is no {why}");
        }
    }

    #[test]
    fn an_app_that_a_person_starts_keeps_what_only_makes_it_safer() {
        let is_foreign = |name: &str, drivable| super::is_foreign(OsStr::new(name), drivable);
        for name in ["LD_PRELOAD", "GTK_MODULES", "GIO_EXTRA_MODULES", "WEBKIT_INJECTED_BUNDLE_PATH"] {
            assert!(is_foreign(name, false) && is_foreign(name, true), "{name} loads code");
        }
        for name in ["WEBKIT_INSPECTOR_SERVER", "WEBKIT_INSPECTOR_HTTP_SERVER", "TAURI_WEBVIEW_AUTOMATION"] {
            assert!(is_foreign(name, false), "{name} opens its window to others");
            assert!(!is_foreign(name, true), "as tests have it");
        }
        let bus = "DBUS_SYSTEM_BUS_ADDRESS";
        assert!(is_foreign(bus, false), "whoever made that bus would say where the person sits");
        assert!(!is_foreign(bus, true), "a test has the login sessions that it is about");
        assert!(is_foreign(SOUND, false) && !is_foreign(SOUND, true), "nor is it known what it hears");
        for (name, why) in KEPT.iter().chain([&("REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS", "safer guard")]) {
            assert!(!is_foreign(name, false), "without {name} there is no {why}");
        }
    }

    #[cfg(target_os = "linux")]
    mod started {
        use std::collections::BTreeSet;
        use std::path::PathBuf;
        use std::process::Command;

        use rustix::process::{Pid, Signal, kill_process};

        use super::super::super::StartCommand;
        use super::super::super::process::spawn;
        use super::*;
        use crate::home::Home;

        const FOLDER: &str = "GATE_LINK_TEST_ENVIRONMENT";

        /// The process that starts another as a relay starts the gate; nothing in an ordinary run.
        #[test]
        fn the_starter() -> Result<(), Box<dyn std::error::Error>> {
            let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return Ok(()) };
            let home = Home::at(&folder);
            home.create()?;
            let mut command = StartCommand::new("sleep", ["1000"]);
            command.envs.push(("GIT_OWN".into(), "said by the plan".into()));
            let started = spawn(&command, &home)?;
            Ok(std::fs::write(folder.join("pid"), started.id().to_string())?)
        }

        /// The names of the variables that a process is started with, where its starter had these.
        fn names_of_started(given: &[String]) -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
            let folder = tempfile::tempdir()?;
            let mut starter = Command::new(std::env::current_exe()?);
            starter.args(["--exact", "start::environment::tests::started::the_starter"]);
            starter.envs(given.iter().map(|name| (name, "said"))).env(FOLDER, folder.path());
            assert!(starter.output()?.status.success(), "it starts one");
            let pid: u32 = std::fs::read_to_string(folder.path().join("pid"))?.parse()?;
            let environment = std::fs::read(format!("/proc/{pid}/environ"));
            if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
                kill_process(pid, Signal::KILL)?;
            }
            let environment = String::from_utf8_lossy(&environment?).into_owned();
            let names = environment.split('\0').filter_map(|pair| pair.split_once('='));
            Ok(names.map(|(name, _)| name.to_owned()).collect())
        }

        #[test]
        fn a_started_gate_has_none_of_what_is_listed_and_all_else() -> Result<(), Box<dyn std::error::Error>> {
            let listed: Vec<String> = [LOADS_CODE, OPENS, MISLEADS, WEAKENS]
                .into_iter()
                .flatten()
                .map(|pattern| pattern.replace('*', "X"))
                // As they are really called.
                .chain(
                    [
                        "LD_PRELOAD",
                        "LD_LIBRARY_PATH",
                        "GIO_EXTRA_MODULES",
                        "GIO_MODULE_DIR",
                        "GDK_PIXBUF_MODULE_FILE",
                        "GST_PLUGIN_PATH_1_0",
                        "WEBKIT_INSPECTOR_SERVER",
                        "WEBKIT_INSPECTOR_HTTP_SERVER",
                        "TAURI_WEBVIEW_AUTOMATION",
                        "PYTHONPATH",
                        "GIT_SSH_COMMAND",
                        "DBUS_SYSTEM_BUS_ADDRESS",
                        "REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS",
                    ]
                    .map(str::to_owned),
                )
                .collect();
            let kept: Vec<String> = KEPT.iter().map(|(name, _)| (*name).to_owned()).collect();
            // `PATH` finds what is started, and `HOME` is a folder.
            let given: Vec<String> =
                listed.iter().chain(&kept).filter(|name| !["PATH", "HOME"].contains(&name.as_str())).cloned().collect();
            let found = names_of_started(&given)?;
            for name in &listed {
                assert!(!found.contains(name), "{name} reaches a gate that an agent's client starts");
            }
            for (name, why) in KEPT {
                assert!(found.contains(*name), "without {name} there is no {why}");
            }
            assert!(found.contains("GIT_OWN"), "what the plan itself says holds");
            Ok(())
        }
    }
}
