//! Receipts through the real programs: what the log holds of a reply, what is done to it or to the record behind the
//! gate's back, and kills between a decision and its agent.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use gate_tests::{
    Agent, Control, Home, HomeOptions, PageKey, Ran, Seed, Serve, SignedPage, SmallDisk, at_a_random_instant, campaign,
    eventually, out_of_reach,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

/// Longest time from the answer to a kill of the gate.
const LIFE: Duration = Duration::from_millis(30);
/// How many milliseconds a day has.
const DAY: i64 = 24 * 60 * 60 * 1000;

fn log_of(home: &Home) -> PathBuf {
    home.path().join("receipts.log")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines of the log, each with its digest; each follows the one before.
fn lines(home: &Home) -> Result<Vec<(String, Value)>> {
    let bytes = std::fs::read(log_of(home))?;
    let mut lines: Vec<(String, Value)> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line).context("a whole line")?;
        match lines.last() {
            Some((before, _)) if value["prev"] != **before => bail!("a line doesn't follow the one before: {value}"),
            _ => lines.push((sha256(line), value)),
        }
    }
    Ok(lines)
}

/// The receipts of a request.
fn receipts(home: &Home, request: &str) -> Result<Vec<(String, Value)>> {
    let is_its = |line: &Value| line["kind"] == "decided" && line["request"] == request;
    Ok(lines(home)?.into_iter().filter(|(_, line)| is_its(line)).collect())
}

async fn warnings(home: &Home) -> Result<String> {
    let snapshot = Control::open(home).await?.command(json!({"command": "snapshot"})).await?;
    Ok(snapshot.map_err(|fault| anyhow::anyhow!("{fault}"))?["warnings"].to_string())
}

/// A request that waits and whose agent was told so; its id.
async fn asked(home: &Home, title: &str) -> Result<String> {
    let asked = home.run(["ask", "May I?", "--title", title, "--approval", "--timeout", "1"]).await?;
    assert_eq!(asked.code, Some(3), "nobody has answered: {asked:?}");
    home.waiting(title).await
}

/// What an agent gets that comes back for a request while its person is away.
async fn comes_back(home: &Home, agent: &Agent, request: &str) -> Result<Value> {
    home.run(["away"]).await?.succeeded()?;
    let outcome = agent.chat(json!({"message": "May I?", "request_id": request})).await?;
    home.run(["away", "off"]).await?.succeeded()?;
    Ok(outcome)
}

async fn stop(home: &Home, mut gate: Serve) -> Result<()> {
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    Ok(())
}

/// The statements that answer a request in the database alone.
pub(crate) fn forgery(request: &str, decision: &str) -> String {
    format!(
        "BEGIN;
         UPDATE review_requests SET status = 'answered', closed_at = created_at + 1 WHERE request_id = '{request}';
         INSERT INTO replies (request_id, decision, selected, comments, answered_at, answered_from, assurance)
             SELECT '{request}', '{decision}', '[]', '[]', created_at + 1, 'desktop', 'L1'
             FROM review_requests WHERE request_id = '{request}';
         INSERT INTO messages (session_uuid, request_id, role, body, created_at)
             SELECT session_uuid, '{request}', 'person', 'Forged.', created_at + 1
             FROM review_requests WHERE request_id = '{request}';
         COMMIT;"
    )
}

#[tokio::test]
async fn a_result_names_the_receipt_of_its_reply_which_is_on_disk_before_it_is_sent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Receipted", "approval": true})).await?;
    let id = home.waiting("Receipted").await?;
    assert_eq!(receipts(&home, &id)?, [], "nothing was given");
    home.answer(&id, ["--approve", "--text", "go"]).await?;
    let all = receipts(&home, &id)?;
    let [(receipt, line)] = all.as_slice() else { bail!("one receipt: {all:?}") };
    let outcome = agent.outcome(call).await?;
    assert_eq!(outcome["receipt"], **receipt);
    assert_eq!(line["content"]["ask"], outcome["digest"], "it is of the question that was shown");
    assert_eq!(
        (&line["decision"], &line["given"], &line["level"]),
        (&json!("approved"), &json!("script"), &json!("L0"))
    );
    let again = agent.chat(json!({"message": "m", "request_id": id})).await?;
    assert_eq!(again["receipt"], **receipt, "fetched again, it is the same");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_written_into_the_database_is_given_to_no_agent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let id = asked(&home, "Forged").await?;
    home.change(&forgery(&id, "approved")).await?;
    let outcome = comes_back(&home, &agent, &id).await?;
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "{outcome}");
    assert!(warnings(&home).await?.contains("has no receipt"), "the person is told");
    assert_eq!(home.waiting("Forged").await?, id, "it waits for them");
    home.answer(&id, ["--text", "no"]).await?;
    let outcome = comes_back(&home, &agent, &id).await?;
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("no"), &Value::Null), "and gets their answer");
    Ok(())
}

#[tokio::test]
async fn a_reply_whose_words_were_changed_beside_its_receipt_is_given_to_no_agent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    for (title, change) in [
        ("Words", "UPDATE messages SET body = '' WHERE role = 'person' AND request_id = '{}'"),
        ("Decision", "UPDATE replies SET decision = NULL WHERE request_id = '{}'"),
        ("Question", "UPDATE messages SET body = 'Something else?' WHERE role = 'agent' AND request_id = '{}'"),
    ] {
        let id = asked(&home, title).await?;
        home.answer(&id, ["--approve", "--text", "only without the flag"]).await?;
        home.change(&change.replace("{}", &id)).await?;
        let outcome = comes_back(&home, &agent, &id).await?;
        assert_eq!(outcome["status"], "pending", "{title}: {outcome}");
        assert!(warnings(&home).await?.contains(&format!("{id} isn't what its receipt is of")), "{title}");
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_to_ask_is_not_delivered_where_it_is_not_known_how_sure_it_has_to_be() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let id = asked(&home, "Unread").await?;
    home.answer(&id, ["--approve"]).await?;
    let fetch = || async {
        let ask = json!({"command": "ask", "ask": {"message": "May I?"}, "workspace": "", "request_id": id});
        let fetched = Control::open(&home).await?.command(ask).await?;
        let delivered = format!("SELECT delivered_at IS NOT NULL AS it_is FROM replies WHERE request_id = '{id}'");
        anyhow::Ok((fetched, home.rows(&delivered).await?[0]["it_is"].clone()))
    };
    let options = |json: &str| format!("UPDATE review_requests SET options = '{json}' WHERE request_id = '{id}'");
    home.change(&options("[{")).await?;
    let (fetched, delivered) = fetch().await?;
    assert!(fetched.is_err(), "whether that is enough nobody can say: {fetched:?}");
    assert_eq!(delivered, json!(0), "so nobody has it yet");
    home.change(&options("[]")).await?;
    let (fetched, delivered) = fetch().await?;
    let outcome = fetched.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    assert_eq!((&outcome["outcome"]["decision"], &delivered), (&json!("approved"), &json!(1)), "{outcome}");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_written_into_the_second_copy_comes_back_as_a_draft() -> Result<()> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let (real, forged) = (asked(&home, "Real").await?, asked(&home, "Not answered").await?);
    home.answer(&real, ["--text", "not this one"]).await?;
    stop(&home, gate).await?;
    let journal = home.path().join("replies.journal");
    let text = std::fs::read_to_string(&journal)?;
    let line = text.lines().find(|line| line.contains("not this one")).context("the real one's line")?;
    let mut entry: Value = serde_json::from_str(line.split_once(' ').context("digits and an entry")?.1)?;
    let mut added = String::new();
    for id in [&real, &forged] {
        let row = home.rows(&format!("SELECT title FROM review_requests WHERE request_id = '{id}'")).await?;
        entry["reply"]["request"]["request_id"] = json!(id);
        entry["reply"]["request"]["ask"]["title"] = row[0]["title"].clone();
        entry["reply"]["reply"]["decision"] = json!("approved");
        entry["reply"]["reply"]["text"] = json!("Forged.");
        let entry = entry.to_string();
        added.push_str(&format!("{} {entry}\n", &sha256(entry.as_bytes())[..16]));
    }
    std::fs::write(&journal, text + &added)?;

    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&home, &agent, &forged).await?;
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "{outcome}");
    let outcome = comes_back(&home, &agent, &real).await?;
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("not this one"), &Value::Null), "{outcome}");
    Ok(())
}

#[tokio::test]
async fn a_log_that_is_gone_cut_or_flipped_makes_drafts_and_stops_nothing() -> Result<()> {
    for (what, reason) in [("gone", "gone"), ("cut", "shorter"), ("flipped", "damaged")] {
        let home = Home::new()?;
        let gate = home.serve().await?;
        let (first, second) = (asked(&home, "First").await?, asked(&home, "Second").await?);
        home.answer(&first, ["--approve"]).await?;
        home.answer(&second, ["--approve", "--text", "mine"]).await?;
        stop(&home, gate).await?;
        let mut bytes = std::fs::read(log_of(&home))?;
        match what {
            "gone" => std::fs::remove_file(log_of(&home))?,
            "cut" => {
                let end = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').context("two lines")?;
                std::fs::write(log_of(&home), &bytes[..=end])?;
            }
            _ => {
                bytes[20] ^= 1;
                std::fs::write(log_of(&home), &bytes)?;
            }
        }

        // A guard that only lines of the log before tell of doesn't hold.
        let _gate = home.serve_with(&["--allow-scripts"]).await?;
        let all = lines(&home)?;
        let (_, begins) = all.first().context("a new log")?;
        assert_eq!((&begins["kind"], &begins["reason"]), (&json!("break"), &json!(reason)), "{what}");
        assert!(warnings(&home).await?.contains("log of receipts"), "{what}: the person is told");
        assert_eq!(home.pending().await?.len(), 2, "{what}: neither was delivered, and both wait again");
        let agent = Agent::start(&home, "claude-code").await?;
        let outcome = comes_back(&home, &agent, &second).await?;
        assert_eq!(outcome["status"], "pending", "{what}: {outcome}");
        home.answer(&second, ["--approve"]).await?;
        assert_eq!(comes_back(&home, &agent, &second).await?["decision"], "approved", "{what}: it goes on");
    }
    Ok(())
}

#[tokio::test]
async fn a_log_that_is_touched_while_the_gate_runs_is_noticed_with_the_next_reply() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let (first, second) = (asked(&home, "First").await?, asked(&home, "Second").await?);
    home.answer(&first, ["--approve"]).await?;
    std::fs::remove_file(log_of(&home))?;
    home.answer(&second, ["--approve"]).await?;
    let look = || async { Ok(warnings(&home).await?.contains("was gone").then_some(())) };
    eventually("a warning", gate_tests::LIMIT, look).await?;
    assert_eq!(home.waiting("First").await?, first, "what wasn't delivered is a draft again");
    let agent = Agent::start(&home, "claude-code").await?;
    assert_eq!(comes_back(&home, &agent, &second).await?["decision"], "approved", "what came behind it is given");
    Ok(())
}

#[tokio::test]
async fn a_hold_outlives_a_stop() -> Result<()> {
    let env = vec![("REVIEW_GATE__WINDOW__UNDO_SECONDS".into(), "30".into())];
    let config = Some("network:\n  port: 0\n".to_owned());
    let home = Home::with(HomeOptions { env, config, ..HomeOptions::default() })?;
    let mut gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let id = asked(&home, "Held").await?;
    page.reply(&id, "go").await?;
    gate.kill().await?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&home, &agent, &id).await?;
    assert_eq!(outcome["status"], "pending", "it is held for the rest of its time: {outcome}");
    let page = SignedPage::sign_in(&home).await?;
    let undone = page.command(json!({"command": "undo_reply", "request_id": id})).await?;
    assert!(undone.is_ok(), "and can still be taken back: {undone:?}");
    assert_eq!(home.waiting("Held").await?, id);
    let kinds: Vec<_> = lines(&home)?.into_iter().map(|(_, line)| line["kind"].clone()).collect();
    assert!(kinds.contains(&json!("withdrawn")), "{kinds:?}");
    page.reply(&id, "really").await?;
    let sent = page.command(json!({"command": "send_now", "request_id": id})).await?;
    assert!(sent.is_ok(), "{sent:?}");
    assert_eq!(lines(&home)?.last().context("a line")?.1["kind"], "released", "its end before its time is a line");
    assert_eq!(comes_back(&home, &agent, &id).await?["text"], "really");
    Ok(())
}

#[tokio::test]
async fn a_record_from_before_receipts_delivers_what_was_given_and_says_how_sure_that_is() -> Result<()> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let (recent, old) = (asked(&home, "Recent").await?, asked(&home, "Old").await?);
    for id in [&recent, &old] {
        home.answer(id, ["--approve"]).await?;
    }
    stop(&home, gate).await?;
    let before = format!(
        "UPDATE replies SET answered_from = 'desktop', assurance = 'L1';
         UPDATE replies SET answered_at = answered_at - {}, delivered_at = answered_at WHERE request_id = '{old}';
         DROP TABLE abouts;
         DROP TABLE receipts;
         DELETE FROM _sqlx_migrations WHERE version = 20261127090000;",
        2 * DAY
    );
    home.change(&before).await?;
    for file in ["receipts.log", "receipts.lock", "replies.journal"] {
        std::fs::remove_file(home.path().join(file))?;
    }

    let _gate = home.serve().await?;
    let (_, begins) = lines(&home)?.into_iter().next().context("a log")?;
    assert_eq!((&begins["kind"], &begins["reason"]), (&json!("break"), &json!("upgrade")));
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&home, &agent, &recent).await?;
    assert_eq!((&outcome["decision"], &outcome["assurance"]), (&json!("approved"), &json!("L0")), "{outcome}");
    let call = agent.call(json!({"message": "May I?", "request_id": old})).await?;
    let refused = agent.result(call).await?;
    assert!(refused["isError"] == true && refused.to_string().contains("unknown_request"), "history: {refused}");
    assert!(!warnings(&home).await?.contains("receipt"), "nothing is wrong");
    Ok(())
}

#[tokio::test]
async fn a_browser_and_a_guard_that_no_line_tells_of_are_not_believed() -> Result<()> {
    let home = Home::guarded()?;
    let gate = home.serve().await?;
    stop(&home, gate).await?;
    let planted = json!([{
        "key": PageKey::new()?.public(), "host": "localhost:1", "port": 1, "until": "2255-03-14T16:00:00Z",
        "unused_until": "2255-03-14T16:00:00Z", "linked_by": "person",
    }]);
    std::fs::write(home.path().join("browsers"), planted.to_string())?;
    std::fs::write(home.path().join("guards.json"), json!({"security.scripted_answers": true}).to_string())?;
    std::fs::write(home.path().join("config.yaml"), "security:\n  scripted_answers: true\n")?;
    let _gate = home.serve().await?;
    let told = warnings(&home).await?;
    assert!(told.contains("signed out") && told.contains("guards.json"), "{told}");
    assert_eq!(std::fs::read_to_string(home.path().join("browsers"))?, "[]");
    let id = asked(&home, "Deploy").await?;
    let refused = home.run(["answer", &id, "--approve"]).await?;
    assert!(refused.stderr.contains("[scripted_answers_off]"), "{refused:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_between_a_decision_and_its_agent_deliver_nothing_without_a_receipt() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    for round in 0..campaign(500, 8) {
        let title = format!("Round {round}");
        let id = asked(&home, &title).await?;
        let answering = {
            let (home, id) = (home.clone(), id.clone());
            let draft = json!({"text": format!("reply {round}"), "selected": [], "comments": [], "attachments": []});
            tokio::spawn(async move { Control::open(&home).await?.reply(&id, Some("approved"), draft).await })
        };
        at_a_random_instant(&mut seed, LIFE).await;
        gate.kill().await?;
        // It may have died with the gate.
        let sent = answering.await?.is_ok_and(|answer| answer.is_ok());
        gate = home.serve().await?;
        let agent = Agent::start(&home, "claude-code").await?;
        let outcome = comes_back(&home, &agent, &id).await.with_context(|| format!("{title}, {seed}"))?;
        let receipts = receipts(&home, &id).with_context(|| format!("the chain is whole in {title}, {seed}"))?;
        match outcome["status"].as_str() {
            Some("answered") => {
                assert_eq!(outcome["text"], format!("reply {round}"), "{seed}");
                assert_eq!(receipts.len(), 1, "nothing is given without its receipt ({seed})");
                assert_eq!(outcome["receipt"], *receipts[0].0, "{seed}");
            }
            _ => {
                assert!(!sent, "what was said to be sent is sent ({seed}): {outcome}");
                assert_eq!(home.waiting(&title).await?, id, "it waits for the person ({seed})");
                home.answer(&id, ["--approve"]).await?;
                assert_eq!(comes_back(&home, &agent, &id).await?["decision"], "approved", "{seed}");
            }
        }
        agent.kill().await?;
    }
    assert!(!warnings(&home).await?.contains("log of receipts"), "no kill breaks the chain ({seed})");
    Ok(())
}

#[tokio::test]
async fn a_receipt_that_finds_no_room_sends_nothing() -> Result<()> {
    let home = Home::new()?;
    let path = home.path().to_owned();
    let Some(_disk) = SmallDisk::mount(&path, "size=8m,mode=700").await? else {
        return out_of_reach("only root may mount a small disk; gate-receipts' own test fills one as well");
    };
    let _gate = home.serve_with(&["--allow-scripts"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Full", "approval": true})).await?;
    let id = home.waiting("Full").await?;
    // Rooms for the row, and from some size on for the receipt, too.
    for left in [0, 4, 8, 16, 32] {
        let filler = path.join("filler");
        let mut fill = Command::new("dd");
        fill.args(["if=/dev/zero", "bs=4096"]).arg(format!("of={}", filler.display()));
        Ran::of(fill).await?;
        let length = std::fs::metadata(&filler)?.len();
        std::fs::File::options().write(true).open(&filler)?.set_len(length.saturating_sub(left * 1024))?;
        let ran = home.run(["answer", &id, "--approve"]).await?;
        std::fs::remove_file(&filler)?;
        if ran.code == Some(0) {
            break;
        }
        assert!(ran.stderr.contains("[disk_full]"), "the person has to know what to mend: {ran:?}");
        assert_eq!(home.pending().await?.len(), 1, "with {left} KiB the request is still open");
        assert_eq!(agent.take(call), None, "and nothing is approved");
        assert_eq!(receipts(&home, &id)?, [], "nor is there a receipt");
    }
    if home.pending().await?.len() == 1 {
        home.answer(&id, ["--approve"]).await?;
    }
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "with space, the same answer works");
    Ok(())
}
