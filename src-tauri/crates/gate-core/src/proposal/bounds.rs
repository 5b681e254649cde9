//! The bounds of the review broker. Whatever passes one is refused with an error that names it.

/// Characters of what a proposal is meant to do.
pub const INTENT_CHARS: usize = 2000;
/// Characters of it in a summary.
pub const INTENT_SHOWN_CHARS: usize = 200;
/// Characters of a message in a list of reviews.
pub const MESSAGE_SHOWN_CHARS: usize = 120;
/// Bytes of a description, of a round or of a patch.
pub const DESCRIPTION_BYTES: usize = 256 * 1024;
/// Characters of a category.
pub const CATEGORY_CHARS: usize = 60;
/// Characters of a label's value.
pub const LABEL_CHARS: usize = 200;
/// Bytes of a verdict's reason and of a message.
pub const BODY_BYTES: usize = 64 * 1024;
/// Comments of one verdict.
pub const VERDICT_COMMENTS: usize = 1000;
/// Rounds of a review, and patches that are offered in it.
pub const ROUNDS: u32 = 100;
/// Threads of a review.
pub const THREADS: u32 = 1000;
/// Messages of a review.
pub const MESSAGES: u32 = 10_000;
/// Open reviews of one party.
pub const OPEN_REVIEWS: u32 = 1000;
/// Claims that one party holds at a time.
pub const CLAIMS: u32 = 3;
/// How often a party may lose the claim on one round before others have it alone.
pub const LOST_CLAIMS: u32 = 2;
/// Questions of one party that stand in the inbox at a time; the rest wait in their order.
pub const ASKED_AT_ONCE: usize = 50;
/// Files of one diff.
pub const DIFF_FILES: usize = 2000;
/// How the name of a call over HTTP begins, which is known by what it says.
pub const OVER_HTTP: &str = "http-";
/// How the name of a call that offers a patch with its verdict goes on for the patch: it does two things, and each counts
/// once.
pub const WITH_PATCH: &str = " patch";
/// Calls that wait at a time.
pub const WAITS: usize = 4096;
/// Bytes of a diff on one page of a result.
pub const DIFF_PAGE_BYTES: usize = 48 * 1024;
/// Reviews on one page of a list.
pub const LIST_ITEMS: usize = 50;
/// Entries of a list that has no further pages.
pub const WHOLE_LIST: usize = 500;
/// Categories that a call names to be given reviews of.
pub const CATEGORIES: usize = 50;
/// Files that are named of an approved result that was found otherwise.
pub const APPLIED_PATHS: usize = 50;
/// Lines that are quoted of a place that is gone.
pub const QUOTED_LINES: usize = 20;
/// Bytes of each.
pub const QUOTED_BYTES: usize = 400;
