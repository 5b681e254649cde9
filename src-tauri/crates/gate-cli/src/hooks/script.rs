//! What our hooks of git say: shell scripts that any `sh` runs. Knows no repository.

use std::path::Path;

use gate_core::Digest;

/// What the name of a hook that was there before is given.
const BEFORE: &str = ".before-review-gate";
/// How the second line of ours begins; behind it comes the digest of all lines below.
const MARK: &str = "# Review Gate's hook ";

/// A hook of git's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hook {
    PreCommit,
    PrePush,
}

/// What a hook is to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    /// The program, an absolute path.
    pub(super) program: &'a Path,
    /// The home, where it is one folder.
    pub(super) home: Option<&'a Path>,
    /// Whether every commit needs an approval, and not only those that agents make.
    pub(super) all: bool,
    /// The branch whose commits count as they are.
    pub(super) protected: Option<&'a str>,
    /// Whether what is committed has to be what a review has approved, instead of what the person has.
    pub(super) reviews: bool,
}

impl Hook {
    pub(super) const ALL: [Self; 2] = [Self::PreCommit, Self::PrePush];

    /// As git calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PrePush => "pre-push",
        }
    }

    /// Where one that was there before is kept.
    pub(super) fn kept(self) -> String {
        format!("{}{BEFORE}", self.name())
    }

    /// All of it. One that was there before runs first: it may change what is staged.
    pub(super) fn script(self, wish: Wish<'_>) -> String {
        let Wish { program, home, all, protected, reviews } = wish;
        let gate = quoted(&program.display().to_string());
        let home = match home {
            Some(home) => format!("REVIEW_GATE_HOME={}; export REVIEW_GATE_HOME", quoted(&home.display().to_string())),
            None => "unset REVIEW_GATE_HOME".to_owned(),
        };
        // What a push brings is many commits, of which nobody has reviewed the whole.
        let reviews = reviews && self == Self::PreCommit;
        let mut arguments = match self {
            Self::PreCommit if reviews => "reviews check --staged".to_owned(),
            Self::PreCommit => "verify --staged".to_owned(),
            Self::PrePush => "verify --pushed \"$1\"".to_owned(),
        };
        if !all {
            arguments.push_str(" --only-agents");
        }
        if let Some(branch) = protected.filter(|_| !reviews) {
            arguments.push_str(&format!(" --protected {}", quoted(branch)));
        }
        // Both read what git tells on standard input.
        let (told, feed) = match self {
            Self::PreCommit => ("", ""),
            Self::PrePush => {
                ("told=$(cat)\ntell() { if [ -n \"$told\" ]; then printf '%s\\n' \"$told\"; fi; }\n", "tell | ")
            }
        };
        let kept = self.kept();
        let rest = format!(
            "# `review-gate install git` wrote it, and `review-gate uninstall git` puts back what was there.\n\
             # It is advice: `--no-verify` passes it by. What a machine verifies that no agent can write to counts.\n\
             gate={gate}\n\
             before=\"${{0%/*}}/{kept}\"\n\
             {told}\
             if [ -x \"$before\" ]; then\n\
             \x20 {feed}\"$before\" \"$@\" || exit $?\n\
             fi\n\
             if [ ! -x \"$gate\" ]; then\n\
             \x20 echo \"review-gate: $gate isn't there any more, so nothing was verified. Delete $0, or install it anew.\" >&2\n\
             \x20 exit 0\n\
             fi\n\
             {feed}(\n\
             \x20 {home}\n\
             \x20 exec \"$gate\" {arguments}\n\
             ) >/dev/null\n"
        );
        format!("#!/bin/sh\n{MARK}{}\n{rest}", Digest::of_bytes(rest.as_bytes()))
    }
}

/// Whose a hook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Ours, as we wrote it.
    Ours,
    /// Ours, and somebody has changed it.
    Changed,
    /// Somebody else's.
    Others,
}

/// Whose this is.
pub(super) fn whose(bytes: &[u8]) -> Whose {
    let Some(rest) = bytes.strip_prefix(b"#!/bin/sh\n").and_then(|rest| rest.strip_prefix(MARK.as_bytes())) else {
        return Whose::Others;
    };
    let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return Whose::Changed };
    match rest[..end] == *Digest::of_bytes(&rest[end + 1..]).to_string().as_bytes() {
        true => Whose::Ours,
        false => Whose::Changed,
    }
}

/// As one word of a shell's.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish() -> Wish<'static> {
        let program = Path::new("/opt/o'clock/review-gate");
        Wish { program, home: None, all: false, protected: None, reviews: false }
    }

    #[test]
    fn a_hook_calls_the_program_by_its_whole_path_below_agents() {
        let script = Hook::PreCommit.script(wish());
        assert!(script.contains("gate='/opt/o'\\''clock/review-gate'\n"), "{script}");
        assert!(script.contains("exec \"$gate\" verify --staged --only-agents\n"), "{script}");
        assert!(script.contains("unset REVIEW_GATE_HOME\n"), "an agent's own home isn't asked: {script}");
        let wish = Wish { home: Some(Path::new("/h")), all: true, protected: Some("origin/main"), ..wish() };
        let script = Hook::PrePush.script(wish);
        assert!(script.contains("verify --pushed \"$1\" --protected 'origin/main'\n"), "{script}");
        assert!(script.contains("REVIEW_GATE_HOME='/h'; export REVIEW_GATE_HOME\n"), "{script}");
    }

    #[test]
    fn a_hook_asks_reviews_before_a_commit_alone() {
        let wish = Wish { protected: Some("origin/main"), reviews: true, ..wish() };
        let script = Hook::PreCommit.script(wish);
        assert!(script.contains("exec \"$gate\" reviews check --staged --only-agents\n"), "{script}");
        let script = Hook::PrePush.script(wish);
        assert!(script.contains("verify --pushed \"$1\" --only-agents --protected 'origin/main'\n"), "{script}");
    }

    #[test]
    fn a_hook_is_known_again_and_so_is_what_was_changed_in_it() {
        for hook in Hook::ALL {
            let script = hook.script(wish());
            assert_eq!(whose(script.as_bytes()), Whose::Ours);
            assert_eq!(whose(format!("{script}echo mine\n").as_bytes()), Whose::Changed);
            assert_eq!(whose(script.replace("exit 0", "exit 1").as_bytes()), Whose::Changed);
        }
        for other in ["", "#!/bin/sh\nexit 0\n", "#!/usr/bin/env python3\n", "# Review Gate's hook 0\n"] {
            assert_eq!(whose(other.as_bytes()), Whose::Others, "{other:?}");
        }
    }
}
