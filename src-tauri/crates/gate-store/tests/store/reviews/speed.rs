//! How fast it is: printed, and asserted nowhere.

use std::time::{Duration, Instant};

use gate_core::proposal::Act;

use super::scene::*;
use crate::fixture::{NOW, Outcome, campaign};

/// Lets so many clients submit so many each. Gives how many a second.
async fn creates(clients: usize, each: usize, files: &'static [&'static str]) -> Result<f64, Error> {
    let scene = Scene::new().await?;
    let mut tasks = tokio::task::JoinSet::new();
    let start = Instant::now();
    for client_number in 0..clients {
        let (store, news) = (scene.store.clone(), (0..each).map(|_| scene.proposal(files)).collect::<Vec<_>>());
        tasks.spawn(async move {
            let by = client(&format!("client {client_number}"));
            for new in news {
                submit(&store, &by, new, NOW).await?;
            }
            Ok::<_, gate_core::Fault>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(scene.count("proposals")?, i64::try_from(clients * each)?, "all of them are there");
    Ok((clients * each) as f64 / seconds)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_pace_of_submitting_and_of_claiming_is_printed() -> Outcome {
    let each = campaign(300, 10);
    let alone = creates(1, each, &["a"]).await?;
    let many = creates(32, each, &["a"]).await?;
    let files = &["src/a.rs", "src/b.rs", "src/c.rs"];
    let three = creates(32, each, files).await?;
    println!("submitting: {alone:.0}/s by one, {many:.0}/s by 32 ({:.1} x), of 3 files {three:.0}/s", many / alone);

    let scene = Scene::new().await?;
    let reviews = campaign(1000, 100);
    for number in 0..reviews {
        scene.submit(&client(&format!("proposer {}", number / 900))).await?;
    }
    let mut tasks = tokio::task::JoinSet::new();
    let start = Instant::now();
    for number in 0..32 {
        let store = scene.store.clone();
        tasks.spawn(async move {
            let by = agent(&client(&format!("reviewer {number}")));
            let mut waits = Vec::new();
            loop {
                let asked = Instant::now();
                let given = claim_next(&store, &by).await?;
                waits.push(asked.elapsed());
                let Some(given) = given else { return Ok::<_, gate_core::Fault>(waits) };
                let acting = gate_core::proposal::Acting {
                    review_id: given.review.review_id,
                    actor: by.clone(),
                    act: Act::Verdict(gate_core::proposal::Verdict::Approved, Default::default()),
                    with: judged("", Vec::new()),
                    answers: None,
                    call_key: None,
                    at: gate_core::Timestamp(NOW),
                };
                gate_core::proposal::ReviewStore::act(&store, acting).await?;
            }
        });
    }
    let mut waits: Vec<Duration> = Vec::new();
    while let Some(done) = tasks.join_next().await {
        waits.extend(done??);
    }
    let seconds = start.elapsed().as_secs_f64();
    waits.sort();
    let worst = waits[waits.len() * 99 / 100];
    println!("32 claim and approve {reviews}: {:.0}/s, a claim takes {worst:?} (p99)", reviews as f64 / seconds);
    assert_eq!(scene.count("verdicts")?, reviews, "each was reviewed once");
    Ok(())
}
