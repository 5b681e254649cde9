//! Pages of any diff are that diff.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::fuzzing::{Fuzz, damaged, seeds};

const TWO: &str = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n@@ -9 +9 @@\n-a\n+b\n\
                   diff --git a/y b/z\nrename from y\nrename to z\n--- a/w\n+++ b/w\n@@ -1 +1 @@\n-a\n\\ No newline\n+b\n";

const TOKENS: &[&str] = &["@@ -1 +1 @@\n", "--- a/x\n", "+++ b/x\n", "diff --git a/x b/x\n", "+", "-", " ", "\n", "é"];

/// All pages of a diff.
fn all(text: &str, bytes: usize) -> Vec<Page<'_>> {
    let (mut pages, mut from) = (Vec::new(), 0);
    loop {
        let page = page(text, from, bytes);
        let next = page.next;
        assert!(next.is_none_or(|next| next > from), "every page goes on");
        pages.push(page);
        match next {
            Some(next) => from = next,
            None => return pages,
        }
    }
}

#[test]
fn a_page_ends_where_a_hunk_or_a_file_does() {
    let texts = |bytes| all(TWO, bytes).into_iter().map(|page| (page.text.len(), page.cut)).collect::<Vec<_>>();
    let second = TWO.find("@@ -9").unwrap();
    let third = TWO.find("diff --git a/y").unwrap();
    let fourth = TWO.find("--- a/w").unwrap();
    assert_eq!(texts(TWO.len()), [(TWO.len(), false)], "what fits is one page");
    assert_eq!(texts(TWO.len() - 1), [(third, false), (TWO.len() - third, false)], "a rename goes on with its hunks");
    assert_eq!(texts(second)[0], (second, false), "a line of a hunk that looks like a head is none");
    assert_eq!(texts(10)[0], (10, true), "a line that is longer than a page is torn, and that is said");
    assert_eq!(texts(second - 3)[0], (TWO.find(" c\n").unwrap(), true), "a hunk that is longer is cut at a line");
    assert_eq!(continued(TWO, second).as_deref(), Some("x"), "a page that begins in the middle of a file names it");
    assert_eq!((continued(TWO, 0), continued(TWO, third)), (None, None));
    assert!(fourth > third);
}

#[test]
fn only_the_changes_of_a_file_or_a_folder_are_read() {
    let file = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n");
    let whole = [file("src/a.rs"), file("src/ui/b.rs"), file("srcs/c.rs")].concat();
    assert_eq!(of_path(&whole, "src"), [file("src/a.rs"), file("src/ui/b.rs")].concat());
    assert_eq!(of_path(&whole, "src/ui/"), file("src/ui/b.rs"));
    assert_eq!(of_path(&whole, "srcs/c.rs"), file("srcs/c.rs"));
    assert_eq!(of_path(&whole, "c.rs"), "", "a path is from the top");
}

#[test]
fn what_an_earlier_round_had_is_left_out_wherever_it_moved_to() {
    let head = |name: &str| format!("--- a/{name}\n+++ b/{name}\n");
    let hunk = |at: u32, what: &str| format!("@@ -{at} +{at} @@\n-a\n+{what}\n");
    let earlier = [head("x"), hunk(1, "b"), hunk(9, "c"), head("gone"), hunk(1, "b")].concat();
    let now = [head("x"), hunk(3, "b"), hunk(11, "d"), head("new"), hunk(1, "b")].concat();
    let (fresh, gone) = fresh(&now, &earlier);
    assert_eq!(fresh, [head("x"), hunk(11, "d"), head("new"), hunk(1, "b")].concat());
    assert_eq!(gone, ["gone"]);
    assert_eq!(super::fresh(&now, &now), (String::new(), Vec::new()), "the same again has nothing new");
}

#[test]
fn fuzz_pages() {
    let mut fuzz = Fuzz::new("pages");
    for seed in seeds("diff") {
        any_diff(&String::from_utf8_lossy(&seed.0), 100);
    }
    let broken = (damaged("diff", TOKENS), 1_usize..400);
    let parts =
        vec(prop_oneof![3 => proptest::sample::select(TOKENS).prop_map(str::to_owned), 1 => any::<String>()], 0..60);
    let made = (parts, 1_usize..60).prop_map(|(parts, bytes)| (parts.concat(), bytes));
    while fuzz.goes_on() {
        fuzz.batch(&broken, |(bytes, size)| any_diff(&String::from_utf8_lossy(&bytes.0), size));
        fuzz.batch(&made, |(text, size)| any_diff(&text, size));
    }
}

fn any_diff(text: &str, bytes: usize) {
    let pages = all(text, bytes);
    assert_eq!(pages.iter().map(|page| page.text).collect::<String>(), text, "one after the other they are the diff");
    // A page holds a character at least.
    assert!(pages.iter().all(|page| page.text.len() <= bytes.max(4)), "each within its bound");
    let marks: Vec<_> = marks(text).into_iter().map(|mark| mark.at).collect();
    let mut end = 0;
    for page in &pages {
        end += page.text.len();
        let whole = end == text.len() || marks.contains(&end);
        assert!(page.cut || whole, "it ends with a hunk, or says that it doesn't");
    }
    assert_eq!(sections(text).concat(), text, "every line belongs to a file");
    let joined: String =
        sections(text).iter().map(|section| (parts(section).0.to_owned()) + &parts(section).1.concat()).collect();
    assert_eq!(joined, text, "and to its head or to a hunk");
    let again = fresh(text, text);
    assert_eq!(again.1, Vec::<String>::new());
    let (nothing, _) = fresh("", text);
    assert_eq!(nothing, "");
}
