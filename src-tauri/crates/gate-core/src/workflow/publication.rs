//! What would be posted. What an approval lets out is the manifest, to the byte: items in their order, each with where it goes
//! and what it says, and what is said in its place where the platform doesn't take it there. Nothing is put together after the
//! approval.

mod compose;
mod marker;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::anchor::{Placed, Point};
use super::disarm::{check, disarm, without_suggestions};
use super::pull::Pull;
use super::words::{AnchorKind, ItemKind, ItemState, Platform, PublishEvent};
use super::{ItemId, JobId};
use crate::digest::{Digest, canonical_json};
use crate::fault::{Code, Fault};
use crate::git::Oid;
use crate::reply::Side;

pub use compose::{KeptAction, Score, Summary, compose};
pub use marker::{marked, marker_of};
pub use state::{PublicationAct, may_publish};

/// The version of manifests.
const VERSION: u32 = 1;

/// Where an item goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Place {
    /// The pull request as a whole.
    Report {},
    /// Lines of a file that stand in one hunk.
    Line {
        /// The file.
        file: String,
        /// Its path before the change, where it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        old_file: Option<String>,
        /// The side.
        side: Side,
        /// The first line.
        from: Point,
        /// The last line; the same for one.
        to: Point,
    },
    /// A file.
    File {
        /// The file.
        file: String,
        /// Its path before the change, where it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        old_file: Option<String>,
    },
    /// A thread.
    Thread {
        /// Its identifier.
        thread: String,
    },
    /// The pull request's labels.
    Label {
        /// The label.
        label: String,
    },
}

/// What stands in an item's place where the platform doesn't take it there: a comment of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Fallback {
    /// Where it goes.
    pub place: Place,
    /// What it says, to the byte.
    pub body: String,
}

/// An item as the person is asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Item {
    /// Its id, the same over revisions.
    pub id: ItemId,
    /// What it is.
    pub kind: ItemKind,
    /// Where it goes.
    pub place: Place,
    /// What it says, disarmed and without its marker; absent where it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub text: Option<String>,
    /// What its fallback begins with; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub heading: Option<String>,
}

/// What the person is asked: what would be posted if they kept all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AskedPublication {
    /// The job.
    pub job_id: JobId,
    /// The pull request.
    pub pull: Pull,
    /// The commit that was reviewed.
    pub head: Oid,
    /// What the review says as a whole.
    pub event: PublishEvent,
    /// The items, in the order in which they leave.
    pub items: Vec<Item>,
}

/// What the person has changed of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct PublicationDraft {
    /// Items that they do without.
    pub dropped: BTreeSet<ItemId>,
    /// What items say in other words.
    pub texts: BTreeMap<ItemId, String>,
    /// What the review says as a whole, where they changed that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub event: Option<PublishEvent>,
}

/// What an approval lets out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version.
    pub v: u32,
    /// `publication`.
    pub kind: String,
    /// The job.
    pub job: JobId,
    /// The host, with the path below which GitLab runs.
    pub host: String,
    /// The project.
    pub project: String,
    /// The pull request's number.
    pub number: u64,
    /// The commit that was reviewed.
    pub head: Oid,
    /// What the review says as a whole.
    pub event: PublishEvent,
    /// The items, in the order in which they leave.
    pub items: Vec<ManifestItem>,
}

/// An item of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestItem {
    /// Its id.
    pub id: ItemId,
    /// What it is.
    pub kind: ItemKind,
    /// Where it goes.
    pub place: Place,
    /// What it says, to the byte, with its marker; null where it says nothing.
    pub body: Option<String>,
    /// What stands in its place where the platform doesn't take it there; null where nothing does.
    pub fallback: Option<Fallback>,
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ItemResult {
    /// Its id.
    pub id: ItemId,
    /// What it is.
    pub kind: ItemKind,
    /// What became of it.
    pub state: ItemState,
    /// Where it stands on the platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub url: Option<String>,
    /// Why it was refused, or fell back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reason: Option<String>,
}

impl Place {
    /// Where what was placed in a diff goes.
    #[must_use]
    pub fn of(placed: &Placed) -> Self {
        let anchor = &placed.anchor;
        let old_file = placed.old_file.clone();
        match (anchor.kind, anchor.file.clone(), anchor.side.zip(placed.from.zip(placed.to))) {
            (AnchorKind::Line, Some(file), Some((side, (from, to)))) => Self::Line { file, old_file, side, from, to },
            (AnchorKind::Line | AnchorKind::File, Some(file), _) => Self::File { file, old_file },
            _ => Self::Report {},
        }
    }
}

impl AskedPublication {
    /// What an approval lets out, with what the person has changed. What they drop or reword and isn't there counts for
    /// nothing.
    ///
    /// # Errors
    /// `empty_reply` where they keep nothing; `unsafe_text` and `too_large` of what they reworded.
    pub fn manifest(&self, draft: &PublicationDraft) -> Result<Manifest, Fault> {
        let kept = self.items.iter().filter(|item| !draft.dropped.contains(&item.id));
        let items = kept.map(|item| item.in_manifest(draft.texts.get(&item.id).map(String::as_str)));
        let items = items.collect::<Result<Vec<_>, Fault>>()?;
        if items.is_empty() {
            return Err(Fault::new(
                Code::EmptyReply,
                "Nothing is left of it to be posted.",
                "Keep one item at least, ask for changes, or give the publication up.",
            ));
        }
        Ok(Manifest {
            v: VERSION,
            kind: "publication".to_owned(),
            job: self.job_id,
            host: self.pull.host.clone(),
            project: self.pull.project.clone(),
            number: self.pull.number,
            head: self.head.clone(),
            event: draft.event.unwrap_or(self.event),
            items,
        })
    }

    /// How many items the person keeps, and of how many.
    #[must_use]
    pub fn counts(&self, draft: &PublicationDraft) -> (usize, usize) {
        let dropped = self.items.iter().filter(|item| draft.dropped.contains(&item.id)).count();
        (self.items.len() - dropped, self.items.len())
    }
}

impl Item {
    fn in_manifest(&self, reworded: Option<&str>) -> Result<ManifestItem, Fault> {
        let field = format!("items[{}]", self.id);
        let text = match (&self.text, reworded) {
            (Some(_), Some(text)) if text.trim().is_empty() => {
                return Err(Fault::new(
                    Code::EmptyReply,
                    format!("`{field}` says nothing any more."),
                    "Write something, or leave the item out.",
                ));
            }
            (Some(_), Some(text)) => Some(disarm(&field, text)?),
            (text, _) => text.clone(),
        };
        let body = text.as_deref().map(|text| marked(text, self.id));
        let fallback = match (&self.heading, &text) {
            (Some(heading), Some(text)) => {
                let whole = format!("{heading}\n\n{}", without_suggestions(text));
                Some(Fallback { place: Place::Report {}, body: marked(&whole, self.id) })
            }
            _ => None,
        };
        for posted in body.iter().chain(fallback.iter().map(|fallback| &fallback.body)) {
            check(&field, posted)?;
        }
        Ok(ManifestItem { id: self.id, kind: self.kind, place: self.place.clone(), body, fallback })
    }
}

impl Manifest {
    /// Its bytes: canonical JSON (RFC 8785).
    ///
    /// # Errors
    /// `internal` where it can't be written.
    pub fn json(&self) -> Result<String, Fault> {
        canonical_json(self)
    }

    /// SHA-256 of its bytes.
    ///
    /// # Errors
    /// `internal` where it can't be written.
    pub fn digest(&self) -> Result<Digest, Fault> {
        Ok(Digest::of_bytes(self.json()?.as_bytes()))
    }
}

/// Holds what a review says as a whole against what the platform takes.
///
/// # Errors
/// `platform_refused`: on one's own pull request GitHub takes comments alone.
pub fn check_event(platform: Platform, is_own: bool, event: PublishEvent) -> Result<(), Fault> {
    match (platform, event) {
        (Platform::Github, PublishEvent::RequestChanges) if is_own => Err(Fault::new(
            Code::PlatformRefused,
            "GitHub lets nobody ask for changes of their own pull request.",
            "Publish with `event` `comment`.",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
