//! `cargo xtask cross`: builds the programs for Windows, runs them under Wine, and checks the libraries for macOS, on Linux.
//!
//! Rust's own libraries are built from Debian's sources with Debian's compiler, which both systems' are made for: no other
//! toolchain has to be fetched. What is compiled, linked and seen running on which system is told in `docs/platforms.md`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{cargo, run as run_command, succeeds};
use crate::workspace::Workspace;
use crate::{setup, test};

/// Debian's compiler, whose libraries' sources Debian has, too.
const COMPILER: &str = "/usr/bin/rustc";
const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";
/// The C compilers for Windows.
const MINGW: [&str; 2] = ["x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-g++-posix"];
/// What is built.
const PROGRAMS: [&str; 2] = ["review-gate", "review-gate-relay"];
const WINE: &str = "/usr/lib/wine/wine64";
const WINE_SERVER: &str = "/usr/lib/wine/wineserver64";
/// Randomness as Rust's library asks Windows for it, which Wine 8 lacks. For tests alone.
const STAND_IN: &str = "#include <windows.h>
BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{ return SystemFunction036(data, (ULONG) length); }
";
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
    /// Build and check, and run nothing
    #[arg(long)]
    no_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum System {
    /// Builds `review-gate.exe` and the relay beside it, and runs the tests that start them
    Windows,
    /// Checks the libraries
    Macos,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::packages(&[setup::CROSS])?;
    let wanted = |system| options.only.is_none_or(|only| only == system);
    if wanted(System::Windows) {
        windows(workspace)?;
        if !options.no_run {
            under_wine(workspace)?;
        }
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

/// Runs the end-to-end tests of the programs for Windows.
fn under_wine(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("cross/windows");
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).with_context(|| format!("can't make {}", programs.display()))?;
    for name in PROGRAMS {
        let name = format!("{name}.exe");
        let built = workspace.target.join("cross").join(WINDOWS).join("debug").join(&name);
        fs::copy(&built, programs.join(&name)).with_context(|| format!("can't copy {}", built.display()))?;
    }
    prefix(&folder)?;
    test::build_for_tests(workspace)?;
    let mut tests = test::nextest(workspace)?;
    tests.args(["--test", "e2e", "--profile", "cross"]);
    tests.env("REVIEW_GATE_TEST_BIN", workspace.target.join("debug")).env("REVIEW_GATE_TEST_WINDOWS", &folder);
    run_command(&mut tests, "mend what nextest names above; docs/contributing.md says how to run one")
}

/// A Windows that was never used, for tests to take copies of.
fn prefix(folder: &Path) -> Result<()> {
    let prefix = folder.join("prefix");
    let system = prefix.join("drive_c/windows/system32");
    let stand_in = system.join("bcryptprimitives.dll");
    if stand_in.exists() {
        return Ok(());
    }
    let mut boot = Command::new(WINE);
    boot.args(["wineboot", "--init"]).env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all");
    // Neither .NET nor a browser: it would ask for both.
    boot.env("WINEDLLOVERRIDES", "mscoree,mshtml=");
    run_command(&mut boot, "look at its message above")?;
    let mut wait = Command::new(WINE_SERVER);
    run_command(wait.arg("--wait").env("WINEPREFIX", &prefix), "look at its message above")?;
    let source = folder.join("bcryptprimitives.c");
    fs::write(&source, STAND_IN).with_context(|| format!("can't write {}", source.display()))?;
    let [c, _] = MINGW;
    let mut compile = Command::new(c);
    compile.args(["-shared", "-O1", "-o"]).arg(&stand_in).arg(&source).arg("-ladvapi32");
    run_command(&mut compile, "install gcc-mingw-w64-x86-64-posix")
}

/// A package with the same programs as `review-gate`'s, without what that links for windows and speech. Its manifest.
fn programs(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("cross/programs");
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
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
    fs::write(&manifest, text).with_context(|| format!("can't write {}", manifest.display()))?;
    // The same versions of everything.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("can't copy Cargo.lock")?;
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
    // A program with it has 800 MB, and nobody looks into it with a debugger here.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
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
    fs::write(script, text).with_context(|| format!("can't write {}", script.display()))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(script, mode).with_context(|| format!("can't start {}", script.display()))
}
