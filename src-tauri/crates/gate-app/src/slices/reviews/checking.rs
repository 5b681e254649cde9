//! Whether a diff fits what is there, and what its round needs.

use std::path::{Path, PathBuf};

use gate_core::markdown::visible;
use gate_core::proposal::need::needed;
use gate_core::proposal::{
    Checked, Fits, Need, NewDiff, ProposedFile, ReviewRule, ReviewStore as _, Rounded, StoredReview,
};
use gate_core::{Digest, Fault, diff};
use gate_mcp::{NamedRepository, ProposedChange, ReviewCaller};

use super::Reviews;
use crate::slices::requests::named_in;
use crate::work::blocking;

/// Modes of files whose change may be about any path: links and submodules.
const ANYWHERE: [&str; 2] = ["120000", "160000"];

impl Reviews {
    /// What a proposal changes, as it is kept, held against the repository of the caller's folder.
    pub(super) async fn checked(
        &self,
        caller: &ReviewCaller,
        change: &ProposedChange,
        description: Option<String>,
        (base, is_applied): (Option<&str>, bool),
    ) -> Result<NewDiff, Fault> {
        match change {
            ProposedChange::Nothing => {
                let checked = Checked { repository: self.own_repository(caller).await?, ..Checked::default() };
                Ok(NewDiff { diff: Vec::new(), description, checked })
            }
            ProposedChange::Diff(diff) => {
                let checked = self.held(caller, diff, base, is_applied).await?;
                Ok(NewDiff { diff: diff.clone().into_bytes(), description, checked })
            }
            ProposedChange::Repository(named) => self.of_repository(caller, named, description).await,
        }
    }

    /// A diff of a caller, held against the repository of its folder; read alone where there is none.
    pub(super) async fn held(
        &self,
        caller: &ReviewCaller,
        diff: &str,
        base: Option<&str>,
        is_applied: bool,
    ) -> Result<Checked, Fault> {
        let repository = match self.folder(caller).await? {
            Some(folder) => self.requests.repository(Path::new(&folder)).await.ok(),
            None => None,
        };
        match repository {
            Some(repository) => {
                let held = self.requests.hold_against(&repository, diff.as_bytes(), base, is_applied).await?;
                Ok(with_unseen(diff, held.checked))
            }
            None => {
                let text = diff.to_owned();
                let files = blocking(move || named_in(text.as_bytes())).await?;
                Ok(with_unseen(diff, Checked { fits: Fits::Unchecked, files, ..Checked::default() }))
            }
        }
    }

    async fn of_repository(
        &self,
        caller: &ReviewCaller,
        named: &NamedRepository,
        description: Option<String>,
    ) -> Result<NewDiff, Fault> {
        let made = self.requests.made_for(named, &caller.whose.owner.id).await?;
        let text = made.diff.clone();
        let files = blocking(move || diff::parse(&text).map(|view| view.files.iter().map(file).collect())).await?;
        let repository = self.requests.repository_of(PathBuf::from(&made.git.repository)).await;
        let checked = Checked {
            fits: Fits::Commit,
            repository: repository.or_else(|| Some(made.git.repository.clone())),
            base: made.git.base.as_ref().map(ToString::to_string),
            tree: Some(made.git.tree.to_string()),
            files,
            warnings: Vec::new(),
        };
        let checked = with_unseen(&made.diff, checked);
        Ok(NewDiff { diff: made.diff.into_bytes(), description, checked })
    }

    /// The folder that a caller works in, by the kernel's word, else the first that its token was given.
    pub(super) async fn folder(&self, caller: &ReviewCaller) -> Result<Option<String>, Fault> {
        match &caller.folder {
            Some(folder) => Ok(Some(folder.clone())),
            None => Ok(self.folders_of(&caller.whose.owner).await?.into_iter().next()),
        }
    }

    async fn own_repository(&self, caller: &ReviewCaller) -> Result<Option<String>, Fault> {
        Ok(match self.folder(caller).await? {
            Some(folder) => Some(self.place_of(&folder).await),
            None => None,
        })
    }

    /// What a round needs by the person's rules.
    pub(super) fn need(
        rules: &[ReviewRule],
        proposer: &str,
        checked: &Checked,
        category: Option<&str>,
        workspace: &str,
    ) -> Need {
        let sides = |file: &ProposedFile| [Some(file.path.clone()), file.old_path.clone()];
        let paths: Vec<String> = checked.files.iter().flat_map(sides).flatten().collect();
        let changes = |file: &ProposedFile| u64::from(file.added) + u64::from(file.removed);
        let round = Rounded {
            paths: &paths,
            any_path: checked.files.iter().any(is_anywhere),
            lines: checked.files.iter().map(changes).sum(),
            repository: checked.repository.as_deref(),
            workspace,
            proposer,
            category,
        };
        needed(rules, &round)
    }

    /// What a change in a review needs: by these rules, under the category that the review was proposed in as well as under
    /// one that its proposer names by now; and the person where something like it has needed them lately.
    pub(super) async fn need_in(
        &self,
        rules: &[ReviewRule],
        stored: &StoredReview,
        (checked, diff): (&Checked, Option<Digest>),
        category: Option<&str>,
    ) -> Result<Need, Fault> {
        let (summary, proposer) = (&stored.summary, &stored.proposer);
        let under = |category: Option<&str>| Self::need(rules, &proposer.client, checked, category, &summary.workspace);
        let own = summary.category.as_deref();
        let need = category.map_or_else(|| under(own), |named| under(own).and(under(Some(named))));
        let person = self.store.followed(checked, diff, proposer, self.bus.now()).await?;
        Ok(Need { person: need.person || person, ..need })
    }

    /// The person's rules.
    pub(super) fn rules(&self) -> Vec<ReviewRule> {
        let settings = self.settings.in_force();
        settings.security.review_rules.iter().filter_map(|rule| ReviewRule::parse(rule).ok()).collect()
    }
}

/// Whether what becomes of a file may be about any path: a link, a submodule, a mode, or what says how files are read.
fn is_anywhere(file: &ProposedFile) -> bool {
    let modes = [file.old_mode.as_deref(), file.new_mode.as_deref()];
    let changes_mode = matches!(modes, [Some(old), Some(new)] if old != new);
    let is_of = |mode: &Option<&str>| mode.is_some_and(|mode| ANYWHERE.contains(&mode));
    let says_how = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        [".gitattributes", ".gitmodules"].iter().any(|says| name.eq_ignore_ascii_case(says))
    };
    // One that is renamed says it no longer.
    let has_said = std::iter::once(&file.path).chain(&file.old_path).any(says_how);
    changes_mode || modes.iter().any(is_of) || has_said
}

/// What was found of a diff, with a warning where what it adds has characters that nobody sees or that turn the text
/// around them. Of the diff it says the numbers of lines alone.
fn with_unseen(diff: &str, mut checked: Checked) -> Checked {
    let is_new = |line: &str| line.starts_with("--- ") || !line.starts_with([' ', '-']);
    let hides = |line: &str| is_new(line) && visible(line) != line;
    let lines: Vec<_> = diff.lines().zip(1..).filter(|(line, _)| hides(line)).map(|(_, number)| number).collect();
    if let Some((first, others)) = lines.split_first() {
        let (more, have) = match others.len() {
            0 => (String::new(), "has"),
            others => (format!(" and {others} more"), "have"),
        };
        checked.warnings.push(format!(
            "line {first} of the diff{more} {have} characters that nobody sees, or that change how the text around them is read"
        ));
    }
    checked
}

/// A file of a diff that was read alone.
fn file(file: &diff::DiffFile) -> ProposedFile {
    let path = if file.new_path.is_empty() { &file.old_path } else { &file.new_path };
    ProposedFile {
        path: path.clone(),
        old_path: Some(file.old_path.clone()).filter(|old| !old.is_empty() && old != path),
        old_mode: file.old_mode.clone(),
        new_mode: file.new_mode.clone(),
        old: None,
        new: None,
        added: file.added,
        removed: file.removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_in_what_a_diff_adds_is_told_by_its_line() {
        let told = |diff: &str| with_unseen(diff, Checked::default()).warnings;
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-\u{202e}old\n \u{202e}kept\n+plain\r\n+\u{2066}new\n";
        let [warning] = &told(diff)[..] else { panic!("one: {:?}", told(diff)) };
        assert!(warning.starts_with("line 7 of the diff has characters that nobody sees"), "{warning}");
        assert!(told(&format!("{diff}+\u{200b}\n"))[0].starts_with("line 7 of the diff and 1 more"));
        assert!(told("--- /dev/null\n+++ b/\u{202e}x\n@@ -0,0 +1 @@\n+x\n")[0].starts_with("line 2"), "a name, too");
        assert_eq!(told("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+größer 👩‍👩‍👧\n"), [""; 0]);
    }

    #[test]
    fn what_says_how_files_are_read_is_about_any_path_whichever_way_it_goes() {
        let file = |path: &str, old: Option<&str>| ProposedFile {
            path: path.to_owned(),
            old_path: old.map(str::to_owned),
            old_mode: Some("100644".to_owned()),
            new_mode: Some("100644".to_owned()),
            ..ProposedFile::default()
        };
        for (path, old, is) in [
            ("src/a.rs", None, false),
            ("src/a.rs", Some("src/b.rs"), false),
            (".gitattributes", None, true),
            ("src/.GitAttributes", None, true),
            ("notes.txt", Some(".gitattributes"), true),
            ("notes.txt", Some("lib/.gitmodules"), true),
            ("my.gitattributes", None, false),
        ] {
            assert_eq!(is_anywhere(&file(path, old)), is, "{path}, which was {old:?}");
        }
    }
}
