//! The actor itself: what it holds, what it obeys, what happens by itself, and what it tells.

mod course;

use std::collections::HashMap;
use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;

use gate_api::{Microphone, VoicePhase, VoiceReadiness, VoiceState};
use gate_core::{Code, Fault};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Answered, Choices, LEASE, LEASES, OPENING, Order, Told};
use crate::frame::Frame;
use crate::link::{Link, Programs};
use crate::protocol::{FromListener, FromRecogniser, ToListener, ToRecogniser};
use crate::take::{PreRoll, Take};

/// How long the end of a recording is waited for after the key is up, beside its own length.
const TAIL_WAIT: Duration = Duration::from_millis(400);
/// How often levels are told while recording.
const LEVELS: Duration = Duration::from_millis(66);

struct Listener {
    link: Link<ToListener, FromListener>,
    /// What it was last told to open.
    wanted: Option<Option<String>>,
    /// What is open.
    open: Option<Microphone>,
    /// Why nothing is, although it was told to.
    fault: Option<Fault>,
}

struct Recogniser {
    link: Link<ToRecogniser, FromRecogniser>,
    /// What it was last told to load.
    model: PathBuf,
}

/// A start that waits for its microphone.
struct Opening {
    answered: Answered,
    by: Instant,
}

pub(super) struct Actor {
    programs: Box<dyn Programs>,
    choices: Choices,
    told: Box<dyn Fn(Told) + Send>,
    /// Until when who keeps the microphone open.
    leases: HashMap<String, Instant>,
    listener: Option<Listener>,
    recogniser: Option<Recogniser>,
    opening: Option<Opening>,
    take: Option<Take>,
    takes: u32,
    pre_roll: PreRoll,
    fault: Option<Fault>,
    /// The state that was told last.
    said: Option<VoiceState>,
    level: u16,
    level_at: Option<Instant>,
    /// The recording ends then at the latest: the key is up.
    release_by: Option<(Instant, usize)>,
    /// A take without its microphone ends then.
    lonely_by: Option<Instant>,
    hung_at: Option<Instant>,
    unload_at: Option<Instant>,
}

impl Actor {
    pub(super) fn new(programs: impl Programs, choices: Choices, told: impl Fn(Told) + Send + 'static) -> Self {
        Self {
            programs: Box::new(programs),
            choices,
            told: Box::new(told),
            leases: HashMap::new(),
            listener: None,
            recogniser: None,
            opening: None,
            take: None,
            takes: 0,
            pre_roll: PreRoll::default(),
            fault: None,
            said: None,
            level: 0,
            level_at: None,
            release_by: None,
            lonely_by: None,
            hung_at: None,
            unload_at: None,
        }
    }

    pub(super) async fn run(mut self, mut given: mpsc::Receiver<(Order, Answered)>) {
        loop {
            let next = self.next_moment();
            tokio::select! {
                order = given.recv() => match order {
                    Some((order, answered)) => self.obey(order, answered),
                    None => return,
                },
                heard = hear(self.listener.as_mut().map(|listener| &mut listener.link.from)) => self.heard(heard),
                understood = hear(self.recogniser.as_mut().map(|recogniser| &mut recogniser.link.from)) => {
                    self.understood(understood);
                }
                () = until(next) => self.moment(Instant::now()),
            }
            self.tell_state();
        }
    }

    fn obey(&mut self, order: Order, answered: Answered) {
        let answer = match order {
            Order::Choose(choices) => {
                self.choose(*choices);
                Ok(())
            }
            Order::Arm { by } => self.arm(by),
            Order::Disarm { by } => {
                self.leases.remove(&by);
                self.attend();
                Ok(())
            }
            Order::Start { request_id, prompt } => match self.start(request_id, prompt) {
                Ok(true) => Ok(()),
                Ok(false) => {
                    self.opening = Some(Opening { answered, by: Instant::now() + OPENING });
                    return;
                }
                Err(fault) => {
                    self.fault = Some(fault.clone());
                    Err(fault)
                }
            },
            Order::Stop { take } => self.present(take).map(|()| self.release(false)),
            Order::Cancel { take } => self.present(take).map(|()| self.cancel()),
            Order::Retry { take } => self.retry(take),
            Order::Look => Ok(()),
        };
        // Whoever asked and went away needs no answer.
        let _ = answered.send(answer.map(|()| self.state()));
    }

    fn choose(&mut self, choices: Choices) {
        let other_model = (&choices.model, &choices.vad) != (&self.choices.model, &self.choices.vad);
        self.choices = choices;
        // The next use loads the other one; what works on a take goes on with its own.
        if other_model && !self.is_busy() {
            self.recogniser = None;
            self.fault = None;
        }
        self.attend();
    }

    fn arm(&mut self, by: String) -> Result<(), Fault> {
        let now = Instant::now();
        if self.leases.len() >= LEASES && !self.leases.contains_key(&by) {
            let message = format!("{LEASES} pages keep the microphone ready already.");
            return Err(Fault::new(Code::TooMany, message, "Close some of them."));
        }
        self.leases.insert(by, now + LEASE);
        self.attend();
        Ok(())
    }

    /// Has the child programs run, and the microphone open, as they are needed now.
    fn attend(&mut self) {
        let ready = matches!(self.readiness(), VoiceReadiness::Ready | VoiceReadiness::Fault);
        let armed = ready && !self.leases.is_empty();
        if armed || self.is_busy() {
            self.unload_at = None;
            if let Err(fault) = self.load() {
                self.fault = Some(fault);
            }
        } else if self.recogniser.is_some() && self.unload_at.is_none() {
            self.unload_at = Some(Instant::now() + self.choices.unload);
        }
        let listening = self.is_recording() || (armed && self.choices.armed);
        if !listening {
            self.stop_listening();
        } else if let Err(fault) = self.listen() {
            self.fault = Some(fault);
        }
    }

    /// Has the model loaded.
    fn load(&mut self) -> Result<(), Fault> {
        let (Some((_, model)), Some(vad)) = (&self.choices.model, &self.choices.vad) else {
            return Err(no_model());
        };
        if self.recogniser.as_ref().is_some_and(|recogniser| recogniser.model == *model || self.take_is_sent()) {
            return Ok(());
        }
        let link = self.programs.recogniser()?;
        let load = ToRecogniser::Load { model: model.clone(), vad: vad.clone() };
        let _ = link.to.send(Frame::Message(load));
        self.recogniser = Some(Recogniser { link, model: model.clone() });
        Ok(())
    }

    /// Has the chosen microphone open, or opening.
    fn listen(&mut self) -> Result<(), Fault> {
        let wanted = self.choices.microphone.clone();
        let listener = match &mut self.listener {
            Some(listener) => listener,
            None => {
                let link = self.programs.listener()?;
                self.listener.insert(Listener { link, wanted: None, open: None, fault: None })
            }
        };
        if listener.wanted.as_ref() != Some(&wanted) {
            let open = ToListener::Open { microphone: wanted.clone() };
            let _ = listener.link.to.send(Frame::Message(open));
            listener.wanted = Some(wanted);
            listener.fault = None;
        }
        Ok(())
    }

    fn stop_listening(&mut self) {
        self.pre_roll.clear();
        if let Some(listener) = &mut self.listener
            && listener.wanted.take().is_some()
        {
            listener.open = None;
            listener.fault = None;
            let _ = listener.link.to.send(Frame::Message(ToListener::Close));
        }
    }

    /// When something has to happen by itself next.
    fn next_moment(&self) -> Option<Instant> {
        let leases = self.leases.values().copied().min();
        let opening = self.opening.as_ref().map(|opening| opening.by);
        let release = self.release_by.map(|(by, _)| by);
        [leases, opening, release, self.lonely_by, self.hung_at, self.unload_at].into_iter().flatten().min()
    }

    fn moment(&mut self, now: Instant) {
        let is_over = |by: Option<Instant>| by.is_some_and(|by| by <= now);
        if self.leases.values().any(|until| *until <= now) {
            self.leases.retain(|_, until| *until > now);
            self.attend();
        }
        if is_over(self.opening.as_ref().map(|opening| opening.by)) {
            self.microphone_gone(Fault::new(
                Code::NoMicrophone,
                "The microphone didn't open in time.",
                "Choose another one, or unplug it and plug it in again.",
            ));
        }
        if is_over(self.release_by.map(|(by, _)| by)) || is_over(self.lonely_by) {
            if self.release_by.is_none() {
                self.release(false);
            }
            self.end();
        }
        if is_over(self.hung_at) {
            self.hung_at = None;
            self.recogniser_ended();
        }
        if is_over(self.unload_at) {
            self.unload_at = None;
            self.recogniser = None;
            self.listener = None;
        }
    }

    fn tell_state(&mut self) {
        let mut state = self.state();
        // Its length comes with the levels.
        if let Some(take) = state.take.as_mut().filter(|take| take.phase == VoicePhase::Recording) {
            take.recorded_ms = 0;
        }
        if self.said.as_ref() != Some(&state) {
            (self.told)(Told::State(state.clone()));
            self.said = Some(state);
        }
    }

    fn state(&self) -> VoiceState {
        let open = self.listener.as_ref().and_then(|listener| listener.open.clone());
        VoiceState {
            readiness: self.readiness(),
            fault: self.fault.clone(),
            armed: open.is_some(),
            microphone: open,
            model: self.choices.model.as_ref().map(|(name, _)| name.clone()),
            take: self.take.as_ref().map(Take::view),
        }
    }

    fn readiness(&self) -> VoiceReadiness {
        if !self.choices.enabled {
            VoiceReadiness::Off
        } else if self.choices.model.is_none() || self.choices.vad.is_none() {
            VoiceReadiness::NoModel
        } else if self.fault.as_ref().is_some_and(|fault| is_of_microphone(fault.code)) {
            VoiceReadiness::Fault
        } else {
            VoiceReadiness::Ready
        }
    }

    fn is_recording(&self) -> bool {
        self.take.as_ref().is_some_and(|take| take.phase == VoicePhase::Recording)
    }

    fn is_busy(&self) -> bool {
        self.take.as_ref().is_some_and(|take| is_going_on(take.phase))
    }

    /// Whether the recogniser works on a take.
    fn take_is_sent(&self) -> bool {
        self.is_busy() && self.recogniser.is_some()
    }
}

/// What a program says next; never, where none runs.
async fn hear<M>(from: Option<&mut mpsc::Receiver<M>>) -> Option<M> {
    match from {
        Some(from) => from.recv().await,
        None => pending().await,
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => pending().await,
    }
}

fn is_going_on(phase: VoicePhase) -> bool {
    matches!(phase, VoicePhase::Recording | VoicePhase::Transcribing)
}

fn is_of_microphone(code: Code) -> bool {
    matches!(
        code,
        Code::NoMicrophone
            | Code::MicrophoneBusy
            | Code::MicrophoneDenied
            | Code::MicrophoneGone
            | Code::VoiceUnavailable
    )
}

fn no_model() -> Fault {
    Fault::new(
        Code::NoSpeechModel,
        "No speech model is there yet.",
        "Get one from the microphone's menu, or with `review-gate voice download base-q8_0`.",
    )
}

fn no_take() -> Fault {
    Fault::new(Code::NoTake, "This recording isn't there any more.", "Speak again.")
}
