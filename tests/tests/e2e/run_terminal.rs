//! The terminal of an agent in a sandbox of `review-gate run`: its own, with the person's keys, and no way to the person's.

use std::fs;

use anyhow::Result;
use gate_tests::{Home, Terminal, left_out};

use crate::run::script;

/// Pushes a line into its terminal's input.
const PUSHES: &str = "
import fcntl, termios
for character in b'pushed\\n':
    fcntl.ioctl(0, termios.TIOCSTI, bytes([character]))
";

/// Whether the kernel lets programs do that (`dev.tty.legacy_tiocsti`); before Linux 6.2 it always does.
fn kernel_lets_programs_type() -> bool {
    fs::read_to_string("/proc/sys/dev/tty/legacy_tiocsti").map_or(true, |switch| switch.trim() != "0")
}

#[tokio::test]
async fn an_agent_has_a_terminal_of_its_own_and_types_nothing_into_the_persons() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    if !kernel_lets_programs_type() {
        left_out("dev.tty.legacy_tiocsti is 0: this kernel lets no program type into a terminal, in a sandbox or not");
        return Ok(());
    }
    let _gate = home.serve().await?;
    let file = home.workspace().join("push.py");
    fs::write(&file, PUSHES)?;
    let push = format!("python3 {}", file.display());
    let read = "echo ready; read -r line; echo \"read <$line>\"";
    let (_, shown) = Terminal::start(&home, &format!("{push}; {read}"))?.ended().await?;
    assert!(shown.contains("read <pushed>"), "whoever isn't in a sandbox types there: {shown}");

    let run = format!("{} run -- {push}; {read}", home.command_line()?.display());
    let mut terminal = Terminal::start(&home, &run)?;
    terminal.shows("ready").await?;
    terminal.types("mine\n").await?;
    terminal.shows("read <").await?;
    let (_, shown) = terminal.ended().await?;
    assert!(shown.contains("read <mine>"), "only the person types there: {shown}");
    Ok(())
}

/// Says what it has open beside the standard streams. What shells open for themselves has higher numbers.
const OPEN: &str =
    "for number in 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$number && readlink /proc/$$/fd/$number; done; echo end";

#[tokio::test]
async fn what_the_person_left_open_is_not_the_agents() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let (agent, secret) = (script(&home, OPEN)?, home.folder().join("secret"));
    fs::write(&secret, "")?;
    let (agent, secret) = (agent.display(), secret.display());
    let program = home.command_line()?.display().to_string();
    let line = format!("exec 3<>/dev/tty 7<{secret}; sh {agent}; echo inside; {program} run -- sh {agent}");
    let (_, shown) = Terminal::start(&home, &line)?.ended().await?;
    let (outside, inside) = shown.split_once("inside").unwrap_or_default();
    let has = |name: &str| outside.lines().any(|open| open.trim().starts_with(name));
    assert!(has("/dev/") && has(&secret.to_string()), "whoever isn't in a sandbox inherits both: {shown}");
    assert_eq!(inside.trim(), "end", "an agent would type into the person's terminal, and read what it isn't shown");
    Ok(())
}

#[tokio::test]
async fn keys_and_the_windows_size_reach_the_agent() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let text =
        "trap 'echo caught; exit 5' INT; stty size; echo ready; while :; do read -r line && echo \"heard $line\"; done";
    let file = script(&home, text)?;
    let program = home.command_line()?.display().to_string();
    let line = format!("stty rows 33 cols 77; {program} run -- sh {}; code=$?; stty size; exit $code", file.display());
    let mut terminal = Terminal::start(&home, &line)?;
    terminal.shows("ready").await?;
    terminal.types("hello\n").await?;
    terminal.shows("heard hello").await?;
    terminal.types("\u{3}").await?;
    let (code, shown) = terminal.ended().await?;
    assert!(shown.contains("33 77") && shown.contains("caught"), "{shown}");
    assert_eq!(code, Some(5), "{shown}");
    Ok(())
}

#[tokio::test]
async fn an_agent_is_stopped_and_goes_on_as_any_program_does() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let file = script(&home, "echo ready; read -r line; echo \"heard $line\"")?;
    let program = home.command_line()?.display().to_string();
    let mut terminal = Terminal::start(&home, "env PS1='at-the-prompt ' bash --norc --noprofile -i")?;
    terminal.shows("at-the-prompt").await?;
    terminal.types(&format!("{program} run -- sh {}\n", file.display())).await?;
    terminal.shows("ready\r\n").await?;
    terminal.types("\u{1a}").await?;
    terminal.shows("Stopped").await?;
    terminal.types("echo here $((40 + 2))\n").await?;
    terminal.shows("here 42").await?;
    terminal.types("fg; echo back $((40 + 3))\n").await?;
    terminal.types("again\n").await?;
    terminal.shows("heard again").await?;
    // What is typed before it has ended is still the agent's.
    terminal.shows("back 43").await?;
    terminal.types("exit\n").await?;
    terminal.ended().await.map(drop)
}
