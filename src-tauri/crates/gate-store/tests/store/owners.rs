//! Whose conversations are: what is theirs is found by any of its identifiers, and changes hands once.

use gate_core::{AttachmentId, Code, Owner, OwnerId, Process, RequestId, SessionUuid, Timestamp, bounds};
use gate_store::{NewSession, Owned};
use uuid::Uuid;

use crate::fixture::{NOW, Outcome, World, answer, ask, ask_as, code, sqlite3, token};

#[tokio::test]
async fn whose_something_is_is_found_by_each_of_its_identifiers() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    let attachment = AttachmentId(Uuid::now_v7());
    store.attach(asked.request_id, attachment, "a.txt", b"text", Timestamp(NOW)).await?;
    let owned = Owned { session_uuid: asked.session_uuid, owner: Some(asked.owner) };
    assert_eq!(store.owner_of_session(asked.session_uuid).await?.as_ref(), Some(&owned));
    assert_eq!(store.owner_of_request(asked.request_id).await?.as_ref(), Some(&owned));
    assert_eq!(store.owner_of_attachment(attachment).await?.as_ref(), Some(&owned));
    assert_eq!(store.owner_of_session(SessionUuid(Uuid::nil())).await?, None, "what isn't there is no one's");
    assert_eq!(store.owner_of_request(RequestId(Uuid::nil())).await?, None);
    assert_eq!(store.owner_of_attachment(AttachmentId(Uuid::nil())).await?, None);
    let own = token("test").id;
    assert_eq!(store.sessions_like("", 9, Some(&own)).await?, (vec![asked.session_uuid], 1), "its owner is offered it");
    assert_eq!(store.attachments_like("", 9, Some(&own)).await?, (vec![attachment], 1));
    let other = token("other").id;
    assert_eq!(store.sessions_like("", 9, Some(&other)).await?, (Vec::new(), 0), "and nobody else is");
    assert_eq!(store.attachments_like("", 9, Some(&other)).await?, (Vec::new(), 0));
    assert_eq!(store.sessions_like("", 9, None).await?.1, 1, "without an owner, all are found");
    sqlite3(&world.database(), "UPDATE conversations SET owner = 'person'")?;
    assert!(store.owner_of_session(asked.session_uuid).await.is_err(), "a garbled owner is nobody that one could be");
    Ok(())
}

#[tokio::test]
async fn a_session_changes_hands_once_and_keeps_its_heirs() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let heir = |pid: u32| Owner::of_process(Process { pid, began: "then".to_owned() }, "codex", "/w");
    let session_uuid = SessionUuid(Uuid::now_v7());
    let new = NewSession {
        session_uuid,
        caller: gate_core::Caller::default(),
        declared: gate_core::Declared::default(),
        relay: None,
        owner: OwnerId::SharedToken.into(),
        now: Timestamp(NOW),
    };
    store.begin_session(&new).await?;
    let found = store.owner_of_session(session_uuid).await?.ok_or("it is there")?;
    assert!(store.hand_over(&found, Some(&heir(1))).await?);
    assert!(!store.hand_over(&found, Some(&heir(2))).await?, "two that come at once don't both have it");
    let found = store.owner_of_session(session_uuid).await?.ok_or("it is there")?;
    assert_eq!(found.owner, Some(heir(1)), "with what its heirs are known by");
    assert!(store.hand_over(&found, None).await?, "it may become nobody's");
    let found = store.owner_of_session(session_uuid).await?.ok_or("it is there")?;
    assert_eq!(found.owner, None);
    assert!(store.hand_over(&found, Some(&heir(2))).await?, "and whose it is first");
    Ok(())
}

#[tokio::test]
async fn a_client_has_only_so_many_requests_that_are_pending() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let new = || SessionUuid(Uuid::now_v7());
    let first = ask(&store, "May I?", NOW).await?;
    for number in 1..bounds::CLIENT_PENDING_REQUESTS {
        ask(&store, &format!("May I {number}?"), NOW).await?;
    }
    assert_eq!(code(ask(&store, "One more?", NOW).await), Some(Code::TooMany), "in a session that is new");
    let again = ask_as(&store, token("test"), first.session_uuid, "One more?", NOW).await;
    assert_eq!(code(again), Some(Code::TooMany), "and in one of its own");
    assert_eq!(store.pending_count().await?, bounds::CLIENT_PENDING_REQUESTS, "nothing of them was stored");
    ask_as(&store, token("other"), new(), "May I?", NOW).await?;
    answer(&store, first.request_id, "yes").await?;
    ask(&store, "One more?", NOW).await?;
    assert_eq!(code(ask(&store, "Yet one more?", NOW).await), Some(Code::TooMany), "a reply makes room for one");
    Ok(())
}
