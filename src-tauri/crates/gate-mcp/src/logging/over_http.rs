//! What a session over HTTP hears of the gate's own course, also after it was taken up again.

use http::Method;
use serde_json::Value;

use super::*;
use crate::http::web::{Web, head, told};

#[tokio::test]
async fn a_session_that_comes_back_hears_as_much_as_it_had_asked_for() {
    let web = Web::new();
    let session = web.session().await;
    web.ask(&session, "resources/subscribe", json!({"uri": "file://review-gate/conversations"})).await;
    web.ask(&session, "logging/setLevel", json!({"level": "notice"})).await;
    let gate = Arc::clone(&web.gate);
    drop(web);
    let kept: Value = serde_json::from_str(&gate.http_session(&session).await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (&kept["log_level"], &kept["subscriptions"]),
        (&json!("notice"), &json!(["file://review-gate/conversations"])),
        "beside each other"
    );
    let web = Web::of(gate);
    web.nobody_listens().await;
    let mut stream = web.send(Method::GET, &head(&session), Value::Null).await.into_body();
    let noting = async {
        loop {
            let (severity, message) = (Severity::Notice, "The person is away.".to_owned());
            web.gate.note(LogEntry { severity, code: "away", message, agent: None });
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        told = told(&mut stream, "notifications/message") => {
            assert_eq!(told["params"]["level"], "notice", "nobody who had asked for nothing hears that: {told}");
        }
        () = noting => {}
    }
}
