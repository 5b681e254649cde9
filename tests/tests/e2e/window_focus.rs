//! Whose keyboard it is: no request takes it from somebody who types, and none of what is typed elsewhere lands in the
//! window. By the X server's own keyboard, and at the default settings.

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, FakeDesktop, Key, LIMIT, OtherProgram, Screen, Window, at_the_instant, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";
/// Between two keys of somebody who types.
const STROKE: Duration = Duration::from_millis(100);

/// How many requests come while somebody writes.
const COMING: usize = 24;
/// What they write, over and over: letters that are keys of lists and of decisions elsewhere.
const WORDS: &str = "approve and send it now ";
/// After how long a program that came to the front by itself would be there.
const SOON: Duration = Duration::from_secs(5);

fn question(title: &str, urgent: bool) -> Value {
    json!({"message": "m", "title": title, "urgent": urgent})
}

/// Types ten keys a second, at least so many of them and for a second after that is done; gives how many keys went down,
/// Control and Shift among them. A third of what is typed would send a reply, or approve.
async fn type_on(screen: &Screen, strokes: u32, done: &Cell<bool>) -> Result<usize> {
    let (begin, letter) = (tokio::time::Instant::now(), [Key::of('h')]);
    let (mut stroke, mut pressed, mut last) = (0, 0, strokes);
    while stroke < last {
        at_the_instant(begin, STROKE * stroke).await;
        let keys: &[Key] = match stroke % 6 {
            2 => &[Key::CONTROL, Key::ENTER],
            5 => &gate_tests::APPROVE,
            _ => &letter,
        };
        screen.press(keys)?;
        stroke += 1;
        pressed += keys.len();
        if !done.get() {
            last = strokes.max(stroke + 10);
        }
    }
    Ok(pressed)
}

/// Writes ten letters a second until a second after that is done; gives what was written.
async fn write_on(screen: &Screen, done: &Cell<bool>) -> Result<String> {
    let (begin, mut written, mut last) = (tokio::time::Instant::now(), String::new(), u32::MAX);
    for (stroke, letter) in (0..).zip(WORDS.chars().cycle()) {
        if stroke >= last {
            break;
        }
        at_the_instant(begin, STROKE * stroke).await;
        screen.press(&[Key::of(letter)])?;
        written.push(letter);
        if done.get() && last == u32::MAX {
            last = stroke + 10;
        }
    }
    Ok(written)
}

/// The other program, in front.
async fn editor(window: &Window, screen: &Screen) -> Result<OtherProgram> {
    let editor = screen.program("Editor")?;
    // One that comes while the window manager takes over the screen is given the keyboard by nobody.
    if window.display().in_front_within("Editor", SOON).await.is_err() {
        window.display().go_to(&editor).await?;
    }
    window.display().in_front("Editor").await?;
    Ok(editor)
}

/// Row 55, “What is typed elsewhere lands in the reply box of a plain question that comes up, is stored as a draft”:
/// what comes while somebody types is told and heard, and stays where it is.
#[tokio::test]
async fn no_request_comes_up_over_somebody_who_types() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let fake = FakeDesktop::start(window.display()).await?;
    let (home, screen) = (window.home(), window.display().screen()?);
    let agents = [Agent::start(home, PATIENT).await?, Agent::start(home, PATIENT).await?];
    fake.entry("Quit Review Gate").await?;
    let editor = editor(&window, &screen).await?;
    editor.heard()?;
    let asking = async {
        agents[0].call(question("as usual", false)).await?;
        home.waiting("as usual").await?;
        agents[1].call(question("burning", true)).await?;
        home.waiting("burning").await?;
        fake.notification("as usual").await?;
        fake.notification("burning").await
    };
    let done = Cell::new(false);
    let asking = async {
        let told = asking.await;
        done.set(true);
        told
    };
    let (pressed, told) = tokio::join!(type_on(&screen, 40, &done), asking);
    assert!(told?.urgent, "it is told as what it is");
    assert_eq!(editor.heard()?, pressed?, "each key came to where it was typed");
    assert!(!window.display().shows_window().await?, "nothing came up over it");
    assert_eq!(home.rows("SELECT draft FROM drafts").await?, Vec::<Value>::new(), "and nothing was written");

    screen.hands_rest().await?;
    let third = Agent::start(home, PATIENT).await?;
    third.call(question("when hands rest", false)).await?;
    window.display().window_in_front().await.context("it comes up for the next one")
}

/// The same where they type in the window itself: what they write stays in the reply that it is for, however many requests
/// come meanwhile, and answers none of them.
#[tokio::test]
async fn what_is_written_while_many_requests_come_lands_in_no_other_and_approves_nothing() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let screen = display.screen()?;
    let agents = [Agent::start(home, PATIENT).await?, Agent::start_apart(home, PATIENT).await?];
    let own = agents[0].call(json!({"message": "m", "title": "their own", "approval": true})).await?;
    let own_id = home.waiting("their own").await?;
    let page = window.page().await?;
    page.shows("their own").await?;
    display.window_in_front().await?;
    // What answers would answer from here on.
    page.armed("approve").await?;
    screen.press(&[Key::of('r')])?;
    page.focus_on("reply-text").await?;
    let asking = async {
        let (mut calls, begin) = (Vec::new(), tokio::time::Instant::now());
        for (number, beat) in (0..COMING).zip(0..) {
            at_the_instant(begin, STROKE * 2 * beat).await;
            let title = format!("comes {number}");
            let asked = json!({"message": "m", "title": title, "approval": number % 2 == 0, "urgent": number % 3 == 0});
            calls.push((number % 2, agents[number % 2].call(asked).await?));
            home.waiting(&title).await?;
        }
        anyhow::Ok(calls)
    };
    let done = Cell::new(false);
    let asking = async {
        let calls = asking.await;
        done.set(true);
        calls
    };
    let (written, calls) = tokio::join!(write_on(&screen, &done), asking);
    let (written, calls) = (written?, calls?);
    page.until(
        "all that was typed",
        "return document.querySelector(arguments[0])?.value.length >= arguments[1]",
        json!([test_id("reply-text"), written.len()]),
    )
    .await?;
    assert_eq!(page.written().await?, written, "each key is where it was typed, and in its order");
    page.shows("their own").await.context("which stays what is shown")?;
    page.draft_saved().await?;
    assert_eq!(
        home.rows("SELECT request_id, json_extract(draft, '$.text') AS text FROM drafts").await?,
        [json!({"request_id": own_id, "text": written})],
        "no key landed in another"
    );
    assert_eq!(home.rows("SELECT request_id FROM replies").await?, Vec::<Value>::new(), "nothing was answered");
    assert_eq!(home.pending().await?.len(), COMING + 1, "all of them wait");
    screen.press(&[Key::CONTROL, Key::ENTER])?;
    let outcome = agents[0].outcome(own).await?;
    assert_eq!(
        (&outcome["text"], &outcome["decision"]),
        (&json!(written), &Value::Null),
        "it is sent as it was written"
    );
    let heard = calls.iter().filter(|(agent, call)| agents[*agent].take(*call).is_some()).count();
    assert_eq!(heard, 0, "no other agent heard of any of it");
    Ok(())
}

/// Row 55 again, where the keyboard falls to the window: the one before it was closed, or the desktop gives it anyway.
#[tokio::test]
async fn nothing_that_is_typed_on_lands_in_a_window_that_the_keyboard_falls_to() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let screen = display.screen()?;
    let agent = Agent::start(home, PATIENT).await?;
    let plain = agent.call(question("plain", false)).await?;
    home.waiting("plain").await?;
    let decided = agent.call(json!({"message": "m", "title": "decision", "approval": true})).await?;
    home.waiting("decision").await?;
    let page = window.page().await?;
    page.shows("plain").await?;
    page.focus_on("reply-text").await.context("the person could write here")?;
    let _editor = editor(&window, &screen).await?;

    page.keep_refusals().await?;
    let done = Cell::new(false);
    let falls = async {
        let fallen = display.falls_to_window().await;
        done.set(true);
        fallen
    };
    let (typed, fallen) = tokio::join!(type_on(&screen, 40, &done), falls);
    typed?;
    fallen?;
    display.window_in_front().await?;
    assert_eq!(page.written().await?, "", "nothing was written");
    page.refuses("did nothing", LIMIT).await.context("and it is said")?;
    page.shows("plain").await?;
    assert!(agent.take(plain).is_none() && agent.take(decided).is_none(), "nothing was sent");
    page.hears_keys().await?;
    page.focus_on("reply-text").await.context("after a pause it goes on where it was")?;
    screen.press(&[Key::of('o')])?;
    screen.press(&[Key::of('k')])?;
    screen.press(&[Key::CONTROL, Key::ENTER])?;
    assert_eq!(agent.outcome(plain).await?["text"], "ok", "what is meant is taken");
    Ok(())
}

/// Row 51, “RAISE … `raise` from any script (no right needed) brings the window up”: in a loop, over somebody who types.
#[tokio::test]
async fn no_program_takes_the_keyboard_from_somebody_who_types() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let screen = display.screen()?;
    // What this process starts is below an agent from here on.
    let _agent = Agent::start(home, PATIENT).await?;
    let editor = editor(&window, &screen).await?;
    editor.heard()?;
    let raise = json!({"command": "raise"});
    let mut script = Control::open(home).await?;
    let asking = async {
        for time in 0..20 {
            script.command(raise.clone()).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
            if time % 5 == 0 {
                let mut below = window.start_app_below_an_agent()?;
                anyhow::ensure!(below.wait().await?.success(), "an agent's start hands over");
            }
        }
        anyhow::Ok(())
    };
    let done = Cell::new(false);
    let asking = async {
        let asked = asking.await;
        done.set(true);
        asked
    };
    let (pressed, asked) = tokio::join!(type_on(&screen, 40, &done), asking);
    asked?;
    assert_eq!(editor.heard()?, pressed?, "each key came to where it was typed");
    assert!(!display.shows_window().await?, "nothing came up over it");

    window.start_app()?.ends().await?;
    display.window_in_front().await.context("what a person starts comes up at once")?;
    display.close_window().await?;
    screen.hands_rest().await?;
    script.command(raise.clone()).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    display.window_in_front().await.context("a program's comes up where nobody types")?;
    Ok(())
}

/// The same with the app that isn't there yet: what an agent starts while somebody types is in the tray.
#[tokio::test]
async fn an_app_that_an_agent_starts_comes_up_over_nobody_who_types() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let fake = FakeDesktop::start(window.display()).await?;
    let screen = window.display().screen()?;
    let editor = editor(&window, &screen).await?;
    editor.heard()?;
    let done = Cell::new(false);
    let starting = async {
        let started = window.start_app_by_a_known_agent()?;
        let there = fake.entry("Quit Review Gate").await;
        let page = window.hidden_page().await;
        done.set(true);
        there?;
        page?;
        anyhow::Ok(started)
    };
    let (pressed, started) = tokio::join!(type_on(&screen, 10, &done), starting);
    let _started = started?;
    assert_eq!(editor.heard()?, pressed?, "each key came to where it was typed");
    assert!(!window.display().shows_window().await?, "nothing came up over it");
    window.start_app()?.ends().await?;
    window.display().window_in_front().await.context("the person starts it, and it comes up")
}

/// What desktops and menus start for a person may be below a shell or a script, and they have just pressed a key.
#[tokio::test]
async fn whoever_starts_the_app_by_a_shell_gets_its_window_at_first_and_again_once_their_hands_rest() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let display = window.display();
    let screen = display.screen()?;
    let _editor = editor(&window, &screen).await?;
    screen.press(&[Key::ENTER])?;
    let _first = window.start_app_by_a_script()?;
    display.window_in_front().await.context("the first start shows it")?;
    display.close_window().await?;

    let done = Cell::new(true);
    let again = async { window.start_app_by_a_script()?.wait().await.context("it hands over") };
    let (typed, again) = tokio::join!(type_on(&screen, 30, &done), again);
    typed?;
    anyhow::ensure!(again?.success(), "the second one ends");
    assert!(!display.shows_window().await?, "nothing comes up while they type");
    display.window_in_front().await.context("and it comes up once their hands rest")
}

/// Row 53, “Focus stolen at will: `urgent: true`, withdrawn, again.”
#[tokio::test]
async fn a_client_that_nobody_answers_does_not_bring_the_window_up_again() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  undo_seconds: 0\n").await? else { return Ok(()) };
    let fake = FakeDesktop::start(window.display()).await?;
    let (home, display) = (window.home(), window.display());
    let screen = display.screen()?;
    let agent = Agent::start(home, PATIENT).await?;
    fake.entry("Quit Review Gate").await?;
    screen.hands_rest().await?;
    for title in ["first", "second", "third"] {
        let call = agent.call(question(title, true)).await?;
        if title == "first" {
            display.window_in_front().await.context("the first one comes up")?;
            let page = window.page().await?;
            page.shows(title).await?;
            agent.cancel(call).await?;
            page.says(&test_id("banner"), "withdrew").await?;
            page.click(&test_id("next")).await?;
            page.run("window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))", json!([])).await?;
            display.window_gone().await?;
        } else {
            fake.notification(title).await.with_context(|| format!("{title} is told"))?;
            assert!(!display.shows_window().await?, "{title} doesn't come up");
            agent.cancel(call).await?;
            fake.no_notification().await?;
        }
    }
    let other = Agent::start(home, PATIENT).await?;
    other.call(question("somebody else's", true)).await?;
    display.window_in_front().await.context("others are not barred by it")
}
