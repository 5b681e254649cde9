//! Starting and stopping the gate: lock, store, socket, connections.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gate_api::Origin;
use gate_core::{Code, Fault, Timestamp};
use gate_door::Door;
use gate_door::access::Access;
use gate_link::{GateListener, GateLock, Home, Peer, Role, listen, read_hello};
use gate_mcp::{ConnectionInfo, HttpEndpoint, Toolset, serve_connection};
use gate_settings::{Overlay, SettingsFile};
use gate_store::{OpenOptions, Store};
use tokio::io::BufReader;
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ambient::System;
use crate::bus::Bus;
use crate::host::Host;
use crate::slices::conversations::Folders;
use crate::slices::prompts::Sources;
use crate::slices::settings::{InForce, journal};
use crate::slices::{Gate, Parts};
use crate::{control, upkeep};

/// How long a new connection may take to say who it is.
const HELLO_WAIT: Duration = Duration::from_secs(5);
/// Connections at the same time; more wait in the socket's backlog.
const CONNECTIONS: usize = 1024;
/// Open files that the bounds on connections, together with the store, may need.
const FILES: u64 = 4096;
/// For how long a client over HTTP may be away before its session is forgotten: 30 days.
const HTTP_SESSION_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// How long open connections may take to end when the gate stops.
const GOODBYE: Duration = Duration::from_secs(2);

/// How a gate is started.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Its folders.
    pub home: Home,
    /// Whether it has a window.
    pub window: bool,
    /// The command line program, as an agent's client should start it.
    pub command_path: String,
    /// The port on 127.0.0.1 to try first, in the place of the setting; 0 for any.
    pub port: Option<u16>,
    /// Serves the fixtures of the official conformance suite over HTTP, to everyone on this machine.
    #[cfg(feature = "conformance")]
    pub conformance: bool,
}

impl RunOptions {
    /// A gate of this home, with or without a window, everything else as the settings say.
    #[must_use]
    pub fn new(home: Home, window: bool, command_path: String) -> Self {
        Self {
            home,
            window,
            command_path,
            port: None,
            #[cfg(feature = "conformance")]
            conformance: false,
        }
    }
}

/// What came of a start.
#[derive(Debug)]
pub enum Started {
    /// This process is the gate now.
    Gate(Running),
    /// Another process is; nothing was done.
    AlreadyRunning,
}

/// A running gate. Dropping it stops it without a goodbye; see [`Running::stopped`].
#[derive(Debug)]
pub struct Running {
    /// The controller.
    pub gate: Gate,
    stop: CancellationToken,
    tasks: TaskTracker,
    http_file: PathBuf,
    lock: GateLock,
}

/// Takes the lock, opens the record, and serves the local socket.
///
/// # Errors
/// A [`Fault`] that says why: the home can't be written, the database is damaged or newer, the
/// socket's path is too long. Nothing runs then.
pub async fn start(options: RunOptions) -> Result<Started, Fault> {
    let home = options.home;
    let Some(lock) = GateLock::try_acquire(&home).map_err(|error| error.fault())? else {
        return Ok(Started::AlreadyRunning);
    };
    // Said once and for as long as the gate runs.
    let flags = options.port.map(|port| ("network.port", port.into())).into_iter().collect();
    let in_force = InForce::read(SettingsFile::at(home.config_file()), Overlay::of_process(flags));
    let (settings, bus) = (in_force.settings(), Bus::new(System));
    for problem in &in_force.loaded().problems {
        bus.warn(problem.clone());
    }
    let store = OpenOptions {
        path: home.database(),
        max_pages: None,
        journal: journal(&settings),
        backups: Some(home.backups_folder()),
        now: bus.now(),
    };
    // Neither needs the other, and agents wait for both.
    let (opened, prompts) = tokio::join!(Store::open(&store), Sources::open(&home, &settings, &bus));
    let opened = opened?;
    let stop = bus.stop().clone();
    allow_many_files();
    let access = Arc::new(Access::open(&home.token_file())?);
    if let Some(recovery) = &opened.recovery {
        let warning = recovery.warning();
        tracing::error!(%warning, "the record was mended");
        bus.warn(warning);
    }
    let web = match settings.network.http {
        true => http_listener(settings.network.port, &home, &bus).await,
        false => None,
    };
    let gate = Gate::open(Parts {
        store: opened.store,
        bus,
        host: Host {
            home: home.clone(),
            command_path: options.command_path,
            window: options.window,
            http: web.as_ref().map(|(_, url)| url.clone()),
        },
        in_force,
        access: Arc::clone(&access),
        prompts,
        folders: Folders {
            index: home.search_index(),
            exports: exports_folder(&home),
            backups: home.backups_folder(),
            copies: home.data_folder().join(gate_clients::COPIES),
        },
    })
    .await?;
    let slices = &gate.inner;
    slices.store.begin_http(Timestamp(slices.bus.now().0 - HTTP_SESSION_MILLIS)).await?;
    let listener = listen(&lock).map_err(|error| error.fault())?;
    let tasks = TaskTracker::new();
    tasks.spawn(accept(gate.clone(), listener, stop.clone(), tasks.clone()));
    upkeep::start(&gate, &home, &tasks, &stop);
    gate.keep(&tasks);
    if let Some((web, _)) = web {
        let endpoint = HttpEndpoint::new(Arc::new(gate.clone()), &stop);
        #[cfg(feature = "conformance")]
        let endpoint = if options.conformance { endpoint.with_fixture(&stop) } else { endpoint };
        let downloads = home.data_folder().join("downloads");
        let door = Door::new(Arc::new(gate.clone()), access, endpoint, downloads, stop.clone());
        #[cfg(feature = "conformance")]
        let door = if options.conformance { door.open_to_all() } else { door };
        tasks.spawn(gate_door::serve(Arc::new(door), web, tasks.clone()));
    }
    tracing::info!(pid = std::process::id(), "the gate is open");
    let http_file = home.http_file();
    Ok(Started::Gate(Running { gate, stop, tasks, http_file, lock }))
}

impl Running {
    /// Resolves when the gate was asked to stop, after connections have ended and the store is
    /// closed. Pending requests stay open in the record.
    pub async fn stopped(self) {
        self.stop.cancelled().await;
        self.tasks.close();
        if tokio::time::timeout(GOODBYE, self.tasks.wait()).await.is_err() {
            tracing::warn!("some connections did not end in time");
        }
        // It may not have been made.
        let _ = std::fs::remove_file(&self.http_file);
        // A socket that stays tells that its gate broke down. The lock is still ours.
        let _ = std::fs::remove_file(self.lock.home().socket());
        self.gate.inner.conversations.search.close().await;
        self.gate.inner.store.close().await;
        tracing::info!("the gate is closed");
    }
}

/// Where exports go that name no file: the person's download folder, or the home's own where one
/// folder holds everything.
fn exports_folder(home: &Home) -> PathBuf {
    let own = || home.data_folder().join("exports");
    match home.single_folder() {
        Some(_) => own(),
        None => dirs::download_dir().unwrap_or_else(own),
    }
}

/// Listens for HTTP and records where. Without it, the gate still serves everyone over its socket.
async fn http_listener(port: u16, home: &Home, bus: &Bus) -> Option<(TcpListener, String)> {
    let opened = async {
        let listener = gate_door::listen(port).await?;
        let address = listener.local_addr().map_err(|error| Fault::internal(error.to_string()))?;
        let url = format!("http://{address}");
        if port != 0 && address.port() != port {
            bus.warn(Fault::new(
                Code::InvalidSetting,
                format!("Port {port} is taken by another program; HTTP is served at {url}."),
                format!("Stop that program or set `network.port`; clients set to port {port} reach that program."),
            ));
        }
        std::fs::write(home.http_file(), format!("{url}\n"))
            .map_err(|error| Fault::internal(format!("Where HTTP is served can't be recorded: {error}.")))?;
        Ok::<_, Fault>((listener, url))
    };
    opened.await.map_err(|fault| bus.warn(fault)).ok()
}

/// Every connection is an open file, and many systems allow 1024 unless asked for more.
fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|now| now < wanted) {
        // Without it, fewer connections are served at the same time.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
}

async fn accept(gate: Gate, listener: GateListener, stop: CancellationToken, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = stop.cancelled() => return,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (gate, stop) = (gate.clone(), stop.clone());
                tasks.spawn(async move {
                    serve(gate, stream, peer, stop).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::error!(%error, "the local socket broke");
                stop.cancel();
                return;
            }
        }
    }
}

async fn serve(gate: Gate, stream: UnixStream, peer: Peer, stop: CancellationToken) {
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let hello = match read_hello(&mut read, HELLO_WAIT).await {
        Ok(hello) => hello,
        Err(error) => {
            tracing::debug!(%error, "a connection without a hello");
            return;
        }
    };
    match hello.role {
        Role::Relay(relay) => {
            // A relay of another version may know a toolset that this gate doesn't.
            let toolset = Toolset::named(&relay.toolset).unwrap_or_else(Toolset::default_one);
            // In a container the kernel has another number for it; of a forwarded socket it names who forwards.
            let is_named = peer.pid == Some(relay.pid);
            let info = ConnectionInfo {
                relay: relay.relay_id.to_string(),
                client: peer.starter.filter(|_| is_named),
                folder: peer.folder.unwrap_or_default(),
                workspace: relay.workspace,
                resumed: relay.resumed,
                toolset,
            };
            serve_connection(Arc::new(gate), info, read, write, stop).await;
        }
        Role::Control(hello) => {
            let at_terminal = hello.terminal && peer.pid.is_none_or(has_terminal);
            let origin = if at_terminal { Origin::Terminal } else { Origin::Script };
            control::serve(gate, origin, read, write, stop).await;
        }
    }
}

/// Whether a process has a controlling terminal, so that none can claim one it hasn't: field 7 of
/// `/proc/PID/stat` (proc(5)). Elsewhere than on Linux the process's own word counts.
fn has_terminal(pid: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let Some((_, fields)) = stat.rsplit_once(')') else { return false };
    fields.split_whitespace().nth(4).is_some_and(|tty| tty != "0")
}
