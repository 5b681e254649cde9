//! Reviews as resources: read, subscribed and told of in both eras; of others, nothing.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, NOTES, Peer, Spawning, commit, makes_it, stateless_meta};
use serde_json::{Value, json};

use super::{NOBODY, gate_of};

const REVIEWS: &str = "file://review-gate/reviews";

/// What a URI reads as.
async fn read(agent: &Agent, uri: &str, meta: Option<Value>) -> Result<Value> {
    let mut params = json!({"uri": uri});
    if let Some(meta) = meta {
        params["_meta"] = meta;
    }
    let mut result = agent.result(agent.request("resources/read", params).await?).await?;
    let contents = result["contents"][0].take();
    assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(contents["text"].as_str().context("JSON is text")?).context("it is JSON")
}

#[tokio::test]
async fn reviews_are_read_and_told_of_in_both_eras() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let old = reviewer.agent()?;
    let new = Agent::spawn_with(&home, Spawning { apart: true, toolset: Some("broker"), ..Spawning::default() })?;
    let meta = || stateless_meta("gemini-cli");

    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let id = submitted["review_id"].as_str().context("an id")?;
    let (one, round, events) =
        (format!("{REVIEWS}/{id}"), format!("{REVIEWS}/{id}/rounds/1"), format!("{REVIEWS}/{id}/events"));
    for (agent, meta) in [(old, None), (&new, Some(meta()))] {
        let listed = read(agent, REVIEWS, meta.clone()).await?;
        assert_eq!(listed["reviews"][0]["review_id"], id, "{listed}");
        let listed = read(agent, &format!("{REVIEWS}?status=closed"), meta.clone()).await?;
        assert_eq!(listed["reviews"], json!([]), "none of these is closed: {listed}");
        let found = read(agent, &one, meta.clone()).await?;
        assert_eq!((&found["status"], &found["intent"]), (&json!("created"), &json!("Say it in German.")), "{found}");
        let found = read(agent, &round, meta.clone()).await?;
        assert_eq!(found["diff"], makes_it("zwei"), "{found}");
        let found = read(agent, &events, meta).await?;
        assert_eq!(
            (&found["events"][0]["n"], &found["events"][0]["kind"]),
            (&json!(1), &json!("submitted")),
            "{found}"
        );
    }

    for uri in [REVIEWS, one.as_str()] {
        old.result(old.request("resources/subscribe", json!({"uri": uri})).await?).await?;
    }
    let filter = json!({"resourceSubscriptions": [one, events]});
    new.request("subscriptions/listen", json!({"notifications": filter, "_meta": meta()})).await?;
    new.notification("notifications/subscriptions/acknowledged").await?;
    reviewer.judges(&submitted["review_id"], "approved", "Yes.").await?;
    for (agent, wanted) in [(old, [REVIEWS, one.as_str()]), (&new, [one.as_str(), events.as_str()])] {
        let mut told: Vec<String> = Vec::new();
        while !wanted.iter().all(|uri| told.iter().any(|told| told == uri)) {
            let updated = agent.notification("notifications/resources/updated").await?;
            let uri = updated["params"]["uri"].as_str().context("a URI")?;
            assert!(wanted.contains(&uri), "only what was asked for: {updated}");
            told.push(uri.to_owned());
        }
    }
    let found = read(old, &one, None).await?;
    assert_eq!((&found["status"], &found["approved_by"]), (&json!("approved"), &json!("agent")), "{found}");
    Ok(())
}

#[tokio::test]
async fn of_reviews_elsewhere_there_is_nothing_to_read_or_to_subscribe_to() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let folder = home.folder().join("elsewhere");
    commit(&folder, &[NOTES]).await?;
    let stranger = Peer::in_folder(&home, "codex", &folder).await?;
    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let id = submitted["review_id"].as_str().context("an id")?;
    let agent = stranger.agent()?;
    assert_eq!(read(agent, REVIEWS, None).await?["reviews"], json!([]));
    for path in ["", "/rounds/1", "/events"] {
        for method in ["resources/read", "resources/subscribe"] {
            let of = async |id: &str| -> Result<Value> {
                let asked = agent.request(method, json!({"uri": format!("{REVIEWS}/{id}{path}")})).await?;
                Ok(agent.wait(asked).await?["error"].take())
            };
            let (told, nobody) = (of(id).await?, of(NOBODY).await?);
            assert_eq!(told["code"], -32002, "{method} {path}: {told}");
            let as_if = told["message"].as_str().map(|text| text.replace(id, NOBODY));
            assert_eq!(as_if.as_deref(), nobody["message"].as_str(), "{method} {path}: as if there were none");
        }
    }
    Ok(())
}
