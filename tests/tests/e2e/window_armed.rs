//! Acts that were meant for something else: clicks and keys that come to the window as it comes up, is raised, goes on
//! to the next request, or changes under the pointer. By the X server's own pointer and keyboard, and at the default
//! settings.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use gate_tests::{APPROVE, Agent, Key, LIMIT, Page, Screen, Window, at_the_instant, eventually, test_id};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";
/// When a hand that means another window does what it had begun, in milliseconds.
const LATER: [u64; 6] = [0, 200, 400, 600, 900, 2_000];
/// Those of them at which a person may mean what they do.
const ENOUGH: [u64; 2] = [900, 2_000];
/// For how long what sends has to have stood before anything sends it, in milliseconds.
const REST: u32 = 700;
/// From one act to the next of somebody who answers one request a second.
const PACE: Duration = Duration::from_secs(1);
/// How long what comes of an act may take before the act counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);
/// Has the page measure for how long what stands there stood when a key or a button that it heard of went down: on a
/// busy machine a hand may be later than it was to be.
const MEASURE: &str = "let shown = performance.now(), title;
    const begins = () => (shown = performance.now());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) begins(); });
    window.addEventListener('focus', (event) => { if (event.target === window) begins(); });
    new MutationObserver(() => {
      const now = document.querySelector(arguments[0])?.textContent;
      if (now !== title) { title = now; begins(); }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    const measure = (event) => (window.__stood = event.timeStamp - shown);
    document.addEventListener('keydown', (event) => { if (event.key === 'Enter') measure(event); }, true);
    document.addEventListener('pointerdown', measure, true)";

/// Whether nobody can have read by then what came up.
fn is_too_soon(after: u64) -> bool {
    after < u64::from(REST)
}

fn approval(title: &str) -> Value {
    json!({"message": format!("About {title}"), "title": title, "approval": true})
}

/// A window whose first request was answered, so that it is known where its buttons stand.
struct Desk {
    agent: Agent,
    page: Page,
    screen: Screen,
    /// The middle of Approve on the screen.
    approve: [i64; 2],
    // Last: what runs on the display ends before it.
    window: Window,
}

impl Desk {
    async fn begin() -> Result<Option<Self>> {
        let Some(window) = Window::new().await? else { return Ok(None) };
        let agent = Agent::start(window.home(), PATIENT).await?;
        let call = agent.call(approval("the first")).await?;
        let page = window.page().await?;
        page.shows("the first").await?;
        page.armed("approve").await?;
        let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]";
        let middle = page.run(script, json!([test_id("approve")])).await?;
        page.keep_refusals().await?;
        page.run(MEASURE, json!([test_id("request-title")])).await?;
        let screen = window.display().screen()?;
        window.display().window_in_front().await?;
        let [left, top] = screen.front()?;
        let approve = [left + middle[0].as_i64().unwrap_or(0), top + middle[1].as_i64().unwrap_or(0)];
        let desk = Self { agent, page, screen, approve, window };
        desk.approve("the first", call).await?;
        desk.window.display().window_gone().await?;
        Ok(Some(desk))
    }

    /// Goes into the reply by its key: once more where nothing came of it, as a key may get lost while the machine is busy.
    async fn begins_to_write(&self) -> Result<()> {
        self.screen.press(&[Key::of('r')])?;
        if tokio::time::timeout(PATIENCE, self.page.focus_on("reply-text")).await.is_err() {
            self.screen.press(&[Key::of('r')])?;
        }
        self.page.focus_on("reply-text").await
    }

    /// Approves as a person does who has read what is shown: once more where the page says that it did nothing, since
    /// something happened there at that moment.
    async fn approve(&self, title: &str, call: i64) -> Result<()> {
        self.click_on_approve(title).await?;
        let means_it = async {
            while self.page.refuses("Nothing done", LIMIT).await.is_ok() {
                if self.page.text(&test_id("request-title")).await? == title {
                    self.click_on_approve(title).await?;
                }
            }
            anyhow::Ok(())
        };
        tokio::select! {
            approved = self.is_approved(title, call) => approved,
            Err(error) = means_it => Err(error),
        }
    }

    /// Clicks on Approve once that is meant, where this request stands.
    async fn click_on_approve(&self, title: &str) -> Result<()> {
        self.page.shows(title).await?;
        self.page.armed("approve").await?;
        self.point_at_approve().await?;
        // What was done before has arrived by now, and may have made it begin anew.
        self.page.armed("approve").await?;
        self.page.shows(title).await?;
        self.page.refusals().await?;
        self.screen.click()
    }

    /// Brings the pointer to Approve from above it.
    async fn point_at_approve(&self) -> Result<()> {
        let [x, y] = self.approve;
        // A page hears of one of two movements that come within a frame: each has to have arrived.
        let script = "const on = document.querySelector(arguments[0])?.matches(':hover');
            return document.documentElement.matches(':hover') && on === arguments[1]";
        self.screen.point([x, y - 90])?;
        self.page.until("the pointer above Approve", script, json!([test_id("approve"), false])).await?;
        self.screen.point(self.approve)?;
        self.page.until("the pointer on Approve", script, json!([test_id("approve"), true])).await.map(drop)
    }

    /// Presses the keys that approve once they are meant; gives the moment.
    async fn approve_by_keys(&self, title: &str) -> Result<Instant> {
        self.page.shows(title).await?;
        self.page.armed("approve").await?;
        self.screen.press(&APPROVE)?;
        Ok(Instant::now())
    }

    /// Puts off what is shown, has a program raise the window with it, and so much later does something there.
    async fn raised(&self, title: &str, after: u64, does: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
        self.page.shows(title).await?;
        self.window.display().window_in_front().await?;
        self.put_off().await?;
        self.look_away().await?;
        let started = self.window.start_app()?;
        let up = self.screen.comes_up().await?;
        at_the_instant(up, Duration::from_millis(after)).await;
        does().await?;
        started.ends().await?;
        Ok(())
    }

    /// Puts off what is shown, which hides the window.
    async fn put_off(&self) -> Result<()> {
        self.page.run("document.querySelector('[data-testid=\"later\"]').click()", json!([])).await?;
        self.window.display().window_gone().await
    }

    /// Forgets what the page has said and measured so far, and which windows have come up.
    async fn look_away(&self) -> Result<()> {
        self.page.refusals().await?;
        self.page.run("window.__stood = null", json!([])).await?;
        self.screen.look_away()
    }

    /// Waits until the page says that a click did nothing. A window that has only just come up may not hear it: then it
    /// comes once more, from a pointer that has rested all the while.
    async fn click_is_refused(&self) -> Result<()> {
        let look = || async {
            let said = self.page.refuses("Nothing done", PATIENCE).await.ok();
            if said.is_none() {
                self.screen.click()?;
            }
            Ok(said)
        };
        eventually("a click that is refused", LIMIT, look).await
    }

    /// What was answered to the request that was asked last by this title. Its agent hears of it once it can't be taken back
    /// any more.
    async fn answered(&self, title: &str) -> Result<Value> {
        let sql = format!(
            "SELECT q.status, r.decision, r.answered_from FROM review_requests q LEFT JOIN replies r USING (request_id)
             WHERE q.title = '{title}' ORDER BY q.created_at DESC LIMIT 1"
        );
        let look = || async {
            let row = self.window.home().rows(&sql).await?.pop();
            Ok(row.filter(|row| row["status"] == "answered"))
        };
        match eventually("an answer", LIMIT, look).await {
            Ok(row) => Ok(row),
            Err(error) => {
                let told = "return [document.body.innerText, document.querySelector('[data-armed]')?.dataset.armed,
                    document.hasFocus(), document.querySelector('[data-testid=refusal]')?.textContent ?? null]";
                Err(error.context(format!("{title}: {}", self.page.run(told, json!([])).await?)))
            }
        }
    }

    /// That request is approved in the window, and its agent has heard of nothing else.
    async fn is_approved(&self, title: &str, call: i64) -> Result<()> {
        let row = self.answered(title).await?;
        assert_eq!(row["decision"], "approved", "{title} was meant: {row}");
        assert_eq!(row["answered_from"], "desktop", "{title}: {row}");
        if let Some(heard) = self.agent.take(call) {
            assert_eq!(heard["result"]["structuredContent"]["decision"], "approved", "{title}: {heard}");
        }
        Ok(())
    }

    /// Nothing has come of what was done so far, and the page has heard of all of it. False where the hand that was to be
    /// too soon was so late that it may have meant it.
    async fn is_open(&self, title: &str, call: i64, after: u64) -> Result<bool> {
        let heard = async {
            self.page.shows(title).await?;
            self.page.painted().await
        };
        let heard = heard.await;
        let pending = self.window.home().pending().await?;
        if pending.iter().any(|request| request["title"] == title) && self.agent.take(call).is_none() {
            return heard.map(|()| true);
        }
        let stood = self.page.run("return window.__stood", json!([])).await?.as_f64();
        let late = is_too_soon(after) && stood.is_some_and(|stood| stood >= f64::from(REST));
        ensure!(late, "{title} was answered by what came {after} ms after it, when it had stood {stood:?} ms");
        Ok(false)
    }

    /// As [`Desk::is_open`], where a hand that came late means it no more than one in time.
    async fn stays_open(&self, title: &str, call: i64, after: u64) -> Result<()> {
        let open = self.is_open(title, call, after).await?;
        ensure!(open, "{title} was answered by what came {after} ms after it");
        Ok(())
    }
}

/// Row 49, “CLICK. One click: the window comes up under the pointer, the person's click on another program lands on
/// Approve.”
#[tokio::test]
async fn a_click_that_was_on_its_way_when_the_window_came_up_under_it_approves_nothing() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    for after in LATER {
        let title = format!("clicked on after {after} ms");
        desk.screen.point(desk.approve)?;
        desk.screen.hands_rest().await?;
        desk.look_away().await?;
        let call = desk.agent.call(approval(&title)).await?;
        let up = desk.screen.comes_up().await?;
        at_the_instant(up, Duration::from_millis(after)).await;
        desk.screen.click()?;
        if after >= 300 {
            desk.click_is_refused().await?;
        }
        desk.stays_open(&title, call, after).await?;
        desk.approve(&title, call).await?;
        desk.window.display().window_gone().await?;
    }
    Ok(())
}

/// Row 54, “The pause runs from the page's placing, not from being seen”: keys 300 ms after mapping approved.
#[tokio::test]
async fn keys_that_were_on_their_way_when_the_window_came_up_approve_nothing() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    for after in LATER {
        let title = format!("keys after {after} ms");
        desk.screen.hands_rest().await?;
        desk.look_away().await?;
        let call = desk.agent.call(approval(&title)).await?;
        let up = desk.screen.comes_up().await?;
        at_the_instant(up, Duration::from_millis(after)).await;
        if is_too_soon(after) {
            desk.screen.press(&APPROVE)?;
        }
        if !is_too_soon(after) || desk.is_open(&title, call, after).await? {
            desk.approve_by_keys(&title).await?;
        }
        desk.is_approved(&title, call).await?;
        desk.window.display().window_gone().await?;
    }
    Ok(())
}

/// Row 50, “TWICE. Two clicks on Approve, 300 ms to 1 s apart: the second approves the next request.”
#[tokio::test]
async fn a_second_click_where_one_has_approved_is_not_for_the_next_request() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let clicked = LATER.iter().map(|after| format!("before {after} ms"));
    let titles: Vec<_> = clicked.chain(["the last".to_owned()]).collect();
    desk.screen.hands_rest().await?;
    let mut calls = Vec::new();
    for title in &titles {
        calls.push(desk.agent.call(approval(title)).await?);
        // The first one brings the window up; none that comes meanwhile is shown in its place.
        desk.window.home().waiting(title).await?;
    }
    for (at, after) in LATER.into_iter().enumerate() {
        desk.approve(&titles[at], calls[at]).await?;
        let clicked = Instant::now();
        at_the_instant(clicked, Duration::from_millis(after)).await;
        desk.screen.click()?;
        desk.stays_open(&titles[at + 1], calls[at + 1], after).await?;
    }
    desk.approve("the last", calls[LATER.len()]).await
}

/// The same by keys, as a hand does that presses them twice, or once more for what it has seen by then.
#[tokio::test]
async fn keys_a_second_time_where_keys_have_approved_are_not_for_the_next_request() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let pressed = LATER.iter().map(|after| format!("after {after} ms"));
    let titles: Vec<_> = ["begins".to_owned()].into_iter().chain(pressed).collect();
    desk.screen.hands_rest().await?;
    let mut calls = Vec::new();
    for title in &titles {
        calls.push(desk.agent.call(approval(title)).await?);
        desk.window.home().waiting(title).await?;
        // It stands there before another one comes.
        desk.page.shows(&titles[0]).await?;
    }
    let mut pressed = desk.approve_by_keys(&titles[0]).await?;
    for (at, after) in (1..).zip(LATER) {
        desk.look_away().await?;
        at_the_instant(pressed, Duration::from_millis(after)).await;
        if is_too_soon(after) {
            desk.screen.press(&APPROVE)?;
        }
        desk.is_approved(&titles[at - 1], calls[at - 1]).await?;
        pressed = match !is_too_soon(after) || desk.is_open(&titles[at], calls[at], after).await? {
            true => desk.approve_by_keys(&titles[at]).await?,
            false => Instant::now(),
        };
    }
    desk.is_approved(&titles[LATER.len()], calls[LATER.len()]).await
}

/// Row 51, “RAISE. Keys: `raise` from any script (no right needed) brings the window up; Ctrl+Shift+Enter 20 ms later
/// approves.”
#[tokio::test]
async fn keys_approve_nothing_in_a_window_that_a_program_has_raised() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let mut waits = None;
    for after in [20].into_iter().chain(LATER) {
        let call = match waits.take() {
            Some(call) => call,
            None => {
                desk.screen.hands_rest().await?;
                desk.agent.call(approval("raised")).await?
            }
        };
        let press = async || match is_too_soon(after) {
            true => desk.screen.press(&APPROVE),
            false => desk.approve_by_keys("raised").await.map(drop),
        };
        desk.raised("raised", after, press).await?;
        if is_too_soon(after) && desk.is_open("raised", call, after).await? {
            waits = Some(call);
            continue;
        }
        desk.is_approved("raised", call).await?;
        desk.window.display().window_gone().await?;
    }
    Ok(())
}

/// The same with a click, from a pointer that rests where Approve comes up.
#[tokio::test]
async fn a_click_approves_nothing_in_a_window_that_a_program_has_raised() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    desk.screen.hands_rest().await?;
    let call = desk.agent.call(approval("raised")).await?;
    for after in LATER {
        desk.raised("raised", after, async || desk.screen.click()).await?;
        if after >= 300 {
            desk.click_is_refused().await?;
        }
        desk.stays_open("raised", call, after).await?;
    }
    desk.approve("raised", call).await
}

/// Row 52, “URGENT. MCP only: approval A stands open behind the editor; the agent sends an `urgent` question; the
/// window takes keyboard and pointer; keys or click 30 ms later approve A.”
#[tokio::test]
async fn keys_and_a_click_approve_nothing_in_a_window_that_an_urgent_question_brings_forward() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let display = desk.window.display();
    // Keys that come late enough are a person's, who has seen what came up.
    for after in ENOUGH {
        let title = format!("A, after {after} ms");
        desk.screen.hands_rest().await?;
        let call = desk.agent.call(approval(&title)).await?;
        desk.page.shows(&title).await?;
        display.window_in_front().await?;
        desk.page.armed("approve").await?;
        let editor = desk.screen.program("Editor")?;
        display.in_front("Editor").await?;
        // Window managers give nobody the keyboard just after a person has gone to a window.
        desk.screen.point(desk.approve)?;
        desk.screen.hands_rest().await?;
        desk.look_away().await?;
        let other = Agent::start(desk.window.home(), PATIENT).await?;
        let urgent = format!("urgent, {after} ms");
        let asked = other.call(json!({"message": "hello?", "title": urgent, "urgent": true})).await?;
        let turned = desk.screen.turns().await?;
        at_the_instant(turned, Duration::from_millis(after)).await;
        desk.approve_by_keys(&title).await?;
        desk.is_approved(&title, call).await?;
        drop(editor);
        desk.page.shows(&urgent).await?;
        desk.begins_to_write().await?;
        desk.screen.press(&[Key::of('k')])?;
        desk.page.armed("send").await?;
        desk.screen.press(&[Key::CONTROL, Key::ENTER])?;
        other.outcome(asked).await?;
        display.window_gone().await?;
    }
    desk.screen.hands_rest().await?;
    let call = desk.agent.call(approval("A")).await?;
    desk.page.shows("A").await?;
    display.window_in_front().await?;
    desk.page.armed("approve").await?;
    let editor = desk.screen.program("Editor")?;
    display.in_front("Editor").await?;
    for after in LATER {
        display.go_to(&editor).await?;
        desk.screen.point(desk.approve)?;
        desk.screen.hands_rest().await?;
        desk.look_away().await?;
        // Each of an agent of its own: one that nobody answers brings the window up once a minute.
        let other = Agent::start(desk.window.home(), PATIENT).await?;
        other.call(json!({"message": "hello?", "title": format!("after {after} ms"), "urgent": true})).await?;
        let turned = desk.screen.turns().await?;
        at_the_instant(turned, Duration::from_millis(after)).await;
        if is_too_soon(after) {
            desk.screen.press(&APPROVE)?;
        }
        desk.screen.click()?;
        display.window_in_front().await?;
        if !desk.is_open("A", call, after).await? {
            return desk.is_approved("A", call).await;
        }
    }
    assert_eq!(editor.heard()?, 0, "none of it came to the editor, which is no longer in front");
    desk.approve("A", call).await
}

/// Row 56, “The agent withdraws what is under the pointer: Approve becomes Next, and then the next request's Approve.”
#[tokio::test]
async fn clicks_where_approve_stood_do_nothing_when_the_agent_withdraws_the_request() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    desk.screen.hands_rest().await?;
    let withdrawn = desk.agent.call(approval("withdrawn")).await?;
    desk.window.home().waiting("withdrawn").await?;
    let call = desk.agent.call(approval("the next")).await?;
    desk.window.home().waiting("the next").await?;
    desk.page.shows("withdrawn").await?;
    desk.window.display().window_in_front().await?;
    desk.page.armed("approve").await?;
    desk.point_at_approve().await?;
    desk.agent.cancel(withdrawn).await?;
    desk.page.counts(&test_id("next"), 1).await?;
    let changed = Instant::now();
    for after in LATER {
        at_the_instant(changed, Duration::from_millis(after)).await;
        desk.screen.click()?;
        desk.page.shows("withdrawn").await?;
    }
    desk.look_away().await?;
    desk.page.click(&test_id("next")).await?;
    desk.page.shows("the next").await?;
    let shown = Instant::now();
    desk.screen.point(desk.approve)?;
    for after in LATER {
        at_the_instant(shown, Duration::from_millis(after)).await;
        desk.screen.click()?;
        if !desk.is_open("the next", call, after).await? {
            return desk.is_approved("the next", call).await;
        }
    }
    desk.approve("the next", call).await
}

/// The same by keys.
#[tokio::test]
async fn keys_do_nothing_where_the_agent_has_withdrawn_the_request_and_are_not_for_the_next_one() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let home = desk.window.home();
    desk.screen.hands_rest().await?;
    let mut calls = Vec::new();
    for after in LATER {
        let titles = [format!("withdrawn, {after} ms"), format!("the next, {after} ms")];
        let mut pair = Vec::new();
        for title in titles {
            pair.push((desk.agent.call(approval(&title)).await?, title.clone()));
            home.waiting(&title).await?;
            if calls.is_empty() {
                desk.page.shows(&format!("withdrawn, {after} ms")).await?;
            }
        }
        calls.push((after, pair));
    }
    for (after, pair) in calls {
        let [(withdrawn, gone), (call, next)] = pair.as_slice() else { continue };
        desk.page.shows(gone).await?;
        desk.page.armed("approve").await?;
        desk.agent.cancel(*withdrawn).await?;
        desk.page.counts(&test_id("next"), 1).await?;
        at_the_instant(Instant::now(), Duration::from_millis(after)).await;
        desk.screen.press(&APPROVE)?;
        desk.page.painted().await?;
        desk.page.shows(gone).await?;
        home.waiting(next).await?;
        desk.look_away().await?;
        desk.page.click(&test_id("next")).await?;
        desk.page.shows(next).await?;
        at_the_instant(Instant::now(), Duration::from_millis(after)).await;
        if is_too_soon(after) {
            desk.screen.press(&APPROVE)?;
        }
        if !is_too_soon(after) || desk.is_open(next, *call, after).await? {
            desk.approve_by_keys(next).await?;
        }
        desk.is_approved(next, *call).await?;
    }
    Ok(())
}

/// Whoever answers by keys alone, one request a second, is never refused; the pace is printed, since a busy machine shows
/// what comes later.
#[tokio::test]
async fn ten_requests_are_answered_by_keys_one_a_second() -> Result<()> {
    let Some(desk) = Desk::begin().await? else { return Ok(()) };
    let pace = ten_by_keys(&desk).await?;
    let slowest = pace.iter().max().context("nine came after another one")?;
    println!("nine requests after the first: {:?} together, {slowest:?} the slowest", pace.iter().sum::<Duration>());
    Ok(())
}

/// Answers ten requests, each a second after the one before and at once when it sends; gives how long after each act the
/// next one came.
async fn ten_by_keys(desk: &Desk) -> Result<Vec<Duration>> {
    desk.screen.hands_rest().await?;
    let titles: Vec<_> = (1..=10).map(|number| format!("request {number}")).collect();
    let mut calls = Vec::new();
    for title in &titles {
        calls.push(desk.agent.call(approval(title)).await?);
        desk.window.home().waiting(title).await?;
    }
    desk.page.refusals().await?;
    // The first one came up by itself.
    desk.page.armed("approve").await?;
    let (mut acts, mut last) = (Vec::new(), Instant::now());
    for title in &titles {
        desk.page.shows(title).await?;
        // What is chosen and written in between is taken at once.
        desk.begins_to_write().await?;
        desk.screen.press(&[Key::of('o')])?;
        desk.screen.press(&[Key::of('k')])?;
        at_the_instant(last, PACE).await;
        // Where the machine is busy, what is shown comes later onto the screen.
        desk.page.armed("approve").await?;
        desk.screen.press(&APPROVE)?;
        last = Instant::now();
        acts.push(last);
    }
    for (title, call) in titles.iter().zip(calls) {
        let outcome = desk.agent.outcome(call).await?;
        assert_eq!((&outcome["decision"], &outcome["text"]), (&json!("approved"), &json!("ok")), "{title}: {outcome}");
    }
    assert_eq!(desk.page.refusals().await?, Vec::<String>::new(), "nobody who means it is told to wait");
    Ok(acts.windows(2).map(|pair| pair[1] - pair[0]).collect())
}
