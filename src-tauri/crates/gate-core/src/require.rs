//! How sure an approval has to be: the person's rules, and what the agent asks for. Knows neither settings nor what can
//! be reached.

use std::cell::OnceCell;
use std::fmt;
use std::path::Path;

use crate::ask::{Ask, Choice};
use crate::assurance::Assurance;
use crate::diff;
use crate::permission::Permission;

/// What stands between the parts of a rule.
const BETWEEN: char = ';';
/// What stands between words of which one is enough.
const OR: char = '|';
/// From how many hexadecimal digits on a name may be that of an object (git's `core.abbrev` is no less).
const OID_DIGITS: usize = 4;

/// A rule for some approvals, as it is written: `L3; repository=/home/me/pay; path=deploy/|infra/; words=production`.
/// It holds where each of its parts does, and a part where one of its words does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// How sure an approval has to be where it holds.
    pub level: Assurance,
    /// Folders: of the repository that is shown, that the agent works in, or that a file lies in which it asks to change; or
    /// folders above it.
    repository: Vec<String>,
    /// Branches; with `*` for anything.
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

    /// Whether what it holds for depends on more of a question than lists have of one: its context and its diff.
    #[must_use]
    pub fn reads_all(&self) -> bool {
        !self.path.is_empty() || !self.words.is_empty()
    }

    /// Whether it holds for a question. A branch is known only where the question names a range of two branches: where it
    /// isn't, that part holds.
    #[must_use]
    pub fn holds_for(&self, asked: &Asked<'_>) -> bool {
        self.holds_for_folder(asked)
            && self.holds_for_branch(asked)
            && self.holds_for_paths(asked)
            && self.holds_for_words(asked)
    }

    fn holds_for_folder(&self, asked: &Asked<'_>) -> bool {
        let shown = asked.ask.git.as_deref().map_or("", |git| &git.repository);
        let permission = asked.ask.permission.as_deref();
        let files = permission.map(Permission::places).unwrap_or_default();
        // Nobody knows where it would change something.
        let is_anywhere = files.is_empty() && permission.is_some_and(|asked| asked.kind.is_edit());
        let is_in = |folder: &str| {
            let mut of = asked.folders.iter().copied().chain([shown]).chain(files.iter().map(String::as_str));
            of.any(|of| !of.is_empty() && Path::new(of).starts_with(Path::new(folder)))
        };
        is_anywhere || self.repository.is_empty() || self.repository.iter().any(|folder| is_in(folder))
    }

    fn holds_for_branch(&self, asked: &Asked<'_>) -> bool {
        let Some((from, to)) = asked.ask.git.as_deref().and_then(|git| git.what.split_once("..")) else { return true };
        let is_one_of = |side: &str| {
            let Some(branch) = Branch::named(side) else { return true };
            self.branch.iter().any(|of| branch.is(of))
        };
        self.branch.is_empty() || is_one_of(from) || is_one_of(to.trim_start_matches('.'))
    }

    fn holds_for_paths(&self, asked: &Asked<'_>) -> bool {
        if self.path.is_empty() {
            return true;
        }
        // What can't be read may change anything.
        let Some(paths) = asked.paths() else { return true };
        paths.iter().any(|path| self.path.iter().any(|pattern| is_of(path, pattern)))
    }

    fn holds_for_words(&self, asked: &Asked<'_>) -> bool {
        let says = |word: &str| {
            let word = word.to_lowercase();
            asked.texts().iter().any(|text| text.contains(&word))
        };
        self.words.is_empty() || self.words.iter().any(|word| says(word))
    }
}

/// A question as rules look at it: what they need of it is read once, however many they are, and not before one needs it.
#[derive(Debug)]
pub struct Asked<'a> {
    ask: &'a Ask,
    /// What its agent works in.
    folders: &'a [&'a str],
    paths: OnceCell<Option<Vec<String>>>,
    texts: OnceCell<Vec<String>>,
}

impl<'a> Asked<'a> {
    /// The question of an agent that works in one of these folders.
    #[must_use]
    pub fn new(ask: &'a Ask, folders: &'a [&'a str]) -> Self {
        Self { ask, folders, paths: OnceCell::new(), texts: OnceCell::new() }
    }

    /// What the diff changes; nothing where it can't be read.
    fn paths(&self) -> Option<&[String]> {
        let read = || {
            let mut all = match &self.ask.permission {
                Some(permission) => permission.paths()?,
                None => Vec::new(),
            };
            let Some(text) = &self.ask.diff else { return Some(all) };
            let files = diff::parse(text).ok()?.files;
            let paths = files.into_iter().flat_map(|file| [file.old_path, file.new_path]);
            all.extend(paths.filter(|path| !path.is_empty()));
            Some(all)
        };
        self.paths.get_or_init(read).as_deref()
    }

    /// All that stands in it, in lower case.
    fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| {
            let Ask { message, title, context, diff, options, .. } = self.ask;
            let offered =
                options.iter().flat_map(|Choice { label, description, .. }| [Some(label), description.as_ref()]);
            let texts = [Some(message), title.as_ref(), context.as_ref(), diff.as_ref()].into_iter().chain(offered);
            let asked = self.ask.permission.iter().flat_map(|permission| permission.texts());
            texts.flatten().map(|text| text.to_lowercase()).chain(asked.map(|text| text.to_lowercase())).collect()
        })
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
    let asked = Asked::new(ask, folders);
    let holding = rules.iter().filter(|rule| rule.level > least && rule.holds_for(&asked));
    holding.map(|rule| rule.level).chain(ask.require).fold(least, Assurance::max)
}

/// Whether one side of a range, as it is written, is surely a branch. What else may name a commit isn't one: an object's
/// name or its beginning, `HEAD`, `main~0`, `main@{1}`, what `git describe` says, a tag by its full name.
#[must_use]
pub fn is_branch(side: &str) -> bool {
    Branch::named(side).is_some()
}

/// A branch, as a question names it.
enum Branch<'a> {
    /// One of the repository's own.
    Own(&'a str),
    /// One of the repository's own, or what is remembered of another's by that one's name and its own.
    Any(&'a str),
}

impl<'a> Branch<'a> {
    /// The branch that is named so; nothing where it may be something else.
    fn named(side: &'a str) -> Option<Self> {
        let hex = |text: &str| text.len() >= OID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let own = side.strip_prefix("refs/heads/");
        let name = own.or_else(|| side.strip_prefix("refs/remotes/")).unwrap_or(side);
        let is_full = name.len() < side.len();
        let last = name.rsplit('/').next().unwrap_or_default();
        // `HEAD`, `ORIG_HEAD` and the like, wherever they lie.
        let is_head =
            last == "HEAD" || (!is_full && last.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
        let is_described = !is_full && name.rsplit_once("-g").is_some_and(|(_, digits)| hex(digits));
        let is_other = name.is_empty()
            || name.contains(['~', '^', '@', '{', ':'])
            || name.starts_with("refs/")
            || (!is_full && hex(name));
        if is_head || is_described || is_other {
            return None;
        }
        Some(if own.is_some() { Self::Own(name) } else { Self::Any(name) })
    }

    /// Whether it is what a rule says: `refs/heads/main`, `heads/main` and `origin/main` are `main`, and so is that of any
    /// other remote.
    fn is(&self, rule: &str) -> bool {
        let full = ["refs/heads/", "refs/remotes/", "heads/", "remotes/"];
        let rule = full.iter().find_map(|before| rule.strip_prefix(before)).unwrap_or(rule);
        let rule = rule.strip_prefix("origin/").unwrap_or(rule);
        match self {
            Self::Own(name) => is_like(name, rule),
            Self::Any(name) => {
                let ends = name.match_indices('/').filter_map(|(at, _)| name.get(at + 1..));
                std::iter::once(*name).chain(ends).any(|name| is_like(name, rule))
            }
        }
    }
}

/// Whether a text is a pattern, in which `*` stands for anything.
pub(crate) fn is_like(text: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return text == pattern };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else { return false };
    for piece in middle.split('*') {
        // Where the first one that fits is taken, all that can follow still can.
        let Some((_, after)) = text.split_once(piece) else { return false };
        text = after;
    }
    true
}

/// Whether a pattern is for a path. One from the root on may be of a repository that begins in any of its folders: an agent's
/// own folder says nothing about that.
pub(crate) fn is_of(path: &str, pattern: &str) -> bool {
    is_below(path, pattern) || (path.starts_with('/') && is_below(path, &format!("*/{pattern}")))
}

/// Whether a path is what a pattern names, or below it. `*` stands for anything, folders included; a `/` at its end for
/// what is below, and for what stands in a folder's place: a submodule, a link.
fn is_below(path: &str, pattern: &str) -> bool {
    is_at_or_below(path, pattern) || pattern.strip_suffix('/').is_some_and(|folder| is_like(path, folder))
}

fn is_at_or_below(path: &str, pattern: &str) -> bool {
    let mut pieces: Vec<&str> = pattern.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    let mut rest = path;
    for (at, piece) in pieces.iter().enumerate() {
        // Where the first one that fits is taken, all that can follow still can.
        let found = if at == 0 { rest.starts_with(piece).then_some(0) } else { rest.find(piece) };
        let Some(found) = found else { return false };
        rest = &rest[found + piece.len()..];
    }
    let is_open = last.ends_with('/') || (last.is_empty() && !pieces.is_empty());
    match pieces.is_empty() {
        true => rest.strip_prefix(last).is_some_and(|rest| is_open || rest.is_empty() || rest.starts_with('/')),
        false if is_open => rest.contains(last),
        false => rest.ends_with(last) || rest.contains(&format!("{last}/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::git::{Oid, QuestionGit};
    use crate::permission::{EditUnknown, PermissionFile};

    fn rule(text: &str) -> Rule {
        Rule::parse(text).expect("a rule")
    }

    fn ask(message: &str) -> Ask {
        Ask { message: message.to_owned(), ..Ask::default() }
    }

    fn holds(text: &str, ask: &Ask) -> bool {
        rule(text).holds_for(&Asked::new(ask, &[]))
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

    fn permission(tool: &str, input: &serde_json::Value, folder: &str) -> Ask {
        let question =
            serde_json::json!({"form": "claude_hook", "tool": tool, "input": input.to_string(), "folder": folder});
        let question: crate::PermissionQuestion = serde_json::from_value(question).expect("it is a question");
        question.permission().and_then(|asked| asked.into_ask(None)).expect("it can be asked")
    }

    #[test]
    fn a_permission_is_held_against_all_that_the_tool_is_given() {
        let holds = |text: &str, ask: &Ask| rule(text).holds_for(&Asked::new(ask, &[]));
        let long = format!("{}; deploy --to PRODUCTION", "echo x; ".repeat(2000));
        let command = permission("Bash", &serde_json::json!({ "command": long }), "/w");
        assert!(!command.message.contains("PRODUCTION"), "it stands behind what lists show");
        assert!(holds("L3; words=production", &command), "and counts nevertheless");
        let escaped = Ask {
            permission: command.permission.clone().map(|mut asked| {
                asked.input = r#"{"command":"\u0070roduction"}"#.to_owned();
                asked
            }),
            ..command.clone()
        };
        assert!(holds("L3; words=production", &escaped), "however it is written");
        assert!(!holds("L3; path=deploy/", &command), "a command names no file that is changed");
        let mut edit = permission("Edit", &serde_json::json!({"file_path": "/w/deploy/app.yaml"}), "/w");
        assert!(holds("L3; path=deploy/", &edit), "nobody knows which file an edit changes that can't be read");
        let file = |path: &str, leads_to: Option<&str>| crate::permission::PermissionFile {
            path: path.to_owned(),
            leads_to: leads_to.map(str::to_owned),
            outside: false,
            before: None,
        };
        for (path, leads_to, expected) in [
            ("/w/deploy/app.yaml", None, true),
            ("deploy/app.yaml", None, true),
            ("./deploy/../deploy/app.yaml", Some("/w/deploy/app.yaml"), true),
            ("/w/link", Some("/w/deploy/app.yaml"), true),
            ("/w/src/a.rs", None, false),
        ] {
            edit.permission.as_mut().expect("it is one").files = vec![file(path, leads_to)];
            assert_eq!(holds("L3; path=deploy/", &edit), expected, "{path} {leads_to:?}");
        }
    }

    #[test]
    fn a_file_is_held_against_rules_however_its_path_is_written_and_wherever_the_agent_works() {
        let of = |folder: &str, path: &str, unknown: Option<EditUnknown>| {
            let mut edit = permission("Edit", &serde_json::json!({"file_path": path}), folder);
            let asked = edit.permission.as_mut().expect("it is one");
            asked.files = vec![PermissionFile { path: path.to_owned(), leads_to: None, outside: false, before: None }];
            asked.unknown = unknown;
            edit
        };
        for (folder, path, expected) in [
            ("/w", "./deploy/x", true),
            ("/w", "src/../deploy/x", true),
            ("/w", "/w//deploy/x", true),
            ("/w", " /w/deploy/x ", true),
            ("/w/src", "/w/deploy/x", true),
            ("/w/src", "../deploy/x", true),
            ("/w/deploy", "x", true),
            ("/w/src", "../deployed/x", false),
            ("/w", "deploy/../src/x", false),
        ] {
            let edit = of(folder, path, None);
            assert_eq!(holds("L3; path=deploy/", &edit), expected, "{path:?} in {folder}");
            assert_eq!(holds("L3; path=deploy/x|*/deploy", &edit), expected, "{path:?} in {folder}, by its name");
        }
        let unknown = |why| holds("L3; path=deploy/", &of("/w", "src/x", Some(why)));
        assert!(unknown(EditUnknown::Form), "of a form that nobody reads the files may be any");
        for why in [EditUnknown::LineEnds, EditUnknown::Several, EditUnknown::TooLarge, EditUnknown::Nothing] {
            assert!(!unknown(why), "{why:?}: which file it is is known");
        }
        let pay = |folder: &str, path: &str| holds("L3; repository=/srv/pay", &of(folder, path, None));
        assert!(pay("/srv/shop", "/srv/pay/x") && pay("/srv/shop", "../pay/x"), "a file lies where it lies");
        assert!(!pay("/srv/shop", "x") && !pay("/srv/shop", "/srv/pay/../shop/x"), "and nowhere else");
        let mut nowhere = of("/srv/shop", "x", Some(EditUnknown::Form));
        nowhere.permission.as_mut().expect("it is one").files.clear();
        assert!(holds("L3; repository=/srv/pay", &nowhere), "nobody knows that it isn't there");
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
        let holds = |text: &str, ask: &Ask| rule(text).holds_for(&Asked::new(ask, &["/srv/shop/ui"]));
        let asked = ask("Deploy to PRODUCTION?");
        for (text, does) in [
            ("L3; words=production", true),
            ("L3; words=staging|production", true),
            ("L3; words=staging", false),
            ("L3; words=production; repository=/srv/shop", true),
            ("L3; words=production; repository=/srv/sho", false),
            ("L3; words=production; path=deploy/", false),
            ("L3; repository=/srv/shop/ui", true),
            ("L3; repository=/srv/shop/ui/src", false),
        ] {
            assert_eq!(holds(text, &asked), does, "{text}");
        }
        let shown = of_repository("/srv/pay", "worktree");
        assert!(holds("L3; repository=/srv/pay", &shown), "the repository that is shown");
        assert!(holds("L3; repository=/srv/shop", &shown), "or the folder of who asks");
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
            ("*.tf", "x.tf.d/main.tf", true),
            ("*.tf", "x.tf.d/main.md", false),
            ("*.tf", "modules.tf/main.md", true),
            ("infra/*/prod", "infra/a/production/prod/x", true),
            ("infra/*/prod", "infra/a/production/x", false),
            ("*aa", "aaa", true),
            ("a*a", "a", false),
            ("a*b*c/", "a/b/b/c/d", true),
            ("*/", "a/b", true),
            ("*/", "a", true),
            ("vendor/", "vendor", true),
            ("vendor/", "vendors", false),
            ("vendor/", "a/vendor", false),
            ("libs/*/vendor/", "libs/a/vendor", true),
            ("libs/*/vendor/", "libs/a/vendored", false),
            ("*", "a", true),
        ] {
            assert_eq!(
                holds(&format!("L3; path={pattern}"), &of_files(&["README.md", path])),
                does,
                "{pattern}, {path}"
            );
        }
        assert!(!holds("L3; path=deploy", &ask("deploy")), "nothing is changed");
    }

    #[test]
    fn a_pattern_of_many_stars_is_looked_for_in_a_long_path_at_once() {
        let (path, pattern) = ("a/".repeat(100_000), format!("{}b", "a*".repeat(90)));
        let begun = std::time::Instant::now();
        assert!(!is_below(&path, &pattern), "there is no b");
        // With every star tried everywhere it would take longer than anybody waits.
        assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn words_may_stand_in_whatever_the_person_reads() {
        let offered = |label: &str, description: Option<&str>| {
            let description = description.map(str::to_owned);
            let other = Choice { label: "Later".to_owned(), description: None, recommended: false };
            Ask { options: vec![other, Choice { label: label.to_owned(), description, recommended: true }], ..ask("m") }
        };
        let headed = Ask { title: Some("To Production".to_owned()), ..ask("m") };
        let told = Ask { context: Some("for production".to_owned()), ..ask("m") };
        let changed = Ask { diff: of_files(&["production.md"]).diff, ..ask("m") };
        for asked in [offered("Production", None), offered("Now", Some("to PRODUCTION")), headed, told, changed] {
            assert!(holds("L3; words=production", &asked), "{asked:?}");
        }
        assert!(!holds("L3; words=production", &offered("Now", Some("to staging"))));
    }

    #[test]
    fn a_branch_that_is_not_known_may_be_any() {
        let of = |rule: &str, what: &str| holds(&format!("L3; branch={rule}"), &of_repository("/r", what));
        for what in ["main..topic", "topic..main", "topic...refs/heads/main", "heads/main..topic"] {
            assert!(of("main", what) && of("refs/heads/main", what) && of("origin/main", what), "{what}");
        }
        for what in ["origin/main..topic", "upstream/main..topic", "topic..refs/remotes/up/stream/main"] {
            assert!(of("main", what), "{what}: that of any remote");
        }
        assert!(of("upstream/main", "upstream/main..topic") && !of("upstream/main", "main..topic"));
        for what in ["a..b", "a..refs/heads/b", "domain..topic", "a..refs/heads/topic/main", "refs/heads/cafe..b"] {
            assert!(!of("main", what), "{what}: both are known, and neither is it");
        }
        let oid = "2b".repeat(20);
        for side in [
            &oid,
            &oid[..7],
            "main~0",
            "main^0",
            "main^{commit}",
            "main@{0}",
            "@",
            "@{u}",
            "HEAD",
            "ORIG_HEAD",
            "origin/HEAD",
            "refs/remotes/origin/HEAD",
            "v1.0-3-g2b2b2b2",
            "refs/tags/v1",
            "refs/stash",
            "",
        ] {
            for what in [format!("{side}..topic"), format!("topic..{side}")] {
                assert!(of("main", &what), "{what}: it may be the same commit");
            }
            assert!(!is_branch(side), "{side}");
        }
        assert!(of("main", "worktree") && of("main", "HEAD"));
        for what in ["release/1.0..topic", "topic..refs/heads/release/1.0", "origin/release/1.0..topic"] {
            assert!(of("release/*", what) && of("heads/release/1.0", what) && of("rel*/1.*", what), "{what}");
            assert!(of("origin/release/*", what) && of("refs/heads/release/*", what), "{what}, however it is written");
            assert!(!of("release/2*", what) && !of("release", what) && !of("*/2.0", what), "{what}");
        }
        assert!(!of("release/*", "prerelease/1..topic") && !of("release/*", "refs/heads/old/release/1..topic"));
        assert!(of("heads/main", "main..topic") && of("*", "a..b"));
        assert!(holds("L3; branch=main", &ask("m")), "no repository is named");
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
