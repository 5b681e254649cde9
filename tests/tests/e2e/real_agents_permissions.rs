//! Real agents at a terminal that ask whether they may, each with a model that the test scripts: what a person answers at the
//! gate is what happens, and nothing happens without a person's act, there or at the agent's own prompt.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use gate_tests::{AgentTerminal, LIMIT, NoNetwork, Part, Program, RealAgent, Serve, SignedPage, Turn, eventually};
use serde_json::{Value, json};

/// How long an agent may take until it asks its model, before its Enter is pressed, and how often that is.
const BEGINS: Duration = Duration::from_secs(15);
const TRIES: u32 = 8;

/// How an agent's own prompt is known, and the key that says yes to it.
struct OwnPrompt {
    shows: &'static str,
    yes: &'static str,
}

fn own_prompt(program: Program) -> OwnPrompt {
    match program {
        Program::ClaudeCode => OwnPrompt { shows: "Do you want to proceed?", yes: "\r" },
        Program::Codex => OwnPrompt { shows: "Would you like to run", yes: "y" },
        Program::OpenCode | Program::Gemini => OwnPrompt { shows: "Permission required", yes: "\r" },
    }
}

/// The model wants to run a command.
fn runs(program: Program, command: &str) -> Turn {
    match program {
        Program::Codex => Turn::Call(
            "exec_command",
            json!({"cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I?"}),
        ),
        Program::ClaudeCode => Turn::Call("Bash", json!({"command": command, "description": "Makes a file"})),
        Program::OpenCode | Program::Gemini => {
            Turn::Call("bash", json!({"command": command, "description": "Makes a file"}))
        }
    }
}

/// The model wants to write a file, which it names by the folder that a command before has told it.
fn writes(program: Program) -> Option<Turn> {
    fn file(text: &str) -> String {
        let folder = text.find("/tmp/rg-").map(|at| text[at..].split_whitespace().next().unwrap_or_default());
        format!("{}/written.txt", folder.unwrap_or_default())
    }
    match program {
        Program::ClaudeCode => {
            Some(Turn::With("Write", |text| json!({"file_path": file(text), "content": "one\ntwo\n"})))
        }
        // Codex's patches have a form of their own, which the scripted model doesn't speak.
        Program::Codex | Program::OpenCode | Program::Gemini => None,
    }
}

/// A person with one agent that asks before it acts, and the gate's page.
struct Scene {
    agent: RealAgent,
    gate: Serve,
    page: SignedPage,
}

impl Scene {
    async fn new(program: Program, turns: Vec<Turn>) -> Result<Option<Self>> {
        let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(None) };
        agent.asks_before_it_acts()?;
        agent.install(&["--permissions", "--no-allow"]).await?;
        let gate = agent.home.serve().await?;
        let page = SignedPage::sign_in(&agent.home).await?;
        Ok(Some(Self { agent, gate, page }))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.agent.home.workspace().join(name)
    }

    /// What the agent asks at the gate that has this in it, with the files that aren't there meanwhile.
    async fn asked(&self, text: &str, not_there: &str) -> Result<Value> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            let all = waiting["requests"].as_array().cloned().unwrap_or_default();
            for request in all {
                // One that has ended meanwhile isn't the one.
                let opened =
                    self.page.command(json!({"command": "open_request", "request_id": request["request_id"]})).await?;
                let Ok(mut opened) = opened else { continue };
                let input = opened["request"]["permission"]["input"].as_str().unwrap_or_default();
                if input.contains(text) {
                    let mut shown = opened["request"].take();
                    shown["request_id"] = request["request_id"].clone();
                    return Ok(Some(shown));
                }
            }
            Ok(None)
        };
        let found = eventually(&format!("a question about {text:?} at the gate"), LIMIT, look).await?;
        assert!(!self.file(not_there).exists(), "nothing is done before somebody has allowed it");
        Ok(found)
    }

    async fn answers(&self, request: &Value, answer: Value) -> Result<()> {
        let answer = json!({
            "command": "answer_permission", "request_id": request["request_id"], "digest": request["digest"],
            "answer": answer,
        });
        self.page.does(answer).await.map(drop)
    }

    async fn is_made(&self, name: &str) -> Result<()> {
        let file = self.file(name);
        eventually(&format!("{name}, which was allowed"), LIMIT, || async { Ok(file.exists().then_some(())) }).await
    }

    async fn nothing_waits(&self) -> Result<()> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty).then_some(()))
        };
        eventually("that the question is gone from the gate", LIMIT, look).await
    }

    /// What the model was given of its calls, once there are so many.
    async fn given(&self, calls: usize) -> Result<Vec<String>> {
        let look = || async {
            let given = self.agent.model.given();
            Ok((given.len() >= calls).then_some(given))
        };
        let given = eventually(&format!("{calls} results at the model"), LIMIT, look).await?;
        let text = |parts: &Vec<Part>| {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Image(_) => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        };
        Ok(given.iter().map(text).collect())
    }

    /// The agent at a terminal, at work on what it was told.
    async fn starts(&self) -> Result<AgentTerminal> {
        let terminal = self.agent.at_a_terminal("go")?;
        if self.agent.program() != Program::OpenCode {
            return Ok(terminal);
        }
        // What opencode is started with before it has read its models stays in its box until somebody presses Enter. No
        // prompt of its own stands there by then: it asks nothing before its model has.
        let asked = || async { Ok((!self.agent.model.asked().is_empty()).then_some(())) };
        for _ in 0..TRIES {
            if eventually("the agent begins", BEGINS, asked).await.is_ok() {
                return Ok(terminal);
            }
            terminal.types("\r")?;
        }
        Err(at(&terminal, anyhow!("it asks its model nothing")))
    }
}

/// What went wrong, with what the agent's terminal shows.
fn at(terminal: &AgentTerminal, error: anyhow::Error) -> anyhow::Error {
    let drawn = terminal.drawn();
    let from = drawn.char_indices().rev().nth(2500).map_or(0, |(at, _)| at);
    anyhow!("{error:#}\nat the terminal: {}", &drawn[from..])
}

/// A command is allowed, one is denied with a reason, and where the agent takes it, one is changed and allowed; and one
/// new file.
async fn the_person_answers_at_the_gate(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let commands = ["echo hi > made.txt; pwd", "echo no > denied.txt", "echo as-asked > asked.txt"];
    let turns = commands.into_iter().map(|command| runs(program, command)).chain(writes(program));
    let turns = turns.chain([Turn::Say("Done.")]).collect();
    let Some(scene) = Scene::new(program, turns).await? else { return Ok(()) };
    let terminal = scene.starts().await?;
    answered(program, &scene).await.map_err(|error| at(&terminal, error))
}

async fn answered(program: Program, scene: &Scene) -> Result<()> {
    let request = scene.asked("made.txt", "made.txt").await?;
    let permission = &request["permission"];
    assert_eq!(permission["kind"], "command", "it is shown for what it is: {permission}");
    assert_eq!(permission["folder"], scene.agent.home.workspace().display().to_string(), "and where: {permission}");
    scene.answers(&request, json!({"answer": "once"})).await?;
    scene.is_made("made.txt").await?;

    let request = scene.asked("denied.txt", "denied.txt").await?;
    scene.answers(&request, json!({"answer": "deny", "reason": "Write to a folder of its own."})).await?;
    let given = scene.given(2).await?;
    assert!(given[1].contains("Write to a folder of its own."), "the model is told why: {given:?}");

    let request = scene.asked("asked.txt", "asked.txt").await?;
    let edits = program == Program::ClaudeCode;
    let answer = match edits {
        true => json!({"answer": "edited", "text": "echo as-edited > edited.txt"}),
        false => json!({"answer": "once"}),
    };
    scene.answers(&request, answer).await?;
    let (made, other) = if edits { ("edited.txt", "asked.txt") } else { ("asked.txt", "edited.txt") };
    scene.is_made(made).await?;
    scene.given(3).await?;
    assert!(!scene.file(other).exists(), "only what was allowed is done");
    let told = scene.agent.model.sections("The person changed the input of this tool");
    assert_eq!(!told.is_empty(), edits, "a model that didn't ask for what was done is told so");

    if writes(program).is_some() {
        let request = scene.asked("written.txt", "written.txt").await?;
        let permission = &request["permission"];
        let kind = permission["kind"].as_str().unwrap_or_default();
        assert!(["write", "edit"].contains(&kind), "it is shown for what it is: {permission}");
        assert!(permission["unknown"].is_null(), "what it would do is known: {permission}");
        scene.answers(&request, json!({"answer": "once"})).await?;
        scene.is_made("written.txt").await?;
        scene.given(4).await?;
        assert_eq!(std::fs::read_to_string(scene.file("written.txt"))?, "one\ntwo\n");
    }
    assert!(!scene.file("denied.txt").exists(), "what was denied isn't done later either");
    scene.nothing_waits().await
}

/// How often a terminal has drawn this.
fn times(terminal: &AgentTerminal, text: &str) -> usize {
    let wanted: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    terminal.drawn().matches(&wanted).count()
}

/// Answered at the agent's own prompt, without a gate, and while the person is away: there its own prompt is what counts.
async fn the_agents_own_prompt_stays(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > away.txt"), runs(program, "echo hi > alone.txt"), Turn::Say("Done.")];
    let Some(mut scene) = Scene::new(program, turns).await? else { return Ok(()) };
    scene.agent.forget_the_server()?;
    scene.agent.home.run(["away"]).await?.succeeded()?;
    let terminal = scene.starts().await?;
    let own = own_prompt(program);
    let alone = async {
        terminal.draws(own.shows).await?;
        assert!(!scene.file("away.txt").exists(), "nothing is allowed for somebody who is away");
        scene.gate.kill().await?;
        let before = times(&terminal, own.shows);
        terminal.types(own.yes)?;
        scene.is_made("away.txt").await?;
        let again = || async { Ok((times(&terminal, own.shows) > before).then_some(())) };
        eventually("the agent's own prompt, without a gate", LIMIT, again).await?;
        assert!(!scene.file("alone.txt").exists(), "without a gate nothing is allowed");
        terminal.types(own.yes)?;
        scene.is_made("alone.txt").await
    };
    alone.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

/// What is answered at the agent's own prompt first is over at the gate.
async fn no_at_its_own_prompt_takes_the_question_back(program: Program, no: &str) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(scene) = Scene::new(program, turns).await? else { return Ok(()) };
    let terminal = scene.starts().await?;
    let over = async {
        let request = scene.asked("made.txt", "made.txt").await?;
        if program != Program::Codex {
            terminal.draws(own_prompt(program).shows).await?;
        }
        terminal.types(no)?;
        scene.nothing_waits().await?;
        let late = scene.answers(&request, json!({"answer": "once"})).await;
        assert!(late.is_err(), "an answer that comes too late is refused");
        assert!(!scene.file("made.txt").exists(), "and does nothing");
        Ok(())
    };
    over.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

/// Where it is allowed at the agent's own prompt, it is done, and the question goes from the gate.
async fn yes_at_its_own_prompt_closes_the_question(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(scene) = Scene::new(program, turns).await? else { return Ok(()) };
    let terminal = scene.starts().await?;
    let over = async {
        let request = scene.asked("made.txt", "made.txt").await?;
        let own = own_prompt(program);
        terminal.draws(own.shows).await?;
        terminal.types(own.yes)?;
        scene.is_made("made.txt").await?;
        scene.nothing_waits().await?;
        let late = scene.answers(&request, json!({"answer": "deny", "reason": "Too late."})).await;
        assert!(late.is_err(), "an answer that comes too late is refused");
        Ok(())
    };
    over.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

#[tokio::test]
async fn claude_code_tells_of_a_yes_at_its_own_prompt() -> Result<()> {
    yes_at_its_own_prompt_closes_the_question(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn opencode_tells_of_a_yes_at_its_own_prompt() -> Result<()> {
    yes_at_its_own_prompt_closes_the_question(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_takes_its_question_back_after_a_no_at_its_own_prompt() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::ClaudeCode, "\u{1b}").await.context("Claude Code")
}

#[tokio::test]
async fn codex_takes_its_question_back_after_escape() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::Codex, "\u{1b}").await.context("Codex")
}

#[tokio::test]
async fn opencode_takes_its_question_back_after_a_no_at_its_own_prompt() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::OpenCode, "\u{1b}").await.context("opencode")
}
