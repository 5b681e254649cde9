//! `cargo xtask codegen`: what is generated and committed: the UI's types, the checked SQL, and the pages
//! about the commands and the settings.
//!
//! Each is generated into a folder of its own below `target`, then compared with the committed
//! one, or put in its place. Stale files go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::run as run_command;
use crate::workspace::{Workspace, empty};
use crate::{selection, sql};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only compare, and fail where something would change
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut build = selection::everything(workspace, &["build"], &["--examples"]);
    run_command(&mut build, "mend what the compiler names above")?;
    let queries = sql::described(workspace)?;
    if options.check { check(workspace, queries) } else { write(workspace, queries) }
}

/// Fails when a committed folder isn't what the built examples generate, or the SQL isn't what `clippy` has described.
pub(crate) fn check_built(workspace: &Workspace) -> Result<()> {
    check(workspace, sql::folder(workspace))
}

/// Fails when a committed folder isn't what would be generated. `queries` holds the described SQL.
fn check(workspace: &Workspace, queries: PathBuf) -> Result<()> {
    let mut changes = Vec::new();
    for output in generate(workspace, queries)? {
        let found = differences(&read(&output.fresh)?, &output.committed()?);
        let folder = output.shown(workspace);
        changes.extend(found.iter().map(|(name, what)| format!("  {}: {what}", folder.join(name).display())));
    }
    if changes.is_empty() {
        return Ok(());
    }
    bail!("generated files are not up to date; run `cargo xtask codegen` and commit them\n{}", changes.join("\n"))
}

fn write(workspace: &Workspace, queries: PathBuf) -> Result<()> {
    for output in generate(workspace, queries)? {
        let fresh = read(&output.fresh)?;
        let changes = differences(&fresh, &output.committed()?);
        for (name, what) in &changes {
            let file = output.committed.join(name);
            println!("{}: {what}", output.shown(workspace).join(name).display());
            match fresh.get(name) {
                Some(bytes) => {
                    std::fs::create_dir_all(&output.committed)?;
                    std::fs::write(&file, bytes).with_context(|| format!("can't write {}", file.display()))?;
                }
                None => std::fs::remove_file(&file).with_context(|| format!("can't remove {}", file.display()))?,
            }
        }
        println!("{}: {} files, {} changed", output.shown(workspace).display(), fresh.len(), changes.len());
    }
    Ok(())
}

/// A folder that was generated, and the committed one that has to equal it.
struct Output {
    fresh: PathBuf,
    committed: PathBuf,
    /// The one file of that folder that is generated; absent where all of it is.
    only: Option<&'static str>,
}

impl Output {
    /// The committed files that are generated.
    fn committed(&self) -> Result<Files> {
        let mut files = read(&self.committed)?;
        files.retain(|name, _| self.only.is_none_or(|only| name == Path::new(only)));
        Ok(files)
    }

    /// The committed folder, as a developer names it.
    fn shown<'a>(&'a self, workspace: &Workspace) -> &'a Path {
        self.committed.strip_prefix(&workspace.root).unwrap_or(&self.committed)
    }
}

fn generate(workspace: &Workspace, queries: PathBuf) -> Result<[Output; 4]> {
    let typescript = example(workspace, "typescript")?;
    let commands = example(workspace, "commands_page")?;
    let pages = example(workspace, "settings_page")?;
    Ok([
        Output { fresh: typescript, committed: workspace.ui().join("src/generated"), only: None },
        Output { fresh: commands, committed: workspace.root.join("docs"), only: Some("commands.md") },
        Output { fresh: pages, committed: workspace.root.join("docs"), only: Some("settings.md") },
        Output { fresh: queries, committed: workspace.root.join(".sqlx"), only: None },
    ])
}

/// What the built example of this name writes to a folder of its own.
fn example(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let folder = empty(workspace.target.join("codegen").join(name))?;
    let program = workspace.binary("debug/examples", name);
    run_command(Command::new(program).arg(&folder), "mend what it names above")?;
    Ok(folder)
}

/// Files by their path below a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The folder's files, without going into folders below it: no output has any, and `docs` keeps its
/// pictures in one.
fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            continue;
        }
        files.insert(entry.file_name().into(), std::fs::read(entry.path())?);
    }
    Ok(files)
}

/// What has to happen to `committed` to make it `fresh`.
fn differences(fresh: &Files, committed: &Files) -> Vec<(PathBuf, &'static str)> {
    let names: BTreeSet<&PathBuf> = fresh.keys().chain(committed.keys()).collect();
    let changes = names.into_iter().filter_map(|name| {
        let what = match (fresh.get(name), committed.get(name)) {
            (Some(new), Some(old)) if new == old => return None,
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "missing",
            (None, _) => "stale",
        };
        Some((name.clone(), what))
    });
    changes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, &str)]) -> Files {
        entries.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn every_kind_of_difference_is_seen() {
        let fresh = files(&[("same", "1"), ("changed", "2"), ("missing", "3")]);
        let committed = files(&[("same", "1"), ("changed", "1"), ("stale", "4")]);
        let expected = ["changed", "missing", "stale"].map(|what| (PathBuf::from(what), what));
        assert_eq!(differences(&fresh, &committed), expected, "a stale file would be compiled in for ever");
        assert!(differences(&fresh, &fresh).is_empty(), "what is equal needs no commit");
    }
}
