//! A home folder that belongs to one test, and everything that runs in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::bin;
use crate::process::{Process, processes_with};
use crate::programs::Programs;
use crate::run::Ran;

const HOME: &str = "REVIEW_GATE_HOME";
/// For how many seconds a reply from a window can be taken back. Not at all, unless a test is about that:
/// agents hear at once.
const UNDO_SECONDS: &str = "REVIEW_GATE__WINDOW__UNDO_SECONDS";
/// Lets scripts answer, as these tests do, where the person has confirmed it: for a test that writes a `config.yaml` of
/// its own.
const SCRIPTS: &str = "REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS";
/// The same in `config.yaml`: a gate that a relay starts gets no such variable.
pub(crate) const SCRIPTS_ANSWER: &str = "security:\n  scripted_answers: true\n";
/// What the person has confirmed, as the window writes it down beside `config.yaml`: that, and that nothing is held.
const CONFIRMED: (&str, &str) = ("guards.json", "{\"security.scripted_answers\":true,\"window.undo_seconds\":0}");
/// A system's bus that isn't there: who is logged in at this machine's screen has nothing to do with a test's display.
pub(crate) const NO_BUS: &str = "unix:path=/nowhere";
/// How long a killed process may take to be gone.
const END: Duration = Duration::from_secs(5);

/// A folder of a test's own as `REVIEW_GATE_HOME`. Cheap to clone; when the last clone goes (agents
/// and gates hold one), every process of this home is killed and the folder removed.
#[derive(Debug, Clone)]
pub struct Home {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    env: Vec<(OsString, OsString)>,
    scripts_answer: bool,
    person: Option<Person>,
    folder: TempDir,
    programs: Option<Programs>,
}

/// Another user than the test's.
#[derive(Debug, Clone)]
pub struct Person {
    /// Their number, and that of their group.
    pub user: u32,
    /// `review-gate`, where they can start it.
    pub program: PathBuf,
}

/// What is special about a home.
#[derive(Debug, Clone, Default)]
pub struct HomeOptions {
    /// Variables for every program that is started in it.
    pub env: Vec<(OsString, OsString)>,
    /// The text of its `config.yaml`.
    pub config: Option<String>,
    /// The home's path below the test's folder, to be made by the program; `home` when absent.
    pub below: Option<PathBuf>,
    /// Whether it is guarded as a person's is by itself: scripts, and so these tests, answer nothing. One that the program
    /// makes always is.
    pub guarded: bool,
    /// Whose it is, and who runs its programs, where that is another user; it takes root.
    pub person: Option<Person>,
}

impl Home {
    /// An empty home. No display is named, so that `review-gate serve` is what relays start.
    ///
    /// # Errors
    /// When no temporary folder can be made.
    pub fn new() -> Result<Self> {
        Self::with(HomeOptions::default())
    }

    /// An empty home with variables for all of its programs, e.g. `DISPLAY`.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn with_env<N: Into<OsString>, V: Into<OsString>>(env: impl IntoIterator<Item = (N, V)>) -> Result<Self> {
        let env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::with(HomeOptions { env, ..HomeOptions::default() })
    }

    /// A home whose guards are as they are by themselves.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn guarded() -> Result<Self> {
        Self::with(HomeOptions { guarded: true, ..HomeOptions::default() })
    }

    /// A home with a `config.yaml`.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn with_config(yaml: &str) -> Result<Self> {
        Self::with(HomeOptions { config: Some(yaml.to_owned()), ..HomeOptions::default() })
    }

    /// A home with everything that can be special about one.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn with(options: HomeOptions) -> Result<Self> {
        Self::within(Self::own_folder()?, options, None)
    }

    /// The same, with programs that aren't simply those that are built.
    pub(crate) fn with_programs(options: HomeOptions, programs: Programs) -> Result<Self> {
        Self::within(Self::own_folder()?, options, Some(programs))
    }

    fn own_folder() -> Result<TempDir> {
        // A socket's path has at most 107 bytes: what TMPDIR names may be too deep.
        tempfile::Builder::new().prefix("rg-").tempdir_in("/tmp").context("no folder for a home")
    }

    /// A home in a folder that is made already.
    pub(crate) fn within(folder: TempDir, options: HomeOptions, programs: Option<Programs>) -> Result<Self> {
        std::fs::create_dir(folder.path().join("work")).context("no folder for an agent's work")?;
        let scripts_answer = !options.guarded && options.below.is_none();
        let path = match options.below {
            Some(below) => folder.path().join(below),
            None => {
                let path = folder.path().join("home");
                std::fs::create_dir(&path).context("no home")?;
                path
            }
        };
        let mut config = options.config;
        if scripts_answer {
            std::fs::write(path.join(CONFIRMED.0), CONFIRMED.1).context("nothing can be confirmed")?;
            let config = config.get_or_insert_default();
            if !config.contains("security:") {
                config.push_str(SCRIPTS_ANSWER);
            }
        }
        if let Some(config) = config {
            std::fs::write(path.join("config.yaml"), config).context("config.yaml can't be written")?;
        }
        let person = options.person;
        if let Some(Person { user, .. }) = &person {
            let mut all = Command::new("chown");
            all.args(["-R", &format!("{user}:{user}")]).arg(folder.path());
            ensure!(all.as_std_mut().status()?.success(), "a home can't be given to another user");
        }
        Ok(Self { inner: Arc::new(Inner { path, env: options.env, scripts_answer, person, folder, programs }) })
    }

    /// What `REVIEW_GATE_HOME` names.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The test's own folder, which the home is in; for files of the test.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.inner.folder.path()
    }

    /// The folder that agents of this home work in.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.inner.folder.path().join("work")
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path().join("review-gate.db")
    }

    /// The variables that a program needs to belong to this home.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let own = (OsString::from(HOME), self.path().as_os_str().to_owned());
        let undo = (OsString::from(UNDO_SECONDS), OsString::from("0"));
        let scripts = (OsString::from(SCRIPTS), OsString::from("true"));
        let scripts = self.inner.scripts_answer.then_some(scripts);
        [own, undo].into_iter().chain(scripts).chain(self.inner.env.iter().cloned()).collect()
    }

    /// Makes a command one of this home: its variables set, those of the developer's own desktop
    /// and gate taken out, its folder the agents'.
    pub fn dress(&self, command: &mut Command) {
        let ours = |name: &OsString| name.to_str().is_some_and(|name| name.starts_with("REVIEW_GATE_"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"] {
            command.env_remove(name);
        }
        command.env("DBUS_SYSTEM_BUS_ADDRESS", NO_BUS);
        command.envs(self.env()).current_dir(self.workspace()).kill_on_drop(true);
        if let Some(Person { user, .. }) = &self.inner.person {
            command.uid(*user).gid(*user);
        }
    }

    /// The file of `review-gate`, as this home's agents start it.
    ///
    /// # Errors
    /// When the program isn't built.
    pub fn command_line(&self) -> Result<PathBuf> {
        match (&self.inner.programs, &self.inner.person) {
            (Some(programs), _) => Ok(programs.command_line()),
            (None, Some(person)) => Ok(person.program.clone()),
            (None, None) => bin("review-gate"),
        }
    }

    /// `review-gate` with these arguments, not started yet, nothing on its stdin.
    ///
    /// # Errors
    /// When the program isn't built.
    pub fn command<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Command> {
        let mut command = Command::new(self.command_line()?);
        command.args(arguments.into_iter().map(Into::into)).stdin(Stdio::null());
        self.dress(&mut command);
        Ok(command)
    }

    /// Runs `review-gate` with these arguments to its end.
    ///
    /// # Errors
    /// When it can't be started or doesn't end in time.
    pub async fn run<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Ran> {
        Ran::of(self.command(arguments)?).await
    }

    /// Answers a request: `review-gate answer ID` with these further arguments.
    ///
    /// # Errors
    /// When the gate refuses it.
    pub async fn answer<A: AsRef<str>>(&self, id: &str, arguments: impl IntoIterator<Item = A>) -> Result<()> {
        let arguments: Vec<String> = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        let all = ["answer".to_owned(), id.to_owned()].into_iter().chain(arguments);
        self.run(all).await?.succeeded().map(drop)
    }

    /// What is waiting for an answer: `review-gate requests --json`.
    ///
    /// # Errors
    /// When there is no gate and none can be started.
    pub async fn pending(&self) -> Result<Vec<Value>> {
        let list = self.run(["requests", "--json"]).await?.json()?;
        list.as_array().cloned().with_context(|| format!("`requests --json` prints an array, not {list}"))
    }

    /// The gate of this home: the process that signed the lock file, if it is one of this home's.
    #[must_use]
    pub fn gate(&self) -> Option<Process> {
        gate_of(self.path())
    }

    /// Every process of this home.
    #[must_use]
    pub fn processes(&self) -> Vec<Process> {
        processes_of(self.path())
    }
}

fn gate_of(home: &Path) -> Option<Process> {
    let signed = std::fs::read_to_string(home.join("gate.lock")).ok()?;
    let process = Process::open(signed.lines().next()?.parse().ok()?)?;
    let mut own = OsString::from(format!("{HOME}="));
    own.push(home);
    let (environment, arguments) = (process.environment(), process.arguments());
    // A gate keeps its environment from all but root.
    let is_a_gate = || arguments.first().is_some_and(|name| name.to_string_lossy().contains("review-gate"));
    (environment.contains(&own) || (environment.is_empty() && is_a_gate())).then_some(process)
}

fn processes_of(home: &Path) -> Vec<Process> {
    let mut found = processes_with(HOME, home);
    let gate = gate_of(home).filter(|gate| found.iter().all(|known| known.pid() != gate.pid()));
    found.extend(gate);
    found
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A relay that still lives starts a gate anew, so one round may not be enough.
        for _ in 0..10 {
            let processes = processes_of(&self.path);
            if processes.is_empty() {
                break;
            }
            for process in &processes {
                let _ = process.kill();
            }
            for process in &processes {
                let _ = process.ends_within(END);
            }
        }
    }
}
