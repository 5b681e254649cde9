//! What of git's own files an agent may only read, in a project's repository: what makes git run programs, or look for its
//! settings elsewhere. Reads names, links and settings of git's (`git/settings.rs`), and runs nothing.

mod settings;

use std::fs;
use std::path::{Path, PathBuf};

use self::settings::{Settings, placed};

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
/// The settings of all users of the machine, and the person's own, below their folder.
const OF_THE_SYSTEM: &str = "/etc/gitconfig";
const OF_THE_PERSON: [&str; 2] = [".gitconfig", ".config/git/config"];

/// The files of the repository that a project is a work tree of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GitFiles {
    /// Its folders that lie elsewhere, and that git writes.
    pub(crate) elsewhere: Vec<PathBuf>,
    /// Those of them that don't say that this is their work tree. Whoever could write `.git` may have led here, to what
    /// they couldn't write.
    pub(crate) astray: Vec<PathBuf>,
    /// What may only be read, be it there or not.
    pub(crate) guarded: Vec<PathBuf>,
    /// The same of what settings lead to, files that they include and folders of hooks, as far as the agent may write there.
    pub(crate) named: Vec<PathBuf>,
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
    if !fs::symlink_metadata(&link).is_ok_and(|found| found.is_dir()) {
        // Where there is none, one that appears may lead anywhere.
        files.guarded.push(link.clone());
    }
    let folder = fs::canonicalize(&link).ok().filter(|own| own.is_dir());
    let Some(own) = folder.or_else(|| target(&link)) else { return files };
    if !own.join("HEAD").exists() {
        files.guarded.push(own.join("HEAD"));
        return files;
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
    if !leads_back(&own, &common, project, person) {
        files.astray = files.elsewhere.clone();
    }
    guard(&mut files, &own, own != common);
    if common != own {
        guard(&mut files, &common, false);
    }
    let of_person = OF_THE_PERSON.map(|name| person.join(name));
    for file in of_person.iter().chain(&[OF_THE_SYSTEM.into(), common.join("config"), own.join("config.worktree")]) {
        follow(&mut files, file, project, person);
    }
    for other in entries(&common.join("worktrees")).filter(|other| *other != own) {
        guard(&mut files, &other, true);
        follow(&mut files, &other.join("config.worktree"), project, person);
    }
    submodules(&mut files, &common.join("modules"), person, DEPTH);
    files
}

/// Whether the git folder of a work tree says that this is it: as git writes it of those by `git worktree`, and of
/// submodules. Where nobody but git and the person writes, nobody else can have written that.
fn leads_back(own: &Path, common: &Path, project: &Path, person: &Path) -> bool {
    let is_project = |path: &Path| fs::canonicalize(path).is_ok_and(|found| found == project);
    if own != common {
        let is_of_it = own.parent().is_some_and(|all| all == common.join("worktrees"));
        let back = fs::read_to_string(own.join("gitdir")).map(|text| own.join(text.trim_end()));
        return is_of_it && back.is_ok_and(|back| back.ends_with(".git") && back.parent().is_some_and(is_project));
    }
    let files = [own.join("config.worktree"), own.join("config")];
    let named = files.iter().find_map(|file| Settings::of(file, person).work_tree);
    named.is_some_and(|tree| is_project(&own.join(tree)))
}

/// Adds what the settings in a file lead to, in the repository of this work tree.
fn follow(files: &mut GitFiles, file: &Path, tree: &Path, person: &Path) {
    let settings = Settings::of(file, person);
    files.named.extend(settings.included);
    files.named.extend(settings.hooks.iter().flat_map(|named| hooks_at(named, tree, person)));
}

/// What is guarded where hooks are in a folder of this name.
fn hooks_at(named: &str, project: &Path, person: &Path) -> Vec<PathBuf> {
    let folder = match named.strip_prefix("~/") {
        Some(below) => person.join(below),
        None => project.join(named),
    };
    let folder = placed(&folder);
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

fn guard(files: &mut GitFiles, folder: &Path, is_linked: bool) {
    files.guarded.extend(GUARDED.map(|name| folder.join(name)));
    let hooks = folder.join("hooks");
    // A linked work tree has those of its repository.
    if !is_linked && fs::symlink_metadata(&hooks).is_err() {
        files.lacking.push(hooks);
    }
}

fn submodules(files: &mut GitFiles, folder: &Path, person: &Path, depth: usize) {
    for module in entries(folder) {
        if files.guarded.len() > SUBMODULES * GUARDED.len() || depth == 0 {
            return;
        }
        let settings = module.join("config");
        if module.join("HEAD").is_file() && settings.is_file() {
            guard(files, &module, false);
            let tree = Settings::of(&settings, person).work_tree;
            let tree = tree.and_then(|tree| fs::canonicalize(module.join(tree)).ok()).filter(|tree| tree.is_dir());
            files.guarded.extend(tree.iter().map(|tree| tree.join(".git")).filter(|link| link.is_file()));
            follow(files, &settings, tree.as_deref().unwrap_or(&module), person);
            submodules(files, &module.join("modules"), person, depth - 1);
        } else {
            // A submodule's name may have slashes in it.
            submodules(files, &module, person, depth - 1);
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

    /// A folder with what makes it a repository, and these files.
    fn git_folder(folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
        fs::create_dir_all(folder.join("objects"))?;
        fs::create_dir_all(folder.join("refs"))?;
        for (name, text) in [("HEAD", "ref: refs/heads/main\n"), ("config", "")].iter().chain(files) {
            fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    #[test]
    fn a_repository_elsewhere_leads_back_or_is_astray() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let (project, other) = (folder.join("sub"), folder.join("other/.git"));
        fs::create_dir(&project)?;
        let (link, back) = (project.join(".git"), format!("{}\n", project.join(".git").display()));
        let to = |place: &Path| format!("gitdir: {}\n", place.display());
        let astray = || files(&project, &folder.join("person")).astray;
        git_folder(&other, &[])?;
        let to_other = [other.clone()];

        fs::write(&link, to(&other))?;
        assert_eq!(astray(), to_other, "another repository, which knows nothing of this folder");
        fs::write(other.join("config"), "[core]\n\tworktree = ../../sub\n")?;
        assert!(astray().is_empty(), "as submodules say whose they are");
        fs::write(other.join("config"), "[core]\n\tworktree = ../../else\n")?;
        assert_eq!(astray(), to_other, "it says that of another one");

        // What the agent itself may have made in its project.
        let made = project.join("made/worktrees/x");
        let common = format!("{}\n", other.display());
        git_folder(&made, &[("commondir", common.as_str()), ("gitdir", back.as_str())])?;
        fs::write(&link, to(&made))?;
        assert_eq!(astray(), to_other, "that folder isn't among the repository's own work trees");

        let tree = other.join("worktrees/x");
        git_folder(&tree, &[("commondir", "../..\n"), ("gitdir", back.as_str())])?;
        fs::write(&link, to(&tree))?;
        assert!(astray().is_empty(), "as `git worktree` writes it");
        fs::write(tree.join("gitdir"), format!("{}\n", folder.join("else/.git").display()))?;
        assert_eq!(astray(), to_other, "a work tree of it elsewhere");

        fs::remove_file(&link)?;
        std::os::unix::fs::symlink(&other, &link)?;
        assert_eq!(astray(), to_other, "a link leads there as well");
        fs::remove_file(&link)?;
        git_folder(&link, &[])?;
        assert!(astray().is_empty(), "its own");
        fs::write(link.join("commondir"), common)?;
        assert_eq!(astray(), to_other, "its own, but for its objects and references");
        Ok(())
    }

    #[test]
    fn a_repository_that_is_not_there_yet_is_looked_for() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let project = fs::canonicalize(folder.path())?;
        let guarded = || files(&project, Path::new("/nobody")).guarded;
        assert_eq!(guarded(), [project.join(".git")]);
        fs::create_dir(project.join(".git"))?;
        assert_eq!(guarded(), [project.join(".git/HEAD")], "which makes a folder one");
        Ok(())
    }

    #[test]
    fn what_settings_include_is_guarded_with_the_hooks_that_it_names() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let project = fs::canonicalize(folder.path())?;
        git_folder(&project.join(".git"), &[("config", "[include]\n\tpath = ../.gitconfig\n")])?;
        fs::write(project.join(".gitconfig"), "[core]\n\thooksPath = tools\n")?;
        let module = project.join(".git/modules/lib");
        git_folder(&module, &[("config", "[core]\n\tworktree = ../../../lib\n\thooksPath = own\n")])?;
        fs::create_dir(project.join("lib"))?;
        let mut named = files(&project, Path::new("/nobody")).named;
        // What this machine's settings lead to.
        named.retain(|path| path.starts_with(&project));
        assert_eq!(named, [".gitconfig", "tools", "lib/own"].map(|name| project.join(name)));
        Ok(())
    }
}
