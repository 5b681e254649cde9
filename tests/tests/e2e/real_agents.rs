//! Real agents, each with a model that the test scripts: what a person gives and what the gate offers arrives in the
//! model. One start of an agent shows as much as it can, since each takes seconds of the processors. They have no network
//! but loopback, wherever this machine can do that: what they send to their makers is no part of what is tried.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_tests::{Control, NoNetwork, Part, Process, Program, Ran, RealAgent, Turn, out_of_reach};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

use crate::real_agents_offers::{self as offers, FILE, PROMPT};

const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";

const DIFF: &str = "--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,3 @@
 fn a() {
-    one();
+    two();
 }
";

/// 200 kB in which every line is another one.
fn long_text() -> String {
    let mut text = String::new();
    for line in 0.. {
        let _ = writeln!(text, "line {line} of a file that is too long for a message");
        if text.len() > 200_000 {
            break;
        }
    }
    text
}

/// All that the model got of one result.
struct Given<'a>(&'a [Part]);

impl Given<'_> {
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) => None,
        })
    }

    fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    /// The fields of the result, where the model is given these in place of the text.
    fn structure(&self) -> Option<Value> {
        self.texts().find_map(|text| {
            let begin = text.find('{')?;
            let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
            values.next()?.ok().filter(|value| value.get("session_uuid").is_some())
        })
    }

    fn pictures(&self) -> Vec<&str> {
        let pictures = self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Image(data) => Some(data.as_str()),
        });
        pictures.collect()
    }
}

fn question() -> Value {
    json!({
        "message": "Which **way**?", "title": "Everything at once", "options": ["left", "right", "back"],
        "allow_multiple": true, "approval": true, "diff": DIFF,
    })
}

/// What the person says of lines of the diff.
fn comments() -> Value {
    let on = |line: u32, side: &str, body: &str| json!({"file": "src/a.rs", "line": line, "side": side, "body": body});
    json!([on(1, "new", "Rename it."), on(2, "new", "And here."), on(2, "old", "Why was this removed?")])
}

/// What the person says of a passage of the message.
fn remarks() -> Value {
    json!([{"quote": "way", "body": "Both."}])
}

/// Everything that a person can give in one reply reaches the model of an agent, and what the gate offers besides.
async fn everything_arrives(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let asks = [Turn::Call("review_gate_chat", question())];
    let thanks = [Turn::Say("Thank you.")];
    let turns = offers::turns(program).into_iter().chain(asks).chain(own_reading(program)).chain(thanks);
    let Some(agent) = RealAgent::new(program, turns.collect()).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    let instructions = offers::instructions(&agent).await?;
    let running = agent.start_on_prompt(PROMPT, FILE)?;
    let answered = answer(&agent).await;
    let ended = agent.ended(running).await?;
    let bytes = answered.with_context(|| format!("{ended:?}; offered {:?}", agent.model.offered()))?;
    let all = agent.model.given();
    let [list, resource, reply, read @ ..] = &all[..] else {
        bail!("{program:?} has tools for resources: {:?}; {ended:?}", agent.model.offered());
    };
    let of_a_reply = what_was_given(program, &agent, &Given(reply), &bytes)?;
    was_read(program, read, &bytes).with_context(|| format!("{ended:?}"))?;
    let name = agent.name()?;
    stands_in_the_table("# Agents", &name, &of_a_reply)?;
    offers::were_read(program, &Given(list).text(), &Given(resource).text());
    let of_offers = offers::row(program, &agent, &instructions, &ended).await?;
    stands_in_the_table("## Prompts, resources and instructions", &name, &of_offers)
}

/// Compares what the model was given of a reply with what the person gave; gives the cells of the table.
fn what_was_given(program: Program, agent: &RealAgent, given: &Given<'_>, bytes: &[u8]) -> Result<String> {
    let (text, structure) = (given.text(), given.structure());
    let mut said = vec!["Take the left one.", "Use the staging database.", "notes.txt"];
    if let Some(fields) = &structure {
        let of_choice = (&fields["decision"], &fields["selected"]);
        assert_eq!(of_choice, (&json!("changes_requested"), &json!(["left", "right"])), "{program:?}: {text}");
        let of_passages = (&fields["comments"], &fields["remarks"]);
        assert_eq!(of_passages, (&comments(), &remarks()), "{program:?}: each with its place: {text}");
    } else {
        said.extend(["CHANGES REQUESTED", "Chosen: left | right"]);
        said.extend(["- src/a.rs:1: Rename it.", "- src/a.rs:2: And here."]);
        said.extend(["- src/a.rs:2 (old side): Why was this removed?", "> way", "Both."]);
    }
    for said in said {
        assert!(text.contains(said), "{program:?}: {said:?} is in what the model got: {text}");
    }
    assert_eq!(given.pictures(), [PICTURE], "{program:?}: the picture, and once: {text}");
    let path = attached(&text).with_context(|| format!("{program:?}: where the file is: {text}"))?;
    assert_eq!(fs::read(path)?, bytes, "{program:?}: to be read at its path");
    let offered = agent.model.offered();
    let tool = offered.iter().find(|tool| tool.ends_with("review_gate_chat")).context("it was called")?;
    let form = if structure.is_some() { "structure" } else { "text" };
    Ok(format!("`{tool}` | {form} | yes | picture | path"))
}

/// Where a result says that the attached text is.
fn attached(text: &str) -> Option<&str> {
    path_of(text, "/notes.txt")
}

/// The path in a text that ends in this.
fn path_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split(['"', ' ', '\n', '\\', ',']).find(|word| word.ends_with(name))
}

/// The agent's own tools on what was attached: on some lines of the text, and Codex' on all of it and on the picture, too.
fn own_reading(program: Program) -> Vec<Turn> {
    match program {
        Program::ClaudeCode => {
            vec![Turn::With("Read", |text| json!({"file_path": attached(text), "offset": 2999, "limit": 5}))]
        }
        Program::Gemini => vec![Turn::With(
            "read_file",
            |text| json!({"file_path": attached(text), "start_line": 2999, "end_line": 3005}),
        )],
        Program::OpenCode => {
            vec![Turn::With("read", |text| json!({"filePath": attached(text), "offset": 2999, "limit": 5}))]
        }
        // Its shell, in the sandbox that it has by itself.
        Program::Codex => vec![
            Turn::With("view_image", |text| json!({"path": path_of(text, "/picture.png")})),
            Turn::With("exec_command", |text| {
                let [notes, picture] =
                    ["/notes.txt", "/picture.png"].map(|name| path_of(text, name).unwrap_or_default());
                json!({"cmd": format!("sha256sum {notes} {picture}; sed -n 2999,3005p {notes}")})
            }),
        ],
    }
}

/// Compares what the model got of the agent's own tools with what was attached.
fn was_read(program: Program, read: &[Vec<Part>], bytes: &[u8]) -> Result<()> {
    let text = Given(read.last().context("something was read")?).text();
    if program != Program::Codex {
        assert!(text.contains("line 3000 of a file"), "{program:?} reads what was attached: {text}");
        return Ok(());
    }
    let picture = Given(&read[0]);
    assert_eq!(picture.pictures(), [PICTURE], "what {program:?} itself shows of the picture: {}", picture.text());
    if text.contains("bwrap: ") {
        return out_of_reach(&format!("the sandbox of {program:?} doesn't start here: {text}"));
    }
    assert!(text.contains("line 3000 of a file"), "{program:?} reads what was attached: {text}");
    let sum = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (name, sum) in [("/notes.txt", sum(bytes)), ("/picture.png", sum(&STANDARD.decode(PICTURE)?))] {
        let found = text.lines().any(|line| line.starts_with(&sum) && line.ends_with(name));
        assert!(found, "{program:?}: {name} to the byte, with the sum {sum}: {text}");
    }
    Ok(())
}

/// Compares an agent's row with the one in `docs/agents.md` after this heading, or writes it there.
pub(crate) fn stands_in_the_table(heading: &str, name: &str, cells: &str) -> Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
    let row = format!("| {name} | {cells} |");
    let page = File::options().read(true).write(true).open(&file)?;
    // The agents' tests run side by side.
    page.lock()?;
    let text = fs::read_to_string(&file)?;
    let (before, after) = text.split_once(heading).context("the page has this heading")?;
    let (agent, _) = name.rsplit_once(' ').context("a name and a version")?;
    let begin = format!("| {agent} ");
    let old = after.lines().find(|line| line.starts_with(&begin)).context("the table has a row of each agent")?;
    if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
        return Ok(fs::write(&file, format!("{before}{heading}{}", after.replacen(old, &row, 1)))?);
    }
    assert_eq!(old, row, "docs/agents.md says what is so; after a change: cargo xtask agents --write");
    Ok(())
}

/// Answers with all that there is, and gives what the long file holds.
async fn answer(agent: &RealAgent) -> Result<Vec<u8>> {
    let id = agent.home.waiting("Everything at once").await?;
    // This test, which is the model; the agent, its relay, the gate.
    let here = fs::read_link("/proc/self/ns/net")?;
    let elsewhere = |process: &Process| process.network().is_some_and(|network| network != here);
    assert!(!agent.home.processes().iter().any(elsewhere), "all of them have the same network");
    let mut control = Control::open(&agent.home).await?;
    let pending = agent.home.pending().await?;
    let session = pending.first().context("it waits")?["session_uuid"].clone();
    let note = json!({"command": "send_note", "session_uuid": session, "text": "Use the staging database."});
    control.command(note).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let file = long_text().into_bytes();
    let mut attachments = Vec::new();
    for (name, data) in [("picture.png", PICTURE.to_owned()), ("notes.txt", STANDARD.encode(&file))] {
        let attach = json!({"command": "attach", "request_id": id, "name": name, "data": data});
        let attached = control.command(attach).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
        attachments.push(attached["attachment"]["attachment_id"].clone());
    }
    let draft = json!({
        "text": "Take the left one.", "selected": ["left", "right"], "attachments": attachments,
        "comments": comments(), "remarks": remarks(),
    });
    control.reply(&id, Some("changes_requested"), draft).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    Ok(file)
}

#[tokio::test]
async fn claude_code_hands_on_all_that_is_given_and_offered() -> Result<()> {
    everything_arrives(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_hands_on_all_that_is_given_and_offered() -> Result<()> {
    everything_arrives(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_hands_on_all_that_is_given_and_offered() -> Result<()> {
    everything_arrives(Program::Gemini).await
}

#[tokio::test]
async fn opencode_hands_on_all_that_is_given_and_offered() -> Result<()> {
    everything_arrives(Program::OpenCode).await
}

/// `codex exec` has nobody to confirm a call, so it would take back what its user has to allow first.
#[tokio::test]
async fn codex_asks_without_permission_given() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let asks = Turn::Call("review_gate_chat", json!({"message": "Which way?", "title": "Without permission"}));
    let turns = vec![asks, Turn::Say("Thank you.")];
    let Some(agent) = RealAgent::new(Program::Codex, turns).await? else { return Ok(()) };
    agent.install(&[]).await?;
    let running = agent.start()?;
    let id = agent.home.waiting("Without permission").await.with_context(|| format!("{:?}", agent.model.given()))?;
    agent.home.answer(&id, ["--text", "Take the left one."]).await?;
    let ended = agent.ended(running).await?;
    let given = agent.model.given();
    let [reply] = &given[..] else { bail!("one result reaches the model: {given:?}; {ended:?}") };
    assert!(Given(reply).text().contains("Take the left one."), "the model gets the answer: {given:?}; {ended:?}");
    Ok(())
}

/// Runs a test of this program with an agent that npm couldn't give, where `required` may not be left out, and its
/// programs are looked for in this `PATH`.
async fn without_agents(required: &str, path: Option<&str>) -> Result<Ran> {
    let test = "real_agents::codex_hands_on_all_that_is_given_and_offered";
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", test, "--nocapture"]).env("NEXTEST_TEST_NAME", test).kill_on_drop(true);
    command.env("REVIEW_GATE_TEST_AGENTS", "").env("REVIEW_GATE_REQUIRE_E2E", required);
    command.envs(path.map(|path| ("PATH", path)));
    // It is no test of the run that this one belongs to.
    command.env_remove("REVIEW_GATE_TEST_LEFT_OUT");
    Ran::of(command).await
}

#[tokio::test]
async fn no_agent_is_left_out_where_everything_is_required() -> Result<()> {
    let ran = without_agents("all", None).await?;
    assert!(ran.code != Some(0) && ran.stderr.contains("npm can't give codex here"), "it fails, and says why: {ran:?}");
    let ran = without_agents("1", None).await?.succeeded()?;
    assert!(ran.stderr.contains("SKIPPED: npm can't give codex here"), "elsewhere it is left out by name: {ran:?}");
    Ok(())
}

#[tokio::test]
async fn no_agent_runs_beside_a_network_where_everything_is_required() -> Result<()> {
    // No program makes a namespace there.
    let nowhere = Some("/nowhere");
    let ran = without_agents("all", nowhere).await?;
    let says_why = ran.stderr.contains("this test can't run: no network namespace can be had here");
    assert!(ran.code != Some(0) && says_why, "it fails, and says why: {ran:?}");
    let ran = without_agents("1", nowhere).await?.succeeded()?;
    assert!(ran.stderr.contains("SKIPPED: no network namespace can be had here"), "elsewhere that is told: {ran:?}");
    Ok(())
}
