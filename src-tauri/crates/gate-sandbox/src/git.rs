//! What of git's own files an agent may only read, in a project's repository: what makes git run programs, or look for its
//! settings elsewhere. Reads names and links of git's, and runs nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// How deep submodules are looked for below `.git/modules`, and how many of them are guarded.
const DEPTH: usize = 5;
const SUBMODULES: usize = 200;

/// What of a git folder may only be read: its settings, its hooks, and the files that lead to another folder for them.
const GUARDED: [&str; 4] = ["config", "config.worktree", "hooks", "commondir"];

/// The hooks that git runs, for where their folder is the project itself.
const HOOKS: [&str; 19] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
];
/// The person's own settings of git, below their folder.
const OF_THE_PERSON: [&str; 2] = [".gitconfig", ".config/git/config"];

/// The files of the repository that a project is a work tree of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GitFiles {
    /// Its folders that lie elsewhere, and that git writes.
    pub(crate) elsewhere: Vec<PathBuf>,
    /// What may only be read, be it there or not.
    pub(crate) guarded: Vec<PathBuf>,
    /// Hooks' folders that aren't there yet. Git sees nothing of one that is empty.
    pub(crate) lacking: Vec<PathBuf>,
}

/// The nearest folder from here upwards that is a work tree; absent where none is.
pub(crate) fn work_tree(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())
}

/// What is guarded of the repository whose work tree this folder is; nothing where it is none. `person` is the folder of the
/// person, with settings of theirs.
pub(crate) fn files(project: &Path, person: &Path) -> GitFiles {
    let mut files = GitFiles::default();
    let link = project.join(".git");
    let Ok(found) = fs::symlink_metadata(&link) else { return files };
    let own = if found.is_dir() { Some(link.clone()) } else { target(&link) };
    let Some(own) = own.filter(|own| own.join("HEAD").exists()) else { return files };
    if !found.is_dir() {
        files.guarded.push(link);
    }
    let common = read_path(&own.join("commondir"), "", &own).unwrap_or_else(|| own.clone());
    if !(common.join("objects").is_dir() && common.join("refs").is_dir()) {
        return files;
    }
    for folder in [&own, &common] {
        if !folder.starts_with(project) && !files.elsewhere.iter().any(|known| folder.starts_with(known)) {
            files.elsewhere.push(folder.clone());
        }
    }
    // The outer one has the inner one with it.
    let outer = files.elsewhere.clone();
    files.elsewhere.retain(|folder| !outer.iter().any(|other| other != folder && folder.starts_with(other)));
    guard(&mut files, &own, own != common);
    if common != own {
        guard(&mut files, &common, false);
    }
    for other in entries(&common.join("worktrees")).filter(|other| *other != own) {
        guard(&mut files, &other, true);
    }
    submodules(&mut files, &common.join("modules"), DEPTH);
    let settings = OF_THE_PERSON.map(|name| person.join(name));
    for settings in settings.iter().chain(&[common.join("config"), own.join("config.worktree")]) {
        let named = fs::read_to_string(settings).ok().and_then(|text| hooks_folder(&text));
        let all = named.into_iter().flat_map(|named| hooks_at(&named, project, person));
        // Elsewhere nothing is written.
        files.guarded.extend(all.filter(|path| path.starts_with(project)));
    }
    files
}

/// What is guarded where hooks are in a folder of this name.
fn hooks_at(named: &str, project: &Path, person: &Path) -> Vec<PathBuf> {
    let folder = match named.strip_prefix("~/") {
        Some(below) => person.join(below),
        None => project.join(named),
    };
    // As git comes there, be it there or not.
    let folder: PathBuf = folder.components().collect();
    match fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone()) {
        whole if project.starts_with(&whole) => HOOKS.map(|hook| whole.join(hook)).to_vec(),
        // husky's own hooks run those of the folder above.
        own if own.file_name().is_some_and(|name| name == "_") && own.parent() != Some(project) => {
            own.parent().map(Path::to_owned).into_iter().collect()
        }
        // A link in its place is told of.
        _ => vec![folder],
    }
}

/// The folder that this text of git's settings names for hooks (`core.hooksPath`), the last one.
fn hooks_folder(text: &str) -> Option<String> {
    let (mut is_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        let line = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            Some((section, rest)) => {
                is_core = section.trim().eq_ignore_ascii_case("core");
                rest.trim()
            }
            None => line,
        };
        let Some((name, value)) = line.split_once('=').filter(|_| is_core) else { continue };
        if name.trim().eq_ignore_ascii_case("hookspath") {
            let value = value.trim();
            let value = match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => value.split(['#', ';']).next().unwrap_or_default().trim_end(),
            };
            found = Some(value.to_owned());
        }
    }
    found.filter(|folder| !folder.is_empty())
}

fn guard(files: &mut GitFiles, folder: &Path, is_linked: bool) {
    files.guarded.extend(GUARDED.map(|name| folder.join(name)));
    let hooks = folder.join("hooks");
    // A linked work tree has those of its repository.
    if !is_linked && fs::symlink_metadata(&hooks).is_err() {
        files.lacking.push(hooks);
    }
}

fn submodules(files: &mut GitFiles, folder: &Path, depth: usize) {
    for module in entries(folder) {
        if files.guarded.len() > SUBMODULES * GUARDED.len() || depth == 0 {
            return;
        }
        let settings = module.join("config");
        if module.join("HEAD").is_file() && settings.is_file() {
            guard(files, &module, false);
            let link = read_path(&settings, "worktree = ", &module).map(|tree| tree.join(".git"));
            files.guarded.extend(link.filter(|link| link.is_file()));
            submodules(files, &module.join("modules"), depth - 1);
        } else {
            // A submodule's name may have slashes in it.
            submodules(files, &module, depth - 1);
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

/// The folder that a `.git` file leads to.
fn target(link: &Path) -> Option<PathBuf> {
    read_path(link, "gitdir: ", link.parent()?)
}

/// The path after these words, as this file has it.
fn read_path(file: &Path, words: &str, from: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = text.lines().find_map(|line| line.trim().strip_prefix(words))?.trim();
    fs::canonicalize(from.join(path)).ok().filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_hooks_is_read_as_git_writes_it() {
        for (text, folder) in [
            ("[core]\n\thooksPath = .githooks\n", Some(".githooks")),
            ("[core]\n\tbare = false\n[CORE]\nhookspath=\"my hooks\" ; ours\n", Some("my hooks")),
            ("[core] hooksPath = a # here\n[core]\nhooksPath = b\n", Some("b")),
            ("[other]\n\thooksPath = .githooks\n", None),
            ("[core \"x\"]\n\thooksPath = .githooks\n", None),
            ("[core]\n\thooksPath =\n", None),
            ("", None),
        ] {
            assert_eq!(hooks_folder(text).as_deref(), folder, "{text}");
        }
    }

    #[test]
    fn hooks_in_the_project_are_guarded_wherever_they_are() {
        let (project, person) = (Path::new("/p/shop"), Path::new("/p/me"));
        let at = |named: &str| hooks_at(named, project, person);
        assert_eq!(at(".githooks"), [Path::new("/p/shop/.githooks")]);
        assert_eq!(at("./tools/hooks/"), [Path::new("/p/shop/tools/hooks")]);
        assert_eq!(at(".husky/_"), [Path::new("/p/shop/.husky")], "which has what those run");
        assert_eq!(at("~/hooks"), [Path::new("/p/me/hooks")]);
        let whole = at(".");
        assert!(whole.contains(&PathBuf::from("/p/shop/pre-commit")), "the project itself stays writable: {whole:?}");
        assert!(!whole.contains(&project.to_owned()));
    }
}
