//! Templates and files that are made to take everything: each is stopped within its bound.

use std::time::{Duration, Instant};

use gate_core::{Code, PromptFormat, bounds};

use super::{TestFolders, text};
use crate::file::read;
use crate::template::{BRACKETS, NESTED};

/// The bound itself and what stopping takes on a busy machine.
const SOON: Duration = Duration::from_secs(5);

fn stopped(files: &[(&str, &str)], arguments: &[(&str, &str)]) -> gate_core::Fault {
    let test = TestFolders::with(files);
    let set = test.open().current();
    assert_eq!(set.problems(), [], "the files are good by themselves");
    let start = Instant::now();
    let fault = text(&set, "bomb", arguments).expect_err("it is stopped").fault;
    assert!(start.elapsed() < SOON, "it took {:?}", start.elapsed());
    fault
}

#[test]
fn loops_within_loops_are_stopped_in_time_even_if_they_write_nothing() {
    let items = vec!["x"; 2000].join(",");
    let nothing = "{{#each a}}{{#each @root.a}}{{#each @root.a}}{{/each}}{{/each}}{{/each}}";
    let declared = |body: &str| format!("---\narguments: [{{name: a, type: list}}]\n---\n{body}");
    let fault = stopped(&[("bomb.md", &declared(nothing))], &[("a", &items)]);
    assert!(fault.message.contains("more than 500 ms"), "{fault}");
    // Its bound of size is reached long before that of time, on a slow machine as well.
    let long = "some text ".repeat(1000);
    let text = declared(&format!("{{{{#each a}}}}{{{{#each @root.a}}}}{long}{{{{/each}}}}{{{{/each}}}}"));
    assert_eq!(stopped(&[("bomb.md", &text)], &[("a", &items)]).code, Code::TooLarge, "it writes more than 4 MiB");
}

#[test]
fn what_a_partial_captures_counts_as_well() {
    let items = vec!["x"; 2000].join(",");
    let big = "y".repeat(1000 * 1000);
    let bomb = "---\narguments: [{name: a, type: list}, b]\n---\n\
        {{#> nothing}}{{#each a}}{{#each @root.a}}{{@root.b}}{{{@root.b}}}{{/each}}{{/each}}{{/nothing}}";
    let files = [("bomb.md", bomb), ("_partials/nothing.hbs", "")];
    assert_eq!(stopped(&files, &[("a", &items), ("b", &big)]).code, Code::TooLarge, "it is held in memory");
}

#[test]
fn partials_that_double_or_never_end_are_stopped() {
    let doubling: Vec<(String, String)> = (0..16)
        .map(|n| {
            (
                format!("_partials/p{n}.hbs"),
                if n == 15 { "x".repeat(500) } else { format!("{{{{> p{}}}}}", n + 1).repeat(8) },
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = doubling.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    files.push(("bomb.md", "{{> p0}}"));
    let fault = stopped(&files, &[]);
    assert!(fault.code == Code::TooLarge || fault.message.contains("500 ms"), "{fault}");

    let round = [("bomb.md", "{{> a}}"), ("_partials/a.hbs", "{{> b}}"), ("_partials/b.hbs", "{{> a}}")];
    let fault = stopped(&round, &[]);
    assert!(fault.message.contains("more than 16 deep"), "{fault}");

    let inline = "{{#*inline \"a\"}}{{> b}}{{/inline}}{{#*inline \"b\"}}{{> a}}{{/inline}}{{> a}}";
    let fault = stopped(&[("bomb.md", inline)], &[]);
    assert!(fault.message.contains("more than 16 deep"), "{fault}");
}

#[test]
fn the_deepest_nesting_that_is_parsed_overflows_no_stack() {
    let start = Instant::now();
    for (open, close) in
        [("{{#if a}}", "{{/if}}"), ("{{a (b ", ""), ("(b ", ""), ("{{#> a}}", ""), ("{{x [", ""), ("{{x {\"a\":", "")]
    {
        let count = BRACKETS / open.bytes().filter(|byte| b"([{".contains(byte)).count();
        for text in [
            open.repeat(count),
            format!("{}x{}", open.repeat(count), close.repeat(count)),
            format!("{{{{a {}", open.repeat(count - 2)),
        ] {
            assert_eq!(
                read(&text, PromptFormat::Markdown).draft.is_some(),
                open == "(b " && !text.starts_with("{{"),
                "{open}"
            );
        }
    }
    let nested = format!("{{{{a {}c{}}}}}", "(b ".repeat(BRACKETS - 2), ")".repeat(BRACKETS - 2));
    let told = read(&nested, PromptFormat::Markdown);
    assert!(told.draft.is_none(), "it is refused, and not by the system");
    let many = read(&"(".repeat(BRACKETS + 1), PromptFormat::Markdown);
    assert_eq!(many.troubles[0].message, "The template has more than 8000 opening brackets.");
    assert!(start.elapsed() < Duration::from_secs(60), "it took {:?}", start.elapsed());
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let again = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{again}]\n"));
    }
    let start = Instant::now();
    let told = read(&format!("{bomb}template: x\n"), PromptFormat::Yaml);
    assert_eq!(told.troubles[0].message, "The aliases of this file make it too large.");
    assert!(start.elapsed() < SOON, "it took {:?}", start.elapsed());
}

#[test]
fn the_deepest_template_that_is_allowed_is_rendered() {
    let levels = NESTED - 3;
    let body = |inside: &str| format!("{}{inside}{}", "{{#if a}}".repeat(levels), "{{/if}}".repeat(levels));
    let last = bounds::PROMPT_PARTIAL_DEPTH - 1;
    let mut files: Vec<(String, String)> = (0..=last)
        .map(|n| {
            let inside = if n == last { "end".to_owned() } else { format!("{{{{> p{}}}}}", n + 1) };
            (format!("_partials/p{n}.hbs"), body(&inside))
        })
        .collect();
    files.push(("bomb.md".to_owned(), body("{{> p0}}")));
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let set = TestFolders::with(&files).open().current();
    assert_eq!(set.problems(), []);
    assert_eq!(text(&set, "bomb", &[("a", "x")]).unwrap(), "end", "its stack is deep enough");
}

#[test]
fn the_largest_template_is_read_and_rendered_in_a_bounded_time() {
    let with = |tags: usize| {
        let filler = "words ".repeat((bounds::PROMPT_FILE_BYTES / tags - 6) / 6);
        format!("{{{{a}}}}{filler}").repeat(tags)
    };
    let start = Instant::now();
    let test = TestFolders::with(&[("bomb.md", &with(1000)), ("more.md", &with(BRACKETS / 2))]);
    let set = test.open().current();
    let read = start.elapsed();
    assert_eq!(set.problems().len(), 1);
    assert_eq!(set.problems()[0].message, "The template has too many tags for its length.");
    let start = Instant::now();
    assert!(text(&set, "bomb", &[("a", "x")]).unwrap().starts_with("xwords"));
    println!("the largest template: read in {read:?}, rendered in {:?}", start.elapsed());
    assert!(read < SOON, "it took {read:?}");
}
