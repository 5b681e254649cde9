//! Where a caller belongs, and so what it may see: its own, and what belongs to the repository of its folder, by the
//! kernel's word, or of those that its token was given. To all others there is no such review.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gate_core::proposal::{ReviewId, ReviewStore as _, StoredReview, unknown_review};
use gate_core::{Code, Fault, Owner, OwnerId};
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
    pub(crate) async fn folders_of(&self, owner: &Owner) -> Result<Vec<String>, Fault> {
        match &owner.id {
            OwnerId::Token(name) => Ok(self.store.folders_of_token(name).await?),
            OwnerId::Process(_) => Ok(owner.folder().filter(|folder| !folder.is_empty()).into_iter().collect()),
            OwnerId::SharedToken | OwnerId::Relay(_) | OwnerId::Holder => Ok(Vec::new()),
        }
    }

    /// Where an owner belongs.
    pub(crate) async fn places_of(&self, owner: &Owner) -> Result<Vec<String>, Fault> {
        let mut places = Vec::new();
        for folder in self.folders_of(owner).await? {
            let place = self.place_of(&folder).await;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Where an owner belongs, of that only where this folder does.
    ///
    /// # Errors
    /// `outside_workspace` where the folder is none of theirs, nor in one or around one: nothing is looked at, on this
    /// machine or another, because an agent names it.
    pub(super) async fn places_at(&self, owner: &Owner, folder: Option<&str>) -> Result<Vec<String>, Fault> {
        let mut places = self.places_of(owner).await?;
        if let Some(folder) = folder {
            is_near(folder, &self.folders_of(owner).await?)?;
            let place = self.place_of(folder).await;
            places.retain(|known| *known == place);
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

fn is_near(folder: &str, own: &[String]) -> Result<(), Fault> {
    let named = Path::new(folder);
    let is_plain = !named.components().any(|part| part == Component::ParentDir);
    if is_plain && own.iter().any(|own| named.starts_with(own) || Path::new(own).starts_with(named)) {
        return Ok(());
    }
    let known = match own {
        [] => "and Review Gate knows of no folder of yours".to_owned(),
        own => format!("which isn't in {}", own.join(", ")),
    };
    Err(Fault::new(
        Code::OutsideWorkspace,
        format!("`workspace` is {folder:?}, {known}."),
        "Name the folder that your program works in, or leave it away: you see only what belongs there.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_looked_at_only_in_or_around_one_of_the_callers_own() {
        let own = ["/home/you/shop/web".to_owned(), "/srv/tools".to_owned()];
        for (folder, near) in [
            ("/home/you/shop/web", true),
            ("/home/you/shop/web/src", true),
            ("/home/you/shop", true),
            ("/srv/tools/", true),
            ("/home/you/shop/webs", false),
            ("/home/you/other", false),
            ("/home/you/shop/web/../../other", false),
            ("home/you/shop/web", false),
            ("//server/share", false),
        ] {
            let refused = is_near(folder, &own).err().map(|fault| fault.code);
            assert_eq!(refused, (!near).then_some(Code::OutsideWorkspace), "{folder}");
        }
        let nowhere = is_near("/home", &[]).expect_err("no folder is known");
        assert!(nowhere.message.contains("knows of no folder of yours"), "{nowhere}");
    }
}
