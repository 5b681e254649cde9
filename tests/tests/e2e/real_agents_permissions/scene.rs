//! A person with one real agent that asks before it acts, its model, and the gate's page: what the tests of permission questions
//! share.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, anyhow, ensure};
use gate_tests::{AgentTerminal, LIMIT, Part, Process, Program, RealAgent, Serve, SignedPage, Turn, eventually};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::task::JoinHandle;

/// How long an agent may take until it asks its model, before its Enter is pressed, and how often that is.
const BEGINS: Duration = Duration::from_secs(15);
const TRIES: u32 = 8;
/// After how long a key is pressed again that brought about nothing.
const AGAIN: Duration = Duration::from_secs(12);

/// How an agent's own prompt is known, and the key that says yes to it.
pub(super) struct OwnPrompt {
    pub(super) shows: &'static str,
    pub(super) yes: &'static str,
}

/// Of a command.
pub(super) fn own_prompt(program: Program) -> OwnPrompt {
    match program {
        Program::ClaudeCode => OwnPrompt { shows: "Do you want to proceed?", yes: "\r" },
        Program::Codex => OwnPrompt { shows: "Would you like to run", yes: "y" },
        Program::OpenCode | Program::Gemini => OwnPrompt { shows: "Permission required", yes: "\r" },
    }
}

/// Of an edit.
pub(super) fn own_prompt_of_edits(program: Program) -> OwnPrompt {
    let shows = match program {
        Program::ClaudeCode => "Do you want to make this edit to",
        Program::Codex => "Would you like to make the following edits",
        Program::OpenCode | Program::Gemini => own_prompt(program).shows,
    };
    OwnPrompt { shows, ..own_prompt(program) }
}

/// The model wants to run a command.
pub(super) fn runs(program: Program, command: &str) -> Turn {
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

/// A person with one agent that asks before it acts, and the gate's page.
pub(super) struct Scene {
    pub(super) agent: RealAgent,
    pub(super) gate: Serve,
    pub(super) page: SignedPage,
}

impl Scene {
    /// One whose questions come here by the agent's hook.
    pub(super) async fn new(program: Program, turns: Vec<Turn>) -> Result<Option<Self>> {
        Self::connected(program, &["--permissions", "--no-allow"], turns).await
    }

    /// One that is connected with these words.
    pub(super) async fn connected(program: Program, words: &[&str], turns: Vec<Turn>) -> Result<Option<Self>> {
        let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(None) };
        agent.asks_before_it_acts()?;
        agent.install(words).await?;
        let gate = agent.home.serve().await?;
        let page = SignedPage::sign_in(&agent.home).await?;
        Ok(Some(Self { agent, gate, page }))
    }

    /// The folder that the agent works in.
    pub(super) fn folder(&self) -> PathBuf {
        self.agent.home.workspace()
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// What the agent asks at the gate that has this in it.
    pub(super) async fn asks(&self, text: &str) -> Result<Value> {
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
        eventually(&format!("a question about {text:?} at the gate"), LIMIT, look).await
    }

    /// The same of what makes a file, which isn't there meanwhile.
    pub(super) async fn asked(&self, text: &str, not_there: &str) -> Result<Value> {
        let found = self.asks(text).await?;
        assert!(!self.file(not_there).exists(), "nothing is done before somebody has allowed it");
        Ok(found)
    }

    pub(super) async fn answers(&self, request: &Value, answer: Value) -> Result<()> {
        let answer = json!({
            "command": "answer_permission", "request_id": request["request_id"], "digest": request["digest"],
            "answer": answer,
        });
        self.page.does(answer).await.map(drop)
    }

    /// Says yes at the agent's own prompt, which is drawn, to what makes a file.
    pub(super) async fn says_yes(&self, terminal: &AgentTerminal, name: &str) -> Result<()> {
        self.says_yes_at(terminal, name).await.map(drop)
    }

    /// The same; gives when the key was pressed.
    pub(super) async fn says_yes_at(&self, terminal: &AgentTerminal, name: &str) -> Result<Moment> {
        let (file, yes) = (self.file(name), own_prompt(self.agent.program()).yes);
        let what = format!("{name}, which was allowed at the agent's own prompt");
        presses(terminal, yes, &what, async || Ok(file.exists())).await
    }

    /// Says no at the agent's terminal, until nothing waits at the gate; gives when the key was pressed.
    pub(super) async fn says_no_at(&self, terminal: &AgentTerminal) -> Result<Moment> {
        presses(terminal, "\u{1b}", "that the question is gone from the gate", async || self.is_idle().await).await
    }

    pub(super) async fn is_made(&self, name: &str) -> Result<()> {
        let file = self.file(name);
        eventually(&format!("{name}, which was allowed"), LIMIT, || async { Ok(file.exists().then_some(())) }).await
    }

    pub(super) async fn nothing_waits(&self) -> Result<()> {
        let look = || async { Ok(self.is_idle().await?.then_some(())) };
        eventually("that the question is gone from the gate", LIMIT, look).await
    }

    async fn is_idle(&self) -> Result<bool> {
        let waiting = self.page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty))
    }

    /// The processes that ask at the gate for the agent.
    pub(super) fn hooks(&self) -> Vec<Process> {
        let asks = |process: &Process| {
            let arguments = process.arguments();
            let [program, command, ..] = arguments.as_slice() else { return false };
            Path::new(program).ends_with("review-gate") && command == "permit"
        };
        self.agent.home.processes().into_iter().filter(asks).collect()
    }

    pub(super) async fn no_hook_waits(&self) -> Result<()> {
        let look = || async { Ok(self.hooks().is_empty().then_some(())) };
        eventually("that the hook ends, which nobody answers", LIMIT, look).await
    }

    /// That an answer to this has come too late, and does nothing.
    pub(super) async fn is_too_late(&self, request: &Value) -> Result<()> {
        let late = self.answers(request, json!({"answer": "once"})).await;
        ensure!(late.is_err(), "an answer that comes too late is refused");
        Ok(())
    }

    /// Waits until the agent's own prompt stands at its terminal, once more than it had been drawn.
    pub(super) async fn asks_itself(&self, terminal: &AgentTerminal, before: usize) -> Result<()> {
        draws_again(terminal, own_prompt(self.agent.program()).shows, before).await
    }

    /// Goes on at the gate that runs by now.
    pub(super) async fn finds_the_gate(&mut self) -> Result<()> {
        let home = &self.agent.home;
        home.gate_runs().await?;
        // Asked so, it is waited for until it answers.
        home.pending().await?;
        self.page.renew(home).await
    }

    /// What the gate tells its page from now on.
    pub(super) async fn hears(&self) -> Result<Heard> {
        let path = "/ui/events";
        let signed = self.page.signed(path, b"")?;
        let head = [("host", self.page.host.as_str()), ("authorization", &signed), ("sec-fetch-site", "same-origin")];
        let head = head.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut stream = self.page.http.write("POST", path, &head, b"").await?;
        let text = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&text);
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut bytes).await {
                let piece = String::from_utf8_lossy(&bytes[..read]);
                heard.lock().unwrap_or_else(PoisonError::into_inner).push_str(&piece);
            }
        });
        let heard = Heard { text, reading };
        heard.is_told(&[": here"]).await?;
        Ok(heard)
    }

    /// What the model was given of its calls, once there are so many.
    pub(super) async fn given(&self, calls: usize) -> Result<Vec<String>> {
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
    pub(super) async fn starts(&self) -> Result<AgentTerminal> {
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

/// A moment, in milliseconds since 1970: what several processes noted can be compared.
pub(super) type Moment = i64;

pub(super) fn now() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_millis().try_into().unwrap_or(Moment::MAX)
}

/// Presses a key until it has brought something about, and gives when it was pressed. What an agent has just drawn takes no
/// key in its first moment now and then: it is pressed again, as a person does.
pub(super) async fn presses(
    terminal: &AgentTerminal,
    key: &str,
    what: &str,
    done: impl AsyncFn() -> Result<bool>,
) -> Result<Moment> {
    let pressed: Cell<Option<(Instant, Moment)>> = Cell::new(None);
    let look = || async {
        if done().await? {
            return Ok(Some(pressed.get().map_or_else(now, |(_, moment)| moment)));
        }
        if pressed.get().is_none_or(|(moment, _)| moment.elapsed() > AGAIN) {
            pressed.set(Some((Instant::now(), now())));
            terminal.types(key)?;
        }
        Ok(None)
    };
    eventually(what, LIMIT, look).await
}

/// Waits until the agent's own prompt, which says this, stands at its terminal once more than it had been drawn.
pub(super) async fn draws_again(terminal: &AgentTerminal, shows: &str, before: usize) -> Result<()> {
    let again = || async { Ok((times(terminal, shows) > before).then_some(())) };
    eventually("the agent's own prompt", LIMIT, again).await
}

/// What went wrong, with what the agent's terminal shows.
pub(super) fn at(terminal: &AgentTerminal, error: anyhow::Error) -> anyhow::Error {
    let drawn = terminal.drawn();
    let from = drawn.char_indices().rev().nth(2500).map_or(0, |(at, _)| at);
    anyhow!("{error:#}\nat the terminal: {}", &drawn[from..])
}

/// How often a terminal has drawn this.
pub(super) fn times(terminal: &AgentTerminal, text: &str) -> usize {
    let wanted: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    terminal.drawn().matches(&wanted).count()
}

/// What a page has been told.
pub(super) struct Heard {
    text: Arc<Mutex<String>>,
    reading: JoinHandle<()>,
}

impl Heard {
    /// Waits for a line with all of these in it.
    pub(super) async fn is_told(&self, parts: &[&str]) -> Result<()> {
        let look = || async {
            let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(text.lines().any(|line| parts.iter().all(|part| line.contains(part))).then_some(()))
        };
        eventually(&format!("that the page is told {parts:?}"), LIMIT, look).await
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        self.reading.abort();
    }
}
