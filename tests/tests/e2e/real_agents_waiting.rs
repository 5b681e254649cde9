//! Real agents whose person takes their time, and that are ended in the middle: nothing is lost, and nothing reaches
//! the model twice.

use std::time::Duration;

use anyhow::{Context as _, Result};
use gate_tests::{Control, LIMIT, NoNetwork, Part, Program, RealAgent, Turn, at_the_instant, eventually};
use serde_json::{Value, json};

use crate::real_agents::stands_in_the_table;

/// What the table of this module's tests stands under.
const TABLE: &str = "## An agent that is ended, and a person who takes their time";
/// And what one stands under that shows them as they give up.
const GIVING_UP: &str = "### When an agent gives up first";
/// And what one stands under that shows them with the time-outs that they have by themselves.
const BY_ITSELF: &str = "### With the time-out that an agent has by itself";
/// And what one stands under that shows them with the time-outs that they are installed with.
const AS_INSTALLED: &str = "### With the time-out that `install` writes";
/// For how long the gate lets a call of theirs wait then, and when the person answers: an agent that gives up after a
/// minute would have.
const PENDING: Duration = Duration::from_secs(50);
const ANSWERED: Duration = Duration::from_secs(65);

fn asks(title: &str) -> Turn {
    Turn::Call("review_gate_chat", json!({"message": "Which way?", "title": title}))
}

/// The texts that the model got, result by result.
fn given(agent: &RealAgent) -> Vec<String> {
    let texts = |result: &Vec<Part>| -> String {
        let texts = result.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    };
    agent.model.given().iter().map(texts).collect()
}

/// Waits until the model has so many results.
async fn has_given(agent: &RealAgent, results: usize) -> Result<()> {
    let look = || async { Ok((given(agent).len() >= results).then_some(())) };
    eventually(&format!("{results} results in the model"), LIMIT, look).await
}

/// Where a request stands, and whether a call waits for it.
async fn standing(agent: &RealAgent, request: &str) -> Result<(Value, Value)> {
    let mut control = Control::open(&agent.home).await?;
    let opened = control.command(json!({"command": "open_request", "request_id": request})).await?;
    let mut opened = opened.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let request = &mut opened["request"];
    Ok((request["status"].take(), request["summary"]["caller_waiting"].take()))
}

/// Waits until no call waits for a request any more; gives where it stands.
async fn left(agent: &RealAgent, request: &str) -> Result<Value> {
    let look = || async {
        let (status, waits) = standing(agent, request).await?;
        Ok((waits != json!(true)).then_some(status))
    };
    eventually("that nobody waits for the request", LIMIT, look).await
}

/// Compares how many questions were asked, and how many replies were delivered, as soon as it is noted.
async fn are_on_record(agent: &RealAgent, questions: u64, delivered: u64) -> Result<()> {
    const QUERY: &str = "SELECT (SELECT count(*) FROM review_requests) AS questions, count(*) AS replies, \
                         count(delivered_at) AS delivered FROM replies";
    let wanted = [json!({"questions": questions, "replies": delivered, "delivered": delivered})];
    let look = || async { Ok((agent.home.rows(QUERY).await? == wanted).then_some(())) };
    eventually(&format!("{wanted:?} on record"), LIMIT, look).await
}

/// The person answers after the agent's call had to end: once while nobody waits, and once when the agent has come
/// back to wait.
async fn a_late_answer_arrives_once(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let first = vec![asks("The first"), Turn::Say("Nobody has answered; I stop here.")];
    let Some(agent) = RealAgent::new(program, first).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    agent.shorten_calls()?;
    let running = agent.start()?;
    let id = agent.home.waiting("The first").await?;
    let ended = agent.ended(running).await?;
    let told = given(&agent);
    assert_eq!(told.len(), 1, "{program:?} hands on one result: {told:?}; {ended:?}");
    assert!(told[0].contains("has not answered yet"), "{program:?} didn't give up before the gate did: {told:?}");
    assert_eq!(left(&agent, &id).await?, "pending", "{program:?}: the person still can answer");

    agent.home.answer(&id, ["--text", "Take the left one."]).await?;
    let wait = Turn::Wait("Which way?");
    agent.model.says(vec![asks("The first"), wait.clone(), asks("The second"), wait, Turn::Say("Thank you.")]);
    let running = agent.go_on()?;
    let id =
        agent.home.waiting("The second").await.with_context(|| format!("{program:?} was given {:?}", given(&agent)))?;
    // What it asked first, its answer, and that the second is pending.
    has_given(&agent, 3).await?;
    agent.home.answer(&id, ["--text", "Now the right one."]).await?;
    let ended = agent.ended(running).await?;
    let told = given(&agent);
    let with = |text: &str| told.iter().filter(|result| result.contains(text)).count();
    assert_eq!(with("Take the left one."), 1, "{program:?}: the late answer, once: {told:?}; {ended:?}");
    assert_eq!(with("Now the right one."), 1, "{program:?}: the answer to a call that came back, once: {told:?}");
    let answers = told.iter().find(|result| !result.contains("has not answered yet"));
    assert!(answers.is_some_and(|first| first.contains("left one")), "{program:?}: when it comes back: {told:?}");
    are_on_record(&agent, 2, 2).await
}

/// Ctrl-C, and then `kill -9`, while the agent's call waits. Whatever it asked is answered in the end, once.
async fn nothing_is_lost_with_an_agent(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(agent) = RealAgent::new(program, vec![asks("In the middle"), Turn::Say("Thank you.")]).await? else {
        return Ok(());
    };
    agent.install(&["--allow"]).await?;
    let running = agent.start()?;
    let first = agent.home.waiting("In the middle").await?;
    agent.interrupt(&running)?;
    agent.ended(running).await?;
    left(&agent, &first).await?;

    let running = agent.start()?;
    let waits = || async {
        let Some(pending) = agent.home.pending().await?.pop() else { return Ok(None) };
        let id = pending["request_id"].as_str().context("an id")?.to_owned();
        let (_, waits) = standing(&agent, &id).await?;
        Ok((waits == json!(true)).then_some(id))
    };
    let id = eventually("that it asks again", LIMIT, waits).await?;
    // What it withdraws as it ends may come a moment later than its end.
    let (after, _) = standing(&agent, &first).await?;
    let withdrawn = after == "cancelled";
    assert!(withdrawn || after == "pending", "{program:?}: the question is withdrawn, or stays: {after}");
    assert_eq!(id == first, !withdrawn, "{program:?}: the same question is the same request while that is open");
    agent.kill()?;
    agent.ended(running).await?;
    assert_eq!(left(&agent, &id).await?, "pending", "{program:?}: a kill takes nothing back");

    agent.home.answer(&id, ["--text", "Take the left one."]).await?;
    let ended = agent.ended(agent.start()?).await?;
    let told = given(&agent);
    assert!(
        told.len() == 1 && told[0].contains("Take the left one."),
        "{program:?} asks the same again, and has its answer: {told:?}; {ended:?}"
    );
    are_on_record(&agent, if withdrawn { 2 } else { 1 }, 1).await?;
    let after = if withdrawn { "withdrawn" } else { "stays" };
    stands_in_the_table(TABLE, &agent.name()?, &format!("{after} | stays | once"))
}

/// The person answers after the agent has given up by its own time-out, which the gate was told wrong.
async fn one_that_gives_up_has_its_answer_when_it_asks_again(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![asks("Too long"), Turn::Say("It takes too long; I stop here.")];
    let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    agent.give_up_first()?;
    let running = agent.start()?;
    let first = agent.home.waiting("Too long").await?;
    let ended = agent.ended(running).await?;
    let told = given(&agent);
    let is_told = told.len() == 1 && !told[0].contains("has not answered yet");
    assert!(is_told, "{program:?} gives up by itself, and its model is told of it: {told:?}; {ended:?}");
    let after = left(&agent, &first).await?;
    let withdrawn = after == "cancelled";
    assert!(withdrawn || after == "pending", "{program:?}: the question is withdrawn, or stays: {after}");

    if !withdrawn {
        agent.home.answer(&first, ["--text", "Take the left one."]).await?;
    }
    agent.model.says(vec![asks("Too long"), asks("Too long"), Turn::Say("Thank you.")]);
    let running = agent.go_on()?;
    if withdrawn {
        let again = agent.home.waiting("Too long").await.with_context(|| format!("{:?}", given(&agent)))?;
        assert_ne!(again, first, "{program:?} asks anew");
        agent.home.answer(&again, ["--text", "Take the left one."]).await?;
    }
    let ended = agent.ended(running).await?;
    let told = given(&agent);
    let answers = told.iter().filter(|result| result.contains("Take the left one.")).count();
    assert_eq!((told.len(), answers), (2, 1), "{program:?} has its answer, once: {told:?}; {ended:?}");
    are_on_record(&agent, if withdrawn { 2 } else { 1 }, 1).await?;
    let after = if withdrawn { "withdrawn" } else { "stays" };
    stands_in_the_table(GIVING_UP, &agent.name()?, &format!("{after} | once"))
}

/// The person answers after a minute, and the agent's entry says nothing of time-outs: the gate says `pending` before
/// the agent gives up, and the agent comes back.
async fn nobody_gives_up_before_the_gate_says_pending(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![asks("After a minute"), Turn::Wait("Which way?"), Turn::Say("Thank you.")];
    let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    agent.have_own_time_out()?;
    let running = agent.start()?;
    let id = agent.home.waiting("After a minute").await?;
    let asked = tokio::time::Instant::now();
    let told = || async { Ok(given(&agent).into_iter().next()) };
    let told = eventually("what the model is told first", PENDING + LIMIT, told).await?;
    assert!(told.contains("has not answered yet"), "{program:?} gave up before the gate said so: {told}");
    at_the_instant(asked, ANSWERED).await;
    agent.home.answer(&id, ["--text", "Take the left one."]).await?;
    let ended = agent.ended(running).await?;
    let told = given(&agent);
    let (last, before) = told.split_last().context("results")?;
    let waited = !before.is_empty() && before.iter().all(|result| result.contains("has not answered yet"));
    let answers = told.iter().filter(|result| result.contains("Take the left one.")).count();
    assert!(waited && answers == 1 && last.contains("left one"), "{program:?}: once, at last: {told:?}; {ended:?}");
    are_on_record(&agent, 1, 1).await?;
    stands_in_the_table(BY_ITSELF, &agent.name()?, "`pending` | once")
}

/// Two agents work in one folder, and each gets its own answer.
async fn two_in_a_folder_get_their_own(one: Program, other: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = |title: &str| vec![asks(title), Turn::Say("Thank you.")];
    let Some(one) = RealAgent::new(one, turns("The one's")).await? else { return Ok(()) };
    let other = one.beside(other, turns("The other's")).await?;
    one.install(&["--allow"]).await?;
    other.install(&["--allow"]).await?;
    let (first, second) = (one.start()?, other.start()?);
    let ids = [one.home.waiting("The one's").await?, one.home.waiting("The other's").await?];
    // The one that was asked last is answered first.
    for (id, text) in [(&ids[1], "to the other"), (&ids[0], "to the one")] {
        one.home.answer(id, ["--text", text]).await?;
    }
    let (first, second) = tokio::join!(one.ended(first), other.ended(second));
    let (first, second) = (first?, second?);
    for (agent, text, ended) in [(&one, "to the one", first), (&other, "to the other", second)] {
        let told = given(agent);
        assert!(told.len() == 1 && told[0].contains(text), "{agent:?} has its own answer: {told:?}; {ended:?}");
    }
    are_on_record(&one, 2, 2).await?;
    let sessions = one.home.rows("SELECT count(DISTINCT session_uuid) AS sessions FROM review_requests").await?;
    assert_eq!(sessions, [json!({"sessions": 2})], "each has a conversation of its own");
    Ok(())
}

#[tokio::test]
async fn claude_code_comes_back_for_a_late_answer() -> Result<()> {
    a_late_answer_arrives_once(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_comes_back_for_a_late_answer() -> Result<()> {
    a_late_answer_arrives_once(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_comes_back_for_a_late_answer() -> Result<()> {
    a_late_answer_arrives_once(Program::Gemini).await
}

#[tokio::test]
async fn opencode_comes_back_for_a_late_answer() -> Result<()> {
    a_late_answer_arrives_once(Program::OpenCode).await
}

#[tokio::test]
async fn claude_code_may_end_in_the_middle() -> Result<()> {
    nothing_is_lost_with_an_agent(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_may_end_in_the_middle() -> Result<()> {
    nothing_is_lost_with_an_agent(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_may_end_in_the_middle() -> Result<()> {
    nothing_is_lost_with_an_agent(Program::Gemini).await
}

#[tokio::test]
async fn opencode_may_end_in_the_middle() -> Result<()> {
    nothing_is_lost_with_an_agent(Program::OpenCode).await
}

#[tokio::test]
async fn claude_code_may_give_up_first() -> Result<()> {
    one_that_gives_up_has_its_answer_when_it_asks_again(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_may_give_up_first() -> Result<()> {
    one_that_gives_up_has_its_answer_when_it_asks_again(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_may_give_up_first() -> Result<()> {
    one_that_gives_up_has_its_answer_when_it_asks_again(Program::Gemini).await
}

#[tokio::test]
async fn opencode_may_give_up_first() -> Result<()> {
    one_that_gives_up_has_its_answer_when_it_asks_again(Program::OpenCode).await
}

#[tokio::test]
async fn codex_is_told_pending_before_it_gives_up_by_itself() -> Result<()> {
    nobody_gives_up_before_the_gate_says_pending(Program::Codex).await
}

#[tokio::test]
async fn gemini_cli_is_told_pending_before_it_gives_up_by_itself() -> Result<()> {
    nobody_gives_up_before_the_gate_says_pending(Program::Gemini).await
}

#[tokio::test]
async fn opencode_is_told_pending_before_it_gives_up_by_itself() -> Result<()> {
    nobody_gives_up_before_the_gate_says_pending(Program::OpenCode).await
}

/// The person answers after a minute, and the agents' entries are as `install` wrote them: each call still waits, and the
/// answer is its result. They wait side by side, since they have nothing else to do.
#[tokio::test]
async fn as_installed_each_has_an_answer_after_a_minute_as_the_result_of_its_call() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let mut waiting = Vec::new();
    for program in Program::ALL {
        let turns = vec![asks("After a minute"), Turn::Say("Thank you.")];
        let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(()) };
        agent.install(&["--allow"]).await?;
        let running = agent.start()?;
        let id = agent.home.waiting("After a minute").await?;
        waiting.push((agent, running, id, tokio::time::Instant::now()));
    }
    for (agent, running, id, asked) in waiting {
        let program = agent.program();
        at_the_instant(asked, ANSWERED).await;
        let at = standing(&agent, &id).await?;
        assert_eq!(at, (json!("pending"), json!(true)), "{program:?} still waits: {:?}", given(&agent));
        agent.home.answer(&id, ["--text", "Take the left one."]).await?;
        let ended = agent.ended(running).await?;
        let told = given(&agent);
        let is_result = told.len() == 1 && told[0].contains("Take the left one.");
        assert!(is_result, "{program:?}: the call's own result is the answer: {told:?}; {ended:?}");
        are_on_record(&agent, 1, 1).await?;
        stands_in_the_table(AS_INSTALLED, &agent.name()?, "the answer | once")?;
    }
    Ok(())
}

#[tokio::test]
async fn two_of_one_program_work_in_a_folder() -> Result<()> {
    two_in_a_folder_get_their_own(Program::ClaudeCode, Program::ClaudeCode).await
}

#[tokio::test]
async fn two_programs_work_in_a_folder() -> Result<()> {
    two_in_a_folder_get_their_own(Program::Codex, Program::OpenCode).await
}
