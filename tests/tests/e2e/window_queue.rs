//! Several requests at once in the real window: their order, moving between them, what becomes of a
//! withdrawn one, and that the window comes and goes without answering anything.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, ESCAPE, Home, Page, Seed, Window, campaign, campaign_tells, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// Settings that let the test answer with `review-gate answer` too.
const SCRIPTED: &str = "security:\n  scripted_answers: true\n";

async fn ask(agent: &Agent, home: &Home, title: &str, urgent: bool) -> Result<i64> {
    let call = agent.call(json!({"message": format!("About {title}"), "title": title, "urgent": urgent})).await?;
    home.waiting(title).await?;
    Ok(call)
}

/// The titles in the queue's list, in their order. Opens the list and closes it.
async fn listed(page: &Page) -> Result<Value> {
    page.click(&test_id("queue-count")).await?;
    let script =
        "return [...document.querySelectorAll('[data-testid=\"queue-list\"] .title')].map((title) => title.innerText)";
    let titles = page.until("the list of requests", script, json!([])).await?;
    page.press(&[ESCAPE]).await?;
    page.counts(&test_id("queue-list"), 0).await?;
    Ok(titles)
}

async fn place(page: &Page, words: &str) -> Result<()> {
    page.says(&test_id("queue-count"), words).await
}

#[tokio::test]
async fn requests_queue_in_their_order_and_keys_move_between_them() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let home = window.home();
    let (first, second) = (Agent::start(home, PATIENT).await?, Agent::start(home, PATIENT).await?);
    let one = ask(&first, home, "one", false).await?;
    let two = ask(&second, home, "two", false).await?;
    let page = window.page().await?;
    page.shows("one").await?;
    place(&page, "1 of 2").await?;

    let urgent = ask(&second, home, "urgent", true).await?;
    page.says(&test_id("banner"), "urgent").await?;
    assert_eq!(page.text(&test_id("request-title")).await?, "one", "nothing is taken from under the person");
    assert_eq!(listed(&page).await?, json!(["urgent", "one", "two"]), "urgent ones first, then the oldest");
    place(&page, "2 of 3").await?;

    // A plain question has the focus in its text, where keys are letters.
    page.leave_text().await?;
    page.press(&['j']).await?;
    page.shows("urgent").await?;
    page.leave_text().await?;
    page.press(&['k']).await?;
    page.shows("two").await?;
    page.write(&test_id("reply-text"), "for two").await?;
    page.leave_text().await?;
    page.press(&['k']).await?;
    page.shows("one").await?;
    assert_eq!(page.written().await?, "", "what is written belongs to one request");
    page.write(&test_id("reply-text"), "for one").await?;
    page.send_by_keys("one", &[]).await?;
    assert_eq!(first.outcome(one).await?["text"], "for one", "the reply reaches its own caller");

    page.shows("urgent").await?;
    page.write(&test_id("reply-text"), "for urgent").await?;
    page.send_by_keys("urgent", &[]).await?;
    assert_eq!(second.outcome(urgent).await?["text"], "for urgent", "the reply reaches its own call");
    page.shows("two").await?;
    assert_eq!(page.written().await?, "for two", "what was written stays with its request");
    page.press_button("send").await?;
    assert_eq!(second.outcome(two).await?["text"], "for two", "the reply reaches its own call");
    window.display().window_gone().await?;
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "everything is answered");
    Ok(())
}

#[tokio::test]
async fn a_withdrawn_request_says_so_and_keeps_the_draft() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let home = window.home();
    let agent = Agent::start(home, PATIENT).await?;
    let call = ask(&agent, home, "soon gone", false).await?;
    let page = window.page().await?;
    page.shows("soon gone").await?;
    page.write(&test_id("reply-text"), "half a thought").await?;
    page.draft_saved().await?;
    agent.cancel(call).await?;
    page.says(&test_id("banner"), "withdrew").await?;
    assert_eq!(page.written().await?, "half a thought", "the person's words stay where they can be copied from");
    assert_eq!(page.count(&test_id("send")).await?, 0, "there is nothing left to answer");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "a withdrawn request waits no longer");

    let call = ask(&agent, home, "next", false).await?;
    page.click(&test_id("next")).await?;
    page.shows("next").await?;
    assert_eq!(page.written().await?, "", "the draft belongs to the withdrawn request");
    page.write(&test_id("reply-text"), "fine").await?;
    page.send_by_keys("next", &[]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "fine", "the window goes on as before");
    Ok(())
}

#[tokio::test]
async fn hiding_the_window_answers_nothing() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let screen = display.screen()?;
    // Each request is of an agent of its own: one that nobody answers brings the window up once a minute.
    let agent = Agent::start(home, PATIENT).await?;
    let others = [Agent::start(home, PATIENT).await?, Agent::start(home, PATIENT).await?];
    let approval = json!({"message": "Deploy?", "title": "deploy", "approval": true});
    let deploy = agent.call(approval).await?;
    let page = window.page().await?;
    page.shows("deploy").await?;
    display.window_in_front().await?;

    page.press(&[ESCAPE]).await?;
    display.window_gone().await?;
    assert_eq!(titles(home).await?, ["deploy"], "Escape puts a request off and answers nothing");
    assert!(agent.take(deploy).is_none(), "the agent hears nothing");

    screen.hands_rest().await?;
    let question = ask(&others[0], home, "question", false).await?;
    display.window_in_front().await?;
    display.close_window().await?;
    assert_eq!(titles(home).await?, ["deploy", "question"], "closing the window answers nothing");
    assert!(agent.take(deploy).is_none() && others[0].take(question).is_none(), "the agent hears nothing");

    window.start_app()?.ends().await.context("an app that is started again hands over")?;
    display.window_in_front().await?;
    page.run("document.querySelector('[data-testid=\"later\"]').click()", json!([])).await?;
    display.window_gone().await?;
    assert_eq!(titles(home).await?, ["deploy", "question"], "Later answers nothing");

    screen.hands_rest().await?;
    ask(&others[1], home, "third", true).await?;
    display.window_in_front().await?;
    Ok(())
}

async fn titles(home: &Home) -> Result<Vec<String>> {
    let pending = home.pending().await?;
    Ok(pending.iter().filter_map(|request| Some(request["title"].as_str()?.to_owned())).collect())
}

/// Five agents ask several questions each, all at once; the person answers half of them in the window,
/// while the other half is answered in a terminal, both in random order.
#[tokio::test]
async fn many_replies_reach_their_own_callers() -> Result<()> {
    let Some(window) = Window::with_config(SCRIPTED).await? else { return Ok(()) };
    let home = window.home();
    let mut seed = Seed::new();
    let mut agents = Vec::new();
    for _ in 0..5 {
        agents.push(Agent::start_apart(home, PATIENT).await?);
    }
    let mut calls = BTreeMap::new();
    let each = campaign(20, 4);
    campaign_tells(format!("{} answers", each * agents.len()));
    for number in 0..each {
        for (name, agent) in agents.iter().enumerate() {
            let title = format!("agent {name} asks {number}");
            let question = json!({"message": "Which one?", "title": title, "urgent": number == each / 2});
            let call = agent.call(question).await?;
            calls.insert(title, (name, call));
        }
    }
    let look = || async { Ok(Some(home.pending().await?).filter(|pending| pending.len() == calls.len())) };
    let pending = gate_tests::eventually("all requests", gate_tests::LIMIT, look).await?;
    let mut ids: Vec<(String, String)> = Vec::new();
    for request in &pending {
        let field = |name: &str| request[name].as_str().map(str::to_owned).context("a request has its fields");
        ids.push((field("title")?, field("request_id")?));
    }
    seed.shuffle(&mut ids);
    let (by_hand, by_command) = ids.split_at(ids.len() / 2);
    let page = window.page().await?;
    let (hand, command) = tokio::join!(answer_in_window(&page, by_hand), answer_in_terminal(home, by_command));
    hand.and(command).with_context(|| format!("{seed}"))?;

    let from = |titles: &[(String, String)], title: &str| titles.iter().any(|(other, _)| other == title);
    for (title, (name, call)) in &calls {
        let agent = agents.get(*name).context("each call has its agent")?;
        let outcome = agent.outcome(*call).await?;
        assert_eq!(outcome["text"], format!("to {title}"), "a reply reaches the call that it answers; {seed}");
        let place = if from(by_hand, title) { "desktop" } else { "script" };
        assert_eq!(outcome["answered_from"], place, "the record says where {title:?} was answered; {seed}");
    }
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "none is left over; {seed}");
    let rows = home.rows("SELECT count(*) AS replies, count(DISTINCT request_id) AS requests FROM replies").await?;
    let all = calls.len();
    assert_eq!(rows, [json!({"replies": all, "requests": all})], "each was answered once; {seed}");
    Ok(())
}

async fn answer_in_window(page: &Page, requests: &[(String, String)]) -> Result<()> {
    for (number, (title, _)) in requests.iter().enumerate() {
        show(page, title).await?;
        page.write(&test_id("reply-text"), &format!("to {title}")).await?;
        if number % 2 == 0 {
            page.send_by_keys(title, &[]).await?;
        } else {
            page.press_button("send").await?;
        }
        let gone = "return document.querySelector('[data-testid=\"request-title\"]')?.innerText !== arguments[0]";
        page.until(&format!("{title:?} sent"), gone, json!([title])).await?;
    }
    Ok(())
}

/// Chooses a request from the list, again if the list has changed under the pointer.
async fn show(page: &Page, title: &str) -> Result<()> {
    let entry = format!("//*[@data-testid='queue-list']//button[.//*[text()='{title}']]");
    let count = test_id("queue-count");
    let look = || async {
        let script = "return [document.querySelector('[data-testid=\"request-title\"]')?.innerText,
            document.querySelector('[data-testid=\"queue-list\"]') !== null]";
        let now = page.run(script, json!([])).await?;
        if now[0] == title && now[1] == false {
            return Ok(Some(()));
        }
        page.try_click(if now[1] == false { &count } else { &entry }).await?;
        Ok(None)
    };
    gate_tests::eventually(&format!("{title:?} chosen from the list"), gate_tests::LIMIT, look).await
}

async fn answer_in_terminal(home: &Home, requests: &[(String, String)]) -> Result<()> {
    for (title, id) in requests {
        home.answer(id, ["--text", &format!("to {title}")]).await?;
    }
    Ok(())
}
