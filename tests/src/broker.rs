//! The review broker's tools as an agent calls them: by a relay of a client of its own, or over HTTP with a token of its
//! own.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::agent::{Adrift, Agent, Spawning};
use crate::home::Home;
use crate::http::Http;

/// The toolset.
const BROKER: &str = "broker";
/// How long a call may take over all kills of the gate that hit it.
const PATIENCE: Duration = Duration::from_secs(120);

/// An agent that proposes and reviews. Two of them are two parties as long as they have two names.
#[derive(Debug)]
pub struct Peer {
    way: Way,
}

#[derive(Debug)]
enum Way {
    Relay(Box<Agent>),
    Http(Http),
}

/// What a call was refused with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The fault's code.
    pub code: String,
    /// What the model is told.
    pub text: String,
}

impl Peer {
    /// One whose relay works in the home's workspace.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn over_stdio(home: &Home, name: &str) -> Result<Self> {
        Self::in_folder(home, name, &home.workspace()).await
    }

    /// One whose relay works in another folder.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn in_folder(home: &Home, name: &str, folder: &Path) -> Result<Self> {
        Self::with_toolset(home, name, folder, BROKER).await
    }

    /// One that has another toolset.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn with_toolset(home: &Home, name: &str, folder: &Path, toolset: &'static str) -> Result<Self> {
        let folder = Some(folder.to_owned());
        let spawning = Spawning { folder, apart: true, toolset: Some(toolset), ..Spawning::default() };
        let agent = Agent::spawn_with(home, spawning)?;
        agent.initialize(name).await?;
        Ok(Self { way: Way::Relay(Box::new(agent)) })
    }

    /// One whose relay works in the home's workspace, and that let go of whoever started it.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn adrift(home: &Home, name: &str, adrift: Adrift) -> Result<Self> {
        let (folder, adrift) = (Some(home.workspace()), Some(adrift));
        let agent = Agent::spawn_with(home, Spawning { folder, adrift, toolset: Some(BROKER), ..Spawning::default() })?;
        agent.initialize(name).await?;
        Ok(Self { way: Way::Relay(Box::new(agent)) })
    }

    /// One over HTTP, with a token of its name that the person has given the home's workspace.
    ///
    /// # Errors
    /// When the gate refuses.
    pub async fn over_http(home: &Home, name: &str) -> Result<Self> {
        Self::over_http_with(home, name, BROKER).await
    }

    /// The same with another toolset.
    ///
    /// # Errors
    /// When the gate refuses.
    pub async fn over_http_with(home: &Home, name: &str, toolset: &str) -> Result<Self> {
        let folder = home.workspace();
        let made = home.at_a_terminal(&format!("token create {name} --folder {}", folder.display())).await?;
        Self::shown(home, name, made.trim(), toolset).await
    }

    /// One over HTTP with this token.
    ///
    /// # Errors
    /// When the gate refuses.
    pub async fn with_token(home: &Home, name: &str, token: &str) -> Result<Self> {
        Self::shown(home, name, token, BROKER).await
    }

    /// The same with another toolset.
    ///
    /// # Errors
    /// When the gate refuses.
    pub async fn shown(home: &Home, name: &str, token: &str, toolset: &str) -> Result<Self> {
        let mut http = Http::of(home)?;
        (http.token, http.path) = (token.to_owned(), format!("/mcp/{toolset}"));
        http.initialize(name).await?;
        Ok(Self { way: Way::Http(http) })
    }

    /// Goes on at the gate that runs by now; a relay finds it by itself.
    ///
    /// # Errors
    /// When none says where it serves.
    pub fn renew(&mut self, home: &Home) -> Result<()> {
        if let Way::Http(http) = &mut self.way {
            *http = http.again(home)?;
        }
        Ok(())
    }

    /// The relay's end.
    ///
    /// # Errors
    /// Over HTTP, where there is none.
    pub fn agent(&self) -> Result<&Agent> {
        match &self.way {
            Way::Relay(agent) => Ok(agent),
            Way::Http(_) => bail!("over HTTP there is no relay"),
        }
    }

    /// Calls a tool, and waits for what it gives.
    ///
    /// # Errors
    /// When the connection breaks, or what is read as text isn't what the structure says.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Result<Value, Refused>> {
        let params = json!({"name": tool, "arguments": arguments});
        let response = match &self.way {
            Way::Relay(agent) => agent.wait_for(agent.request("tools/call", params).await?, PATIENCE).await?,
            Way::Http(http) => http.post("tools/call", params, &[]).await?.answer()?,
        };
        given(tool, response)
    }

    /// Calls a tool that does what it is told; gives its structured result.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn does(&self, tool: &str, arguments: Value) -> Result<Value> {
        match self.call(tool, arguments.clone()).await? {
            Ok(given) => Ok(given),
            Err(refused) => bail!("{tool} {arguments} was refused: {refused:?}"),
        }
    }

    /// Calls a tool that has to refuse; gives with what.
    ///
    /// # Errors
    /// When it doesn't.
    pub async fn refused(&self, tool: &str, arguments: Value) -> Result<Refused> {
        match self.call(tool, arguments.clone()).await? {
            Ok(given) => bail!("{tool} {arguments} had to be refused: {given}"),
            Err(refused) => Ok(refused),
        }
    }

    /// Begins a call that waits, by a relay, and comes back as soon as it does; [`Peer::came`] has what came of it.
    ///
    /// # Errors
    /// When it doesn't wait.
    pub async fn waits(&self, tool: &str, arguments: Value) -> Result<i64> {
        let agent = self.agent()?;
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}});
        let call = agent.request("tools/call", params).await?;
        agent.notification("notifications/progress").await.with_context(|| format!("{tool} doesn't wait"))?;
        Ok(call)
    }

    /// What a call gives that waited.
    ///
    /// # Errors
    /// When it was refused.
    pub async fn came(&self, call: i64) -> Result<Value> {
        let response = self.agent()?.wait(call).await?;
        given("a call that waited", response)?.map_err(|refused| anyhow::anyhow!("{refused:?}"))
    }

    /// Proposes this diff, with what the test says of it besides; gives the result.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn proposes(&self, intent: &str, diff: &str) -> Result<Value> {
        self.does("submit_proposal", json!({"intent": intent, "diff": diff})).await
    }

    /// Claims a review, and gives this verdict on it.
    ///
    /// # Errors
    /// When one of the two is refused.
    pub async fn judges(&self, review: &Value, decision: &str, reason: &str) -> Result<Value> {
        let claim = self.does("claim_review", json!({"review_id": review})).await?;
        let verdict = json!({
            "review_id": review, "decision": decision, "reason": reason, "claim_token": claim["claim_token"],
        });
        self.does("submit_verdict", verdict).await
    }

    /// Where a review stands.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn status(&self, review: &Value) -> Result<Value> {
        self.does("get_review_status", json!({"review_id": review})).await
    }

    /// Waits until a review stands so, event by event as an agent does.
    ///
    /// # Errors
    /// When it never does.
    pub async fn sees(&self, review: &Value, status: &str) -> Result<Value> {
        let mut found = self.status(review).await?;
        while found["status"] != status {
            let since = json!({"review_id": review, "since": found["event"], "wait": true, "wait_seconds": 60});
            let next = self.does("get_review_status", since).await?;
            ensure!(next["changed"] == true, "a review stays {} and never is {status}: {next}", found["status"]);
            found = next;
        }
        Ok(found)
    }

    /// The kinds of all events of a review, which have to be numbered from 1 without a gap.
    ///
    /// # Errors
    /// When they aren't.
    pub async fn events(&self, review: &Value) -> Result<Vec<String>> {
        let (mut kinds, mut last) = (Vec::new(), 0);
        loop {
            let page = self.does("get_review_status", json!({"review_id": review, "since": last})).await?;
            for event in page["events"].as_array().context("a list of events")? {
                last += 1;
                ensure!(event["n"] == last, "events are numbered without a gap, but {event} comes as the {last}th");
                kinds.push(event["kind"].as_str().context("a kind")?.to_owned());
            }
            if page["event"] == last {
                return Ok(kinds);
            }
        }
    }
}

/// What a response says.
fn given(tool: &str, mut response: Value) -> Result<Result<Value, Refused>> {
    let Some(result) = response.get_mut("result") else { bail!("{tool} was no call: {response}") };
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    if result["isError"] == true {
        let code = result["_meta"]["review-gate/fault"]["code"].as_str().unwrap_or_default().to_owned();
        return Ok(Err(Refused { code, text }));
    }
    let structured = result["structuredContent"].take();
    let read: Value =
        serde_json::from_str(&text).with_context(|| format!("the first text of {tool} is JSON: {text}"))?;
    // To some clients the text is all that they are given.
    let is_same = structured.is_null() || read == structured;
    ensure!(is_same, "the first text of {tool} is its structure: {read} and {structured}");
    Ok(Ok(read))
}

/// A file of three lines of which tests change the one in the middle.
pub const NOTES: (&str, &str) = ("notes.txt", "one\ntwo\nthree\n");

/// The diff that makes the middle line of [`NOTES`] this one.
#[must_use]
pub fn makes_it(word: &str) -> String {
    let (path, _) = NOTES;
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n one\n-two\n+{word}\n three\n")
}

/// The diff that adds a file of one line.
#[must_use]
pub fn adds(path: &str) -> String {
    format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a line\n")
}
