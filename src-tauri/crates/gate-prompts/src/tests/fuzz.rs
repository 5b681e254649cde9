//! Files as nobody would write them: each makes a prompt, or is told what is wrong with it.

use gate_core::{PromptFormat, bounds};

use super::{NOW, TestFolders, given};
use crate::fuzzing::{Bytes, Fuzz, damaged};
use crate::preview;

const TOKENS: &[&str] = &[
    "template: |\n  ",
    "arguments:\n",
    "- name: a\n",
    "type: enum",
    "values: [a, b]",
    "messages:\n",
    "role: user",
    "{{",
    "}}",
    "{{{",
    "{{{{raw}}}}",
    "{{{{/raw}}}}",
    "{{#if a}}",
    "{{else}}",
    "{{/if}}",
    "{{#each a as |b c|}}",
    "{{/each}}",
    "{{#with a}}",
    "{{> p}}",
    "{{#> p}}",
    "{{> @partial-block}}",
    "{{#*inline \"p\"}}",
    "{{/inline}}",
    "(lookup a b)",
    "@root.",
    "../",
    "this",
    "{{!--",
    "--}}",
    "\\{{",
    "~",
    "[",
    "]",
    "&x ",
    "*x",
    "---\n",
    "|",
    "\"",
    "'",
    "\n",
    "\t",
    "\u{feff}",
    "深",
    "{\"template\": \"",
    "}",
];

#[test]
fn fuzz_prompt_file() {
    let files = damaged("prompts", TOKENS);
    let test = TestFolders::with(&[("_partials/p.hbs", "[{{> @partial-block}}{{a}}]")]);
    let set = test.open().current();
    let mut fuzz = Fuzz::new("fuzz_prompt_file");
    while fuzz.goes_on() {
        fuzz.batch(&files, |Bytes(bytes)| {
            let Ok(text) = String::from_utf8(bytes) else { return };
            for format in [PromptFormat::Yaml, PromptFormat::Markdown, PromptFormat::Json] {
                let first = preview(&set, "x", format, &text, &given(&[]), NOW);
                let broken = first.problems.iter().any(|problem| !problem.warning);
                assert_eq!(first.prompt.is_none(), broken, "there is a prompt, or a reason why not: {first:?}");
                let lines = text.replace("\r\n", "\n").split(['\n', '\r']).count() + 1;
                let lines = u32::try_from(lines).unwrap_or(u32::MAX);
                for problem in &first.problems {
                    assert!(problem.line.is_none_or(|line| line >= 1 && line <= lines), "{problem:?} is in the file");
                    assert!(problem.column.is_none_or(|column| column >= 1), "{problem:?} is in the file");
                    assert!(!problem.message.is_empty() && !problem.mend.is_empty(), "{problem:?} says what and how");
                }
                let Some(prompt) = first.prompt else { continue };
                assert!(prompt.arguments.len() <= bounds::PROMPT_ARGUMENTS, "arguments are bounded");
                assert!(first.rendered.is_some() != first.fault.is_some(), "it is rendered, or says why not");
                let strange = first.fault.is_some_and(|fault| fault.code == gate_core::Code::Internal);
                assert!(!strange, "nothing breaks in the middle");
            }
        });
    }
}
