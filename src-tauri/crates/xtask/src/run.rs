//! `cargo xtask run`: from a fresh clone to a review request on the screen.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{Owned, cargo, output, run as run_command};
use crate::sample::Sample;
use crate::workspace::Workspace;
use crate::{setup, ui};

/// How long a gate may take until it answers, on a slow machine.
const START: Duration = Duration::from_secs(60);
/// How often children and the gate are asked how they are.
const TICK: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build with optimisations: slower to build, faster to start
    #[arg(long)]
    release: bool,
    /// Send the sample review request even when this isn't the first run
    #[arg(long)]
    sample: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::packages(&[setup::BUILD])?;
    setup::node()?;
    ui::install(workspace)?;
    ui::build_if_stale(workspace)?;
    let mut build = cargo(&workspace.root, ["build", "--package", "review-gate", "--bins"]);
    if options.release {
        build.arg("--release");
    }
    run_command(&mut build, "mend what the compiler names above")?;

    let profile = if options.release { "release" } else { "debug" };
    let programs = Programs {
        desktop: workspace.binary(profile, "review-gate-desktop"),
        command: workspace.binary(profile, "review-gate"),
    };
    let first_run = is_first_run(&programs.command)?;
    let (mut app, page) = if has_display() { (start_desktop(&programs)?, None) } else { start_server(&programs)? };
    let status = wait_until_running(&programs, &mut app.0)?;
    println!("Review Gate runs. Its data is in {}. Ctrl-C ends it.", home(&status)?.display());
    if let Some(page) = page {
        println!("In a browser, once, within ten minutes: {page}");
        println!("`{} link` prints another one.", programs.command.display());
    }
    let sample = if options.sample || first_run {
        Some(Sample::send(&programs.command, &workspace.root)?)
    } else {
        println!("`cargo xtask run --sample` sends it a sample review request.");
        None
    };
    if sample.is_some() {
        how_to_answer(&programs.command, status.get("window") == Some(&Value::Bool(true)));
    }
    wait_for_the_end(&programs, &mut app.0, sample)
}

/// The two programs that were built.
struct Programs {
    desktop: PathBuf,
    command: PathBuf,
}

/// Whether a window can be shown.
fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

fn start_desktop(programs: &Programs) -> Result<Owned> {
    let program = &programs.desktop;
    let child = Command::new(program).spawn().with_context(|| format!("can't start {}", program.display()))?;
    Ok(Owned(child))
}

/// Starts the gate without windows, waits for the line that says it is ready, and gives the link to its
/// page.
fn start_server(programs: &Programs) -> Result<(Owned, Option<String>)> {
    println!("No display here: starting the gate without windows.");
    let program = &programs.command;
    let mut command = Command::new(program);
    let child = command.arg("serve").stdout(Stdio::piped()).spawn();
    let mut server = Owned(child.with_context(|| format!("can't start {}", program.display()))?);
    let stdout = server.0.stdout.take().context("the gate's output was asked for")?;
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    reader.read_line(&mut line).context("can't read what `review-gate serve` prints")?;
    let ready: Value = serde_json::from_str(&line)
        .with_context(|| format!("`review-gate serve` printed no ready line, but {line:?}; its message is above"))?;
    if ready.get("ready") != Some(&Value::Bool(true)) {
        bail!("`review-gate serve` isn't ready: {}", line.trim());
    }
    // A full pipe would stop it.
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    // It prints no link into a pipe. This is at the person's terminal, and so is what asks for one.
    let made = Command::new(program).args(["link", "--json"]).stdin(Stdio::inherit()).stderr(Stdio::inherit()).output();
    let made: Option<Value> = made.ok().and_then(|made| serde_json::from_slice(&made.stdout).ok());
    Ok((server, made.and_then(|made| made.get("ui").and_then(Value::as_str).map(str::to_owned))))
}

/// What `review-gate status --json` says, once it says that a gate runs.
fn wait_until_running(programs: &Programs, app: &mut Child) -> Result<Value> {
    let begin = Instant::now();
    loop {
        if let Some(status) = running(&programs.command) {
            return Ok(status);
        }
        if let Some(ended) = app.try_wait()?.filter(|status| !status.success()) {
            bail!("Review Gate ended while it started ({ended}); its message is above");
        }
        if begin.elapsed() > START {
            bail!("Review Gate doesn't answer after {} s; is its message above?", START.as_secs());
        }
        pause();
    }
}

/// What the gate says of itself, where one runs.
fn running(program: &Path) -> Option<Value> {
    status(program).ok().filter(|status| status.get("running") == Some(&Value::Bool(true)))
}

fn status(program: &Path) -> Result<Value> {
    let text = output(Command::new(program).args(["status", "--json"]))?;
    serde_json::from_str(&text).with_context(|| format!("`review-gate status --json` printed no JSON, but {text:?}"))
}

/// The folder of the gate's data; it is told whether a gate runs or not.
fn home(status: &Value) -> Result<PathBuf> {
    let home = status.get("home").and_then(Value::as_str);
    home.map(PathBuf::from).with_context(|| format!("`review-gate status --json` names no home: {status}"))
}

/// Whether no gate has kept anything in this home so far.
fn is_first_run(program: &Path) -> Result<bool> {
    Ok(!home(&status(program)?)?.join("review-gate.db").exists())
}

fn how_to_answer(program: &Path, window: bool) {
    println!("A sample review request was sent, as an agent would send it.");
    if window {
        println!("Answer it in the window; the agent's view of your reply is printed here.");
        return;
    }
    let program = program.display();
    println!("Answer it in a browser or from a second terminal; the agent's view of your reply is printed here:");
    println!("  {program} requests");
    println!("  {program} answer ID --approve");
}

/// Until the app ends, and prints the reply when it comes.
fn wait_for_the_end(programs: &Programs, app: &mut Child, mut sample: Option<Sample>) -> Result<()> {
    loop {
        if let Some(reply) = sample.as_mut().and_then(Sample::poll) {
            println!("\nWhat the agent got:\n\n{}\n", reply?);
            sample = None;
        }
        if let Some(ended) = app.try_wait()? {
            if !ended.success() {
                bail!("Review Gate ended ({ended}); its message is above");
            }
            // A second start hands over to the gate that runs already, and ends.
            let handed_over = sample.is_some() && running(&programs.command).is_some();
            if !handed_over {
                return Ok(());
            }
        }
        pause();
    }
}

#[expect(clippy::disallowed_methods, reason = "a child's end and a gate's start send no message to wait for")]
fn pause() {
    std::thread::sleep(TICK);
}
