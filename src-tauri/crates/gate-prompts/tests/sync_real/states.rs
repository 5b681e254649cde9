//! What a kill, a restart, a reader and a change of settings find.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gate_prompts::sync::{Limits, Plan, SyncStatus, SyncStep, SyncedFolder};

use crate::bench::{BEGINNING, Bench, files, plan, read_all, text};
use crate::upstream::Upstream;

/// A folder in which version 1 and then version 2 were served.
async fn two_versions() -> (Bench, Upstream) {
    let upstream = Upstream::with(&[("a.md", "1"), ("x/b.md", "1")]);
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    sync.first().await;
    upstream.commit("main", &[("a.md", "2"), ("x/b.md", "2")], "second");
    sync.succeeds().await;
    sync.0.stop().await;
    (bench, upstream)
}

fn served(folder: &Path) -> String {
    let opened = SyncedFolder::open(folder).expect("it opens");
    let Some(current) = opened.current() else { return "nothing".into() };
    let all = read_all(&current);
    assert_eq!(all.len(), 2, "a version is whole: {all:?}");
    let mut texts: Vec<&String> = all.values().collect();
    texts.dedup();
    assert_eq!(texts.len(), 1, "and one version: {all:?}");
    texts[0].clone()
}

fn version_names(folder: &Path) -> (String, String) {
    let current = fs::read_to_string(folder.join("current")).expect("it is named");
    let names = fs::read_dir(folder.join("versions")).expect("versions").flatten();
    let mut names =
        names.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string().expect("text"));
    (names.find(|name| *name != current).expect("one before is kept"), current)
}

#[tokio::test]
async fn every_moment_of_a_kill_leaves_one_whole_version() {
    let (bench, _upstream) = two_versions().await;
    let folder = bench.synced();
    let versions = folder.join("versions");
    let (before, current) = version_names(&folder);
    assert_eq!(served(&folder), "2");
    let work = |name: &str| -> PathBuf {
        let work = folder.join(name);
        fs::create_dir_all(work.join("files")).expect("a folder");
        fs::write(work.join("files/a.md"), "3").expect("written");
        work
    };
    // Killed while fetching and writing.
    work("work-abc");
    assert_eq!(served(&folder), "2");
    assert!(!folder.join("work-abc").exists(), "what is left of it goes");
    // Killed after the files were renamed in place, before it was said what they are.
    fs::create_dir(versions.join("abc-3")).expect("a folder");
    fs::write(versions.join("abc-3/a.md"), "3").expect("written");
    assert_eq!(served(&folder), "2");
    assert!(!versions.join("abc-3").exists(), "nobody knows what it is");
    // Said, and not yet named: both files of the version before still count.
    fs::write(folder.join("current"), &before).expect("written");
    assert_eq!(served(&folder), "1", "the name is the moment");
    fs::write(folder.join("current"), &current).expect("written");
    assert_eq!(served(&folder), "2");
    // Named by half, or not at all, as a loss of power may leave it.
    for name in ["", &current[..5], "../../x", "gone"] {
        fs::write(folder.join("current"), name).expect("written");
        assert_eq!(served(&folder), "2", "the newest that is whole: {name:?}");
    }
    fs::remove_file(folder.join("current")).expect("removed");
    assert_eq!(served(&folder), "2");
    fs::write(folder.join("current"), &current).expect("written");
    // Files of the system's own do no harm.
    fs::write(versions.join(&current).join(".DS_Store"), "x").expect("written");
    let opened = SyncedFolder::open(&folder).expect("it opens").served().expect("served");
    assert_eq!(opened.version.commit.get(..12), current.get(..12));
    fs::remove_file(versions.join(&current).join(".DS_Store")).expect("removed");
    // A file that a loss of power has emptied: the version before is served.
    fs::write(versions.join(&current).join("a.md"), "").expect("written");
    assert_eq!(served(&folder), "1");
    // And with that one damaged as well, nothing is, and nothing fails.
    fs::remove_file(versions.join(&before).join("x/b.md")).expect("removed");
    assert_eq!(served(&folder), "nothing");
}

#[tokio::test]
async fn a_damaged_version_is_fetched_again_at_once() {
    let (bench, upstream) = two_versions().await;
    let (before, current) = version_names(&bench.synced());
    for name in [before, current] {
        fs::write(bench.synced().join("versions").join(name).join("a.md"), "damaged").expect("written");
    }
    let hour = Some(Duration::from_secs(3600));
    let sync = bench.start(Some(Plan { every: hour, ..plan(text(&upstream.address())) }));
    sync.until("it is whole", |state| state.status == SyncStatus::Success && !state.commit.is_empty()).await;
    assert_eq!(sync.files(), files(&[("a.md", "2"), ("x/b.md", "2")]));
}

#[tokio::test]
async fn a_restart_shows_what_was_and_waits_its_time() {
    let upstream = Upstream::with(&[("a.md", "1")]);
    let mut bench = Bench::new();
    let hourly = Plan { every: Some(Duration::from_secs(3600)), ..plan(text(&upstream.address())) };
    let sync = bench.start(Some(hourly.clone()));
    let state = sync.first().await;
    sync.0.stop().await;

    // A git that isn't there: a try would be seen.
    bench.program = bench.folder.path().join("no-git");
    let sync = bench.start(Some(hourly.clone()));
    assert_eq!(sync.0.state(), state, "all of it is remembered, and the time of the next try");
    assert_eq!(sync.files(), files(&[("a.md", "1")]), "and served at once");
    let state = sync.fails("isn't installed").await;
    let next = state.next_at.expect("by itself").0 - state.tried_at.expect("tried").0;
    assert_eq!(next, 3_600_000, "an hour is the longest");
    assert_eq!(state.synced_at.map(|at| at.0 - BEGINNING < 60_000), Some(true), "the last good one is still known");
    sync.0.stop().await;
    let sync = bench.start(Some(hourly.clone()));
    assert_eq!(sync.0.state(), state, "a fault is remembered as well");
    sync.0.stop().await;

    // Once its time has come, it tries by itself.
    bench.program = "git".into();
    bench.time.fetch_add(3_700_000, Ordering::SeqCst);
    let sync = bench.start(Some(hourly));
    sync.until("its time has come", |state| state.status == SyncStatus::Success).await;
}

#[tokio::test]
async fn it_goes_on_by_itself() {
    let upstream = Upstream::with(&[("a.md", "1")]);
    let mut bench = Bench::new();
    bench.limits = Limits { pause_seconds: 0, ..Limits::default() };
    let often = Plan { every: Some(Duration::from_millis(20)), ..plan(text(&upstream.address())) };
    let sync = bench.start(Some(often));
    sync.first().await;
    let commit = upstream.commit("main", &[("a.md", "2")], "second");
    sync.until("the new commit", |state| state.commit == commit).await;
}

#[tokio::test]
async fn it_says_how_far_it_is() {
    let upstream = Upstream::with(&[("a.md", "1")]);
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    let (mut states, mut steps) = (sync.0.subscribe(), Vec::new());
    loop {
        states.changed().await.expect("it runs");
        let state = states.borrow_and_update().clone();
        steps.extend(state.step);
        assert_eq!(state.step.is_some(), state.status == SyncStatus::Syncing, "only while it goes on: {state:?}");
        if state.status == SyncStatus::Success {
            break;
        }
    }
    assert_eq!(steps, [SyncStep::Asking, SyncStep::Fetching, SyncStep::Reading]);
}

#[tokio::test]
async fn another_repository_or_none_hides_what_was_served() {
    let (one, two) = (Upstream::with(&[("a.md", "1")]), Upstream::empty());
    let bench = Bench::new();
    let sync = bench.start(None);
    assert_eq!(sync.0.state().status, SyncStatus::Off);
    sync.0.set(Some(plan(text(&one.address()))));
    sync.first().await;
    sync.0.set(Some(plan(text(&two.address()))));
    let state = sync.until("the other one", |state| state.status == SyncStatus::Error).await;
    assert_eq!((state.commit.as_str(), sync.files().len()), ("", 0), "one's prompts aren't another's");
    sync.0.set(None);
    sync.until("off", |state| state.status == SyncStatus::Off).await;
    assert_eq!(sync.0.folder().current(), None);
    sync.0.set(Some(plan(text(&one.address()))));
    sync.until("back", |state| state.status == SyncStatus::Success).await;
    assert_eq!(sync.files(), files(&[("a.md", "1")]));
}

#[tokio::test]
async fn a_reader_sees_one_whole_version_whatever_is_swapped() {
    let names: Vec<String> = (0..40).map(|index| format!("d{}/{index}.md", index % 4)).collect();
    let all = |text: &'static str| -> Vec<(&str, &str)> { names.iter().map(|name| (name.as_str(), text)).collect() };
    let upstream = Upstream::with(&all("0"));
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    sync.first().await;
    let (folder, done) = (sync.0.folder().clone(), Arc::new(AtomicBool::new(false)));
    let ended = Arc::clone(&done);
    let reader = tokio::task::spawn_blocking(move || {
        let (mut reads, mut seen) = (0_u32, std::collections::BTreeSet::new());
        while !ended.load(Ordering::SeqCst) {
            let served = folder.served().expect("something is always served");
            let found = read_all(served.path());
            assert_eq!(found.len(), 40, "all of its files");
            let texts: std::collections::BTreeSet<String> = found.into_values().collect();
            assert_eq!(texts.len(), 1, "of one version");
            seen.extend(texts);
            reads += 1;
        }
        (reads, seen.len())
    });
    let held = sync.0.folder().served().expect("served");
    for text in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        upstream.commit("main", &all(text), text);
        sync.succeeds().await;
    }
    done.store(true, Ordering::SeqCst);
    let (reads, versions) = reader.await.expect("every read was whole");
    println!("{reads} reads saw {versions} versions, each whole");
    assert!(versions >= 2, "it read while they were swapped");
    assert_eq!(read_all(held.path()).len(), 40, "who holds a version keeps its files");
    drop(held);
    upstream.commit("main", &all("9"), "9");
    sync.succeeds().await;
    let left = fs::read_dir(bench.synced().join("versions")).expect("versions").count();
    assert_eq!(left, 4, "two versions, each with what it is, are kept");
}
