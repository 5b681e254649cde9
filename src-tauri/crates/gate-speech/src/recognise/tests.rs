//! The part that recognises, with real models.

use std::io::{PipeReader, PipeWriter, pipe};
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use gate_voice::protocol::{Options, Segment};
use gate_voice::{SAMPLE_RATE, TAIL_MS};

use super::*;
use crate::resample::to_words;
use crate::testing;

/// A recogniser in a thread of its own, with the pipes of a program.
struct Recogniser {
    to: Option<PipeWriter>,
    from: PipeReader,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Recogniser {
    fn start() -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (from, output) = pipe().expect("a pipe");
        whisper_rs::install_logging_hooks();
        let thread = std::thread::spawn(move || recognise(input, output));
        let mut started = Self { to: Some(to), from, thread: Some(thread) };
        assert_eq!(started.hear(), FromRecogniser::Ready);
        started
    }

    /// With the models of the tests; none where there are none.
    fn loaded() -> Option<Self> {
        let models = testing::models()?;
        let mut started = Self::start();
        let loaded = started.load(&models.join(testing::SPEECH), &models.join(testing::VAD));
        assert!(matches!(loaded, FromRecogniser::Loaded { english_only: true, .. }), "{loaded:?}");
        Some(started)
    }

    fn load(&mut self, model: &Path, vad: &Path) -> FromRecogniser {
        self.tell(&ToRecogniser::Load { model: model.to_owned(), vad: vad.to_owned() });
        self.hear()
    }

    fn tell(&mut self, message: &ToRecogniser) {
        frame::write(self.to.as_mut().expect("a pipe"), message).expect("it hears");
    }

    fn play(&mut self, sound: &[i16]) {
        for piece in sound.chunks(320) {
            frame::write_sound(self.to.as_mut().expect("a pipe"), piece).expect("it hears");
        }
    }

    fn hear(&mut self) -> FromRecogniser {
        match frame::read(&mut self.from).expect("a frame") {
            Some(Frame::Message(message)) => message,
            other => panic!("a message: {other:?}"),
        }
    }

    fn begin(&mut self, take: u32) {
        let options = Options { language: Some("en".to_owned()), ..Options::default() };
        self.tell(&ToRecogniser::Begin { take, options });
    }

    /// All of a take; gives its text, and whether it was speech.
    fn transcribe(&mut self, take: u32, sound: &[i16]) -> (Vec<Segment>, bool) {
        self.begin(take);
        self.play(sound);
        self.tell(&ToRecogniser::Release { take });
        self.play(&[0; TAIL_MS * 16]);
        self.tell(&ToRecogniser::End { take });
        self.rest(take)
    }

    fn rest(&mut self, take: u32) -> (Vec<Segment>, bool) {
        let mut segments = Vec::new();
        loop {
            match self.hear() {
                FromRecogniser::Segment { take: of, segment } if of == take => segments.push(segment),
                FromRecogniser::Done { take: of, speech, .. } if of == take => return (segments, speech),
                FromRecogniser::Partial { take: of, .. } if of == take => {}
                other => panic!("of take {take}: {other:?}"),
            }
        }
    }

    fn end(mut self) {
        self.to = None;
        let thread = self.thread.take().expect("a thread");
        thread.join().expect("it doesn't panic").expect("it ends in order");
    }
}

/// Lower case, and no punctuation.
fn plain(segments: &[Segment]) -> String {
    let text = segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join(" ");
    let letters = text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn recorded() -> Vec<i16> {
    let sound = crate::decode::decoded(&testing::recorded()).expect("sound");
    to_words(&sound).collect()
}

#[test]
fn recorded_speech_is_understood() {
    let Some(mut recogniser) = Recogniser::loaded() else { return };
    let sound = recorded();
    let (segments, speech) = recogniser.transcribe(1, &sound);
    assert!(speech);
    let text = plain(&segments);
    assert!(text.contains("what your country can do for you"), "{text}");
    assert!(text.starts_with("and so my fellow americans"), "the first word is there: {text}");
    assert!(text.ends_with("you can do for your country"), "the last word is there: {text}");
    for segment in &segments {
        assert!(segment.start_ms < segment.end_ms && segment.end_ms <= 11_300, "{segment:?}");
    }
    assert!(segments.windows(2).all(|pair| pair[0].end_ms <= pair[1].start_ms), "in order: {segments:?}");
    recogniser.end();
}

#[test]
fn sounds_that_are_no_speech_give_no_text() {
    let Some(mut recogniser) = Recogniser::loaded() else { return };
    let length = SAMPLE_RATE as usize * 2;
    let low = |at: usize| (at as f32 * 0.056_16).sin() * 0.22 + (at as f32 * 0.112_32).sin() * 0.073;
    let sounds: [(&str, Vec<f32>); 6] = [
        ("a hum like a voice", (0..length).map(low).collect()),
        ("nothing", Vec::new()),
        ("silence", vec![0.0; length]),
        ("noise", (0..length).map(|at| testing::noise(at as u64) * 0.05).collect()),
        ("hum", (0..length).map(|at| (at as f32 * 0.0196).sin() * 0.2).collect()),
        ("one sample", vec![0.9]),
    ];
    for (take, (name, sound)) in (1..).zip(sounds) {
        let words: Vec<i16> = to_words(&sound).collect();
        assert_eq!(recogniser.transcribe(take, &words), (Vec::new(), false), "{name}");
    }
    recogniser.end();
}

#[test]
fn a_take_that_is_given_up_leaves_room_for_the_next_one_at_once() {
    let Some(mut recogniser) = Recogniser::loaded() else { return };
    let sound = recorded();
    for take in 1..4 {
        recogniser.begin(take);
        recogniser.play(&sound);
        recogniser.tell(&ToRecogniser::Release { take });
        recogniser.tell(&ToRecogniser::End { take });
        recogniser.tell(&ToRecogniser::Cancel { take });
    }
    let (segments, speech) = recogniser.transcribe(4, &sound[..SAMPLE_RATE as usize * 3]);
    assert!(speech, "nothing is said of the takes before");
    assert!(plain(&segments).contains("fellow americans"), "{segments:?}");
    recogniser.end();
}

#[test]
fn a_model_that_is_none_is_a_fault_and_another_one_can_be_loaded() {
    let Some(models) = testing::models() else { return };
    let (model, vad) = (models.join(testing::SPEECH), models.join(testing::VAD));
    let folder = tempfile::tempdir().expect("a folder");
    let cut = folder.path().join("cut.bin");
    let whole = std::fs::read(&model).expect("the model");
    std::fs::write(&cut, &whole[..whole.len() - 1_000]).expect("a file");
    let mut recogniser = Recogniser::start();
    let wrong = [(&cut, &vad), (&vad, &vad), (&model, &model), (&model, &cut), (&folder.path().join("none"), &vad)];
    for (model, vad) in wrong {
        match recogniser.load(model, vad) {
            FromRecogniser::Fault { take: None, fault } => {
                assert_eq!(fault.code, Code::SpeechModel, "{fault}");
                assert!(!fault.mend.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(recogniser.load(&model, &vad), FromRecogniser::Loaded { .. }));
    assert_eq!(recogniser.transcribe(1, &[0; 16_000]), (Vec::new(), false));
    recogniser.end();
}

#[test]
fn a_model_that_is_deleted_while_it_is_loaded_is_used_on() {
    let Some(models) = testing::models() else { return };
    let sound = recorded();
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join(testing::SPEECH);
    std::fs::copy(models.join(testing::SPEECH), &model).expect("a copy");
    let mut recogniser = Recogniser::start();
    assert!(matches!(recogniser.load(&model, &models.join(testing::VAD)), FromRecogniser::Loaded { .. }));
    std::fs::remove_file(&model).expect("it goes");
    let (segments, _) = recogniser.transcribe(1, &sound[..SAMPLE_RATE as usize * 3]);
    assert!(plain(&segments).contains("fellow americans"), "{segments:?}");
    recogniser.end();
}

#[test]
fn without_a_model_a_take_is_done_without_words() {
    let mut recogniser = Recogniser::start();
    assert_eq!(recogniser.transcribe(1, &[8_000; 16_000]), (Vec::new(), false));
    recogniser.end();
}

#[test]
fn orders_out_of_turn_are_borne() {
    let Some(mut recogniser) = Recogniser::loaded() else { return };
    let sound = recorded();
    recogniser.play(&sound);
    recogniser.tell(&ToRecogniser::End { take: 9 });
    recogniser.tell(&ToRecogniser::Release { take: 9 });
    recogniser.tell(&ToRecogniser::Cancel { take: 9 });
    recogniser.begin(1);
    recogniser.tell(&ToRecogniser::End { take: 1 });
    recogniser.play(&sound);
    recogniser.tell(&ToRecogniser::End { take: 1 });
    assert_eq!(recogniser.rest(1), (Vec::new(), false), "what came after its end isn't part of it");
    let strange = Options {
        language: Some("no\0language".to_owned()),
        prompt: "a\0b ".repeat(5_000),
        threads: Some(u32::MAX),
        partial: true,
    };
    recogniser.tell(&ToRecogniser::Begin { take: 2, options: Options { threads: Some(0), ..strange } });
    recogniser.play(&[i16::MIN; 20_000]);
    recogniser.play(&sound[..SAMPLE_RATE as usize * 3]);
    recogniser.tell(&ToRecogniser::End { take: 2 });
    recogniser.rest(2);
    recogniser.end();
}

#[test]
fn what_is_no_frame_ends_it() {
    let (input, mut to) = pipe().expect("a pipe");
    to.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it hears");
    let (end, ended) = mpsc::channel();
    std::thread::spawn(move || end.send(recognise(input, std::io::sink()).is_ok()));
    // The pipe stays open.
    assert!(ended.recv_timeout(Duration::from_secs(30)).is_ok(), "it ends by itself");
    drop(to);
}
