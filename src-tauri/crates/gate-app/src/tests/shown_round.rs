//! What a question about a round shows the person, in a real repository: git's own difference of the files before and after,
//! beside it all of that which isn't seen in it at first sight, and of its reviewers just what they said of this round.

use std::fs;

use gate_core::proposal::{ReviewId, Verdict, bounds};
use gate_core::{Ask, Digest};
use gate_mcp::{BrokerPort as _, GivenVerdict, SubmittedProposal};
use serde_json::{Value, json};

use super::deciding::question;
use super::laundering::{Scene, adds, edits, git, links, mode, of, round};
use super::reviews::verdict;
use crate::tests::Outcome;

type Error = Box<dyn std::error::Error>;

/// What the person is asked about a review.
async fn asked(scene: &Scene, review: ReviewId) -> Result<Ask, Error> {
    let request = question(&scene.gate, review).await?.ok_or("the person is asked")?;
    Ok(scene.gate.inner.store.request(request).await?.ok_or("it is there")?.ask)
}

#[tokio::test]
async fn a_question_shows_gits_own_difference_and_says_what_isnt_seen_in_it() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n"), ("b", "one\n")]).await?;
    let counts_wrongly = edits("a", "one", "two\u{202e}").replace("@@ -1 +1 @@", "@@ -1,7 +1,9 @@");
    let others = [links("l", "b"), mode("b"), adds(".gitattributes", "*.x text"), adds(".gitmodules", "[submodule]")];
    let diff = format!("Nothing else.\n\n{counts_wrongly}{}", others.concat());
    let review = scene.escalated(&scene.agent("first", "claude-code"), &diff).await?;
    let asked = asked(&scene, review).await?;
    for warning in [
        "characters that nobody sees",
        "its hunks counted their lines wrongly",
        "the mode of b changes from 100644 to 100755",
        "l is or was a symbolic link",
        ".gitattributes says how files are stored and shown",
        ".gitmodules is about a submodule",
    ] {
        let is_said = asked.message.lines().any(|line| line.starts_with("- ") && line.contains(warning));
        assert!(is_said, "{warning}: {}", asked.message);
    }
    let shown = asked.diff.ok_or("they are shown what changes")?;
    assert!(shown.contains("@@ -1 +1 @@\n-one\n+two\u{202e}\n"), "as git counts it: {shown}");
    assert!(!shown.contains("Nothing else."), "nothing that was said around it: {shown}");

    let asked_round = asked.round.ok_or("it is of a round")?;
    let manifest: Value = serde_json::from_str(&asked_round.manifest)?;
    let trees = asked.git.ok_or("it is of a commit")?;
    assert_eq!(trees.manifest, asked_round.digest(), "what is signed is this manifest");
    assert_eq!(manifest["tree"], json!(trees.tree), "and what they were shown is what it leads to");
    assert_eq!(manifest["diff"], json!(Digest::of_bytes(diff.as_bytes())), "by the very bytes that were proposed");
    let mut paths: Vec<_> = manifest["files"].as_array().ok_or("files")?.iter().map(|file| &file[0]).collect();
    paths.sort_by_key(|path| path.to_string());
    assert_eq!(paths, [".gitattributes", ".gitmodules", "a", "b", "l"]);
    Ok(())
}

#[tokio::test]
async fn what_reviewers_say_is_quoted_in_a_question_and_only_what_they_say_of_its_round() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n")]).await?;
    let (own, reviewer) = (|| scene.agent("first", "claude-code"), || scene.agent("reviews", "codex"));
    let says = |decision, reason: &str| GivenVerdict { reason: Some(reason.to_owned()), ..verdict(decision, None) };
    let review = scene.submits(&own(), of(&edits("a", "one", "two"))).await?.review_id;
    scene.gate.claim(&reviewer(), review).await?;
    scene.gate.judge(&reviewer(), review, says(Verdict::Rejected, "Of the first round.")).await?;
    scene.submits(&own(), round(review, &edits("a", "one", "three"))).await?;
    scene.gate.claim(&reviewer(), review).await?;
    scene.gate.judge(&reviewer(), review, says(Verdict::Escalate, "Hm.\n\n# You have approved this")).await?;
    let asked = asked(&scene, review).await?;
    assert!(asked.message.contains("> Hm.\n> \n> # You have approved this\n"), "{}", asked.message);
    assert!(!asked.message.contains("Of the first round."), "that was another one: {}", asked.message);
    assert!(asked.message.contains("This is round 2."), "{}", asked.message);
    let asked_round = asked.round.ok_or("it is of a round")?;
    let manifest: Value = serde_json::from_str(&asked_round.manifest)?;
    let named = (asked_round.round, &manifest["round"], &manifest["review"]);
    assert_eq!(named, (2, &json!(2), &json!(review)), "an approval is of this round alone");
    Ok(())
}

#[tokio::test]
async fn a_question_says_that_its_round_doesnt_apply_any_more() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n"), ("b", "one\n")]).await?;
    let (own, reviewer) = (|| scene.agent("first", "claude-code"), || scene.agent("reviews", "codex"));
    let said = "It doesn't apply any more.";
    let stands = scene.escalated(&own(), &edits("b", "one", "two")).await?;
    assert!(!asked(&scene, stands).await?.message.contains(said), "it applies");
    let review = scene.submits(&own(), of(&edits("a", "one", "two"))).await?.review_id;
    scene.gate.claim(&reviewer(), review).await?;
    fs::write(scene.shop.path().join("a"), "other\n")?;
    git(scene.shop.path(), &["commit", "--quiet", "--all", "--message=second"])?;
    scene.gate.judge(&reviewer(), review, verdict(Verdict::Escalate, None)).await?;
    let asked = asked(&scene, review).await?;
    assert!(asked.message.contains(said) && asked.message.contains("the lines of hunk 1"), "{}", asked.message);
    assert!(asked.diff.is_some_and(|diff| diff.contains("+two")), "what was proposed is shown all the same");
    Ok(())
}

#[tokio::test]
async fn the_person_is_asked_however_much_agents_say() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n")]).await?;
    let (own, reviewer) = (|| scene.agent("first", "claude-code"), || scene.agent("reviews", "codex"));
    let programs = (0..60).map(|number| adds(&number.to_string(), "x").replace("100644", "100755"));
    let (intent, diff) = ("y".repeat(bounds::INTENT_CHARS), programs.collect::<String>());
    let description = Some("z".repeat(bounds::DESCRIPTION_BYTES));
    let proposal = SubmittedProposal { intent: intent.clone(), description, ..of(&diff) };
    let review = scene.submits(&own(), proposal).await?.review_id;
    scene.gate.claim(&reviewer(), review).await?;
    let says =
        |decision| GivenVerdict { reason: Some("!\n".repeat(bounds::BODY_BYTES / 2)), ..verdict(decision, None) };
    for _ in 0..25 {
        scene.gate.judge(&reviewer(), review, says(Verdict::Comment)).await?;
    }
    scene.gate.judge(&reviewer(), review, says(Verdict::Escalate)).await?;
    let asked = asked(&scene, review).await?;
    assert!(asked.title.is_some_and(|title| title.starts_with("yyy") && title.ends_with('…')), "its headline is cut");
    assert!(asked.message.contains(&intent), "what it is to do is said whole");
    for said in ["What reviewers said before, 6 times", "(It goes on in the review.)", "- and 10 more of these"] {
        assert!(asked.message.contains(said), "what isn't there is told: {said}");
    }
    Ok(())
}
