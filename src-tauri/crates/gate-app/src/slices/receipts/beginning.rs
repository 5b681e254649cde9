//! Opening the log when the gate starts: whose it is, what was before there were receipts, and what was noticed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gate_core::{
    AnsweredFrom, Assurance, Code, Digest, Fault, RequestId, RequestStatus, ReviewRequest, Seat, Timestamp,
};
use gate_receipts::{
    Anchor, Chain, Does, HomeId, Level, Line, Log, NAME, Noted, Noticed, Opened, Opening, Reading, Reason, Said,
};
use gate_store::{ReceiptsKnown, Standing, Store};
use tokio::runtime::Handle;

use super::anchor::{OfRecord, Remembered};
use super::coming::Coming;
use super::journal::{Journal, JournalAt, OfJournal};
use super::lines::Giving;
use super::owed::Owed;
use super::{Receipts, told};
use crate::bus::Bus;
use crate::slices::system::{OfSystem, Service, System};
use crate::work::blocking;

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
    /// Opens a home's log, or begins it: then what was before gets its lines, once. The record knows of the log when all
    /// of them are written; one that it doesn't know of, and that begins so, was cut off in between and is gone on with.
    /// Only its end is read where all is well.
    ///
    /// # Errors
    /// When the log can't be used. The gate isn't to start then: no reply could be given.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        folder: PathBuf,
        seat: Option<Seat>,
        before: Before,
        service: Option<Arc<dyn Service>>,
        journal: Option<JournalAt>,
    ) -> Result<Self, Fault> {
        let known = store.receipts_known().await?;
        let is_new = known.is_none();
        let there = if is_new { look_into(&folder).await? } else { There::default() };
        let known = known.unwrap_or_else(|| ReceiptsKnown {
            home: there.home.unwrap_or_else(|| bus.new_id()),
            began: there.upgraded.unwrap_or_else(|| bus.now()),
            heads: Vec::new(),
        });
        let home = known.home;
        let remembered = Arc::new(Remembered::new(&known));
        let had_any = before != Before::default() || store.has_replies().await?;
        let anchor = OfRecord { remembered: Arc::clone(&remembered), store: store.clone(), runtime: Handle::current() };
        let system = Arc::new(System::new(service, HomeId(home)));
        // What it remembers of this log comes with its key.
        system.key().await;
        let recorded = known.heads.iter().map(|(seq, _)| *seq).max().unwrap_or(0);
        let of_system = OfSystem { system: Arc::clone(&system), recorded };
        let journal = journal.and_then(|at| Journal::new(at, HomeId(home), &folder, recorded)).map(Arc::new);
        let mut anchors: Vec<Box<dyn Anchor>> = vec![Box::new(anchor), Box::new(of_system)];
        anchors.extend(journal.clone().map(|journal| Box::new(OfJournal(journal)) as Box<dyn Anchor>));
        let opening = Opening {
            folder: folder.clone(),
            home: HomeId(home),
            anchors,
            upgrade: is_new && !there.any && had_any,
            now: Reading { at: bus.now(), steady: bus.steady() },
        };
        let Opened { log, noticed } = blocking(move || Ok(Log::open(opening)?)).await?;
        let receipts = Self {
            store,
            bus,
            folder,
            seat,
            log: Arc::new(Mutex::new(Some(log))),
            remembered,
            system,
            journal,
            coming: Coming::default(),
            counters: Arc::default(),
            owed: Owed::default(),
            orphaned: Mutex::default(),
        };
        if receipts.system.unheard().is_some() {
            receipts.bus.warn(told::unheard());
        }
        if !is_new {
            receipts.notice_at_start(noticed).await;
            return Ok(receipts);
        }
        match look_into(&receipts.folder).await?.upgraded {
            Some(upgraded) => receipts.begin(before, upgraded).await?,
            None => receipts.notice_at_start(noticed).await,
        }
        // Last of all: until then the next start goes on with it.
        receipts.remembered.touch();
        receipts.flush().await;
        Ok(receipts)
    }

    /// Gives what was before there were receipts its lines, as far as it has none yet. They say no more than that it was
    /// there.
    async fn begin(&self, before: Before, upgraded: Timestamp) -> Result<(), Fault> {
        let said = self.chain(|chain| Ok((chain.guards().clone(), chain.browsers().clone()))).await?;
        let (guards, browsers) = said;
        for (setting, value) in before.guards {
            if guards.get(&setting).is_none_or(|guard| guard.now.as_ref() != Some(&value)) {
                self.guard(&setting, None, Some(value), AnsweredFrom::Script).await?;
            }
        }
        for browser in before.browsers {
            if !browsers.contains_key(&browser) {
                self.signed_in(browser, AnsweredFrom::Script).await?;
            }
        }
        let now = self.reading();
        let since = |millis: i64| Timestamp(upgraded.0.saturating_sub(millis));
        let undelivered =
            self.store.undelivered_unsettled(since(UNDELIVERED_MILLIS), since(UNDELIVERED_MILLIS)).await?;
        let answered = self.store.answered_since(since(BEFORE_MILLIS)).await?;
        let newest = |all: Vec<RequestId>| all.into_iter().rev().take(MOST_BEFORE);
        let requests: BTreeSet<RequestId> = newest(undelivered).chain(newest(answered)).collect();
        let new = move |chain: &Chain| requests.into_iter().filter(|request| !chain.has_receipt(*request)).collect();
        let requests: Vec<RequestId> = self.chain(move |chain| Ok(new(chain))).await?;
        for request in requests {
            let Some((request, standing)) = self.reply_before(request, upgraded).await? else { continue };
            let Some((reply, shown)) = standing.reply.as_ref().zip(standing.digest) else { continue };
            let giving = Giving { request: &request, shown, reply, held_millis: 0 };
            match self.give_at(giving, now, Some(Assurance::L0)).await {
                Ok(_) => {}
                Err(fault) if matches!(fault.code, Code::Database | Code::Internal) => {
                    tracing::warn!(request = %request.request_id, %fault, "a reply from before has no receipt");
                }
                // What can't be written now is written at the next start: it would never be delivered otherwise.
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// A reply from before there were receipts, with what it answers. One that can't be read has no receipt.
    async fn reply_before(
        &self,
        request: RequestId,
        upgraded: Timestamp,
    ) -> Result<Option<(ReviewRequest, Standing)>, Fault> {
        let standing = match self.store.standing(request).await {
            Ok(standing) => standing,
            Err(error) => {
                tracing::warn!(%request, %error, "a reply from before there were receipts has none");
                return Ok(None);
            }
        };
        let is_before = |standing: &Standing| {
            standing.reply.as_ref().is_some_and(|reply| reply.answered_at <= upgraded && reply.imported_at.is_none())
        };
        Ok(self.store.request(request).await?.zip(standing.filter(is_before)))
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

/// What there is in a home's folder that the record knows nothing of.
#[derive(Debug, Default)]
struct There {
    /// Any line of receipts: in the log, or in one that was set aside.
    any: bool,
    /// Whose the log says it is.
    home: Option<uuid::Uuid>,
    /// When the log began, where it has nothing but what was before there were receipts, or the beginning of that.
    upgraded: Option<Timestamp>,
}

async fn look_into(folder: &Path) -> Result<There, Fault> {
    let folder = folder.to_owned();
    blocking(move || {
        // The lock stays, and what was about to be a log is none.
        let is_log = |name: &str| name.starts_with("receipts.") && name.ends_with(".log");
        let has_lines = |file: &std::fs::DirEntry| file.metadata().is_ok_and(|found| found.len() > 0);
        let mut files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let any = files.any(|file| is_log(&file.file_name().to_string_lossy()) && has_lines(&file));
        let log = std::fs::read(folder.join(NAME)).unwrap_or_default();
        let mut lines = whole_lines(&log).map(Line::parse);
        let first = lines.next().and_then(Result::ok);
        let upgraded = first.as_ref().filter(|line| is_upgrade(line)).map(|line| line.at);
        let upgraded = upgraded.filter(|_| lines.all(|line| line.is_ok_and(|line| is_from_before(&line))));
        Ok(There { any, home: first.map(|line| line.home.0), upgraded })
    })
    .await
}

/// The lines of a log but for a last one that was never whole.
fn whole_lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = log.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    log[..end].split(|byte| *byte == b'\n')
}

fn is_upgrade(line: &Line) -> bool {
    matches!(&line.said, Said::Break(said) if said.reason == Reason::Upgrade)
}

/// Whether a line may be one of those that [`Receipts::begin`] writes.
fn is_from_before(line: &Line) -> bool {
    match &line.said {
        Said::Guard(said) => said.given == AnsweredFrom::Script && said.was.is_none(),
        Said::SignIn(said) => said.given == AnsweredFrom::Script && said.does == Does::Begins,
        Said::Decided(said) => said.level == Level::L0 && said.from == line.at,
        Said::Released(_) | Said::Withdrawn(_) | Said::Sent(_) | Said::Key(_) | Said::Break(_) => false,
    }
}
