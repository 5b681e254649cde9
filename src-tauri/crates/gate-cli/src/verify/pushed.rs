//! What git tells a pre-push hook: `LOCAL_REF LOCAL_OID REMOTE_REF REMOTE_OID`, a line for each reference. See
//! <https://git-scm.com/docs/githooks#_pre_push>. Knows no repository.

use std::io::{BufRead, Read as _};

use gate_core::{Code, Fault};

/// Most bytes of all of it.
const BYTES: u64 = 4 * 1024 * 1024;
/// References that hold no one's work: receipts among them.
const NOTES: &str = "refs/notes/";

/// A reference that is pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pushed {
    /// What it is to be.
    pub(super) local: String,
    /// What it is; absent where it is new.
    pub(super) remote: Option<String>,
}

/// Reads it; references that are deleted, and notes, are left out.
///
/// # Errors
/// `invalid_input` for what git doesn't say there, `too_large`.
pub(super) fn read(input: impl BufRead) -> Result<Vec<Pushed>, Fault> {
    let mut text = String::new();
    let unreadable = |why: String| {
        let mend = "Run it as git's pre-push hook does, or name a range: `review-gate verify A..B`.";
        Fault::new(Code::InvalidInput, format!("Standard input isn't what git tells a pre-push hook: {why}."), mend)
    };
    input.take(BYTES + 1).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > BYTES {
        return Err(Fault::new(Code::TooLarge, format!("More than {BYTES} bytes are told."), "Push fewer references."));
    }
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, local, reference, remote] = words[..] else {
            return Err(unreadable(format!("a line has {} words", words.len())));
        };
        if is_nothing(local) || reference.starts_with(NOTES) {
            continue;
        }
        all.push(Pushed { local: local.to_owned(), remote: (!is_nothing(remote)).then(|| remote.to_owned()) });
    }
    Ok(all)
}

fn is_nothing(oid: &str) -> bool {
    oid.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Pushed> {
        read(text.as_bytes()).expect("git says it so")
    }

    #[test]
    fn what_is_new_changed_and_deleted_is_told_apart() {
        let zeros = "0".repeat(40);
        let text = format!(
            "refs/heads/a a1 refs/heads/a b2\nrefs/heads/n c3 refs/heads/n {zeros}\n(delete) {zeros} refs/heads/d d4\n\
             refs/notes/review-gate e5 refs/notes/review-gate f6\n"
        );
        let pushed = |local: &str, remote: Option<&str>| Pushed { local: local.into(), remote: remote.map(Into::into) };
        assert_eq!(of(&text), [pushed("a1", Some("b2")), pushed("c3", None)]);
        assert_eq!(of(""), [], "everything is there already");
    }

    #[test]
    fn anything_else_is_refused() {
        let fault = read("what?\n".as_bytes()).expect_err("no line of git's");
        assert_eq!(fault.code, Code::InvalidInput);
        assert!(fault.mend.contains("verify A..B"), "{fault}");
        let long = "x".repeat(usize::try_from(BYTES).expect("it fits") + 1);
        assert_eq!(read(long.as_bytes()).expect_err("too much").code, Code::TooLarge);
    }
}
