//! What the record knows of receipts, and the second copy beside replies that were vouched for.

use gate_core::{AnsweredFrom, Digest, Timestamp};
use gate_store::{OpenOptions, ReceiptsKnown, Store, StoredAbout, Voucher, receipts_known_in};
use uuid::Uuid;

use crate::fixture::{NOW, Outcome, World, ask, reply, sqlite3, text};

#[tokio::test]
async fn how_far_the_log_went_is_kept_and_what_stays_home_goes_with_its_conversation() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    assert_eq!(store.receipts_known().await?, None, "there was no log");
    let asked = ask(&store, "May I?", NOW).await?;
    let line = Digest::of_bytes(b"a line");
    let about = StoredAbout { about: line, request_id: asked.request_id, said: "{}".to_owned() };
    let mut known = ReceiptsKnown { home: Uuid::from_u128(1), began: Timestamp(NOW), heads: vec![(1, line)] };
    for seq in [1, 2] {
        known.heads.insert(0, (seq, line));
        store.remember_receipts(&known, std::slice::from_ref(&about)).await?;
        assert_eq!(store.receipts_known().await?, Some(known.clone()));
    }
    assert_eq!(store.abouts(asked.request_id).await?, [about]);
    reply(&store, asked.request_id, None, &text("yes"), AnsweredFrom::Desktop, Timestamp(NOW)).await?;
    store.delete_conversation(asked.session_uuid).await?;
    assert_eq!(store.abouts(asked.request_id).await?, []);
    assert_eq!(store.receipts_known().await?.as_ref(), Some(&known), "which says nothing of the log");
    assert_eq!(receipts_known_in(&world.database()).await?.as_ref(), Some(&known), "while a gate has it open");
    store.close().await;
    assert_eq!(receipts_known_in(&world.database()).await?, Some(known), "and when none has");
    assert!(receipts_known_in(&world.file("none.db")).await.is_err() && !world.file("none.db").exists());
    Ok(())
}

#[tokio::test]
async fn only_replies_that_no_agent_has_and_nothing_is_remembered_of_are_unsettled() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut requests = Vec::new();
    for at in [NOW, NOW + 10, NOW + 20] {
        let asked = ask(&store, "May I?", at).await?;
        reply(&store, asked.request_id, None, &text("yes"), AnsweredFrom::Desktop, Timestamp(at)).await?;
        requests.push(asked);
    }
    let known = ReceiptsKnown { home: Uuid::from_u128(1), began: Timestamp(NOW), heads: Vec::new() };
    let about =
        StoredAbout { about: Digest::of_bytes(b"2"), request_id: requests[1].request_id, said: "{}".to_owned() };
    store.remember_receipts(&known, &[about]).await?;
    let ids = |all: &[usize]| all.iter().map(|at| requests[*at].request_id).collect::<Vec<_>>();
    let unsettled = |began: i64, since: i64| store.undelivered_unsettled(Timestamp(began), Timestamp(since));
    assert_eq!(unsettled(NOW, NOW + 100).await?, ids(&[0, 2]));
    assert_eq!(unsettled(NOW, NOW + 10).await?, ids(&[0, 1, 2]), "younger ones may still be held");
    assert_eq!(unsettled(NOW + 5, NOW + 100).await?, ids(&[2]), "what is from before receipts has none");
    store.mark_delivered(&requests[2].call_key, Timestamp(NOW)).await?;
    assert_eq!(unsettled(NOW, NOW + 100).await?, ids(&[0]));
    assert_eq!(store.all_undelivered().await?, ids(&[0, 1]));
    assert_eq!(store.answered_since(Timestamp(NOW + 10)).await?, ids(&[1, 2]));
    Ok(())
}

#[tokio::test]
async fn the_second_copy_takes_no_place_of_what_was_vouched_for() -> Outcome {
    for vouched in ["mine", "the copy's"] {
        let world = World::new()?;
        let store = world.open_well().await?;
        let asked = ask(&store, "May I?", NOW).await?;
        reply(&store, asked.request_id, None, &text("the copy's"), AnsweredFrom::Desktop, Timestamp(NOW)).await?;
        sqlite3(&world.database(), "UPDATE messages SET body = 'mine' WHERE role = 'person'")?;
        store.close().await;
        let voucher = Voucher::new(move |_, reply, _| reply.text == vouched);
        let options = OpenOptions { voucher: Some(voucher), ..world.options() };
        let store = Store::open(&options).await?.store;
        let standing = store.standing(asked.request_id).await?.ok_or("it is there")?;
        assert_eq!(standing.reply.map(|reply| reply.text).as_deref(), Some(vouched));
        store.close().await;
    }
    Ok(())
}
