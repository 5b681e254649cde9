//! What has the person confirm an approval and signs its receipt, as the gate sees it. Knows no program and no device.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use gate_api::Phrase;
use gate_core::{Assurance, Code, Fault, ReviewRequest};
use gate_receipts::{Head, Line, Proof, PublicKey};
use tokio_util::sync::CancellationToken;

pub(crate) use crate::slices::system::Shows;

/// For how long the person may take to touch a key.
pub(crate) const TOUCH: Duration = Duration::from_secs(60);

/// One way to be surer of an approval than the window it was given in.
///
/// At L2 there is the system's service on Linux (`confirmed.rs`). What would be it elsewhere, each with a key that the system
/// keeps and asks the person for at each signature:
///
/// | system | key | asks |
/// |---|---|---|
/// | macOS | Secure Enclave: `SecKeyCreateRandomKey` with `kSecAttrTokenIDSecureEnclave`, `SecKeyCreateSignature` | by its access control, `biometryCurrentSet` or `devicePasscode`, with an `LAContext`'s words |
/// | Windows | Windows Hello: `KeyCredentialManager.RequestCreateAsync`, `KeyCredential.RequestSignAsync`; or NCrypt with the Microsoft Passport Key Storage Provider (NGC) | by Hello: face, finger or PIN |
///
/// Such a signer is one more in [`super::Signing::open`]; its [`own_key`](Self::own_key) is enrolled with its first receipt,
/// and whether that key is the system's own is asked where [`System::key`](crate::slices::system::System::key) is. They sign
/// with P-256 or RSA, which takes a kind of proof beside `ed25519` in gate-receipts.
#[async_trait]
pub(crate) trait Signer: Debug + Send + Sync {
    /// How sure its signatures make a receipt.
    fn level(&self) -> Assurance;

    /// For how long the person may take to confirm one approval.
    fn patience(&self) -> Duration;

    /// Finds out whether it could sign, where that isn't known without asking somebody. Whoever shows a request waits for
    /// that: it takes a moment at most.
    async fn look(&self) {}

    /// Whether it could sign now, as it was last found out; else why not and what to do about that, for the person.
    fn reachable(&self) -> Result<(), Phrase>;

    /// Whether it asks in the gate's page alone, and so confirms nothing that is given elsewhere. There it comes before
    /// others that are as sure.
    fn is_in_page(&self) -> bool {
        false
    }

    /// The key that is going to sign, where it is a service's: nobody has enrolled that by hand.
    ///
    /// # Errors
    /// Why nobody can be asked now.
    async fn own_key(&self) -> Result<Option<PublicKey>, NotSigned> {
        Ok(None)
    }

    /// Has the person confirm, and signs `line`, which has no proof yet, of the answer to `request`. What comes back is held
    /// against the keys that are enrolled before it counts. `shows` is told the digits that the person will see where
    /// they confirm, if there are any; it returns once they are on their way to whatever shows the question.
    ///
    /// It may take as long as the person does: whoever calls bounds that. When `cancelled` is, or the future is dropped,
    /// whatever asks the person goes away.
    ///
    /// # Errors
    /// Why there is no signature.
    async fn sign(
        &self,
        line: &Line,
        request: &ReviewRequest,
        shows: &Shows<'_>,
        cancelled: CancellationToken,
    ) -> Result<Box<dyn Signature>, NotSigned>;
}

/// What a person has confirmed.
#[async_trait]
pub(crate) trait Signature: Debug + Send {
    /// What goes into the line.
    fn proof(&self) -> Proof;

    /// Signs the same receipt as another line, since the log has gone on meanwhile. False where that takes the person
    /// again.
    ///
    /// # Errors
    /// Why there is no signature.
    async fn again(&mut self, _line: &Line) -> Result<bool, NotSigned> {
        Ok(false)
    }

    /// The line stands in the log.
    async fn kept(self: Box<Self>, _head: Head) {}
}

/// What a security key was touched for. As another line it takes another touch.
#[derive(Debug)]
pub(crate) struct Touched(pub(crate) Proof);

impl Signature for Touched {
    fn proof(&self) -> Proof {
        self.0.clone()
    }
}

/// What is signed of a line: all of it but its `proof`.
///
/// # Errors
/// Where it can't be written down.
pub(crate) fn text_of(line: &Line) -> Result<String, NotSigned> {
    line.signed().map_err(|error| NotSigned::Failed {
        what: format!("The receipt can't be written: {error}."),
        mend: "Answer the request once more.".to_owned(),
    })
}

/// Why there is no signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotSigned {
    /// The person said no where they were asked.
    Declined,
    /// They cancelled it in the window, or the gate is being stopped.
    Cancelled,
    /// They did nothing.
    TimedOut,
    /// Other replies were sent meanwhile, each time.
    Overtaken,
    /// What came back proves nothing, for this reason.
    Unproved(String),
    /// It went wrong: what did, and what to do.
    Failed {
        /// A sentence.
        what: String,
        /// A sentence.
        mend: String,
    },
}

impl From<NotSigned> for Fault {
    fn from(why: NotSigned) -> Self {
        let (what, mend) = match why {
            NotSigned::Declined => ("It was declined.".to_owned(), "Approve again where you meant to.".to_owned()),
            NotSigned::Cancelled => ("It was cancelled.".to_owned(), "Approve again where you meant to.".to_owned()),
            NotSigned::TimedOut => (
                "Nobody confirmed it in time.".to_owned(),
                "Approve again, and confirm it where you are asked to.".to_owned(),
            ),
            NotSigned::Overtaken => {
                ("Other replies were sent while it was being confirmed.".to_owned(), "Approve again.".to_owned())
            }
            NotSigned::Unproved(why) => (
                format!("What came back proves nothing: {why}."),
                "Try again; if it happens again, remove the key in the settings and add it anew.".to_owned(),
            ),
            NotSigned::Failed { what, mend } => (what, mend),
        };
        Self::new(Code::NotSigned, format!("The approval wasn't signed, and nothing was sent. {what}"), mend)
    }
}
