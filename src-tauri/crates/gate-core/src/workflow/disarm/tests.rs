//! What does something where it is posted, case by case and made at random: nothing of it is left outside code.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::*;
use crate::fuzzing::Fuzz;

fn shown(text: &str) -> String {
    disarm("body", text).expect("it holds no secret")
}

#[test]
fn what_does_something_where_it_is_posted_becomes_code_or_text() {
    for (said, shown_so) in [
        ("Thanks @ada, see `a`.", "Thanks `@ada`, see `a`."),
        ("@org/team-a. and @all!", "`@org/team-a`. and `@all`!"),
        ("mail ada@example.com", "mail ada@example.com"),
        ("see https://example.com/@ada/x", "see https://example.com/%40ada/x"),
        ("[x](https://example.com/@ada)", "[x](https://example.com/%40ada)"),
        ("[@ada](x)", "[`@ada`](x)"),
        ("`@ada` and\n\n    @ada\n\n```\n@ada\n```", "`@ada` and\n\n    @ada\n\n```\n@ada\n```"),
        ("a lone ` mark and @ada", "a lone ` mark and ``@ada``"),
        ("`x`@ada`y`", "`x` `@ada` `y`"),
        (r"\@ada", r"`\@ada`"),
        ("&#64;ada &commat;ada", "`@ada` `@ada`"),
        ("@&#97;da", "`@`&#97;da"),
        ("é@ada", "é`@ada`"),
        ("*@ada*", "*`@ada`*"),
        ("/merge\n  /close now\n- /x", "`/merge`\n  `/close` now\n- /x"),
        ("/usr/bin/@x and / alone\n/ alone", "`/usr/bin/@x` and / alone\n`/` alone"),
        ("~~~\n/merge\n// x\n~~~", "~~~\n /merge\n// x\n~~~"),
        ("a `b\n/merge` c", "a `b\n /merge` c"),
        ("a <!-- b --> c", "a &lt;!-- b --> c"),
        ("<!-- a\n\nb", "&lt;!-- a\n\nb"),
        ("`<!-- a -->`", "`<!-- a -->`"),
        ("<!DOCTYPE x>\n\n<?php x ?>", "&lt;!DOCTYPE x>\n\n&lt;?php x ?>"),
        ("a <b>b</b> <i title=\"@ada\">c</i>", "a <b>b</b> &lt;i title=\"`@ada`\">c</i>"),
        (
            "<details><summary>More &amp; more</summary>\n\nx\n\n</details>",
            "<details><summary>More &amp; more</summary>\n\nx\n\n</details>",
        ),
        ("<details>\n@ada\n</details>", "&lt;details>\n`@ada`\n&lt;/details>"),
        ("<div hidden>x</div>", "&lt;div hidden>x&lt;/div>"),
        ("a\u{202e}b\u{200b}c", "a⟨U+202E⟩b⟨U+200B⟩c"),
        ("`a\u{202e}b` &#x202e;c &zwj;", "`a⟨U+202E⟩b` ⟨U+202E⟩c ⟨U+200D⟩"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("```rust\nlet a;", "```rust\nlet a;\n```"),
        ("~~~~\nx\n", "~~~~\nx\n~~~~"),
        ("[^1]: @ada\n\n[^1]", "[^1]: `@ada`\n\n[^1]"),
        ("| a | @ada |\n|---|---|\n| @bob | x |", "| a | `@ada` |\n|---|---|\n| `@bob` | x |"),
        ("👩‍💻 naïve 你好", "👩‍💻 naïve 你好"),
        ("", ""),
    ] {
        assert_eq!(shown(said), shown_so, "{said:?}");
        assert_eq!(shown(shown_so), shown_so, "once more changes nothing: {said:?}");
    }
}

#[test]
fn what_looks_like_a_secret_is_neither_shown_nor_quoted() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    let key = format!("-----BEGIN {} KEY-----", "OPENSSH PRIVATE");
    for secret in [&token, &key] {
        let fault = disarm("findings[2].body", &format!("a\n\n`{secret}`")).expect_err("it leaves nowhere");
        assert_eq!(fault.code, Code::UnsafeText);
        assert!(fault.message.contains("`findings[2].body`") && fault.message.contains("line 3"), "{fault}");
        assert!(!fault.to_string().contains(secret.as_str()), "it isn't quoted: {fault}");
        assert_eq!(name("label", secret).map_err(|fault| fault.code), Err(Code::UnsafeText));
    }
    assert_eq!(name("label", "a\u{200b}b").as_deref(), Ok("a⟨U+200B⟩b"));
    let long = "x".repeat(bounds::POSTED_CHARS + 1);
    assert_eq!(disarm("body", &long).map_err(|fault| fault.code), Err(Code::TooLarge));
}

#[test]
fn a_suggestion_stands_in_a_fence_longer_than_any_inside() {
    let github = |code: &str, lines| suggestion(code, Platform::Github, lines);
    assert_eq!(github("let a;", 1), "```suggestion\nlet a;\n```");
    assert_eq!(github("let a;\n\n", 1), "```suggestion\nlet a;\n\n```", "one line end is the fence's");
    assert_eq!(github("", 2), "```suggestion\n```", "nothing in their place");
    assert_eq!(github("```\nx\n```", 1), "````suggestion\n```\nx\n```\n````");
    assert_eq!(github("a\u{202e}b", 1), "```suggestion\na⟨U+202E⟩b\n```");
    assert_eq!(suggestion("a\nb", Platform::Gitlab, 3), "```suggestion:-2+0\na\nb\n```", "from the first line on");
    assert_eq!(github("/target\nx", 1), "```\n /target\nx\n```", "it would be a command");
    assert_eq!(suggestion("a", Platform::Gitlab, 102), "```\na\n```", "GitLab doesn't reach so far");
    let text = format!("Use this:\n\n{}", github("````\na", 1));
    assert_eq!(shown(&text), text, "it stays as it is");
    assert_eq!(without_suggestions(&text), "Use this:\n\n`````\n````\na\n`````");
    assert_eq!(without_suggestions("a suggestion\n```sugar\n```"), "a suggestion\n```sugar\n```");
}

/// What Markdown is made of, and what is to be disarmed.
const PIECES: &[&str] = &[
    "@ada",
    "@",
    "@a.b",
    "&#64;",
    "&commat;ada",
    "/merge",
    "\n/x",
    "/",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "`",
    "``",
    "```",
    "\n```\n",
    "\n````\n",
    "\n~~~\n",
    "```suggestion\n",
    "<!--",
    "-->",
    "<!-- x -->",
    "<!",
    "<?",
    "?>",
    "<",
    ">",
    "<b>",
    "</b>",
    "<details>",
    "\n<details>\n",
    "<summary>",
    "<br/>",
    "<div hidden>",
    "\n<div>\n",
    "<pre>",
    "</pre>",
    "\n<script>",
    "<a href=\"@ada\">",
    "\\",
    "\\@",
    "\\`",
    "\\\\",
    "*",
    "**",
    "_",
    "~~",
    "[",
    "](",
    ")",
    "]",
    "[x](https://e.com/@ada)",
    "https://e.com/@ada",
    "![",
    "[^1]",
    "\n[^1]: ",
    "\n[x]: ",
    "\"",
    "'",
    "(",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n---\n",
    "| a | b |\n|---|---|\n",
    "|",
    "\u{202e}",
    "\u{200b}",
    "\u{200d}",
    "\u{180b}",
    "\u{61c}",
    "\u{feff}",
    "\u{fe0f}",
    "&#x202e;",
    "&zwj;",
    "&amp;",
    "&lt;",
    "&#102;",
    "&",
    ";",
    "\r",
    "\r\n",
    "\0",
    "é",
    "👩",
    "a",
    "word ",
    "www.e.com/@ada",
    "<https://e.com/@ada>",
    "<ada@e.com>",
    "://",
    "=",
    "\u{2028}",
    "\u{85}",
];

/// What a reader sees outside code, in runs of text that nothing divides, and HTML.
fn outside_code(text: &str) -> (Vec<String>, Vec<String>) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let (mut runs, mut html, mut in_code) = (vec![String::new()], Vec::new(), false);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(said) if !in_code => runs.last_mut().expect("there is one").push_str(&said),
            Event::Html(tag) | Event::InlineHtml(tag) => {
                html.push(tag.into_string());
                runs.push(String::new());
            }
            _ => runs.push(String::new()),
        }
    }
    (runs, html)
}

fn is_disarmed(text: &str) {
    let said = match disarm("body", text) {
        Ok(said) => said,
        Err(fault) => {
            assert!(matches!(fault.code, Code::TooLarge | Code::UnsafeText), "{fault}");
            return;
        }
    };
    assert_eq!(disarm("body", &said).as_deref(), Ok(said.as_str()), "once more changes nothing: {text:?}");
    let (runs, html) = outside_code(&said);
    for run in &runs {
        let names = run.match_indices('@').filter(|(at, _)| {
            let in_word = run[..*at].ends_with(|c: char| c.is_ascii_alphanumeric());
            !in_word && run[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        });
        let in_address = |at: usize| run[..at].contains("://");
        assert_eq!(names.filter(|(at, _)| !in_address(*at)).count(), 0, "nobody is told: {run:?} of {said:?}");
        let hidden = run.chars().filter(|c| is_unseen(*c)).collect::<String>();
        assert!(hidden.is_empty() || visible(run) == *run, "nothing is hidden: {run:?} of {said:?}");
    }
    for tag in &html {
        let plain = |inner: &str| inner.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '/' | ' '));
        let tags = tag.split('<').skip(1).all(|rest| rest.split_once('>').is_some_and(|(inner, _)| plain(inner)));
        assert!(tags && !tag.contains('@'), "HTML is plain tags: {tag:?} of {said:?}");
    }
    assert_eq!(visible(&said), said, "nothing is hidden in code either: {text:?}");
    for line in said.lines() {
        let command = line.strip_prefix('/').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
        assert!(!command, "nothing is run: {line:?} of {said:?}");
    }
    let more = outside_code(&format!("{said}\n\nwhat follows")).0;
    assert!(more.iter().any(|run| run.ends_with("what follows")), "what follows isn't code: {said:?}");
}

#[test]
fn fuzz_disarm() {
    let mut fuzz = Fuzz::new("disarm");
    let pieces = vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat());
    let any = vec(any::<char>(), 0..40).prop_map(|chars| chars.into_iter().collect::<String>());
    while fuzz.goes_on() {
        fuzz.batch(&pieces, |text| is_disarmed(&text));
        fuzz.batch(&any, |text| is_disarmed(&text));
    }
}

#[test]
fn fuzz_suggestions_are_whole() {
    let mut fuzz = Fuzz::new("suggestions");
    let pieces = vec(select(PIECES), 0..12).prop_map(|pieces| pieces.concat());
    while fuzz.goes_on() {
        fuzz.batch(&pieces, |code| {
            let text = suggestion(&code, Platform::Github, 1);
            let events: Vec<_> = Parser::new(&text).collect();
            let is_one = matches!(events.first(), Some(Event::Start(Tag::CodeBlock(_))))
                && matches!(events.last(), Some(Event::End(TagEnd::CodeBlock)))
                && events.iter().filter(|event| matches!(event, Event::Start(_))).count() == 1;
            assert!(is_one, "one block of code: {text:?}");
            assert_eq!(disarm("body", &text).as_deref().ok(), Some(text.as_str()), "which stays as it is");
        });
    }
}
