//! What a person is told of a microphone that may not be opened, or that another program holds. The errors come
//! from ALSA itself, which is told to take the sound from a file in place of a card; it reads its configuration
//! once, and so this program is started anew for each.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gate_core::Code;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;
use crate::testing::left_out;

/// Set where this program is started to listen.
const LISTENS: &str = "REVIEW_GATE_TEST_LISTENS";
/// Before what it says then.
const SAID: &str = "said: ";

/// Asks for the default microphone, and prints what is said then. Does nothing in a run of all tests.
#[test]
fn said_when_it_is_opened() {
    if std::env::var_os(LISTENS).is_none() {
        return;
    }
    let (told, orders) = mpsc::channel();
    told.send(ToListener::Open { microphone: None }).expect("it listens");
    drop(told);
    let mut output = Vec::new();
    listen(System::new(), &orders, &mut output).expect("a vector takes all");
    let mut from = output.as_slice();
    while let Some(frame) = frame::read::<FromListener>(&mut from).expect("frames") {
        if let Frame::Message(message) = frame {
            println!("{SAID}{}", serde_json::to_string(&message).expect("JSON"));
        }
    }
}

/// What is said where the default microphone's sound comes from a file. None where that can't be tried.
fn said(file: &Path) -> Option<Vec<FromListener>> {
    let folder = tempfile::tempdir().expect("a folder");
    let configuration = folder.path().join("asound.conf");
    let microphone = format!(
        "pcm.!default {{ type file slave.pcm null file /dev/null infile \"{}\" format raw }}\n",
        file.display()
    );
    fs::write(&configuration, format!("</usr/share/alsa/alsa.conf>\n{microphone}")).expect("a file");
    let this = std::env::current_exe().expect("a program");
    let mut command = if rustix::process::geteuid().is_root() {
        // Nothing is refused to who may do everything.
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(this);
        command
    } else {
        Command::new(this)
    };
    command.args(["--exact", "listen::tests::said_when_it_is_opened", "--nocapture"]);
    command.env(LISTENS, "1").env("ALSA_CONFIG_PATH", &configuration).stdin(Stdio::null());
    let Ok(ended) = command.output() else {
        assert!(std::env::var_os("REVIEW_GATE_REQUIRE_E2E").is_none(), "no setpriv (util-linux)");
        left_out("no setpriv (util-linux)");
        return None;
    };
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{text}{}", String::from_utf8_lossy(&ended.stderr));
    let lines = text.lines().filter_map(|line| line.split_once(SAID));
    Some(lines.map(|(_, message)| serde_json::from_str(message).expect("a message")).collect())
}

fn code_and_mend(said: &[FromListener]) -> (Code, &str) {
    match said {
        [FromListener::Ready, FromListener::Fault { fault }] => (fault.code, &fault.mend),
        other => panic!("a fault, and nothing else: {other:?}"),
    }
}

#[test]
fn a_microphone_that_may_not_be_opened_is_denied() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sound");
    fs::write(&file, [0; 3_200]).expect("a file");
    fs::set_permissions(&file, Permissions::from_mode(0o000)).expect("a file");
    let Some(said) = said(&file) else { return };
    let (code, mend) = code_and_mend(&said);
    assert_eq!(code, Code::MicrophoneDenied);
    assert!(mend.contains("audio"), "who may use it: {mend}");
}

#[test]
fn a_microphone_that_another_program_holds_is_busy() {
    // A terminal can be held as a card is: opening it again is refused with EBUSY.
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
    let name = ptsname(&master, Vec::new()).expect("its name").into_string().expect("its name");
    let held = File::options().read(true).write(true).open(&name).expect("its other end");
    rustix::termios::ioctl_tiocexcl(&held).expect("it is held");
    let Some(said) = said(Path::new(&name)) else { return };
    let (code, mend) = code_and_mend(&said);
    assert_eq!(code, Code::MicrophoneBusy);
    assert!(mend.contains("Close it there"), "what to do: {mend}");
}

#[test]
fn a_microphone_that_is_not_there_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(said) = said(&folder.path().join("gone")) else { return };
    assert_eq!(code_and_mend(&said).0, Code::NoMicrophone);
}
