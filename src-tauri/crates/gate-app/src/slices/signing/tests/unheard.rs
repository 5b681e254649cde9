//! A service that can't be asked when the gate starts: somebody keeps it busy, or it is gone.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use gate_api::Origin;
use gate_api::subjects::requests::SendNow;
use gate_core::Fault;
use gate_receipts::{HomeId, Line};
use gate_service::{Reached, Refused, Why};

use super::{APPROVED, Double, Scene, asked, open_by, scene, send};
use crate::slices::Gate;
use crate::slices::system::{Confirmation, Service, Shows};
use crate::tests::Outcome;

/// The service of a scene, which answers nobody for a while.
#[derive(Debug)]
struct Kept {
    service: Arc<Double>,
    why: Why,
    is_kept: AtomicBool,
}

impl Kept {
    fn from_all(scene: &Scene, why: Why) -> Arc<Self> {
        Arc::new(Self { service: Arc::clone(&scene.system), why, is_kept: AtomicBool::new(true) })
    }

    fn answers(&self) -> Result<(), Refused> {
        match self.is_kept.load(Ordering::Relaxed) {
            true => Err(Refused::new(self.why, "It doesn't answer.")),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Service for Kept {
    async fn known(&self, home: HomeId) -> Result<Reached, Refused> {
        self.answers()?;
        self.service.known(home).await
    }

    async fn reachable(&self, home: HomeId) -> Result<Reached, Refused> {
        self.answers()?;
        self.service.reachable(home).await
    }

    async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: &Shows<'_>,
    ) -> Result<Box<dyn Confirmation>, Refused> {
        self.answers()?;
        self.service.confirm(line, question, on_digits).await
    }
}

async fn end(gate: &Gate) {
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
}

fn copy(from: &Path, to: &Path) -> Outcome {
    assert!(Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?.success(), "a folder is copied");
    Ok(())
}

fn is_unheard(fault: &Fault) -> bool {
    fault.message.contains("doesn't say how far the receipts went")
}

/// Waits until what the person is told is like that.
async fn told(gate: &Gate, is_so: impl Fn(&[Fault]) -> bool) -> Outcome {
    let until = async {
        while !is_so(&gate.inner.bus.warnings()) {
            // It takes another thread, so that others go on meanwhile.
            gate.inner.store.pending().await?;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), until).await;
    waited.map_err(|_| format!("the person is told of {:?}", gate.inner.bus.warnings()))?
}

#[tokio::test]
async fn a_service_that_is_kept_busy_at_the_start_hides_no_log_that_was_put_back() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let (first, second) = (asked(&scene.gate, "relay:1").await?, asked(&scene.gate, "relay:2").await?);
    send(&scene.gate, first, APPROVED, "go").await?;
    scene.gate.execute(SendNow { request_id: first }, Origin::Desktop).await?;
    end(&scene.gate).await;
    let before = tempfile::tempdir()?;
    copy(scene.folder.path(), before.path())?;
    let gate = open_by(&scene.folder, "L2", Some(Arc::clone(&scene.system) as Arc<dyn Service>)).await?;
    send(&gate, second, APPROVED, "go").await?;
    end(&gate).await;

    let kept = Kept::from_all(&scene, Why::Busy);
    let back = open_by(&before, "L2", Some(Arc::clone(&kept) as Arc<dyn Service>)).await?;
    let warned = back.inner.bus.warnings();
    assert!(warned.iter().any(is_unheard), "whether anything is missing nobody can say: {warned:?}");
    let receipts = Arc::clone(&back.inner.receipts);
    let keeps = tokio::spawn(async move { receipts.keep().await });
    kept.is_kept.store(false, Ordering::Relaxed);
    back.inner.receipts.system().look().await;
    told(&back, |warned| {
        let is_short = |fault: &Fault| fault.message.contains("was cut short");
        warned.iter().any(is_short) && !warned.iter().any(is_unheard)
    })
    .await?;
    keeps.abort();
    Ok(())
}

fn is_gone(fault: &Fault) -> bool {
    fault.message.contains("isn't installed here any more")
}

#[tokio::test]
async fn a_service_that_is_gone_is_missed_where_it_has_signed_and_nowhere_else() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    end(&scene.gate).await;
    let gone = || Some(Kept::from_all(&scene, Why::Absent) as Arc<dyn Service>);
    let gate = open_by(&scene.folder, "L2", gone()).await?;
    gate.inner.receipts.look_beside().await;
    assert_eq!(gate.inner.bus.warnings(), [], "there was never any, as on most machines");
    end(&gate).await;

    let gate = open_by(&scene.folder, "L2", Some(Arc::clone(&scene.system) as Arc<dyn Service>)).await?;
    let request = asked(&gate, "relay:1").await?;
    send(&gate, request, APPROVED, "go").await?;
    end(&gate).await;
    let gate = open_by(&scene.folder, "L2", gone()).await?;
    let keeps = keeps(&gate);
    told(&gate, |warned| warned.iter().any(is_gone) && !warned.iter().any(is_unheard)).await?;
    keeps.abort();
    Ok(())
}

/// What a gate does of itself with its receipts.
fn keeps(gate: &Gate) -> tokio::task::JoinHandle<()> {
    let receipts = Arc::clone(&gate.inner.receipts);
    tokio::spawn(async move { receipts.keep().await })
}

#[tokio::test]
async fn whoever_removed_the_service_is_told_once_and_anew_after_it_was_back() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let request = asked(&scene.gate, "relay:1").await?;
    send(&scene.gate, request, APPROVED, "go").await?;
    end(&scene.gate).await;
    for is_back in [false, true] {
        let kept = Kept::from_all(&scene, Why::Absent);
        let service = || Some(Arc::clone(&kept) as Arc<dyn Service>);
        let gate = open_by(&scene.folder, "L2", service()).await?;
        let first = keeps(&gate);
        told(&gate, |warned| warned.iter().any(is_gone)).await?;
        first.abort();
        end(&gate).await;

        let gate = open_by(&scene.folder, "L2", service()).await?;
        let again = tokio::time::timeout(Duration::from_secs(1), gate.inner.receipts.look_beside()).await;
        assert!(again.is_err(), "it is waited for all the same");
        assert_eq!(gate.inner.bus.warnings(), [], "a person who was told isn't told at each start");
        if !is_back {
            let keeps = keeps(&gate);
            kept.is_kept.store(false, Ordering::Relaxed);
            gate.inner.receipts.system().forget();
            gate.inner.receipts.system().look().await;
            let noted = scene.folder.path().join("service.missed");
            told(&gate, |_| !noted.exists()).await?;
            keeps.abort();
        }
        end(&gate).await;
    }
    Ok(())
}
