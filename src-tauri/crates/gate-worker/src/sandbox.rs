//! What a run sees in its sandbox: its folder, its program's installation, what it is signed in and set up by, and nothing
//! else of the person's. It reaches its model over the network. gate-sandbox makes it, on Linux alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gate_sandbox::{AgentFiles, Sandbox, Wish};
use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::installed::Installed;
use crate::refusal::Refusal;
use crate::variables::variable;

/// Whether a run is put into a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shelter {
    /// It is, or isn't started.
    Sandbox(Shut),
    /// It isn't, since the person has said that it needn't: it reads what they may read.
    None,
}

/// The way to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// One of its own where pasta is installed, else this machine's.
    #[default]
    Any,
    /// This machine's, under Landlock's scope: it reaches what listens on loopback.
    Shared,
}

/// A sandbox for a run. All paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shut {
    /// Folders that are hidden wherever they are: the gate's.
    pub hidden: Vec<PathBuf>,
    /// An empty folder that is there inside, by which the gate's programs know where they are.
    pub mark: PathBuf,
    /// Its network.
    pub network: Network,
    /// Ports of this machine's loopback that it reaches where its network is its own: of a model that runs here.
    pub ports: Vec<u16>,
    /// What else it may read.
    pub read: Vec<PathBuf>,
}

impl Shut {
    /// Whether a run with this environment can be put into a sandbox here, with this way to its model. It is tried, which
    /// takes a moment and blocks.
    ///
    /// # Errors
    /// What lacks, and what to install or switch for it.
    pub fn is_possible(network: Network, environment: &[(OsString, OsString)]) -> Result<(), Refusal> {
        Ok(Sandbox::is_possible(network.into(), &folders_of_programs(environment))?)
    }
}

impl From<Network> for gate_sandbox::Network {
    fn from(network: Network) -> Self {
        match network {
            Network::Any => Self::Any,
            Network::Shared => Self::Shared,
        }
    }
}

/// Where programs are looked for.
fn folders_of_programs(environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let path = variable(environment, "PATH").map(std::env::split_paths);
    path.into_iter().flatten().filter(|path| path.is_absolute()).collect()
}

/// A sandbox as the starter is told of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Walls {
    person: OsString,
    path: Vec<OsString>,
    hidden: Vec<OsString>,
    empty: OsString,
    mark: OsString,
    network: Network,
    ports: Vec<u16>,
    read: Vec<OsString>,
    write: Vec<OsString>,
    copies: Vec<OsString>,
}

impl Walls {
    /// Around a run of this program in this folder.
    ///
    /// # Errors
    /// Where nobody knows the person's folder, or the run's lies in a repository.
    pub(crate) fn around(
        shut: &Shut,
        installed: &Installed,
        folder: &Folder,
        environment: &[(OsString, OsString)],
    ) -> Result<Self, Refusal> {
        let person = variable(environment, "HOME").map(PathBuf::from).filter(|person| person.is_absolute());
        let person = person.ok_or_else(|| Refusal::new("HOME names no folder of yours.", "Set it."))?;
        let work = folder.work();
        let repository = work.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        // All of it would be written; but for what holds all that is to be kept away.
        if let Some(repository) = repository.filter(|repository| !person.starts_with(repository)) {
            let message = format!("The folder for runs lies in the repository {}.", repository.display());
            return Err(Refusal::new(message, "Name one that lies in none."));
        }
        let row = installed.program.row();
        let there = |path: PathBuf| path.is_file().then(|| path.into_os_string());
        let sign_in = row.sign_in.iter().filter_map(|place| there(place.path(&person, environment)));
        let words = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into_os_string()).collect();
        Ok(Self {
            path: folders_of_programs(environment).into_iter().map(PathBuf::into_os_string).collect(),
            hidden: words(&shut.hidden),
            empty: folder.empty().into(),
            mark: shut.mark.clone().into(),
            network: shut.network,
            ports: shut.ports.clone(),
            read: words(&shut.read),
            write: sign_in.chain([folder.own().into_os_string()]).collect(),
            copies: row.set_up.iter().filter_map(|place| there(place.path(&person, environment))).collect(),
            person: person.into(),
        })
    }

    /// As gate-sandbox is told; `starter` is the program of the gate.
    pub(crate) fn wish(self, agent: Vec<OsString>, folder: &Path, starter: PathBuf) -> Wish {
        let paths = |words: Vec<OsString>| words.into_iter().map(PathBuf::from).collect();
        Wish {
            agent,
            folder: folder.to_owned(),
            person: self.person.into(),
            path: paths(self.path),
            hidden: paths(self.hidden),
            empty: Vec::new(),
            relays: self.empty.into(),
            relays_inside: self.mark.into(),
            program: starter,
            beside: Vec::new(),
            files: AgentFiles { copies: paths(self.copies), ..AgentFiles::default() },
            network: self.network.into(),
            ports: self.ports,
            read: paths(self.read),
            write: paths(self.write),
        }
    }
}
