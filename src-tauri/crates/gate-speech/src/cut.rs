//! Where speech is in a take, and where it is cut in pieces that are transcribed on their own: from how
//! probable speech is in each window. Pure; knows neither the model that says so nor the one that
//! transcribes.

use std::collections::VecDeque;
use std::ops::Range;

/// Samples of a window: 32 ms.
pub(crate) const WINDOW: usize = 512;

/// From here on a window is speech.
const SPEECH: f32 = 0.5;
/// Speech that goes on ends below this.
const STILL_SPEECH: f32 = 0.35;
/// Windows of speech below which it was a click: 96 ms.
const LEAST: usize = 3;
/// How probable speech has to be in one window at least for a short piece to be speech: hum that begins with
/// the recording gets to 0.7 for a moment, and speech to more than 0.9.
const SURE: f32 = 0.85;
/// Windows of speech from which on that doesn't matter: 800 ms.
const LONG: usize = 25;
/// What is kept before the first window of speech and after the last one, in windows: 320 ms. The first
/// sound of a word can be so soft that no window says speech yet.
const MARGIN: usize = 10;
/// A piece never gets longer than this, in windows: 12 s. The model could hear twice as much at a time, but the
/// memory that it takes grows with the square of that.
pub(crate) const LONGEST: usize = 375;
/// How far back from there the best place to cut is looked for: 8 s.
const LOOK_BACK: usize = 250;
/// How long a pause has to be to cut, by how long the piece is already, in windows. The longer a piece, the
/// more its end costs when the key goes up; the shorter one, the less the model knows of what is spoken of.
const PAUSES: [(usize, usize); 4] = [(281, 6), (203, 10), (156, 24), (94, 44)];

/// A part of a take, in samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What is transcribed: the speech and its margins.
    pub(crate) sound: Range<usize>,
    /// Where its speech ends.
    pub(crate) speech_end: usize,
}

/// Looks for speech, window by window.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    /// Windows so far.
    heard: usize,
    /// The window that the next piece may begin with.
    free: usize,
    /// The piece that goes on.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    /// The first window of its sound.
    start: usize,
    /// The first window of its speech.
    speech: usize,
    /// The window after its last one of speech.
    end: usize,
    /// How many of its windows are speech.
    voiced: usize,
    /// How probable speech was in the surest of them.
    surest: f32,
    /// How loud and how probable its last windows were: where it can be cut best.
    last: VecDeque<(f32, f32)>,
}

impl Cutter {
    /// Takes the next window: how probable speech is in it, and how loud it is. Gives a piece where one is
    /// complete.
    pub(crate) fn push(&mut self, speech: f32, loudness: f32) -> Option<Piece> {
        let at = self.heard;
        self.heard += 1;
        let Some(open) = &mut self.open else {
            if speech >= SPEECH {
                let start = at.saturating_sub(MARGIN).max(self.free);
                let last = VecDeque::from([(speech, loudness)]);
                self.open = Some(Open { start, speech: at, end: at + 1, voiced: 1, surest: speech, last });
            }
            return None;
        };
        open.last.push_back((speech, loudness));
        if open.last.len() > LOOK_BACK {
            open.last.pop_front();
        }
        if speech >= SPEECH || (speech >= STILL_SPEECH && open.end == at) {
            open.end = at + 1;
            open.voiced += usize::from(speech >= SPEECH);
        }
        open.surest = open.surest.max(speech);
        let pause = self.heard - open.end;
        if !open.is_speech() && pause > MARGIN {
            self.free = open.start;
            self.open = None;
            return None;
        }
        let length = open.end - open.speech;
        let wanted = PAUSES.iter().find(|(least, _)| length >= *least).map(|(_, pause)| *pause);
        if wanted.is_some_and(|wanted| pause >= wanted) {
            // What is left of the pause is the margin of the next piece.
            let end = open.end + (pause / 2).min(MARGIN);
            return self.close(end);
        }
        if self.heard - open.start >= LONGEST {
            let end = open.quietest(self.heard);
            let rest = open.last.split_off(open.last.len() - (self.heard - end));
            let piece = self.close(end);
            self.go_on(end, rest);
            return piece;
        }
        None
    }

    /// The piece that goes on, as far as it was heard; none where there is no speech in it.
    pub(crate) fn open(&self) -> Option<Piece> {
        let open = self.open.as_ref().filter(|open| open.is_speech())?;
        let end = self.heard.min(open.end + MARGIN);
        Some(Piece { sound: open.start * WINDOW..end * WINDOW, speech_end: open.end * WINDOW })
    }

    /// Whether the piece that goes on can be cut in a pause, of which these windows are known: where it is as long
    /// as `pause`, and at least `least` windows after it are speech, enough to be understood by themselves.
    pub(crate) fn may_cut_in(&self, looked: &Range<usize>, pause: usize, least: usize) -> bool {
        let Some(open) = &self.open else { return false };
        let behind = self.heard.saturating_sub(looked.end);
        if looked.start <= open.start || behind > open.last.len() {
            return false;
        }
        let rest = (looked.end..).zip(open.last.iter().skip(open.last.len() - behind));
        let mut speech = rest.filter(|(_, (speech, _))| *speech >= SPEECH).map(|(at, _)| at);
        speech.next().is_some_and(|again| again - looked.start >= pause) && speech.count() + 1 >= least
    }

    /// Cuts the piece that goes on in the middle of these windows: what is before has been understood.
    pub(crate) fn cut_in(&mut self, looked: &Range<usize>) {
        let Some(open) = &mut self.open else { return };
        let window = usize::midpoint(looked.start, looked.end);
        let behind = self.heard.saturating_sub(window).min(open.last.len());
        let rest = open.last.split_off(open.last.len() - behind);
        self.free = window;
        self.go_on(window, rest);
    }

    /// The rest of the take, after its last window.
    pub(crate) fn finish(&mut self) -> Option<Piece> {
        let piece = self.open();
        self.open = None;
        self.free = self.heard;
        piece
    }

    /// How long there has been no speech, in samples.
    pub(crate) fn silence(&self) -> usize {
        (self.heard - self.open.as_ref().map_or(self.free.min(self.heard), |open| open.end)) * WINDOW
    }

    /// The first sample that may still be needed.
    pub(crate) fn needed(&self) -> usize {
        let start = self.open.as_ref().map_or(self.heard.saturating_sub(MARGIN).max(self.free), |open| open.start);
        start * WINDOW
    }

    fn close(&mut self, end: usize) -> Option<Piece> {
        let open = self.open.take()?;
        self.free = end;
        let speech_end = open.end.min(end) * WINDOW;
        Some(Piece { sound: open.start * WINDOW..end * WINDOW, speech_end })
    }

    /// After a cut within speech: what follows it belongs to the next piece.
    fn go_on(&mut self, from: usize, rest: VecDeque<(f32, f32)>) {
        let voiced = rest.iter().filter(|(speech, _)| *speech >= SPEECH).count();
        let Some(last) = rest.iter().rposition(|(speech, _)| *speech >= SPEECH) else { return };
        let surest = rest.iter().map(|(speech, _)| *speech).fold(0.0, f32::max);
        self.open = Some(Open { start: from, speech: from, end: from + last + 1, voiced, surest, last: rest });
    }
}

impl Open {
    /// Whether it is speech and not a click or hum.
    fn is_speech(&self) -> bool {
        self.voiced >= LEAST && (self.surest >= SURE || self.voiced >= LONG)
    }

    /// Where to cut speech without a pause: after the quietest moment of the last seconds, three windows
    /// taken together.
    fn quietest(&self, heard: usize) -> usize {
        let first = heard - self.last.len();
        let windows: Vec<f32> = self.last.iter().map(|(speech, loudness)| speech * loudness).collect();
        let sums = windows.windows(3).map(|three| three.iter().sum::<f32>());
        let best = sums.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(windows.len(), |(at, _)| at + 2);
        (first + best).min(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of a duration in milliseconds.
    fn windows(millis: usize) -> usize {
        millis / 32
    }

    /// Takes silence and speech by turns, each in milliseconds; gives what was cut.
    fn cut(cutter: &mut Cutter, turns: &[(f32, usize)]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (speech, millis) in turns {
            pieces.extend((0..windows(*millis)).filter_map(|_| cutter.push(*speech, *speech)));
        }
        pieces
    }

    fn seconds(samples: usize) -> f64 {
        samples as f64 / 16_000.0
    }

    #[test]
    fn silence_is_no_piece() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(0.03, 600_000)]), []);
        assert_eq!(cutter.open(), None);
        assert_eq!(cutter.finish(), None);
    }

    #[test]
    fn a_click_is_no_piece() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(0.0, 500), (0.9, 64), (0.0, 500), (0.9, 64), (0.0, 64)]), []);
        assert_eq!(cutter.finish(), None);
    }

    #[test]
    fn hum_that_sounds_a_little_like_a_voice_is_no_piece() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(0.71, 320), (0.4, 160), (0.1, 5_000)]), []);
        assert_eq!(cutter.finish(), None);
        cut(&mut cutter, &[(0.71, 1_600)]);
        assert!(cutter.finish().is_some(), "somebody who speaks softly goes on");
    }

    #[test]
    fn speech_keeps_its_margins() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(0.0, 3_200), (1.0, 2_560), (0.0, 960)]), []);
        let piece = cutter.finish().expect("speech");
        let speech = 100 * WINDOW..180 * WINDOW;
        let margin = MARGIN * WINDOW;
        assert_eq!(piece, Piece { sound: speech.start - margin..speech.end + margin, speech_end: speech.end });
    }

    #[test]
    fn speech_from_edge_to_edge_is_all_there() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(1.0, 3_200)]), []);
        assert_eq!(cutter.finish(), Some(Piece { sound: 0..100 * WINDOW, speech_end: 100 * WINDOW }));
    }

    #[test]
    fn a_short_pause_in_a_short_piece_cuts_nothing() {
        let mut cutter = Cutter::default();
        assert_eq!(cut(&mut cutter, &[(1.0, 3_000), (0.0, 700), (1.0, 2_000), (0.0, 400), (1.0, 500)]), []);
        let piece = cutter.finish().expect("speech");
        assert_eq!(piece.sound.start, 0, "it is one piece");
    }

    #[test]
    fn a_pause_in_a_long_piece_cuts_within_the_pause() {
        let mut cutter = Cutter::default();
        let pieces = cut(&mut cutter, &[(1.0, 9_600), (0.0, 960), (1.0, 1_600)]);
        let [piece] = pieces.as_slice() else { panic!("one piece was cut: {pieces:?}") };
        let pause = 300 * WINDOW..330 * WINDOW;
        assert_eq!((piece.sound.start, piece.speech_end), (0, pause.start));
        assert!(pause.contains(&piece.sound.end), "{piece:?} ends within the pause");
        let next = cutter.finish().expect("speech");
        assert!(pause.contains(&next.sound.start), "{next:?} begins within the pause");
        assert!(piece.sound.end <= next.sound.start, "nothing is transcribed twice");
    }

    #[test]
    fn the_longer_a_piece_the_shorter_a_pause_is_enough() {
        let mut before = usize::MAX;
        for length in [3_500, 5_500, 7_500, 10_000] {
            let mut cutter = Cutter::default();
            assert_eq!(cut(&mut cutter, &[(1.0, length)]), []);
            let pause = (1..).find(|_| cutter.push(0.0, 0.0).is_some()).expect("it is cut some time");
            assert!(pause < before, "{pause} windows after {length} ms");
            before = pause;
        }
    }

    #[test]
    fn speech_without_a_pause_is_cut_where_it_is_quietest() {
        let mut cutter = Cutter::default();
        let mut pieces = Vec::new();
        for at in 0..windows(120_000) {
            // A breath every five seconds that still counts as speech.
            let loudness = if at % 156 < 4 { 0.1 } else { 1.0 };
            pieces.extend(cutter.push(0.9, loudness));
        }
        pieces.extend(cutter.finish());
        assert!(pieces.len() >= 10, "{pieces:?}");
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].sound.end, pair[1].sound.start, "nothing is lost and nothing said twice");
            let place = pair[0].sound.end / WINDOW % 156;
            assert!((1..=4).contains(&place), "cut in a breath, not at {place}");
        }
        for piece in &pieces {
            assert!(seconds(piece.sound.len()) <= 12.1, "{piece:?} is short enough");
        }
        assert_eq!(pieces.last().map(|piece| piece.sound.end), Some(windows(120_000) * WINDOW));
    }

    #[test]
    fn what_is_open_can_be_looked_at() {
        let mut cutter = Cutter::default();
        cut(&mut cutter, &[(0.0, 1_600), (1.0, 1_600)]);
        let open = cutter.open().expect("speech");
        assert_eq!((open.speech_end, open.sound.end), (100 * WINDOW, 100 * WINDOW));
        assert_eq!(cutter.silence(), 0);
        cut(&mut cutter, &[(0.0, 320)]);
        assert_eq!(cutter.silence(), 10 * WINDOW);
        assert!(cutter.needed() <= open.sound.start);
    }

    #[test]
    fn what_was_heard_long_ago_without_speech_is_not_needed() {
        let mut cutter = Cutter::default();
        cut(&mut cutter, &[(0.0, 60_000)]);
        assert!(seconds(cutter.needed()) > 59.0);
    }
}
