//! Doctor and the desktop: display, libraries, notifications, tray; the request that shows whether the
//! person sees requests; and the same from the windows' page.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Clinic, Control, Found, Home, LIMIT, Window, eventually, found, processes_with, skip, test_id};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// What the test request is called.
const TITLE: &str = "Do you see this? · 你看到了吗？";
/// A desktop app that starts.
const WELL: &str = concat!("echo review-gate-desktop ", env!("CARGO_PKG_VERSION"));
/// Names on the session bus.
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
const TRAY: &str = "org.kde.StatusNotifierWatcher";

fn variables<const N: usize>(all: [(&str, &str); N]) -> Vec<(OsString, OsString)> {
    all.map(|(name, value)| (OsString::from(name), OsString::from(value))).into()
}

/// A clinic whose desktop app is this script, and these variables.
fn clinic(desktop: Option<&str>, env: Vec<(OsString, OsString)>) -> Result<Clinic> {
    let mut clinic = Clinic::with("", env)?;
    clinic.install_apart(desktop)?;
    Ok(clinic)
}

/// Which check, how bad, and with which command.
fn is(found: &Found, check: &str, level: &str, command: &str) {
    assert_eq!((found.check.as_str(), found.level.as_str()), (check, level), "{found}");
    assert!(found.command.contains(command), "one command mends it, with {command:?}: {found}");
    assert!(!found.cause.is_empty() && !found.mend.is_empty(), "it says what is wrong and what to do: {found}");
}

#[tokio::test]
async fn without_a_display_that_is_named() -> Result<()> {
    let before = clinic(Some(WELL), Vec::new())?.findings().await?;
    let without = clinic(Some(WELL), variables([("WAYLAND_DISPLAY", "")]))?;
    is(&without.only_wrong(&before).await?, "display", "warning", "review-gate link");
    Ok(())
}

#[tokio::test]
async fn a_display_that_cannot_be_reached_is_a_fault() -> Result<()> {
    let before = clinic(Some(WELL), Vec::new())?.findings().await?;
    for env in [
        variables([("WAYLAND_DISPLAY", "/nonexistent/wayland-0")]),
        variables([("WAYLAND_DISPLAY", ""), ("DISPLAY", "/nonexistent/x:7")]),
        variables([("WAYLAND_DISPLAY", "wayland-7"), ("XDG_RUNTIME_DIR", "/nonexistent"), ("DISPLAY", ":999")]),
    ] {
        let shown = format!("{env:?}");
        let wrong = clinic(Some(WELL), env)?.only_wrong(&before).await.context(shown)?;
        is(&wrong, "display", "fault", "review-gate link");
    }
    Ok(())
}

#[tokio::test]
async fn a_library_that_the_desktop_app_lacks_is_a_fault_with_the_package() -> Result<()> {
    let before = clinic(Some(WELL), Vec::new())?.findings().await?;
    let words = "review-gate-desktop: error while loading shared libraries: libwebkit2gtk-4.1.so.0: cannot open \
                 shared object file: No such file or directory";
    let lacking = clinic(Some(&format!("echo '{words}' >&2; exit 127")), Vec::new())?;
    lacking.program("bin/apt-get", "exit 1")?;
    let wrong = lacking.only_wrong(&before).await?;
    is(&wrong, "webkit", "fault", "apt-get install libwebkit2gtk");
    assert!(wrong.cause.contains("libwebkit2gtk-4.1.so.0"), "{wrong}");
    Ok(())
}

#[tokio::test]
async fn a_desktop_app_that_doesnt_run_is_told_from_one_that_is_missing() -> Result<()> {
    let before = clinic(Some(WELL), Vec::new())?.findings().await?;
    for (desktop, level, command) in [
        (None, "warning", "review-gate link"),
        (Some("echo broken >&2; exit 9"), "fault", ""),
        (Some("echo review-gate-desktop 0.0.7"), "warning", ""),
    ] {
        let wrong = clinic(desktop, Vec::new())?.only_wrong(&before).await?;
        is(&wrong, "desktop", level, command);
    }
    let locked = clinic(Some(WELL), Vec::new())?;
    fs::set_permissions(locked.at("app/review-gate-desktop"), Permissions::from_mode(0o644))?;
    is(&locked.only_wrong(&before).await?, "desktop", "fault", "chmod +x ~/app/review-gate-desktop");
    Ok(())
}

#[tokio::test]
async fn a_gate_without_a_window_is_named_where_one_could_be_shown() -> Result<()> {
    let clinic = clinic(Some(WELL), Vec::new())?;
    let before = clinic.findings().await?;
    let _gate = clinic.home().serve().await?;
    is(&clinic.only_wrong(&before).await?, "window", "warning", "review-gate stop");
    Ok(())
}

/// A session bus that starts no services by itself. Ends when dropped.
async fn session_bus(folder: &Path) -> Result<Option<(Child, String)>> {
    let config = folder.join("bus.conf");
    let text = format!(
        "<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth><policy context=\"default\">\
         <allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>",
        folder.join("bus").display()
    );
    fs::write(&config, text)?;
    let mut daemon = Command::new("dbus-daemon");
    daemon.arg("--config-file").arg(&config).args(["--nofork", "--print-address"]).stdin(Stdio::null());
    daemon.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let Ok(mut daemon) = daemon.spawn() else {
        skip("dbus-daemon isn't installed (Debian: dbus-daemon)")?;
        return Ok(None);
    };
    let mut lines = BufReader::new(daemon.stdout.take().context("a daemon has a stdout")?).lines();
    let address = tokio::time::timeout(LIMIT, lines.next_line()).await.context("the bus says where it is")??;
    Ok(Some((daemon, address.context("the bus runs")?)))
}

#[tokio::test]
async fn services_that_the_session_bus_lacks_are_named_one_by_one() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some((_daemon, bus)) = session_bus(folder.path()).await? else { return Ok(()) };
    let of = |name: &'static str| {
        let bus = bus.clone();
        async move { zbus::connection::Builder::address(bus.as_str()).name(name).build().await }
    };
    let clinic = clinic(Some(WELL), variables([("DBUS_SESSION_BUS_ADDRESS", &bus)]))?;
    let (notifications, tray) = (of(NOTIFICATIONS).await?, of(TRAY).await?);
    let before = clinic.findings().await?;
    for check in ["notifications", "tray"] {
        let good = before.iter().any(|found| found.check == check && found.level == "good");
        assert!(good, "{check} is there: {before:#?}");
    }
    drop(tray);
    let named = || async { Ok(clinic.new_wrongs(&before).await?.into_iter().next()) };
    is(&eventually("no tray", LIMIT, named).await?, "tray", "warning", "");
    let _tray = of(TRAY).await?;
    drop(notifications);
    let named = || async {
        let wrongs = clinic.new_wrongs(&before).await?;
        Ok(wrongs.into_iter().find(|found| found.check == "notifications"))
    };
    is(&eventually("no notifications", LIMIT, named).await?, "notifications", "warning", "");
    Ok(())
}

#[tokio::test]
async fn a_session_bus_that_cannot_be_reached_is_named() -> Result<()> {
    let clinic = clinic(Some(WELL), variables([("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")]))?;
    let all = clinic.findings().await?;
    let named = all.iter().find(|found| found.check == "notifications").context("it is looked at")?;
    is(named, "notifications", "warning", "");
    assert!(named.cause.contains("session bus"), "{named}");
    Ok(())
}

/// Doctor with a request, and what it finds of that; meanwhile `act` has the request's identifier.
async fn popup<F: Future<Output = Result<()>>>(clinic: &Clinic, act: impl FnOnce(String) -> F) -> Result<Found> {
    let acting = async { act(clinic.home().waiting(TITLE).await?).await };
    let (ran, acted) = tokio::join!(clinic.run(&["--popup", "--json"]), acting);
    acted?;
    let all = found(&ran?)?;
    all.into_iter().find(|found| found.check == "popup").context("the request is told of")
}

#[tokio::test]
async fn a_request_that_is_answered_or_closed_was_seen_and_leaves_nothing() -> Result<()> {
    let clinic = Clinic::new()?;
    let _gate = clinic.home().serve_with(&["--allow-scripts"]).await?;
    let home = clinic.home();
    let answered = popup(&clinic, |id| async move { home.answer(&id, ["--choose", "Yes · 看到了"]).await }).await?;
    assert_eq!(answered.level, "good", "{answered}");
    assert!(answered.cause.contains("by a script"), "where it was answered: {answered}");
    let closed = popup(&clinic, |id| async move {
        let dismissed = Control::open(home).await?.command(json!({"command": "dismiss", "request_id": id})).await?;
        dismissed.map(drop).map_err(|fault| anyhow::anyhow!("{fault}"))
    });
    let closed = closed.await?;
    assert!(closed.level == "good" && closed.cause.contains("closed"), "{closed}");
    let left = home.rows("SELECT count(*) AS n FROM conversations").await?;
    assert_eq!(left, [json!({"n": 0})], "a test is no part of the record");
    Ok(())
}

#[tokio::test]
async fn a_request_comes_up_in_the_real_window() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let env = vec![(OsString::from("HOME"), folder.path().as_os_str().to_owned())];
    let Some(window) = Window::with_env("window:\n  undo_seconds: 0\n", env).await? else { return Ok(()) };
    let home = window.home();
    let look = home.run(["doctor", "--popup", "--json"]);
    let see = async {
        let page = window.page().await?;
        page.shows(TITLE).await?;
        window.display().window_in_front().await?;
        page.write(&test_id("reply-text"), "I see it").await?;
        page.press_button("send").await
    };
    let (ran, seen) = tokio::join!(look, see);
    seen?;
    let all = found(&ran?)?;
    let popup = all.iter().find(|found| found.check == "popup").context("the request is told of")?;
    assert!(popup.level == "good" && popup.cause.contains("in the window"), "{popup}");
    Ok(())
}

/// Gives the command of the windows' page.
async fn page_looks(control: &mut Control) -> Result<Vec<Value>> {
    match control.command(json!({"command": "doctor"})).await? {
        Ok(report) => Ok(report["findings"].as_array().context("a report has findings")?.clone()),
        Err(fault) => bail!("{fault}"),
    }
}

/// Whether what the clinic's slow client starts runs.
fn sleeps(home: &Home) -> bool {
    let all = processes_with("REVIEW_GATE_HOME", home.path());
    all.iter().any(|process| process.arguments().iter().any(|argument| argument == "1000"))
}

#[tokio::test]
async fn the_page_shows_the_same_one_look_at_a_time_and_ends_with_its_window() -> Result<()> {
    let clinic = Clinic::new()?;
    let _gate = clinic.home().serve().await?;
    let terminal: Vec<(String, String)> =
        clinic.findings().await?.into_iter().map(|found| (found.check, found.level)).collect();
    let mut control = Control::open(clinic.home()).await?;
    let text = |found: &Value, field: &str| found[field].as_str().unwrap_or_default().to_owned();
    let page = page_looks(&mut control).await?;
    let in_phrases = page.iter().all(|found| text(&found["cause"], "id").starts_with("finding-"));
    assert!(in_phrases, "windows say it in their own language: {page:#?}");
    let page: Vec<(String, String)> = page.iter().map(|found| (text(found, "check"), text(found, "level"))).collect();
    assert_eq!(page, terminal, "both say the same of the same");

    let slow = clinic.program("own/gate", "sleep 1000")?;
    clinic.connect_cursor(&slow.display().to_string(), &[], &[])?;
    let home = clinic.home();
    let asleep = || async { Ok(sleeps(home).then_some(())) };
    let busy = async {
        eventually("the trial of a command that hangs", LIMIT, asleep).await?;
        Control::open(home).await?.command(json!({"command": "doctor"})).await
    };
    tokio::select! {
        looked = control.command(json!({"command": "doctor"})) => bail!("the slow command isn't given up yet: {looked:?}"),
        refused = busy => {
            let refused = refused?.err().context("a second look is refused")?;
            assert_eq!(refused["code"], "too_many", "what clients start is started once: {refused}");
        }
    }
    // The window is closed while it looks.
    drop(control);
    let over = || async { Ok((!sleeps(home)).then_some(())) };
    eventually("the end of what was started, long before its time", Duration::from_secs(5), over).await?;
    fs::remove_file(clinic.at(".cursor/mcp.json"))?;
    let again = || async { Ok(page_looks(&mut Control::open(home).await?).await.ok()) };
    eventually("another look", LIMIT, again).await?;
    Ok(())
}
