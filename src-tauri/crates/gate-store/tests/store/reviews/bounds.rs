//! How much one party says, offers and proposes at most.

use gate_core::proposal::{Act, Brought, Claimed, MessagePlace, bounds};
use tokio::task::JoinSet;

use super::scene::*;
use crate::fixture::{NOW, Outcome, sqlite3};

#[tokio::test]
async fn what_one_party_says_offers_and_proposes_has_its_bounds() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), agent(&client("codex")));
    let review = scene.submit(&proposer).await?;
    scene.claim(&reviewer, review).await?;
    for number in 0..=bounds::ROUNDS {
        let (_, with) = patch(&["src/a.rs"], &number.to_string(), false);
        let offered = scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await;
        assert_eq!(code(offered), if number < bounds::ROUNDS { "done" } else { "too_many" }, "patch {number}");
    }
    let message = || Brought::Message(said("?", MessagePlace::Review));
    let ids = "printf('00000000-0000-7000-8000-%012x', x)";
    let many = format!(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {})
         INSERT INTO thread_messages SELECT {ids}, '{review}', 1, NULL, NULL, 'reviewer', 'codex', '?', {NOW} FROM n",
        bounds::MESSAGES - 1
    );
    sqlite3(&scene.world.database(), &many)?;
    assert_eq!(code(scene.act_with(&reviewer, review, Act::Message, message()).await), "done");
    assert_eq!(code(scene.act_with(&reviewer, review, Act::Message, message()).await), "too_many");

    let mut submits = JoinSet::new();
    for _ in 1..bounds::OPEN_REVIEWS {
        let (store, proposer, new) = (scene.store.clone(), proposer.clone(), scene.proposal(&["src/a.rs"]));
        submits.spawn(async move { submit(&store, &proposer, new, NOW).await });
    }
    assert_eq!(submits.join_all().await.into_iter().filter(Result::is_err).count(), 0, "there is room for so many");
    assert_eq!(code(scene.submit(&proposer).await), "too_many");
    assert_eq!(code(scene.submit(&client("codex")).await), "done", "others have theirs");
    scene.act(&agent(&proposer), review, Act::Close(None)).await?;
    assert_eq!(code(scene.submit(&proposer).await), "done", "what is over takes none");
    Ok(())
}
