//! What the page in a browser may do.

use gate_api::subjects::connections::{self, ListBrowsers, SignOut, SignOutBrowser};
use gate_api::subjects::program::{self, Raise};
use gate_api::{Event, Origin};
use gate_core::{Code, Digest};
use gate_door::browsers::{Address, LinkedBy};
use gate_door::port::DoorPort;
use tokio::sync::broadcast::Receiver;

use super::{Outcome, gate};
use crate::slices::Gate;

/// A browser of this key, signed in with a link of that origin's.
async fn signed_in(
    gate: &Gate,
    key: &[u8],
    linked_by: LinkedBy,
    origin: Origin,
) -> Result<Digest, Box<dyn std::error::Error>> {
    let (browsers, now) = (&gate.inner.connections.access.browsers, gate.inner.bus.now());
    let (code, _) = browsers.new_link(linked_by, now)?;
    let here = Address { host: "localhost:1", port: 1 };
    let pass = browsers.sign_in(&code, key, here, "", now)?.map_err(|refused| format!("{refused:?}"))?;
    DoorPort::signed_in(gate, pass.name(), origin).await?;
    Ok(pass.name())
}

/// What has happened since.
fn heard(events: &mut Receiver<Event>) -> Vec<Event> {
    std::iter::from_fn(|| events.try_recv().ok()).collect()
}

#[tokio::test]
async fn a_browser_that_signs_in_is_told_and_signed_out_by_the_person_alone() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    let mine = signed_in(&gate, b"mine", LinkedBy::Person, Origin::Browser).await?;
    let scripts = signed_in(&gate, b"a script's", LinkedBy::Script, Origin::Script).await?;
    let told = gate.execute(ListBrowsers {}, Origin::Script).await?.browsers;
    let names: Vec<_> = told.iter().map(|each| (each.browser, each.by_script)).collect();
    assert_eq!(names, [(scripts, true), (mine, false)], "whoever looks sees all of them");
    let expected: Vec<Event> =
        told.into_iter().rev().map(|browser| connections::Event::BrowserSignedIn { browser }.into()).collect();
    assert_eq!(heard(&mut events), expected, "each was told when it signed in");

    for refused in [
        gate.execute(SignOutBrowser { browser: mine }, Origin::Script).await,
        gate.execute(SignOut {}, Origin::Script).await,
    ] {
        assert_eq!(refused.map_err(|fault| fault.code), Err(Code::ScriptedAnswersOff), "no script signs anybody out");
    }
    gate.execute(SignOutBrowser { browser: scripts }, Origin::Desktop).await?;
    let left = gate.execute(ListBrowsers {}, Origin::Desktop).await?.browsers;
    assert_eq!(left.iter().map(|each| each.browser).collect::<Vec<_>>(), [mine], "the other one stays");
    assert_eq!(heard(&mut events), [connections::Event::BrowsersSignedOut.into()]);
    assert_eq!(gate.inner.receipts.browsers().await?.into_keys().collect::<Vec<_>>(), [mine], "by a line of its own");
    gate.execute(SignOutBrowser { browser: scripts }, Origin::Browser).await?;
    assert_eq!(heard(&mut events), [], "who is signed out already stays so, and nothing is told");
    gate.execute(SignOut {}, Origin::Browser).await?;
    assert_eq!(gate.inner.connections.browsers(), [], "the page signs out as the window does");
    Ok(())
}

#[tokio::test]
async fn the_window_comes_up_at_once_for_a_person_and_is_asked_for_by_others() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    for (origin, expected) in [
        (Origin::Terminal, program::Event::Raise { request_id: None, by_person: false }),
        (Origin::Desktop, program::Event::Raise { request_id: None, by_person: false }),
        (Origin::Script, program::Event::RaiseAsked { starts: false }),
        (Origin::Browser, program::Event::RaiseAsked { starts: false }),
    ] {
        gate.execute(Raise {}, origin).await?;
        assert_eq!(heard(&mut events), [expected.into()], "{origin:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_page_that_a_script_has_signed_in_may_do_no_more_than_a_page() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for signed_in_by in [Origin::Browser, Origin::Script] {
        let command = |name: &str| serde_json::from_value(serde_json::json!({ "command": name }));
        let refused = DoorPort::carry_out(&gate, command("stop")?, signed_in_by).await;
        let fault = refused.err().ok_or("stopping is for this machine's own front ends")?;
        assert!(fault.message.contains("browser"), "and it says why: {fault}");
        DoorPort::carry_out(&gate, command("snippets")?, signed_in_by).await?;
    }
    Ok(())
}
