//! Which processes stand behind a connection, and which of them is an agent: rules over what the system says of a
//! process and of those that it descends from.
//!
//! What these say only ever lowers what a connection counts as. A process may end its ancestry on purpose, or call
//! itself whatever it likes: so nothing of this proves that a person is there, and what can't be seen proves nothing.
//! Knows no kernel.

mod names;

use crate::owner::Process;
use crate::proposal::party::Ancestor;
use names::Kind;

/// The number of the first process, which takes up those whose parents have ended.
const FIRST: u32 = 1;

/// A process as the system told of it at one moment. Each text is cut at its bound ([`crate::bounds`]), and empty
/// where the system doesn't tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Which one it is.
    pub process: Process,
    /// The file of its program.
    pub program: String,
    /// What it was started with, its own name first; it may have written something else over it.
    pub arguments: Vec<String>,
    /// The folder that it works in.
    pub folder: String,
}

/// A process and those that it descends from, as far as the system names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The process itself.
    pub own: Seen,
    /// The number of the terminal that controls it, where it has one.
    pub terminal: Option<u32>,
    /// Its parent, that one's parent, and so on.
    pub ancestors: Vec<Seen>,
}

impl Seen {
    /// Its program as it is shown to a person: its file, and the script's where it runs one.
    #[must_use]
    pub fn shown_program(&self) -> String {
        match names::script(self) {
            Some(script) => format!("{} {script}", self.program),
            None => self.program.clone(),
        }
    }
}

impl Lineage {
    /// Of a relay, the agent: the nearest process above it that is neither a shell nor a launcher. Absent where a
    /// person's terminal stands there, or nothing that can be seen.
    #[must_use]
    pub fn agent(&self) -> Option<&Seen> {
        let above = self.ancestors.iter().find(|seen| !matches!(names::kind(seen), Kind::Shell | Kind::Launcher))?;
        match names::kind(above) {
            Kind::Agent | Kind::Editor | Kind::Other => Some(above),
            Kind::Session | Kind::Unseen | Kind::Shell | Kind::Launcher => None,
        }
    }

    /// Of a relay, the processes above its client's own, the nearest first; none where that one isn't above it.
    #[must_use]
    pub fn above(&self, client: &Process) -> Vec<Ancestor> {
        let ancestor = |seen: &Seen| {
            let shared = match names::kind(seen) {
                Kind::Shell | Kind::Session | Kind::Editor | Kind::Unseen => true,
                Kind::Launcher | Kind::Agent | Kind::Other => seen.process.pid <= FIRST,
            };
            Ancestor { shared, ..seen.process.clone().into() }
        };
        self.ancestors.iter().skip_while(|seen| seen.process != *client).skip(1).map(ancestor).collect()
    }

    /// Of a relay, whether nobody but the system is above its client: whoever started that has ended, or is the system.
    #[must_use]
    pub fn is_adrift(&self, client: &Process) -> bool {
        let parent = self.ancestors.iter().skip_while(|seen| seen.process != *client).nth(1);
        parent.is_none_or(names::takes_up)
    }

    /// Whether it is an agent, or descends from one: from one of those that `is_agent` knows, or from a program that
    /// is known as one by its name. An editor is none: a person's own terminals are below it, too.
    #[must_use]
    pub fn is_below_an_agent(&self, is_agent: impl Fn(&Process) -> bool) -> bool {
        let mut all = std::iter::once(&self.own).chain(&self.ancestors);
        all.any(|seen| match names::kind(seen) {
            Kind::Agent => true,
            Kind::Other => is_agent(&seen.process),
            // Several agents and persons share these.
            Kind::Editor | Kind::Session | Kind::Shell | Kind::Launcher | Kind::Unseen => false,
        })
    }

    /// Whether it may be the gate's own program that somebody starts themselves: in a terminal, or by what starts programs
    /// for them, such as a desktop, a panel or a key. Not where an agent started it, nor without a terminal a shell's
    /// script, another interpreter's or an editor.
    #[must_use]
    pub fn may_be_started_by_a_person(&self, is_agent: impl Fn(&Process) -> bool) -> bool {
        if !self.may_be_anybodys_start(is_agent) {
            return false;
        }
        let above = self.ancestors.iter().find(|seen| names::kind(seen) != Kind::Launcher);
        self.terminal.is_some()
            || above.is_none_or(|seen| match names::kind(seen) {
                Kind::Session | Kind::Unseen => true,
                Kind::Other => !names::is_interpreted(seen),
                Kind::Agent | Kind::Editor | Kind::Shell | Kind::Launcher => false,
            })
    }

    /// Whether it is the gate's own program, and no agent is seen above it. A person may have started it by a script, a menu
    /// that runs a shell, or an editor: so may any program.
    #[must_use]
    pub fn may_be_anybodys_start(&self, is_agent: impl Fn(&Process) -> bool) -> bool {
        names::is_ours(&self.own) && !self.is_below_an_agent(is_agent)
    }

    /// Whether a command from it may count as a person's at a terminal, who says so themselves.
    #[must_use]
    pub fn may_be_a_person(&self, is_agent: impl Fn(&Process) -> bool) -> bool {
        self.terminal.is_some() && !self.is_below_an_agent(is_agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process whose program and arguments are these, in one line: `/bin/sh -c x`.
    fn seen(pid: u32, line: &str) -> Seen {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let program = arguments.first().cloned().unwrap_or_default();
        Seen { process: Process { pid, began: format!("{pid} boot") }, program, arguments, folder: "/w".to_owned() }
    }

    fn lineage(terminal: bool, lines: &[&str]) -> Lineage {
        let mut all = (100..).zip(lines).map(|(pid, line)| seen(pid, line));
        let own = all.next().expect("the process itself");
        Lineage { own, terminal: terminal.then_some(34816), ancestors: all.collect() }
    }

    const RELAY: &str = "/usr/bin/review-gate mcp";
    const ANSWER: &str = "/usr/bin/review-gate answer";

    #[test]
    fn whose_starter_is_the_system_or_has_ended_is_adrift() {
        for (above, adrift, why) in [
            (&["/opt/claude/claude", "/usr/bin/zsh", "/usr/bin/kitty"][..], false, "a shell started it"),
            (&["/opt/cursor/cursor", "/usr/lib/systemd/systemd --user"], true, "a desktop's launcher, long gone"),
            (&["/opt/claude/claude"], true, "nobody is above it"),
            (&[], true, "and nobody at all"),
        ] {
            let all: Vec<&str> = [RELAY].into_iter().chain(above.iter().copied()).collect();
            let lineage = lineage(false, &all);
            let client = lineage.ancestors.first().map_or(&lineage.own.process, |seen| &seen.process);
            assert_eq!(lineage.is_adrift(client), adrift, "{why}");
        }
    }

    #[test]
    fn a_relays_agent_is_the_nearest_that_is_no_shell_or_launcher() {
        for (above, agent, why) in [
            (&["/opt/claude/claude", "/usr/bin/zsh", "/usr/bin/kitty"][..], Some(101), "it starts its servers itself"),
            (&["/bin/sh -c review-gate", "/opt/codex"], Some(102), "by a shell"),
            (&["/usr/bin/env", "/usr/bin/setsid", "/bin/dash -c x", "/opt/codex"], Some(104), "by several"),
            (&["/usr/bin/node /usr/bin/npx review-gate mcp", "/opt/cursor/cursor"], Some(102), "by npx"),
            (&["/usr/bin/node /usr/bin/gemini", "/usr/bin/bash"], Some(101), "a script is what it runs"),
            (&["/usr/share/code/code --type=utility", "/usr/share/code/code"], Some(101), "the part of an editor"),
            (&["/usr/bin/bash", "/usr/bin/kitty"], None, "a person tries it in a terminal"),
            (&["/usr/bin/bash", "/usr/lib/systemd/systemd --user"], None, "a service"),
            (&["/usr/bin/bash"], None, "a shell that nobody is seen above"),
            (&[], None, "whoever ended its ancestry"),
        ] {
            let all: Vec<&str> = [RELAY].into_iter().chain(above.iter().copied()).collect();
            let lineage = lineage(false, &all);
            assert_eq!(lineage.agent().map(|seen| seen.process.pid), agent, "{why}: {above:?}");
        }
    }

    #[test]
    fn above_a_client_stand_those_that_it_shares_with_others_and_those_that_it_does_not() {
        let lineage = lineage(
            false,
            &[
                RELAY,
                "/opt/codex",
                "/usr/bin/node",
                "/usr/bin/env",
                "/usr/bin/zsh",
                "",
                "/usr/bin/kitty",
                "/usr/bin/code",
            ],
        );
        let above =
            |client: &Process| lineage.above(client).iter().map(|above| (above.pid, above.shared)).collect::<Vec<_>>();
        let of = |at: usize| lineage.ancestors[at].process.clone();
        let expected = [(102, false), (103, false), (104, true), (105, true), (106, true), (107, true)];
        assert_eq!(above(&of(0)), expected, "what starts agents for others, too, ties nobody together");
        assert_eq!(above(&of(5)), [(107, true)], "only what is above the client");
        let again = Process { pid: 101, began: "later".to_owned() };
        assert!(above(&again).is_empty(), "whose client isn't above it, but another one of its number");
    }

    #[test]
    fn a_program_is_shown_by_its_file_and_a_script_with_what_runs_it() {
        for (line, shown) in [
            ("/opt/codex --full-auto", "/opt/codex"),
            ("/usr/bin/node --no-warnings /usr/bin/gemini --yolo", "/usr/bin/node /usr/bin/gemini"),
            ("/usr/bin/node", "/usr/bin/node"),
        ] {
            assert_eq!(seen(7, line).shown_program(), shown, "{line}");
        }
    }

    #[test]
    fn whoever_is_below_an_agent_is_no_person() {
        // Who is connected by a relay of its own is known by that, whatever it calls itself.
        let connected = |process: &Process| process.pid == 102;
        for (terminal, above, may, why) in [
            (true, &["/usr/bin/zsh", "/usr/bin/kitty", "/usr/bin/gnome-shell"][..], true, "a person in a terminal"),
            (true, &["/usr/bin/bash", "/usr/bin/tmux new"], true, "and in tmux"),
            (true, &["/usr/bin/bash", ""], true, "whose end of the terminal can't be seen"),
            (true, &[], true, "whose parent can't be seen"),
            (false, &["/usr/bin/zsh", "/usr/bin/kitty"], false, "who has no terminal"),
            (true, &["/usr/bin/bash -c x", "/opt/my-agent", "/usr/bin/kitty"], false, "below one that is connected"),
            (true, &["/usr/bin/script -qec x", "/opt/my-agent", "/usr/bin/zsh"], false, "in a terminal that it made"),
            (true, &["/usr/bin/tmux new", "/opt/my-agent"], false, "in one of several that it made"),
            (true, &["/usr/bin/python3 -c pty", "/bin/sh", "/usr/bin/codex"], false, "below one known by name"),
            (true, &["/usr/bin/bash", "/usr/bin/node /usr/bin/gemini"], false, "below one that is a script"),
            (true, &["/usr/bin/bash", "/bin/sh", "/x/versions/2.1.0"], true, "below what nobody knows"),
            (true, &["/usr/bin/zsh", "/usr/share/code/code --type=utility"], true, "in an editor's terminal"),
        ] {
            let all: Vec<&str> = [ANSWER].into_iter().chain(above.iter().copied()).collect();
            assert_eq!(lineage(terminal, &all).may_be_a_person(connected), may, "{why}: {above:?}");
        }
        let agent = lineage(true, &["/opt/claude/claude", "/usr/bin/zsh"]);
        assert!(!agent.may_be_a_person(|_| false), "an agent itself, which inherits its person's terminal");
    }

    #[test]
    fn a_person_starts_the_app_in_a_terminal_or_by_what_starts_programs_for_them() {
        const APP: &str = "/usr/bin/review-gate-desktop";
        let connected = |process: &Process| process.pid == 102;
        for (own, terminal, above, may, why) in [
            (APP, false, &["/usr/bin/gnome-shell", "/usr/lib/systemd/systemd --user"][..], true, "from the desktop"),
            (APP, false, &["/usr/lib/systemd/systemd --user"], true, "left to the session by what started it"),
            (APP, false, &[], true, "left to the first process"),
            (
                APP,
                false,
                &["/usr/bin/env", "/usr/bin/setsid", "/usr/lib/gsd-media-keys"],
                true,
                "by a key, with variables",
            ),
            (APP, false, &["/usr/bin/xfce4-panel"], true, "by a panel that is on no list"),
            (APP, true, &["/usr/bin/zsh", "/usr/bin/kitty"], true, "typed in a terminal"),
            ("/usr/bin/review-gate", true, &["/usr/bin/bash", "/usr/share/code/code"], true, "in an editor's"),
            (APP, true, &["/usr/bin/python3 start.py", "/usr/bin/bash", "/usr/bin/kitty"], true, "by a script there"),
            (APP, false, &["/usr/bin/bash loop.sh", "/usr/bin/cron"], false, "by a shell's script without one"),
            (APP, false, &["/usr/bin/setsid", "/bin/sh -c x"], false, "the same, by a launcher"),
            (APP, false, &["/usr/bin/python3 -c x"], false, "by another script"),
            (APP, false, &["/usr/bin/node /opt/loop.js"], false, "and another"),
            (APP, false, &["/usr/share/code/code", "/usr/bin/gnome-shell"], false, "by what runs in an editor"),
            (APP, true, &["/usr/bin/bash", "/usr/bin/codex", "/usr/bin/kitty"], false, "below an agent"),
            (APP, true, &["/usr/bin/bash", "/opt/my-agent", "/usr/bin/kitty"], false, "below one that is connected"),
            ("/usr/bin/socat - control.sock", false, &["/usr/bin/gnome-shell"], false, "another program"),
            ("/usr/bin/socat - control.sock", true, &["/usr/bin/zsh"], false, "wherever it is started"),
        ] {
            let all: Vec<&str> = [own].into_iter().chain(above.iter().copied()).collect();
            assert_eq!(lineage(terminal, &all).may_be_started_by_a_person(connected), may, "{why}: {above:?}");
        }
    }

    #[test]
    fn what_starts_the_app_for_a_person_may_be_a_shell_a_script_or_an_editor() {
        const APP: &str = "/usr/bin/review-gate-desktop";
        let connected = |process: &Process| process.pid == 102;
        for (own, above, may, why) in [
            (APP, &["/bin/sh", "/bin/sh /usr/bin/dmenu_run", "/usr/bin/i3"][..], true, "chosen in dmenu_run"),
            (
                APP,
                &["/usr/bin/sh -c x;review-gate-desktop", "/usr/bin/gnome-shell"],
                true,
                "a desktop entry of a shell",
            ),
            (APP, &["/usr/bin/python3 /usr/bin/ulauncher"], true, "a menu that is a script"),
            (APP, &["/usr/share/code/code"], true, "an editor's task"),
            (APP, &["/usr/bin/gnome-shell"], true, "and all that is surely a person's"),
            (APP, &["/bin/sh -c x", "/opt/my-agent"], false, "below an agent that is connected"),
            (APP, &["/bin/sh -c x", "/usr/bin/codex"], false, "below one known by name"),
            ("/usr/bin/socat - control.sock", &["/bin/sh"], false, "another program"),
        ] {
            let all: Vec<&str> = [own].into_iter().chain(above.iter().copied()).collect();
            assert_eq!(lineage(false, &all).may_be_anybodys_start(connected), may, "{why}: {above:?}");
        }
    }
}
