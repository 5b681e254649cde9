//! Replies that their calls didn't wait for.

use super::*;

#[tokio::test]
async fn a_late_reply_is_pointed_to_and_answers_no_other_question() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let requests = &gate.inner.requests;
    let first = requests.ask(call("relay:1", "May I?")).await?;
    let session = first.session_uuid;
    drop(first.attendance);
    reply(&gate, first.request_id, Some(Decision::Approved), &text("go"), AnsweredFrom::Desktop).await?;

    let second = requests.ask(Call { session_uuid: Some(session), ..call("relay:2", "Something else") }).await?;
    assert_ne!(second.request_id, first.request_id, "another question is another request");
    assert_eq!(gate.closed_now(second.request_id).await?, RequestStatus::Pending, "which nobody has approved");
    let earlier = requests.earlier(session).await;
    assert_eq!(earlier.len(), 1, "the agent is told that there is an answer: {earlier:?}");
    assert_eq!((earlier[0].request_id, earlier[0].title.as_str()), (first.request_id, "May I?"));

    let fetching = Call { request_id: Some(first.request_id), ..call("relay:3", "") };
    let fetched = requests.ask(fetching).await?;
    assert_eq!(requests.closed(fetched.request_id).await?.text, "go", "by its id it has all of it");
    assert_eq!(requests.earlier(session).await, [], "on its way, it is pointed to no more");
    gate.inner.store.mark_delivered("relay:3", Timestamp(1)).await?;
    drop(fetched.attendance);
    assert_eq!(requests.earlier(session).await, [], "nor when it was fetched");
    Ok(())
}

#[tokio::test]
async fn a_reply_is_pointed_to_ten_times_at_most() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let requests = &gate.inner.requests;
    let first = requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(requests.earlier(first.session_uuid).await, [], "nothing is answered yet");
    drop(first.attendance);
    answer(&gate, &requests.ask(Call { request_id: Some(first.request_id), ..call("relay:2", "") }).await?, "go")
        .await?;
    let mut told = 0;
    while !requests.earlier(first.session_uuid).await.is_empty() {
        told += 1;
        assert!(told <= 10, "an agent that doesn't care isn't told for ever");
    }
    assert_eq!(told, 10, "and one that looks away once or twice is told again");
    Ok(())
}

#[tokio::test]
async fn a_pending_result_that_was_heard_delivers_no_later_reply() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    gate.inner.store.gives_no_reply("relay:1").await?;
    let session = first.session_uuid;
    drop(first.attendance);
    reply(&gate, first.request_id, None, &text("late"), AnsweredFrom::Desktop).await?;
    gate.inner.store.mark_delivered("relay:1", Timestamp(1)).await?;
    let earlier = gate.inner.requests.earlier(session).await;
    let waiting: Vec<_> = earlier.iter().map(|earlier| earlier.request_id).collect();
    assert_eq!(waiting, [first.request_id], "what the agent heard was `pending`, not the reply");
    Ok(())
}

#[tokio::test]
async fn two_calls_at_once_are_not_both_given_the_same_late_reply() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let session = first.session_uuid;
    drop(first.attendance);
    reply(&gate, first.request_id, None, &text("late"), AnsweredFrom::Desktop).await?;
    let next = |key: &str| Call { session_uuid: Some(session), ..call(key, "May I?") };
    let (one, two) = tokio::join!(gate.inner.requests.ask(next("relay:2")), gate.inner.requests.ask(next("relay:3")));
    let (one, two) = (one?, two?);
    let given = [one.request_id, two.request_id].iter().filter(|id| **id == first.request_id).count();
    assert_eq!(given, 1, "one gets the reply, the other one's question is asked");
    Ok(())
}
