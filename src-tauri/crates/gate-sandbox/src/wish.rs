//! What is wanted of a sandbox.

use std::ffi::OsString;
use std::path::PathBuf;

/// An agent and what it is to see. All paths are absolute.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The agent's program and its arguments.
    pub agent: Vec<OsString>,
    /// The folder that it works in; the repository around it, where there is one, is what it may write.
    pub folder: PathBuf,
    /// The person's own folder, which is empty inside but for what is named here.
    pub person: PathBuf,
    /// The folders that programs are looked for in (`PATH`).
    pub path: Vec<PathBuf>,
    /// The gate's folders, which are hidden wherever they are.
    pub hidden: Vec<PathBuf>,
    /// Folders that are there and empty, though they are hidden: agents' configuration names them, and an agent may not
    /// start where one lacks.
    pub empty: Vec<PathBuf>,
    /// The folder with the relays' socket and nothing else.
    pub relays: PathBuf,
    /// Where that folder is inside.
    pub relays_inside: PathBuf,
    /// The program of the gate, which is also the relays'.
    pub program: PathBuf,
    /// The names of its programs beside that, which are started outside as well: they may only be read.
    pub beside: Vec<PathBuf>,
    /// What agents keep.
    pub files: AgentFiles,
    /// The network.
    pub network: Network,
    /// Ports of this machine's loopback that are there inside, where the network is the sandbox's own. With [`Network::Any`]
    /// they are where it becomes this machine's, too.
    pub ports: Vec<u16>,
    /// What else it sees.
    pub read: Vec<PathBuf>,
    /// What else it may write.
    pub write: Vec<PathBuf>,
}

/// Files of agents' programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFiles {
    /// The folders in which the agent keeps its state, which it may write.
    pub state: Vec<PathBuf>,
    /// Files that are state and configuration at once: it gets a copy.
    pub copies: Vec<PathBuf>,
    /// Folders of configuration apart from that state. It reads what is there; what it writes goes with the sandbox.
    pub apart: Vec<PathBuf>,
    /// What configures agents, in those folders: it may only be read.
    pub guarded: Vec<PathBuf>,
    /// The same in a project, below its folder.
    pub guarded_in_project: Vec<PathBuf>,
}

/// What the agent has of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Loopback of its own, and nothing else.
    #[default]
    None,
    /// One of its own, which pasta connects: it reaches other machines, and of this one nothing but the ports that are
    /// named.
    Own,
    /// This machine's, under Landlock's scope: it reaches what listens on loopback, and no abstract socket.
    Shared,
    /// Its own where pasta is installed, else this machine's.
    Any,
}
