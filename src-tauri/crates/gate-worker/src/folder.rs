//! Throwaway folders: one for each run, this user's alone, made of the files that are given and gone when the run has
//! ended. What configures agents is left out, wherever it stands: a change under review would else instruct its reviewer.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::limits::FolderLimits;
use crate::refusal::Refusal;

/// How often it is tried to remove a folder that is still written to.
const TRIES: usize = 5;
/// What runs' folders are called.
const PREFIX: &str = "run-";

/// What configures agents, or has a program that starts here run or reach something else: names of files and folders, in
/// small letters. A `*` stands for anything.
const CONFIGURES: &[&str] = &[
    // Claude Code, and what others have taken over from it.
    ".claude",
    ".claude-plugin",
    "claude*.md",
    ".mcp.json",
    ".claudeignore",
    // Codex, and what many read.
    ".codex",
    "agents*.md",
    "agent.md",
    ".agents",
    ".agent",
    // Gemini CLI. It takes variables from `.env`, those that name its server among them.
    ".gemini",
    "gemini*.md",
    ".geminiignore",
    ".aiexclude",
    ".env*",
    // opencode, and Bun, which it is made with.
    ".opencode",
    "opencode.json*",
    "bunfig.toml",
    ".bunfig.toml",
    // Others.
    ".cursor",
    ".cursorrules",
    ".cursorignore",
    ".windsurf",
    ".windsurfrules",
    ".clinerules",
    ".continue",
    ".continuerules",
    ".roo",
    ".roorules*",
    ".junie",
    ".goosehints",
    ".aider*",
    ".kiro",
    ".qwen",
    "qwen.md",
    ".rules",
    ".vscode",
    "copilot-instructions.md",
    // What searching passes over.
    ".ignore",
    ".rgignore",
];

/// The folder in which those of runs are made.
#[derive(Debug, Clone)]
pub struct Runs {
    base: PathBuf,
    limits: FolderLimits,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is there.
    There,
    /// It configures agents, and was left out.
    LeftOut,
}

impl Runs {
    /// Makes that folder where it isn't there yet. It is to lie in no repository and in none of the folders that are hidden
    /// from runs, and to be nobody else's: what lies in it is removed by [`Runs::sweep`].
    ///
    /// # Errors
    /// Where it can't be made, or isn't this user's alone.
    pub fn open(base: PathBuf) -> Result<Self, Refusal> {
        gate_os::files::create_folder(&base).map_err(|error| Refusal::of_file("make", &base, &error))?;
        make_private(&base)?;
        let base = gate_os::files::real_path(&base).map_err(|error| Refusal::of_file("find", &base, &error))?;
        Ok(Self { base, limits: FolderLimits::default() })
    }

    /// With other bounds of each run's folder.
    #[must_use]
    pub fn within(self, limits: FolderLimits) -> Self {
        Self { limits, ..self }
    }

    /// Removes what is left of runs that nobody has ended: to be called before the first run, by the only program that has
    /// runs here. Gives how many there were.
    #[must_use]
    pub fn sweep(&self) -> usize {
        let all = fs::read_dir(&self.base).into_iter().flatten().flatten();
        let left = all.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
        left.filter(|entry| remove(&entry.path()).is_ok()).count()
    }

    /// A new folder for one run.
    ///
    /// # Errors
    /// Where it can't be made.
    pub fn folder(&self) -> Result<Folder, Refusal> {
        let failed = |error: io::Error| Refusal::of_file("make a folder in", &self.base, &error);
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.base).map_err(failed)?;
        let folder = Folder { root: made.keep(), limits: self.limits, files: 0, bytes: 0, left_out: Vec::new() };
        make_private(&folder.root)?;
        for made in [folder.work(), folder.own(), folder.temporary(), folder.empty()] {
            gate_os::files::create_folder(&made).map_err(failed)?;
        }
        Ok(folder)
    }
}

/// A run's folder. It is removed when this is dropped.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    limits: FolderLimits,
    files: usize,
    bytes: u64,
    left_out: Vec<PathBuf>,
}

impl Folder {
    /// What the run sees, and works in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Beside it, what goes with the run: its question, its answer, what passes.
    pub(crate) fn own(&self) -> PathBuf {
        self.root.join("own")
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join("own/tmp")
    }

    /// One that stays empty.
    pub(crate) fn empty(&self) -> PathBuf {
        self.root.join("empty")
    }

    /// Where it is told how the run ended; no run sees it in its sandbox.
    pub(crate) fn told(&self) -> PathBuf {
        self.root.join("told.json")
    }

    /// What was left out, as it was given.
    #[must_use]
    pub fn left_out(&self) -> &[PathBuf] {
        &self.left_out
    }

    /// Puts a file there, at this path below [`Folder::work`].
    ///
    /// # Errors
    /// Where the path leads elsewhere, into `.git`, or to what is there already; where a bound is reached; where it can't be
    /// written.
    pub fn put(&mut self, path: &Path, bytes: &[u8]) -> Result<Put, Refusal> {
        let refuse = |why: &str| {
            let mend = "Leave it out of what the run is given.";
            Refusal::new(format!("{} {why}.", path.display()), mend)
        };
        let mut names = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) if is_plain(name) => names.push(name),
                Component::CurDir => {}
                Component::Normal(_) | Component::Prefix(_) | Component::RootDir | Component::ParentDir => {
                    return Err(refuse("is no path of a file below a folder"));
                }
            }
        }
        if names.is_empty() {
            return Err(refuse("names no file"));
        }
        let folded: Vec<String> = names.iter().map(|name| folded(name)).collect();
        if folded.iter().any(|name| name == ".git" || name == "git~1") {
            return Err(refuse("is git's own"));
        }
        if folded.iter().any(|name| CONFIGURES.iter().any(|pattern| fits(name, pattern))) {
            self.left_out.push(path.to_owned());
            return Ok(Put::LeftOut);
        }
        let bytes_then = self.bytes.saturating_add(bytes.len() as u64);
        if self.files >= self.limits.files || bytes_then > self.limits.bytes {
            let FolderLimits { files, bytes } = self.limits;
            let message = format!("There is more than a run is given: {files} files, or {bytes} bytes.");
            return Err(Refusal::new(message, "Give it fewer files."));
        }
        let file = self.work().join(names.iter().collect::<PathBuf>());
        let failed = |error: io::Error| Refusal::of_file("write", &file, &error);
        if let Some(above) = file.parent() {
            gate_os::files::create_folder(above).map_err(failed)?;
        }
        // Nothing that is there is written to, so nothing is followed.
        let opened = gate_os::files::private().write(true).create_new(true).open(&file).map_err(failed);
        opened.and_then(|mut opened| opened.write_all(bytes).map_err(failed))?;
        self.files += 1;
        self.bytes = bytes_then;
        Ok(Put::There)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed now is by the next `sweep`.
        let _ = remove(&self.root);
    }
}

fn make_private(folder: &Path) -> Result<(), Refusal> {
    gate_os::files::make_private_folder(folder).map_err(|why| {
        let mend = "Name a folder for runs that is yours alone.";
        Refusal::new(format!("{} isn't yours alone: {why:?}.", folder.display()), mend)
    })
}

/// A name that means the same on each system.
fn is_plain(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.contains('\0') && !(cfg!(windows) && (name.contains(':') || is_device(&name)))
}

/// Whether Windows takes it for one of its devices, whatever follows.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_numbered = |kind: &str| stem.strip_prefix(kind).is_some_and(|rest| rest.chars().count() == 1);
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || is_numbered("com")
        || is_numbered("lpt")
}

/// A name as the most careless file system takes it: without regard to letters' size, to signs that aren't seen, and to
/// dots and spaces at its end.
fn folded(name: &OsStr) -> String {
    let seen = |letter: &char| !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let name: String = name.to_string_lossy().chars().filter(seen).collect();
    name.to_uppercase().to_lowercase().trim_end_matches(['.', ' ']).to_owned()
}

fn fits(name: &str, pattern: &str) -> bool {
    let Some((begin, end)) = pattern.split_once('*') else { return name == pattern };
    name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
}

/// Removes all of it, also what a program has taken our own rights to away from, and what is being written by one that ends.
fn remove(path: &Path) -> io::Result<()> {
    let mut done = fs::remove_dir_all(path);
    for _ in 1..TRIES {
        match done.as_ref().map_err(io::Error::kind) {
            Err(io::ErrorKind::PermissionDenied) => make_ours(path),
            Err(io::ErrorKind::DirectoryNotEmpty) => {}
            Ok(()) | Err(_) => return done,
        }
        done = fs::remove_dir_all(path);
    }
    done
}

fn make_ours(folder: &Path) {
    // Of a link the folder that it leads to isn't ours to change.
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    // What can't be changed is found when it is removed.
    let _ = gate_os::files::make_enterable(folder);
    fs::read_dir(folder).into_iter().flatten().flatten().for_each(|entry| make_ours(&entry.path()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> (tempfile::TempDir, Runs) {
        let base = tempfile::tempdir().expect("a folder");
        let runs = Runs::open(base.path().join("runs")).expect("runs");
        (base, runs)
    }

    fn put(folder: &mut Folder, path: &str) -> Result<Put, Refusal> {
        folder.put(Path::new(path), b"x")
    }

    #[test]
    fn what_is_given_is_there_and_goes_with_the_run() {
        let (_base, runs) = runs();
        let mut folder = runs.folder().expect("a folder");
        for path in ["a.rs", "src/deep/b.rs", "./src/c", "..a", "claude.rs", "docs/agents/x.md", ".gitignore"] {
            assert_eq!(put(&mut folder, path), Ok(Put::There), "{path}");
            assert_eq!(fs::read(folder.work().join(path)).expect("it is there"), b"x", "{path}");
        }
        assert!(gate_os::files::is_private_folder(&folder.root).expect("a folder"), "it is nobody else's");
        let root = folder.root.clone();
        drop(folder);
        assert!(!root.exists(), "it went with the run");
    }

    #[test]
    fn what_configures_agents_is_left_out_at_every_depth_however_it_is_written() {
        let (_base, runs) = runs();
        let mut folder = runs.folder().expect("a folder");
        let left_out = [
            ".claude/settings.json",
            "a/b/.Claude/agents/x.md",
            "CLAUDE.md",
            "sub/claude.local.md",
            "AGENTS.md",
            "x/Agents.override.md",
            "GEMINI.md",
            ".gemini/settings.json",
            ".codex/config.toml",
            ".cursor/rules/x.mdc",
            ".opencode/plugin/x.ts",
            "opencode.jsonc",
            "OpenCode.JSON",
            ".mcp.json",
            ".env",
            "sub/.env.local",
            "bunfig.toml",
            "CLAUDE.md.",
            "CLAUDE.md ",
            ".cl\u{200c}aude/settings.json",
            "agent\u{17f}.md",
            ".github/copilot-instructions.md",
        ];
        for path in left_out {
            assert_eq!(put(&mut folder, path), Ok(Put::LeftOut), "{path}");
        }
        assert_eq!(folder.left_out().len(), left_out.len());
        assert_eq!(fs::read_dir(folder.work()).expect("a folder").count(), 0, "not even their folders are there");
    }

    #[test]
    fn no_path_leads_out_of_it_or_into_git() {
        let (base, runs) = runs();
        let mut folder = runs.folder().expect("a folder");
        for path in
            ["../x", "a/../../x", "/x", "", ".", "a/../b", ".git/config", "sub/.GIT/hooks/x", "git~1/config", ".git."]
        {
            assert!(put(&mut folder, path).is_err(), "{path}");
        }
        assert_eq!(put(&mut folder, "a"), Ok(Put::There));
        assert!(put(&mut folder, "a/b").is_err(), "a file is no folder");
        assert!(put(&mut folder, "a").is_err(), "it is there already");
        let outside = fs::read_dir(base.path()).expect("a folder").count();
        assert_eq!(outside, 1, "nothing but the folder of runs");
    }

    #[test]
    fn it_is_bounded() {
        let (_base, runs) = runs();
        let mut folder = runs.clone().within(FolderLimits { files: 2, bytes: 100 }).folder().expect("a folder");
        assert_eq!((put(&mut folder, "a"), put(&mut folder, "b")), (Ok(Put::There), Ok(Put::There)));
        assert!(put(&mut folder, "c").is_err(), "two files are all");
        let mut folder = runs.within(FolderLimits { files: 9, bytes: 100 }).folder().expect("a folder");
        assert!(folder.put(Path::new("a"), &[0; 101]).is_err(), "a hundred bytes are all");
        assert_eq!(folder.put(Path::new("a"), &[0; 100]), Ok(Put::There));
    }

    #[test]
    fn what_a_kill_has_left_is_removed_at_the_next_start() {
        let (_base, runs) = runs();
        let left = runs.folder().expect("a folder");
        let root = left.root.clone();
        std::mem::forget(left);
        fs::write(runs.base.join("other"), "").expect("a file");
        assert_eq!(runs.sweep(), 1);
        assert!(!root.exists() && runs.base.join("other").exists(), "what no run has made stays");
        assert_eq!(runs.sweep(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_run_has_locked_is_removed_and_what_its_links_lead_to_stays() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let (base, runs) = runs();
        let kept = base.path().join("kept");
        fs::create_dir(&kept).expect("a folder");
        fs::write(kept.join("file"), "").expect("a file");
        let mut folder = runs.folder().expect("a folder");
        put(&mut folder, "a/b/c").expect("a file");
        symlink(&kept, folder.work().join("a/link")).expect("a link");
        for locked in ["a/b", "a"] {
            fs::set_permissions(folder.work().join(locked), fs::Permissions::from_mode(0o0)).expect("its mode");
        }
        let root = folder.root.clone();
        drop(folder);
        assert!(!root.exists() && kept.join("file").exists());
    }
}
