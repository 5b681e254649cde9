//! Where things are, who may touch them, and the lock.

use crate::world::World;
use gate_core::Code;
use gate_link::{ControlConnection, Env, GateLock, Home, LinkError, PlatformFolders, Socket, connect, listen};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Barrier;
use tempfile::TempDir;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn platform(folder: &Path, runtime: Option<&Path>) -> PlatformFolders {
    PlatformFolders {
        config: folder.join("config"),
        data: folder.join("data"),
        state: folder.join("state"),
        runtime: runtime.map(Path::to_owned),
    }
}

#[test]
fn one_folder_holds_everything_where_the_environment_says_so() {
    let env = Env::from_pairs([("REVIEW_GATE_HOME", "/some/where"), ("XDG_RUNTIME_DIR", "/tmp")]);
    let home = Home::resolve(&env, &platform(Path::new("/not/here"), None)).unwrap();
    let sockets = [Socket::Mcp, Socket::Control].map(|socket| home.socket(socket));
    let found = [&home.config_file(), &home.database(), home.logs_folder(), sockets[0], sockets[1], &home.lock_file()]
        .map(Path::to_owned);
    let expected = ["config.yaml", "review-gate.db", "logs", "mcp.sock", "control/control.sock", "gate.lock"];
    assert_eq!(found, expected.map(|name| Path::new("/some/where").join(name)), "a portable install is one folder");
}

#[test]
fn a_relative_folder_is_made_absolute() {
    let env = Env::from_pairs([("REVIEW_GATE_HOME", "here")]);
    let home = Home::resolve(&env, &platform(Path::new("/not/here"), None)).unwrap();
    assert!(home.data_folder().is_absolute(), "a gate that is started runs in another folder");
}

fn private_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    folder
}

#[test]
fn the_socket_is_in_the_runtime_folder_if_that_is_private() {
    let folder = private_folder();
    let runtime = private_folder();
    let env = Env::from_pairs([("XDG_RUNTIME_DIR", runtime.path())]);
    let platform_folders = platform(folder.path(), None);
    let home = Home::resolve(&env, &platform_folders).unwrap();
    assert_eq!(home.socket(Socket::Mcp), runtime.path().join("review-gate/mcp.sock"), "the place for sockets");
    let control = runtime.path().join("review-gate/control/control.sock");
    assert_eq!(home.socket(Socket::Control), control, "which an agent can be given without its neighbour");
    assert_eq!(home.lock_file(), folder.path().join("data/review-gate/gate.lock"), "the lock guards the data");
    assert_eq!(home.config_file(), folder.path().join("config/review-gate/config.yaml"), "settings");
    assert_eq!(home.logs_folder(), folder.path().join("state/review-gate/logs"), "logs");

    fs::set_permissions(runtime.path(), Permissions::from_mode(0o777)).unwrap();
    let home = Home::resolve(&env, &platform_folders).unwrap();
    let expected = folder.path().join("data/review-gate/mcp.sock");
    assert_eq!(home.socket(Socket::Mcp), expected, "others could put a socket there");

    let platform_folders = platform(folder.path(), Some(folder.path()));
    let home = Home::resolve(&Env::default(), &platform_folders).unwrap();
    let expected = folder.path().join("review-gate/mcp.sock");
    assert_eq!(home.socket(Socket::Mcp), expected, "clients start relays without the variable");
}

#[tokio::test]
async fn a_gate_that_has_another_environment_is_found_through_its_lock() {
    let folder = TempDir::new().unwrap();
    let runtime = private_folder();
    let platform_folders = platform(folder.path(), None);
    let env = Env::from_pairs([("XDG_RUNTIME_DIR", runtime.path())]);
    let gates = Home::resolve(&env, &platform_folders).unwrap();
    let lock = GateLock::try_acquire(&gates).unwrap().unwrap();
    let sockets = [Socket::Mcp, Socket::Control];
    let _listeners = sockets.map(|socket| listen(&lock, socket).unwrap());
    let ours = Home::resolve(&Env::default(), &platform_folders).unwrap();
    for socket in sockets {
        assert_ne!(ours.socket(socket), gates.socket(socket), "this process would look elsewhere");
        connect(&ours, socket).await.unwrap();
    }
}

#[tokio::test]
async fn a_gate_from_before_there_were_two_sockets_is_found_through_its_lock() {
    let world = World::new();
    let _lock = GateLock::try_acquire(&world.home).unwrap().unwrap();
    let only = world.folder.path().join("gate.sock");
    fs::write(world.home.lock_file(), format!("{}\n{}\n", std::process::id(), only.display())).unwrap();
    let _listener = tokio::net::UnixListener::bind(&only).unwrap();
    connect(&world.home, Socket::Mcp).await.expect("a new relay goes on with the gate that runs");
    ControlConnection::open(&world.home, false).await.expect("and it can be told to stop");
}

#[test]
fn of_twenty_racers_one_gets_the_lock_and_the_next_gets_it_when_that_one_is_gone() {
    let world = World::new();
    let barrier = Barrier::new(20);
    let locks: Vec<GateLock> = std::thread::scope(|scope| {
        let race = || {
            barrier.wait();
            GateLock::try_acquire(&world.home).unwrap()
        };
        let racers: Vec<_> = (0..20).map(|_| scope.spawn(race)).collect();
        racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(locks.len(), 1, "exactly one gate per home");
    assert_eq!(GateLock::last_holder(&world.home), Some(std::process::id()), "others can see whose it is");
    drop(locks);
    assert!(world.home.lock_file().exists(), "unlinking it would let two in");
    assert!(GateLock::try_acquire(&world.home).unwrap().is_some(), "it is free again");
}

#[tokio::test]
async fn folders_are_made_private_and_an_open_one_of_ours_is_mended() {
    let world = World::new();
    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o755)).unwrap();
    let lock = GateLock::try_acquire(&world.home).unwrap().unwrap();
    assert_eq!(mode(world.folder.path()), 0o700, "nobody else may enter");
    assert_eq!(mode(world.home.logs_folder()), 0o700, "nor read logs");
    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o755)).unwrap();
    let _listener = listen(&lock, Socket::Mcp).unwrap();
    assert_eq!(mode(world.folder.path()), 0o700, "checked again before the socket is there");
    let own = world.home.socket_folder(Socket::Control).to_owned();
    fs::set_permissions(&own, Permissions::from_mode(0o755)).unwrap();
    let _other = listen(&lock, Socket::Control).unwrap();
    assert_eq!(mode(&own), 0o700, "that of the person's commands, too");
}

#[test]
fn a_folder_that_others_share_or_own_is_refused_and_left_alone() {
    let world = World::new();
    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o1777)).unwrap();
    let error = GateLock::try_acquire(&world.home).unwrap_err();
    assert_eq!(error.fault().code, Code::SocketFolderOpen, "a folder like /tmp: {error}");
    assert_eq!(mode(world.folder.path()), 0o1777, "it must not be taken away from the others");

    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o755)).unwrap();
    // Only root can give a folder away; for everybody else, root's serve.
    let given_away = chown(world.folder.path(), Some(12_345), None).is_ok();
    let home = if given_away { world.home.clone() } else { Home::at("/usr") };
    let error = GateLock::try_acquire(&home).unwrap_err();
    assert_eq!(error.fault().code, Code::SocketFolderOpen, "a stranger's folder: {error}");
}

#[tokio::test]
async fn a_dead_gates_socket_is_replaced_but_a_file_is_not() {
    let world = World::new();
    let lock = GateLock::try_acquire(&world.home).unwrap().unwrap();
    let socket = world.home.socket(Socket::Mcp);
    drop(UnixListener::bind(socket).unwrap());
    let unreachable = connect(&world.home, Socket::Mcp).await.unwrap_err();
    assert_eq!(unreachable.fault().code, Code::GateUnreachable, "a dead socket is nobody: {unreachable}");
    let listener = listen(&lock, Socket::Mcp).unwrap();
    connect(&world.home, Socket::Mcp).await.unwrap();
    drop(listener);
    fs::remove_file(socket).unwrap();
    fs::write(socket, "mine").unwrap();
    let error = listen(&lock, Socket::Mcp).unwrap_err();
    assert!(matches!(error, LinkError::InTheWay { .. }), "a person's file is no rubbish: {error}");
    assert_eq!(fs::read_to_string(socket).unwrap(), "mine", "and stays");
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_named() {
    let world = World::new();
    let home = Home::at(world.folder.path().join("a".repeat(120)));
    let lock = GateLock::try_acquire(&home).unwrap().unwrap();
    for socket in [Socket::Mcp, Socket::Control] {
        for error in [listen(&lock, socket).unwrap_err(), connect(&home, socket).await.unwrap_err()] {
            let fault = error.fault();
            assert_eq!(fault.code, Code::SocketPathTooLong, "{fault}");
            assert!(fault.message.contains(&home.socket(socket).display().to_string()), "which path: {fault}");
            assert!(fault.mend.contains("REVIEW_GATE_HOME"), "and the mend: {fault}");
        }
    }
}
