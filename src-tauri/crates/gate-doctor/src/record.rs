//! The record: whether the database can be opened and is sound, its backups, its search index.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gate_api::{Finding, Phrase};
use gate_core::ask::excerpt;
use gate_core::{Code, Fault};
use gate_store::{Backup, CHECKED_BYTES, CheckReport, CheckedBackup, SchemaStanding};
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime};
use tokio::time::timeout;

use crate::environment::Environment;
use crate::finding::{BACKUPS, DATABASE, Mending as _, SEARCH};
use crate::gate::Gate;
use crate::settings::Known;
use crate::{shell, words};

/// How long the whole look at a database may take; larger ones than [`CHECKED_BYTES`] are only opened.
const LIMIT: Duration = Duration::from_secs(20);
/// After how many times the usual time between backups the newest is too old.
const TOO_OLD: i64 = 2;
const HOUR_MILLIS: i64 = 60 * 60 * 1000;
/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

pub(crate) async fn check(environment: &Environment, settings: &Known, gate: &Gate) -> Vec<Finding> {
    // What makes the next start, which mends a damaged record, come.
    let restart = if gate.runs() { "review-gate stop" } else { "review-gate" };
    let home = &environment.home;
    let database = home.database();
    let length = match fs::metadata(&database) {
        Ok(found) if found.is_file() => found.len(),
        Ok(_) => {
            let command = format!("mv {0} {0}.old", shell::word(&database, environment.user_folder()));
            let cause = words::no_file(database.as_path());
            return vec![DATABASE.fault(cause, words::mend_move_what_is_there()).command(command)];
        }
        Err(_) => return vec![DATABASE.note(words::first_start())],
    };
    if let Some(unwritable) = unwritable(environment, &database) {
        return vec![unwritable];
    }
    let mut findings = match length > CHECKED_BYTES {
        true => large(environment, settings, length, restart).await,
        false => whole(environment, settings, restart).await,
    };
    findings.push(search(environment));
    findings
}

/// Also what only its mode forbids: root may write it anyway, and everyone else will meet it.
fn unwritable(environment: &Environment, database: &Path) -> Option<Finding> {
    let marked = fs::metadata(database).is_ok_and(|found| found.permissions().readonly());
    (marked || !gate_os::files::may_write(database)).then(|| {
        DATABASE
            .fault(words::record_read_only(database), words::mend_writable())
            .command(format!("chmod u+w {}", shell::word(database, environment.user_folder())))
    })
}

async fn whole(environment: &Environment, settings: &Known, restart: &str) -> Vec<Finding> {
    let home = &environment.home;
    let (database, backups) = (home.database(), home.backups_folder());
    let report = match timeout(LIMIT, gate_store::check(&database, &backups)).await {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => return vec![unreadable(&error.into(), restart)],
        Err(_) => return vec![unfinished(words::record_slow(LIMIT.as_secs()))],
    };
    let changed = fs::metadata(&database).and_then(|found| found.modified()).ok();
    let mut findings = vec![sound(&report, restart)];
    findings.extend(bad_backup(&report.backups));
    let backups = report.backups.into_iter().map(|checked| checked.backup).collect::<Vec<_>>();
    findings.push(age(&backups, settings, changed, environment));
    findings
}

/// A record whose pages take too long to be looked through.
async fn large(environment: &Environment, settings: &Known, length: u64, restart: &str) -> Vec<Finding> {
    let home = &environment.home;
    let database = home.database();
    let mut findings = vec![match gate_store::standing(&database).await {
        Ok(SchemaStanding::Newer) => newer(),
        Ok(SchemaStanding::Current | SchemaStanding::Older) => unfinished(words::record_large(length / 1_000_000)),
        Ok(SchemaStanding::Unreadable) => damaged(words::record_without_schema(), restart),
        Err(error) => unreadable(&error.into(), restart),
    }];
    let changed = fs::metadata(&database).and_then(|found| found.modified()).ok();
    match gate_store::list_backups(&home.backups_folder()).await {
        Ok(backups) => findings.push(age(&backups, settings, changed, environment)),
        Err(error) => findings.push(BACKUPS.failed(&error.into())),
    }
    findings
}

fn unfinished(cause: Phrase) -> Finding {
    DATABASE.note(cause).command("review-gate check")
}

fn sound(report: &CheckReport, restart: &str) -> Finding {
    match report.schema.standing {
        SchemaStanding::Newer => return newer(),
        SchemaStanding::Unreadable => {
            let problem = report.integrity.first();
            return damaged(problem.map_or_else(words::record_without_schema, |problem| unsound(problem)), restart);
        }
        SchemaStanding::Current | SchemaStanding::Older => {}
    }
    if report.is_sound() {
        return match &report.counts {
            Some(counts) => DATABASE.good(words::record_counts(counts.conversations, counts.messages, counts.pending)),
            None => DATABASE.good(words::record_sound()),
        };
    }
    let problem = report.integrity.iter().chain(&report.references).next();
    damaged(problem.map_or_else(words::record_behind, |problem| unsound(problem)), restart)
}

fn newer() -> Finding {
    DATABASE.fault(words::record_newer(), words::mend_newer())
}

/// What is wrong with the record, as whoever found it says.
fn unsound(problem: &str) -> Phrase {
    words::record_unsound(excerpt(problem.trim_end_matches('.'), 200))
}

fn damaged(cause: Phrase, restart: &str) -> Finding {
    DATABASE.fault(cause, words::mend_record()).command(restart)
}

fn unreadable(fault: &Fault, restart: &str) -> Finding {
    match fault.code {
        Code::DatabaseNewer => newer(),
        Code::DatabaseDamaged => damaged(unsound(&fault.message), restart),
        _ => DATABASE.failed(fault).command("review-gate check"),
    }
}

fn bad_backup(backups: &[CheckedBackup]) -> Option<Finding> {
    let mut bad = backups.iter().filter(|checked| checked.problem.is_some());
    let first = bad.next()?;
    let problem = first.problem.as_deref().unwrap_or_default().trim_end_matches('.');
    let name = first.backup.path.file_name().unwrap_or_default().to_string_lossy();
    let cause = words::backup_bad(name.into_owned(), problem, bad.count());
    Some(BACKUPS.warning(cause, words::mend_make_new()).command("review-gate backup"))
}

/// Whether the newest backup is as recent as the settings want, seen from when the record last changed.
fn age(backups: &[Backup], settings: &Known, changed: Option<SystemTime>, environment: &Environment) -> Finding {
    if settings.backups == 0 {
        return BACKUPS.note(words::backups_off()).mend(words::mend_backups_off());
    }
    let hours = i64::from(settings.backup_hours);
    let newest = backups.iter().filter_map(|backup| moment_of(&backup.made)).max();
    let Some(newest) = newest else {
        return BACKUPS.note(words::backups_none(hours));
    };
    let changed = changed.and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
    let changed = changed.map_or(environment.now.0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    // What came after the backup and before the last change isn't in it.
    let behind = changed.saturating_sub(newest) / HOUR_MILLIS;
    if behind > TOO_OLD * hours {
        return BACKUPS
            .warning(words::backups_old(behind, hours), words::mend_backups_old())
            .command("review-gate backup");
    }
    let old = environment.now.0.saturating_sub(newest).max(0) / HOUR_MILLIS;
    BACKUPS.good(words::backups_good(backups.len(), old))
}

/// The moment in a backup's name, in milliseconds since the Unix epoch.
fn moment_of(made: &str) -> Option<i64> {
    let form = format_description!("[year][month][day]T[hour][minute][second][subsecond digits:3]Z");
    let moment: OffsetDateTime = PrimitiveDateTime::parse(made, form).ok()?.assume_utc();
    i64::try_from(moment.unix_timestamp_nanos() / 1_000_000).ok()
}

/// The search index can be made anew at any time, so nothing about it is a fault.
fn search(environment: &Environment) -> Finding {
    let file = environment.home.search_index();
    let mut begin = Vec::new();
    let read = File::open(&file).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begin));
    match read {
        Ok(0) => SEARCH.note(words::search_empty()),
        Ok(_) if begin == MAGIC => SEARCH.good(words::search_good()),
        Ok(_) => SEARCH
            .warning(words::search_none(file.as_path()), words::mend_search())
            .command(format!("rm {}", shell::word(&file, environment.user_folder()))),
        Err(_) => SEARCH.note(words::search_not_yet()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gate_api::Level;
    use gate_core::Timestamp;
    use gate_link::Home;

    use super::*;

    fn environment() -> Environment {
        let mut environment = Environment::of_process(Home::at("/nonexistent")).expect("this test's own file");
        environment.now = Timestamp(100 * HOUR_MILLIS);
        environment
    }

    fn backup(hour: i64) -> Backup {
        let moment = OffsetDateTime::UNIX_EPOCH + time::Duration::hours(hour);
        let form = format_description!("[year][month][day]T[hour][minute][second]");
        let made = moment.format(form).expect("a moment has a name") + "000Z";
        Backup { path: PathBuf::new(), made, bytes: 1, schema: Some(1), before: None }
    }

    #[test]
    fn a_backup_is_too_old_only_where_the_record_has_changed_since() {
        let settings = Known {
            confirmed: false,
            http: true,
            port: 1,
            backups: 5,
            backup_hours: 10,
            voice: false,
            model: String::new(),
        };
        let at = |hour: u64| Some(UNIX_EPOCH + Duration::from_secs(hour * 60 * 60));
        for (made, changed, level) in [
            (50, at(50), Level::Good),
            (50, at(70), Level::Good),
            (50, at(71), Level::Warning),
            (50, at(40), Level::Good),
            (50, None, Level::Warning),
        ] {
            let found = age(&[backup(made)], &settings, changed, &environment());
            assert_eq!(found.level, level, "made in hour {made}, changed {changed:?}: {found:?}");
        }
        assert_eq!(age(&[], &settings, at(1), &environment()).level, Level::Note, "a gate that has just been made");
        let off = Known { backups: 0, ..settings };
        assert_eq!(age(&[backup(1)], &off, at(99), &environment()).level, Level::Note, "the person wants none");
    }

    #[test]
    fn the_moment_in_a_name_is_read() {
        assert_eq!(moment_of("20261121T034921125Z"), Some(1_795_232_961_125));
        assert_eq!(moment_of("yesterday"), None);
    }
}
