//! What the system lets other programs of this user do to the gate, an agent's shell among them: type in the person's
//! place, look into its processes, put other programs into its place, pretend to be the desktop.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_api::Finding;

use crate::environment::Environment;
use crate::finding::{Mending as _, OTHERS};
use crate::run::{Said, said};
use crate::words;

/// What keyboards can be made with.
const DEVICE: &str = "dev/uinput";
/// Whether processes of a user may look into each other: 0 where they may.
const TRACING: &str = "proc/sys/kernel/yama/ptrace_scope";
/// What there is where the kernel says anything.
const KERNEL: &str = "proc/sys/kernel";
/// Below which folders libraries are, each with a folder for a kind of machine between them in some distributions.
const LIBRARIES: [&str; 4] = ["usr/lib64", "usr/lib", "lib64", "lib"];
/// How the file of GLib's part for the session bus begins; its version follows.
const GLIB: &str = "libgio-2.0.so.0.";
/// What was wrong there: a stranger on the bus could send what only the desktop's own program may.
const FLAW: &str = "CVE-2024-34397";
/// Where distributions say what they have mended in an older version.
const CHANGELOGS: [&str; 2] =
    ["usr/share/doc/libglib2.0-0/changelog.Debian.gz", "usr/share/doc/libglib2.0-0t64/changelog.Debian.gz"];
/// How long reading such a one may take, or `sudo`.
const LIMIT: Duration = Duration::from_secs(5);
/// The system's groups, each with its number.
const GROUPS: &str = "etc/group";
/// Those whose members become root without a word.
const ROOT: [&str; 4] = ["docker", "lxd", "incus-admin", "disk"];
/// Those whose members `sudo` knows: it reports whoever else asks it for something.
const SUDO: [&str; 3] = ["sudo", "wheel", "admin"];

pub(crate) async fn check(environment: &Environment) -> Vec<Finding> {
    let mut findings: Vec<_> =
        [typing(environment), tracing(environment), replacing(environment)].into_iter().flatten().collect();
    findings.extend(becoming_root(environment).await);
    findings.extend(glib(environment).await);
    if findings.is_empty() {
        findings.push(OTHERS.good(words::others_kept_out()));
    }
    findings
}

fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

fn typing(environment: &Environment) -> Option<Finding> {
    let device = environment.system.join(DEVICE);
    let found = || OTHERS.warning(words::others_type(device.as_path()), words::mend_others_type());
    may_write(&device).then(found)
}

fn tracing(environment: &Environment) -> Option<Finding> {
    let found = || OTHERS.note(words::others_look_in()).mend(words::mend_others_look_in());
    match fs::read_to_string(environment.system.join(TRACING)) {
        Ok(scope) => (scope.trim() == "0").then(|| found().command("sudo sysctl kernel.yama.ptrace_scope=1")),
        // A kernel without Yama lets them.
        Err(_) => environment.system.join(KERNEL).is_dir().then(found),
    }
}

/// Root may write everywhere; that says nothing of the folder.
fn replacing(environment: &Environment) -> Option<Finding> {
    let program = gate_os::files::real_path(&environment.program).ok()?;
    let folder = program.parent()?;
    let may = !rustix::process::geteuid().is_root() && (may_write(folder) || may_write(&program));
    may.then(|| OTHERS.note(words::others_replace(folder)).mend(words::mend_others_replace()))
}

/// What lets a program of this user become root without them: then it can do in their place what root may, and that is
/// confirming approvals to the system, too.
async fn becoming_root(environment: &Environment) -> Option<Finding> {
    use rustix::process::{getegid, geteuid, getgroups};
    if geteuid().is_root() {
        return None;
    }
    let own: Vec<u32> = getgroups().ok()?.into_iter().chain([getegid()]).map(rustix::process::Gid::as_raw).collect();
    let file = fs::read_to_string(environment.system.join(GROUPS)).ok()?;
    let names = names_of(&file, &own);
    let found = |cause| Some(OTHERS.note(cause).mend(words::mend_others_root()));
    if let Some(group) = ROOT.iter().find(|group| names.contains(group)) {
        return found(words::others_root_group(*group));
    }
    if !SUDO.iter().any(|group| names.contains(group)) {
        return None;
    }
    let sudo = environment.on_path("sudo")?;
    let Ok(Some(Said { code: Some(0), output, .. })) = said(&sudo, &["-n", "-l"], LIMIT).await else { return None };
    if asks_for_no_password(&output) { found(words::others_root_sudo()) } else { None }
}

/// The names of the groups that have these numbers.
fn names_of<'a>(file: &'a str, numbers: &[u32]) -> Vec<&'a str> {
    let group = |line: &'a str| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        numbers.contains(&number).then_some(name)
    };
    file.lines().filter_map(group).collect()
}

/// Whether `sudo -l` lists something that is done without a password.
fn asks_for_no_password(listed: &str) -> bool {
    listed.contains("NOPASSWD:")
}

async fn glib(environment: &Environment) -> Option<Finding> {
    let version = glib_version(&environment.system)?;
    if is_mended(version) || is_mended_by_the_distribution(environment).await {
        return None;
    }
    let (major, minor, patch) = version;
    let version = format!("{major}.{minor}.{patch}");
    Some(OTHERS.note(words::others_glib(version)).mend(words::mend_others_glib()))
}

type Version = (u32, u32, u32);

/// In which versions it was mended: 2.80.1, and 2.78.5 of the line before.
fn is_mended(version: Version) -> bool {
    version >= (2, 80, 1) || ((2, 78, 5)..(2, 79, 0)).contains(&version)
}

/// The version that the name of its library says: `libgio-2.0.so.0.7400.6` is 2.74.6.
fn glib_version(system: &Path) -> Option<Version> {
    let folders = LIBRARIES.iter().flat_map(|name| {
        let folder = system.join(name);
        let mut all: Vec<PathBuf> = entries(&folder).collect();
        all.retain(|path| path.to_string_lossy().contains("-linux-"));
        all.push(folder);
        all
    });
    let mut files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    files.find_map(|file| version_of(file.file_name()?.to_str()?))
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn version_of(name: &str) -> Option<Version> {
    let (minor, patch) = name.strip_prefix(GLIB)?.split_once('.')?;
    Some((2, minor.parse::<u32>().ok()? / 100, patch.parse().ok()?))
}

async fn is_mended_by_the_distribution(environment: &Environment) -> bool {
    let mut found = CHANGELOGS.iter().map(|name| environment.system.join(name));
    let (Some(changelog), Some(program)) = (found.find(|path| path.is_file()), environment.on_path("zgrep")) else {
        return false;
    };
    let changelog = changelog.to_string_lossy();
    let arguments = ["-q", FLAW, changelog.as_ref()];
    matches!(said(&program, &arguments, LIMIT).await, Ok(Some(Said { code: Some(0), .. })))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use gate_api::Level;
    use gate_core::Fault;
    use gate_link::Home;

    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn environment(system: &Path) -> Result<Environment, Fault> {
        let mut environment = Environment::of_process(Home::at(system))?;
        environment.system = system.to_owned();
        Ok(environment)
    }

    fn file(system: &Path, name: &str, text: &str) -> std::io::Result<()> {
        let path = system.join(name);
        fs::create_dir_all(path.parent().unwrap_or(system))?;
        fs::write(path, text)
    }

    #[tokio::test]
    async fn what_the_system_lets_others_do_is_told() -> Outcome {
        let folder = tempfile::tempdir()?;
        let mut environment = environment(folder.path())?;
        // The folder of a test's program is its developer's; one of the system's isn't.
        environment.program = PathBuf::from("/bin/sh");
        let found = async |environment: &Environment| {
            let found = check(environment).await;
            found.into_iter().map(|found| (found.cause.id, found.level)).collect::<Vec<_>>()
        };
        let kept_out = [("finding-others-kept-out".to_owned(), Level::Good)];
        assert_eq!(found(&environment).await, kept_out, "nothing of it is there");
        file(folder.path(), TRACING, "1\n")?;
        file(folder.path(), "usr/lib/x86_64-linux-gnu/libgio-2.0.so.0.8000.1", "")?;
        assert_eq!(found(&environment).await, kept_out, "as it is safe");

        file(folder.path(), DEVICE, "")?;
        file(folder.path(), TRACING, "0\n")?;
        fs::remove_dir_all(folder.path().join("usr"))?;
        file(folder.path(), "usr/lib/x86_64-linux-gnu/libgio-2.0.so.0.7400.6", "")?;
        let told = found(&environment).await;
        let expected = [
            ("finding-others-type".to_owned(), Level::Warning),
            ("finding-others-look-in".to_owned(), Level::Note),
            ("finding-others-glib".to_owned(), Level::Note),
        ];
        assert_eq!(told, expected);
        Ok(())
    }

    #[test]
    fn a_program_that_others_may_replace_is_told() -> Outcome {
        let folder = tempfile::tempdir()?;
        let mut environment = environment(folder.path())?;
        environment.program = folder.path().join("bin/review-gate");
        file(folder.path(), "bin/review-gate", "")?;
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(replacing(&environment).is_some(), !is_root, "its folder is this user's; root's say nothing");
        fs::set_permissions(&environment.program, Permissions::from_mode(0o555))?;
        fs::set_permissions(folder.path().join("bin"), Permissions::from_mode(0o555))?;
        assert!(replacing(&environment).is_none(), "nobody may write there");
        fs::set_permissions(folder.path().join("bin"), Permissions::from_mode(0o755))?;
        Ok(())
    }

    #[test]
    fn who_becomes_root_without_a_word_is_known_by_groups_and_sudo() {
        let file = "root:x:0:\ndocker:x:999:me\nsudo:x:27:\nbroken\nme:x:1000:\n";
        assert_eq!(names_of(file, &[1000, 999]), ["docker", "me"]);
        assert_eq!(names_of(file, &[27]), ["sudo"], "and no other's");
        assert!(asks_for_no_password("User me may run the following commands:\n    (ALL : ALL) NOPASSWD: ALL\n"));
        assert!(!asks_for_no_password("User me may run the following commands:\n    (ALL : ALL) ALL\n"));
    }

    #[test]
    fn the_librarys_name_says_which_glib_it_is() {
        for (name, version, mended) in [
            ("libgio-2.0.so.0.7400.6", (2, 74, 6), false),
            ("libgio-2.0.so.0.7800.4", (2, 78, 4), false),
            ("libgio-2.0.so.0.7800.5", (2, 78, 5), true),
            ("libgio-2.0.so.0.8000.0", (2, 80, 0), false),
            ("libgio-2.0.so.0.8000.1", (2, 80, 1), true),
            ("libgio-2.0.so.0.8600.0", (2, 86, 0), true),
        ] {
            assert_eq!(version_of(name), Some(version), "{name}");
            assert_eq!(is_mended(version), mended, "{name}");
        }
        for name in ["libgio-2.0.so.0", "libgio-2.0.so", "libglib-2.0.so.0.7400.6", "libgio-2.0.so.0.x.6"] {
            assert_eq!(version_of(name), None, "{name}");
        }
    }
}
