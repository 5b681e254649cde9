//! What a process is, by the name of its program: the lists of shells, launchers, terminals, editors and agents.

use super::{FIRST, Seen};

/// What a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It starts what it is told to, for whoever told it.
    Shell,
    /// The same, once.
    Launcher,
    /// A terminal, or what a person's session begins with.
    Session,
    /// An editor, or a terminal, with agents and a person's shells in it.
    Editor,
    /// An agent that is known by its name.
    Agent,
    /// Anything else.
    Other,
    /// Nothing that could be named.
    Unseen,
}

const SHELLS: &str = "ash bash csh dash elvish fish ksh ksh93 mksh nu oksh osh pwsh rbash sh tcsh xonsh yash zsh";

const LAUNCHERS: &str = "\
    aa-exec asdf bunx busybox bwrap catatonit chroot chrt cmd corepack coreutils dbus-run-session direnv \
    distrobox doas docker dumb-init env envdir exec firejail flatpak-spawn ionice mise nice nohup npm npx \
    nsenter numactl pipx pixi pkexec pnpm pnpx podman poetry prlimit rbenv review-gate review-gate-desktop \
    review-gate-relay run0 runuser script setarch setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout tini toolbox \
    toybox unbuffer unshare uv uvx volta volta-shim xargs xvfb-run yarn";

const SESSIONS: &str = "\
    alacritty at-spi-bus-launcher conmon containerd-shim containerd-shim-runc-v2 contour cosmic-term cron \
    dbus-broker dbus-daemon deepin-terminal dropbear foot gdm-session-worker ghostty gnome-session-binary \
    gnome-shell gnome-terminal-server guake init kgx kitty konsole kwin_wayland kwin_x11 launchd lightdm login \
    lxterminal mate-terminal mosh-server niri openbox plasmashell ptyxis ptyxis-agent qterminal rio rxvt sakura \
    screen sddm sddm-helper sshd sshd-session st sway systemd terminator terminology tilda tilix tmux urxvt \
    wezterm wezterm-gui wezterm-mux-server xfce4-session xfce4-terminal xinit xterm yakuake zellij";

const EDITORS: &str = "\
    antigravity clion code code-insiders code-oss code-server codium cursor datagrip devenv eclipse electron \
    emacs goland gvim helix hx hyper idea java jetbrains-client kate kiro lapce neovide nvim phpstorm positron \
    pycharm rider rubymine rustrover studio sublime_text tabby theia trae vim vim.basic vim.tiny void vscodium warp \
    warp-terminal waveterm webstorm windsurf zed zed-editor";

const AGENTS: &str = "\
    aider amp auggie claude claude-code cline codex copilot crush cursor-agent droid forge gemini gemini-cli \
    goose kilocode kimi opencode openhands plandex qchat qwen qwen-code rovodev vibe";

/// The gate's own programs that somebody starts to see its window.
const OURS: &str = "review-gate review-gate-desktop";

/// Programs that are what they run.
const INTERPRETERS: &str = "bun deno node nodejs perl pypy python ruby";

/// File names that say nothing: the folder that they are in does.
const NAMELESS: &str = "__main__ bin build bundle cli dist index lib main out run src";

/// How a process's program begins to say its number: `python3.12`, `emacs-29.4`.
const NUMBERS: &[char] = &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '-'];

pub(super) fn kind(seen: &Seen) -> Kind {
    let program = stem(&seen.program);
    let title = seen.arguments.first().map(|first| stem(first_word(first))).unwrap_or_default();
    // Of another user's process its own word is all there is.
    let name = if program.is_empty() { title } else { program };
    if name.is_empty() {
        return Kind::Unseen;
    }
    let name = match is_interpreter(name) {
        true => what_it_runs(&seen.arguments).unwrap_or(name),
        false => name,
    };
    // An agent's file may be named for its version; what it calls itself can only lower.
    if is_on(AGENTS, name) || is_on(AGENTS, title) {
        return Kind::Agent;
    }
    let is_in = |list: &str| is_on(list, name) || is_on(list, name.trim_end_matches(NUMBERS));
    match () {
        () if is_in(SHELLS) => Kind::Shell,
        () if is_in(LAUNCHERS) => Kind::Launcher,
        () if is_in(SESSIONS) => Kind::Session,
        () if is_in(EDITORS) => Kind::Editor,
        () if seen.program.is_empty() => Kind::Unseen,
        () => Kind::Other,
    }
}

/// Whether a list has this name.
fn is_on(list: &str, name: &str) -> bool {
    list.split(' ').any(|each| each == name)
}

/// Whether it is a program of the gate's that shows its window.
pub(super) fn is_ours(seen: &Seen) -> bool {
    is_on(OURS, stem(&seen.program))
}

/// Whether its program is an interpreter, whatever that runs.
pub(super) fn is_interpreted(seen: &Seen) -> bool {
    is_interpreter(stem(&seen.program))
}

fn is_interpreter(name: &str) -> bool {
    is_on(INTERPRETERS, name.trim_end_matches(NUMBERS))
}

/// The script that a process runs, where its program is an interpreter.
pub(super) fn script(seen: &Seen) -> Option<&str> {
    let scripts = seen.arguments.iter().skip(1).map(String::as_str).find(|argument| !argument.starts_with('-'));
    scripts.filter(|_| is_interpreter(stem(&seen.program)))
}

/// The name of the script that an interpreter runs, or what the script has written over its arguments.
fn what_it_runs(arguments: &[String]) -> Option<&str> {
    let (title, rest) = arguments.split_first()?;
    // npm and its like call themselves `npm exec review-gate mcp`, all of it in the first one.
    let name = stem(first_word(title));
    if !is_interpreter(name) {
        return Some(name);
    }
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-m" => return rest.next().map(|module| module.split('.').next().unwrap_or(module)),
            "-c" | "-e" | "--eval" | "-" => return None,
            "run" | "x" => {}
            option if option.starts_with('-') => {}
            script => return Some(script_name(script)),
        }
    }
    None
}

/// `gemini` of `/usr/bin/gemini` and of `/usr/lib/node_modules/gemini/dist/index.js`.
fn script_name(path: &str) -> &str {
    let mut parts = path.rsplit('/').map(|part| part.rsplit_once('.').map_or(part, |(stem, _)| stem));
    let named = parts.clone().find(|part| !part.is_empty() && !is_on(NAMELESS, part));
    named.or_else(|| parts.next()).unwrap_or(path)
}

/// The name of a program's file, as it is called.
fn stem(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    // A shell that a person signs in with is `-zsh`.
    name.strip_prefix('-').unwrap_or(name)
}

/// `npm` of `npm exec review-gate mcp`, `sshd` of `sshd: you@pts/3`: what a program writes over its first argument.
fn first_word(title: &str) -> &str {
    title.split([':', ' ']).next().unwrap_or(title)
}

/// Whether it takes up whoever loses their parent, as the first process does.
pub(super) fn takes_up(seen: &Seen) -> bool {
    seen.process.pid <= FIRST || seen.program.rsplit('/').next() == Some("systemd")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::Process;

    #[test]
    fn a_process_is_told_by_its_program_and_a_script_by_what_runs() {
        for (program, arguments, expected) in [
            ("/usr/bin/dash", "sh|-c|x", Kind::Shell),
            ("/usr/bin/zsh", "-zsh", Kind::Shell),
            ("/usr/bin/bash (deleted)", "bash", Kind::Shell),
            ("/usr/bin/busybox", "sh", Kind::Launcher),
            ("/usr/bin/node", "npm exec review-gate mcp", Kind::Launcher),
            ("/usr/bin/node", "node|--no-warnings|/usr/bin/npx|-y|review-gate", Kind::Launcher),
            ("/usr/bin/python3.12", "/usr/bin/python3|/usr/bin/uvx|x", Kind::Launcher),
            ("/usr/bin/node", "node|/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", Kind::Agent),
            ("/usr/bin/node", "claude", Kind::Agent),
            ("/usr/bin/node", "node|/opt/own/agent.js", Kind::Other),
            ("/usr/bin/python3.12", "python3|-m|aider.main", Kind::Agent),
            ("/usr/bin/python3.12", "python3|-c|import pty", Kind::Other),
            ("/home/you/.local/share/claude/versions/2.1.0", "claude|--resume", Kind::Agent),
            ("/opt/own/agent", "sh", Kind::Other),
            ("/usr/bin/emacs-29.4", "emacs", Kind::Editor),
            ("/usr/bin/tmux", "tmux: server", Kind::Session),
            ("", "sshd: me@pts/3", Kind::Session),
            ("", "sudo|-i", Kind::Launcher),
            ("", "something", Kind::Unseen),
            ("", "", Kind::Unseen),
        ] {
            let seen = Seen {
                process: Process { pid: 7, began: "1 boot".to_owned() },
                program: program.to_owned(),
                arguments: arguments.split('|').map(str::to_owned).collect(),
                folder: String::new(),
            };
            assert_eq!(kind(&seen), expected, "{program} {arguments}");
        }
    }

    #[test]
    fn no_name_is_on_two_lists() {
        let lists = [SHELLS, LAUNCHERS, SESSIONS, EDITORS, AGENTS];
        let all: Vec<&str> = lists.iter().flat_map(|list| list.split(' ')).collect();
        let once: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(once.len(), all.len(), "what such a process is would depend on the order of the lists");
    }
}
