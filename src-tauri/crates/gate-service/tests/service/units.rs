//! What systemd makes of the units, as they are installed: it knows every line of them, and what they keep from the service
//! is as little as they say.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gate_service::SOCKET;
use tempfile::TempDir;

use crate::skip::leave_out;

/// Where the built program installs what it brings, below a folder.
const UNITS: &str = "etc/systemd/system";
const PROGRAM: &str = "/usr/local/libexec/review-gated";

/// What is installed, below a folder.
fn installed() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let built = Path::new(env!("CARGO_BIN_EXE_review-gated"));
    let installed = Command::new(built).args(["install", "--into"]).arg(folder.path()).output().expect("it starts");
    assert!(installed.status.success(), "it writes its files: {installed:?}");
    folder
}

/// The lines of a unit: section and key, with its values.
fn lines(unit: &Path) -> BTreeMap<(String, String), Vec<String>> {
    let text = fs::read_to_string(unit).expect("it is installed");
    let (mut section, mut lines) = (String::new(), BTreeMap::<_, Vec<_>>::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else {
            let (key, value) = line.split_once('=').expect("a line has a key and a value");
            lines.entry((section.clone(), key.to_owned())).or_default().push(value.to_owned());
        }
    }
    lines
}

/// That a unit says so, and nothing else of it.
fn says(unit: &Path, section: &str, promised: &[(&str, &str)]) {
    let lines = lines(unit);
    for (key, value) in promised {
        let said = lines.get(&(section.to_owned(), (*key).to_owned()));
        assert_eq!(said.map(Vec::as_slice), Some([(*value).to_owned()].as_slice()), "{key} of {}", unit.display());
    }
}

#[test]
fn the_units_keep_from_the_service_what_it_does_not_need() {
    let folder = installed();
    let unit = |name: &str| folder.path().join(UNITS).join(name);
    let (service, socket) = (unit("review-gated.service"), unit("review-gated.socket"));
    says(&socket, "Socket", &[("ListenStream", SOCKET), ("SocketMode", "0666"), ("DirectoryMode", "0755")]);
    let promised = [
        ("ExecStart", &*format!("{PROGRAM} serve")),
        ("StandardInput", "socket"),
        ("User", "review-gated"),
        ("Group", "review-gated"),
        ("StateDirectory", "review-gated"),
        ("StateDirectoryMode", "0700"),
        ("UMask", "0077"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("PrivateDevices", "yes"),
        ("PrivateNetwork", "yes"),
        ("RestrictAddressFamilies", "AF_UNIX"),
        ("RestrictNamespaces", "yes"),
        ("MemoryDenyWriteExecute", "yes"),
        ("LimitCORE", "0"),
    ];
    says(&service, "Service", &promised);
    let said = lines(&service);
    for forbidden in ["ProtectProc", "PrivateUsers"] {
        let key = ("Service".to_owned(), forbidden.to_owned());
        assert!(!said.contains_key(&key), "polkit is told of the process and the user that ask: {forbidden}");
    }
    let whole = |path: &str| fs::read_to_string(folder.path().join(path)).expect("it is installed");
    let user = whole("etc/sysusers.d/review-gated.conf");
    assert!(
        user.starts_with("u review-gated -") && user.trim_end().ends_with("nologin"),
        "nobody logs in as it: {user}"
    );
    let state = whole("etc/tmpfiles.d/review-gated.conf");
    assert_eq!(state.trim(), "d /var/lib/review-gated 0700 review-gated review-gated -", "the key is nobody else's");
}

#[test]
fn systemd_takes_every_line_of_the_units() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return leave_out("there is no systemd-analyze", &["1", "all"]);
    }
    let folder = installed();
    // Where nothing is installed there is no such program.
    let units: Vec<PathBuf> = ["review-gated.service", "review-gated.socket"]
        .map(|name| {
            let unit = folder.path().join(UNITS).join(name);
            let text = fs::read_to_string(&unit).expect("it is installed");
            fs::write(&unit, text.replace(PROGRAM, env!("CARGO_BIN_EXE_review-gated"))).expect("it is ours");
            unit
        })
        .into();
    let verified = analyze(&["verify", "--man=no"], &units);
    let told = String::from_utf8_lossy(&verified.stderr);
    // A word that it doesn't know it passes over and tells, and ends well.
    let of_ours: Vec<&str> = told.lines().filter(|line| line.contains("review-gated")).collect();
    assert!(verified.status.success() && of_ours.is_empty(), "{of_ours:#?}\n{told}");
    let rated = analyze(&["security", "--offline=true", "--threshold=15", "--no-pager"], &units[..1]);
    let told = String::from_utf8_lossy(&rated.stdout);
    assert!(rated.status.success(), "it is rated as exposed to more than 1.5 of 10:\n{told}");
}

fn analyze(arguments: &[&str], units: &[PathBuf]) -> Output {
    Command::new("systemd-analyze").args(arguments).args(units).env("LC_ALL", "C").output().expect("it starts")
}
