//! The system's notifications of requests, and what their buttons do. The text of an agent in them is
//! its request's title and its options; what may be a button is decided in `gate-app`.

#[cfg_attr(not(target_os = "linux"), path = "notices/elsewhere.rs")]
#[cfg_attr(target_os = "linux", path = "notices/linux.rs")]
mod system;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_api::subjects::requests::Snooze;
use gate_app::{Gate, Notice, Origin, QuickReply};
use gate_core::ask::uncoded;
use gate_core::{Fault, RequestId};
use gate_texts::Texts;
use tauri::{AppHandle, Manager as _};

/// Notifications at the same time: the oldest goes for a new one.
const NOTICES: usize = 8;
const OPEN: &str = "open";
const LATER: &str = "later";
/// What the buttons of options begin with; their number follows.
const REPLY: &str = "reply-";

/// The notifications that are shown.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<Shown>);

#[derive(Debug, Default)]
struct Shown {
    next: i32,
    notices: VecDeque<(i32, Notice)>,
}

/// A notification as the system shows it.
struct Toast {
    id: i32,
    title: String,
    body: String,
    /// Elsewhere the system has no such rank for it.
    #[cfg(target_os = "linux")]
    urgent: bool,
    /// What each does, and what stands on it.
    buttons: Vec<(String, String)>,
}

/// Prepares for the first notification.
pub(crate) fn prepare(app: &AppHandle) {
    system::prepare(app);
}

/// Shows the notification of a request, unless it has been answered meanwhile.
pub(crate) async fn show(app: &AppHandle, gate: &Gate, request: RequestId) {
    match gate.notice_of(request).await {
        Ok(Some(notice)) => {
            let (id, gone) = app.state::<Notices>().lock().add(notice.clone());
            take_away(app, gone);
            system::show(app, toast(&app.state::<Texts>(), id, &notice));
        }
        Ok(None) => {}
        Err(fault) => tracing::warn!(%fault, "a request can't be told"),
    }
}

/// Takes the notification of a request away.
pub(crate) fn close(app: &AppHandle, request: RequestId) {
    let gone = app.state::<Notices>().lock().take(|_, notice| notice.request_id == request);
    take_away(app, gone);
}

/// Takes all notifications away: the person looks at the window.
pub(crate) fn clear(app: &AppHandle) {
    let gone = app.state::<Notices>().lock().take(|_, _| true);
    take_away(app, gone);
}

impl Notices {
    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    /// Gives its number, and the notifications that have to go for it.
    fn add(&mut self, notice: Notice) -> (i32, Vec<i32>) {
        let mut gone = self.take(|_, old| old.request_id == notice.request_id);
        let id = self.next;
        self.next = id.wrapping_add(1);
        self.notices.push_back((id, notice));
        let surplus = self.notices.len().saturating_sub(NOTICES);
        gone.extend(self.notices.drain(..surplus).map(|(id, _)| id));
        (id, gone)
    }

    fn take(&mut self, which: impl Fn(i32, &Notice) -> bool) -> Vec<i32> {
        let all = std::mem::take(&mut self.notices).into_iter();
        let (gone, kept): (VecDeque<_>, VecDeque<_>) = all.partition(|(id, notice)| which(*id, notice));
        self.notices = kept;
        gone.into_iter().map(|(id, _)| id).collect()
    }
}

fn take_away(app: &AppHandle, ids: Vec<i32>) {
    if !ids.is_empty() {
        system::close(app, ids);
    }
}

fn toast(words: &Texts, id: i32, notice: &Notice) -> Toast {
    let replies = notice.replies.iter().enumerate();
    let mut buttons: Vec<_> = replies.map(|(number, label)| (format!("{REPLY}{number}"), uncoded(label))).collect();
    buttons.push((OPEN.to_owned(), words.say("shell-notice-open")));
    if notice.replies.is_empty() {
        buttons.push((LATER.to_owned(), words.say("shell-notice-later")));
    }
    let who = if notice.client.is_empty() { words.say("shell-agent") } else { notice.client.clone() };
    let body = if notice.workspace.is_empty() {
        words.tell("shell-notice-no-workspace", [("client", who.into())])
    } else {
        words.tell("shell-notice", [("client", who.into()), ("workspace", notice.workspace.as_str().into())])
    };
    Toast {
        id,
        title: notice.title.clone(),
        body,
        #[cfg(target_os = "linux")]
        urgent: notice.urgent,
        buttons,
    }
}

/// The person or the system has taken a notification away.
#[cfg(target_os = "linux")]
fn gone(app: &AppHandle, id: i32) {
    app.state::<Notices>().lock().take(|shown, _| shown == id);
}

/// A button was pressed; absent for the notification itself.
fn pressed(app: &AppHandle, id: i32, button: Option<&str>) {
    let found = app.state::<Notices>().lock().notices.iter().find(|(shown, _)| *shown == id).cloned();
    let Some((_, notice)) = found else { return };
    let (app, gate, button) = (app.clone(), app.state::<Gate>().inner().clone(), button.unwrap_or(OPEN).to_owned());
    tauri::async_runtime::spawn(async move {
        close(&app, notice.request_id);
        if let Err(fault) = act(&gate, &notice, &button).await {
            tracing::warn!(%fault, "a notification's button did nothing; the request is shown instead");
            gate.raise(Some(notice.request_id));
        }
    });
}

async fn act(gate: &Gate, notice: &Notice, button: &str) -> Result<(), Fault> {
    let request_id = notice.request_id;
    if button == OPEN {
        gate.raise(Some(request_id));
    } else if button == LATER {
        gate.execute(Snooze { request_id, until: None }, Origin::Desktop).await?;
    } else if let Some(label) = reply_of(notice, button)
        && gate.quick_reply(request_id, notice.digest, label).await? == QuickReply::Begun
    {
        gate.raise(Some(request_id));
    }
    Ok(())
}

fn reply_of<'a>(notice: &'a Notice, button: &str) -> Option<&'a str> {
    let number: usize = button.strip_prefix(REPLY)?.parse().ok()?;
    notice.replies.get(number).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(number: u128, replies: &[&str]) -> Notice {
        Notice {
            request_id: RequestId(uuid::Uuid::from_u128(number)),
            digest: gate_core::Digest::of(&"Deploy?").expect("a text has a digest"),
            title: "Deploy?".to_owned(),
            client: "Claude Code".to_owned(),
            workspace: String::new(),
            urgent: false,
            replies: replies.iter().map(|reply| (*reply).to_owned()).collect(),
        }
    }

    #[test]
    fn the_buttons_are_the_options_and_opening_or_opening_and_later() {
        let words = Texts::english();
        let texts = |replies: &[&str]| -> Vec<String> {
            toast(&words, 0, &notice(1, replies)).buttons.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(&["`SQLite`", "sled"]), ["SQLite", "sled", "Open"], "a button shows text alone");
        assert_eq!(texts(&[]), ["Open", "Later"]);
        let notice = notice(1, &["SQLite", "sled"]);
        assert_eq!(reply_of(&notice, "reply-1"), Some("sled"), "a button means the option that stands on it");
        assert_eq!((reply_of(&notice, "reply-2"), reply_of(&notice, "approve")), (None, None));
    }

    #[test]
    fn the_agent_is_named_or_called_one() {
        let body = |client: &str| {
            let notice = Notice { client: client.to_owned(), ..notice(1, &[]) };
            toast(&Texts::english(), 0, &notice).body
        };
        assert_eq!(body("Claude Code"), "Claude Code is waiting for you");
        assert_eq!(body(""), "An agent is waiting for you");
    }

    #[test]
    fn one_for_each_request_and_only_so_many() {
        let mut shown = Shown::default();
        assert_eq!(shown.add(notice(1, &[])), (0, vec![]));
        assert_eq!(shown.add(notice(1, &["a"])), (1, vec![0]), "a new one takes the place of the old one");
        for number in 2..=8 {
            assert_eq!(shown.add(notice(number, &[])).1, Vec::<i32>::new(), "{number}");
        }
        assert_eq!(shown.add(notice(9, &[])), (9, vec![1]), "the oldest goes");
        assert_eq!(shown.take(|_, _| true).len(), NOTICES);
    }
}
