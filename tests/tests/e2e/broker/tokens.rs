//! What a client's own token lets it do in reviews, and whose it is.

use anyhow::{Result, ensure};
use gate_tests::{Home, Peer, makes_it};
use serde_json::{Value, json};

use super::gate_of;

/// A client with a token that is made with these words.
async fn with(home: &Home, name: &str, words: &str) -> Result<Peer> {
    let folder = home.workspace();
    let made = home.at_a_terminal(&format!("token create {name} --workspace {} {words}", folder.display())).await?;
    Peer::with_token(home, name, made.trim()).await
}

fn proposal(word: &str) -> Value {
    json!({"intent": "Say it in another language.", "diff": makes_it(word)})
}

#[tokio::test]
async fn a_token_lets_its_client_propose_or_review_alone() -> Result<()> {
    let home = Home::new()?;
    let (_gate, _) = gate_of(&home).await?;
    let (proposer, reviewer) =
        (with(&home, "author", "--may propose").await?, with(&home, "critic", "--may review").await?);
    let both = with(&home, "both", "").await?;

    let refused = reviewer.refused("submit_proposal", proposal("zwei")).await?;
    ensure!(refused.code == "role_forbidden" && refused.text.contains("token create"), "{refused:?}");
    let review = proposer.does("submit_proposal", proposal("zwei")).await?;
    let others = both.does("submit_proposal", proposal("deux")).await?;
    let claims = |review: &Value| json!({"review_id": review["review_id"]});
    assert_eq!(proposer.refused("claim_review", claims(&others)).await?.code, "role_forbidden");
    proposer.does("post_message", json!({"review_id": others["review_id"], "body": "Why not German?"})).await?;
    let claim = reviewer.does("claim_review", claims(&review)).await?;
    assert_eq!(claim["holder"], "critic");
    reviewer.judges(&claim["review_id"], "approved", "It says so.").await?;

    let listed = home.at_a_terminal("token list").await?;
    for (name, says) in [("author", ", may propose"), ("critic", ", may review")] {
        ensure!(listed.lines().any(|line| line.starts_with(name) && line.contains(says)), "{name}: {listed}");
    }
    ensure!(!listed.lines().any(|line| line.starts_with("both") && line.contains("may")), "{listed}");
    let wrong = home.at_a_terminal("token create other --may approve").await;
    let said = format!("{wrong:?}");
    ensure!(said.contains("propose, review"), "it says what there is: {said}");
    Ok(())
}

#[tokio::test]
async fn the_tokens_of_one_owner_are_one_party() -> Result<()> {
    let home = Home::new()?;
    let (_gate, _) = gate_of(&home).await?;
    let (one, two) = (with(&home, "bot-a", "--owner bots").await?, with(&home, "bot-b", "--owner bots").await?);
    let other = with(&home, "bot-c", "--owner others").await?;
    let review = one.does("submit_proposal", proposal("zwei")).await?;
    let claims = json!({"review_id": review["review_id"]});
    assert_eq!(two.refused("claim_review", claims.clone()).await?.code, "own_proposal", "it would review its own");
    other.does("claim_review", claims).await?;
    let listed = home.at_a_terminal("token list").await?;
    ensure!(listed.lines().any(|line| line.starts_with("bot-b") && line.contains(", of bots")), "{listed}");
    Ok(())
}
