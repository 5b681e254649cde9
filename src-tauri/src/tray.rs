//! The tray icon: how many requests wait, which ones, how far the agents are; the way to the windows,
//! being away, do-not-disturb, and quitting.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gate_api::subjects::person::SetAway;
use gate_app::{Gate, Glance, Origin, QuietFor, WaitingRequest, Working};
use gate_core::Fault;
use gate_link::{Home, Socket};
use gate_texts::Texts;
use tauri::image::Image;
use tauri::menu::{CheckMenuItemBuilder, Menu, MenuBuilder, MenuItem, MenuItemBuilder, Submenu, SubmenuBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Theme, Wry};

use crate::window::{self, Destination, Name};
use crate::{browser, login, quitting};

/// For light panels, dark, and the other way round; each also while something waits. Which panel there is can only be
/// guessed, so each has a rim that is seen on the other.
const LIGHT: &[u8] = include_bytes!("../../icons/tray-light.png");
const LIGHT_WAITING: &[u8] = include_bytes!("../../icons/tray-light-waiting.png");
const DARK: &[u8] = include_bytes!("../../icons/tray-dark.png");
const DARK_WAITING: &[u8] = include_bytes!("../../icons/tray-dark-waiting.png");
/// For the menu bar of macOS, which gives it its colour. How much waits stands beside it there.
const TEMPLATE: &[u8] = include_bytes!("../../icons/tray-template.png");
/// Whether the system gives the icon its colour.
const COLOURED: bool = cfg!(target_os = "macos");

/// What the menu items of requests begin with; the request's id follows.
const REQUEST: &str = "request:";
/// What the menu items of agents at work begin with; the session's id follows.
const SESSION: &str = "session:";
/// The folder beside the gate's socket in which panels find the icon's pictures.
const PICTURES: &str = "tray";
/// What the names of these begin with.
const PICTURE: &str = "tray-icon-";
/// How soon after the last time it is told again how far agents are.
const PROGRESS_REST: Duration = Duration::from_secs(1);

/// The tray icon, made once the app runs.
pub(crate) struct Tray {
    icon: TrayIcon<Wry>,
    /// The folder with its pictures.
    pictures: PathBuf,
    /// Whether the panel with the icon is dark.
    dark: AtomicBool,
    /// What it shows.
    shown: Mutex<Option<Shown>>,
    /// The menu's rows of the agents at work, in their order.
    rows: Mutex<Vec<MenuItem<Wry>>>,
    /// Whether it was just told how far agents are.
    rests: AtomicBool,
}

/// Everything that the tray follows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    glance: Glance,
    at_login: bool,
    dark: bool,
}

impl Shown {
    /// Whether the menu of the other is the same, but for how far agents are.
    fn same_menu(&self, other: &Self) -> bool {
        let menu = |shown: &Self| {
            let Glance { pending, permissions, waiting, working, more_working, presence } = &shown.glance;
            let sessions: Vec<_> = working.iter().map(|working| working.session_uuid).collect();
            let presence = (presence.away, presence.do_not_disturb);
            (*pending, *permissions, waiting.clone(), sessions, *more_working, presence, shown.at_login)
        };
        menu(self) == menu(other)
    }

    fn same_icon(&self, other: &Self) -> bool {
        let icon = |shown: &Self| (shown.glance.pending > 0, shown.dark);
        icon(self) == icon(other)
    }
}

/// Where a gate of this home keeps the icon's pictures. Nobody else does: there is one gate for each socket, and the
/// place that programs made with Tauri share has one name for all of them.
pub(crate) fn pictures(home: &Home) -> PathBuf {
    home.socket(Socket::Mcp).with_file_name(PICTURES)
}

/// Makes the tray icon, with its pictures in this folder. Desktops without a tray keep it to themselves.
pub(crate) fn create(app: &AppHandle, theme: Theme, pictures: PathBuf) -> tauri::Result<()> {
    // Those of a gate that was killed.
    clear(&pictures);
    let icon = TrayIconBuilder::with_id("gate")
        .temp_dir_path(&pictures)
        .icon(Image::from_bytes(if COLOURED { TEMPLATE } else { DARK })?)
        .icon_as_template(COLOURED)
        .show_menu_on_left_click(false)
        .on_menu_event(|app, event| chosen(app, event.id().as_ref()))
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event {
                tray.app_handle().state::<Gate>().raise(None);
            }
        })
        .build(app)?;
    let dark = AtomicBool::new(panel_is_dark(theme));
    let (shown, rows, rests) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
    app.manage(Tray { icon, pictures, dark, shown, rows, rests });
    update(app);
    Ok(())
}

/// Takes the icon's pictures away. The process ends without dropping the icon, which would.
pub(crate) fn end(app: &AppHandle) {
    if let Some(tray) = app.try_state::<Tray>() {
        clear(&tray.pictures);
    }
}

/// Removes the pictures in this folder, and the folder if that was all.
fn clear(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PICTURE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    let _ = std::fs::remove_dir(folder);
}

/// Shows how things are. Not to be called from the toolkit's own thread once it runs, which the tray's
/// changes wait for.
pub(crate) fn update(app: &AppHandle) {
    let Some(tray) = app.try_state::<Tray>() else { return };
    let mut shown = tray.shown.lock().unwrap_or_else(PoisonError::into_inner);
    let glance = app.state::<Gate>().at_a_glance();
    let now = Shown { glance, at_login: login::is_on(app), dark: tray.dark.load(Ordering::Relaxed) };
    if shown.as_ref() == Some(&now) {
        return;
    }
    if shown.as_ref().is_some_and(|shown| shown.same_menu(&now) && shown.same_icon(&now)) {
        if tray.rests.swap(true, Ordering::Relaxed) {
            return;
        }
        go_on_later(app.clone());
    }
    if let Err(error) = tray.show(app, shown.as_ref(), &now) {
        tracing::warn!(%error, "the tray icon can't be changed");
    }
    *shown = Some(now);
}

/// Looks again after a rest, and tells what was reported meanwhile.
fn go_on_later(app: AppHandle) {
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PROGRESS_REST).await;
        if let Some(tray) = app.try_state::<Tray>() {
            tray.rests.store(false, Ordering::Relaxed);
        }
        update(&app);
    });
}

/// The theme of the windows changed, and with it the panel's on most desktops.
pub(crate) fn theme_changed(app: &AppHandle, theme: Theme) {
    if let Some(tray) = app.try_state::<Tray>() {
        tray.dark.store(panel_is_dark(theme), Ordering::Relaxed);
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move { update(&app) });
}

impl Tray {
    fn show(&self, app: &AppHandle, before: Option<&Shown>, now: &Shown) -> tauri::Result<()> {
        let words = app.state::<Texts>();
        self.icon.set_tooltip(Some(tooltip(&words, &now.glance)))?;
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        // A menu that is open closes when another takes its place; its rows may change.
        match before.filter(|before| before.same_menu(now)) {
            Some(before) => {
                for (row, (was, is)) in rows.iter().zip(before.glance.working.iter().zip(&now.glance.working)) {
                    if was != is {
                        row.set_text(escaped(&line(&words, is)))?;
                    }
                }
            }
            None => {
                let gate = app.state::<Gate>();
                let fixed =
                    Fixed { login: gate.settings().window.start_at_login.is_some(), page: gate.http().is_some() };
                *rows = now.glance.working.iter().map(|working| row(app, &words, working)).collect::<Result<_, _>>()?;
                self.icon.set_menu(Some(menu(app, &words, now, &rows, fixed)?))?;
                self.icon.set_title((now.glance.pending > 0).then(|| now.glance.pending.to_string()))?;
            }
        }
        if !COLOURED && !before.is_some_and(|before| before.same_icon(now)) {
            let image = match (now.dark, now.glance.pending > 0) {
                (true, false) => DARK,
                (true, true) => DARK_WAITING,
                (false, false) => LIGHT,
                (false, true) => LIGHT_WAITING,
            };
            self.icon.set_icon(Some(Image::from_bytes(image)?))?;
        }
        Ok(())
    }
}

/// Whether the panel with the icon is dark. GNOME's is so in every theme; others follow the theme.
fn panel_is_dark(theme: Theme) -> bool {
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    desktop.split(':').any(|name| name == "GNOME") || theme == Theme::Dark
}

fn tooltip(words: &Texts, glance: &Glance) -> String {
    let mut lines = vec![waiting(words, glance)];
    lines.extend(glance.working.iter().map(|working| line(words, working)));
    if glance.more_working > 0 {
        lines.push(words.tell("shell-more", [("count", glance.more_working.into())]));
    }
    lines.join("\n")
}

fn waiting(words: &Texts, glance: &Glance) -> String {
    let all = words.tell("shell-waiting", [("count", glance.pending.into())]);
    match glance.permissions {
        0 => all,
        permissions => {
            words.tell("shell-waiting-permissions", [("waiting", all.into()), ("count", permissions.into())])
        }
    }
}

/// What an agent is at, e.g. `Claude Code in payments: Running tests, 64 %`.
fn line(words: &Texts, Working { agent, workspace, doing, percent, .. }: &Working) -> String {
    let agent = if agent.is_empty() { words.say("shell-agent") } else { agent.clone() };
    let percent = percent.map(|percent| words.tell("shell-percent", [("percent", percent.into())]));
    let doing = (!doing.is_empty()).then(|| doing.clone());
    let doing = doing.into_iter().chain(percent).collect::<Vec<_>>().join(", ");
    if workspace.is_empty() {
        return words.tell("shell-working-no-workspace", [("agent", agent.into()), ("doing", doing.into())]);
    }
    words.tell("shell-working", [("agent", agent.into()), ("workspace", workspace.into()), ("doing", doing.into())])
}

fn row(app: &AppHandle, words: &Texts, working: &Working) -> tauri::Result<MenuItem<Wry>> {
    MenuItemBuilder::with_id(format!("{SESSION}{}", working.session_uuid), escaped(&line(words, working))).build(app)
}

/// What of the menu stays as it is while the gate runs.
#[derive(Debug, Clone, Copy)]
struct Fixed {
    /// Whether the setting decides about starting at login.
    login: bool,
    /// Whether there is a page for browsers.
    page: bool,
}

fn menu(app: &AppHandle, words: &Texts, now: &Shown, rows: &[MenuItem<Wry>], fixed: Fixed) -> tauri::Result<Menu<Wry>> {
    let glance = &now.glance;
    let say = |id| words.say(id);
    let check = |id, text: &'static str, on, enabled| {
        CheckMenuItemBuilder::with_id(id, say(text)).checked(on).enabled(enabled).build(app)
    };
    let mut menu = MenuBuilder::new(app).text("review", waiting(words, glance));
    for request in &glance.waiting {
        menu = menu.text(format!("{REQUEST}{}", request.request_id), label(words, request));
    }
    let more = glance.pending.saturating_sub(glance.waiting.len());
    if more > 0 {
        menu = menu.text("inbox", words.tell("shell-more", [("count", more.into())]));
    }
    if !rows.is_empty() {
        menu = rows.iter().fold(menu.separator(), |menu, row| menu.item(row));
    }
    if glance.more_working > 0 {
        menu = menu.text("sessions", words.tell("shell-more", [("count", glance.more_working.into())]));
    }
    menu = menu
        .separator()
        .text("inbox", say("shell-inbox"))
        .text("sessions", say("shell-sessions"))
        .text("history", say("shell-history"))
        .text("settings", say("shell-settings"));
    if fixed.page {
        menu = menu.text("browser", say("shell-browser"));
    }
    menu.separator()
        .item(&check("away", "shell-away", glance.presence.away, true)?)
        .item(&quiet_menu(app, words, glance)?)
        .separator()
        .item(&check("login", "shell-start-at-login", now.at_login, !fixed.login)?)
        .text("quit", say("shell-quit"))
        .build()
}

fn quiet_menu(app: &AppHandle, words: &Texts, glance: &Glance) -> tauri::Result<Submenu<Wry>> {
    let mut title = words.say("shell-dnd");
    if glance.presence.do_not_disturb {
        title = format!("✓ {title}");
    }
    let off = CheckMenuItemBuilder::with_id("dnd-off", words.say("shell-dnd-off"));
    SubmenuBuilder::new(app, title)
        .text("dnd-hour", words.say("shell-dnd-hour"))
        .text("dnd-morning", words.say("shell-dnd-tomorrow"))
        .text("dnd-open", words.say("shell-dnd-on"))
        .separator()
        .item(&off.checked(!glance.presence.do_not_disturb).build(app)?)
        .build()
}

/// A text as it stands in a menu, where `&` marks an access key.
fn escaped(text: &str) -> String {
    text.replace('&', "&&")
}

fn label(words: &Texts, request: &WaitingRequest) -> String {
    let title = escaped(&request.title);
    if request.workspace.is_empty() {
        return title;
    }
    words.tell("shell-request", [("title", title.into()), ("workspace", escaped(&request.workspace).into())])
}

/// An item of the menu was chosen.
fn chosen(app: &AppHandle, id: &str) {
    let gate = app.state::<Gate>();
    if let Some(request) = id.strip_prefix(REQUEST) {
        return gate.raise(request.parse().ok());
    }
    if let Some(session) = id.strip_prefix(SESSION) {
        return open_main(app, "sessions", Some(session));
    }
    match id {
        "review" => gate.raise(None),
        "inbox" | "sessions" | "history" | "settings" => open_main(app, id, None),
        "away" => {
            let away = !gate.at_a_glance().presence.away;
            let gate = gate.inner().clone();
            then(async move { gate.execute(SetAway { away }, Origin::Desktop).await.map(drop) });
        }
        "dnd-hour" => be_quiet(&gate, QuietFor::Hour),
        "dnd-morning" => be_quiet(&gate, QuietFor::Morning),
        "dnd-open" => be_quiet(&gate, QuietFor::Open),
        "dnd-off" => be_quiet(&gate, QuietFor::Off),
        "browser" => {
            let gate = gate.inner().clone();
            tauri::async_runtime::spawn(async move {
                if let Err(fault) = browser::open(&gate).await {
                    gate.warn(fault);
                }
            });
        }
        "login" => {
            if let Err(fault) = login::set(app, !login::is_on(app)) {
                gate.warn(fault);
            }
        }
        "quit" => quitting::quit(app),
        _ => {}
    }
}

fn be_quiet(gate: &Gate, quiet: QuietFor) {
    let gate = gate.clone();
    then(async move { gate.do_not_disturb(quiet).await });
}

fn then(act: impl Future<Output = Result<(), Fault>> + Send + 'static) {
    tauri::async_runtime::spawn(async move {
        if let Err(fault) = act.await {
            tracing::warn!(%fault, "the tray's menu did nothing");
        }
    });
}

/// On a thread of its own: a window that is made while the menu's event is handled deadlocks on Windows.
fn open_main(app: &AppHandle, page: &str, at: Option<&str>) {
    let Ok(page) = Name::try_from(page.to_owned()) else { return };
    let destination = Destination { page, at: at.and_then(|at| Name::try_from(at.to_owned()).ok()) };
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(error) = window::open_main(&app, &app.state::<Gate>().settings(), destination) {
            tracing::warn!(%error, "the main window can't be opened");
        }
    });
}

#[cfg(test)]
mod tests {
    use gate_core::{Presence, SessionUuid};

    use super::*;

    /// How light a colour is, 0 to 1 (WCAG's relative luminance).
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        let [red, green, blue] = colour.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// How many pixels of an icon stand out from a grey panel, 3 to 1 as signs have to, and how many there are.
    fn seen(icon: &Image<'_>, grey: f64) -> (usize, usize) {
        let panel = luminance([grey; 3]);
        let stands_out = |pixel: &[u8; 4]| {
            let [red, green, blue, alpha] = pixel.map(|part| f64::from(part) / 255.0);
            let here = luminance([red, green, blue].map(|part| part * alpha + grey * (1.0 - alpha)));
            (here.max(panel) + 0.05) / (here.min(panel) + 0.05) >= 3.0
        };
        let pixels: Vec<[u8; 4]> = icon.rgba().chunks_exact(4).filter_map(|pixel| pixel.try_into().ok()).collect();
        (pixels.iter().filter(|pixel| stands_out(pixel)).count(), pixels.len())
    }

    #[test]
    fn an_agent_without_a_name_is_called_in_the_persons_language() {
        let session_uuid = SessionUuid(uuid::Uuid::nil());
        let (workspace, doing) = ("app".to_owned(), "Tests".to_owned());
        let working = Working { session_uuid, agent: String::new(), workspace, doing, percent: None };
        assert_eq!(line(&Texts::english(), &working), "An agent in app: Tests");
        assert_eq!(line(&Texts::preferred(["zh-CN"]), &working), "智能体（app）：Tests");
    }

    #[test]
    fn the_tooltip_says_what_waits_who_is_at_work_and_how_many_more() {
        let working = |doing: &str, percent| Working {
            session_uuid: SessionUuid(uuid::Uuid::nil()),
            agent: "Codex".to_owned(),
            workspace: "app".to_owned(),
            doing: doing.to_owned(),
            percent,
        };
        let here = Presence { away: false, away_since: None, quiet: false, quiet_until: None, do_not_disturb: false };
        let waiting = Vec::new();
        let working = vec![working("Tests", Some(64)), working("", Some(7))];
        let busy = Glance { pending: 1, permissions: 0, waiting, working, more_working: 3, presence: here };
        assert_eq!(
            tooltip(&Texts::english(), &busy).lines().collect::<Vec<_>>(),
            ["Review Gate: 1 request is waiting", "Codex in app: Tests, 64 %", "Codex in app: 7 %", "and 3 more"],
        );
        let asks = Glance { pending: 3, permissions: 2, working: Vec::new(), more_working: 0, ..busy.clone() };
        let said = tooltip(&Texts::english(), &asks);
        assert_eq!(said, "Review Gate: 3 requests are waiting, 2 of them for a permission", "they are counted apart");
        let calm = Glance { pending: 0, working: Vec::new(), more_working: 0, ..busy };
        assert_eq!(
            tooltip(&Texts::english(), &calm),
            "Review Gate: nothing is waiting",
            "one line where nothing goes on"
        );
    }

    #[test]
    fn only_pictures_are_cleared_away() -> std::io::Result<()> {
        let home = tempfile::tempdir()?;
        let folder = pictures(&Home::at(home.path()));
        assert!(folder.starts_with(home.path()), "each gate has its own: {}", folder.display());
        clear(&folder);
        assert!(!folder.exists(), "where there is nothing, nothing is made");
        std::fs::create_dir(&folder)?;
        let [picture, other] = ["tray-icon-gate-3.png", "mine.png"].map(|name| folder.join(name));
        std::fs::write(&picture, "")?;
        std::fs::write(&other, "")?;
        clear(&folder);
        assert!(!picture.exists() && other.exists(), "what isn't the gate's stays");
        std::fs::remove_file(&other)?;
        clear(&folder);
        assert!(!folder.exists(), "an empty folder goes");
        Ok(())
    }

    #[test]
    fn the_icon_can_be_seen_on_every_panel() -> tauri::Result<()> {
        for (number, icon) in [LIGHT, LIGHT_WAITING, DARK, DARK_WAITING].into_iter().enumerate() {
            let icon = Image::from_bytes(icon)?;
            for grey in [0.0, 0.13, 0.5, 0.94, 1.0] {
                let (seen, all) = seen(&icon, grey);
                assert!(seen * 10 > all, "icon {number} on a panel of {grey}: {seen} of {all} pixels stand out");
            }
        }
        Ok(())
    }
}
