//! A layout as arguments of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

use gate_core::Fault;
use rustix::io::{FdFlags, fcntl_setfd};

use crate::layout::{Layout, Mount};
use crate::wish::Network;

/// What every sandbox has of its own: users, processes, what they have in common, its name. It ends with whoever started
/// it, its first process is ours, and none in it gets a capability.
pub(crate) const APART: &[&str] = &[
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--as-pid-1",
    "--cap-drop",
    "ALL",
];

/// Arguments, and the descriptors that they name: open for whoever is started until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) all: Vec<OsString>,
    files: Vec<OwnedFd>,
}

impl Arguments {
    /// All but the command. `network` is not [`Network::Any`] any more.
    ///
    /// # Errors
    /// When a file that is to be copied can't be read.
    pub(crate) fn of(layout: &Layout, network: Network, folder: &Path) -> Result<Self, Fault> {
        let mut arguments = Self::default();
        arguments.all.extend(APART.iter().map(OsString::from));
        if network == Network::None {
            arguments.all.push("--unshare-net".into());
        }
        for (at, mount) in &layout.mounts {
            arguments.mount(at, mount)?;
        }
        arguments.words(["--proc", "/proc", "--dev", "/dev"].map(OsStr::new));
        arguments.words([OsStr::new("--chdir"), folder.as_os_str()]);
        Ok(arguments)
    }

    fn words<const N: usize>(&mut self, words: [&OsStr; N]) {
        self.all.extend(words.map(OsStr::to_owned));
    }

    fn mount(&mut self, at: &Path, mount: &Mount) -> Result<(), Fault> {
        let at = at.as_os_str();
        match mount {
            Mount::Empty if at == "/tmp" || at == "/var/tmp" => {
                self.words(["--perms", "1777", "--tmpfs"].map(OsStr::new));
                self.words([at]);
            }
            Mount::Empty if at == "/run" || at == "/var" => {
                self.words(["--perms", "0755", "--tmpfs"].map(OsStr::new));
                self.words([at]);
            }
            Mount::Empty | Mount::Hidden => {
                self.words(["--perms", "0700", "--tmpfs"].map(OsStr::new));
                self.words([at]);
            }
            Mount::Link(to) => self.words([OsStr::new("--symlink"), to.as_os_str(), at]),
            Mount::ReadOnly(from) | Mount::Guarded(from) => {
                self.words([OsStr::new("--ro-bind"), from.as_os_str(), at]);
            }
            Mount::Writable(from) => self.words([OsStr::new("--bind"), from.as_os_str(), at]),
            Mount::Copy(from) => {
                let number = OsString::from(self.hand_over(from)?.to_string());
                self.words(["--perms", "0600", "--file"].map(OsStr::new));
                self.words([&number, at]);
            }
        }
        Ok(())
    }

    fn hand_over(&mut self, file: &Path) -> Result<i32, Fault> {
        let opened = File::open(file).map_err(|error| Fault::internal(format!("{}: {error}", file.display())))?;
        let file = OwnedFd::from(opened);
        fcntl_setfd(&file, FdFlags::empty()).map_err(|error| Fault::internal(error.to_string()))?;
        let number = file.as_raw_fd();
        self.files.push(file);
        Ok(number)
    }
}
