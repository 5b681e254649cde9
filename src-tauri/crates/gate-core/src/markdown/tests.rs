//! What Markdown reads as: nothing that was written is left out, and nothing of it is run.

use super::build::DEPTH;
use super::*;

fn text(text: &str) -> Inline {
    Inline::Text { text: text.to_owned() }
}

fn json(source: &str) -> String {
    serde_json::to_string(&parse(source)).unwrap_or_default()
}

#[test]
fn html_is_text() {
    let blocks = parse("<script>alert(1)</script>\n\nHi <img src=x onerror=alert(1)> there").blocks;
    assert_eq!(blocks[0], Block::Paragraph { children: vec![text("<script>alert(1)</script>\n")] });
    assert_eq!(
        blocks[1],
        Block::Paragraph { children: vec![text("Hi <img src=x onerror=alert(1)> there")] },
        "a tag is shown as it was written"
    );
}

#[test]
fn only_safe_links_stay_links() {
    for href in [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "JaVaScRiPt:x",
        "//host/x",
        "x.html",
    ] {
        assert!(!json(&format!("[go]({href})")).contains("\"link\""), "{href} must not be a link");
    }
    for href in ["https://example.org/a", "http://example.org", "mailto:someone@example.org"] {
        assert!(json(&format!("[go]({href})")).contains("\"link\""), "{href} is a link");
    }
}

#[test]
fn an_image_is_a_link_and_never_a_load() {
    let blocks = parse("![logo](https://example.org/a.png)").blocks;
    let link = Inline::Link { href: "https://example.org/a.png".into(), image: true, children: vec![text("logo")] };
    assert_eq!(blocks, vec![Block::Paragraph { children: vec![link] }]);
}

#[test]
fn text_is_as_it_was_written() {
    let written = "pay \u{202E}evil\u{202C} p\u{430}y";
    let expected = Block::Paragraph { children: vec![text(written), Inline::Code { text: "a\u{2066}b".into() }] };
    assert_eq!(parse(&format!("{written}`a\u{2066}b`")).blocks, [expected], "whoever shows it marks what hides");
}

fn dropped(text: &str) -> Inline {
    Inline::Dropped { text: text.to_owned() }
}

fn paragraph(children: Vec<Inline>) -> Block {
    Block::Paragraph { children }
}

#[test]
fn a_definition_that_nothing_uses_is_shown() {
    let source = "Hello [there].\n\n[there]: https://example.org\n[//]: # (and drop the database)\n[there]: https://evil.example\n\nBye";
    let link = Inline::Link { href: "https://example.org".into(), image: false, children: vec![text("there")] };
    let expected = [
        paragraph(vec![text("Hello "), link, text(".")]),
        paragraph(vec![dropped("[//]: # (and drop the database)\n[there]: https://evil.example")]),
        paragraph(vec![text("Bye")]),
    ];
    assert_eq!(parse(source).blocks, expected, "where it stands; one that is used is the link");
    assert_eq!(parse("[a]: b").blocks, [paragraph(vec![dropped("[a]: b")])], "a message may be nothing else");
    let within = parse("> - one\n>\n>   [a]: https://b.example\n> - two").blocks;
    let item = |children| Item { checked: None, children };
    let items = vec![
        item(vec![paragraph(vec![text("one")]), paragraph(vec![dropped("[a]: https://b.example")])]),
        item(vec![paragraph(vec![text("two")])]),
    ];
    assert_eq!(within, [Block::Quote { children: vec![Block::List { start: None, items }] }], "in its list, too");
}

#[test]
fn titles_and_where_a_link_would_have_gone_are_shown() {
    let link = |image| Inline::Link { href: "https://a.example".into(), image, children: vec![text("a")] };
    for (source, expected) in [
        ("[a](https://a.example \"approve all\")", vec![link(false), dropped("approve all")]),
        ("![a](https://a.example 'approve all')", vec![link(true), dropped("approve all")]),
        ("[a][b]\n\n[b]: https://a.example (approve all)", vec![link(false), dropped("approve all")]),
        ("[a](javascript:b)", vec![text("a"), dropped("javascript:b")]),
        ("![a](./b.png)", vec![text("a"), dropped("./b.png")]),
        ("[b.md](b.md)", vec![text("b.md")]),
    ] {
        assert_eq!(parse(source).blocks, [paragraph(expected)], "{source}");
    }
    let mail = Inline::Link { href: "mailto:a@b.example".into(), image: false, children: vec![text("a@b.example")] };
    assert_eq!(parse("<a@b.example>").blocks, [paragraph(vec![mail])]);
}

#[test]
fn what_has_no_column_and_what_stands_after_a_fence_is_shown() {
    let cell = |words: &str| vec![text(words)];
    let table = Block::Table {
        head: vec![cell("a"), cell("b")],
        rows: vec![vec![cell("1"), cell("2"), vec![dropped("3 | and 4")]], vec![cell("5"), cell("6")]],
    };
    assert_eq!(parse("| a | b |\n|---|---|\n| 1 | 2 | 3 | and 4 |\n| 5 | 6 |\n").blocks, [table]);
    let code =
        |language: &str, info: &str| Block::Code { language: language.into(), info: info.into(), text: "x\n".into() };
    assert_eq!(parse("```sh and approve\nx\n```").blocks, [code("sh", "and approve")]);
    assert_eq!(parse("> ```rust,no_run\n> x\n> ```").blocks, [Block::Quote { children: vec![code("rust", "no_run")] }]);
}

#[test]
fn very_many_line_breaks_are_counted() {
    let lines = |count: usize| format!("a{}\\\nb", "\\\n".repeat(count - 1));
    let breaks = |document: Document| match &document.blocks[..] {
        [Block::Paragraph { children }] => children[1..children.len() - 1].to_vec(),
        other => panic!("one paragraph, not {other:?}"),
    };
    assert_eq!(breaks(parse(&lines(BREAKS))), vec![Inline::Break; BREAKS]);
    assert_eq!(breaks(parse(&lines(50))), [Inline::Blank { lines: 50 }], "they would push the rest out of sight");
}

#[test]
fn honest_markdown_has_nothing_to_be_shown_besides() {
    let source = "# Title #\n\nSetext\n===\n\n10. one\n11. two\n    1) three\n    * [x] four\n\n> quote\nlazy\n\n\
                  | a | b |\n|:--|--:|\n| 1 |\n| `x \\| y` | 2 |\n\nA [link](https://a.example), <https://b.example>, \
                  [one][r] &amp; [r]. \\*Not* so.\n\n***\n\n    indented\n\n~~~\ncode\n~~~\n\n<!-- said -->\n\n[r]: <https://c.example>\n";
    let json = json(source);
    assert!(!json.contains("dropped"), "{json}");
    for words in ["Title", "four", "lazy", "x | y", "said", "indented"] {
        assert!(json.contains(words), "{words} in {json}");
    }
}

#[test]
fn tables_tasks_and_code_are_parsed() {
    let blocks = parse("| a | b |\n|---|---|\n| 1 | `2` |\n\n- [x] done\n- [ ] open\n\n```rust\nfn a() {}\n```").blocks;
    assert!(matches!(&blocks[0], Block::Table { head, rows } if head.len() == 2 && rows.len() == 1), "{blocks:?}");
    assert!(
        matches!(&blocks[1], Block::List { items, .. } if items[0].checked == Some(true) && items[1].checked == Some(false)),
        "{blocks:?}"
    );
    assert_eq!(blocks[2], Block::Code { language: "rust".into(), info: String::new(), text: "fn a() {}\n".into() });
}

#[test]
fn flattened_text_is_kept_in_its_order_and_apart() {
    for depth in DEPTH - 4..DEPTH + 2 {
        let quotes = "> ".repeat(depth);
        let json =
            json(&format!("{quotes}- [ ] one\n{quotes}  - [x] two\n{quotes}\n{quotes}    three\n{quotes}- four"));
        let places = ["one", "two", "three", "four"].map(|word| json.find(word));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "below {depth} quotes: {json}");
        assert!(!json.contains("onetwo") && !json.contains("threefour"), "items stay apart: {json}");
        assert!(
            !json.contains("true") || json.matches("\"checked\":").count() > 2,
            "a task marks its own item: {json}"
        );
    }
}

#[test]
fn more_pieces_than_a_window_lays_out_quickly_become_text() {
    let in_one_block = ["*a* ", "- a\n", "`a` "].map(|one| (one, BLOCK_PIECES));
    for (one, most) in in_one_block.into_iter().chain([("a\n\n", FORMATTED_PIECES)]) {
        let source = one.repeat(3 * most);
        let document = parse(&source);
        let rest = document.rest.unwrap_or_default();
        let formatted = (source.len() - rest.len()) / one.len();
        assert!(formatted <= most, "{one:?}: {formatted} of them are formatted");
        assert!(formatted >= most / 3, "{one:?}: only {formatted} of them are formatted");
        assert!(source.ends_with(&rest), "{one:?}: nothing is lost");
    }
}

#[test]
fn a_message_of_the_greatest_length_is_formatted_whole() {
    let section = "## Why\n\nThe `board` was *slow*, see [it](https://example.org).\n\n- a **point**\n- [x] `done`\n\n\
                   ```rust\nfn a() {}\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n> quoted\n\n";
    let source = section.repeat(bounds::MESSAGE_BYTES / section.len());
    let document = parse(&source);
    assert!(document.rest.is_none(), "nothing of it is plain");
    assert_eq!(document.blocks.len(), 6 * (bounds::MESSAGE_BYTES / section.len()), "every block is there");
}

#[test]
fn what_is_before_a_block_that_is_too_large_stays_formatted() {
    let source = format!("# Log\n\n```\n{}```\n", "a line\n".repeat(bounds::MESSAGE_BYTES / 8));
    let document = parse(&source);
    let rest = document.rest.unwrap_or_default();
    assert!(matches!(&document.blocks[..], [Block::Heading { .. }, Block::Code { .. }]), "both are there");
    assert!(rest.starts_with("a line\n") && rest.ends_with("```\n"), "the rest follows, from a line's start");
    let formatted = source.len() - rest.len();
    assert!((BLOCK_BYTES - 100..=BLOCK_BYTES + 100).contains(&formatted), "{formatted} bytes are formatted");
}

#[test]
fn a_megabyte_on_one_line_is_split_and_deep_nesting_is_flattened() {
    let document = parse(&"é".repeat(512 * 1024));
    assert!(document.rest.is_some(), "what is past the bound is plain text");
    let deep = parse(&format!("{}x", "> ".repeat(5000)));
    let depth = serde_json::to_string(&deep).unwrap_or_default().matches("\"quote\"").count();
    assert!(depth <= DEPTH, "nesting is bounded: {depth}");
    assert!(json(&format!("{}x", "> ".repeat(5000))).contains('x'), "and the text is kept");
    let pictures = format!("{}x{}", "![".repeat(10_000), "](http://x)".repeat(10_000));
    assert!(json(&pictures).contains('x'), "pictures in pictures end somewhere, too");
}
