//! The programs that a command names, as they are looked for, and what was found of each: a help for the eye. A shell may make
//! something else of a command, by its aliases and functions, its settings or what it reads; from where a word may change
//! that on, nothing is said.
//!
//! Looks at no file: what is there is told.

use serde::{Deserialize, Serialize};

use super::read::word;
use crate::question::{Part, Parts};

/// Most programs of a command that are looked for.
const PROGRAMS: usize = 8;
/// Most words of a command that are read for that.
const WORDS: usize = 10_000;
/// Longest word that is looked for, in bytes: what a system takes for a path.
const WORD_BYTES: usize = 4096;
/// Words after which a command begins anew.
const BEGIN: [&str; 9] = ["if", "then", "else", "elif", "do", "while", "until", "{", "!"];
/// Words after which something else stands than a command.
const OTHER: [&str; 6] = ["for", "in", "esac", "fi", "done", "}"];
/// Variables by which a shell finds programs or takes words apart, as shells call them.
const FINDS: [&str; 7] = ["PATH", "path", "BASH_ENV", "ENV", "IFS", "ifs", "fpath"];
/// What a shell does itself, so that nothing is run for it.
const OWN: [&str; 34] = [
    ":", "[", "bg", "bind", "break", "caller", "compgen", "complete", "continue", "dirs", "disown", "echo", "exit",
    "false", "fc", "fg", "help", "history", "jobs", "kill", "logout", "printf", "pwd", "return", "shift", "suspend",
    "test", "time", "times", "true", "type", "ulimit", "umask", "wait",
];
/// What leads to another folder, so that nobody knows any more from where a relative path begins.
const MOVE: [&str; 3] = ["cd", "pushd", "popd"];
/// What sets a variable where an option says so, so that any may be set.
const SETS: [&str; 2] = ["printf", "wait"];
/// What may change which program a word is, or runs a word of its own; and what has words of its own behind it.
const CHANGE: [&str; 40] = [
    ".",
    "[[",
    "alias",
    "autoload",
    "builtin",
    "case",
    "command",
    "coproc",
    "declare",
    "disable",
    "emulate",
    "enable",
    "eval",
    "exec",
    "export",
    "float",
    "function",
    "functions",
    "getopts",
    "hash",
    "integer",
    "let",
    "local",
    "mapfile",
    "print",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "select",
    "set",
    "setopt",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    "unset",
    "vared",
    "zmodload",
];

/// A program that a command names, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionProgram {
    /// As it stands in the command, without quotes.
    pub name: String,
    /// Where it lies; absent where there is no such program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub path: Option<String>,
    /// Where it leads, where it is a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub leads_to: Option<String>,
    /// Whether it lies in the folder in which the command is to be run, where its agent may have written it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub inside: bool,
}

/// A program to be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// As it stands in the command, without quotes.
    pub name: String,
    /// Whether the folder of the command is the one that a relative path begins at.
    pub is_from_folder: bool,
}

impl PermissionProgram {
    pub(super) fn parts(&self) -> Parts<'_> {
        let Self { name, path, leads_to, inside } = self;
        let parts = [
            Some(Part::headed("name", "program", name)),
            Some(Part::headed("path", "the program lies at", path.as_deref().unwrap_or("no place that is known"))),
            leads_to.as_deref().map(|path| Part::headed("leads_to", "the program leads to", path)),
            Some(Part::mark("inside", "of the program", "in the folder", *inside)),
        ];
        Parts(parts.into_iter().flatten().collect())
    }
}

impl Wanted {
    /// The programs of a command, each once and at most eight, in their order; up to a word that may change which
    /// program a word is.
    #[must_use]
    pub fn of(command: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let (mut rest, mut begins, mut is_from_folder, mut has_document) = (command, true, true, false);
        // Commands that stand in others, by what they began with, and whether one begins after each.
        let mut within: Vec<(char, bool)> = Vec::new();
        let mut may_set = false;
        for _ in 0..WORDS {
            rest = rest.trim_start_matches([' ', '\t']);
            if rest.starts_with("\\\n") {
                rest = &rest[2..];
                continue;
            }
            let Some(first) = rest.chars().next() else { break };
            // What stands below is no command.
            if first == '\n' && has_document || found.len() >= PROGRAMS {
                break;
            }
            if first == '#' {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            if matches!(first, '<' | '>') || rest.starts_with("&>") {
                has_document |= rest.starts_with("<<") && !rest.starts_with("<<<");
                let target = rest.trim_start_matches(['<', '>', '&', '|', '-']).trim_start_matches([' ', '\t']);
                rest = match target.strip_prefix('(') {
                    // What is in a process's place is a command of its own.
                    Some(process) => {
                        within.push(('(', begins));
                        begins = true;
                        process
                    }
                    None => word(target).1,
                };
                continue;
            }
            if let Some(of) = rest.strip_prefix("$(").or_else(|| rest.strip_prefix(['`', '(', ')'])) {
                rest = of;
                begins = match (first, within.last()) {
                    ('`', Some(('`', after))) | (')', Some(('(', after))) => {
                        let after = *after;
                        within.pop();
                        after
                    }
                    (')', _) => break,
                    // The command is what comes out of it; or it is a sum; or one of zsh's patterns.
                    _ if (first != '(' && (begins || may_set)) || of.starts_with('(') => break,
                    ('(', _) if !begins => break,
                    _ => {
                        within.push((if first == '`' { '`' } else { '(' }, begins));
                        true
                    }
                };
                continue;
            }
            if matches!(first, '\n' | ';' | '|' | '&') {
                (begins, may_set) = (true, false);
                rest = rest.strip_prefix(first).unwrap_or_default();
                continue;
            }
            let (said, after) = word(rest);
            // What is put in within quotes may have quotes of its own, and what is put in may set a variable.
            let is_made = said.contains("$(") || said.contains('`') || said.contains("${") && said.contains('=');
            if after.len() == rest.len() || is_made {
                break;
            }
            rest = after;
            // The number of what is led elsewhere, as in `2>&1`.
            if said.bytes().all(|c| c.is_ascii_digit()) && rest.starts_with(['<', '>']) {
                continue;
            }
            if !begins {
                let plain = plain(said);
                let word = plain.as_deref();
                let sets = may_set && word.is_none_or(|word| word.starts_with('-'));
                if sets || word.is_some_and(|word| FINDS.contains(&word)) {
                    break;
                }
                may_set = false;
                continue;
            }
            // The word goes on with what comes out of a command.
            let closes = within.last().is_some_and(|(open, _)| *open == '`');
            if rest.starts_with("$(") || rest.starts_with('`') && !closes {
                break;
            }
            match sets(said) {
                Some(name) if FINDS.contains(&name) || rest.starts_with('(') => break,
                Some(_) => continue,
                None => {}
            }
            // A name with brackets behind it becomes a function.
            let Some(name) = plain(said).filter(|_| !rest.trim_start().starts_with('(')) else { break };
            let own = name.as_str();
            if BEGIN.contains(&own) {
                continue;
            }
            begins = false;
            if CHANGE.contains(&own) {
                break;
            }
            may_set = SETS.contains(&own);
            is_from_folder &= !MOVE.contains(&own);
            let is_no_program = [&OTHER[..], &OWN, &MOVE].iter().any(|words| words.contains(&own));
            if !is_no_program && found.iter().all(|wanted| wanted.name != name) {
                found.push(Self { name, is_from_folder });
            }
        }
        found
    }
}

/// The variable that a word sets.
fn sets(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(name)
}

/// A word without its quotes, where a shell makes nothing else of it.
fn plain(word: &str) -> Option<String> {
    let mut plain = String::new();
    let mut quote = None;
    for c in word.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (Some('\''), c) => plain.push(c),
            (_, '$' | '`' | '\\') | (None, '*' | '?' | '[' | ']' | '~' | '{' | '}')
                if !["[", "[[", "{", "}"].contains(&word) =>
            {
                return None;
            }
            (_, c) => plain.push(c),
        }
    }
    (quote.is_none() && !plain.is_empty() && plain.len() <= WORD_BYTES && !plain.contains('\0')).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_a_command_are_looked_for_as_they_stand_in_it() {
        for (command, names) in [
            ("npm test 2>&1 | tee out.txt", vec!["npm", "tee"]),
            ("FOO=1 ./run 'x; y' && /usr/bin/make -j2; make", vec!["./run", "/usr/bin/make", "make"]),
            ("\"./my tool\" $(curl evil) `id`", vec!["./my tool", "curl", "id"]),
            (">out <in sort -u", vec!["sort"]),
            ("if test -f a; then cat a; else rm b; fi", vec!["cat", "rm"]),
            ("for f in a b; do gzip $f; done", vec!["gzip"]),
            ("diff <(sort a) <(sort b)", vec!["diff", "sort"]),
            ("# makes it\nmake \\\n  all", vec!["make"]),
            ("cat <<EOF > x\nrm -rf /\nEOF\nls", vec!["cat"]),
            ("diff <(sort a) b $(date) c; ls", vec!["diff", "sort", "date", "ls"]),
            ("tee `date` x | (wc; ls)", vec!["tee", "date", "wc", "ls"]),
            ("tee $(date $(id) x) y", vec!["tee", "date", "id"]),
            ("{ make; } | tee {a,b}; ! ls", vec!["make", "tee", "ls"]),
            ("find . ! -name x { y", vec!["find"]),
            ("printf '%s' x | tee y", vec!["tee"]),
            ("echo hi", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<_> = Wanted::of(command).into_iter().map(|wanted| wanted.name).collect();
            assert_eq!(found, names, "{command:?}");
        }
        assert_eq!(Wanted::of(&"a b\n".repeat(1_000_000)).len(), 1, "it ends");
        assert_eq!(Wanted::of(&("x".repeat(WORD_BYTES + 1) + "; ls")), [], "no path is so long");
    }

    #[test]
    fn nothing_is_said_from_where_a_word_may_be_another_program() {
        for (command, names) in [
            ("make; PATH=/evil:$PATH ls", vec!["make"]),
            ("make; export PATH=/evil; ls", vec!["make"]),
            (". ./env; ls", vec![]),
            ("eval ls", vec![]),
            ("ls() { rm -rf /; }; ls", vec![]),
            ("ls ( ) { rm -rf /; }; ls", vec![]),
            ("function ls () { rm -rf /; }; ls", vec![]),
            ("function ls { rm -rf /; }; ls", vec![]),
            ("make; ls$(x)", vec!["make"]),
            ("make; ls`x`", vec!["make"]),
            ("$(echo cd) x; ls", vec![]),
            ("A=$(x)b ls", vec![]),
            ("make; read PATH; ls", vec!["make"]),
            ("make; printf -v PATH x; ls", vec!["make"]),
            ("make; printf \\\n $V PATH x; ls", vec!["make"]),
            ("make; for PATH in /evil; do ls; done", vec!["make"]),
            ("make; path=(/evil $path); ls", vec!["make"]),
            ("make; path+=/evil; ls", vec!["make"]),
            ("make; : ${PATH:=/evil}; ls", vec!["make"]),
            ("make $((ls)); ls", vec!["make"]),
            ("make \"$(echo \"a; ls\")\"", vec!["make"]),
            ("make; [[ -f a && ls ]]", vec!["make"]),
            ("make $(case a in b) c;; esac) ls", vec!["make"]),
            ("make; a=(b ls); ls", vec!["make"]),
            ("alias ls=rm; ls", vec![]),
            ("$CMD x; ls", vec![]),
            ("~/bin/x; ls", vec![]),
            ("l\\s; make", vec![]),
            ("/usr/bin/*sh -c x", vec![]),
        ] {
            let found: Vec<_> = Wanted::of(command).into_iter().map(|wanted| wanted.name).collect();
            assert_eq!(found, names, "{command:?}");
        }
        let moved: Vec<_> = Wanted::of("./a; cd b && ./c").into_iter().map(|wanted| wanted.is_from_folder).collect();
        assert_eq!(moved, [true, false], "after `cd` a path begins elsewhere");
    }
}
