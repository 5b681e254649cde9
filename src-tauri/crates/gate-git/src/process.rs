//! Running the `git` program: with an environment of our own, no shell, and a bound on its time and its words. Knows
//! nothing of what is asked of git.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, Command};
use tokio::time::Instant;

use crate::child::{Ended, Running, WORDS};
use crate::error::Error;

/// The first version with `GIT_CONFIG_COUNT`.
const VERSION: (u32, u32) = (2, 31);
/// Longest time that git may take to say its version.
const VERSION_TIME: Duration = Duration::from_secs(10);
/// How many times the most of what it is to hold git may take in all: before, after, and what it has of each for itself.
const IN_ALL: u64 = 4;
/// What git takes besides, in bytes.
const OWN_MEMORY: u64 = 256 * 1024 * 1024;
/// What is too large then.
pub(crate) const MADE: &str = "What the diff makes";
/// How git says that it was to hold more than it may.
const OUT_OF_MEMORY: &[&str] =
    &[" over limit ", "Out of memory", "out of memory", "mmap failed: Cannot allocate memory"];
/// How git says that a file isn't as a diff has it.
const MISFITS: &[&str] = &["patch does not apply", "patch failed: ", "does not exist in index", "already exists in "];
/// Everything that git finds in its environment, beside what a call adds: nobody is asked, nothing is fetched, nothing
/// is replaced, and no settings but ours are read. See <https://git-scm.com/docs/git#_environment_variables>.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("PATH", "/usr/bin:/bin"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SSH_COMMAND", "false"),
    // A name that no protocol has. It outranks every `protocol.…` of a repository.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ADVICE", "0"),
];
/// Settings above those of every file. Git mostly runs in directories of ours, whose settings these are anyway.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.askPass", ""),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// The person whose own git settings count where files become objects: how lines end, what is ignored. Of these settings
/// none that names a program is ever used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Their home folder, where `.gitconfig` is.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, if it is set.
    pub config_home: Option<PathBuf>,
}

/// The `git` program.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    person: Person,
    scratch: PathBuf,
    version: (u32, u32),
}

impl Git {
    /// The first `git` in the folders of a `PATH`, by its whole path; folders that are relative to wherever somebody
    /// stands are passed over.
    #[must_use]
    pub fn find(path: &OsStr) -> Option<PathBuf> {
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join("git")).find(|program| program.is_file())
    }

    /// This program, once it has said its version. `scratch` is a private folder for what is thrown away: whoever owns
    /// it empties it at start, since what runs while the gate is killed stays there.
    ///
    /// # Errors
    /// [`Error::NoGit`], [`Error::OldGit`].
    pub async fn new(program: &Path, person: Person, scratch: &Path) -> Result<Self, Error> {
        let missing = || Error::NoGit { program: program.to_owned() };
        let mut git = Self { program: program.to_owned(), person, scratch: scratch.to_owned(), version: VERSION };
        let until = Until::after(VERSION_TIME);
        let call = Call::new(&["--version"], scratch).most(WORDS);
        let said = git.run(call, until).await.map_err(|_| missing())?;
        if !said.good {
            return Err(missing());
        }
        // `git version 2.47.3`, with more behind it on some systems.
        let text = String::from_utf8_lossy(&said.output).trim().to_owned();
        let found = text.strip_prefix("git version ").unwrap_or(&text);
        let mut parts = found.split('.').map(|part| part.parse::<u32>().ok());
        match (parts.next().flatten(), parts.next().flatten()) {
            (Some(major), Some(minor)) => git.version = (major, minor),
            _ => return Err(Error::OldGit { found: shown(found.as_bytes()), needs: VERSION }),
        }
        git.needs(VERSION)?;
        Ok(git)
    }

    /// # Errors
    /// [`Error::OldGit`] where it is older than this version.
    pub(crate) fn needs(&self, version: (u32, u32)) -> Result<(), Error> {
        let (major, minor) = self.version;
        let found = format!("{major}.{minor}");
        if self.version >= version { Ok(()) } else { Err(Error::OldGit { found, needs: version }) }
    }

    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Runs it to its end. That it failed is no error here.
    ///
    /// # Errors
    /// [`Error::NoGit`], [`Error::TooSlow`], [`Error::TooLarge`] where it says more than the call takes,
    /// [`Error::DiskFull`].
    pub(crate) async fn run(&self, call: Call, until: Until) -> Result<Said, Error> {
        let mut running = self.start(&call, Stdio::piped())?;
        if let Some(most) = call.memory {
            // It waits for its input yet.
            running.bound_memory(most.saturating_mul(IN_ALL).saturating_add(OWN_MEMORY));
        }
        let input = running.input();
        let ended = async { tokio::join!(feed(input, &call.input), running.ended(call.most)).1 };
        call.checked(until.bounds(ended).await?.map_err(Error::io("git"))?)
    }

    /// Runs two, the first one's output being the second one's input. What both said.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub(crate) async fn pipe(&self, from: Call, to: Call, until: Until) -> Result<(Said, Said), Error> {
        let mut first = self.start(&from, Stdio::piped())?;
        let between = first.output().map(TryInto::<Stdio>::try_into).transpose().map_err(Error::io("git"))?;
        let mut second = self.start(&to, between.unwrap_or_else(Stdio::null))?;
        let input = first.input();
        let ended = async {
            let (_, first, second) = tokio::join!(feed(input, &from.input), first.ended(0), second.ended(to.most));
            Ok::<_, io::Error>((first?, second?))
        };
        let (first, second) = until.bounds(ended).await?.map_err(Error::io("git"))?;
        Ok((from.checked(first)?, to.checked(second)?))
    }

    fn start(&self, call: &Call, input: Stdio) -> Result<Running, Error> {
        let mut command = Command::new(&self.program);
        command.args(&call.arguments).current_dir(&call.folder).env_clear();
        command.envs(ENVIRONMENT.iter().copied()).env("HOME", &self.scratch).env("TMPDIR", &self.scratch);
        command.env("GIT_CONFIG_COUNT", SETTINGS.len().to_string());
        for (index, (key, value)) in SETTINGS.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        for (name, value) in &call.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(input);
        Running::start(command).map_err(|_| Error::NoGit { program: self.program.clone() })
    }
}

/// When something is to be given up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    at: Instant,
    seconds: u64,
}

impl Until {
    pub(crate) fn after(time: Duration) -> Self {
        Self { at: Instant::now() + time, seconds: time.as_secs() }
    }

    async fn bounds<T>(self, work: impl Future<Output = T>) -> Result<T, Error> {
        tokio::time::timeout_at(self.at, work).await.map_err(|_| Error::TooSlow { seconds: self.seconds })
    }
}

/// One run of git.
#[derive(Debug)]
pub(crate) struct Call {
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, Option<OsString>)>,
    folder: PathBuf,
    input: Vec<u8>,
    most: usize,
    what: &'static str,
    memory: Option<u64>,
}

impl Call {
    pub(crate) fn new<A: AsRef<OsStr>>(arguments: &[A], folder: &Path) -> Self {
        Self {
            arguments: arguments.iter().map(|argument| argument.as_ref().to_owned()).collect(),
            variables: Vec::new(),
            folder: folder.to_owned(),
            input: Vec::new(),
            most: 64 * 1024,
            what: "What git says",
            memory: None,
        }
    }

    /// With a variable in its environment.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, Some(value.into())));
        self
    }

    /// Without one that it would have.
    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.variables.push((name, None));
        self
    }

    pub(crate) fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// May say this many bytes.
    pub(crate) fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// May say this many bytes, which are called so where it says more.
    pub(crate) fn most_of(mut self, what: &'static str, most: usize) -> Self {
        (self.what, self.most) = (what, most);
        self
    }

    /// May hold nothing that is larger, in bytes: what somebody gives it can unfold to far more. On Linux all that it holds
    /// is bounded, too, where it is run by itself.
    pub(crate) fn holding(mut self, most: u64) -> Self {
        self.variables.push(("GIT_ALLOC_LIMIT", Some(most.to_string().into())));
        self.memory = Some(most);
        self
    }

    fn checked(&self, ended: Ended) -> Result<Said, Error> {
        let Ended { status, output, words } = ended;
        let output = output.ok_or(Error::TooLarge { what: self.what, most: self.most as u64 })?;
        let (good, code) = (status.success(), status.code());
        if !good && words.contains("No space left on device") {
            return Err(Error::DiskFull);
        }
        if let Some(most) = self.memory.filter(|_| !good && is_out_of_memory(&words)) {
            return Err(Error::TooLarge { what: MADE, most });
        }
        let command = self.arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Said { good, code, output, words, command })
    }
}

/// Whether git gave up since it was to hold too much. What it says of a misfit names the file, and anybody may have called
/// that so.
fn is_out_of_memory(words: &str) -> bool {
    words.lines().any(|line| {
        let is_misfit = MISFITS.iter().any(|said| line.contains(said));
        !is_misfit && OUT_OF_MEMORY.iter().any(|said| line.contains(said))
    })
}

/// How a run of git ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) good: bool,
    /// Its exit code; absent where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) output: Vec<u8>,
    /// The last of its complaints.
    pub(crate) words: String,
    command: String,
}

impl Said {
    /// What it wrote.
    ///
    /// # Errors
    /// [`Error::Git`] where it failed.
    pub(crate) fn output(self) -> Result<Vec<u8>, Error> {
        if self.good { Ok(self.output) } else { Err(self.failure()) }
    }

    pub(crate) fn failure(self) -> Error {
        Error::Git { words: self.cause(), command: self.command }
    }

    /// The last line of its complaints, to be read by a person.
    pub(crate) fn cause(&self) -> String {
        let line = self.words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
        shown(line.trim_end_matches('.').as_bytes())
    }
}

async fn feed(to: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut to) = to {
        // One that has ended reads no more, and says itself why.
        let _ = to.write_all(input).await;
    }
}

/// At most 300 characters, none that controls a terminal.
fn shown(words: &[u8]) -> String {
    String::from_utf8_lossy(words).chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_is_no_word_of_gits_about_memory() {
        for (words, is_one) in [
            ("fatal: attempting to allocate 1073741824 over limit 268435456", true),
            ("warning: x\nfatal: Out of memory, malloc failed (tried to allocate 1073741825 bytes)", true),
            ("error: docs/out of memory.md: patch does not apply", false),
            ("error: patch failed:  over limit :1\nerror:  over limit : patch does not apply", false),
        ] {
            assert_eq!(is_out_of_memory(words), is_one, "{words}");
        }
    }
}
