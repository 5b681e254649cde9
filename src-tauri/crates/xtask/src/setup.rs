//! What a machine has to have: system packages, Node, the clients that tests talk through.
//!
//! Something is missing when it can't be found or used, whoever installed it. apt-get installs it
//! where that is possible without a password; elsewhere the exact command is printed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{output, run, succeeds, which};
use crate::workspace::Workspace;

/// The oldest Node that the UI's tools run on.
const NODE: (u32, u32) = (20, 19);
/// What runs the tests.
const NEXTEST: &str = "0.9.143";
/// The Python MCP client that the tests talk through.
const PYTHON_CLIENT: &str = "mcp==2.3.0";
/// The program that the benchmark measures beside ours, with the SDK that it runs with.
const YARDSTICK: &[&str] = &["mcp-feedback-collector==2.0.0", "mcp==1.30.0"];
/// The MCP server that the benchmark's calls are measured beside.
const NODE_YARDSTICK: [(&str, &str); 1] = [("@modelcontextprotocol/server-everything", "2026.8.31")];
/// Its script, below its `node_modules`.
pub(crate) const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";
/// The TypeScript MCP clients that the tests talk through.
const NODE_CLIENTS: [(&str, &str); 2] =
    [("@modelcontextprotocol/client", "2.4.0"), ("@modelcontextprotocol/sdk", "1.32.2")];
/// MCP's conformance suite and inspector, and the Node that they run on, which is newer than the one
/// we ask for.
const CONFORMANCE_SUITE: [(&str, &str); 3] = [
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("node", "22.23.3"),
];

/// The agents that people use, as they come from npm: 1.1 GB.
const AGENTS: [(&str, &str); 4] = [
    ("@anthropic-ai/claude-code", "2.1.197"),
    ("@openai/codex", "0.169.0"),
    ("@google/gemini-cli", "0.61.0"),
    ("opencode-ai", "1.18.33"),
];

/// How it is found out whether something is there.
enum Probe {
    /// A program on the `PATH`.
    Program(&'static str),
    /// A file in its place: a program that isn't on everybody's `PATH`, or what no program asks for.
    File(&'static str),
    /// A library that `pkg-config` knows.
    Library(&'static str),
    /// A module that `python3` can import.
    PythonModule(&'static str),
    /// A way of ALSA's to another sound server.
    AlsaPlugin(&'static str),
    /// A way of GTK's to an input method.
    GtkInput(&'static str),
    /// A font for a language, as `fc-list` names languages.
    Font(&'static str),
}

/// Something that has to be there, and Debian's package that brings it.
pub(crate) struct Need(Probe, &'static str);

/// To build the desktop app on Linux.
pub(crate) const BUILD: &[Need] = &[
    Need(Probe::Program("cc"), "build-essential"),
    Need(Probe::Program("pkg-config"), "pkg-config"),
    Need(Probe::Library("webkit2gtk-4.1"), "libwebkit2gtk-4.1-dev"),
    Need(Probe::Library("ayatana-appindicator3-0.1"), "libayatana-appindicator3-dev"),
    Need(Probe::Library("librsvg-2.0"), "librsvg2-dev"),
    Need(Probe::Library("alsa"), "libasound2-dev"),
    // The speech engine is C++.
    Need(Probe::Program("c++"), "build-essential"),
    Need(Probe::Program("cmake"), "cmake"),
];

/// To check SQL against a database.
pub(crate) const SQL: &[Need] = &[Need(Probe::Program("sqlite3"), "sqlite3")];

/// To drive the real window without a screen.
pub(crate) const TESTS: &[Need] = &[
    Need(Probe::Program("git"), "git"),
    Need(Probe::Program("ssh-keygen"), "openssh-client"),
    // A network of a test's own, with loopback alone.
    Need(Probe::Program("unshare"), "util-linux"),
    Need(Probe::Program("ip"), "iproute2"),
    Need(Probe::Program("Xvfb"), "xvfb"),
    Need(Probe::Program("dbus-run-session"), "dbus"),
    // A program that speaks to a bus.
    Need(Probe::Program("gdbus"), "libglib2.0-bin"),
    // Asks for a password, on a bus of a test's own.
    Need(Probe::Program("pkaction"), "polkitd"),
    // Looks at the units of the service.
    Need(Probe::Program("systemd-analyze"), "systemd"),
    Need(Probe::Program("xdotool"), "xdotool"),
    Need(Probe::Program("xrandr"), "x11-xserver-utils"),
    Need(Probe::Program("import"), "imagemagick"),
    Need(Probe::Program("WebKitWebDriver"), "webkit2gtk-driver"),
    Need(Probe::Program("chromium"), "chromium"),
    Need(Probe::Program("chromedriver"), "chromium-driver"),
    Need(Probe::Program("xclip"), "xclip"),
    Need(Probe::Program("openbox"), "openbox"),
    Need(Probe::Program("bindfs"), "bindfs"),
    // Agents in a sandbox, and its network.
    Need(Probe::Program("bwrap"), "bubblewrap"),
    Need(Probe::Program("pasta"), "passt"),
    Need(Probe::Program("python3"), "python3"),
    Need(Probe::PythonModule("ensurepip"), "python3-venv"),
    Need(Probe::Program("fc-list"), "fontconfig"),
    // Without one, Chinese is drawn as boxes, and the pictures of it say nothing.
    Need(Probe::Font("zh-cn"), "fonts-wqy-microhei"),
    // A microphone that hears what is played to it.
    Need(Probe::Program("pulseaudio"), "pulseaudio"),
    Need(Probe::Program("pactl"), "pulseaudio-utils"),
    Need(Probe::AlsaPlugin("pulse"), "libasound2-plugins"),
    Need(Probe::Program("espeak-ng"), "espeak-ng"),
    // A day on a machine that is reached by SSH, and over VNC.
    Need(Probe::Program("tmux"), "tmux"),
    Need(Probe::Program("Xtigervnc"), "tigervnc-standalone-server"),
    // Chinese, typed as a person types it.
    Need(Probe::Program("ibus-daemon"), "ibus"),
    Need(Probe::GtkInput("ibus"), "ibus-gtk3"),
    Need(Probe::File("/usr/share/ibus/component/libpinyin.xml"), "ibus-libpinyin"),
];

/// What begins to serve where systemd runs, as soon as it is installed: only where no test may be left out.
pub(crate) const SERVERS: &[Need] = &[Need(Probe::File("/usr/sbin/sshd"), "openssh-server")];

/// To run the yardstick of the benchmark, whose window is tkinter's.
pub(crate) const BENCH: &[Need] = &[Need(Probe::PythonModule("tkinter"), "python3-tk")];

/// To build for Windows and to check for macOS; and what runs Windows' programs.
pub(crate) const CROSS: &[Need] = &[
    Need(Probe::File("/usr/bin/rustc"), "rustc-web"),
    Need(Probe::File("/usr/lib/rustlib/src/rust/library/Cargo.lock"), "rust-web-src"),
    Need(Probe::Program("x86_64-w64-mingw32-gcc-posix"), "gcc-mingw-w64-x86-64-posix"),
    Need(Probe::Program("x86_64-w64-mingw32-g++-posix"), "g++-mingw-w64-x86-64-posix"),
    Need(Probe::File("/usr/lib/wine/wine64"), "wine64"),
    Need(Probe::PythonModule("ensurepip"), "python3-venv"),
];

impl Need {
    fn is_there(&self) -> bool {
        match self.0 {
            Probe::Program(name) => which(name).is_some(),
            Probe::File(path) => Path::new(path).is_file(),
            Probe::Library(name) => succeeds(Command::new("pkg-config").args(["--exists", name])),
            Probe::PythonModule(name) => succeeds(Command::new("python3").args(["-c", &format!("import {name}")])),
            Probe::AlsaPlugin(name) => is_a_library(&format!("alsa-lib/libasound_module_pcm_{name}.so")),
            Probe::GtkInput(name) => is_a_library(&format!("gtk-3.0/3.0.0/immodules/im-{name}.so")),
            Probe::Font(language) => {
                let fonts = output(Command::new("fc-list").args([&format!(":lang={language}"), "family"]));
                fonts.is_ok_and(|fonts| !fonts.trim().is_empty())
            }
        }
    }
}

/// Whether the system has this file where libraries are, of whatever processor.
fn is_a_library(file: &str) -> bool {
    let folders = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut folders = folders.map(|entry| entry.path()).chain([PathBuf::from("/usr/lib")]);
    folders.any(|folder| folder.join(file).is_file())
}

/// Installs what is missing of `lists`, or fails with the command that would.
pub(crate) fn packages(lists: &[&[Need]]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let missing = || lists.iter().copied().flatten().filter(|need| !need.is_there()).map(|need| need.1);
    let names: Vec<&str> = missing().collect();
    if names.is_empty() {
        return Ok(());
    }
    let list = names.join(" ");
    if which("apt-get").is_none() {
        bail!("missing on this machine: {list} (Debian's names); install your distribution's packages for them");
    }
    let Some(prefix) = apt_prefix() else {
        bail!("missing on this machine; run: sudo apt-get update && sudo apt-get install --yes {list}");
    };
    println!("Installing {list}");
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> = prefix.iter().copied().chain(arguments.iter().copied()).collect();
        let (program, rest) = words.split_first().context("an apt-get command has words")?;
        run(Command::new(program).args(rest), "look at its message above; the network or a package source is at fault")
    };
    apt(&["apt-get", "update", "--quiet"])?;
    let install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends"];
    apt(&install.iter().chain(&names).copied().collect::<Vec<_>>())?;
    let still: Vec<&str> = missing().collect();
    if still.is_empty() {
        return Ok(());
    }
    bail!("still not usable after installing: {}; is another one in front on the PATH?", still.join(" "))
}

/// The words before `apt-get` that make it work without a password, if any do.
fn apt_prefix() -> Option<&'static [&'static str]> {
    if output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0") {
        return Some(&["env", "DEBIAN_FRONTEND=noninteractive"]);
    }
    let sudo = succeeds(Command::new("sudo").args(["-n", "true"]));
    sudo.then_some(&["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"])
}

/// Fails unless Node and npm are there and new enough.
pub(crate) fn node() -> Result<()> {
    let wanted = format!("{}.{}", NODE.0, NODE.1);
    let version = output(Command::new("node").arg("--version"))
        .with_context(|| format!("Node.js is missing; install {wanted} or newer from https://nodejs.org"))?;
    if node_version(&version).is_none_or(|found| found < NODE) {
        bail!("Node.js {} is too old; install {wanted} or newer from https://nodejs.org", version.trim());
    }
    if which("npm").is_none() && !succeeds(npm(Path::new(".")).arg("--version")) {
        bail!("npm is missing; it comes with Node.js from https://nodejs.org, or as the package npm");
    }
    Ok(())
}

/// Major and minor of `v20.19.4`.
fn node_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// `npm` in `folder`. On Windows it is a script, which only the shell finds.
pub(crate) fn npm(folder: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder).env("npm_config_fund", "false").env("npm_config_audit", "false");
    command
}

/// rustfmt and clippy, which a minimal toolchain lacks.
pub(crate) fn rust_components() -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let there = || succeeds(Command::new("cargo").args([subcommand, "--version"]));
        if !there() && which("rustup").is_some() {
            run(Command::new("rustup").args(["component", "add", component]), "is the network there?")?;
        }
        if !there() {
            bail!("`cargo {subcommand}` is missing; run: rustup component add {component}");
        }
    }
    Ok(())
}

/// cargo-nextest, where the machine has none. crates.io has its source alone: what is built already is fetched by
/// cargo-binstall where that is installed, and else it is built here.
pub(crate) fn nextest(workspace: &Workspace) -> Result<()> {
    let there = |path: &OsStr| succeeds(Command::new("cargo").args(["nextest", "--version"]).env("PATH", path));
    if there(&path_with_nextest(workspace)?) {
        return Ok(());
    }
    let fetched = succeeds(Command::new("cargo").args(["binstall", "-V"]));
    match fetched {
        true => println!("Fetching cargo-nextest {NEXTEST}, which this machine lacks"),
        false => println!("Building cargo-nextest {NEXTEST}, which this machine lacks; it takes some minutes"),
    }
    // The repository's own configuration and target folder aren't for it.
    let root = nextest_folder(workspace);
    std::fs::create_dir_all(&root).with_context(|| format!("can't make {}", root.display()))?;
    let words: &[&str] = match fetched {
        true => &["binstall", "--no-confirm", "--disable-telemetry"],
        false => &["install", "--quiet"],
    };
    let mut command = Command::new("cargo");
    command.current_dir(&root).args(words).args(["--locked", "cargo-nextest", "--version", NEXTEST, "--root"]);
    run(command.arg(&root), "is the network there? Else install it: https://nexte.st")
}

/// The `PATH` with the cargo-nextest that was built for this clone, after all others.
pub(crate) fn path_with_nextest(workspace: &Workspace) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([nextest_folder(workspace).join("bin")]);
    std::env::join_paths(folders).context("a folder of the PATH has a colon in its name")
}

fn nextest_folder(workspace: &Workspace) -> PathBuf {
    workspace.test_tools().join("nextest")
}

/// The Python that has the test client; its environment is made where it is missing.
pub(crate) fn python_client(workspace: &Workspace) -> Result<PathBuf> {
    python_with(workspace.test_tools().join("python"), &[PYTHON_CLIENT])
}

/// The Python that has the program that the benchmark measures beside ours.
pub(crate) fn python_yardstick(workspace: &Workspace) -> Result<PathBuf> {
    python_with(workspace.bench().join("python"), YARDSTICK)
}

fn python_with(folder: PathBuf, packages: &[&str]) -> Result<PathBuf> {
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    once(&folder, &packages.join("\n"), || {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv", "--clear"]).arg(&folder), "install the package python3-venv")?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(&python).args(install).args(packages), "is the network there? Python has to be 3.10 or newer")
    })?;
    Ok(python)
}

/// The `node_modules` that has the test clients.
pub(crate) fn node_clients(workspace: &Workspace) -> Result<PathBuf> {
    node_modules(workspace.test_tools().join("node"), &NODE_CLIENTS)
}

/// The `node_modules` that has the MCP server that the benchmark's calls are measured beside.
pub(crate) fn node_yardstick(workspace: &Workspace) -> Result<PathBuf> {
    node_modules(workspace.bench().join("node"), &NODE_YARDSTICK)
}

/// The `node_modules` that has MCP's conformance suite, its inspector and their Node.
pub(crate) fn conformance_suite(workspace: &Workspace) -> Result<PathBuf> {
    node_modules(workspace.test_tools().join("conformance"), &CONFORMANCE_SUITE)
}

/// The `node_modules` that has the agents. Each runs as the program that its package brings, without npm's scripts.
pub(crate) fn agents(workspace: &Workspace) -> Result<PathBuf> {
    node_modules(workspace.test_tools().join("agents"), &AGENTS)
}

/// The same, or none where npm can't give them. Where everything is required, and in CI, that is an error.
pub(crate) fn agents_if_any(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let required = everything_is_required() || std::env::var_os("CI").is_some();
    if_any(agents(workspace), required, "the tests with real agents")
}

/// What was found; or none, after saying so, where `tests` may be left out for want of it.
pub(crate) fn if_any(found: Result<PathBuf>, required: bool, tests: &str) -> Result<Option<PathBuf>> {
    match found {
        Err(error) if !required => {
            println!("{tests} are left out: {error:#}");
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// Whether nothing may be left out of the tests, not even what takes root or a download: `.ci/run` says so.
pub(crate) fn everything_is_required() -> bool {
    std::env::var_os("REVIEW_GATE_REQUIRE_E2E").is_some_and(|required| required == "all")
}

fn node_modules(folder: PathBuf, packages: &[(&str, &str)]) -> Result<PathBuf> {
    let wanted: Vec<String> = packages.iter().map(|(name, version)| format!("{name}@{version}")).collect();
    once(&folder, &wanted.join("\n"), || {
        std::fs::create_dir_all(&folder)?;
        // The package `node` fetches its program in a script, which npm asks about since version 11.
        let package = "{ \"private\": true, \"type\": \"module\", \"allowScripts\": { \"node\": true } }\n";
        std::fs::write(folder.join("package.json"), package)?;
        let mut command = npm(&folder);
        run(command.args(["install", "--save-exact", "--no-progress"]).args(&wanted), "is the network there?")
    })?;
    Ok(folder.join("node_modules"))
}

/// Runs `make` unless it succeeded before for the same `stamp`.
pub(crate) fn once(folder: &Path, stamp: &str, make: impl FnOnce() -> Result<()>) -> Result<()> {
    let file = folder.join(".xtask-stamp");
    if std::fs::read_to_string(&file).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    make()?;
    std::fs::write(&file, stamp).with_context(|| format!("can't write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_compare_by_number() {
        assert_eq!(node_version("v20.19.4\n"), Some((20, 19)), "node prints a v and a line end");
        assert!(node_version("v9.11.2") < Some(NODE), "9 is older than 20, although it sorts after it as text");
        assert_eq!(node_version("nonsense"), None, "what can't be read isn't trusted");
    }

    #[test]
    fn what_is_missing_is_an_error_only_where_it_is_required() {
        let missing = || Err(anyhow::anyhow!("npm is gone"));
        assert!(if_any(missing(), true, "some tests").is_err(), "no test may be left out");
        assert!(if_any(missing(), false, "some tests").is_ok_and(|found| found.is_none()), "they may");
        let there = if_any(Ok(PathBuf::from("/there")), true, "some tests");
        assert!(there.is_ok_and(|found| found == Some(PathBuf::from("/there"))), "what is there is given");
    }
}
