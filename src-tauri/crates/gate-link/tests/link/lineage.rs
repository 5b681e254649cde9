//! Who is at the other end, with real trees of processes: this test binary, started again, connects.
#![cfg(target_os = "linux")]

use crate::world::{World, soon};
use gate_core::Lineage;
use gate_link::{GateListener, GateLock, Peer, Socket, listen};
use std::fs;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const SOCKET: &str = "GATE_LINK_TEST_SOCKET";
const LEAVES: &str = "GATE_LINK_TEST_LEAVES";

/// The body of the process that connects; nothing in an ordinary run. It stays until the gate hangs up, or leaves its
/// end of the connection to a process of its own.
#[test]
#[expect(clippy::zombie_processes, reason = "it outlives the one that started it: that is the point")]
fn the_process_that_connects() {
    let Some(socket) = std::env::var_os(SOCKET) else { return };
    let mut stream = UnixStream::connect(socket).unwrap();
    if std::env::var_os(LEAVES).is_some() {
        let kept = Stdio::from(OwnedFd::from(stream));
        Command::new("cat").stdin(kept).stdout(Stdio::null()).spawn().unwrap();
        return;
    }
    let _ = stream.read(&mut [0]);
}

struct Tree {
    world: World,
    listener: GateListener,
}

impl Tree {
    fn new() -> Self {
        let world = World::new();
        let lock = GateLock::try_acquire(&world.home).unwrap().unwrap();
        let listener = listen(&lock, Socket::Control).unwrap();
        Self { world, listener }
    }

    /// What connects, as a line for a shell.
    fn connects() -> String {
        format!("{} --exact lineage::the_process_that_connects", std::env::current_exe().unwrap().display())
    }

    fn start(&self, program: impl Into<PathBuf>, arguments: &[&str]) -> Child {
        let mut command = Command::new(program.into());
        command.args(arguments).env(SOCKET, self.world.home.socket(Socket::Control));
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    }

    /// How a process is seen that such a line of a program starts. It has ended afterwards.
    async fn seen(&self, program: impl Into<PathBuf>, arguments: &[&str]) -> Lineage {
        let mut child = self.start(program, arguments);
        let (stream, peer) = soon("a connection", self.listener.accept()).await.unwrap();
        drop(stream);
        child.wait().unwrap();
        peer.lineage.expect("a process of this user that lives is seen")
    }

    /// A shell by another name, as a file of its own.
    fn shell_named(&self, name: &str) -> PathBuf {
        let file = self.world.folder.path().join(name);
        fs::copy("/bin/sh", &file).unwrap();
        file
    }
}

#[tokio::test]
async fn a_process_is_seen_with_its_program_folder_and_ancestors() {
    let tree = Tree::new();
    let own = std::env::current_exe().unwrap().display().to_string();
    let arguments = ["--exact", "lineage::the_process_that_connects"];
    let seen = tree.seen(&own, &arguments).await;
    assert_eq!(seen.own.program, own, "its file");
    assert_eq!(seen.own.arguments, [&[own.as_str()][..], &arguments].concat(), "what it was started with");
    assert_eq!(Some(PathBuf::from(&seen.own.folder)), std::env::current_dir().ok(), "where it works");
    let parent = seen.ancestors.first().expect("it was started here");
    assert_eq!((parent.process.pid, parent.program.as_str()), (std::process::id(), own.as_str()));

    let line = format!("{}; true", Tree::connects());
    let below = tree.seen("sh", &["-c", &line]).await;
    assert_eq!(below.ancestors.get(1), Some(parent), "behind the shell");
    assert_eq!(below.agent(), Some(parent), "which is no agent: the one that runs it is");
    let below = tree.seen("env", &["setsid", "--wait", "sh", "-c", &line]).await;
    assert_eq!(below.agent(), Some(parent), "nor is anything else that only starts others");
    assert_eq!(below.terminal, None, "a session of its own has no terminal");
}

#[tokio::test]
async fn a_terminal_that_an_agent_makes_is_below_it() {
    let tree = Tree::new();
    let script = format!("script --quiet --return --command '{}; true' /dev/null", Tree::connects());
    let person = tree.seen("sh", &["-c", &format!("{script}; true")]).await;
    assert!(person.terminal.is_some(), "`script` makes a terminal: {person:?}");
    let agents = [std::process::id()];
    assert!(person.may_be_a_person(|_| false), "nothing says that this is no person: {person:?}");
    assert!(!person.may_be_a_person(|process| agents.contains(&process.pid)), "but that an agent made the terminal");

    let claude = tree.shell_named("claude");
    let below = tree.seen(&claude, &["-c", &format!("{script}; true")]).await;
    assert!(below.terminal.is_some() && !below.may_be_a_person(|_| false), "one known by name: {below:?}");
    let relay = tree.seen(&claude, &["-c", &format!("{}; true", Tree::connects())]).await;
    let agent = relay.agent().expect("it is an agent");
    assert_eq!(PathBuf::from(&agent.program), claude, "whose relay this would be");
}

#[tokio::test]
async fn whoever_has_ended_since_it_connected_is_not_seen() {
    let tree = Tree::new();
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(own);
    command.args(["--exact", "lineage::the_process_that_connects"]).env(LEAVES, "1");
    command.env(SOCKET, tree.world.home.socket(Socket::Control)).stdout(Stdio::null()).status().unwrap();
    let (_stream, peer): (_, Peer) = soon("a connection", tree.listener.accept()).await.unwrap();
    assert_eq!((peer.lineage, peer.starter, peer.folder), (None, None, None), "its number may be another's");
}
