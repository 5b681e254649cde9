//! What is declared of commands and events: their names, and who may give which.

use std::collections::BTreeSet;

use gate_api::subjects::{Command, EVENTS, SUBJECTS};
use gate_api::{Kind, May, Origin, Who};

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
    for name in ["open_request", "read_attachment", "history", "conversation", "send_reply", "link", "create_token"] {
        let all = SUBJECTS.iter().flat_map(|subject| subject.commands);
        let found: Vec<May> = all.filter(|each| each.name == name).map(|each| each.who.may(Origin::Script)).collect();
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

#[test]
fn every_event_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for name in EVENTS.iter().copied().flatten() {
        assert!(names.insert(name), "{name} of two subjects would be the same event to a window");
    }
}
