//! Guards and sign-outs whose lines can't be written: all of it is as safe as it was, or safer.

use std::path::Path;

use gate_api::Origin;
use gate_api::subjects::settings::{SaveSettings, WeakenGuard};
use gate_core::{Digest, Fault};
use gate_door::browsers::{Address, LinkedBy};
use gate_receipts::NAME;
use serde_json::json;

use crate::slices::Gate;
use crate::tests::{Outcome, gate, open};

const GUARD: &str = "security.scripted_answers";

/// Makes a log that has lines one that can't be written, until the result is removed: it is gone, and none can be begun.
fn block(home: &Path) -> Result<std::path::PathBuf, std::io::Error> {
    let in_the_way = home.join("receipts.log.new");
    std::fs::remove_file(home.join(NAME))?;
    std::fs::create_dir(&in_the_way)?;
    std::fs::write(in_the_way.join("x"), "")?;
    Ok(in_the_way)
}

/// Whether it is weak, which everyone is told who asks what counts.
fn is_weak(gate: &Gate) -> bool {
    let weak = gate.settings().security.scripted_answers == Some(true);
    assert_eq!(gate.weak().iter().any(|guard| guard.starts_with(GUARD)), weak, "what is told of it is what holds");
    weak
}

async fn weaken(gate: &Gate) -> Result<(), Fault> {
    gate.execute(WeakenGuard { key: GUARD.to_owned(), value: json!(true) }, Origin::Desktop).await.map(drop)
}

/// As whoever may write the home's files would weaken the guard.
async fn plant(gate: &Gate, home: &Path) -> Outcome {
    std::fs::write(home.join("guards.json"), json!({GUARD: true}).to_string())?;
    std::fs::write(home.join("config.yaml"), "security:\n  scripted_answers: true\n")?;
    gate.inner.settings.follow_file().await;
    Ok(())
}

fn is_owed(gate: &Gate) -> bool {
    gate.inner.bus.warnings().iter().any(|fault| fault.message.contains("can't be written into the receipts"))
}

#[tokio::test]
async fn a_guard_gets_no_weaker_where_no_line_can_say_so() -> Outcome {
    let (folder, gate) = gate(true).await?;
    gate.inner.connections.signed_in(Digest::of_bytes(b"a browser"), Origin::Desktop).await?;
    let in_the_way = block(folder.path())?;
    assert!(weaken(&gate).await.is_err() && !is_weak(&gate), "it is as it was");
    plant(&gate, folder.path()).await?;
    assert!(!is_weak(&gate), "nor is it believed of a file");
    std::fs::remove_dir_all(in_the_way)?;
    Ok(())
}

#[tokio::test]
async fn a_guard_that_is_safer_again_stays_so_without_its_line() -> Outcome {
    let (folder, gate) = gate(true).await?;
    weaken(&gate).await?;
    assert!(is_weak(&gate), "the person has confirmed it");
    let in_the_way = block(folder.path())?;
    let safe = SaveSettings { values: [(GUARD.to_owned(), json!(false))].into(), seen: [].into() };
    gate.execute(safe, Origin::Desktop).await?;
    assert!(!is_weak(&gate) && is_owed(&gate), "it holds, and the person is told what is missing");
    plant(&gate, folder.path()).await?;
    assert!(!is_weak(&gate), "what was confirmed before counts no more");
    assert!(
        weaken(&gate).await.is_err() && !is_weak(&gate),
        "nor can it be confirmed again: that would stand before it"
    );

    std::fs::remove_dir_all(in_the_way)?;
    gate.inner.receipts.write_owed().await?;
    assert!(!is_owed(&gate), "which is nothing to tell of any more");
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
    let after = open(&folder, true).await?;
    assert!(!is_weak(&after), "and the next start knows it, too");
    Ok(())
}

#[tokio::test]
async fn whoever_is_signed_out_stays_so_without_a_line() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let (browsers, now) = (&gate.inner.connections.access.browsers, gate.inner.bus.now());
    for key in [b"one", b"two"] {
        let (code, _) = browsers.new_link(LinkedBy::Person, now)?;
        let here = Address { host: "localhost:1", port: 1 };
        browsers.sign_in(&code, key, here, "", now)?.map_err(|refused| format!("{refused:?}"))?;
    }
    let names: Vec<Digest> = browsers.names();
    assert_eq!(names.len(), 2);
    for name in &names {
        gate.inner.connections.signed_in(*name, Origin::Browser).await?;
    }
    let kept = std::fs::read(folder.path().join("browsers"))?;
    let in_the_way = block(folder.path())?;
    gate.inner.connections.sign_out(Origin::Desktop).await?;
    assert_eq!(browsers.names(), [], "it takes effect at once");
    assert!(is_owed(&gate), "and the person is told what is missing");

    std::fs::remove_dir_all(in_the_way)?;
    gate.inner.receipts.write_owed().await?;
    assert!(!is_owed(&gate));
    assert_eq!(gate.inner.receipts.browsers().await?.len(), 0, "each is signed out by a line of its own");
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
    std::fs::write(folder.path().join("browsers"), kept)?;
    let after = open(&folder, true).await?;
    assert_eq!(after.inner.connections.access.browsers.names(), [], "whoever puts the file back signs nobody in");
    Ok(())
}
