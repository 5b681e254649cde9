//! Real agents in runs of gate-worker's, in a sandbox and without one: each is called as its table says, reads its folder
//! and nothing else of the person's, and what it answers is read.

use std::fs;

use anyhow::{Context as _, Result};
use gate_tests::{NoNetwork, Part, Program, RealAgent, Turn, out_of_reach};
use serde_json::{Value, json};

const SECRET: &str = "not for any model";
const VERDICT: &str = r#"{"decision":"rejected","reason":"It does nothing."}"#;
const SCHEMA: &str = r#"{"type":"object","properties":{"decision":{"type":"string"},"reason":{"type":"string"}},
"required":["decision","reason"],"additionalProperties":false}"#;

/// How each reads a file.
fn reads(program: Program, file: &str) -> Turn {
    let (tool, argument): (_, Value) = match program {
        Program::ClaudeCode => ("Read", json!({"file_path": file})),
        Program::Codex => ("exec_command", json!({"cmd": format!("cat '{file}'; echo x > made")})),
        Program::Gemini => ("read_file", json!({"file_path": file})),
        Program::OpenCode => ("read", json!({"filePath": file})),
    };
    Turn::Call(tool, argument)
}

/// How each gives its answer: Claude Code by a tool, where it is held to a schema.
fn answers(program: Program) -> Result<Turn> {
    Ok(match program {
        Program::ClaudeCode => Turn::Call("StructuredOutput", serde_json::from_str(VERDICT)?),
        Program::Codex | Program::Gemini | Program::OpenCode => Turn::Say(VERDICT),
    })
}

async fn reviews(program: Program, words: &[&str]) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(agent) = RealAgent::new(program, Vec::new()).await? else { return Ok(()) };
    let person = agent.home.folder().join("person");
    let (secret, ran) = (person.join("secret"), person.join("ran"));
    fs::write(&secret, SECRET)?;
    let hook =
        json!({"SessionStart": [{"hooks": [{"type": "command", "command": format!("touch '{}'", ran.display())}]}]});
    if program == Program::ClaudeCode {
        fs::write(person.join(".claude/settings.json"), json!({"hooks": hook}).to_string())?;
    }
    if program == Program::Codex {
        fs::write(person.join(".codex/auth.json"), json!({"OPENAI_API_KEY": SECRET}).to_string())?;
    }
    let schema = agent.home.folder().join("schema.json");
    fs::write(&schema, SCHEMA)?;
    // Codex keeps its commands from the file that it is signed in by; what else there is outside it reads by itself.
    let kept = if program == Program::Codex { person.join(".codex/auth.json") } else { secret };
    let kept = kept.to_str().context("a path")?;
    let is_in_a_sandbox = !words.is_empty();
    // As root, who may make no namespaces without rights to files, it has no sandbox for its commands in another one.
    let reads_nothing = program == Program::Codex && is_in_a_sandbox && rustix::process::geteuid().is_root();
    let mut turns = vec![reads(program, "src/main.rs"), reads(program, kept)];
    if reads_nothing {
        turns.clear();
    }
    let calls = turns.len();
    turns.push(answers(program)?);
    agent.model.says(turns);
    let words = [words, &["--schema", schema.to_str().context("a path")?]].concat();
    let ended = agent.answer_in_a_run(&words, "Review src/main.rs.").await?;
    if is_in_a_sandbox && ended.stdout.contains("no Landlock with scopes") {
        return out_of_reach("this kernel has no Landlock with scopes");
    }
    assert!(
        ended.stdout.contains("Answered(Object {") && ended.stdout.contains("\"rejected\""),
        "the answer is read: {ended:?}"
    );
    assert!(
        agent.model.asked().iter().any(|(_, body)| body.to_string().contains("Review src/main.rs.")),
        "it was asked"
    );
    let given = agent.model.given();
    assert!(given.len() >= calls, "its tools answered: {given:?}");
    let texts = given.concat().into_iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Image(_) => None,
    });
    let texts = texts.collect::<Vec<_>>().join("\n");
    assert_eq!(texts.contains("fn main()"), calls > 0, "it reads what it is given: {texts}");
    assert!(!texts.contains(SECRET), "and nothing else: {texts}");
    assert!(!ran.exists(), "no hook of the person's ran");
    assert_eq!(fs::read_dir(agent.home.folder().join("runs"))?.count(), 0, "its folder went with it");
    Ok(())
}

const SANDBOX: &[&str] = &["--sandbox", "--shared-network"];

#[tokio::test]
async fn claude_code_reviews() -> Result<()> {
    reviews(Program::ClaudeCode, &[]).await
}

#[tokio::test]
async fn claude_code_reviews_in_a_sandbox() -> Result<()> {
    reviews(Program::ClaudeCode, SANDBOX).await
}

#[tokio::test]
async fn codex_reviews() -> Result<()> {
    reviews(Program::Codex, &[]).await
}

#[tokio::test]
async fn codex_reviews_in_a_sandbox() -> Result<()> {
    reviews(Program::Codex, SANDBOX).await
}

#[tokio::test]
async fn gemini_reviews() -> Result<()> {
    reviews(Program::Gemini, &[]).await
}

#[tokio::test]
async fn gemini_reviews_in_a_sandbox() -> Result<()> {
    reviews(Program::Gemini, SANDBOX).await
}

#[tokio::test]
async fn opencode_reviews() -> Result<()> {
    reviews(Program::OpenCode, &[]).await
}

#[tokio::test]
async fn opencode_reviews_in_a_sandbox() -> Result<()> {
    reviews(Program::OpenCode, SANDBOX).await
}
