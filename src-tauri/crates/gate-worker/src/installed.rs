//! Finding a person's program, its version, and whether its help names what the call needs. A program that lacks an option
//! would take it for something else, or start with fewer bounds than were meant.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gate_os::programs::{Group, lead};
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::environment::of_run;
use crate::programs::{Program, Row};
use crate::refusal::Refusal;
use crate::variables::variable;

/// How long a program may take to print its help.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of it is read, in bytes.
const MOST: u64 = 256 * 1024;

/// A program as it is installed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Which one.
    pub program: Program,
    /// Where it lies.
    pub path: PathBuf,
    /// What it says of its version; absent where it says none.
    pub version: Option<String>,
}

impl Installed {
    /// Looks for a program: where the person says that it lies, else in the folders of `PATH`. Its help and its version are
    /// asked, outside of any sandbox, in a folder of nothing.
    ///
    /// # Errors
    /// Where it isn't there, says nothing in time, or its help doesn't name an option that the call needs.
    pub async fn find(
        program: Program,
        named: Option<&Path>,
        environment: &[(OsString, OsString)],
    ) -> Result<Self, Refusal> {
        let row = program.row();
        let path = match named {
            Some(path) => Some(path.to_owned()).filter(|path| path.is_absolute() && gate_os::files::may_start(path)),
            None => variable(environment, "PATH").and_then(|path| in_path(row.command, path)),
        };
        let path = path.ok_or_else(|| absent(row, named))?;
        let nothing = tempfile::tempdir().map_err(|error| Refusal::of_file("make", &std::env::temp_dir(), &error))?;
        let own = of_run(row, environment, nothing.path());
        let help: Vec<&str> = row.subcommand.iter().copied().chain(["--help"]).collect();
        let ask = |words: Vec<&'static str>| printed(&path, words, &own, nothing.path());
        let (help, version) = tokio::join!(ask(help), ask(vec!["--version"]));
        let help = help.map_err(|why| {
            let mend = format!("Start `{} --help` at a terminal, and look at what it says.", path.display());
            Refusal::new(format!("{} doesn't print its help: {why}.", row.name), mend)
        })?;
        if let Some(option) = row.options.iter().find(|option| !names(&help, option)) {
            let version = version.ok().and_then(|text| number(&text)).map(|version| format!(" {version}"));
            let message = format!(
                "{}{} has no option {option}, without which it isn't run on its own: `{}` doesn't name it.",
                row.name,
                version.unwrap_or_default(),
                [&[row.command], row.subcommand, &["--help"]].concat().join(" ")
            );
            return Err(Refusal::new(message, format!("Update {}.", row.name)));
        }
        Ok(Self { program, path, version: version.ok().and_then(|text| number(&text)) })
    }
}

fn absent(row: &Row, named: Option<&Path>) -> Refusal {
    match named {
        Some(path) => Refusal::new(
            format!("{} isn't at {}.", row.name, path.display()),
            "Name the absolute path of its program, or none, so that it is looked for in PATH.",
        ),
        None => Refusal::new(
            format!("{} isn't installed: no folder of PATH has `{}`.", row.name, row.command),
            "Install it, or name the absolute path of its program.",
        ),
    }
}

/// A program as a shell finds it.
fn in_path(command: &str, path: &OsStr) -> Option<PathBuf> {
    // Scripts of npm's are started by these on Windows.
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut files =
        folders.flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{command}{ending}"))));
    files.find(|file| gate_os::files::may_start(file))
}

/// What a program prints when it is asked for something that it does at once.
async fn printed(
    program: &Path,
    words: Vec<&str>,
    environment: &[(OsString, OsString)],
    folder: &Path,
) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(words).env_clear().envs(environment.iter().cloned()).current_dir(folder).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    lead(&mut command);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let group = Group::of(&child);
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (mut text, mut said) = (Vec::new(), Vec::new());
    let whole = async {
        // Some print it on standard error.
        let (Some(output), Some(errors)) = (output, errors) else { return };
        let (mut output, mut errors) = (output.take(MOST), errors.take(MOST));
        let _ = tokio::join!(output.read_to_end(&mut text), errors.read_to_end(&mut said));
    };
    let came = timeout(PATIENCE, whole).await;
    group.end(&child);
    came.map_err(|_| format!("nothing came of it in {} s", PATIENCE.as_secs()))?;
    text.extend(said);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Whether a help names an option, and not one that only begins so.
fn names(help: &str, option: &str) -> bool {
    help.match_indices(option).any(|(at, _)| {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '-';
        !help[..at].chars().next_back().is_some_and(is_word)
            && !help[at + option.len()..].chars().next().is_some_and(is_word)
    })
}

/// The first word that looks like a version.
fn number(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let looks_so = |word: &&str| {
        let mut parts = word.split('.');
        let digits = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        word.len() < 60 && digits(parts.next()) && digits(parts.next()) && parts.next().is_some()
    };
    words.find(looks_so).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_named_by_its_whole_name() {
        let help = "  -p, --print   Print\n  --json-schema <schema>  x\n  --tools <tools...>";
        for option in ["--print", "--json-schema", "--tools"] {
            assert!(names(help, option), "{option}");
        }
        for option in ["--json", "--tool", "--schema", "--max-turns"] {
            assert!(!names(help, option), "{option}");
        }
    }

    #[test]
    fn a_version_is_a_word_among_others() {
        for (text, version) in [
            ("2.1.197 (Claude Code)\n", Some("2.1.197")),
            ("WARNING: in \"/tmp/a.b\"\ncodex-cli 0.169.0\n", Some("0.169.0")),
            ("v1.18.33", Some("1.18.33")),
            ("0.61.0-nightly.1", Some("0.61.0-nightly.1")),
            ("1.2 of nothing", None),
            ("", None),
        ] {
            assert_eq!(number(text).as_deref(), version, "{text}");
        }
    }
}
