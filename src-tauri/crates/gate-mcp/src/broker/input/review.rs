//! What the reviewer's tools take: claims, verdicts, messages, patches.

use gate_core::ask::{at_most_bytes, at_most_chars};
use gate_core::proposal::{Anchor, Claimed, ReviewId, ThreadId, ThreadMessageId, Verdict, bounds};
use gate_core::reply::Side;
use gate_core::{Code, Fault, SessionUuid};

use super::{EVENT, REVIEW, ROUND, SECONDS, SESSION, VERDICT, diff, round};
use crate::answer::{SIDE, Takes, Wait, blank_to_none, filled, needed};
use crate::broker::port::{ClaimWish, GivenVerdict, OfferedPatch, Said, SaidAt};
use crate::input::{FLAG, Id, List, Object, TEXT, Unlisted, Whole, fields};

/// The number of a line.
const LINE: Whole = Whole { least: 1, most: u32::MAX as u64 };
/// The fence of a claim.
const TOKEN: Whole = Whole { least: 0, most: u64::MAX };
const THREAD: Id<ThreadId> = Id::new();
const MESSAGE: Id<ThreadMessageId> = Id::new();

fields! {
    /// What `claim_review` takes.
    pub(in crate::broker) struct Claiming {
        /// Left out: the next one in the queue.
        review_id: Option<ReviewId> = REVIEW,
        /// Of this folder's repository.
        workspace: Option<String> = TEXT,
        /// Of one of these.
        categories: Vec<String> = List::bounded(TEXT, bounds::CATEGORIES),
        /// For the next one where there is none.
        wait: bool = FLAG,
        wait_seconds: Option<u64> = SECONDS,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        reviewer_id: Option<String> = Unlisted(TEXT),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Claiming {
    type Checked = (Option<ReviewId>, ClaimWish, Wait);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let path = gate_core::bounds::REPOSITORY_PATH_CHARS;
        at_most_chars("workspace", self.workspace.as_deref().unwrap_or_default(), path)?;
        for (index, category) in self.categories.iter().enumerate() {
            at_most_chars(&format!("categories[{index}]"), category, bounds::CATEGORY_CHARS)?;
        }
        let wish = ClaimWish { workspace: blank_to_none(self.workspace), categories: self.categories };
        Ok((self.review_id, wish, Wait { is_on: self.wait, seconds: self.wait_seconds }))
    }
}

fields! {
    /// What `release_review` takes.
    pub(in crate::broker) struct Releasing needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        reason: Option<String> = TEXT,
        /// As claim_review gave it.
        claim_token: Option<u64> = TOKEN,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        reviewer_id: Option<String> = Unlisted(TEXT),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Releasing {
    type Checked = (ReviewId, Option<String>, Claimed);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        at_most_bytes("reason", self.reason.as_deref().unwrap_or_default(), bounds::BODY_BYTES)?;
        Ok((review, blank_to_none(self.reason), Claimed { token: self.claim_token, round: None }))
    }
}

fields! {
    /// What `submit_verdict` takes.
    pub(in crate::broker) struct Judging needs review_id, decision {
        review_id: Option<ReviewId> = REVIEW,
        decision: Option<Verdict> = VERDICT,
        /// Needed unless approved. Markdown.
        reason: Option<String> = TEXT,
        comments: Vec<Comment> = List::bounded(Object::<Comment>::new(), bounds::VERDICT_COMMENTS),
        /// As claim_review gave it: decides nothing if the claim was lost.
        claim_token: Option<u64> = TOKEN,
        /// The one that you decide on.
        round: Option<u64> = ROUND,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        reviewer_id: Option<String> = Unlisted(TEXT),
        role: Option<String> = Unlisted(TEXT),
    }
}

fields! {
    /// A comment on a place of the round.
    pub(in crate::broker) struct Comment needs file, body {
        file: String = TEXT,
        line: Option<u64> = LINE,
        start_line: Option<u64> = LINE,
        side: Option<Side> = SIDE,
        body: String = TEXT,
    }
}

impl Takes for Judging {
    type Checked = (ReviewId, GivenVerdict);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        let decision = needed("decision", self.decision)?;
        let reason = match decision {
            Verdict::Approved => blank_to_none(self.reason),
            Verdict::Rejected | Verdict::Comment | Verdict::Escalate => Some(filled("reason", self.reason)?),
        };
        at_most_bytes("reason", reason.as_deref().unwrap_or_default(), bounds::BODY_BYTES)?;
        let comment = |(index, comment): (usize, Comment)| {
            let path = format!("comments[{index}]");
            let Comment { file, line, start_line, side, body } = comment;
            let body = filled(&format!("{path}.body"), Some(body))?;
            at_most_bytes(&format!("{path}.body"), &body, bounds::BODY_BYTES)?;
            Ok((anchor(&format!("{path}."), Some(file), line, start_line, side)?, body))
        };
        let comments = self.comments.into_iter().enumerate().map(comment).collect::<Result<_, Fault>>()?;
        let claimed = Claimed { token: self.claim_token, round: round(self.round) };
        Ok((review, GivenVerdict { decision, reason, comments, claimed }))
    }
}

/// A place, whose fields are called so in errors.
fn anchor(
    path: &str,
    file: Option<String>,
    line: Option<u64>,
    start_line: Option<u64>,
    side: Option<Side>,
) -> Result<Anchor, Fault> {
    let file = filled(&format!("{path}file"), file)?;
    at_most_chars(&format!("{path}file"), &file, gate_core::bounds::REPOSITORY_PATH_CHARS)?;
    let of = |line: Option<u64>| line.and_then(|line| u32::try_from(line).ok());
    let (line, start_line) = (of(line), of(start_line));
    if start_line.is_some_and(|start| line.is_none_or(|line| start > line)) {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("`{path}start_line` must not be after `{path}line`, which is the last one."),
            "Pass the first line as `start_line` and the last one as `line`.",
        ));
    }
    Ok(Anchor {
        file,
        line,
        start_line: start_line.filter(|start| Some(*start) != line),
        side: side.unwrap_or(Side::New),
    })
}

fields! {
    /// What `post_message` takes.
    pub(in crate::broker) struct Posting needs review_id, body {
        review_id: Option<ReviewId> = REVIEW,
        /// Markdown.
        body: Option<String> = TEXT,
        /// Goes on in this thread.
        thread_id: Option<ThreadId> = THREAD,
        /// Begins a thread here.
        file: Option<String> = TEXT,
        line: Option<u64> = LINE,
        start_line: Option<u64> = Unlisted(LINE),
        side: Option<Side> = SIDE,
        /// Whether the thread is settled.
        resolve: Option<bool> = FLAG,
        /// Yours; twice is once.
        message_id: Option<ThreadMessageId> = MESSAGE,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Posting {
    type Checked = (ReviewId, Said);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        let settles = self.resolve.is_some() && self.thread_id.is_some();
        let body = match blank_to_none(self.body) {
            None if settles => String::new(),
            body => filled("body", body)?,
        };
        at_most_bytes("body", &body, bounds::BODY_BYTES)?;
        let at = match (self.thread_id, self.file) {
            (Some(_), Some(_)) => {
                return Err(Fault::new(
                    Code::InvalidInput,
                    "`thread_id` and `file` both say where it is said.",
                    "Pass `thread_id` to go on in a thread, or `file` and `line` to begin one.",
                ));
            }
            (Some(thread), None) => SaidAt::Thread(thread),
            (None, Some(file)) => SaidAt::Lines(anchor("", Some(file), self.line, self.start_line, self.side)?),
            (None, None) => {
                if self.line.is_some() {
                    needed::<()>("file", None)?;
                }
                SaidAt::Review
            }
        };
        if self.resolve.is_some() && at == SaidAt::Review {
            return Err(Fault::new(
                Code::InvalidInput,
                "`resolve` needs the thread that it is about.",
                "Pass its `thread_id`, as get_messages gives it.",
            ));
        }
        Ok((review, Said { at, body, resolve: self.resolve, message_id: self.message_id }))
    }
}

fields! {
    /// What `get_messages` takes.
    pub(in crate::broker) struct Messages needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        /// An earlier result's `event`: only what came after it.
        since: Option<u64> = EVENT,
        /// Only threads that nobody has settled.
        unresolved: bool = FLAG,
        cursor: Option<String> = TEXT,
        /// Until something new is said or happens.
        wait: bool = FLAG,
        wait_seconds: Option<u64> = SECONDS,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        role: Option<String> = Unlisted(TEXT),
    }
}

/// Which messages are asked for.
#[derive(Debug)]
pub(in crate::broker) struct Heard {
    pub(in crate::broker) review: ReviewId,
    pub(in crate::broker) since: Option<u64>,
    pub(in crate::broker) unresolved: bool,
    pub(in crate::broker) cursor: Option<String>,
    pub(in crate::broker) wait: Wait,
}

impl Takes for Messages {
    type Checked = Heard;

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Heard, Fault> {
        Ok(Heard {
            review: needed("review_id", self.review_id)?,
            since: self.since,
            unresolved: self.unresolved,
            cursor: blank_to_none(self.cursor),
            wait: Wait { is_on: self.wait, seconds: self.wait_seconds },
        })
    }
}

fields! {
    /// What `submit_patch` takes.
    pub(in crate::broker) struct Offering needs review_id, diff {
        review_id: Option<ReviewId> = REVIEW,
        /// The whole other diff against the round's base.
        diff: Option<String> = TEXT,
        patch_diff: Option<String> = Unlisted(TEXT),
        description: Option<String> = TEXT,
        /// Accepting it is your approval.
        approves: bool = FLAG,
        claim_token: Option<u64> = TOKEN,
        round: Option<u64> = Unlisted(ROUND),
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        reviewer_id: Option<String> = Unlisted(TEXT),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Offering {
    type Checked = (ReviewId, OfferedPatch);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        let (own, other) = (diff("diff", self.diff)?, diff("patch_diff", self.patch_diff)?);
        let diff = needed("diff", own.or(other))?;
        at_most_bytes("description", self.description.as_deref().unwrap_or_default(), bounds::DESCRIPTION_BYTES)?;
        let claimed = Claimed { token: self.claim_token, round: round(self.round) };
        let description = blank_to_none(self.description);
        Ok((review, OfferedPatch { diff, description, approves: self.approves, claimed }))
    }
}
