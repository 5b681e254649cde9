//! How sure an approval has to be: the person's rules, and what the agent asks for. Knows neither settings nor what can
//! be reached.

use std::fmt;
use std::path::Path;

use crate::ask::Ask;
use crate::assurance::Assurance;
use crate::diff;

/// What stands between the parts of a rule.
const BETWEEN: char = ';';
/// What stands between words of which one is enough.
const OR: char = '|';

/// A rule for some approvals, as it is written: `L3; repository=/home/me/pay; path=deploy/|infra/; words=production`.
/// It holds where each of its parts does, and a part where one of its words does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// How sure an approval has to be where it holds.
    pub level: Assurance,
    /// Folders: of the repository that is shown, or that the agent works in; or folders above it.
    repository: Vec<String>,
    /// Branches.
    branch: Vec<String>,
    /// What a changed file is, or is below; with `*` for anything.
    path: Vec<String>,
    /// What stands in the question, in whatever case.
    words: Vec<String>,
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// What a rule is, where this is none.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "a level and what it is for, as in L3; path=deploy/; words=production|live";
        let mut parts = text.split(BETWEEN).map(str::trim);
        let level = parts.next().and_then(Assurance::parse).ok_or(FORM)?;
        let mut rule = Self { level, repository: vec![], branch: vec![], path: vec![], words: vec![] };
        for part in parts {
            let (name, value) = part.split_once('=').ok_or(FORM)?;
            let words: Vec<_> = value.split(OR).map(str::trim).map(str::to_owned).collect();
            let of = match name.trim() {
                "repository" => &mut rule.repository,
                "branch" => &mut rule.branch,
                "path" => &mut rule.path,
                "words" => &mut rule.words,
                _ => return Err(FORM),
            };
            if !of.is_empty() || words.iter().any(String::is_empty) || text.contains(char::is_control) {
                return Err(FORM);
            }
            *of = words;
        }
        // One for everything is the setting beside the rules.
        let is_of_something = [&rule.repository, &rule.branch, &rule.path, &rule.words].iter().any(|of| !of.is_empty());
        if is_of_something { Ok(rule) } else { Err(FORM) }
    }

    /// Whether this one asks for as much as another one wherever that holds: it is for the same.
    #[must_use]
    pub fn keeps(&self, other: &Self) -> bool {
        self.level >= other.level && Self { level: other.level, ..self.clone() } == *other
    }

    /// Whether it holds for a question of an agent that works in one of these folders. A branch is known only where the
    /// question names a range of two: where it isn't, that part holds.
    #[must_use]
    pub fn holds_for(&self, ask: &Ask, folders: &[&str]) -> bool {
        self.holds_for_folder(ask, folders)
            && self.holds_for_branch(ask)
            && self.holds_for_paths(ask)
            && self.holds_for_words(ask)
    }

    fn holds_for_folder(&self, ask: &Ask, folders: &[&str]) -> bool {
        let shown = ask.git.as_deref().map_or("", |git| &git.repository);
        let is_in = |folder: &str| {
            let mut of = folders.iter().copied().chain([shown]);
            of.any(|of| !of.is_empty() && Path::new(of).starts_with(Path::new(folder)))
        };
        self.repository.is_empty() || self.repository.iter().any(|folder| is_in(folder))
    }

    fn holds_for_branch(&self, ask: &Ask) -> bool {
        let Some((from, to)) = ask.git.as_deref().and_then(|git| git.what.split_once("..")) else { return true };
        let named = [from, to.trim_start_matches('.')].map(plain_branch);
        self.branch.is_empty() || self.branch.iter().any(|branch| named.contains(&plain_branch(branch)))
    }

    fn holds_for_paths(&self, ask: &Ask) -> bool {
        if self.path.is_empty() {
            return true;
        }
        let Some(text) = &ask.diff else { return false };
        // What can't be read may change anything.
        let Ok(view) = diff::parse(text) else { return true };
        let mut paths = view.files.iter().flat_map(|file| [&file.old_path, &file.new_path]);
        paths.any(|path| !path.is_empty() && self.path.iter().any(|pattern| is_below(path, pattern)))
    }

    fn holds_for_words(&self, ask: &Ask) -> bool {
        let texts = [Some(&ask.message), ask.title.as_ref(), ask.context.as_ref(), ask.diff.as_ref()];
        let texts: Vec<_> = texts.into_iter().flatten().map(|text| text.to_lowercase()).collect();
        let says = |word: &str| texts.iter().any(|text| text.contains(&word.to_lowercase()));
        self.words.is_empty() || self.words.iter().any(|word| says(word))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.level.as_str())?;
        let parts =
            [("repository", &self.repository), ("branch", &self.branch), ("path", &self.path), ("words", &self.words)];
        for (name, words) in parts.into_iter().filter(|(_, words)| !words.is_empty()) {
            write!(f, "{BETWEEN} {name}={}", words.join(&OR.to_string()))?;
        }
        Ok(())
    }
}

/// How sure an approval of a question has to be: as sure as the rules want that hold, as the agent asks that works in
/// these folders, and never less than `least`.
#[must_use]
pub fn required(ask: &Ask, folders: &[&str], least: Assurance, rules: &[Rule]) -> Assurance {
    let holding = rules.iter().filter(|rule| rule.level > least && rule.holds_for(ask, folders));
    holding.map(|rule| rule.level).chain(ask.require).fold(least, Assurance::max)
}

/// A branch without where it stands: `refs/heads/main` and `origin/main` are `main`.
fn plain_branch(name: &str) -> &str {
    let name = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/")).unwrap_or(name);
    name.strip_prefix("origin/").unwrap_or(name)
}

/// Whether a path is what a pattern names, or below it. `*` stands for anything, folders included.
fn is_below(path: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut rest = rest;
    let mut last_was_open = pattern.ends_with('/');
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        last_was_open = piece.is_empty() || piece.ends_with('/');
    }
    last_was_open || rest.is_empty() || rest.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::git::{Oid, QuestionGit};

    fn rule(text: &str) -> Rule {
        Rule::parse(text).expect("a rule")
    }

    fn ask(message: &str) -> Ask {
        Ask { message: message.to_owned(), ..Ask::default() }
    }

    fn of_files(paths: &[&str]) -> Ask {
        let diff = |path: &&str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
        Ask { diff: Some(paths.iter().map(diff).collect()), ..ask("m") }
    }

    fn of_repository(repository: &str, what: &str) -> Ask {
        let oid = || Oid::try_from("2b".repeat(20)).expect("a name has 40 digits");
        let git = QuestionGit {
            repository: repository.to_owned(),
            what: what.to_owned(),
            base: None,
            base_tree: oid(),
            commit: None,
            tree: oid(),
            manifest: Digest::of_bytes(b""),
        };
        Ask { git: Some(Box::new(git)), ..ask("m") }
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        let whole = "L3; repository=/home/me/my pay; branch=main|release; path=deploy/; words=production";
        assert_eq!(rule(whole).to_string(), whole);
        assert_eq!(rule(" L2;words = a b |c ").to_string(), "L2; words=a b|c");
        let wrong =
            ["", "L3", "L3;", "L4; words=a", "words=a", "L3; words", "L3; words=", "L3; words=a|", "L3; word=a"];
        for text in wrong.into_iter().chain(["L3; words=a; words=b", "L3; words=a\nb"]) {
            assert!(Rule::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn every_part_has_to_hold_and_one_of_its_words() {
        let holds = |text: &str, ask: &Ask| rule(text).holds_for(ask, &["/work/shop/ui"]);
        let asked = ask("Deploy to PRODUCTION?");
        for (text, does) in [
            ("L3; words=production", true),
            ("L3; words=staging|production", true),
            ("L3; words=staging", false),
            ("L3; words=production; repository=/work/shop", true),
            ("L3; words=production; repository=/work/sho", false),
            ("L3; words=production; path=deploy/", false),
            ("L3; repository=/work/shop/ui", true),
            ("L3; repository=/work/shop/ui/src", false),
        ] {
            assert_eq!(holds(text, &asked), does, "{text}");
        }
        let shown = of_repository("/work/pay", "worktree");
        assert!(holds("L3; repository=/work/pay", &shown), "the repository that is shown");
        assert!(holds("L3; repository=/work/shop", &shown), "or the folder of who asks");
    }

    #[test]
    fn a_path_is_a_file_or_what_is_below_it() {
        for (pattern, path, does) in [
            ("deploy", "deploy/prod.yaml", true),
            ("deploy/", "deploy/prod.yaml", true),
            ("deploy", "deployment.md", false),
            ("deploy/prod.yaml", "deploy/prod.yaml", true),
            ("*.tf", "infra/main.tf", true),
            ("*.tf", "infra/main.tfvars", false),
            ("infra/*", "infra/a/b", true),
            ("infra/*/prod", "infra/a/prod/x", true),
            ("infra/*/prod", "infra/a/dev", false),
        ] {
            let text = format!("L3; path={pattern}");
            assert_eq!(rule(&text).holds_for(&of_files(&["README.md", path]), &[]), does, "{pattern}, {path}");
        }
        assert!(!rule("L3; path=deploy").holds_for(&ask("deploy"), &[]), "nothing is changed");
    }

    #[test]
    fn a_branch_that_is_not_known_may_be_any() {
        let holds = |what: &str| rule("L3; branch=main").holds_for(&of_repository("/r", what), &[]);
        assert!(holds("origin/main..topic") && holds("topic...refs/heads/main") && !holds("a..b"));
        assert!(holds("worktree") && holds("HEAD"));
        assert!(rule("L3; branch=main").holds_for(&ask("m"), &[]), "no repository is named");
    }

    #[test]
    fn the_surest_that_anybody_asks_for_is_required() {
        let rules = [rule("L2; words=deploy"), rule("L3; words=production")];
        let of = |message: &str, require, least| required(&Ask { require, ..ask(message) }, &[], least, &rules);
        assert_eq!(of("m", None, Assurance::L1), Assurance::L1);
        assert_eq!(of("deploy", None, Assurance::L1), Assurance::L2);
        assert_eq!(of("deploy to production", None, Assurance::L0), Assurance::L3);
        assert_eq!(of("m", Some(Assurance::L3), Assurance::L1), Assurance::L3, "an agent may ask for more");
        assert_eq!(of("deploy", Some(Assurance::L1), Assurance::L1), Assurance::L2, "and never for less");
        assert_eq!(of("m", None, Assurance::L3), Assurance::L3);
    }

    #[test]
    fn a_rule_keeps_another_for_the_same_at_no_lower_level() {
        assert!(rule("L3; words=a").keeps(&rule("L2; words=a")) && rule("L2; words=a").keeps(&rule("L2; words=a")));
        assert!(!rule("L1; words=a").keeps(&rule("L2; words=a")) && !rule("L3; words=b").keeps(&rule("L2; words=a")));
    }
}
