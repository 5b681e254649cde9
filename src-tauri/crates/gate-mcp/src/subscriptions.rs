//! Who hears of changes in the record: `resources/subscribe` of the initialize-era, and
//! `subscriptions/listen` of MCP 2026-07-28.
//!
//! One task a connection hands on what changed. After it has told something it waits a moment and
//! tells what came meanwhile at once, so that an agent which reports often doesn't flood anyone.

mod kept;
mod news;
#[cfg(test)]
mod over_http;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::{Code, Fault, bounds};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{ServiceError, SubscriptionContext, SubscriptionSendError};
use rmcp::{Peer, RoleServer};
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::faults::protocol_error;
use crate::gate::Gate;
use crate::port::Change;
use crate::uri::{Query, Target};
use news::News;

/// How long changes are collected after some were told. An agent has to hear of each within 100 ms.
const COLLECTED: Duration = Duration::from_millis(50);
/// `subscriptions/listen` requests of one connection that are acknowledged and not yet begun; more
/// can't come at the same time than a connection has handlers.
const BEGINNING: usize = 64;

type Changes = broadcast::Receiver<Change>;

/// What one connection hears of. When it is dropped, the connection hears no more.
pub(crate) struct Subscriptions {
    shared: Arc<Shared>,
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
#[derive(Default)]
struct Shared {
    /// By `resources/subscribe`: URIs as the client wrote them, and so as it is told of them.
    targets: Mutex<HashMap<String, Target>>,
    /// By every `subscriptions/listen` that is open.
    listened: AtomicUsize,
    /// Whether the client has finished its `initialize`: then it hears of lists.
    hears_lists: AtomicBool,
}

impl Default for Subscriptions {
    fn default() -> Self {
        let over = CancellationToken::new();
        Self {
            shared: Arc::default(),
            is_forwarding: AtomicBool::new(false),
            is_loaded: tokio::sync::Mutex::new(false),
            beginning: Mutex::default(),
            _over: over.clone().drop_guard(),
            over,
        }
    }
}

impl Subscriptions {
    /// The client of an initialize-era connection is ready: from now on it hears of the list. Where
    /// an HTTP session came back, it hears of what it subscribed to before.
    pub(crate) async fn initialized(&self, gate: &dyn Gate, came_back: Option<&str>, peer: &Peer<RoleServer>) {
        self.shared.hears_lists.store(true, Ordering::Relaxed);
        self.forward(gate, peer);
        if let Some(session) = came_back {
            self.load(gate, session, &mut *self.is_loaded.lock().await).await;
        }
    }

    /// `resources/subscribe`; `target` is what `uri` names. Twice is once.
    ///
    /// # Errors
    /// `too_many` over [`bounds::SUBSCRIPTIONS`].
    pub(crate) async fn subscribe(
        &self,
        gate: &dyn Gate,
        session: Option<&str>,
        uri: String,
        target: Target,
        peer: &Peer<RoleServer>,
    ) -> Result<(), Fault> {
        // Whatever happens after the answer is heard.
        self.forward(gate, peer);
        self.change(gate, session, |shared| shared.add(uri, target)).await
    }

    /// `resources/unsubscribe`. What was not subscribed to is no error.
    pub(crate) async fn unsubscribe(&self, gate: &dyn Gate, session: Option<&str>, uri: &str) {
        self.change(gate, session, |shared| {
            shared.targets().remove(uri);
        })
        .await;
    }

    /// Changes what is subscribed to, and keeps that for an HTTP session.
    async fn change<T>(&self, gate: &dyn Gate, session: Option<&str>, change: impl FnOnce(&Shared) -> T) -> T {
        let Some(session) = session else { return change(&self.shared) };
        let mut is_loaded = self.is_loaded.lock().await;
        self.load(gate, session, &mut is_loaded).await;
        let changed = change(&self.shared);
        let uris = self.shared.targets().keys().cloned().collect();
        kept::save(gate, session, uris).await;
        changed
    }

    async fn load(&self, gate: &dyn Gate, session: &str, is_loaded: &mut bool) {
        if !std::mem::replace(is_loaded, true) {
            let before = kept::load(gate, session).await;
            self.shared.targets().extend(before);
        }
    }

    /// What of a `subscriptions/listen` is taken: URIs that may name something, and the list of
    /// resources. Too many URIs are refused when it begins.
    pub(crate) fn accept(&self, gate: &dyn Gate, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        beginning.truncate(BEGINNING - 1);
        beginning.push_front(gate.changes());
        drop(beginning);
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.prompts_list_changed = requested.prompts_list_changed;
        let uris = requested.resource_subscriptions.as_ref().filter(|uris| uris.len() <= bounds::SUBSCRIPTIONS);
        let may_name =
            |uri: &&String| Target::of(uri).is_some_and(|(target, query)| Query::parse(&target, query).is_ok());
        accepted.resource_subscriptions = uris.map(|uris| uris.iter().filter(may_name).cloned().collect());
        accepted
    }

    /// Runs a `subscriptions/listen` until its client or its connection ends it.
    pub(crate) async fn listen(
        &self,
        gate: &dyn Gate,
        context: SubscriptionContext,
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
        let targets: Vec<(&str, Target)> = uris.filter_map(|uri| Some((uri.as_str(), Target::of(uri)?.0))).collect();
        let hears_lists = context.accepted().resources_list_changed == Some(true);
        let hears_prompts = context.accepted().prompts_list_changed == Some(true);
        let telling = async {
            while let Some(news) = News::next(&mut changes).await {
                for (uri, _) in targets.iter().filter(|(_, target)| news.touches(target)) {
                    sink.notify_resource_updated(*uri).await?;
                }
                if hears_lists && news.touches_list() {
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
    fn forward(&self, gate: &dyn Gate, peer: &Peer<RoleServer>) {
        if !self.is_forwarding.swap(true, Ordering::Relaxed) {
            let forwarding = forward(gate.changes(), Arc::clone(&self.shared), peer.clone());
            tokio::spawn(self.over.clone().run_until_cancelled_owned(forwarding));
        }
    }
}

impl Shared {
    fn add(&self, uri: String, target: Target) -> Result<(), Fault> {
        let mut targets = self.targets();
        let count = targets.len() + self.listened.load(Ordering::Relaxed);
        if !targets.contains_key(&uri) && count >= bounds::SUBSCRIPTIONS {
            return Err(too_many());
        }
        targets.insert(uri, target);
        Ok(())
    }

    fn targets(&self) -> MutexGuard<'_, HashMap<String, Target>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The URIs of an open `subscriptions/listen`, counted until this is dropped.
struct Listened {
    shared: Arc<Shared>,
    uris: usize,
}

impl Listened {
    fn count(shared: &Arc<Shared>, uris: usize) -> Option<Self> {
        let subscribed = shared.targets().len();
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
async fn forward(mut changes: Changes, shared: Arc<Shared>, peer: Peer<RoleServer>) {
    while let Some(news) = News::next(&mut changes).await {
        if let Err(error) = tell(&news, &shared, &peer).await {
            tracing::debug!(%error, "a subscriber is gone");
            return;
        }
        tokio::time::sleep(COLLECTED).await;
    }
}

async fn tell(news: &News, shared: &Shared, peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
    let is_touched = |(_, target): &(&String, &Target)| news.touches(target);
    let touched: Vec<String> = shared.targets().iter().filter(is_touched).map(|(uri, _)| uri.clone()).collect();
    for uri in touched {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
    }
    if !shared.hears_lists.load(Ordering::Relaxed) {
        return Ok(());
    }
    if news.touches_list() {
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
    use crate::fake_gate::FakeGate;

    #[test]
    fn the_bound_counts_everything_that_a_connection_listens_to() {
        let shared = Arc::new(Shared::default());
        let add = |target: Target| shared.add(target.uri(), target);
        assert_eq!(add(Target::Active), Ok(()));
        let most = Listened::count(&shared, bounds::SUBSCRIPTIONS - 1);
        assert!(most.is_some(), "the bound itself is allowed");
        assert!(Listened::count(&shared, 1).is_none(), "and nothing beyond it");
        drop(most);
        assert!(Listened::count(&shared, 1).is_some(), "what has ended counts no more");
        assert!(Listened::count(&shared, usize::MAX).is_none());
        let rest = Listened::count(&shared, bounds::SUBSCRIPTIONS - 2);
        assert_eq!(add(Target::Conversations), Ok(()));
        assert_eq!(add(Target::Active), Ok(()), "twice is once");
        let session = Target::Session(gate_core::SessionUuid(uuid::Uuid::nil()));
        assert_eq!(add(session.clone()), Err(too_many()), "both kinds are counted together");
        drop(rest);
        assert_eq!(add(session), Ok(()));
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
        let accepted = Subscriptions::default().accept(&FakeGate::default(), &requested);
        let expected = SubscriptionFilter::builder()
            .resource_subscription("file://review-gate/conversations")
            .resources_list_changed()
            .prompts_list_changed()
            .build();
        assert_eq!(accepted, expected);
    }
}
