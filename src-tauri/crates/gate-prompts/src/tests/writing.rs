//! Saving and deleting: whole, seen, and nowhere but in the folder.

use gate_core::{Code, PromptFormat};

use super::{NOW, TestFolders, given, put, text};
use crate::{delete, preview, save};

const MD: PromptFormat = PromptFormat::Markdown;
const YAML: PromptFormat = PromptFormat::Yaml;

#[test]
fn a_prompt_is_saved_changed_and_deleted_by_those_who_have_seen_it() {
    let test = TestFolders::new();
    let library = test.open();
    let set = library.current();
    let code = |result: Result<crate::Written, (gate_core::Fault, _)>| -> Option<Code> {
        let _: &Result<_, (_, Vec<gate_core::PromptProblem>)> = &result;
        result.err().map(|(fault, _)| fault.code)
    };
    let first = save(&test.local, &set, "team/a", MD, "one", None).unwrap();
    assert_eq!(first.file, "team/a.md");
    assert_eq!(code(save(&test.local, &set, "team/a", MD, "two", None)), Some(Code::NameTaken));
    assert_eq!(code(save(&test.local, &set, "team/a", MD, "two", Some("0"))), Some(Code::PromptConflict));
    assert_eq!(code(save(&test.local, &set, "team/b", MD, "two", Some("0"))), Some(Code::PromptConflict));
    let second = save(&test.local, &set, "team/a", YAML, "template: two\n", Some(&first.sha256)).unwrap();
    assert_eq!(second.file, "team/a.yaml", "another format takes the file's place");
    assert!(!test.local.join("team/a.md").exists());
    library.reload();
    let set = library.current();
    assert_eq!(text(&set, "team/a", &[]).unwrap(), "two");
    assert_eq!(set.entry("team/a").unwrap().sha256, second.sha256);
    std::fs::rename(test.local.join("team/a.yaml"), test.local.join("team/a.yml")).unwrap();
    let third = save(&test.local, &set, "team/a", YAML, "template: three\n", Some(&second.sha256)).unwrap();
    assert_eq!(third.file, "team/a.yml", "the extension stays");
    let built_in = &set.entry("code_review").unwrap().sha256;
    save(&test.local, &set, "code_review", MD, "mine", Some(built_in)).unwrap();
    assert_eq!(delete(&test.local, "team/a", &second.sha256).unwrap_err().code, Code::PromptConflict);
    delete(&test.local, "team/a", &third.sha256).unwrap();
    assert!(!test.local.join("team").exists(), "an empty folder goes as well");
    assert_eq!(delete(&test.local, "team/a", &third.sha256).unwrap_err().code, Code::UnknownPrompt);
    let names: Vec<_> = std::fs::read_dir(&test.local).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["code_review.md"], "nothing is left behind");
}

#[test]
fn what_makes_no_prompt_is_refused_with_its_place() {
    let test = TestFolders::new();
    let set = test.open().current();
    let (fault, problems) = save(&test.local, &set, "a", YAML, "template: |\n  {{#if x}}\n", None).unwrap_err();
    assert_eq!((fault.code, fault.message.as_str()), (Code::Prompt, "Line 2, column 3: `{{#if x}}` is never closed."));
    assert_eq!((problems[0].line, problems[0].column), (Some(2), Some(3)));
    assert!(std::fs::read_dir(&test.local).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn no_id_and_no_link_leads_out_of_the_folder() {
    let test = TestFolders::with(&[]);
    let set = test.open().current();
    for id in ["../x", "/x", "a/../../x", "a\\..\\x", ".x", "_partials/x", "x\0", "C:x"] {
        let (fault, _) = save(&test.local, &set, id, MD, "x", None).unwrap_err();
        assert_eq!(fault.code, Code::InvalidInput, "{id:?}");
        assert_eq!(delete(&test.local, id, "").unwrap_err().code, Code::InvalidInput, "{id:?}");
    }
    #[cfg(unix)]
    {
        put(&test.synced, &[("victim.md", "v")]);
        std::os::unix::fs::symlink(&test.synced, test.local.join("out")).unwrap();
        std::os::unix::fs::symlink(test.synced.join("victim.md"), test.local.join("link.md")).unwrap();
        for id in ["out/x", "out/victim", "out/new/x", "link"] {
            let (fault, _) = save(&test.local, &set, id, MD, "x", None).unwrap_err();
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
