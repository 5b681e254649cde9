//! Reviews, their patches and threads, by their ids or the last characters of these.

use std::fmt::Display;
use std::str::FromStr;

use gate_api::subjects::reviews::{ListReviews, ReviewView};
use gate_core::proposal::{PatchId, ReviewId, ThreadId};
use gate_core::{Code, Fault};

use crate::client::Client;
use crate::ending;

/// Reviews that are looked through for an id that ends so.
const LOOKED_THROUGH: usize = 1000;

/// The review with this id, or the only one of the latest whose id ends so.
pub(super) async fn review(client: &mut Client, id: &str) -> Result<ReviewId, Fault> {
    if let Some(whole) = ending::whole(id)? {
        return Ok(whole);
    }
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let page = client.ask(ListReviews { status: None, cursor }).await?;
        all.extend(page.reviews.iter().map(|review| review.review_id));
        cursor = page.next;
        if cursor.is_none() || all.len() >= LOOKED_THROUGH {
            break;
        }
    }
    let list = "List them with `review-gate reviews list`; older ones are named by their whole id.";
    only(ending::of(id, all.into_iter()), id, ("review", Code::UnknownReview, list))
}

/// The patch of a review with this id, or the only one whose id ends so.
pub(super) fn patch(view: &ReviewView, id: &str) -> Result<PatchId, Fault> {
    let all = view.patches.iter().map(|patch| patch.patch_id);
    of_review(all, id, ("patch of this review", Code::UnknownPatch, "`review-gate reviews show ID` lists them."))
}

/// The thread of a review with this id, or the only one whose id ends so.
pub(super) fn thread(view: &ReviewView, id: &str) -> Result<ThreadId, Fault> {
    let all = view.threads.iter().map(|thread| thread.thread_id);
    of_review(all, id, ("thread of this review", Code::UnknownThread, "`review-gate reviews show ID` lists them."))
}

type Unknown<'a> = (&'a str, Code, &'a str);

fn of_review<T>(all: impl Iterator<Item = T>, id: &str, unknown: Unknown<'_>) -> Result<T, Fault>
where
    T: Display + FromStr<Err = Fault>,
{
    match ending::whole(id)? {
        Some(whole) => Ok(whole),
        None => only(ending::of(id, all), id, unknown),
    }
}

fn only<T>(mut found: Vec<T>, id: &str, (what, code, mend): Unknown<'_>) -> Result<T, Fault> {
    match (found.pop(), found.len()) {
        (Some(one), 0) => Ok(one),
        (None, _) => Err(Fault::new(code, format!("No {what} has an id that ends in {id:?}."), mend)),
        (Some(_), more) => {
            let message = format!("{} have an id that ends in {id:?}: each is a {what}.", more + 1);
            Err(Fault::new(Code::InvalidInput, message, "Give more of the id."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_id_or_several_end_in_is_refused_with_what_to_do() {
        let unknown = ("patch of this review", Code::UnknownPatch, "Look.");
        assert_eq!(only(vec![7], "x", unknown), Ok(7));
        let none = only(Vec::<u8>::new(), "91ab30c2", unknown).expect_err("there is none");
        assert_eq!((none.code, &*none.mend), (Code::UnknownPatch, "Look."));
        assert!(none.message.contains("No patch of this review") && none.message.contains("91ab30c2"), "{none}");
        let several = only(vec![7, 8], "91ab30c2", unknown).expect_err("there are two");
        assert!(several.code == Code::InvalidInput && several.message.starts_with("2 have"), "{several}");
    }
}
