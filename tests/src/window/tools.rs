//! The programs that drive a window.

use std::path::Path;

/// Each with Debian's package that brings it.
const PROGRAMS: &[(&str, &str)] = &[
    ("Xvfb", "xvfb"),
    ("dbus-daemon", "dbus"),
    ("openbox", "openbox"),
    ("xdotool", "xdotool"),
    ("xrandr", "x11-xserver-utils"),
    ("xclip", "xclip"),
    ("WebKitWebDriver", "webkit2gtk-driver"),
];

/// What to install to drive a window, if anything.
pub(super) fn missing() -> Option<String> {
    lacking(PROGRAMS)
}

/// What to install of these, each with Debian's package that brings it.
pub(crate) fn lacking(programs: &[(&str, &str)]) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there =
        |program: &str| std::env::split_paths(&path).any(|folder: std::path::PathBuf| is_file(&folder, program));
    let packages: Vec<_> =
        programs.iter().filter(|(program, _)| !is_there(program)).map(|(_, package)| *package).collect();
    (!packages.is_empty()).then(|| format!("the packages {} are missing", packages.join(" ")))
}

fn is_file(folder: &Path, program: &str) -> bool {
    folder.join(program).is_file()
}
