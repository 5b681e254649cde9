//! Prompts of other tools come in with every word that they had.

use gate_core::{Code, PromptFormat};
use proptest::prelude::*;

use super::{NOW, TestFolders, given, text};
use crate::import::{ImportedPrompt, plan, plan_files};
use crate::{Import, preview};

fn from(test: &TestFolders, below: &str) -> Import {
    plan(test.local.join(below).to_str().unwrap()).unwrap()
}

fn rendered(prompt: &ImportedPrompt, arguments: &[(&str, &str)]) -> String {
    let test = TestFolders::new();
    let file = format!("p.{}", prompt.format.extension());
    super::put(&test.local, &[(&file, &prompt.text)]);
    let set = test.open().current();
    assert_eq!(set.problems(), [], "{}", prompt.text);
    text(&set, "p", arguments).unwrap()
}

#[test]
fn the_prompts_of_mcp_feedback_enhanced_are_found_wherever_they_are() {
    let list = r#"[{"id": "prompt_1_1", "name": "Go on: please", "content": "Go on\nwith {{this}} \\{{x}}", "createdAt": "2025-01-01T00:00:00Z", "lastUsedAt": null, "isAutoSubmit": false},
        {"id": "prompt_2_1", "name": "Go on: please", "content": "Again"}, {"id": "prompt_3", "name": "empty", "content": " "}]"#;
    let whole =
        format!("{{\"layoutMode\": \"x\", \"promptSettings\": {{\"prompts\": {list}, \"lastUsedPromptId\": null}}}}");
    let test =
        TestFolders::with(&[("a.json", &format!("{{\"prompts\": {list}}}")), ("b.json", &whole), ("c.json", list)]);
    for file in ["a.json", "b.json", "c.json"] {
        let import = from(&test, file);
        assert_eq!(import.kind, "mcp-feedback-enhanced");
        let ids: Vec<_> = import.prompts.iter().map(|prompt| (prompt.id.as_str(), prompt.title.as_str())).collect();
        assert_eq!(ids, [("go_on__please", "Go on: please"), ("go_on__please_2", "Go on: please")], "{file}");
        assert_eq!(rendered(&import.prompts[0], &[]), "Go on\nwith {{this}} \\{{x}}");
        assert_eq!(import.problems[0].message, "This prompt has no text.");
    }
}

#[test]
fn slash_commands_keep_their_words_and_get_arguments() {
    let command = "---\ndescription: Fix: an issue\nargument-hint: [number] [why]\nallowed-tools: Bash(git add:*)\n---\nFix $ARGUMENTS: {$1} costs $100, $2. And {{not}} a ${variable}\n";
    let test = TestFolders::with(&[
        (".claude/commands/git/fix.md", command),
        (".claude/commands/plain.md", "Just text"),
        (".claude/README.md", "x"),
    ]);
    let import = from(&test, "");
    assert_eq!(import.kind, "Claude Code commands");
    let ids: Vec<_> = import.prompts.iter().map(|prompt| (prompt.id.as_str(), prompt.from.as_str())).collect();
    assert_eq!(ids, [("git/fix", "git/fix.md"), ("plain", "plain.md")]);
    let fix = &import.prompts[0];
    let arguments = [("arguments", "7 now"), ("argument_1", "7"), ("argument_2", "now")];
    assert_eq!(rendered(fix, &arguments), "Fix 7 now: {7} costs $100, now. And {{not}} a ${variable}");
    assert!(fix.text.contains("description: \"Fix: an issue\""), "{}", fix.text);
}

#[test]
fn our_own_prompts_come_as_they_are_and_nothing_is_refused() {
    let test = TestFolders::with(&[
        ("x/a.yaml", "title: A\ntemplate: A {{b}}\n"),
        ("x/b.json", "{\"template\": \"B\"}"),
        ("x/c.yaml", "no: ["),
        ("y/readme.md", "x"),
        ("z.txt", "x"),
    ]);
    let import = from(&test, "x");
    let found: Vec<_> = import.prompts.iter().map(|prompt| (prompt.id.as_str(), prompt.format)).collect();
    assert_eq!(found, [("a", PromptFormat::Yaml), ("b", PromptFormat::Json)]);
    assert_eq!(import.problems[0].file, "c.yaml");
    let code = |path: &str| plan(path).unwrap_err().code;
    let there = |below: &str| test.local.join(below).to_str().unwrap().to_owned();
    assert_eq!(code(&there("y")), Code::InvalidInput);
    assert_eq!(code(&there("z.txt")), Code::InvalidInput);
    assert_eq!(code(&there("nowhere")), Code::UnreadableFile);
    assert_eq!(code("relative/path"), Code::InvalidInput);
}

#[test]
fn files_that_are_handed_over_are_taken_by_their_names() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let import = plan_files(vec![
        file("a.yaml", "title: A\ntemplate: A {{b}}\n"),
        file("commands/fix.md", "Fix $ARGUMENTS\n"),
        file("broken.yaml", "title: A\ntemplate: '{{#if b}'\n"),
        file("picture.png", "x"),
    ])
    .unwrap();
    let found: Vec<_> = import.prompts.iter().map(|prompt| (prompt.id.as_str(), prompt.from.as_str())).collect();
    assert_eq!(found, [("a", "a.yaml"), ("fix", "fix.md")], "their folders are left out");
    assert_eq!(import.kind, "files", "there are several kinds");
    let problems: Vec<_> = import.problems.iter().map(|problem| (problem.file.as_str(), problem.line)).collect();
    assert_eq!(problems, [("broken.yaml", Some(2)), ("picture.png", None)]);
    let one = plan_files(vec![file("a.json", r#"[{"name": "x", "content": "y"}]"#)]).unwrap();
    assert_eq!((one.kind.as_str(), one.prompts.len()), ("mcp-feedback-enhanced", 1));
    let large = "x".repeat(gate_core::bounds::PROMPT_IMPORT_BYTES);
    assert_eq!(plan_files(vec![file("a.md", &large), file("b.md", "x")]).unwrap_err().code, Code::TooLarge);
}

#[test]
fn any_text_is_given_back_by_the_template_that_it_becomes() {
    let piece = prop::sample::select(vec![
        "{",
        "{{",
        "}}",
        "}",
        "\\",
        "\\\\",
        "#if x",
        "/",
        "!",
        ">",
        "a",
        " ",
        "\n",
        "\"",
        "'",
        "$",
        "~",
        "é",
        "$ARGUMENTS",
        "$1",
    ]);
    let set = TestFolders::new().open().current();
    let runner = &mut proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        cases: 400,
        ..ProptestConfig::default()
    });
    let tried = runner.run(&prop::collection::vec(piece, 1..14), |pieces| {
        let body = format!("x{}x", pieces.concat());
        let (template, arguments) = crate::import::command_template(&body);
        let arguments: Vec<_> = arguments.iter().map(|name| (name.as_str(), "")).collect();
        let preview = preview(&set, "p", PromptFormat::Markdown, &template, &given(&arguments), NOW);
        prop_assert!(preview.rendered.is_some(), "{body:?} becomes {template:?}: {:?}", preview.problems);
        let gate_core::PromptContent::Text { text } = &preview.rendered.unwrap().messages[0].content else {
            return Ok(());
        };
        if arguments.is_empty() {
            prop_assert_eq!(text, &body, "it becomes {}", template);
        }
        Ok(())
    });
    tried.unwrap();
}
