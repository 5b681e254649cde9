//! Putting the service into a system that has no package of it, and taking it out again.
//!
//! The program is copied to a folder of root's: one that the person may write would be no service of the system's.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a package has the program, as it stands in the unit.
const PACKAGED: &str = "/usr/libexec/review-gated";
/// Where it is copied to.
const PROGRAM: &str = "/usr/local/libexec/review-gated";
const SOCKET_UNIT: &str = "review-gated.socket";
const SERVICE_UNIT: &str = "review-gated.service";
const USERS: &str = "/etc/sysusers.d/review-gated.conf";
const FOLDERS: &str = "/etc/tmpfiles.d/review-gated.conf";
/// What is written beside the program. polkit reads actions in this folder only, before 124.
const FILES: [(&str, &str); 5] = [
    (USERS, include_str!("../../../linux/review-gated.sysusers")),
    (FOLDERS, include_str!("../../../linux/review-gated.tmpfiles")),
    ("/usr/share/polkit-1/actions/org.reviewgate.policy", include_str!("../../../linux/org.reviewgate.policy")),
    ("/etc/systemd/system/review-gated.service", include_str!("../../../linux/review-gated.service")),
    ("/etc/systemd/system/review-gated.socket", include_str!("../../../linux/review-gated.socket")),
];

/// Where it goes.
pub(crate) enum Root {
    /// This system, which is told of it.
    System,
    /// A folder that becomes a system's root: for packages and trials. Nothing is run.
    Folder(PathBuf),
}

impl Root {
    fn of(&self, path: &str) -> PathBuf {
        match self {
            Self::System => PathBuf::from(path),
            Self::Folder(folder) => folder.join(path.trim_start_matches('/')),
        }
    }

    fn runs(&self, program: &str, arguments: &[&str], out: &mut dyn Write) -> io::Result<()> {
        if let Self::Folder(_) = self {
            return Ok(());
        }
        writeln!(out, "runs   {program} {}", arguments.join(" "))?;
        let status = Command::new(program).args(arguments).status();
        let status = status.map_err(|error| io::Error::other(format!("{program} can't be run: {error}")))?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("{program} failed: {status}"))) }
    }
}

/// Every file and what is in it.
fn files() -> impl Iterator<Item = (&'static str, String)> {
    FILES.into_iter().map(|(path, content)| (path, content.replace(PACKAGED, PROGRAM)))
}

/// Copies `program` and writes what the system needs to start it; what is there is replaced. Says all of it.
pub(crate) fn install(root: &Root, program: &Path, out: &mut dyn Write) -> io::Result<()> {
    if matches!(root, Root::System) && !Path::new("/run/systemd/system").is_dir() {
        return Err(io::Error::other(
            "this system wasn't started by systemd; nothing was written. Another init can run `review-gated serve` as \
             a user of its own, with /run/review-gated/socket listening as its standard input",
        ));
    }
    put(&root.of(PROGRAM), &fs::read(program)?, 0o755, out)?;
    for (path, content) in files() {
        put(&root.of(path), content.as_bytes(), 0o644, out)?;
    }
    root.runs("systemd-sysusers", &[USERS], out)?;
    root.runs("systemd-tmpfiles", &["--create", FOLDERS], out)?;
    root.runs("systemctl", &["daemon-reload"], out)?;
    root.runs("systemctl", &["enable", "--now", SOCKET_UNIT], out)?;
    // One of before ends; the socket starts the new one.
    root.runs("systemctl", &["stop", SERVICE_UNIT], out)
}

/// Takes out what [`install`] has written. The key, what it remembers and the user stay, since receipts name the key.
pub(crate) fn uninstall(root: &Root, out: &mut dyn Write) -> io::Result<()> {
    if root.of(&format!("/etc/systemd/system/{SOCKET_UNIT}")).exists() {
        root.runs("systemctl", &["disable", "--now", SOCKET_UNIT], out)?;
        root.runs("systemctl", &["stop", SERVICE_UNIT], out)?;
    }
    for path in files().map(|(path, _)| path).chain([PROGRAM]) {
        let path = root.of(path);
        match fs::remove_file(&path) {
            Ok(()) => writeln!(out, "removed {}", path.display())?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(named(&path, &error)),
        }
    }
    root.runs("systemctl", &["daemon-reload"], out)?;
    writeln!(out, "stays   /var/lib/review-gated (the key) and the user review-gated; to remove these, too:")?;
    writeln!(out, "        rm -r /var/lib/review-gated && userdel review-gated")
}

/// Says of each file whether it is there, and as this program would write it.
pub(crate) fn status(root: &Root, out: &mut dyn Write) -> io::Result<()> {
    let program = [PROGRAM, PACKAGED].into_iter().find(|path| root.of(path).is_file());
    match program {
        Some(path) => writeln!(out, "there    {path}")?,
        None => writeln!(out, "missing  {PROGRAM}")?,
    }
    for (path, content) in files() {
        let name = Path::new(path).file_name().unwrap_or_default();
        let said = match fs::read_to_string(root.of(path)) {
            Ok(there) if there == content => format!("there    {path}"),
            Ok(_) => format!("differs  {path}"),
            Err(error) if error.kind() == ErrorKind::NotFound => match packaged(root, name) {
                Some(there) => format!("there    {}", there.display()),
                None => format!("missing  {path}"),
            },
            Err(error) => format!("unread   {path}: {error}"),
        };
        writeln!(out, "{said}")?;
    }
    Ok(())
}

/// Where a package has the file of that name.
fn packaged(root: &Root, name: &OsStr) -> Option<PathBuf> {
    let folders = ["/usr/lib/systemd/system", "/lib/systemd/system", "/usr/lib/sysusers.d", "/usr/lib/tmpfiles.d"];
    folders.into_iter().map(|folder| root.of(folder).join(name)).find(|path| path.is_file())
}

/// Writes a file in one piece.
fn put(path: &Path, content: &[u8], mode: u32, out: &mut dyn Write) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let written = || {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(content)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error).map(drop)
    };
    written().map_err(|error| named(path, &error))?;
    writeln!(out, "writes {}", path.display())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(of: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        of(&mut out).expect("it goes well");
        String::from_utf8(out).expect("it is text")
    }

    fn below(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { found.extend(below(&path)) } else { found.push(path.display().to_string()) }
        }
        found.sort();
        found
    }

    #[test]
    fn what_is_installed_is_told_and_taken_out_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::Folder(folder.path().to_owned());
        let program = folder.path().join("built");
        fs::write(&program, "the program").expect("it is written");

        let missing = said(|out| status(&root, out));
        assert_eq!(missing.lines().filter(|line| line.starts_with("missing")).count(), 6, "{missing}");

        let told = said(|out| install(&root, &program, out));
        let mut written: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("writes ")).collect();
        written.sort_unstable();
        let there: Vec<String> = below(folder.path()).into_iter().filter(|path| !path.ends_with("/built")).collect();
        assert_eq!(written, there, "nothing is written that isn't told");
        let copied = fs::metadata(root.of(PROGRAM)).expect("it is there").permissions().mode();
        assert_eq!(copied & 0o7777, 0o755);
        let unit = fs::read_to_string(root.of("/etc/systemd/system/review-gated.service")).expect("it is there");
        assert!(unit.contains("ExecStart=/usr/local/libexec/review-gated serve"), "it starts the copy: {unit}");
        let all = said(|out| status(&root, out));
        assert!(all.lines().all(|line| line.starts_with("there")), "{all}");

        fs::write(root.of(USERS), "changed").expect("it is written");
        assert!(said(|out| status(&root, out)).contains(&format!("differs  {USERS}")));

        said(|out| uninstall(&root, out));
        assert_eq!(below(folder.path()), [program.display().to_string()], "nothing is left");
        said(|out| uninstall(&root, out));
    }

    #[test]
    fn the_package_carries_the_program_and_each_of_its_files() {
        let text = include_str!("../../../../tauri.conf.json");
        let conf: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
        let deb = &conf["bundle"]["linux"]["deb"];
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let source = |path: &serde_json::Value| {
            let path = root.join(path.as_str().expect("each is a path"));
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let carried = deb["files"].as_object().expect("it has files");
        assert!(carried.contains_key(PACKAGED), "where the unit starts it");
        for (path, content) in FILES {
            // Folders of the administrator's have the names of those of packages.
            let end = |path: &str| path.rsplit('/').take(2).map(str::to_owned).collect::<Vec<_>>();
            let found = carried.iter().find(|(to, _)| end(to) == end(path));
            let (to, from) = found.unwrap_or_else(|| panic!("{path} isn't carried"));
            assert_eq!(source(from), content, "{to}");
        }
        assert_eq!(carried.len(), FILES.len() + 1, "and nothing else");
        for script in ["postInstallScript", "preRemoveScript", "postRemoveScript"] {
            let script = root.join(deb[script].as_str().expect("it is there"));
            let checked = Command::new("sh").arg("-n").arg(&script).status().expect("there is a shell");
            assert!(checked.success(), "{}", script.display());
        }
    }

    #[test]
    fn neither_action_is_ever_kept_and_each_is_the_services_own() {
        let policy = FILES.iter().find(|(path, _)| path.ends_with(".policy")).expect("it is one of them").1;
        let actions: Vec<&str> = policy.split("<action ").skip(1).collect();
        assert_eq!(actions.len(), 2);
        for action in actions {
            for who in ["any", "inactive", "active"] {
                assert!(action.contains(&format!("<allow_{who}>auth_self</allow_{who}>")), "{action}");
            }
            assert!(action.contains(r#"policykit.owner">unix-user:review-gated<"#), "{action}");
            for message in action.split("<message").skip(1) {
                let names = ["digits", "title", "repository", "tree"].map(|name| format!("$({name})"));
                assert!(names.iter().all(|name| message.contains(name)), "{message}");
            }
            assert_eq!(action.matches("<message").count(), 2, "English and Chinese");
        }
    }
}
