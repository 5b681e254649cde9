//! `docs/trust.md`, `docs/trust-reviews.md`, `docs/headless.md` and `docs/gsd.md` name the tests that show what they promise:
//! each has to be in the file that it is said to be in. The tables of ways in the first two have each number once, with a test
//! or with the sentence of the first that says that the way isn't kept out.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use super::Violation;
use crate::workspace::Workspace;

const PAGE: &str = "docs/trust.md";
/// Other pages whose words are shown by tests.
const OTHERS: [&str; 2] = ["docs/headless.md", "docs/gsd.md"];
/// The heading of what isn't kept out.
const NOT_KEPT_OUT: &str = "## What isn't kept out";
/// A table of ways: its page and heading, how many there are, and what links to the first page begin with.
#[derive(Clone, Copy)]
struct Table {
    page: &'static str,
    heading: &'static str,
    ways: usize,
    link: &'static str,
}

/// All ways to an approval that nobody gave.
const ALL: Table = Table { page: PAGE, heading: "## The 101 ways", ways: 101, link: "](#" };
/// Those of them that a review's question could be answered by.
const OF_REVIEWS: Table =
    Table { page: "docs/trust-reviews.md", heading: "## The 75 ways", ways: 75, link: "](trust.md#" };

/// A test as the page names it: ``[`name`](../file)``.
#[derive(Debug, PartialEq, Eq)]
struct Named<'a> {
    /// The page's line, counted from 1.
    line: usize,
    name: &'a str,
    /// Relative to the workspace's root.
    file: &'a str,
}

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Violation>> {
    let read =
        |page: &str| std::fs::read_to_string(workspace.root.join(page)).with_context(|| format!("can't read {page}"));
    let page = read(PAGE)?;
    let mut violations = broken(&page, &workspace.root);
    let of_reviews = read(OF_REVIEWS.page)?;
    for other in OTHERS.into_iter().chain([OF_REVIEWS.page]) {
        let elsewhere = broken(&read(other)?, &workspace.root).into_iter();
        violations.extend(elsewhere.map(|found| Violation { path: other.to_owned(), ..found }));
    }
    violations.extend(nowhere(&page));
    let sentences = section(&page, NOT_KEPT_OUT).flat_map(places).collect();
    violations.extend(unshown(ALL, &page, &sentences));
    violations.extend(unshown(OF_REVIEWS, &of_reviews, &sentences));
    Ok(violations)
}

fn violation(line: Option<usize>, rule: String) -> Violation {
    Violation { path: PAGE.to_owned(), line, rule }
}

fn broken(page: &str, root: &Path) -> Vec<Violation> {
    let named = named(page);
    let missing = named.iter().filter(|test| {
        let text = std::fs::read_to_string(root.join(test.file));
        !text.is_ok_and(|text| has(&text, test))
    });
    let rule =
        |test: &Named<'_>| format!("there is no test `{}` in {}: name the one that shows it", test.name, test.file);
    let mut violations: Vec<_> = missing.map(|test| violation(Some(test.line), rule(test))).collect();
    if named.is_empty() {
        let rule = "no test is named: each promise stands beside the one that shows it".to_owned();
        violations.push(violation(None, rule));
    }
    violations
}

/// The links within the page that lead to no place of it.
fn nowhere(page: &str) -> Vec<Violation> {
    let places: BTreeSet<String> = page.lines().flat_map(places).collect();
    let leads_nowhere = |(_, place): &(usize, &str)| !places.contains(*place);
    let rule = |place: &str| format!("`#{place}` is no place of this page: name the sentence by `<a id=\"…\"></a>`");
    let of_line = |(index, text)| links(text, ALL.link).map(move |place| (index + 1, place));
    let links = page.lines().enumerate().flat_map(of_line);
    links.filter(leads_nowhere).map(|(line, place)| violation(Some(line), rule(place))).collect()
}

/// What is wrong with a table of ways: a number that is missing or there twice, a way without a test or one of the sentences.
fn unshown(table: Table, page: &str, sentences: &BTreeSet<String>) -> Vec<Violation> {
    let Table { heading, ways, .. } = table;
    let violation = |line, rule| Violation { path: table.page.to_owned(), ..violation(line, rule) };
    let rows = page.lines().enumerate().skip_while(|(_, text)| *text != heading).skip(1);
    let rows = rows.take_while(|(_, text)| !text.starts_with("## "));
    let mut seen = BTreeSet::new();
    let mut violations = Vec::new();
    for (index, text) in rows {
        let mut cells = text.trim_start_matches('|').split('|');
        let Some(Ok(way)) = cells.next().map(|cell| cell.trim().parse::<usize>()) else { continue };
        if !(1..=ways).contains(&way) || !seen.insert(way) {
            violations.push(violation(Some(index + 1), format!("the ways are 1 to {ways}, each once: {way} isn't")));
        }
        if named(text).is_empty() && !links(text, table.link).any(|place| sentences.contains(place)) {
            violations
                .push(violation(Some(index + 1), format!("way {way} needs a test, or the sentence that says why not")));
        }
    }
    let missing = (1..=ways).filter(|way| !seen.contains(way));
    violations.extend(missing.map(|way| violation(None, format!("`{heading}` lacks way {way}"))));
    violations
}

/// The lines below a heading, to the next one.
fn section<'a>(page: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    page.lines().skip_while(move |text| *text != heading).skip(1).take_while(|text| !text.starts_with("## "))
}

/// The places of the page that a line makes: its heading's, and those that are named in it.
fn places(text: &str) -> Vec<String> {
    let heading = text.trim_start_matches('#').strip_prefix(' ').filter(|_| text.starts_with('#'));
    let kept = |char: char| char.is_alphanumeric() || char == ' ' || char == '-';
    let of_heading = heading.map(|words| words.to_lowercase().chars().filter(|char| kept(*char)).collect::<String>());
    let named = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id.to_owned());
    of_heading.map(|words| words.replace(' ', "-")).into_iter().chain(named).collect()
}

/// The places that the links of a line lead to that begin so.
fn links<'a>(text: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split_once(')')).map(|(place, _)| place)
}

/// The links of a page to files with tests.
fn named(page: &str) -> Vec<Named<'_>> {
    let lines = page.lines().enumerate();
    lines
        .flat_map(|(index, text)| {
            text.split("[`").skip(1).filter_map(move |rest| {
                let (name, rest) = rest.split_once("`](../")?;
                let (file, _) = rest.split_once(')')?;
                let is_code = file.ends_with(".rs") || file.ends_with(".ts");
                is_code.then_some(Named { line: index + 1, name, file })
            })
        })
        .collect()
}

/// Whether a file has a test of this name: a function with that attribute in Rust, what `it` is told in TypeScript.
fn has(text: &str, test: &Named<'_>) -> bool {
    if !test.file.ends_with(".rs") {
        return text.contains(&format!("it('{}'", test.name));
    }
    let function = format!("fn {}(", test.name);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_it = |line: &str| line.strip_prefix("async ").unwrap_or(line).starts_with(&function);
    let above = |index: usize| lines[..index].iter().rev().take_while(|line| line.starts_with(['#', '/']));
    let is_a_test = |line: &&&str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    lines.iter().enumerate().any(|(index, line)| is_it(line) && above(index).any(|line| is_a_test(&line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_code_names_a_test_and_other_links_dont() {
        let page = "See [commands](commands.md), [`a`](../x/y.rs), [`it is b`](../ui/z.ts).\n\n[`c`](c.md) `d`\n";
        let expected =
            [Named { line: 1, name: "a", file: "x/y.rs" }, Named { line: 1, name: "it is b", file: "ui/z.ts" }];
        assert_eq!(named(page), expected);
    }

    #[test]
    fn a_test_is_there_by_its_whole_name() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("xtask-promises-{}", std::process::id()));
        let folder = crate::workspace::empty(folder)?;
        std::fs::write(folder.join("a.rs"), "#[test]\nfn it_holds_always() {}\n")?;
        std::fs::write(folder.join("b.rs"), "#[tokio::test]\nasync fn a() {}\n\nfn it_holds() {}\n")?;
        let module = "mod tests {\n    /// Why.\n    #[tokio::test(flavor = \"x\")]\n    async fn it_does() {}\n}\n";
        std::fs::write(folder.join("d.rs"), module)?;
        std::fs::write(folder.join("c.ts"), "it('holds', () => {});\n")?;
        let lines = |page: &str| -> Vec<_> { broken(page, &folder).into_iter().map(|found| found.line).collect() };
        assert_eq!(lines("[`it_holds_always`](../a.rs) [`holds`](../c.ts) [`it_does`](../d.rs)\n"), []);
        let page = "[`it_holds`](../a.rs)\n[`it_holds`](../b.rs)\n[`hold`](../c.ts)\n[`it_holds`](../gone.rs)\n";
        assert_eq!(
            lines(page),
            [Some(1), Some(2), Some(3), Some(4)],
            "no part of a name, no function beside a test, no file"
        );
        assert_eq!(lines("# Trust\n"), [None], "a page without tests shows nothing");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }

    /// A table with these rows, and all others that there are.
    fn ways(rows: &[(usize, &str)]) -> String {
        let own: BTreeSet<_> = rows.iter().map(|(way, _)| *way).collect();
        let others = (1..=ALL.ways).filter(|way| !own.contains(way)).map(|way| (way, "[`a`](../a.rs)"));
        let rows =
            others.chain(rows.iter().copied()).map(|(way, shown)| format!("| {way} | what was tried | {shown} |\n"));
        let sentences = format!("# Keys\n\n<a id=\"told\"></a>\n\n{NOT_KEPT_OUT}\n\n- <a id=\"typed\"></a>It can.\n\n");
        format!("{sentences}{}\n\n| # | what | shown by |\n|---|---|---|\n{}", ALL.heading, rows.collect::<String>())
    }

    #[test]
    fn each_way_is_there_once_with_a_test_or_a_sentence() {
        let rules = |page: &str| -> Vec<_> {
            let sentences = section(page, NOT_KEPT_OUT).flat_map(places).collect();
            unshown(ALL, page, &sentences).into_iter().map(|found| found.rule).collect()
        };
        assert_eq!(rules(&ways(&[(7, "[`a`](../a.rs)"), (8, "[keys](#typed)")])), [""; 0]);
        let elsewhere = ["way 7 needs a test, or the sentence that says why not"];
        assert_eq!(rules(&ways(&[(7, "[keys](#told)")])), elsewhere, "a place that says something else");
        assert_eq!(rules(&ways(&[(7, "see above")])), ["way 7 needs a test, or the sentence that says why not"]);
        let twice = ways(&[(7, "[`a`](../a.rs)"), (7, "[`b`](../b.rs)"), (102, "[`a`](../a.rs)")]);
        let wrong = ["the ways are 1 to 101, each once: 7 isn't", "the ways are 1 to 101, each once: 102 isn't"];
        assert_eq!(rules(&twice), wrong);
        let page = ways(&[]).replace("| 55 |", "| fifty-five |");
        assert_eq!(rules(&page), ["`## The 101 ways` lacks way 55"]);
        assert_eq!(rules("# Trust\n").len(), ALL.ways, "a page without the table lacks all of them");
        let sentences = BTreeSet::from(["typed".to_owned()]);
        let of_reviews = |shown: &str| {
            let rows: String =
                (1..=OF_REVIEWS.ways).map(|way| format!("| {way} | what | holds | {shown} |\n")).collect();
            unshown(OF_REVIEWS, &format!("{}\n\n{rows}", OF_REVIEWS.heading), &sentences)
        };
        assert_eq!(of_reviews("[keys](trust.md#typed)"), []);
        let found = of_reviews("[keys](#typed)");
        assert_eq!(found.len(), OF_REVIEWS.ways, "no place of its own page is such a sentence");
        assert!(found.iter().all(|found| found.path == OF_REVIEWS.page), "{found:?}");
    }

    #[test]
    fn a_link_within_the_page_leads_to_a_heading_or_a_named_place() {
        let page =
            "## What isn't kept out\n- <a id=\"typed\"></a>It can.\n[a](#what-isnt-kept-out) [b](#typed)\n[c](#gone)\n";
        let lines: Vec<_> = nowhere(page).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [Some(4)]);
    }
}
