//! The UI's packages and its build, each skipped when it would change nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::process::{output, run};
use crate::setup::{npm, once};
use crate::workspace::Workspace;

/// `npm ci`, unless the installed packages are those of `package-lock.json`.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let folder = workspace.ui();
    let lock = std::fs::read_to_string(folder.join("package-lock.json"))
        .context("can't read ui/package-lock.json; `npm install` in ui/ makes it, and it is committed")?;
    once(&folder.join("node_modules"), &lock, || {
        run(npm(&folder).args(["ci", "--no-progress"]), "is the network there? Else run `npm install` in ui/")
    })
}

/// `npm run SCRIPT`.
pub(crate) fn script(workspace: &Workspace, name: &str, mend: &str) -> Result<()> {
    script_on(workspace, name, &[], mend)
}

/// `npm run SCRIPT -- FILES`.
pub(crate) fn script_on(workspace: &Workspace, name: &str, files: &[&str], mend: &str) -> Result<()> {
    run(npm(&workspace.ui()).args(["run", name, "--"]).args(files), mend)
}

/// `npm run build`.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    script(workspace, "build", "mend what vite names above")
}

/// `npm run build`, unless `ui/dist` is newer than every source.
pub(crate) fn build_if_stale(workspace: &Workspace) -> Result<()> {
    if is_built(workspace) { Ok(()) } else { build(workspace) }
}

/// Whether `ui/dist` is newer than every source.
pub(crate) fn is_built(workspace: &Workspace) -> bool {
    let folder = workspace.ui();
    let built = std::fs::metadata(folder.join("dist/index.html")).and_then(|file| file.modified()).ok();
    built.is_some_and(|built| newest(&folder).is_ok_and(|source| source < built))
}

/// Whether the tests in a browser look at every view: there is one, and nobody asked for only some, or for sameness.
pub(crate) fn looks_at_all() -> bool {
    let asked = ["VIEW", "STEADY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let browser = std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    !asked && browser.is_file()
}

/// The files of these folders that are tracked, or would be after `git add`, sorted.
pub(crate) fn files(workspace: &Workspace, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let names = output(Command::new("git").args(list).args(folders).current_dir(&workspace.root))?;
    let files = names.split('\0').filter(|name| !name.is_empty()).map(|name| workspace.root.join(name));
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    Ok(files)
}

/// When the youngest source below `folder` was changed.
fn newest(folder: &Path) -> std::io::Result<SystemTime> {
    let mut latest = SystemTime::UNIX_EPOCH;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let time = if kind.is_file() {
            entry.metadata()?.modified()?
        } else if kind.is_dir() && !["node_modules", "dist"].iter().any(|name| entry.file_name() == *name) {
            newest(&entry.path())?
        } else {
            continue;
        };
        latest = latest.max(time);
    }
    Ok(latest)
}
