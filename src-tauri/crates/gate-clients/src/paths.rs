//! Where each client keeps its configuration and its rules, and how it is found. Sources are named with
//! each client in [`Client`], and here where they are others.

use std::path::{Path, PathBuf};

use gate_core::bounds::{CLIENT_FILE_BYTES, CLIENT_STATE_BYTES};

use crate::catalogue::{Client, Format, Scope};
use crate::folders::{Folders, Platform, plain};

/// A file that a client reads its servers from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    pub(crate) file: PathBuf,
    /// What is there if this kind of the client is: a folder or a file.
    signs: Vec<PathBuf>,
}

impl ConfigFile {
    fn new(file: PathBuf, signs: Vec<PathBuf>) -> Self {
        Self { file: plain(&file), signs }
    }

    fn is_there(&self) -> bool {
        self.file.exists() || self.signs.iter().any(|sign| sign.exists())
    }
}

/// A file that a client reads rules from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RulesFile {
    pub(crate) file: PathBuf,
    pub(crate) kind: RulesKind,
}

/// How the rules stand in their file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesKind {
    /// Alone, after these lines.
    Alone(&'static str),
    /// Between two marks, in a file that others write in as well.
    Section,
}

/// The editors built on VS Code that keep what it keeps, in folders of their own.
const EDITORS: [&str; 3] = ["Code", "Code - Insiders", "VSCodium"];
/// Cline's folder in each of them.
const CLINE: &str = "saoudrizwan.claude-dev";

/// The files of a client that there may be; none where the client has no configuration for this scope. The
/// first is the one that is made where none is there.
fn all(client: Client, scope: Scope, folders: &Folders) -> Vec<ConfigFile> {
    match scope {
        Scope::User => of_user(client, folders),
        Scope::Project => folders.project.iter().filter_map(|project| of_project(client, project)).collect(),
    }
}

fn of_user(client: Client, folders: &Folders) -> Vec<ConfigFile> {
    let home = &folders.home;
    let one = |file: PathBuf, signs: Vec<PathBuf>| vec![ConfigFile::new(file, signs)];
    match client {
        Client::Cursor => one(home.join(".cursor/mcp.json"), vec![home.join(".cursor"), folders.apps.join("Cursor")]),
        Client::ClaudeCode => {
            let folder = claude(folders);
            let file = folders.claude.as_deref().unwrap_or(home).join(".claude.json");
            one(file, vec![folder])
        }
        Client::ClaudeDesktop => {
            let folder = folders.apps.join("Claude");
            one(folder.join("claude_desktop_config.json"), vec![folder])
        }
        Client::VsCode => {
            let editors = EDITORS.map(|editor| folders.apps.join(editor));
            editors.into_iter().map(|folder| ConfigFile::new(folder.join("User/mcp.json"), vec![folder])).collect()
        }
        Client::Codex => {
            let folder = codex(folders);
            one(folder.join("config.toml"), vec![folder])
        }
        Client::Windsurf => {
            let folder = home.join(".codeium/windsurf");
            one(folder.join("mcp_config.json"), vec![folder])
        }
        // Files in this folder are read in addition to config.yaml: continuedev/continue,
        // core/config/loadLocalAssistants.ts.
        Client::Continue => {
            let folder = home.join(".continue");
            one(folder.join("mcpServers/review-gate.yaml"), vec![folder])
        }
        // The CLI's file is docs.cline.bot/cline-cli/configuration's, the editors' is cline/cline,
        // src/core/storage/disk.ts.
        Client::Cline => {
            let own = home.join(".cline");
            let editors = EDITORS.map(|editor| folders.apps.join(editor).join("User/globalStorage").join(CLINE));
            let editors = editors
                .into_iter()
                .map(|folder| ConfigFile::new(folder.join("settings/cline_mcp_settings.json"), vec![folder]));
            let cli = ConfigFile::new(own.join("data/settings/cline_mcp_settings.json"), vec![own]);
            std::iter::once(cli).chain(editors).collect()
        }
        Client::Zed => {
            let folder = match folders.platform {
                Platform::Windows => folders.apps.join("Zed"),
                Platform::Linux | Platform::MacOs => folders.config.join("zed"),
            };
            one(folder.join("settings.json"), vec![folder])
        }
        Client::Gemini => one(home.join(".gemini/settings.json"), vec![home.join(".gemini")]),
        Client::JetBrains => {
            one(home.join(".junie/mcp/mcp.json"), vec![home.join(".junie"), folders.apps.join("JetBrains")])
        }
        Client::Goose => {
            let folder = goose(folders);
            one(folder.join("config.yaml"), vec![folder])
        }
        Client::OpenCode => {
            let folder = folders.config.join("opencode");
            vec![ConfigFile::new(opencode(&folder), vec![folder])]
        }
    }
}

fn of_project(client: Client, project: &Path) -> Option<ConfigFile> {
    let file = match client {
        Client::Cursor => project.join(".cursor/mcp.json"),
        Client::ClaudeCode => project.join(".mcp.json"),
        Client::VsCode => project.join(".vscode/mcp.json"),
        Client::Codex => project.join(".codex/config.toml"),
        Client::Continue => project.join(".continue/mcpServers/review-gate.yaml"),
        Client::Zed => project.join(".zed/settings.json"),
        Client::Gemini => project.join(".gemini/settings.json"),
        Client::JetBrains => project.join(".junie/mcp/mcp.json"),
        Client::OpenCode => opencode(project),
        Client::ClaudeDesktop | Client::Windsurf | Client::Cline | Client::Goose => return None,
    };
    Some(ConfigFile::new(file, Vec::new()))
}

fn claude(folders: &Folders) -> PathBuf {
    folders.claude.clone().unwrap_or_else(|| folders.home.join(".claude"))
}

fn codex(folders: &Folders) -> PathBuf {
    folders.codex.clone().unwrap_or_else(|| folders.home.join(".codex"))
}

fn goose(folders: &Folders) -> PathBuf {
    match folders.platform {
        Platform::Windows => folders.apps.join("Block/goose/config"),
        Platform::Linux | Platform::MacOs => folders.config.join("goose"),
    }
}

/// opencode reads both names; the one that is there is the one in use.
fn opencode(folder: &Path) -> PathBuf {
    let with_comments = folder.join("opencode.jsonc");
    if with_comments.exists() { with_comments } else { folder.join("opencode.json") }
}

/// Programs that show that a client is there which hasn't run yet.
pub(crate) fn programs(client: Client) -> &'static [&'static str] {
    match client {
        Client::Cursor => &["cursor", "cursor-agent"],
        Client::ClaudeCode => &["claude"],
        Client::ClaudeDesktop => &["claude-desktop"],
        Client::VsCode => &["code", "code-insiders", "codium"],
        Client::Codex => &["codex"],
        Client::Windsurf => &["windsurf"],
        Client::Continue => &["cn"],
        Client::Cline => &["cline"],
        Client::Zed => &["zed", "zeditor"],
        Client::Gemini => &["gemini"],
        Client::JetBrains => &["junie"],
        Client::Goose => &["goose"],
        Client::OpenCode => &["opencode", "opencode2"],
    }
}

/// Whether the client is on this machine, as far as its folders and programs tell.
pub(crate) fn found(client: Client, folders: &Folders) -> bool {
    of_user(client, folders).iter().any(ConfigFile::is_there)
        || programs(client).iter().any(|program| folders.has_program(program))
}

/// The files that connecting a client changes: those of every kind of it that is there, else the usual one.
/// None where the client has no configuration for this scope.
pub(crate) fn files(client: Client, scope: Scope, folders: &Folders) -> Vec<PathBuf> {
    let all = all(client, scope, folders);
    let there: Vec<PathBuf> = all.iter().filter(|config| config.is_there()).map(|config| config.file.clone()).collect();
    if there.is_empty() { all.into_iter().take(1).map(|config| config.file).collect() } else { there }
}

/// The files in which a client's permission to call our tools may stand, where that is another than the one with our
/// entry; the first is the one that the installer writes. In a project, the user's own file counts as well.
/// <https://code.claude.com/docs/en/settings>
pub(crate) fn allow_files(client: Client, scope: Scope, folders: &Folders) -> Vec<PathBuf> {
    if client != Client::ClaudeCode {
        return Vec::new();
    }
    let user = claude(folders).join("settings.json");
    match (scope, &folders.project) {
        (Scope::User, _) => vec![user],
        (Scope::Project, None) => Vec::new(),
        (Scope::Project, Some(project)) => {
            let own = project.join(".claude");
            vec![own.join("settings.json"), own.join("settings.local.json"), user]
        }
    }
}

/// The files in which it may stand that a client's permission questions come to the gate, each with its format; the first
/// is made where none is there. None where there is no place in this scope. <https://code.claude.com/docs/en/hooks>,
/// <https://developers.openai.com/codex/hooks>, <https://opencode.ai/docs/plugins>
pub(crate) fn question_files(client: Client, scope: Scope, folders: &Folders) -> Vec<(PathBuf, Format)> {
    let folder = |of_user: PathBuf, in_project: &str| match scope {
        Scope::User => Some(of_user),
        Scope::Project => folders.project.as_ref().map(|project| project.join(in_project)),
    };
    let files = match client {
        Client::ClaudeCode => {
            folder(claude(folders), ".claude").map(|folder| vec![(folder.join("settings.json"), Format::Json)])
        }
        Client::Codex => folder(codex(folders), ".codex")
            .map(|folder| vec![(folder.join("hooks.json"), Format::Json), (folder.join("config.toml"), Format::Toml)]),
        Client::OpenCode => folder(folders.config.join("opencode"), ".opencode")
            .map(|folder| vec![(folder.join("plugin/review-gate.js"), Format::Own)]),
        Client::Cursor
        | Client::ClaudeDesktop
        | Client::VsCode
        | Client::Windsurf
        | Client::Continue
        | Client::Cline
        | Client::Zed
        | Client::Gemini
        | Client::JetBrains
        | Client::Goose => None,
    };
    files.unwrap_or_default()
}

/// The file in which Codex keeps which hooks its person trusts.
pub(crate) fn trust_file(folders: &Folders) -> PathBuf {
    codex(folders).join("config.toml")
}

/// Largest file that is read, in bytes.
pub(crate) fn bound(client: Client, scope: Scope) -> usize {
    match (client, scope) {
        (Client::ClaudeCode, Scope::User) => CLIENT_STATE_BYTES,
        _ => CLIENT_FILE_BYTES,
    }
}

const CURSOR_HEAD: &str = "---\ndescription: When to ask the person through Review Gate\nalwaysApply: true\n---\n\n";
const VSCODE_HEAD: &str = "---\ndescription: When to ask the person through Review Gate\napplyTo: '**'\n---\n\n";
const WINDSURF_HEAD: &str = "---\ntrigger: always_on\n---\n\n";
const CONTINUE_HEAD: &str = "---\nname: Review Gate\nalwaysApply: true\n---\n\n";

/// Where a client reads rules; absent where it reads none from files in this scope.
pub(crate) fn rules(client: Client, scope: Scope, folders: &Folders) -> Option<RulesFile> {
    let alone = |file: PathBuf, head: &'static str| RulesFile { file: plain(&file), kind: RulesKind::Alone(head) };
    let section = |file: PathBuf| RulesFile { file: plain(&file), kind: RulesKind::Section };
    let home = &folders.home;
    match scope {
        Scope::User => Some(match client {
            Client::ClaudeCode => alone(claude(folders).join("rules/review-gate.md"), ""),
            Client::VsCode => {
                let file = files(client, scope, folders).into_iter().next()?;
                alone(file.with_file_name("prompts").join("review-gate.instructions.md"), VSCODE_HEAD)
            }
            Client::Codex => section(codex(folders).join("AGENTS.md")),
            Client::Windsurf => section(home.join(".codeium/windsurf/memories/global_rules.md")),
            Client::Continue => alone(home.join(".continue/rules/review-gate.md"), CONTINUE_HEAD),
            Client::Cline => alone(home.join("Documents/Cline/Rules/review-gate.md"), ""),
            Client::Gemini => section(home.join(".gemini/GEMINI.md")),
            Client::JetBrains => section(home.join(".junie/AGENTS.md")),
            Client::Goose => section(goose(folders).join(".goosehints")),
            Client::OpenCode => section(folders.config.join("opencode/AGENTS.md")),
            // Their rules for all projects are typed into their own settings.
            Client::Cursor | Client::ClaudeDesktop | Client::Zed => return None,
        }),
        Scope::Project => {
            let project = folders.project.as_deref()?;
            Some(match client {
                Client::Cursor => alone(project.join(".cursor/rules/review-gate.mdc"), CURSOR_HEAD),
                Client::ClaudeCode => alone(project.join(".claude/rules/review-gate.md"), ""),
                Client::VsCode => alone(project.join(".github/instructions/review-gate.instructions.md"), VSCODE_HEAD),
                Client::Windsurf => alone(project.join(".windsurf/rules/review-gate.md"), WINDSURF_HEAD),
                Client::Continue => alone(project.join(".continue/rules/review-gate.md"), CONTINUE_HEAD),
                Client::Codex | Client::OpenCode => section(project.join("AGENTS.md")),
                Client::Zed => section(zed_rules(project)),
                Client::Gemini => section(project.join("GEMINI.md")),
                Client::JetBrains => section(junie_rules(project)),
                Client::ClaudeDesktop | Client::Cline | Client::Goose => return None,
            })
        }
    }
}

/// Zed reads the first of these that is there, and only that. <https://zed.dev/docs/ai/rules>
fn zed_rules(project: &Path) -> PathBuf {
    let names = [".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md"];
    let mut read = names.into_iter().chain(["AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
    let first = read.find(|name| project.join(name).is_file());
    project.join(first.unwrap_or("AGENTS.md"))
}

/// Junie's guidelines moved to `AGENTS.md`; where the older file is there, it is the one in use.
fn junie_rules(project: &Path) -> PathBuf {
    let older = project.join(".junie/guidelines.md");
    if older.is_file() { older } else { project.join(".junie/AGENTS.md") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_its_own_paths() {
        let file = |client, platform| {
            let folders = Folders::below("/home/you", platform);
            files(client, Scope::User, &folders).first().map(|file| folders.shown(file))
        };
        for (client, linux, mac, windows) in [
            (
                Client::ClaudeDesktop,
                "~/.config/Claude/claude_desktop_config.json",
                "~/Library/Application Support/Claude/claude_desktop_config.json",
                "~/AppData/Roaming/Claude/claude_desktop_config.json",
            ),
            (
                Client::VsCode,
                "~/.config/Code/User/mcp.json",
                "~/Library/Application Support/Code/User/mcp.json",
                "~/AppData/Roaming/Code/User/mcp.json",
            ),
            (
                Client::Goose,
                "~/.config/goose/config.yaml",
                "~/.config/goose/config.yaml",
                "~/AppData/Roaming/Block/goose/config/config.yaml",
            ),
            (
                Client::Zed,
                "~/.config/zed/settings.json",
                "~/.config/zed/settings.json",
                "~/AppData/Roaming/Zed/settings.json",
            ),
        ] {
            assert_eq!(file(client, Platform::Linux).as_deref(), Some(linux), "{client:?}");
            assert_eq!(file(client, Platform::MacOs).as_deref(), Some(mac), "{client:?}");
            assert_eq!(file(client, Platform::Windows).as_deref(), Some(windows), "{client:?}");
        }
    }

    #[test]
    fn nobody_is_found_in_an_empty_home() {
        let folders = Folders::below("/nonexistent", Platform::Linux);
        assert!(Client::ALL.iter().all(|client| !found(*client, &folders)), "nothing is there");
    }
}
