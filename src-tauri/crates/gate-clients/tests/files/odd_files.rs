//! Links, modes, folders and sizes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use gate_clients::{Client, Options, Scope};
use gate_core::{Code, bounds};

use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };

#[test]
fn a_link_stays_a_link_and_what_it_leads_to_is_written() {
    let world = World::new();
    let file = world.write(Client::Cursor, "");
    let dotfiles = world.home().join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    fs::write(dotfiles.join("cursor.json"), "{\"mcpServers\": {}}\n").unwrap();
    fs::remove_file(&file).unwrap();
    symlink(dotfiles.join("cursor.json"), &file).unwrap();
    let before = world.everything();
    world.connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink(), "it is the same link");
    assert!(fs::read_to_string(dotfiles.join("cursor.json")).unwrap().contains("review-gate"), "its target has it");
    world.disconnect(Client::Cursor, Scope::User).unwrap();
    assert_eq!(world.everything(), before, "and all is as it was");
}

#[test]
fn modes_are_kept() {
    for mode in [0o600, 0o640, 0o644, 0o755] {
        let world = World::new();
        let file = world.write(Client::ClaudeCode, "{}");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let now = || fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
        world.connect(Client::ClaudeCode, Scope::User, PLAIN).unwrap();
        assert_eq!(now(), mode, "after connecting");
        world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
        assert_eq!(now(), mode, "and after disconnecting");
    }
}

#[test]
fn what_is_kept_can_be_read_by_this_user_only() {
    let world = World::new();
    world.write(Client::Cursor, "{\"mcpServers\": {\"a\": {\"env\": {\"KEY\": \"secret\"}}}}");
    let done = world.connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&done.backups[0]), 0o600, "other servers' keys may be in it");
    assert_eq!(mode(done.backups[0].parent().unwrap()), 0o700, "and nobody else comes near");
    assert_eq!(mode(&world.data().join("clients.json")), 0o600, "nor learns what was written where");
}

#[test]
fn files_that_are_none_are_refused_and_left() {
    let world = World::new();
    let file = world.write(Client::Cursor, "{}");
    let refused = |says: &str, code: Code| {
        let before = world.everything();
        let fault = world.connect(Client::Cursor, Scope::User, PLAIN).expect_err(says);
        assert_eq!(fault.code, code, "{fault}");
        assert!(fault.message.contains(says), "{says:?}: {fault}");
        assert_eq!(world.everything(), before, "{says}: nothing is written");
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    refused("read-only", Code::ReadOnly);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("is a folder", Code::ClientFile);
    fs::remove_dir(&file).unwrap();
    symlink(file.with_file_name("gone.json"), &file).unwrap();
    refused("leads nowhere", Code::ClientFile);
    fs::remove_file(&file).unwrap();
    symlink(&file, &file).unwrap();
    refused("leads nowhere", Code::ClientFile);
    fs::remove_file(&file).unwrap();
    fs::remove_dir(file.parent().unwrap()).unwrap();
    fs::write(file.parent().unwrap(), "a file").unwrap();
    refused("mcp.json", Code::ClientFile);
}

#[test]
fn a_file_may_have_a_mebibyte_and_claude_codes_history_sixteen() {
    let padded = |bytes: usize| {
        let (start, end) = ("{\"note\": \"", "\"}\n");
        format!("{start}{}{end}", "x".repeat(bytes - start.len() - end.len()))
    };
    for (client, bound) in
        [(Client::Cursor, bounds::CLIENT_FILE_BYTES), (Client::ClaudeCode, bounds::CLIENT_STATE_BYTES)]
    {
        let world = World::new();
        world.write(client, padded(bound));
        let before = world.everything();
        let plan = world.connector.plan_connect(client, Scope::User, PLAIN).unwrap();
        assert!(plan.is_any(), "{client:?}: {bound} bytes are read");
        world.write(client, padded(bound + 1));
        let fault = world.connect(client, Scope::User, PLAIN).expect_err("a byte more isn't");
        assert_eq!(fault.code, Code::TooLarge, "{fault}");
        assert!(fault.message.contains(&bound.to_string()), "the bound is named: {fault}");
        assert_eq!(world.everything().len(), before.len(), "nothing is written");
    }
}

#[test]
fn a_file_that_changes_after_the_plan_was_made_is_left() {
    let world = World::new();
    let file = world.write(Client::Cursor, "{}");
    let plan = world.connector.plan_connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    fs::write(&file, "{\"mcpServers\": {\"new\": {}}}").unwrap();
    let fault = world.connector.carry_out(&plan).expect_err("the plan is of another file");
    assert_eq!(fault.code, Code::ClientFile, "{fault}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"mcpServers\": {\"new\": {}}}", "it is as the other left it");
}

#[test]
fn a_backup_that_is_damaged_is_not_given_back() {
    let world = World::new();
    let file = world.write(Client::Cursor, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    let done = world.connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    fs::write(&done.backups[0], "garbage").unwrap();
    world.disconnect(Client::Cursor, Scope::User).unwrap();
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(left, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n", "our entry is taken out instead");
}

#[test]
fn cline_is_connected_in_every_editor_that_has_it() {
    let world = World::new();
    for editor in ["Code", "VSCodium"] {
        let folder =
            world.home().join(".config").join(editor).join("User/globalStorage/saoudrizwan.claude-dev/settings");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("cline_mcp_settings.json"), "{\n  \"mcpServers\": {}\n}").unwrap();
    }
    let before = world.everything();
    let done = world.connect(Client::Cline, Scope::User, PLAIN).unwrap();
    assert_eq!(done.files.len(), 2, "both, and not the command line's, which isn't there: {done:?}");
    world.disconnect(Client::Cline, Scope::User).unwrap();
    assert_eq!(world.everything(), before);
}
