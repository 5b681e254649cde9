//! What the person is asked of a review: to decide its round.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids::ReviewId;
use crate::question::{Part, Parts};

/// A round as the person is asked to decide it. Only the gate itself makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AskedRound {
    /// The review.
    pub review_id: ReviewId,
    /// The number of the round.
    pub round: u32,
    /// What an approval lets out: a manifest ([`Manifest`](crate::proposal::Manifest)) as canonical JSON (RFC 8785).
    pub manifest: String,
}

impl AskedRound {
    /// SHA-256 of what an approval lets out.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_bytes(self.manifest.as_bytes())
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        let Self { review_id, round, manifest } = self;
        Parts(vec![
            Part::headed("review_id", "review", review_id.to_string()),
            Part::headed("round", "round", round.to_string()),
            Part::headed("manifest", "what an approval lets out", manifest),
        ])
    }
}
