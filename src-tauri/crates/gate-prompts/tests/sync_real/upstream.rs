//! A repository to fetch from, made by git's plumbing: also with trees that no sane git would write.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A bare repository with the branch `main`.
pub(crate) struct Upstream {
    folder: TempDir,
}

impl Upstream {
    pub(crate) fn empty() -> Self {
        let upstream = Self { folder: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(upstream.path()).expect("a folder");
        upstream.git(&["init", "--quiet", "--bare", "--template=", "--initial-branch=main", "."], b"");
        upstream
    }

    /// With one commit of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let upstream = Self::empty();
        upstream.commit("main", files, "the first");
        upstream
    }

    /// The folder that a server shows, with `prompts.git` in it.
    pub(crate) fn above(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("prompts.git")
    }

    pub(crate) fn address(&self) -> String {
        format!("file://{}", self.path().display())
    }

    /// A commit on top of a branch with these files and no others; its id.
    pub(crate) fn commit(&self, branch: &str, files: &[(&str, &str)], message: &str) -> String {
        let exists = self.tries(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]);
        let from = if exists { format!("from refs/heads/{branch}^0\n") } else { String::new() };
        self.import(branch, &from, files, message)
    }

    /// A commit that takes a branch's place without knowing what was there.
    pub(crate) fn force(&self, branch: &str, files: &[(&str, &str)], message: &str) -> String {
        self.git(&["update-ref", "-d", &format!("refs/heads/{branch}")], b"");
        self.import(branch, "", files, message)
    }

    /// So many commits on top of each other, each with `a.md`, which says which one it is, from 0; their ids.
    pub(crate) fn history(&self, commits: usize) -> Vec<String> {
        let numbers = (0..commits).map(|number| number.to_string());
        let stream: String = numbers.map(|number| commit("main", "", &[("a.md", &number)], &number)).collect();
        self.git(&["fast-import", "--quiet"], stream.as_bytes());
        self.git(&["rev-list", "--reverse", "main"], b"").lines().map(str::to_owned).collect()
    }

    fn import(&self, branch: &str, from: &str, files: &[(&str, &str)], message: &str) -> String {
        let stream = commit(branch, from, files, message);
        self.git(&["fast-import", "--quiet", "--force"], stream.as_bytes());
        self.git(&["rev-parse", &format!("refs/heads/{branch}")], b"")
    }

    /// Makes `main` a commit of a tree with these entries: mode, name, and the id of what it holds.
    pub(crate) fn raw(&self, entries: &[(&str, &[u8], &str)]) {
        let tree = self.raw_tree(entries);
        self.point(&tree);
    }

    pub(crate) fn raw_tree(&self, entries: &[(&str, &[u8], &str)]) -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend((0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).expect("an id")));
        }
        self.git(&["hash-object", "-w", "--literally", "-t", "tree", "--stdin"], &bytes)
    }

    pub(crate) fn point(&self, tree: &str) {
        let commit = self.git(&["commit-tree", tree, "-m", "odd"], b"");
        self.git(&["update-ref", "refs/heads/main", &commit], b"");
    }

    pub(crate) fn blob(&self, text: &[u8]) -> String {
        self.git(&["hash-object", "-w", "--stdin"], text)
    }

    /// What git says; it has to succeed.
    pub(crate) fn git(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = self.command(arguments).spawn().expect("these tests need a git");
        child.stdin.take().expect("a pipe").write_all(input).expect("git reads");
        let output = child.wait_with_output().expect("git ends");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn tries(&self, arguments: &[&str]) -> bool {
        self.command(arguments).output().expect("these tests need a git").status.success()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.path()).env("GIT_DIR", ".").env("GIT_CONFIG_GLOBAL", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// A commit in the words of git's fast-import. One that says nothing of where it comes from is on top of the last one of
/// its stream.
fn commit(branch: &str, from: &str, files: &[(&str, &str)], message: &str) -> String {
    let mut stream = format!(
        "commit refs/heads/{branch}\ncommitter A <a@example.org> 1700000000 +0000\ndata {}\n{message}\n{from}deleteall\n",
        message.len()
    );
    for (path, text) in files {
        let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    }
    stream
}
