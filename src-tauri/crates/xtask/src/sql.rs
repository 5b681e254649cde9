//! The description of every SQL statement in gate-store, which sqlx's macros compile against when
//! no database is at hand. What `cargo sqlx prepare` does, without the program.
//!
//! The macros (sqlx-macros-core 0.9, `query/mod.rs`) describe a statement through `DATABASE_URL`
//! when `SQLX_OFFLINE` isn't true, and write what they learn to `SQLX_OFFLINE_DIR` if it is set.
//! cargo doesn't know of these variables: only a newer source makes it compile again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::digest::digest;
use crate::process::{cargo, run};
use crate::setup;
use crate::workspace::{Workspace, empty};

/// The variables that make the macros describe.
type Variables = [(&'static str, String); 3];

/// Where the descriptions go, one file for each statement.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("codegen/sqlx")
}

/// Describes all statements with a build of gate-store alone, and gives the folder.
pub(crate) fn described(workspace: &Workspace) -> Result<PathBuf> {
    describe_with(workspace, |variables| {
        let mut command = cargo(&workspace.root, ["check", "--quiet", "--package", "gate-store", "--all-targets"]);
        run(command.envs(variables), "mend the statement or the migration that is named above")
    })?;
    Ok(folder(workspace))
}

/// Describes all statements by means of `compile`, which compiles gate-store with these variables. Where statements
/// and migrations are those that were described last, it may compile nothing.
pub(crate) fn describe_with(workspace: &Workspace, compile: impl FnOnce(Variables) -> Result<()>) -> Result<()> {
    setup::packages(&[setup::SQL])?;
    let folder = folder(workspace);
    let stamp = folder.with_extension("stamp");
    let digest = digest(&inputs(workspace)?)?;
    let known = folder.is_dir() && std::fs::read_to_string(&stamp).is_ok_and(|kept| kept == digest);
    let source = workspace.root.join("src-tauri/crates/gate-store/src/lib.rs");
    let mut touched = None;
    if !known {
        // A run that breaks off leaves only some of them.
        _ = std::fs::remove_file(&stamp);
        empty(folder.clone())?;
        touched = Some(Touched::now(&source)?);
    }
    compile([
        ("SQLX_OFFLINE", "false".to_owned()),
        ("SQLX_OFFLINE_DIR", folder.display().to_string()),
        ("DATABASE_URL", format!("sqlite:{}", database(workspace)?.display())),
    ])?;
    drop(touched);
    std::fs::write(&stamp, digest).with_context(|| format!("can't write {}", stamp.display()))
}

/// What the descriptions follow from.
fn inputs(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    // The macros' own version is in the lock.
    let mut files = migrations(workspace)?;
    files.push(workspace.root.join("Cargo.lock"));
    let mut folders = vec![workspace.root.join("src-tauri/crates/gate-store")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

fn migrations(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let folder = workspace.root.join("migrations");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut migrations = Vec::new();
    for entry in entries {
        migrations.push(entry?.path());
    }
    migrations.retain(|path| path.extension().is_some_and(|end| end == "sql"));
    migrations.sort();
    Ok(migrations)
}

/// A database with all migrations applied and nothing in it.
fn database(workspace: &Workspace) -> Result<PathBuf> {
    let file = workspace.target.join("sqlx-prepare.db");
    if file.exists() {
        std::fs::remove_file(&file).with_context(|| format!("can't replace {}", file.display()))?;
    }
    for migration in migrations(workspace)? {
        let name = migration.display();
        let mut command = Command::new("sqlite3");
        command.arg("-bail").arg(&file).arg(format!(".read '{name}'"));
        run(&mut command, &format!("mend the statement of {name} that is named above"))?;
    }
    Ok(file)
}

/// A source that looks newer than it is. Its time is put back at the end, so that nothing else is
/// compiled again for it, unless somebody wrote to it in between.
struct Touched {
    file: File,
    before: SystemTime,
    touched: SystemTime,
}

impl Touched {
    fn now(path: &Path) -> Result<Self> {
        let shown = || format!("can't touch {}", path.display());
        let file = File::options().append(true).open(path).with_context(shown)?;
        let before = file.metadata().and_then(|file| file.modified()).with_context(shown)?;
        file.set_modified(SystemTime::now()).with_context(shown)?;
        let touched = file.metadata().and_then(|file| file.modified()).with_context(shown)?;
        Ok(Self { file, before, touched })
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        let now = self.file.metadata().and_then(|file| file.modified());
        if now.is_ok_and(|now| now == self.touched) {
            // Left newer, it costs one compilation and nothing else.
            let _ = self.file.set_modified(self.before);
        }
    }
}
