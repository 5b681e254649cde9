//! Speaking in the real window: a sentence goes through a microphone of a real sound server into the app, a
//! real model understands it, and it arrives at the agent as the reply.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, ESCAPE, LIMIT, Page, Process, Sound, Window, eventually, install_models, test_id, watched};
use serde_json::json;

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";
const SENTENCE: &str = "Please rename the function and add a test for the empty case.";
/// Words of it that have to be understood.
const WORDS: [&str; 4] = ["rename", "function", "test", "case"];
const SETTINGS: &str = "voice:\n  language: en\n";

/// A window, its agent's request, and a microphone.
struct Stage {
    window: Window,
    agent: Agent,
    page: Page,
    sound: Sound,
    call: i64,
}

impl Stage {
    async fn new(config: &str, with_models: bool) -> Result<Option<Self>> {
        let Some(sound) = Sound::new().await? else { return Ok(None) };
        let Some(window) = Window::with_env(config, sound.env()).await? else { return Ok(None) };
        if with_models && !install_models(window.home().path())? {
            return Ok(None);
        }
        let agent = Agent::start(window.home(), PATIENT).await?;
        let call = agent.call(json!({"message": "What next?", "title": "Next"})).await?;
        let page = window.page().await?;
        page.shows("Next").await?;
        window.display().window_in_front().await?;
        page.focus_on("reply-text").await?;
        Ok(Some(Self { window, agent, page, sound, call }))
    }

    /// The last half second is kept from now on.
    async fn armed(&self) -> Result<()> {
        self.sound.listened_to_by(1).await?;
        self.page.counts(&test_id("mic-armed"), 1).await
    }

    /// Begins to record by the button, and speaks.
    async fn speaks(&self, text: &str) -> Result<()> {
        self.page.click(&test_id("mic")).await?;
        self.page.counts(&test_id("voice-meter"), 1).await?;
        self.sound.say(text).await
    }

    /// Waits until it has recorded for a second.
    async fn recorded(&self) -> Result<()> {
        let script = "return /[1-9]/.test(document.querySelector(arguments[0])?.innerText)";
        self.page.until("a second of a take", script, json!([test_id("voice-time")])).await.map(drop)
    }

    /// What is in the reply, once the take is through.
    async fn heard(&self) -> Result<String> {
        let heard = || async {
            let going = self.page.count(&test_id("voice-strip")).await?;
            let written = self.page.written().await?;
            Ok((going == 0 && !written.is_empty()).then_some(written))
        };
        eventually("the spoken text", LIMIT, heard).await
    }
}

fn understood(text: &str) {
    let text = text.to_lowercase();
    let missing: Vec<_> = WORDS.into_iter().filter(|word| !text.contains(word)).collect();
    assert!(missing.is_empty(), "{missing:?} not in {text:?}");
}

#[tokio::test]
async fn what_is_said_arrives_at_the_agent_as_the_reply() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    page.type_text("First:").await?;
    stage.speaks(SENTENCE).await?;
    stage.window.picture(page, "voice-recording").await?;
    page.click(&test_id("voice-done")).await?;
    let text = stage.heard().await?;
    assert!(text.starts_with("First: "), "what was typed stays, with a space after it: {text:?}");
    understood(&text);
    stage.window.picture(page, "voice-heard").await?;

    // All of the take goes in one step, and comes back so.
    page.focus_on("reply-text").await?;
    stage.window.display().press("ctrl+z").await?;
    let undone = || async { Ok((page.written().await?.trim_end() == "First:").then_some(())) };
    if let Err(error) = eventually("the take undone", LIMIT, undone).await {
        return Err(error.context(format!("it holds {:?}", page.written().await?)));
    }
    stage.window.display().press("ctrl+shift+z").await?;
    let again = || async { Ok((page.written().await? == text).then_some(())) };
    eventually("the take redone", LIMIT, again).await?;
    page.draft_saved().await?;
    page.press_button("send").await?;
    let said = stage.agent.outcome(stage.call).await?;
    assert_eq!(said["text"].as_str().map(str::trim), Some(text.trim()), "as it stood in the box");
    Ok(())
}

#[tokio::test]
async fn the_key_is_held_anywhere_and_the_window_comes_up() -> Result<()> {
    let config = format!("{SETTINGS}  hotkey: Ctrl+Alt+V\n");
    let Some(stage) = Stage::new(&config, true).await? else { return Ok(()) };
    let display = stage.window.display();
    stage.armed().await?;
    display.close_window().await?;
    stage.sound.listened_to_by(0).await?;
    display.hold("ctrl+alt+v").await?;
    display.window_in_front().await?;
    // The microphone had to be opened first.
    stage.recorded().await?;
    stage.sound.say(SENTENCE).await?;
    display.let_go("ctrl+alt+v").await?;
    understood(&stage.heard().await?);
    Ok(())
}

#[tokio::test]
async fn a_take_that_is_cancelled_leaves_what_was_typed() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    page.type_text("typed").await?;
    stage.speaks("Nobody should read this.").await?;
    page.press(&[ESCAPE]).await?;
    page.counts(&test_id("voice-strip"), 0).await?;
    assert_eq!(page.written().await?, "typed");
    stage.window.display().window_in_front().await?;
    Ok(())
}

#[tokio::test]
async fn silence_says_so_and_writes_nothing() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    page.click(&test_id("mic")).await?;
    stage.recorded().await?;
    page.click(&test_id("voice-done")).await?;
    page.says(&test_id("voice-strip"), "No speech").await?;
    assert_eq!(page.written().await?, "");
    Ok(())
}

#[tokio::test]
async fn a_microphone_that_is_pulled_out_leaves_what_was_said() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    stage.speaks(SENTENCE).await?;
    stage.sound.unplug().await?;
    let heard = || async {
        let written = page.written().await?.to_lowercase();
        Ok(WORDS.iter().all(|word| written.contains(word)).then_some(()))
    };
    eventually("what was said before", LIMIT, heard).await
}

#[tokio::test]
async fn the_first_use_leads_to_a_model_and_then_it_hears() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, false).await? else { return Ok(()) };
    let page = &stage.page;
    page.click(&test_id("mic")).await?;
    page.counts(&test_id("models-dialog"), 1).await?;
    assert_eq!(stage.sound.listeners().await?, 0, "nothing listens before there is a model");
    stage.window.picture(page, "voice-first-use").await?;
    let models = stage.window.home().folder().join("from-elsewhere");
    std::fs::create_dir_all(&models)?;
    if !install_models(&models)? {
        return Ok(());
    }
    page.click(&test_id("models-import")).await?;
    page.write(&test_id("model-path"), &models.join("models").display().to_string()).await?;
    page.click(&test_id("model-import")).await?;
    page.click(&test_id("models-close")).await?;
    stage.armed().await?;
    stage.speaks(SENTENCE).await?;
    page.click(&test_id("voice-done")).await?;
    understood(&stage.heard().await?);
    Ok(())
}

/// What a process has open: targets of its file descriptors, and whether it may write there.
fn open_files(process: &Process) -> Vec<(PathBuf, bool)> {
    let folder = PathBuf::from(format!("/proc/{}/fd", process.pid()));
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let target = std::fs::read_link(entry.path()).ok()?;
        let info = std::fs::read_to_string(format!("/proc/{}/fdinfo/{}", process.pid(), entry.file_name().display()));
        let flags =
            info.ok()?.lines().find_map(|line| line.strip_prefix("flags:")).map(str::trim).map(str::to_owned)?;
        // O_WRONLY or O_RDWR (open(2)).
        Some((target, u32::from_str_radix(&flags, 8).is_ok_and(|flags| flags & 0o3 != 0)))
    });
    files.collect()
}

/// How large all files are, but for the log of the database, in which every change of a draft stands.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
        _ if entry.file_name().to_string_lossy().ends_with(".db-wal") => 0,
        _ => entry.metadata().map_or(0, |file| file.len()),
    });
    sizes.sum()
}

#[tokio::test]
async fn no_sound_is_written_or_sent() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    let before = bytes_below(stage.window.home().folder());
    let long = [SENTENCE; 3].join(" ");
    let take = async {
        page.click(&test_id("mic")).await?;
        page.counts(&test_id("voice-meter"), 1).await?;
        stage.sound.say(&long).await?;
        let voices = voices(&stage.window);
        for (file, writable) in voices.iter().flat_map(open_files) {
            let name = file.to_string_lossy().into_owned();
            let is_file = file.is_absolute() && !file.starts_with("/dev") && !file.starts_with("/proc");
            assert!(!(is_file && writable) || name.starts_with("/memfd:"), "{name} is open for writing");
        }
        page.click(&test_id("voice-done")).await?;
        understood(&stage.heard().await?);
        anyhow::Ok(voices)
    };
    let (voices, seen) = watched(stage.window.home(), take).await?;
    assert_eq!(voices.len(), 2, "one listens, one recognises");
    let ran =
        ["review-gate-desktop", "review-gate-relay mcp", "review-gate-voice listen", "review-gate-voice recognise"];
    for program in ran {
        assert!(seen.ran(program), "{program} was looked at: {:?}", seen.programs);
    }
    for socket in &seen.sockets {
        assert!(!socket.program.starts_with("review-gate-voice"), "what hears speaks to the gate alone: {socket:?}");
        assert!(socket.stays_here(), "nothing of the gate goes out: {socket:?}");
    }
    let grown = bytes_below(stage.window.home().folder()).saturating_sub(before);
    // Ten seconds of sound, as small as it can be without losing anything.
    assert!(grown < 200_000, "{grown} bytes more than before");
    let found = voices.first().context("one of them")?;
    assert!(found.is_alive(), "and they are still there, for the next take");
    Ok(())
}

/// The processes of a home that listen and recognise.
fn voices(window: &Window) -> Vec<Process> {
    let is_voice = |process: &Process| {
        process.arguments().first().is_some_and(|program| Path::new(program).ends_with("review-gate-voice"))
    };
    window.home().processes().into_iter().filter(is_voice).collect()
}

/// Threads, open files, and memory in kB, of processes together.
fn held(processes: &[Process]) -> [u64; 3] {
    let mut sum = [0; 3];
    for process in processes {
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid())).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
            line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
        };
        let found = [number("Threads:"), open_files(process).len() as u64, number("VmRSS:")];
        sum.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
    }
    sum
}

#[tokio::test]
async fn two_hundred_takes_leave_nothing_behind() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    stage.armed().await?;
    let takes = "const tell = (command) => window.__TAURI_INTERNALS__.invoke('gate', { command });
        const waiting = await tell({ command: 'snapshot' });
        const request_id = waiting.requests[0].request_id;
        for (let number = 0; number < arguments[0]; number += 1) {
          const { take } = await tell({ command: 'start_voice', request_id });
          await tell({ command: number % 2 ? 'cancel_voice' : 'stop_voice', take: take.take });
        }
        return arguments[0]";
    let takes = format!("return (async () => {{ {} }})()", takes.replace("arguments[0]", "NUMBER"));
    let run = async |number: u64| stage.page.run(&takes.replace("NUMBER", &number.to_string()), json!([])).await;
    run(20).await?;
    let before = held(&voices(&stage.window));
    assert_eq!(run(200).await?, json!(200));
    let settled = || async {
        let after = held(&voices(&stage.window));
        let same = after[0] <= before[0] + 1 && after[1] <= before[1] + 2 && after[2] <= before[2] + 30_000;
        Ok(same.then_some(()))
    };
    let settled = eventually("threads, files and memory as before", LIMIT, settled).await;
    settled.with_context(|| format!("{before:?} before, {:?} after", held(&voices(&stage.window))))
}

#[tokio::test]
async fn a_model_that_is_deleted_while_it_is_loaded_goes_on() -> Result<()> {
    let Some(stage) = Stage::new(SETTINGS, true).await? else { return Ok(()) };
    let page = &stage.page;
    stage.armed().await?;
    std::fs::remove_dir_all(stage.window.home().path().join("models"))?;
    stage.speaks(SENTENCE).await?;
    page.click(&test_id("voice-done")).await?;
    understood(&stage.heard().await?);
    Ok(())
}
