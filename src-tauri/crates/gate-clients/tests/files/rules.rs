//! The rules that tell agents when to ask, in every client's own place.

use std::fs;
use std::path::PathBuf;

use gate_clients::{Client, Kind, Options, RULES, Remark, RulesState, Scope, rules_for, states};

use crate::world::World;

const WITH: Options = Options { rules: true, take_over: false, allow: false, questions: false, toolsets: None };

fn rules_file(world: &World, client: Client, scope: Scope) -> Option<PathBuf> {
    let plan = world.connector.plan_connect(client, scope, WITH).ok()?;
    plan.changes.into_iter().find(|change| change.kind == Kind::Rules).map(|change| change.path)
}

fn state(world: &World, client: Client) -> RulesState {
    states(world.connector.folders()).into_iter().find(|state| state.client == client).unwrap().rules
}

#[test]
fn every_client_reads_them_where_it_looks_for_them() {
    let user = |client: Client| {
        let world = World::new();
        let file = rules_file(&world, client, Scope::User);
        file.map(|file| file.strip_prefix(world.home()).unwrap().to_str().unwrap().to_owned())
    };
    let project = |client: Client| {
        let world = World::new();
        let file = rules_file(&world, client, Scope::Project);
        file.map(|file| file.strip_prefix(world.project()).unwrap().to_str().unwrap().to_owned())
    };
    for (client, for_user, for_project) in [
        (Client::Cursor, None, Some(".cursor/rules/review-gate.mdc")),
        (Client::ClaudeCode, Some(".claude/rules/review-gate.md"), Some(".claude/rules/review-gate.md")),
        (Client::ClaudeDesktop, None, None),
        (
            Client::VsCode,
            Some(".config/Code/User/prompts/review-gate.instructions.md"),
            Some(".github/instructions/review-gate.instructions.md"),
        ),
        (Client::Codex, Some(".codex/AGENTS.md"), Some("AGENTS.md")),
        (Client::Windsurf, Some(".codeium/windsurf/memories/global_rules.md"), Some(".windsurf/rules/review-gate.md")),
        (Client::Continue, Some(".continue/rules/review-gate.md"), Some(".continue/rules/review-gate.md")),
        (Client::Cline, Some("Documents/Cline/Rules/review-gate.md"), None),
        (Client::Zed, None, Some("AGENTS.md")),
        (Client::Gemini, Some(".gemini/GEMINI.md"), Some("GEMINI.md")),
        (Client::JetBrains, Some(".junie/AGENTS.md"), Some(".junie/AGENTS.md")),
        (Client::Goose, Some(".config/goose/.goosehints"), None),
        (Client::OpenCode, Some(".config/opencode/AGENTS.md"), Some("AGENTS.md")),
    ] {
        assert_eq!(user(client).as_deref(), for_user, "{client:?} for the user");
        assert_eq!(project(client).as_deref(), for_project, "{client:?} in a project");
    }
}

#[test]
fn what_is_shown_of_them_is_what_is_written() {
    for client in Client::ALL {
        for scope in [Scope::User, Scope::Project] {
            let world = World::new();
            let before = world.everything();
            let shown = rules_for(client, scope, world.connector.folders());
            assert_eq!(world.everything(), before, "{client:?}: looking writes nothing");
            assert_eq!(shown.file, rules_file(&world, client, scope), "{client:?}: where they go");
            let Some(file) = shown.file.clone() else {
                assert_eq!((shown.text.as_str(), shown.state), (RULES, RulesState::Unsupported), "{client:?}");
                continue;
            };
            assert_eq!(shown.state, RulesState::None, "{client:?}: they aren't there");
            world.connect(client, scope, WITH).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), shown.text, "{client:?}: to the letter");
            let after = rules_for(client, scope, world.connector.folders());
            assert_eq!((after.state, &after.text), (RulesState::Written, &shown.text), "{client:?}: and then they are");
            if shown.section {
                fs::write(&file, format!("# Ours\n\n{}", shown.text)).unwrap();
                let among = rules_for(client, scope, world.connector.folders());
                assert_eq!((among.state, among.text), (RulesState::Written, shown.text), "{client:?}: ours alone");
            }
        }
    }
}

#[test]
fn they_come_and_go_with_the_connection() {
    for client in Client::ALL {
        for scope in [Scope::User, Scope::Project] {
            let world = World::new();
            let before = world.everything();
            let Some(file) = rules_file(&world, client, scope) else { continue };
            world.connect(client, scope, WITH).unwrap();
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(RULES), "{client:?}: the rules are there:\n{text}");
            assert_eq!(state(&world, client), RulesState::Written, "{client:?}: and the page says so");
            assert!(!world.connector.plan_connect(client, scope, WITH).unwrap().is_any(), "{client:?}: twice is once");
            world.disconnect(client, scope).unwrap();
            assert_eq!(world.everything(), before, "{client:?}: all is as it was");
        }
    }
}

#[test]
fn rules_of_the_person_stay_around_ours() {
    let world = World::new();
    let file = world.home().join(".codex/AGENTS.md");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "# House rules\r\n\r\nBe kind.\r\n").unwrap();
    world.connect(Client::Codex, Scope::User, WITH).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# House rules\r\n\r\nBe kind.\r\n") && text.contains("review_gate_chat"), "{text}");
    fs::write(&file, format!("{text}More of mine.\r\n")).unwrap();
    world.disconnect(Client::Codex, Scope::User).unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# House rules\r\n\r\nBe kind.\r\n\r\nMore of mine.\r\n",
        "what was written since stays, too"
    );
}

#[test]
fn a_section_that_two_clients_read_goes_with_the_last() {
    let world = World::new();
    fs::write(world.project().join("AGENTS.md"), "# Ours").unwrap();
    let before = world.everything();
    world.connect(Client::Codex, Scope::Project, WITH).unwrap();
    world.connect(Client::OpenCode, Scope::Project, WITH).unwrap();
    let text = || fs::read_to_string(world.project().join("AGENTS.md")).unwrap();
    assert_eq!(text().matches("review-gate: begin").count(), 1, "it stands there once");
    world.disconnect(Client::Codex, Scope::Project).unwrap();
    assert!(text().contains(RULES), "opencode still reads it");
    world.disconnect(Client::OpenCode, Scope::Project).unwrap();
    assert_eq!(world.everything(), before, "then it is gone, byte for byte");
}

#[test]
fn rules_that_were_rewritten_by_hand_stay() {
    let world = World::new();
    let file = rules_file(&world, Client::ClaudeCode, Scope::User).unwrap();
    world.connect(Client::ClaudeCode, Scope::User, WITH).unwrap();
    fs::write(&file, "Ask me about everything.\n").unwrap();
    assert_eq!(state(&world, Client::ClaudeCode), RulesState::Changed);
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, WITH).unwrap();
    assert_eq!((plan.is_any(), plan.remarks), (false, vec![Remark::RulesStay(file.clone())]), "not overwritten");
    world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "Ask me about everything.\n", "and not deleted");
}

#[test]
fn a_client_without_a_place_for_them_is_told_of() {
    let world = World::new();
    let plan = world.connector.plan_connect(Client::ClaudeDesktop, Scope::User, WITH).unwrap();
    assert_eq!(plan.remarks, [Remark::NoRules], "the person pastes them");
    assert_eq!(state(&world, Client::ClaudeDesktop), RulesState::Unsupported);
}
