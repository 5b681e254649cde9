//! The steps of the check: what each does, what it needs, and on which lane it runs.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::unchanged::Unchanged;
use super::{Options, nextest};
use crate::process::{output, run as run_command};
use crate::selection;
use crate::workspace::Workspace;
use crate::{codegen, conformance, setup, sql, tidy, ui};

/// The package of the end-to-end tests.
const END_TO_END: &str = "gate-tests";
/// What clippy's command ends with.
const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

/// Where a step runs. The steps of one lane run one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// What cargo does, and what it waits for.
    Main,
    /// What needs no cargo, beside it: half of the machine is idle while cargo links.
    Beside,
}

/// One step of the check.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) lane: Lane,
    /// Steps of any lane that have to end well before. One that isn't taken in this run isn't waited for.
    pub(super) needs: &'static [&'static str],
    /// Steps that have to end before, in whatever way.
    pub(super) after: &'static [&'static str],
    /// When it is taken.
    taken: Taken,
    run: fn(&Workspace, &Options) -> Result<Done>,
}

/// When a step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Always,
    /// Unless only some tests are asked for.
    Unfiltered,
    /// Unless only some tests, or a quick check, are asked for.
    Whole,
}

/// How a step ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// It was taken.
    Taken,
    /// Only that of it was which a change may have broken.
    Part,
    /// Nothing that it looks at has changed since it last ended well.
    Unchanged,
}

impl Done {
    const ALL: [Self; 3] = [Self::Taken, Self::Part, Self::Unchanged];

    /// What the table calls it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Taken => "ok",
            Self::Part => "ok in part",
            Self::Unchanged => "unchanged",
        }
    }

    /// The one with this word.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.word() == word)
    }
}

/// All steps, each lane's in its order. The UI is built first: the desktop app compiles it in.
pub(super) const STEPS: &[Step] = &[
    main("set-up", Taken::Always, set_up),
    main("format", Taken::Unfiltered, format),
    main("tidy", Taken::Unfiltered, |workspace, _| done(tidy::run(workspace))),
    main("ui build", Taken::Always, ui_build),
    main("clippy", Taken::Unfiltered, clippy),
    main("build", Taken::Always, build),
    main("codegen", Taken::Unfiltered, generated),
    main("linking", Taken::Always, |workspace, _| done(tidy::linking(workspace))),
    main("shipped", Taken::Unfiltered, shipped),
    main("docs", Taken::Whole, docs),
    beside("tools", &["set-up"], Taken::Always, tools),
    beside("ui check", &["set-up"], Taken::Unfiltered, ui_check),
    beside("ui test", &["set-up"], Taken::Unfiltered, ui_test),
    beside("ui browser", &["set-up"], Taken::Unfiltered, ui_browser),
    beside("conformance", &["build", "tools"], Taken::Whole, conforms),
    // They drive real windows and look at the clock: nothing else runs beside them.
    Step { needs: &["tools"], after: &["ui browser", "conformance"], ..main("tests", Taken::Always, tests) },
    main("doc tests", Taken::Unfiltered, doc_tests),
];

const fn main(name: &'static str, taken: Taken, run: fn(&Workspace, &Options) -> Result<Done>) -> Step {
    Step { name, lane: Lane::Main, needs: &[], after: &[], taken, run }
}

const fn beside(
    name: &'static str,
    needs: &'static [&'static str],
    taken: Taken,
    run: fn(&Workspace, &Options) -> Result<Done>,
) -> Step {
    Step { name, lane: Lane::Beside, needs, after: &[], taken, run }
}

impl Step {
    /// Whether it is one of those that `options` ask for.
    pub(super) fn is_taken(&self, options: &Options) -> bool {
        match self.taken {
            Taken::Always => true,
            Taken::Unfiltered => options.filter.is_none(),
            Taken::Whole => options.filter.is_none() && !options.fast,
        }
    }

    /// Takes it.
    pub(super) fn take(&self, workspace: &Workspace, options: &Options) -> Result<Done> {
        (self.run)(workspace, options)
    }
}

fn done(result: Result<()>) -> Result<Done> {
    result.map(|()| Done::Taken)
}

/// What the machine has to have for all the other steps.
fn set_up(workspace: &Workspace, options: &Options) -> Result<Done> {
    let mut needs = vec![setup::BUILD, setup::SQL];
    if !options.fast {
        needs.push(setup::TESTS);
        if setup::everything_is_required() {
            needs.push(setup::SERVERS);
        }
    }
    setup::packages(&needs)?;
    setup::rust_components()?;
    setup::node()?;
    done(ui::install(workspace))
}

/// The clients and programs that only tests need.
fn tools(workspace: &Workspace, options: &Options) -> Result<Done> {
    setup::nextest(workspace)?;
    if !options.fast {
        setup::python_client(workspace)?;
        setup::node_clients(workspace)?;
        setup::conformance_suite(workspace)?;
        setup::agents_if_any(workspace)?;
    }
    Ok(Done::Taken)
}

fn format(workspace: &Workspace, _: &Options) -> Result<Done> {
    let mut command = crate::process::cargo(&workspace.root, ["fmt", "--all", "--check"]);
    done(run_command(&mut command, "run `cargo fmt --all`"))
}

fn ui_check(workspace: &Workspace, _: &Options) -> Result<Done> {
    ui_script(workspace, "check", &["ui", ".editorconfig"], "formatting: `npm run format` in ui/; types: see above")
}

fn ui_test(workspace: &Workspace, options: &Options) -> Result<Done> {
    let mend = "mend what vitest names above";
    if let Some(files) = &options.part {
        ui::script_on(workspace, "test", &files.split(' ').collect::<Vec<_>>(), mend)?;
        return Ok(Done::Part);
    }
    // The tests of the catalogues read which texts Rust names.
    ui_script(workspace, "test", &["ui", "src-tauri", "docs/settings.md"], mend)
}

fn ui_browser(workspace: &Workspace, _: &Options) -> Result<Done> {
    let mend = "mend what vitest names above; the pictures are in target/ui-pictures";
    ui_script(workspace, "test:browser", &["ui"], mend)
}

/// A script of the UI's, unless nothing in the `folders` that it reads has changed since it last ended well.
fn ui_script(workspace: &Workspace, name: &str, folders: &[&str], mend: &str) -> Result<Done> {
    let unchanged = Unchanged::look(workspace, name, &ui::files(workspace, folders)?)?;
    let whole = ui::looks_at_all();
    if whole && unchanged.is_so() {
        return Ok(Done::Unchanged);
    }
    ui::script(workspace, name, mend)?;
    if whole { done(unchanged.keep()) } else { Ok(Done::Taken) }
}

fn ui_build(workspace: &Workspace, options: &Options) -> Result<Done> {
    let whole = options.filter.is_none() && !options.fast;
    done(if whole { ui::build(workspace) } else { ui::build_if_stale(workspace) })
}

/// Clippy on everything, with the conformance suite's fixtures: `shipped` looks at what is compiled without them. On the
/// way it compiles gate-store against a database, and so describes its SQL.
fn clippy(workspace: &Workspace, _: &Options) -> Result<Done> {
    done(sql::describe_with(workspace, |variables| {
        let mut command = selection::everything(workspace, &["clippy"], &["--all-targets"]);
        run_command(command.envs(variables).args(DENY_WARNINGS), "mend what clippy names above")
    }))
}

fn generated(workspace: &Workspace, _: &Options) -> Result<Done> {
    done(codegen::check_built(workspace))
}

/// Every target at once: programs and tests then share one build of each dependency.
fn build(workspace: &Workspace, _: &Options) -> Result<Done> {
    let mut command = selection::everything(workspace, &["build"], &["--all-targets"]);
    done(run_command(&mut command, "mend what the compiler names above"))
}

/// Clippy on the programs as they are shipped: without what generating, the suite and the tests bring in.
fn shipped(workspace: &Workspace, _: &Options) -> Result<Done> {
    let words = ["clippy", "--package", "review-gate", "--bins"];
    let mend = "it may compile only with a feature of the tests or of codegen; name it where it is needed";
    let mut command = crate::process::cargo(&workspace.root, words);
    done(run_command(command.args(DENY_WARNINGS), mend))
}

fn docs(workspace: &Workspace, _: &Options) -> Result<Done> {
    let mut command = selection::everything(workspace, &["doc", "--no-deps"], &["--lib", "--bins", "--examples"]);
    command.env("RUSTDOCFLAGS", "-D warnings").envs(as_clippy_checks()?);
    done(run_command(&mut command, "mend what rustdoc names above"))
}

/// The variables by which `cargo clippy` has crates checked (cargo's `RUSTC_WORKSPACE_WRAPPER`). With them rustdoc reads
/// what clippy has checked; were they others, cargo would check it all again.
fn as_clippy_checks() -> Result<[(&'static str, String); 2]> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver").with_extension(std::env::consts::EXE_EXTENSION);
    let [_, words @ ..] = DENY_WARNINGS;
    let words = words.map(|word| format!("{word}__CLIPPY_HACKERY__")).concat();
    Ok([("RUSTC_WORKSPACE_WRAPPER", driver.display().to_string()), ("CLIPPY_ARGS", words)])
}

fn conforms(workspace: &Workspace, _: &Options) -> Result<Done> {
    done(conformance::try_built(workspace))
}

fn tests(workspace: &Workspace, options: &Options) -> Result<Done> {
    let mut command = nextest(workspace)?;
    if options.fast {
        command.args(["--exclude", END_TO_END]);
    }
    if let Some(filter) = &options.filter {
        command.arg(filter);
    }
    if let Some(filterset) = &options.part {
        command.args(["--no-tests", "pass", "--filterset", filterset]);
    }
    if !options.fast {
        super::hand_tools(workspace, &mut command)?;
    }
    super::run_tests(workspace, &mut command, "run one again with `cargo xtask test NAME`")?;
    Ok(if options.part.is_some() { Done::Part } else { Done::Taken })
}

/// nextest leaves the examples in the documentation to cargo.
fn doc_tests(workspace: &Workspace, _: &Options) -> Result<Done> {
    let mut command = selection::everything(workspace, &["test"], &["--doc"]);
    done(run_command(&mut command, "mend the example named above"))
}
