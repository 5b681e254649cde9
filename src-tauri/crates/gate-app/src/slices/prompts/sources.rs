//! Where prompts come from: the folders and the repository that the settings name, as they are found at a start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gate_core::Fault;
use gate_link::Home;
use gate_prompts::sync::{Limits, Plan, PromptSync, Secret, Served, Source, SourceText, SyncOptions, served_from};
use gate_prompts::{Folders, Library};
use gate_settings::Settings;

use crate::bus::Bus;

/// How long a start waits for the prompts' folders. A disk that hangs must not keep the gate from its agents.
const FIRST_LOOK: Duration = Duration::from_secs(2);

/// What a start has found.
pub(crate) struct Sources {
    pub(super) library: Library,
    /// Absent where its folder can't be used.
    pub(super) sync: Option<PromptSync>,
    /// Why nothing is fetched: the folder can't be used, or the settings name no repository that can be.
    pub(super) unsynced: Option<Fault>,
    /// The person's folder where the settings name none.
    pub(super) standard: PathBuf,
    /// The version of the repository that is read.
    pub(super) held: Option<Arc<Served>>,
}

impl Sources {
    /// Reads what is in the folders. Waits for them only for [`FIRST_LOOK`]; the person's own are taken up later
    /// then, and nothing is fetched until the next start.
    pub(crate) async fn open(home: &Home, settings: &Settings, bus: &Bus) -> Self {
        let standard = home.prompts_folder();
        let (planned, mut unsynced) = plan_of(settings);
        let clock = bus.clone();
        let options = SyncOptions {
            folder: home.synced_prompts_folder(),
            program: PathBuf::from("git"),
            limits: Limits::default(),
            clock: Arc::new(move || clock.now()),
        };
        let local = folder_of(settings, &standard);
        let opening = tokio::task::spawn_blocking(move || {
            let sync = PromptSync::start(options, planned);
            let held = sync.as_ref().ok().and_then(|sync| sync.folder().served());
            let synced = held.as_ref().map(|served| served.path().to_owned());
            (sync, held, Library::open(Folders { local, synced }))
        });
        let (sync, held, library) = match tokio::time::timeout(FIRST_LOOK, opening).await {
            Ok(Ok((Ok(sync), held, library))) => (Some(sync), held, library),
            Ok(Ok((Err(fault), held, library))) => {
                unsynced = Some(fault);
                (None, held, library)
            }
            _ => {
                unsynced = Some(Fault::internal("The prompts' folders did not answer in time."));
                (None, None, Library::open(Folders { local: PathBuf::new(), synced: None }))
            }
        };
        Self { library, sync, unsynced, standard, held }
    }
}

/// The folders that a gate of this home reads prompts from, for a process beside it.
#[must_use]
pub fn folders(home: &Home, settings: &Settings) -> Folders {
    let is_on = !settings.prompts.repository.trim().is_empty();
    let synced = is_on.then(|| served_from(&home.synced_prompts_folder())).flatten();
    Folders { local: folder_of(settings, &home.prompts_folder()), synced }
}

/// The folder with the person's own prompts: what the settings say, `~` for the home folder.
pub(super) fn folder_of(settings: &Settings, standard: &Path) -> PathBuf {
    let named = settings.prompts.folder.trim();
    if named.is_empty() { standard.to_owned() } else { expanded(named) }
}

/// A path that a person wrote, with `~` as their home folder.
fn expanded(path: &str) -> PathBuf {
    let home = || dirs::home_dir().unwrap_or_default();
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with('/') => home().join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

/// What the settings say is to be fetched, and why nothing is where they say what can't be.
pub(super) fn plan_of(settings: &Settings) -> (Option<Plan>, Option<Fault>) {
    let prompts = &settings.prompts;
    if prompts.repository.trim().is_empty() {
        return (None, None);
    }
    let source = Source::parse(SourceText {
        repository: prompts.repository.clone(),
        branch: Some(prompts.branch.clone()),
        subfolder: Some(prompts.subfolder.clone()),
        pin: Some(prompts.pin.clone()),
        token: Some(Secret::new(prompts.token.trim())).filter(|token| !token.expose().is_empty()),
        own_credentials: prompts.own_credentials,
    });
    match source {
        Ok(source) => (Some(Plan { source, every: Some(Duration::from_secs(prompts.interval_seconds.into())) }), None),
        Err(fault) => (None, Some(fault)),
    }
}
