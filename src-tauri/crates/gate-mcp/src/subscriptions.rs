//! Who hears of changes in the record: `resources/subscribe` of the initialize-era, and
//! `subscriptions/listen` of MCP 2026-07-28.
//!
//! One task a connection hands on what changed. After it has told something it waits a moment and
//! tells what came meanwhile at once, so that an agent which reports often doesn't flood anyone.

mod news;
#[cfg(test)]
mod over_http;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::{Code, Fault, Owner, bounds};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{ServiceError, SubscriptionContext, SubscriptionSendError};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::faults::protocol_error;
use crate::kept::Kept;
use crate::port::{Change, ConnectionPort};
use crate::resource::Resource;
use crate::resources::{All, may_name, named};
use news::News;

/// How long changes are collected after some were told. An agent has to hear of each within 100 ms.
const COLLECTED: Duration = Duration::from_millis(50);
/// `subscriptions/listen` requests of one connection that are acknowledged and not yet begun; more
/// can't come at the same time than a connection has handlers.
const BEGINNING: usize = 64;

/// What an HTTP session keeps them as.
const FIELD: &str = "subscriptions";

type Changes = broadcast::Receiver<Change>;

/// Who is told of changes, and the way to them.
type Whom<'a> = (Owner, &'a Peer<RoleServer>);

/// What one connection hears of. When it is dropped, the connection hears no more.
pub(crate) struct Subscriptions {
    shared: Arc<Shared>,
    kept: Arc<Kept>,
    is_forwarding: AtomicBool,
    /// Whether what an HTTP session subscribed to before was looked up. Held while that is read or
    /// kept, so that nothing is kept that isn't so any more.
    is_loaded: tokio::sync::Mutex<bool>,
    /// What changed since a `subscriptions/listen` was accepted: its acknowledgment goes out before
    /// it is begun, and nothing that comes after that may be missed.
    beginning: Mutex<VecDeque<Changes>>,
    over: CancellationToken,
    _over: DropGuard,
}

/// What the task that forwards has to know.
struct Shared {
    /// All that there are.
    resources: Arc<All>,
    gate: Arc<dyn ConnectionPort>,
    /// By `resources/subscribe`: URIs as the client wrote them, and so as it is told of them.
    subscribed: Mutex<HashMap<String, Box<dyn Resource>>>,
    /// By every `subscriptions/listen` that is open.
    listened: AtomicUsize,
    /// Whether the client has finished its `initialize`: then it hears of lists.
    hears_lists: AtomicBool,
}

impl Subscriptions {
    /// To some of these. The gate says which sessions a client hears of.
    pub(crate) fn of(resources: Arc<All>, kept: Arc<Kept>, gate: Arc<dyn ConnectionPort>) -> Self {
        let over = CancellationToken::new();
        Self {
            shared: Arc::new(Shared::of(resources, gate)),
            kept,
            is_forwarding: AtomicBool::new(false),
            is_loaded: tokio::sync::Mutex::new(false),
            beginning: Mutex::default(),
            _over: over.clone().drop_guard(),
            over,
        }
    }

    /// The client of an initialize-era connection is ready: from now on it hears of the list. Where
    /// an HTTP session came back, it hears of what it subscribed to before.
    pub(crate) async fn initialized(&self, gate: &dyn ConnectionPort, came_back: Option<&str>, whom: Whom<'_>) {
        self.shared.hears_lists.store(true, Ordering::Relaxed);
        self.forward(gate, whom);
        if let Some(session) = came_back {
            self.load(gate, session, &mut *self.is_loaded.lock().await).await;
        }
    }

    /// `resources/subscribe`; `resource` is what `uri` names. Twice is once.
    ///
    /// # Errors
    /// `too_many` over [`bounds::SUBSCRIPTIONS`].
    pub(crate) async fn subscribe(
        &self,
        gate: &dyn ConnectionPort,
        session: Option<&str>,
        uri: String,
        resource: Box<dyn Resource>,
        whom: Whom<'_>,
    ) -> Result<(), Fault> {
        // Whatever happens after the answer is heard.
        self.forward(gate, whom);
        self.change(gate, session, |shared| shared.add(uri, resource)).await
    }

    /// `resources/unsubscribe`. What was not subscribed to is no error.
    pub(crate) async fn unsubscribe(&self, gate: &dyn ConnectionPort, session: Option<&str>, uri: &str) {
        self.change(gate, session, |shared| {
            shared.subscribed().remove(uri);
        })
        .await;
    }

    /// Changes what is subscribed to, and keeps that for an HTTP session.
    async fn change<T>(
        &self,
        gate: &dyn ConnectionPort,
        session: Option<&str>,
        change: impl FnOnce(&Shared) -> T,
    ) -> T {
        let Some(session) = session else { return change(&self.shared) };
        let mut is_loaded = self.is_loaded.lock().await;
        self.load(gate, session, &mut is_loaded).await;
        let changed = change(&self.shared);
        let uris: Vec<String> = self.shared.subscribed().keys().cloned().collect();
        self.kept.save(gate, session, FIELD, uris.into()).await;
        changed
    }

    async fn load(&self, gate: &dyn ConnectionPort, session: &str, is_loaded: &mut bool) {
        if !std::mem::replace(is_loaded, true) {
            let kept = self.kept.load(gate, session, FIELD).await;
            let uris = kept.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let all = &self.shared.resources;
            let before =
                uris.iter().filter_map(Value::as_str).filter_map(|uri| Some((uri.to_owned(), named(all, uri)?.0)));
            self.shared.subscribed().extend(before.take(bounds::SUBSCRIPTIONS));
        }
    }

    /// What of a `subscriptions/listen` is taken: URIs that may name something, and the list of
    /// resources. Too many URIs are refused when it begins.
    pub(crate) fn accept(&self, gate: &dyn ConnectionPort, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        beginning.truncate(BEGINNING - 1);
        beginning.push_front(gate.changes());
        drop(beginning);
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.prompts_list_changed = requested.prompts_list_changed;
        let uris = requested.resource_subscriptions.as_ref().filter(|uris| uris.len() <= bounds::SUBSCRIPTIONS);
        let may_name = |uri: &&String| may_name(&self.shared.resources, uri);
        accepted.resource_subscriptions = uris.map(|uris| uris.iter().filter(may_name).cloned().collect());
        accepted
    }

    /// Runs a `subscriptions/listen` until its client or its connection ends it.
    pub(crate) async fn listen(
        &self,
        gate: &dyn ConnectionPort,
        context: SubscriptionContext,
        client: Owner,
        gone: impl Future<Output = ()>,
    ) -> Result<(), ErrorData> {
        // The oldest one: it has missed nothing that any other would have heard.
        let kept = self.beginning.lock().unwrap_or_else(PoisonError::into_inner).pop_back();
        let mut changes = kept.unwrap_or_else(|| gate.changes());
        let asked = context.requested().resource_subscriptions.as_ref().map_or(0, Vec::len);
        let Some(_listened) = Listened::count(&self.shared, asked.max(1)) else {
            return Err(protocol_error(&too_many()));
        };
        let sink = context.sink();
        let uris = context.accepted().resource_subscriptions.iter().flatten();
        let all = &self.shared.resources;
        let listened: Vec<_> = uris.filter_map(|uri| Some((uri.as_str(), named(all, uri)?.0))).collect();
        let hears_lists = context.accepted().resources_list_changed == Some(true);
        let hears_prompts = context.accepted().prompts_list_changed == Some(true);
        let hears = |change: &Change| {
            let listed = hears_lists && all.iter().any(|resources| resources.is_listed_otherwise(change));
            listed || listened.iter().any(|(_, resource)| resource.reads_otherwise(change))
        };
        let telling = async {
            while let Some(news) = News::next(&mut changes).await {
                let news = news.seen_by(&client, gate, hears).await;
                for (uri, _) in listened.iter().filter(|(_, resource)| news.touches(resource.as_ref())) {
                    sink.notify_resource_updated(*uri).await?;
                }
                if hears_lists && news.touches_list(all) {
                    sink.notify_resource_list_changed().await?;
                }
                if hears_prompts && news.touches_prompts() {
                    sink.notify_prompt_list_changed().await?;
                }
                tokio::time::sleep(COLLECTED).await;
            }
            Ok::<(), SubscriptionSendError>(())
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = gone => {}
            told = telling => if let Err(error) = told {
                tracing::debug!(%error, "a subscription ended");
            }
        }
        Ok(())
    }

    /// Begins the task that hands changes on, once.
    fn forward(&self, gate: &dyn ConnectionPort, (client, peer): Whom<'_>) {
        if !self.is_forwarding.swap(true, Ordering::Relaxed) {
            let forwarding = forward(gate.changes(), Arc::clone(&self.shared), client, peer.clone());
            tokio::spawn(self.over.clone().run_until_cancelled_owned(forwarding));
        }
    }
}

impl Shared {
    fn of(resources: Arc<All>, gate: Arc<dyn ConnectionPort>) -> Self {
        let (subscribed, listened, hears_lists) = (Mutex::default(), AtomicUsize::new(0), AtomicBool::new(false));
        Self { resources, gate, subscribed, listened, hears_lists }
    }

    /// Whether a change is one that the client would be told of.
    fn hears(&self, change: &Change) -> bool {
        let hears_lists = self.hears_lists.load(Ordering::Relaxed);
        let listed = hears_lists && self.resources.iter().any(|resources| resources.is_listed_otherwise(change));
        listed || self.subscribed().values().any(|resource| resource.reads_otherwise(change))
    }

    fn add(&self, uri: String, resource: Box<dyn Resource>) -> Result<(), Fault> {
        let mut subscribed = self.subscribed();
        let count = subscribed.len() + self.listened.load(Ordering::Relaxed);
        if !subscribed.contains_key(&uri) && count >= bounds::SUBSCRIPTIONS {
            return Err(too_many());
        }
        subscribed.insert(uri, resource);
        Ok(())
    }

    fn subscribed(&self) -> MutexGuard<'_, HashMap<String, Box<dyn Resource>>> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The URIs of an open `subscriptions/listen`, counted until this is dropped.
struct Listened {
    shared: Arc<Shared>,
    uris: usize,
}

impl Listened {
    fn count(shared: &Arc<Shared>, uris: usize) -> Option<Self> {
        let subscribed = shared.subscribed().len();
        let more = |count: usize| {
            let count = count.checked_add(uris)?;
            (count.checked_add(subscribed)? <= bounds::SUBSCRIPTIONS).then_some(count)
        };
        shared.listened.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self { shared: Arc::clone(shared), uris })
    }
}

impl Drop for Listened {
    fn drop(&mut self) {
        self.shared.listened.fetch_sub(self.uris, Ordering::Relaxed);
    }
}

/// Hands on what changes to a client of the initialize-era until its connection is gone.
async fn forward(mut changes: Changes, shared: Arc<Shared>, client: Owner, peer: Peer<RoleServer>) {
    while let Some(news) = News::next(&mut changes).await {
        let news = news.seen_by(&client, shared.gate.as_ref(), |change| shared.hears(change)).await;
        if let Err(error) = tell(&news, &shared, &peer).await {
            tracing::debug!(%error, "a subscriber is gone");
            return;
        }
        tokio::time::sleep(COLLECTED).await;
    }
}

async fn tell(news: &News, shared: &Shared, peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
    let touched: Vec<String> = {
        let subscribed = shared.subscribed();
        let touched = subscribed.iter().filter(|(_, resource)| news.touches(resource.as_ref()));
        touched.map(|(uri, _)| uri.clone()).collect()
    };
    for uri in touched {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
    }
    if !shared.hears_lists.load(Ordering::Relaxed) {
        return Ok(());
    }
    if news.touches_list(&shared.resources) {
        peer.notify_resource_list_changed().await?;
    }
    if news.touches_prompts() {
        peer.notify_prompt_list_changed().await?;
    }
    Ok(())
}

fn too_many() -> Fault {
    Fault::new(
        Code::TooMany,
        format!("One connection may subscribe to at most {} resources.", bounds::SUBSCRIPTIONS),
        "Unsubscribe from some; `file://review-gate/conversations` tells of changes in all of them.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_gate::{FakeGate, resources};

    #[test]
    fn the_bound_counts_everything_that_a_connection_listens_to() {
        let all = resources();
        let shared = Arc::new(Shared::of(Arc::clone(&all), Arc::new(FakeGate::default())));
        let add = |path: &str| {
            let uri = format!("file://review-gate/{path}");
            let (resource, _) = named(&all, &uri).unwrap();
            shared.add(uri, resource)
        };
        assert_eq!(add("conversations/active"), Ok(()));
        let most = Listened::count(&shared, bounds::SUBSCRIPTIONS - 1);
        assert!(most.is_some(), "the bound itself is allowed");
        assert!(Listened::count(&shared, 1).is_none(), "and nothing beyond it");
        drop(most);
        assert!(Listened::count(&shared, 1).is_some(), "what has ended counts no more");
        assert!(Listened::count(&shared, usize::MAX).is_none());
        let rest = Listened::count(&shared, bounds::SUBSCRIPTIONS - 2);
        assert_eq!(add("conversations"), Ok(()));
        assert_eq!(add("conversations/active"), Ok(()), "twice is once");
        let session = format!("sessions/{}", uuid::Uuid::nil());
        assert_eq!(add(&session), Err(too_many()), "both kinds are counted together");
        drop(rest);
        assert_eq!(add(&session), Ok(()));
        assert!(too_many().message.contains("1000"), "the fault names the bound");
    }

    #[test]
    fn only_what_may_name_a_resource_is_accepted() {
        let requested = SubscriptionFilter::builder()
            .resource_subscriptions([
                "file://review-gate/conversations",
                "file://review-gate/conversations?bogus=1",
                "file:///etc/passwd",
            ])
            .resources_list_changed()
            .prompts_list_changed()
            .tools_list_changed()
            .build();
        let gate = Arc::new(FakeGate::default());
        let all = Subscriptions::of(resources(), Arc::default(), Arc::<FakeGate>::clone(&gate));
        let accepted = all.accept(gate.as_ref(), &requested);
        let expected = SubscriptionFilter::builder()
            .resource_subscription("file://review-gate/conversations")
            .resources_list_changed()
            .prompts_list_changed()
            .build();
        assert_eq!(accepted, expected);
    }
}
