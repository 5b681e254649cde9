//! `docs/trust.md` names the tests that show its promises: each has to be in the file that it is said to be in.

use std::path::Path;

use anyhow::{Context, Result};

use super::Violation;
use crate::workspace::Workspace;

const PAGE: &str = "docs/trust.md";

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
    let page = std::fs::read_to_string(workspace.root.join(PAGE)).with_context(|| format!("can't read {PAGE}"))?;
    Ok(broken(&page, &workspace.root))
}

fn broken(page: &str, root: &Path) -> Vec<Violation> {
    let named = named(page);
    let missing = named.iter().filter(|test| {
        let text = std::fs::read_to_string(root.join(test.file));
        !text.is_ok_and(|text| has(&text, test))
    });
    let rule =
        |test: &Named<'_>| format!("there is no test `{}` in {}: name the one that shows it", test.name, test.file);
    let mut violations: Vec<_> =
        missing.map(|test| Violation { path: PAGE.to_owned(), line: Some(test.line), rule: rule(test) }).collect();
    if named.is_empty() {
        let rule = "no test is named: each promise stands beside the one that shows it".to_owned();
        violations.push(Violation { path: PAGE.to_owned(), line: None, rule });
    }
    violations
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

/// Whether a file has a test of this name: a function in Rust, what `it` is told in TypeScript.
fn has(text: &str, test: &Named<'_>) -> bool {
    let attributes = ["#[test]", "#[tokio::test"];
    match test.file.ends_with(".rs") {
        true => text.contains(&format!("fn {}(", test.name)) && attributes.iter().any(|test| text.contains(test)),
        false => text.contains(&format!("it('{}'", test.name)),
    }
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
        std::fs::write(folder.join("b.rs"), "fn it_holds() {}\n")?;
        std::fs::write(folder.join("c.ts"), "it('holds', () => {});\n")?;
        let lines = |page: &str| -> Vec<_> { broken(page, &folder).into_iter().map(|found| found.line).collect() };
        assert_eq!(lines("[`it_holds_always`](../a.rs) [`holds`](../c.ts)\n"), []);
        let page = "[`it_holds`](../a.rs)\n[`it_holds`](../b.rs)\n[`hold`](../c.ts)\n[`it_holds`](../gone.rs)\n";
        assert_eq!(lines(page), [Some(1), Some(2), Some(3), Some(4)], "no part of a name, no other function, no file");
        assert_eq!(lines("# Trust\n"), [None], "a page without tests shows nothing");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
