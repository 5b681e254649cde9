//! Whether what a review approved is what is there, once it is closed as applied.

use std::path::Path;

use gate_core::Fault;
use gate_core::proposal::{
    Ending, EventKind, ReviewStatus, ReviewStore as _, ReviewSummary, StoredReview, WasApplied, bounds,
};
use gate_git::Repository;

use super::Reviews;

/// Events that are looked through at a time, as many as one page of them has.
const PAGE: u64 = bounds::LIST_ITEMS as u64;

impl Reviews {
    /// How what a review approved lies in the commit that its close names, or where it comes nearest; absent where it isn't
    /// closed as applied, and where it has no diff.
    ///
    /// # Errors
    /// Where its repository has no commit of that name, or it names several things.
    pub(super) async fn found_applied(
        &self,
        stored: &StoredReview,
        outcome: Option<Ending>,
        folder: Option<&str>,
        commit: Option<&str>,
    ) -> Result<Option<WasApplied>, Fault> {
        if stored.state.status != ReviewStatus::Approved || outcome.is_some_and(|outcome| outcome != Ending::Applied) {
            return Ok(None);
        }
        let mut results = Vec::new();
        for result in self.store.approved_of(stored.summary.review_id).await? {
            let diff = self.text_of(Some(result.diff_sha256)).await?;
            results.push((result, diff));
        }
        let place = results.first().and_then(|(result, _)| result.checked.repository.as_deref());
        let repository = match place {
            Some(place) => self.work_tree(place, [folder, Some(&stored.summary.workspace)]).await,
            None => None,
        };
        self.requests.look_for_applied(repository.as_ref(), &results, commit).await
    }

    /// The repository of this common directory, in the first of these folders that is a work tree of it.
    async fn work_tree(&self, place: &str, folders: [Option<&str>; 2]) -> Option<Repository> {
        for folder in folders.into_iter().flatten() {
            if let Ok(repository) = self.requests.repository(Path::new(folder)).await
                && repository.common_dir().to_string_lossy() == place
            {
                return Some(repository);
            }
        }
        None
    }

    /// What was found of a review when it was closed.
    pub(super) async fn applied_of(&self, review: &ReviewSummary) -> Result<Option<WasApplied>, Fault> {
        if review.found.is_none() {
            return Ok(None);
        }
        let mut until = review.event;
        // Nothing but verdicts that were refused comes after it.
        while until > 0 {
            let after = until.saturating_sub(PAGE);
            let events = self.store.review_events(review.review_id, after, bounds::LIST_ITEMS).await?;
            let closed = events.into_iter().find(|event| event.kind == EventKind::Closed.as_str());
            if let Some(found) = closed.and_then(|mut event| event.data.remove("applied")) {
                return serde_json::from_value(found).map_err(|error| Fault::internal(error.to_string()));
            }
            until = after;
        }
        Ok(None)
    }
}
