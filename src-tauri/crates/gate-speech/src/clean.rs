//! What a speech model writes, as text for a person: without marks for what wasn't said, and whether it
//! got caught in a loop.

/// The text without what the model writes for sounds that are no words, with single spaces.
pub(crate) fn cleaned(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['[', '<', '♪']) {
        clean.push_str(&rest[..open]);
        rest = &rest[open..];
        let end = match rest.as_bytes()[0] {
            b'[' => remark(rest, ']'),
            b'<' if rest.starts_with("<|") => rest.find("|>").map(|at| at + 2),
            b'<' => None,
            _ => Some('♪'.len_utf8()),
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => {
                clean.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    clean.push_str(rest);
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let only_remark =
        (clean.starts_with('(') && clean.ends_with(')')) || (clean.starts_with('*') && clean.ends_with('*'));
    let one = clean.matches(['(', '*']).count() <= 2;
    let has_words = clean.chars().any(char::is_alphanumeric);
    if !has_words || (only_remark && one) { String::new() } else { clean }
}

/// The length of a remark such as `[BLANK_AUDIO]` or `[Music]`; none for an index such as `a[i]`.
fn remark(text: &str, close: char) -> Option<usize> {
    let end = text.find(close)?;
    let inner = &text[1..end];
    let is_remark = inner.len() > 2 && inner.chars().all(|c| c.is_alphabetic() || c == '_' || c == ' ');
    (is_remark && inner.starts_with(char::is_uppercase)).then_some(end + 1)
}

/// Whether the text says the same over and over, as a model does that is caught in a loop.
pub(crate) fn repeats(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase())
        .collect();
    (1..=12).any(|length| {
        // A person says "no, no, no", too, but not seven times; longer phrases are told apart sooner.
        let times = match length {
            1 => 7,
            2..=4 => 4,
            _ => 3,
        };
        let run = words.windows(length * 2).fold((0, 0), |(run, most), pair| {
            let run = if pair[..length] == pair[length..] { run + 1 } else { 0 };
            (run, most.max(run))
        });
        run.1 > length * (times - 2)
    }) || repeats_letters(text)
}

/// The same for languages without spaces.
fn repeats_letters(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric() && !c.is_ascii()).collect();
    (1..=12).any(|length| {
        let mut run = 0;
        letters.windows(length + 1).any(|pair| {
            run = if pair[0] == pair[length] { run + 1 } else { 0 };
            run >= (length * 5).max(9)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_said_goes() {
        let cases = [
            (" Rename  the function. ", "Rename the function."),
            ("[BLANK_AUDIO]", ""),
            (" [Music] And now", "And now"),
            ("(music)", ""),
            ("*sighs*", ""),
            ("♪ ♪", ""),
            ("<|en|> Yes.", "Yes."),
            (" .", ""),
            ("", ""),
            ("a[i] < b[10]", "a[i] < b[10]"),
            ("Use (x) and then (y)", "Use (x) and then (y)"),
            ("重命名这个函数。", "重命名这个函数。"),
            ("x < y", "x < y"),
        ];
        for (written, said) in cases {
            assert_eq!(cleaned(written), said, "{written:?}");
        }
    }

    #[test]
    fn loops_are_found() {
        let loops = [
            "the test the test the test the test the test",
            "I think that we should go. I think that we should go. I think that we should go.",
            "and and and and and and and and",
            "谢谢谢谢谢谢谢谢谢谢谢谢谢谢",
            "Rename it. you you you you you you you you",
        ];
        for text in loops {
            assert!(repeats(text), "{text}");
        }
    }

    #[test]
    fn people_repeat_themselves_a_little() {
        let said = [
            "no, no, no, that is wrong",
            "It was very, very, very slow and very very bad.",
            "Ask not what your country can do for you, ask what you can do for your country.",
            "one two one two",
            "",
            "谢谢你,谢谢你。",
        ];
        for text in said {
            assert!(!repeats(text), "{text}");
        }
    }
}
