//! What was heard, laid beside what was said word by word.

/// The two, laid so that the fewest words had to be put in, taken out or changed (Levenshtein).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    /// How many that are.
    pub(super) errors: usize,
    /// Of each word that was said, whether it was heard.
    pub(super) heard: Vec<bool>,
}

impl Alignment {
    pub(super) fn of(said: &[String], heard: &[String]) -> Self {
        // The errors in what follows each pair of places.
        let mut behind = vec![vec![0; heard.len() + 1]; said.len() + 1];
        for at in (0..=said.len()).rev() {
            for other in (0..=heard.len()).rev() {
                behind[at][other] = match (said.get(at), heard.get(other)) {
                    (None, _) => heard.len() - other,
                    (_, None) => said.len() - at,
                    (Some(word), Some(other_word)) => {
                        let both = behind[at + 1][other + 1] + usize::from(word != other_word);
                        both.min(behind[at + 1][other] + 1).min(behind[at][other + 1] + 1)
                    }
                };
            }
        }
        let mut found = vec![false; said.len()];
        let (mut at, mut other) = (0, 0);
        while at < said.len() && other < heard.len() {
            let is_same = said[at] == heard[other];
            if behind[at][other] == behind[at + 1][other + 1] + usize::from(!is_same) {
                found[at] = is_same;
                (at, other) = (at + 1, other + 1);
            } else if behind[at][other] == behind[at + 1][other] + 1 {
                at += 1;
            } else {
                other += 1;
            }
        }
        Self { errors: behind[0][0], heard: found }
    }
}

/// What became of the first and the last words of sentences, in ours and in what whisper.cpp makes of the same sound as
/// a whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) sentences: usize,
    /// Missing in ours alone: the sound of them was there to be understood, and we have cut it off or spoilt it.
    pub(super) cut_off: usize,
    /// Missing in both: the model doesn't understand them.
    pub(super) misheard: usize,
    /// Missing in whisper.cpp's alone.
    pub(super) gained: usize,
}

impl Ends {
    pub(super) fn push(&mut self, ours: &Alignment, alone: &Alignment) {
        self.sentences += 1;
        let (ours, alone) = (&ours.heard, &alone.heard);
        for pair in [(ours.first(), alone.first()), (ours.last(), alone.last())] {
            match pair {
                (Some(false), Some(true)) => self.cut_off += 1,
                (Some(false), Some(false)) => self.misheard += 1,
                (Some(true), Some(false)) => self.gained += 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(said: &str, heard: &str) -> Alignment {
        let [said, heard] = [said, heard].map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        Alignment::of(&said, &heard)
    }

    #[test]
    fn words_are_laid_beside_those_that_were_said() {
        assert_eq!(laid("a b c", "a b c"), Alignment { errors: 0, heard: vec![true; 3] });
        assert_eq!(laid("a b c", "a x c d"), Alignment { errors: 2, heard: vec![true, false, true] });
        assert_eq!(laid("a b c", "b c"), Alignment { errors: 1, heard: vec![false, true, true] }, "not all are moved");
        assert_eq!(laid("a b c", "oh a b c"), Alignment { errors: 1, heard: vec![true; 3] }, "one was put in before");
        let words = ["a", "b"].map(str::to_owned);
        assert_eq!(Alignment::of(&words, &[]), Alignment { errors: 2, heard: vec![false; 2] });
        assert_eq!(Alignment::of(&[], &words), Alignment { errors: 2, heard: Vec::new() });
    }

    #[test]
    fn a_word_that_was_cut_off_is_told_from_one_that_nobody_understands() {
        let mut ends = Ends::default();
        ends.push(&laid("split this up", "this up"), &laid("split this up", "split this up"));
        assert_eq!((ends.cut_off, ends.misheard, ends.gained), (1, 0, 0), "its sound was there");
        ends.push(&laid("split this up", "spit this"), &laid("split this up", "spit this up"));
        assert_eq!((ends.cut_off, ends.misheard, ends.gained), (2, 1, 0), "no model hears the first, the last is cut");
        ends.push(&laid("split this up", "split this up"), &laid("split this up", "split this"));
        assert_eq!((ends.sentences, ends.gained), (3, 1), "and what we have more than it");
    }
}
