//! What this machine can do for a sandbox, and what is refused where it can't: each with its own sentence and its mend.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gate_core::{Code, Fault};
use landlock::{CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreated, RulesetError, Scope};

use crate::bubblewrap::APART;
use crate::wish::Network;

const BUBBLEWRAP: &str = "bwrap";
const PASTA: &str = "pasta";

/// The system's switches for user namespaces, what each says where it forbids them, and how it is turned.
const SWITCHES: [(&str, &str, &str); 3] = [
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "Let users make namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "Let users make namespaces: `sudo sysctl user.max_user_namespaces=15000`.",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps user namespaces from programs without a profile that allows them: give one to bwrap \
         (`userns,` in /etc/apparmor.d/bwrap), or `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
    ),
];

/// The programs that a sandbox is made with.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) bubblewrap: PathBuf,
    /// Where it is needed.
    pub(crate) pasta: Option<PathBuf>,
    /// What becomes of the wish; never [`Network::Any`].
    pub(crate) network: Network,
}

fn refuse(message: &str, mend: &str) -> Fault {
    Fault::new(Code::Sandbox, message, mend)
}

impl Machine {
    /// What there is for a sandbox with this network.
    ///
    /// # Errors
    /// `sandbox`, where something lacks.
    pub(crate) fn look(network: Network, path: &[PathBuf]) -> Result<Self, Fault> {
        let find = |name: &str| path.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
        let bubblewrap = find(BUBBLEWRAP).ok_or_else(|| {
            let mend = "Install your distribution's package for it, e.g. `sudo apt install bubblewrap`.";
            refuse("bubblewrap, which makes the sandbox, isn't installed: no `bwrap` in PATH.", mend)
        })?;
        try_it(&bubblewrap)?;
        let pasta = find(PASTA).filter(|_| matches!(network, Network::Own | Network::Any));
        let network = match (network, &pasta) {
            (Network::None, _) => Network::None,
            (Network::Own | Network::Any, Some(_)) => Network::Own,
            (Network::Own, None) => {
                let mend = "Install your distribution's package `passt`, or take `--network=shared`, or none.";
                return Err(refuse("pasta, which gives a sandbox a network of its own, isn't installed.", mend));
            }
            (Network::Shared | Network::Any, _) if scoped().is_ok() => Network::Shared,
            (Network::Shared, _) => {
                let mend = "Take `--network=own` with pasta (package `passt`), or a kernel from 6.12 on with Landlock.";
                let message = "This kernel has no Landlock with scopes, without which an agent on this machine's network \
                               reaches its display.";
                return Err(refuse(message, mend));
            }
            (Network::Any, None) => {
                let message = "An agent with a network can be kept from this machine's display neither by pasta, which \
                               isn't installed, nor by Landlock, whose scopes this kernel lacks.";
                let mend = "Install your distribution's package `passt`, or run the agent without `--network`.";
                return Err(refuse(message, mend));
            }
        };
        Ok(Self { bubblewrap, pasta, network })
    }
}

/// Makes a sandbox with nothing in it.
fn try_it(bubblewrap: &Path) -> Result<(), Fault> {
    let mut command = Command::new(bubblewrap);
    command.args(APART).args(["--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"]);
    // A program that is there whatever `PATH` has.
    command.arg(bubblewrap).arg("--version");
    let ran = command.stdin(Stdio::null()).output();
    let said = match ran {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    if said.contains("Unknown option") {
        let mend = "Install bubblewrap 0.8 or newer.";
        return Err(refuse(&format!("This bubblewrap is too old: {said}."), mend));
    }
    let forbids =
        |(file, value, _): &&(&str, &str, &str)| fs::read_to_string(file).is_ok_and(|text| text.trim() == *value);
    let mend = SWITCHES.iter().find(forbids).map_or(
        "In a container: start it so that it may make user namespaces and mount /proc, or run the agent outside of it.",
        |(_, _, mend)| mend,
    );
    let message = format!("This system doesn't let bubblewrap make a sandbox with user namespaces of its own: {said}.");
    Err(refuse(&message, mend))
}

/// Rules that keep a process from abstract sockets that others have made, and from signalling others.
///
/// # Errors
/// When the kernel has no such scopes (before Linux 6.12, or built without Landlock).
pub(crate) fn scoped() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::AbstractUnixSocket)?
        .scope(Scope::Signal)?
        .create()
}
