//! `cargo xtask cross`: builds the programs for Windows and checks the libraries for macOS, on Linux.
//!
//! Rust's own libraries are built from Debian's sources with Debian's compiler, which both systems' are made for: no other
//! toolchain has to be fetched. What is compiled, linked and seen running on which system is told in `docs/platforms.md`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{cargo, run as run_command, succeeds};
use crate::setup;
use crate::workspace::Workspace;

/// Debian's compiler, whose libraries' sources Debian has, too.
const COMPILER: &str = "/usr/bin/rustc";
const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";
/// The C compilers for Windows.
const MINGW: [&str; 2] = ["x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-g++-posix"];
/// What is built.
const PROGRAMS: [&str; 2] = ["review-gate", "review-gate-relay"];
/// The C compiler for macOS comes from PyPI.
const ZIG: &str = "ziglang==0.17.1";
/// Crates that aren't checked for macOS here: the shell's notifications need Apple's headers, the speech engine its own
/// build system's word, and developers' commands and tests are for Linux.
const NOT_FOR_MACOS: [&str; 5] = ["review-gate", "gate-speech", "xtask", "gate-tests", "gate-bench"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this system
    #[arg(long, value_enum)]
    only: Option<System>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum System {
    /// Builds `review-gate.exe` and the relay beside it
    Windows,
    /// Checks the libraries
    Macos,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::packages(&[setup::CROSS])?;
    let wanted = |system| options.only.is_none_or(|only| only == system);
    if wanted(System::Windows) {
        windows(workspace)?;
    }
    if wanted(System::Macos) {
        macos(workspace)?;
    }
    Ok(())
}

/// Builds the programs that need neither windows nor the speech engine, below `target/cross/x86_64-pc-windows-gnu/debug`.
fn windows(workspace: &Workspace) -> Result<()> {
    let package = programs(workspace)?;
    let mut build = cross(workspace, "build", WINDOWS);
    build.arg("--manifest-path").arg(package);
    let [c, cpp] = MINGW;
    build.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", c);
    build.env("CC_x86_64_pc_windows_gnu", c).env("CXX_x86_64_pc_windows_gnu", cpp);
    run_command(&mut build, "mend what the compiler names above: it has to compile for Windows, too")
}

/// A package with the same programs as `review-gate`'s, without what that links for windows and speech. Its manifest.
fn programs(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("cross/programs");
    std::fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let root = &workspace.root;
    let bins = PROGRAMS.map(|name| {
        let path = root.join(format!("src-tauri/bin/{name}.rs"));
        format!("[[bin]]\nname = {name:?}\npath = {path:?}\n")
    });
    let crates = ["gate-app", "gate-cli"].map(|name| {
        let path = root.join("src-tauri/crates").join(name);
        format!("{name} = {{ path = {path:?} }}\n")
    });
    let text = format!(
        "[package]\nname = \"cross\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{}\n[dependencies]\n{}\n[workspace]\n",
        bins.concat(),
        crates.concat()
    );
    let manifest = folder.join("Cargo.toml");
    std::fs::write(&manifest, text).with_context(|| format!("can't write {}", manifest.display()))?;
    // The same versions of everything.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("can't copy Cargo.lock")?;
    Ok(manifest)
}

fn macos(workspace: &Workspace) -> Result<()> {
    let compiler = zig(workspace)?;
    let mut check = cross(workspace, "check", MACOS);
    check.arg("--workspace");
    for package in NOT_FOR_MACOS {
        check.args(["--exclude", package]);
    }
    check.env("CC_aarch64_apple_darwin", &compiler);
    run_command(&mut check, "mend what the compiler names above: it has to compile for macOS, too")
}

/// `cargo COMMAND` for another system.
fn cross(workspace: &Workspace, command: &str, target: &str) -> Command {
    let mut cargo = cargo(&workspace.root, [command, "-Zbuild-std=std,panic_unwind", "--target", target]);
    cargo.env("RUSTC", COMPILER).env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", workspace.target.join("cross"));
    cargo
}

/// A C compiler for macOS: zig's, without the arguments that only Apple's understands.
fn zig(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.test_tools().join("zig");
    let python = folder.join("bin/python");
    if !succeeds(Command::new(&python).args(["-c", "import ziglang"])) {
        run_command(Command::new("python3").args(["-m", "venv"]).arg(&folder), "install python3-venv")?;
        let install = ["-m", "pip", "install", "--quiet", ZIG];
        run_command(Command::new(&python).args(install), "look at its message above; the network is at fault")?;
    }
    let script = folder.join("cc");
    write_script(&script, &python)?;
    Ok(script)
}

fn write_script(script: &Path, python: &Path) -> Result<()> {
    let text = format!(
        "#!/bin/sh\n\
         # Takes out what names the target in Apple's words, and the argument behind it.\n\
         skip=\n\
         for argument in \"$@\"; do\n\
         \tshift\n\
         \tif [ -n \"$skip\" ]; then skip=; continue; fi\n\
         \tcase \"$argument\" in\n\
         \t-arch|-target) skip=1 ;;\n\
         \t--target=*|-mmacosx-version-min=*) ;;\n\
         \t*) set -- \"$@\" \"$argument\" ;;\n\
         \tesac\n\
         done\n\
         exec '{}' -m ziglang cc -target aarch64-macos \"$@\"\n",
        python.display()
    );
    std::fs::write(script, text).with_context(|| format!("can't write {}", script.display()))?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(script, mode).with_context(|| format!("can't start {}", script.display()))
}
