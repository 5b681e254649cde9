//! What the tests share: people, a pull request with a diff, and both platforms with a client of each.

use gate_forge::{
    At, Base, Done, Forge, GitHub, GitLab, Line, LineKind, Patience, Place, Platform, PullId, Remark, Token, Write,
};
use gate_platforms::{FakeGitHub, FakeGitLab, Person, Proposed};

/// The reviewer's token.
pub(crate) const TOKEN: &str = "ghp_hunter2hunter2";
/// Lines 10 to 13 of the old file are 10 to 14 of the new one.
pub(crate) const DIFF: &str = "\
diff --git a/src/cart.rs b/src/cart.rs
--- a/src/cart.rs
+++ b/src/cart.rs
@@ -10,4 +10,5 @@ fn total()
 let a = 1;
-let b = 2;
+let b = 3;
+let c = 4;
 let d = 5;
 let e = 6;
diff --git a/old/name.rs b/new/name.rs
similarity index 90%
rename from old/name.rs
rename to new/name.rs
--- a/old/name.rs
+++ b/new/name.rs
@@ -1,2 +1,2 @@
-x
+y
 z
";

/// The three kinds of lines of the first hunk.
pub(crate) const CONTEXT: Line = Line { kind: LineKind::Context, old: 10, new: 10 };
pub(crate) const REMOVED: Line = Line { kind: LineKind::Removed, old: 11, new: 11 };
pub(crate) const ADDED: Line = Line { kind: LineKind::Added, old: 12, new: 12 };
/// No hunk has it.
pub(crate) const OUTSIDE: Line = Line { kind: LineKind::Context, old: 40, new: 41 };

pub(crate) fn people() -> Vec<Person> {
    vec![Person::new(1, "ada", "ada-token"), Person::new(2, "grace", TOKEN), Person::new(3, "mallory", "mallory-token")]
}

pub(crate) fn proposed() -> Proposed {
    Proposed { diff: DIFF.to_owned(), ..Proposed::default() }
}

pub(crate) fn pull() -> PullId {
    PullId { project: "acme/shop".to_owned(), number: 42 }
}

pub(crate) fn client(platform: Platform, address: &str, token: &str) -> Box<dyn Forge> {
    client_with(platform, address, token, Patience::default())
}

pub(crate) fn client_with(platform: Platform, address: &str, token: &str, patience: Patience) -> Box<dyn Forge> {
    let base = Base::of(platform, address).expect("a base");
    let token = Token::new(token).expect("a token");
    match platform {
        Platform::GitHub => Box::new(GitHub::new(base, token, patience).expect("a GitHub")),
        Platform::GitLab => Box::new(GitLab::new(base, token, patience).expect("a GitLab")),
    }
}

/// A GitHub with the pull request of `ada`, and `grace` as its reviewer.
pub(crate) fn github() -> (FakeGitHub, Box<dyn Forge>) {
    let fake = FakeGitHub::start(&people()).expect("a port");
    fake.propose(&proposed());
    fake.lets("acme/shop", "ada", "write");
    fake.lets("acme/shop", "grace", "write");
    let forge = client(Platform::GitHub, &fake.url(), TOKEN);
    (fake, forge)
}

/// The same as a GitLab.
pub(crate) fn gitlab() -> (FakeGitLab, Box<dyn Forge>) {
    let fake = FakeGitLab::start(&people()).expect("a port");
    fake.propose(&proposed());
    fake.lets("acme/shop", "ada", 40);
    fake.lets("acme/shop", "grace", 30);
    let forge = client(Platform::GitLab, &fake.url(), TOKEN);
    (fake, forge)
}

pub(crate) fn at(end: Line) -> Place {
    Place { path: "src/cart.rs".to_owned(), old_path: None, at: At::Lines { start: None, end } }
}

pub(crate) fn file() -> Place {
    Place { path: "src/cart.rs".to_owned(), old_path: None, at: At::File }
}

pub(crate) fn remark(place: Place, body: &str) -> Remark {
    Remark { place, body: body.to_owned() }
}

/// Prepares a write and sends it.
pub(crate) fn done(forge: &dyn Forge, write: &Write) -> Result<Done, gate_forge::ForgeError> {
    forge.perform(&forge.prepare(write)?)
}

/// As the product ends what it posts.
pub(crate) fn marked(words: &str, item: &str) -> (String, String) {
    let marker = format!("<!-- review-gate:1 {item} -->");
    (format!("{words}\n\n{marker}"), marker)
}
