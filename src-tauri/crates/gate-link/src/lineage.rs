//! What the system says of a process at the other end of a connection, and of those that it descends from. What that
//! means is gate-core's ([`gate_core::lineage`]).
//!
//! What the system says is gate-os's to know ([`gate_os::process`]).

use gate_core::{Lineage, Process, Seen, bounds};
use gate_os::process::{self, INIT};

/// A process as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) seen: Seen,
    /// The number of the process that started it, or that took it up.
    pub(crate) parent: u32,
    pub(crate) terminal: Option<u32>,
}

/// What a system tells of its processes.
pub(crate) trait Kernel {
    /// The process that has this number now. Absent where the system doesn't tell, and where it ended while it was
    /// looked at, so that what is told is of one process.
    fn find(&self, pid: u32) -> Option<Found>;

    /// The number of its parent now.
    fn parent(&self, pid: u32) -> Option<u32> {
        Some(self.find(pid)?.parent)
    }
}

/// The system that this program runs on.
pub(crate) struct ThisKernel;

impl Kernel for ThisKernel {
    fn find(&self, pid: u32) -> Option<Found> {
        // Elsewhere it isn't known who has a terminal, without which a person can't be told from a script.
        if !cfg!(target_os = "linux") {
            return None;
        }
        let found = process::find(pid)?;
        let arguments = found.arguments.iter().take(bounds::PROCESS_ARGUMENTS).map(|argument| cut(argument)).collect();
        let seen = Seen {
            process: Process { pid, began: found.began },
            program: cut(&found.program),
            arguments,
            folder: cut(&found.folder),
        };
        Some(Found { seen, parent: found.parent, terminal: found.terminal })
    }

    fn parent(&self, pid: u32) -> Option<u32> {
        process::parent(pid)
    }
}

/// The process that started this one, where the system names it and it still runs.
pub(crate) fn starter_of(pid: u32) -> Option<Process> {
    let parent = process::parent(pid).filter(|parent| *parent > INIT)?;
    Some(Process { pid: parent, began: process::began(parent)? })
}

/// Whether a process is no more. Not where that can't be told.
#[must_use]
pub fn has_ended(process: &Process) -> bool {
    process::has_ended(process.pid, &process.began)
}

/// This process with those above it, as the gate would see it; absent where the system doesn't tell.
#[must_use]
pub fn this_process() -> Option<Lineage> {
    of(&ThisKernel, std::process::id())
}

/// A process with those above it; absent where it can't be seen.
pub(crate) fn of(kernel: &impl Kernel, pid: u32) -> Option<Lineage> {
    let Found { seen: own, parent, terminal } = kernel.find(pid)?;
    let (mut child, mut parent, mut ancestors) = (pid, parent, Vec::new());
    while parent > INIT && ancestors.len() < bounds::ANCESTORS {
        let Some(above) = kernel.find(parent) else { break };
        // Only while the child says so is the process of that number its parent.
        if kernel.parent(child) != Some(parent) {
            break;
        }
        (child, parent) = (parent, above.parent);
        ancestors.push(above.seen);
    }
    Some(Lineage { own, terminal, ancestors })
}

/// As much of a text as is kept of a process's.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(bounds::PROCESS_TEXT_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Processes by their numbers, each with its parent's.
    struct Told(HashMap<u32, u32>);

    impl Kernel for Told {
        fn find(&self, pid: u32) -> Option<Found> {
            let seen = Seen {
                process: Process { pid, began: "1 boot".to_owned() },
                program: format!("/bin/{pid}"),
                arguments: Vec::new(),
                folder: String::new(),
            };
            Some(Found { seen, parent: *self.0.get(&pid)?, terminal: None })
        }
    }

    fn above(parents: &[(u32, u32)], pid: u32) -> Option<Vec<u32>> {
        let lineage = of(&Told(parents.iter().copied().collect()), pid)?;
        Some(lineage.ancestors.iter().map(|seen| seen.process.pid).collect())
    }

    #[test]
    fn a_process_is_followed_up_to_the_first_and_no_further_than_the_bound() {
        let endless: Vec<_> = (2..500).map(|pid| (pid, pid + 1)).collect();
        for (parents, expected, why) in [
            (&[(7, 5), (5, 3), (3, 1), (1, 0)][..], Some(vec![5, 3]), "init started everybody"),
            (&[(7, 1), (1, 0)], Some(vec![]), "whose own parent has ended"),
            (&[(7, 0)], Some(vec![]), "whose parent is outside of the container"),
            (&[(7, 5), (5, 3)], Some(vec![5]), "whose grandparent can't be seen"),
            (&[(5, 3)], None, "who can't be seen"),
        ] {
            assert_eq!(above(parents, 7), expected, "{why}");
        }
        assert_eq!(above(&endless, 7).map(|all| all.len()), Some(bounds::ANCESTORS), "a chain has an end");
        assert_eq!(above(&[(7, 8), (8, 7)], 7).map(|all| all.len()), Some(bounds::ANCESTORS), "a circle, too");
    }

    #[test]
    fn nobody_is_inits_agent() {
        assert_eq!(starter_of(INIT), None);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let long = "ä".repeat(bounds::PROCESS_TEXT_BYTES);
        assert_eq!(cut(&long).len(), bounds::PROCESS_TEXT_BYTES, "as long as it may be");
        assert_eq!(cut(&format!("x{long}")).len(), bounds::PROCESS_TEXT_BYTES - 1, "none is halved");
        assert_eq!(cut("/bin/sh"), "/bin/sh");
    }
}
