//! Ids that a person types: the whole one, or its last characters.

use std::fmt::Display;
use std::str::FromStr;

use gate_core::{Code, Fault};

/// Shortest end of an id that may stand for the whole: 32 random bits. One of half as many is met by whoever asks and
/// withdraws for two minutes.
const SHORTEST: usize = 8;

/// The id that is written out; absent where the text may be the end of one.
///
/// # Errors
/// For a text that is too short for that.
pub(crate) fn whole<T: FromStr<Err = Fault>>(text: &str) -> Result<Option<T>, Fault> {
    match text.parse() {
        Ok(id) => Ok(Some(id)),
        Err(_) if text.len() >= SHORTEST => Ok(None),
        Err(_) => Err(Fault::new(
            Code::InvalidInput,
            format!("{text:?} is too short to stand for an id."),
            format!("Give at least its last {SHORTEST} characters."),
        )),
    }
}

/// Those that end so.
pub(crate) fn of<T: Display>(text: &str, all: impl Iterator<Item = T>) -> Vec<T> {
    let ending = text.to_lowercase();
    all.filter(|id| id.to_string().ends_with(&ending)).collect()
}

#[cfg(test)]
mod tests {
    use gate_core::RequestId;

    use super::*;

    #[test]
    fn the_end_of_an_id_stands_for_those_that_end_so() {
        let [one, other] = ["0193c1f0-0000-7000-8000-000a0000ab12", "0193c1f0-0000-7000-8000-000b0000ab12"];
        let [first, second]: [RequestId; 2] = [one, other].map(|text| text.parse().expect("an id"));
        assert_eq!(whole(one), Ok(Some(first)));
        assert_eq!(whole::<RequestId>("0000ab12"), Ok(None), "it may be the end of one");
        let short = whole::<RequestId>("000ab12").expect_err("too short");
        assert_eq!(short.code, Code::InvalidInput);
        assert!(short.mend.contains("at least its last 8 characters"), "it says how long one has to be: {short:?}");
        assert_eq!(of("A0000AB12", [first, second].into_iter()), [first], "in any case of its letters");
        assert_eq!(of("0000ab12", [first, second].into_iter()), [first, second]);
        assert_eq!(of("ffffffff", [first, second].into_iter()), []);
    }
}
