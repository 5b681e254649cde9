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

use crate::process::{cargo, run};
use crate::workspace::Workspace;

/// Writes one file for each statement to `folder`, which has to exist.
pub(crate) fn describe(workspace: &Workspace, folder: &Path) -> Result<()> {
    let database = database(workspace)?;
    let source = workspace.root.join("src-tauri/crates/gate-store/src/lib.rs");
    let _touched = Touched::now(&source)?;
    let mut command = cargo(&workspace.root, ["check", "--quiet", "--package", "gate-store", "--all-targets"]);
    command
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", folder)
        .env("DATABASE_URL", format!("sqlite:{}", database.display()));
    run(&mut command, "mend the statement or the migration that is named above")
}

/// A database with all migrations applied and nothing in it.
fn database(workspace: &Workspace) -> Result<PathBuf> {
    let file = workspace.target.join("sqlx-prepare.db");
    if file.exists() {
        std::fs::remove_file(&file).with_context(|| format!("can't replace {}", file.display()))?;
    }
    let folder = workspace.root.join("migrations");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut migrations = Vec::new();
    for entry in entries {
        migrations.push(entry?.path());
    }
    migrations.retain(|path| path.extension().is_some_and(|end| end == "sql"));
    migrations.sort();
    for migration in migrations {
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
