//! Where a caller belongs, and so what it may see: its own, and what belongs to the repository of its folder, by the
//! kernel's word, or of those that its token was given. To all others there is no such review.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gate_core::proposal::{ReviewId, ReviewStore as _, StoredReview, unknown_review};
use gate_core::{Fault, Owner, OwnerId};
use gate_mcp::ReviewCaller;

use super::Reviews;

/// For how long it is believed where a folder belongs: a repository may come to be.
const KEPT: Duration = Duration::from_secs(30);
/// Folders that are remembered.
const FOLDERS: usize = 256;

/// Where folders belong, as it was found a moment ago.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<String, (String, Instant)>>);

impl Places {
    fn known(&self, folder: &str) -> Option<String> {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.get(folder).filter(|(_, at)| at.elapsed() < KEPT).map(|(place, _)| place.clone())
    }

    fn keep(&self, folder: &str, place: &str) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= FOLDERS {
            places.retain(|_, (_, at)| at.elapsed() < KEPT);
        }
        if places.len() < FOLDERS {
            places.insert(folder.to_owned(), (place.to_owned(), Instant::now()));
        }
    }
}

impl Reviews {
    /// Where a folder belongs: its repository's common directory, else the folder itself.
    pub(super) async fn place_of(&self, folder: &str) -> String {
        if let Some(place) = self.places.known(folder) {
            return place;
        }
        let place = self.requests.repository_of(PathBuf::from(folder)).await.unwrap_or_else(|| folder.to_owned());
        self.places.keep(folder, &place);
        place
    }

    /// The folders that the kernel or a token names for an owner.
    pub(super) async fn folders_of(&self, owner: &Owner) -> Result<Vec<String>, Fault> {
        match &owner.id {
            OwnerId::Token(name) => Ok(self.store.folders_of_token(name).await?),
            OwnerId::Process(_) => Ok(owner.folder().filter(|folder| !folder.is_empty()).into_iter().collect()),
            OwnerId::SharedToken | OwnerId::Relay(_) | OwnerId::Holder => Ok(Vec::new()),
        }
    }

    /// Where an owner belongs.
    pub(super) async fn places_of(&self, owner: &Owner) -> Result<Vec<String>, Fault> {
        let mut places = Vec::new();
        for folder in self.folders_of(owner).await? {
            let place = self.place_of(&folder).await;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// A review that an owner may see.
    ///
    /// # Errors
    /// `unknown_review` where there is none, or they may not.
    pub(crate) async fn seen_by(&self, owner: &Owner, review: ReviewId) -> Result<StoredReview, Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        if stored.proposer.key == owner.id.to_string() || self.places_of(owner).await?.contains(&stored.place) {
            return Ok(stored);
        }
        // An heir sees what it goes on with.
        let is_heir = owner.heirs.is_some() && stored.proposer.heirs == owner.heirs;
        if is_heir { Ok(stored) } else { Err(unknown_review(review)) }
    }

    /// The same of whoever calls a tool.
    pub(super) async fn seen(&self, caller: &ReviewCaller, review: ReviewId) -> Result<StoredReview, Fault> {
        self.seen_by(&caller.whose.owner, review).await
    }
}
