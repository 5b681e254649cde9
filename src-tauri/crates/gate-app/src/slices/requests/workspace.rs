//! The files of an agent's workspace by name, for completing what a person writes. Reads names and
//! times, never what is in a file; leaves out what is hidden, ignored, or reached through a link.

use std::cmp::Reverse;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gate_api::subjects::requests::FoundFile;
use gate_core::{Fault, RequestId, bounds, markdown};
use ignore::WalkBuilder;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use tokio::sync::watch;

use super::Requests;
use crate::unknown::unknown_request;

/// For how long a list of files is good: as long as somebody types a name.
const FRESH: Duration = Duration::from_secs(5);
/// For how long a front end waits for a list; a folder on a network that hangs must not hold it up.
const PATIENCE: Duration = Duration::from_millis(bounds::FILES_WALK_MILLIS * 3 / 2);
/// Most workspaces whose files are kept in memory.
const WORKSPACES: usize = 8;

/// The files of the workspaces that were asked for last.
#[derive(Debug, Default)]
pub(crate) struct Workspaces(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    workspace: PathBuf,
    listing: watch::Receiver<Option<Arc<Listing>>>,
}

#[derive(Debug)]
struct Listing {
    files: Vec<File>,
    /// The folder that was walked: where the workspace led then.
    root: Option<PathBuf>,
    /// Whether all of them are there: the workspace was neither too large nor too slow.
    whole: bool,
    made: Instant,
}

#[derive(Debug)]
struct File {
    path: String,
    changed: SystemTime,
}

impl Requests {
    /// The files of a request's workspace that fit `query`, the best first, and whether there are more.
    pub(crate) async fn complete_file(&self, id: RequestId, query: &str) -> Result<(Vec<FoundFile>, bool), Fault> {
        let workspace = match self.summary(id) {
            Some(summary) => summary.workspace,
            None => self.store.request(id).await?.ok_or_else(|| unknown_request(id))?.caller.workspace,
        };
        self.files_of(&workspace, query).await
    }

    /// The files of a workspace that fit `query`, the best first, and whether there are more; none where it is
    /// unknown or can't be read in time.
    pub(crate) async fn files_of(&self, workspace: &str, query: &str) -> Result<(Vec<FoundFile>, bool), Fault> {
        self.found_in(Path::new(workspace), query, |_| true).await
    }

    /// The same of a folder that an agent works in, by the kernel's word, or below. Where a link leads elsewhere there,
    /// none: the agent can have put it in its place.
    pub(crate) async fn files_where_it_works(
        &self,
        folder: &str,
        query: &str,
    ) -> Result<(Vec<FoundFile>, bool), Fault> {
        let folder = Path::new(folder);
        self.found_in(folder, query, |listing| listing.root.as_deref() == Some(folder)).await
    }

    async fn found_in(
        &self,
        workspace: &Path,
        query: &str,
        may_be_told: impl Fn(&Listing) -> bool,
    ) -> Result<(Vec<FoundFile>, bool), Fault> {
        let Some(listing) = self.workspaces.listing(workspace).await.filter(|listing| may_be_told(listing)) else {
            return Ok((Vec::new(), false));
        };
        let query: String = query.chars().take(bounds::FILE_QUERY_CHARS).collect();
        let finding = tokio::task::spawn_blocking(move || listing.find(&query));
        finding.await.map_err(|error| Fault::internal(error.to_string()))
    }
}

impl Workspaces {
    /// The files of a workspace, as they were at most [`FRESH`] ago; absent where it can't be read in
    /// time.
    async fn listing(&self, workspace: &Path) -> Option<Arc<Listing>> {
        if !workspace.is_absolute() {
            return None;
        }
        let mut listing = self.begun(workspace);
        let made = tokio::time::timeout(PATIENCE, listing.wait_for(Option::is_some)).await;
        made.ok()?.ok()?.clone()
    }

    /// A list that is good or being made. One workspace is walked once at a time, however long that
    /// takes.
    fn begun(&self, workspace: &Path) -> watch::Receiver<Option<Arc<Listing>>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = all.iter().find(|kept| kept.workspace == workspace && kept.is_good()) {
            return kept.listing.clone();
        }
        all.retain(|kept| kept.workspace != workspace);
        if all.len() >= WORKSPACES {
            all.remove(0);
        }
        let (done, listing) = watch::channel(None);
        let root = workspace.to_owned();
        tokio::task::spawn_blocking(move || done.send(Some(Arc::new(Listing::of(&root)))));
        all.push(Kept { workspace: workspace.to_owned(), listing: listing.clone() });
        listing
    }
}

impl Kept {
    fn is_good(&self) -> bool {
        match &*self.listing.borrow() {
            Some(listing) => listing.made.elapsed() < FRESH,
            None => self.listing.has_changed().is_ok(),
        }
    }
}

impl Listing {
    /// Walks a workspace. What can't be read isn't there.
    fn of(workspace: &Path) -> Self {
        Self::bounded(workspace, bounds::FILES_WALKED, Duration::from_millis(bounds::FILES_WALK_MILLIS))
    }

    fn bounded(workspace: &Path, most: usize, longest: Duration) -> Self {
        let began = Instant::now();
        let (mut files, mut whole, mut walked) = (Vec::new(), true, None);
        // The workspace itself may be a link; nothing below it is followed.
        if let Ok(root) = gate_os::files::real_path(workspace)
            && root.is_dir()
        {
            // Lists of ignored files count up to the repository's root; elsewhere, those of the workspace.
            let in_git = root.ancestors().any(|folder| folder.join(".git").exists());
            let walk = WalkBuilder::new(&root).follow_links(false).require_git(in_git).parents(in_git).build();
            for entry in walk.flatten() {
                if files.len() >= most || began.elapsed() >= longest {
                    whole = false;
                    break;
                }
                if entry.file_type().is_some_and(|kind| kind.is_file())
                    && let Some(path) = entry.path().strip_prefix(&root).ok().and_then(shown)
                {
                    let changed = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
                    files.push(File { path, changed: changed.unwrap_or(SystemTime::UNIX_EPOCH) });
                }
            }
            walked = Some(root);
        }
        Self { files, root: walked, whole, made: Instant::now() }
    }

    /// The best files, and whether there are more.
    fn find(&self, query: &str) -> (Vec<FoundFile>, bool) {
        if query.trim().is_empty() {
            let mut latest: Vec<&File> = self.files.iter().collect();
            latest.sort_unstable_by_key(|file| (Reverse(file.changed), &file.path));
            let offered = latest.into_iter().take(bounds::FILES_OFFERED);
            let files = offered.map(|file| FoundFile { path: file.path.clone(), positions: Vec::new() }).collect();
            return (files, !self.whole || self.files.len() > bounds::FILES_OFFERED);
        }
        let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let mut characters = Vec::new();
        let mut fitting = Vec::new();
        for file in &self.files {
            if let Some(score) = pattern.score(Utf32Str::new(&file.path, &mut characters), &mut matcher) {
                fitting.push((Reverse(score), file.path.len(), &file.path));
            }
        }
        fitting.sort_unstable();
        let more = !self.whole || fitting.len() > bounds::FILES_OFFERED;
        let files = fitting.into_iter().take(bounds::FILES_OFFERED).map(|(_, _, path)| {
            let mut positions = Vec::new();
            pattern.indices(Utf32Str::new(path, &mut characters), &mut matcher, &mut positions);
            positions.sort_unstable();
            positions.dedup();
            FoundFile { path: path.clone(), positions }
        });
        (files.collect(), more)
    }
}

/// A path as it is written into a reply; absent where a name isn't text, or would hide or reorder the
/// text around it.
fn shown(path: &Path) -> Option<String> {
    let mut text = String::new();
    for part in path.components() {
        let Component::Normal(name) = part else { return None };
        if !text.is_empty() {
            text.push('/');
        }
        text.push_str(name.to_str()?);
    }
    (!text.is_empty() && !text.contains(char::is_control) && markdown::visible(&text) == text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn folder(files: &[&str]) -> std::io::Result<tempfile::TempDir> {
        let folder = tempfile::tempdir()?;
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::write(path, file)?;
        }
        Ok(folder)
    }

    fn found(listing: &Listing, query: &str) -> Vec<String> {
        listing.find(query).0.into_iter().map(|file| file.path).collect()
    }

    fn sorted(mut paths: Vec<String>) -> Vec<String> {
        paths.sort();
        paths
    }

    #[test]
    fn what_is_hidden_or_ignored_or_elsewhere_is_not_offered() -> Outcome {
        let elsewhere = folder(&["secret.txt"])?;
        let files = ["src/main.rs", "src/skip.log", "target/out.o", ".env", ".config/x", "docs/a b.md"];
        let workspace = folder(&files)?;
        std::fs::write(workspace.path().join(".gitignore"), "target/\n*.log\n")?;
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(elsewhere.path(), workspace.path().join("linked"))?;
            std::os::unix::fs::symlink(elsewhere.path().join("secret.txt"), workspace.path().join("link.txt"))?;
            std::fs::write(workspace.path().join("a\u{202e}b"), "")?;
            std::fs::write(workspace.path().join("two\nlines"), "")?;
        }
        let listing = Listing::of(workspace.path());
        assert_eq!(sorted(found(&listing, "")), ["docs/a b.md", "src/main.rs"]);
        #[cfg(unix)]
        {
            let link = workspace.path().join("linked");
            let led = Listing::of(&link);
            assert_eq!(led.root, std::fs::canonicalize(elsewhere.path()).ok(), "where it led is known");
            assert_ne!(led.root.as_deref(), Some(link.as_path()), "so that no agent is told of what is there");
        }
        assert!(found(&listing, "../secret").is_empty(), "no query leads out of the workspace");
        drop(elsewhere);
        Ok(())
    }

    #[test]
    fn a_list_above_the_repository_ignores_nothing_in_it() -> Outcome {
        let above = folder(&["work/src/a.rs", "work/.git/HEAD", "work/deep/b.rs"])?;
        std::fs::write(above.path().join(".gitignore"), "*\n")?;
        std::fs::write(above.path().join("work/.gitignore"), "b.rs\n")?;
        assert_eq!(found(&Listing::of(&above.path().join("work")), ""), ["src/a.rs"]);
        let deep = Listing::of(&above.path().join("work/deep"));
        assert_eq!(found(&deep, ""), Vec::<String>::new(), "the repository's own list holds below it");
        Ok(())
    }

    #[test]
    fn the_best_comes_first_and_says_which_characters_fit() -> Outcome {
        let workspace = folder(&["src/domain/index.ts", "src/main.rs", "man/unrelated.1", "é/maßstab.rs"])?;
        let listing = Listing::of(workspace.path());
        let (files, more) = listing.find("main.rs");
        let first = FoundFile { path: "src/main.rs".to_owned(), positions: (4..11).collect() };
        assert_eq!((files.first(), more), (Some(&first), false));
        assert_eq!(found(&listing, "MAIN"), Vec::<String>::new(), "capitals are meant as such");
        let (files, _) = listing.find("é stab");
        let positions = files.first().map(|file| file.positions.clone());
        assert_eq!(positions, Some(vec![0, 5, 6, 7, 8]), "characters are counted, not bytes");
        Ok(())
    }

    #[test]
    fn without_a_query_the_latest_changes_come_first() -> Outcome {
        let workspace = folder(&["old.rs", "new.rs", "middle.rs"])?;
        for (name, age) in [("old.rs", 300), ("middle.rs", 200), ("new.rs", 100)] {
            let file = std::fs::File::options().write(true).open(workspace.path().join(name))?;
            file.set_modified(SystemTime::now() - Duration::from_secs(age))?;
        }
        assert_eq!(found(&Listing::of(workspace.path()), " "), ["new.rs", "middle.rs", "old.rs"]);
        Ok(())
    }

    #[test]
    fn a_large_workspace_ends_somewhere_and_says_so() -> Outcome {
        let names: Vec<String> = (0..bounds::FILES_OFFERED + 5).map(|number| format!("f{number}.rs")).collect();
        let workspace = folder(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let all = Listing::of(workspace.path());
        let (offered, more) = all.find("f");
        assert_eq!((offered.len(), more), (bounds::FILES_OFFERED, true));
        assert!(!all.find("f54").1, "these are all that fit");
        let cut = Listing::bounded(workspace.path(), 10, Duration::from_secs(60));
        assert_eq!((cut.files.len(), cut.find("").1), (10, true), "more than may be looked at");
        let late = Listing::bounded(workspace.path(), 10, Duration::ZERO);
        assert_eq!((late.files.len(), late.find("").1), (0, true), "longer than it may take");
        Ok(())
    }

    #[tokio::test]
    async fn what_is_no_folder_has_no_files_and_a_list_is_used_again() -> Outcome {
        let workspaces = Workspaces::default();
        for nowhere in ["", "relative", "/no/such/folder", "/dev/null"] {
            let listing = workspaces.listing(Path::new(nowhere)).await;
            assert!(listing.is_none_or(|listing| listing.files.is_empty()), "{nowhere:?} has files");
        }
        let workspace = folder(&["a.rs"])?;
        let first = workspaces.listing(workspace.path()).await.ok_or("a folder can be read")?;
        let again = workspaces.listing(workspace.path()).await.ok_or("a folder can be read")?;
        assert!(Arc::ptr_eq(&first, &again), "it isn't walked for every letter");
        Ok(())
    }
}
