//! Programs as they are found.

use gate_worker::{Installed, Program};

use crate::scene::Scene;

const HELP: &str = "--print --output-format --json-schema --tools --strict-mcp-config --no-session-persistence \
                    --safe-mode --max-budget-usd --model";

fn says(help: &str) -> String {
    format!("case \"$1\" in --version) echo '2.1.197 (Claude Code)';; *) echo '{help}';; esac")
}

#[tokio::test]
async fn a_program_is_found_in_path_or_where_the_person_says() {
    let mut scene = Scene::new();
    let path = scene.script("claude", &says(HELP));
    let folders = std::env::join_paths([scene.folder.path().join("bin"), "/usr/bin".into(), "/bin".into()]);
    scene.environment[0].1 = folders.expect("folders");
    let expected = Installed { program: Program::ClaudeCode, path: path.clone(), version: Some("2.1.197".to_owned()) };
    assert_eq!(Installed::find(Program::ClaudeCode, None, &scene.environment).await, Ok(expected.clone()));
    let elsewhere = scene.script("my-claude", &says(HELP));
    let found = Installed::find(Program::ClaudeCode, Some(&elsewhere), &scene.environment).await;
    assert_eq!(found, Ok(Installed { path: elsewhere, ..expected }));
    let absent = Installed::find(Program::Codex, None, &scene.environment).await.expect_err("there is none");
    assert_eq!(absent.message, "Codex isn't installed: no folder of PATH has `codex`.");
    let absent = Installed::find(Program::Codex, Some(&scene.seen("codex")), &scene.environment).await;
    assert!(absent.is_err_and(|why| why.message.contains("isn't at")));
}

#[tokio::test]
async fn one_whose_help_lacks_an_option_is_refused_and_the_option_named() {
    let scene = Scene::new();
    for option in ["--safe-mode", "--json-schema", "--tools"] {
        let path = scene.script("claude", &says(&HELP.replace(option, "--another")));
        let refused = Installed::find(Program::ClaudeCode, Some(&path), &scene.environment).await.expect_err(option);
        assert_eq!(
            refused.message,
            format!(
                "Claude Code 2.1.197 has no option {option}, without which it isn't run on its own: `claude --help` \
                 doesn't name it."
            )
        );
    }
    let path = scene.script("claude", "exit 1");
    assert!(Installed::find(Program::ClaudeCode, Some(&path), &scene.environment).await.is_err(), "it names none");
}
