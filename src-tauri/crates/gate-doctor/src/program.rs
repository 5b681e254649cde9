//! The programs: whether a terminal finds this one, whether the desktop app is there and can run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_api::Finding;

use crate::environment::{Environment, is_executable};
use crate::finding::{DESKTOP, Mending as _, PROGRAM, WEBKIT};
use crate::run::{Said, said};
use crate::{shell, words};

const NAME: &str = "review-gate";
const DESKTOP_NAME: &str = "review-gate-desktop";
/// How long a program may take to say its version.
const LIMIT: Duration = Duration::from_secs(5);
/// How a loader begins to say that a library is missing: glibc's and musl's.
const MISSING: [&str; 2] = ["error while loading shared libraries: ", "Error loading shared library "];

/// How each distribution's package manager is asked for WebKitGTK, found by its program.
const WEBKIT_PACKAGES: [(&str, &str); 5] = [
    ("apt-get", "sudo apt-get install libwebkit2gtk-4.1-0"),
    ("dnf", "sudo dnf install webkit2gtk4.1"),
    ("pacman", "sudo pacman -S webkit2gtk-4.1"),
    ("zypper", "sudo zypper install libwebkit2gtk-4_1-0"),
    ("apk", "sudo apk add webkit2gtk-4.1"),
];

pub(crate) async fn check(environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![on_path(environment).await];
    findings.extend(desktop(environment).await);
    findings
}

async fn on_path(environment: &Environment) -> Finding {
    let ours = real(&environment.program);
    let folder = environment.user_folder();
    let Some(found) = environment.on_path(NAME) else {
        if cfg!(windows) {
            let own = ours.parent().unwrap_or(&ours);
            return PROGRAM.warning(words::program_missing(), words::mend_path_there(own));
        }
        let (sudo, place) = link_place(environment);
        let command = format!("{sudo}ln -s {} {place}", shell::word(&ours, folder));
        return PROGRAM.warning(words::program_missing(), words::mend_link()).command(command);
    };
    if real(&found) == ours {
        return PROGRAM.good(words::version(found.as_path(), environment.version));
    }
    let relink = format!("ln -sf {} {}", shell::word(&ours, folder), shell::word(&found, folder));
    let shown = found.as_path();
    match said(&found, &["--version"], LIMIT).await {
        Ok(Some(Said { code: Some(0), output, .. })) => {
            let theirs = version_of(&output, NAME);
            match theirs {
                Some(version) if version == environment.version => {
                    PROGRAM.note(words::program_same_version(shown, ours.as_path()))
                }
                Some(version) => {
                    let theirs = environment.privacy().foreign(version, []);
                    let cause = words::program_other_version(shown, theirs, ours.as_path(), environment.version);
                    PROGRAM.warning(cause, words::mend_path()).command(relink)
                }
                None => PROGRAM.warning(words::program_another(shown), words::mend_path()).command(relink),
            }
        }
        Ok(Some(Said { code, errors, .. })) => {
            let errors = environment.privacy().foreign(&errors, []);
            let cause = words::program_ends(shown, code.map(|code| code.to_string()), errors);
            PROGRAM.fault(cause, words::mend_path()).command(relink)
        }
        Ok(None) => PROGRAM.fault(words::program_silent(shown, LIMIT.as_secs()), words::mend_path()).command(relink),
        Err(error) => {
            let cause = words::program_cant_start(shown, error.to_string());
            PROGRAM.fault(cause, words::mend_path()).command(relink)
        }
    }
}

/// Where a program really lies that is this one, the one beside it or the one that a terminal finds; absent for any other,
/// whatever its name is.
pub(crate) fn ours(environment: &Environment, program: &Path) -> Option<PathBuf> {
    let own = real(&environment.program);
    let beside = real(&own.with_file_name(NAME));
    let on_path = environment.on_path(NAME).map(|found| real(&found));
    Some(real(program)).filter(|named| *named == own || *named == beside || Some(named) == on_path.as_ref())
}

/// Where a link to the program would be found, and what has to stand before the command that makes it.
fn link_place(environment: &Environment) -> (&'static str, String) {
    let folder = environment.user_folder();
    let own = environment.path().into_iter().find(|path| folder.is_some_and(|folder| path.starts_with(folder)));
    match own {
        Some(own) => ("", shell::word(&own.join(NAME), folder)),
        None => ("sudo ", format!("/usr/local/bin/{NAME}")),
    }
}

/// Where the desktop app has to be: beside this program.
pub(crate) fn desktop_program(environment: &Environment) -> PathBuf {
    real(&environment.program).with_file_name(DESKTOP_NAME)
}

async fn desktop(environment: &Environment) -> Vec<Finding> {
    let program = desktop_program(environment);
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment.variable(name).is_some());
    if !program.is_file() {
        let cause = words::desktop_missing();
        return vec![match has_display {
            true => DESKTOP.warning(cause, words::mend_desktop()).command("review-gate link"),
            false => DESKTOP.note(cause),
        }];
    }
    let shown = program.as_path();
    if !is_executable(&program) {
        let command = format!("chmod +x {}", shell::word(&program, environment.user_folder()));
        return vec![DESKTOP.fault(words::not_executable(shown), words::mend_executable()).command(command)];
    }
    match said(&program, &["--version"], LIMIT).await {
        Ok(Some(Said { code: Some(0), output, .. })) => {
            let found = match version_of(&output, DESKTOP_NAME) {
                Some(version) if version == environment.version => DESKTOP.good(words::version(shown, version)),
                version => {
                    let theirs = version.map(|version| environment.privacy().foreign(version, []));
                    let cause = words::desktop_other_version(shown, theirs, environment.version);
                    DESKTOP.warning(cause, words::mend_same_package())
                }
            };
            vec![found, WEBKIT.good(words::libraries_good())]
        }
        Ok(Some(Said { errors, .. })) if missing_library(&errors).is_some() => {
            let library = missing_library(&errors).unwrap_or_default();
            let found = WEBKIT.fault(words::library_missing(library), words::mend_library());
            let package = WEBKIT_PACKAGES.iter().find(|(manager, _)| environment.on_path(manager).is_some());
            vec![match package {
                Some((_, command)) if library.contains("webkit") || library.contains("javascriptcore") => {
                    found.command(*command)
                }
                _ => found,
            }]
        }
        Ok(Some(Said { code, errors, .. })) => {
            let errors = environment.privacy().foreign(&errors, []);
            let cause = words::desktop_ends(shown, code.map(|code| code.to_string()), errors);
            vec![DESKTOP.fault(cause, words::mend_install_anew())]
        }
        Ok(None) => {
            let cause = words::desktop_silent(shown, LIMIT.as_secs());
            vec![DESKTOP.fault(cause, words::mend_install_anew())]
        }
        Err(error) => {
            let cause = words::cant_start(shown, error.to_string());
            vec![DESKTOP.fault(cause, words::mend_install_anew())]
        }
    }
}

/// The library that a loader says is missing. No name of one has a blank or is long.
fn missing_library(errors: &str) -> Option<&str> {
    let rest = MISSING.iter().find_map(|begin| errors.split_once(begin)).map(|(_, rest)| rest)?;
    rest.split([':', ' ', '\n']).next().filter(|name| !name.is_empty() && name.len() < 100)
}

/// The version in what `NAME --version` prints.
fn version_of<'a>(output: &'a str, name: &str) -> Option<&'a str> {
    let version = output.lines().next()?.strip_prefix(name)?.trim();
    (!version.is_empty()).then_some(version)
}

fn real(path: &Path) -> PathBuf {
    gate_os::files::real_path(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaders_word_names_the_library() {
        for (errors, library) in [
            (
                "x: error while loading shared libraries: libwebkit2gtk-4.1.so.0: cannot open shared object file\n",
                Some("libwebkit2gtk-4.1.so.0"),
            ),
            ("Error loading shared library libgtk-3.so.0: No such file (needed by x)", Some("libgtk-3.so.0")),
            ("Gtk-WARNING: cannot open display", None),
        ] {
            assert_eq!(missing_library(errors), library, "{errors}");
        }
    }

    #[test]
    fn only_the_programs_own_name_stands_before_its_version() {
        assert_eq!(version_of("review-gate 1.2.3\n", NAME), Some("1.2.3"));
        assert_eq!(version_of("review-gate-desktop 1.2.3\n", DESKTOP_NAME), Some("1.2.3"));
        assert_eq!(version_of("something else 1\n", NAME), None, "another program of that name");
    }
}
