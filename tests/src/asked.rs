//! Waiting for what an agent asks.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::control::Control;
use crate::home::Home;
use crate::wait::{LIMIT, eventually};

impl Home {
    /// The id of the pending request with this title, as soon as there is one. Asked for on one connection: a program
    /// for each look would take more of the processors than what is waited for. Where no gate listens,
    /// `review-gate requests` starts one.
    ///
    /// # Errors
    /// When there is none in time, or the gate refuses to say.
    pub async fn waiting(&self, title: &str) -> Result<String> {
        let connection = Mutex::new(None);
        let look = || async {
            let mut connection = connection.lock().await;
            if connection.is_none() {
                *connection = Control::open(self).await.ok();
            }
            let Some(control) = connection.as_mut() else {
                return Ok(id(&self.pending().await?, |request| request["title"] == title));
            };
            let Ok(answer) = control.command(json!({"command": "requests"})).await else {
                // The gate has ended.
                *connection = None;
                return Ok(None);
            };
            let answer = answer.map_err(|fault| anyhow!("{fault}"))?;
            let requests = answer["requests"].as_array().context("a list of requests")?;
            Ok(id(requests, |request| request["ask"]["title"] == title))
        };
        eventually(&format!("a request titled {title:?}"), LIMIT, look).await
    }
}

fn id(requests: &[Value], is_it: impl Fn(&Value) -> bool) -> Option<String> {
    requests.iter().find(|request| is_it(request))?["request_id"].as_str().map(str::to_owned)
}
