//! An app that an agent's relay starts, of a person who types Chinese, or whose graphics need a switch of WebKit's: what
//! their environment says is there as it is in an app that they start themselves.

use std::path::Path;

use anyhow::{Context as _, Result};
use gate_tests::{APPROVE, Agent, InputMethod, Key, Process, Ran, Spawning, Window, left_out, test_id};
use serde_json::json;
use tokio::process::Command;

/// An agent whose client hands its person's environment on, and what else it likes.
async fn agent(window: &Window, environment: &[(&str, &str)]) -> Result<Agent> {
    let env = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let agent = Agent::spawn_with(window.home(), Spawning { env, ..Spawning::default() })?;
    agent.initialize("claude-code").await?;
    Ok(agent)
}

/// The process that runs the window's page.
fn web_process(window: &Window) -> Result<Process> {
    let is_it = |process: &Process| {
        let program = process.arguments().into_iter().next().unwrap_or_default();
        program.to_string_lossy().ends_with("WebKitWebProcess")
    };
    window.home().processes().into_iter().find(is_it).context("WebKit runs the page in a process of its own")
}

/// How many colours a picture has.
async fn colours(picture: &Path) -> Result<u32> {
    let mut identify = Command::new("identify");
    identify.args(["-format", "%k"]).arg(picture);
    Ok(Ran::of(identify).await?.succeeded()?.stdout.trim().parse()?)
}

#[tokio::test]
async fn an_app_that_a_relay_starts_has_its_persons_way_to_type_and_their_switches() -> Result<()> {
    for dmabuf in ["0", "1"] {
        let Some(window) = Window::new().await? else { return Ok(()) };
        let kept = [
            ("GTK_IM_MODULE", "xim"),
            ("QT_IM_MODULE", "ibus"),
            ("XMODIFIERS", "@im=ibus"),
            ("WEBKIT_DISABLE_COMPOSITING_MODE", "1"),
            ("WEBKIT_DISABLE_DMABUF_RENDERER", dmabuf),
        ];
        let agent = agent(&window, &kept).await?;
        agent.call(json!({"message": "m", "title": "Deploy", "approval": true})).await?;
        window.home().waiting("Deploy").await?;
        let page = window.page().await?;
        page.shows("Deploy").await?;
        let picture = window.picture(&page, &format!("dmabuf-{dmabuf}")).await?;
        assert!(colours(&picture).await? > 20, "what the window shows is on the screen: {}", picture.display());
        let gate = window.home().gate().context("the relay has started the app")?;
        let of_page = web_process(&window)?;
        for (process, who) in [(&gate, "the app"), (&of_page, "the page")] {
            // Root alone reads the app's; to others it is empty.
            let environment = process.environment();
            if environment.is_empty() {
                left_out(&format!("the environment of {who} is root's to read"));
                continue;
            }
            for (name, value) in kept {
                let set = format!("{name}={value}");
                let has = environment.iter().any(|own| *own == *set);
                assert!(has, "{who} has {set}: {environment:?}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn chinese_is_typed_in_an_app_that_a_relay_has_started() -> Result<()> {
    for module in ["ibus", "xim"] {
        let Some(window) = Window::at_once().await? else { return Ok(()) };
        let (display, screen) = (window.display(), window.display().screen()?);
        let Some(_pinyin) = InputMethod::pinyin(display).await? else { return Ok(()) };
        let agent = agent(&window, &[("GTK_IM_MODULE", module), ("XMODIFIERS", "@im=ibus")]).await?;
        let call = agent.call(json!({"message": "m", "title": "Deploy", "approval": true})).await?;
        let page = window.page().await?;
        page.shows("Deploy").await?;
        page.armed("approve").await?;
        screen.press(&[Key::of('r')])?;
        page.focus_on("reply-text").await?;
        for sign in ['n', 'i', ' '] {
            screen.press(&[Key::of(sign)])?;
        }
        let typed = "return document.querySelector(arguments[0]).value === arguments[1]";
        page.until("你 by its Pinyin", typed, json!([test_id("reply-text"), "你"])).await?;
        page.armed("approve").await?;
        screen.press(&APPROVE)?;
        let outcome = agent.outcome(call).await?;
        assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("你"), &json!("approved")), "{module}: {outcome}");
    }
    Ok(())
}
