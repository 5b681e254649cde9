//! OpenSSH's own program beside ours.

use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_receipts::{Bytes, Keys, Level, NAMESPACE, Proof, PublicKey, SshSignature, Unproved, assured};

use crate::signer::{Device, Says, TOUCHED, approved};
use crate::skip;
use crate::world::AT;

fn ssh_keygen(folder: &Path, arguments: &[&str], input: Option<&str>) -> (bool, String) {
    let mut command = Command::new("ssh-keygen");
    command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(input) = input {
        std::fs::write(folder.join("input"), input).expect("it can be written");
        command.stdin(std::fs::File::open(folder.join("input")).expect("it is there"));
    } else {
        command.stdin(Stdio::null());
    }
    let output = command.output().expect("ssh-keygen can be started");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.success(), said)
}

/// Whether `ssh-keygen -Y verify` takes a signature.
fn takes(folder: &Path, device: &Device, text: &str, signature: &[u8]) -> bool {
    std::fs::write(folder.join("allowed"), format!("ada {}\n", device.authorized())).expect("it can be written");
    let digits = STANDARD.encode(signature);
    let lines: Vec<_> = digits.as_bytes().chunks(70).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let armoured = format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", lines.join("\n"));
    std::fs::write(folder.join("sig"), armoured).expect("it can be written");
    let arguments = ["-Y", "verify", "-f", "allowed", "-I", "ada", "-n", NAMESPACE, "-s", "sig"];
    ssh_keygen(folder, &arguments, Some(text)).0
}

#[test]
fn it_takes_what_we_take_and_also_what_nobody_touched() {
    if !skip::has("ssh-keygen", "-?") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = approved(Level::L3, AT).signed().expect("it can be written");
    let untouched = Says { flags: 0, counter: 1 };
    for device in [Device::plain(1), Device::ed25519(2, "ssh:"), Device::p256("ssh:")] {
        for hash in ["sha256", "sha512"] {
            let signature = device.ssh(&text, TOUCHED, NAMESPACE, hash);
            assert!(takes(folder.path(), &device, &text, &signature), "{hash}: it is written as OpenSSH writes it");
            let ours = SshSignature::parse(&signature).expect("it can be read");
            assert!(ours.is_of(text.as_bytes()));
            assert!(!takes(folder.path(), &device, "another", &signature) && !ours.is_of(b"another"));
        }
        let signature = device.ssh(&text, untouched, NAMESPACE, "sha512");
        assert!(takes(folder.path(), &device, &text, &signature), "its `-Y verify` doesn't look at the touch");
    }
    let device = Device::ed25519(2, "ssh:");
    let line = device.sshsig(approved(Level::L3, AT), untouched);
    assert_eq!(assured(&line, &device.enrolled(None)), Err(Unproved::Untouched), "we do");
}

#[test]
fn what_it_signs_holds_here() {
    if !skip::has("ssh-keygen", "-?") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let made = ssh_keygen(folder.path(), &["-q", "-t", "ed25519", "-N", "", "-f", "key"], None);
    assert!(made.0, "{}", made.1);
    let public = std::fs::read_to_string(folder.path().join("key.pub")).expect("it is there");
    let wire = STANDARD.decode(public.split(' ').nth(1).expect("the key")).expect("it is base64");
    let public = PublicKey::from_wire(&wire).expect("it is a key");
    let (_, listed) = ssh_keygen(folder.path(), &["-l", "-f", "key.pub"], None);
    assert!(listed.contains(public.fingerprint().as_str()), "{listed}: the same name");

    let mut line = approved(Level::L1, AT);
    let text = line.signed().expect("it can be written");
    std::fs::write(folder.path().join("text"), &text).expect("it can be written");
    let signed = ssh_keygen(folder.path(), &["-Y", "sign", "-f", "key", "-n", NAMESPACE, "text"], None);
    assert!(signed.0, "{}", signed.1);
    let armoured = std::fs::read_to_string(folder.path().join("text.sig")).expect("it is there");
    let sig = Bytes(SshSignature::without_armour(&armoured).expect("it is armoured"));
    line.proof = Proof::Sshsig { key: public.fingerprint(), sig };
    let enrolled = gate_receipts::Enrolled { public, origin: None, after: 0, until: None };
    assert_eq!(assured(&line, &Keys(vec![enrolled])), Ok(Level::L1));
}
