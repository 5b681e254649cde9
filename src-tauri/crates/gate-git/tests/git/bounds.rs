//! Bounds: on what a diff, files and time may take; and ending when nobody waits any more.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gate_git::{Applied, Error, Format, Git, Options, Person, Proposal};
use tokio::sync::mpsc;

use crate::apply::proposed;
use crate::scene::{Scene, git_by, program};

/// A git that does something else first, in a shell that knows the arguments.
pub(crate) fn wrapped(folder: &Path, first: &str) -> PathBuf {
    let file = folder.join("wrapped-git");
    let script = format!("#!/bin/sh\n{first}\nexec {} \"$@\"\n", program().display());
    fs::write(&file, script).expect("a script");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
    file
}

fn options() -> Options {
    Options::default()
}

#[tokio::test]
async fn a_diff_that_is_too_long_is_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.write("f", "x\n".repeat(1000));
    let error = scene.snap_with(&repo, "worktree", &Options { diff_bytes: 1000, ..options() }).await;
    let error = error.expect_err("it is longer");
    assert!(matches!(error, Error::TooLarge { what: "The diff", most: 1000 }), "{error}");
    assert_eq!(error.to_string(), "The diff is larger than 1000 bytes.");
}

#[tokio::test]
async fn too_many_files_are_refused_wherever_they_are() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let few = Options { files: 3, ..options() };
    for number in 0..10 {
        repo.write(&format!("new/{number}"), number.to_string());
    }
    for what in ["worktree", "staged", "HEAD"] {
        let error = scene.snap_with(&repo, what, &few).await.expect_err(what);
        assert!(matches!(error, Error::TooMany { most: 3, .. }), "{what}: {error}");
        if what == "worktree" {
            repo.git(&["add", "--all"]);
        } else {
            repo.commit("all");
        }
    }
}

#[tokio::test]
async fn a_huge_file_is_refused_before_it_is_read_and_a_large_one_is_named_without_its_lines() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    // It takes no room: nothing is written in it.
    fs::File::create(repo.file("huge")).and_then(|file| file.set_len(1 << 40)).expect("a file");
    let error = scene.snap(&repo, "worktree").await.expect_err("a tebibyte");
    assert!(matches!(error, Error::TooLarge { what: "What is looked at", .. }), "{error}");
    fs::remove_file(repo.file("huge")).expect("it was there");

    repo.write("large", "line\n".repeat(4_000_000));
    let snapshot = scene.snap(&repo, "worktree").await.expect("a snapshot");
    assert_eq!(snapshot.files[0].lines, None, "it is too large to be read line by line");
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("Binary files /dev/null and b/large differ"));
    assert_eq!(snapshot.tree, repo.staged_tree(), "but it is in the tree");

    repo.commit("large");
    let small = Options { content_bytes: 1_000_000, ..options() };
    let error = scene.snap_with(&repo, "HEAD", &small).await.expect_err("it is larger");
    assert!(matches!(error, Error::TooLarge { most: 1_000_000, .. }), "{error}");
}

#[tokio::test]
async fn a_small_object_that_unfolds_to_a_huge_one_is_refused_before_it_is_unfolded() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let zeros = scene.path().join("zeros");
    fs::File::create(&zeros).and_then(|file| file.set_len(300 * 1024 * 1024)).expect("a file");
    fs::rename(&zeros, repo.file("bomb")).expect("a file");
    repo.commit("a bomb");
    let error = scene.snap(&repo, "HEAD").await.expect_err("it is larger");
    assert!(matches!(error, Error::TooLarge { what: "What is looked at", .. }), "{error}");
}

#[tokio::test]
async fn a_diff_that_unfolds_to_a_huge_file_is_refused_before_git_makes_room_for_it() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let zero = "0".repeat(40);
    let diff = |sizes: &[&str]| {
        let parts: String = sizes.iter().map(|size| format!("literal {size}\nBc${{NkU|;|M00aO5\n\n")).collect();
        format!("diff --git a/b b/b\nnew file mode 100644\nindex {zero}..{}\nGIT binary patch\n{parts}", "1".repeat(40))
    };
    for sizes in [&["5000000000"][..], &["99999999999999999999999999"], &["200000000", "200000000"]] {
        let refused = proposed(&scene, &repo, diff(sizes)).await.expect_err("it is huge");
        assert_eq!(refused.to_string(), "What the diff makes is larger than 268435456 bytes.", "{sizes:?}");
    }
    let small = proposed(&scene, &repo, diff(&["1"])).await.expect_err("its data are none of that");
    assert!(matches!(small, Error::Refused(_)), "what is small is for git to read: {small}");
}

/// Bytes as git writes them in a patch: lines of at most 52, each with its length before it, four bytes as five digits.
fn armoured(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut text = String::new();
    for line in bytes.chunks(52) {
        let length = u8::try_from(line.len()).expect("short");
        text.push(char::from(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 }));
        for four in line.chunks(4) {
            let mut number = (0..4).fold(0_u32, |number, at| (number << 8) | u32::from(*four.get(at).unwrap_or(&0)));
            let mut digits = [0; 5];
            for digit in digits.iter_mut().rev() {
                *digit = DIGITS[usize::try_from(number % 85).expect("a digit")];
                number /= 85;
            }
            text.extend(digits.map(char::from));
        }
        text.push('\n');
    }
    text
}

/// As zlib has what it doesn't make smaller (RFC 1950, RFC 1951).
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("short");
    let (low, high) = bytes
        .iter()
        .fold((1, 0), |(low, high), byte| ((low + u32::from(*byte)) % 65521, (high + low + u32::from(*byte)) % 65521));
    let sum = ((high << 16) | low).to_be_bytes();
    [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes, &sum].concat()
}

/// A number as a delta has it: seven bits a byte, the lowest first.
fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).expect("seven bits");
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return bytes;
        }
    }
}

#[tokio::test]
async fn a_few_bytes_that_repeat_a_file_again_and_again_are_refused_before_git_makes_room_for_it() {
    const FILE: usize = 0x10000;
    const TIMES: usize = 128;
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", &"\0".repeat(FILE))]);
    repo.write("f", "\0".repeat(FILE * TIMES));
    let (old, new) = (repo.oid("HEAD:f"), repo.git(&["hash-object", "f"]));
    repo.write("f", "\0".repeat(FILE));
    // Each of these copies the whole file.
    let delta = [number(FILE), number(FILE * TIMES), vec![0x80; TIMES]].concat();
    let head = format!("diff --git a/f b/f\nindex {old}..{} 100644\nGIT binary patch\n", new.trim());
    let diff = format!("{head}delta {}\n{}\n", delta.len(), armoured(&stored(&delta)));
    let repository = scene.open(&repo).await;
    let keep = scene.objects(repository.format()).await;
    let applied = async |content_bytes: u64| {
        let options = Options { content_bytes, ..options() };
        let proposal = Proposal::read(diff.as_bytes(), options.files).expect("a diff");
        repository.apply(&proposal, None, Applied::Proposed, &keep, &options).await
    };
    let made = applied(64 * 1024 * 1024).await.expect("it is a good one");
    assert_eq!(made.changes.len(), 1);
    let refused = applied(1024 * 1024).await.expect_err("it makes eight mebibytes");
    assert!(matches!(refused, Error::TooLarge { what: "What the diff makes", .. }), "{refused}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_is_copied_without_end_is_refused_before_it_fills_the_memory() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", &"x".repeat(1024 * 1024))]);
    let copy =
        |number: usize| format!("diff --git a/f b/c{number}\nsimilarity index 100%\ncopy from f\ncopy to c{number}\n");
    let diff: String = (0..400).map(copy).collect();
    let (repository, options) = (scene.open(&repo).await, Options { content_bytes: 4 * 1024 * 1024, ..options() });
    let proposal = Proposal::read(diff.as_bytes(), options.files).expect("a diff");
    let keep = scene.objects(repository.format()).await;
    let made = repository.apply(&proposal, None, Applied::Proposed, &keep, &options).await;
    let refused = made.expect_err("each of them is held until the last one is there");
    assert!(matches!(refused, Error::TooLarge { what: "What the diff makes", .. }), "{refused}");
}

/// A git that stops for ever before it compares trees, and the pipe that it writes into and has open until it ends.
struct Stuck {
    program: PathBuf,
    /// Both ends of the pipe: so nobody waits to open it, and it has no end while this is held.
    both: Option<fs::File>,
    /// A word when it stops there; closed at the pipe's end.
    said: mpsc::UnboundedReceiver<()>,
}

impl Stuck {
    fn make(folder: &Path) -> Self {
        let pipe = folder.join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success(), "a pipe");
        let does = format!("case \"$1\" in diff-tree) exec 9> {}; echo >&9; exec sleep 1000;; esac", pipe.display());
        let both = fs::File::options().read(true).write(true).open(&pipe).expect("both ends");
        let mut from = fs::File::open(&pipe).expect("its end to read from");
        let (says, said) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            let mut word = [0; 1];
            while matches!(from.read(&mut word), Ok(1)) && says.send(()).is_ok() {}
        });
        Self { program: wrapped(folder, &does), both: Some(both), said }
    }

    /// Waits until it has stopped there.
    async fn stops(&mut self) {
        self.said.recv().await.expect("the pipe is open");
    }

    /// Waits until nobody of it is left.
    async fn has_ended(&mut self) {
        self.both = None;
        while self.said.recv().await.is_some() {}
    }
}

#[tokio::test]
async fn a_git_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut stuck = Stuck::make(folder.path());
    let scene = Scene::by(&stuck.program).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let error = scene.snap_with(&repo, "HEAD", &Options { seconds: 1, ..options() }).await.expect_err("it doesn't end");
    assert!(matches!(error, Error::TooSlow { seconds: 1 }), "{error}");
    stuck.has_ended().await;
}

#[tokio::test]
async fn a_question_that_is_dropped_ends_its_git() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut stuck = Stuck::make(folder.path());
    let scene = Scene::by(&stuck.program).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    {
        let question = std::pin::pin!(scene.snap(&repo, "HEAD"));
        tokio::select! {
            _ = question => unreachable!("it doesn't end"),
            () = stuck.stops() => {}
        }
    }
    stuck.has_ended().await;
    let left = fs::read_dir(scene.path().join("scratch")).expect("a folder").count();
    assert_eq!(left, 0, "and what it had for itself goes with it");
}

#[tokio::test]
async fn a_git_that_is_missing_or_old_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("scratch")).expect("a folder");
    let error = git_by(&folder.path().join("nothing"), folder.path()).await.expect_err("it isn't there");
    assert_eq!(error.code(), "no_git");
    let old = wrapped(folder.path(), "echo 'git version 2.30.9'; exit");
    let error = git_by(&old, folder.path()).await.expect_err("it is old");
    assert_eq!(error.to_string(), "Git 2.30 is too old: this needs 2.31 or newer.");

    let before = wrapped(folder.path(), "case \"$1\" in --version) echo 'git version 2.31.1'; exit;; esac");
    let scene = Scene::by(&before).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    scene.snap(&repo, "HEAD").await.expect("it is new enough for that");
    let head = repo.oid("HEAD");
    let error = scene.open(&repo).await.merged(&head, &head).await.expect_err("and too old for that");
    assert!(matches!(error, Error::OldGit { needs: (2, 40), .. }), "{error}");
}

#[tokio::test]
async fn the_program_is_found_by_its_whole_path() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("git"), "").expect("a file");
    let path = std::env::join_paths([Path::new("relative"), Path::new(""), folder.path(), Path::new("/usr/bin")]);
    assert_eq!(Git::find(&path.expect("a PATH")), Some(folder.path().join("git")));
    assert_eq!(Git::find("relative:.".as_ref()), None, "not from wherever somebody stands");
    let person = Person::default();
    let git = Git::new(&program(), person, folder.path()).await;
    git.expect("nobody's settings are needed");
}
