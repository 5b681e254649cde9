//! What is kept of runs: of each a file in the gate's folder, the person's alone to read, and no more of them than so many.
//! What a program printed may be whatever its user may read, so it stands in no record, no log and no tool's result.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_api::subjects::reviews::{RUNS_LISTED, ReviewRun, RunEnd};
use gate_core::Fault;
use gate_core::proposal::ReviewId;
use gate_worker::{Money, Program};

use super::super::Reviews;
use crate::work::blocking;

/// Runs that are kept, of all reviews together.
const MOST: usize = 200;
/// The folder that they are in, beside what each program printed last.
const FOLDER: &str = "runs";

/// A run that is over.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) end: RunEnd,
    /// The code with which it ended, of one that crashed.
    pub(super) code: Option<u8>,
    /// How long it took; absent where it wasn't started.
    pub(super) took: Option<Duration>,
    /// What it cost.
    pub(super) money: Option<Money>,
    /// What there is for the person of one that failed.
    pub(super) printed: String,
}

impl Over {
    /// One of which nothing is known but how it ended.
    pub(super) fn new(end: RunEnd) -> Self {
        Self { end, code: None, took: None, money: None, printed: String::new() }
    }
}

impl Reviews {
    /// Keeps what became of a run. Where that can't be, it is logged: nothing else hangs on it.
    pub(super) async fn keep_run(&self, review: ReviewId, program: Program, round: u32, over: Over) {
        let now = self.bus.now();
        let run = ReviewRun {
            program: program.name().to_owned(),
            round,
            end: over.end,
            code: over.code,
            ended_at: now,
            took_millis: over.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            micro_dollars: over.money.map(|money| money.0),
            printed: over.printed,
        };
        let folder = self.pool.printed.join(FOLDER);
        let file = folder.join(format!("{:015} {review} {}.json", now.0, program.id()));
        let kept = move || {
            let text = serde_json::to_vec(&run).map_err(|error| Fault::internal(error.to_string()))?;
            keep(&file, &text)?;
            let files = files(&folder);
            for old in &files[..files.len().saturating_sub(MOST)] {
                // What another has removed is gone, too.
                let _ = std::fs::remove_file(old);
            }
            Ok(())
        };
        if let Err(fault) = blocking(kept).await {
            tracing::warn!(%fault, "what became of a run of the pool can't be kept");
        }
    }

    /// What is known of the runs on a review, the latest last.
    pub(in super::super) async fn runs(&self, review: ReviewId) -> Result<Vec<ReviewRun>, Fault> {
        let folder = self.pool.printed.join(FOLDER);
        blocking(move || Ok(runs_of(&folder, review))).await
    }

    /// How many runs on a review are known, and how many of them failed.
    pub(in super::super) async fn counted_runs(&self, review: ReviewId) -> Result<(u32, u32), Fault> {
        let runs = self.runs(review).await?;
        let failed = runs.iter().filter(|run| run.end.is_failure()).count();
        let count = |runs: usize| u32::try_from(runs).unwrap_or(u32::MAX);
        Ok((count(runs.len()), count(failed)))
    }
}

/// The files of runs, the oldest first.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A file that can't be read is left out: it may be of another version, or be gone by now.
fn runs_of(folder: &Path, review: ReviewId) -> Vec<ReviewRun> {
    let id = review.to_string();
    let is_of = |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().contains(&id));
    let of_review: Vec<_> = files(folder).into_iter().filter(is_of).collect();
    let latest = &of_review[of_review.len().saturating_sub(RUNS_LISTED)..];
    latest.iter().filter_map(|file| serde_json::from_slice(&std::fs::read(file).ok()?).ok()).collect()
}

/// Keeps a text for the person alone, in the place of the one before.
pub(super) fn keep(file: &Path, text: &[u8]) -> Result<(), Fault> {
    let kept = || {
        if let Some(folder) = file.parent() {
            gate_os::files::create_folder(folder)?;
        }
        gate_os::files::private_and_no_link().write(true).create(true).truncate(true).open(file)?.write_all(text)
    };
    kept().map_err(|error| Fault::of_file(error.kind(), format!("{}: {error}.", file.display())))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::slices::Gate;
    use crate::tests::{Outcome, gate};

    async fn keep_one(gate: &Gate, review: ReviewId, over: Over) {
        gate.inner.reviews.keep_run(review, Program::Codex, 2, over).await;
    }

    #[tokio::test]
    async fn what_became_of_a_run_is_told_with_what_it_took_and_what_it_printed() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let (review, other) = (ReviewId(Uuid::now_v7()), ReviewId(Uuid::now_v7()));
        let (took, money) = (Some(Duration::from_millis(2500)), Some(Money(120_000)));
        let failed = Over { took, money, printed: "out of memory".to_owned(), ..Over::new(RunEnd::Crashed) };
        keep_one(&gate, review, Over { code: Some(3), ..failed }).await;
        keep_one(&gate, other, Over::new(RunEnd::Answered)).await;
        let reviews = &gate.inner.reviews;
        let runs = reviews.runs(review).await?;
        let [run] = &runs[..] else { return Err(format!("the other one's is the other one's: {runs:?}").into()) };
        assert_eq!((run.program.as_str(), run.round, run.end, run.code), ("Codex", 2, RunEnd::Crashed, Some(3)));
        assert_eq!((run.took_millis, run.micro_dollars), (Some(2500), Some(120_000)));
        assert_eq!(run.printed, "out of memory");
        assert_eq!(reviews.counted_runs(review).await?, (1, 1));
        assert_eq!(reviews.counted_runs(other).await?, (1, 0), "one that answered hasn't failed");
        Ok(())
    }

    #[tokio::test]
    async fn only_so_many_runs_are_kept_the_latest() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let folder = gate.inner.reviews.pool.printed.join(FOLDER);
        for number in 0..MOST + 5 {
            keep(&folder.join(format!("{number:015} of before.json")), b"not ours to read")?;
        }
        let review = ReviewId(Uuid::now_v7());
        keep_one(&gate, review, Over::new(RunEnd::TimedOut)).await;
        assert_eq!(files(&folder).len(), MOST, "the oldest are gone");
        assert_eq!(gate.inner.reviews.counted_runs(review).await?, (1, 1), "and the newest is there");
        Ok(())
    }
}
