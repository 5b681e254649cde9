//! Whether all that is built keeps to the licences, bans and sources of `deny.toml`. cargo-deny holds the same and
//! the advisories, but takes minutes to be built where it is missing, and a network for the advisories.

use std::iter::Peekable;
use std::process::Command;
use std::str::SplitWhitespace;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::Violation;
use crate::process::{cargo, output};
use crate::workspace::Workspace;

const LISTS: &str = "deny.toml";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// What is held of each part of the lists; another word in one of them would stand there in vain. The confidence is
/// about texts of licences, which aren't read here.
const HELD: [(&str, &[&str]); 3] = [
    ("licenses", &["allow", "exceptions", "private", "confidence-threshold"]),
    ("bans", &["multiple-versions", "wildcards", "allow-wildcard-paths", "deny"]),
    ("sources", &["unknown-registry", "unknown-git"]),
];

/// What `cargo metadata` says of all crates, as far as the lists are about it.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Crate>,
}

#[derive(Deserialize)]
struct Crate {
    name: String,
    version: String,
    license: Option<String>,
    /// Absent for a crate of this workspace.
    source: Option<String>,
    /// The registries that it may be published in; absent for any.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    path: Option<String>,
}

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Violation>> {
    let text = std::fs::read_to_string(workspace.root.join(LISTS)).with_context(|| format!("can't read {LISTS}"))?;
    let lists = Lists::read(&text)?;
    let metadata: Metadata = serde_json::from_str(&metadata(workspace, &lists)?).context("`cargo metadata` is JSON")?;
    let rules = lists.broken(&metadata.packages).into_iter();
    Ok(rules.map(|rule| Violation { path: "Cargo.lock".to_owned(), line: None, rule }).collect())
}

/// Of all systems that the lists name. Where the crates of others can't be had, of this one.
fn metadata(workspace: &Workspace, lists: &Lists) -> Result<String> {
    let of = |targets: &[&str]| {
        let mut command = cargo(&workspace.root, ["metadata", "--format-version", "1", "--all-features"]);
        output(command.args(targets.iter().flat_map(|target| ["--filter-platform", *target])))
    };
    of(&texts(&lists.0["graph"]["targets"])).or_else(|error| {
        println!("only what is built on this system is compared with {LISTS}: {error:#}");
        let this = output(Command::new("rustc").args(["--print", "host-tuple"]))?;
        of(&[this.trim()])
    })
}

/// `deny.toml`.
struct Lists(Value);

impl Lists {
    fn read(text: &str) -> Result<Self> {
        let lists: Value = toml::from_str(text).with_context(|| format!("{LISTS} is no TOML"))?;
        for (part, held) in HELD {
            let mut words = lists[part].as_object().into_iter().flat_map(|part| part.keys());
            if let Some(other) = words.find(|word| !held.contains(&word.as_str())) {
                bail!("{LISTS} says {part}.{other}, which xtask's tidy/allowed.rs doesn't hold: teach it");
            }
        }
        Ok(Self(lists))
    }

    fn denies(&self, part: &str, word: &str) -> bool {
        self.0[part][word] == "deny"
    }

    /// The rules that these crates break.
    fn broken(&self, crates: &[Crate]) -> Vec<String> {
        let mut broken = Vec::new();
        for one in crates {
            let mut rule = |holds: bool, says: &str| {
                if !holds {
                    broken.push(format!("{} {}: {says}", one.name, one.version));
                }
            };
            let licence = one.license.as_deref().unwrap_or("no licence that it names");
            rule(self.is_licensed(one), &format!("{LISTS} doesn't allow {licence}"));
            let banned = entries(&self.0["bans"]["deny"]).find(|entry| entry["crate"] == one.name.as_str());
            rule(banned.is_none(), &format!("banned: {}", banned.unwrap_or(&Value::Null)["reason"]));
            let versions = crates.iter().filter(|other| other.name == one.name).count();
            rule(versions == 1 || !self.denies("bans", "multiple-versions"), "there are other versions of it");
            let source = one.source.as_deref();
            let is_git = source.is_some_and(|source| source.starts_with("git+"));
            let kind = if is_git { "unknown-git" } else { "unknown-registry" };
            let is_known = source.is_none_or(|source| source == CRATES_IO);
            rule(is_known || !self.denies("sources", kind), &format!("it comes from {}", source.unwrap_or_default()));
            for other in one.dependencies.iter().filter(|other| source.is_none() && other.req == "*") {
                let may_be = other.path.is_some() && self.0["bans"]["allow-wildcard-paths"] == true;
                let says = format!("it takes any version of {}", other.name);
                rule(may_be || !self.denies("bans", "wildcards"), &says);
            }
        }
        broken
    }

    fn is_licensed(&self, one: &Crate) -> bool {
        let lists = &self.0["licenses"];
        let is_private = one.source.is_none() && one.publish.as_ref().is_some_and(Vec::is_empty);
        let exceptions = entries(&lists["exceptions"]).filter(|entry| entry["crate"] == one.name.as_str());
        let allowed: Vec<&str> = exceptions.chain([lists]).flat_map(|list| texts(&list["allow"])).collect();
        (is_private && lists["private"]["ignore"] == true)
            || one.license.as_deref().is_some_and(|licences| is_met(licences, &allowed))
    }
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn texts(list: &Value) -> Vec<&str> {
    entries(list).filter_map(Value::as_str).collect()
}

/// Whether allowed licences are enough for an SPDX expression. In old ones, a stroke stands for OR.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any_of(&mut words, allowed) && words.next().is_none()
}

type Words<'a> = Peekable<SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut met = one_of(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one_of(words, allowed);
    }
    met
}

fn one_of(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let Some(word) = words.next() else { return false };
    if word == "(" {
        let met = any_of(words, allowed);
        return words.next() == Some(")") && met;
    }
    match words.next_if_eq(&"WITH").and_then(|_| words.next()) {
        Some(exception) => allowed.contains(&format!("{word} WITH {exception}").as_str()),
        None => allowed.contains(&word),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const REAL: &str = include_str!("../../../../../deny.toml");

    fn broken(packages: Value) -> Vec<String> {
        let made_up: Metadata = serde_json::from_value(json!({"packages": packages})).expect("made-up metadata");
        Lists::read(REAL).expect("every word of it is held").broken(&made_up.packages)
    }

    fn named(name: &str, licence: Option<&str>, source: Option<&str>) -> Value {
        json!({
            "name": name, "version": "1.0.0", "license": licence, "source": source, "publish": null, "dependencies": [],
        })
    }

    #[test]
    fn a_licence_has_to_be_allowed_for_the_crate() {
        let of = |name: &str, licence: &str| broken(json!([named(name, Some(licence), Some(CRATES_IO))])).len();
        let with = "Apache-2.0 WITH LLVM-exception AND ISC";
        for good in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0", with] {
            assert_eq!(of("a", good), 0, "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR LGPL-3.0) AND MIT", "MIT)", "", "MIT WITH ODDITIES"] {
            assert_eq!(of("a", bad), 1, "{bad}");
        }
        assert_eq!((of("notify", "CC0-1.0"), of("a", "CC0-1.0")), (0, 1), "an exception is for one crate");
        assert_eq!(broken(json!([named("a", None, Some(CRATES_IO))])).len(), 1, "it has to name one");
        let mut ours = named("ours", None, None);
        ours["publish"] = json!([]);
        assert_eq!(broken(json!([ours])), Vec::<String>::new(), "what is never published needs none");
    }

    #[test]
    fn bans_and_sources_hold() {
        let from = |source: &str| broken(json!([named("a", Some("MIT"), Some(source))]));
        assert_eq!(from("git+https://git.example/a#1"), ["a 1.0.0: it comes from git+https://git.example/a#1"]);
        assert_eq!(from("registry+https://crates.example").len(), 1, "another registry");
        let banned = broken(json!([named("openssl-sys", Some("MIT"), Some(CRATES_IO))]));
        assert_eq!(banned, ["openssl-sys 1.0.0: banned: \"TLS, where it is ever needed, is rustls\""]);
        let mut ours = named("ours", Some("MIT"), None);
        ours["dependencies"] = json!([
            {"name": "near", "req": "*", "path": "../near"},
            {"name": "wild", "req": "*", "path": null},
            {"name": "tame", "req": "^1", "path": null},
        ]);
        assert_eq!(broken(json!([ours])), ["ours 1.0.0: it takes any version of wild"]);
    }

    #[test]
    fn a_word_that_nothing_holds_is_an_error() {
        let more = REAL.replace("[sources]", "[sources]\nrequired-git-spec = \"tag\"");
        assert!(Lists::read(&more).is_err(), "it would stand there in vain");
    }
}
