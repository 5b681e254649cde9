//! What `review-gate verify` says: which receipt, when, where, how sure, and why something doesn't count.
//!
//! Knows what was found, and neither looks nor prints.

use gate_core::{AnsweredFrom, Decision, Digest, Timestamp};
use gate_receipts::{Approval, Flaw, Found, Joined, Level, Mark, Oid};
use serde_json::{Value, json};

use super::judge::{How, Looked, Refusal, Verdict};

/// What was found of one thing that was asked for.
pub(super) struct Said {
    /// What was asked for, in words.
    pub(super) what: String,
    /// What that is, where git holds it.
    pub(super) looked: Option<Looked>,
    pub(super) verdict: Verdict,
    /// Of a range: how many commits it has, and how many of them were shown within a larger step only.
    pub(super) commits: Option<(usize, usize)>,
    /// How sure it has to be.
    pub(super) require: Level,
}

/// A level as it is written.
fn level(level: Level) -> &'static str {
    match level {
        Level::L0 => "L0",
        Level::L1 => "L1",
        Level::L2 => "L2",
        Level::L3 => "L3",
    }
}

/// Where something was given.
pub(crate) fn given(from: AnsweredFrom) -> &'static str {
    match from {
        AnsweredFrom::Desktop => "in the window",
        AnsweredFrom::Browser => "on the gate's page",
        AnsweredFrom::Terminal => "at a terminal",
        AnsweredFrom::Script => "by a script",
        AnsweredFrom::Form => "in a client's form",
        AnsweredFrom::Notification => "on a notification",
    }
}

/// A receipt in one line of a list of facts.
fn facts(found: &Found, sure: Level, moment: impl Fn(Timestamp) -> String) -> Vec<String> {
    let decided = &found.decided;
    let mut lines = vec![
        format!("receipt  {}", found.id),
        format!("request  {}", decided.request),
        format!("given    {}, {}, {}", moment(found.line.at), given(decided.given), level(sure)),
    ];
    if let Some(git) = &decided.content.git {
        lines.push(format!("tree     {}", git.tree));
        lines.push(format!("on       {}", git.base));
    }
    if let Some(expires) = decided.expires {
        lines.push(format!("good     until {}", moment(expires)));
    }
    lines.extend(found.mark.map(|mark| format!("note     {}", marked(mark))));
    lines
}

/// What has to be said with a receipt that counts all the same.
fn marked(mark: Mark) -> &'static str {
    match mark {
        Mark::BeforeBreak => "it stands in a log that was set aside; a line that took it back may be lost",
        Mark::Damaged => "something is wrong in the log; a line that took it back may be lost",
    }
}

fn how(how: How) -> &'static str {
    match how {
        How::AsShown => "this very tree, on what it was shown on",
        How::Joined => "in several steps, each shown on the one before",
        How::Rebased => "the same patch to the byte, on another base: where in a file it stands wasn't shown",
        How::Merged => "git makes this merge again by itself, of parents that were approved",
        How::Unchanged => "it changes nothing beside what is approved already",
        How::Landed => "the protected branch has it",
        How::Told => "the gate says so, of what was asked about in this folder",
    }
}

impl Said {
    pub(super) fn is_good(&self) -> bool {
        matches!(self.verdict, Verdict::Good(..))
    }

    /// What the one receipt that counts was given for, where that is more than a question.
    pub(super) fn manifest(&self) -> Option<Digest> {
        match &self.verdict {
            Verdict::Good(_, receipts) => receipts.first().and_then(|approval| approval.found.decided.content.manifest),
            Verdict::Not(_) => None,
        }
    }

    /// For a person, line by line; `moment` says how a moment is shown.
    pub(super) fn lines(&self, moment: impl Fn(Timestamp) -> String) -> Vec<String> {
        match &self.verdict {
            Verdict::Good(in_which_way, receipts) => self.good(*in_which_way, receipts, &moment),
            Verdict::Not(refusal) => self.refused(refusal, &moment),
        }
    }

    fn good(&self, in_which_way: How, receipts: &[Approval], moment: &impl Fn(Timestamp) -> String) -> Vec<String> {
        let mut lines = vec![format!("Approved: {} ({}).", self.what, how(in_which_way))];
        match self.commits {
            Some((0, _)) => lines.push("  It has no commit that isn't there already.".to_owned()),
            Some((_, within @ 1..)) => {
                lines.push(format!("  {within} of its commits were shown within a larger step only."));
            }
            _ => {}
        }
        for approval in receipts {
            lines.extend(facts(&approval.found, approval.level, moment).into_iter().map(|line| format!("  {line}")));
        }
        lines
    }

    fn refused(&self, refusal: &Refusal, moment: &impl Fn(Timestamp) -> String) -> Vec<String> {
        let mut lines = vec![format!("NOT APPROVED: {}.", self.what)];
        let mut put = |line: String| lines.push(format!("  {line}"));
        let Problem { why, mend, approved, .. } = self.problem(refusal, moment);
        put(why);
        if let Some(looked) = &self.looked {
            put(format!("this tree      {}", looked.tree));
            if let Some(base) = &looked.base {
                put(format!("on             {base}"));
            }
        }
        if let Some(found) = approved {
            if let Some(git) = &found.decided.content.git {
                put(format!("approved tree  {}", git.tree));
                put(format!("on             {}", git.base));
            }
            put(format!("by receipt     {}", found.id));
        }
        put(mend);
        lines
    }

    /// For a program.
    pub(super) fn json(&self) -> Value {
        let looked = self.looked.as_ref();
        let mut said = json!({
            "good": self.is_good(),
            "what": self.what,
            "commit": looked.and_then(|looked| looked.commit.as_ref()).map(gate_git::Oid::as_str),
            "tree": looked.map(|looked| &looked.tree),
            "base": looked.and_then(|looked| looked.base.as_ref()),
            "required": self.require,
        });
        if let Some((commits, within)) = self.commits {
            said["commits"] = json!(commits);
            said["commits_within"] = json!(within);
        }
        match &self.verdict {
            Verdict::Good(in_which_way, receipts) => {
                said["how"] = json!(word(*in_which_way));
                said["receipts"] = receipts.iter().map(|approval| receipt(&approval.found, approval.level)).collect();
            }
            Verdict::Not(refusal) => {
                let Problem { code, why, mend, approved } =
                    self.problem(refusal, &|moment: Timestamp| moment.to_string());
                said["problem"] = json!({ "code": code, "message": why, "mend": mend });
                said["approved"] = json!(approved.map(|found| receipt(found, found.decided.level)));
            }
        }
        said
    }

    fn problem<'s>(&'s self, refusal: &'s Refusal, moment: &impl Fn(Timestamp) -> String) -> Problem<'s> {
        let ask = "Ask for an approval of what is there now, or go back to what was approved.";
        let problem = |code, why: String, mend: &str| Problem { code, why, mend: mend.to_owned(), approved: None };
        match refusal {
            Refusal::Receipts(Joined::By(_) | Joined::Nothing) => problem(
                "nothing",
                "Nobody has approved anything like it.".to_owned(),
                "Ask for it: `review_gate_chat` with `approval` and `repository`.",
            ),
            Refusal::Receipts(Joined::OtherTree(found)) => {
                let why = match (&found.decided.content.git, &self.looked) {
                    (Some(git), Some(looked)) => {
                        format!("Tree {} was approved, this is {}.", short(&git.tree), short(&looked.tree))
                    }
                    _ => "Another tree was approved.".to_owned(),
                };
                Problem { approved: Some(found), ..problem("other_tree", why, ask) }
            }
            Refusal::Receipts(Joined::OtherBase(found)) => {
                let why = match (&found.decided.content.git, self.looked.as_ref().and_then(|it| it.base.as_ref())) {
                    (Some(git), Some(base)) => format!(
                        "Its tree was approved on {}, this is on {}: what came in between would be undone, or wasn't shown.",
                        short(&git.base),
                        short(base)
                    ),
                    _ => "Its tree was approved on another base.".to_owned(),
                };
                let mend = "Rebase it and verify it with --rebased, or ask for an approval of what is there now.";
                Problem { approved: Some(found), ..problem("other_base", why, mend) }
            }
            Refusal::Receipts(Joined::Flawed(found, flaw)) => {
                let (why, mend) = self.flawed(*flaw, moment);
                Problem { approved: Some(found), ..problem(flaw.code(), why, &mend) }
            }
            Refusal::Told(code) => problem(
                code.as_str(),
                told(code).to_owned(),
                "Ask for it: `review_gate_chat` with `approval` and `repository`.",
            ),
            Refusal::MergedOtherwise => problem(
                "merge",
                "It isn't the merge that git makes of its parents by itself, and nobody has approved it.".to_owned(),
                "Ask for an approval of the merge, as it differs from its first parent.",
            ),
            Refusal::OldGit(why) => {
                problem("old_git", format!("The merge can't be made again. {why}"), "Install git 2.40 or newer.")
            }
            Refusal::Parent(parent) => problem(
                "parent",
                format!("It stands on {parent}, which wasn't approved."),
                "Ask for an approval of that, or name the branch that has it: --protected origin/main.",
            ),
            Refusal::TooMany => problem(
                "too_many",
                "It hangs on more commits than are looked at.".to_owned(),
                "Name the branch that has most of them: --protected origin/main.",
            ),
        }
    }

    fn flawed(&self, flaw: Flaw, moment: &impl Fn(Timestamp) -> String) -> (String, String) {
        let again = "Ask again.".to_owned();
        match flaw {
            Flaw::Decided(Some(Decision::ChangesRequested)) => {
                ("The person asked for changes to it.".to_owned(), "Make them, and ask again.".to_owned())
            }
            Flaw::Decided(_) => ("It was answered, and not approved.".to_owned(), again),
            Flaw::Held(until) => (
                format!("Its approval may still be taken back, until {}.", moment(until)),
                "Try again then.".to_owned(),
            ),
            Flaw::Withdrawn(at) => (format!("Its approval was withdrawn: {}.", moment(at)), again),
            Flaw::Expired(since) => (
                format!("Its approval was good until {}.", moment(since)),
                "Ask again, or name the branch that has it: --protected origin/main.".to_owned(),
            ),
            Flaw::Barred => ("The rules of the protected branch revoke its approval.".to_owned(), again),
            Flaw::Level(found) => (
                format!("Its approval is {}; {} is required.", level(found), level(self.require)),
                "Ask again, to be approved in that way.".to_owned(),
            ),
            Flaw::Unproved(why) => (format!("Its approval is signed, but {why}."), again),
        }
    }
}

/// What a word of the gate's means.
fn told(code: &str) -> &'static str {
    match code {
        "nothing" => "Nobody has approved anything like it, of what was asked about in this folder.",
        "other_tree" => "Another tree was approved.",
        "other_base" => "Its tree was approved on another base.",
        "changes_requested" => "The person asked for changes to it.",
        "held" => "Its approval may still be taken back.",
        "withdrawn" => "Its approval was withdrawn.",
        "expired" => "Its approval isn't good any more: its time is over.",
        "level" => "Its approval isn't as sure as it has to be.",
        _ => "Its approval doesn't count.",
    }
}

/// Why something doesn't count, and what was approved instead.
struct Problem<'s> {
    code: &'s str,
    why: String,
    mend: String,
    approved: Option<&'s Found>,
}

fn word(how: How) -> &'static str {
    match how {
        How::AsShown => "as_shown",
        How::Joined => "joined",
        How::Rebased => "rebased",
        How::Merged => "merged",
        How::Unchanged => "unchanged",
        How::Landed => "landed",
        How::Told => "told",
    }
}

fn receipt(found: &Found, sure: Level) -> Value {
    let decided = &found.decided;
    json!({
        "receipt": found.id,
        "request_id": decided.request,
        "at": found.line.at,
        "from": decided.from,
        "expires": decided.expires,
        "decision": decided.decision,
        "level": sure,
        "given": decided.given,
        "tree": decided.content.git.as_ref().map(|git| &git.tree),
        "base": decided.content.git.as_ref().map(|git| &git.base),
        "mark": found.mark.map(|mark| match mark {
            Mark::BeforeBreak => "before_break",
            Mark::Damaged => "damaged",
        }),
    })
}

/// As much of a name as a person compares.
fn short(oid: &Oid) -> &str {
    oid.as_str().get(..12).unwrap_or(oid.as_str())
}
