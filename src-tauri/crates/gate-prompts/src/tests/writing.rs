//! Saving and deleting: whole, seen, and nowhere but in the folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault, PromptFormat};

use super::{NOW, TestFolders, given, put, text};
use crate::{PromptSet, Saving, Written, delete, preview, save};

const MD: PromptFormat = PromptFormat::Markdown;
const YAML: PromptFormat = PromptFormat::Yaml;

impl TestFolders {
    fn save(
        &self,
        set: &PromptSet,
        id: &str,
        format: PromptFormat,
        text: &str,
        seen: Option<&str>,
    ) -> Result<Written, Fault> {
        save(&self.local, set, &[Saving { id, format, text, seen }]).map(|mut saved| saved.written.remove(0))
    }
}

/// Everything below a folder: its files with their texts, and its folders.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(everything(&path));
            all.insert(path, None);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            all.insert(path, Some(text));
        }
    }
    all
}

#[test]
fn a_prompt_is_saved_changed_and_deleted_by_those_who_have_seen_it() {
    let test = TestFolders::new();
    let library = test.open();
    let set = library.current();
    let code = |result: Result<Written, Fault>| result.err().map(|fault| fault.code);
    let first = test.save(&set, "team/a", MD, "one", None).unwrap();
    assert_eq!(first.file, "team/a.md");
    assert_eq!(code(test.save(&set, "team/a", MD, "two", None)), Some(Code::NameTaken));
    assert_eq!(code(test.save(&set, "team/a", MD, "two", Some("0"))), Some(Code::PromptConflict));
    assert_eq!(code(test.save(&set, "team/b", MD, "two", Some("0"))), Some(Code::PromptConflict));
    let second = test.save(&set, "team/a", YAML, "template: two\n", Some(&first.sha256)).unwrap();
    assert_eq!(second.file, "team/a.yaml", "another format takes the file's place");
    assert!(!test.local.join("team/a.md").exists());
    library.reload();
    let set = library.current();
    assert_eq!(text(&set, "team/a", &[]).unwrap(), "two");
    assert_eq!(set.entry("team/a").unwrap().sha256, second.sha256);
    std::fs::rename(test.local.join("team/a.yaml"), test.local.join("team/a.yml")).unwrap();
    let third = test.save(&set, "team/a", YAML, "template: three\n", Some(&second.sha256)).unwrap();
    assert_eq!(third.file, "team/a.yml", "the extension stays");
    let built_in = &set.entry("code_review").unwrap().sha256;
    test.save(&set, "code_review", MD, "mine", Some(built_in)).unwrap();
    assert_eq!(delete(&test.local, "team/a", &second.sha256).unwrap_err().code, Code::PromptConflict);
    delete(&test.local, "team/a", &third.sha256).unwrap();
    assert!(!test.local.join("team").exists(), "an empty folder goes as well");
    assert_eq!(delete(&test.local, "team/a", &third.sha256).unwrap_err().code, Code::UnknownPrompt);
    let names: Vec<_> = std::fs::read_dir(&test.local).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["code_review.md"], "nothing is left behind");
}

#[test]
fn several_prompts_are_saved_together_or_not_at_all() {
    // Nothing can be written where a folder has a file's name, nor below a file; the first is found out last.
    let test = TestFolders::with(&[("mine.md", "Mine."), ("same.yaml", "template: Same.\n"), ("in_the_way", "")]);
    std::fs::create_dir(test.local.join("folder.yaml")).unwrap();
    let set = test.open().current();
    let before = everything(&test.local);
    let seen = |id: &str| set.file(id).map(|file| file.sha256.as_str());
    let saving = |id, text, seen| Saving { id, format: YAML, text, seen };
    let good = [
        saving("mine", "template: Theirs.\n", seen("mine")),
        saving("same", "template: Other.\n", seen("same")),
        saving("team/new/one", "template: New.\n", None),
    ];
    for (id, text, seen, code) in [
        ("folder", "template: x\n", None, Code::PromptConflict),
        ("in_the_way/x", "template: x\n", None, Code::UnreadableFile),
        ("team/changed", "template: x\n", Some("0"), Code::PromptConflict),
        ("same", "template: x\n", None, Code::NameTaken),
        ("broken", "template: '{{#if x}}'\n", None, Code::Prompt),
        ("../out", "template: x\n", None, Code::InvalidInput),
    ] {
        let prompts = [good.as_slice(), &[saving(id, text, seen)]].concat();
        let fault = save(&test.local, &set, &prompts).unwrap_err();
        assert_eq!(fault.code, code, "{id}: {fault}");
        let said = format!("None of the 4 prompts was saved, because of `{id}`: ");
        assert!(fault.message.starts_with(&said), "it says which, and that the others aren't: {fault}");
        assert_eq!(everything(&test.local), before, "{id}: not a file nor a folder is other than before");
    }

    let saved = save(&test.local, &set, &good).unwrap();
    let files: Vec<_> = saved.written.iter().map(|written| written.file.as_str()).collect();
    assert_eq!(files, ["mine.yaml", "same.yaml", "team/new/one.yaml"]);
    assert!(!test.local.join("mine.md").exists(), "another format takes the file's place");
    assert_ne!(everything(&test.local), before);
    saved.take_back().unwrap();
    assert_eq!(everything(&test.local), before, "all of it can be taken back");
}

#[test]
#[cfg(unix)]
fn what_is_taken_back_is_as_private_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    let test = TestFolders::with(&[("mine.md", "Mine.")]);
    let path = test.local.join("mine.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let set = test.open().current();
    let seen = set.file("mine").map(|file| file.sha256.as_str());
    let yaml = [Saving { id: "mine", format: YAML, text: "template: x\n", seen }];
    save(&test.local, &set, &yaml).unwrap().take_back().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_makes_no_prompt_is_refused_with_its_place() {
    let test = TestFolders::new();
    let set = test.open().current();
    let fault = test.save(&set, "a", YAML, "template: |\n  {{#if x}}\n", None).unwrap_err();
    assert_eq!((fault.code, fault.message.as_str()), (Code::Prompt, "Line 2, column 3: `{{#if x}}` is never closed."));
    assert!(std::fs::read_dir(&test.local).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn no_id_and_no_link_leads_out_of_the_folder() {
    let test = TestFolders::with(&[]);
    let set = test.open().current();
    for id in ["../x", "/x", "a/../../x", "a\\..\\x", ".x", "_partials/x", "x\0", "C:x"] {
        let fault = test.save(&set, id, MD, "x", None).unwrap_err();
        assert_eq!(fault.code, Code::InvalidInput, "{id:?}");
        assert_eq!(delete(&test.local, id, "").unwrap_err().code, Code::InvalidInput, "{id:?}");
    }
    #[cfg(unix)]
    {
        put(&test.synced, &[("victim.md", "v")]);
        std::os::unix::fs::symlink(&test.synced, test.local.join("out")).unwrap();
        std::os::unix::fs::symlink(test.synced.join("victim.md"), test.local.join("link.md")).unwrap();
        for id in ["out/x", "out/victim", "out/new/x", "link"] {
            let fault = test.save(&set, id, MD, "x", None).unwrap_err();
            assert_eq!(fault.code, Code::UnreadableFile, "{id}");
            assert!(delete(&test.local, id, "").is_err(), "{id}");
        }
        let left: Vec<_> = std::fs::read_dir(&test.synced).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["victim.md"]);
        assert_eq!(std::fs::read_to_string(test.synced.join("victim.md")).unwrap(), "v");
    }
}

#[test]
fn a_preview_shows_what_an_unsaved_text_gives() {
    let test = TestFolders::with(&[("_partials/p.hbs", "P{{x}}")]);
    let set = test.open().current();
    let good = preview(&set, "", MD, "a {{> p}}", &given(&[("x", "1")]), NOW);
    assert_eq!((good.problems.as_slice(), good.fault), (&[][..], None));
    assert_eq!(good.prompt.unwrap().arguments[0].name, "x");
    assert_eq!(good.rendered.unwrap().messages.len(), 1);
    let wrong = preview(&set, "a", MD, "a {{> p}}", &given(&[("y", "1")]), NOW);
    assert_eq!((wrong.argument.as_deref(), wrong.rendered), (Some("y"), None));
    let broken = preview(&set, "a", MD, "a {{> q}}", &given(&[]), NOW);
    assert_eq!((broken.prompt, broken.problems[0].line), (None, Some(1)));
}
