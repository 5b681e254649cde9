//! Hostile edits: whatever the text, the file and the path, the diff that windows show, put on the file as it is, gives byte for
//! byte what the agent's tool does, or the question says that it can't know. What the tools do is reckoned here anew, plainly and by
//! their own rules (`hostile/tools.rs`); the edits are in `hostile/corpus.rs`.

mod corpus;
mod opencode;
mod patch;
mod tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate_core::diff::{self, DiffFile, LineEnd, RowEnd, RowKind};
use gate_core::permission::Permission;

use super::{are_as_asked, looked_at};
use corpus::{Case, cases};
use tools::Does;

/// Files with what they hold, links followed; one that is gone has nothing.
type Held = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// What a question says of an edit.
struct Said {
    asked: Permission,
    diff: Option<String>,
}

impl Said {
    fn of(case: &Case, folder: &Path) -> Self {
        let question = case.call.question(folder).expect("its agent asks");
        let mut asked = question.permission().expect("it can be asked");
        let diff = looked_at(&mut asked);
        assert_eq!(
            diff.is_none(),
            asked.unknown.is_some(),
            "{}: it shows what it would do, or says why not",
            case.name
        );
        Self { asked, diff }
    }

    /// What the files would hold by the diff that windows show.
    fn becomes(&self, folder: &Path) -> Option<Held> {
        let view = diff::view(self.diff.as_deref()?).expect("it is a diff");
        let becomes = |file: &DiffFile| {
            let path = if file.new_path.is_empty() { &file.old_path } else { &file.new_path };
            let place = tools::real(&folder.join(path));
            let before = fs::read(&place).unwrap_or_default();
            let after = put_on(&before, file);
            (place, (!file.new_path.is_empty()).then_some(after))
        };
        Some(view.files.iter().map(becomes).collect())
    }
}

/// A file with a diff put on it, row by row, as a person would by hand.
fn put_on(before: &[u8], file: &DiffFile) -> Vec<u8> {
    let lines: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut after, mut at) = (Vec::new(), 0);
    for row in file.hunks.iter().flat_map(|hunk| &hunk.rows) {
        assert_ne!(row.kind, RowKind::Outside, "nothing stands there that is no line of the file: {row:?}");
        let mut text: Vec<u8> = row.segments.iter().flat_map(|piece| piece.text.bytes()).collect();
        // Where nothing is said of how a line ends, it ends as those around it in the file; a new file's with a line feed.
        let as_around = lines.get(at).or(lines.last()).is_some_and(|line| line.ends_with(b"\r\n"));
        text.extend_from_slice(match (row.end, file.line_ends.map(|ends| ends.new)) {
            (Some(RowEnd::Nothing), _) => b"",
            (Some(RowEnd::Crlf), _) => b"\r\n",
            (None, None) if as_around => b"\r\n",
            (None, None | Some(LineEnd::Lf | LineEnd::Mixed | LineEnd::Crlf)) => b"\n",
        });
        if let Some(old) = row.old {
            let old = usize::try_from(old).expect("a number of a line") - 1;
            after.extend(lines[at..old].concat());
            assert_eq!(lines[old], text, "line {old} is what stands in the file");
            at = old + 1;
        }
        if row.new.is_some() {
            after.extend(text);
        }
    }
    after.extend(lines[at..].concat());
    after
}

/// The edit's own folder, with the files that it is to meet.
fn scene(case: &Case) -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::Builder::new().prefix("rg-").tempdir().expect("a folder");
    let folder = outer.path().canonicalize().expect("it is there").join("ws");
    fs::create_dir(&folder).expect("a folder");
    for entry in &case.there {
        entry.make(&folder);
    }
    (outer, folder)
}

#[test]
fn what_is_shown_of_200_hostile_edits_is_what_they_would_do() {
    let cases = cases();
    assert!(cases.len() >= 200, "there are {}", cases.len());
    let mut shown = 0;
    let mut wrong = Vec::new();
    for case in &cases {
        let (_outer, folder) = scene(case);
        let said = Said::of(case, &folder);
        let becomes = said.becomes(&folder);
        shown += usize::from(becomes.is_some());
        match (becomes, case.call.does(&folder)) {
            (Some(becomes), Does::Writes(held)) if becomes == held => {}
            (None, _) => {}
            (becomes, does) => wrong.push(format!("{}: {becomes:.400?} is shown of {does:.400?}", case.name)),
        }
        if said.asked.unknown != case.unknown {
            wrong.push(format!("{}: it says {:?}, not {:?}", case.name, said.asked.unknown, case.unknown));
        }
        let unseen = unseen_changes(&said, &folder).into_iter();
        wrong.extend(unseen.map(|what| format!("{}: not seen before it is allowed: {what}", case.name)));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(shown > 250, "most of them are known: {shown} of {}", cases.len());
}

/// What may change under a question without being noticed before it is allowed.
fn unseen_changes(said: &Said, folder: &Path) -> Vec<String> {
    let is_as_asked = || are_as_asked(&said.asked, said.diff.as_deref());
    let mut unseen = Vec::new();
    let mut tell = |what: &str, is_right: bool| {
        if !is_right {
            unseen.push(what.to_owned());
        }
    };
    tell("nothing has changed", is_as_asked());
    if said.diff.is_none() {
        return unseen;
    }
    for file in &said.asked.files {
        let place = tools::real(&folder.join(&file.path));
        if let Ok(bytes) = fs::read(&place) {
            fs::write(&place, [&bytes, b"\n".as_slice()].concat()).expect("it can be written");
            tell("a line more", !is_as_asked());
            fs::write(&place, &bytes).expect("it can be written");
        } else if fs::write(&place, "").is_ok() {
            tell("a file is there by now", !is_as_asked());
            fs::remove_file(&place).expect("it goes");
        }
    }
    tell("all is as it was", is_as_asked());
    let has_files = said.asked.files.iter().any(|file| !file.outside && file.before.is_some());
    if folder.exists() && has_files {
        fs::rename(folder, folder.with_extension("gone")).expect("it goes");
        tell("the folder is gone", !is_as_asked());
    }
    unseen
}
