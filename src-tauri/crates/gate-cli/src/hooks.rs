//! `review-gate install git` and `uninstall git`: hooks that verify what agents commit and push.

mod hook_file;
mod script;

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use gate_clients::Folders;
use gate_core::{Code, Fault};
use gate_git::Kind;
use gate_link::Home;

use crate::{exit, output, verify};
use hook_file::{Change, HookFile};
use script::{Hook, Wish};

#[derive(Debug, Args)]
#[command(after_help = "Writes hooks into the repository of the current folder that run `review-gate verify`: before a
commit what is staged, before a push what the remote gets. Without --pre-commit and --pre-push it writes both. Only
what an agent does needs an approval, as far as the system names the agent (Linux); with --all everybody's does. A hook that is there runs
first and is kept; `review-gate uninstall git` puts back every byte. The folder is the one that git uses:
`core.hooksPath` counts.

With --reviews, what agents commit has to be what a review of theirs has approved, and no approval of yours where the
review needs none: `review-gate reviews check` runs before a commit instead. That is the only hook then, unless --pre-push is
given, too.

This is advice to an agent that means well: `--no-verify` passes a hook by, and whoever may write there takes it
out. What counts is what a machine verifies that no agent can write to: docs/ci.md.

Exit codes: 0 done; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate install git                            both hooks
  review-gate install git --pre-push --all           every push, whoever makes it
  review-gate install git --protected origin/main    what that branch has counts as it is
  review-gate install git --reviews                  agents commit what other agents have approved
  review-gate install git --dry-run                  what would be written")]
pub(crate) struct GitArguments {
    /// Verify what is staged before each commit
    #[arg(long)]
    pre_commit: bool,
    /// Verify what a remote gets before each push
    #[arg(long)]
    pre_push: bool,
    /// Before each commit, check that a review has approved what is staged
    #[arg(long)]
    reviews: bool,
    /// Everybody's commits need an approval, not only those of agents
    #[arg(long)]
    all: bool,
    /// The branch whose commits count as they are, e.g. origin/main
    #[arg(long, value_name = "BRANCH")]
    protected: Option<String>,
    /// Show what would be written, and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Takes the hooks of `review-gate install git` out of the repository of the current folder, and puts
back what was there before, to the byte.

Examples:
  review-gate uninstall git
  review-gate uninstall git --dry-run"
)]
pub(crate) struct OutOfGitArguments {
    /// Show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) async fn install(home: &Home, arguments: &GitArguments) -> Result<ExitCode, Fault> {
    let found = hooks_folder().await?;
    let program = gate_os::programs::this().map_err(|error| Fault::internal(error.to_string()))?;
    let program = gate_clients::stable_program(&program, &Folders::of_process()?.path);
    let wish = Wish {
        program: &program,
        home: home.single_folder(),
        all: arguments.all,
        protected: arguments.protected.as_deref(),
        reviews: arguments.reviews,
    };
    let before_commits = arguments.pre_commit || arguments.reviews;
    let both = !before_commits && !arguments.pre_push;
    let wanted = |hook: &Hook| match hook {
        Hook::PreCommit => both || before_commits,
        Hook::PrePush => both || arguments.pre_push,
    };
    // All are looked at before the first is written.
    let mut plans = Vec::new();
    for hook in Hook::ALL.into_iter().filter(wanted) {
        let (file, script) = (HookFile::new(hook, &found.folder), hook.script(wish));
        plans.push((file.plan(&script)?, file, script));
    }
    for (change, file, script) in &plans {
        if !arguments.dry_run {
            file.carry_out(change, script)?;
        }
        output::line(&said(file, change, arguments.dry_run));
        if arguments.dry_run && *change != Change::Nothing {
            output::line(script.trim_end());
        }
    }
    if found.is_shared {
        let folder = found.folder.display();
        output::line(&format!(
            "`core.hooksPath` leads to {folder}: every repository that it is set for has these hooks."
        ));
    }
    if !arguments.all && !cfg!(target_os = "linux") {
        output::line("This system doesn't tell who is below an agent, so nobody is asked for an approval: add --all.");
    }
    output::line(
        "This is advice: `--no-verify` passes it by. What is verified where no agent can write counts: docs/ci.md.",
    );
    Ok(ExitCode::from(exit::DONE))
}

pub(crate) async fn uninstall(arguments: &OutOfGitArguments) -> Result<ExitCode, Fault> {
    let found = hooks_folder().await?;
    let mut plans = Vec::new();
    for hook in Hook::ALL {
        let file = HookFile::new(hook, &found.folder);
        plans.push((file.plan_out()?, file));
    }
    for (change, file) in &plans {
        if !arguments.dry_run {
            file.carry_out(change, "")?;
        }
        output::line(&said(file, change, arguments.dry_run));
    }
    Ok(ExitCode::from(exit::DONE))
}

/// Where a repository's hooks are.
struct HooksFolder {
    folder: std::path::PathBuf,
    /// Whether it isn't the repository's own.
    is_shared: bool,
}

async fn hooks_folder() -> Result<HooksFolder, Fault> {
    let (repository, _scratch) = verify::open(&verify::here()?).await?;
    if repository.kind() == Kind::Bare {
        return Err(Fault::new(
            Code::Repository,
            "The repository is bare: nobody commits in it or pushes from it.",
            "Run it in a work tree.",
        ));
    }
    let folder = repository.hooks_folder();
    let own = |place: Option<&Path>| place.is_some_and(|place| folder.starts_with(place));
    let is_shared = !own(Some(repository.common_dir())) && !own(repository.worktree());
    Ok(HooksFolder { is_shared, folder })
}

fn said(file: &HookFile, change: &Change, dry_run: bool) -> String {
    let (path, kept) = (file.path(), file.kept());
    let (path, kept) = (path.display(), kept.display());
    let (would, is) = if dry_run { ("would be ", "would be") } else { ("", "is") };
    match change {
        Change::Nothing => format!("{path}: nothing changes."),
        Change::Write => format!("{path}: {would}written."),
        Change::Chain => format!("{path}: {would}written. What was there {is} kept as {kept}, and runs first."),
        Change::PutBack => format!("{path}: {would}put back as it was."),
        Change::Delete => format!("{path}: {would}deleted."),
        Change::Leave { kept: false } => format!("{path}: it isn't Review Gate's, and stays."),
        Change::Leave { kept: true } => format!(
            "{path}: it isn't Review Gate's, and stays; what was there before it is {kept}. Put back the one that you want."
        ),
    }
}
