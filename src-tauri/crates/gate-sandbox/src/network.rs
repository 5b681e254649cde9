//! pasta, which connects a sandbox's own network to the one outside, without a way to what listens here.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gate_core::{Code, Fault};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::time::interval;

use crate::stage::connect_arguments;

/// How often it is looked whether the network is there.
const LOOK: Duration = Duration::from_millis(10);
/// How long it may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How the kernel's table of connections says that somebody listens.
const LISTENS: &str = "0A";
/// Forwards nothing but what is named, and no address of this machine's leads to it.
const CLOSED: &[&str] =
    &["--foreground", "--quiet", "--config-net", "--no-map-gw", "-t", "none", "-u", "none", "-U", "none"];

/// A running pasta. It is killed when this is dropped, and when this process is: left alone, it goes on once its sandbox
/// has ended, and can take a whole processor for it.
#[derive(Debug)]
pub(crate) struct Pasta {
    _child: Child,
}

impl Pasta {
    /// Connects the network that the process `pid` is in, which it has made for itself, and waits until it is there, with
    /// these ports. `own` is the program of the gate.
    ///
    /// # Errors
    /// `sandbox`, with what pasta says, where it can't.
    pub(crate) async fn connect(own: &Path, program: &Path, pid: u32, ports: &[u16]) -> Result<Self, Fault> {
        let named = match ports {
            [] => "none".to_owned(),
            some => some.iter().map(u16::to_string).collect::<Vec<_>>().join(","),
        };
        let mut command = Command::new(own);
        command.args(connect_arguments()).arg(program).args(CLOSED).args(["-T", &named]);
        if rustix::process::geteuid().is_root() {
            // It would become `nobody`, who may not enter.
            command.args(["--runas", "0:0"]);
        }
        for (flag, namespace) in [("--userns", "user"), ("--netns", "net")] {
            command.arg(flag).arg(format!("/proc/{pid}/ns/{namespace}"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        // Ctrl-C is the agent's.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| refusal(&error.to_string()))?;
        let mut looks = interval(LOOK);
        let is_there = async {
            // It takes connections to ports only once there is a network.
            while !(has_a_way_out(pid) && ports.iter().all(|port| is_taken_up(pid, *port))) {
                looks.tick().await;
            }
        };
        let failed = tokio::select! {
            () = is_there => None,
            ended = child.wait() => Some(ended.map_or_else(|error| error.to_string(), |status| status.to_string())),
            () = tokio::time::sleep(LIMIT) => Some(format!("nothing came of it in {} s", LIMIT.as_secs())),
        };
        match failed {
            None => Ok(Self { _child: child }),
            Some(how) => {
                let _ = child.kill().await;
                let mut said = String::new();
                if let Some(mut stderr) = child.stderr.take() {
                    let _ = stderr.read_to_string(&mut said).await;
                }
                let words = said.lines().filter(|line| !line.contains("syslog")).collect::<Vec<_>>().join("; ");
                Err(refusal(&format!("{how} {words}")))
            }
        }
    }
}

fn refusal(said: &str) -> Fault {
    Fault::new(
        Code::Sandbox,
        format!("pasta can't connect the sandbox's network: {}.", said.trim()),
        "Look whether this machine has a network and /dev/net/tun; or take `--network=shared`, or none.",
    )
}

/// Whether a process sees another network device than loopback, with a route.
fn has_a_way_out(pid: u32) -> bool {
    let lines = |file: &str| fs::read_to_string(format!("/proc/{pid}/net/{file}")).unwrap_or_default();
    // A line for the names of the columns; of IPv6 there are routes to loopback anyway.
    lines("route").lines().count() > 1 || lines("ipv6_route").lines().any(|line| !line.trim_end().ends_with("lo"))
}

/// Whether somebody takes connections to this port where that process is.
fn is_taken_up(pid: u32, port: u16) -> bool {
    ["tcp", "tcp6"].iter().any(|file| {
        let all = fs::read_to_string(format!("/proc/{pid}/net/{file}")).unwrap_or_default();
        all.lines().any(|line| listens(line) == Some(port))
    })
}

/// The port that a line of the kernel's table of connections listens on.
fn listens(line: &str) -> Option<u16> {
    let mut words = line.split_whitespace().skip(1);
    let (own, _, state) = (words.next()?, words.next()?, words.next()?);
    (state == LISTENS).then(|| u16::from_str_radix(own.rsplit_once(':')?.1, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_listened_on_is_known_by_its_line() {
        let line =
            |state| format!("   0: 0100007F:94EB 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0");
        assert_eq!(listens(&line("0A")), Some(38123));
        assert_eq!(listens(&line("01")), None, "that is a connection");
        assert_eq!(listens("  sl  local_address rem_address   st tx_queue rx_queue"), None);
    }
}
