//! The watchdog over microphones that only the test has.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gate_api::Microphone;

use super::*;
use crate::microphone::About;

const MS: Duration = Duration::from_millis(1);

/// What a microphone of the tests does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mood {
    Speaks,
    Silent,
    Gone,
}

/// A system whose microphones do what they are told to.
#[derive(Clone, Default)]
struct Fake {
    world: Arc<Mutex<World>>,
    closed: Arc<AtomicUsize>,
}

#[derive(Default)]
struct World {
    /// Those that are plugged in, and what they do.
    there: Vec<(&'static str, Mood)>,
    default: Option<&'static str>,
    /// What opening gives instead, for the next times.
    faults: VecDeque<Fault>,
    opened: Vec<String>,
}

struct FakeOpen {
    fake: Fake,
    about: About,
}

impl Fake {
    fn with(there: &[(&'static str, Mood)]) -> Self {
        let fake = Self::default();
        fake.set(there);
        fake
    }

    fn set(&self, there: &[(&'static str, Mood)]) {
        let mut world = self.world.lock().expect("the world");
        world.there = there.to_vec();
        world.default = there.first().map(|(id, _)| *id);
    }

    fn opened(&self) -> Vec<String> {
        std::mem::take(&mut self.world.lock().expect("the world").opened)
    }
}

impl Microphones for Fake {
    type Open = FakeOpen;

    fn open(&mut self, id: Option<&str>) -> Result<FakeOpen, Fault> {
        let mut world = self.world.lock().expect("the world");
        if let Some(fault) = world.faults.pop_front() {
            return Err(fault);
        }
        let id = id.or(world.default).unwrap_or("none").to_owned();
        if !world.there.iter().any(|(there, _)| *there == id) {
            return Err(Fault::new(Code::NoMicrophone, "There is no microphone.", "Plug one in."));
        }
        world.opened.push(id.clone());
        let microphone = Microphone { name: id.to_uppercase(), default: world.default == Some(&id), id };
        let about = About { microphone, rate: 48_000, channels: 2, format: "f32".to_owned() };
        Ok(FakeOpen { fake: self.clone(), about })
    }

    fn default_id(&mut self) -> Option<String> {
        self.world.lock().expect("the world").default.map(str::to_owned)
    }
}

impl FakeOpen {
    fn mood(&self) -> Mood {
        let world = self.fake.world.lock().expect("the world");
        let there = world.there.iter().find(|(id, _)| *id == self.about.microphone.id);
        there.map_or(Mood::Gone, |(_, mood)| *mood)
    }
}

impl Source for FakeOpen {
    fn about(&self) -> &About {
        &self.about
    }

    /// Ten milliseconds each time.
    fn fetch(&mut self, to: &mut Vec<f32>) {
        if self.mood() == Mood::Speaks {
            to.extend([0.5; 480]);
        }
    }

    fn is_gone(&self) -> bool {
        self.mood() == Mood::Gone
    }

    fn close(self) {
        self.fake.closed.fetch_add(1, Ordering::SeqCst);
    }
}

/// A watch, and its time.
struct Scene {
    fake: Fake,
    watch: Watch<Fake>,
    now: Instant,
    heard: usize,
}

impl Scene {
    fn with(there: &[(&'static str, Mood)]) -> Self {
        let fake = Fake::with(there);
        Self { watch: Watch::new(fake.clone()), fake, now: Instant::now(), heard: 0 }
    }

    fn open(&mut self, id: Option<&str>) -> Vec<FromListener> {
        let out = self.watch.open(id.map(str::to_owned), self.now);
        self.said(out)
    }

    /// Lets time go by, 10 ms at a time; gives what was said.
    fn goes_by(&mut self, millis: u32) -> Vec<FromListener> {
        let mut said = Vec::new();
        for _ in 0..millis / 10 {
            self.now += 10 * MS;
            if self.watch.pause(self.now).is_some() {
                let out = self.watch.tick(self.now);
                said.extend(self.said(out));
            }
        }
        said
    }

    fn said(&mut self, out: Vec<Out>) -> Vec<FromListener> {
        let mut said = Vec::new();
        for out in out {
            match out {
                Out::Say(message) => said.push(message),
                Out::Sound(samples) => {
                    assert!((1..=640).contains(&samples.len()), "{} samples at once", samples.len());
                    self.heard += samples.len();
                }
            }
        }
        said
    }
}

fn opened(id: &str, default: bool, missed_ms: Option<u32>) -> FromListener {
    let microphone = Microphone { id: id.to_owned(), name: id.to_uppercase(), default };
    FromListener::Opened {
        microphone,
        rate: 48_000,
        channels: 2,
        format: "f32".to_owned(),
        again: missed_ms.is_some(),
        missed_ms: missed_ms.unwrap_or(0),
    }
}

fn codes(said: &[FromListener]) -> Vec<Code> {
    let fault = |said: &FromListener| match said {
        FromListener::Fault { fault } => Some(fault.code),
        _ => None,
    };
    said.iter().filter_map(fault).collect()
}

#[test]
fn it_is_open_when_the_first_sample_is_there() {
    let mut scene = Scene::with(&[("a", Mood::Silent)]);
    assert_eq!(scene.open(None), []);
    assert_eq!(scene.goes_by(300), [], "opened, but nothing was heard yet");
    scene.fake.set(&[("a", Mood::Speaks)]);
    assert_eq!(scene.goes_by(10), [opened("a", true, None)]);
    assert_eq!(scene.goes_by(1_000), []);
    assert!((15_000..=16_200).contains(&scene.heard), "a second of it: {}", scene.heard);
}

#[test]
fn closing_ends_the_sound() {
    let mut scene = Scene::with(&[("a", Mood::Speaks)]);
    scene.open(None);
    scene.goes_by(100);
    let out = scene.watch.close();
    assert_eq!(scene.said(out), [FromListener::Closed]);
    let heard = scene.heard;
    assert_eq!(scene.goes_by(1_000), []);
    assert_eq!(scene.heard, heard);
    assert_eq!(scene.watch.pause(scene.now), None, "nothing is left to be done");
    assert_eq!(scene.fake.closed.load(Ordering::SeqCst), 1);
}

#[test]
fn one_that_falls_silent_is_opened_again() {
    let mut scene = Scene::with(&[("a", Mood::Speaks), ("b", Mood::Speaks)]);
    scene.open(Some("b"));
    assert_eq!(scene.goes_by(100), [opened("b", false, None)]);
    scene.fake.opened();
    scene.fake.set(&[("a", Mood::Speaks), ("b", Mood::Silent)]);
    assert_eq!(scene.goes_by(480), []);
    assert_eq!(scene.fake.opened(), [] as [String; 0], "half a second isn't over yet");
    scene.goes_by(30);
    assert_eq!(scene.fake.opened(), ["b"]);
    scene.fake.set(&[("a", Mood::Speaks), ("b", Mood::Speaks)]);
    let said = scene.goes_by(20);
    let [FromListener::Opened { again: true, missed_ms: 500..=540, microphone, .. }] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(microphone.id, "b");
}

#[test]
fn the_default_takes_the_place_of_one_that_went_away() {
    let mut scene = Scene::with(&[("a", Mood::Speaks), ("b", Mood::Speaks)]);
    scene.open(Some("b"));
    scene.goes_by(100);
    scene.fake.set(&[("a", Mood::Speaks)]);
    let said = scene.goes_by(50);
    assert!(
        matches!(said.as_slice(), [FromListener::Opened { again: true, missed_ms: 0..=50, microphone, .. }] if microphone.id == "a"),
        "at once, as the system said that it is gone: {said:?}"
    );
}

#[test]
fn one_that_was_chosen_and_gives_nothing_is_replaced_too() {
    let mut scene = Scene::with(&[("a", Mood::Speaks), ("b", Mood::Silent)]);
    scene.open(Some("b"));
    assert_eq!(scene.goes_by(2_900), []);
    assert_eq!(scene.goes_by(200), [opened("a", true, None)]);
}

#[test]
fn the_last_one_that_went_away_is_said_once_and_waited_for() {
    let mut scene = Scene::with(&[("a", Mood::Speaks)]);
    scene.open(None);
    scene.goes_by(100);
    scene.fake.set(&[]);
    assert_eq!(codes(&scene.goes_by(10_000)), [Code::MicrophoneGone], "said once");
    scene.fake.set(&[("c", Mood::Speaks)]);
    let said = scene.goes_by(600);
    assert!(
        matches!(said.as_slice(), [FromListener::Opened { again: true, missed_ms: 9_000..=11_000, microphone, .. }] if microphone.id == "c"),
        "{said:?}"
    );
}

#[test]
fn no_microphone_is_said_at_once_and_it_is_tried_again() {
    let mut scene = Scene::with(&[]);
    assert_eq!(codes(&scene.open(None)), [Code::NoMicrophone]);
    assert_eq!(scene.goes_by(3_000), []);
    scene.fake.set(&[("a", Mood::Speaks)]);
    assert_eq!(scene.goes_by(600), [opened("a", true, None)]);
}

#[test]
fn after_many_tries_in_vain_it_makes_place_for_a_fresh_one() {
    let mut scene = Scene::with(&[]);
    scene.open(None);
    let tries = AGAIN.as_millis() as u32 * TRIES;
    scene.goes_by(tries / 2);
    scene.fake.set(&[("a", Mood::Speaks)]);
    scene.goes_by(600);
    scene.fake.set(&[]);
    scene.goes_by(tries / 2 + 1_000);
    assert!(!scene.watch.is_worn(), "one that succeeded begins anew");
    scene.goes_by(tries / 2 + 1_000);
    assert!(scene.watch.is_worn());
}

#[test]
fn a_busy_one_is_tried_until_it_is_free() {
    let mut scene = Scene::with(&[("a", Mood::Speaks)]);
    let busy = || Fault::new(Code::MicrophoneBusy, "Another program holds the microphone.", "Close it there.");
    scene.fake.world.lock().expect("the world").faults.extend([busy(), busy(), busy()]);
    assert_eq!(codes(&scene.open(None)), [Code::MicrophoneBusy]);
    assert_eq!(scene.goes_by(1_000), [], "it isn't said again");
    assert_eq!(scene.goes_by(600), [opened("a", true, None)]);
}

#[test]
fn what_is_forbidden_is_said_as_that() {
    let mut scene = Scene::with(&[("a", Mood::Speaks)]);
    let denied = || Fault::new(Code::MicrophoneDenied, "The system doesn't let it.", "Allow it.");
    scene.fake.world.lock().expect("the world").faults.extend([denied(), denied()]);
    assert_eq!(codes(&scene.open(Some("a"))), [Code::MicrophoneDenied], "neither it nor the default");
}

#[test]
fn one_that_never_gives_sound_is_a_fault() {
    let mut scene = Scene::with(&[("a", Mood::Silent)]);
    scene.open(None);
    assert_eq!(codes(&scene.goes_by(20_000)), [Code::NoMicrophone], "said once, however often it was tried");
}

#[test]
fn the_default_is_followed_where_it_was_asked_for() {
    let mut scene = Scene::with(&[("a", Mood::Speaks), ("b", Mood::Speaks)]);
    scene.open(None);
    scene.goes_by(500);
    scene.fake.set(&[("b", Mood::Speaks), ("a", Mood::Speaks)]);
    let said = scene.goes_by(1_500);
    assert!(
        matches!(said.as_slice(), [FromListener::Opened { again: true, microphone, .. }] if microphone.id == "b"),
        "{said:?}"
    );
    scene.open(Some("b"));
    scene.goes_by(500);
    scene.fake.set(&[("a", Mood::Speaks), ("b", Mood::Speaks)]);
    assert_eq!(scene.goes_by(3_000), [], "one that was chosen stays");
}

#[test]
fn two_hundred_times_leave_nothing_open() {
    let mut scene = Scene::with(&[("a", Mood::Speaks)]);
    for _ in 0..200 {
        scene.open(None);
        assert_eq!(scene.goes_by(50), [opened("a", true, None)]);
        scene.watch.close();
    }
    assert_eq!(scene.fake.closed.load(Ordering::SeqCst), 200);
}
