//! What the person was shown of a round, by the manifest that their receipt names, beside what is now said of it.
//!
//! The broker's word alone says neither which round a receipt is of nor what that was: whoever writes the record could put
//! another one's there. What was signed does.

use gate_api::subjects::reviews::ApprovedReview;
use gate_core::Digest;
use gate_core::proposal::{Fits, ProposedFile, ReviewId};
use serde::Deserialize;

use super::told::named;
use crate::output::one_line;

/// Characters of a commit's name in a message.
const BASE_CHARS: usize = 64;

/// A path, the mode that it gets, what it held before, and what after.
type ShownFile = (String, Option<String>, Option<String>, Option<String>);

/// What a manifest says, as [`Manifest`](gate_core::proposal::Manifest) writes it.
#[derive(Debug, Deserialize)]
struct Shown {
    kind: String,
    review: ReviewId,
    round: u32,
    base: Option<String>,
    diff: Option<Digest>,
    files: Vec<ShownFile>,
}

/// The digest that a receipt has to have been given for, to be the person's approval of just this.
///
/// # Errors
/// In a sentence, how what they were shown is another round, or another change.
pub(super) fn digest(result: &ApprovedReview) -> Result<Digest, String> {
    let Some(manifest) = &result.manifest else {
        return Err("Nothing says what you were shown.".to_owned());
    };
    let shown: Shown = serde_json::from_str(manifest)
        .map_err(|error| format!("What is said to have been shown to you can't be read: {error}."))?;
    if (shown.kind.as_str(), shown.review, shown.round) != ("round", result.review_id, result.round) {
        return Err(format!("You approved another one: round {} of review {}.", shown.round, shown.review));
    }
    let diff = result.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes()));
    if shown.diff.is_none() || shown.diff != diff {
        return Err("You were shown another diff than this round has.".to_owned());
    }
    // Elsewhere it isn't applied again: the contents count.
    if result.fits == Fits::Commit && shown.base != result.base {
        let base = one_line(shown.base.as_deref().unwrap_or("no commit"), BASE_CHARS);
        return Err(format!("You were shown it on another commit: {base}."));
    }
    let others = others(&shown, &result.files);
    if !others.is_empty() {
        return Err(format!("You were shown something else of {}.", named(&others)));
    }
    Ok(Digest::of_bytes(manifest.as_bytes()))
}

/// The paths of which the person was shown something else. Where a file's contents weren't looked at when it was proposed,
/// nothing is compared with them later either.
fn others(shown: &Shown, files: &[ProposedFile]) -> Vec<String> {
    let is_as_shown = |file: &ProposedFile| {
        let is_known = file.old.is_some() || file.new.is_some();
        shown.files.iter().any(|(path, mode, old, new)| {
            *path == file.path && (!is_known || (mode, old, new) == (&file.new_mode, &file.old, &file.new))
        })
    };
    let mut others: Vec<String> =
        files.iter().filter(|file| !is_as_shown(file)).map(|file| file.path.clone()).collect();
    let more = shown.files.iter().filter(|(path, ..)| files.iter().all(|file| file.path != *path));
    others.extend(more.map(|(path, ..)| path.clone()));
    others
}

#[cfg(test)]
mod tests {
    use gate_core::proposal::{ApprovedBy, Manifest, Need};
    use uuid::Uuid;

    use super::*;

    fn file(path: &str, old: Option<&str>, new: &str) -> ProposedFile {
        ProposedFile {
            path: path.to_owned(),
            new_mode: Some("100644".to_owned()),
            old: old.map(str::to_owned),
            new: Some(new.to_owned()),
            ..ProposedFile::default()
        }
    }

    /// An approval of the person's, with what they were shown of it.
    fn approved() -> ApprovedReview {
        let review = ApprovedReview {
            review_id: ReviewId(Uuid::from_u128(7)),
            intent: "Retry".to_owned(),
            round: 2,
            patch_id: None,
            need: Need { agents: 0, person: true },
            approved_by: ApprovedBy::Person,
            receipt: Some(Digest::of_bytes(b"receipt")),
            manifest: None,
            fits: Fits::Commit,
            base: Some("8f80ccf".to_owned()),
            files: vec![file("a", Some("1a"), "2b"), file("b", None, "3c")],
            diff: Some("--- a/a\n".to_owned()),
        };
        ApprovedReview { manifest: Some(manifest(&review)), ..review }
    }

    fn manifest(review: &ApprovedReview) -> String {
        let manifest = Manifest {
            review_id: review.review_id,
            round: review.round,
            repository: Some("/srv/shop/.git"),
            base: review.base.as_deref(),
            tree: Some("4d"),
            files: &review.files,
            diff: review.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes())),
        };
        manifest.json().expect("it can be written")
    }

    #[test]
    fn what_was_shown_has_to_be_just_this() {
        let good = approved();
        let expected = Digest::of_bytes(manifest(&good).as_bytes());
        assert_eq!(digest(&good), Ok(expected), "it is what they were shown");
        let files = |files: &[ProposedFile]| ApprovedReview { files: files.to_vec(), ..approved() };
        let (a, b) = (file("a", Some("1a"), "2b"), file("b", None, "3c"));
        let other = ApprovedReview { review_id: ReviewId(Uuid::from_u128(8)), ..approved() };
        for (changed, why) in [
            (ApprovedReview { manifest: None, ..approved() }, "Nothing says"),
            (ApprovedReview { manifest: Some("{}".to_owned()), ..approved() }, "can't be read"),
            (ApprovedReview { manifest: Some(manifest(&other)), ..approved() }, "another one: round 2 of review 0000"),
            (ApprovedReview { round: 3, ..approved() }, "another one: round 2"),
            (ApprovedReview { diff: Some("--- a/b\n".to_owned()), ..approved() }, "another diff"),
            (ApprovedReview { diff: None, ..approved() }, "another diff"),
            (ApprovedReview { base: Some("0aa1".to_owned()), ..approved() }, "another commit: 8f80ccf"),
            (files(std::slice::from_ref(&a)), "something else of b"),
            (files(&[a.clone(), b.clone(), file("c", None, "3c")]), "something else of c"),
            (files(&[a.clone(), file("b", None, "4d")]), "something else of b"),
            (files(&[file("a", Some("9f"), "2b"), b.clone()]), "something else of a"),
            (files(&[ProposedFile { new_mode: Some("100755".to_owned()), ..a }, b]), "something else of a"),
        ] {
            let said = digest(&changed).expect_err(why);
            assert!(said.contains(why), "{why}: {said}");
        }
    }

    #[test]
    fn of_contents_that_nobody_looked_at_the_paths_count() {
        let unknown = |path: &str| ProposedFile { path: path.to_owned(), ..ProposedFile::default() };
        let of = |files: Vec<ProposedFile>| digest(&ApprovedReview { files, ..approved() });
        assert!(of(vec![unknown("a"), unknown("b")]).is_ok(), "diff and commit say what becomes of them");
        assert!(of(vec![unknown("a"), unknown("c")]).is_err());
    }
}
