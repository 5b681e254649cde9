//! The programs of a command as they lie on the disk: found as a shell finds them, on the `PATH` that whoever asks has. Nothing
//! is run.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::Arc;
use std::time::Duration;

use gate_core::bounds;
use gate_core::permission::{PermissionProgram, Wanted};
use gate_os::files::may_start;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a question waits for the places of its programs.
const LOOK: Duration = Duration::from_secs(1);
/// Most links that are followed to one file: what a system follows.
const LINKS: usize = 40;

/// Lookups that hold up nobody for long: a folder may be on a disk that doesn't answer. There is one at a time, so that no more
/// than one hangs.
#[derive(Debug)]
pub(super) struct Lookups(Arc<Semaphore>);

impl Default for Lookups {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl Lookups {
    /// What a lookup finds; nothing where it takes too long, or one before it still does.
    pub(super) async fn in_time(
        &self,
        look: impl FnOnce() -> Vec<PermissionProgram> + Send + 'static,
    ) -> Vec<PermissionProgram> {
        let turns = Arc::clone(&self.0);
        let looked = timeout(LOOK, async move {
            let turn = turns.acquire_owned().await.ok()?;
            let look = move || {
                let _turn = turn;
                look()
            };
            tokio::task::spawn_blocking(look).await.ok()
        });
        looked.await.ok().flatten().unwrap_or_else(|| {
            tracing::warn!("the programs of a command can't be looked up in time: it is asked without their places");
            Vec::new()
        })
    }
}

/// What is found of the programs of a command. One that can't be told isn't named.
pub(super) fn found(command: &str, folder: &str, path: &[Option<String>]) -> Vec<PermissionProgram> {
    let folder = Some(Path::new(folder)).filter(|folder| folder.is_absolute() && !is_of_a_host(folder));
    Wanted::of(command).into_iter().filter_map(|wanted| look(wanted, folder, path)).collect()
}

fn look(wanted: Wanted, folder: Option<&Path>, path: &[Option<String>]) -> Option<PermissionProgram> {
    let Wanted { name, is_from_folder } = wanted;
    let below = |path: &Path| {
        let file = match path.is_absolute() {
            true => path.to_owned(),
            false => folder.filter(|_| is_from_folder)?.join(path),
        };
        (!is_of_a_host(&file)).then_some(file)
    };
    let file = match name.contains('/') {
        true => Some(below(Path::new(&name))?).filter(|file| may_start(file)),
        false => on_path(&name, path, below)?,
    };
    let Some(file) = file else {
        // A shell of Windows would try endings besides.
        return (!cfg!(windows)).then_some(PermissionProgram { name, path: None, leads_to: None, inside: false });
    };
    let real = file.canonicalize().ok();
    let place = file.parent().and_then(|parent| Some(parent.canonicalize().ok()?.join(file.file_name()?)));
    // A folder that everything is in tells nothing.
    let folder = folder.and_then(|folder| folder.canonicalize().ok()).filter(|folder| folder.parent().is_some());
    let is_in = |path: &PathBuf| folder.as_ref().is_some_and(|folder| path.starts_with(folder) && path != folder);
    let inside = real.iter().chain(&place).chain(&way(&file)).any(is_in);
    let leads_to = real.filter(|_| place.is_some()).filter(|real| place.as_ref() != Some(real));
    Some(PermissionProgram {
        name,
        path: Some(file.to_string_lossy().into_owned()),
        leads_to: leads_to.map(|path| path.to_string_lossy().into_owned()),
        inside,
    })
}

/// Whether a path is on another machine by its very name, as `\\host\share` is on Windows: a look would ask that machine.
fn is_of_a_host(path: &Path) -> bool {
    let first = path.components().next();
    let Some(Component::Prefix(prefix)) = first else { return false };
    !matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_))
}

/// The way to a file as a system goes it: each folder and each link, those that links lead through among them.
fn way(file: &Path) -> Vec<PathBuf> {
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut rest = VecDeque::from(parts(file));
    let (mut at, mut way, mut links) = (PathBuf::new(), Vec::new(), 0);
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        way.push(at.clone());
        if let Ok(target) = at.read_link() {
            links += 1;
            if links > LINKS {
                break;
            }
            at.pop();
            parts(&target).into_iter().rev().for_each(|part| rest.push_front(part));
        }
    }
    way
}

/// The first program of this name; absent inside where there is none, absent where that can't be told.
fn on_path(name: &str, path: &[Option<String>], below: impl Fn(&Path) -> Option<PathBuf>) -> Option<Option<PathBuf>> {
    for entry in path.iter().take(bounds::PERMISSION_PATH_FOLDERS) {
        // An empty one is the current folder, and one that is no text may have it.
        let file = below(Path::new(entry.as_deref()?))?.join(name);
        if may_start(&file) {
            return Some(Some(file));
        }
    }
    (!path.is_empty() && path.len() <= bounds::PERMISSION_PATH_FOLDERS).then_some(None)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    struct Disk(tempfile::TempDir);

    impl Disk {
        /// With the folders `work`, of the command, and `bin` and `other` on PATH.
        fn new() -> Self {
            let disk = Self(tempfile::tempdir().expect("a folder"));
            for folder in ["project", "bin", "other"] {
                std::fs::create_dir(disk.at(folder)).expect("a folder");
            }
            disk
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().expect("it is there").join(path)
        }

        fn text(&self, path: &str) -> String {
            self.at(path).display().to_string()
        }

        fn program(&self, path: &str, mode: u32) {
            std::fs::write(self.at(path), "#!/bin/sh\n").expect("a file");
            std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(mode)).expect("a mode");
        }

        fn found(&self, command: &str) -> Vec<PermissionProgram> {
            let path = ["bin", "other"].map(|folder| Some(self.text(folder)));
            found(command, &self.text("project"), &path)
        }

        fn one(&self, command: &str) -> PermissionProgram {
            let mut all = self.found(command);
            assert_eq!(all.len(), 1, "{command}: {all:?}");
            all.remove(0)
        }
    }

    #[test]
    fn a_program_is_the_first_on_path_that_can_be_run() {
        let disk = Disk::new();
        disk.program("bin/make", 0o644);
        disk.program("other/make", 0o755);
        std::fs::create_dir(disk.at("bin/tee")).expect("a folder");
        let plain = |path: &str| PermissionProgram {
            name: "make".to_owned(),
            path: Some(disk.text(path)),
            leads_to: None,
            inside: false,
        };
        assert_eq!(disk.one("make all"), plain("other/make"), "what can't be run is passed over");
        disk.program("bin/make", 0o755);
        assert_eq!(disk.one("make all"), plain("bin/make"), "and the first one is it");
        assert_eq!(disk.one("tee x").path, None, "a folder is no program, and there is no other");
        assert_eq!(disk.one("./nothing").path, None, "nor is what isn't there");
    }

    #[test]
    fn what_lies_in_the_agents_folder_and_where_a_link_leads_is_said() {
        let disk = Disk::new();
        disk.program("project/run", 0o755);
        disk.program("other/real", 0o755);
        symlink(disk.at("other/real"), disk.at("bin/link")).expect("a link");
        symlink(disk.at("project/run"), disk.at("bin/evil")).expect("a link");
        symlink(disk.at("other/real"), disk.at("project/out")).expect("a link");
        symlink("nowhere", disk.at("bin/dangling")).expect("a link");
        symlink("loop", disk.at("bin/loop")).expect("a link");
        assert!(disk.one("./run").inside, "the agent may have written it");
        assert!(disk.one(&disk.text("project/../project/run")).inside, "by whatever name");
        let link = disk.one("link");
        assert_eq!((link.leads_to, link.inside), (Some(disk.text("other/real")), false));
        let evil = disk.one("evil");
        assert_eq!(
            (evil.leads_to, evil.inside),
            (Some(disk.text("project/run")), true),
            "a link on PATH into the folder"
        );
        let out = disk.one("./out");
        assert_eq!((out.leads_to, out.inside), (Some(disk.text("other/real")), true), "the link itself can be changed");
        assert_eq!(disk.one("dangling").path, None);
        assert_eq!(disk.one("loop").path, None);
        assert!(!disk.one(&disk.text("project/../other/real")).inside, "what lies beside the folder");
        std::fs::create_dir(disk.at("real")).expect("a folder");
        disk.program("real/x", 0o755);
        symlink(disk.at("real"), disk.at("folder")).expect("a link");
        assert_eq!(
            disk.one(&disk.text("folder/x")).leads_to,
            None,
            "that /bin is a link to /usr/bin is nothing to tell"
        );
    }

    #[test]
    fn a_program_that_only_a_link_in_the_agents_folder_leads_to_lies_in_it() {
        let disk = Disk::new();
        disk.program("other/real", 0o755);
        symlink(disk.at("other"), disk.at("project/folder")).expect("a link");
        symlink("../other/real", disk.at("project/middle")).expect("a link");
        symlink("../project/middle", disk.at("bin/far")).expect("a link");
        symlink(disk.at("project/folder"), disk.at("farther")).expect("a link");
        for command in ["./folder/real", "./folder/../other/real", "far", &disk.text("farther/real")] {
            let found = disk.one(command);
            assert!(found.inside, "the agent can have it lead elsewhere: {found:?}");
        }
        symlink(disk.at("other"), disk.at("beside")).expect("a link");
        let beside = disk.one(&disk.text("beside/real"));
        assert!(!beside.inside, "a link elsewhere isn't the agent's: {beside:?}");
    }

    #[tokio::test]
    async fn a_lookup_that_hangs_leaves_the_question_without_places_and_is_the_only_one() {
        let lookups = Lookups::default();
        let one = || vec![PermissionProgram { name: "make".to_owned(), path: None, leads_to: None, inside: false }];
        assert_eq!(lookups.in_time(one).await, one(), "it is waited for");
        let (answer, disk) = std::sync::mpsc::channel::<()>();
        let begin = std::time::Instant::now();
        let hung = lookups.in_time(move || {
            let _ = disk.recv();
            one()
        });
        assert_eq!(hung.await, [], "the person is asked without");
        let (looks, looked) = std::sync::mpsc::channel();
        let next = lookups.in_time(move || {
            let _ = looks.send(());
            one()
        });
        assert_eq!(next.await, [], "the next one, too");
        assert!(looked.try_recv().is_err(), "and no other thread is held up");
        assert!(begin.elapsed() < LOOK * 10, "neither has waited for the disk");
        drop(answer);
        assert_eq!(lookups.in_time(one).await, one(), "once the disk has answered all is as before");
    }

    #[test]
    fn what_cannot_be_told_is_not_named() {
        let disk = Disk::new();
        disk.program("bin/make", 0o755);
        disk.program("project/make", 0o755);
        let (work, bin) = (disk.text("project"), Some(disk.text("bin")));
        let look = |command: &str, folder: &str, path: &[Option<String>]| -> Vec<Option<String>> {
            found(command, folder, path).into_iter().map(|program| program.path).collect()
        };
        assert_eq!(look("make", &work, &[]), [], "without a PATH");
        assert_eq!(look("make", &work, &[None, bin.clone()]), [], "an entry that is no text may have it");
        assert_eq!(
            look("make", &work, &[bin.clone(), None]),
            [Some(disk.text("bin/make"))],
            "not where it was found before"
        );
        let here = [Some(String::new()), bin.clone()];
        assert_eq!(look("make", &work, &here), [Some(disk.text("project/make"))], "an empty entry is the folder");
        assert_eq!(look("make", "", &here), [], "which isn't known");
        assert_eq!(look("cd x; make", &work, &here), [], "or another one by then");
        assert_eq!(look("./make", "", std::slice::from_ref(&bin)), []);
        let mut long = vec![Some("/nowhere".to_owned()); bounds::PERMISSION_PATH_FOLDERS];
        assert_eq!(look("make", &work, &long), [None], "in none of so many folders");
        long.push(bin);
        assert_eq!(look("make", &work, &long), [], "in more it isn't looked for");
    }

    #[test]
    fn a_name_that_is_no_text_is_found_and_shown_as_well_as_it_can_be() {
        let disk = Disk::new();
        let odd = disk.at("other").join(std::ffi::OsStr::from_bytes(b"r\xffal"));
        std::fs::write(&odd, "").expect("a file");
        std::fs::set_permissions(&odd, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        symlink(&odd, disk.at("bin/odd")).expect("a link");
        assert_eq!(disk.one("odd").leads_to, Some(disk.text("other/r\u{fffd}al")));
        disk.program("bin/a\u{202e}b", 0o755);
        assert_eq!(disk.one("'a\u{202e}b'").path, Some(disk.text("bin/a\u{202e}b")), "it is marked where it is shown");
    }
}
