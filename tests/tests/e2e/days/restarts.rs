//! An agent whose client is started ten times a day.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, Process, SignedPage, free_port};
use serde_json::{Value, json};

/// How often it is started.
const LIVES: usize = 10;

/// One life of the agent.
struct Life(Agent);

impl Life {
    async fn begins(home: &Home) -> Result<Self> {
        Ok(Self(Agent::start_apart(home, "claude-code").await?))
    }

    /// Ends with its client: as a person ends it, or as a crash does, which takes its relay along.
    async fn ends(self, home: &Home, crash: bool) -> Result<()> {
        let client = Process::open(self.0.pid().context("it runs")?).context("it runs")?;
        let all = home.processes().into_iter().filter(|process| process.arguments().contains(&"mcp".into()));
        let all: Vec<Process> = all.collect();
        if crash {
            for process in &all {
                process.kill()?;
            }
        } else {
            self.0.close().await?;
        }
        drop(self.0);
        assert!(client.ends_within(LIMIT) && all.iter().all(|process| process.ends_within(LIMIT)), "it has ended");
        Ok(())
    }

    async fn tool(&self, name: &str, arguments: Value) -> Result<Value> {
        let call = self.0.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
        self.0.outcome(call).await
    }

    /// All that was said in its session.
    async fn reads(&self, session: &str) -> Result<String> {
        let (mut all, mut cursor) = (String::new(), Value::Null);
        loop {
            let older = json!({"session_uuid": session, "cursor": cursor});
            let asked = if cursor.is_null() { json!({"session_uuid": session}) } else { older };
            let page = self.tool("review_gate_get_context", asked).await?;
            all.push_str(&page["messages"].to_string());
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                return Ok(all);
            }
        }
    }

    /// Which of its earlier questions the next result of a tool points to.
    async fn pointers(&self, session: &str) -> Result<Vec<String>> {
        let report = json!({"session_uuid": session, "progress_percent": 50});
        let told = self.tool("review_gate_update_progress", report).await?;
        let all = told["earlier"].as_array().cloned().unwrap_or_default();
        Ok(all.iter().filter_map(|one| one["request_id"].as_str().map(str::to_owned)).collect())
    }
}

/// A question in this session; in a new one where it is absent.
fn question(title: &str, session: Option<&str>) -> Value {
    let mut asked = json!({"message": format!("About {title}"), "title": title, "approval": true});
    if let Some(session) = session {
        asked["session_uuid"] = json!(session);
    }
    asked
}

/// Each question's answer says which question it is of.
fn answer(title: &str) -> String {
    format!("of {title}")
}

/// The replies that came to the agent, by their questions' titles. None comes twice.
#[derive(Default)]
struct Heard(BTreeMap<String, Value>);

impl Heard {
    fn hears(&mut self, title: &str, outcome: Value) {
        assert_eq!(
            (&outcome["decision"], &outcome["text"], &outcome["assurance"]),
            (&json!("approved"), &json!(answer(title)), &json!("L1")),
            "{title} has its own answer, and that one: {outcome}"
        );
        let before = self.0.insert(title.to_owned(), outcome);
        assert_eq!(before, None, "{title} is answered once");
    }
}

#[tokio::test]
async fn an_agent_that_is_started_ten_times_a_day_loses_nothing_and_hears_nothing_twice() -> Result<()> {
    let port = free_port()?;
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", port.to_string())])?;
    let mut gate = home.serve().await?;
    let mut page = SignedPage::sign_in(&home).await?;
    let (mut session, mut heard) = (None::<String>, Heard::default());
    // What a life has left behind: answered before the next one began, and not answered by then.
    let mut left: Option<[(String, String); 2]> = None;
    for number in 1..=LIVES {
        let life = Life::begins(&home).await?;
        if let (Some(session), Some([between, after])) = (&session, left.take()) {
            assert_eq!(life.pointers(session).await?, [between.1.as_str()], "it is told what was answered meanwhile");
            let told = life.0.chat(json!({"message": "again", "request_id": between.1})).await?;
            heard.hears(&between.0, told);
            assert_eq!(life.pointers(session).await?, [""; 0], "and once it has that, of nothing more");
            let waits = life.0.call(json!({"message": "again", "request_id": after.1})).await?;
            page.approves(&after.1, &answer(&after.0)).await?;
            heard.hears(&after.0, life.0.outcome(waits).await?);
            let all = life.reads(session).await?;
            for title in heard.0.keys() {
                assert!(all.contains(&answer(title)), "it reads all of its session, {title} too: {all}");
            }
        }
        let [now, between, after] = ["now", "between", "after"].map(|when| format!("{when}, life {number}"));
        let call = life.0.call(question(&now, session.as_deref())).await?;
        page.approves(&home.waiting(&now).await?, &answer(&now)).await?;
        let outcome = life.0.outcome(call).await?;
        let own = outcome["session_uuid"].as_str().context("a session")?.to_owned();
        assert_eq!(*session.get_or_insert_with(|| own.clone()), own, "it goes on in its session");
        heard.hears(&now, outcome);
        for title in [&between, &after] {
            life.0.call(question(title, session.as_deref())).await?;
        }
        let ids = [home.waiting(&between).await?, home.waiting(&after).await?];
        life.ends(&home, number % 2 == 0).await?;
        if number == LIVES / 2 {
            gate.kill().await?;
            gate = home.serve().await?;
            page = page.again(&home).await?;
        }
        page.approves(&ids[0], &answer(&between)).await?;
        let [first, second] = ids;
        left = Some([(between, first), (after, second)]);
    }
    // The evening: the last life's questions are there as well, and then nothing is.
    let life = Life::begins(&home).await?;
    for (title, id) in left.into_iter().flatten() {
        let waits = life.0.call(json!({"message": "again", "request_id": id})).await?;
        if home.pending().await?.iter().any(|request| request["request_id"] == *id) {
            page.approves(&id, &answer(&title)).await?;
        }
        heard.hears(&title, life.0.outcome(waits).await?);
    }
    assert_eq!(life.pointers(&session.context("a session")?).await?, [""; 0], "nothing waits to be fetched");
    assert_eq!(heard.0.len(), 3 * LIVES, "all that was asked is answered");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "and nothing is left to answer");
    let sessions = home.rows("SELECT DISTINCT session_uuid FROM review_requests").await?;
    assert_eq!(sessions.len(), 1, "it was one session all day: {sessions:?}");
    Ok(())
}
