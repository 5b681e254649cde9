//! What runs after which change; and that the tables are those of this tree.

use std::path::{Path, PathBuf};

use super::super::steps::STEPS;
use super::reach::{CRATES, EndToEnd};
use super::*;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// Subjects that look at many crates together, so that none of the rows but the widest names them. A new subject stands in
/// a row of `reach.rs`, or here.
const WIDE: &[&str] = &["real_agents_acp", "real_agents_offers", "ways_questions", "wine"];

/// The real tree, with its UI built.
fn tree() -> Tree {
    let names = std::fs::read_dir(Path::new(ROOT).join(SUBJECTS)).expect("the end-to-end tests are there").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let modules = names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned));
    Tree { subjects: modules.filter(|name| name != "main").collect(), ui_is_built: true }
}

fn after(paths: &[&str]) -> Plan {
    decide(&tree(), &paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
}

/// The steps that are left out.
fn left_out(plan: &Plan) -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).filter(|name| plan.why_left_out(name).is_some()).collect()
}

#[test]
fn a_crate_brings_its_dependents_and_the_subjects_of_its_row() {
    let plan = after(&["src-tauri/crates/gate-voice/src/take.rs"]);
    assert_eq!(
        plan.filterset().as_deref(),
        Some(
            "rdeps(gate-voice) | (package(gate-tests) & test(/^(doctor_desktop::|harness::|voice::|window_voice::)/))"
        ),
        "the rest can't be broken by it"
    );
    assert_eq!(left_out(&plan), ["ui build", "ui check", "ui browser", "conformance"], "these look at other files");
    assert!(
        plan.part("ui test").is_some_and(|files| files.contains("catalogues")),
        "texts that Rust names are read there"
    );
    let lines = plan.told(&STEPS.iter().map(|step| step.name).collect::<Vec<_>>()).join("\n");
    for left in ["end-to-end tests bad_input", "unit tests of all other", "`ui browser`", "of `ui test` all but"] {
        assert!(lines.contains(&format!("Leaves out the {left}")) || lines.contains(left), "{left} is told:\n{lines}");
    }
    assert!(!lines.contains("Leaves out the step `ui test`"), "a part of it runs:\n{lines}");
}

#[test]
fn a_crate_that_every_request_goes_through_brings_every_subject() {
    let plan = after(&["src-tauri/crates/gate-core/src/lib.rs"]);
    assert_eq!(plan.subjects.len(), tree().subjects.len(), "none is left out");
    assert!(plan.other_subjects.is_empty(), "and none is said to be");
    let more =
        after(&["src-tauri/crates/gate-core/src/lib.rs", "src-tauri/crates/gate-clients/src/lib.rs", "docs/agents.md"]);
    assert_eq!(more.subjects, plan.subjects, "a part of a subject isn't named beside all of it");
    assert_eq!(left_out(&plan), ["ui build", "ui check", "ui browser"], "the UI is as it was");
}

#[test]
fn what_reaches_everything_leaves_nothing_out() {
    let paths = [
        "Cargo.lock",
        "Cargo.toml",
        "src-tauri/crates/gate-voice/Cargo.toml",
        "migrations/20990101000000_add.sql",
        ".config/nextest.toml",
        "tauri.conf.json",
        "src-tauri/bin/review-gate.rs",
        "src-tauri/crates/gate-new/src/lib.rs",
        "nobody/knows.this",
    ];
    for path in paths {
        let plan = after(&["docs/trust.md", path]);
        assert_eq!(plan.whole.as_deref(), Some(path), "{path} isn't known to reach less");
        assert_eq!(
            (left_out(&plan), plan.part("tests"), plan.part("ui test")),
            (vec![], None, None),
            "all runs: {path}"
        );
        assert!(plan.told(&[]).concat().contains(path), "the developer is told why");
    }
}

#[test]
fn pages_bring_the_tests_that_read_them() {
    let plan = after(&["docs/trust.md", "README.md", "CHANGELOG.md"]);
    let untouched =
        ["ui build", "shipped", "docs", "ui check", "ui test", "ui browser", "conformance", "tests", "doc tests"];
    assert_eq!(left_out(&plan), untouched, "tidy reads these pages, and no test does");
    assert_eq!(after(&["docs/prompts.md"]).filterset().as_deref(), Some("package(gate-prompts)"));
    let plan = after(&["docs/agents.md"]);
    assert_eq!(
        plan.filterset().as_deref(),
        Some("package(gate-app) | (package(gate-tests) & test(/^(real_agents::)/))")
    );
    let plan = after(&["docs/settings.md"]);
    assert_eq!(plan.why_left_out("ui test"), None, "the settings' texts are held against it");
}

#[test]
fn the_ui_brings_what_shows_it_and_its_tests_bring_themselves() {
    let plan = after(&["ui/src/inbox/Inbox.svelte"]);
    assert_eq!(left_out(&plan), ["shipped", "docs", "conformance", "doc tests"], "no Rust changed");
    assert_eq!(plan.part("ui test"), None, "all of it runs");
    for subject in ["window_queue", "browser", "ways_answering::a_desktop_"] {
        assert!(plan.subjects.contains(subject), "{subject} shows it");
    }
    assert!(!plan.subjects.contains("kills"), "that shows nothing");
    let plan = after(&["ui/tests/inbox.test.ts"]);
    assert_eq!(plan.filterset(), None, "no program has it");
    assert_eq!(plan.why_left_out("ui test"), None);
    let plan = after(&["ui/locales/en/request.ftl"]);
    assert!(plan.crates.contains("gate-texts"), "Rust speaks from the same file");
    assert!(plan.subjects.contains("window_queue"), "so do windows");
}

#[test]
fn tests_bring_themselves_and_what_shares_their_file() {
    let plan = after(&["tests/tests/e2e/verify/noted.rs", "tests/tests/e2e/run.rs"]);
    let expected = "(package(gate-tests) & test(/^(run::|run_project::|run_terminal::|verify::)/))";
    assert_eq!(plan.filterset().as_deref(), Some(expected));
    assert!(left_out(&plan).contains(&"shipped"), "no program has a test");
    let plan = after(&["src-tauri/crates/gate-link/tests/link/main.rs"]);
    assert_eq!(plan.filterset().as_deref(), Some("package(gate-link)"), "nobody depends on a test");
    let plan = after(&["tests/corpus/diff/a"]);
    assert_eq!(plan.filterset().as_deref(), Some("not package(gate-tests)"), "every crate has fuzz tests");
    assert_eq!(after(&["tests/src/home.rs"]).subjects.len(), tree().subjects.len(), "all tests go by the harness");
}

#[test]
fn a_stale_ui_is_built_whatever_changed() {
    let stale = Tree { ui_is_built: false, ..tree() };
    let plan = decide(&stale, &["docs/trust.md".to_owned()]);
    assert_eq!(plan.why_left_out("ui build"), None, "programs would be built with an old one");
}

#[test]
fn every_crate_has_a_row_and_every_row_a_crate() {
    let packages = Workspace::find().expect("the tests run in the workspace").packages;
    let mut members: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut rows: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    members.sort_unstable();
    rows.sort_unstable();
    assert_eq!(rows, members, "a crate without a row would run everything");
    for package in &packages {
        let folder =
            package.manifest_path.parent().expect("a file has a folder").strip_prefix(
                std::fs::canonicalize(ROOT).expect("the root is there").to_str().expect("its path is UTF-8"),
            );
        let source = folder.expect("members are below the root").join("src/lib.rs").to_string();
        let found =
            if source == "src/lib.rs" { reach::crate_of("src-tauri/src/lib.rs") } else { reach::crate_of(&source) };
        assert_eq!(found, Some(package.name.as_str()), "{source} is of that crate");
    }
}

#[test]
fn every_subject_is_in_the_tables_and_every_name_in_the_tables_is_there() {
    let subjects = tree().subjects;
    let rows = CRATES.iter().filter_map(|(name, reached)| match reached {
        EndToEnd::All => None,
        EndToEnd::Of(names) => Some((*name, *names)),
    });
    let pages = reach::PAGES
        .iter()
        .filter_map(|(page, _, subject)| subject.as_ref().map(|name| (*page, std::slice::from_ref(name))));
    let rows: Vec<(&str, &[&str])> = rows.chain(pages).chain([("UI", reach::UI), ("WIDE", WIDE)]).collect();
    for (row, name) in rows.iter().flat_map(|(row, names)| names.iter().map(move |name| (row, *name))) {
        let found: Vec<&String> = subjects.iter().filter(|subject| reach::names(name, subject)).collect();
        assert!(!found.is_empty(), "{row}: there is no subject {name}");
        let Some((subject, test)) = name.split_once("::") else { continue };
        let folder = Path::new(ROOT).join(SUBJECTS);
        let text = std::fs::read_to_string(folder.join(format!("{subject}.rs"))).expect("its file was found");
        let is_there = text.contains(&format!("fn {test}")) || text.contains(&format!("mod {test};"));
        assert!(is_there, "{row}: no test's name begins with {name}");
    }
    for subject in &subjects {
        let named = rows.iter().any(|(_, names)| names.iter().any(|name| reach::names(name, subject)));
        assert!(named, "{subject} stands in the row of a crate that it looks at, or in WIDE");
    }
    for (shared, users) in reach::SHARED {
        assert!(subjects.iter().any(|subject| subject == shared), "{shared}'s file is shared");
        assert!(users.iter().all(|user| subjects.iter().any(|subject| subject == user)), "{users:?} use {shared}");
    }
    assert!(subjects.iter().any(|subject| subject == reach::CONFORMANCE), "or the suite would never run");
}

/// All files below `folder` whose names end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => files(&path, ending),
        false => vec![path],
    });
    found.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn what_tests_read_of_other_folders_is_in_the_tables() {
    let rust =
        ["src-tauri/crates", "tests/tests", "tests/src"].map(|folder| files(&Path::new(ROOT).join(folder), ".rs"));
    let mut found = 0;
    for file in rust.concat() {
        let text = read(&file);
        let named = text.split("../docs/").skip(1).filter_map(|rest| Some(rest.split_once(".md\"")?.0));
        for page in named.filter(|name| name.chars().all(|each| each.is_ascii_alphanumeric() || each == '-')) {
            found += 1;
            let page = format!("{page}.md");
            assert!(reach::PAGES.iter().any(|(row, ..)| *row == page), "{} reads docs/{page}", file.display());
        }
    }
    assert!(found >= reach::PAGES.len(), "they are found: {found}");
    let ui = Path::new(ROOT).join("ui/tests");
    for file in files(&ui, ".ts") {
        let name = format!("tests/{}", file.file_name().unwrap_or_default().to_string_lossy());
        let reads = read(&file).contains("src-tauri") || read(&file).contains("../docs/");
        assert_eq!(reads, reach::READ_RUST.contains(&name.as_str()), "{name} reads Rust's sources, or doesn't");
    }
    for (shared, users) in shared_files() {
        let row = reach::SHARED.iter().find(|(row, _)| *row == shared);
        assert!(row.is_some_and(|(_, known)| known.contains(&users.as_str())), "{users} uses {shared}'s file");
    }
}

/// Each subject's file that another one uses, with that one.
fn shared_files() -> Vec<(String, String)> {
    let folder = Path::new(ROOT).join(SUBJECTS);
    let subjects = tree().subjects;
    let of = |file: &Path| {
        let inside = file.strip_prefix(&folder).expect("it was found there").to_string_lossy().into_owned();
        inside.split(['/', '.']).next().unwrap_or_default().to_owned()
    };
    let mut shared = Vec::new();
    for file in files(&folder, ".rs") {
        let text = read(&file);
        for name in text.split("crate::").skip(1) {
            let name: String = name.chars().take_while(|each| each.is_ascii_alphanumeric() || *each == '_').collect();
            if subjects.contains(&name) && name != of(&file) {
                shared.push((name, of(&file)));
            }
        }
    }
    shared
}

#[test]
fn every_step_that_can_be_left_out_is_a_step() {
    let plan = after(&["docs/trust.md"]);
    let all = ["ui build", "shipped", "docs", "ui check", "ui test", "ui browser", "conformance", "tests", "doc tests"];
    for name in all {
        assert!(STEPS.iter().any(|step| step.name == name), "{name} is no step");
        assert!(plan.why_left_out(name).is_some(), "{name} has nothing to look at");
    }
}
