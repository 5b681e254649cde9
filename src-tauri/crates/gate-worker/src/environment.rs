//! Which variables of the environment a run has. Nothing passes that isn't listed: neither what leads to the person's
//! display, keys and buses, nor what is the gate's, nor what tells a program that another agent has started it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::programs::{Program, Row};
use crate::variables::is_named;

/// What each run has of the person's. A `*` stands for anything.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    // Where programs keep what they are set up and signed in by.
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    // The way to the network, and whom to believe there.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LD_LIBRARY_PATH",
];

/// What no program starts without on Windows, and where it keeps things there.
const PASSED_ON_WINDOWS: &[&str] = &[
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles*",
    "CommonProgramFiles*",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// The ports of this machine's loopback at which models are that a run of this program is led to: by variables that it has,
/// and no others.
#[must_use]
pub fn loopback_ports(program: Program, all: &[(OsString, OsString)]) -> Vec<u16> {
    let own = of_run(program.row(), all, Path::new(""));
    let urls = own.iter().filter(|(name, _)| name.to_string_lossy().ends_with("_BASE_URL"));
    let ports = urls.filter_map(|(_, url)| {
        let url = url.to_str()?;
        let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next()?;
        let (name, port) = host.rsplit_once(':')?;
        matches!(name, "127.0.0.1" | "localhost" | "[::1]").then(|| port.parse().ok()).flatten()
    });
    ports.collect()
}

/// What a run of this program has, of all that the person has; `temporary` is the folder for what passes.
pub(crate) fn of_run(row: &Row, all: &[(OsString, OsString)], temporary: &Path) -> Vec<(OsString, OsString)> {
    let on_windows: &[&str] = if cfg!(windows) { PASSED_ON_WINDOWS } else { &[] };
    let patterns = [PASSED, on_windows, row.variables];
    let passes = |name: &OsStr| {
        let name = name.to_string_lossy();
        patterns.iter().copied().flatten().any(|pattern| fits(&name, pattern))
    };
    let mut own: Vec<(OsString, OsString)> = all.iter().filter(|(name, _)| passes(name)).cloned().collect();
    let temporaries = ["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), temporary.into()));
    let always = [("TERM", "dumb"), ("NO_COLOR", "1")];
    let set = always.iter().chain(row.set).map(|(name, value)| (OsString::from(name), OsString::from(value)));
    own.extend(temporaries.into_iter().chain(set));
    own
}

fn fits(name: &str, pattern: &str) -> bool {
    let Some((begin, end)) = pattern.split_once('*') else { return is_named(name, pattern) };
    let (head, tail) = (name.get(..begin.len()), name.len().checked_sub(end.len()).and_then(|at| name.get(at..)));
    name.len() >= begin.len() + end.len()
        && head.is_some_and(|head| is_named(head, begin))
        && tail.is_some_and(|tail| is_named(tail, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::variable;

    #[test]
    fn only_models_of_this_machine_are_let_in_that_the_program_is_led_to() {
        let environment = [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8123/v1"),
            ("OPENAI_BASE_URL", "http://localhost:99"),
            ("AZURE_OPENAI_BASE_URL", "https://models.example:443"),
            ("DATABASE_BASE_URL", "http://127.0.0.1:5432"),
            ("OTHER", "http://127.0.0.1:7"),
        ];
        let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        for (program, ports) in [
            (Program::ClaudeCode, &[8123][..]),
            (Program::Codex, &[99]),
            (Program::GeminiCli, &[]),
            (Program::OpenCode, &[]),
        ] {
            assert_eq!(loopback_ports(program, &environment), ports, "{}", program.name());
        }
    }

    fn names(program: Program, given: &[&str]) -> Vec<String> {
        let all: Vec<_> = given.iter().map(|name| (OsString::from(name), OsString::from("x"))).collect();
        let passed = of_run(program.row(), &all, Path::new("/tmp/run"));
        let passed = passed.into_iter().map(|(name, _)| name.to_string_lossy().into_owned());
        passed.filter(|name| given.contains(&name.as_str())).collect()
    }

    #[test]
    fn what_leads_elsewhere_does_not_pass() {
        let kept_away = [
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "DBUS_SESSION_BUS_ADDRESS",
            "XDG_RUNTIME_DIR",
            "SSH_AUTH_SOCK",
            "REVIEW_GATE_HOME",
            "REVIEW_GATE_TOKEN",
            "NODE_OPTIONS",
            "LD_PRELOAD",
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_SSE_PORT",
            "GITLAB_TOKEN",
            "DATABASE_URL",
            "EDITOR",
        ];
        for program in Program::ALL {
            assert_eq!(names(program, &kept_away), [""; 0], "{}", program.name());
        }
    }

    #[test]
    fn each_has_its_own_sign_in_and_not_anothers() {
        let keys = ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_HOME", "GEMINI_API_KEY", "OPENAI_BASE_URL"];
        assert_eq!(names(Program::ClaudeCode, &keys), ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"]);
        assert_eq!(names(Program::Codex, &keys), ["CODEX_HOME", "OPENAI_BASE_URL"]);
        assert_eq!(names(Program::GeminiCli, &keys), ["GEMINI_API_KEY"]);
        let all = ["PATH", "HOME", "LC_CTYPE", "https_proxy", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_AUTH"];
        assert_eq!(names(Program::ClaudeCode, &all), all[..5], "a pattern's two ends don't overlap");
    }

    #[test]
    fn what_is_set_stands_once() {
        let given = [("TERM", "xterm"), ("TMPDIR", "/elsewhere"), ("OPENCODE_PERMISSION", "{}")]
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let passed = of_run(Program::OpenCode.row(), &given, Path::new("/run/tmp"));
        for (name, value) in [("TERM", "dumb"), ("TMPDIR", "/run/tmp")] {
            let all: Vec<_> = passed.iter().filter(|(other, _)| other == name).collect();
            assert_eq!(all, [&(OsString::from(name), OsString::from(value))], "{name}");
        }
        let permission = variable(&passed, "OPENCODE_PERMISSION").expect("it is set");
        assert!(permission.to_string_lossy().contains(r#""*":"deny""#), "and not the person's");
    }
}
