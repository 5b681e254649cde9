//! Carries out a plan, and keeps what is needed to undo it.

use std::path::PathBuf;

use gate_core::Fault;

use crate::connector::{COPIES, Connector};
use crate::files::{self, digest};
use crate::ledger::{Ledger, Record, make_private};
use crate::plan::{Change, Keeping, Plan};

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    /// The files that were written or deleted.
    pub files: Vec<PathBuf>,
    /// Where they are kept as they were.
    pub backups: Vec<PathBuf>,
}

impl Connector {
    /// Where the files of a plan would be kept as they are; absent where none is.
    #[must_use]
    pub fn backup_of(&self, plan: &Plan) -> Option<PathBuf> {
        let ledger = Ledger::look(&self.data).ok()?;
        let change = plan.changes.iter().find(|change| change.is_any() && change.before.is_some())?;
        Some(ledger.backup(&change.path, &digest(change.before.as_deref()?)))
    }

    /// Carries out a plan. A file that changed since the plan was made is left as it is.
    ///
    /// # Errors
    /// A fault that names the file; those before it in the plan are done, and can be undone.
    pub fn carry_out(&self, plan: &Plan) -> Result<Done, Fault> {
        let mut ledger = Ledger::open(&self.data)?;
        if plan.connects {
            // Gemini CLI leaves out a folder that isn't there when it starts.
            make_private(&self.data.join(COPIES))?;
        }
        let mut done = Done::default();
        let mut emptied = Vec::new();
        for change in &plan.changes {
            if change.is_any() {
                if let Some(before) = &change.before {
                    done.backups.push(ledger.back_up(&change.path, before)?);
                }
                let folders = match (&change.after, change.path.parent()) {
                    (Some(_), Some(folder)) => files::make_folders(folder)?,
                    _ => Vec::new(),
                };
                files::replace(&change.path, change.before.as_deref(), change.after.as_deref(), change.bound)?;
                done.files.push(change.path.clone());
                match change.keeping {
                    Keeping::Remember => remember(&mut ledger, plan, change, folders),
                    Keeping::Update if index(&ledger, plan, change).is_some() => {
                        remember(&mut ledger, plan, change, folders);
                    }
                    Keeping::Update | Keeping::Forget => {}
                }
            } else if change.keeping == Keeping::Remember {
                share(&mut ledger, plan, change);
            }
            if change.keeping == Keeping::Forget {
                emptied.extend(forget(&mut ledger, plan, change));
            }
            ledger.save()?;
        }
        emptied.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in emptied {
            // One that somebody else has put something into stays.
            let _ = std::fs::remove_dir(folder);
        }
        Ok(done)
    }
}

fn index(ledger: &Ledger, plan: &Plan, change: &Change) -> Option<usize> {
    ledger.records.iter().position(|record| {
        record.client == plan.client.id()
            && record.scope == plan.scope
            && record.kind == change.kind
            && record.path == change.path
    })
}

fn remember(ledger: &mut Ledger, plan: &Plan, change: &Change, folders: Vec<PathBuf>) {
    let before = change.before.as_deref().map(digest);
    let after = digest(change.after.as_deref().unwrap_or_default());
    match index(ledger, plan, change) {
        Some(index) => {
            let record = &mut ledger.records[index];
            record.exact &= before.as_ref() == Some(&record.after);
            record.after = after;
            record.groups.extend(change.groups.iter().cloned());
            record.folders.extend(folders);
        }
        None => ledger.records.push(Record {
            client: plan.client.id().to_owned(),
            scope: plan.scope,
            kind: change.kind,
            path: change.path.clone(),
            before,
            after,
            exact: true,
            groups: change.groups.clone(),
            folders,
        }),
    }
}

/// A file that another client's connection has written for both: whoever goes last gives it back.
fn share(ledger: &mut Ledger, plan: &Plan, change: &Change) {
    if index(ledger, plan, change).is_some() {
        return;
    }
    let other = ledger.records.iter().find(|record| record.kind == change.kind && record.path == change.path);
    if let Some(other) = other.cloned() {
        ledger.records.push(Record { client: plan.client.id().to_owned(), scope: plan.scope, ..other });
    }
}

/// Drops the record of a change; the folders that were made for a file that is gone.
fn forget(ledger: &mut Ledger, plan: &Plan, change: &Change) -> Vec<PathBuf> {
    let Some(index) = index(ledger, plan, change) else { return Vec::new() };
    let record = ledger.records.remove(index);
    if change.after.is_none() { record.folders } else { Vec::new() }
}
