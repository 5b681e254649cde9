//! `docs/commands.md`: who may command what, from the declarations.

use std::fmt::Write as _;

use crate::declare::{Declaration, Kind, May, Origin, Who};
use crate::subjects::SUBJECTS;

const HEAD: &str = "\
<!-- Made by `cargo xtask codegen` from src-tauri/crates/gate-api/src/subjects/; change it there. -->

# Commands

What a front end may ask of the gate, and who may ask it. This is the only list: what isn't in it can't be asked.

A command comes from the desktop app's **window**, from the gate's **page** in a browser that is signed in, from a
person at a **terminal**, or from a **script**: a process without a terminal, or one that an agent has started, in
whatever terminal. A browser that a script signed in counts as a page and as a script. A **relay**, which carries an
agent's messages, and an agent over HTTP give none of these; theirs are the tools.

Scripts may answer, and do what else is an answerer's, where the gate was started with `review-gate serve
--allow-scripts`; terminals may decide where it was started with `--terminal`. Everywhere else the person switches that
on in the window or on a signed-in page, by the guards `security.scripted_answers` and `security.terminal_answers`, and
confirms it there.

";

const KINDS: &str = "\
An **act** is something that a person does: it ends an absence that the gate has found out by itself, unless it comes
from a script. Everything else says nothing of the person.
";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "| who | window | page | terminal | script | relay |\n|---|---|---|---|---|---|\n";
    for who in Who::ALL {
        let cells = Origin::ALL.map(|origin| cell(who.may(origin)));
        let _ = writeln!(page, "| {} | {} | no |", name(who), cells.join(" | "));
    }
    page.push('\n');
    page += KINDS;
    for subject in SUBJECTS {
        let _ = write!(page, "\n## {}\n\n{}\n\n", subject.name, subject.about.trim());
        page += "| command | does | who | act |\n|---|---|---|---|\n";
        for declaration in subject.commands {
            page += &row(declaration);
        }
    }
    page
}

fn row(declaration: &Declaration) -> String {
    let act = match declaration.kind {
        Kind::Act => "act",
        Kind::Look | Kind::Wait => "",
    };
    let Declaration { name: command, about, who, .. } = declaration;
    format!("| `{command}` | {} | {} | {act} |\n", about.trim(), name(*who))
}

fn name(who: Who) -> &'static str {
    match who {
        Who::Anyone => "anyone",
        Who::Answerer => "answerer",
        Who::Confirmer => "confirmer",
        Who::Decider => "decider",
        Who::Speaker => "speaker",
        Who::Tuner => "tuner",
        Who::Local => "local",
        Who::LocalAnswerer => "local answerer",
    }
}

fn cell(may: May) -> &'static str {
    match may {
        May::Always => "yes",
        May::WhereScriptsAnswer => "where scripts may answer",
        May::WhereTerminalsDecide => "where terminals may decide",
        May::OnlySafer => "guards only safer",
        May::Never => "no",
    }
}
