//! Fuzzing what git says of repositories that anybody may have made: whatever it is, it is read or refused.

use crate::change;
use crate::fuzzing::{Bytes, Fuzz, damaged};
use crate::objects;
use crate::oid::Format;
use crate::patch::Patch;
use crate::places::Kind;
use crate::proposal::Proposal;
use crate::settings;
use crate::what::What;

const TOKENS: &[&str] = &[
    "\0",
    "\n",
    "\t",
    ":",
    " ",
    "R100",
    "C",
    "160000",
    "040000",
    "-\t-\t",
    "18446744073709551616",
    "local\0",
    "worktree\0",
    "core.worktree\n",
    "core.autocrlf\n",
    "filter..clean\n",
    "filter.a.b.required",
    "extensions.objectformat\n",
    "diff --git ",
    "@@ -1,2 +3,4 @@",
    "@@ -0,0 +1 @@",
    "@@ -18446744073709551615 +1 @@",
    "index ",
    "Binary files ",
    "GIT binary patch\n",
    "literal 2\nJcmZQz1ONa700IC2\n\n",
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
    "--- /dev/null\n",
    "rename from ",
    "rename to ",
    "new file mode 100644\n",
    "\n-- \n2.47\n",
    "\"a/\\303\"",
    ".git/",
    "../",
    "\\",
    "tree ",
    "parent ",
    "..",
    "...",
    "^{",
    "@{",
    "-",
    "\u{fffd}",
];

#[test]
fn fuzz_what_git_says() {
    let mut fuzz = Fuzz::new("what git says");
    let any = damaged("git", TOKENS);
    while fuzz.goes_on() {
        fuzz.batch(&any, |Bytes(bytes)| {
            if let Ok((raws, rest)) = change::raw(&bytes) {
                assert!(rest.len() <= bytes.len(), "no more than there was");
                if let Ok(lines) = change::counts(rest, &raws) {
                    assert_eq!(lines.len(), raws.len(), "each file has its lines");
                }
            }
            if let Ok(settings) = settings::parsed(&bytes, Kind::Main, None) {
                assert!(settings.kept.iter().all(|(section, key, value)| is_harmless(section, key, value)));
            }
            if let Some(patch) = Patch::of(&bytes) {
                assert_eq!(Patch::of(&bytes), Some(patch), "the same diff is the same patch");
                let more = [&bytes[..], b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"].concat();
                assert_ne!(Patch::of(&more), Some(patch), "more is another");
            }
            is_proposal(&bytes);
            let commit = objects::commit(&Format::Sha1.empty_tree(), &bytes);
            assert!(commit.is_none_or(|commit| commit.parents.len() * 48 <= bytes.len()), "each parent has its line");
            if let Ok(text) = std::str::from_utf8(&bytes)
                && let Ok(what) = text.parse::<What>()
            {
                assert_eq!(what.to_string(), text, "it is what was said");
                assert!(!text.contains(char::is_whitespace) && !text.starts_with('-'), "git takes it for a name");
            }
        });
    }
}

/// What is read in a proposed diff, if anything is.
fn is_proposal(bytes: &[u8]) {
    let Ok(proposal) = Proposal::read(bytes, 100) else { return };
    for path in proposal.paths() {
        let parts: Vec<_> = path.as_bytes().split(|byte| *byte == b'/').map(<[u8]>::to_ascii_lowercase).collect();
        let is_odd = |part: &Vec<u8>| matches!(&part[..], b"" | b"." | b".." | b".git");
        assert!(!parts.iter().any(is_odd), "{path} leads elsewhere");
    }
    let text = proposal.text();
    let again = Proposal::read(&text, 100).expect("what git is given is a diff, too");
    assert!(!again.is_recounted() && again.text() == text, "it is right by then");
    let paths = |proposal: &Proposal| proposal.files().iter().map(|file| file.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&again), paths(&proposal), "and of the same files");
    let spans = proposal.files().iter().flat_map(|file| &file.spans);
    assert!(spans.into_iter().all(|span| span.old.start <= span.old.end && span.new.start <= span.new.end));
}

/// Whether a setting is one of those that say how a file becomes an object.
fn is_harmless(section: &str, key: &str, value: &[u8]) -> bool {
    let known = match key {
        "filemode" | "symlinks" | "ignorecase" | "precomposeunicode" => value == b"true" || value == b"false",
        "autocrlf" => matches!(value, b"true" | b"false" | b"input"),
        "eol" => matches!(value, b"lf" | b"crlf" | b"native"),
        "excludesFile" | "attributesFile" => value.starts_with(b"/"),
        _ => false,
    };
    section == "core" && known
}
