//! Trees that are meant to write elsewhere, or to mean something else where they are written.

use gate_prompts::sync::SyncStatus;

use crate::bench::{Bench, files, plan, text};
use crate::upstream::Upstream;

#[tokio::test]
async fn a_hostile_tree_is_refused_whole_and_nothing_is_written() {
    let upstream = Upstream::with(&[("good.md", "good")]);
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&upstream.address()))));
    assert_eq!(sync.first().await.status, SyncStatus::Success);
    let blob = upstream.blob(b"evil");
    let leads = upstream.blob(b"/etc");
    let inner = upstream.raw_tree(&[("100644", b"evil.md", &blob)]);
    let commit = upstream.git(&["rev-parse", "refs/heads/main"], b"");
    let trees: Vec<Vec<(&str, &[u8], &str)>> = vec![
        vec![("40000", b"..", &inner)],
        vec![("100644", b"..", &blob)],
        vec![("40000", b".", &inner)],
        vec![("40000", b".git", &inner)],
        vec![("40000", b".GIT", &inner)],
        vec![("40000", b"git~1", &inner)],
        vec![("100644", b"../evil.md", &blob)],
        vec![("100644", b"/tmp/evil.md", &blob)],
        vec![("100644", b"..\\evil.md", &blob)],
        vec![("100644", b"e\x1b[2Jvil.md", &blob)],
        vec![("100644", b"evil\n.md", &blob)],
        vec![("100644", b"\xff\xfe.md", &blob)],
        vec![("120000", b"evil.md", &leads)],
        vec![("120000", b"link", &leads)],
        vec![("160000", b"module", &commit)],
        vec![("100644", b"NUL.md", &blob)],
        vec![("100644", b"evil.md ", &blob), ("100644", b"evil.md.", &blob), ("100644", b"x:y.md", &blob)],
        vec![("100644", b"EVIL.md", &blob), ("100644", b"evil.md", &blob)],
        vec![("120000", b"d", &leads), ("40000", b"d", &inner)],
        vec![("100644", b"evil.md", &blob), ("40000", b"evil.md", &inner)],
        vec![("100644", b"evil.md", &blob), ("100644", b"evil.md", &blob)],
    ];
    for tree in trees {
        let name = String::from_utf8_lossy(tree[0].1).into_owned();
        upstream.raw(&tree);
        let state = sync.fails("epository").await;
        let message = state.fault.expect("it failed").message;
        let refused = message.contains("is refused: ") || message.contains("damaged or malformed");
        assert!(refused, "{name:?}: {message}");
    }
    assert_eq!(sync.files(), files(&[("good.md", "good")]));
    let beside: Vec<_> = std::fs::read_dir(bench.folder.path()).expect("a folder").flatten().collect();
    assert_eq!(beside.len(), 1, "nothing was written beside the folder: {beside:?}");

    let mut deep = upstream.raw_tree(&[("100644", b"evil.md", &blob)]);
    for _ in 0..13 {
        deep = upstream.raw_tree(&[("40000", b"d", &deep)]);
    }
    upstream.point(&deep);
    sync.fails("too many folders").await;
    let long = "l".repeat(201);
    upstream.raw(&[("40000", long.as_bytes(), &inner)]);
    sync.fails("too long").await;
    // Executable files are only text here.
    upstream.raw(&[("100755", b"run.md", &blob)]);
    sync.succeeds().await;
    assert_eq!(sync.files(), files(&[("run.md", "evil")]));
}
