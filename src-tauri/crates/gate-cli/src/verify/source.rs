//! Where receipts come from, and the keys that count: the log of a home, or notes of git and the rules of a branch.
//!
//! Knows neither which receipts count nor how they were found.

use std::collections::HashSet;

use gate_app::offline::{Refused, service_key};
use gate_core::Digest;
use gate_receipts::{
    Chain, Found, Keys, Level, Line, Loose, Oid, PublicKey, Receipts, ReceiptsError, Unproved, Vouched, assured,
};

/// Receipts, with the keys by which they are believed.
#[derive(Debug)]
pub(super) enum Source {
    /// A home's, with the keys that it has enrolled, and what this machine's service says of its own.
    Log(Box<Chain>, Service),
    /// Notes of git, with the keys of a protected branch and the receipts that it revokes.
    Notes { receipts: Loose, keys: Keys, revoked: HashSet<Digest> },
}

/// Receipts of which it is asked whether they count, and whether they join.
pub(super) type Approvals = gate_receipts::Approvals<Source>;

/// What this machine's service says of the key that it signs with.
#[derive(Debug)]
pub(super) enum Service {
    /// This is it.
    Own(PublicKey),
    /// Nothing, for this reason.
    Silent(Refused),
    /// It wasn't asked: no service's signature is in the log.
    Unasked,
}

impl Service {
    fn key(&self) -> Option<&PublicKey> {
        match self {
            Self::Own(key) => Some(key),
            Self::Silent(_) | Self::Unasked => None,
        }
    }
}

impl Source {
    /// A home's log.
    pub(super) async fn log(chain: Chain) -> Self {
        let service = match chain.keys().of_services().next() {
            None => Service::Unasked,
            Some(_) => service_key().await.map_or_else(Service::Silent, Service::Own),
        };
        Self::Log(Box::new(chain), service)
    }

    /// Why what a service has signed counts as L1 only; absent where it counts, or there is nothing like it.
    pub(super) fn unvouched(&self) -> Option<String> {
        match self {
            Self::Log(chain, Service::Own(own)) if chain.keys().of_services().all(|key| key != own) => Some(format!(
                "What a service of the system signed counts as L1 here: the key of this machine's is {}, and it signed \
                 none of these receipts.",
                own.fingerprint()
            )),
            Self::Log(_, Service::Silent(refused)) => Some(format!(
                "What a service of the system signed counts as L1 here, since only that service says which key is its \
                 own. {refused}"
            )),
            Self::Log(..) | Self::Notes { .. } => None,
        }
    }

    /// None at all: where the gate is asked instead.
    pub(super) fn nothing() -> Self {
        Self::Notes { receipts: Loose::default(), keys: Keys::default(), revoked: HashSet::new() }
    }
}

impl Receipts for Source {
    fn receipt(&self, id: Digest) -> Result<Option<Found>, ReceiptsError> {
        match self {
            Self::Log(chain, _) => chain.receipt(id),
            Self::Notes { receipts, .. } => Ok(receipts.receipt(id).cloned()),
        }
    }

    fn of_tree(&self, tree: &Oid) -> Result<Vec<Found>, ReceiptsError> {
        match self {
            Self::Log(chain, _) => chain.of_tree(tree),
            Self::Notes { receipts, .. } => Ok(receipts.of_tree(tree)),
        }
    }

    fn newest(&self) -> Vec<Digest> {
        match self {
            Self::Log(chain, _) => chain.newest(),
            Self::Notes { receipts, .. } => receipts.newest(),
        }
    }

    fn level(&self, line: &Line) -> Result<Level, Unproved> {
        match self {
            Self::Log(chain, service) => assured(line, &Vouched { keys: chain.keys(), own: service.key() }),
            Self::Notes { keys, .. } => assured(line, keys),
        }
    }

    /// The branch's rules do.
    fn revokes(&self, id: Digest) -> bool {
        matches!(self, Self::Notes { revoked, .. } if revoked.contains(&id))
    }
}
