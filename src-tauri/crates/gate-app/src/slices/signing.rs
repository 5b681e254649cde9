//! Approvals that have to be surer than a window: who confirms them with the person, and what becomes of that. A reply is
//! in the record before it is signed and nobody hears of it; its receipt is written with the signature, or the reply is
//! a draft again. Knows no queue, no window and no setting: whoever calls says how sure an approval has to be.
//!
//! | to be surer | is |
//! |---|---|
//! | [`Signer`] | what confirms: the system's service (`confirmed.rs`); a security key by OpenSSH (`ssh.rs`), or by the person's browser where they have the gate's page in it (`page.rs`) |
//! | [`Signing::needs`] | what is told before the act |
//! | [`Signing::give`] | draws the line up, has it signed, holds the signature against the keys that are enrolled, writes it |

mod commands;
mod confirmed;
mod keys;
mod page;
mod signer;
mod ssh;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_api::subjects::requests::Event;
use gate_api::{ApprovalNeeds, Phrase};
use gate_core::{AnsweredFrom, Assurance, Code, Fault, RequestId};
use gate_receipts::Proof;
use gate_texts::Texts;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::bus::Bus;
use crate::host::Host;
use crate::slices::receipts::{Drawn, Giving, JournalAt, Receipted, Receipts};
use crate::slices::system::Service;
use confirmed::BySystem;
use keys::SecurityKeys;
use page::PageSigner;
pub(crate) use signer::{NotSigned, Signature, Signer};
use ssh::{SshKeygen, SshProgram};

/// How often a line is drawn up anew where another one was written meanwhile: the person confirms each.
const TRIES: usize = 3;
/// How often what they confirmed is signed as another line, where that doesn't take them again.
const AGAIN: usize = 8;

/// By what approvals can be confirmed on a machine.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// OpenSSH, for security keys.
    pub(crate) ssh: SshProgram,
    /// The system's service; absent where this system has none.
    pub(crate) system: Option<Arc<dyn Service>>,
    /// The system's journal, which remembers how far the receipts went.
    pub(crate) journal: Option<JournalAt>,
}

impl Ways {
    /// As this process finds them.
    pub(crate) fn of_process() -> Self {
        let of_system = || Arc::new(gate_service::Client::default()) as Arc<dyn Service>;
        // A journal is the machine's, and a test's gates have no business in it.
        let journal = JournalAt::of_system().filter(|_| !cfg!(feature = "conformance"));
        Self { ssh: SshProgram::of_process(), system: cfg!(target_os = "linux").then(of_system), journal }
    }
}

/// Who confirms approvals.
#[derive(Debug)]
pub(crate) struct Signing {
    bus: Bus,
    receipts: Arc<Receipts>,
    keys: Arc<SecurityKeys>,
    page: Arc<PageSigner>,
    /// The least sure first.
    signers: Vec<Arc<dyn Signer>>,
    /// What may be confirmed just now, by the number of its act.
    waiting: Mutex<HashMap<u64, (RequestId, CancellationToken)>>,
    next: AtomicU64,
    /// The digits that the person sees where they confirm it.
    digits: watch::Sender<HashMap<RequestId, String>>,
}

impl Signing {
    /// What confirms here, with the keys that this home has.
    ///
    /// # Errors
    /// When the receipts can't be read, which say which keys count.
    pub(crate) async fn open(bus: Bus, receipts: Arc<Receipts>, host: &Host, ssh: SshProgram) -> Result<Self, Fault> {
        let keys = Arc::new(SecurityKeys::open(Arc::clone(&receipts), host.home.data_folder()).await?);
        let page = Arc::new(PageSigner::new(bus.clone(), Arc::clone(&keys), host.page()));
        let mut signers: Vec<Arc<dyn Signer>> = Vec::new();
        if receipts.system().service().is_ok() {
            signers.push(Arc::new(BySystem(Arc::clone(receipts.system()))));
        }
        signers.push(Arc::<PageSigner>::clone(&page));
        signers.push(Arc::new(SshKeygen::new(Arc::clone(&keys), ssh)));
        let (waiting, digits) = (Mutex::default(), watch::Sender::default());
        Ok(Self { bus, receipts, keys, page, signers, waiting, next: AtomicU64::default(), digits })
    }

    /// The receipts that it writes.
    pub(crate) fn receipts(&self) -> &Arc<Receipts> {
        &self.receipts
    }

    /// Finds out whether those can be reached that confirm what has to be as sure as this.
    pub(crate) async fn look(&self, required: Assurance) {
        if required > Assurance::L1 {
            for signer in self.signers.iter().filter(|signer| signer.level() >= required) {
                signer.look().await;
            }
        }
    }

    /// What an approval takes besides the act, where it has to be as sure as this; nothing where the act is enough.
    pub(crate) fn needs(&self, required: Assurance) -> Option<ApprovalNeeds> {
        if required <= Assurance::L1 {
            return None;
        }
        let in_page = self.reachable(required, AnsweredFrom::Browser).is_ok_and(|signer| signer.is_in_page());
        Some(match self.reachable(required, AnsweredFrom::Desktop) {
            Ok(signer) => ApprovalNeeds { level: signer.level(), missing: None, page_key: in_page },
            Err(_) if in_page => {
                ApprovalNeeds { level: self.page.level(), missing: self.page.only_there(), page_key: true }
            }
            Err(missing) => ApprovalNeeds {
                level: required,
                missing: Some(self.page.elsewhere().unwrap_or(missing)),
                page_key: false,
            },
        })
    }

    /// Who confirms an approval that is given there and has to be as sure as this; nobody where the act is enough.
    ///
    /// # Errors
    /// `level_unreachable` where nobody can now.
    pub(crate) fn signer(&self, required: Assurance, given: AnsweredFrom) -> Result<Option<Arc<dyn Signer>>, Fault> {
        if required <= Assurance::L1 {
            return Ok(None);
        }
        self.reachable(required, given).map(Some).map_err(|missing| {
            Fault::new(
                Code::LevelUnreachable,
                format!(
                    "An approval has to be as sure as {} here. {}",
                    required.as_str(),
                    Texts::english().phrase(&missing)
                ),
                "Nothing was sent. Text, options and a request for changes can be sent as they are.",
            )
        })
    }

    /// The least sure of those that are sure enough and can be reached, or why none can.
    fn reachable(&self, required: Assurance, given: AnsweredFrom) -> Result<Arc<dyn Signer>, Phrase> {
        let mut why = None;
        let asks_here = |signer: &&Arc<dyn Signer>| !signer.is_in_page() || given == AnsweredFrom::Browser;
        for signer in self.signers.iter().filter(|signer| signer.level() >= required).filter(asks_here) {
            match signer.reachable() {
                Ok(()) => return Ok(Arc::clone(signer)),
                Err(missing) => why = why.or(Some(missing)),
            }
        }
        Err(why.unwrap_or_else(|| Phrase::new("level-nothing")))
    }

    /// Has the person confirm a reply, and writes its receipt with the signature. After this returns it is on disk.
    ///
    /// # Errors
    /// `not_signed` where they don't, in time, or what came of it proves nothing; else as of any receipt. There is none
    /// then: the reply is to be taken back.
    pub(crate) async fn give(
        &self,
        giving: Giving<'_>,
        signer: &dyn Signer,
        waiting: &Waiting,
    ) -> Result<Receipted, Fault> {
        let request = giving.request.request_id;
        let _hidden = Hidden { signing: self, request };
        if let Some(key) = signer.own_key().await? {
            self.receipts.enrol_service(&key, giving.reply.answered_from).await?;
        }
        for _ in 0..TRIES {
            let drawn = self.receipts.draw_up(&giving, signer.patience()).await?;
            // Nobody is asked for what was cancelled before.
            if waiting.cancelled.is_cancelled() {
                return Err(NotSigned::Cancelled.into());
            }
            let shows = |digits: &str| self.show(request, digits);
            let signed = signer.sign(drawn.line(), giving.request, &shows, waiting.cancelled.child_token());
            let signature = tokio::select! {
                signed = tokio::time::timeout(signer.patience(), signed) => signed.unwrap_or(Err(NotSigned::TimedOut)),
                // A key that is blinking would be touched for nothing.
                () = waiting.cancelled.cancelled() => Err(NotSigned::Cancelled),
                () = self.bus.stop().cancelled() => Err(NotSigned::Cancelled),
            };
            if let Some(receipted) = self.write(&giving, drawn, signature?, signer).await? {
                return Ok(receipted);
            }
        }
        Err(NotSigned::Overtaken.into())
    }

    /// Writes what the person has confirmed; where other lines came first, as the one behind them, if that doesn't take
    /// the person again.
    async fn write(
        &self,
        giving: &Giving<'_>,
        mut drawn: Drawn,
        mut signature: Box<dyn Signature>,
        signer: &dyn Signer,
    ) -> Result<Option<Receipted>, Fault> {
        for left in (0..=AGAIN).rev() {
            let proof: Proof = signature.proof();
            if let Some((receipted, head)) = self.receipts.write_signed(&drawn, proof, signer.level()).await? {
                signature.kept(head).await;
                return Ok(Some(receipted));
            }
            if left == 0 {
                break;
            }
            drawn = self.receipts.draw_up_again(drawn, giving, signer.patience()).await?;
            if !signature.again(drawn.line()).await? {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Tells whoever shows the question what the person sees where they are asked to confirm it.
    fn show(&self, request: RequestId, digits: &str) {
        self.digits.send_modify(|all| drop(all.insert(request, digits.to_owned())));
        self.bus.emit(Event::ConfirmationAsked { request_id: request, digits: digits.to_owned() });
    }

    /// The digits that the person sees where they confirm a reply, as soon as there are some.
    pub(crate) async fn digits(&self, request: RequestId) -> Option<String> {
        let mut digits = self.digits.subscribe();
        let all = digits.wait_for(|all| all.contains_key(&request)).await.ok()?;
        all.get(&request).cloned()
    }

    /// From now on, and until the result is dropped, the person may cancel that they confirm their reply to a request:
    /// whoever shows it can say so as soon as it was sent.
    pub(crate) fn waiting(self: &Arc<Self>, request: RequestId) -> Waiting {
        let (number, cancelled) = (self.next.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        self.lock().insert(number, (request, cancelled.clone()));
        Waiting { signing: Arc::clone(self), number, cancelled }
    }

    /// Doesn't wait any longer for the person to confirm the reply to a request.
    pub(crate) fn cancel(&self, request: RequestId) {
        for (_, cancelled) in self.lock().values().filter(|(of, _)| *of == request) {
            cancelled.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, (RequestId, CancellationToken)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a reply is on its way and the person may have to confirm it. Whatever a signer began ends with it.
#[derive(Debug)]
pub(crate) struct Waiting {
    signing: Arc<Signing>,
    number: u64,
    cancelled: CancellationToken,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.cancelled.cancel();
        self.signing.lock().remove(&self.number);
    }
}

/// That digits are shown no longer than somebody is asked by them.
struct Hidden<'a> {
    signing: &'a Signing,
    request: RequestId,
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        self.signing.digits.send_modify(|all| drop(all.remove(&self.request)));
    }
}

#[cfg(test)]
mod tests;
