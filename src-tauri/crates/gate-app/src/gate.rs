//! The running gate: its slices, made in their order. What it does is done by them.

use std::sync::Arc;

use gate_api::Event;
use gate_core::Fault;
use gate_door::access::Access;
use gate_store::Store;
use tokio::sync::broadcast;

use crate::bus::Bus;
use crate::connections::Connections;
use crate::conversations::{Conversations, Folders};
use crate::doctor::Doctor;
use crate::host::Host;
use crate::person::Person;
use crate::prompts::{Prompts, Sources};
use crate::queue::Queue;
use crate::requests::Requests;
use crate::settings::{Configured, InForce, Settings};
use crate::voice::Speech;

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
    pub(crate) settings: Arc<Configured>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) person: Person,
    pub(crate) connections: Arc<Connections>,
    pub(crate) requests: Arc<Requests>,
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
}

impl Gate {
    /// Makes the slices, which take up what the record has from before.
    pub(crate) async fn open(parts: Parts) -> Result<Self, Fault> {
        let Parts { store, bus, host, in_force, access, prompts, folders } = parts;
        let host = Arc::new(host);
        let settings = Arc::new(Configured::new(store.clone(), bus.clone(), in_force));
        let queue = Arc::new(Queue::open(&store).await?);
        let conversations =
            Conversations::open(store.clone(), bus.clone(), Arc::clone(&settings), Arc::clone(&queue), folders);
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
            access,
        );
        let connections = Arc::new(connections.await?);
        let requests = Arc::new(Requests::new(
            store.clone(),
            bus.clone(),
            Arc::clone(&settings),
            Arc::clone(&queue),
            Arc::clone(&conversations),
            Arc::clone(&connections),
        ));
        let prompts = Arc::new(Prompts::new(store.clone(), bus.clone(), Arc::clone(&settings), prompts));
        let data = host.home.data_folder();
        let speech = Arc::new(Speech::new(store.clone(), bus.clone(), Arc::clone(&settings), data));
        let doctor = Doctor::new(bus.clone(), Arc::clone(&host), Arc::clone(&conversations), Arc::clone(&requests));
        let doctor = Arc::new(doctor);
        let slices = Slices {
            store,
            bus,
            host,
            settings,
            queue,
            conversations,
            person,
            connections,
            requests,
            prompts,
            speech,
            doctor,
        };
        Ok(Self { inner: Arc::new(slices) })
    }

    /// Asks the gate to stop; [`crate::Running::stopped`] resolves.
    pub fn stop(&self) {
        self.inner.bus.stop().cancel();
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.bus.events()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.inner.settings.in_force()
    }

    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    #[must_use]
    pub fn http(&self) -> Option<&str> {
        self.inner.host.http.as_deref()
    }

    /// Something that the person should know of, now and whenever a window opens.
    pub fn warn(&self, fault: Fault) {
        self.inner.bus.warn(fault);
    }
}
