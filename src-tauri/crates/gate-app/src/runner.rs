//! Starting and stopping the gate: lock, store, sockets, HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gate_core::{Code, Fault, Seat, Timestamp};
use gate_door::access::Access;
use gate_door::{Door, Listeners};
use gate_link::{GateLock, Home, Socket, listen};
use gate_mcp::HttpEndpoint;
use gate_settings::{Held, Overlay, SettingsFile};
use gate_store::{OpenOptions, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ambient::System;
use crate::bus::Bus;
use crate::host::{Allows, Host};
use crate::slices::conversations::Folders;
use crate::slices::prompts::Sources;
use crate::slices::receipts::voucher;
use crate::slices::settings::{InForce, journal};
use crate::slices::signing::Ways;
use crate::slices::{Gate, Parts};
use crate::work::blocking;
use crate::{sockets, upkeep};

/// Open files that the bounds on connections, together with the store, may need.
#[cfg(unix)]
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
    /// Where that is shown, as far as the system tells.
    pub seat: Option<Seat>,
    /// The command line program, as an agent's client should start it.
    pub command_path: String,
    /// The port on 127.0.0.1 to try first, in the place of the setting; 0 for any.
    pub port: Option<u16>,
    /// What a gate without a window is started to allow; one of a home that has had a window is not started so.
    pub allows: Allows,
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
            seat: None,
            command_path,
            port: None,
            allows: Allows::default(),
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

/// Takes the lock, opens the record, and serves the local sockets.
///
/// # Errors
/// A [`Fault`] that says why: the home can't be written, the database is damaged or newer, the
/// socket's path is too long. Nothing runs then.
pub async fn start(options: RunOptions) -> Result<Started, Fault> {
    let home = options.home;
    // Said once and for as long as the gate runs.
    let flags = Overlay::of_process(options.port.map(|port| ("network.port", port.into())).into_iter().collect());
    let (of_gate, window, allows) = (home.clone(), options.window, options.allows);
    let begun = blocking(move || begin(&of_gate, window, allows, flags)).await?;
    let Some((lock, in_force)) = begun else { return Ok(Started::AlreadyRunning) };
    let (settings, bus) = (in_force.settings(), Bus::new(System));
    for problem in &in_force.loaded().problems {
        bus.warn(problem.clone());
    }
    let store = OpenOptions {
        path: home.database(),
        max_pages: None,
        journal: journal(&settings),
        backups: Some(home.backups_folder()),
        voucher: Some(voucher(home.data_folder().to_owned())),
        now: bus.now(),
    };
    // Neither needs the other, and agents wait for both.
    let (opened, prompts) = tokio::join!(Store::open(&store), Sources::open(&home, &settings, &bus));
    let opened = opened?;
    let stop = bus.stop().clone();
    allow_many_files();
    keep_to_itself();
    let of_gate = home.clone();
    let (access, exports) =
        blocking(move || Ok((Access::open(&of_gate.token_file())?, exports_folder(&of_gate)))).await?;
    let access = Arc::new(access);
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
            seat: options.seat,
            http: web.as_ref().map(|(_, url)| url.clone()),
            allows: options.allows,
            environment: std::env::vars_os().collect(),
        },
        in_force,
        access: Arc::clone(&access),
        prompts,
        folders: Folders {
            index: home.search_index(),
            exports,
            backups: home.backups_folder(),
            copies: home.data_folder().join(gate_clients::COPIES),
        },
        ways: Ways::of_process(),
    })
    .await?;
    let slices = &gate.inner;
    slices.store.begin_http(Timestamp(slices.bus.now().0 - HTTP_SESSION_MILLIS)).await?;
    let tasks = TaskTracker::new();
    // A relay that finds its socket may count on the other one.
    for socket in [Socket::Control, Socket::Mcp] {
        let listener = listen(&lock, socket).map_err(|error| error.fault())?;
        tasks.spawn(sockets::accept(gate.clone(), socket, listener, stop.clone(), tasks.clone()));
    }
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
        // A socket that stays tells that its gate broke down. The lock is still ours.
        let sockets = [Socket::Mcp, Socket::Control].map(|socket| self.lock.home().socket(socket).to_owned());
        let removed = blocking(move || {
            for file in sockets.iter().chain([&self.http_file]) {
                // It may not have been made.
                let _ = std::fs::remove_file(file);
            }
            Ok(())
        });
        let _ = removed.await;
        self.gate.inner.receipts.close().await;
        self.gate.inner.conversations.search.close().await;
        self.gate.inner.store.close().await;
        tracing::info!("the gate is closed");
    }
}

/// Takes the lock, keeps the guards and reads the settings; absent where another process is the gate. Waits for the disk.
///
/// # Errors
/// Those of [`keep_guards`], and when the home can't be used.
fn begin(home: &Home, window: bool, allows: Allows, flags: Overlay) -> Result<Option<(GateLock, InForce)>, Fault> {
    let Some(lock) = GateLock::try_acquire(home).map_err(|error| error.fault())? else { return Ok(None) };
    keep_guards(home, window, allows)?;
    let file = SettingsFile::at(home.config_file()).holding(Held::of_home(home.window_mark().exists()));
    Ok(Some((lock, InForce::read(file, flags))))
}

/// A home that has had a window keeps its guards: whoever starts another gate in it allows nobody more.
///
/// # Errors
/// `invalid_input` for flags in such a home, and where it can't be noted that it has a window now.
fn keep_guards(home: &Home, window: bool, allows: Allows) -> Result<(), Fault> {
    let mark = home.window_mark();
    if window {
        return std::fs::write(&mark, "").map_err(|error| {
            Fault::new(
                Code::ReadOnly,
                format!("{} can't be written: {error}.", mark.display()),
                "Give yourself the right to write the home folder, then start again.",
            )
        });
    }
    match (allows.flags().first(), mark.exists()) {
        (Some(flag), true) => Err(Fault::new(
            Code::InvalidInput,
            format!("This home has had a window, so its guards hold: it isn't opened with `{flag}`."),
            "Start it without, and make the guard weaker in the window's settings or on a signed-in page; or name \
             another home with REVIEW_GATE_HOME.",
        )),
        _ => Ok(()),
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
async fn http_listener(port: u16, home: &Home, bus: &Bus) -> Option<(Listeners, String)> {
    let opened = async {
        let listener = gate_door::listen(port).await?;
        let address = listener.local_addr().map_err(|error| Fault::internal(error.to_string()))?;
        let url = format!("http://{address}");
        if port != 0 && address.port() != port {
            bus.warn(Fault::new(
                Code::InvalidSetting,
                format!("Port {port} is taken by another program; HTTP is served at {url}."),
                format!(
                    "Stop that program or set `network.port`. Clients set to port {port} reach that program and show it \
                     their tokens: if it isn't yours, make new ones (`review-gate token rotate`, `review-gate token \
                     create`)."
                ),
            ));
        }
        let (file, line) = (home.http_file(), format!("{url}\n"));
        let unrecorded = |error| Fault::internal(format!("Where HTTP is served can't be recorded: {error}."));
        blocking(move || std::fs::write(file, line).map_err(unrecorded)).await?;
        Ok::<_, Fault>((listener, url))
    };
    opened.await.map_err(|fault| bus.warn(fault)).ok()
}

/// Keeps other processes of this user from reading or changing this one's memory, and from reading its environment and
/// its open files (`PR_SET_DUMPABLE`, prctl(2)). A page that WebKit shows is in a process of its own, which isn't kept.
///
/// Portals of the desktop refuse whoever does this: they look into `/proc/PID/root`. Nothing here asks them.
#[cfg(target_os = "linux")]
fn keep_to_itself() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "other programs of this user may look into the gate's memory");
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_to_itself() {}

/// Every connection is an open file, and many systems allow 1024 unless asked for more. Windows has no such limit.
#[cfg(unix)]
fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|now| now < wanted) {
        // Without it, fewer connections are served at the same time.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
}

#[cfg(not(unix))]
fn allow_many_files() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn others_of_this_user_are_kept_out_of_the_gates_memory() {
        super::keep_to_itself();
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
    }
}
