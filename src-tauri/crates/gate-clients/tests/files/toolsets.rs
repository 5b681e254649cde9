//! What an entry asks for: that it is told once and stays, and that nothing beside it changes.

use std::fs;

use gate_clients::{Client, Options, Permission, Scope, State, Toolsets, states};
use gate_core::Code;

use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };

fn asking_for(names: &[&str]) -> Options {
    Options { toolsets: Some(Toolsets::named(names.iter().copied()).unwrap()), ..PLAIN }
}

fn state(world: &World, client: Client) -> State {
    states(world.connector.folders()).into_iter().find(|state| state.client == client).unwrap()
}

fn served(world: &World, client: Client) -> Vec<&'static str> {
    state(world, client).toolsets.into_iter().flat_map(Toolsets::names).collect()
}

#[test]
fn every_client_is_told_what_to_serve_and_keeps_it_until_it_is_told_otherwise() {
    for client in Client::ALL {
        let world = World::new();
        let everything = world.everything();
        world.connect(client, Scope::User, PLAIN).unwrap();
        let plain = world.everything();
        assert_eq!(served(&world, client), ["gate"], "{client:?}: by itself");
        world.connect(client, Scope::User, asking_for(&["gate", "broker"])).unwrap();
        assert_eq!(served(&world, client), ["gate", "broker"], "{client:?}");
        let again = world.connector.plan_connect(client, Scope::User, PLAIN).unwrap();
        assert!(!again.is_any(), "{client:?}: it stays: {}", again.changes[0].diff("x"));
        world.connect(client, Scope::User, asking_for(&["gate"])).unwrap();
        assert_eq!(world.everything(), plain, "{client:?}: as it was by itself");
        world.connect(client, Scope::User, asking_for(&["broker"])).unwrap();
        world.disconnect(client, Scope::User).unwrap();
        assert_eq!(world.everything(), everything, "{client:?}: it is as if nothing had been");
    }
}

#[test]
fn what_a_person_has_written_there_by_hand_stays() {
    let world = World::new();
    world.connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    let file = state(&world, Client::Cursor).files[0].path.clone();
    let text = fs::read_to_string(&file).unwrap();
    let by_hand = text.replace("\"mcp\"", "\"mcp\", \"--toolset=all\"");
    assert_ne!(by_hand, text, "{text}");
    fs::write(&file, by_hand).unwrap();
    assert_eq!(served(&world, Client::Cursor), ["gate", "broker", "workflow"]);
    world.connect(Client::Cursor, Scope::User, Options { rules: true, ..PLAIN }).unwrap();
    assert_eq!(served(&world, Client::Cursor), ["gate", "broker", "workflow"], "connecting again takes nothing away");
}

#[test]
fn a_file_of_our_own_that_was_changed_by_hand_is_left_as_it_is() {
    let world = World::new();
    world.connect(Client::Continue, Scope::User, PLAIN).unwrap();
    let file = state(&world, Client::Continue).files[0].path.clone();
    let by_hand = fs::read_to_string(&file).unwrap() + "# mine\n";
    fs::write(&file, &by_hand).unwrap();
    let fault = world.connect(Client::Continue, Scope::User, asking_for(&["broker"])).unwrap_err();
    assert_eq!(fault.code, Code::ClientFile);
    assert!(fault.mend.contains(r#"args: ["mcp","--toolset","broker"]"#), "it says what to write: {fault}");
    assert_eq!(fs::read_to_string(&file).unwrap(), by_hand);
    world.connect(Client::Continue, Scope::User, PLAIN).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), by_hand, "what asks for nothing else changes nothing");
}

#[test]
fn permission_is_for_each_tool_that_is_served() {
    let world = World::new();
    world.connect(Client::Cline, Scope::User, Options { allow: true, ..PLAIN }).unwrap();
    assert_eq!(state(&world, Client::Cline).permission, Permission::Given);
    world.connect(Client::Cline, Scope::User, asking_for(&["gate", "broker"])).unwrap();
    assert_eq!(state(&world, Client::Cline).permission, Permission::NotGiven, "nobody allowed the new ones");
    world.connect(Client::Cline, Scope::User, Options { allow: true, ..PLAIN }).unwrap();
    assert_eq!(state(&world, Client::Cline).permission, Permission::Given);
    let text = fs::read_to_string(&state(&world, Client::Cline).files[0].path).unwrap();
    assert!(text.contains("\"submit_verdict\"") && text.contains("\"review_gate_chat\""), "{text}");
}
