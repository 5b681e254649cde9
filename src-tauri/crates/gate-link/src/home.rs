//! Where the gate keeps its things.

use crate::env::{self, Env};
use crate::error::LinkError;
use crate::folder;
use etcetera::BaseStrategy;
use gate_core::Digest;
use gate_os::{files, local};
use std::path::{Path, PathBuf};

/// The name of our folder within the platform's folders.
const FOLDER: &str = "review-gate";

/// The sockets' files within the folder that is theirs.
const MCP_SOCKET: &str = "mcp.sock";
const CONTROL_SOCKET: &str = "control/control.sock";
/// A folder beside the relays' socket that holds another name of it and nothing else, so that it can be shown to a
/// sandbox without all that lies in the home.
const RELAYS: &str = "relays";

/// How many letters of a digest tell the pipes of one home from those of another.
const PIPE_LETTERS: usize = 32;

/// Where a sandbox of `review-gate run` has that folder. Only root makes a folder here, so on no machine of a person's
/// does a program take itself to be in a sandbox.
const IN_A_SANDBOX: &str = "/run/review-gate-sandbox";

/// The platform's folders for this user, into which every program puts a folder of its own.
#[derive(Debug, Clone)]
pub struct PlatformFolders {
    /// For settings, e.g. `~/.config`.
    pub config: PathBuf,
    /// For data, e.g. `~/.local/share`.
    pub data: PathBuf,
    /// For logs, e.g. `~/.local/state`.
    pub state: PathBuf,
    /// For sockets if the environment doesn't name one, e.g. `/run/user/1000`.
    pub runtime: Option<PathBuf>,
}

impl PlatformFolders {
    /// The folders of this process's user.
    ///
    /// # Errors
    /// [`LinkError::NoHome`] if the user has no home folder.
    pub fn of_this_user() -> Result<Self, LinkError> {
        let base = etcetera::base_strategy::choose_native_strategy().map_err(|_| LinkError::NoHome)?;
        let data = base.data_dir();
        // Apple keeps `Preferences` for its own format: settings go beside the data there.
        let config = if cfg!(target_os = "macos") { data.clone() } else { base.config_dir() };
        let state = base.state_dir().unwrap_or_else(|| data.clone());
        // MCP clients start their servers with a handful of variables, XDG_RUNTIME_DIR not among
        // them: the relay must come to the same socket as the gate that the desktop started.
        let runtime = cfg!(target_os = "linux").then(|| PathBuf::from(format!("/run/user/{}", gate_os::User::this())));
        Ok(Self { config, data, state, runtime })
    }
}

/// One of the gate's local sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Socket {
    /// For the relays of agents, and for MCP alone.
    Mcp,
    /// For the person's commands. In a folder of its own, so that an agent can be given the other one without it.
    Control,
}

/// The folders and files of one gate. Making a `Home` touches nothing; [`Home::create`] does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    config: PathBuf,
    data: PathBuf,
    logs: PathBuf,
    mcp_socket: PathBuf,
    control_socket: PathBuf,
    single: bool,
}

impl Home {
    /// The home that the process's environment and platform name.
    ///
    /// # Errors
    /// [`LinkError::NoHome`] if neither `REVIEW_GATE_HOME` nor a home folder of the user exists.
    pub fn from_env() -> Result<Self, LinkError> {
        // What its agent's client is told to hand on may be of the home outside, which isn't there.
        if Self::is_in_a_sandbox() {
            return Ok(Self::at(Self::in_a_sandbox()));
        }
        let env = Env::of_process();
        match Self::single_of(&env)? {
            Some(home) => Ok(home),
            None => Ok(Self::on_platform(&env, &PlatformFolders::of_this_user()?)),
        }
    }

    /// The home that this environment names, else the one within the platform's folders.
    ///
    /// # Errors
    /// [`LinkError::File`] if `REVIEW_GATE_HOME` is relative and there is no current folder.
    pub fn resolve(env: &Env, platform: &PlatformFolders) -> Result<Self, LinkError> {
        Ok(Self::single_of(env)?.unwrap_or_else(|| Self::on_platform(env, platform)))
    }

    /// Where a sandbox of `review-gate run` has [`Home::relays_folder`]: all that there is of a home in it.
    #[must_use]
    pub fn in_a_sandbox() -> &'static Path {
        Path::new(IN_A_SANDBOX)
    }

    /// Whether this process runs in a sandbox of `review-gate run`: its relays reach the gate, and nothing else does.
    #[must_use]
    pub fn is_in_a_sandbox() -> bool {
        cfg!(target_os = "linux") && Self::in_a_sandbox().is_dir()
    }

    /// Everything in one folder, given by its absolute path.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let [mcp_socket, control_socket] = sockets(&folder, &folder);
        Self {
            config: folder.clone(),
            logs: folder.join("logs"),
            mcp_socket,
            control_socket,
            data: folder,
            single: true,
        }
    }

    fn single_of(env: &Env) -> Result<Option<Self>, LinkError> {
        let Some(folder) = env.get(env::HOME) else { return Ok(None) };
        // A gate that is started runs in another folder, where a relative path means another place.
        let folder = std::path::absolute(folder)
            .map_err(|source| LinkError::file("make absolute", PathBuf::from(folder), source))?;
        Ok(Some(Self::at(folder)))
    }

    fn on_platform(env: &Env, platform: &PlatformFolders) -> Self {
        let data = platform.data.join(FOLDER);
        let named = env.get(env::RUNTIME_DIR).map(PathBuf::from).filter(|path| path.is_absolute());
        let runtime = named
            .or_else(|| platform.runtime.clone())
            .filter(|path| files::is_private_folder(path).unwrap_or(false))
            .map_or_else(|| data.clone(), |path| path.join(FOLDER));
        let [mcp_socket, control_socket] = sockets(&runtime, &data);
        Self {
            config: platform.config.join(FOLDER),
            logs: platform.state.join(FOLDER).join("logs"),
            mcp_socket,
            control_socket,
            data,
            single: false,
        }
    }

    /// Makes the folders that are missing, with mode 0700, and makes those of data and of the
    /// sockets private if they aren't.
    ///
    /// # Errors
    /// [`LinkError::File`] if one can't be made, [`LinkError::FolderOpen`] if one is not ours.
    pub fn create(&self) -> Result<(), LinkError> {
        for folder in [self.data_folder(), self.socket_folder(Socket::Mcp), self.socket_folder(Socket::Control)] {
            folder::create(folder)?;
            folder::make_private(folder)?;
        }
        folder::create(&self.config)?;
        folder::create(&self.logs)
    }

    /// All of its folders.
    #[must_use]
    pub fn folders(&self) -> [&Path; 5] {
        let sockets = [self.socket_folder(Socket::Mcp), self.socket_folder(Socket::Control)];
        [&self.config, &self.data, &self.logs, sockets[0], sockets[1]]
    }

    /// The settings, `config.yaml`.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.yaml")
    }

    /// The folder with the person's own prompts, `prompts`.
    #[must_use]
    pub fn prompts_folder(&self) -> PathBuf {
        self.config.join("prompts")
    }

    /// The folder with the prompts from a repository, `synced-prompts`.
    #[must_use]
    pub fn synced_prompts_folder(&self) -> PathBuf {
        self.data.join("synced-prompts")
    }

    /// The folder of the database, the token and everything else that must last.
    #[must_use]
    pub fn data_folder(&self) -> &Path {
        &self.data
    }

    /// The database, `review-gate.db`.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data.join("review-gate.db")
    }

    /// The full-text index of the database, `search.db`; made anew when it is missing.
    #[must_use]
    pub fn search_index(&self) -> PathBuf {
        self.data.join("search.db")
    }

    /// The folder of the database's backups, `backups`.
    #[must_use]
    pub fn backups_folder(&self) -> PathBuf {
        self.data.join("backups")
    }

    /// The folder with what was shown of repositories, `repositories`.
    #[must_use]
    pub fn repositories_folder(&self) -> PathBuf {
        self.data.join("repositories")
    }

    /// The mark of a home that has had a window, `windowed`: its guards hold whoever starts a gate in it.
    #[must_use]
    pub fn window_mark(&self) -> PathBuf {
        self.data.join("windowed")
    }

    /// The secret for HTTP, `token`.
    #[must_use]
    pub fn token_file(&self) -> PathBuf {
        self.data.join("token")
    }

    /// Where the running gate serves HTTP, `http`: one line, e.g. `http://127.0.0.1:8321`. What
    /// configures clients reads it, since the wanted port may have been busy.
    #[must_use]
    pub fn http_file(&self) -> PathBuf {
        self.data.join("http")
    }

    /// The folder of the logs.
    #[must_use]
    pub fn logs_folder(&self) -> &Path {
        &self.logs
    }

    /// Where the gate that holds the lock says who it is and where it listens: in the lock's file, and on Windows, where
    /// nobody else may read a locked file, in `gate.holder` beside it.
    #[must_use]
    pub fn signature_file(&self) -> PathBuf {
        if cfg!(windows) { self.data.join("gate.holder") } else { self.lock_file() }
    }

    /// One of the local sockets: `mcp.sock`, or `control/control.sock`; on Windows a named pipe, whose name says which home
    /// it is of.
    #[must_use]
    pub fn socket(&self, socket: Socket) -> &Path {
        match socket {
            Socket::Mcp => &self.mcp_socket,
            Socket::Control => &self.control_socket,
        }
    }

    /// The folder with another name of the relays' socket and nothing else, `relays`. Made by a gate on Linux when it
    /// listens.
    #[must_use]
    pub fn relays_folder(&self) -> PathBuf {
        self.socket_folder(Socket::Mcp).join(RELAYS)
    }

    /// That other name, `relays/mcp.sock`.
    #[must_use]
    pub fn relays_socket(&self) -> PathBuf {
        self.relays_folder().join(MCP_SOCKET)
    }

    /// The file whose lock makes a gate the only one, `gate.lock`. Always beside the data, because
    /// the data is what a second gate would harm.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.data.join("gate.lock")
    }

    /// The folder that a socket is in, which keeps others out of it; the data's, where sockets are in none.
    #[must_use]
    pub fn socket_folder(&self, socket: Socket) -> &Path {
        if cfg!(windows) {
            return &self.data;
        }
        self.socket(socket).parent().unwrap_or(&self.data)
    }

    /// The one folder, if `REVIEW_GATE_HOME` named it.
    #[must_use]
    pub fn single_folder(&self) -> Option<&Path> {
        self.single.then_some(self.data.as_path())
    }

    /// Refuses a socket path that no socket address can hold.
    pub(crate) fn check_socket_path(path: &Path) -> Result<(), LinkError> {
        let length = path.as_os_str().len();
        if length > local::PATH_BYTES {
            return Err(LinkError::SocketPathTooLong { path: path.to_owned(), length, bound: local::PATH_BYTES });
        }
        Ok(())
    }
}

/// The paths of both sockets, of which on Unix the first one's folder is given.
fn sockets(folder: &Path, data: &Path) -> [PathBuf; 2] {
    if !cfg!(windows) {
        return [MCP_SOCKET, CONTROL_SOCKET].map(|name| folder.join(name));
    }
    // Pipes of all users and homes have their names in one place, in which letters' case says nothing, as in paths.
    let home = Digest::of_bytes(data.to_string_lossy().to_lowercase().as_bytes()).to_string();
    let home = &home[home.len() - PIPE_LETTERS..];
    ["mcp", "control"].map(|name| format!(r"\\.\pipe\review-gate-{home}-{name}").into())
}
