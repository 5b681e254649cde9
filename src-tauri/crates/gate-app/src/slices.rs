//! The slices of the running gate, made in their order. What the gate does is done by them.
//!
//! A slice has its commands and its tools' port in its own folder; all else that a new one takes stands here.

pub(crate) mod connections;
pub(crate) mod conversations;
pub(crate) mod doctor;
pub(crate) mod person;
pub(crate) mod prompts;
pub(crate) mod queue;
pub(crate) mod receipts;
pub(crate) mod requests;
pub(crate) mod reviews;
pub(crate) mod settings;
pub(crate) mod signing;
pub(crate) mod snippets;
pub(crate) mod system;
pub(crate) mod voice;
pub(crate) mod workflow;

use std::sync::Arc;

use gate_core::{Fault, PermissionAsk};
use gate_door::access::Access;
use gate_store::Store;
use tokio_util::task::TaskTracker;

use crate::bus::Bus;
use crate::host::Host;
use connections::Connections;
use conversations::{Conversations, Folders};
use doctor::Doctor;
use person::Person;
use prompts::{Prompts, Sources};
use queue::Queue;
use receipts::{Before, Receipts};
use requests::Requests;
use reviews::Reviews;
use settings::{Configured, InForce};
use signing::{Signing, Ways};
use snippets::Snippets;
use voice::Speech;
use workflow::Workflow;

/// The running gate. Cheap to clone; every clone is the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    pub(crate) inner: Arc<Slices>,
}

/// The slices of a gate; each knows those above it only.
#[derive(Debug)]
pub(crate) struct Slices {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) host: Arc<Host>,
    pub(crate) receipts: Arc<Receipts>,
    pub(crate) settings: Arc<Configured>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) person: Person,
    pub(crate) connections: Arc<Connections>,
    pub(crate) signing: Arc<Signing>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) reviews: Arc<Reviews>,
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) snippets: Snippets,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) speech: Arc<Speech>,
    pub(crate) doctor: Arc<Doctor>,
}

/// What a gate is made of.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) host: Host,
    pub(crate) in_force: InForce,
    pub(crate) access: Arc<Access>,
    pub(crate) prompts: Sources,
    pub(crate) folders: Folders,
    pub(crate) ways: Ways,
}

impl Gate {
    /// Makes the slices, which take up what the record has from before.
    pub(crate) async fn open(parts: Parts) -> Result<Self, Fault> {
        let Parts { store, bus, host, in_force, access, prompts, folders, ways } = parts;
        let host = Arc::new(host);
        let before = Before { guards: in_force.confirmed(), browsers: access.browsers.names() };
        let folder = host.home.data_folder().to_owned();
        let Ways { ssh, system, journal } = ways;
        let receipts = Receipts::open(store.clone(), bus.clone(), folder, host.seat.clone(), before, system, journal);
        let receipts = receipts.await?;
        if let Some(elsewhere) = receipts.elsewhere() {
            bus.warn(elsewhere);
        }
        let receipts = Arc::new(receipts);
        let settings = Configured::open(store.clone(), bus.clone(), Arc::clone(&receipts), in_force);
        let settings = settings.await?;
        let queue = Arc::new(Queue::open(&store).await?);
        let conversations = Conversations::open(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&queue),
            Arc::clone(&receipts),
            folders,
        );
        let conversations = Arc::new(conversations.await?);
        let person = Person::open(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&queue),
            Arc::clone(&conversations),
        );
        let person = person.await?;
        let connections = Connections::open(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&conversations),
            Arc::clone(&host),
            Arc::clone(&receipts),
            access,
        );
        let connections = Arc::new(connections.await?);
        let signing = Signing::open(bus.clone(), Arc::clone(&receipts), &host, ssh);
        let signing = Arc::new(signing.await?);
        let requests = Arc::new(Requests::new(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&queue),
            Arc::clone(&conversations),
            Arc::clone(&connections),
            Arc::clone(&signing),
        ));
        requests.settle().await?;
        // Whoever asked was cut off, and asks at its own prompt by now.
        requests.end_permissions_unasked(PermissionAsk::Stopping).await;
        let prompts = Arc::new(Prompts::new(store.clone(), bus.clone(), Arc::clone(&settings), prompts));
        let reviews = Reviews::open(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&queue),
            Arc::clone(&requests),
            Arc::clone(&prompts),
            &host,
        );
        let reviews = Arc::new(reviews.await?);
        reviews.take_up_questions().await;
        let workflow =
            Workflow::open(store.clone(), bus.clone(), Arc::clone(&queue), Arc::clone(&prompts), Arc::clone(&reviews));
        let workflow = Arc::new(workflow.await?);
        let snippets = Snippets::new(store.clone(), bus.clone());
        let data = host.home.data_folder();
        let speech = Arc::new(Speech::new(store.clone(), bus.clone(), Arc::clone(&settings), data));
        let doctor = Doctor::new(bus.clone(), Arc::clone(&host), Arc::clone(&conversations), Arc::clone(&requests));
        let doctor = Arc::new(doctor);
        let slices = Slices {
            store,
            bus,
            host,
            receipts,
            settings,
            queue,
            conversations,
            person,
            connections,
            signing,
            requests,
            reviews,
            workflow,
            snippets,
            prompts,
            speech,
            doctor,
        };
        Ok(Self { inner: Arc::new(slices) })
    }

    /// Begins what the slices do by themselves.
    pub(crate) fn keep(&self, tasks: &TaskTracker) {
        let (prompts, connections) = (Arc::clone(&self.inner.prompts), Arc::clone(&self.inner.connections));
        tasks.spawn(async move { prompts.keep().await });
        tasks.spawn(async move { connections.look_at_clients().await });
        tasks.spawn(Arc::clone(&self.inner.reviews).keep_rules());
        let (receipts, stop) = (Arc::clone(&self.inner.receipts), self.inner.bus.stop().clone());
        tasks.spawn(async move { stop.run_until_cancelled(receipts.keep()).await });
    }
}
