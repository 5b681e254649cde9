//! Thousands of connections that mean no good, and one that does: the gate stays quick for that one,
//! and is as small afterwards as before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{Home, Http, LIMIT, campaign, campaign_tells, eventually};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;

/// Connections of the flood at the same time: more than the gate takes.
const AT_ONCE: usize = 400;
/// How long one of them stays if nobody ends it.
const STAY: Duration = Duration::from_millis(200);
/// Calls without a flood, beside which those within it are looked at: the machine and the build are the same.
const ALONE: u32 = 200;
/// By how much 99 of 100 calls may be slower than alone, and what they may take where that is less. A client that
/// nobody makes room for waits until one of the flood goes: most of `STAY`, in most of its calls. One that the system
/// drops because too many wait to be accepted comes again after a second.
const SLOWER: (u32, Duration) = (20, Duration::from_millis(100));
/// The same for a call on average, which says how many the client gets through. Two cores had 15 ms for 99 of 100.
const FEWER: (u32, Duration) = (10, Duration::from_millis(20));
/// What the gate may have grown by, in kB: allocators keep some of what they once had.
const GROWN_KB: u64 = 24 * 1024;

/// What a connection of the flood sends.
fn mischief(number: usize, http: &Http) -> String {
    let host = &http.address;
    match number % 5 {
        0 => String::new(),
        1 => format!("POST /mcp HTTP/1.1\r\nhost: {host}\r\nauthor"),
        2 => format!(
            "POST /mcp HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer wrong\r\ncontent-length: 9\r\n\r\n{{}}"
        ),
        3 => format!("GET /healthz HTTP/1.1\r\nhost: evil.example\r\nx: {}\r\n\r\n", "x".repeat(4096)),
        _ => "\u{0}\u{1}\u{2} nonsense\r\n\r\n".to_owned(),
    }
}

async fn one(http: Arc<Http>, number: usize) {
    let Ok(mut stream) = TcpStream::connect(&http.address).await else { return };
    let _ = stream.write_all(mischief(number, &http).as_bytes()).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(STAY, stream.read_to_end(&mut answer)).await;
}

fn memory_kb(pid: u32) -> Result<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).context("a sum")?;
    line.split_whitespace().nth(1).context("a number")?.parse().context("in kB")
}

fn open_files(pid: u32) -> Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{pid}/fd"))?.count())
}

/// What 99 of 100 of these don't exceed; puts them in order.
fn p99(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

#[tokio::test]
async fn a_flood_of_strangers_does_not_keep_a_good_client_waiting() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let gate = home.serve().await?;
    let pid = gate.pid().context("the gate runs")?;
    let mut good = Http::of(&home)?;
    good.initialize("good").await?;
    let good = Arc::new(good);
    let list = || async {
        let begin = Instant::now();
        let response = good.post("tools/list", json!({}), &[]).await?;
        assert!(response.answer()?["result"]["tools"].is_array(), "{response:?}");
        anyhow::Ok(begin.elapsed())
    };
    for _ in 0..50 {
        list().await?;
    }
    let mut alone = Vec::new();
    for _ in 0..ALONE {
        alone.push(list().await?);
    }
    let usual = alone.iter().sum::<Duration>() / ALONE;
    let alone = p99(&mut alone);
    let (memory, files) = (memory_kb(pid)?, open_files(pid)?);

    let connections = campaign(60_000, 15_000);
    campaign_tells(format!("{connections} connections"));
    let (left, over) = (Arc::new(AtomicUsize::new(connections)), Arc::new(AtomicBool::new(false)));
    // The flood has threads of its own: what the good client waits for is the gate, not this test.
    let floods = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let flood = {
        let (http, left, over) = (Arc::clone(&good), Arc::clone(&left), Arc::clone(&over));
        floods.spawn(async move {
            let places = Arc::new(Semaphore::new(AT_ONCE));
            for number in 0..connections {
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                let (http, left) = (Arc::clone(&http), Arc::clone(&left));
                tokio::spawn(async move {
                    one(http, number).await;
                    left.fetch_sub(1, Ordering::Relaxed);
                    drop(place);
                });
            }
            let _ = places.acquire_many(u32::try_from(AT_ONCE).unwrap_or(1)).await;
            over.store(true, Ordering::Relaxed);
        })
    };
    let (mut times, begin) = (Vec::new(), Instant::now());
    while !over.load(Ordering::Relaxed) {
        times.push(list().await?);
    }
    let lasted = begin.elapsed();
    flood.await?;
    floods.shutdown_background();
    assert_eq!(left.load(Ordering::Relaxed), 0, "every connection of the flood came to an end");
    let (count, within) = (u32::try_from(times.len())?, p99(&mut times));
    println!("{count} calls in {lasted:?} beside {connections} strangers: p99 {within:?}, longest {:?}", times.last());
    println!("alone: p99 {alone:?}, usually {usual:?}");
    let may = |(times, at_least): (u32, Duration), alone: Duration| (alone * times).max(at_least);
    assert!(within <= may(SLOWER, alone), "strangers keep nobody waiting: {within:?}, alone {alone:?}");
    assert!(lasted <= may(FEWER, usual) * count, "it was served all the while: {count} times in {lasted:?}");

    let back = || async { Ok((open_files(pid)? <= files + 8).then_some(())) };
    eventually("the flood's connections are closed", LIMIT, back).await?;
    let shrunk = || async { Ok((memory_kb(pid)? <= memory + GROWN_KB).then_some(())) };
    eventually("the gate's memory is back where it was", LIMIT, shrunk).await?;
    println!("memory before {memory} kB, after {} kB", memory_kb(pid)?);
    assert!(home.pending().await?.is_empty(), "nobody has asked anything");
    Ok(())
}
