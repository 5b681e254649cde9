//! Characters that nobody sees, or that change how the text around them is read: which they are, and text in which they
//! are shown. Windows get text as it is, and mark them themselves (`ui/src/shown/marks.ts`); everyone else shows what
//! [`visible`] makes of it.

/// The sequences that flags of parts of a country are made of: a black flag, the region in tags, the last tag.
const FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// Makes characters visible that reorder or hide text, e.g. U+202E becomes `⟨U+202E⟩`: Unicode's
/// `Default_Ignorable_Code_Point` (bidirectional controls, zero-width characters, fillers, tags, variation selectors), its
/// separators of lines and annotations, the empty Braille pattern, and controls. Those that an emoji is made of stay, and
/// the joiners of scripts that are written with them. See CVE-2021-42574 and Unicode TR 36.
#[must_use]
pub fn visible(text: &str) -> String {
    // Nearly all text is: it costs a look at its bytes.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r'));
    if is_plain || !text.chars().any(is_unseen) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = Before::default();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if let Some(flag) = FLAGS.iter().find(|flag| text[at..].starts_with(**flag)) {
            shown.push_str(flag);
            at += flag.len();
            before = Before { last: Some('\u{1F3F4}'), base: Some('\u{1F3F4}') };
            continue;
        }
        at += c.len_utf8();
        if is_unseen(c) && !before.needs(c, text[at..].chars().next()) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            shown.push(c);
        }
        before.take(c);
    }
    shown
}

/// Whether nobody sees the character, or it moves what stands around it; also where an emoji or a script needs it.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
        || (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
}

/// What stands before a character.
#[derive(Default)]
struct Before {
    last: Option<char>,
    /// The last one that isn't a part of another: no selector of the emoji's form, no colour of skin.
    base: Option<char>,
}

impl Before {
    fn take(&mut self, c: char) {
        self.last = Some(c);
        if !matches!(c, '\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}') {
            self.base = Some(c);
        }
    }

    /// Whether what is written is made with this character.
    fn needs(&self, c: char, next: Option<char>) -> bool {
        let last = |is: fn(char) -> bool| self.last.is_some_and(is);
        match c {
            '\u{FE0E}' | '\u{FE0F}' => {
                let keycap = next == Some('\u{20E3}') && last(|c| matches!(c, '0'..='9' | '#' | '*'));
                keycap || last(is_pictograph)
            }
            '\u{200C}' => last(joins),
            '\u{200D}' => last(joins) || self.base.is_some_and(is_pictograph) && next.is_some_and(is_pictograph),
            '\u{180B}'..='\u{180F}' => last(|c| matches!(c, '\u{1800}'..='\u{18AA}')),
            '\u{FE00}'..='\u{FE02}' | '\u{E0100}'..='\u{E01EF}' => last(is_ideograph),
            _ => false,
        }
    }
}

/// Whether emoji are made of it, roughly: the blocks that Unicode's `Extended_Pictographic` lies in.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether letters of its script are joined, or kept apart, by characters that nobody sees: Arabic and its relatives, the
/// scripts of India, Khmer, Mongolian.
fn joins(c: char) -> bool {
    matches!(c,
        '\u{0600}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17B3}'
        | '\u{17B6}'..='\u{17FF}' | '\u{1820}'..='\u{18AF}' | '\u{A8E0}'..='\u{A8FF}' | '\u{FB50}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}')
}

/// Whether it is a Chinese character, of which there may be several forms.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_of_what_nobody_sees_stays_unseen() {
        for hidden in [
            '\u{AD}',
            '\u{34F}',
            '\u{61C}',
            '\u{115F}',
            '\u{180E}',
            '\u{200B}',
            '\u{200C}',
            '\u{200D}',
            '\u{200E}',
            '\u{2028}',
            '\u{2029}',
            '\u{202E}',
            '\u{2061}',
            '\u{2066}',
            '\u{2800}',
            '\u{3164}',
            '\u{FE0F}',
            '\u{FEFF}',
            '\u{FFA0}',
            '\u{FFF9}',
            '\u{E0041}',
            '\u{E0100}',
            '\u{0}',
            '\u{7F}',
            '\u{85}',
        ] {
            let code = format!("⟨U+{:04X}⟩", u32::from(hidden));
            assert_eq!(visible(&format!("a{hidden}b")), format!("a{code}b"), "it would hide");
        }
    }

    #[test]
    fn what_a_script_or_an_emoji_is_made_of_stays() {
        for honest in
            ["naïve 你好 👩‍💻\n\t", "❤️ 1️⃣ 👍🏽 🏳️‍🌈 👩🏽‍🚀 ©️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇩🇪", "می‌خواهم", "क्‍ष", "葛󠄀", "« voilà »", "12\u{A0}%"]
        {
            assert_eq!(visible(honest), honest, "it is written so");
        }
    }

    #[test]
    fn an_emoji_carries_nothing_else() {
        assert_eq!(visible("👍\u{FE0F}\u{FE01}\u{E0155}"), "👍\u{FE0F}⟨U+FE01⟩⟨U+E0155⟩", "bytes in selectors");
        assert_eq!(visible("🏴\u{E0068}\u{E0069}\u{E007F}"), "🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩", "words in tags");
        assert_eq!(visible("a\u{200D}👩"), "a⟨U+200D⟩👩", "a joiner that joins nothing");
    }
}
