//! Real servers: with tokens, connections that break, places that have moved, and those that never answer.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gate_prompts::sync::{Limits, SyncStatus, SyncStep};

use crate::bench::{Bench, files, plan, read_all, text, with_token};
use crate::server::{Behaviour, Server};
use crate::upstream::Upstream;

/// `x-access-token:hunter2`, in Base64.
const HEADER: &str = "Basic eC1hY2Nlc3MtdG9rZW46aHVudGVyMg==";

#[tokio::test]
async fn a_token_signs_in_and_is_kept_nowhere() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let server = Server::start(upstream.above());
    server.behave(Behaviour { wants: Some(HEADER.into()), ..Behaviour::default() });
    let bench = Bench::new();
    let address = server.url("prompts.git");
    let sync = bench.start(Some(plan(text(&address))));
    let fault = sync.first().await.fault.expect("it wants a token");
    assert!(fault.message.contains("without signing in"), "{fault}");

    let wrong = plan(with_token(&address, "wrong-secret"));
    sync.0.set(Some(wrong));
    let state = sync.until("a try with it", |state| {
        state.fault.as_ref().is_some_and(|fault| fault.message.contains("refuses the token"))
    });
    assert!(!format!("{:?}", state.await).contains("wrong-secret"));

    sync.0.set(Some(plan(with_token(&address, "hunter2"))));
    let state = sync.until("a try with the right one", |state| state.status == SyncStatus::Success).await;
    assert_eq!(sync.files(), files(&[("a.md", "A")]));
    let asked = server.asked();
    assert!(asked.iter().any(|asked| asked.authorization.as_deref() == Some(HEADER)), "{asked:?}");
    let kept: String = read_all(&bench.synced()).into_iter().map(|(name, text)| name + &text).collect();
    let secret = |text: &str| text.contains("hunter2") || text.contains("aHVudGVyMg");
    assert!(!secret(&kept) && !secret(&format!("{state:?}")), "neither in a file nor in what is shown");
}

#[tokio::test]
async fn a_connection_that_breaks_half_way_leaves_what_was_there() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let server = Server::start(upstream.above());
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&server.url("prompts.git")))));
    assert_eq!(sync.first().await.fault, None);
    let many: Vec<(String, String)> =
        (0..300).map(|index| (format!("{index}.md"), format!("{index} {}", index * 7_919 % 1013).repeat(20))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    upstream.commit("main", &many, "many");
    for cut in [100, 1000, 5000] {
        server.behave(Behaviour { cut: Some(cut), ..Behaviour::default() });
        sync.fails("broke off").await;
    }
    server.behave(Behaviour::default());
    assert_eq!(sync.succeeds().await.prompts, 300, "and once it is whole, all is there");
    assert_eq!(sync.files(), files(&many));
}

#[tokio::test]
async fn a_place_that_has_moved_is_followed_only_without_a_token() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let (old, new) = (Server::start(upstream.above()), Server::start(upstream.above()));
    old.behave(Behaviour { moved: Some(new.url("").trim_end_matches('/').to_owned()), ..Behaviour::default() });
    let bench = Bench::new();
    let sync = bench.start(Some(plan(with_token(&old.url("prompts.git"), "hunter2"))));
    let fault = sync.first().await.fault.expect("it has moved");
    assert!(fault.message.contains("has moved"), "{fault}");
    assert!(new.asked().is_empty(), "the other place never hears the token");
    sync.0.set(Some(plan(text(&old.url("prompts.git")))));
    sync.until("it is followed", |state| state.status == SyncStatus::Success).await;
    assert!(new.asked().iter().all(|asked| asked.authorization.is_none() && asked.path.starts_with("/prompts.git/")));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let server = Server::start(upstream.above());
    let mut bench = Bench::new();
    let sync = bench.start(Some(plan(text(&server.url("gone.git")))));
    let fault = sync.first().await.fault.expect("it isn't there");
    assert!(fault.message.contains("no such repository"), "{fault}");
    sync.0.stop().await;

    server.behave(Behaviour { silent: true, ..Behaviour::default() });
    bench.limits = Limits { seconds: 1, ..Limits::default() };
    let sync = bench.start(Some(plan(text(&server.url("prompts.git")))));
    let fault = sync.first().await.fault.expect("it is too slow");
    assert!(fault.message.contains("within 1 seconds"), "{fault}");
    server.until_left(1).await;

    bench.limits = Limits::default();
    let asked = server.asked().len();
    let sync = bench.start(Some(plan(text(&server.url("prompts2.git")))));
    server.until_asked(asked + 1).await;
    let started = Instant::now();
    sync.0.stop().await;
    server.until_left(2).await;
    assert!(started.elapsed() < Duration::from_secs(30), "stopping ends git with all that it started");

    let asked = server.asked().len();
    let sync = bench.start(Some(plan(text(&server.url("prompts3.git")))));
    server.until_asked(asked + 1).await;
    drop(sync);
    server.until_left(3).await;
}

#[tokio::test]
async fn what_is_broken_off_leaves_what_was_served() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let server = Server::start(upstream.above());
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&server.url("prompts.git")))));
    let first = sync.first().await;
    sync.0.cancel();
    upstream.commit("main", &[("a.md", "B")], "second");
    server.behave(Behaviour { silent: true, ..Behaviour::default() });
    let asked = server.asked().len();
    sync.0.sync_now();
    server.until_asked(asked + 1).await;
    assert_eq!(sync.0.state().step, Some(SyncStep::Asking), "what was broken off before it began did nothing");
    sync.0.cancel();
    let state = sync.until("it is over", |state| state.status != SyncStatus::Syncing).await;
    server.until_left(1).await;
    assert_eq!((state.status, &state.fault, &state.commit), (SyncStatus::Success, &None, &first.commit));
    assert!(state.tried_at > first.tried_at, "it isn't tried again at once");
    assert_eq!(sync.files(), files(&[("a.md", "A")]));
    server.behave(Behaviour::default());
    sync.succeeds().await;
    assert_eq!(sync.files(), files(&[("a.md", "B")]), "and whoever asks gets the rest");
}

#[tokio::test]
async fn many_who_ask_at_once_are_one_more_look() {
    let upstream = Upstream::with(&[("a.md", "A")]);
    let server = Server::start(upstream.above());
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&server.url("prompts.git")))));
    sync.first().await;
    let before = server.asked().len();
    sync.succeeds().await;
    let one = server.asked().len() - before;
    assert!((1..=3).contains(&one), "without a change, only what is newest is asked: {one} requests");
    // On this runtime of one thread the synchronisation hears of them only when this waits.
    (0..1000).for_each(|_| sync.0.sync_now());
    sync.again().await;
    let many = server.asked().len() - before - one;
    assert!(many <= 2 * one, "{many} requests for a thousand who asked");
}

#[tokio::test]
async fn the_protocol_of_git_itself_works_too() {
    let exec = Command::new("git").arg("--exec-path").output().expect("these tests need a git").stdout;
    let exec = String::from_utf8_lossy(&exec).trim().to_owned();
    if !std::path::Path::new(&exec).join("git-daemon").exists() {
        println!("skipped: this git comes without `git daemon`");
        return;
    }
    let upstream = Upstream::with(&[("a.md", "A")]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("git://{}/prompts.git", listener.local_addr().expect("an address"));
    let base = upstream.above().to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let other = stream.try_clone().expect("a second end");
            let mut daemon = Command::new("git");
            daemon.args(["daemon", "--inetd", "--export-all"]).arg(format!("--base-path={}", base.display()));
            daemon.stdin(Stdio::from(OwnedFd::from(stream))).stdout(Stdio::from(OwnedFd::from(other)));
            let _ = daemon.stderr(Stdio::null()).status();
        }
    });
    let bench = Bench::new();
    let sync = bench.start(Some(plan(text(&address))));
    assert_eq!(sync.first().await.fault, None);
    upstream.commit("main", &[("b.md", "B")], "other");
    sync.succeeds().await;
    assert_eq!(sync.files(), files(&[("b.md", "B")]));
}
