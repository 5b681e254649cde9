//! What the tools take, by the names that the other broker has for it. `caller_id`, `reviewer_id` and the roles are labels:
//! they are read and say nothing of who calls. Where one of them says that the caller means somebody else's part, the call is
//! refused as it is there.

use std::collections::BTreeMap;

use gate_core::ask::{at_most_bytes, at_most_chars};
use gate_core::proposal::{Claimed, ReviewId, ReviewQuery, ReviewRole, ReviewStatus, Verdict, bounds};
use gate_core::{Code, Fault};

use super::refused;
use super::words::{self, Standing};
use crate::answer::{blank_to_none, filled, needed, takes};
use crate::broker::input::diff;
use crate::broker::port::{GivenVerdict, ProposedChange, SubmittedProposal};
use crate::input::{FLAG, Fields, List, TEXT, Whole, Word, fields};

/// The other broker's words for verdicts.
const VERDICT: Word<Verdict> = Word {
    all: &[Verdict::Approved, Verdict::Rejected, Verdict::Comment],
    name: |verdict| if verdict == Verdict::Rejected { "changes_requested" } else { verdict.as_str() },
    read: |text| match text {
        "changes_requested" => Some(Verdict::Rejected),
        text => Verdict::parse(text).filter(|verdict| *verdict != Verdict::Rejected),
    },
};
const STANDING: Word<Standing> = Word { all: Standing::ALL, name: Standing::as_str, read: Standing::parse };
const SENDER: Word<ReviewRole> =
    Word { all: &[ReviewRole::Proposer, ReviewRole::Reviewer], name: ReviewRole::as_str, read: ReviewRole::parse };
const CLOSER: Word<ReviewRole> =
    Word { all: &[ReviewRole::Proposer], name: ReviewRole::as_str, read: ReviewRole::parse };
/// The number of a claim.
const GENERATION: Whole = Whole { least: 0, most: u64::MAX };
/// The number of a round.
const ROUND: Whole = Whole { least: 1, most: bounds::ROUNDS as u64 };
/// Projects of one list.
const PROJECTS: usize = 50;

fields! {
    /// What `create_review` takes.
    pub(super) struct Creating needs intent, agent_type, agent_role, phase {
        /// What it does and why.
        intent: Option<String> = TEXT.at_least(1).at_most(bounds::INTENT_CHARS),
        agent_type: Option<String> = TEXT,
        agent_role: Option<String> = TEXT,
        phase: Option<String> = TEXT,
        plan: Option<String> = TEXT,
        task: Option<String> = TEXT,
        project: Option<String> = TEXT,
        category: Option<String> = TEXT.at_most(bounds::CATEGORY_CHARS),
        /// Markdown.
        description: Option<String> = TEXT,
        /// Unified diff.
        diff: Option<String> = TEXT,
        /// Of yours: this is its next round.
        review_id: Option<String> = TEXT,
        /// Your work tree has it already.
        skip_diff_validation: bool = FLAG,
    }
}

/// A proposal, and the project that it names.
pub(super) struct Created {
    pub(super) proposal: SubmittedProposal,
    pub(super) project: Option<String>,
}

takes!(Creating => Created: |input| {
    let intent = filled("intent", input.intent)?;
    at_most_chars("intent", &intent, bounds::INTENT_CHARS)?;
    at_most_bytes("description", input.description.as_deref().unwrap_or_default(), bounds::DESCRIPTION_BYTES)?;
    let category = category(input.category)?;
    let priority = words::priority(
        input.agent_type.as_deref().unwrap_or_default(),
        input.phase.as_deref().unwrap_or_default(),
    );
    let project = blank_to_none(input.project);
    let named = [
        ("agent_type", input.agent_type),
        ("agent_role", input.agent_role),
        ("phase", input.phase),
        ("plan", input.plan),
        ("task", input.task),
        ("project", project.clone()),
    ];
    let mut labels = BTreeMap::new();
    for (name, value) in named {
        let Some(value) = blank_to_none(value) else { continue };
        at_most_chars(name, &value, bounds::LABEL_CHARS)?;
        labels.insert(name.to_owned(), value);
    }
    let proposal = SubmittedProposal {
        intent,
        change: diff("diff", input.diff)?.map_or(ProposedChange::Nothing, ProposedChange::Diff),
        description: blank_to_none(input.description),
        base: None,
        category,
        priority: Some(priority),
        labels,
        review_id: blank_to_none(input.review_id).map(|id| review(&id)).transpose()?,
        round: None,
        parent_id: None,
        applied: input.skip_diff_validation,
    };
    Ok(Created { proposal, project })
});

fields! {
    /// What `list_reviews` takes.
    pub(super) struct Listing {
        status: Option<Standing> = STANDING,
        category: Option<String> = TEXT,
        project: Option<String> = TEXT,
        projects: Option<Vec<String>> = List::bounded(TEXT, PROJECTS),
        wait: bool = FLAG,
        caller_id: Option<String> = TEXT,
    }
}

/// Which reviews are looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wanted {
    pub(super) standing: Option<Standing>,
    pub(super) category: Option<String>,
    /// Of any project where there are none.
    pub(super) projects: Vec<String>,
}

impl Wanted {
    /// What the record is asked for: one question, or one for each status that the word means.
    pub(super) fn queries(&self) -> Vec<ReviewQuery> {
        let of = |status| ReviewQuery { status, category: self.category.clone(), ..ReviewQuery::default() };
        match self.standing {
            None => vec![of(None)],
            Some(standing) => standing.statuses().map(|status| of(Some(status))).collect(),
        }
    }

    /// What waits for a reviewer.
    pub(super) fn waiting(&self) -> ReviewQuery {
        let status = Some(ReviewStatus::Created);
        ReviewQuery { status, category: self.category.clone(), ..ReviewQuery::default() }
    }
}

takes!(Listing => (Wanted, bool): |input| {
    if input.wait && input.status != Some(Standing::Pending) {
        return Err(wrong("`wait` needs status='pending': it waits for a review to claim.", "Pass both, or leave `wait` out."));
    }
    let projects = match (blank_to_none(input.project), input.projects) {
        (Some(_), Some(_)) => {
            let cause = "Of `project` and `projects` one is enough: either 'project' or 'projects'.";
            return Err(wrong(cause, "Pass one of them."));
        }
        (None, Some(projects)) if projects.is_empty() => {
            return Err(wrong("`projects` has to name at least one.", "Leave it out for all of them."));
        }
        (project, projects) => projects.unwrap_or_else(|| project.into_iter().collect()),
    };
    Ok((Wanted { standing: input.status, category: category(input.category)?, projects }, input.wait))
});

fields! {
    /// What `get_activity_feed` takes.
    pub(super) struct Feeding {
        status: Option<Standing> = STANDING,
        category: Option<String> = TEXT,
        project: Option<String> = TEXT,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Feeding => Wanted: |input| {
    let projects = blank_to_none(input.project).into_iter().collect();
    Ok(Wanted { standing: input.status, category: category(input.category)?, projects })
});

fields! {
    /// What `get_review_stats` takes.
    pub(super) struct Counting {
        project: Option<String> = TEXT,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Counting => Wanted: |input| {
    Ok(Wanted { projects: blank_to_none(input.project).into_iter().collect(), ..Wanted::default() })
});

fields! {
    /// What `claim_review` takes.
    pub(super) struct Claiming needs review_id, reviewer_id {
        review_id: Option<String> = TEXT,
        reviewer_id: Option<String> = TEXT,
    }
}

takes!(Claiming => ReviewId: |input| { needed_review(input.review_id) });

fields! {
    /// What `submit_verdict` takes.
    pub(super) struct Judging needs review_id, verdict {
        review_id: Option<String> = TEXT,
        verdict: Option<Verdict> = VERDICT,
        reason: Option<String> = TEXT,
        counter_patch: Option<String> = TEXT,
        /// As claim_review gave it.
        claim_generation: Option<u64> = GENERATION,
        reviewer_id: Option<String> = TEXT,
    }
}

/// A verdict, and what is offered in the place of the round.
pub(super) struct Judged {
    pub(super) review: ReviewId,
    pub(super) verdict: GivenVerdict,
    pub(super) patch: Option<String>,
}

takes!(Judging => Judged: |input| {
    let decision = needed("verdict", input.verdict)?;
    let reason = blank_to_none(input.reason);
    if reason.is_none() && decision != Verdict::Approved {
        let cause = format!("`reason` is missing: '{}' says why.", (VERDICT.name)(decision));
        return Err(wrong(cause, "Pass it; with 'approved' it may be left out."));
    }
    at_most_bytes("reason", reason.as_deref().unwrap_or_default(), bounds::BODY_BYTES)?;
    let patch = diff("counter_patch", input.counter_patch)?;
    if patch.is_some() && decision == Verdict::Approved {
        let cause = "A `counter_patch` goes with changes_requested or comment alone: what is approved is the round as it is.";
        return Err(wrong(cause, "Leave it out, or give another verdict."));
    }
    let claimed = Claimed { token: input.claim_generation, round: None };
    let verdict = GivenVerdict { decision, reason, comments: Vec::new(), claimed };
    Ok(Judged { review: needed_review(input.review_id)?, verdict, patch })
});

fields! {
    /// What `close_review` takes.
    pub(super) struct Closing needs review_id, closer_role {
        review_id: Option<String> = TEXT,
        closer_role: Option<ReviewRole> = CLOSER,
    }
}

takes!(Closing => ReviewId: |input| {
    needed("closer_role", input.closer_role)?;
    needed_review(input.review_id)
});

fields! {
    /// What `accept_counter_patch` and `reject_counter_patch` take.
    pub(super) struct OfOwn needs review_id {
        review_id: Option<String> = TEXT,
    }
}

takes!(OfOwn => ReviewId: |input| { needed_review(input.review_id) });

fields! {
    /// What `get_review_status` takes.
    pub(super) struct Looking needs review_id {
        review_id: Option<String> = TEXT,
        wait: bool = FLAG,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Looking => (ReviewId, bool): |input| { Ok((needed_review(input.review_id)?, input.wait)) });

fields! {
    /// What `get_proposal` and `get_review_timeline` take.
    pub(super) struct Reading needs review_id {
        review_id: Option<String> = TEXT,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Reading => ReviewId: |input| { needed_review(input.review_id) });

fields! {
    /// What `add_message` takes.
    pub(super) struct Saying needs review_id, sender_role, body {
        review_id: Option<String> = TEXT,
        sender_role: Option<ReviewRole> = SENDER,
        /// Markdown.
        body: Option<String> = TEXT,
        metadata: Option<String> = TEXT,
    }
}

/// A message.
pub(super) struct Message {
    pub(super) review: ReviewId,
    pub(super) body: String,
    /// Whether it came with what isn't kept.
    pub(super) has_more: bool,
}

takes!(Saying => Message: |input| {
    needed("sender_role", input.sender_role)?;
    let body = filled("body", input.body)?;
    at_most_bytes("body", &body, bounds::BODY_BYTES)?;
    Ok(Message { review: needed_review(input.review_id)?, body, has_more: blank_to_none(input.metadata).is_some() })
});

fields! {
    /// What `get_discussion` takes.
    pub(super) struct Hearing needs review_id {
        review_id: Option<String> = TEXT,
        /// All by default.
        round: Option<u64> = ROUND,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Hearing => (ReviewId, Option<u32>): |input| {
    let round = input.round.and_then(|round| u32::try_from(round).ok());
    Ok((needed_review(input.review_id)?, round))
});

fields! {
    /// What `get_audit_log` takes.
    pub(super) struct Auditing {
        /// Needed.
        review_id: Option<String> = TEXT,
        caller_id: Option<String> = TEXT,
    }
}

takes!(Auditing => ReviewId: |input| {
    if blank_to_none(input.review_id.clone()).is_none() {
        let cause = "`review_id` is missing: there is no one log of all reviews, each has its own.";
        return Err(wrong(cause, "Pass a `review_id` of list_reviews or get_activity_feed."));
    }
    needed_review(input.review_id)
});

fields! {
    /// What `spawn_reviewer` takes.
    pub(super) struct Spawning {
        project: Option<String> = TEXT,
    }
}

takes!(Spawning => (): |_input| { Ok(()) });

fields! {
    /// What `kill_reviewer` takes.
    pub(super) struct Killing needs reviewer_id {
        reviewer_id: Option<String> = TEXT,
    }
}

takes!(Killing => (): |_input| { Ok(()) });

/// What `list_reviewers` takes.
#[derive(Debug, Default)]
pub(super) struct Nothing;

impl Fields for Nothing {
    const NAMES: &'static [&'static str] = &[];
    const NEEDED: &'static [&'static str] = &[];

    fn properties() -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }

    fn take(&mut self, _name: &str, _path: &str, _value: serde_json::Value) -> Result<bool, Fault> {
        Ok(false)
    }
}

takes!(Nothing => (): |_input| { Ok(()) });

fn category(category: Option<String>) -> Result<Option<String>, Fault> {
    at_most_chars("category", category.as_deref().unwrap_or_default(), bounds::CATEGORY_CHARS)?;
    Ok(blank_to_none(category))
}

fn needed_review(id: Option<String>) -> Result<ReviewId, Fault> {
    review(&filled("review_id", id)?)
}

/// The review of this identifier. What is none names no review, as there.
fn review(id: &str) -> Result<ReviewId, Fault> {
    id.parse().map_err(|_| refused::unknown(id))
}

fn wrong(cause: impl Into<String>, mend: &str) -> Fault {
    Fault::new(Code::InvalidInput, cause, mend)
}

#[cfg(test)]
mod fuzz;
