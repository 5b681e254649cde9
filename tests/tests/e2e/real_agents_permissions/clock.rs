//! How soon a question is gone from the gate that was answered at the agent's own terminal: measured from when the key was pressed,
//! and held against the moment when the agent itself told. What lies before that is the agent's own, and takes as long as the
//! machine is busy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gate_tests::{LIMIT, Program, RealAgent, eventually};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::scene::{Moment, Scene, now};

/// How much later than the agent tells a question may be gone: a second, of which the gate needs some hundredths, and the test's
/// busy machine now and then the rest.
const WITHIN: Moment = 1000;
/// Where the moments stand in which an agent told.
const YES: &str = "told-of-yes";
const NO: &str = "told-of-no";

/// Has the agent note when it tells of what was answered at its terminal, by the ways that the gate hears it by: a hook of Claude
/// Code's that is told to end, or that a tool was used; an event of opencode's. Codex kills the gate's hook, which needs no note.
/// To be called before it starts.
pub(super) fn notes(agent: &RealAgent) -> Result<()> {
    let person = agent.home.folder().join("person");
    let at = |name: &str| noted(agent, name);
    match agent.program() {
        Program::ClaudeCode => {
            let file = person.join(".claude/settings.json");
            let mut settings: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
            let note = |name: &str| format!("date +%s%3N >> '{}'", at(name).display());
            let told_to_end = format!("trap \"{}; exit 0\" TERM; sleep 300 & wait", note(NO));
            for (event, command) in [("PermissionRequest", told_to_end), ("PostToolUse", note(YES))] {
                let groups = settings["hooks"][event].as_array_mut().context("the gate's hooks are there")?;
                groups.push(json!({"matcher": "*", "hooks": [{"type": "command", "command": command}]}));
            }
            fs::write(&file, settings.to_string())?;
        }
        Program::OpenCode => {
            let plugin = "import { appendFileSync } from \"node:fs\"\n\
                export const Noted = async () => ({\n  event: async ({ event }) => {\n    \
                if (event.type !== \"permission.replied\") return\n    \
                const file = event.properties.reply === \"reject\" ? NO : YES\n    \
                appendFileSync(file, Date.now() + \"\\n\")\n  },\n})\n";
            let text = |name| json!(at(name)).to_string();
            let plugin = plugin.replace("? NO : YES", &format!("? {} : {}", text(NO), text(YES)));
            fs::write(person.join(".config/opencode/plugin/noted.js"), plugin)?;
        }
        Program::Codex | Program::Gemini => {}
    }
    Ok(())
}

fn noted(agent: &RealAgent, name: &str) -> PathBuf {
    agent.home.folder().join(name)
}

/// The moments that were noted.
fn moments(file: &Path) -> Vec<Moment> {
    let text = fs::read_to_string(file).unwrap_or_default();
    // A line that is just being written isn't one yet.
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok()).collect()
}

/// A question that is about to be answered at the agent's terminal.
pub(super) struct Clock<'a> {
    scene: &'a Scene,
    request: String,
    answer: &'static str,
    told: Told,
}

/// How the moment is known in which an agent tells.
enum Told {
    /// The next one that it notes after so many.
    Noted(usize),
    /// The end of the gate's hook.
    Ends(oneshot::Receiver<Moment>),
}

impl<'a> Clock<'a> {
    pub(super) fn of_a_yes(scene: &'a Scene, request: &Value) -> Result<Self> {
        Self::of(scene, request, YES)
    }

    pub(super) fn of_a_no(scene: &'a Scene, request: &Value) -> Result<Self> {
        Self::of(scene, request, NO)
    }

    fn of(scene: &'a Scene, request: &Value, answer: &'static str) -> Result<Self> {
        let told = match scene.agent.program() {
            Program::Codex => {
                let mut hooks = scene.hooks();
                let hook = hooks.pop().context("a hook asks")?;
                ensure!(hooks.is_empty(), "one hook asks: {hooks:?}");
                let (tells, told) = oneshot::channel();
                // Blocks until then: a thread that ends with the test's process at the latest.
                std::thread::spawn(move || hook.ends_within(2 * LIMIT).then(|| tells.send(now())));
                Told::Ends(told)
            }
            _ => Told::Noted(moments(&noted(&scene.agent, answer)).len()),
        };
        let request = request["request_id"].as_str().context("it has an id")?.to_owned();
        Ok(Self { scene, request, answer, told })
    }

    /// Waits until it is closed at the gate, after a key that was pressed then.
    #[expect(clippy::print_stdout, reason = "how long it took is for whoever runs the tests to read")]
    pub(super) async fn closed(self, pressed: Moment) -> Result<()> {
        let Self { scene, request, answer, told } = self;
        let query = format!("SELECT closed_at FROM review_requests WHERE request_id = '{request}'");
        let look =
            || async { Ok(scene.agent.home.rows(&query).await?.first().and_then(|row| row["closed_at"].as_i64())) };
        let closed = eventually("that the question is closed", LIMIT, look).await?;
        let told = match told {
            Told::Ends(told) => told.await.context("its hook doesn't end")?,
            Told::Noted(before) => {
                let file = noted(&scene.agent, answer);
                let look = || async { Ok(moments(&file).get(before).copied()) };
                eventually("that the agent tells of it", LIMIT, look).await?
            }
        };
        let (after_key, after_told) = (closed - pressed, closed - told);
        println!(
            "{}, {answer}: gone from the gate {after_key} ms after the key, {after_told} ms after the agent told",
            scene.agent.program().id()
        );
        ensure!(after_told <= WITHIN, "it is gone within {WITHIN} ms of when the agent told: {after_told} ms");
        Ok(())
    }
}
