//! What is decoded when, on made-up speech.

use super::*;
use crate::engine::Part;

const MS: Duration = Duration::from_millis(1);
const TAKE: u32 = 7;

/// A scheduler, the time, and what was heard so far in samples.
struct Scene {
    scheduler: TakeScheduler,
    now: Instant,
}

impl Scene {
    fn begin(partial: bool) -> Self {
        let mut scene = Self { scheduler: TakeScheduler::default(), now: Instant::now() };
        let options = Options { partial, language: Some("en".to_owned()), ..Options::default() };
        scene.scheduler.begin(TAKE, options, scene.now);
        scene
    }

    /// Hears speech, or silence, for some milliseconds.
    fn hears(&mut self, speech: bool, millis: usize) {
        let (word, speech) = if speech { (8_000, 1.0) } else { (0, 0.0) };
        let window = Window { speech, loudness: speech };
        for _ in 0..millis / 32 {
            self.now += 32 * MS;
            self.scheduler.hear(&[word; WINDOW], &[window]);
        }
    }

    fn job(&mut self) -> Job {
        match self.scheduler.next(self.now) {
            Next::Job(job) => *job,
            other => panic!("a job is there to be done: {other:?}"),
        }
    }

    fn waits(&mut self) -> Option<Instant> {
        match self.scheduler.next(self.now) {
            Next::Wait(until) => until,
            other => panic!("nothing is there to be done: {other:?}"),
        }
    }

    fn says(&mut self) -> Vec<FromRecogniser> {
        match self.scheduler.next(self.now) {
            Next::Say(said) => said,
            other => panic!("something is there to be said: {other:?}"),
        }
    }

    fn made(&mut self, job: &Job, text: &str, millis: u64) -> Vec<FromRecogniser> {
        self.now += Duration::from_millis(millis);
        let part = Part { start: 0, end: job.sound.len(), text: text.to_owned() };
        let heard = Heard { parts: vec![part], language: Some("en".to_owned()) };
        self.scheduler.made(job, Some(heard), self.now)
    }

    fn release(&mut self) {
        self.scheduler.release(TAKE, self.now);
    }

    fn end(&mut self) {
        self.scheduler.end(TAKE, self.now);
    }
}

fn texts(said: &[FromRecogniser]) -> Vec<&str> {
    let text = |said: &'_ FromRecogniser| match said {
        FromRecogniser::Segment { segment, .. } => Some(segment.text.clone()),
        _ => None,
    };
    assert!(said.iter().all(|said| text(said).is_some()), "segments only: {said:?}");
    said.iter()
        .filter_map(|said| match said {
            FromRecogniser::Segment { segment, .. } => Some(segment.text.as_str()),
            _ => None,
        })
        .collect()
}

fn done(speech: bool, took_ms: u32) -> Vec<FromRecogniser> {
    vec![FromRecogniser::Done { take: TAKE, speech, language: Some("en".to_owned()), took_ms }]
}

#[test]
fn silence_is_done_without_a_job() {
    let mut scene = Scene::begin(true);
    scene.hears(false, 2_000);
    assert_eq!(scene.waits(), None);
    scene.release();
    assert_eq!(scene.says(), done(false, 0), "the end of the recording isn't waited for");
    assert_eq!(scene.waits(), None, "the take is over");
}

#[test]
fn a_sentence_is_transcribed_when_the_key_goes_up() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    assert_eq!(scene.waits(), None, "nothing is tried while somebody speaks and nobody wants to see");
    scene.release();
    let job = scene.job();
    assert_eq!(job.sound.len(), 100 * WINDOW, "all that was said");
    scene.hears(false, 200);
    assert!(!job.stop.load(Ordering::Relaxed), "silence after it changes nothing");
    assert_eq!(scene.made(&job, "Rename it.", 100), []);
    assert_eq!(scene.waits(), None, "the rest of the recording isn't there yet");
    scene.hears(false, 100);
    scene.end();
    assert_eq!(texts(&scene.says()), ["Rename it."], "what was tried holds");
    let took = u32::try_from((192 + 100 + 96) as usize).expect("a number");
    assert_eq!(scene.says(), done(true, took));
}

#[test]
fn a_word_after_the_key_is_heard_too() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.release();
    let job = scene.job();
    scene.hears(true, 200);
    assert!(job.stop.load(Ordering::Relaxed), "what is tried lacks a word");
    assert_eq!(scene.scheduler.made(&job, None, scene.now), []);
    scene.hears(false, 96);
    scene.end();
    let job = scene.job();
    assert!(job.sound.len() >= 106 * WINDOW, "{}", job.sound.len());
    assert_eq!(texts(&scene.made(&job, "Rename it now.", 100)), ["Rename it now."]);
    assert_eq!(scene.says().len(), 1);
}

#[test]
fn a_pause_is_used_to_try_and_the_key_may_follow() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.hears(false, 160);
    let job = scene.job();
    assert_eq!(scene.made(&job, "Rename it.", 300), [], "nobody wants to see it yet");
    scene.hears(false, 320);
    scene.release();
    assert_eq!(texts(&scene.says()), ["Rename it."]);
    assert_eq!(scene.says(), done(true, 0), "there is nothing left to wait for");
}

/// A take in which this is heard in a pause, and so much is said after it.
fn half_heard(text: &str, after: usize) -> Scene {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.hears(false, 192);
    let trial = scene.job();
    scene.made(&trial, text, 300);
    scene.hears(false, 96);
    scene.hears(true, after);
    scene.release();
    scene
}

#[test]
fn a_whole_sentence_is_not_heard_again_when_the_key_goes_up() {
    let mut scene = half_heard("Rename it.", 1_600);
    assert_eq!(texts(&scene.says()), ["Rename it."]);
    let rest = scene.job();
    let millis = rest.sound.len() / SAMPLES_PER_MS;
    assert!((1_600..2_000).contains(&millis), "what came after it, and some of the pause: {millis} ms");
    scene.hears(false, 320);
    scene.made(&rest, "Then test it.", 100);
    assert_eq!(texts(&scene.says()), ["Then test it."]);
    assert!(matches!(scene.says()[..], [FromRecogniser::Done { speech: true, .. }]), "and that was all");
}

#[test]
fn a_sentence_that_is_still_being_heard_when_the_key_goes_up_is_waited_for() {
    for (text, whole) in [("Rename it.", true), ("Rename", false)] {
        let mut scene = Scene::begin(false);
        scene.hears(true, 3_200);
        scene.hears(false, 192);
        let trial = scene.job();
        scene.hears(false, 96);
        scene.hears(true, 1_600);
        scene.release();
        scene.hears(false, 320);
        scene.end();
        assert!(!trial.stop.load(Ordering::Relaxed), "it may be a whole sentence");
        assert_eq!(scene.made(&trial, text, 10), []);
        if whole {
            assert_eq!(texts(&scene.says()), [text]);
        }
        let rest = scene.job();
        assert_eq!(rest.sound.len() < 3_200 * SAMPLES_PER_MS, whole, "{} samples after {text:?}", rest.sound.len());
    }
}

#[test]
fn half_a_sentence_is_heard_again_with_the_rest() {
    for (text, after) in [("Rename", 1_600), ("Rename it.", 480)] {
        let mut scene = half_heard(text, after);
        let whole = scene.job();
        assert!(whole.sound.len() >= (3_200 + after) * SAMPLES_PER_MS, "{text:?}, and {after} ms after it");
    }
}

#[test]
fn speech_after_a_pause_makes_a_trial_worthless() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.hears(false, 160);
    let job = scene.job();
    scene.made(&job, "Rename it.", 10);
    scene.hears(true, 960);
    scene.release();
    scene.end();
    let job = scene.job();
    assert_eq!(job.sound.len(), 135 * WINDOW, "it is one piece, and all of it");
    assert_eq!(texts(&scene.made(&job, "Rename it and test it.", 10)), ["Rename it and test it."]);
}

#[test]
fn text_is_shown_while_somebody_speaks_on_but_not_all_the_time() {
    let mut scene = Scene::begin(true);
    scene.hears(true, 1_600);
    assert_eq!(scene.waits(), None, "too little for a trial");
    scene.hears(true, 640);
    let job = scene.job();
    let said = scene.made(&job, "Rename", 400);
    assert_eq!(said, [FromRecogniser::Partial { take: TAKE, text: "Rename".to_owned() }]);
    scene.hears(true, 320);
    assert_eq!(scene.waits(), None, "nothing new");
    scene.hears(true, 2_240);
    let job = scene.job();
    scene.made(&job, "Rename the function", 3_000);
    scene.hears(true, 2_240);
    assert!(scene.waits().is_some_and(|until| until > scene.now), "a slow machine is left alone for a while");
}

#[test]
fn a_pause_is_used_even_when_much_was_tried_before() {
    let mut scene = Scene::begin(true);
    scene.hears(true, 2_240);
    let job = scene.job();
    scene.made(&job, "Rename", 3_000);
    scene.hears(true, 640);
    scene.hears(false, 192);
    assert!(scene.waits().is_some_and(|until| until > scene.now), "a short one may be nothing but a breath");
    scene.hears(false, 96);
    let job = scene.job();
    assert_eq!(job.sound.len(), 99 * WINDOW, "all that was said, and a little of the pause");
    scene.made(&job, "Rename it.", 100);
    assert_eq!(scene.waits(), None, "once is enough");
    scene.release();
    scene.hears(false, 32);
    assert_eq!(texts(&scene.says()), ["Rename it."], "it is there when the key goes up");
}

#[test]
fn a_piece_is_transcribed_while_the_next_one_is_spoken() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 9_600);
    scene.hears(false, 640);
    scene.hears(true, 1_600);
    let first = scene.job();
    assert!((300 * WINDOW..=312 * WINDOW).contains(&first.sound.len()), "{}", first.sound.len());
    assert_eq!(texts(&scene.made(&first, "One.", 100)), ["One."]);
    let kept = scene.scheduler.work.as_ref().expect("the take").sound.samples.len();
    assert!(kept < 80 * WINDOW, "what was transcribed is forgotten: {kept}");
    scene.release();
    scene.end();
    let second = scene.job();
    let said = scene.made(&second, "Two.", 100);
    let [FromRecogniser::Segment { segment, .. }] = said.as_slice() else { panic!("{said:?}") };
    assert!((9_800..10_300).contains(&segment.start_ms), "its place in the take: {}", segment.start_ms);
    assert!((11_800..11_900).contains(&segment.end_ms), "its place in the take: {}", segment.end_ms);
}

#[test]
fn what_is_given_up_is_stopped_and_forgotten() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.release();
    let job = scene.job();
    scene.scheduler.cancel(TAKE + 1);
    assert!(!job.stop.load(Ordering::Relaxed), "another take is meant");
    scene.scheduler.cancel(TAKE);
    assert!(job.stop.load(Ordering::Relaxed));
    assert_eq!(scene.made(&job, "Rename it.", 10), [], "nothing is said of it");
    assert_eq!(scene.waits(), None);
    scene.end();
    assert_eq!(scene.waits(), None);
}

#[test]
fn a_new_take_gives_the_old_one_up() {
    let mut scene = Scene::begin(false);
    scene.hears(true, 3_200);
    scene.release();
    let job = scene.job();
    scene.scheduler.begin(TAKE + 1, Options::default(), scene.now);
    assert!(job.stop.load(Ordering::Relaxed));
    assert_eq!(scene.made(&job, "Rename it.", 10), []);
    assert_eq!(scene.scheduler.hearing(), Some(TAKE + 1));
}

#[test]
fn a_language_that_was_found_out_stays() {
    let mut scene = Scene::begin(false);
    scene.scheduler.begin(TAKE, Options::default(), scene.now);
    scene.hears(true, 12_800);
    scene.hears(false, 640);
    let job = scene.job();
    assert_eq!(job.request.language, None);
    let heard = Heard { parts: Vec::new(), language: Some("de".to_owned()) };
    scene.scheduler.made(&job, Some(heard), scene.now);
    scene.hears(true, 1_600);
    scene.release();
    let job = scene.job();
    assert_eq!(job.request.language.as_deref(), Some("de"));
}

#[test]
fn an_empty_take_is_done_at_its_end() {
    let mut scene = Scene::begin(true);
    scene.release();
    assert_eq!(scene.waits(), None);
    scene.end();
    assert_eq!(scene.says(), done(false, 0));
}
