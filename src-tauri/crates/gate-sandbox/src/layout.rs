//! Which files an agent sees in its sandbox, and which of them it may write. Everything that isn't named here isn't there.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};

use crate::git;
use crate::guarded::{AllGuarded, pins};
use crate::wish::{AgentFiles, Network, Wish};

/// What every program needs of the system.
const SYSTEM: [&str; 11] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];
/// Folders below the person's with programs and their libraries, and nothing that is secret.
const TOOLCHAINS: [&str; 12] = [
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".asdf",
    ".volta",
    ".bun",
    ".deno",
    ".rustup",
    ".sdkman",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
];
/// Folders that are the sandbox's own, and empty at first.
const OWN: [&str; 3] = ["/tmp", "/run", "/var"];
const RESOLVER: &str = "/etc/resolv.conf";
/// The machines that systemd's resolver asks, which is on loopback itself.
const RESOLVERS_BEHIND: &str = "/run/systemd/resolve/resolv.conf";

/// One thing that is seen. In the order in which they are laid on each other where their places are equally deep.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mount {
    /// An empty folder of the sandbox's own.
    Empty,
    /// A link to this.
    Link(PathBuf),
    /// What is at this path outside, to be read.
    ReadOnly(PathBuf),
    /// The same, to be written.
    Writable(PathBuf),
    /// A copy of that file, which goes with the sandbox.
    Copy(PathBuf),
    /// The same, to be read, whatever is around it.
    Guarded(PathBuf),
    /// An empty folder in the place of one of the gate's.
    Hidden,
}

/// All that is seen.
#[derive(Debug)]
pub(crate) struct Layout {
    /// By place, those above others first.
    pub(crate) mounts: Vec<(PathBuf, Mount)>,
    pub(crate) guarded: AllGuarded,
    /// Folders to be made outside before.
    pub(crate) lacking: Vec<PathBuf>,
    /// The agent's program.
    pub(crate) agent: PathBuf,
    /// The project.
    pub(crate) project: PathBuf,
}

fn refuse(message: String, mend: &str) -> Fault {
    Fault::new(Code::Sandbox, message, mend)
}

fn real(path: &Path) -> Result<PathBuf, Fault> {
    let wrong = |error| refuse(format!("{} can't be found: {error}.", path.display()), "Name a folder that is there.");
    fs::canonicalize(path).map_err(wrong)
}

impl Layout {
    /// What this wish is in files.
    ///
    /// # Errors
    /// `sandbox`, where what is wanted would show what is to be hidden, or isn't there.
    pub(crate) fn new(wish: &Wish) -> Result<Self, Fault> {
        let folder = real(&wish.folder)?;
        let person = fs::canonicalize(&wish.person).unwrap_or_else(|_| wish.person.clone());
        let wish = &at_home(wish, &person);
        let hidden: Vec<PathBuf> = wish.hidden.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        let shows_too_much =
            |folder: &Path| person.starts_with(folder) || OWN.iter().any(|own| folder == Path::new(own));
        let around = git::work_tree(&folder).filter(|project| !shows_too_much(project));
        let project = around.unwrap_or(&folder).to_owned();
        let may_write = |path: &Path| -> Result<(), Fault> {
            let mend = "Start the agent in the folder of its project.";
            if shows_too_much(path) {
                return Err(refuse(format!("{} has all that is to be kept from the agent.", path.display()), mend));
            }
            if hidden.iter().any(|hidden| path.starts_with(hidden)) {
                return Err(refuse(format!("{} is in a folder of the gate's.", path.display()), mend));
            }
            Ok(())
        };
        may_write(&project)?;

        let mut all: BTreeSet<(usize, Mount, PathBuf)> = BTreeSet::new();
        let mut add = |at: &Path, mount: Mount| {
            all.insert((at.components().count(), mount, at.to_owned()));
        };
        for path in SYSTEM.map(Path::new) {
            match fs::symlink_metadata(path) {
                Ok(found) if found.is_symlink() => add(path, Mount::Link(fs::read_link(path).unwrap_or_default())),
                Ok(found) if found.is_dir() => add(path, Mount::ReadOnly(path.to_owned())),
                Ok(_) | Err(_) => {}
            }
        }
        OWN.iter().for_each(|own| add(Path::new(own), Mount::Empty));
        add(Path::new("/var/tmp"), Mount::Empty);
        add(Path::new("/var/run"), Mount::Link("/run".into()));
        add(&person, Mount::Empty);
        if person != wish.person {
            add(&wish.person, Mount::Link(person.clone()));
        }
        if wish.network != Network::None
            && let Some((at, from)) = resolver(wish.network)
        {
            add(&at, Mount::ReadOnly(from));
        }

        // What is written.
        let git = git::files(&project, &person);
        let is_named = |folder: &Path| {
            wish.write.iter().any(|named| fs::canonicalize(named).is_ok_and(|named| folder.starts_with(named)))
        };
        if let Some(folder) = git.astray.iter().find(|folder| !is_named(folder)) {
            return Err(astray(&project, folder));
        }
        let state: Vec<&PathBuf> = wish.files.state.iter().filter(|folder| folder.is_dir()).collect();
        let mut writable = vec![project.clone()];
        for folder in git.elsewhere.iter().chain(state.iter().copied()).chain(&wish.write) {
            let there = real(folder)?;
            may_write(&there)?;
            if there != *folder && !folder.starts_with(&project) {
                add(folder, Mount::Link(there.clone()));
            }
            writable.push(there);
        }
        for folder in &writable {
            add(folder, Mount::Writable(folder.clone()));
        }
        let is_written = |path: &Path| writable.iter().any(|folder| path.starts_with(folder));

        // What is read.
        let agent = program(wish, &folder)?;
        let mut read: Vec<PathBuf> = wish.read.iter().map(|path| real(path)).collect::<Result<_, _>>()?;
        for path in &read {
            may_write(path)?;
        }
        let real_agent = real(&agent)?;
        read.extend(installed(&real_agent));
        // Where it is looked for may be a link to it.
        read.extend(agent.parent().map(Path::to_owned));
        for folder in &wish.path {
            read.push(folder.clone());
            let is_bin = folder.file_name() == Some(OsStr::new("bin"));
            read.extend(folder.parent().filter(|_| is_bin).map(|above| above.join("lib")));
        }
        read.extend(TOOLCHAINS.map(|name| person.join(name)));
        for path in read {
            let Ok(there) = fs::canonicalize(&path) else { continue };
            let is_of_the_gate = hidden.iter().any(|hidden| there.starts_with(hidden));
            let is_seen = is_written(&there) || is_of_the_system(&there);
            if is_seen || is_of_the_gate || shows_too_much(&there) {
                continue;
            }
            let is_below_a_link =
                path.parent().is_some_and(|above| fs::canonicalize(above).is_ok_and(|real| real != above));
            if there != path && !is_below_a_link && !is_of_the_system(&path) && !is_written(&path) {
                add(&path, Mount::Link(there.clone()));
            }
            add(&there, Mount::ReadOnly(there.clone()));
        }
        for folder in wish.files.apart.iter().filter(|folder| folder.is_dir()) {
            let there = real(folder)?;
            may_write(&there)?;
            if there != *folder && !is_written(folder) {
                add(folder, Mount::Link(there.clone()));
            }
            if !is_written(&there) && !is_of_the_system(&there) {
                add(&there, Mount::Empty);
                fs::read_dir(&there).into_iter().flatten().flatten().filter_map(kept_apart).for_each(|(at, mount)| {
                    add(&at, mount);
                });
            }
        }
        let own = real(&wish.program)?;
        add(&own, Mount::Guarded(own.clone()));
        for file in wish.files.copies.iter().filter(|file| file.is_file()) {
            add(file, Mount::Copy(file.clone()));
        }

        // What may only be read of what is written.
        let below = wish.files.guarded_in_project.iter().map(|path| project.join(path));
        let of_agents = wish.files.guarded.iter().cloned();
        let always: Vec<PathBuf> = git.guarded.into_iter().chain(below).chain(of_agents).collect();
        let programs = wish.beside.iter().map(|name| own.with_file_name(name));
        let named: Vec<PathBuf> = git.named.into_iter().chain([own.clone()]).chain(programs).collect();
        let holds_what_is_written = |place: &Path| writable.iter().any(|folder| folder.starts_with(place));
        let leads_to = |path: &PathBuf| {
            let there = fs::canonicalize(path).ok()?;
            // The whole repository stays writable where its folder is reached by a link.
            let is_repository = path.file_name() == Some(OsStr::new(".git")) && there.is_dir();
            (there != *path && !is_repository && !holds_what_is_written(&there)).then_some(there)
        };
        // A link can't be guarded; what it leads to can.
        let targets: Vec<PathBuf> = always.iter().chain(&named).filter_map(leads_to).collect();
        let where_written = named.into_iter().chain(targets).filter(|path| is_written(path));
        let guarded = AllGuarded::look(always.into_iter().chain(where_written));
        for path in guarded.there().filter(|path| is_written(path)) {
            add(path, Mount::Guarded(path.to_owned()));
            let within = writable.iter().filter(|folder| path.starts_with(folder));
            let Some(folder) = within.max_by_key(|folder| folder.components().count()) else { continue };
            for pin in pins(path, folder) {
                if !guarded.there().any(|guarded| pin.starts_with(guarded)) {
                    add(pin, Mount::Writable(pin.to_owned()));
                }
            }
        }
        for folder in &wish.empty {
            add(&settled(folder), Mount::Empty);
        }
        // Not there yet where nothing is to be started.
        let relays = fs::canonicalize(&wish.relays).unwrap_or_else(|_| wish.relays.clone());
        add(&wish.relays_inside, Mount::ReadOnly(relays));
        for path in hidden {
            let shows = |(_, mount, at): &(usize, Mount, PathBuf)| {
                matches!(mount, Mount::ReadOnly(_) | Mount::Writable(_)) && path.starts_with(at)
            };
            // Elsewhere nothing of it is there.
            if all.iter().any(shows) {
                all.insert((path.components().count(), Mount::Hidden, path));
            }
        }
        let mounts = all.into_iter().map(|(_, mount, at)| (at, mount)).collect();
        Ok(Self { mounts, guarded, lacking: git.lacking, agent, project })
    }
}

/// The wish with the person's folder itself in the place of a link to it: nothing can be laid below a link.
fn at_home(wish: &Wish, person: &Path) -> Wish {
    let moved = |paths: &[PathBuf]| -> Vec<PathBuf> {
        let one = |path: &PathBuf| match path.strip_prefix(&wish.person) {
            Ok(below) => person.join(below),
            Err(_) => path.clone(),
        };
        paths.iter().map(one).collect()
    };
    let files = AgentFiles {
        state: moved(&wish.files.state),
        copies: moved(&wish.files.copies),
        apart: moved(&wish.files.apart),
        guarded: moved(&wish.files.guarded),
        guarded_in_project: wish.files.guarded_in_project.clone(),
    };
    Wish { files, empty: moved(&wish.empty), write: moved(&wish.write), ..wish.clone() }
}

/// Where a folder is without links, be it there or not.
fn settled(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    found
        .and_then(|(above, real)| Some(real.join(folder.strip_prefix(above).ok()?)))
        .unwrap_or_else(|| folder.to_owned())
}

/// That a project leads to a repository which doesn't lead back.
fn astray(project: &Path, folder: &Path) -> Fault {
    let (link, folder) = (project.join(".git"), folder.display());
    refuse(
        format!(
            "{} leads to {folder}, which doesn't say that this is its work tree: whoever wrote there may have done so to \
             have that folder written.",
            link.display()
        ),
        &format!("Look who has made that link. Where the agent may write there, add `--write {folder}`."),
    )
}

fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// What is seen of an entry of a folder of configuration: an agent's program may replace a file of it, in its copy. A link
/// leads no further than where it is seen anyway.
fn kept_apart(entry: fs::DirEntry) -> Option<(PathBuf, Mount)> {
    let (kind, path) = (entry.file_type().ok()?, entry.path());
    let mount = match () {
        () if kind.is_symlink() => Mount::Link(fs::read_link(&path).ok()?),
        () if kind.is_dir() => Mount::ReadOnly(path.clone()),
        () if kind.is_file() && fs::File::open(&path).is_ok() => Mount::Copy(path.clone()),
        () => return None,
    };
    Some((path, mount))
}

/// The agent's program, as a shell finds it.
fn program(wish: &Wish, folder: &Path) -> Result<PathBuf, Fault> {
    let name = wish.agent.first().map(PathBuf::from).unwrap_or_default();
    let found = match name.components().count() > 1 || name.is_absolute() {
        true => Some(folder.join(&name)),
        false => wish.path.iter().map(|folder| folder.join(&name)).find(|file| file.is_file()),
    };
    found.filter(|file| file.is_file()).ok_or_else(|| {
        let message = format!("There is no program {}.", name.display());
        refuse(message, "Name one that is in a folder of PATH, or its path, after `--`.")
    })
}

/// What belongs to a program: the packages beside it, or its folder.
fn installed(program: &Path) -> Option<PathBuf> {
    let packages = program.ancestors().filter(|folder| folder.file_name() == Some(OsStr::new("node_modules")));
    packages.last().or_else(|| program.parent()).map(Path::to_owned)
}

/// The file that says where names are asked for, and where it is to be; absent where it is seen anyway.
fn resolver(network: Network) -> Option<(PathBuf, PathBuf)> {
    let at = fs::canonicalize(RESOLVER).ok()?;
    let text = fs::read_to_string(&at).ok()?;
    let asks_others = text
        .lines()
        .filter_map(|line| line.strip_prefix("nameserver "))
        .any(|address| !address.trim().starts_with("127."));
    let behind = PathBuf::from(RESOLVERS_BEHIND);
    // Its own network has no resolver on loopback.
    let from = if network != Network::Shared && !asks_others && behind.is_file() { behind } else { at.clone() };
    (from != at || !is_of_the_system(&at)).then_some((at, from))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::absolute;

    use super::*;

    fn wish(folder: &Path) -> Wish {
        Wish {
            agent: vec!["/bin/sh".into()],
            folder: folder.join("project"),
            person: folder.join("person"),
            path: Vec::new(),
            hidden: vec![folder.join("project/gate"), folder.join("elsewhere")],
            empty: vec![folder.join("project/gate/named")],
            relays: folder.join("relays"),
            relays_inside: "/run/inside".into(),
            program: "/bin/sh".into(),
            beside: Vec::new(),
            files: AgentFiles { guarded_in_project: vec![".mcp.json".into()], ..AgentFiles::default() },
            network: Network::None,
            ports: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
        }
    }

    #[test]
    fn the_gate_is_hidden_where_it_would_be_seen_and_what_holds_the_person_is_refused() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = absolute(fs::canonicalize(folder.path())?)?;
        for name in ["project/gate", "project/.git/hooks", "person", "elsewhere", "relays"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(folder.join("project/.mcp.json"), "{}")?;
        let layout = Layout::new(&wish(&folder)).map_err(std::io::Error::other)?;
        let at = |path: &str| -> Vec<&Mount> {
            let path = folder.join(path);
            layout.mounts.iter().filter(|(at, _)| *at == path).map(|(_, mount)| mount).collect()
        };
        assert_eq!(at("project/gate"), [&Mount::Hidden], "it lies in what is shown");
        assert_eq!(at("project/gate/named"), [&Mount::Empty], "but for what an agent looks for");
        assert_eq!(at("elsewhere"), [&Mount::Hidden; 0], "that isn't there anyway");
        assert_eq!(at("project/.mcp.json"), [&Mount::Guarded(folder.join("project/.mcp.json"))]);
        for (project, said) in [(&folder, "kept from the agent"), (&folder.join("elsewhere"), "of the gate's")] {
            let refused = Layout::new(&Wish { folder: project.clone(), ..wish(&folder) });
            assert!(refused.is_err_and(|fault| fault.message.contains(said)), "{}", project.display());
        }
        Ok(())
    }

    #[test]
    fn another_repository_is_written_only_where_it_is_named() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let other = folder.join("other/.git");
        for name in ["project", "person", "relays", "other/.git/objects", "other/.git/refs"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(other.join("HEAD"), "ref: refs/heads/main\n")?;
        fs::write(folder.join("project/.git"), format!("gitdir: {}\n", other.display()))?;
        let refused = Layout::new(&wish(&folder)).err().ok_or_else(|| std::io::Error::other("it is shown"))?;
        assert!(refused.mend.contains(&format!("--write {}", other.display())), "{refused:?}");
        let named = Wish { write: vec![folder.join("other")], ..wish(&folder) };
        let layout = Layout::new(&named).map_err(std::io::Error::other)?;
        assert!(layout.mounts.contains(&(other.clone(), Mount::Writable(other.clone()))), "{layout:?}");
        fs::write(other.join("config"), "")?;
        let layout = Layout::new(&named).map_err(std::io::Error::other)?;
        let settings = other.join("config");
        assert!(layout.mounts.contains(&(settings.clone(), Mount::Guarded(settings))), "there, too: {layout:?}");
        Ok(())
    }

    #[test]
    fn what_a_link_in_the_project_leads_to_is_guarded_as_well() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let project = folder.join("project");
        for name in [".git/objects", ".git/refs", "real", "team"] {
            fs::create_dir_all(project.join(name))?;
        }
        for name in ["person", "relays"] {
            fs::create_dir(folder.join(name))?;
        }
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        let settings = "[core]\n\thooksPath = tools\n[include]\n\tpath = ../team.config\n";
        fs::write(project.join(".git/config"), settings)?;
        for file in ["team/config", "team/mcp.json"] {
            fs::write(project.join(file), "")?;
        }
        for (to, link) in [("real", "tools"), ("team/config", "team.config"), ("team/mcp.json", ".mcp.json")] {
            symlink(to, project.join(link))?;
        }
        let layout = Layout::new(&wish(&folder)).map_err(std::io::Error::other)?;
        for target in ["real", "team/config", "team/mcp.json"].map(|name| project.join(name)) {
            let guard = (target.clone(), Mount::Guarded(target));
            assert!(layout.mounts.contains(&guard), "git or an agent obeys it outside: {guard:?} in {layout:?}");
        }
        assert!(
            !layout.mounts.iter().any(|(at, mount)| *at == project && matches!(mount, Mount::Guarded(_))),
            "the project stays writable"
        );
        Ok(())
    }

    #[test]
    fn all_of_the_gates_programs_are_guarded_where_they_lie_in_the_project() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        let programs = folder.join("project/target/debug");
        for made in [&programs, &folder.join("person"), &folder.join("relays")] {
            fs::create_dir_all(made)?;
        }
        for name in ["gate", "relay"] {
            fs::write(programs.join(name), "")?;
        }
        let of_gate = Wish {
            program: programs.join("gate"),
            beside: ["relay", "absent"].map(PathBuf::from).to_vec(),
            ..wish(&folder)
        };
        let mut layout = Layout::new(&of_gate).map_err(std::io::Error::other)?;
        for program in ["gate", "relay"].map(|name| programs.join(name)) {
            let guard = (program.clone(), Mount::Guarded(program));
            assert!(layout.mounts.contains(&guard), "it runs outside of the sandbox, too: {guard:?} in {layout:?}");
        }
        assert!(
            layout.mounts.contains(&(programs.clone(), Mount::Writable(programs.clone()))),
            "their folder can't be moved away: {layout:?}"
        );
        fs::write(programs.join("absent"), "")?;
        let news = layout.guarded.news();
        assert!(news.iter().any(|said| said.contains("absent is new")), "one that appears is told of: {news:?}");
        Ok(())
    }

    #[test]
    fn what_the_person_has_is_guarded_where_their_home_is_a_link_and_nothing_lies_below_that() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let folder = fs::canonicalize(folder.path())?;
        for name in ["project", "data/me/.agent", "data/me/gate", "relays"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let (person, real) = (folder.join("person"), folder.join("data/me"));
        symlink(&real, &person)?;
        fs::write(real.join(".agent/settings.json"), "")?;
        fs::write(real.join(".agent.json"), "")?;
        let by_a_link = Wish {
            empty: vec![person.join("gate/attachments")],
            files: AgentFiles {
                state: vec![person.join(".agent")],
                copies: vec![person.join(".agent.json")],
                guarded: vec![person.join(".agent/settings.json")],
                ..AgentFiles::default()
            },
            ..wish(&folder)
        };
        let layout = Layout::new(&by_a_link).map_err(std::io::Error::other)?;
        let below: Vec<_> = layout.mounts.iter().filter(|(at, _)| at.starts_with(&person)).collect();
        assert_eq!(below, [&(person.clone(), Mount::Link(real.clone()))], "bubblewrap makes nothing below a link");
        let settings = real.join(".agent/settings.json");
        for mount in [
            (settings.clone(), Mount::Guarded(settings)),
            (real.join(".agent.json"), Mount::Copy(real.join(".agent.json"))),
            (real.join("gate/attachments"), Mount::Empty),
        ] {
            assert!(layout.mounts.contains(&mount), "{mount:?} in {layout:?}");
        }
        Ok(())
    }
}
