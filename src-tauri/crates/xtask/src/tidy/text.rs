//! Rules that the text of one file keeps or breaks.

use std::ops::Range;

use super::Violation;

/// Longest source file, in lines.
const LINES: usize = 600;
/// Home folders that stand for anybody's in an example; so does one letter.
const EXAMPLE_HOMES: &[&str] = &["you", "user", "ada", "me"];
/// Where these rules are written down in Rust, and so would find themselves.
const RULES: &str = "src-tauri/crates/xtask/src/tidy/";

/// What lets time pass in Rust, under whatever name.
const LETS_TIME_PASS: &[&str] = &[
    "sleep(",
    "sleep_until(",
    "park_timeout(",
    "interval(",
    "interval_at(",
    "future::pending",
    "yield_now(",
    "spin_loop(",
];
/// What lets it pass in a test of the UI's logic. Tests in a browser speak of frames and timers of the page.
const LETS_TIME_PASS_IN_UI: &[&str] = &["setTimeout(", "setInterval("];
/// The tests that may, each for a reason that stands there: looking at intervals where nothing says when, a random
/// instant that is the point of a test, a clock that only goes on when nothing is left to be done, and a double that hangs.
const MAY_LET_TIME_PASS: &[&str] = &[
    "tests/src/wait.rs",
    "tests/src/instant.rs",
    "src-tauri/crates/gate-mcp/src/http/late.rs",
    "src-tauri/crates/gate-service/src/witness/tests.rs",
    "src-tauri/crates/gate-voice/src/voice/tests.rs",
];

/// What a rule reads.
struct Source<'a> {
    path: &'a str,
    /// The file name's ending, without the dot.
    kind: &'a str,
    /// The workspace's folder on this machine.
    here: &'a str,
}

impl Source<'_> {
    fn is(&self, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind)
    }

    fn below(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Whether all of the file is tests. What measures from outside, below `tests/bench/`, does so over a time.
    fn is_test(&self) -> bool {
        let crates = self.path.contains("/tests/") || self.path.ends_with("/tests.rs");
        self.is(&["rs"]) && (self.below("tests/") || crates) && !self.below("tests/bench/")
    }
}

/// The rules that `text`, the content of the file `path`, breaks. `here` is the workspace's folder.
pub(super) fn check(path: &str, text: &str, here: &str) -> Vec<Violation> {
    let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
    let source = Source { path, kind, here };
    if source.below(RULES) || path.ends_with("package-lock.json") || source.is(&["lock"]) {
        return Vec::new();
    }
    let whole = file_rules(&source, text).into_iter().map(|(line, rule)| (line, rule.to_owned()));
    let tests = tests_inside(text);
    let lines = text.lines().enumerate().flat_map(|(index, line)| {
        let of_tests = tests.contains(&index);
        line_rules(&source, line, of_tests).into_iter().map(move |rule| (Some(index + 1), rule.to_owned()))
    });
    whole.chain(lines).map(|(line, rule)| Violation { path: path.to_owned(), line, rule }).collect()
}

fn file_rules(source: &Source<'_>, text: &str) -> Vec<(Option<usize>, &'static str)> {
    let mut broken = Vec::new();
    let generated = source.below("ui/src/generated/");
    if source.is(&["rs", "ts", "svelte"]) && !generated && text.lines().count() > LINES {
        broken.push((Some(LINES + 1), "longer than 600 lines: split it where it holds two things"));
    }
    if source.is(&["rs"]) && !says_what_it_owns(text) {
        broken.push((Some(1), "no `//!` at the top: say what the module owns and must not know"));
    }
    broken
}

/// Whether a `//!` comes before the first item.
fn says_what_it_owns(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !(line.is_empty() || line.starts_with("#![") || is_plain_comment(line)));
    first.is_some_and(|line| line.starts_with("//!"))
}

fn is_plain_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("//!") && !line.starts_with("///")
}

/// The lines of a `mod tests` that stands in the file itself, counted from 0.
fn tests_inside(text: &str) -> Range<usize> {
    let mut lines =
        text.lines().enumerate().skip_while(|(_, line)| !(line.starts_with("#[cfg(") && line.contains("test")));
    let Some((begin, _)) = lines.find(|(_, line)| line.starts_with("mod tests {")) else { return 0..0 };
    begin..lines.find(|(_, line)| *line == "}").map_or(usize::MAX, |(end, _)| end)
}

/// `of_tests`: whether the line stands in the tests of a file that has more.
fn line_rules(source: &Source<'_>, line: &str, of_tests: bool) -> Vec<&'static str> {
    let code = source.is(&["rs", "ts", "js", "mjs", "svelte", "sql", "css", "html", "py", "sh"]);
    let mut broken = Vec::new();
    let mut rule = |holds: bool, message| {
        if !holds {
            broken.push(message);
        }
    };
    rule(!(code && is_unfinished(line)), "unfinished or switched off: finish it, or make it an issue");
    rule(
        !names_a_machine(line, source.here),
        "an absolute path of one machine: use a relative path, a temporary folder, or /home/you/ in an example",
    );
    let owns_sql = ["src-tauri/crates/gate-store/", "tests/", "migrations/"].iter().any(|folder| source.below(folder));
    rule(!(source.is(&["rs", "ts", "svelte"]) && !owns_sql && is_sql(line)), "SQL outside gate-store");
    if source.below("ui/") && source.is(&["ts", "js", "svelte"]) {
        let owns_tauri = source.path == "ui/src/transport.ts";
        rule(owns_tauri || !line.contains("@tauri-apps/"), "Tauri is imported in ui/src/transport.ts only");
        rule(!line.contains("{@html") && !line.contains("innerHTML"), "text becomes HTML only through components");
    }
    let is_test = source.is_test() || (of_tests && source.is(&["rs"]));
    let passes = is_test && LETS_TIME_PASS.iter().any(|call| line.contains(call));
    let passes_in_ui = source.below("ui/tests/") && LETS_TIME_PASS_IN_UI.iter().any(|call| line.contains(call));
    let waits = (passes || passes_in_ui) && !MAY_LET_TIME_PASS.contains(&source.path);
    let sleeps = source.below("tests/") && code && line.contains("sleep(");
    rule(!(waits || sleeps), "a test waits for a condition, never for a time");
    let policy = source.path == "tauri.conf.json" || source.below("src-tauri/") || source.below("ui/");
    let loosened = line.contains("'unsafe-inline'") || line.contains("'unsafe-eval'");
    rule(!(policy && loosened), "the content security policy has no unsafe source");
    broken
}

fn is_unfinished(line: &str) -> bool {
    let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let marked = words().any(|word| ["TODO", "FIXME", "XXX", "HACK"].contains(&word));
    marked || ["todo!(", "unimplemented!(", "#[ignore"].iter().any(|mark| line.contains(mark))
}

/// Whether the line holds a statement, written in capitals as all of them are.
fn is_sql(line: &str) -> bool {
    let (from, set) = (line.contains(" FROM "), line.contains(" SET "));
    let starts = |word: &str| line.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    line.contains("INSERT INTO ") || (starts("SELECT") || starts("DELETE")) && from || starts("UPDATE") && set
}

fn names_a_machine(line: &str, here: &str) -> bool {
    let homes = ["/home/", "/Users/"];
    let someone = homes.iter().flat_map(|home| line.split(home).skip(1)).any(|rest| {
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || "-_.".contains(*c)).collect();
        name.len() > 1 && !EXAMPLE_HOMES.contains(&name.as_str())
    });
    // A root folder of a few letters would be found in ordinary text.
    someone || line.contains("/root/") || (here.len() > 4 && line.contains(here))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaks(path: &str, text: &str) -> Vec<(Option<usize>, String)> {
        check(path, text, "/builds/gate").into_iter().map(|broken| (broken.line, broken.rule)).collect()
    }

    fn lines(path: &str, text: &str) -> Vec<usize> {
        breaks(path, text).into_iter().filter_map(|(line, _)| line).collect()
    }

    const TOP: &str = "//! Owns nothing.\n";

    #[test]
    fn a_module_says_what_it_owns() {
        assert_eq!(lines("a.rs", "use x;\n//! too late\n"), [1], "the first thing read is what it owns");
        assert!(breaks("a.rs", "#![expect(x)]\n\n//! Owns x.\n").is_empty(), "attributes may come first");
        assert!(breaks("a.ts", "use x").is_empty(), "only Rust has such comments");
    }

    #[test]
    fn long_files_are_split() {
        let long = format!("{TOP}{}", "x\n".repeat(LINES));
        assert_eq!(lines("a.rs", &long), [LINES + 1], "one line too many is named");
        assert!(breaks("a.rs", &long[..long.len() - 2]).is_empty(), "the bound itself is allowed");
        assert!(breaks("ui/src/generated/A.ts", &"x\n".repeat(LINES + 1)).is_empty(), "nobody reads generated files");
    }

    #[test]
    fn nothing_unfinished_lands() {
        assert_eq!(lines("a.ts", "// fine\n// TODO: more"), [2], "the mark is found with its line");
        assert_eq!(lines("a.ts", "todo!()"), [1], "and so is a hole in the code");
        assert!(breaks("a.ts", "const METHODOLOGY = 1; // todos").is_empty(), "a part of a word is no mark");
    }

    #[test]
    fn no_path_of_a_machine_is_committed() {
        assert_eq!(lines("README.md", "run /home/carol/gate"), [1], "someone's home");
        assert_eq!(lines("README.md", "run /builds/gate/x"), [1], "the folder that this very clone is in");
        assert!(breaks("README.md", "run /home/you/gate").is_empty(), "an example is nobody's");
    }

    #[test]
    fn sql_stays_in_the_store() {
        let statement = format!("{TOP}let s = \"SELECT a FROM b\";");
        assert_eq!(lines("src-tauri/crates/gate-app/src/a.rs", &statement), [2], "only the store speaks SQL");
        assert!(breaks("src-tauri/crates/gate-store/src/a.rs", &statement).is_empty(), "the store does");
        assert!(breaks("a.rs", &format!("{TOP}// SELECT one, UPDATE another")).is_empty(), "words are no statement");
    }

    #[test]
    fn the_ui_has_one_door() {
        let import = "import { invoke } from '@tauri-apps/api/core';";
        assert_eq!(lines("ui/src/App.svelte", import), [1], "components don't know Tauri");
        assert!(breaks("ui/src/transport.ts", import).is_empty(), "the transport does");
        assert_eq!(lines("ui/src/A.svelte", "{@html text}"), [1], "agent text is hostile");
        assert_eq!(lines("tauri.conf.json", "style-src 'unsafe-inline'"), [1], "the policy stays strict");
    }

    #[test]
    fn tests_dont_sleep() {
        let sleeping = format!("{TOP}tokio::time::sleep(x).await;");
        assert_eq!(lines("tests/src/a.rs", &sleeping), [2], "sleeping hides a race or wastes time");
        let parked = format!("{TOP}std::thread::park_timeout(x);");
        assert_eq!(lines("src-tauri/crates/gate-app/src/gate/tests.rs", &parked), [2], "whatever it is called");
        assert!(breaks("tests/src/wait.rs", &parked).is_empty(), "one place looks at intervals");
        assert!(breaks("src-tauri/crates/gate-app/src/a.rs", &sleeping).is_empty(), "the program may use a timer");
        let both = format!("{sleeping}\n\n#[cfg(test)]\nmod tests {{\n    sleep(x).await;\n}}\nfn b() {{ sleep(x) }}");
        assert_eq!(lines("src-tauri/crates/gate-app/src/a.rs", &both), [6], "its own tests don't");
        let later = "await new Promise((resolve) => setTimeout(resolve, 20));";
        assert_eq!(lines("ui/tests/a.test.ts", later), [1], "nor do the window's");
        assert!(
            breaks("ui/src/a.ts", later).is_empty() && breaks("ui/tests-browser/a.ts", later).is_empty(),
            "a page may"
        );
    }
}
