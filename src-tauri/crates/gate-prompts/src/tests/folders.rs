//! Folders and layers: what is served, what hides what, and what stays when a file breaks.

use std::sync::Arc;
use std::time::Instant;

use gate_core::{PromptFormat, PromptOrigin, PromptProblem, bounds};

use super::{TestFolders, put, text};
use crate::{Folders, PromptSet};

fn ids(set: &PromptSet) -> Vec<&str> {
    set.list
        .prompts
        .iter()
        .map(|prompt| prompt.id.as_str())
        .filter(|id| !id.ends_with("_review") && *id != "documentation_check")
        .collect()
}

fn told(problems: &[PromptProblem]) -> Vec<(&str, &str, bool)> {
    problems.iter().map(|problem| (problem.file.as_str(), problem.message.as_str(), problem.served)).collect()
}

#[test]
fn every_format_is_served_under_its_path_and_everything_else_is_left_alone() {
    let test = TestFolders::with(&[
        ("a.yaml", "name: An a\nversion: 1.10\ntemplate: A\n"),
        ("team/b.yml", "content: B\n"),
        ("team/sub/c.json", "{\"title\": \"C\", \"template\": \"C {{x}}\"}"),
        ("d.md", "---\ndescription: a command\nargument-hint: [a] [b]\nallowed-tools: Bash(git:*)\n---\nD\r\n"),
        ("README.md", "# Our prompts"),
        (".git/x.yaml", "broken: ["),
        (".hidden.yaml", "broken: ["),
        ("_drafts/y.yaml", "broken: ["),
        ("picture.png", "no"),
    ]);
    let set = test.open().current();
    assert_eq!(told(set.problems()), []);
    assert_eq!(ids(&set), ["a", "d", "team/b", "team/sub/c"]);
    let a = &set.entry("a").unwrap().prompt;
    assert_eq!((a.title.as_str(), a.version.as_str(), a.category.as_str()), ("An a", "1.10", ""));
    let b = &set.entry("team/b").unwrap().prompt;
    assert_eq!((b.title.as_str(), b.category.as_str(), b.format), ("B", "team", PromptFormat::Yaml));
    assert_eq!(text(&set, "d", &[]).unwrap(), "D");
    assert_eq!(set.list.prompts.len(), 4 + 5, "the built-in ones are there as well");
}

#[test]
fn a_later_layer_hides_an_earlier_one_with_its_partials() {
    let test = TestFolders::with(&[("code_review.md", "mine {{> sign}}"), ("_partials/sign.hbs", "local")]);
    put(
        &test.synced,
        &[
            ("code_review.md", "theirs"),
            ("other.md", "other {{> sign}} {{> both}}"),
            ("_partials/sign.hbs", "synced"),
            ("_partials/both.hbs", "both"),
        ],
    );
    let library = test.open();
    let set = library.current();
    assert_eq!(told(set.problems()), []);
    assert_eq!(text(&set, "code_review", &[]).unwrap(), "mine local");
    assert_eq!(text(&set, "other", &[]).unwrap(), "other local both");
    assert_eq!(set.entry("code_review").unwrap().hides, Some(PromptOrigin::Synced));
    assert_eq!(set.entry("other").unwrap().prompt.origin, PromptOrigin::Synced);
    std::fs::remove_file(test.local.join("code_review.md")).unwrap();
    assert!(library.reload().changed, "a file is gone");
    let set = library.current();
    assert_eq!(set.entry("code_review").unwrap().hides, Some(PromptOrigin::BuiltIn));
    let none = Folders { local: test.local.clone(), synced: None };
    assert!(library.set_folders(none).listed, "the synced ones are gone");
    assert_eq!(library.current().entry("code_review").unwrap().prompt.origin, PromptOrigin::BuiltIn);
}

#[test]
fn a_broken_file_leaves_its_last_good_version_and_all_others() {
    let test = TestFolders::with(&[("a.md", "one {{> p}}"), ("b.md", "two"), ("_partials/p.hbs", "P")]);
    let library = test.open();
    let first = library.current();
    put(&test.local, &[("a.md", "one {{#if"), ("c.yaml", "nothing: here\n"), ("_partials/p.hbs", "{{/if}}")]);
    assert!(library.reload().changed);
    let set = library.current();
    assert_eq!(text(&set, "a", &[]).unwrap(), "one P", "the last good version is served, with its partial");
    assert_eq!(text(&set, "b", &[]).unwrap(), "two");
    assert_eq!(ids(&set), ["a", "b"]);
    let a = set.entry("a").unwrap();
    assert_eq!((a.broken, &*a.text, &*set.file("a").unwrap().text), (true, "one {{> p}}", "one {{#if"));
    assert_eq!(set.file("c").unwrap().problems.len(), 2, "a file that never was good is there for the page");
    let served: Vec<_> = set.problems().iter().map(|problem| (problem.file.as_str(), problem.served)).collect();
    assert_eq!(served, [("_partials/p.hbs", true), ("a.md", true), ("c.yaml", false), ("c.yaml", false)]);
    assert!(Arc::ptr_eq(&first.list, &set.list), "the list is the same, since nothing in it changed");
    assert_eq!(library.reload(), crate::Reloaded::default(), "nothing changed since");
    put(&test.local, &[("a.md", "three"), ("_partials/p.hbs", "P")]);
    library.reload();
    assert_eq!(text(&library.current(), "a", &[]).unwrap(), "three");
    assert!(!library.current().entry("a").unwrap().broken, "it is mended");
}

#[test]
fn what_cannot_be_served_is_told_and_hinders_nothing() {
    let test = TestFolders::with(&[
        ("good.md", "good"),
        ("a.yaml", "template: yaml\n"),
        ("a.md", "markdown"),
        ("b.md", "x {{> nobody}}"),
        ("c:d.md", "x"),
        ("_partials/q.hbs", "1"),
        ("_partials/q.md", "2"),
    ]);
    std::fs::write(test.local.join("latin.md"), b"gr\xfc\xdfe").unwrap();
    std::fs::write(test.local.join("large.md"), "x".repeat(bounds::PROMPT_FILE_BYTES + 1)).unwrap();
    let deep = "d/".repeat(bounds::PROMPT_DEPTH + 1);
    put(&test.local, &[(&format!("{deep}x.md"), "deep")]);
    #[cfg(unix)]
    {
        put(&test.synced, &[("secret.md", "secret")]);
        std::os::unix::fs::symlink(test.synced.join("secret.md"), test.local.join("out.md")).unwrap();
        std::os::unix::fs::symlink(test.local.join("good.md"), test.local.join("inside.md")).unwrap();
        std::os::unix::fs::symlink(&test.local, test.local.join("loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", test.local.join("dangling.md")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(test.local.join("socket.md")).unwrap();
        std::fs::remove_dir_all(&test.synced).unwrap();
        put(&test.synced, &[("secret.md", "secret")]);
    }
    let set = Folders { local: test.local.clone(), synced: None };
    let set = crate::Library::open(set).current();
    let mut problems = told(set.problems());
    problems.sort_unstable();
    let deepest = "d/".repeat(bounds::PROMPT_DEPTH) + "d";
    let wanted = [
        ("_partials/q.md", "`_partials/q.hbs` and `_partials/q.md` are both the partial `q`.", false),
        ("a.md", "`a.yaml` and `a.md` are both the prompt `a`.", false),
        ("b.md", "There is no partial `nobody`.", false),
        ("c:d.md", "`c:d` can't be a prompt's id.", false),
        (deepest.as_str(), "Folders are nested more than 12 deep here.", false),
        ("dangling.md", "This link leads nowhere.", false),
        ("large.md", "The file has more than 262144 bytes.", false),
        ("latin.md", "The file isn't UTF-8 from here on.", false),
        ("loop", "Links to folders aren't followed.", false),
        ("out.md", "This link leads out of the folder.", false),
        ("socket.md", "This is no ordinary file.", false),
    ];
    #[cfg(unix)]
    assert_eq!(problems, wanted);
    #[cfg(unix)]
    assert_eq!(ids(&set), ["a", "good", "inside"]);
    assert_eq!(text(&set, "a", &[]).unwrap(), "yaml", "YAML counts");
}

#[test]
fn a_folder_that_is_none_is_told_and_one_that_is_missing_is_empty() {
    let test = TestFolders::with(&[("file", "x")]);
    let open = |local: std::path::PathBuf| crate::Library::open(Folders { local, synced: None }).current();
    let set = open(test.local.join("file"));
    assert!(set.folder_fault.is_some(), "a file is no folder");
    assert_eq!(set.list.prompts.len(), 5, "the built-in ones are served anyway");
    let set = open(test.local.join("later/prompts"));
    assert_eq!(set.folder_fault, None);
    assert!(!test.local.join("later").exists(), "nothing is created");
}

#[test]
fn two_thousand_prompts_are_opened_and_looked_at_again_quickly() {
    let test = TestFolders::new();
    for n in 0..2000 {
        let file = format!("team{}/p{n}.md", n % 20);
        let body = "Look at {{file}}{{#if deep}} in depth{{/if}}.\n".repeat(20);
        put(&test.local, &[(&file, &format!("---\ntitle: P{n}\narguments: [file]\n---\n{body}"))]);
    }
    let start = Instant::now();
    let library = test.open();
    let opened = start.elapsed();
    assert_eq!(ids(&library.current()).len(), 2000);
    put(&test.local, &[("team0/p0.md", "changed")]);
    let start = Instant::now();
    assert!(library.reload().changed);
    println!("2000 prompts: opened in {opened:?}, looked at again in {:?}", start.elapsed());
    assert!(opened.as_secs() < 20, "it took {opened:?}");
}
