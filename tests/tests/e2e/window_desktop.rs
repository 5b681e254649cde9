//! The app in its desktop: what reaches the person while they work elsewhere, and what they reach from
//! there: notifications, sounds, the tray, the hotkey, quitting, and where windows come up.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, App, FakeDesktop, LIMIT, SignedPage, Window, eventually, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// Requests are told instead of shown.
const QUIET: &str = "window:\n  raise: false\n";
/// The same, and replies go out at once.
const TOLD: &str = "window:\n  raise: false\n  undo_seconds: 0\n";

/// A desktop with an agent on it, whose relay has started the app, hidden.
struct Desktop {
    agent: Agent,
    fake: FakeDesktop,
    // Last: what runs on the display ends before it.
    window: Window,
}

impl Desktop {
    async fn begin(yaml: &str) -> Result<Option<Self>> {
        Self::with_env(yaml, Vec::new()).await
    }

    async fn with_env(yaml: &str, env: Vec<(OsString, OsString)>) -> Result<Option<Self>> {
        let Some(window) = Window::with_env(yaml, env).await? else { return Ok(None) };
        let fake = FakeDesktop::start(window.display()).await?;
        let agent = Agent::start(window.home(), PATIENT).await?;
        fake.entry("Quit Review Gate").await?;
        Ok(Some(Self { agent, fake, window }))
    }

    /// Asks, and waits until the tray knows.
    async fn ask(&self, question: Value) -> Result<i64> {
        let entry = format!("{} — work", question["title"].as_str().context("a question has a title")?);
        let call = self.agent.call(question).await?;
        self.fake.entry(&entry).await?;
        Ok(call)
    }

    /// Reports progress, and waits until the gate has it.
    async fn report(&self, progress: Value) -> Result<()> {
        let arguments = json!({"name": "review_gate_update_progress", "arguments": progress});
        let call = self.agent.request("tools/call", arguments).await?;
        self.agent.result(call).await.map(drop)
    }

    /// Waits until nobody has typed for so long that a request may bring the window up.
    async fn hands_rest(&self) -> Result<()> {
        self.window.display().screen()?.hands_rest().await
    }

    async fn hide(&self) -> Result<()> {
        self.window.display().window_in_front().await?;
        self.window.display().close_window().await
    }
}

#[tokio::test]
async fn a_notification_answers_with_an_option_and_never_approves() -> Result<()> {
    let Some(desktop) = Desktop::begin(QUIET).await? else { return Ok(()) };
    let (fake, window) = (&desktop.fake, &desktop.window);
    let question = json!({"message": "m", "title": "Which <b>store</b>?", "options": ["SQLite", "sled"]});
    let call = desktop.ask(question).await?;
    let shown = fake.notification("Which <b>store</b>?").await?;
    assert_eq!(shown.body, "Claude Code is waiting for you in work");
    assert_eq!((shown.buttons.clone(), shown.urgent), (vec!["SQLite".into(), "sled".into(), "Open".into()], false));
    fake.press_as_a_stranger(window.display(), &shown, "SQLite").await?;
    fake.press(&shown, Some("sled")).await?;
    let outcome = desktop.agent.outcome(call).await?;
    let pressed = (&outcome["selected"], &outcome["decision"]);
    assert_eq!(pressed, (&json!(["sled"]), &Value::Null), "what was pressed where it is shown, and by nobody else");
    let given = (&outcome["answered_from"], &outcome["assurance"]);
    assert_eq!(given, (&json!("notification"), &json!("L0")), "any program on the bus could have pressed it");
    fake.no_notification().await?;
    assert!(!window.display().shows_window().await?, "nothing was shown for it");

    // What could be taken for a decision has no button, whatever the options say.
    let question = json!({"message": "m", "title": "Deploy?", "approval": true, "options": ["Approve"]});
    let call = desktop.ask(question).await?;
    let shown = fake.notification("Deploy?").await?;
    assert_eq!(shown.buttons, ["Open", "Later"], "a decision is given in the window only");
    fake.press(&shown, Some("Open")).await?;
    let page = window.page().await?;
    page.shows("Deploy?").await?;
    window.display().window_in_front().await?;
    fake.no_notification().await?;
    assert!(desktop.agent.take(call).is_none(), "opening answers nothing");
    Ok(())
}

#[tokio::test]
async fn a_button_may_be_pressed_before_the_notification_has_its_number() -> Result<()> {
    let Some(desktop) = Desktop::begin(TOLD).await? else { return Ok(()) };
    desktop.fake.press_at_once("sled");
    let question = json!({"message": "m", "title": "Which store?", "options": ["SQLite", "sled"]});
    let call = desktop.agent.call(question).await?;
    assert_eq!(desktop.agent.outcome(call).await?["selected"], json!(["sled"]), "what was pressed");
    desktop.fake.no_notification().await
}

#[tokio::test]
async fn a_notification_goes_when_its_request_is_answered_elsewhere() -> Result<()> {
    let config = format!("{TOLD}security:\n  scripted_answers: true\n");
    let Some(desktop) = Desktop::begin(&config).await? else { return Ok(()) };
    let (fake, home) = (&desktop.fake, desktop.window.home());
    let call = desktop.ask(json!({"message": "m", "title": "Name?"})).await?;
    fake.notification("Name?").await?;
    home.answer(&home.waiting("Name?").await?, ["--text", "Gate"]).await?;
    assert_eq!(desktop.agent.outcome(call).await?["text"], "Gate", "a terminal was faster");
    fake.no_notification().await?;
    fake.entry("Review Gate: nothing is waiting").await?;
    Ok(())
}

#[tokio::test]
async fn the_tray_lists_what_waits_and_opens_it() -> Result<()> {
    let Some(desktop) = Desktop::begin(TOLD).await? else { return Ok(()) };
    desktop.ask(json!({"message": "m", "title": "one & only_one"})).await?;
    desktop.ask(json!({"message": "m", "title": "two"})).await?;
    desktop.fake.entry("Review Gate: 2 requests are waiting").await?;
    assert_eq!(desktop.fake.tray_title().await?, "Review Gate", "a panel calls it by its name, not by its program's");
    desktop.fake.choose("two — work").await?;
    desktop.window.display().window_in_front().await?;
    desktop.window.display().in_front("(2) two – Review Gate").await.context("its title says what is open")?;
    desktop.window.page().await?.shows("two").await
}

#[tokio::test]
async fn the_tray_says_how_far_agents_are_and_leads_to_them() -> Result<()> {
    let Some(desktop) = Desktop::begin(TOLD).await? else { return Ok(()) };
    let fake = &desktop.fake;
    desktop.report(json!({"progress_percent": 64, "status_message": "Running tests & lints"})).await?;
    let row = fake.entry("Claude Code in work: Running tests & lints, 64 %").await?;
    desktop.report(json!({"progress_percent": 80, "status_message": "Linking"})).await?;
    let later = fake.entry("Claude Code in work: Linking, 80 %").await?;
    assert_eq!(later.id, row.id, "it is the row that was there: a menu that stands open stays so");
    let rows = fake.menu().await?.into_iter().filter(|entry| entry.label.starts_with("Claude Code")).count();
    assert_eq!(rows, 1, "an agent has one row");
    fake.choose("Claude Code in work: Linking, 80 %").await?;
    desktop.window.display().in_front("Sessions – Review Gate").await
}

#[tokio::test]
async fn a_request_that_comes_while_the_main_window_is_in_use_is_said_there() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let display = desktop.window.display();
    desktop.fake.choose("Settings").await?;
    display.in_front("Settings – Review Gate").await?;
    desktop.ask(json!({"message": "m", "title": "over there"})).await?;
    display.in_front("(1) Settings – Review Gate").await.context("the person goes on where they are")?;
    display.press("ctrl+1").await?;
    display.in_front("(1) Inbox – Review Gate").await.context("one key goes there")?;
    display.shows_windows(1).await.context("no other window came up")
}

#[tokio::test]
async fn nothing_is_raised_or_told_while_it_is_quiet_but_an_urgent_request() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let (fake, display) = (&desktop.fake, desktop.window.display());
    fake.choose("Until I turn it off").await?;
    fake.entry("✓ Do not disturb").await?;
    desktop.hands_rest().await?;
    desktop.ask(json!({"message": "m", "title": "can wait"})).await?;
    assert!(!display.shows_window().await?, "the person isn't disturbed");
    assert_eq!(fake.notifications(), [], "not by a notification either");
    desktop.ask(json!({"message": "m", "title": "burning", "urgent": true})).await?;
    display.window_in_front().await?;
    desktop.hide().await?;

    fake.choose("Off").await?;
    fake.entry("Do not disturb").await?;
    desktop.hands_rest().await?;
    // One that nobody has answered brings the window up once a minute.
    let other = Agent::start(desktop.window.home(), PATIENT).await?;
    other.call(json!({"message": "m", "title": "as usual"})).await?;
    display.window_in_front().await
}

#[tokio::test]
async fn somebody_who_is_away_is_only_told() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let fake = &desktop.fake;
    fake.choose("I’m away").await?;
    let away = || async { Ok(fake.entry("I’m away").await?.checked.then_some(())) };
    eventually("the mark of being away", LIMIT, away).await?;
    desktop.agent.call(json!({"message": "m", "title": "burning", "urgent": true})).await?;
    assert!(fake.notification("burning").await?.urgent, "it is there when they come back");
    assert!(!desktop.window.display().shows_window().await?, "nobody is there to see a window");
    Ok(())
}

#[tokio::test]
async fn the_hotkey_raises_the_next_request_from_anywhere() -> Result<()> {
    let Some(desktop) = Desktop::begin("window:\n  hotkey: CmdOrCtrl+Alt+Y\n").await? else { return Ok(()) };
    let display = desktop.window.display();
    desktop.hands_rest().await?;
    desktop.ask(json!({"message": "m", "title": "first"})).await?;
    desktop.hide().await?;
    // The keys are asked for before the tray is there.
    display.press("ctrl+alt+y").await?;
    display.window_in_front().await?;
    desktop.window.page().await?.shows("first").await
}

#[tokio::test]
async fn a_hotkey_that_names_no_keys_is_told_with_its_mend() -> Result<()> {
    let Some(desktop) = Desktop::begin("window:\n  hotkey: Hyper+Nonsense\n").await? else { return Ok(()) };
    desktop.ask(json!({"message": "m", "title": "first"})).await?;
    let page = desktop.window.page().await?;
    page.says("body", "window.hotkey is \"Hyper+Nonsense\", which names no keys").await?;
    page.says("body", "CmdOrCtrl+Alt+G").await
}

#[tokio::test]
async fn quitting_while_requests_wait_asks() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let (fake, display, home) = (&desktop.fake, desktop.window.display(), desktop.window.home());
    desktop.hands_rest().await?;
    let call = desktop.ask(json!({"message": "m", "title": "deploy"})).await?;
    desktop.hide().await?;
    let gate = home.gate().context("the app is the gate")?;

    fake.choose("Quit Review Gate").await?;
    display.in_front("Quit Review Gate?").await?;
    display.press("Escape").await?;
    fake.choose("deploy — work").await?;
    display.window_in_front().await?;
    assert_eq!(home.gate().map(|gate| gate.pid()), Some(gate.pid()), "it goes on running");

    fake.choose("Quit Review Gate").await?;
    display.in_front("Quit Review Gate?").await?;
    // From the answer that keeps it to the one that quits.
    display.press("Tab").await?;
    display.press("Return").await?;
    assert!(gate.ends_within(LIMIT), "it quits");
    assert!(desktop.agent.take(call).is_none(), "quitting answers nothing");
    let rows = home.rows("SELECT status FROM review_requests").await?;
    assert_eq!(rows, [json!({"status": "pending"})], "the request stays in the record");
    Ok(())
}

#[tokio::test]
async fn quitting_with_nothing_waiting_does_not_ask() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let gate = desktop.window.home().gate().context("the app is the gate")?;
    desktop.fake.choose("Quit Review Gate").await?;
    assert!(gate.ends_within(LIMIT), "it quits");
    Ok(())
}

#[tokio::test]
async fn the_pictures_of_the_tray_are_the_homes_own_and_go_with_its_gate() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let folder = desktop.window.home().path().join("tray");
    let shown = || async {
        let picture = desktop.fake.tray_picture().await?;
        Ok(picture.is_file().then_some(picture))
    };
    let picture = eventually("a picture that a panel can read", LIMIT, shown).await?;
    assert_eq!(picture.parent(), Some(&*folder), "where no other gate has one");
    let gate = desktop.window.home().gate().context("the app is the gate")?;
    desktop.fake.choose("Quit Review Gate").await?;
    assert!(gate.ends_within(LIMIT), "it quits");
    assert!(!folder.exists(), "nothing of it stays behind");
    Ok(())
}

#[tokio::test]
async fn the_tray_opens_the_page_in_a_browser_that_is_signed_in_by_the_person() -> Result<()> {
    let bin = tempfile::tempdir()?;
    let (opener, found) = (bin.path().join("xdg-open"), bin.path().join("found"));
    let keep = format!("printf '%s' \"$*\" > '{0}.new' && mv '{0}.new' '{0}'", found.display());
    std::fs::write(&opener, format!("#!/bin/sh\n{keep}\n"))?;
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap_or_default());
    let Some(desktop) = Desktop::with_env("", vec![("PATH".into(), path.into())]).await? else { return Ok(()) };
    let home = desktop.window.home();
    let page = desktop.window.page().await?;
    page.run("location.hash = '#main/connect'; location.reload(); return true", json!([])).await?;
    page.says(&test_id("browsers-none"), "Open in browser").await?;

    desktop.fake.choose("Open in browser").await?;
    let look = || async { Ok(std::fs::read_to_string(&found).ok()) };
    let given = eventually("the browser's argument", LIMIT, look).await?;
    assert!(given.ends_with(".html") && !given.contains("code"), "no argument tells the link: {given}");
    assert_eq!(std::fs::metadata(&given)?.permissions().mode() & 0o777, 0o600, "nobody else reads the file");
    let text = std::fs::read_to_string(&given)?;
    let link = text.split("url=").nth(1).and_then(|rest| rest.split('"').next()).context("it leads on")?;
    let signed_in = SignedPage::follow(home, &json!(link)).await?;
    let gone = || async { Ok((!Path::new(&given).exists()).then_some(())) };
    eventually("the file gone once a browser is signed in", LIMIT, gone).await?;

    page.says(&test_id("toast"), "signed in").await.context("the person is told")?;
    page.says(&test_id("browser"), "by your link").await.context("it counts as the person's")?;
    let told = signed_in.command(json!({"command": "browsers"})).await?.map_err(anyhow::Error::msg)?;
    assert_eq!(
        (&told["browsers"][0]["here"], &told["browsers"][0]["by_script"]),
        (&json!(true), &json!(false)),
        "{told}"
    );
    let status = home.run(["status"]).await?.succeeded()?;
    assert!(status.stdout.contains("One browser is signed in"), "{}", status.stdout);

    desktop.window.in_both_themes(&page, "connect", "browsers").await?;
    page.click(&test_id("browser-sign-out")).await?;
    page.click(&test_id("browser-sign-out-yes")).await?;
    page.text(&test_id("browsers-none")).await?;
    let after = signed_in.command(json!({"command": "browsers"})).await?;
    assert!(after.is_err(), "it is signed out: {after:?}");
    Ok(())
}

#[tokio::test]
async fn a_browser_that_cannot_be_opened_is_told_with_what_to_do_instead() -> Result<()> {
    let bin = tempfile::tempdir()?;
    let opener = bin.path().join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\nexit 3\n")?;
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap_or_default());
    let Some(desktop) = Desktop::with_env("", vec![("PATH".into(), path.into())]).await? else { return Ok(()) };
    let page = desktop.window.page().await?;
    desktop.fake.choose("Open in browser").await?;
    page.says(&test_id("warnings"), "review-gate link").await
}

#[tokio::test]
async fn the_tray_makes_the_app_start_at_login() -> Result<()> {
    let Some(desktop) = Desktop::begin("").await? else { return Ok(()) };
    let config = desktop.window.display().env().into_iter().find(|(name, _)| name == "XDG_CONFIG_HOME");
    let (_, config) = config.context("a display has settings of its own")?;
    let entry = PathBuf::from(config).join("autostart/review-gate.desktop");
    desktop.fake.choose("Start at login").await?;
    let written = || async { Ok(std::fs::read_to_string(&entry).ok().filter(|text| text.contains("Exec="))) };
    let text = eventually("an entry of what starts at login", LIMIT, written).await?;
    let exec = text.lines().find(|line| line.starts_with("Exec=")).unwrap_or_default();
    assert!(exec.contains("review-gate-desktop\" --hidden"), "the app starts without a window: {exec}");
    let home = desktop.window.home().path().display().to_string();
    assert!(exec.contains(&home), "and with the same home: {exec}");
    desktop.fake.choose("Start at login").await?;
    let gone = || async { Ok((!entry.exists()).then_some(())) };
    eventually("the entry gone", LIMIT, gone).await
}

#[tokio::test]
async fn the_window_remembers_its_place_on_each_monitor_and_is_never_out_of_sight() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let display = window.display();
    let mut app = window.start_app()?;
    display.window_in_front().await?;
    settled(&window, |[x, _, width, _]| (x + width / 2 - 640).abs() < 12).await.context("in the middle at first")?;
    display.move_window([700, 120, 500, 600]).await?;
    let moved = settled(&window, |[x, _, width, height]| x > 680 && (width, height) == (500, 600)).await?;
    display.close_window().await?;
    raise(&window).await?;
    settled(&window, |place| near(place, moved)).await.context("where it was when it was put away")?;

    // Its place isn't there any more. Window managers move what can be seen then.
    display.close_window().await?;
    display.monitor(true).await?;
    restart(&window, &mut app).await?;
    settled(&window, |[x, _, width, _]| x + width <= 650).await.context("on the monitor that there is")?;
    display.close_window().await?;
    display.monitor(false).await?;
    restart(&window, &mut app).await?;
    settled(&window, |place| near(place, moved)).await.context("where it was with this monitor")?;
    Ok(())
}

/// Stops the app, which keeps the place of its window, and starts it again.
async fn restart(window: &Window, app: &mut App) -> Result<()> {
    window.home().run(["stop"]).await?.succeeded()?;
    app.ends().await.context("it is stopped without a question")?;
    *app = window.start_app()?;
    window.display().window_in_front().await
}

fn near(place: [i64; 4], was: [i64; 4]) -> bool {
    place.iter().zip(was).all(|(now, was)| (now - was).abs() <= 2)
}

/// Waits until the window in front is where it is wanted.
async fn settled(window: &Window, wanted: impl Fn([i64; 4]) -> bool) -> Result<[i64; 4]> {
    let look = || async { Ok(Some(window.display().place().await?).filter(|place| wanted(*place))) };
    let found = eventually("the window in its place", LIMIT, look).await;
    match found {
        Ok(place) => Ok(place),
        Err(error) => Err(error.context(format!("it is at {:?}", window.display().place().await?))),
    }
}

/// As a person does who starts the app once more.
async fn raise(window: &Window) -> Result<()> {
    window.start_app()?.ends().await.context("it hands over")?;
    window.display().window_in_front().await
}

/// A sound card that writes to a file what is played.
fn sound_card(folder: &Path) -> Result<(Vec<(OsString, OsString)>, PathBuf)> {
    let (settings, played) = (folder.join(".asoundrc"), folder.join("played.raw"));
    let text = format!(
        "pcm.!default {{ type plug slave {{ format S16_LE rate 48000 pcm {{ type file slave.pcm null file \"{}\" format raw }} }} }}\n\
         ctl.!default {{ type hw card 0 }}\n",
        played.display()
    );
    std::fs::write(&settings, text)?;
    Ok((vec![(OsString::from("HOME"), folder.as_os_str().to_owned())], played))
}

/// The loudest that was played, of a sample's range; absent while nothing was.
fn loudest(played: &Path) -> Option<f64> {
    let bytes = std::fs::read(played).ok()?;
    let samples = bytes.chunks_exact(2).filter_map(|pair| Some(i16::from_le_bytes(pair.try_into().ok()?)));
    samples.map(|sample| f64::from(sample).abs() / f64::from(i16::MAX)).reduce(f64::max)
}

#[tokio::test]
async fn requests_sound_unless_sounds_are_off() -> Result<()> {
    for on in [true, false] {
        let folder = tempfile::tempdir()?;
        let (env, played) = sound_card(folder.path())?;
        let config = format!("notifications:\n  sounds: {on}\n");
        let Some(desktop) = Desktop::with_env(&config, env).await? else { return Ok(()) };
        desktop.hands_rest().await?;
        desktop.ask(json!({"message": "m", "title": "first"})).await?;
        desktop.window.display().window_in_front().await?;
        if on {
            let heard = || async { Ok(loudest(&played).filter(|loudest| *loudest > 0.02)) };
            let loudest = eventually("a sound", LIMIT, heard).await?;
            assert!(loudest < 0.5, "it startles nobody: {loudest}");
        } else if played.exists() {
            bail!("the sound card was opened");
        }
    }
    Ok(())
}
