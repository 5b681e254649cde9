//! Permission to call our tools without asking the person: where it stands, that it is ours alone, and that it goes out
//! as it came.

use std::fs;
use std::path::PathBuf;

use gate_clients::{Client, Options, Permission, Remark, Scope, configured, states};

use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };
const ALLOW: Options = Options { rules: false, take_over: false, allow: true, questions: false, toolsets: None };
const LISTED: &str = "\"review_gate_chat\", \"review_gate_update_progress\", \"review_gate_get_context\", \"review_gate_create_checkpoint\", \"review_gate_list_checkpoints\", \"review_gate_restore_checkpoint\", \"review_gate_get_config\", \"review_gate_update_config\"";

fn permission(world: &World, client: Client) -> Permission {
    states(world.connector.folders()).into_iter().find(|state| state.client == client).unwrap().permission
}

fn settings(world: &World, text: &str) -> PathBuf {
    let file = world.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn each_client_is_told_in_its_own_words_and_forgets_them() {
    for (client, before, says) in [
        (Client::Codex, "# mine\nmodel = 'x' # the best\n", "default_tools_approval_mode = \"approve\"\n".to_owned()),
        (Client::Gemini, "{\n  // theirs\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}", "\"trust\": true".to_owned()),
        (
            Client::Cline,
            "{\n  \"mcpServers\": {\n    \"a\": { \"autoApprove\": [] }, // one\n  }\n}\n",
            LISTED.to_owned(),
        ),
    ] {
        let world = World::new();
        let file = world.write(client, before);
        let everything = world.everything();
        world.connect(client, Scope::User, PLAIN).unwrap();
        assert_eq!(permission(&world, client), Permission::NotGiven, "{client:?} asks unless it is told");
        assert!(!fs::read_to_string(&file).unwrap().contains(&says), "{client:?}: nobody asked for it");
        world.connect(client, Scope::User, ALLOW).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(&says), "{client:?}:\n{text}");
        assert_eq!(text.matches(&says).count(), 1, "{client:?}: in our entry alone:\n{text}");
        assert_eq!(permission(&world, client), Permission::Given, "{client:?}: and that is seen");
        for options in [ALLOW, PLAIN] {
            let again = world.connector.plan_connect(client, Scope::User, options).unwrap();
            assert!(!again.is_any(), "{client:?}: what stands stays: {}", again.changes[0].diff("x"));
        }
        world.disconnect(client, Scope::User).unwrap();
        assert_eq!(world.everything(), everything, "{client:?}: it is as if nothing had been");
    }
}

#[test]
fn a_word_of_the_persons_own_gives_way_when_asked_and_comes_back() {
    let world = World::new();
    let before = "[mcp_servers.review-gate]\ncommand = \"/old/review-gate\"\nargs = [\"mcp\"]\ndefault_tools_approval_mode = \"prompt\" # careful\ntool_timeout_sec = 3600\n";
    let file = world.write(Client::Codex, before);
    world.connect(Client::Codex, Scope::User, PLAIN).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("\"prompt\" # careful"), "theirs stays");
    world.connect(Client::Codex, Scope::User, ALLOW).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("\"approve\" # careful"), "they asked for it");
    world.disconnect(Client::Codex, Scope::User).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "and it comes back");
}

#[test]
fn tools_that_cline_has_already_stay_in_its_list() {
    let world = World::new();
    let before = "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"command\": \"/opt/review gate/bin/review-gate\",\n      \"args\": [\"mcp\"],\n      \"timeout\": 3600,\n      \"autoApprove\": [\n        \"mine\", // why\n        \"review_gate_chat\"\n      ]\n    }\n  }\n}\n";
    let file = world.write(Client::Cline, before);
    world.connect(Client::Cline, Scope::User, ALLOW).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("\"mine\", // why\n        \"review_gate_chat\",\n        \"review_gate_update_progress\",\n"),
        "{text}"
    );
    assert_eq!(text.matches("review_gate_chat").count(), 1, "once is enough: {text}");
    assert_eq!(permission(&world, Client::Cline), Permission::Given);
}

#[test]
fn claude_codes_list_gets_its_items_and_loses_them_again() {
    for before in [
        "{}",
        "{\n  \"theme\": \"dark\"\n}\n",
        "{\n  \"permissions\": {\n    \"deny\": [\"Read(.env)\"]\n  }\n}\n",
        "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n",
        "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"mcp__github\"]\n  }\n}\n",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ],\n    \"ask\": []\n  }\n}\n",
        "{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}",
    ] {
        for touched in [false, true] {
            let world = World::new();
            let file = settings(&world, before);
            let everything = world.everything();
            world.connect(Client::ClaudeCode, Scope::User, ALLOW).unwrap();
            let text = fs::read_to_string(&file).unwrap();
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let listed = value["permissions"]["allow"].as_array().unwrap();
            assert_eq!(listed.last(), Some(&"mcp__review-gate".into()), "{text}");
            assert_eq!(listed.len(), before.matches("Bash").count() + before.matches("mcp__").count() + 2, "{text}");
            let copies = format!("Read(/{}/**)", world.copies().display());
            assert_eq!(listed[listed.len() - 2], copies, "and may read what the person attaches: {text}");
            assert_eq!(permission(&world, Client::ClaudeCode), Permission::Given);
            let plain = world.connector.plan_connect(Client::ClaudeCode, Scope::User, PLAIN).unwrap();
            assert!(!plain.is_any(), "without the option, what stands stays");
            if touched {
                fs::write(&file, format!("{text}\n")).unwrap();
            }
            world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
            if touched {
                let left = fs::read_to_string(&file).unwrap();
                assert_eq!(left.trim_end(), before.trim_end(), "beside what others changed, only ours goes");
            } else {
                assert_eq!(world.everything(), everything, "to the byte: {before}");
            }
        }
    }
}

#[test]
fn claude_codes_comments_stay() {
    let world = World::new();
    let before = "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\", // safe\n      /* last */ \"Bash(pwd)\" // too\n    ],\n  },\n}\n";
    let file = settings(&world, before);
    world.connect(Client::ClaudeCode, Scope::User, ALLOW).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let copies = world.copies();
    let ours = format!("\"Bash(pwd)\", // too\n      \"Read(/{}/**)\",\n      \"mcp__review-gate\"", copies.display());
    assert_eq!(text, before.replace("\"Bash(pwd)\" // too", &ours));
    fs::write(&file, format!("{text}// end\n")).unwrap();
    world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{before}// end\n"), "only our items go");
}

#[test]
fn permission_that_the_person_gave_is_theirs() {
    for item in ["mcp__review-gate", "mcp__review-gate__*"] {
        let world = World::new();
        let before = format!("{{\n  \"permissions\": {{\n    \"allow\": [ \"{item}\" ]\n  }}\n}}\n");
        let file = settings(&world, &before);
        world.connect(Client::ClaudeCode, Scope::User, ALLOW).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("mcp__").count(), 1, "it is there already: {text}");
        assert_eq!(permission(&world, Client::ClaudeCode), Permission::Given);
        world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "and stays");
    }
}

#[test]
fn copies_of_attachments_may_be_read_and_nothing_else() {
    let theirs = "{\n  \"context\": {\n    \"includeDirectories\": [\"/srv/docs\"]\n  }\n}\n";
    let rule = "{\n  \"permission\": {\n    \"external_directory\": {\n      \"/srv/*\": \"ask\"\n    }\n  }\n}\n";
    for (client, before) in
        [(Client::Gemini, "{}\n"), (Client::Gemini, theirs), (Client::OpenCode, "{}\n"), (Client::OpenCode, rule)]
    {
        for touched in [false, true] {
            let world = World::new();
            let copies = world.copies();
            let file = world.write(client, before);
            let everything = world.everything();
            world.connect(client, Scope::User, PLAIN).unwrap();
            assert!(!fs::read_to_string(&file).unwrap().contains(copies.to_str().unwrap()), "nobody asked for it");
            world.connect(client, Scope::User, ALLOW).unwrap();
            assert!(copies.is_dir(), "{client:?}: it is there to be read");
            let text = fs::read_to_string(&file).unwrap();
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            if client == Client::Gemini {
                let listed = value["context"]["includeDirectories"].as_array().unwrap();
                assert_eq!(listed.last().unwrap(), copies.to_str().unwrap(), "{text}");
                assert_eq!(listed.len(), 1 + before.matches("/srv").count(), "{text}");
            } else {
                let rules = value["permission"]["external_directory"].as_object().unwrap();
                assert_eq!(rules[&format!("{}/*", copies.display())], "allow", "{text}");
                assert_eq!(rules.len(), 1 + before.matches("/srv").count(), "{text}");
            }
            let again = world.connector.plan_connect(client, Scope::User, ALLOW).unwrap();
            assert!(!again.is_any(), "{client:?}: once is enough");
            if touched {
                fs::write(&file, format!("{text}\n")).unwrap();
            }
            world.disconnect(client, Scope::User).unwrap();
            if touched {
                let left = fs::read_to_string(&file).unwrap();
                let (left, before): (serde_json::Value, serde_json::Value) =
                    (serde_json::from_str(&left).unwrap(), serde_json::from_str(before).unwrap());
                assert_eq!(left, before, "{client:?}: beside what others changed, only ours goes");
            } else {
                assert_eq!(world.everything(), everything, "{client:?}: to the byte");
            }
        }
    }
}

#[test]
fn a_word_for_all_folders_is_the_persons() {
    for before in ["{\"permission\": \"ask\"}", "{\"permission\": {\"external_directory\": \"deny\"}}"] {
        let world = World::new();
        let file = world.write(Client::OpenCode, before);
        world.connect(Client::OpenCode, Scope::User, ALLOW).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let [now, then]: [serde_json::Value; 2] = [&*text, before].map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(now["permission"], then["permission"], "it stays: {text}");
    }
}

#[test]
fn from_nothing_to_nothing_in_every_client_and_scope() {
    for client in Client::ALL {
        for scope in [Scope::User, Scope::Project] {
            let world = World::new();
            let before = world.everything();
            if world.file(client, scope).is_none() {
                continue;
            }
            world.connect(client, scope, ALLOW).unwrap();
            let found = configured(world.connector.folders()).into_iter().find(|found| found.scope == scope).unwrap();
            let wanted = match client {
                Client::ClaudeCode | Client::Codex | Client::Gemini | Client::Cline => Permission::Given,
                Client::Goose | Client::OpenCode => Permission::NotNeeded,
                _ => Permission::ByHand,
            };
            assert_eq!(found.permission, wanted, "{client:?}, {scope:?}");
            let told = client.allow_step().is_some();
            assert!(told || wanted == Permission::Given, "{client:?}: what isn't written is told");
            world.disconnect(client, scope).unwrap();
            assert_eq!(world.everything(), before, "{client:?}, {scope:?}: files and folders that were made are gone");
        }
    }
}

#[test]
fn in_a_project_the_projects_file_is_written_and_the_users_counts() {
    let world = World::new();
    world.connect(Client::ClaudeCode, Scope::Project, ALLOW).unwrap();
    let own = fs::read_to_string(world.project().join(".claude/settings.json")).unwrap();
    assert!(own.contains("\"mcp__review-gate\""), "{own}");
    assert!(!world.home().join(".claude/settings.json").exists(), "nothing is allowed elsewhere");
    world.disconnect(Client::ClaudeCode, Scope::Project).unwrap();
    settings(&world, "{\"permissions\": {\"allow\": [\"mcp__review-gate\"]}}");
    world.connect(Client::ClaudeCode, Scope::Project, PLAIN).unwrap();
    assert_eq!(permission(&world, Client::ClaudeCode), Permission::Given, "the user's own holds everywhere");
}

#[test]
fn a_server_of_our_name_at_an_address_gets_none() {
    for (client, key) in [(Client::Gemini, "httpUrl"), (Client::ClaudeCode, "url")] {
        let world = World::new();
        let before = format!("{{\"mcpServers\": {{\"review-gate\": {{\"{key}\": \"https://example.com/mcp\"}}}}}}");
        let file = world.write(client, &before);
        let everything = world.everything();
        let plan = world.connector.plan_connect(client, Scope::User, ALLOW).unwrap();
        assert!(!plan.is_any(), "{client:?}: it may be another's");
        assert_eq!(plan.remarks, [Remark::OverHttp(file.clone()), Remark::NotAllowed(file)], "and that is said");
        world.connector.carry_out(&plan).unwrap();
        assert_eq!(world.everything(), everything, "{client:?}");
    }
}

#[test]
fn a_list_that_is_something_else_is_left_alone() {
    for text in ["{\"permissions\": []}", "{\"permissions\": {\"allow\": \"all\"}}", "{ broken"] {
        let world = World::new();
        let file = settings(&world, text);
        let everything = world.everything();
        let fault = world.connect(Client::ClaudeCode, Scope::User, ALLOW).expect_err(text);
        assert!(fault.message.contains(file.to_str().unwrap()), "it is named: {fault}");
        assert_eq!(world.everything(), everything, "nothing is written, not even the entry");
    }
}
