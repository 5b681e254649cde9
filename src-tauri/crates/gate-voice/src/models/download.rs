//! Downloads: an actor that has one file after the other fetched by `review-gate-voice download`, and says
//! how far each model is. What comes over the network is touched by that program only.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gate_api::{ModelState, SpeechModels};
use gate_core::{Code, Fault};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::{ModelFolder, Published};
use crate::program::{PROGRAM, fault_of, not_started};

/// Models that wait for their turn.
const QUEUE: usize = 32;
/// Longest line that the program says, in bytes.
const LINE_BYTES: usize = 16 * 1024;
/// Over how long the speed is measured.
const SPEED_OVER: Duration = Duration::from_secs(4);
/// How often progress is told.
const TELLING: Duration = Duration::from_millis(250);
const ORDERS: usize = 16;

/// How far a file is. What `review-gate-voice download URL FILE --bytes N --sha256 HEX` says on its standard
/// output, one JSON object a line, at most ten times a second. It writes to FILE and `.part`, goes on with
/// what is there of it, and gives it its name when all of it is there and has that hash; then it ends with 0,
/// else with a fault on its standard error. It ends at once when its standard input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes that are there.
    pub done: u64,
    /// Bytes of the whole file.
    pub total: u64,
}

#[derive(Debug)]
enum Order {
    Download(String),
    Pause(String),
    Remove(String),
    Mirror(Option<String>),
    Look,
}

type Answered = oneshot::Sender<Result<SpeechModels, Fault>>;

/// A handle on the actor. What is being downloaded is paused when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Downloads {
    orders: mpsc::Sender<(Order, Answered)>,
    folder: ModelFolder,
}

impl Downloads {
    /// Begins, with nothing going on. `mirror` is where the files are got from instead of the usual place.
    /// `told` hears of all models whenever one is other than before; it mustn't wait.
    pub fn begin(
        folder: ModelFolder,
        program: PathBuf,
        mirror: Option<String>,
        told: impl Fn(SpeechModels) + Send + Sync + 'static,
    ) -> Self {
        let (orders, given) = mpsc::channel(ORDERS);
        let actor = Actor {
            folder: folder.clone(),
            program,
            mirror,
            told: Box::new(told),
            going: None,
            queue: VecDeque::new(),
            faults: BTreeMap::new(),
        };
        tokio::spawn(actor.run(given));
        Self { orders, folder }
    }

    async fn order(&self, order: Order) -> Result<SpeechModels, Fault> {
        let (answered, answer) = oneshot::channel();
        let gone = || Fault::new(Code::ShuttingDown, "Review Gate is shutting down.", "Start it again.");
        self.orders.send((order, answered)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// All models.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn models(&self) -> Result<SpeechModels, Fault> {
        self.order(Order::Look).await
    }

    /// Downloads a model, or goes on with it, after those that were asked for before; and what tells speech
    /// from silence where that isn't there.
    ///
    /// # Errors
    /// `no_speech_model` where there is none of that name, `disk_full` with how much is missing, `too_many`
    /// beyond 32 that wait, `voice_unavailable`.
    pub async fn download(&self, name: &str) -> Result<SpeechModels, Fault> {
        self.order(Order::Download(name.to_owned())).await
    }

    /// Stops a download; what is there stays.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn pause(&self, name: &str) -> Result<SpeechModels, Fault> {
        self.order(Order::Pause(name.to_owned())).await
    }

    /// Deletes a model, or what is there of it.
    ///
    /// # Errors
    /// As [`ModelFolder::remove`].
    pub async fn remove(&self, name: &str) -> Result<SpeechModels, Fault> {
        self.order(Order::Remove(name.to_owned())).await
    }

    /// Takes the files from elsewhere from now on; `None` for the usual place.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn set_mirror(&self, mirror: Option<String>) -> Result<SpeechModels, Fault> {
        self.order(Order::Mirror(mirror)).await
    }

    /// Takes over a file or a folder.
    ///
    /// # Errors
    /// As [`ModelFolder::import`].
    pub async fn import(&self, path: &Path) -> Result<SpeechModels, Fault> {
        let (folder, path) = (self.folder.clone(), path.to_owned());
        // Copying takes long, and the others go on meanwhile.
        waited(move || folder.import(&path)).await??;
        self.order(Order::Look).await
    }
}

/// A model that is being downloaded.
struct Going {
    name: String,
    /// Of which the first is being fetched; empty never.
    files: VecDeque<Published>,
    child: Child,
    /// It ends when this does.
    _input: Option<ChildStdin>,
    says: mpsc::Receiver<Progress>,
    /// Why it ended, where it says so.
    fault: JoinHandle<Option<Fault>>,
    /// How much of the model's own file is there.
    done: u64,
    /// How much was there when, over the last seconds.
    measured: VecDeque<(Instant, u64)>,
}

struct Actor {
    folder: ModelFolder,
    program: PathBuf,
    mirror: Option<String>,
    told: Box<dyn Fn(SpeechModels) + Send + Sync>,
    going: Option<Going>,
    queue: VecDeque<String>,
    /// Why downloads stopped.
    faults: BTreeMap<String, Fault>,
}

impl Actor {
    async fn run(mut self, mut given: mpsc::Receiver<(Order, Answered)>) {
        // When progress that wasn't told yet is told.
        let mut tell_at: Option<Instant> = None;
        loop {
            tokio::select! {
                order = given.recv() => {
                    let Some((order, answered)) = order else { return self.stop().await };
                    let changed = !matches!(order, Order::Look);
                    let obeyed = self.obey(order).await;
                    let models = self.models().await;
                    if changed && let (Ok(()), Ok(models)) = (&obeyed, &models) {
                        (self.told)(models.clone());
                    }
                    // Whoever asked and went away needs no answer.
                    let _ = answered.send(obeyed.and(models));
                }
                said = says(self.going.as_mut()) => {
                    match said {
                        Some(said) => {
                            self.heard(said);
                            tell_at = tell_at.or_else(|| Some(Instant::now() + TELLING));
                        }
                        None => {
                            self.ended().await;
                            tell_at = Some(Instant::now());
                        }
                    }
                }
                () = until(tell_at) => {
                    tell_at = None;
                    self.tell().await;
                }
            }
        }
    }

    async fn obey(&mut self, order: Order) -> Result<(), Fault> {
        match order {
            Order::Download(name) => self.ask_for(name).await,
            Order::Pause(name) => {
                self.leave(&name).await;
                Ok(())
            }
            Order::Remove(name) => {
                self.leave(&name).await;
                let folder = self.folder.clone();
                waited(move || folder.remove(&name)).await?
            }
            Order::Mirror(mirror) => {
                self.mirror = mirror;
                Ok(())
            }
            Order::Look => Ok(()),
        }
    }

    async fn models(&self) -> Result<SpeechModels, Fault> {
        let mut states: BTreeMap<String, ModelState> = BTreeMap::new();
        for (name, fault) in &self.faults {
            let done = self.folder.published(name).map_or(0, |model| self.folder.part_bytes(model));
            states.insert(name.clone(), ModelState::Paused { done, fault: Some(fault.clone()) });
        }
        for name in &self.queue {
            let done = self.folder.published(name).map_or(0, |model| self.folder.part_bytes(model));
            states.insert(name.clone(), ModelState::Downloading { done, speed: 0 });
        }
        if let Some(going) = &self.going {
            states.insert(going.name.clone(), ModelState::Downloading { done: going.done, speed: going.speed() });
        }
        let folder = self.folder.clone();
        waited(move || folder.list(&states)).await
    }

    async fn tell(&self) {
        if let Ok(models) = self.models().await {
            (self.told)(models);
        }
    }

    async fn ask_for(&mut self, name: String) -> Result<(), Fault> {
        self.faults.remove(&name);
        if self.going.as_ref().is_some_and(|going| going.name == name) || self.queue.contains(&name) {
            return Ok(());
        }
        if self.queue.len() >= QUEUE {
            let message = format!("{QUEUE} models wait to be downloaded already.");
            return Err(Fault::new(Code::TooMany, message, "Wait for one of them, or pause it."));
        }
        let files = self.missing(&name).await?;
        let bytes = files.iter().map(|model| model.bytes.saturating_sub(self.folder.part_bytes(model))).sum();
        self.folder.ask_for_room(&name, bytes)?;
        self.folder.create()?;
        if self.going.is_some() {
            self.queue.push_back(name);
            return Ok(());
        }
        self.start(name, files)
    }

    /// The files that a model still needs.
    async fn missing(&self, name: &str) -> Result<VecDeque<Published>, Fault> {
        let (folder, name) = (self.folder.clone(), name.to_owned());
        waited(move || {
            let mut files = VecDeque::new();
            if folder.vad().is_none() {
                files.push_back(folder.detector);
            }
            match (folder.installed_one(&name), folder.published(&name)) {
                (Some(_), _) => Ok(files),
                (None, Ok(model)) => {
                    files.push_back(*model);
                    Ok(files)
                }
                (None, Err(fault)) => Err(fault),
            }
        })
        .await?
    }

    /// Has the first of the files fetched.
    fn start(&mut self, name: String, files: VecDeque<Published>) -> Result<(), Fault> {
        let Some(file) = files.front() else { return Ok(()) };
        let mut command = Command::new(&self.program);
        command.arg("download").arg(file.url(self.mirror.as_deref())).arg(self.folder.file(file));
        command.arg("--bytes").arg(file.bytes.to_string()).arg("--sha256").arg(file.sha256);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Fault::internal("A child program has no pipes."));
        };
        let (heard, says) = mpsc::channel(ORDERS);
        tokio::spawn(hear(output, heard));
        let fault = tokio::spawn(fault_of(errors));
        let done = files.back().map_or(0, |model| self.folder.part_bytes(model));
        let input = child.stdin.take();
        let measured = VecDeque::new();
        self.going = Some(Going { name, files, child, _input: input, says, fault, done, measured });
        Ok(())
    }

    fn heard(&mut self, said: Progress) {
        // The detector comes first and is small: the model's own file is what is shown.
        if let Some(going) = self.going.as_mut().filter(|going| going.files.len() == 1) {
            going.is_at(said.done);
        }
    }

    /// The program has ended: the file is there, or something is wrong.
    async fn ended(&mut self) {
        let Some(mut going) = self.going.take() else { return };
        let is_there = going.child.wait().await.is_ok_and(|status| status.success());
        if !is_there {
            let said = going.fault.await.ok().flatten();
            let fault = said.unwrap_or_else(|| {
                Fault::new(Code::Download, format!("{PROGRAM} ended while it downloaded."), "Go on with the download.")
            });
            tracing::warn!(%fault, model = going.name, "download");
            self.faults.insert(going.name, fault);
        } else if let Some(file) = going.files.pop_front() {
            self.folder.take_as_hashed(&file.file(), file.sha256);
            if !going.files.is_empty() {
                if let Err(fault) = self.start(going.name.clone(), going.files) {
                    self.faults.insert(going.name, fault);
                }
                return;
            }
        }
        while self.going.is_none()
            && let Some(name) = self.queue.pop_front()
        {
            if let Err(fault) = self.ask_for(name.clone()).await {
                self.faults.insert(name, fault);
            }
        }
    }

    /// Stops downloading a model.
    async fn leave(&mut self, name: &str) {
        self.queue.retain(|waiting| waiting != name);
        self.faults.remove(name);
        if let Some(mut going) = self.going.take_if(|going| going.name == name) {
            // What is written stays written; the rest is fetched when it goes on.
            let _ = going.child.kill().await;
            if let Some(next) = self.queue.pop_front()
                && let Err(fault) = self.ask_for(next.clone()).await
            {
                self.faults.insert(next, fault);
            }
        }
    }

    async fn stop(mut self) {
        if let Some(mut going) = self.going.take() {
            let _ = going.child.kill().await;
        }
    }
}

impl Going {
    fn is_at(&mut self, done: u64) {
        self.done = done;
        let now = Instant::now();
        self.measured.push_back((now, done));
        while self.measured.front().is_some_and(|(at, _)| now.duration_since(*at) > SPEED_OVER) {
            self.measured.pop_front();
        }
    }

    /// Bytes in a second.
    fn speed(&self) -> u64 {
        let (Some((from, less)), Some((to, more))) = (self.measured.front(), self.measured.back()) else { return 0 };
        let millis = u64::try_from(to.duration_since(*from).as_millis()).unwrap_or(u64::MAX);
        more.saturating_sub(*less).saturating_mul(1000).checked_div(millis).unwrap_or(0)
    }
}

/// What the program says next, `None` when it has said all; waits for ever where none runs.
async fn says(going: Option<&mut Going>) -> Option<Progress> {
    match going {
        Some(going) => going.says.recv().await,
        None => std::future::pending().await,
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Passes on what the program says, until it has said all.
async fn hear(output: ChildStdout, heard: mpsc::Sender<Progress>) {
    let mut lines = BufReader::with_capacity(LINE_BYTES, output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(said) => {
                if heard.send(said).await.is_err() {
                    return;
                }
            }
            Err(error) => tracing::warn!(%error, "a line of {PROGRAM}'s"),
        }
    }
}

/// Runs what blocks on a thread of its own.
async fn waited<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Fault::internal(format!("A task ended: {error}.")))
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
