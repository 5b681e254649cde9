//! Opening the log when the gate starts: whose it is, what was before there were receipts, and what was noticed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gate_core::{AnsweredFrom, Assurance, Digest, Fault, RequestId, RequestStatus, Timestamp};
use gate_receipts::{
    Anchor, Does, HomeId, LINE_BYTES, Line, Log, NAME, Noted, Noticed, Opened, Opening, Reading, Said,
};
use gate_store::{ReceiptsKnown, Store};
use tokio::runtime::Handle;

use super::Receipts;
use super::anchor::{OfRecord, Remembered};
use super::coming::Coming;
use super::lines::Giving;
use crate::bus::Bus;
use crate::work::blocking;

/// What every file of receipts begins with.
const FILES: &str = "receipts.";
/// How old a reply that an agent has may be when the first log begins, to have a receipt, in milliseconds: a client that
/// broke off asks for it again.
const BEFORE_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// How old one may be that no agent has, in milliseconds: 30 days. What is older is history, and so is what is more than
/// the most: each takes a write to the disk, and agents wait for the start.
const UNDELIVERED_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Most of each kind that have a receipt, the newest.
const MOST_BEFORE: usize = 200;

/// What beside the record a home has from before it had receipts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Before {
    /// Guards with what was confirmed of them, as JSON.
    pub(crate) guards: Vec<(String, String)>,
    /// Browsers that are signed in.
    pub(crate) browsers: Vec<Digest>,
}

impl Receipts {
    /// Opens a home's log, or begins it: then what was before gets its lines, once. Only its end is read where all is
    /// well.
    ///
    /// # Errors
    /// When the log can't be used. The gate isn't to start then: no reply could be given.
    pub(crate) async fn open(store: Store, bus: Bus, folder: PathBuf, before: Before) -> Result<Self, Fault> {
        let known = store.receipts_known().await?;
        let there = look_into(&folder).await?;
        let is_first = known.is_none() && !there.any;
        let is_new = known.is_none();
        let known = known.unwrap_or_else(|| ReceiptsKnown {
            home: there.home.unwrap_or_else(|| bus.new_id()),
            began: bus.now(),
            heads: Vec::new(),
        });
        let home = known.home;
        let remembered = Arc::new(Remembered::new(&known));
        let had_any = before != Before::default() || store.has_replies().await?;
        let anchor = OfRecord { remembered: Arc::clone(&remembered), store: store.clone(), runtime: Handle::current() };
        let opening = Opening {
            folder: folder.clone(),
            home: HomeId(home),
            anchors: vec![Box::new(anchor) as Box<dyn Anchor>],
            upgrade: is_first && had_any,
            now: Reading { at: bus.now(), steady: bus.steady() },
        };
        let Opened { log, noticed } = blocking(move || Ok(Log::open(opening)?)).await?;
        let receipts = Self {
            store,
            bus,
            folder,
            log: Arc::new(Mutex::new(Some(log))),
            remembered,
            coming: Coming::default(),
            orphaned: Mutex::default(),
        };
        if is_new {
            receipts.remembered.touch();
            receipts.flush().await;
        }
        if is_first {
            receipts.begin(before).await?;
        } else {
            receipts.notice_at_start(noticed).await;
        }
        Ok(receipts)
    }

    /// Gives what was before there were receipts its lines. They say no more than that it was there.
    async fn begin(&self, before: Before) -> Result<(), Fault> {
        for (setting, value) in before.guards {
            self.guard(&setting, None, Some(value), AnsweredFrom::Script).await?;
        }
        for browser in before.browsers {
            self.sign_in(browser, Does::Begins, AnsweredFrom::Script).await?;
        }
        let now = self.reading();
        let since = |millis: i64| Timestamp(now.at.0.saturating_sub(millis));
        let undelivered =
            self.store.undelivered_unsettled(since(UNDELIVERED_MILLIS), since(UNDELIVERED_MILLIS)).await?;
        let answered = self.store.answered_since(since(BEFORE_MILLIS)).await?;
        let newest = |all: Vec<RequestId>| all.into_iter().rev().take(MOST_BEFORE);
        let requests: BTreeSet<RequestId> = newest(undelivered).chain(newest(answered)).collect();
        for request in requests {
            if let Err(fault) = self.receipt_from_before(request, now).await {
                tracing::warn!(%request, %fault, "a reply from before there were receipts has none");
            }
        }
        Ok(())
    }

    async fn receipt_from_before(&self, request: RequestId, now: Reading) -> Result<(), Fault> {
        let (standing, request) = (self.store.standing(request).await?, self.store.request(request).await?);
        let Some((standing, request)) = standing.zip(request) else { return Ok(()) };
        let Some((reply, shown)) = standing.reply.as_ref().zip(standing.digest) else { return Ok(()) };
        let giving = Giving { request: &request, shown, reply, held_millis: 0 };
        self.give_at(giving, now, Some(Assurance::L0)).await.map(drop)
    }

    /// Tells what was noticed, and takes back receipts of requests that wait for an answer. Lines that the record doesn't
    /// know yet are nothing to tell of: a kill leaves some.
    async fn notice_at_start(&self, noticed: Noticed) {
        let Noticed { broken, cut, unknown, silent } = noticed;
        self.notice(Noticed { broken, cut, unknown: Vec::new(), silent });
        for Noted { head, said, .. } in unknown {
            let Said::Decided(decided) = said else { continue };
            let pending = self.store.status(decided.request).await.ok().flatten() == Some(RequestStatus::Pending);
            if pending && let Err(fault) = self.withdraw(head.line, decided.given).await {
                tracing::warn!(request = %decided.request, %fault, "a receipt without its reply stays");
            }
        }
    }
}

/// What there is in a home's folder.
#[derive(Debug, Default)]
struct There {
    /// Any file of receipts.
    any: bool,
    /// Whose the log says it is.
    home: Option<uuid::Uuid>,
}

async fn look_into(folder: &Path) -> Result<There, Fault> {
    let folder = folder.to_owned();
    blocking(move || {
        let mut files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let any = files.any(|file| file.file_name().to_string_lossy().starts_with(FILES));
        Ok(There { any, home: home_of(&folder.join(NAME)) })
    })
    .await
}

/// Whose a log says it is, by its first line.
fn home_of(log: &Path) -> Option<uuid::Uuid> {
    use std::io::Read as _;
    let mut beginning = Vec::new();
    let most = u64::try_from(LINE_BYTES).unwrap_or(u64::MAX);
    std::fs::File::open(log).ok()?.take(most).read_to_end(&mut beginning).ok()?;
    let line = beginning.split(|byte| *byte == b'\n').next()?;
    Line::parse(line).ok().map(|line| line.home.0)
}
