//! Receipts through the real programs: what the log holds of a reply, what is done to it or to the record behind the
//! gate's back, and kills between a decision and its agent. At the default settings, but where a test names one: the
//! person is at the signed-in page.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use gate_tests::{
    Agent, Control, Home, LIMIT, PageKey, Ran, Seed, Serve, SignedPage, SmallDisk, at_a_random_instant, campaign,
    campaign_tells, eventually, out_of_reach,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

/// Longest time from the begin of an answer to a kill of the gate.
const LIFE: Duration = Duration::from_millis(60);
/// For how long a reply can be taken back by itself.
const HOLD: Duration = Duration::from_secs(5);
/// Of so many kills, one hits a gate that holds a reply.
const HELD: usize = 4;
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
async fn comes_back(person: &SignedPage, agent: &Agent, request: &str) -> Result<Value> {
    person.does(json!({"command": "set_away", "away": true})).await?;
    let outcome = agent.chat(json!({"message": "May I?", "request_id": request})).await?;
    person.does(json!({"command": "set_away", "away": false})).await?;
    Ok(outcome)
}

/// What a reply said is a draft of the person's now, and they are told why.
async fn is_a_draft(home: &Home, person: &SignedPage, request: &str, text: &str, why: &str) -> Result<()> {
    let opened = person.does(json!({"command": "open_request", "request_id": request})).await?;
    assert_eq!(opened["request"]["draft"]["text"], text, "what was written is a draft: {opened}");
    let told = warnings(home).await?;
    assert!(told.contains(why), "and the person is told ({why}): {told}");
    Ok(())
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
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Receipted", "approval": true})).await?;
    let id = home.waiting("Receipted").await?;
    assert_eq!(receipts(&home, &id)?, [], "nothing was given");
    person.reply(&id, "go").await?;
    let all = receipts(&home, &id)?;
    let [(receipt, line)] = all.as_slice() else { bail!("one receipt: {all:?}") };
    let outcome = agent.outcome(call).await?;
    assert_eq!(outcome["receipt"], **receipt);
    assert_eq!(line["content"]["ask"], outcome["digest"], "it is of the question that was shown");
    assert_eq!(
        (&line["decision"], &line["given"], &line["level"]),
        (&json!("approved"), &json!("browser"), &json!("L1"))
    );
    let again = agent.chat(json!({"message": "m", "request_id": id})).await?;
    assert_eq!(again["receipt"], **receipt, "fetched again, it is the same");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_written_into_the_database_is_given_to_no_agent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let id = asked(&home, "Forged").await?;
    home.change(&forgery(&id, "approved")).await?;
    let outcome = comes_back(&person, &agent, &id).await?;
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "{outcome}");
    is_a_draft(&home, &person, &id, "Forged.", "has no receipt").await?;
    assert_eq!(home.waiting("Forged").await?, id, "it waits for them");
    person.writes(&id, "no").await?;
    let outcome = comes_back(&person, &agent, &id).await?;
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("no"), &Value::Null), "and gets their answer");
    Ok(())
}

#[tokio::test]
async fn a_reply_whose_words_were_changed_beside_its_receipt_is_given_to_no_agent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let words = "only without the flag";
    for (title, decision, change) in [
        ("Words", "approved", "UPDATE messages SET body = '' WHERE role = 'person' AND request_id = '{}'"),
        ("Decision", "approved", "UPDATE replies SET decision = NULL WHERE request_id = '{}'"),
        ("Turned", "changes_requested", "UPDATE replies SET decision = 'approved' WHERE request_id = '{}'"),
        ("Question", "approved", "UPDATE messages SET body = 'Another?' WHERE role = 'agent' AND request_id = '{}'"),
    ] {
        let id = asked(&home, title).await?;
        person.answers(&id, Some(decision), json!({"text": words})).await?;
        home.change(&change.replace("{}", &id)).await?;
        let outcome = comes_back(&person, &agent, &id).await?;
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
    SignedPage::sign_in(&home).await?.writes(&real, "not this one").await?;
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
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&person, &agent, &forged).await?;
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "{outcome}");
    is_a_draft(&home, &person, &forged, "Forged.", &format!("{forged} has no receipt")).await?;
    let outcome = comes_back(&person, &agent, &real).await?;
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("not this one"), &Value::Null), "{outcome}");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_turned_in_the_record_and_in_its_second_copy_is_given_to_no_agent() -> Result<()> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let id = asked(&home, "Turned").await?;
    let person = SignedPage::sign_in(&home).await?;
    person.answers(&id, Some("changes_requested"), json!({"text": "not so"})).await?;
    stop(&home, gate).await?;
    home.change(&format!("UPDATE replies SET decision = 'approved' WHERE request_id = '{id}'")).await?;
    let journal = home.path().join("replies.journal");
    let turned = |line: &str| {
        let Some((_, entry)) = line.split_once(' ').filter(|_| line.contains("not so")) else { return line.to_owned() };
        let entry = entry.replace("changes_requested", "approved");
        format!("{} {entry}", &sha256(entry.as_bytes())[..16])
    };
    let text: String = std::fs::read_to_string(&journal)?.lines().map(|line| turned(line) + "\n").collect();
    assert!(text.contains("not so") && !text.contains("changes_requested"), "both copies say the same: {text}");
    std::fs::write(&journal, text)?;

    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&person, &agent, &id).await?;
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "{outcome}");
    is_a_draft(&home, &person, &id, "not so", &format!("{id} isn't what its receipt is of")).await
}

#[tokio::test]
async fn a_log_that_is_gone_cut_or_flipped_makes_drafts_and_stops_nothing() -> Result<()> {
    for (what, reason) in [("gone", "gone"), ("cut", "shorter"), ("flipped", "damaged")] {
        let home = Home::new()?;
        let gate = home.serve().await?;
        let (first, second) = (asked(&home, "First").await?, asked(&home, "Second").await?);
        let person = SignedPage::sign_in(&home).await?;
        person.approves(&first, "").await?;
        let before = std::fs::metadata(log_of(&home))?.len();
        person.approves(&second, "mine").await?;
        stop(&home, gate).await?;
        let mut bytes = std::fs::read(log_of(&home))?;
        match what {
            "gone" => std::fs::remove_file(log_of(&home))?,
            "cut" => std::fs::File::options().write(true).open(log_of(&home))?.set_len(before)?,
            _ => {
                bytes[20] ^= 1;
                std::fs::write(log_of(&home), &bytes)?;
            }
        }

        let _gate = home.serve().await?;
        let all = lines(&home)?;
        let (_, begins) = all.first().context("a new log")?;
        assert_eq!((&begins["kind"], &begins["reason"]), (&json!("break"), &json!(reason)), "{what}");
        assert!(warnings(&home).await?.contains("log of receipts"), "{what}: the person is told");
        assert_eq!(home.pending().await?.len(), 2, "{what}: neither was delivered, and both wait again");
        // A sign-in that only lines of the log before tell of doesn't hold.
        let person = SignedPage::sign_in(&home).await?;
        let agent = Agent::start(&home, "claude-code").await?;
        let outcome = comes_back(&person, &agent, &second).await?;
        assert_eq!(outcome["status"], "pending", "{what}: {outcome}");
        is_a_draft(&home, &person, &second, "mine", "again.").await.context(what)?;
        person.approves(&second, "").await?;
        assert_eq!(comes_back(&person, &agent, &second).await?["decision"], "approved", "{what}: it goes on");
    }
    Ok(())
}

#[tokio::test]
async fn a_log_that_is_touched_while_the_gate_runs_is_noticed_with_the_next_reply() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let (first, second) = (asked(&home, "First").await?, asked(&home, "Second").await?);
    let person = SignedPage::sign_in(&home).await?;
    person.approves(&first, "mine").await?;
    std::fs::remove_file(log_of(&home))?;
    person.approves(&second, "").await?;
    let look = || async { Ok(warnings(&home).await?.contains("was gone").then_some(())) };
    eventually("a warning", gate_tests::LIMIT, look).await?;
    assert_eq!(home.waiting("First").await?, first, "what wasn't delivered waits again");
    is_a_draft(&home, &person, &first, "mine", "again.").await?;
    let agent = Agent::start(&home, "claude-code").await?;
    assert_eq!(comes_back(&person, &agent, &second).await?["decision"], "approved", "what came behind it is given");
    Ok(())
}

#[tokio::test]
async fn a_hold_outlives_a_stop() -> Result<()> {
    for end in ["a kill", "a stop"] {
        let home = Home::with_config("window:\n  undo_seconds: 30\n")?;
        let mut gate = home.serve().await?;
        let person = SignedPage::sign_in(&home).await?;
        let id = asked(&home, "Held").await?;
        person.reply(&id, "go").await?;
        // A script may stop nothing now, but the person may.
        match end {
            "a kill" => gate.kill().await?,
            _ => home.at_a_terminal("stop").await.map(drop)?,
        }
        gate.ended().await?;
        let _gate = home.serve().await?;
        let person = SignedPage::sign_in(&home).await?;
        let agent = Agent::start(&home, "claude-code").await?;
        let outcome = comes_back(&person, &agent, &id).await?;
        assert_eq!(outcome["status"], "pending", "{end}: it is held for the rest of its time: {outcome}");
        let undone = person.command(json!({"command": "undo_reply", "request_id": id})).await?;
        assert!(undone.is_ok(), "{end}: and can still be taken back: {undone:?}");
        assert_eq!(home.waiting("Held").await?, id);
        let kinds: Vec<_> = lines(&home)?.into_iter().map(|(_, line)| line["kind"].clone()).collect();
        assert!(kinds.contains(&json!("withdrawn")), "{end}: {kinds:?}");
        person.reply(&id, "really").await?;
        person.does(json!({"command": "send_now", "request_id": id})).await?;
        assert_eq!(lines(&home)?.last().context("a line")?.1["kind"], "released", "its end before its time is a line");
        assert_eq!(comes_back(&person, &agent, &id).await?["text"], "really");
    }
    Ok(())
}

#[tokio::test]
async fn a_record_from_before_receipts_delivers_what_was_given_and_says_how_sure_that_is() -> Result<()> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let (recent, old) = (asked(&home, "Recent").await?, asked(&home, "Old").await?);
    let person = SignedPage::sign_in(&home).await?;
    for id in [&recent, &old] {
        person.approves(id, "").await?;
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
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let outcome = comes_back(&person, &agent, &recent).await?;
    assert_eq!((&outcome["decision"], &outcome["assurance"]), (&json!("approved"), &json!("L0")), "{outcome}");
    let call = agent.call(json!({"message": "May I?", "request_id": old})).await?;
    let refused = agent.result(call).await?;
    assert!(refused["isError"] == true && refused.to_string().contains("unknown_request"), "history: {refused}");
    assert!(!warnings(&home).await?.contains("receipt"), "nothing is wrong");
    Ok(())
}

#[tokio::test]
async fn a_browser_and_a_guard_that_no_line_tells_of_are_not_believed() -> Result<()> {
    let home = Home::new()?;
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

/// A decision that is given, and the gate's end at that moment or while it could still be taken back.
struct Killed<'a> {
    home: &'a Home,
    agent: &'a Agent,
    title: String,
    /// Whether the reply was given before, and is held when the gate ends.
    held: bool,
}

impl Killed<'_> {
    fn question(&self) -> Value {
        json!({"message": "May I?", "title": self.title, "approval": true})
    }

    /// Has the agent ask and the person answer, and ends the gate; the call, the request, since when the answer is given,
    /// and whether the person was told that it was sent.
    async fn begin(&self, seed: &mut Seed) -> Result<(i64, String, Instant, bool)> {
        let call = self.agent.call(self.question()).await?;
        let id = self.home.waiting(&self.title).await?;
        let gate = self.home.gate().context("a gate runs")?;
        let person = SignedPage::sign_in(self.home).await?;
        let begun = Instant::now();
        let sent = if self.held {
            person.reply(&id, &self.title).await?;
            at_a_random_instant(seed, HOLD / 2).await;
            gate.kill()?;
            true
        } else {
            let (request, text) = (id.clone(), self.title.clone());
            let answering = tokio::spawn(async move { person.approves(&request, &text).await });
            at_a_random_instant(seed, LIFE).await;
            gate.kill()?;
            // It may have died with the gate.
            answering.await?.is_ok()
        };
        assert!(gate.ends_within(LIMIT), "it was killed");
        Ok((call, id, begun, sent))
    }

    /// Waits for the next gate. The relay starts one while its call waits; where that was answered before, this does.
    async fn next_gate(&self) -> Result<()> {
        let runs = || async { Ok(self.home.pending().await.ok()) };
        eventually("the next gate", LIMIT, runs).await.map(drop)
    }

    /// The same question again is a new one, which nobody has answered, and the call has its one result.
    async fn is_delivered_once(&self, call: i64, id: &str) -> Result<()> {
        assert_eq!(self.agent.take(call), None, "{}: no second result", self.title);
        let again = self.agent.call(self.question()).await?;
        assert_ne!(
            self.home.waiting(&self.title).await?,
            id,
            "{}: what was delivered answers nothing else",
            self.title
        );
        assert_eq!(self.agent.take(again), None, "{}: it waits for the person", self.title);
        self.agent.cancel(again).await?;
        let gone = || async { Ok(self.home.pending().await?.is_empty().then_some(())) };
        eventually("its withdrawal", LIMIT, gone).await?;
        let sql = format!(
            "SELECT count(*) AS n, min(delivered_at IS NOT NULL) AS given FROM replies WHERE request_id = '{id}'"
        );
        assert_eq!(self.home.rows(&sql).await?, [json!({"n": 1, "given": 1})], "{}: one reply, delivered", self.title);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_between_a_decision_and_its_agent_deliver_nothing_without_a_receipt() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    let agent = Agent::start(&home, "claude-code").await?;
    let kills = campaign(500, 8);
    campaign_tells(format!("{kills} kills"));
    for round in 0..kills {
        let (title, held) = (format!("Round {round}"), round % HELD == 1);
        let killed = Killed { home: &home, agent: &agent, title: title.clone(), held };
        let (call, id, begun, sent) = killed.begin(&mut seed).await.with_context(|| format!("{title}, {seed}"))?;
        killed.next_gate().await.with_context(|| format!("{title}, {seed}"))?;
        let given = receipts(&home, &id).with_context(|| format!("the chain is whole in {title}, {seed}"))?;
        assert!(!held || given.len() == 1, "what is held has its receipt ({seed}): {given:?}");
        if given.is_empty() {
            assert!(!sent, "what was said to be sent is sent ({title}, {seed})");
            assert_eq!(home.waiting(&title).await?, id, "it waits for the person ({seed})");
            SignedPage::sign_in(&home).await?.approves(&id, &title).await?;
        } else {
            assert_eq!(home.pending().await?, Vec::<Value>::new(), "for the person it is answered ({title}, {seed})");
        }
        let outcome = agent.outcome(call).await.with_context(|| format!("{title}, {seed}"))?;
        let lasted = begun.elapsed();
        assert_eq!((&outcome["decision"], &outcome["text"]), (&json!("approved"), &json!(title)), "{seed}");
        let given = receipts(&home, &id)?;
        assert_eq!(given.len(), 1, "nothing is given without its receipt ({title}, {seed})");
        assert_eq!(outcome["receipt"], *given[0].0, "{seed}");
        let lines = lines(&home)?;
        let released = lines.iter().any(|(_, line)| line["kind"] == "released" && line["receipt"] == *given[0].0);
        assert!(!held || !released, "nobody has said that it may go ({title}, {seed})");
        assert!(released || lasted >= HOLD, "what is held stays held over the kill: {lasted:?} ({title}, {seed})");
        killed.is_delivered_once(call, &id).await.with_context(|| format!("{title}, {seed}"))?;
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
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
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
        let sent = person.reply(&id, "").await;
        std::fs::remove_file(&filler)?;
        let Err(fault) = sent else {
            assert!(left > 0, "where nothing can be written, nothing is sent");
            break;
        };
        assert!(fault.to_string().contains("disk_full"), "the person has to know what to mend: {fault:#}");
        assert_eq!(home.pending().await?.len(), 1, "with {left} KiB the request is still open");
        assert_eq!(agent.take(call), None, "and nothing is approved");
        assert_eq!(receipts(&home, &id)?, [], "nor is there a receipt");
    }
    if home.pending().await?.len() == 1 {
        person.reply(&id, "").await?;
    }
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "with space, the same answer works");
    Ok(())
}
