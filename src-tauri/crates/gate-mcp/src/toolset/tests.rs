//! A toolset that isn't registered, with a port, a tool and a resource of its own, served alone.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use gate_core::{Fault, Owner};
use serde_json::json;

use super::*;
use crate::connection::relayed::Relay;
use crate::fake_gate::FakeGate;
use crate::input::{TEXT, fields};
use crate::output::output;
use crate::port::{Change, ConnectionPort};
use crate::resource::{Contents, Page, Resource, listed};
use crate::tool::{Answer, Manners, tool};
use crate::uri::Query;

const WORDS: &str = "file://review-gate/words";

#[async_trait]
trait WordPort: Send + Sync + 'static {
    async fn add(&self, word: String);

    fn words(&self) -> Vec<String>;
}

static TOOLSET: ToolsetOf<dyn WordPort> =
    ToolsetOf { name: "words", instructions: "Collect words.", parts: &[part!(SUBJECT: WordPort)] };

static SUBJECT: Subject<dyn WordPort> = Subject {
    tools: &[tool!("add_word", "Add a word", "Add a word.", Manners::WRITES, Word => Added, at_once add)],
    resources: &[|port| Arc::new(Words(port))],
};

fields! {
    struct Word {
        word: Option<String> = TEXT,
    }
}

output! {
    struct Added {
        count: usize,
    }
}

async fn add(port: &dyn WordPort, _called: &Called<'_>, word: Word) -> Result<Answer<Added>, Fault> {
    port.add(word.word.unwrap_or_default()).await;
    Answer::new("Added.".to_owned(), &Added { count: port.words().len() })
}

#[derive(Clone)]
struct Words(Arc<dyn WordPort>);

#[async_trait]
impl Resources for Words {
    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        (uri == WORDS).then(|| Box::new(self.clone()) as Box<dyn Resource>)
    }

    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        Page::whole(cursor, vec![listed(WORDS, "words", "Words", "All words.")])
    }
}

#[async_trait]
impl Resource for Words {
    fn uri(&self) -> String {
        WORDS.to_owned()
    }

    async fn exists(&self, _client: &Owner) -> Result<bool, Fault> {
        Ok(true)
    }

    async fn read(
        &self,
        _gate: &dyn ConnectionPort,
        _client: &Owner,
        _query: Query,
    ) -> Result<Option<Contents>, Fault> {
        Contents::json(&self.0.words()).map(Some)
    }
}

/// A double with the port's methods only.
#[derive(Default)]
struct Book(Mutex<Vec<String>>);

#[async_trait]
impl WordPort for Book {
    async fn add(&self, word: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(word);
    }

    fn words(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[tokio::test]
async fn a_toolset_brings_its_tools_and_its_resources() {
    let gate = Arc::new(FakeGate::default());
    let port: Arc<dyn WordPort> = Arc::new(Book::default());
    let mut relay = Relay::serving(&gate, TOOLSET.served(&port)).initialize().await;
    let tools = relay.ask("tools/list", json!({})).await["result"]["tools"].take();
    assert_eq!((tools.as_array().map(Vec::len), &tools[0]["name"]), (Some(1), &json!("add_word")), "its own alone");
    let listed = relay.ask("resources/list", json!({})).await["result"]["resources"].take();
    let uris: Vec<_> = listed.as_array().unwrap().iter().map(|resource| resource["uri"].clone()).collect();
    let expected = [WORDS, "file://review-gate/templates", "skill://index.json"];
    assert_eq!(uris, expected, "its own, and those of the prompts, which every endpoint has");
    let refused = relay.ask("resources/read", json!({"uri": "file://review-gate/config"})).await;
    assert_eq!(refused["error"]["code"], -32002, "nothing of another toolset: {refused}");

    assert!(relay.ask("resources/subscribe", json!({ "uri": WORDS })).await["result"].is_object());
    let added = relay.call("add_word", json!({"word": "a"})).await;
    assert_eq!(added["structuredContent"]["count"], 1, "{added}");
    gate.tell(Change::Resource("file://review-gate/other".to_owned()));
    gate.tell(Change::Resource(WORDS.to_owned()));
    assert_eq!(relay.told("notifications/resources/updated").await["params"]["uri"], WORDS);
    assert_eq!(relay.read(WORDS).await, json!(["a"]));
    relay.close().await;
}

#[test]
fn what_clients_are_told_is_made_once_when_it_is_first_asked_for() {
    let made = Arc::new(AtomicU32::new(0));
    let (counted, tools) = (Arc::clone(&made), TOOLSET.listed());
    let tools = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        tools.clone()
    };
    let listing = Box::leak(Box::new(Listing::new(tools, "Collect words.".to_owned())));
    let served = Served::new(listing, Bodies::default());
    assert_eq!((served.instructions(), made.load(Ordering::Relaxed)), ("Collect words.", 0), "nobody has asked yet");
    for form in [ResultForm::Structured, ResultForm::ContentAlone, ResultForm::Structured] {
        assert_eq!(served.listed(form).len(), 1);
    }
    assert_eq!(made.load(Ordering::Relaxed), 1, "a toolset that nobody uses has no list, and one that is used has one");
}
