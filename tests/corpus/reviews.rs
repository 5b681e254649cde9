//! What may be done with a review and what follows: the tables of the broker's design, written down as data, and a small
//! model that walks along them. Compiled into the tests of each crate that has to keep to them, and knows no type of any.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Where a review stands: its status, and two of `awaiting_person` that others may not be told apart by: after the
/// person's reply without a decision, and while the person may take their decision back.
pub(crate) const STATES: [&str; 9] =
    ["created", "claimed", "in_discussion", "awaiting_person", "replied", "approved", "rejected", "closed", "deciding"];
const SHORT: [&str; 9] = ["cr", "cl", "di", "aw", "re", "ap", "rj", "xx", "pd"];
/// Who acts: the proposer's party, the holder of the claim, another reviewer, one that may comment only.
pub(crate) const CALLERS: [&str; 6] = ["P", "H", "R", "M", "person", "gate"];
/// What follows. A column for each of [`STATES`]; `=` is that it stays where it is, `weigh` what its approvals come to,
/// `new` that it is claimed where somebody holds it and weighed where nobody does, `back` the same as `weigh` unless only
/// the person could go on; all others are states and refusals.
const TABLE: &str = "
act        who            cr    cl    di    aw    re    ap    rj    xx    pd
claim      P              own   own   own   -     -     -     -     -     busy
claim      H              cl    =     =     -     -     -     -     -     busy
claim      R              cl    held  held  -     -     -     -     -     busy
claim      M              role  held  held  -     -     -     -     -     busy
claim      person,gate    role  role  role  role  role  role  role  role  busy
release    P              -     own   own   -     -     -     -     -     busy
release    H              -     weigh weigh -     -     -     -     -     busy
release    R,M            -     free  free  -     -     -     -     -     busy
release    person,gate    role  role  role  role  role  role  role  role  busy
approve    P              -     own   own   -     -     -     -     -     busy
approve    H              -     weigh weigh -     -     -     -     -     busy
approve    R,M            -     free  free  -     -     -     -     -     busy
approve    person,gate    role  role  role  role  role  role  role  role  busy
reject     P              -     own   own   -     -     -     -     -     busy
reject     H              -     rj    rj    -     -     -     -     -     busy
reject     R,M            -     free  free  -     -     -     -     -     busy
reject     person,gate    role  role  role  role  role  role  role  role  busy
comment    P              -     own   own   -     -     -     -     -     busy
comment    H              -     di    di    -     -     -     -     -     busy
comment    R,M            -     free  free  -     -     -     -     -     busy
comment    person,gate    role  role  role  role  role  role  role  role  busy
escalate   P              -     own   own   -     -     -     -     -     busy
escalate   H              -     aw    aw    -     -     -     -     -     busy
escalate   R,M            -     free  free  -     -     -     -     -     busy
escalate   person,gate    role  role  role  role  role  role  role  role  busy
patch      P              -     own   own   -     -     -     -     -     busy
patch      H              -     di    di    -     -     -     -     -     busy
patch      R,M            -     free  free  -     -     -     -     -     busy
patch      person,gate    role  role  role  role  role  role  role  role  busy
message    P              =     di    di    =     aw    =     =     -     =
message    H,person       =     di    di    =     =     =     =     -     =
message    R,M            =     =     =     =     =     =     =     -     =
message    gate           role  role  role  role  role  role  role  role  role
round      P              new   new   new   new   new   new   new   -     busy
round      H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
round      person,gate    role  role  role  role  role  role  role  role  busy
accept     P,person       new   new   new   new   new   new   new   -     busy
accept     H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
accept     gate           role  role  role  role  role  role  role  role  busy
adopt      P,person       weigh weigh weigh weigh weigh weigh weigh -     busy
adopt      H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
adopt      gate           role  role  role  role  role  role  role  role  busy
turn_down  P,person       =     =     =     =     =     =     =     -     busy
turn_down  H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
turn_down  gate           role  role  role  role  role  role  role  role  busy
close      P,person       xx    xx    xx    xx    xx    xx    xx    -     busy
close      H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
close      gate           role  role  role  role  role  role  role  role  busy
supersede  P              xx    xx    xx    xx    xx    xx    xx    -     busy
supersede  H,R,M          prop  prop  prop  prop  prop  prop  prop  prop  busy
supersede  person,gate    role  role  role  role  role  role  role  role  busy
lose       gate           -     weigh weigh -     -     -     -     -     busy
lose       P,H,R,M,person role  role  role  role  role  role  role  role  busy
unfit      gate           rj    rj    rj    -     -     -     -     -     busy
unfit      P,H,R,M,person role  role  role  role  role  role  role  role  busy
unreviewed gate           =     -     -     -     -     -     -     -     busy
unreviewed P,H,R,M,person role  role  role  role  role  role  role  role  busy
expire     gate           xx    xx    xx    -     xx    xx    xx    -     busy
expire     P,H,R,M,person role  role  role  role  role  role  role  role  busy
raise      gate           =     =     =     =     =     weigh =     =     =
raise      P,H,R,M,person role  role  role  role  role  role  role  role  role
involve    gate           =     =     =     =     =     weigh =     =     =
involve    P,H,R,M,person role  role  role  role  role  role  role  role  role
take       person         aw    aw    aw    aw    aw    aw    aw    -     busy
take       P,H,R,M,gate   role  role  role  role  role  role  role  role  busy
give_back  person         -     -     -     back  back  -     -     -     busy
give_back  P,H,R,M,gate   role  role  role  role  role  role  role  role  busy
yes        person         pd    pd    pd    pd    pd    pd    pd    -     busy
yes        P,H,R,M,gate   role  role  role  role  role  role  role  role  busy
no         person         pd    pd    pd    pd    pd    pd    pd    -     busy
no         P,H,R,M,gate   role  role  role  role  role  role  role  role  busy
settle     gate           -     -     -     -     -     -     -     -     good
settle     P,H,R,M,person role  role  role  role  role  role  role  role  role
undo       person         -     -     -     -     -     -     -     -     aw
undo       P,H,R,M,gate   role  role  role  role  role  role  role  role  role
reply      person         =     =     =     re    re    =     =     -     busy
reply      P,H,R,M,gate   role  role  role  role  role  role  role  role  busy
";
/// The acts: a verdict is four, the person's decision two; `adopt` is accepting a patch that is its author's approval,
/// `raise` that two agents are needed from now on, `involve` that the person is.
pub(crate) const ACTS: [&str; 27] = [
    "claim",
    "release",
    "approve",
    "reject",
    "comment",
    "escalate",
    "patch",
    "message",
    "round",
    "accept",
    "adopt",
    "turn_down",
    "close",
    "supersede",
    "lose",
    "unfit",
    "unreviewed",
    "expire",
    "raise",
    "involve",
    "take",
    "give_back",
    "yes",
    "no",
    "settle",
    "undo",
    "reply",
];
const REFUSALS: [(&str, &str); 8] = [
    ("-", "wrong_state"),
    ("own", "own_proposal"),
    ("held", "already_claimed"),
    ("role", "role_forbidden"),
    ("free", "not_holder"),
    ("prop", "not_proposer"),
    ("busy", "person_deciding"),
    ("late", "claim_lost"),
];
/// The rows by act and caller.
static ROWS: LazyLock<BTreeMap<(&str, &str), Vec<&str>>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.is_empty()).map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.flat_map(|row| row[1].split(',').map(|who| ((row[0], who), row[2..].to_vec())).collect::<Vec<_>>()).collect()
});
/// The cell for an act of a caller where a review stands so.
pub(crate) fn cell(act: &str, caller: &str, state: &str) -> &'static str {
    let column = STATES.iter().position(|known| *known == state).expect("a state of the table");
    let row = ROWS.get(&(act, caller));
    row.unwrap_or_else(|| panic!("the table says nothing of {act} by {caller}"))[column]
}

/// The state that a cell names.
fn named(cell: &str) -> Option<&'static str> {
    SHORT.iter().position(|short| *short == cell).map(|at| STATES[at])
}

/// An identity: number and beginning of its process or name of its token, client, owner of its tokens, numbers of the
/// processes above it.
pub(crate) struct Identity {
    pub(crate) pid: Option<u32>,
    pub(crate) token: &'static str,
    pub(crate) client: &'static str,
    pub(crate) group: Option<&'static str>,
    pub(crate) above: &'static [u32],
}

const fn process(pid: u32, client: &'static str, above: &'static [u32]) -> Identity {
    Identity { pid: Some(pid), token: "", client, group: None, above }
}

const fn token(token: &'static str, group: Option<&'static str>) -> Identity {
    Identity { pid: None, token, client: "gemini-cli", group, above: &[] }
}

/// The proposer; what it started; another one that started with it; the one that comes after it. A reviewer and what it
/// started; two tokens of one owner; another reviewer; one that may comment only.
pub(crate) const IDENTITIES: [Identity; 10] = [
    process(10, "claude-code", &[5]),
    process(11, "codex", &[10, 5]),
    process(12, "claude-code", &[5]),
    process(13, "claude-code", &[6]),
    process(20, "codex", &[7]),
    process(21, "opencode", &[20, 7]),
    token("laptop", Some("me")),
    token("desktop", Some("me")),
    process(30, "gemini-cli", &[8]),
    token("guest", None),
];
/// The process that ends: the proposer's.
pub(crate) const PROPOSER: usize = 0;
const HEIR: usize = 3;
/// Who may comment only.
pub(crate) const GUEST: usize = 9;
const ONE: [(usize, usize); 4] = [(0, 1), (0, 2), (4, 5), (6, 7)];
/// Whether two identities are one party. `ended` says whether the proposer's process has ended.
pub(crate) fn is_one(a: usize, b: usize, ended: bool) -> bool {
    let pair = (a.min(b), a.max(b));
    a == b || ONE.contains(&pair) || (ended && pair == (PROPOSER, HEIR))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Agent(usize),
    Person,
    Gate,
}

/// What a call says of a claim token or a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    Nothing,
    Newest,
    /// The first that it was ever told of.
    First,
}

/// One act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Did {
    pub(crate) who: Who,
    pub(crate) act: &'static str,
    pub(crate) says: Says,
    /// What the rules ask for a next round: so many agents, and the person.
    pub(crate) need: (u32, bool),
    /// Milliseconds since the act before.
    pub(crate) after: i64,
}

/// Numbers that a random act is made of.
pub(crate) type Dice = (u8, u8, u8, u8, u8);
const NEEDS: [(u32, bool); 5] = [(1, false), (1, false), (2, false), (1, true), (0, true)];
const PAUSES: [i64; 5] = [1, 1000, 6000, 40_000, 400_000];
/// For how long the person may take a decision back.
pub(crate) const UNDO: i64 = 5000;
const RESERVED: i64 = 600_000;
/// Where a review stands by the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) now: i64,
    pub(crate) state: &'static str,
    pub(crate) need: (u32, bool),
    pub(crate) sticky: bool,
    pub(crate) round: u32,
    pub(crate) approvals: Vec<usize>,
    pub(crate) approved_by: Option<&'static str>,
    pub(crate) holder: Option<usize>,
    pub(crate) given_round: u32,
    pub(crate) token: u64,
    pub(crate) asked: Option<&'static str>,
    pub(crate) unreviewed: Option<u32>,
    pub(crate) spoke: Option<&'static str>,
    pub(crate) rejected_by: Option<usize>,
    pub(crate) reserved: Option<(usize, i64)>,
    pub(crate) held: Option<(bool, i64)>,
    /// Claims that were lost: whose, and of which round.
    pub(crate) lost: Vec<(usize, u32)>,
    /// Claim tokens that were given, in their order.
    pub(crate) tokens: Vec<(usize, u64)>,
    /// Verdicts that were given: whose, on which round, and which.
    pub(crate) verdicts: Vec<(usize, u32, &'static str)>,
    /// The authors of patches that are open, and whether accepting one is its author's approval.
    pub(crate) patches: Vec<(usize, bool)>,
    pub(crate) ended: bool,
}

impl Model {
    /// A review that was just submitted.
    pub(crate) fn new(need: (u32, bool), now: i64) -> Self {
        Self {
            now,
            state: "created",
            need,
            sticky: false,
            round: 1,
            approvals: Vec::new(),
            approved_by: None,
            holder: None,
            given_round: 0,
            token: 0,
            asked: None,
            unreviewed: None,
            spoke: None,
            rejected_by: None,
            reserved: None,
            held: None,
            lost: Vec::new(),
            tokens: Vec::new(),
            verdicts: Vec::new(),
            patches: Vec::new(),
            ended: false,
        }
    }

    /// Its status, as it is told.
    pub(crate) fn status(&self) -> &'static str {
        if matches!(self.state, "replied" | "deciding") { "awaiting_person" } else { self.state }
    }

    /// Whose turn it is.
    pub(crate) fn turn(&self) -> &'static str {
        match (self.state, self.spoke) {
            ("created" | "claimed", _) | ("in_discussion", Some("proposer")) => "reviewer",
            ("awaiting_person" | "deciding", _) => "person",
            ("closed", _) => "nobody",
            _ => "proposer",
        }
    }

    /// The random act that these numbers make here. Some are made by whoever can do something.
    pub(crate) fn dice(&self, (who, act, says, need, after): Dice) -> Did {
        let proposer = if self.ended { HEIR } else { PROPOSER };
        let who = match usize::from(who % 20) {
            agent @ 0..10 if agent != PROPOSER || !self.ended => Who::Agent(agent),
            0..=11 => Who::Agent(proposer),
            12 | 13 => Who::Person,
            14 => Who::Gate,
            _ => Who::Agent(self.holder.unwrap_or(if says % 2 == 0 { 4 } else { 8 })),
        };
        // What a caller of this kind can do is more often tried than what it can't.
        let own =
            |act: &&&'static str| !matches!(cell(act, self.caller(who), self.state), "role" | "-" | "prop" | "busy");
        let likely: Vec<_> = ACTS.iter().filter(own).copied().collect();
        let from = if need < 200 && !likely.is_empty() { likely.as_slice() } else { &ACTS };
        // An end is rare, so that there is something to end.
        let act = match from[usize::from(act) % from.len()] {
            "close" | "supersede" | "expire" if after > 20 => "message",
            "accept" | "adopt" | "turn_down" if self.patches.is_empty() => "message",
            "turn_down" if after % 4 == 0 => "turn_down",
            // Nobody's own approval counts, even if it wasn't their own when they offered it.
            "accept" | "adopt" | "turn_down" => match self.patches.last() {
                Some((author, true)) if !is_one(*author, PROPOSER, self.ended && who != Who::Person) => "adopt",
                _ => "accept",
            },
            act => act,
        };
        let says = [Says::Nothing, Says::Nothing, Says::Newest, Says::Newest, Says::First][usize::from(says) % 5];
        Did {
            who,
            act,
            says,
            need: NEEDS[usize::from(need) % NEEDS.len()],
            after: PAUSES[usize::from(after) % PAUSES.len()],
        }
    }

    /// What kind of caller somebody is.
    pub(crate) fn caller(&self, who: Who) -> &'static str {
        match who {
            Who::Person => "person",
            Who::Gate => "gate",
            Who::Agent(agent) if is_one(agent, PROPOSER, self.ended) => "P",
            Who::Agent(agent) if self.holder == Some(agent) => "H",
            Who::Agent(GUEST) => "M",
            Who::Agent(_) => "R",
        }
    }

    /// The claim token that an agent says.
    pub(crate) fn token_said(&self, who: Who, says: Says) -> Option<u64> {
        let mut own = self.tokens.iter().filter(|(agent, _)| Who::Agent(*agent) == who).map(|(_, token)| *token);
        match says {
            Says::Nothing => None,
            Says::First => own.next(),
            Says::Newest => own.next_back(),
        }
    }

    /// The round that it says.
    pub(crate) fn round_said(&self, says: Says) -> Option<u32> {
        match says {
            Says::Nothing => None,
            Says::First => Some(1),
            Says::Newest => Some(self.round),
        }
    }

    /// How often somebody lost the claim on the round.
    pub(crate) fn times_lost(&self, agent: usize) -> u32 {
        let lost = self.lost.iter().filter(|(by, round)| is_one(agent, *by, self.ended) && *round == self.round);
        u32::try_from(lost.count()).expect("few claims")
    }

    pub(crate) fn has_lost(&self, agent: usize) -> bool {
        self.lost.iter().any(|(by, _)| is_one(agent, *by, self.ended))
    }

    pub(crate) fn has_approved(&self, agent: usize) -> bool {
        self.approvals.iter().any(|by| is_one(agent, *by, self.ended))
    }

    pub(crate) fn is_reserved_for(&self, agent: usize) -> bool {
        self.reserved.is_some_and(|(of, _)| is_one(agent, of, self.ended))
    }

    /// What follows from an act, or the code of its refusal.
    pub(crate) fn does(&self, did: &Did) -> Result<Self, &'static str> {
        let cell = cell(did.act, self.caller(did.who), self.state);
        let is_of_claim = matches!(did.act, "release" | "approve" | "reject" | "comment" | "escalate" | "patch");
        if let (true, Who::Agent(agent), "-" | "free" | "weigh" | "rj" | "di" | "aw") = (is_of_claim, did.who, cell) {
            let is_old = self.token_said(did.who, did.says).is_some_and(|token| token != self.token);
            if is_old || (matches!(cell, "-" | "free") && self.has_lost(agent)) {
                return Err("claim_lost");
            }
        }
        if let Some((_, code)) = REFUSALS.iter().find(|(short, _)| *short == cell) {
            return Err(code);
        }
        let is_outdated = self.round_said(did.says).is_some_and(|round| round != self.round);
        let is_given = self.given_round == self.round && !is_outdated;
        if (is_of_claim && did.act != "release" && !is_given) || (did.act == "round" && is_outdated) {
            return Err("stale_round");
        }
        self.clone().effect(did, cell)
    }

    fn effect(mut self, did: &Did, cell: &'static str) -> Result<Self, &'static str> {
        let before = self.clone();
        if let Some(state) = named(cell) {
            self.state = state;
        }
        let agent = if let Who::Agent(agent) = did.who { Some(agent) } else { None };
        match did.act {
            "claim" if cell == "cl" => self.claim(agent.expect("an agent claims"))?,
            "claim" => self.given_round = self.round,
            "release" => self.gives_up(),
            "lose" => {
                self.lost.extend(self.holder.map(|holder| (holder, self.given_round)));
                self.gives_up();
            }
            "approve" | "reject" | "escalate" => {
                let holder = self.holder.take().expect("a holder decides");
                self.verdicts.push((holder, self.round, did.act));
                self.spoke = Some("reviewer");
                match did.act {
                    "approve" => self.approvals.push(holder),
                    "reject" => self.rejected_by = Some(holder),
                    _ => (self.sticky, self.asked) = (true, Some("decision")),
                }
            }
            "comment" => self.spoke = Some("reviewer"),
            "patch" => {
                self.spoke = Some("reviewer");
                self.patches.push((agent.expect("an agent offers"), did.need.1));
            }
            "message" if self.state == "in_discussion" && cell == "di" => {
                self.spoke = Some(match before.caller(did.who) {
                    "P" => "proposer",
                    "H" => "reviewer",
                    _ => "person",
                });
            }
            "message" if cell == "aw" => self.asked = Some("decision"),
            "round" | "accept" | "adopt" => self.goes_on(did),
            "turn_down" => drop(self.patches.pop()),
            "close" | "supersede" | "expire" | "unfit" => {
                self.token += u64::from(self.holder.take().is_some());
                self.asked = None;
                if did.act != "unfit" {
                    self.reserved = None;
                    self.patches.clear();
                }
            }
            "unreviewed" if self.asked.is_some() || self.unreviewed == Some(self.round) => return Err("wrong_state"),
            "unreviewed" => (self.asked, self.unreviewed) = (Some("unreviewed"), Some(self.round)),
            "raise" | "involve" if self.state != "closed" => {
                let more =
                    (self.need.0.max(if did.act == "raise" { 2 } else { 0 }), self.need.1 || did.act == "involve");
                if more == self.need || self.approved_by == Some("person") {
                    self.need = more;
                    return Ok(self);
                }
                self.need = more;
            }
            "take" | "yes" | "no" => {
                self.token += 1;
                (self.holder, self.approved_by, self.rejected_by) = (None, None, None);
                self.asked = Some("decision");
                self.held = (did.act != "take").then_some((did.act == "yes", self.now + UNDO));
            }
            "give_back" => {
                self.token += 1;
                self.asked = None;
            }
            "settle" => {
                let (yes, until) = self.held.take().expect("a decision is held");
                if self.now < until {
                    return Err("person_deciding");
                }
                self.asked = None;
                self.patches.clear();
                self.state = if yes { "approved" } else { "rejected" };
                (self.sticky, self.approved_by) = if yes { (false, Some("person")) } else { (true, None) };
            }
            "undo" => self.held = None,
            "reply" if cell == "re" => (self.asked, self.spoke) = (Some("replied"), Some("person")),
            "reply" => self.asked = None,
            _ => {}
        }
        match cell {
            "weigh" => self.weigh(),
            "new" if self.holder.is_some() => self.state = "claimed",
            "new" => self.weigh(),
            "back" => {
                self.weigh();
                if self.state == "awaiting_person" {
                    return Err("wrong_state");
                }
            }
            _ => {}
        }
        Ok(self)
    }

    fn claim(&mut self, agent: usize) -> Result<(), &'static str> {
        if self.has_approved(agent) {
            return Err("already_approved");
        }
        if self.times_lost(agent) >= 2 {
            return Err("claim_lost");
        }
        if self.reserved.is_some_and(|(_, until)| self.now < until) && !self.is_reserved_for(agent) {
            return Err("reserved");
        }
        self.token += 1;
        self.tokens.push((agent, self.token));
        (self.holder, self.given_round, self.reserved, self.asked) = (Some(agent), self.round, None, None);
        Ok(())
    }

    fn gives_up(&mut self) {
        self.token += 1;
        self.holder = None;
    }

    fn goes_on(&mut self, did: &Did) {
        let author = self.patches.last().map(|(author, _)| *author);
        self.sticky |= matches!(self.asked, Some("decision" | "replied"));
        self.round += 1;
        self.need = did.need;
        self.reserved = self.rejected_by.take().map(|by| (by, self.now + RESERVED));
        (self.approved_by, self.asked, self.spoke) = (None, None, None);
        self.approvals.clear();
        self.patches.clear();
        if did.act == "adopt" {
            self.holder = None;
            let author = author.expect("a patch is accepted");
            self.approvals.push(author);
            self.verdicts.push((author, self.round, "approve"));
        }
    }

    /// What its approvals come to: agents are missing, or the person is, or nothing.
    fn weigh(&mut self) {
        let person = self.need.1 || self.sticky;
        let agents = self.need.0.max(u32::from(!person));
        if self.approvals.len() < agents as usize {
            (self.state, self.approved_by) = ("created", None);
        } else if person {
            (self.state, self.asked, self.approved_by) = ("awaiting_person", Some("decision"), None);
        } else {
            (self.state, self.asked, self.approved_by) = ("approved", None, Some("agent"));
        }
    }

    /// What must hold at every moment, whatever led there.
    pub(crate) fn check(&self, did: &Did) {
        let holder = self.holder.map(|holder| is_one(holder, PROPOSER, false));
        assert_ne!(holder, Some(true), "nobody holds their own proposal: {did:?} {self:?}");
        let mut parties = BTreeSet::new();
        for by in &self.approvals {
            assert!(!is_one(*by, PROPOSER, false), "nobody approves their own proposal: {did:?} {self:?}");
            let other = |other: &usize| is_one(*by, *other, self.ended);
            assert!(!parties.iter().any(other), "so many approvals are so many parties: {did:?} {self:?}");
            parties.insert(*by);
        }
        let claimed = matches!(self.state, "claimed" | "in_discussion");
        assert_eq!(self.holder.is_some(), claimed, "a claim and its state go together: {did:?} {self:?}");
        assert_eq!(self.held.is_some(), self.state == "deciding", "so does a decision: {did:?} {self:?}");
    }
}

/// Holds the table against itself: it says something of each act by each caller in each state, and nothing twice.
pub(crate) fn table_is_whole() {
    let mut rows = BTreeSet::new();
    for line in TABLE.lines().filter(|line| !line.is_empty()).skip(1) {
        let row: Vec<_> = line.split_whitespace().collect();
        assert_eq!(row.len(), STATES.len() + 2, "a cell for each state: {line}");
        for who in row[1].split(',') {
            assert!(CALLERS.contains(&who) && ACTS.contains(&row[0]), "known words: {line}");
            assert!(rows.insert((row[0], who)), "said once: {line}");
        }
        for cell in &row[2..] {
            let is_rule = matches!(*cell, "=" | "weigh" | "new" | "back" | "good");
            let is_known = is_rule || named(cell).is_some() || REFUSALS.iter().any(|(short, _)| short == cell);
            assert!(is_known, "{cell} means something: {line}");
        }
    }
    assert_eq!(rows.len(), ACTS.len() * CALLERS.len(), "each act by each caller");
}
