//! The agents whose relays connect, by the system's word: what one of them starts is no person, whatever it says.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::{Lineage, Process, bounds};
use gate_link::has_ended;

/// The agents' processes. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agents(Arc<Mutex<HashSet<Process>>>);

impl Agents {
    /// The relay of this lineage connects: its agent is one until its process ends, with a relay or without.
    pub(crate) fn meet(&self, relay: &Lineage) {
        let Some(agent) = relay.agent() else { return };
        let mut all = self.lock();
        if all.contains(&agent.process) {
            return;
        }
        all.retain(|process| !has_ended(process));
        if all.len() >= bounds::AGENTS {
            tracing::warn!(pid = agent.process.pid, "more agents run than are remembered");
            return;
        }
        all.insert(agent.process.clone());
    }

    /// Whether a command from a process of this lineage may count as a person's at a terminal.
    pub(crate) fn leave_room_for_a_person(&self, lineage: &Lineage) -> bool {
        let all = self.lock();
        lineage.may_be_a_person(|process| all.contains(process))
    }

    /// Whether a process of this lineage may be the app that somebody starts themselves.
    pub(crate) fn leave_room_for_a_start(&self, lineage: &Lineage) -> bool {
        let all = self.lock();
        lineage.may_be_started_by_a_person(|process| all.contains(process))
    }

    /// Whether a process of this lineage is the app or `review-gate`, with no agent above it that can be seen.
    pub(crate) fn leave_room_for_anybodys_start(&self, lineage: &Lineage) -> bool {
        let all = self.lock();
        lineage.may_be_anybodys_start(|process| all.contains(process))
    }

    /// Whether this process is an agent whose relay is or was connected.
    pub(crate) fn knows(&self, process: &Process) -> bool {
        self.lock().contains(process)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use gate_core::Seen;

    use super::*;

    fn seen(pid: u32, program: &str) -> Seen {
        let process = Process { pid, began: "1 boot".to_owned() };
        Seen { process, program: program.to_owned(), arguments: Vec::new(), folder: "/w".to_owned() }
    }

    #[test]
    fn what_a_connected_agent_starts_is_no_person() {
        let (agents, agent) = (Agents::default(), seen(2, "/opt/agent"));
        let of = |own: Seen, ancestors: &[&Seen]| Lineage {
            own,
            terminal: Some(34816),
            ancestors: ancestors.iter().map(|seen| (*seen).clone()).collect(),
        };
        let (shell, terminal) = (seen(3, "/bin/sh"), seen(4, "/usr/bin/kitty"));
        let answer = of(seen(9, "/usr/bin/review-gate"), &[&shell, &agent, &terminal]);
        assert!(agents.leave_room_for_a_person(&answer), "it might be any program that a person runs");
        agents.meet(&of(seen(8, "/usr/bin/review-gate"), &[&shell, &terminal]));
        assert!(agents.leave_room_for_a_person(&answer), "a relay that a person tries makes no agent of the terminal");
        agents.meet(&of(seen(8, "/usr/bin/review-gate"), &[&shell, &agent, &terminal]));
        assert!(!agents.leave_room_for_a_person(&answer), "now it is known as an agent");
        assert!(agents.knows(&agent.process) && !agents.knows(&shell.process));
        let other = of(seen(9, "/usr/bin/review-gate"), &[&shell, &terminal]);
        assert!(agents.leave_room_for_a_person(&other), "in the same terminal, but not below it");
    }
}
