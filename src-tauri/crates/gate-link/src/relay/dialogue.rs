//! What the relay does with each line, whoever said it. Synchronous: it decides and queues; the
//! loop in [`super`] reads and writes.

use super::edges;
use super::envelope::{self, INVALID_REQUEST, Key, Malformed, Message};
use super::ledger::{Ledger, Opened, Settled};
use super::link::Link;
use super::outbox::{Line, Outbox};
use super::refusal;
use super::say;
use crate::error::LinkError;
use crate::lines::Read;
use crate::private::{PRIVATE_METHODS, PRIVATE_PREFIX, PrivateNote};
use gate_core::{Code, Fault, bounds};
use std::sync::Arc;
use tokio::io::AsyncWrite;

const CANCELLED: &str = "notifications/cancelled";
const INITIALIZED: &str = "notifications/initialized";

/// The state between the agent's client and the gate.
#[derive(Debug)]
pub(crate) struct Dialogue<W> {
    pub(crate) ledger: Ledger,
    pub(crate) client: Outbox<W>,
    pub(crate) link: Option<Link>,
    /// Set while no gate can be reached, after the patience with that has ended.
    pub(crate) unreachable: Option<Fault>,
}

impl<W: AsyncWrite + Unpin> Dialogue<W> {
    pub(crate) fn new(client: Outbox<W>) -> Self {
        Self { ledger: Ledger::default(), client, link: None, unreachable: None }
    }

    /// The client said something.
    pub(crate) fn client_said(&mut self, read: Read) {
        let mut line = match read {
            Read::Line(line) => line,
            Read::Rest(mut line) => {
                line.push(b'\n');
                line
            }
            Read::TooLong { head, tail } => return self.refuse_long(&head, &tail),
            Read::End => return,
        };
        if line.trim_ascii().is_empty() {
            return;
        }
        // Growing has left up to as much again unused, and the line may stay for hours.
        line.shrink_to_fit();
        let line = Line::new(line);
        match envelope::parse(&line) {
            Ok(message) if message.is_private() => self.refuse_private(&message),
            Ok(Message::Request { id, key, method, params }) => self.request(&line, id, &key, &method, params),
            Ok(Message::Notification { method, params }) => self.notification(&line, &method, params),
            Ok(Message::Response { key, id, .. }) => self.response_of_client(&line, key.as_ref(), id),
            Err(found) => self.client.push(refusal::malformed(&found)),
        }
    }

    fn request(&mut self, line: &Line, id: &str, key: &Key, method: &str, params: Option<&str>) {
        if let (Some(fault), None) = (&self.unreachable, &self.link) {
            return self.client.push(refusal::fault(id, fault));
        }
        match self.ledger.open(key, line, method, params) {
            Opened::New => self.send(line),
            Opened::Duplicate => say(&format!("request {key} is asked already; it gets one answer")),
            Opened::Full => self.client.push(refusal::fault(id, &too_many())),
        }
    }

    fn notification(&mut self, line: &Line, method: &str, params: Option<&str>) {
        match method {
            INITIALIZED => self.ledger.initialized(line),
            CANCELLED => {
                if let Some(key) = envelope::cancelled_id(params).and_then(envelope::key) {
                    self.ledger.cancel(&key, line);
                }
            }
            _ => {}
        }
        self.send(line);
    }

    /// Only a relay may say these: a gate believes them, with an id as well as without.
    fn refuse_private(&mut self, message: &Message<'_>) {
        let Message::Request { id, .. } = message else { return };
        let message = format!("Methods that begin with `{PRIVATE_METHODS}` are not the client's to call.");
        let refused = Malformed { id: Some((*id).to_owned()), code: INVALID_REQUEST, message };
        self.client.push(refusal::malformed(&refused));
    }

    /// The client answers what a gate asked; only the gate that asked may hear it.
    fn response_of_client(&mut self, line: &Line, key: Option<&Key>, id: &str) {
        let (Some(link), Some(key)) = (&mut self.link, key) else { return };
        let Some(gate_id) = link.asked.answer(key) else { return };
        if *gate_id == *id {
            link.send(line);
        } else if let Some(renamed) = envelope::splice(line, id, &gate_id) {
            link.send_new(renamed);
        }
    }

    fn refuse_long(&mut self, head: &[u8], tail: &[u8]) {
        let edges = edges::read(head, tail);
        let fault = LinkError::line_too_long().fault();
        if edges.response {
            return say(&fault.to_string());
        }
        self.client.push(refusal::too_long(edges.id.as_deref(), &long_line(&fault)));
    }

    /// The gate said something.
    pub(crate) fn gate_said(&mut self, read: Read) {
        let line = match read {
            Read::Line(line) => line,
            Read::TooLong { head, tail } => return self.long_answer(&head, &tail),
            Read::Rest(_) | Read::End => return,
        };
        if line.trim_ascii().is_empty() || line.starts_with(PRIVATE_PREFIX) {
            return;
        }
        match envelope::parse(&line) {
            Ok(Message::Response { key: Some(key), error, .. }) => self.response_of_gate(line, &key, error),
            Ok(Message::Response { key: None, .. }) => say("the gate couldn't read a message of the client"),
            Ok(Message::Request { id, key, .. }) => {
                let renamed = self.link.as_mut().and_then(|link| link.asked.ask(id, &key));
                let renamed = renamed.and_then(|new| envelope::splice(&line, id, &new));
                self.client.push(renamed.unwrap_or(line));
            }
            Ok(Message::Notification { method, params }) => {
                let renamed = (method == CANCELLED).then(|| envelope::cancelled_id(params)).flatten().and_then(|id| {
                    let client_id = self.link.as_mut()?.asked.withdraw(id)?;
                    envelope::splice(&line, id, &client_id)
                });
                self.client.push(renamed.unwrap_or(line));
            }
            Err(found) => say(&format!("the gate said what is no message: {}", found.message)),
        }
    }

    fn response_of_gate(&mut self, line: Vec<u8>, key: &Key, error: bool) {
        if self.link.as_mut().is_some_and(|link| link.swallows(key)) {
            return;
        }
        match self.ledger.settle(key, error) {
            Settled::Owed { acknowledge: true } => self.client.push_registered(line, key.clone()),
            Settled::Owed { acknowledge: false } => self.client.push(line),
            Settled::NotOwed => {}
        }
    }

    fn long_answer(&mut self, head: &[u8], tail: &[u8]) {
        let fault = LinkError::line_too_long().fault();
        say(&format!("the gate said too much at once: {fault}"));
        let Some(key) = edges::read(head, tail).id.as_deref().and_then(envelope::key) else { return };
        if matches!(self.ledger.settle(&key, true), Settled::Owed { .. }) {
            self.client.push(refusal::fault(&key, &fault));
        }
    }

    /// An answer to a tool's call is with the client.
    pub(crate) fn delivered(&mut self, key: Key) {
        let note = PrivateNote::Delivered { id_raw: key.to_string() };
        self.ledger.delivered(key);
        if let Some(link) = &mut self.link {
            link.send_new(note.to_line());
        }
    }

    /// The relay still lives. Silent while the gate has not taken what was said before.
    pub(crate) fn beat(&mut self) {
        if let Some(link) = self.link.as_mut().filter(|link| link.is_idle()) {
            link.send_new(PrivateNote::Heartbeat.to_line());
        }
    }

    /// The gate is gone: what it asked needs no answer any more.
    pub(crate) fn lost(&mut self) -> Option<Link> {
        let link = self.link.take()?;
        for id in link.asked.unanswered() {
            self.client.push(refusal::cancelled(id, "The gate was restarted."));
        }
        Some(link)
    }

    /// No gate can be reached: whoever waits is told so.
    pub(crate) fn give_up(&mut self, fault: Fault) {
        for key in self.ledger.give_up() {
            self.client.push(refusal::fault(&key, &fault));
        }
        self.unreachable = Some(fault);
    }

    /// Whether all that the client and the gate should still get is on its way.
    pub(crate) fn is_done(&self) -> bool {
        self.ledger.owed() == 0 && self.client.is_empty() && self.link.as_ref().is_none_or(Link::is_idle)
    }

    fn send(&mut self, line: &Line) {
        if let Some(link) = &mut self.link {
            link.send(&Arc::clone(line));
        }
    }
}

fn too_many() -> Fault {
    Fault::new(
        Code::TooMany,
        format!("More than {} requests of this agent, or too large ones, are unanswered.", bounds::PENDING_REQUESTS),
        "Wait for answers before asking more.",
    )
}

fn long_line(fault: &Fault) -> Fault {
    let message = format!("The message is longer than {} bytes.", bounds::LINE_BYTES);
    Fault::new(fault.code, message, fault.mend.clone())
}
