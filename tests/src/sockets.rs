//! The sockets of processes that are made for a network, as the system sees them (proc(5)).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use anyhow::{Result, bail};

use crate::home::Home;
use crate::process::Process;
use crate::wait::{LIMIT, eventually};

/// The system's tables of them, below `/proc/self/net`.
const TABLES: [&str; 6] = ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"];

/// A socket of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Socket {
    /// The program, e.g. `review-gate-voice listen`.
    pub program: String,
    /// The table that it stands in.
    pub table: &'static str,
    /// Its own end.
    pub local: SocketAddr,
    /// The other end; without an address while there is none.
    pub remote: SocketAddr,
}

impl Socket {
    /// Whether nothing that goes through it leaves this machine.
    #[must_use]
    pub fn stays_here(&self) -> bool {
        let other = if self.remote.ip().is_unspecified() { self.local } else { self.remote };
        other.ip().to_canonical().is_loopback()
    }
}

/// What ran in a home over a time.
#[derive(Debug, Default)]
pub struct Seen {
    /// Each program with its first argument.
    pub programs: BTreeSet<String>,
    /// All of their sockets.
    pub sockets: BTreeSet<Socket>,
}

impl Seen {
    /// Whether a program of this name ran, with this argument where it has one.
    #[must_use]
    pub fn ran(&self, program: &str) -> bool {
        let mut behind = self.programs.iter().filter_map(|seen| seen.strip_prefix(program));
        behind.any(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    fn look(&mut self, home: &Home) {
        let processes = home.processes();
        self.programs.extend(processes.iter().filter_map(name));
        self.sockets.extend(sockets_of(&processes));
    }
}

/// Does some work, and looks meanwhile at every process of the home, ten times a second.
///
/// # Errors
/// When the work fails, or takes minutes.
pub async fn watched<T>(home: &Home, work: impl Future<Output = Result<T>>) -> Result<(T, Seen)> {
    let mut seen = Seen::default();
    let looking = eventually("the end of what is watched", LIMIT * 4, || {
        seen.look(home);
        std::future::ready(Ok(None::<()>))
    });
    let done = tokio::select! {
        done = work => done,
        ended = looking => ended.and_then(|()| bail!("nothing was found, and looking ended")),
    };
    seen.look(home);
    Ok((done?, seen))
}

/// A process's program and first argument. Absent for one that has ended.
fn name(process: &Process) -> Option<String> {
    let arguments = process.arguments();
    let program = Path::new(arguments.first()?).file_name()?.to_string_lossy().into_owned();
    let first = arguments.get(1).map(|argument| format!(" {}", argument.to_string_lossy()));
    Some(program + &first.unwrap_or_default())
}

/// The sockets of processes that have the same network as this one.
#[must_use]
pub fn sockets_of(processes: &[Process]) -> Vec<Socket> {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for process in processes {
        let Some(program) = name(process) else { continue };
        for inode in inodes(process) {
            owners.entry(inode).or_default().insert(program.clone());
        }
    }
    let mut found = Vec::new();
    for table in TABLES {
        let text = std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, local, remote, _, _, _, _, _, _, inode, ..] = fields.as_slice() else { continue };
            let Some(programs) = owners.get(*inode) else { continue };
            let (Some(local), Some(remote)) = (address_in_table(local), address_in_table(remote)) else { continue };
            found.extend(programs.iter().map(|program| Socket { program: program.clone(), table, local, remote }));
        }
    }
    found
}

/// What names the sockets that a process has open.
fn inodes(process: &Process) -> Vec<String> {
    let files = std::fs::read_dir(format!("/proc/{}/fd", process.pid())).into_iter().flatten().flatten();
    let targets = files.filter_map(|file| std::fs::read_link(file.path()).ok());
    let inode = |target: &Path| Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned());
    targets.filter_map(|target| inode(&target)).collect()
}

/// An address as the tables have it: words of 32 bits in this machine's order, then the port.
#[must_use]
pub fn address_in_table(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let words = ip.as_bytes().chunks_exact(8).map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok());
    let bytes: Vec<u8> = words.collect::<Option<Vec<u32>>>()?.into_iter().flat_map(u32::to_ne_bytes).collect();
    let ip = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => IpAddr::V4(Ipv4Addr::from(four)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?)),
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}
