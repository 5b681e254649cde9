//! Looking for words in the record: what the index holds of a text, what a person's words mean to
//! it, and the piece of a message that is shown for a hit.
//!
//! The index is SQLite's FTS5 with the tokenizer `unicode61` (<https://sqlite.org/fts5.html>), which
//! takes a run of Chinese or Japanese for one word. Each of its characters is a word here, and a run
//! of them a phrase.

use crate::ask::at_most_chars;
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::page::Piece;
use crate::reply::{LineComment, Remark};

/// Characters of a message that are shown around a hit.
const PIECE_CHARS: usize = 160;
/// Characters of them that stand before it.
const LEAD_CHARS: usize = 40;
/// Characters of a message that are looked through for the hit.
const LOOKED_THROUGH_CHARS: usize = 64 * 1024;
/// Shortest beginning of a word that is looked for as one; shorter words are looked for as they are.
const SHORTEST_BEGINNING: usize = 2;

/// A text as it goes into the index.
#[must_use]
pub fn indexed(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + text.len() / 8);
    let mut after_ideograph = false;
    for c in text.chars() {
        let ideograph = is_ideograph(c);
        if ideograph || after_ideograph {
            words.push(' ');
        }
        words.push(c);
        after_ideograph = ideograph;
    }
    words
}

/// Whether a character is a word by itself: Han, Hiragana and Katakana.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF)
}

/// What is shown of a reply: its text with what was chosen and commented.
#[must_use]
pub fn said(text: &str, selected: &[String], comments: &[LineComment], remarks: &[Remark]) -> String {
    let mut parts = vec![text.to_owned()];
    parts.extend_from_slice(selected);
    parts.extend(comments.iter().map(|comment| format!("{}: {}", comment.file, comment.body)));
    parts.extend(remarks.iter().map(|remark| format!("“{}” {}", remark.quote, remark.body)));
    joined(parts)
}

/// What is shown of a message that has several parts.
#[must_use]
pub fn joined(mut parts: Vec<String>) -> String {
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// What a person looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    text: String,
    /// Whether words that begin so are meant, too.
    beginning: bool,
}

impl Words {
    /// Reads what was typed: words, and phrases in quotes. The last word may be a beginning unless a
    /// blank follows it. Absent when there is no letter and no digit in it.
    ///
    /// # Errors
    /// `too_large` over [`bounds::SEARCH_CHARS`], `too_many` over [`bounds::SEARCH_WORDS`].
    pub fn parse(typed: &str) -> Result<Option<Self>, Fault> {
        at_most_chars("q", typed, bounds::SEARCH_CHARS)?;
        let mut terms = Vec::new();
        // Every second part stands between quotes; a quote that isn't closed reaches to the end.
        for (index, part) in typed.split('"').enumerate() {
            if index % 2 == 1 {
                terms.push(Term { text: part.trim().to_owned(), beginning: false });
            } else {
                let words = part.split_whitespace();
                terms.extend(words.map(|word| Term { text: word.to_owned(), beginning: false }));
            }
        }
        let open_ended = typed.ends_with(char::is_alphanumeric) && typed.split('"').count() % 2 == 1;
        if let Some(last) = terms.last_mut().filter(|_| open_ended) {
            let end: String = last.text.chars().rev().take_while(|c| c.is_alphanumeric()).collect();
            last.beginning = end.chars().count() >= SHORTEST_BEGINNING && !last.text.ends_with(is_ideograph);
        }
        terms.retain(|term| term.text.chars().any(char::is_alphanumeric));
        if terms.len() > bounds::SEARCH_WORDS {
            return Err(Fault::new(
                Code::TooMany,
                format!("`q` has {} words; at most {} are looked for together.", terms.len(), bounds::SEARCH_WORDS),
                "Look for fewer words.",
            ));
        }
        Ok((!terms.is_empty()).then_some(Self { terms }))
    }

    /// The words as an expression of FTS5 that demands all of them. Nothing that was typed is syntax.
    #[must_use]
    pub fn expression(&self) -> String {
        let term = |term: &Term| {
            let star = if term.beginning { "*" } else { "" };
            format!("\"{}\"{star}", indexed(&term.text).replace(['"', '\0'], " "))
        };
        self.terms.iter().map(term).collect::<Vec<_>>().join(" AND ")
    }

    /// A piece of a message around the first of the words that stands in it, and where they stand.
    #[must_use]
    pub fn piece_of(&self, text: &str) -> Vec<Piece> {
        let shown: Vec<char> =
            text.chars().take(LOOKED_THROUGH_CHARS).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        let lower: Vec<char> = shown.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        let terms: Vec<Vec<char>> = self.terms.iter().map(|term| term.text.to_lowercase().chars().collect()).collect();
        let at = |place: usize| -> Option<usize> {
            let fits = |term: &&Vec<char>| lower.get(place..).is_some_and(|rest| rest.starts_with(term.as_slice()));
            let begins = place == 0 || !lower.get(place - 1).is_some_and(|c| c.is_alphanumeric() && !is_ideograph(*c));
            terms.iter().filter(|_| begins).filter(fits).map(Vec::len).max()
        };
        let first = (0..lower.len()).find(|place| at(*place).is_some()).unwrap_or(0);
        let from = first.saturating_sub(LEAD_CHARS);
        let to = (from + PIECE_CHARS).min(shown.len());
        let mut pieces: Vec<Piece> = Vec::new();
        let mut add = |text: String, hit: bool| match pieces.last_mut() {
            Some(last) if last.hit == hit => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => pieces.push(Piece { text, hit }),
        };
        if from > 0 {
            add("…".to_owned(), false);
        }
        let mut place = from;
        while place < to {
            let length = at(place).unwrap_or(0).min(to - place);
            let end = place + length.max(1);
            add(shown.get(place..end).unwrap_or_default().iter().collect(), length > 0);
            place = end;
        }
        if to < shown.len() {
            add("…".to_owned(), false);
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(typed: &str) -> Option<String> {
        Words::parse(typed).ok().flatten().map(|words| words.expression())
    }

    #[test]
    fn what_is_typed_becomes_words_and_never_syntax() {
        for (typed, wanted) in [
            ("retry webhook", Some("\"retry\" AND \"webhook\"*")),
            ("retry ", Some("\"retry\"")),
            ("\"exact phrase\" more", Some("\"exact phrase\" AND \"more\"*")),
            ("\"not closed", Some("\"not closed\"")),
            ("foo* OR NEAR(a b)", Some("\"foo*\" AND \"OR\" AND \"NEAR(a\" AND \"b)\"")),
            ("a", Some("\"a\"")),
            ("main.rs", Some("\"main.rs\"*")),
            ("修改配置", Some("\" 修 改 配 置\"")),
            ("", None),
            ("-- \"\" **", None),
        ] {
            assert_eq!(expression(typed).as_deref(), wanted, "{typed:?}");
        }
    }

    #[test]
    fn the_bounds_are_exact_and_named() {
        let long = "x".repeat(bounds::SEARCH_CHARS);
        assert!(Words::parse(&long).is_ok());
        assert_eq!(Words::parse(&format!("{long}x")).err().map(|fault| fault.code), Some(Code::TooLarge));
        let many = "x ".repeat(bounds::SEARCH_WORDS);
        assert!(Words::parse(&many).is_ok());
        assert_eq!(Words::parse(&format!("{many}x")).err().map(|fault| fault.code), Some(Code::TooMany));
    }

    #[test]
    fn ideographs_are_words_by_themselves() {
        assert_eq!(indexed("把rust代码"), " 把 rust 代 码");
        assert_eq!(indexed("plain text"), "plain text", "other text stays as it is");
    }

    #[test]
    fn the_piece_shows_the_words_where_they_stand() {
        let pieces = |typed: &str, text: &str| -> Vec<(String, bool)> {
            let words = Words::parse(typed).ok().flatten();
            let pieces = words.map(|words| words.piece_of(text)).unwrap_or_default();
            pieces.into_iter().map(|piece| (piece.text, piece.hit)).collect()
        };
        let owned = |pieces: &[(&str, bool)]| -> Vec<(String, bool)> {
            pieces.iter().map(|(text, hit)| ((*text).to_owned(), *hit)).collect()
        };
        assert_eq!(
            pieces("retr", "Shall we Retry\nthe retries?"),
            owned(&[("Shall we ", false), ("Retr", true), ("y the ", false), ("retr", true), ("ies?", false)])
        );
        let long = format!("{}needle{}", "x ".repeat(500), " y".repeat(500));
        let found = pieces("needle", &long);
        assert!(found.iter().any(|(text, hit)| *hit && text == "needle"), "it stands in the piece: {found:?}");
        assert!(found.first().is_some_and(|(text, _)| text.starts_with('…')), "and the piece says that it is one");
        assert_eq!(pieces("nothing", "text"), owned(&[("text", false)]), "a hit elsewhere shows the beginning");
        assert_eq!(pieces("配置", "修改配置吗"), owned(&[("修改", false), ("配置", true), ("吗", false)]));
    }
}
