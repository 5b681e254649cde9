//! What agents' programs keep, as far as an agent in a sandbox is to write it or not: its state, and what configures it or
//! other agents. What configures one can make it run programs, outside of a sandbox, too.

use std::path::{Path, PathBuf};

use crate::catalogue::{Client, Scope};
use crate::folders::Folders;
use crate::paths;

/// What a client keeps of a user's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The folders of its state, in which it writes.
    pub state: Vec<PathBuf>,
    /// Files in which it keeps state and configuration together.
    pub mixed: Vec<PathBuf>,
    /// What configures it, in those folders.
    pub configuration: Vec<PathBuf>,
}

/// What configures clients in a project, below its folder: servers, settings, hooks and tasks that run programs. What
/// [`further`] names for a user is there in a project, too.
const IN_A_PROJECT: [&str; 14] = [
    ".mcp.json",
    ".cursor/cli.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    // All of it.
    ".codex",
    ".zed/settings.json",
    ".zed/tasks.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode",
    // Of several clients.
    ".agents/skills",
    ".devcontainer",
];

/// The folder in which a client has the same in a project as a user has it in the folder of its state; absent where it has
/// none, or all of that is in [`IN_A_PROJECT`].
fn folder_in_a_project(client: Client) -> Option<&'static str> {
    match client {
        Client::ClaudeCode => Some(".claude"),
        Client::Gemini => Some(".gemini"),
        Client::Cursor => Some(".cursor"),
        Client::Continue => Some(".continue"),
        Client::JetBrains => Some(".junie"),
        Client::Codex
        | Client::OpenCode
        | Client::Goose
        | Client::Cline
        | Client::ClaudeDesktop
        | Client::VsCode
        | Client::Windsurf
        | Client::Zed => None,
    }
}

/// What a client has in the folder of its state, and in its folder of a project, that configures it, besides what the
/// installer writes.
fn further(client: Client) -> &'static [&'static str] {
    match client {
        Client::ClaudeCode => &[
            "settings.json",
            "settings.local.json",
            "CLAUDE.md",
            "agents",
            "commands",
            "hooks",
            "output-styles",
            "plugins",
            "rules",
            "skills",
        ],
        Client::Codex => &["config.toml", "AGENTS.md", "hooks.json", "prompts", "rules", "skills"],
        Client::Gemini => &[
            "settings.json",
            "GEMINI.md",
            ".env",
            "agents",
            "commands",
            "extensions",
            "policies",
            "skills",
            "trustedFolders.json",
        ],
        Client::OpenCode => &[],
        Client::Goose => &[],
        Client::Cline => &["data/settings"],
        Client::Cursor => &["mcp.json", "cli-config.json", "hooks.json", "hooks", "commands", "rules"],
        Client::Continue => &["config.yaml", "config.json", "config.ts", "mcpServers", "rules"],
        Client::JetBrains => &["mcp", "AGENTS.md"],
        Client::ClaudeDesktop | Client::VsCode | Client::Windsurf | Client::Zed => &[],
    }
}

/// What a client keeps of this user's; nothing where it is no program for a terminal.
#[must_use]
pub fn kept(client: Client, folders: &Folders) -> Kept {
    let below = |name: &str| folders.home.join(name);
    let of_xdg = |name: &str| {
        let places = [".local/share", ".local/state", ".cache"].map(|place| folders.home.join(place).join(name));
        places.to_vec()
    };
    let state = match client {
        Client::ClaudeCode => vec![folders.claude.clone().unwrap_or_else(|| below(".claude"))],
        Client::Codex => vec![folders.codex.clone().unwrap_or_else(|| below(".codex"))],
        Client::Gemini => vec![below(".gemini")],
        Client::Cursor => vec![below(".cursor")],
        Client::Cline => vec![below(".cline")],
        Client::Continue => vec![below(".continue")],
        Client::JetBrains => vec![below(".junie")],
        // Their configuration lies apart from it, and is seen.
        Client::OpenCode => of_xdg("opencode"),
        Client::Goose => of_xdg("goose"),
        Client::ClaudeDesktop | Client::VsCode | Client::Windsurf | Client::Zed => return Kept::default(),
    };
    let files = paths::files(client, Scope::User, folders);
    let in_state = |file: &PathBuf| state.iter().any(|folder| file.starts_with(folder));
    // Claude Code's is rewritten at each start.
    let (mixed, files) = if client == Client::ClaudeCode { (files, Vec::new()) } else { (Vec::new(), files) };
    let further = state.iter().flat_map(|folder| further(client).iter().map(move |name| folder.join(name)));
    let configuration = files.into_iter().filter(in_state).chain(further).collect();
    Kept { state, mixed, configuration }
}

/// The folders that a client's configuration lies in, apart from its state: it reads them.
#[must_use]
pub fn configured_apart(client: Client, folders: &Folders) -> Vec<PathBuf> {
    let state = kept(client, folders).state;
    let files = paths::files(client, Scope::User, folders);
    let apart = files.into_iter().filter(|file| !state.iter().any(|folder| file.starts_with(folder)));
    match client {
        Client::OpenCode | Client::Goose => apart.filter_map(|file| Some(file.parent()?.to_owned())).collect(),
        _ => Vec::new(),
    }
}

/// What configures clients in a project, below its folder.
#[must_use]
pub fn configuration_of_projects() -> Vec<PathBuf> {
    let of_users = Client::ALL.into_iter().filter_map(|client| Some((client, folder_in_a_project(client)?)));
    let of_users =
        of_users.flat_map(|(client, folder)| further(client).iter().map(move |name| Path::new(folder).join(name)));
    IN_A_PROJECT.into_iter().map(PathBuf::from).chain(of_users).collect()
}

/// The client that a program of this name is; absent where it is none of the catalogue's.
#[must_use]
pub fn of_program(name: &str) -> Option<Client> {
    Client::ALL.into_iter().find(|client| paths::programs(*client).contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::Platform;

    #[test]
    fn a_client_writes_its_state_and_reads_its_configuration() {
        let folders = Folders::below("/home/you", Platform::Linux);
        let claude = kept(Client::ClaudeCode, &folders);
        assert_eq!(claude.state, [Path::new("/home/you/.claude")]);
        assert_eq!(claude.mixed, [Path::new("/home/you/.claude.json")], "it writes that at each start");
        assert!(claude.configuration.contains(&PathBuf::from("/home/you/.claude/settings.json")));
        let codex = kept(Client::Codex, &folders);
        assert!(codex.configuration.contains(&PathBuf::from("/home/you/.codex/config.toml")));
        assert_eq!(configured_apart(Client::OpenCode, &folders), [Path::new("/home/you/.config/opencode")]);
        assert_eq!(kept(Client::VsCode, &folders), Kept::default(), "an editor is no program for a terminal");
        assert_eq!((of_program("codex"), of_program("sh")), (Some(Client::Codex), None));
    }

    #[test]
    fn what_the_installer_writes_in_a_project_is_configuration_there() {
        let folders = Folders::below("/home/you", Platform::Linux).with_project(Path::new("/p"));
        for client in Client::ALL {
            for file in paths::files(client, Scope::Project, &folders) {
                let is_named =
                    configuration_of_projects().iter().any(|path| file.starts_with(Path::new("/p").join(path)));
                assert!(is_named, "{} would be the agent's to write", file.display());
            }
        }
    }

    #[test]
    fn what_configures_a_client_of_a_users_is_not_the_agents_to_write_in_a_project_either() {
        let (folders, of_projects) = (Folders::below("/p", Platform::Linux), configuration_of_projects());
        for client in Client::ALL {
            for file in kept(client, &folders).configuration {
                // Cline has a folder of its own for projects, with text alone.
                let is_named = of_projects.iter().any(|path| file.starts_with(Path::new("/p").join(path)));
                assert!(is_named || client == Client::Cline, "{} would be the agent's to write", file.display());
            }
        }
        for name in [".claude/agents", ".claude/commands", ".claude/skills", ".claude/plugins", ".gemini/commands"] {
            assert!(of_projects.contains(&PathBuf::from(name)), "{name} makes a client run programs");
        }
    }
}
