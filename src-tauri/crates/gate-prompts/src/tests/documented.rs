//! `docs/prompts.md` shows every built-in prompt as it is rendered.
//!
//! `REVIEW_GATE_WRITE_SAMPLES=1` writes the samples anew.

use super::{TestFolders, text};

const BEGIN: &str = "<!-- samples: written by gate-prompts' tests -->";
const END: &str = "<!-- end of the samples -->";

const GIVEN: &[(&str, &[(&str, &str)])] = &[
    (
        "code_review",
        &[("file_path", "src/cart.rs"), ("focus_areas", "security, error handling"), ("severity_level", "warning")],
    ),
    (
        "documentation_check",
        &[("file_path", "docs/api.md"), ("standards", "the Google developer documentation style guide")],
    ),
    (
        "performance_review",
        &[("file_path", "src/search.py"), ("profile_data", "78 % tokenize (search.py:40)\n11 % json.loads")],
    ),
    ("security_review", &[("file_path", "src/upload.ts"), ("threat_model", "true")]),
    ("testing_review", &[("file_path", "src/cart.rs"), ("coverage_threshold", "85")]),
];

#[test]
fn the_documentation_shows_the_built_in_prompts_as_they_are() {
    let set = TestFolders::new().open().current();
    assert_eq!(set.problems(), [], "the built-in prompts are good");
    let ids: Vec<&str> = set.list.prompts.iter().map(|prompt| prompt.id.as_str()).collect();
    assert_eq!(ids, GIVEN.iter().map(|(id, _)| *id).collect::<Vec<_>>(), "each has a sample");
    let mut samples = format!("{BEGIN}\n");
    for (id, arguments) in GIVEN {
        let prompt = &set.entry(id).unwrap().prompt;
        let shown: Vec<String> =
            arguments.iter().map(|(name, value)| format!("`{name}` = `{}`", value.replace('\n', "⏎"))).collect();
        let body = text(&set, id, arguments).unwrap();
        assert!(body.contains("`review_gate_chat`"), "{id} ends with the question to the person");
        samples.push_str(&format!(
            "\n### `{id}`\n\n{} With {}:\n\n````markdown\n{body}\n````\n",
            prompt.description,
            shown.join(", ")
        ));
        assert!(text(&set, id, &[]).is_ok(), "{id} needs no argument");
    }
    samples.push_str(&format!("\n{END}"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/prompts.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{samples}{after}");
    if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
        std::fs::write(path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/prompts.md is out of date; REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
    }
}
