//! What the person sees, and what becomes of what they do.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use gate_core::Decision;
use gate_service::Why;

use crate::agent::{Person, Told};
use crate::gate::{Outcome, Trial};
use crate::machine::{Machine, PERSON};

/// The one prompt that came up.
fn prompt(outcome: &Outcome) -> (&str, &str) {
    match outcome.told.first() {
        Some(Told::Prompt { action, message, users }) => {
            assert_eq!(*users, [PERSON.1], "nobody else's password counts");
            (action, message)
        }
        other => panic!("no prompt came up: {other:?}, {outcome:?}"),
    }
}

#[test]
fn a_password_confirms_what_the_prompt_shows() {
    let name = "prompts::a_password_confirms_what_the_prompt_shows";
    let Some(mut machine) = Machine::enter(name, None) else { return };
    let hostile = Trial { title: "Deploy”? \u{202E}<b>$(digits)".to_owned(), ..Trial::default() };
    let first = machine.tries(hostile);
    let digits = first.digits.clone().expect("the gate shows them");
    let shown = format!(
        "Approve in Review Gate, digits {digits}: “\u{2068}Deploy'? ⟨U+202E⟩‹b›$(digits)\u{2069}”. Repository: –; tree: –. \
         Authenticate only if Review Gate shows the same digits."
    );
    assert_eq!(prompt(&first), ("org.reviewgate.confirm", shown.as_str()));
    assert_eq!((first.reached, first.why, first.told.len()), (None, None, 1));
    let (key, head) = first.signed.expect("it is signed");
    assert_eq!(head.seq, 1);

    let file = fs::metadata(machine.key()).expect("it is there");
    assert_eq!(file.permissions().mode() & 0o7777, 0o600);
    assert_ne!(file.uid(), PERSON.1, "the person's processes can't read it");
    machine.restart();

    let changes =
        Trial { seq: 2, decision: Decision::ChangesRequested, locale: "zh_CN.UTF-8".to_owned(), ..Trial::default() };
    let second = machine.tries(changes);
    assert_eq!(second.heads, [head], "it remembers the log beyond a restart");
    let (action, message) = prompt(&second);
    assert_eq!(action, "org.reviewgate.confirm.changes");
    let digits = second.digits.clone().expect("the gate shows them");
    assert!(message.contains("要求修改") && message.contains(&digits), "in the person's language: {message}");
    assert_eq!(second.signed.expect("it is signed").0, key, "the key stays");

    let back = machine.tries(Trial { seq: 2, ..Trial::default() });
    assert_eq!((back.why, back.told), (Some(Why::Behind), Vec::new()), "nobody is asked for a log that went back");
}

#[test]
fn what_the_person_does_not_confirm_is_not_signed() {
    let name = "prompts::what_the_person_does_not_confirm_is_not_signed";
    let Some(mut machine) = Machine::enter(name, None) else { return };
    let by = |person| Trial { person, ..Trial::default() };
    let away = Trial { leaves: true, ..by(Some(Person::IsAway)) };
    let trials = [by(Some(Person::Mistypes)), by(Some(Person::Closes)), by(None), away, by(Some(Person::Types))];
    let outcomes = machine.gate(PERSON.1, &trials);
    let why: Vec<Option<Why>> = outcomes.iter().map(|outcome| outcome.why).collect();
    assert_eq!(why, [Some(Why::Failed), Some(Why::Declined), Some(Why::NoAgent), None, None]);
    let signed: Vec<bool> = outcomes.iter().map(|outcome| outcome.signed.is_some()).collect();
    assert_eq!(signed, [false, false, false, false, true], "and the last one shows that it could have been");
    assert_eq!(outcomes[3].told.get(1), Some(&Told::Close), "a gate that goes takes its prompt along");
    let mut digits: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.digits.as_ref()).collect();
    digits.sort();
    digits.dedup();
    assert_eq!(digits.len(), trials.len(), "each has digits of its own");

    machine.remove();
    let gone = machine.tries(Trial::default());
    assert_eq!((gone.reached, gone.why), (Some(Why::Absent), Some(Why::Absent)));
}

#[test]
fn root_is_not_the_person() {
    let Some(machine) = Machine::enter("prompts::root_is_not_the_person", None) else { return };
    let outcomes = machine.gate(0, &[Trial::default()]);
    let outcome = outcomes.first().expect("it has one");
    assert_eq!((outcome.reached, outcome.why), (Some(Why::Root), Some(Why::Root)), "polkit would ask nobody");
    assert_eq!(outcome.told, []);
}

#[test]
fn a_rule_that_asks_nobody_proves_nothing() {
    let rule = "polkit.addRule(function(action, subject) {\
                if (action.id.indexOf('org.reviewgate.') == 0) { return polkit.Result.YES; } });";
    let Some(machine) = Machine::enter("prompts::a_rule_that_asks_nobody_proves_nothing", Some(rule)) else { return };
    let outcome = machine.tries(Trial::default());
    assert_eq!((outcome.reached, outcome.why), (Some(Why::Unasked), Some(Why::Unasked)));
    assert_eq!((outcome.signed, outcome.told), (None, Vec::new()));
}

#[test]
fn a_rule_that_asks_once_for_several_proves_nothing() {
    let rule = "polkit.addRule(function(action, subject) {\
                if (action.id.indexOf('org.reviewgate.') == 0) { return polkit.Result.AUTH_SELF_KEEP; } });";
    let name = "prompts::a_rule_that_asks_once_for_several_proves_nothing";
    let Some(machine) = Machine::enter(name, Some(rule)) else { return };
    let outcome = machine.tries(Trial::default());
    assert_eq!((outcome.reached, outcome.why, outcome.signed), (Some(Why::Unasked), Some(Why::Unasked), None));
}
