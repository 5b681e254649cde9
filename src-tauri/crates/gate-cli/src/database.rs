//! `review-gate backup`, `restore` and `check`: the database.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::conversations::{BackUp, BackedUp};
use gate_app::offline::{self, CheckReport, CheckedBackup, FileSystem, JournalMode, SchemaStanding};
use gate_core::Fault;
use gate_link::Home;

use crate::client::Client;
use crate::output::counted;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate backup && ls ~/.local/share/review-gate/backups

The gate makes backups by itself, too: `storage.backups` and `storage.backup_hours` in config.yaml.")]
pub(crate) struct BackupArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate stop && review-gate restore review-gate-20261121T093000125Z.db

What was there is set aside in the folder `replaced`, not deleted. `review-gate check` lists the backups.")]
pub(crate) struct RestoreArguments {
    /// The backup: a path, or a name in the folder of backups
    file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate check --json | jq .integrity

Reads only, also while a gate runs. Exit codes: 0 the record is sound; 1 it isn't; 4 it can't be read.")]
pub(crate) struct CheckArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn backup(home: &Home, arguments: &BackupArguments) -> Result<ExitCode, Fault> {
    let made = match Client::running(home).await? {
        Some(mut client) => client.ask(BackUp {}).await?,
        None => match offline::back_up(home).await? {
            Some(made) => BackedUp { path: made.path.display().to_string(), bytes: made.bytes },
            // A gate has just started.
            None => Client::started(home).await?.ask(BackUp {}).await?,
        },
    };
    if arguments.json {
        output::json(&serde_json::json!({ "path": made.path, "bytes": made.bytes }))?;
    } else {
        output::line(&format!("{} ({})", made.path, size(made.bytes)));
    }
    Ok(ExitCode::from(exit::DONE))
}

pub(crate) async fn restore(home: &Home, arguments: &RestoreArguments) -> Result<ExitCode, Fault> {
    let file = &arguments.file;
    let named = home.backups_folder().join(file);
    let file = if !file.exists() && named.exists() { &named } else { file };
    let restored = offline::restore(home, file).await?;
    output::line(&format!("{} is the record now.", file.display()));
    if let Some(folder) = restored.set_aside {
        output::line(&format!("What was there is in {}.", folder.display()));
    }
    Ok(ExitCode::from(exit::DONE))
}

pub(crate) async fn check(home: &Home, arguments: &CheckArguments) -> Result<ExitCode, Fault> {
    let report = offline::check(home).await?;
    if arguments.json {
        output::json(&report)?;
    } else {
        print(&report);
    }
    Ok(ExitCode::from(if report.is_sound() { exit::DONE } else { exit::NOT_APPROVED }))
}

fn print(report: &CheckReport) {
    let sound = report.is_sound();
    output::line(&format!("{}: {}", report.path.display(), if sound { "sound" } else { "NOT SOUND" }));
    if let Some(counts) = &report.counts {
        output::line(&format!(
            "  holds       {}, {}, {} ({} pending), {}",
            counted(counts.conversations, "conversation"),
            counted(counts.messages, "message"),
            counted(counts.requests, "request"),
            counts.pending,
            counted(counts.attachments, "attachment"),
        ));
    }
    output::line(&format!("  size        {} ({} of it free)", size(report.sizes.file), size(report.sizes.free)));
    let journal = match report.journal_mode {
        JournalMode::Wal => "a write-ahead log",
        JournalMode::Rollback => "a rollback journal",
    };
    let place = match report.file_system {
        FileSystem::Local => "local",
        FileSystem::Network => "network",
    };
    output::line(&format!("  kept with   {journal} on a {place} file system"));
    let standing = match report.schema.standing {
        SchemaStanding::Current => "this program's own",
        SchemaStanding::Older => "older; the next start of the gate migrates it, after a backup",
        SchemaStanding::Newer => "NEWER than this program, which doesn't touch it: update Review Gate",
        SchemaStanding::Unreadable => "unreadable",
    };
    output::line(&format!("  schema      {}: {standing}", report.schema.found.unwrap_or(0)));
    if let Some(backup) = report.schema.to_go_back.first() {
        output::line(&format!("              an earlier program needs `review-gate restore {}`", backup.display()));
    }
    let journal = &report.journal;
    output::line(&format!("  second copy {} entries, {} of them unreadable", journal.good + journal.bad, journal.bad));
    if let Some(missing) = journal.missing.filter(|missing| *missing > 0) {
        output::line(&format!(
            "              {missing} of its replies are missing in the record; the next start puts them back"
        ));
    }
    for problem in report.integrity.iter().chain(&report.references) {
        output::line(&format!("  PROBLEM     {problem}"));
    }
    if report.marked_damaged || !report.integrity.is_empty() {
        output::line(
            "  The next start of the gate puts the record together again from its backups; nothing is to be done by hand.",
        );
    }
    if report.backups.is_empty() {
        output::line("  backups     none yet; `review-gate backup` makes one");
    }
    for (index, CheckedBackup { backup, problem }) in report.backups.iter().enumerate() {
        let label = if index == 0 { "backups" } else { "" };
        let state = problem.as_deref().unwrap_or("good");
        let name = backup.path.file_name().unwrap_or_default().to_string_lossy();
        output::line(&format!("  {label:<11} {name} ({}): {state}", size(backup.bytes)));
    }
}

/// A size as people read it, e.g. `1.5 MB`.
fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}
