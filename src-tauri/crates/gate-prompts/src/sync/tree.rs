//! What of a commit's tree is taken: the listing of `git ls-tree` read, and every name checked before
//! anything of it touches the disk. It must not know git's program or the folder that is served.
//!
//! One name that could lead elsewhere refuses the whole tree: it isn't there by accident, and half a set of
//! prompts is worse than the one before.

use std::collections::HashMap;

use gate_core::{Code, Fault};

use super::Limits;

/// Longest path below the folder and longest part of one, in bytes.
const PATH_BYTES: usize = 1000;
const PART_BYTES: usize = 200;
/// The folder whose files are partials, whatever they are called.
const PARTIALS: &str = "_partials";

/// A file that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Below the folder, `/` between the parts.
    pub(super) path: String,
    /// Its blob's id.
    pub(super) id: String,
    /// In bytes.
    pub(super) size: u64,
}

/// What a tree gives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Taken {
    /// By path.
    pub(super) entries: Vec<Entry>,
    /// How many of them are prompts.
    pub(super) prompts: u32,
    /// How many files were left out for their type.
    pub(super) ignored: u32,
}

/// Why this path is refused wherever it stands, taken or not; absent for a good one.
pub(super) fn fault_of_path(path: &str) -> Option<&'static str> {
    for part in path.split('/') {
        let lower = part.to_lowercase();
        let why = match lower.as_str() {
            "" => "it has an empty part",
            "." | ".." => "it leads to another folder",
            ".git" | "git~1" => "it is git's own folder",
            _ if lower.contains('\\') => "it holds a backslash",
            _ if lower.contains(|c: char| c.is_control()) => "it holds a control character",
            // A name that shows otherwise than it is written.
            _ if lower.contains(|c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')) => {
                "it holds an invisible character"
            }
            _ => continue,
        };
        return Some(why);
    }
    None
}

/// Why a file that is taken can't have this path on one system or the other.
fn fault_of_taken(path: &str, depth: usize) -> Option<&'static str> {
    if path.len() > PATH_BYTES || path.split('/').any(|part| part.len() > PART_BYTES) {
        return Some("it is too long");
    }
    if path.split('/').count() > depth + 1 {
        return Some("it is in too many folders");
    }
    for part in path.split('/') {
        // <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
        let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_uppercase();
        let numbered = |name: &str| {
            stem.strip_prefix(name).is_some_and(|rest| {
                let mut rest = rest.chars();
                matches!((rest.next(), rest.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
            })
        };
        if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
            || numbered("COM")
            || numbered("LPT")
        {
            return Some("Windows keeps it for a device");
        }
        if part.ends_with(['.', ' ']) || part.contains(['<', '>', ':', '"', '|', '?', '*']) {
            return Some("it can't be a file's name on Windows");
        }
    }
    None
}

/// Whether a file of this path is taken, and whether it is a prompt.
fn kind(path: &str) -> Option<bool> {
    // What begins with a dot is somebody else's: `.github/workflows/test.yml`.
    if path.split('/').any(|part| part.starts_with('.')) {
        return None;
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|part| part == PARTIALS) {
        return Some(false);
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())?;
    let own = matches!(extension.as_str(), "yaml" | "yml" | "json" | "md");
    own.then(|| !path.split('/').any(|part| part.starts_with('_')))
}

/// Reads what `git ls-tree -r -z -l` writes, `<mode> <type> <id> <size>\t<path>\0` for each entry, and
/// checks all of it.
///
/// # Errors
/// `prompt_sync`, naming the path that is refused or the bound that is passed.
pub(super) fn read(listing: &[u8], limits: &Limits) -> Result<Taken, Fault> {
    let mut taken = Taken::default();
    let mut names = Names::default();
    let mut total = 0_u64;
    for (index, line) in listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()).enumerate() {
        if index >= limits.entries {
            return Err(bound(
                format!("The repository's folder holds more than {} files.", limits.entries),
                "Set the folder of the repository that holds the prompts.",
            ));
        }
        let (mode, id, size, path) = fields(line)?;
        if let Some(why) = fault_of_path(path) {
            return Err(refused(path, why));
        }
        match mode {
            "100644" | "100755" | "100664" => {}
            "120000" => return Err(refused(path, "it is a symbolic link")),
            "160000" => return Err(refused(path, "it is another repository, a submodule")),
            _ => return Err(refused(path, "it isn't a file")),
        }
        let Some(prompt) = kind(path) else {
            taken.ignored = taken.ignored.saturating_add(1);
            continue;
        };
        if let Some(why) = fault_of_taken(path, limits.depth) {
            return Err(refused(path, why));
        }
        if let Some(other) = names.collision(path) {
            return Err(refused(path, &format!("it is one with `{}` where capitals don't count", shown(&other))));
        }
        let size: u64 = size.parse().map_err(|_| unreadable())?;
        if size > limits.file_bytes {
            return Err(refused(path, &format!("it is larger than {} KiB", limits.file_bytes / 1024)));
        }
        total = total.saturating_add(size);
        if taken.entries.len() >= limits.files {
            return Err(bound(
                format!("The repository holds more than {} files of prompts.", limits.files),
                "Set the folder of the repository that holds the prompts, or split the repository.",
            ));
        }
        if total > limits.total_bytes {
            return Err(bound(
                format!(
                    "The repository's prompts are larger than {} MiB together.",
                    limits.total_bytes / (1024 * 1024)
                ),
                "Set the folder of the repository that holds the prompts, or split the repository.",
            ));
        }
        taken.prompts += u32::from(prompt);
        taken.entries.push(Entry { path: path.to_owned(), id: id.to_owned(), size });
    }
    if taken.prompts == 0 {
        return Err(Fault::new(
            Code::PromptSync,
            "The repository's folder holds no prompts.",
            "Set the branch and the folder that hold `.yaml`, `.yml`, `.json` or `.md` files.",
        ));
    }
    taken.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(taken)
}

fn fields(line: &[u8]) -> Result<(&str, &str, &str, &str), Fault> {
    let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(unreadable)?;
    let (head, path) = (&line[..tab], &line[tab + 1..]);
    let path = match std::str::from_utf8(path) {
        Ok(path) => path,
        Err(_) => return Err(refused(&String::from_utf8_lossy(path), "it isn't written in UTF-8")),
    };
    let head = std::str::from_utf8(head).map_err(|_| unreadable())?;
    let mut parts = head.split_ascii_whitespace();
    match (parts.next(), parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(mode), Some(_), Some(id), Some(size), None) if id.bytes().all(|b| b.is_ascii_hexdigit()) => {
            Ok((mode, id, size, path))
        }
        _ => Err(unreadable()),
    }
}

/// The names so far as a file system knows them that doesn't tell capitals from small letters.
#[derive(Default)]
struct Names(HashMap<String, (String, bool)>);

impl Names {
    /// Notes a file and its folders; the path that it can't stand beside.
    fn collision(&mut self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(at, _)| (at, true)).chain([(path.len(), false)]);
        for (end, folder) in ends {
            let name = &path[..end];
            match self.0.get(&name.to_lowercase()) {
                Some((known, true)) if folder && known == name => {}
                Some((known, _)) => return Some(known.clone()),
                None => {
                    self.0.insert(name.to_lowercase(), (name.to_owned(), folder));
                }
            }
        }
        None
    }
}

fn refused(path: &str, why: &str) -> Fault {
    Fault::new(
        Code::PromptSync,
        format!("`{}` in the repository is refused: {why}.", shown(path)),
        "Mend or remove it in the repository, or set a folder of it that holds the prompts only.",
    )
}

fn bound(message: String, mend: &str) -> Fault {
    Fault::new(Code::PromptSync, message, mend)
}

fn unreadable() -> Fault {
    Fault::new(
        Code::PromptSync,
        "What git says of the repository's files can't be read.",
        "Check the repository with `git fsck`, and that git is of version 2.31 or newer.",
    )
}

/// A path as a message may hold it.
pub(super) fn shown(path: &str) -> String {
    let plain = |c: char| {
        if c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        {
            '\u{fffd}'
        } else {
            c
        }
    };
    let mut text: String = path.chars().take(120).map(plain).collect();
    if text.len() < path.len() && path.chars().count() > 120 {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(mode: &str, size: &str, path: &str) -> Vec<u8> {
        let kind = if mode == "160000" { "commit" } else { "blob" };
        format!("{mode} {kind} {} {size:>7}\t{path}\0", "a1".repeat(20)).into_bytes()
    }

    fn listing(paths: &[&str]) -> Vec<u8> {
        paths.iter().flat_map(|path| line("100644", "5", path)).collect()
    }

    fn refusal(listing: &[u8]) -> String {
        let fault = read(listing, &Limits::default()).expect_err("it is to be refused");
        assert_eq!(fault.code, Code::PromptSync);
        fault.message
    }

    #[test]
    fn prompts_and_partials_are_taken_and_the_rest_is_counted() {
        let paths = [
            "b.md",
            "a.YAML",
            "x/c.yml",
            "x/d.json",
            "_partials/head.hbs",
            "x/_partials/deep/foot",
            "_drafts/e.md",
            "logo.png",
            "LICENSE",
            ".github/workflows/test.yml",
            "aux.c",
        ];
        let taken = read(&listing(&paths), &Limits::default()).expect("all are good");
        let got: Vec<&str> = taken.entries.iter().map(|entry| entry.path.as_str()).collect();
        let want =
            ["_drafts/e.md", "_partials/head.hbs", "a.YAML", "b.md", "x/_partials/deep/foot", "x/c.yml", "x/d.json"];
        assert_eq!((got, taken.prompts, taken.ignored), (want.to_vec(), 4, 4));
    }

    #[test]
    fn a_name_that_leads_elsewhere_refuses_all_of_it() {
        for bad in [
            "../x.md",
            "a/../x.md",
            "/x.md",
            "a//x.md",
            "./x.md",
            ".git/x.md",
            "a/.GIT/config",
            "git~1/x",
            "a\\..\\x.md",
            "C:\\x.md",
            "x\n.md",
            "x\u{1b}[2J.md",
            "x\u{202e}dm.exe",
            "\u{200c}.git/x",
            "CON.md",
            "a/nul",
            "com1.yaml",
            "a/LPT¹.x.md",
            "a:b.md",
            "a./x.md",
            "x .md/y.md ",
            "what?.md",
            "a*/x.md",
        ] {
            let all = listing(&["good.md", bad]);
            // Windows' rules hold for what is taken only.
            if kind(bad).is_some() || fault_of_path(bad).is_some() {
                let message = refusal(&all);
                assert!(message.contains(shown(bad).as_str()), "{bad:?} is named: {message}");
                assert!(!message.contains('\u{1b}') && !message.contains('\n'), "and can't act on a terminal");
            }
        }
        let long = format!("{}/x.md", "a".repeat(201));
        assert!(refusal(&listing(&["good.md", &long])).contains("too long"));
        let deep = format!("{}x.md", "a/".repeat(13));
        assert!(refusal(&listing(&["good.md", &deep])).contains("too many folders"));
        let mut bytes = listing(&["good.md"]);
        bytes.extend(line("100644", "5", "x"));
        let at = bytes.len() - 2;
        bytes[at] = 0xff;
        assert!(refusal(&bytes).contains("UTF-8"));
    }

    #[test]
    fn links_submodules_and_oddities_refuse_all_of_it() {
        for (mode, size) in [("120000", "5"), ("160000", "-"), ("040000", "-"), ("100600", "5")] {
            let all = [listing(&["good.md"]), line(mode, size, "bad.md")].concat();
            assert!(refusal(&all).contains("`bad.md`"), "{mode}");
        }
    }

    #[test]
    fn names_that_are_one_on_some_systems_refuse_all_of_it() {
        for pair in
            [["a.md", "A.md"], ["x/a.md", "X/b.md"], ["Ärger.md", "ärger.md"], ["a.md", "a.md"], ["a.md", "a.md/b.md"]]
        {
            refusal(&listing(&pair));
        }
        read(&listing(&["x/a.md", "x/b.md", "y/a.md"]), &Limits::default()).expect("these are several");
    }

    #[test]
    fn every_bound_is_held() {
        let small = Limits { files: 2, file_bytes: 10, total_bytes: 15, entries: 4, ..Limits::default() };
        let of = |sizes: &[(&str, &str)]| -> Vec<u8> {
            sizes.iter().flat_map(|(path, size)| line("100644", size, path)).collect()
        };
        read(&of(&[("a.md", "10"), ("b.md", "5"), ("c", "99"), ("d", "99")]), &small).expect("at the bounds");
        for (over, word) in [
            (of(&[("a.md", "11")]), "larger than"),
            (of(&[("a.md", "10"), ("b.md", "6")]), "together"),
            (of(&[("a.md", "1"), ("b.md", "1"), ("c.md", "1")]), "more than 2 files"),
            (of(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("e", "1")]), "more than 4 files"),
        ] {
            let fault = read(&over, &small).expect_err(word);
            assert!(fault.message.contains(word), "{fault}");
        }
        assert!(refusal(&listing(&["_partials/x.md", "logo.png"])).contains("no prompts"));
        assert!(refusal(b"").contains("no prompts"));
    }

    proptest! {
        #[test]
        fn fuzz_whatever_is_listed_what_is_taken_stays_below(parts in proptest::collection::vec("(\\.|\\.\\.|/|\\\\|[a-zA-Z:~ ]|\\.md|\\.git|_partials|\\PC){1,8}", 1..12)) {
            let paths: Vec<&str> = parts.iter().map(String::as_str).collect();
            if let Ok(taken) = read(&listing(&paths), &Limits::default()) {
                for entry in taken.entries {
                    let parts: Vec<_> = std::path::Path::new(&entry.path).components().collect();
                    let below = parts.iter().all(|part| matches!(part, std::path::Component::Normal(_)));
                    prop_assert!(below && !entry.path.contains('\\'), "{}", entry.path);
                }
            }
        }

        #[test]
        fn fuzz_any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes, &Limits::default());
        }
    }
}
