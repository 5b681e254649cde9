//! A folder with repositories in it, and the git that a person would use on them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use gate_git::{Error, Form, Format, Git, Objects, Oid, Options, Owners, Person, Repository, Snapshot, What};
use tempfile::TempDir;

/// Both hashes that git has.
pub(crate) const FORMATS: [Format; 2] = [Format::Sha1, Format::Sha256];

/// A folder with a home, room for what is thrown away, and repositories.
pub(crate) struct Scene {
    folder: TempDir,
    pub(crate) git: Git,
}

/// One file, as whoever compares sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Looks {
    mode: u32,
    modified: Option<SystemTime>,
    holds: Vec<u8>,
}

/// How a folder looked, to be compared with how it looks later.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listing(BTreeMap<PathBuf, Looks>);

pub(crate) fn program() -> PathBuf {
    Git::find(&std::env::var_os("PATH").expect("a PATH")).expect("these tests need a git")
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::by(&program()).await
    }

    /// With another git.
    pub(crate) async fn by(program: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["home", "scratch"] {
            fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        let git = git_by(program, folder.path()).await.expect("these tests need a git");
        Self { folder, git }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// An empty repository.
    pub(crate) fn repo(&self, name: &str, format: Format) -> Repo {
        let repo = Repo { path: self.path().join(name), home: self.home() };
        fs::create_dir(&repo.path).expect("a folder");
        let format = format!("--object-format={}", format.name());
        repo.git(&["init", "--quiet", "--initial-branch=main", &format, "."]);
        repo
    }

    /// With one commit of these files.
    pub(crate) fn with(&self, name: &str, format: Format, files: &[(&str, &str)]) -> Repo {
        let repo = self.repo(name, format);
        repo.write_all(files);
        repo.commit("first");
        repo
    }

    /// One that is there.
    pub(crate) fn at(&self, name: &str) -> Repo {
        Repo { path: self.path().join(name), home: self.home() }
    }

    pub(crate) async fn open(&self, repo: &Repo) -> Repository {
        Repository::open(&self.git, &repo.path, Owners::Me).await.expect("a repository")
    }

    /// Empty objects of ours.
    pub(crate) async fn objects(&self, format: Format) -> Objects {
        let folder = tempfile::Builder::new().prefix("kept-").tempdir_in(self.path()).expect("a folder").keep();
        Objects::create(&self.git, &folder, format).await.expect("objects")
    }

    /// A snapshot with the default bounds.
    pub(crate) async fn snap(&self, repo: &Repo, what: &str) -> Result<Snapshot, Error> {
        self.snap_with(repo, what, &Options::default()).await
    }

    pub(crate) async fn snap_with(&self, repo: &Repo, what: &str, options: &Options) -> Result<Snapshot, Error> {
        let repository = Repository::open(&self.git, &repo.path, Owners::Me).await?;
        let keep = self.objects(repository.format()).await;
        repository.snapshot(&what.parse::<What>()?, None, &keep, options).await
    }
}

/// A git that is given what these tests give it.
pub(crate) async fn git_by(program: &Path, folder: &Path) -> Result<Git, Error> {
    let person = Person { home: Some(folder.join("home")), config_home: None };
    Git::new(program, person, &folder.join("scratch")).await
}

pub(crate) fn whole() -> Options {
    Options { form: Form::Whole, ..Options::default() }
}

/// A repository, and the git that its person uses.
pub(crate) struct Repo {
    pub(crate) path: PathBuf,
    home: PathBuf,
}

impl Repo {
    /// What git makes beside the home by these words; absent where it can't.
    pub(crate) fn clone_of<A: AsRef<OsStr>>(scene: &Scene, name: &str, arguments: &[A]) -> Option<Self> {
        let made = Self { path: scene.path().to_owned(), home: scene.home() }.tries(arguments);
        made.status.success().then(|| scene.at(name))
    }

    /// A clone within a repository.
    pub(crate) fn clone_into(outer: &Self, name: &str) -> Self {
        outer.git(&["clone", "--quiet", ".", name]);
        Self { path: outer.file(name), home: outer.home.clone() }
    }

    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(&self.path).env_clear();
        for (name, value) in [
            ("PATH", "/usr/bin:/bin:/usr/local/bin"),
            ("LC_ALL", "C"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "protocol.file.allow"),
            ("GIT_CONFIG_VALUE_0", "always"),
            // It goes on in the background, in a repository that is looked at by then.
            ("GIT_CONFIG_KEY_1", "maintenance.auto"),
            ("GIT_CONFIG_VALUE_1", "false"),
        ] {
            command.env(name, value);
        }
        command.env("HOME", &self.home);
        command
    }

    /// What git says to this, whether it can do it or not.
    pub(crate) fn tries<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        self.command(arguments).output().expect("git runs")
    }

    /// What git says to this, which it can do.
    pub(crate) fn bytes<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Vec<u8> {
        let output = self.tries(arguments);
        let said = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
        assert!(output.status.success(), "git {said}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    pub(crate) fn git<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        String::from_utf8(self.bytes(arguments)).expect("UTF-8").trim_end().to_owned()
    }

    pub(crate) fn oid(&self, name: &str) -> Oid {
        Oid::parse(&self.git(&["rev-parse", "--verify", name])).expect("an object")
    }

    /// The hash that its objects are named by.
    pub(crate) fn format(&self) -> Format {
        let name = self.git(&["rev-parse", "--show-object-format"]);
        FORMATS.into_iter().find(|format| format.name() == name).expect("one of git's")
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    pub(crate) fn odd_file(&self, path: &[u8]) -> PathBuf {
        self.path.join(OsStr::from_bytes(path))
    }

    pub(crate) fn write(&self, path: &str, holds: impl AsRef<[u8]>) {
        let file = self.file(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, holds).expect("a file");
    }

    pub(crate) fn write_all(&self, files: &[(&str, &str)]) {
        for (path, holds) in files {
            self.write(path, holds);
        }
    }

    pub(crate) fn executable(&self, path: &str, is: bool) {
        let mode = if is { 0o755 } else { 0o644 };
        fs::set_permissions(self.file(path), fs::Permissions::from_mode(mode)).expect("a mode");
    }

    /// Commits everything; the commit.
    pub(crate) fn commit(&self, message: &str) -> Oid {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--no-verify", "-m", message]);
        self.oid("HEAD")
    }

    /// What git itself makes of the work tree. This stages everything.
    pub(crate) fn staged_tree(&self) -> Oid {
        self.git(&["add", "--all"]);
        Oid::parse(&self.git(&["write-tree"])).expect("a tree")
    }

    /// The diff as git itself makes it between two trees.
    pub(crate) fn diff(&self, old: &Oid, new: &Oid) -> Vec<u8> {
        self.bytes(&["diff-tree", "-r", "-p", "--full-index", "-M", old.as_str(), new.as_str()])
    }

    pub(crate) fn copy(&self, name: &str) -> Self {
        let path = self.path.with_file_name(name);
        let done = Command::new("cp").arg("-a").arg(&self.path).arg(&path).status().expect("cp runs");
        assert!(done.success(), "a copy");
        Self { path, home: self.home.clone() }
    }
}

impl Listing {
    /// Of everything below a folder: kinds, modes, times and contents.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut all = BTreeMap::new();
        list(folder, &mut all);
        Self(all)
    }

    pub(crate) fn assert_same(&self, folder: &Path) {
        self.assert_is(&Self::of(folder));
    }

    /// The same, whenever it was last written.
    pub(crate) fn assert_same_contents(self, folder: &Path) {
        let timeless = |Self(all): Self| {
            Self(all.into_iter().map(|(path, looks)| (path, Looks { modified: None, ..looks })).collect())
        };
        timeless(self).assert_is(&timeless(Self::of(folder)));
    }

    fn assert_is(&self, now: &Self) {
        let names = |one: &Self, other: &Self| -> Vec<OsString> {
            let differ = one.0.iter().filter(|(path, looks)| other.0.get(*path) != Some(looks));
            differ.map(|(path, _)| path.clone().into_os_string()).collect()
        };
        assert_eq!((names(self, now), names(now, self)), (vec![], vec![]), "nothing in a repository changes");
    }
}

fn list(folder: &Path, all: &mut BTreeMap<PathBuf, Looks>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, data) = (entry.path(), entry.path().symlink_metadata().expect("an entry"));
        let holds = if data.is_symlink() {
            fs::read_link(&path).expect("a link").into_os_string().as_bytes().to_vec()
        } else if data.is_file() {
            fs::read(&path).expect("a file")
        } else {
            Vec::new()
        };
        if data.is_dir() {
            list(&path, all);
        }
        all.insert(path, Looks { mode: data.mode(), modified: data.modified().ok(), holds });
    }
}
