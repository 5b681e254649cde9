//! Two real agents carry one change through all of a review: Claude Code proposes it, Codex claims it, comments on a line,
//! offers a patch and has the person decide, and what they approved is committed behind the hook.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gate_tests::{LIMIT, NOTES, NoNetwork, Program, Ran, RealAgent, SignedPage, Turn, commit, eventually, makes_it};
use serde_json::{Value, json};

const INTENT: &str = "Say it in German.";
/// What Codex makes of it.
const PATCH: &str = "deux";
/// How the model of an agent names its calls that wait.
const WAITS: u64 = 50;

/// What happens in the review, by numbers from 1.
const HAPPENS: [&str; 8] =
    ["submitted", "claimed", "message", "patch", "round", "verdict", "person_decides", "person_decided"];

/// The last value of a field in what tools gave, which stands there as JSON.
fn last(texts: &str, field: &str) -> Value {
    let name = format!("\"{field}\":");
    let found = texts.rfind(&name).map(|at| texts[at + name.len()..].trim_start());
    let value = found.and_then(|rest| serde_json::Deserializer::from_str(rest).into_iter::<Value>().next());
    value.and_then(Result::ok).unwrap_or_default()
}

/// Waits until more than this has happened.
fn until(texts: &str, event: u64) -> Value {
    json!({"review_id": last(texts, "review_id"), "since": event, "wait": true, "wait_seconds": WAITS})
}

/// The line for a shell that writes this word into the file and commits it.
fn commits(word: &str) -> Turn {
    let (file, _) = NOTES;
    let who = "-c user.name=Agent -c user.email=agent@example.invalid";
    let command =
        format!("printf 'one\\n{word}\\nthree\\n' > {file} && git {who} commit --quiet --all --message '{INTENT}'");
    Turn::Call("Bash", json!({"command": command, "description": "Commits"}))
}

fn proposer() -> Vec<Turn> {
    vec![
        commits("zwei"),
        Turn::Call("submit_proposal", json!({"intent": INTENT, "diff": makes_it("zwei")})),
        Turn::With("get_review_status", |texts| until(texts, 3)),
        Turn::With("get_patch", |texts| json!({"review_id": last(texts, "review_id")})),
        Turn::With(
            "accept_counter_patch",
            |texts| json!({"review_id": last(texts, "review_id"), "patch_id": last(texts, "patch_id")}),
        ),
        Turn::With("get_review_status", |texts| until(texts, 5)),
        Turn::With("get_review_status", |texts| until(texts, 6)),
        Turn::With("get_review_status", |texts| until(texts, 7)),
        commits(PATCH),
        Turn::With("close_review", |texts| json!({"review_id": last(texts, "review_id")})),
        Turn::Say("Done."),
    ]
}

fn reviewer() -> Vec<Turn> {
    vec![
        Turn::Call("claim_review", json!({"wait": true, "wait_seconds": WAITS})),
        Turn::With(
            "post_message",
            |texts| json!({"review_id": last(texts, "review_id"), "file": NOTES.0, "line": 2, "body": "Who reads German?"}),
        ),
        Turn::With("submit_patch", |texts| {
            let token = last(texts, "claim_token");
            json!({"review_id": last(texts, "review_id"), "diff": makes_it(PATCH), "claim_token": token})
        }),
        Turn::With("get_review_status", |texts| until(texts, 4)),
        Turn::With("claim_review", |texts| json!({"review_id": last(texts, "review_id")})),
        Turn::With("submit_verdict", |texts| {
            json!({
                "review_id": last(texts, "review_id"), "decision": "escalate", "reason": "French, then?",
                "claim_token": last(texts, "claim_token"), "round": 2,
            })
        }),
        Turn::Say("Done."),
    ]
}

/// Lets Claude Code run git, as a person would allow it.
fn allow_shell(person: &Path) -> Result<()> {
    let file = person.join(".claude/settings.json");
    let mut all: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
    let allowed = all["permissions"]["allow"].as_array_mut().context("what may be called without a question")?;
    allowed.push(json!("Bash"));
    Ok(fs::write(&file, all.to_string())?)
}

#[tokio::test]
async fn claude_code_and_codex_carry_a_change_to_the_commit_that_the_person_approved() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(claude) = RealAgent::new(Program::ClaudeCode, proposer()).await? else { return Ok(()) };
    let codex = claude.beside(Program::Codex, reviewer()).await?;
    let home = &claude.home;
    let folder = home.workspace();
    let base = commit(&folder, &[NOTES]).await?;
    for agent in [&claude, &codex] {
        agent.install(&["--allow", "--toolset", "gate", "--toolset", "broker"]).await?;
    }
    allow_shell(&home.folder().join("person"))?;
    let mut hook = home.command(["install", "git", "--reviews"])?;
    hook.current_dir(&folder);
    Ran::of(hook).await?.succeeded()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(home).await?;

    let reviews = codex.start()?;
    let proposes = claude.start()?;
    let carried = async {
        let asked = home.waiting(INTENT).await?;
        let opened = person.does(json!({"command": "open_request", "request_id": asked})).await?;
        ensure!(opened.to_string().contains("French, then?"), "why they are asked: {opened}");
        ensure!(opened["request"].to_string().contains(PATCH), "and what about: {opened}");
        person.approves(&asked, "As you like.").await
    };
    let carried = carried.await;
    let (proposed, reviewed) = (claude.ended(proposes).await?, codex.ended(reviews).await?);
    let told = || format!("{:?}\n{:?}\n{proposed:?}\n{reviewed:?}", claude.model.given(), codex.model.given());
    carried.with_context(told)?;

    let listed = home.rows("SELECT type FROM events WHERE type <> 'closed' ORDER BY n").await?;
    let happened: Vec<_> = listed.iter().filter_map(|row| row["type"].as_str()).collect();
    assert_eq!(happened, HAPPENS, "{}", told());
    let closed = home.rows("SELECT state FROM proposals").await?;
    let state: Value = serde_json::from_str(closed[0]["state"].as_str().context("a state")?)?;
    assert_eq!((&state["ending"], &state["approved_by"]), (&json!("applied"), &json!("person")), "{}", told());
    let git = async |words: &[&str]| {
        let output = tokio::process::Command::new("git").args(words).current_dir(&folder).output().await?;
        anyhow::Ok(String::from_utf8(output.stdout)?)
    };
    assert_eq!(git(&["show", "HEAD:notes.txt"]).await?, format!("one\n{PATCH}\nthree\n"), "{}", told());
    assert_eq!(git(&["rev-parse", "HEAD~1"]).await?.trim(), base, "one commit: what was not approved was refused");
    let refused = claude.model.sections("NOT APPROVED");
    assert!(!refused.is_empty(), "the model was told why: {}", told());
    let look = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("nothing is asked any more", LIMIT, look).await
}
