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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::subjects::Command;

    #[test]
    fn every_command_has_a_name_of_its_own_that_is_read() {
        let mut names = BTreeSet::new();
        for declaration in SUBJECTS.iter().flat_map(|subject| subject.commands) {
            let name = declaration.name;
            assert!(names.insert(name), "{name} would be read as the first command of that name");
            let error = serde_json::from_value::<Command>(serde_json::json!({ "command": name })).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.is_empty() || error.contains("missing field"), "{name} isn't known: {error}");
        }
    }

    #[test]
    fn what_scripts_do_by_themselves_answers_nothing_and_reads_no_draft() {
        let free = SUBJECTS.iter().flat_map(|subject| subject.commands);
        let free = free.filter(|declaration| declaration.who.may(Origin::Script) == May::Always);
        let acts: Vec<&str> = free.filter(|each| each.kind == Kind::Act).map(|declaration| declaration.name).collect();
        // Each is harmless whoever does it. One more is to be thought over before it stands here.
        let harmless = ["backup", "sync_prompts", "cancel_prompt_sync", "stop_voice", "cancel_voice", "pause_download"];
        assert_eq!(acts, harmless, "all else that is the person's to do takes a person, or their leave");
        for name in ["open_request", "read_attachment", "history", "conversation", "send_reply", "link", "create_token"]
        {
            let all = SUBJECTS.iter().flat_map(|subject| subject.commands);
            let found: Vec<May> =
                all.filter(|each| each.name == name).map(|each| each.who.may(Origin::Script)).collect();
            assert_eq!(found, [May::WhereScriptsAnswer], "{name}");
        }
    }

    #[test]
    fn scripts_answer_only_where_they_are_let_and_never_listen() {
        for who in Who::ALL {
            let expected = if who == Who::Decider { May::Never } else { May::Always };
            assert_eq!(who.may(Origin::Desktop), expected, "{who:?}: a person sits there");
        }
        assert_eq!(Who::Answerer.may(Origin::Script), May::WhereScriptsAnswer);
        assert_eq!(Who::LocalAnswerer.may(Origin::Script), May::WhereScriptsAnswer);
        assert_eq!(Who::LocalAnswerer.may(Origin::Browser), May::Never, "a page must not sign others in");
        assert_eq!(Who::Speaker.may(Origin::Script), May::Never, "the microphone is a person's");
        for origin in [Origin::Terminal, Origin::Script] {
            assert_eq!(Who::Tuner.may(origin), May::OnlySafer, "{origin:?}");
            assert_eq!(Who::Confirmer.may(origin), May::Never, "{origin:?} can be anybody's");
        }
        assert_eq!(Who::Decider.may(Origin::Terminal), May::WhereTerminalsDecide);
        assert_eq!(Who::Decider.may(Origin::Script), May::Never, "whatever scripts may");
    }
}
