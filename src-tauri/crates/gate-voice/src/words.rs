//! What becomes of words: what a recogniser is told beforehand, so that it hears names right, and what is
//! made of what it understood. Pure; knows no programs and no files.

use std::collections::HashMap;

use crate::protocol::Segment;

/// Longest prompt, in characters: some fifty of Whisper's tokens. Each of them costs time with every use, and memory.
pub const PROMPT_CHARS: usize = 200;
/// How much of the prompt the person's own vocabulary may fill, in characters.
const VOCABULARY_CHARS: usize = 120;
/// How much of each text is looked at for names, in characters.
const TEXT_CHARS: usize = 100_000;
/// Longest name that is worth its place in a prompt, in characters. Longer ones are keys and hashes.
const NAME_CHARS: usize = 40;
/// Fewest letters of a name.
const NAME_LETTERS: usize = 3;
/// What separates what is heard from what is written, in an entry of the vocabulary.
const ARROWS: [&str; 2] = ["->", "→"];

/// Endings by which a file is known among words that have a dot in them.
const FILE_ENDINGS: [&str; 46] = [
    "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "ex", "ftl", "go", "h", "hpp", "html", "ini",
    "java", "js", "json", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "php", "proto", "ps1", "py", "rb", "rs",
    "scss", "sh", "sql", "svelte", "svg", "swift", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
];

/// The text of a take: its segments' texts, with a blank where the language has one.
#[must_use]
pub fn joined(segments: &[Segment]) -> String {
    let mut text = String::new();
    for segment in segments {
        let next = segment.text.trim();
        let (Some(last), Some(first)) = (text.chars().next_back(), next.chars().next()) else {
            text.push_str(next);
            continue;
        };
        let touches = has_no_blanks(last) && has_no_blanks(first) || is_closing(first);
        if !touches {
            text.push(' ');
        }
        text.push_str(next);
    }
    text
}

/// Whether the character is of a writing that puts no blanks between words.
fn has_no_blanks(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' // Thai and Lao
        | '\u{2e80}'..='\u{312f}' // radicals, punctuation, kana, bopomofo
        | '\u{3190}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' // full width
        | '\u{20000}'..='\u{3ffff}')
}

fn is_closing(character: char) -> bool {
    matches!(character, ',' | '.' | '?' | '!' | ':' | ';' | '%' | ')' | ']' | '…')
}

/// The person's own words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vocabulary {
    /// What is written, in the order of the list.
    words: Vec<String>,
    /// What is heard, by characters, and what is written for it; the longest first.
    pairs: Vec<(Vec<char>, String)>,
}

impl Vocabulary {
    /// The vocabulary that these entries say: a word to listen for, as in `Svelte`, or `heard -> write` as in
    /// `re base -> rebase`. A word with a spelling of its own is always written in it. What says neither is
    /// passed over.
    #[must_use]
    pub fn of(entries: &[String]) -> Self {
        let mut vocabulary = Self::default();
        for entry in entries {
            let (heard, write) = match ARROWS.iter().find_map(|arrow| entry.split_once(arrow)) {
                Some((heard, write)) => (plain(heard), plain(write)),
                None => (plain(entry), plain(entry)),
            };
            if heard.is_empty() {
                continue;
            }
            // A word in small letters may begin a sentence, and so is left as it was heard.
            if heard != write || heard.chars().any(|character| !character.is_lowercase() && !character.is_whitespace())
            {
                vocabulary.pairs.push((heard.chars().collect(), write.clone()));
            }
            if !write.is_empty() && !vocabulary.words.contains(&write) {
                vocabulary.words.push(write);
            }
        }
        // Stable: of two that are as long, the first of the list counts.
        vocabulary.pairs.sort_by_key(|(heard, _)| std::cmp::Reverse(heard.len()));
        vocabulary
    }

    /// The text with what is written instead of what is heard: whole words only, whether they are in capitals
    /// or not, and each part of the text once.
    #[must_use]
    pub fn replaced(&self, text: &str) -> String {
        if self.pairs.is_empty() {
            return text.to_owned();
        }
        let text: Vec<char> = text.chars().collect();
        let mut written = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(character) = text.get(at) {
            let found = self.pairs.iter().find_map(|(heard, write)| Some((heard_at(&text, at, heard)?, write)));
            match found {
                Some((end, write)) => {
                    written.push_str(write);
                    at = end;
                }
                None => {
                    written.push(*character);
                    at += 1;
                }
            }
        }
        written
    }
}

/// In one line, without what no text has.
fn plain(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Where `heard` ends if it stands in the text from `begin` on, as whole words.
fn heard_at(text: &[char], begin: usize, heard: &[char]) -> Option<usize> {
    let mut at = begin;
    for wanted in heard {
        let next = text.get(at)?;
        if wanted.is_whitespace() {
            let blanks = text[at..].iter().take_while(|next| next.is_whitespace()).count();
            if blanks == 0 {
                return None;
            }
            at += blanks;
        } else if next == wanted || next.to_lowercase().eq(wanted.to_lowercase()) {
            at += 1;
        } else {
            return None;
        }
    }
    let (before, after) = (begin.checked_sub(1).and_then(|at| text.get(at)), text.get(at));
    let ends = is_edge(before, heard.first()?) && is_edge(after, heard.last()?);
    ends.then_some(at)
}

/// Whether a word can end between these.
fn is_edge(outside: Option<&char>, inside: &char) -> bool {
    let of_word = |character: &char| character.is_alphanumeric() || *character == '_';
    let Some(outside) = outside else { return true };
    !of_word(outside) || !of_word(inside) || has_no_blanks(*outside) || has_no_blanks(*inside)
}

/// What a recogniser is told before it hears a take: the names of files and things in these texts, the most
/// important text first, and the person's own words; at most [`PROMPT_CHARS`]. The most useful come last,
/// where they count most. Empty where there is nothing to say.
#[must_use]
pub fn prompt(texts: &[&str], vocabulary: &Vocabulary) -> String {
    let mut chosen: Vec<String> = Vec::new();
    let mut room = PROMPT_CHARS;
    let mut choose = |word: &str, room: &mut usize| {
        // With what separates it from the next, or ends it all.
        let needs = word.chars().count() + 2;
        if needs <= *room && !chosen.iter().any(|other| other == word) {
            chosen.push(word.to_owned());
            *room -= needs;
            return needs;
        }
        0
    };
    let mut own = VOCABULARY_CHARS;
    for word in &vocabulary.words {
        let used = choose(word, &mut own);
        room -= used;
    }
    for text in texts {
        for name in names(text) {
            choose(&name, &mut room);
        }
    }
    chosen.reverse();
    if chosen.is_empty() { String::new() } else { format!("{}.", chosen.join(", ")) }
}

/// The names in a text, the most frequent first, then in their order.
fn names(text: &str) -> Vec<String> {
    let text = text.char_indices().nth(TEXT_CHARS).map_or(text, |(end, _)| &text[..end]);
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // What stands between two of them is code.
    for (index, part) in text.split('`').enumerate() {
        for token in part.split(|character: char| !is_of_name(character)) {
            for name in names_of(token, index % 2 == 1) {
                match places.get(name) {
                    Some(place) => found[*place].1 += 1,
                    None => {
                        places.insert(name.to_owned(), found.len());
                        found.push((name.to_owned(), 1));
                    }
                }
            }
        }
    }
    found.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    found.into_iter().map(|(name, _)| name).collect()
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-./".contains(character)
}

/// The names that a run of their characters holds: of a path its file, of `a.b` both where it is no file.
fn names_of(token: &str, is_code: bool) -> Vec<&str> {
    let last = token.trim_matches(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let last = last.rsplit('/').next().unwrap_or_default();
    let is_file =
        last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && FILE_ENDINGS.contains(&ending));
    let parts = if is_file { vec![last] } else { last.split('.').collect() };
    let is_name = |part: &&str| is_sayable(part) && (is_file || is_code || is_spelled(part));
    parts.into_iter().filter(is_name).collect()
}

/// Whether somebody may say it: no number, no hash, no key.
fn is_sayable(part: &str) -> bool {
    let letters = part.chars().filter(char::is_ascii_alphabetic).count();
    let digits = part.chars().filter(char::is_ascii_digit).count();
    letters >= NAME_LETTERS && digits * 3 <= letters && part.len() <= NAME_CHARS
}

/// Whether it is written as no word of a language is: `snake_case` or `CamelCase`.
fn is_spelled(part: &str) -> bool {
    let word = part.trim_matches('_');
    let humps = word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    !part.contains('-') && (word.contains('_') || humps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(texts: &[&str]) -> Vec<Segment> {
        texts.iter().map(|text| Segment { start_ms: 0, end_ms: 0, text: (*text).to_owned() }).collect()
    }

    fn vocabulary(entries: &[&str]) -> Vocabulary {
        Vocabulary::of(&entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn segments_become_a_text() {
        let cases: [(&[&str], &str); 6] = [
            (&[], ""),
            (&[" Rename it. ", "", " Then add a test."], "Rename it. Then add a test."),
            (&["Hello", ", world", "!"], "Hello, world!"),
            (&["请重命名这个函数。", "然后加一个测试。"], "请重命名这个函数。然后加一个测试。"),
            (&["请看", "main.rs"], "请看 main.rs"),
            (&["이름을 바꿔", "주세요"], "이름을 바꿔 주세요"),
        ];
        for (texts, expected) in cases {
            assert_eq!(joined(&segments(texts)), expected, "{texts:?}");
        }
    }

    #[test]
    fn what_is_heard_becomes_what_is_written() {
        let own = vocabulary(&["get hub -> GitHub", "re base→rebase", "Svelte", "delete me ->", "c plus plus -> C++"]);
        let cases = [
            ("Push it to Get  Hub and re base.", "Push it to GitHub and rebase."),
            ("use svelte, SVELTE", "use Svelte, Svelte"),
            ("get hubs, forget hub, budget hub", "get hubs, forget hub, budget hub"),
            ("please delete me now", "please  now"),
            ("C plus plus!", "C++!"),
            ("a_get hub_b", "a_get hub_b"),
            ("", ""),
        ];
        for (heard, written) in cases {
            assert_eq!(own.replaced(heard), written, "{heard:?}");
        }
    }

    #[test]
    fn the_longest_counts_and_nothing_is_replaced_twice() {
        let own = vocabulary(&["gate -> door", "review gate -> Review Gate", "door -> window"]);
        assert_eq!(own.replaced("the review gate, a gate, a door"), "the Review Gate, a door, a window");
    }

    #[test]
    fn a_small_word_may_begin_a_sentence() {
        assert_eq!(vocabulary(&["tokio"]).replaced("Tokio runs it."), "Tokio runs it.", "it is only listened for");
    }

    #[test]
    fn a_writing_without_blanks_has_words_anywhere() {
        let own = vocabulary(&["变机 -> 变基", "ref -> 引用"]);
        assert_eq!(own.replaced("请变机一下ref吧"), "请变基一下引用吧");
    }

    #[test]
    fn odd_entries_are_passed_over() {
        assert_eq!(vocabulary(&["", " -> x", "->", "\u{0}"]), Vocabulary::default());
        assert_eq!(vocabulary(&["a\u{0}b\nc -> d"]).replaced("A b c"), "d", "in one line");
    }

    #[test]
    fn a_prompt_names_files_and_things_the_most_useful_last() {
        let title = "Rename `retry` in src/net/webhook_client.rs";
        let message = "See HttpClient.sendNow() and e.g. the well-known config; commit 9f8e7d6c5b4a, version v1.2.3.";
        let said = prompt(&[title, message], &vocabulary(&["Kubernetes", "cube cuttle -> kubectl"]));
        assert_eq!(said, "sendNow, HttpClient, webhook_client.rs, retry, kubectl, Kubernetes.");
    }

    #[test]
    fn what_is_said_often_counts_more() {
        let diff = "+let one_thing = 1;\n+other_thing(other_thing);\n";
        assert_eq!(prompt(&[diff], &Vocabulary::default()), "one_thing, other_thing.");
    }

    #[test]
    fn plain_words_make_no_prompt() {
        let text = "Please look at this: I have changed it, and/or the other one. It's well-known, 3.5 times as fast…";
        assert_eq!(prompt(&[text, "", "`x`"], &Vocabulary::default()), "");
    }

    #[test]
    fn a_prompt_is_bounded_and_holds_nothing_odd() {
        let many: String = (0..10_000).map(|number| format!("name_of_{} ", "x".repeat(number % 50))).collect();
        let own: Vec<String> = (0..100).map(|number| format!("Own{number} {}", "w".repeat(number * 2))).collect();
        let said = prompt(&[&many, "a\u{0}_b \u{7}tab_le"], &Vocabulary::of(&own));
        assert!(said.chars().count() <= PROMPT_CHARS, "{} characters", said.chars().count());
        assert!(said.contains("name_of_x") && said.contains("Own0"), "both have their place: {said}");
        assert!(!said.contains(char::is_control), "{said:?}");
    }

    #[test]
    fn a_great_text_takes_no_time() {
        let text = "some_name other.rs `code` ".repeat(400_000);
        let begin = std::time::Instant::now();
        assert!(!prompt(&[&text], &Vocabulary::default()).is_empty());
        let most = std::time::Duration::from_secs(2);
        assert!(begin.elapsed() < most, "only its beginning is looked at: {:?}", begin.elapsed());
    }
}
