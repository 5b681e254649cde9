//! A model that says what a test has written down. It speaks the interfaces of four makers, so that real agents take it
//! for theirs, and keeps every request: what is in there is what reached the model.
//!
//! Which turn is due is told by the conversation that an agent sends, not by a counter: agents ask models for titles
//! and summaries besides, and send a request again where a connection broke.

mod dialect;
mod server;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use dialect::Dialect;

/// What the model says in one turn.
#[derive(Debug, Clone)]
pub enum Turn {
    /// It calls a tool, by the name that the server gives it.
    Call(&'static str, Value),
    /// It calls a tool with what follows from the texts of all results so far.
    With(&'static str, fn(&str) -> Value),
    /// It does what a result without an answer asks for, as often as it is told so: it comes back for the same
    /// request, with this message. Left out after any other result.
    Wait(&'static str),
    /// It says something, and the agent's work ends.
    Say(&'static str),
}

/// The section of a request in which something reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// What the agent says of itself before the conversation.
    System,
    /// The conversation: what the person says, what tools give, and what the agent puts beside them.
    Conversation,
    /// The tools that are offered.
    Tools,
}

/// A part of what a tool gave, as the model got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A picture, as base64.
    Image(String),
}

/// A running model. Ends when dropped.
#[derive(Debug)]
pub struct Model {
    /// Where it listens: `http://127.0.0.1:PORT`.
    pub url: String,
    turns: Turns,
    asked: Asked,
    serving: JoinHandle<()>,
}

/// What it says.
type Turns = Arc<Mutex<Arc<[Turn]>>>;
/// Each request that came: its path and its body.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

impl Model {
    /// Starts one that takes these turns, and then says that it is done.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(turns: Vec<Turn>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("no port for a model")?;
        let url = format!("http://{}", listener.local_addr()?);
        let turns: Turns = Arc::new(Mutex::new(turns.into()));
        let asked = Asked::default();
        let serving = tokio::spawn(server::serve(listener, Arc::clone(&turns), Arc::clone(&asked)));
        Ok(Self { url, turns, asked, serving })
    }

    /// Takes these turns from now on. Those of a conversation that has begun are counted among them.
    pub fn says(&self, turns: Vec<Turn>) {
        *self.turns.lock().unwrap_or_else(PoisonError::into_inner) = turns.into();
    }

    /// Every request so far: its path and its body.
    #[must_use]
    pub fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the tools gave, call by call, as the longest conversation has it.
    #[must_use]
    pub fn given(&self) -> Vec<Vec<Part>> {
        let all = self.asked();
        let given = all.iter().filter_map(|(path, body)| Some(Dialect::of(path)?.given(body)));
        given.max_by_key(Vec::len).unwrap_or_default()
    }

    /// The sections in which a text stood in all that it was sent; each section once.
    #[must_use]
    pub fn sections(&self, text: &str) -> BTreeSet<Section> {
        let all = self.asked();
        all.iter().filter_map(|(path, body)| Some(Dialect::of(path)?.sections(body, text))).flatten().collect()
    }

    /// The names of the tools that the model was offered.
    #[must_use]
    pub fn offered(&self) -> Vec<String> {
        let all = self.asked();
        let offered = all.iter().filter_map(|(path, body)| Some(Dialect::of(path)?.tools(body)));
        offered.max_by_key(Vec::len).unwrap_or_default().into_iter().map(|tool| tool.name).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
