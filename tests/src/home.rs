//! A home folder that belongs to one test, and everything that runs in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::process::Command;

use crate::bin;
use crate::process::{Process, processes_with};
use crate::programs::Programs;
use crate::run::Ran;
use crate::wait::{LIMIT, eventually};
use crate::wine::{DRIVE, Wine};

const HOME: &str = "REVIEW_GATE_HOME";
/// In a `config.yaml`: scripts may answer. A test that says so has its answers given by one, since it is about something
/// else.
pub const SCRIPTS_ANSWER: &str = "security:\n  scripted_answers: true\n";
/// In a `config.yaml`: nothing that is sent from a window or the page can be taken back, so that agents hear at once. For
/// tests that are about something else, and don't say that it may go now.
pub const AT_ONCE: &str = "window:\n  undo_seconds: 0\n";
/// Where the window writes down what the person has confirmed, beside `config.yaml`.
const CONFIRMED: &str = "guards.json";
/// What [`SCRIPTS_ANSWER`] says, for a gate of a test that writes a `config.yaml` of its own later.
const SCRIPTS: &str = "REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS";
/// A system's bus that isn't there: who is logged in at this machine's screen has nothing to do with a test's display.
pub(crate) const NO_BUS: &str = "unix:path=/nowhere";
/// How long a killed process may take to be gone.
const END: Duration = Duration::from_secs(5);

/// A folder of a test's own as `REVIEW_GATE_HOME`, at the default settings but for those that the test names. Cheap to
/// clone; when the last clone goes (agents and gates hold one), every process of this home is killed and the folder
/// removed.
#[derive(Debug, Clone)]
pub struct Home {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    wine: Option<Wine>,
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
    /// The text of its `config.yaml`. The person has confirmed what it says of answers by scripts and of how long a reply
    /// can be taken back.
    pub config: Option<String>,
    /// Whether nobody has confirmed anything of it: for a test of what a file by itself does.
    pub unconfirmed: bool,
    /// The home's path below the test's folder, to be made by the program; `home` when absent.
    pub below: Option<PathBuf>,
    /// Whose it is, and who runs its programs, where that is another user; it takes root.
    pub person: Option<Person>,
}

impl Home {
    /// An empty home, at the default settings. No display is named, so that `review-gate serve` is what relays start.
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

    /// An empty home in which scripts may answer: then [`Home::answer`] is one.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn with_scripts() -> Result<Self> {
        Self::with_config(SCRIPTS_ANSWER)
    }

    /// The same with variables for all of its programs.
    ///
    /// # Errors
    /// As [`Home::new`].
    pub fn with_scripts_and_env<N: Into<OsString>, V: Into<OsString>>(
        env: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self> {
        let env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::with(HomeOptions { env, config: Some(SCRIPTS_ANSWER.to_owned()), ..HomeOptions::default() })
    }

    /// A home with a `config.yaml`, as [`HomeOptions::config`] says.
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

    /// The same, with the programs for Windows.
    pub(crate) fn on(folder: TempDir, options: HomeOptions, wine: Wine) -> Result<Self> {
        let mut home = Self::within(folder, options, None)?;
        let inner = Arc::get_mut(&mut home.inner).context("a new home is nobody else's")?;
        inner.wine = Some(wine);
        Ok(home)
    }

    pub(crate) fn own_folder() -> Result<TempDir> {
        // A socket's path has at most 107 bytes: what TMPDIR names may be too deep.
        tempfile::Builder::new().prefix("rg-").tempdir_in("/tmp").context("no folder for a home")
    }

    /// A home in a folder that is made already.
    pub(crate) fn within(folder: TempDir, options: HomeOptions, programs: Option<Programs>) -> Result<Self> {
        std::fs::create_dir(folder.path().join("work")).context("no folder for an agent's work")?;
        let confirmed = if options.unconfirmed { Map::new() } else { confirmed(options.config.as_deref()) };
        let path = match options.below {
            Some(below) => folder.path().join(below),
            None => {
                let path = folder.path().join("home");
                std::fs::create_dir(&path).context("no home")?;
                path
            }
        };
        if !confirmed.is_empty() {
            let text = Value::Object(confirmed.clone()).to_string();
            std::fs::write(path.join(CONFIRMED), text).context("nothing can be confirmed")?;
        }
        if let Some(config) = options.config {
            std::fs::write(path.join("config.yaml"), config).context("config.yaml can't be written")?;
        }
        let scripts_answer = confirmed.contains_key("security.scripted_answers");
        let person = options.person;
        if let Some(Person { user, .. }) = &person {
            let mut all = Command::new("chown");
            all.args(["-R", &format!("{user}:{user}")]).arg(folder.path());
            ensure!(all.as_std_mut().status()?.success(), "a home can't be given to another user");
        }
        let inner = Inner { wine: None, path, env: options.env, scripts_answer, person, folder, programs };
        Ok(Self { inner: Arc::new(inner) })
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
        match &self.inner.wine {
            Some(_) => self.folder().join(DRIVE).join("work"),
            None => self.inner.folder.path().join("work"),
        }
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path().join("review-gate.db")
    }

    /// The variables that a program needs to belong to this home.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let path = match &self.inner.wine {
            Some(wine) => wine.home().into(),
            None => self.path().as_os_str().to_owned(),
        };
        let own = (OsString::from(HOME), path);
        let scripts = (OsString::from(SCRIPTS), OsString::from("true"));
        let scripts = self.inner.scripts_answer.then_some(scripts);
        [own].into_iter().chain(scripts).chain(self.inner.env.iter().cloned()).collect()
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
        // Where whoever looks for a microphone makes a folder, without one of a desktop's.
        command.env("PULSE_RUNTIME_PATH", self.folder().join("pulse"));
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
        match &*self.inner {
            Inner { wine: Some(wine), .. } => Ok(wine.command_line()),
            Inner { programs: Some(programs), .. } => Ok(programs.command_line()),
            Inner { person: Some(person), .. } => Ok(person.program.clone()),
            _ => bin("review-gate"),
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
        self.inner.wine.as_ref().map_or_else(|| gate_of(self.path()), |wine| wine.gates().pop())
    }

    /// How many gates run, of a home on Windows.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.inner.wine.as_ref().map_or(0, |wine| wine.gates().len())
    }

    /// Waits until something has started a gate of this home; asking a gate would start one itself.
    ///
    /// # Errors
    /// When nothing does in time.
    pub async fn gate_runs(&self) -> Result<Process> {
        eventually("a gate that something else has started", LIMIT, || async { Ok(self.gate()) }).await
    }

    /// Every process of this home.
    #[must_use]
    pub fn processes(&self) -> Vec<Process> {
        self.inner.wine.as_ref().map_or_else(|| processes_of(self.path()), Wine::processes)
    }
}

/// What a `config.yaml` makes weaker, as the window writes it down where the person confirms that.
fn confirmed(config: Option<&str>) -> Map<String, Value> {
    let after = |key: &str| Some(config?.split_once(key)?.1.lines().next()?.trim());
    let scripts = after("scripted_answers:").filter(|value| *value == "true").map(|_| Value::Bool(true));
    let seconds = after("undo_seconds:").and_then(|value| value.parse::<u8>().ok()).map(Value::from);
    let named = [("security.scripted_answers", scripts), ("window.undo_seconds", seconds)];
    named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
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
        drop(self.wine.take());
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
