//! What `review-gate reviews check` says: which review has approved it and in which way, or what comes nearest.
//!
//! Knows what was found, and neither looks nor prints.

use gate_api::subjects::reviews::ApprovedReview;
use gate_core::proposal::ApprovedBy;
use gate_git::Snapshot;
use serde_json::{Value, json};

use super::words;
use crate::output::{counted, one_line};

/// Longest line, in characters.
const LINE_CHARS: usize = 400;
/// Most paths that a line names.
const PATHS: usize = 5;

/// In which way it is approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// The same contents before and after.
    Exact,
    /// The same patch on another base.
    Equivalent,
    /// Nothing is changed.
    Unchanged,
}

/// Why what a review has approved isn't this, or doesn't count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is another change: what came out otherwise or not at all, and what is there beside.
    Differs { paths: Vec<String>, extra: Vec<String> },
    /// What differs goes through a filter, which isn't run here.
    Filtered(Vec<String>),
    /// It is this, and the person's approval doesn't count, for this reason.
    Person(String),
}

impl Refusal {
    /// How near it comes to an approval: of several, the nearest is told.
    pub(super) fn nearness(&self) -> u8 {
        match self {
            Self::Differs { .. } => 0,
            Self::Filtered(_) => 1,
            Self::Person(_) => 2,
        }
    }
}

/// What approved it; or what comes nearest, where anything does.
type Verdict = Result<(How, Option<ApprovedReview>), Option<(Refusal, Box<ApprovedReview>)>>;

/// What was found.
pub(super) struct Told {
    /// What was asked about, in words.
    what: String,
    commit: Option<String>,
    tree: String,
    base: Option<String>,
    verdict: Verdict,
}

/// Why it isn't approved.
struct Problem {
    code: &'static str,
    why: String,
    mend: &'static str,
}

impl Told {
    pub(super) fn new(what: String, snapshot: &Snapshot, verdict: Verdict) -> Self {
        let name = |oid: &gate_git::Oid| oid.as_str().to_owned();
        let (commit, base) = (snapshot.commit.as_ref().map(name), snapshot.base.as_ref().map(name));
        Self { what, commit, tree: name(&snapshot.tree), base, verdict }
    }

    pub(super) fn is_good(&self) -> bool {
        self.verdict.is_ok()
    }

    /// For a person, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        match &self.verdict {
            Ok((how, review)) => {
                let how = match how {
                    How::Exact => "the same contents before and after",
                    How::Equivalent => "the same patch on another base: where in a file it stands wasn't reviewed",
                    How::Unchanged => "it changes nothing",
                };
                let mut lines = vec![format!("Approved: {} ({how}).", self.what)];
                lines.extend(review.iter().flat_map(facts));
                lines
            }
            Err(nearest) => {
                let Problem { why, mend, .. } = problem(nearest.as_ref().map(|(refusal, _)| refusal));
                let mut lines = vec![format!("NOT APPROVED: {}.", self.what), format!("  {why}")];
                lines.extend(nearest.iter().flat_map(|(_, review)| facts(review)));
                lines.push(format!("  {mend}"));
                lines
            }
        }
    }

    /// For a program.
    pub(super) fn json(&self) -> Value {
        let (how, review, problem) = match &self.verdict {
            Ok((how, review)) => (Some(word(*how)), review.as_ref(), None),
            Err(nearest) => {
                let problem = problem(nearest.as_ref().map(|(refusal, _)| refusal));
                (None, nearest.as_ref().map(|(_, review)| &**review), Some((problem, nearest)))
            }
        };
        let review = review.map(|review| {
            json!({
                "review_id": review.review_id, "round": review.round, "patch_id": review.patch_id,
                "intent": review.intent, "need": review.need.to_string(), "approved_by": review.approved_by,
                "receipt": review.receipt,
            })
        });
        let problem = problem.map(|(Problem { code, why, mend }, nearest)| {
            let (paths, extra) = match nearest {
                Some((Refusal::Differs { paths, extra }, _)) => (paths.as_slice(), extra.as_slice()),
                Some((Refusal::Filtered(paths), _)) => (paths.as_slice(), &[][..]),
                Some((Refusal::Person(_), _)) | None => (&[][..], &[][..]),
            };
            json!({ "code": code, "message": why, "mend": mend, "paths": paths, "extra": extra })
        });
        json!({
            "good": self.is_good(), "what": self.what, "commit": self.commit, "tree": self.tree, "base": self.base,
            "how": how, "review": review, "problem": problem,
        })
    }
}

fn word(how: How) -> &'static str {
    match how {
        How::Exact => "exact",
        How::Equivalent => "equivalent",
        How::Unchanged => "unchanged",
    }
}

/// A review that is named.
fn facts(review: &ApprovedReview) -> Vec<String> {
    let patch = review.patch_id.map(|patch| format!(", patch {patch}")).unwrap_or_default();
    let by = match review.approved_by {
        ApprovedBy::Agent => "agents",
        ApprovedBy::Person => "you",
    };
    let lines = [
        format!("review   {}, round {}{patch}", review.review_id, review.round),
        format!("for      {}", review.intent),
        format!("by       {by}; its round {}", words::need(review.need)),
    ];
    lines.iter().map(|line| format!("  {}", one_line(line, LINE_CHARS))).collect()
}

fn problem(refusal: Option<&Refusal>) -> Problem {
    match refusal {
        None => Problem {
            code: "nothing",
            why: "No review has approved a change of these files.".to_owned(),
            mend: "Propose it with submit_proposal, and commit exactly what is approved.",
        },
        Some(Refusal::Differs { paths, extra }) => {
            let other = (!paths.is_empty()).then(|| format!("other than approved, or not there: {}", named(paths)));
            let beside = (!extra.is_empty()).then(|| format!("beside what was approved: {}", named(extra)));
            let parts: Vec<_> = other.into_iter().chain(beside).collect();
            Problem {
                code: "differs",
                why: format!("It isn't what was approved; {}.", parts.join("; ")),
                mend: "Commit what was approved and nothing beside, or propose this: submit_proposal with review_id is the \
                       next round.",
            }
        }
        Some(Refusal::Filtered(paths)) => Problem {
            code: "unchecked",
            why: format!("What git stores of these goes through a filter, which isn't run here: {}.", named(paths)),
            mend: "Commit them by yourself once you have looked at them.",
        },
        Some(Refusal::Person(why)) => Problem {
            code: "person",
            why: format!("It is what was approved, but the person's approval doesn't count. {why}"),
            mend: "Propose it again: submit_proposal with review_id is the next round, and asks the person.",
        },
    }
}

/// Some paths, and how many more there are.
pub(super) fn named(paths: &[String]) -> String {
    let first: Vec<_> = paths.iter().take(PATHS).map(|path| one_line(path, LINE_CHARS)).collect();
    match paths.len().checked_sub(PATHS) {
        Some(more @ 1..) => format!("{} and {more} more of {}", first.join(", "), counted(paths.len() as u64, "file")),
        _ => first.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_no_more_of_it_than_anybody_reads() {
        let paths = |count: usize| (0..count).map(|at| format!("f{at}")).collect::<Vec<_>>();
        let why = problem(Some(&Refusal::Differs { paths: paths(1), extra: paths(7) })).why;
        assert_eq!(
            why,
            "It isn't what was approved; other than approved, or not there: f0; beside what was approved: f0, f1, f2, f3, f4 \
             and 2 more of 7 files."
        );
        let why = problem(Some(&Refusal::Differs { paths: Vec::new(), extra: paths(5) })).why;
        assert_eq!(why, "It isn't what was approved; beside what was approved: f0, f1, f2, f3, f4.");
    }

    #[test]
    fn what_comes_nearest_is_told() {
        let all = [
            Refusal::Differs { paths: vec![], extra: vec![] },
            Refusal::Filtered(vec![]),
            Refusal::Person(String::new()),
        ];
        assert!(all.is_sorted_by_key(Refusal::nearness), "the same content is nearer than another one");
        assert_eq!(all.map(|refusal| problem(Some(&refusal)).code), ["differs", "unchecked", "person"]);
    }
}
