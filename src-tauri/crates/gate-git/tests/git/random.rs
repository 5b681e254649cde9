//! Work trees that nobody would make by hand: what is shown of them is what git makes of them.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use gate_git::Options;

use crate::campaign;
use crate::scene::{FORMATS, Listing, Repo, Scene};

/// How many work trees are made.
const ROUNDS: u64 = 8;
/// The same in a campaign.
const CAMPAIGN_ROUNDS: u64 = 1000;
const NAMES: [&[u8]; 12] = [
    b"a",
    b"b",
    b"a b",
    b"A.txt",
    b"x.txt",
    b"\xff",
    b"-",
    b"c\td",
    b"e\nf",
    b"\"q\"",
    "ä".as_bytes(),
    b".gitattributes",
];
const CONTENTS: [&[u8]; 8] =
    [b"", b"1\n", b"1\r\n2\r\n", b"1\r\n2\n", b"\0\x01", b"no end", b"*.txt text=auto\n", b"*.txt eol=crlf\na -text\n"];

/// Numbers that are the same again from the same seed.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Less than `most`: SplitMix64, <https://prng.di.unimi.it/splitmix64.c>.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % most as u64).expect("it is small")
    }

    fn path(&mut self, repo: &Repo) -> PathBuf {
        let mut path = repo.path.clone();
        for _ in 0..=self.below(3) {
            path.push(std::ffi::OsStr::from_bytes(NAMES[self.below(NAMES.len())]));
        }
        path
    }

    /// Does something to the work tree, if it can be done.
    pub(crate) fn meddle(&mut self, repo: &Repo) {
        let path = self.path(repo);
        let is_folder = path.symlink_metadata().is_ok_and(|data| data.is_dir());
        match self.below(8) {
            0 if is_folder => drop(fs::remove_dir_all(&path)),
            0 => drop(fs::remove_file(&path)),
            1 => drop(fs::rename(&path, self.path(repo))),
            2 => {
                let _ = fs::create_dir_all(path.parent().expect("a folder"));
                let _ = symlink(std::ffi::OsStr::from_bytes(NAMES[self.below(NAMES.len())]), &path);
            }
            3 if path.symlink_metadata().is_ok_and(|data| data.is_file()) => {
                let _ = fs::set_permissions(&path, fs::Permissions::from_mode([0o644, 0o755][self.below(2)]));
            }
            _ => {
                let _ = fs::create_dir_all(path.parent().expect("a folder"));
                let _ = fs::write(&path, CONTENTS[self.below(CONTENTS.len())]);
            }
        }
    }
}

#[tokio::test]
async fn any_work_tree_is_shown_as_git_commits_it() {
    let given = std::env::var("REVIEW_GATE_TEST_SEED").ok().map(|seed| seed.parse().expect("a seed is a number"));
    let first = given.unwrap_or(1);
    let rounds = if given.is_some() {
        1
    } else if campaign::is_on() {
        CAMPAIGN_ROUNDS
    } else {
        ROUNDS
    };
    campaign::tells(format!("{rounds} work trees"));
    for seed in first..first + rounds {
        let mut numbers = Numbers::new(seed);
        let scene = Scene::new().await;
        let repo = scene.repo("repo", FORMATS[numbers.below(2)]);
        if numbers.below(2) == 0 {
            repo.git(&["config", "core.autocrlf", ["true", "input"][numbers.below(2)]]);
        }
        (0..20).for_each(|_| numbers.meddle(&repo));
        repo.commit("first");
        (0..12).for_each(|_| numbers.meddle(&repo));
        if numbers.below(2) == 0 {
            repo.git(&["add", "--all"]);
            (0..5).for_each(|_| numbers.meddle(&repo));
        }
        let before = Listing::of(&repo.path);
        let staged = scene.snap(&repo, "staged").await.expect("a snapshot");
        let shown = scene.snap_with(&repo, "worktree", &Options::default()).await.expect("a snapshot");
        before.assert_same(&repo.path);
        assert_eq!(staged.tree.as_str(), repo.git(&["write-tree"]), "REVIEW_GATE_TEST_SEED={seed}: what is staged");
        let tree = repo.staged_tree();
        let differs = repo.git(&["diff-tree", "-r", "--name-status", shown.tree.as_str(), tree.as_str()]);
        assert_eq!(shown.tree, tree, "REVIEW_GATE_TEST_SEED={seed}: the work tree, but for {differs}");
        assert_eq!(shown.diff, repo.diff(&shown.base_tree, &tree), "REVIEW_GATE_TEST_SEED={seed}: the diff");
    }
}
