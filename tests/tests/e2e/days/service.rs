//! The gate as a service of the person's systemd, by the unit that the documentation gives, in the environment that
//! systemd gives it: no terminal, nothing on its standard input, few variables. The port is any.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, LIMIT, OwnSystemd, SignedPage, Terminal, eventually};
use serde_json::{Value, json};

const DOCS: &str = include_str!("../../../../docs/headless.md");

fn question(title: &str) -> Value {
    json!({"message": format!("About {title}"), "title": title, "approval": true})
}

/// What a person's terminal shows of this to its end.
async fn typed(terminals: &Home, person: &OwnSystemd, words: &str) -> Result<(Option<i32>, String)> {
    Terminal::start(terminals, &person.line(words))?.ended().await
}

async fn is_given(agent: &Agent, call: i64, expected: [&str; 3]) -> Result<()> {
    let outcome = agent.outcome(call).await?;
    let given = ["decision", "answered_from", "assurance"].map(|field| outcome[field].clone());
    assert_eq!(given, expected.map(|value| json!(value)), "{outcome}");
    Ok(())
}

#[tokio::test]
async fn a_day_with_the_gate_as_a_service() -> Result<()> {
    let Some(person) = OwnSystemd::start().await? else { return Ok(()) };
    // Where terminals and the agent's end are the test's.
    let home = Home::new()?;
    let unit = DOCS.split("```ini\n").nth(1).and_then(|rest| rest.split("```").next()).context("a unit")?;
    let units = person.home(".config/systemd/user");
    std::fs::create_dir_all(&units)?;
    std::fs::write(units.join("review-gate.service"), unit)?;
    std::fs::create_dir_all(person.home(".config/review-gate"))?;
    std::fs::write(person.home(".config/review-gate/config.yaml"), "network:\n  port: 0\n")?;
    let verified = person.runs("systemd-analyze", &["--user", "verify", "review-gate.service"]).await?;
    assert_eq!((verified.code, verified.stderr.as_str()), (Some(0), ""), "the unit is one as it stands there");
    assert!(DOCS.contains("systemctl --user enable --now review-gate"), "what is done here is what it says");
    person.runs("systemctl", &["--user", "enable", "--now", "review-gate"]).await?.succeeded()?;

    let asks = ["--user", "show", "--property=MainPID", "--value", "review-gate"];
    let is_gate = || async {
        let service = person.runs("systemctl", &asks).await?.stdout;
        let status = person.status().await?;
        Ok((status["pid"].as_u64() == service.trim().parse().ok()).then_some(status))
    };
    let status = eventually("the service to be the gate", LIMIT, is_gate).await?;
    assert_eq!((&status["window"], &status["weak"]), (&json!(false), &json!([])), "{status}");

    let agent = Agent::from_command(&home, person.command("review-gate", &["mcp"]))?;
    agent.initialize("claude-code").await?;
    let call = agent.call(question("the schema")).await?;
    let id = person.waiting("the schema").await?;
    assert_eq!(person.status().await?["pid"], status["pid"], "it is the one that agents come to");
    let (code, told) = typed(&home, &person, &format!("review-gate answer {id} --approve")).await?;
    assert!(code == Some(4) && told.contains("[terminal_answers_off]") && told.contains("review-gate link"), "{told}");
    let (code, linked) = typed(&home, &person, "review-gate link --json").await?;
    assert_eq!(code, Some(0), "the person's terminal is given one: {linked}");
    let link: Value = serde_json::from_str(linked.trim()).with_context(|| linked.clone())?;
    let address = status["http"].as_str().context("where it serves")?.trim_start_matches("http://").to_owned();
    let page = SignedPage::follow_by(Http::at(&address, ""), &link["ui"]).await?;
    page.approves(&id, "").await?;
    is_given(&agent, call, ["approved", "browser", "L1"]).await?;
    page.does(json!({"command": "weaken_guard", "key": "security.terminal_answers", "value": true})).await?;

    // It is started anew while an agent waits: what waits is there, and so is what the person has set.
    let call = agent.call(question("the index")).await?;
    person.waiting("the index").await?;
    person.runs("systemctl", &["--user", "restart", "review-gate"]).await?.succeeded()?;
    // Who is the gate now, the service or what the agent's relay has started, depends on which was first.
    let id = person.waiting("the index").await?;
    let mut terminal = Terminal::start(&home, &person.line(&format!("review-gate answer {id} --request-changes")))?;
    let shown = terminal.shows("; anything else sends nothing.").await?.to_owned();
    let digits = shown.rsplit("Type ").next().and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    terminal.types(&format!("{digits}\n")).await?;
    let (code, shown) = terminal.ended().await?;
    assert_eq!(code, Some(0), "{shown}");
    is_given(&agent, call, ["changes_requested", "terminal", "L1"]).await?;

    let told = typed(&home, &person, "review-gate status").await?.1;
    assert!(
        told.contains("without windows") && told.contains("security.terminal_answers"),
        "it says how it is: {told}"
    );
    Ok(())
}
