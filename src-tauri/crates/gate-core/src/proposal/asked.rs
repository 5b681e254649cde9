//! What an approval of a round lets out.

use serde_json::json;

use super::ReviewId;
use super::record::ProposedFile;
use crate::digest::{Digest, canonical_json};
use crate::fault::Fault;

/// What an approval of a round lets out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest<'a> {
    /// The review.
    pub review_id: ReviewId,
    /// The number of the round.
    pub round: u32,
    /// The repository's common directory, where there is one.
    pub repository: Option<&'a str>,
    /// What the diff fits.
    pub base: Option<&'a str>,
    /// What it leads to.
    pub tree: Option<&'a str>,
    /// What becomes of each file.
    pub files: &'a [ProposedFile],
    /// SHA-256 of the diff as it was submitted.
    pub diff: Option<Digest>,
}

impl Manifest<'_> {
    /// As canonical JSON: fields that are absent are left out.
    ///
    /// # Errors
    /// `internal` where it can't be written.
    pub fn json(&self) -> Result<String, Fault> {
        let files: Vec<_> =
            self.files.iter().map(|file| json!([file.path, file.new_mode, file.old, file.new])).collect();
        let mut manifest = json!({
            "v": 1,
            "kind": "round",
            "review": self.review_id,
            "round": self.round,
            "files": files,
        });
        let more = [
            ("repository", self.repository.map(str::to_owned)),
            ("base", self.base.map(str::to_owned)),
            ("tree", self.tree.map(str::to_owned)),
            ("diff", self.diff.map(|diff| diff.to_string())),
        ];
        if let Some(fields) = manifest.as_object_mut() {
            fields.extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))));
        }
        canonical_json(&manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_manifest_has_one_form_and_what_it_lets_out_counts() {
        let file = ProposedFile { path: "a".to_owned(), new: Some("1a".to_owned()), ..ProposedFile::default() };
        let files = [file];
        let manifest = Manifest {
            review_id: ReviewId(Uuid::from_u128(1)),
            round: 2,
            repository: Some("/w/.git"),
            base: None,
            tree: Some("2b"),
            files: &files,
            diff: None,
        };
        let json = manifest.json().expect("it can be written");
        assert_eq!(
            json,
            r#"{"files":[["a",null,null,"1a"]],"kind":"round","repository":"/w/.git","review":"00000000-0000-0000-0000-000000000001","round":2,"tree":"2b","v":1}"#
        );
        let other = Manifest { round: 3, ..manifest }.json().expect("it can be written");
        assert_ne!(json, other);
    }
}
