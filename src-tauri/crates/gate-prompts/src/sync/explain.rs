//! What git says when it fails, as a fault with a mend. Its words are for people, so they are searched for
//! the few that name a cause; `LC_ALL=C` keeps them English. What the far end says is shortened, freed from
//! control characters and never trusted.

use gate_core::{Code, Fault};

use super::Source;

fn fault(message: impl Into<String>, mend: impl Into<String>) -> Fault {
    Fault::new(Code::PromptSync, message, mend)
}

/// Git isn't there.
pub(super) fn no_git() -> Fault {
    fault(
        "The program `git` isn't installed, or isn't where programs are looked for.",
        "Install git 2.31 or newer from https://git-scm.com, and synchronise again.",
    )
}

/// Git is too old to be given its settings safely.
pub(super) fn old_git(version: &str) -> Fault {
    fault(format!("The installed git is {version}; 2.31 is needed."), "Install a newer git, and synchronise again.")
}

/// A run of git took too long.
pub(super) fn too_slow(source: &Source, seconds: u64) -> Fault {
    fault(
        format!("{} didn't finish within {seconds} seconds.", place(source)),
        "Check the network; it is tried again by itself. A smaller repository, or one of its own for prompts, helps too.",
    )
}

/// What is downloaded grew too large.
pub(super) fn too_large(bytes: u64) -> Fault {
    fault(
        format!("The repository is larger than {} MiB, so the download was stopped.", bytes / (1024 * 1024)),
        "Put the prompts in a repository of their own.",
    )
}

/// What git writes passes its bound.
pub(super) fn too_much() -> Fault {
    fault("Git writes more about the repository than is read.", "Put the prompts in a repository of their own.")
}

/// A branch, or the repository's own one, isn't there.
pub(super) fn no_branch(source: &Source) -> Fault {
    match source.branch() {
        Some(branch) => fault(
            format!("The repository has no branch `{}`.", super::tree::shown(branch)),
            "Set a branch that is there, or none for the repository's own.",
        ),
        None => fault("The repository is empty, or has no branch of its own.", "Push prompts to it, or set a branch."),
    }
}

/// The folder isn't there.
pub(super) fn no_subfolder(source: &Source) -> Fault {
    fault(
        format!("The repository has no folder `{}`.", super::tree::shown(source.subfolder().unwrap_or_default())),
        "Set a folder that is there, or none for all of the repository.",
    )
}

/// The pinned commit isn't there.
pub(super) fn no_pin(source: &Source, history: u32) -> Fault {
    fault(
        format!(
            "The pinned commit `{}` isn't among the last {history} of its branch.",
            source.pin().unwrap_or_default()
        ),
        "Pin a commit of that branch by its whole id, set the branch that has it, or remove the pin.",
    )
}

/// Who is spoken to, without anything but its name.
fn place(source: &Source) -> String {
    if source.host().is_empty() { "Reading the repository".into() } else { format!("Talking to {}", source.host()) }
}

/// What git's last words mean.
pub(super) fn failure(source: &Source, said: &str) -> Fault {
    let lower = said.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let host = if source.host().is_empty() { "this machine" } else { source.host() };
    let again = "It is tried again by itself.";
    if any(&["no space left on device", "disk quota exceeded"]) {
        return Fault::new(
            Code::DiskFull,
            "The disk is full.",
            "Make room; the prompts that were there are still served.",
        );
    }
    if any(&["could not resolve host", "unable to look up", "name or service not known", "could not resolve hostname"])
    {
        return fault(
            format!("The machine {host} can't be found."),
            format!("Check its name and the network. {again}"),
        );
    }
    if any(&["host key verification failed"]) {
        return fault(
            format!("The SSH key of {host} isn't known, or isn't the one that was."),
            format!("Run `ssh {host}` once in a terminal, compare the key that it shows, and synchronise again."),
        );
    }
    if any(&["ssl certificate", "certificate verif", "server certificate", "ssl peer", "tls connect", "ssl connect"]) {
        return fault(
            format!("The connection to {host} isn't secure: its certificate isn't one that this machine trusts."),
            "Check the address, and whether something on the way opens secure connections.",
        );
    }
    if any(&["error: 301", "error: 302", "error: 307", "error: 308", "unable to update url base"]) {
        return fault(
            "The repository has moved to another address, and a token isn't sent along.",
            "Set the new address; a browser that opens the old one shows it. Some hosts only miss `.git` at its end.",
        );
    }
    if any(&[
        "authentication failed",
        "could not read username",
        "could not read password",
        "terminal prompts disabled",
        "error: 401",
        "error: 403",
        "permission denied (",
        "invalid credentials",
        "access denied",
    ]) {
        return sign_in(source, host);
    }
    if any(&["couldn't find remote ref", "could not find remote branch", "no such ref", "remote branch"]) {
        return no_branch(source);
    }
    if any(&[
        "error: 404",
        "repository not found",
        "not found",
        "does not appear to be a git repository",
        "not exported",
        "no such file or directory",
        "does not exist",
    ]) {
        let mend = match (source.token(), source.own_credentials()) {
            (None, false) => "Check the address. A private repository needs a token, which goes in the settings.",
            _ => "Check the address, and that the token or your own account may read the repository.",
        };
        return fault(format!("There is no such repository at {host}, or it isn't shown to this program."), mend);
    }
    if any(&["dubious ownership"]) {
        return fault("The repository's folder belongs to another user.", "Use a folder of your own, or a server.");
    }
    if any(&["fsck", "badtree", "missingspace", "is not a valid object", "loose object", "corrupt", "sha1 mismatch"]) {
        return fault(
            "The repository holds damaged or malformed objects, so nothing of it was taken.",
            format!("Check it with `git fsck`, and mend it. Git said: {}", words(source, said)),
        );
    }
    if any(&[
        "connection refused",
        "failed to connect",
        "couldn't connect",
        "unable to connect",
        "connection timed out",
        "no route to host",
        "network is unreachable",
    ]) {
        return fault(
            format!("The machine {host} can't be reached."),
            format!("Check the network and the address. {again}"),
        );
    }
    if any(&[
        "early eof",
        "unexpected disconnect",
        "rpc failed",
        "hung up",
        "transfer closed",
        "invalid index-pack",
        "index-pack failed",
        "connection reset",
        "empty reply",
        "too slow",
        "timed out",
        "error: 5",
        "expected flush",
        "bad line length",
        "expected 'packfile'",
        "gnutls_handshake",
        "curl ",
    ]) {
        return fault(format!("The connection to {host} broke off."), again);
    }
    fault(
        "Git couldn't fetch the repository.",
        format!("Check the repository and the settings. Git said: {}", words(source, said)),
    )
}

fn sign_in(source: &Source, host: &str) -> Fault {
    match (source.token(), source.own_credentials()) {
        (Some(_), _) => fault(
            format!("{host} refuses the token."),
            "Make a new token that may read this repository's contents, and put it in the settings.",
        ),
        (None, true) => fault(
            format!("{host} doesn't take your own credentials for this repository."),
            "Run `git ls-remote` with the address in a terminal; once it works without a question, so does this.",
        ),
        (None, false) => fault(
            format!("{host} doesn't show this repository without signing in, or it doesn't exist."),
            "Check the address; for a private repository, put a token that may read it in the settings.",
        ),
    }
}

/// The line of git's own that names the cause, safe to be shown.
fn words(source: &Source, said: &str) -> String {
    let own = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let line = said.lines().map(str::trim).rfind(own).or_else(|| said.lines().next_back());
    let mut line = line.unwrap_or("nothing").to_owned();
    if let Some(token) = source.token() {
        line = line.replace(token.expose(), "…");
    }
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    if line.trim().is_empty() { "nothing".into() } else { line.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::{Secret, SourceText};
    use super::*;

    #[test]
    fn what_the_far_end_says_carries_neither_secrets_nor_escapes() {
        let source = Source::parse(SourceText {
            repository: "acme/prompts".into(),
            token: Some(Secret::new("hunter2")),
            ..SourceText::default()
        });
        let source = source.expect("good");
        let fault = failure(&source, "remote: x\nfatal: odd \u{1b}[31mhunter2\u{7}\n");
        assert_eq!(fault.mend, "Check the repository and the settings. Git said: fatal: odd  [31m…");
    }
}
