//! What reviews have approved, for whoever asks whether a change is that. Whether it is, they find out by themselves: they
//! have the repository as it is for them.

use std::collections::HashSet;

use gate_api::subjects::reviews::{APPROVED_LISTED, ApprovedReview, ApprovedReviews};
use gate_core::Fault;
use gate_core::proposal::{ApprovedResult, ProposedFile, ReviewStore as _};

use super::Reviews;

/// Most results that are looked at.
const LOOKED_AT: usize = 200;

impl Reviews {
    /// What reviews have approved in the repository of a folder that changes some of these files.
    pub(super) async fn approved(&self, folder: &str, paths: &[String]) -> Result<ApprovedReviews, Fault> {
        let place = self.place_of(folder).await;
        let asked: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let mut found = self.store.approved(&place, paths, LOOKED_AT).await?;
        found.sort_by_key(|result| !changes_just(&result.checked.files, &asked));
        found.truncate(APPROVED_LISTED);
        let mut results = Vec::with_capacity(found.len());
        for result in found {
            let diff = match changes_just(&result.checked.files, &asked) {
                true => Some(self.text_of(Some(result.diff_sha256)).await?),
                false => None,
            };
            results.push(told(result, diff));
        }
        Ok(ApprovedReviews { results })
    }
}

/// Whether these files are all that was asked about and no others. Where one was before may be among them or not: of a
/// copy it is as it was.
fn changes_just(files: &[ProposedFile], asked: &HashSet<&str>) -> bool {
    let changed: HashSet<&str> = files.iter().map(|file| &*file.path).collect();
    let before: HashSet<&str> = files.iter().filter_map(|file| file.old_path.as_deref()).collect();
    changed.is_subset(asked) && asked.iter().all(|path| changed.contains(path) || before.contains(path))
}

fn told(result: ApprovedResult, diff: Option<String>) -> ApprovedReview {
    ApprovedReview {
        review_id: result.review_id,
        intent: result.intent,
        round: result.round,
        patch_id: result.patch_id,
        need: result.need,
        approved_by: result.approved_by,
        receipt: result.receipt,
        manifest: result.manifest,
        fits: result.checked.fits,
        base: result.checked.base,
        files: result.checked.files,
        diff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, old_path: Option<&str>) -> ProposedFile {
        ProposedFile { path: path.to_owned(), old_path: old_path.map(str::to_owned), ..ProposedFile::default() }
    }

    #[test]
    fn a_result_changes_just_what_was_asked_about_or_more_or_less() {
        let files = [file("a", None), file("new", Some("old"))];
        for (asked, just) in [
            (&["a", "new", "old"][..], true),
            (&["a", "new"], true),
            (&["a", "old"], false),
            (&["a"], false),
            (&["a", "new", "old", "b"], false),
            (&[], false),
        ] {
            assert_eq!(changes_just(&files, &asked.iter().copied().collect()), just, "{asked:?}");
        }
    }
}
