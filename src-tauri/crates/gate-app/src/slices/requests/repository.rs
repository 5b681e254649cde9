//! Diffs that the gate itself makes of repositories, and what it keeps of them.
//!
//! What was shown lies in `repositories/DIGEST`, by the digest of its manifest: two questions about the same have it
//! together, and it goes when none is left that could need it. `repositories/scratch` is emptied before the first use.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gate_core::ask::excerpt;
use gate_core::require::is_branch;
use gate_core::{Code, Digest, Fault, Oid, OwnerId, QuestionGit, Timestamp, bounds};
use gate_git::{Git, Kind, Objects, Options, Owners, Person, Repository, Revision, Snapshot, What};
use gate_mcp::{Call, Made, NamedRepository, Shows};
use tempfile::TempDir;
use tokio::sync::{OnceCell, Semaphore};

use super::Requests;
use crate::work::blocking;

/// How many diffs are made at the same time; others wait for their turn.
const AT_ONCE: usize = 2;
/// For how long what was shown is kept after the answer, in milliseconds: 30 days, as long as a receipt is good.
const KEPT_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// What no question has yet is left alone for so long, in milliseconds.
const YOUNG_MILLIS: u64 = 10 * 60 * 1000;
/// The folder of what is being made.
const SCRATCH: &str = "scratch";

/// The program `git`, and the folder of what was shown.
#[derive(Debug)]
pub(crate) struct Repositories {
    folder: PathBuf,
    /// Where programs are looked for.
    path: OsString,
    person: Person,
    git: OnceCell<Git>,
    pub(super) turns: Semaphore,
}

impl Repositories {
    /// With the git that this process would find, and the settings of the person that it runs as.
    pub(crate) fn of_process(folder: PathBuf) -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let person = Person {
            home: variable("HOME").map(PathBuf::from),
            config_home: variable("XDG_CONFIG_HOME").map(PathBuf::from),
        };
        let (path, git) = (variable("PATH").unwrap_or_default(), OnceCell::new());
        Self { folder, path, person, git, turns: Semaphore::new(AT_ONCE) }
    }

    /// Makes the diff of what is named in a repository at `path` or above it, and keeps what differs. `path` is real, and
    /// so is `folder`, from which nothing leads out that the repository reads besides itself.
    async fn make(
        &self,
        named: &NamedRepository,
        (path, folder): (&Path, &Path),
        now: Timestamp,
    ) -> Result<Made, Fault> {
        let what: What = named.what.as_deref().unwrap_or("worktree").parse()?;
        let base: Option<Revision> = named.base.as_deref().map(str::parse::<Revision>).transpose()?;
        let _turn = self.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        let git = self.git().await?;
        self.has_room().await?;
        let repository = Repository::open(git, path, Owners::Me).await?;
        let top = of_its_own(&repository, path, folder)?;
        let scratch = self.scratch();
        let new = blocking(move || tempfile::Builder::new().prefix("new-").tempdir_in(&scratch).map_err(unwritable));
        let new = new.await?;
        let keep = Objects::create(git, new.path(), repository.format()).await?;
        let mut snapshot = repository.snapshot(&what, base.as_ref(), &keep, &Options::default()).await?;
        if snapshot.files.is_empty() {
            return Err(nothing(&what));
        }
        // What is shown is text; the manifest is of what is shown.
        let diff = String::from_utf8_lossy(&snapshot.diff).into_owned();
        if diff.len() > bounds::DIFF_BYTES {
            return Err(gate_git::Error::TooLarge { what: "The diff", most: bounds::DIFF_BYTES as u64 }.into());
        }
        snapshot.diff = diff.clone().into_bytes();
        let git = held(&snapshot, in_full(&repository, &what).await?, &top)?;
        self.keep(new, git.manifest, now).await?;
        Ok(Made { diff, git })
    }

    /// The program, which may be installed while the gate runs.
    pub(super) async fn git(&self) -> Result<&Git, Fault> {
        let found = async {
            let scratch = self.scratch();
            let (path, empty) = (self.path.clone(), scratch.clone());
            let program = blocking(move || {
                let program = Git::find(&path).ok_or_else(|| gate_git::Error::NoGit { program: "git".into() })?;
                if empty.exists() {
                    fs::remove_dir_all(&empty).map_err(unwritable)?;
                }
                fs::create_dir_all(&empty).map_err(unwritable)?;
                Ok(program)
            })
            .await?;
            Ok::<_, Fault>(Git::new(&program, self.person.clone(), &scratch).await?)
        };
        self.git.get_or_try_init(|| found).await
    }

    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.join(SCRATCH)
    }

    /// Whether so much is kept already that nothing more is taken in.
    async fn has_room(&self) -> Result<(), Fault> {
        let folder = self.folder.clone();
        let kept = blocking(move || Ok(fs::read_dir(folder).map_err(unwritable)?.count())).await?;
        if kept <= bounds::KEPT_SNAPSHOTS {
            return Ok(());
        }
        Err(Fault::new(
            Code::TooMany,
            format!("What was shown of repositories is kept {} times already.", bounds::KEPT_SNAPSHOTS),
            "Pass the change as `diff`; what is no longer needed is deleted each hour.",
        ))
    }

    /// Gives what was taken over its name. The same may be there already, and is as good as new then.
    async fn keep(&self, new: TempDir, manifest: Digest, now: Timestamp) -> Result<(), Fault> {
        let to = self.folder.join(manifest.to_string());
        blocking(move || {
            match fs::rename(new.path(), &to) {
                // It has moved: there is nothing to delete under its old name.
                Ok(()) => drop(new.keep()),
                Err(_) if to.exists() => {
                    let touched = fs::File::open(&to).and_then(|folder| folder.set_modified(moment(now)));
                    touched.map_err(unwritable)?;
                }
                Err(error) => return Err(unwritable(error)),
            }
            Ok(())
        })
        .await
    }

    /// Deletes what no question needs any more. `needed` are the manifests of those that do.
    fn clean(folder: &Path, needed: &[Digest], now: Timestamp) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(manifest) = name.to_str().and_then(|name| name.parse::<Digest>().ok()) else { continue };
            let age = moment(now).duration_since(entry.metadata()?.modified()?).unwrap_or_default();
            let is_young = age < Duration::from_millis(YOUNG_MILLIS);
            if !is_young && !needed.contains(&manifest) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Requests {
    /// The diff that a call names a repository for, or the request that the call stands for already.
    ///
    /// # Errors
    /// Why it can't be shown, and what to do.
    pub(crate) async fn make_diff(&self, call: &Call, named: &NamedRepository) -> Result<Shows, Fault> {
        let stands_for = match call.request_id {
            Some(request) => Some(request),
            None => self.store.request_of_call(&call.call_key).await?,
        };
        if let Some(request) = stands_for {
            return Ok(Shows::Request(request));
        }
        match self.made_for(named, &call.owner.id).await {
            Ok(made) => Ok(Shows::New(Box::new(made))),
            // Requests have no word of their own for it.
            Err(fault) if fault.code == Code::OutsideWorkspace => Err(Fault { code: Code::InvalidInput, ..fault }),
            Err(fault) => Err(fault),
        }
    }

    /// The diff of what an owner names of a repository.
    ///
    /// # Errors
    /// `outside_workspace`, or why else it can't be shown, and what to do.
    pub(crate) async fn made_for(&self, named: &NamedRepository, owner: &OwnerId) -> Result<Made, Fault> {
        let folders = match (&named.folder, owner) {
            (Some(folder), _) => vec![folder.clone()],
            (None, OwnerId::Token(name)) => self.store.folders_of_token(name).await?,
            (None, _) => Vec::new(),
        };
        if folders.is_empty() {
            return Err(no_folder(matches!(owner, OwnerId::Token(_) | OwnerId::SharedToken)));
        }
        let path = named.path.clone();
        let made = async {
            let (path, folder) = blocking(move || placed(&path, &folders)).await?;
            self.repositories.make(named, (&path, &folder), self.bus.now()).await
        };
        let seconds = bounds::REPOSITORY_SECONDS;
        let made = tokio::time::timeout(Duration::from_secs(seconds), made).await;
        made.unwrap_or_else(|_| Err(gate_git::Error::TooSlow { seconds }.into()))
    }

    /// Deletes what was shown of repositories and can't be needed any more: of requests that are deleted, were closed
    /// without an answer, or were answered longer than 30 days ago.
    ///
    /// # Errors
    /// `database`, and where a folder can't be read or deleted.
    pub(crate) async fn clean_repositories(&self, now: Timestamp) -> Result<(), Fault> {
        let folder = self.repositories.folder.clone();
        let kept = folder.clone();
        if !blocking(move || Ok(kept.exists())).await? {
            return Ok(());
        }
        let since = Timestamp(now.0.saturating_sub(KEPT_MILLIS));
        let needed = self.store.manifests_since(since).await?;
        blocking(move || Repositories::clean(&folder, &needed, now).map_err(unwritable)).await
    }
}

/// The folder that a path names, and that of `folders` which it is in, both without links.
fn placed(path: &str, folders: &[String]) -> Result<(PathBuf, PathBuf), Fault> {
    let mut outside = None;
    for folder in folders {
        // One that is gone, or that the system named in part only, has nothing in it.
        let Ok(folder) = fs::canonicalize(folder) else { continue };
        let named = folder.join(path);
        match fs::canonicalize(&named) {
            Ok(found) if !found.starts_with(&folder) => outside = Some(found),
            Ok(found) if !found.is_dir() => return Err(no_such(path, "it is no folder")),
            Ok(found) => return Ok((found, folder)),
            Err(_) => {}
        }
    }
    let allowed = folders.join(", ");
    match outside {
        Some(found) => Err(Fault::new(
            Code::OutsideWorkspace,
            format!("`repository.path` leads to {}, which isn't in {allowed}.", found.display()),
            "Name the folder that your program works in, or one below it; or pass the change as `diff`.",
        )),
        None => Err(no_such(path, &format!("there is no such folder in {allowed}"))),
    }
}

fn no_such(path: &str, why: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("`repository.path` is {:?}, but {why}.", excerpt(path, 200)),
        "Name a folder of the repository, e.g. `.`.",
    )
}

/// Why nothing is read for this caller.
fn no_folder(over_http: bool) -> Fault {
    let (why, mend) = match over_http {
        true => (
            "Over HTTP the gate reads repositories only in folders that your client's token was given, and it was given \
             none.",
            "Pass the change as `diff`; or the person gives your client a token with \
             `review-gate token create NAME --folder DIR`.",
        ),
        false => (
            "The system doesn't say in which folder your program works, as in a container or over a forwarded socket, so \
             the gate reads no repository for it.",
            "Pass the change as `diff`.",
        ),
    };
    Fault::new(Code::Repository, why, mend)
}

/// The top of a repository that was found from `path`, which is in it, and that reads nothing of others': its objects
/// are its own, or lie below `folder`. Whoever could lead us elsewhere would have shown what they may not read.
pub(super) fn of_its_own(repository: &Repository, path: &Path, folder: &Path) -> Result<PathBuf, Fault> {
    let own = repository.common_dir();
    let top = repository.worktree().unwrap_or(own);
    let leads_back = !matches!(repository.kind(), Kind::Separate) || own.starts_with(folder);
    let elsewhere = |path: &&Path| !path.starts_with(own) && !path.starts_with(folder);
    let foreign = match leads_back && path.starts_with(top) {
        true => repository.outside(top).into_iter().find(elsewhere),
        false => Some(own),
    };
    match foreign {
        None => Ok(top.to_owned()),
        Some(foreign) => Err(Fault::new(
            Code::Repository,
            format!("The repository in {} reads {}, which isn't its own.", path.display(), foreign.display()),
            "Pass the change as `diff`, or ask for a clone that has its own objects.",
        )),
    }
}

/// What is looked at, in the words of who asks; of a range each side that is a branch by that branch's name, and one that
/// only sounds like a branch by what it is: rules for a branch look at that.
async fn in_full(repository: &Repository, what: &What) -> Result<String, Fault> {
    let What::Range(from, to) = what else { return Ok(what.to_string()) };
    Ok(format!("{}..{}", side_in_full(repository, from).await?, side_in_full(repository, to).await?))
}

async fn side_in_full(repository: &Repository, side: &Revision) -> Result<String, Fault> {
    let words = side.as_str();
    let full = match repository.reference(side).await? {
        Some(full) => full,
        None if is_branch(words) => return Ok(repository.resolve(side).await?.as_str().to_owned()),
        None => return Ok(words.to_owned()),
    };
    let short = full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/remotes/"));
    Ok(short.filter(|short| is_branch(short)).unwrap_or(&full).to_owned())
}

/// What git holds of a snapshot, as it is asked about.
fn held(snapshot: &Snapshot, what: String, top: &Path) -> Result<QuestionGit, Fault> {
    let oid = |oid: &gate_git::Oid| Oid::try_from(oid.as_str().to_owned()).map_err(Fault::internal);
    Ok(QuestionGit {
        repository: top.to_string_lossy().into_owned(),
        what,
        base: snapshot.base.as_ref().map(oid).transpose()?,
        base_tree: oid(&snapshot.base_tree)?,
        commit: snapshot.commit.as_ref().map(oid).transpose()?,
        tree: oid(&snapshot.tree)?,
        manifest: Digest::of(&snapshot.manifest())?,
    })
}

fn nothing(what: &What) -> Fault {
    let (why, mend) = match what {
        What::Worktree => ("The work tree has no change.", "Change something first, or name a commit or a range."),
        What::Staged => ("Nothing is staged.", "Stage it with `git add`, or ask with `worktree`."),
        What::Commit(_) | What::Range(..) => ("It changes no file.", "Name a commit or a range that does."),
    };
    Fault::new(Code::InvalidInput, format!("There is nothing to show of `{what}`. {why}"), mend)
}

pub(super) fn unwritable(error: std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => gate_git::Error::DiskFull.into(),
        _ => Fault::new(
            Code::Repository,
            format!("What is shown of repositories can't be kept: {error}."),
            "Look at the folder `repositories` in the gate's data folder and its permissions, or pass the change as `diff`.",
        ),
    }
}

/// A moment as file systems have it.
fn moment(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at.0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use gate_core::{AnsweredFrom, Ask};

    use super::*;
    use crate::tests::{Outcome, call, gate, now, reply};

    fn text(path: &Path) -> String {
        path.to_str().expect("a temporary folder's path is text").to_owned()
    }

    #[test]
    fn a_path_is_in_one_of_the_folders_wherever_its_links_lead() -> Outcome {
        let folder = tempfile::tempdir()?;
        let real = fs::canonicalize(folder.path())?;
        for part in ["work/shop/sub", "more", "elsewhere"] {
            fs::create_dir_all(real.join(part))?;
        }
        fs::write(real.join("work/file"), "")?;
        symlink(real.join("elsewhere"), real.join("work/out"))?;
        symlink(real.join("work/shop"), real.join("work/in"))?;
        symlink(real.join("work"), real.join("link"))?;
        let folders = [text(&real.join("gone")), text(&real.join("link")), text(&real.join("more"))];
        let (work, more) = (real.join("work"), real.join("more"));
        for (path, found, of) in [
            (".", "work", &work),
            ("shop/sub", "work/shop/sub", &work),
            ("shop/../shop", "work/shop", &work),
            ("in", "work/shop", &work),
            (&*text(&more), "more", &more),
        ] {
            assert_eq!(placed(path, &folders)?, (real.join(found), of.clone()), "{path}");
        }
        let (outside, wrong) = (Code::OutsideWorkspace, Code::InvalidInput);
        for (path, code, said) in [
            ("..", outside, "which isn't in"),
            ("out", outside, "which isn't in"),
            (&*text(&real.join("elsewhere")), outside, "which isn't in"),
            ("/", outside, "which isn't in"),
            ("file", wrong, "it is no folder"),
            ("nothing", wrong, "there is no such folder"),
            ("a\0b", wrong, "there is no such folder"),
        ] {
            let fault = placed(path, &folders).expect_err(path);
            assert!(fault.code == code && fault.message.contains(said), "{path:?}: {fault}");
        }
        assert!(placed(".", &folders[..1]).is_err(), "a folder that is gone has nothing in it");
        Ok(())
    }

    #[tokio::test]
    async fn without_a_folder_nothing_is_read_and_it_is_said_what_to_do() -> Outcome {
        let (_folder, gate) = gate(false).await?;
        let named = NamedRepository { path: ".".to_owned(), what: None, base: None, folder: None };
        let shared = Call { owner: OwnerId::SharedToken.into(), ..call("http-1:1", "m") };
        for (call, said) in [(call("a:1", "m"), "`diff`"), (shared, "token create NAME --folder DIR")] {
            let fault = gate.inner.requests.make_diff(&call, &named).await.expect_err("nobody names a folder");
            assert!(fault.code == Code::Repository && fault.mend.contains(said), "{fault}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_side_of_a_range_is_named_as_the_branch_that_it_is() -> Outcome {
        let (_folder, gate) = gate(false).await?;
        let shop = tempfile::tempdir()?;
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a"]).args(arguments).current_dir(shop.path());
            let ran = command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output()?;
            assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
            Ok::<_, std::io::Error>(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
        };
        git(&["init", "--quiet", "--initial-branch=main"])?;
        git(&["commit", "--quiet", "--allow-empty", "--message=first"])?;
        git(&["update-ref", "refs/remotes/upstream/main", "main"])?;
        git(&["symbolic-ref", "refs/remotes/upstream/HEAD", "refs/remotes/upstream/main"])?;
        git(&["tag", "v1"])?;
        git(&["checkout", "--quiet", "-b", "topic"])?;
        fs::write(shop.path().join("a.txt"), "a\n")?;
        git(&["add", "a.txt"])?;
        git(&["commit", "--quiet", "--message=second"])?;
        git(&["branch", "cafe"])?;
        let main = git(&["rev-parse", "main"])?;
        let (begins, described) = (&main[..8], format!("v1-0-g{}", &main[..8]));
        for (what, named) in [
            ("main..topic", "main..topic"),
            ("main..HEAD", "main..topic"),
            ("@{-1}..@", "main..topic"),
            ("refs/heads/main..heads/topic", "main..topic"),
            ("upstream..topic", "upstream/main..topic"),
            ("refs/remotes/upstream/main..topic", "upstream/main..topic"),
            ("main..cafe", "main..refs/heads/cafe"),
            ("v1..topic", "refs/tags/v1..topic"),
            ("main~0..topic", "main~0..topic"),
            (&format!("{main}..topic"), &format!("{main}..topic")),
            (&format!("{begins}..topic"), &format!("{begins}..topic")),
            (&format!("{described}..topic"), &format!("{described}..topic")),
            ("topic", "topic"),
        ] {
            let folder = Some(text(shop.path()));
            let (path, asked) = (".".to_owned(), Some(what.to_owned()));
            let repository = NamedRepository { path, what: asked, base: None, folder };
            match gate.inner.requests.make_diff(&call(what, "m"), &repository).await? {
                Shows::New(made) => assert_eq!(made.git.what, named, "{what}"),
                Shows::Request(request) => return Err(format!("{what} stands for {request}").into()),
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_call_that_comes_back_opens_no_question_without_its_diff() -> Outcome {
        let (_folder, gate) = gate(false).await?;
        let requests = &gate.inner.requests;
        let named = NamedRepository { path: ".".to_owned(), what: None, base: None, folder: None };
        for (key, is_deleted) in [("a:1", false), ("a:2", true)] {
            let asked = requests.ask(call(key, "May I?")).await?;
            reply(&gate, asked.request_id, None, &draft(), AnsweredFrom::Desktop).await?;
            let mut again = call(key, "May I?");
            requests.make_diff(&again, &named).await?.put_into(&mut again);
            // Meanwhile its key is forgotten: the result of the first has arrived, or all of it was deleted.
            gate.inner.store.mark_delivered(key, now()).await?;
            if is_deleted {
                gate.inner.store.delete_conversation(asked.session_uuid).await?;
            }
            match requests.ask(again).await {
                Ok(found) if !is_deleted => {
                    assert_eq!(found.request_id, asked.request_id, "it is the same request");
                    assert!(found.outcome.is_some(), "and has its reply");
                }
                Err(fault) if is_deleted => assert_eq!(fault.code, Code::UnknownRequest),
                other => return Err(format!("{key}: {:?}", other.map(|asked| asked.request_id)).into()),
            }
            assert_eq!(gate.pending(), 0, "nothing is asked that doesn't show what it is about");
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_was_shown_is_kept_for_as_long_as_a_receipt_is_good() -> Outcome {
        let (_folder, gate) = gate(false).await?;
        let requests = &gate.inner.requests;
        let kept = requests.repositories.folder.clone();
        let oid = |digits: &str| Oid::try_from(digits.repeat(20)).expect("it has its digits");
        let git = |manifest: Digest| QuestionGit {
            repository: "/w/shop".to_owned(),
            what: "worktree".to_owned(),
            base: None,
            base_tree: oid("1a"),
            commit: None,
            tree: oid("2b"),
            manifest,
        };
        let ask = |name: &str| {
            let manifest = Digest::of_bytes(name.as_bytes());
            let ask = Ask { message: name.to_owned(), git: Some(Box::new(git(manifest))), ..Ask::default() };
            (manifest, Call { ask, ..call(&format!("a:{name}"), name) })
        };
        let ((waits, waiting), (done, answered), (gone, withdrawn)) = (ask("waits"), ask("done"), ask("gone"));
        let _waiting = requests.ask(waiting).await?;
        let answered = requests.ask(answered).await?;
        reply(&gate, answered.request_id, None, &draft(), AnsweredFrom::Desktop).await?;
        let withdrawn = requests.ask(withdrawn).await?;
        requests.cancel(withdrawn.request_id).await?;
        let young = Digest::of_bytes(b"asked about just now");
        let old = moment(Timestamp(now().0 - 60 * 60 * 1000));
        for (manifest, is_old) in [(waits, true), (done, true), (gone, true), (young, false)] {
            fs::create_dir_all(kept.join(manifest.to_string()).join("objects"))?;
            if is_old {
                fs::File::open(kept.join(manifest.to_string()))?.set_modified(old)?;
            }
        }
        fs::create_dir(kept.join(SCRATCH))?;
        let there = |manifest: Digest| kept.join(manifest.to_string()).exists();

        requests.clean_repositories(now()).await?;
        assert_eq!([waits, done, gone, young].map(there), [true, true, false, true], "what may still be needed");
        requests.clean_repositories(Timestamp(now().0 + KEPT_MILLIS + 60_000)).await?;
        assert_eq!([waits, done, young].map(there), [true, false, false], "no receipt is good any more");
        assert!(kept.join(SCRATCH).exists(), "which is emptied at another time");
        Ok(())
    }

    fn draft() -> gate_core::Draft {
        gate_core::Draft { text: "yes".to_owned(), ..gate_core::Draft::default() }
    }
}
