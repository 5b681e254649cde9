//! Lists: what is looked for, page by page.

use std::collections::BTreeSet;

use gate_core::Timestamp;
use gate_core::proposal::{
    Act, Brought, MessagePlace, Need, NewReview, Priority, ReviewId, ReviewPlace, ReviewQuery, ReviewStatus,
    ReviewStore, Verdict, bounds,
};

use super::scene::*;
use crate::fixture::{NOW, Outcome};

impl Scene {
    async fn listed(&self, query: &ReviewQuery) -> Result<Vec<ReviewId>, Error> {
        let found = self.store.reviews(query, None, 100).await?;
        Ok(found.into_iter().map(|review| review.review_id).collect())
    }
}

#[tokio::test]
async fn a_list_holds_what_fits_each_of_its_filters_the_latest_changed_first() -> Outcome {
    let scene = Scene::new().await?;
    let (claude, codex) = (client("claude-code"), client("codex"));
    let any = ReviewQuery::default();
    let first = scene.submit_new(&claude, scene.proposal(&["src/a.rs"])).await?;
    let urgent = NewReview {
        category: Some("security".to_owned()),
        priority: Priority::High,
        ..scene.proposal(&["srcs/a.rs", "docs/a_b.md"])
    };
    let urgent = submit(&scene.store, &codex, urgent, NOW + 1).await?.review.review_id;
    let mut elsewhere = scene.proposal(&["src/a.rs"]);
    elsewhere.first.checked.repository = Some("/srv/other/.git".to_owned());
    let elsewhere = submit(&scene.store, &codex, elsewhere, NOW + 2).await?.review.review_id;
    assert_eq!(scene.listed(&any).await?, [elsewhere, urgent, first]);
    let told = Brought::Message(said("?", MessagePlace::Review));
    scene.act_at(&agent(&codex), first, Act::Message, told, NOW + 3).await?;
    assert_eq!(scene.listed(&any).await?, [first, elsewhere, urgent], "what is said moves it to the top");
    scene.act_at(&agent(&codex), first, Act::Claim, Brought::Nothing, NOW + 4).await?;
    let path = |path: &str| ReviewQuery { path: Some(path.to_owned()), ..any.clone() };
    let places = |places: &[&str], own: Option<&str>| ReviewQuery {
        places: Some(places.iter().map(|place| (*place).to_owned()).collect()),
        own: own.map(str::to_owned),
        ..any.clone()
    };
    for (query, expected) in [
        (ReviewQuery { status: Some(ReviewStatus::Claimed), ..any.clone() }, vec![first]),
        (ReviewQuery { status: Some(ReviewStatus::Created), ..any.clone() }, vec![elsewhere, urgent]),
        (ReviewQuery { category: Some("security".to_owned()), ..any.clone() }, vec![urgent]),
        (ReviewQuery { priority: Some(Priority::High), ..any.clone() }, vec![urgent]),
        (ReviewQuery { party: Some(claude.key.clone()), ..any.clone() }, vec![first]),
        (ReviewQuery { since: Some(Timestamp(NOW + 2)), ..any.clone() }, vec![first]),
        (path("src"), vec![first, elsewhere]),
        (path("src/"), vec![first, elsewhere]),
        (path("src/a.rs"), vec![first, elsewhere]),
        (path("docs/a%"), vec![]),
        (path("docs/aXb.md"), vec![]),
        (places(&[PLACE], None), vec![first, urgent]),
        (places(&[], None), vec![]),
        (places(&[], Some(&codex.key)), vec![elsewhere, urgent]),
        (places(&[PLACE], Some(&codex.key)), vec![first, elsewhere, urgent]),
    ] {
        assert_eq!(scene.listed(&query).await?, expected, "{query:?}");
    }
    let listed = scene.store.reviews(&any, None, 1).await?;
    assert_eq!(listed[0], scene.read(first).await?.summary, "a line of a list says the same as the review");
    assert_eq!(listed[0].holder.as_deref(), Some("codex"));
    Ok(())
}

#[tokio::test]
async fn a_list_that_says_all_of_a_review_says_what_was_said_in_it_last() -> Outcome {
    let scene = Scene::new().await?;
    let (claude, codex) = (client("claude-code"), client("codex"));
    let (quiet, review) = (scene.submit(&claude).await?, scene.submit(&claude).await?);
    let long = "é".repeat(bounds::MESSAGE_SHOWN_CHARS + 1);
    for (at, body) in [(1, "What for?"), (2, long.as_str())] {
        let told = Brought::Message(said(body, MessagePlace::Review));
        scene.act_at(&agent(&claude), review, Act::Message, told, NOW + at).await?;
    }
    scene.claim(&agent(&codex), review).await?;
    scene.judge(&agent(&codex), review, Verdict::Rejected).await?;
    let listed = scene.store.whole_reviews(&ReviewQuery::default(), 100).await?;
    let found = |id| listed.iter().find(|listed| listed.review.summary.review_id == id).ok_or("it is listed");
    let (of_quiet, of_review) = (found(quiet)?, found(review)?);
    assert_eq!(of_review.review, scene.read(review).await?, "all of it");
    let begins = long.chars().take(bounds::MESSAGE_SHOWN_CHARS).collect::<String>();
    assert_eq!((of_review.messages, &of_review.last_message), (2, &Some((Timestamp(NOW + 2), begins))));
    assert_eq!(of_review.reason.as_deref(), Some("as it is"), "and why it was rejected");
    assert_eq!((of_quiet.messages, &of_quiet.last_message, &of_quiet.reason), (0, &None, &None));
    let next = Brought::Round(Box::new(diff(&["src/b.rs"], "")));
    let act = Act::Round { replaces: None, need: Need::AGENT, carries: None };
    scene.act_at(&agent(&claude), review, act, next, NOW + 3).await?;
    let listed = scene.store.whole_reviews(&ReviewQuery::default(), 1).await?;
    assert_eq!(listed.len(), 1, "no more than are asked for");
    assert_eq!((listed[0].review.summary.round, &listed[0].reason), (2, &None), "a new round has no verdict yet");
    Ok(())
}

#[tokio::test]
async fn a_list_of_several_places_and_of_ones_own_is_one_list() -> Outcome {
    let scene = Scene::new().await?;
    let (claude, codex) = (client("claude-code"), client("codex"));
    let places = [PLACE, "/srv/tools/.git", "/srv/elsewhere/.git"];
    let mut seen = Vec::new();
    for number in 0..60_u8 {
        let mut new = scene.proposal(&["src/a.rs"]);
        let place = places[usize::from(number) % 3];
        new.first.checked.repository = Some(place.to_owned());
        new.priority = if number % 4 == 0 { Priority::High } else { Priority::Normal };
        new.category = (number % 5 == 0).then(|| "docs".to_owned());
        let by = if number % 2 == 0 { &claude } else { &codex };
        let (priority, category) = (new.priority, new.category.clone());
        let review = submit(&scene.store, by, new, NOW + i64::from(number) / 4).await?.review;
        if place != places[2] || number % 2 == 1 {
            seen.push((review.updated_at, review.review_id, priority, category));
        }
    }
    seen.sort_by_key(|seen| std::cmp::Reverse((seen.0, seen.1)));
    let (first, second) = (PLACE.to_owned(), places[1].to_owned());
    let both = ReviewQuery {
        places: Some(vec![first.clone(), second, first]),
        own: Some(codex.key.clone()),
        ..ReviewQuery::default()
    };
    let docs = Some("docs".to_owned());
    for (query, expected) in [
        (both.clone(), seen.clone()),
        (ReviewQuery { priority: Some(Priority::High), ..both.clone() }, {
            seen.iter().filter(|seen| seen.2 == Priority::High).cloned().collect()
        }),
        (ReviewQuery { priority: Some(Priority::Normal), ..both.clone() }, {
            seen.iter().filter(|seen| seen.2 == Priority::Normal).cloned().collect()
        }),
        (ReviewQuery { category: docs.clone(), ..both.clone() }, {
            seen.iter().filter(|seen| seen.3 == docs).cloned().collect()
        }),
        (
            ReviewQuery { status: Some(ReviewStatus::Created), path: Some("src".to_owned()), ..both.clone() },
            seen.clone(),
        ),
        (ReviewQuery { status: Some(ReviewStatus::Closed), ..both }, Vec::new()),
    ] {
        let (mut found, mut place) = (Vec::new(), None);
        loop {
            let page = scene.store.reviews(&query, place, 7).await?;
            let Some(last) = page.last() else { break };
            place = Some(ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
            found.extend(page.iter().map(|review| review.review_id));
        }
        assert_eq!(found, expected.iter().map(|seen| seen.1).collect::<Vec<_>>(), "each once, in order: {query:?}");
    }
    Ok(())
}

#[tokio::test]
async fn pages_lose_and_double_nothing_that_stayed_as_it_was_while_others_changed() -> Outcome {
    let scene = Scene::new().await?;
    let mut reviews = Vec::new();
    for number in 0..300 {
        // Three at each moment: the order has to be more than that of time.
        let new = scene.proposal(&["a"]);
        reviews.push(submit(&scene.store, &client("claude-code"), new, NOW + number / 3).await?.review.review_id);
    }
    let (mut seen, mut changed) = (Vec::new(), BTreeSet::new());
    let mut place: Option<ReviewPlace> = None;
    let reviewer = agent(&client("codex"));
    loop {
        let page = scene.store.reviews(&ReviewQuery::default(), place, 23).await?;
        let Some(last) = page.last() else { break };
        place = Some(ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
        seen.extend(page.iter().map(|review| review.review_id));
        // One that was listed, and one that will be.
        for at in [seen.len() - 5, 300 - 3 * seen.len() / 4 - 1] {
            let review = reviews[at % 300];
            let told = Brought::Message(said("?", MessagePlace::Review));
            scene.act_at(&reviewer, review, Act::Message, told, NOW + 10_000).await?;
            changed.insert(review);
        }
    }
    let distinct: BTreeSet<_> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), seen.len(), "nothing is listed twice");
    let stayed: BTreeSet<_> = reviews.iter().copied().filter(|review| !changed.contains(review)).collect();
    let missed: Vec<_> = stayed.difference(&distinct).collect();
    assert_eq!(missed, Vec::<&ReviewId>::new(), "and nothing that stayed is lost");
    assert!(changed.len() > 10, "others did change: {}", changed.len());
    let since = ReviewQuery { since: Some(Timestamp(NOW + 9999)), ..ReviewQuery::default() };
    assert_eq!(scene.store.reviews(&since, None, 100).await?.len(), changed.len(), "which is how they are found");
    Ok(())
}

#[tokio::test]
async fn what_changes_nothing_doesnt_come_to_the_top() -> Outcome {
    let scene = Scene::new().await?;
    let reviewer = agent(&client("codex"));
    let (one, two) = (scene.submit(&client("claude-code")).await?, scene.submit(&client("claude-code")).await?);
    scene.claim(&reviewer, one).await?;
    scene.act_at(&reviewer, one, Act::Claim, Brought::Nothing, NOW + MINUTE).await?;
    let raise = Act::Raise(gate_core::proposal::Need::AGENT);
    scene.act_at(&gate_core::proposal::Actor::Gate, one, raise, Brought::Nothing, NOW + MINUTE).await?;
    let read = scene.read(one).await?;
    assert_eq!(read.summary.updated_at, Timestamp(NOW), "nothing happened in it");
    assert_eq!(read.summary.lease_until, Some(Timestamp(NOW + 21 * MINUTE)), "its claim lasts longer");
    let first = agent(&client("gemini-cli"));
    scene.act_at(&first, two, Act::Claim, Brought::Nothing, NOW + 2 * MINUTE).await?;
    assert_eq!(code(scene.judge(&reviewer, two, Verdict::Approved).await), "not_holder");
    assert_eq!(scene.read(two).await?.summary.updated_at, Timestamp(NOW + 2 * MINUTE), "nor by what was refused");
    Ok(())
}
