//! A microphone without a sound card: a PulseAudio server of the test's own, whose only microphone hears what
//! is played to it. The app comes to it through ALSA, as on any desktop with PulseAudio or PipeWire.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;
use tokio::process::Command;

use crate::run::Ran;
use crate::skip::{out_of_reach, skip};
use crate::wait::{LIMIT, eventually};
use crate::window::{Group, lacking};

/// Each with Debian's package that brings it.
const PROGRAMS: &[(&str, &str)] = &[
    ("pulseaudio", "pulseaudio"),
    ("pactl", "pulseaudio-utils"),
    ("paplay", "pulseaudio-utils"),
    ("espeak-ng", "espeak-ng"),
];
/// How the microphone is called by the server.
const SINK: &str = "mic";

/// The server and its microphone. They end when it is dropped.
#[derive(Debug)]
pub struct Sound {
    _server: Group,
    folder: TempDir,
}

impl Sound {
    /// Starts a server with one microphone. Absent where this machine lacks a tool.
    ///
    /// # Errors
    /// When it doesn't come up, or a tool is missing that may not be missing.
    pub async fn new() -> Result<Option<Self>> {
        if let Some(reason) = lacking(PROGRAMS) {
            skip(&reason)?;
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        let at = folder.path();
        let module = format!("module-native-protocol-unix socket={} auth-anonymous=1", at.join("socket").display());
        let mut server = Command::new("pulseaudio");
        server.args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"]);
        server.args(["-L", &module, "-L", "module-null-sink sink_name=mic rate=48000"]);
        server.env("HOME", at).env("XDG_RUNTIME_DIR", at).env("PULSE_STATE_PATH", at).env("PULSE_RUNTIME_PATH", at);
        server.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("DISPLAY");
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Group::spawn(server)?;
        // What it finds on the system stays there; only the default is another one.
        let alsa = "</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\nctl.!default { type pulse }\n";
        std::fs::write(at.join("asound.conf"), alsa)?;
        let sound = Self { _server: server, folder };
        let named =
            || async { Ok((sound.pactl(&["set-default-source", "mic.monitor"]).await?.code == Some(0)).then_some(())) };
        eventually("the sound server", LIMIT, named).await?;
        Ok(Some(sound))
    }

    /// The variables of programs that hear by this microphone.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let at = self.folder.path();
        let server = format!("unix:{}", at.join("socket").display());
        vec![("PULSE_SERVER".into(), server.into()), ("ALSA_CONFIG_PATH".into(), at.join("asound.conf").into())]
    }

    /// A spoken text as a file.
    ///
    /// # Errors
    /// When it can't be made.
    pub async fn spoken(&self, text: &str) -> Result<PathBuf> {
        let file = self.folder.path().join("spoken.wav");
        let mut espeak = Command::new("espeak-ng");
        espeak.args(["-v", "en-us", "-s", "150", "-w"]).arg(&file).arg(text);
        Ran::of(espeak).await?.succeeded()?;
        Ok(file)
    }

    /// Plays a file to the microphone, to its end.
    ///
    /// # Errors
    /// When it can't be played.
    pub async fn play(&self, file: &Path) -> Result<()> {
        let mut paplay = Command::new("paplay");
        paplay.arg(format!("--device={SINK}")).arg(file).envs(self.env());
        Ran::of(paplay).await?.succeeded().map(drop)
    }

    /// Speaks into the microphone, to the end.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn say(&self, text: &str) -> Result<()> {
        let file = self.spoken(text).await?;
        self.play(&file).await
    }

    /// Pulls the microphone out.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn unplug(&self) -> Result<()> {
        self.pactl(&["unload-module", "module-null-sink"]).await?.succeeded().map(drop)
    }

    /// How many programs listen.
    ///
    /// # Errors
    /// When the server doesn't say.
    pub async fn listeners(&self) -> Result<usize> {
        let ran = self.pactl(&["list", "short", "source-outputs"]).await?;
        if ran.code != Some(0) {
            bail!("pactl: {}", ran.stderr);
        }
        Ok(ran.stdout.lines().count())
    }

    /// Waits until so many programs listen.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn listened_to_by(&self, number: usize) -> Result<()> {
        let look = || async { Ok((self.listeners().await? == number).then_some(())) };
        eventually(&format!("{number} programs that listen"), LIMIT, look).await
    }

    async fn pactl(&self, arguments: &[&str]) -> Result<Ran> {
        let mut pactl = Command::new("pactl");
        pactl.args(arguments).envs(self.env());
        Ran::of(pactl).await
    }
}

/// The speech models of the tests: where `REVIEW_GATE_TEST_MODELS` says, and without it, where `cargo xtask test`
/// looks. Absent where there are none.
///
/// # Errors
/// Where tests may not be left out.
fn test_models() -> Result<Option<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("REVIEW_GATE_TEST_MODELS").map(PathBuf::from);
    let could_not_be_had = named.as_ref().is_some_and(|folder| folder.as_os_str().is_empty());
    let usual = ["../../shared/models", "../target/test-tools/models"].map(|folder| root.join(folder));
    let folders = named.map_or(usual.to_vec(), |folder| vec![folder]);
    let is_whole = |folder: &PathBuf| MODEL_FILES.iter().all(|file| folder.join(file).is_file());
    let found = folders.into_iter().find(is_whole);
    match found {
        Some(_) => {}
        None if could_not_be_had => out_of_reach("there are no speech models, and none could be downloaded")?,
        None => skip("there are no speech models; REVIEW_GATE_TEST_MODELS names their folder")?,
    }
    Ok(found)
}

/// The model of the tests, and what tells speech from silence.
const MODEL_FILES: [&str; 2] = ["ggml-tiny.en-q8_0.bin", "ggml-silero-v6.2.0.bin"];

/// Puts the model of the tests into a home's folder of models; false where there is none.
///
/// # Errors
/// Where tests may not be left out and there is no model, and when one can't be copied.
pub fn install_models(home: &Path) -> Result<bool> {
    let Some(models) = test_models()? else { return Ok(false) };
    let folder = home.join("models");
    std::fs::create_dir_all(&folder)?;
    for file in MODEL_FILES {
        std::fs::copy(models.join(file), folder.join(file)).with_context(|| format!("{file} can't be copied"))?;
    }
    Ok(true)
}
