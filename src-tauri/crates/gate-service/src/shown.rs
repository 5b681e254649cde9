//! What polkit's prompt shows: the decision, the question's title, the repository and its tree, and eight digits.
//!
//! What an agent wrote is disarmed first: a prompt is a line or two in somebody else's window, which may take markup for
//! its own. Knows no bus.

use gate_core::markdown::visible;
use gate_core::{Decision, Digest, Oid};

/// Most characters of a title.
pub(crate) const TITLE_CHARS: usize = 80;
/// Most characters of a repository's path; its end is what tells it from others.
pub(crate) const PATH_CHARS: usize = 60;
/// Marks over and under one letter that stay as they are. No language needs more.
const MARKS: usize = 2;
/// What stands where there is nothing.
const NOTHING: &str = "–";
/// Keeps the direction of a text to itself (UAX #9, FSI and PDI): what is written from the right moves no digit.
const ISOLATED: (char, char) = ('\u{2068}', '\u{2069}');

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// What is confirmed.
    pub(crate) decision: Decision,
    /// The question's title, or how its message begins.
    pub(crate) title: String,
    /// The repository's folder, or a dash.
    pub(crate) repository: String,
    /// The first digits of the tree that is approved, or a dash.
    pub(crate) tree: String,
}

impl Shown {
    /// Of what a question says.
    #[must_use]
    pub(crate) fn of(decision: Decision, title: &str, repository: Option<&str>, tree: Option<&Oid>) -> Self {
        let isolated = |text: String| format!("{}{text}{}", ISOLATED.0, ISOLATED.1);
        Self {
            decision,
            title: isolated(beginning(&disarmed(title), TITLE_CHARS)),
            repository: repository
                .map_or_else(|| NOTHING.to_owned(), |path| isolated(end(&disarmed(path), PATH_CHARS))),
            tree: tree.map_or_else(|| NOTHING.to_owned(), |tree| tree.beginning().to_owned()),
        }
    }
}

/// Eight digits over what is confirmed and something fresh that the service alone has chosen: nobody can look for another
/// receipt with the same digits beforehand.
#[must_use]
pub(crate) fn digits(nonce: &[u8; 32], receipt: &Digest) -> String {
    let both = Digest::of_bytes(&[&nonce[..], receipt.as_bytes()].concat());
    let number = both.as_bytes().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let number = number % 100_000_000;
    format!("{:04} {:04}", number / 10_000, number % 10_000)
}

/// Text that neither hides nor steers anything: what nobody sees is named, blanks are one, and what markup and quotes
/// are made of looks like it only.
fn disarmed(text: &str) -> String {
    let mut shown = String::new();
    let mut marks = 0;
    // Far more than is shown; a message of megabytes isn't worked through.
    let start: String = text.trim().chars().take(PATH_CHARS.max(TITLE_CHARS) * 64).collect();
    for c in visible(&start).chars() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        match c {
            '\n' | '\r' => blank(&mut shown, '⏎'),
            c if c.is_whitespace() => blank(&mut shown, ' '),
            c if marks > MARKS => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            '<' => shown.push('‹'),
            '>' => shown.push('›'),
            '&' => shown.push('＆'),
            '"' | '“' | '”' | '„' | '‟' | '〝' | '〞' | '＂' => shown.push('\''),
            c => shown.push(c),
        }
    }
    shown
}

/// A blank, once.
fn blank(shown: &mut String, c: char) {
    if !shown.ends_with([' ', '⏎']) {
        shown.push(c);
    }
}

/// Unicode's blocks of combining marks.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}' | '\u{0483}'..='\u{0489}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{3099}'..='\u{309A}' | '\u{FE20}'..='\u{FE2F}')
}

fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn end(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    if count <= chars {
        text.to_owned()
    } else {
        format!("…{}", text.chars().skip(count - chars).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> String {
        Shown::of(Decision::Approved, title, None, None).title
    }

    fn isolated(text: &str) -> String {
        format!("\u{2068}{text}\u{2069}")
    }

    #[test]
    fn a_title_neither_hides_nor_steers_anything() {
        let cases = [
            ("Deploy the shop", "Deploy the shop"),
            ("部署 商店", "部署 商店"),
            ("a\u{202E}b\u{200B}c\u{2069}d\u{1B}[2J", "a⟨U+202E⟩b⟨U+200B⟩c⟨U+2069⟩d⟨U+001B⟩[2J"),
            ("one\n\n  two\r\nthree\tfour", "one⏎two⏎three four"),
            ("wide\u{A0}\u{3000}\u{2003}blanks", "wide blanks"),
            ("<b>&lt;big</b>", "‹b›＆lt;big‹/b›"),
            ("x”? Digits “0000 0000”", "x'? Digits '0000 0000'"),
            ("$(digits) $(title)", "$(digits) $(title)"),
            ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}⟨U+0303⟩⟨U+0304⟩"),
        ];
        for (title, shown) in cases {
            assert_eq!(titled(title), isolated(shown), "{title:?}");
        }
    }

    #[test]
    fn a_title_is_cut_at_its_end_and_a_path_at_its_beginning() {
        assert_eq!(titled(&"字".repeat(TITLE_CHARS)), isolated(&"字".repeat(TITLE_CHARS)));
        assert_eq!(titled(&"字".repeat(TITLE_CHARS + 1)), isolated(&format!("{}…", "字".repeat(TITLE_CHARS))));
        let path = format!("/{}/shop", "a".repeat(PATH_CHARS));
        let shown = Shown::of(Decision::Approved, "x", Some(&path), None).repository;
        assert_eq!(shown, isolated(&format!("…{}/shop", "a".repeat(PATH_CHARS - 5))));
        assert!(titled(&"\u{202E}".repeat(5_000_000)).chars().count() < 100, "nothing is worked through in vain");
    }

    #[test]
    fn digits_are_eight_and_of_both() {
        let receipt = Digest::of_bytes(b"receipt");
        let first = digits(&[0; 32], &receipt);
        assert_eq!(first.len(), 9, "with the blank between them");
        assert!(first.chars().enumerate().all(|(at, c)| if at == 4 { c == ' ' } else { c.is_ascii_digit() }));
        assert_ne!(first, digits(&[1; 32], &receipt), "another prompt has others");
        assert_ne!(first, digits(&[0; 32], &Digest::of_bytes(b"other")), "another receipt has others");
    }
}
