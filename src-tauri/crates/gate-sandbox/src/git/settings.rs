//! git's settings, as far as they lead to further files: what they include, where hooks are, which folder is the work tree.
//! A condition of an include counts as met: the agent could see to it that it is. Reads files and runs nothing; must not
//! know what becomes of these paths.

use std::fs;
use std::iter::Peekable;
use std::path::{Component, Path, PathBuf};
use std::str::Chars;

/// How deep includes are followed, as git does.
const DEPTH: usize = 10;
/// How many are.
const FILES: usize = 200;
/// A larger file is none of git's settings, in bytes.
const LARGEST: u64 = 1 << 20;

/// What a file and those that it includes say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The files that are included, be they there or not.
    pub(super) included: Vec<PathBuf>,
    /// The folders for hooks (`core.hooksPath`), as they are named: the last one of each file.
    pub(super) hooks: Vec<String>,
    /// The work tree (`core.worktree`), as it is named.
    pub(super) work_tree: Option<String>,
}

impl Settings {
    /// Those of a file; none where it isn't there. `person` is the folder that `~` stands for.
    pub(super) fn of(file: &Path, person: &Path) -> Self {
        let mut all = Self::default();
        all.take(file, person, DEPTH);
        all
    }

    fn take(&mut self, file: &Path, person: &Path, depth: usize) {
        // Reading another thing than a file might never end.
        if !fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
            return;
        }
        let Ok(bytes) = fs::read(file) else { return };
        let mut hooks = None;
        for Entry { section, name, value } in entries(&String::from_utf8_lossy(&bytes)) {
            match (section.as_str(), name.as_str()) {
                ("include" | "includeif", "path") => {
                    let Some(path) = included(&value, file, person) else { continue };
                    if depth > 0 && self.included.len() < FILES && !self.included.contains(&path) {
                        self.included.push(path.clone());
                        self.take(&path, person, depth - 1);
                    }
                }
                ("core", "hookspath") => hooks = Some(value),
                ("core", "worktree") => self.work_tree = Some(value),
                (_, _) => {}
            }
        }
        self.hooks.extend(hooks.filter(|folder| !folder.is_empty()));
    }
}

/// The file that one includes by this name; absent where it is of the system's or another user's.
fn included(name: &str, by: &Path, person: &Path) -> Option<PathBuf> {
    let path = match name.strip_prefix("~/") {
        Some(below) => person.join(below),
        None if name.is_empty() || name.starts_with(['~', '%']) => return None,
        None => by.parent()?.join(name),
    };
    Some(placed(&path))
}

/// Where a path leads, be it there or not: a link at its end is kept.
pub(super) fn placed(path: &Path) -> PathBuf {
    if let (Some(above), Some(name)) = (path.parent(), path.file_name())
        && let Ok(above) = fs::canonicalize(above)
    {
        return above.join(name);
    }
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    whole
}

/// A setting, its section and its name in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Of `[core "a"]` it is `core"`.
    section: String,
    name: String,
    value: String,
}

/// All that have a value, up to what git couldn't read either. <https://git-scm.com/docs/git-config#_syntax>
fn entries(text: &str) -> Vec<Entry> {
    let text = text.replace("\r\n", "\n");
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let (mut all, mut section) = (Vec::new(), String::new());
    while let Some(first) = rest.next() {
        match first {
            '#' | ';' => skip_line(&mut rest),
            '[' => match header(&mut rest) {
                Some(named) => section = named,
                None => break,
            },
            letter if letter.is_ascii_alphabetic() => {
                let mut name = letter.to_string();
                while let Some(next) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '-') {
                    name.push(next);
                }
                while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                match rest.next() {
                    Some('=') => {
                        let Some(value) = value(&mut rest) else { break };
                        all.push(Entry { section: section.clone(), name: name.to_ascii_lowercase(), value });
                    }
                    // A switch without a value.
                    Some('\n') | None => {}
                    Some(_) => break,
                }
            }
            space if space.is_whitespace() => {}
            _ => break,
        }
    }
    all
}

fn skip_line(rest: &mut Peekable<Chars<'_>>) {
    while rest.next().is_some_and(|next| next != '\n') {}
}

/// The section that is named up to the bracket. An include is one with a condition and without.
fn header(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let (mut name, mut is_quoted) = (String::new(), false);
    loop {
        match rest.next()? {
            '\n' => return None,
            ']' if !is_quoted => break,
            '\\' if is_quoted => {
                rest.next();
            }
            '"' => {
                is_quoted = !is_quoted;
                if is_quoted {
                    name.push('"');
                }
            }
            next if is_quoted || next.is_whitespace() => {}
            next => name.push(next.to_ascii_lowercase()),
        }
    }
    if name == "includeif\"" {
        name.pop();
    }
    Some(name)
}

/// What stands behind the equals sign, up to the end of its line; absent where that is no value.
fn value(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let (mut value, mut spaces, mut is_quoted) = (String::new(), String::new(), false);
    loop {
        let next = match rest.next() {
            None | Some('\n') => return (!is_quoted).then_some(value),
            Some('#' | ';') if !is_quoted => {
                skip_line(rest);
                return Some(value);
            }
            Some(space) if space.is_whitespace() && !is_quoted => {
                if !value.is_empty() {
                    spaces.push(space);
                }
                continue;
            }
            Some('"') => {
                is_quoted = !is_quoted;
                continue;
            }
            Some('\\') => match rest.next()? {
                // The line goes on.
                '\n' => continue,
                't' => '\t',
                'n' => '\n',
                'b' => '\u{8}',
                kept @ ('\\' | '"') => kept,
                _ => return None,
            },
            Some(next) => next,
        };
        value.push_str(&std::mem::take(&mut spaces));
        value.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks_folder(text: &str) -> Option<String> {
        let is_it = |entry: &Entry| (&*entry.section, &*entry.name) == ("core", "hookspath");
        entries(text).into_iter().rfind(is_it).map(|entry| entry.value)
    }

    #[test]
    fn the_folder_of_hooks_is_read_as_git_writes_it() {
        for (text, folder) in [
            ("[core]\n\thooksPath = .githooks\n", Some(".githooks")),
            ("[core]\n\tbare = false\n[CORE]\nhookspath=\"my hooks\" ; ours\n", Some("my hooks")),
            ("[core] hooksPath = a # here\n[core]\nhooksPath = b\n", Some("b")),
            ("[core]\r\n\thooksPath = a\\\n/b \"c \\\" d\"\r\n", Some("a/b c \" d")),
            ("\u{feff}[core]\n\tsafe\n\thooksPath = a", Some("a")),
            ("[other]\n\thooksPath = .githooks\n", None),
            ("[core \"x\"]\n\thooksPath = .githooks\n", None),
            ("; [core]\n# hooksPath = a\n", None),
            ("[core]\n\tx = \\q\n\thooksPath = a\n", None),
            ("[core]\n\thooksPath =\n", Some("")),
            ("", None),
        ] {
            assert_eq!(hooks_folder(text).as_deref(), folder, "{text}");
        }
    }

    #[test]
    fn what_is_included_is_read_as_well_whatever_the_condition() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let (git, person) = (folder.join(".git"), folder.join("person"));
        for made in [&git, &person, &folder.join("conf")] {
            fs::create_dir(made)?;
        }
        fs::write(
            git.join("config"),
            "[include]\n\tpath = ../.gitconfig\n[includeIf \"gitdir:/a \\\" ]/\"]\n\tpath = ../conf/x\n[include]\n\tpath = \
             ~/mine\n[include]\n\tpath = ~other/x\n[core]\n\thooksPath =\n",
        )?;
        fs::write(folder.join(".gitconfig"), "[core]\n\thooksPath = h\n[include]\n\tpath = absent/deep\n")?;
        // A circle ends.
        fs::write(
            folder.join("conf/x"),
            "[include]\n\tpath = x\n\tpath = ../.git/config\n[core]\n\tworktree = ../w\n",
        )?;
        let all = Settings::of(&git.join("config"), &person);
        let places = [".gitconfig", "absent/deep", "conf/x", ".git/config", "person/mine"];
        assert_eq!(all.included, places.map(|place| folder.join(place)), "be they there or not");
        assert_eq!((all.hooks, all.work_tree.as_deref()), (vec!["h".to_owned()], Some("../w")));
        Ok(())
    }
}
