//! Voice with doubles of its programs, on a clock that jumps to what comes next.

use std::path::PathBuf;
use std::time::Duration;

use gate_api::{Microphone, VoicePhase, VoiceReadiness, VoiceState};
use gate_core::{Code, Fault};
use tokio::sync::mpsc;

use super::*;
use crate::frame::Frame;
use crate::link::Link;
use crate::protocol::{FromListener, FromRecogniser, Segment, ToListener, ToRecogniser};
use crate::{PRE_ROLL_MS, SAMPLES_PER_MS, TAIL_MS};

/// The other end of a program's double.
struct End<To, From> {
    heard: mpsc::UnboundedReceiver<Frame<To>>,
    says: mpsc::Sender<Frame<From>>,
}

impl<To: std::fmt::Debug, From> End<To, From> {
    async fn message(&mut self) -> To {
        loop {
            match self.heard.recv().await.expect("the program is still wanted") {
                Frame::Message(message) => return message,
                Frame::Sound(_) => {}
            }
        }
    }

    /// How much sound comes until the next message, and that.
    async fn sound_then(&mut self) -> (usize, To) {
        let mut samples = 0;
        loop {
            match self.heard.recv().await.expect("the program is still wanted") {
                Frame::Message(message) => return (samples, message),
                Frame::Sound(sound) => samples += sound.len(),
            }
        }
    }

    async fn say(&self, message: From) {
        self.says.send(Frame::Message(message)).await.ok();
    }

    /// The microphone hears something, and all of it is taken up.
    async fn hear_sound(&self, millis: usize) {
        for _ in 0..millis / 20 {
            self.says.send(Frame::Sound(vec![1000; 20 * SAMPLES_PER_MS])).await.ok();
        }
        calm().await;
    }

    /// Waits until nobody wants the program any more.
    async fn ended(&mut self) {
        while self.heard.recv().await.is_some() {}
    }
}

/// Waits until nothing is left to be done: only then the clock goes on.
async fn calm() {
    let _ = tokio::time::timeout(Duration::from_millis(1), std::future::pending::<()>()).await;
}

type ListenerEnd = End<ToListener, FromListener>;
type RecogniserEnd = End<ToRecogniser, FromRecogniser>;

struct Doubles {
    listeners: mpsc::UnboundedSender<ListenerEnd>,
    recognisers: mpsc::UnboundedSender<RecogniserEnd>,
}

fn pair<To, From>() -> (Link<To, From>, End<To, From>) {
    let (to, heard) = mpsc::unbounded_channel();
    let (says, from) = mpsc::channel(1024);
    (Link { to, from }, End { heard, says })
}

impl Programs for Doubles {
    fn listener(&self) -> Result<Link<ToListener, FromListener>, Fault> {
        let (link, end) = pair();
        self.listeners.send(end).map_err(|_| Fault::internal("the test is over"))?;
        Ok(link)
    }

    fn recogniser(&self) -> Result<Link<ToRecogniser, FromRecogniser>, Fault> {
        let (link, end) = pair();
        self.recognisers.send(end).map_err(|_| Fault::internal("the test is over"))?;
        Ok(link)
    }
}

struct Stage {
    voice: Voice,
    told: mpsc::UnboundedReceiver<Told>,
    listeners: mpsc::UnboundedReceiver<ListenerEnd>,
    recognisers: mpsc::UnboundedReceiver<RecogniserEnd>,
}

fn choices() -> Choices {
    Choices {
        enabled: true,
        model: Some(("tiny".to_owned(), PathBuf::from("/models/tiny.bin"))),
        vad: Some(PathBuf::from("/models/vad.bin")),
        microphone: None,
        armed: true,
        language: Some("en".to_owned()),
        longest: Duration::from_secs(600),
        unload: Duration::from_secs(300),
        vocabulary: Vocabulary::of(&["wreck ate -> rekate".to_owned()]),
    }
}

impl Stage {
    fn new(choices: Choices) -> Self {
        let (listeners, of_listeners) = mpsc::unbounded_channel();
        let (recognisers, of_recognisers) = mpsc::unbounded_channel();
        let (tell, told) = mpsc::unbounded_channel();
        let voice = Voice::begin(Doubles { listeners, recognisers }, choices, move |what| {
            let _ = tell.send(what);
        });
        Self { voice, told, listeners: of_listeners, recognisers: of_recognisers }
    }

    /// A page shows a reply box; gives both programs, with the microphone open.
    async fn armed(&mut self) -> (ListenerEnd, RecogniserEnd) {
        self.voice.arm("page".to_owned()).await.expect("it may be armed");
        let mut recogniser = self.recognisers.recv().await.expect("a recogniser is started");
        assert!(matches!(recogniser.message().await, ToRecogniser::Load { .. }), "the model is loaded");
        let mut listener = self.listeners.recv().await.expect("a listener is started");
        assert_eq!(listener.message().await, ToListener::Open { microphone: None });
        listener.say(opened()).await;
        self.state(|state| state.armed).await;
        (listener, recogniser)
    }

    /// A take that is recorded; gives its number.
    async fn started(&mut self, recogniser: &mut RecogniserEnd) -> u32 {
        let state = self.voice.start(None, "retry_webhook".to_owned()).await.expect("it can be spoken");
        let take = state.take.expect("there is a take now").take;
        match recogniser.message().await {
            ToRecogniser::Begin { take: begun, options } => {
                assert_eq!((begun, options.prompt.as_str()), (take, "retry_webhook"));
            }
            other => panic!("a take is begun, not {other:?}"),
        }
        take
    }

    async fn state(&mut self, wanted: impl Fn(&VoiceState) -> bool) -> VoiceState {
        loop {
            match self.told.recv().await.expect("it goes on") {
                Told::State(state) if wanted(&state) => return state,
                _ => {}
            }
        }
    }

    async fn phase(&mut self, phase: VoicePhase) -> VoiceState {
        self.state(|state| state.take.as_ref().is_some_and(|take| take.phase == phase)).await
    }

    /// The next text that is told, what may change of it, and whether that is all.
    async fn text(&mut self) -> (String, String, bool) {
        loop {
            if let Told::Text { text, partial, last, .. } = self.told.recv().await.expect("it goes on") {
                return (text, partial, last);
            }
        }
    }
}

fn opened() -> FromListener {
    let microphone = Microphone { id: "alsa:default".to_owned(), name: "Built-in".to_owned(), default: true };
    FromListener::Opened { microphone, rate: 48_000, channels: 2, format: "f32".to_owned(), again: false, missed_ms: 0 }
}

fn fault(code: Code) -> Fault {
    Fault::new(code, "It doesn't work.", "Do something.")
}

fn segment(take: u32, text: &str) -> FromRecogniser {
    FromRecogniser::Segment { take, segment: Segment { start_ms: 0, end_ms: 900, text: text.to_owned() } }
}

fn done(take: u32, speech: bool) -> FromRecogniser {
    FromRecogniser::Done { take, speech, language: None, took_ms: 1 }
}

#[tokio::test(start_paused = true)]
async fn from_key_down_to_text() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    listener.hear_sound(2_000).await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(1_000).await;
    recogniser.say(FromRecogniser::Partial { take, text: "please".to_owned() }).await;
    assert_eq!(stage.text().await, (String::new(), "please".to_owned(), false));
    recogniser.say(segment(take, "Please wreck ate.")).await;
    assert_eq!(stage.text().await, ("Please rekate.".to_owned(), String::new(), false), "as the vocabulary says");
    let state = stage.voice.stop(take).await.expect("it is the present take");
    assert_eq!(state.take.map(|take| take.phase), Some(VoicePhase::Recording), "the tail is still recorded");
    let (before, release) = recogniser.sound_then().await;
    assert_eq!((before, release), ((PRE_ROLL_MS + 1_000) * SAMPLES_PER_MS, ToRecogniser::Release { take }));
    listener.hear_sound(400).await;
    let (tail, end) = recogniser.sound_then().await;
    assert_eq!((tail, end), (TAIL_MS * SAMPLES_PER_MS, ToRecogniser::End { take }));
    stage.phase(VoicePhase::Transcribing).await;
    recogniser.say(segment(take, "Thanks.")).await;
    recogniser.say(done(take, true)).await;
    assert_eq!(stage.text().await.0, "Please rekate. Thanks.");
    assert!(stage.text().await.2, "that is all");
    let state = stage.phase(VoicePhase::Done).await;
    assert!(state.armed, "the next take begins at once");
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_state_of_its_own() {
    let mut stage = Stage::new(choices());
    let (_listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    stage.voice.stop(take).await.expect("it is the present take");
    // Nothing comes from the microphone any more: the end isn't waited for.
    stage.phase(VoicePhase::Transcribing).await;
    recogniser.say(done(take, false)).await;
    assert_eq!(stage.text().await, (String::new(), String::new(), true));
    stage.phase(VoicePhase::Silent).await;
}

#[tokio::test(start_paused = true)]
async fn without_being_armed_a_take_waits_for_its_microphone() {
    let mut stage = Stage::new(Choices { armed: false, ..choices() });
    stage.voice.arm("page".to_owned()).await.expect("it may be armed");
    let mut recogniser = stage.recognisers.recv().await.expect("the model is loaded all the same");
    assert!(matches!(recogniser.message().await, ToRecogniser::Load { .. }));
    assert!(stage.listeners.try_recv().is_err(), "the microphone stays closed");
    let voice = stage.voice.clone();
    let starting = tokio::spawn(async move { voice.start(None, String::new()).await });
    let mut listener = stage.listeners.recv().await.expect("the microphone is opened");
    assert_eq!(listener.message().await, ToListener::Open { microphone: None });
    assert!(!starting.is_finished(), "it isn't said to listen before it does");
    listener.say(opened()).await;
    let take = starting.await.expect("no panic").expect("it can be spoken").take.expect("a take").take;
    stage.voice.stop(take).await.expect("it is the present take");
    stage.phase(VoicePhase::Transcribing).await;
    assert_eq!(listener.message().await, ToListener::Close, "as soon as it isn't needed");
}

#[tokio::test(start_paused = true)]
async fn a_microphone_that_can_t_be_opened_is_said_and_no_take_begins() {
    for code in [Code::NoMicrophone, Code::MicrophoneBusy, Code::MicrophoneDenied] {
        let mut stage = Stage::new(Choices { armed: false, ..choices() });
        let voice = stage.voice.clone();
        let starting = tokio::spawn(async move { voice.start(None, String::new()).await });
        let listener = stage.listeners.recv().await.expect("the microphone is opened");
        listener.say(FromListener::Fault { fault: fault(code) }).await;
        assert_eq!(starting.await.expect("no panic").expect_err("it can't be spoken").code, code);
        let state = stage.voice.state().await.expect("it goes on");
        assert_eq!(state.readiness, VoiceReadiness::Fault);
        assert_eq!(state.take.map(|take| take.phase), Some(VoicePhase::Cancelled));
    }
    let stage = Stage::new(choices());
    let starting = stage.voice.start(None, String::new()).await;
    assert_eq!(starting.expect_err("nothing opens").code, Code::NoMicrophone, "nor is it waited for without end");
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_that_ends_costs_nothing_of_what_was_said() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(1_000).await;
    recogniser.say(segment(take, "Lost.")).await;
    assert_eq!(stage.text().await.0, "Lost.");
    drop(recogniser);
    let mut next = stage.recognisers.recv().await.expect("another one is started");
    assert!(matches!(next.message().await, ToRecogniser::Load { .. }));
    assert!(matches!(next.message().await, ToRecogniser::Begin { take: begun, .. } if begun == take));
    stage.voice.stop(take).await.expect("it is the present take");
    let (sound, message) = next.sound_then().await;
    assert_eq!((sound, message), (1_000 * SAMPLES_PER_MS, ToRecogniser::Release { take }), "from its beginning");
    next.say(segment(take, "Found.")).await;
    assert_eq!(stage.text().await.0, "Found.", "what was understood before doesn't come twice");
}

#[tokio::test(start_paused = true)]
async fn a_take_that_fails_is_kept_and_can_be_tried_again() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(500).await;
    stage.voice.stop(take).await.expect("it is the present take");
    stage.phase(VoicePhase::Transcribing).await;
    drop(recogniser);
    for _ in 0..RESTARTS {
        drop(stage.recognisers.recv().await.expect("another one is started"));
    }
    let state = stage.phase(VoicePhase::Failed).await;
    assert_eq!(state.fault.map(|fault| fault.code), Some(Code::Transcription));
    let state = stage.voice.retry(take).await.expect("the recording is there");
    assert_eq!((state.fault, state.take.map(|take| take.phase)), (None, Some(VoicePhase::Transcribing)));
    let mut another = stage.recognisers.recv().await.expect("another one is started");
    let sent = loop {
        let (sound, message) = another.sound_then().await;
        if message == (ToRecogniser::Release { take }) {
            break sound;
        }
    };
    assert_eq!(sent, 500 * SAMPLES_PER_MS);
    another.say(segment(take, "At last.")).await;
    another.say(done(take, true)).await;
    stage.phase(VoicePhase::Done).await;
    assert_eq!(stage.voice.retry(take).await.expect_err("it is through").code, Code::NoTake);
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_that_hangs_is_replaced() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(500).await;
    stage.voice.stop(take).await.expect("it is the present take");
    let mut next = stage.recognisers.recv().await.expect("another one is started");
    recogniser.ended().await;
    assert!(matches!(next.message().await, ToRecogniser::Load { .. }));
    assert!(matches!(next.message().await, ToRecogniser::Begin { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_microphone_that_goes_away_leaves_what_was_said() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(500).await;
    listener.say(FromListener::Fault { fault: fault(Code::MicrophoneGone) }).await;
    let state = stage.state(|state| state.fault.is_some()).await;
    assert_eq!(state.take.map(|take| take.phase), Some(VoicePhase::Recording), "another one may take its place");
    listener.say(opened()).await;
    stage.state(|state| state.fault.is_none()).await;
    listener.hear_sound(500).await;
    listener.say(FromListener::Fault { fault: fault(Code::MicrophoneGone) }).await;
    stage.phase(VoicePhase::Transcribing).await;
    let (sound, message) = recogniser.sound_then().await;
    assert_eq!((sound, message), (1_000 * SAMPLES_PER_MS, ToRecogniser::Release { take }), "one take of both");
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_ends_within_a_take_is_started_again() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let _take = stage.started(&mut recogniser).await;
    drop(listener);
    let mut next = stage.listeners.recv().await.expect("another one is started");
    assert_eq!(next.message().await, ToListener::Open { microphone: None });
    next.say(opened()).await;
    let state = stage.state(|state| state.armed && state.fault.is_none()).await;
    assert_eq!(state.take.map(|take| take.phase), Some(VoicePhase::Recording));
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_gives_up_is_followed_by_a_fresh_one_and_the_fault_stays() {
    let mut stage = Stage::new(choices());
    let (listener, _recogniser) = stage.armed().await;
    listener.say(FromListener::Fault { fault: fault(Code::NoMicrophone) }).await;
    stage.state(|state| state.readiness == VoiceReadiness::Fault).await;
    drop(listener);
    calm().await;
    stage.voice.arm("page".to_owned()).await.expect("it may be armed");
    let mut next = stage.listeners.recv().await.expect("another one is started");
    assert_eq!(next.message().await, ToListener::Open { microphone: None });
    let state = stage.voice.state().await.expect("it goes on");
    assert_eq!(state.fault.map(|fault| fault.code), Some(Code::NoMicrophone), "what is wrong stays known");
    next.say(opened()).await;
    stage.state(|state| state.armed && state.fault.is_none()).await;
}

#[tokio::test(start_paused = true)]
async fn of_a_cancelled_take_nothing_is_kept() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    listener.hear_sound(500).await;
    stage.voice.cancel(take).await.expect("it is the present take");
    assert_eq!(recogniser.sound_then().await.1, ToRecogniser::Cancel { take });
    recogniser.say(segment(take, "Too late.")).await;
    recogniser.say(done(take, true)).await;
    assert_eq!(stage.voice.retry(take).await.expect_err("it is gone").code, Code::NoTake);
    let next = stage.started(&mut recogniser).await;
    recogniser.say(segment(next, "Next.")).await;
    assert_eq!(stage.text().await.0, "Next.", "what comes late is of no take");
}

#[tokio::test(start_paused = true)]
async fn the_longest_take_ends_by_itself_and_says_so() {
    let mut stage = Stage::new(choices());
    let (listener, mut recogniser) = stage.armed().await;
    let _take = stage.started(&mut recogniser).await;
    for _ in 0..60 {
        listener.hear_sound(10_000).await;
        let state = stage.voice.state().await.expect("it goes on");
        assert!(state.take.is_some_and(|take| !take.cut_off || take.recorded_ms == 600_000), "not before its time");
    }
    let state = stage.phase(VoicePhase::Transcribing).await;
    let take = state.take.expect("a take");
    assert!(take.cut_off && take.recorded_ms == 600_000, "{take:?}");
    let sound = recogniser.sound_then().await.0;
    assert_eq!(sound, 600_000 * SAMPLES_PER_MS, "all of the ten minutes is transcribed");
}

#[tokio::test(start_paused = true)]
async fn the_microphone_is_open_only_while_a_page_says_so_or_a_take_goes_on() {
    let mut stage = Stage::new(choices());
    let (mut listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    stage.voice.disarm("page".to_owned()).await.expect("it goes on");
    listener.hear_sound(200).await;
    stage.voice.stop(take).await.expect("the take goes on without its page");
    assert_eq!(listener.message().await, ToListener::Close);
    recogniser.say(done(take, false)).await;
    stage.phase(VoicePhase::Silent).await;

    stage.voice.arm("other".to_owned()).await.expect("it may be armed");
    assert_eq!(listener.message().await, ToListener::Open { microphone: None });
    // The page went away without a word.
    let begin = tokio::time::Instant::now();
    assert_eq!(listener.message().await, ToListener::Close);
    assert!(begin.elapsed() <= LEASE + Duration::from_secs(1), "{:?}", begin.elapsed());
    listener.ended().await;
    recogniser.ended().await;
    assert!(begin.elapsed() >= choices().unload, "the model stays loaded for a while");
}

#[tokio::test(start_paused = true)]
async fn pages_that_keep_it_open_are_bounded() {
    let mut stage = Stage::new(choices());
    let (_listener, _recogniser) = stage.armed().await;
    for number in 1..LEASES {
        stage.voice.arm(format!("page {number}")).await.expect("there is room");
    }
    let one_more = stage.voice.arm("one more".to_owned()).await;
    assert_eq!(one_more.expect_err("too many").code, Code::TooMany);
    stage.voice.arm("page".to_owned()).await.expect("one that is there may go on");
}

#[tokio::test(start_paused = true)]
async fn without_a_model_or_switched_off_it_says_so() {
    let cases = [
        (Choices { model: None, ..choices() }, Code::NoSpeechModel, VoiceReadiness::NoModel),
        (Choices { vad: None, ..choices() }, Code::NoSpeechModel, VoiceReadiness::NoModel),
        (Choices { enabled: false, ..choices() }, Code::VoiceUnavailable, VoiceReadiness::Off),
    ];
    for (choices, code, readiness) in cases {
        let mut stage = Stage::new(choices);
        let state = stage.voice.arm("page".to_owned()).await.expect("it may be armed");
        assert_eq!(state.readiness, readiness);
        assert_eq!(stage.voice.start(None, String::new()).await.expect_err("it can't be spoken").code, code);
        assert!(stage.listeners.try_recv().is_err(), "no microphone is opened for nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn another_microphone_is_taken_at_once_and_another_model_with_the_next_take() {
    let mut stage = Stage::new(choices());
    let (mut listener, mut recogniser) = stage.armed().await;
    let take = stage.started(&mut recogniser).await;
    let other = Choices {
        microphone: Some("usb".to_owned()),
        model: Some(("base".to_owned(), PathBuf::from("/models/base.bin"))),
        ..choices()
    };
    stage.voice.choose(other).await.expect("it goes on");
    assert_eq!(listener.message().await, ToListener::Open { microphone: Some("usb".to_owned()) });
    assert!(stage.recognisers.try_recv().is_err(), "a take that goes on keeps its model");
    stage.voice.cancel(take).await.expect("it is the present take");
    let mut next = stage.recognisers.recv().await.expect("the other model is loaded");
    match next.message().await {
        ToRecogniser::Load { model, .. } => assert_eq!(model, PathBuf::from("/models/base.bin")),
        other => panic!("a model is loaded, not {other:?}"),
    }
}
