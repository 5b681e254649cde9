//! A person on a machine that they reach by SSH, all day in tmux: a real sshd, a real tmux, and `ssh -L` to the page.
//! Their agent runs in a window of its own.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Forwarded, Home, Http, LIMIT, Remote, SignedPage, Tmux, eventually, free_port, link_parts};
use serde_json::{Value, json};

/// With a port that the gate finds again, so that a forwarded one leads there still.
fn home() -> Result<Home> {
    Home::with_env([("REVIEW_GATE__NETWORK__PORT", free_port()?.to_string())])
}

fn question(title: &str) -> Value {
    json!({"message": format!("About {title}"), "title": title, "approval": true})
}

/// The end of an id, as a person types it.
fn tail(id: &str) -> &str {
    &id[id.len() - 8..]
}

/// Decides in a window as a person does where terminals may: reads all that is shown, and types the digits.
async fn decides(tmux: &mut Tmux<'_>, id: &str, flags: &str) -> Result<()> {
    tmux.clears("answers").await?;
    tmux.types("answers", &format!("review-gate answer {} {flags}\n", tail(id))).await?;
    let shown = tmux.shows("answers", "; anything else sends nothing.").await?;
    assert!(shown.contains("About "), "the question itself is shown before: {shown}");
    let digits = shown.rsplit("Type ").next().and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    tmux.types("answers", &format!("{digits}\n")).await?;
    tmux.shows("answers", "Sent.").await.map(drop)
}

/// Runs a command in a window and waits until it shows this.
async fn runs(tmux: &mut Tmux<'_>, window: &str, command: &str, shows: &str) -> Result<String> {
    tmux.clears(window).await?;
    tmux.types(window, &format!("{command}\n")).await?;
    tmux.shows(window, shows).await
}

/// The page at the other end of a forwarded port, signed in by a link that stands in a window.
async fn page(forwarded: &Forwarded, shown: &str) -> Result<SignedPage> {
    let link = shown.split_whitespace().find(|word| word.contains("/#code=")).context("a link")?;
    let link = link.trim_matches(['"', ',']);
    let (_, code) = link_parts(&json!(link))?;
    let http = Http::at(&way(forwarded), "");
    // Any other local port does, written into the link.
    SignedPage::follow_by(http, &json!(format!("http://localhost:{}/#code={code}", forwarded.port))).await
}

fn way(forwarded: &Forwarded) -> String {
    format!("127.0.0.1:{}", forwarded.port)
}

/// The port of the gate's page.
fn port(home: &Home) -> Result<u16> {
    let http = Http::of(home)?;
    http.address.rsplit(':').next().and_then(|port| port.parse().ok()).context("a port")
}

async fn is_given(agent: &Agent, call: i64, expected: [Value; 3], why: &str) -> Result<()> {
    let outcome = agent.outcome(call).await?;
    let given = ["decision", "answered_from", "assurance"].map(|field| outcome[field].clone());
    assert_eq!(given, expected, "{why}: {outcome}");
    Ok(())
}

#[tokio::test]
async fn a_day_over_ssh_in_tmux_is_answered_at_terminals_where_they_may_decide() -> Result<()> {
    let home = home()?;
    let Some(remote) = Remote::start(&home).await? else { return Ok(()) };
    let mut tmux = remote.tmux().await?;
    for window in ["gate", "agent", "answers"] {
        tmux.opens(window).await?;
    }
    let ready = runs(&mut tmux, "gate", "review-gate serve --terminal", "\"ready\":true").await?;
    assert!(ready.contains("code="), "a person's own terminal is given a link, too: {ready}");
    let agent = tmux.agent("agent", "morning").await?;
    agent.initialize("claude-code").await?;

    let call = agent.call(question("the schema")).await?;
    let id = home.waiting("the schema").await?;
    let listed = runs(&mut tmux, "answers", "review-gate requests", "Answer with").await?;
    assert!(listed.contains(&id) && listed.contains("--approve or --request-changes"), "what to do: {listed}");
    decides(&mut tmux, &id, "--request-changes --text 'Name the index'").await?;
    let changes = [json!("changes_requested"), json!("terminal"), json!("L1")];
    is_given(&agent, call, changes, "changes are a decision, too").await?;

    // The train goes into a tunnel while the next one waits. Nothing in the windows notices.
    let call = agent.call(question("the index")).await?;
    let id = home.waiting("the index").await?;
    tmux.breaks().await?;
    let mut tmux = remote.tmux().await?;
    decides(&mut tmux, &id, "--approve").await?;
    let approved = || [json!("approved"), json!("terminal"), json!("L1")];
    is_given(&agent, call, approved(), "the same session goes on in a new connection").await?;

    // The gate is ended. The agent's relay starts one at once, which has no flags, so that terminals don't decide there.
    agent.call(question("the migration")).await?;
    let id = home.waiting("the migration").await?;
    let gate = home.gate().context("it runs")?;
    tmux.types("gate", "\u{3}").await?;
    assert!(gate.ends_within(LIMIT), "Ctrl-C ends it");
    home.gate_runs().await?;
    home.waiting("the migration").await?;
    let refused = runs(&mut tmux, "answers", &format!("review-gate answer {} --approve", tail(&id)), "_off]").await?;
    let refused = refused.replace('\n', " ");
    assert!(
        refused.contains("[terminal_answers_off]") && refused.contains("review-gate serve --terminal"),
        "{refused}"
    );
    let told = runs(&mut tmux, "gate", "review-gate serve --terminal", "already_running").await?;
    let words = told.replace('\n', " ");
    assert!(words.contains("review-gate stop") && words.contains("while no agent is connected"), "{told}");
    // As it says: the agent ends, then the gate.
    tmux.types("agent", "\u{3}").await?;
    drop(agent);
    let has_relay = || home.processes().iter().any(|process| process.arguments().contains(&"mcp".into()));
    eventually("the relay's end", LIMIT, || async { Ok((!has_relay()).then_some(())) }).await?;
    runs(&mut tmux, "gate", "review-gate stop", "Stopped.").await?;
    runs(&mut tmux, "gate", "review-gate serve --terminal", "\"ready\":true").await?;
    let status = runs(&mut tmux, "answers", "review-gate status", "The gate runs").await?;
    assert!(status.contains("serve --terminal"), "status tells what is weaker: {status}");
    let agent = tmux.agent("agent", "evening").await?;
    agent.initialize("claude-code").await?;
    let call = agent.call(json!({"message": "again", "request_id": id})).await?;
    decides(&mut tmux, &id, "--approve").await?;
    is_given(&agent, call, approved(), "the agent's next has the answer to what its last one asked").await?;
    tmux.types("gate", "\u{3}").await?;
    Ok(())
}

#[tokio::test]
async fn a_day_over_ssh_in_tmux_is_answered_on_the_page_behind_a_forwarded_port() -> Result<()> {
    let home = home()?;
    let Some(remote) = Remote::start(&home).await? else { return Ok(()) };
    let mut tmux = remote.tmux().await?;
    for window in ["agent", "answers"] {
        tmux.opens(window).await?;
    }
    // Nobody starts a gate: the agent's relay does.
    let agent = tmux.agent("agent", "all-day").await?;
    agent.initialize("claude-code").await?;
    let call = agent.call(question("the release")).await?;
    home.gate_runs().await?;
    let id = home.waiting("the release").await?;
    let answer = format!("review-gate answer {}", tail(&id));
    let refused = runs(&mut tmux, "answers", &format!("{answer} --approve"), "_off]").await?;
    let refused = refused.replace('\n', " ");
    assert!(refused.contains("[terminal_answers_off]") && refused.contains("review-gate link"), "{refused}");

    let linked = runs(&mut tmux, "answers", "review-gate link", "ssh -L").await?;
    let forwarded = remote.forward(port(&home)?).await?;
    let page = page(&forwarded, &linked).await?;
    page.approves(&id, "go on").await?;
    is_given(&agent, call, [json!("approved"), json!("browser"), json!("L1")], "approved on the page").await?;

    // Text goes from a terminal without more.
    let call = agent.call(json!({"message": "Which branch?", "title": "the branch"})).await?;
    let id = home.waiting("the branch").await?;
    runs(&mut tmux, "answers", &format!("review-gate answer {} --text main", tail(&id)), "Sent.").await?;
    is_given(&agent, call, [Value::Null, json!("terminal"), json!("L0")], "text of a terminal").await?;

    // On the page the person lets terminals decide, which holds for every gate of this home from then on.
    page.does(json!({"command": "weaken_guard", "key": "security.terminal_answers", "value": true})).await?;
    for title in ["the changelog", "the tag"] {
        let call = agent.call(question(title)).await?;
        let id = home.waiting(title).await?;
        decides(&mut tmux, &id, "--approve").await?;
        is_given(&agent, call, [json!("approved"), json!("terminal"), json!("L1")], title).await?;
        let stopped = runs(&mut tmux, "answers", "review-gate stop", "Stopped.").await?;
        assert!(stopped.contains("starts the gate again"), "it says what comes next: {stopped}");
    }
    // The page is still signed in, at the gate that the relay has started meanwhile.
    let call = agent.call(question("the last")).await?;
    let id = home.waiting("the last").await?;
    let mut page = page.again(&home).await?;
    page.http.address = way(&forwarded);
    page.answers(&id, Some("changes_requested"), json!({"text": "Tomorrow."})).await?;
    let changes = [json!("changes_requested"), json!("browser"), json!("L1")];
    is_given(&agent, call, changes, "and on the page again").await?;
    tmux.types("agent", "\u{3}").await?;
    Ok(())
}
