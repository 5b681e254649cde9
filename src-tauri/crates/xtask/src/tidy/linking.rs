//! The command line program starts in milliseconds and runs where no desktop is installed: it
//! links neither GTK, WebKit nor a sound system. All programs belong to one package, so only the result
//! tells.

use std::process::Command;

use super::Violation;
use crate::process::{output, which};
use crate::workspace::Workspace;

/// How the libraries of a desktop begin, and those of the speech engine's program.
const DESKTOP: &[&str] = &[
    "libgtk",
    "libgdk",
    "libwebkit",
    "libjavascriptcore",
    "libsoup",
    "libayatana",
    "libX11",
    "libasound",
    "libstdc++",
];

/// What runs without a desktop.
const PROGRAMS: [&str; 2] = ["review-gate", "review-gate-relay"];

/// Nothing to check where the program isn't built, or `ldd` can't tell.
pub(super) fn check(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    let programs = ["debug", "release"].into_iter().flat_map(|profile| PROGRAMS.map(|name| (profile, name)));
    for (profile, name) in programs {
        let program = workspace.binary(profile, name);
        if !cfg!(target_os = "linux") || !program.is_file() || which("ldd").is_none() {
            continue;
        }
        // ldd fails for a program that links nothing at run time.
        let libraries = output(Command::new("ldd").arg(&program)).unwrap_or_default();
        violations.extend(desktop(&libraries).map(|library| Violation {
            path: format!("target/{profile}/{name}"),
            line: None,
            rule: format!("links {library}; the command line has to run where no desktop is installed"),
        }));
    }
    violations
}

/// The desktop's libraries in what `ldd` prints.
fn desktop(libraries: &str) -> impl Iterator<Item = &str> {
    let names = libraries.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| DESKTOP.iter().any(|library| name.starts_with(library)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gtk_is_found_among_the_libraries() {
        let printed = "\tlinux-vdso.so.1 (0x00)\n\tlibgtk-3.so.0 => /usr/lib/libgtk-3.so.0 (0x00)\n\tlibasound.so.2 => /usr/lib/libasound.so.2 (0x00)\n\tlibc.so.6 => /usr/lib/libc.so.6 (0x00)\n";
        assert_eq!(
            desktop(printed).collect::<Vec<_>>(),
            ["libgtk-3.so.0", "libasound.so.2"],
            "two belong to a desktop"
        );
    }
}
