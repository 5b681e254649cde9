//! `cargo xtask cross`: builds the programs for Windows, runs them under Wine, and checks the libraries for macOS, on Linux.
//!
//! Rust's own libraries are built from Debian's sources with Debian's compiler, which both systems' are made for: no other
//! toolchain has to be fetched. What is compiled, linked and seen running on which system is told in `docs/platforms.md`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{cargo, output, run as run_command, succeeds};
use crate::workspace::Workspace;
use crate::{models, setup, test, ui};

/// Debian's compiler, whose libraries' sources Debian has, too.
const COMPILER: &str = "/usr/bin/rustc";
const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";
/// The C compilers for Windows.
const MINGW: [&str; 2] = ["x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-g++-posix"];
/// What is built and tried; the window needs a WebView2, which Wine hasn't.
const PROGRAMS: [&str; 3] = ["review-gate", "review-gate-relay", "review-gate-voice"];
/// The speech engine's crate.
const ENGINE: &str = "whisper-rs-sys";
/// What the speech engine asks Windows for, and Debian's headers lack.
const NEWER: &str = "#ifndef THREAD_POWER_THROTTLING_CURRENT_VERSION
#define THREAD_POWER_THROTTLING_CURRENT_VERSION 1
#define THREAD_POWER_THROTTLING_EXECUTION_SPEED 1
typedef struct { unsigned long Version, ControlMask, StateMask; } THREAD_POWER_THROTTLING_STATE;
#endif
";
/// What C++ programs of MinGW load.
const RUNTIME: [&str; 3] = ["libstdc++-6.dll", "libgcc_s_seh-1.dll", "libwinpthread-1.dll"];
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
/// What isn't checked for macOS: developers' commands and tests are for Linux.
const NOT_FOR_MACOS: [&str; 4] = ["xtask", "gate-tests", "gate-bench", "gate-platforms"];

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
    /// Builds all programs, and runs the tests that start those without a window
    Windows,
    /// Checks everything, and links nothing
    Macos,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::packages(&[setup::CROSS, setup::BUILD])?;
    setup::node()?;
    ui::install(workspace)?;
    // The windows' pages become a part of the app.
    ui::build_if_stale(workspace)?;
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

/// Builds all programs, below `target/cross/x86_64-pc-windows-gnu/debug`.
fn windows(workspace: &Workspace) -> Result<()> {
    write(&newer(workspace), NEWER)?;
    let engine = ["--package", ENGINE];
    if !succeeds(&mut for_windows(workspace, "build", &engine)) {
        fit_engine(workspace)?;
        run_command(&mut for_windows(workspace, "build", &engine), "its build script says above what it lacks")?;
    }
    let mend = "mend what the compiler names above: it has to compile for Windows, too";
    run_command(&mut for_windows(workspace, "build", &["--package", "review-gate", "--bins"]), mend)
}

/// `cargo COMMAND` for Windows.
fn for_windows(workspace: &Workspace, command: &str, arguments: &[&str]) -> Command {
    let mut cargo = cross(workspace, command, WINDOWS);
    let [c, cpp] = MINGW;
    cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", c);
    cargo.env("CC_x86_64_pc_windows_gnu", c).env("CXX_x86_64_pc_windows_gnu", cpp);
    cargo.env("CFLAGS_x86_64_pc_windows_gnu", format!("-include {}", newer(workspace).display()));
    cargo.args(arguments);
    cargo
}

/// The file with [`NEWER`].
fn newer(workspace: &Workspace) -> PathBuf {
    workspace.target.join("cross/newer.h")
}

/// After the speech engine's build script: its bindings are those of a Linux, and check how large types of that system's C
/// library are; and its archives haven't the names by which a linker looks for them.
fn fit_engine(workspace: &Workspace) -> Result<()> {
    let built = workspace.target.join("cross").join(WINDOWS).join("debug/build");
    let begins = format!("{ENGINE}-");
    for folder in entries(&built)? {
        let out = folder.join("out");
        let bindings = out.join("bindings.rs");
        if !folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins)) || !bindings.exists() {
            continue;
        }
        let text = fs::read_to_string(&bindings).with_context(|| format!("can't read {}", bindings.display()))?;
        write(&bindings, &without_foreign_sizes(&text))?;
        for archive in entries(&out.join("build/ggml/src"))? {
            let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("ggml") && name.ends_with(".a") {
                let named = archive.with_file_name(format!("lib{name}"));
                fs::copy(&archive, &named).with_context(|| format!("can't write {}", named.display()))?;
            }
        }
    }
    Ok(())
}

/// Bindings without the checks of types of the C library, whose names begin with `_`.
fn without_foreign_sizes(text: &str) -> String {
    const BEGINS: &str = "const _: () = {\n";
    const ENDS: &str = "\n};\n";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, check)) = rest.split_once(BEGINS) {
        let Some((check, behind)) = check.split_once(ENDS) else { break };
        kept.push_str(before);
        let checked = if check.trim_start().starts_with("[\"Size of _") { "" } else { check };
        kept.extend([BEGINS, checked, ENDS]);
        rest = behind;
    }
    kept + rest
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    Ok(found.flatten().map(|entry| entry.path()).collect())
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    }
    fs::write(file, text).with_context(|| format!("can't write {}", file.display()))
}

/// Runs what is tested on Windows: the functions that are its own, and the programs from end to end.
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
    let runner = folder.join("run");
    let prefix = folder.join("prefix");
    write_script(
        &runner,
        &format!("#!/bin/sh\nWINEPREFIX='{}' WINEDEBUG=-all exec {WINE} \"$@\"\n", prefix.display()),
    )?;
    let mut units = for_windows(workspace, "test", &["--package", "gate-os", "--lib"]);
    units.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &runner);
    run_command(&mut units, "mend what the test names above")?;
    test::build_for_tests(workspace)?;
    let mut tests = test::nextest(workspace)?;
    tests.args(["--test", "e2e", "--profile", "cross"]);
    tests.env("REVIEW_GATE_TEST_BIN", workspace.target.join("debug")).env("REVIEW_GATE_TEST_WINDOWS", &folder);
    tests.env(models::NAMED, models::for_tests_if_any(workspace)?.unwrap_or_default());
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
    let [c, cpp] = MINGW;
    for name in RUNTIME {
        let from = output(Command::new(cpp).arg(format!("-print-file-name={name}")))?;
        fs::copy(from.trim(), system.join(name)).with_context(|| format!("can't copy {name}"))?;
    }
    let source = folder.join("bcryptprimitives.c");
    write(&source, STAND_IN)?;
    let mut compile = Command::new(c);
    compile.args(["-shared", "-O1", "-o"]).arg(&stand_in).arg(&source).arg("-ladvapi32");
    run_command(&mut compile, "install gcc-mingw-w64-x86-64-posix")
}

fn macos(workspace: &Workspace) -> Result<()> {
    let compiler = zig(workspace)?;
    let mut check = cross(workspace, "check", MACOS);
    check.arg("--workspace");
    for package in NOT_FOR_MACOS {
        check.args(["--exclude", package]);
    }
    check.env("CC_aarch64_apple_darwin", &compiler).env("CMAKE_aarch64_apple_darwin", does_nothing(&compiler)?);
    run_command(&mut check, "mend what the compiler names above: it has to compile for macOS, too")
}

/// `cargo COMMAND` for another system.
fn cross(workspace: &Workspace, command: &str, target: &str) -> Command {
    let mut cargo = cargo(&workspace.root, [command, "-Zbuild-std=std,panic_unwind", "--target", target]);
    cargo.env("RUSTC", COMPILER).env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", workspace.target.join("cross"));
    // A program with it has 800 MB, and nobody looks into it with a debugger here.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
    // In the product's own crates.
    cargo.args(["-Zwarnings", "--config", "build.warnings=\"deny\""]);
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
    let text = format!(
        "#!/bin/sh\n\
         # Takes out what names the target in Apple's words, and the argument behind it.\n\
         # Objective-C is left out: nothing is linked, and it needs Apple's headers.\n\
         skip=\n\
         for argument in \"$@\"; do\n\
         \tshift\n\
         \tif [ -n \"$skip\" ]; then skip=; continue; fi\n\
         \tcase \"$argument\" in\n\
         \t-arch|-target) skip=1 ;;\n\
         \t--target=*|-mmacosx-version-min=*) ;;\n\
         \t*.m) set -- \"$@\" -x c /dev/null ;;\n\
         \t*) set -- \"$@\" \"$argument\" ;;\n\
         \tesac\n\
         done\n\
         exec '{}' -m ziglang cc -target aarch64-macos \"$@\"\n",
        python.display()
    );
    write_script(&script, &text)?;
    Ok(script)
}

/// Beside the compiler, a program that stands in for the speech engine's build system: nothing is linked.
fn does_nothing(compiler: &Path) -> Result<PathBuf> {
    let script = compiler.with_file_name("cmake");
    write_script(&script, "#!/bin/sh\nexit 0\n")?;
    Ok(script)
}

fn write_script(script: &Path, text: &str) -> Result<()> {
    fs::write(script, text).with_context(|| format!("can't write {}", script.display()))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(script, mode).with_context(|| format!("can't start {}", script.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checks_of_the_c_librarys_types_are_left_out() {
        let check = |name: &str| format!("const _: () = {{\n    [\"Size of {name}\"][size_of::<{name}>() - 8];\n}};\n");
        let text = format!("struct A;\n{}struct B;\n{}struct C;\n", check("_IO_FILE"), check("whisper_context"));
        let kept = without_foreign_sizes(&text);
        assert!(!kept.contains("_IO_FILE") && kept.contains(&check("whisper_context")), "{kept}");
        assert!(["struct A;", "struct B;", "struct C;"].iter().all(|item| kept.contains(item)), "{kept}");
        assert_eq!(without_foreign_sizes("struct D;"), "struct D;");
    }
}
