//! One synchronisation from its first question to the version that is served. Dropping it ends git and
//! leaves what was served.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use gate_core::{Fault, Timestamp};
use gate_git::child::{Running, behind, ending};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use super::folder::{self, Served, SyncedFolder, Version, Writing};
use super::git::{self, Git};
use super::tree::{Entry, Taken};
use super::{Source, SyncStep, explain, fetch};

/// How many files may be read and not yet be written.
const AHEAD: usize = 64;

/// Looks upstream and fetches what is new. Gives what is served then. `goes_on` hears of each step after the first.
///
/// # Errors
/// `prompt_sync`, or what the folder says; what was served still is.
pub(super) async fn round(
    git: &Git,
    source: &Source,
    folder: &SyncedFolder,
    now: Timestamp,
    goes_on: &(dyn Fn(SyncStep) + Sync),
) -> Result<Arc<Served>, Fault> {
    let here = folder.newest().filter(|served| served.version.source == source.key());
    // A commit's id names its content, so a pinned one that is here can't be another.
    if let (Some(here), Some(_)) = (&here, source.pin()) {
        return Ok(Arc::clone(here));
    }
    git.checked_version().await?;
    let work = folder.work()?;
    let repository = work.path().join("repository");
    std::fs::create_dir(&repository).map_err(|error| folder::unwritable(&error))?;
    let newest = match source.pin() {
        Some(pin) if matches!(pin.len(), 40 | 64) => pin.to_owned(),
        _ => fetch::newest(git, source, &repository).await?,
    };
    if let Some(here) = here.filter(|here| here.version.commit == newest) {
        return Ok(here);
    }
    goes_on(SyncStep::Fetching);
    let commit = fetch::fetch(git, source, &repository, &newest).await?;
    goes_on(SyncStep::Reading);
    let taken = fetch::listing(git, source, &repository, &commit.id).await?;
    let (prompts, ignored) = (taken.prompts, taken.ignored);
    let staging = work.path().join("files");
    let digest = write(git, source, &repository, &staging, taken).await?;
    let version = Version {
        commit: commit.id,
        subject: commit.subject,
        committed_at: commit.at,
        prompts,
        ignored,
        fetched_at: now,
        source: source.key(),
        digest,
    };
    let folder = folder.clone();
    let published = behind(move || folder.publish(&work, &staging, version));
    published.await.unwrap_or_else(|| Err(Fault::internal("Publishing the fetched prompts failed.")))
}

/// Writes what is taken, as `git cat-file` gives it: no attribute, filter or link of the repository has a part in it.
/// Gives the digest.
async fn write(git: &Git, source: &Source, repository: &Path, staging: &Path, taken: Taken) -> Result<String, Fault> {
    let (sender, mut files) = mpsc::channel::<(String, Vec<u8>)>(AHEAD);
    let staging = staging.to_owned();
    let writer = behind(move || {
        let mut writing = Writing::new(staging)?;
        while let Some((path, content)) = files.blocking_recv() {
            writing.add(&path, &content)?;
        }
        Ok::<_, std::io::Error>(writing.digest())
    });
    let limit = Duration::from_secs(git.limits.seconds);
    let read = tokio::time::timeout(limit, read_blobs(git, source, repository, &taken.entries, sender)).await;
    // The writer's own fault is the cause where both have one.
    match writer.await {
        Some(Ok(digest)) => {
            read.unwrap_or_else(|_| Err(explain::too_slow(source, git.limits.seconds)))?;
            Ok(digest)
        }
        Some(Err(error)) => Err(folder::unwritable(&error)),
        None => Err(Fault::internal("Writing the fetched prompts failed.")),
    }
}

/// Hands every entry's content on, in their order.
async fn read_blobs(
    git: &Git,
    source: &Source,
    repository: &Path,
    entries: &[Entry],
    to: mpsc::Sender<(String, Vec<u8>)>,
) -> Result<(), Fault> {
    let mut command = git.command(source, repository);
    command.args(["cat-file", "--batch", "--buffer"]).stdin(Stdio::piped());
    let mut running = Running::start(command).map_err(|error| git::unstarted(&error))?.behind();
    let pipes = (running.input(), running.output(), running.errors());
    let (Some(mut stdin), Some(stdout), stderr) = pipes else {
        return Err(Fault::internal("Git was started without pipes."));
    };
    let asked = async {
        for entry in entries {
            stdin.write_all(format!("{}\n", entry.id).as_bytes()).await?;
        }
        stdin.shutdown().await?;
        drop(stdin);
        Ok::<_, std::io::Error>(())
    };
    let told = async {
        let mut stdout = BufReader::new(stdout);
        for entry in entries {
            let content = blob(&mut stdout, entry).await.ok_or(())?;
            to.send((entry.path.clone(), content)).await.map_err(|_| ())?;
        }
        drop(to);
        Ok::<_, ()>(())
    };
    let (asked, told, errors) = tokio::join!(asked, told, ending(stderr));
    if asked.is_err() || told.is_err() {
        return Err(explain::failure(source, if errors.is_empty() { "corrupt" } else { &errors }));
    }
    Ok(())
}

/// The next object: `<id> blob <size>`, a line break, the content and a line break; absent where it is another.
async fn blob(from: &mut (impl tokio::io::AsyncBufRead + Unpin), entry: &Entry) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    // The longest of these lines is far shorter; a longer one isn't a header.
    (&mut *from).take(200).read_until(b'\n', &mut line).await.ok()?;
    if line != format!("{} blob {}\n", entry.id, entry.size).into_bytes() {
        return None;
    }
    let mut content = vec![0; usize::try_from(entry.size).ok()?];
    from.read_exact(&mut content).await.ok()?;
    (from.read_u8().await.ok()? == b'\n').then_some(content)
}
