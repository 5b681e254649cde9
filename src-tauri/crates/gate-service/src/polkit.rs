//! polkit on the system's bus: the prompt in the person's session, by whatever agent shows it there.
//!
//! The action is this service's own (`org.freedesktop.policykit.owner` in its policy file), so that polkit takes from it
//! what the message shows. It is asked first whether it would ask at all: an authorisation that a rule gives, or that was
//! kept, is no person's act.

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use gate_core::Decision;
use tokio_util::sync::CancellationToken;
use zbus::{Connection, Variant};

use crate::prompt::{Peer, Prompt};
use crate::refused::{Refused, Why};
use crate::shown::Shown;

const DESTINATION: &str = "org.freedesktop.PolicyKit1";
const PATH: &str = "/org/freedesktop/PolicyKit1/Authority";
const INTERFACE: &str = "org.freedesktop.PolicyKit1.Authority";
/// What polkit calls a check that was cancelled.
const CANCELLED: &str = "org.freedesktop.PolicyKit1.Error.Cancelled";
/// The flag that lets it ask.
const INTERACT: u32 = 1;
/// How long it may take over what nobody is asked for. It may have to be started first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The system's polkit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polkit;

/// `(bba{ss})`: authorised, only after a challenge, and what else is to be said.
type Answer = (bool, bool, HashMap<String, String>);

/// What it answers to.
struct Check<'a> {
    peer: Peer,
    action: &'static str,
    details: HashMap<&'a str, &'a str>,
    flags: u32,
    /// Names it, where it may be cancelled.
    id: &'a str,
}

impl Prompt for Polkit {
    async fn would_ask(&self, peer: Peer) -> Result<(), Refused> {
        soon(async {
            let bus = bus().await?;
            for decision in [Decision::Approved, Decision::ChangesRequested] {
                challenged(&bus, peer, action(decision)).await?;
            }
            Ok(())
        })
        .await
    }

    async fn ask(&self, peer: Peer, shown: &Shown, digits: &str, over: &CancellationToken) -> Result<(), Refused> {
        let action = action(shown.decision);
        let bus = soon(async {
            let bus = bus().await?;
            challenged(&bus, peer, action).await.map(|()| bus)
        })
        .await?;
        let details = HashMap::from([
            ("digits", digits),
            ("title", shown.title.as_str()),
            ("repository", shown.repository.as_str()),
            ("tree", shown.tree.as_str()),
        ]);
        let id = "confirm";
        let mut asking = pin!(check(&bus, Check { peer, action, details, flags: INTERACT, id }));
        tokio::select! {
            answer = &mut asking => return judged(answer),
            () = over.cancelled() => {}
        }
        // Its prompt is closed before the next one is shown. This connection has this one check.
        let cancelled =
            bus.call_method(Some(DESTINATION), PATH, Some(INTERFACE), "CancelCheckAuthorization", &id).await;
        if cancelled.is_ok() {
            let _ = asking.await;
        }
        Err(Refused::new(Why::Cancelled, "The prompt was taken back."))
    }
}

/// What it answers to what nobody is asked for.
async fn soon<T>(asked: impl Future<Output = Result<T, Refused>>) -> Result<T, Refused> {
    let late = |_| Err(Refused::new(Why::NoPolkit, "polkit doesn't answer."));
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or_else(late)
}

fn action(decision: Decision) -> &'static str {
    match decision {
        Decision::Approved => "org.reviewgate.confirm",
        Decision::ChangesRequested => "org.reviewgate.confirm.changes",
    }
}

async fn bus() -> Result<Connection, Refused> {
    let no_bus = |error| Refused::new(Why::NoPolkit, format!("The system's bus can't be reached: {error}."));
    Connection::system().await.map_err(no_bus)
}

async fn check(bus: &Connection, check: Check<'_>) -> zbus::Result<Answer> {
    let Check { peer, action, details, flags, id } = check;
    // The user as a signed number: so polkit reads it.
    let user = i32::try_from(peer.user).map_err(|_| zbus::Error::OutOfBounds)?;
    let process = HashMap::from([
        ("pid", Variant::from(peer.pid)),
        ("start-time", Variant::from(peer.start)),
        ("uid", Variant::from(user)),
    ]);
    let body = (("unix-process", process), action, details, flags, id);
    let reply = bus.call_method(Some(DESTINATION), PATH, Some(INTERFACE), "CheckAuthorization", &body).await?;
    reply.body().deserialize()
}

/// That the person would be asked, each time, and by nobody's rule passed by.
async fn challenged(bus: &Connection, peer: Peer, action: &'static str) -> Result<(), Refused> {
    if peer.user == 0 {
        return Err(Refused::new(Why::Root, "polkit lets root do everything without asking."));
    }
    let plain = Check { peer, action, details: HashMap::new(), flags: 0, id: "" };
    let (authorised, challenge, details) = check(bus, plain).await.map_err(failed)?;
    if authorised {
        let message =
            format!("A rule of this system's polkit lets {action} pass without asking: that would prove nothing.");
        return Err(Refused::new(Why::Unasked, message));
    }
    if details.contains_key("polkit.retains_authorization_after_challenge") {
        let message = format!("A rule of this system's polkit asks once for several uses of {action}.");
        return Err(Refused::new(Why::Unasked, message));
    }
    if !challenge {
        return Err(Refused::new(Why::Forbidden, format!("A rule of this system's polkit forbids {action}.")));
    }
    Ok(())
}

/// What it means.
fn judged(answer: zbus::Result<Answer>) -> Result<(), Refused> {
    let (authorised, challenge, details) = answer.map_err(failed)?;
    if authorised {
        return Ok(());
    }
    let (why, message) = if challenge {
        (Why::NoAgent, "Nothing in the person's session shows polkit's prompt.")
    } else if details.contains_key("polkit.dismissed") {
        (Why::Declined, "The prompt was closed.")
    } else {
        (Why::Failed, "The password, or what stands for it, was wrong.")
    };
    Err(Refused::new(why, message))
}

fn failed(error: zbus::Error) -> Refused {
    match &error {
        zbus::Error::MethodError(name, ..) if name.as_str() == CANCELLED => {
            Refused::new(Why::Cancelled, "The prompt was taken back.")
        }
        _ => Refused::new(Why::NoPolkit, format!("polkit doesn't answer as it should: {error}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_polkit_answers_is_told_apart() {
        let dismissed = HashMap::from([("polkit.dismissed".to_owned(), "true".to_owned())]);
        let why = |answer| judged(Ok(answer)).err().map(|refused| refused.why);
        assert_eq!(why((true, false, HashMap::new())), None);
        assert_eq!(why((false, true, HashMap::new())), Some(Why::NoAgent), "it would have asked, and couldn't");
        assert_eq!(why((false, false, dismissed)), Some(Why::Declined));
        assert_eq!(why((false, false, HashMap::new())), Some(Why::Failed));
    }
}
