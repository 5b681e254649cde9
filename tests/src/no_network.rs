//! A run of a test that reaches nobody: in a network namespace of its own, which has loopback and nothing else. What it
//! starts there, from the gate to an agent, is in there, too.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;

use crate::run::Ran;
use crate::skip::out_of_reach;
use crate::this_test::this_test;

/// Names a file to the run that has no network; that it has begun is told by writing it.
const BEGUN: &str = "REVIEW_GATE_TEST_WITHOUT_NETWORK";
/// Ways into a namespace: root's, and anybody's whom the system lets be root of a user namespace.
const WAYS: [&[&str]; 2] = [&["--net"], &["--net", "--map-root-user"]];
/// Brings up loopback, and becomes the program that is named behind it.
const WITH_LOOPBACK: &str = "ip link set lo up && exec \"$@\"";
/// Addresses that are nobody's (RFC 5737, RFC 3849), each with one of this machine's to go out from.
const OUTSIDE: [(&str, &str); 2] = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];

/// That there is no network but loopback, or that it couldn't be had so.
#[derive(Debug)]
pub struct NoNetwork {
    /// What had been tried before; absent where there is a network.
    tried: Option<u64>,
}

impl NoNetwork {
    /// Runs this very test again without a network, and gives nothing: there is nothing left to do. In that run, and
    /// where no namespace can be had, which is told, it gives itself.
    ///
    /// # Errors
    /// When that run fails, or is one with a network; and when none can be had where everything is required.
    pub async fn enter() -> Result<Option<Self>> {
        if let Some(begun) = std::env::var_os(BEGUN) {
            std::fs::write(begun, "")?;
            no_way_out()?;
            return Ok(Some(Self { tried: Some(without_way()?) }));
        }
        for way in WAYS {
            let mut attempt = apart(way);
            attempt.arg("true");
            if Ran::of(attempt).await.is_ok_and(|ran| ran.code == Some(0)) {
                again(way).await?;
                return Ok(None);
            }
        }
        beside_a_network()
    }

    /// How often something in here has tried to reach another machine. Not counted where there is a network.
    ///
    /// # Errors
    /// When the system doesn't say.
    pub fn attempts(&self) -> Result<u64> {
        self.tried.map_or(Ok(0), |before| Ok(without_way()? - before))
    }
}

/// What is left where no namespace can be had.
fn beside_a_network() -> Result<Option<NoNetwork>> {
    out_of_reach("no network namespace can be had here, and beside a network it shows less")?;
    Ok(Some(NoNetwork { tried: None }))
}

/// A command in a namespace; what it runs is still to be named.
fn apart(way: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(way).args(["--", "sh", "-c", WITH_LOOPBACK, "sh"]).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Runs this test in a namespace. What it says is seen where this run's is.
async fn again(way: &[&str]) -> Result<()> {
    let name = this_test().context("which test this is isn't known; nextest says it")?;
    let folder = tempfile::tempdir()?;
    let begun: PathBuf = folder.path().join("begun");
    let mut command = apart(way);
    command.arg(std::env::current_exe()?).args(["--exact", &name, "--nocapture"]).env(BEGUN, &begun);
    let ended = command.status().await.context("unshare can't be started")?;
    if !ended.success() {
        bail!("without a network it failed ({ended}); its message is above");
    }
    if !begun.is_file() {
        bail!("{name} isn't what this test is called, so nothing ran");
    }
    Ok(())
}

/// Fails where another machine can be reached.
fn no_way_out() -> Result<()> {
    for (from, to) in OUTSIDE {
        // A machine may have no IPv6.
        let Ok(socket) = UdpSocket::bind(from) else { continue };
        // Looks for a way, and sends nothing.
        match socket.connect(to) {
            Err(error) if error.kind() == ErrorKind::NetworkUnreachable => {}
            other => bail!("there should be no way to {to}: {other:?}"),
        }
    }
    Ok(())
}

/// How often no way was found for what should leave this namespace (`OutNoRoutes`, RFC 4293).
fn without_way() -> Result<u64> {
    let four = std::fs::read_to_string("/proc/self/net/snmp")?;
    let mut lines = four.lines().filter_map(|line| line.strip_prefix("Ip: "));
    let (names, values) = lines.next().zip(lines.next()).context("no counters of IP")?;
    let mut counters = names.split(' ').zip(values.split(' '));
    let (_, four) = counters.find(|(name, _)| *name == "OutNoRoutes").context("no OutNoRoutes")?;
    let six = std::fs::read_to_string("/proc/self/net/snmp6").unwrap_or_default();
    let six = six.lines().find_map(|line| line.strip_prefix("Ip6OutNoRoutes")).map_or("0", str::trim);
    Ok(four.parse::<u64>()? + six.parse::<u64>()?)
}
