//! `cargo xtask test`: every check, one step after the other, with times and a summary.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::process::{cargo, run as run_command, succeeds};
use crate::workspace::Workspace;
use crate::{codegen, conformance, setup, tidy, ui};

/// The package of the end-to-end tests.
const END_TO_END: &str = "gate-tests";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave out the documentation and the end-to-end tests
    #[arg(long)]
    fast: bool,
    /// Go on after a step that failed
    #[arg(long)]
    keep_going: bool,
    /// Only build, and run the tests whose names contain this
    filter: Option<String>,
}

/// One step of the check.
struct Step<'a> {
    name: &'static str,
    run: Box<dyn Fn() -> Result<()> + 'a>,
}

fn step<'a>(name: &'static str, run: impl Fn() -> Result<()> + 'a) -> Step<'a> {
    Step { name, run: Box::new(run) }
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut steps = vec![step("set-up", || set_up(workspace, options.fast))];
    if options.filter.is_none() {
        steps.extend(checks(workspace, options.fast));
    } else {
        steps.push(step("ui build", || ui::build_if_stale(workspace)));
    }
    steps.extend(tests(workspace, options));
    take(&steps, options.keep_going)
}

/// What the machine has to have for all the other steps.
fn set_up(workspace: &Workspace, fast: bool) -> Result<()> {
    let mut needs = vec![setup::BUILD, setup::SQL];
    if !fast {
        needs.push(setup::TESTS);
    }
    setup::packages(&needs)?;
    setup::rust_components()?;
    setup::node()?;
    ui::install(workspace)
}

/// The steps that look at the sources. The UI comes first: the desktop app compiles it in.
fn checks<'a>(workspace: &'a Workspace, fast: bool) -> Vec<Step<'a>> {
    let root = &workspace.root;
    let mut steps = vec![
        step("format", || run_command(&mut cargo(root, ["fmt", "--all", "--check"]), "run `cargo fmt --all`")),
        step("tidy", || tidy::run(workspace)),
        step("ui check", || ui::script(workspace, "check", "formatting: `npm run format` in ui/; types: see above")),
        step("ui test", || ui::script(workspace, "test", "mend what vitest names above")),
        step("ui build", move || if fast { ui::build_if_stale(workspace) } else { ui::build(workspace) }),
        step("ui browser", || {
            ui::script(
                workspace,
                "test:browser",
                "mend what vitest names above; the pictures are in target/ui-pictures",
            )
        }),
        step("codegen", || codegen::check(workspace)),
        step("clippy", || {
            let words = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
            run_command(&mut cargo(root, words), "mend what clippy names above")?;
            let fixture = ["clippy", "--package", "gate-mcp", "--features", "conformance", "--", "-D", "warnings"];
            run_command(&mut cargo(root, fixture), "mend what clippy names above")
        }),
    ];
    if !fast {
        steps.push(step("docs", || {
            let mut command = cargo(root, ["doc", "--workspace", "--no-deps"]);
            run_command(command.env("RUSTDOCFLAGS", "-D warnings"), "mend what rustdoc names above")
        }));
    }
    steps
}

/// The steps that build and run the tests.
fn tests<'a>(workspace: &'a Workspace, options: &'a Options) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    if options.filter.is_none() && !options.fast {
        // It builds the program with the suite's fixtures, so the program itself comes after it.
        steps.push(step("conformance", || conformance::run(workspace)));
    }
    steps.extend([
        // Every target at once: programs and tests then share one build of each dependency.
        step("build", || {
            let words = ["build", "--workspace", "--all-targets"];
            run_command(&mut cargo(&workspace.root, words), "mend what the compiler names above")
        }),
        step("linking", || tidy::linking(workspace)),
        step("tests", || {
            let mut command = test_command(workspace, options);
            if !options.fast {
                command
                    .env("REVIEW_GATE_TEST_PYTHON", setup::python_client(workspace)?)
                    .env("REVIEW_GATE_TEST_NODE_MODULES", setup::node_clients(workspace)?)
                    .env("REVIEW_GATE_TEST_SUITE_MODULES", setup::conformance_suite(workspace)?)
                    .env("REVIEW_GATE_TEST_BIN", workspace.target.join("debug"))
                    .env("REVIEW_GATE_REQUIRE_E2E", "1");
            }
            run_command(&mut command, "run one again with `cargo xtask test NAME`")
        }),
    ]);
    if options.filter.is_none() && has_nextest() {
        // nextest leaves the examples in the documentation to cargo.
        steps.push(step("doc tests", || {
            run_command(&mut cargo(&workspace.root, ["test", "--workspace", "--doc"]), "mend the example named above")
        }));
    }
    steps
}

fn has_nextest() -> bool {
    succeeds(Command::new("cargo").args(["nextest", "--version"]))
}

fn test_command(workspace: &Workspace, options: &Options) -> Command {
    let mut command = cargo(&workspace.root, if has_nextest() { &["nextest", "run"][..] } else { &["test"] });
    command.arg("--workspace");
    if options.fast {
        command.args(["--exclude", END_TO_END]);
    }
    if let Some(filter) = &options.filter {
        command.arg(filter);
    }
    command
}

/// Takes the steps in their order and sums them up; the error is the first failed step's.
fn take(steps: &[Step<'_>], keep_going: bool) -> Result<()> {
    let mut rows: Vec<(&str, &str, Duration)> = Vec::new();
    let mut first_error = None;
    for (index, step) in steps.iter().enumerate() {
        println!("\n== {}/{} {} ==", index + 1, steps.len(), step.name);
        let begin = Instant::now();
        let result = (step.run)();
        let time = begin.elapsed();
        rows.push((step.name, if result.is_ok() { "ok" } else { "FAILED" }, time));
        let Err(error) = result else {
            println!("-- {} ok, {}", step.name, seconds(time));
            continue;
        };
        println!("-- {} FAILED after {}: {error:#}", step.name, seconds(time));
        let error = error.context(format!("step `{}`", step.name));
        first_error.get_or_insert(error);
        if !keep_going {
            break;
        }
    }
    print_summary(&rows, steps.len() - rows.len());
    match first_error {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

fn print_summary(rows: &[(&str, &str, Duration)], left: usize) {
    println!("\n{:<12}{:<8}{:>9}", "step", "result", "time");
    for (name, result, time) in rows {
        println!("{name:<12}{result:<8}{:>9}", seconds(*time));
    }
    println!("{:<20}{:>9}", "all", seconds(rows.iter().map(|row| row.2).sum()));
    if left > 0 {
        println!("{left} steps not taken; `--keep-going` takes them after a failure");
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use anyhow::bail;

    use super::*;

    fn two(taken: &Cell<u32>) -> Vec<Step<'_>> {
        let count = || taken.set(taken.get() + 1);
        vec![
            step("one", move || {
                count();
                bail!("broken")
            }),
            step("two", move || {
                count();
                bail!("broken too")
            }),
        ]
    }

    #[test]
    fn the_first_failure_stops_and_is_the_one_told() {
        let taken = Cell::new(0);
        let error = take(&two(&taken), false).expect_err("the first step fails");
        assert_eq!(taken.get(), 1, "nothing is built on what failed");
        assert_eq!(format!("{error:#}"), "step `one`: broken", "the message names the step and its cause");
    }

    #[test]
    fn keep_going_takes_all_and_still_fails_with_the_first() {
        let taken = Cell::new(0);
        let error = take(&two(&taken), true).expect_err("both steps fail");
        assert_eq!(taken.get(), 2, "the second step was asked for");
        assert!(format!("{error:#}").contains("`one`"), "the exit code is the first failure's");
    }
}
