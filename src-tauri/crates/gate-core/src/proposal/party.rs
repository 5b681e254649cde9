//! Parties: acts that count as one. Nobody reviews their own, and N approvals are N parties.
//!
//! What is known of a caller comes from the kernel and from tokens, never from an argument. Two processes of one agent
//! are one party, and so are an agent and what it starts.

use serde::{Deserialize, Serialize};

use crate::ask::excerpt;
use crate::fault::{Code, Fault};
use crate::owner::{Owner, OwnerId, Process};

/// How the keys of the person's own programs begin; nobody else's do.
pub const POOL: &str = "pool ";
/// Bytes of a name that is shown as it is.
const NAME_BYTES: usize = 60;
/// How others than agents are called, and roles, by their letters alone.
const OTHERS: [&str; 13] = [
    "",
    "you",
    "me",
    "user",
    "human",
    "person",
    "developer",
    "owner",
    "admin",
    "gate",
    "reviewer",
    "proposer",
    "system",
];
/// What is in their names, or in what is told of them.
const NAME_OTHERS: [&str; 8] =
    ["theperson", "theuser", "thegate", "reviewgate", "inthewindow", "ataterminal", "anagent", "given"];
/// How the person's own programs are called.
const NAME_POOL: &str = "pool";

/// Whoever acts on a review, with all that says whether two of them are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    /// Names it in the record: the owner's identifier, as it is stored.
    pub key: String,
    /// What its heirs have in common with it; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heirs: Option<String>,
    /// What the client calls itself.
    pub client: String,
    /// The folder that it works in.
    pub workspace: String,
    /// Whom several tokens belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The processes above its own, the nearest first, each as its number and its beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<Ancestor>,
    /// Whether the system says nothing of who started it.
    #[serde(default)]
    pub unseen: bool,
    /// What its token lets it do.
    #[serde(default, skip_serializing_if = "May::is_both")]
    pub may: May,
    /// Whether whoever started it has ended, or is the system or the first process of a sandbox.
    #[serde(default)]
    pub adrift: bool,
    /// Its process's control group, by the system's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_of_process: Option<String>,
}

/// What a token lets its client do besides reading and commenting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct May {
    /// Propose changes, and what else is a proposer's.
    pub propose: bool,
    /// Review those of others.
    pub review: bool,
}

impl Default for May {
    fn default() -> Self {
        Self { propose: true, review: true }
    }
}

impl May {
    /// The words for both, in their order.
    pub const WORDS: [&str; 2] = ["propose", "review"];

    /// That of these words.
    ///
    /// # Errors
    /// `invalid_input` for another word, and for none.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, Fault> {
        let mut may = Self { propose: false, review: false };
        for word in words {
            match word {
                "propose" => may.propose = true,
                "review" => may.review = true,
                other => {
                    return Err(Fault::new(
                        Code::InvalidInput,
                        format!("A token can't let its client {:?}.", excerpt(other, NAME_BYTES)),
                        format!("Use one of: {}, or both.", Self::WORDS.join(", ")),
                    ));
                }
            }
        }
        if may.propose || may.review {
            return Ok(may);
        }
        Err(Fault::new(
            Code::InvalidInput,
            "It isn't said what the token lets its client do.",
            format!("Name one of: {}, or both.", Self::WORDS.join(", ")),
        ))
    }

    /// Its words.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().zip([self.propose, self.review]).filter(|(_, may)| *may).map(|(word, _)| word)
    }

    /// Whether it is both.
    #[must_use]
    pub fn is_both(&self) -> bool {
        *self == Self::default()
    }
}

/// A process above a party's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// Its number.
    pub pid: u32,
    /// When it began, in the kernel's words.
    pub began: String,
    /// Whether agents of several parties may be below it: a shell, a terminal, the first process.
    pub shared: bool,
    /// Whether it is the first process of a namespace, as of a sandbox, and takes up whoever in there loses theirs.
    #[serde(default)]
    pub first: bool,
}

impl From<Process> for Ancestor {
    fn from(process: Process) -> Self {
        Self { pid: process.pid, began: process.began, shared: false, first: false }
    }
}

impl Party {
    /// A party of this owner.
    #[must_use]
    pub fn of(owner: &Owner, client: &str, workspace: &str) -> Self {
        Self {
            key: owner.id.to_string(),
            heirs: owner.heirs.clone(),
            client: client.to_owned(),
            workspace: workspace.to_owned(),
            group: None,
            above: Vec::new(),
            unseen: false,
            may: May::default(),
            adrift: false,
            group_of_process: None,
        }
    }

    /// Whether it may comment only on its own proposals, or on those of others.
    #[must_use]
    pub fn comments_only(&self, on_own: bool) -> bool {
        self.unseen || !(if on_own { self.may.propose } else { self.may.review })
    }

    /// Its owner's identifier.
    #[must_use]
    pub fn owner(&self) -> Option<OwnerId> {
        OwnerId::parse(&self.key)
    }

    /// Its own process, where it has one.
    #[must_use]
    pub fn process(&self) -> Option<Process> {
        match self.owner() {
            Some(OwnerId::Process(process)) => Some(process),
            _ => None,
        }
    }

    /// What a person or another agent reads of it: what the client calls itself, else the name of its token. One that calls
    /// itself as others than agents are called, or in letters that look like theirs, is said to.
    #[must_use]
    pub fn label(&self) -> String {
        match (self.client.is_empty(), self.owner()) {
            (false, _) if self.key.starts_with(POOL) => self.client.clone(),
            (false, _) => called(&self.client),
            (true, Some(OwnerId::Token(name))) => called(&name),
            (true, _) => "an agent".to_owned(),
        }
    }

    /// Whether the two are one. `has_ended` says whether a process is no more.
    #[must_use]
    pub fn is_one_with(&self, other: &Self, has_ended: impl Fn(&Process) -> bool) -> bool {
        if self.key == other.key || self.goes_on_for(other, &has_ended) || other.goes_on_for(self, &has_ended) {
            return true;
        }
        if self.group.is_some() && self.group == other.group {
            return true;
        }
        self.is_below(other)
            || other.is_below(self)
            || self.has_the_parent_of(other)
            || self.drifted_from(other)
            || other.drifted_from(self)
    }

    /// Whether it goes on in the place of another one, which is no more.
    #[must_use]
    pub fn goes_on_for(&self, other: &Self, has_ended: impl Fn(&Process) -> bool) -> bool {
        self.key == other.key
            || (self.heirs.is_some() && self.heirs == other.heirs && other.process().is_some_and(|own| has_ended(&own)))
    }

    /// Whether the other one's process is above its own.
    fn is_below(&self, other: &Self) -> bool {
        let Some(own) = other.process() else { return false };
        self.above.iter().any(|above| above.pid == own.pid && above.began == own.began)
    }

    /// Whether it may have come from the other one, since nobody knows whom it came from: both are in one sandbox, else in
    /// one control group.
    fn drifted_from(&self, other: &Self) -> bool {
        if !self.adrift {
            return false;
        }
        match self.above.first().filter(|above| above.first) {
            Some(first) => other.above.iter().any(|above| (above.pid, &above.began) == (first.pid, &first.began)),
            None => self.group_of_process.is_some() && self.group_of_process == other.group_of_process,
        }
    }

    /// Whether the same process started both, as one program. An agent that starts several of itself is one party; two
    /// agents in one terminal aren't, nor are two tabs of it.
    fn has_the_parent_of(&self, other: &Self) -> bool {
        let parent = |party: &Self| party.above.first().filter(|above| !above.shared).cloned();
        self.client == other.client && parent(self).is_some() && parent(self) == parent(other)
    }
}

/// Adds a party to those that are known, unless it is one with any of them. `has_ended` says whether a process is no more.
pub fn add_party(known: &mut Vec<Party>, party: Party, has_ended: impl Fn(&Process) -> bool) {
    if !known.iter().any(|other| other.is_one_with(&party, &has_ended)) {
        known.push(party);
    }
}

/// An agent by its own name, of which nobody takes it for the person or the gate.
fn called(name: &str) -> String {
    let plain = name.len() <= NAME_BYTES && name.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).map(looks_like).collect();
    let is_anothers = OTHERS.contains(&letters.as_str())
        || NAME_OTHERS.iter().any(|other| letters.contains(other))
        || letters.starts_with(NAME_POOL)
        || name.contains("(L");
    match plain && !is_anothers {
        true => name.to_owned(),
        false => format!("an agent that calls itself “{}”", excerpt(name, NAME_BYTES)),
    }
}

/// The letter that somebody reads.
fn looks_like(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'l',
        '3' => 'e',
        '5' => 's',
        c => c.to_ascii_lowercase(),
    }
}

/// How a caller stands to one review at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// It is one with whoever proposed it.
    pub proposer: bool,
    /// It has the claim.
    pub holder: bool,
    /// It had a claim on this round and lost it, this often.
    pub lost: u32,
    /// It had a claim on any of its rounds and lost it.
    pub has_lost: bool,
    /// It has approved this round.
    pub approved: bool,
    /// The review is kept for it, as long as it is kept.
    pub reserved: bool,
    /// Claims that it holds on other reviews.
    pub claims: u32,
    /// It may comment only: nobody can tell whose party it is, or its token says so.
    pub comments_only: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Process {
        Process { pid, began: format!("boot {pid}") }
    }

    fn of_process(pid: u32, client: &str, folder: &str, above: &[u32]) -> Party {
        let mut party = Party::of(&Owner::of_process(process(pid), client, folder), client, folder);
        party.above = above.iter().map(|pid| process(*pid).into()).collect();
        party
    }

    fn token(name: &str, group: Option<&str>) -> Party {
        let mut party = Party::of(&OwnerId::Token(name.to_owned()).into(), "codex", "");
        party.group = group.map(str::to_owned);
        party
    }

    #[test]
    fn nobody_is_taken_for_the_person_or_the_gate_by_their_name() {
        for name in ["claude-code", "codex", "Cursor", "Visual Studio Code", "gemini-cli-mcp-client", "poule"] {
            assert_eq!(of_process(1, name, "/w", &[]).label(), name);
        }
        for name in [
            "the person",
            "The  Person ✓",
            "the gate",
            "You",
            "pool/codex",
            "рerson",
            "given in the window",
            "***",
            "By the person in the window (L1)",
            "You, in the window",
            "the pers0n",
            "XY (L2)",
        ] {
            let label = of_process(1, name, "/w", &[]).label();
            assert!(label.starts_with("an agent that calls itself “"), "{name}: {label}");
        }
        assert!(token("the person", None).label() == "codex", "a client's own name goes first");
        let nameless = Party { client: String::new(), ..token("the person", None) };
        assert!(nameless.label().starts_with("an agent that"), "the name of a token is somebody's choice, too");
        let pool = Party { key: format!("{POOL}codex"), client: "pool/codex".to_owned(), ..nameless };
        assert_eq!(pool.label(), "pool/codex", "but the person's own programs are what they are");
    }

    #[test]
    fn a_token_lets_its_client_propose_review_or_do_both() {
        for (words, own, others) in
            [(&["propose"][..], false, true), (&["review"], true, false), (&["review", "propose"], false, false)]
        {
            let may = May::of_words(words.iter().copied()).unwrap();
            let party = Party { may, ..token("ci", None) };
            assert_eq!((party.comments_only(true), party.comments_only(false)), (own, others), "{words:?}");
            assert_eq!(May::of_words(may.words()), Ok(may));
        }
        let unseen = Party { unseen: true, ..token("ci", None) };
        assert!(unseen.comments_only(true) && unseen.comments_only(false), "nobody knows whose it is");
        for wrong in [&["approve"][..], &[]] {
            assert_eq!(May::of_words(wrong.iter().copied()).map_err(|fault| fault.code), Err(Code::InvalidInput));
        }
    }

    #[test]
    fn what_counts_as_one_party() {
        let claude = of_process(10, "claude-code", "/w", &[5]);
        let mut in_terminal = [of_process(20, "claude-code", "/w", &[7]), of_process(21, "claude-code", "/w", &[7])];
        for party in &mut in_terminal {
            party.above[0].shared = true;
        }
        let placed = |party: Party, group: &str| Party { group_of_process: Some(group.to_owned()), ..party };
        let adrift = |party: Party| Party { adrift: true, ..party };
        let in_scope = placed(of_process(30, "claude-code", "/w", &[7]), "/a.scope");
        let mut boxed = [
            adrift(of_process(40, "claude-code", "/w", &[9, 8])),
            adrift(of_process(41, "codex", "/w", &[9, 8])),
            of_process(42, "opencode", "/w", &[43, 9, 8]),
            adrift(of_process(44, "codex", "/w", &[45, 8])),
        ];
        for party in &mut boxed {
            *party = placed(party.clone(), "/a.scope");
            for above in &mut party.above {
                above.first = matches!(above.pid, 9 | 45);
            }
        }
        for (one, other, ended, expected, why) in [
            (&claude, &claude, false, true, "itself"),
            (
                &in_scope,
                &adrift(placed(of_process(31, "codex", "/w", &[]), "/a.scope")),
                false,
                true,
                "one of its group",
            ),
            (
                &in_scope,
                &adrift(placed(of_process(31, "codex", "/w", &[]), "/b.scope")),
                false,
                false,
                "of another group",
            ),
            (
                &in_scope,
                &placed(of_process(31, "codex", "/w", &[6]), "/a.scope"),
                false,
                false,
                "who knows its parents",
            ),
            (&claude, &adrift(of_process(31, "codex", "/w", &[])), false, false, "where no group is known"),
            (&boxed[0], &boxed[1], false, true, "another in its sandbox"),
            (&boxed[1], &boxed[2], false, true, "wherever in there"),
            (&boxed[0], &boxed[3], false, false, "one in another sandbox"),
            (&in_scope, &boxed[0], false, false, "one outside"),
            (&claude, &of_process(11, "codex", "/w", &[10, 5]), false, true, "what it started"),
            (&claude, &of_process(11, "codex", "/w", &[12, 10, 5]), false, true, "what that one started"),
            (
                &claude,
                &of_process(11, "claude-code", "/w", &[5]),
                false,
                true,
                "another of it that the same one started",
            ),
            (&claude, &of_process(11, "codex", "/w", &[5]), false, false, "another agent that the same one started"),
            (&claude, &of_process(11, "claude-code", "/w", &[6]), false, false, "another one beside it"),
            (&claude, &of_process(11, "claude-code", "/w", &[6]), true, true, "the next one after it"),
            (&claude, &of_process(11, "claude-code", "/other", &[6]), true, false, "one elsewhere after it"),
            (&in_terminal[0], &in_terminal[1], false, false, "two of it that one terminal started"),
            (&token("a", None), &token("a", None), false, true, "one token"),
            (&token("a", None), &token("b", None), false, false, "two tokens"),
            (&token("a", Some("me")), &token("b", Some("me")), false, true, "two tokens of one owner"),
            (&token("a", Some("me")), &token("b", Some("you")), false, false, "of two owners"),
            (&claude, &token("a", None), true, false, "a process and a token"),
        ] {
            assert_eq!(one.is_one_with(other, |_| ended), expected, "{why}: {one:?} and {other:?}");
            assert_eq!(other.is_one_with(one, |_| ended), expected, "the other way round, {why}");
        }
        let mut known = Vec::new();
        for party in [claude.clone(), token("a", None), claude.clone(), token("b", None)] {
            add_party(&mut known, party, |_| false);
        }
        assert_eq!(known, [claude.clone(), token("a", None), token("b", None)], "each counts once");
        let again = Process { pid: 10, began: "a later boot".to_owned() };
        let mut late = of_process(11, "codex", "/w", &[]);
        late.above = vec![again.into()];
        assert!(!claude.is_one_with(&late, |_| false), "a number that came again is another process");
    }
}
