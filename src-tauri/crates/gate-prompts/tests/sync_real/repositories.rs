//! What becomes of what is upstream: first, changed, gone, pinned, too large.

use std::time::{Duration, Instant};

use gate_core::Timestamp;
use gate_prompts::sync::{Limits, Plan, SourceText, SyncState, SyncStatus};

use crate::bench::{Bench, files, plan, text};
use crate::upstream::Upstream;

#[tokio::test]
async fn two_thousand_prompts_come_change_and_go() {
    let texts: Vec<(String, String)> = (0..2000)
        .map(|index| {
            (format!("team{}/prompt{index}.md", index % 20), format!("---\ntitle: {index}\n---\nDo {index}.\n"))
        })
        .collect();
    let mut all: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let upstream = Upstream::with(&all);
    let bench = Bench::new();
    let started = Instant::now();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    let state = sync.first().await;
    println!("first synchronisation of 2000 prompts: {:?}", started.elapsed());
    assert_eq!((state.status, state.prompts, state.fault), (SyncStatus::Success, 2000, None));
    assert_eq!((state.subject.as_str(), state.committed_at), ("the first", Some(Timestamp(1_700_000_000_000))));
    assert_eq!(sync.files(), files(&all), "every file, byte by byte");

    let (started, before) = (Instant::now(), sync.0.folder().current());
    let same = sync.again().await;
    println!("synchronisation without a change: {:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(20), "a look is short");
    assert_eq!((same.status, sync.0.folder().current()), (SyncStatus::Success, before), "nothing was written");

    all.truncate(1500);
    all[0] = ("team0/renamed.md", all[0].1);
    all[1].1 = "changed";
    let commit = upstream.commit("main", &all, "fewer");
    let started = Instant::now();
    let state = sync.succeeds().await;
    println!("synchronisation of a change among 1500 prompts: {:?}", started.elapsed());
    assert_eq!((state.commit, state.prompts), (commit, 1500));
    assert_eq!(sync.files(), files(&all), "what is gone upstream is gone here");

    let commit = upstream.force("main", &[("other.yaml", "template: x")], "a new beginning");
    assert_eq!(sync.succeeds().await.commit, commit, "history may be written anew");
    assert_eq!(sync.files(), files(&[("other.yaml", "template: x")]));
    sync.0.stop().await;
}

#[tokio::test]
async fn files_are_as_they_were_committed_whatever_attributes_say() {
    let given = [
        (".gitattributes", "* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n"),
        ("a.md", "$Id$\nline\n"),
        ("_partials/head.hbs", "Hello\n"),
        ("tool.sh", "exit 1\n"),
    ];
    let upstream = Upstream::with(&given);
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    let state = sync.first().await;
    assert_eq!((state.status, state.prompts, state.ignored), (SyncStatus::Success, 1, 2), "{state:?}");
    assert_eq!(sync.files(), files(&given[1..3]));
}

#[tokio::test]
async fn what_is_missing_upstream_is_said_and_the_old_set_stays() {
    let upstream = Upstream::empty();
    let bench = Bench::new();
    let of = |branch: Option<&str>, subfolder: Option<&str>| {
        plan(SourceText {
            branch: branch.map(Into::into),
            subfolder: subfolder.map(Into::into),
            ..text(&upstream.address())
        })
    };
    let sync = bench.start(Some(of(None, None)));
    let state = sync.first().await;
    assert!(state.fault.expect("it is empty").message.contains("is empty"));
    sync.fails("is empty").await;

    let commit = upstream.commit("main", &[("team/prompts/a.md", "A"), ("b.md", "B")], "both");
    assert_eq!(sync.succeeds().await.commit, commit);
    upstream.commit("main", &[("logo.png", "no prompt")], "none");
    sync.fails("no prompts").await;
    upstream.git(&["update-ref", "-d", "refs/heads/main"], b"");
    sync.fails("is empty").await;
    upstream.commit("next", &[("team/prompts/a.md", "A2"), ("b.md", "B2")], "next");
    sync.fails("set a branch").await;

    let set = async |plan: Plan| -> SyncState {
        let before = sync.0.state().tried_at;
        sync.0.set(Some(plan));
        sync.until("the plan's try", |state| {
            state.tried_at.is_some_and(|at| Some(at) != before) && state.status != SyncStatus::Syncing
        })
        .await
    };
    let state = set(of(Some("gone"), None)).await;
    assert_eq!(state.fault.expect("no such branch").message, "The repository has no branch `gone`.");
    assert_eq!(sync.files().len(), 2, "another branch's prompts stay until there are new ones");
    let state = set(of(Some("next"), Some("team/gone"))).await;
    assert_eq!(state.fault.expect("no such folder").message, "The repository has no folder `team/gone`.");
    let state = set(of(Some("next"), Some("b.md"))).await;
    assert_eq!(state.fault.expect("a file is none").message, "The repository has no folder `b.md`.");
    let state = set(of(Some("next"), Some("team/prompts/"))).await;
    assert_eq!((state.status, state.prompts, state.branch.as_str()), (SyncStatus::Success, 1, "next"));
    assert_eq!(sync.files(), files(&[("a.md", "A2")]), "paths begin at the folder");

    std::fs::remove_dir_all(upstream.path()).expect("it goes");
    sync.fails("no such repository").await;
}

#[tokio::test]
async fn a_pin_stays_where_it_is() {
    let upstream = Upstream::empty();
    let ids = upstream.history(120);
    let of = |pin: &str| plan(SourceText { pin: Some(pin.into()), ..text(&upstream.address()) });
    for (index, pin) in [(119, &ids[119][..]), (7, &ids[7][..]), (118, &ids[118][..10]), (3, &ids[3][..12])] {
        let bench = Bench::new();
        let sync = bench.start(Some(of(pin)));
        let state = sync.first().await;
        assert_eq!((state.fault, &state.commit), (None, &ids[index]), "commit {index} by {pin}");
        assert_eq!(sync.files(), files(&[("a.md", &index.to_string())]));
        upstream.commit("main", &[("a.md", "newer")], "newer");
        assert_eq!(&sync.succeeds().await.commit, &ids[index], "it doesn't move");
    }
    for pin in ["abcdef0", &"ab".repeat(20)] {
        let bench = Bench::new();
        let state = bench.start(Some(of(pin))).first().await;
        assert!(state.fault.expect("it isn't there").message.contains("pinned commit"));
    }
}

#[tokio::test]
async fn what_is_too_large_is_stopped() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let mut bench = Bench::new();
    bench.limits =
        Limits { files: 20, total_bytes: 200_000, file_bytes: 50_000, disk_bytes: 1_000_000, ..Limits::default() };
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    assert_eq!(sync.first().await.fault, None);
    let long = "x".repeat(50_001);
    upstream.commit("main", &[("a.md", &long)], "a long one");
    sync.fails("`a.md`").await;
    let many: Vec<String> = (0..21).map(|index| format!("{index}.md")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "x")).collect();
    upstream.commit("main", &many, "many");
    sync.fails("more than 20 files").await;
    let long = "x".repeat(50_000);
    let large: Vec<(&str, &str)> = many.iter().take(5).map(|(path, _)| (*path, long.as_str())).collect();
    upstream.commit("main", &large, "much");
    sync.fails("together").await;
    // What doesn't shrink when it is packed.
    let mut state = 1_u64;
    let noise: String = (0..3_000_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b' ' + u8::try_from((state >> 57) % 94).unwrap_or(0))
        })
        .collect();
    upstream.commit("main", &[("a.md", "A"), ("film.mp4", &noise)], "huge");
    sync.fails("the download was stopped").await;
    let left = std::fs::read_dir(bench.synced()).expect("the folder").flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().starts_with("work")).collect();
    assert!(left.is_empty(), "nothing of it stays on the disk: {left:?}");
}
