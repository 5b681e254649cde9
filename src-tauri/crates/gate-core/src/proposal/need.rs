//! What an approval of a round takes, and the person's rules for it.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::require::{is_like, is_of};

/// What stands between the parts of a rule.
const BETWEEN: char = ';';
/// What stands between words of which one is enough.
const OR: char = '|';
/// Agents that a rule may ask for at most.
pub const AGENTS: u32 = 10;

/// Who has to approve a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Need {
    /// So many parties besides the proposer.
    pub agents: u32,
    /// The person.
    pub person: bool,
}

impl Need {
    /// Where no rule fits: one agent.
    pub const AGENT: Self = Self { agents: 1, person: false };

    /// The largest number, and the person where either has them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { agents: self.agents.max(other.agents), person: self.person || other.person }
    }

    /// Reads what [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "agent" => Some(Self::AGENT),
            "person" => Some(Self { agents: 0, person: true }),
            "agent+person" => Some(Self { agents: 1, person: true }),
            _ => {
                let agents = text.strip_prefix("agents:")?.parse().ok()?;
                (1..=AGENTS).contains(&agents).then_some(Self { agents, person: false })
            }
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.agents, self.person) {
            (0, _) => f.write_str("person"),
            (1, false) => f.write_str("agent"),
            (1, true) => f.write_str("agent+person"),
            (agents, false) => write!(f, "agents:{agents}"),
            (agents, true) => write!(f, "agents:{agents}+person"),
        }
    }
}

/// What of a round rules look at. Paths and what changes are as the gate finds them; the category is the proposer's word.
#[derive(Debug, Clone, Copy)]
pub struct Rounded<'a> {
    /// Paths of both sides of every file, from the repository's top.
    pub paths: &'a [String],
    /// Whether it changes a link, a submodule, a mode or a `.gitattributes`, which may be about any path.
    pub any_path: bool,
    /// Lines that are added or taken away.
    pub lines: u64,
    /// The repository's top folder, where there is one.
    pub repository: Option<&'a str>,
    /// The folder that the proposer works in.
    pub workspace: &'a str,
    /// What the proposer's client calls itself.
    pub proposer: &'a str,
    /// The proposer's category.
    pub category: Option<&'a str>,
}

/// A rule for some rounds, as it is written: `person; path=migrations/|*.sql`, `agents:2; lines=400; repository=/srv/pay`.
/// It fits where each of its parts does, and a part where one of its words does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRule {
    /// What a round needs that it fits.
    pub need: Need,
    /// What a changed file is, or is below; with `*` for anything.
    path: Vec<String>,
    /// Folders: of the repository or that the proposer works in; or folders above it.
    repository: Vec<String>,
    /// What the proposer's client calls itself; with `*` for anything.
    proposer: Vec<String>,
    /// The proposer's category; only where the rule needs the person, since the word is the proposer's.
    category: Vec<String>,
    /// More changed lines than this.
    lines: Option<u64>,
}

impl ReviewRule {
    /// Reads a rule.
    ///
    /// # Errors
    /// What a rule is, where this is none.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "who has to approve and what, as in person; path=migrations/|*.sql or agents:2; lines=400";
        const OWN_WORD: &str = "a category is the proposer's own word: only a rule with person may go by it";
        let mut parts = text.split(BETWEEN).map(str::trim);
        let need = parts.next().and_then(Need::parse).ok_or(FORM)?;
        let mut rule = Self { need, path: vec![], repository: vec![], proposer: vec![], category: vec![], lines: None };
        for part in parts {
            let (name, value) = part.split_once('=').ok_or(FORM)?;
            let words: Vec<_> = value.split(OR).map(str::trim).map(str::to_owned).collect();
            let of = match name.trim() {
                "path" => &mut rule.path,
                "repository" => &mut rule.repository,
                "proposer" => &mut rule.proposer,
                "category" => &mut rule.category,
                "lines" if rule.lines.is_none() => {
                    rule.lines = Some(value.trim().parse().map_err(|_| FORM)?);
                    continue;
                }
                _ => return Err(FORM),
            };
            if !of.is_empty() || words.iter().any(String::is_empty) || text.contains(char::is_control) {
                return Err(FORM);
            }
            *of = words;
        }
        if !rule.category.is_empty() && !rule.need.person {
            return Err(OWN_WORD);
        }
        Ok(rule)
    }

    /// Whether it fits a round.
    #[must_use]
    pub fn fits(&self, round: &Rounded<'_>) -> bool {
        let any =
            |words: &[String], fits: &dyn Fn(&str) -> bool| words.is_empty() || words.iter().any(|word| fits(word));
        let is_in = |folder: &str| {
            let mut of = round.repository.into_iter().chain([round.workspace]);
            of.any(|of| !of.is_empty() && Path::new(of).starts_with(Path::new(folder)))
        };
        let is_changed = |pattern: &str| round.any_path || round.paths.iter().any(|path| is_of(path, pattern));
        any(&self.path, &is_changed)
            && any(&self.repository, &is_in)
            && any(&self.proposer, &|name| is_like(&round.proposer.to_lowercase(), &name.to_lowercase()))
            && any(&self.category, &|name| round.category.is_some_and(|own| is_like(own, name)))
            && self.lines.is_none_or(|lines| round.lines > lines)
    }

    /// Whether it asks for no less than another one, wherever that one does.
    #[must_use]
    pub fn keeps(&self, other: &Self) -> bool {
        self.need.and(other.need) == self.need && Self { need: other.need, ..self.clone() } == *other
    }
}

impl fmt::Display for ReviewRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.need)?;
        let parts = [
            ("path", &self.path),
            ("repository", &self.repository),
            ("proposer", &self.proposer),
            ("category", &self.category),
        ];
        for (name, words) in parts.into_iter().filter(|(_, words)| !words.is_empty()) {
            write!(f, "{BETWEEN} {name}={}", words.join(&OR.to_string()))?;
        }
        self.lines.map_or(Ok(()), |lines| write!(f, "{BETWEEN} lines={lines}"))
    }
}

/// What a round needs: the most that any of the rules asks for that fit it, and one agent where none does.
#[must_use]
pub fn needed(rules: &[ReviewRule], round: &Rounded<'_>) -> Need {
    let fitting = rules.iter().filter(|rule| rule.fits(round)).map(|rule| rule.need);
    fitting.reduce(Need::and).unwrap_or(Need::AGENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<'a>(paths: &'a [String]) -> Rounded<'a> {
        Rounded {
            paths,
            any_path: false,
            lines: 10,
            repository: Some("/srv/shop"),
            workspace: "/srv/shop/ui",
            proposer: "claude-code",
            category: Some("security"),
        }
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in [
            "agent",
            "person; path=migrations/|*.sql",
            "agents:2; repository=/srv/pay; lines=400",
            "agent+person; proposer=codex; category=security",
        ] {
            assert_eq!(ReviewRule::parse(text).map(|rule| rule.to_string()).as_deref(), Ok(text));
        }
        for text in
            ["", "nobody", "agents:0", "agents:11", "path=x", "agent; path", "agent; path=", "agent; colour=red"]
        {
            assert!(ReviewRule::parse(text).is_err(), "{text:?}");
        }
        let own_word = ReviewRule::parse("agent; category=docs").err();
        assert!(own_word.is_some_and(|why| why.contains("own word")), "who proposes would choose their own rule");
    }

    #[test]
    fn the_need_is_the_most_of_all_rules_that_fit() {
        let paths = ["src/a.rs".to_owned(), "migrations/1.sql".to_owned()];
        let rules =
            |texts: &[&str]| -> Vec<_> { texts.iter().filter_map(|text| ReviewRule::parse(text).ok()).collect() };
        let needed = |texts: &[&str], round: &Rounded<'_>| needed(&rules(texts), round).to_string();
        let all = round(&paths);
        assert_eq!(needed(&[], &all), "agent", "without a rule, one agent");
        assert_eq!(needed(&["person; path=docs/"], &all), "agent", "where none fits, too");
        assert_eq!(needed(&["person; path=migrations/"], &all), "person", "a rule may do without agents");
        assert_eq!(needed(&["person; path=migrations/", "agents:2; path=src/"], &all), "agents:2+person");
        assert_eq!(needed(&["agents:2; lines=10"], &all), "agent", "no more than ten lines");
        assert_eq!(needed(&["agents:2; lines=9"], &all), "agents:2");
        assert_eq!(needed(&["person; repository=/srv/shop"], &all), "person");
        assert_eq!(needed(&["person; proposer=Claude*"], &all), "person");
        assert_eq!(needed(&["person; category=security"], &all), "person");
        let link = Rounded { any_path: true, ..all };
        assert_eq!(needed(&["person; path=docs/"], &link), "person", "a link may lead anywhere");
    }
}
