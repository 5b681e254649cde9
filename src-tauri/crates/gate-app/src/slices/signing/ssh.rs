//! A touch of a security key, by OpenSSH's `ssh-keygen -Y sign`. The program is found once, gets nothing of this process's
//! environment but what names the key's own library, asks nobody for words, and is ended when nobody waits for it.
//!
//! Knows neither what is signed nor whether the signature counts.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gate_api::Phrase;
use gate_core::{Assurance, ReviewRequest};
use gate_git::child::{Ended, Running};
use gate_receipts::{Bytes, Fingerprint, Line, NAMESPACE, Proof, SshSignature};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::keys::SecurityKeys;
use super::signer::{NotSigned, Shows, Signature, Signer, TOUCH, Touched, text_of};

/// The program.
const PROGRAM: &str = "ssh-keygen";
/// The variable that names the library by which a key is spoken to, where OpenSSH has none of its own.
const PROVIDER: &str = "SSH_SK_PROVIDER";
/// What is asked for a PIN or a passphrase: it has none.
const ASKED: &str = "/bin/false";
/// Largest signature, in bytes.
const SIGNATURE_BYTES: usize = 16 * 1024;
/// Longest of its complaints that is told, in characters.
const WORDS_CHARS: usize = 200;

/// The program, and what it loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SshProgram {
    /// Its file; absent where there is none.
    pub(crate) program: Option<PathBuf>,
    /// The library by which a key is spoken to, where it isn't OpenSSH's own.
    pub(crate) provider: Option<PathBuf>,
}

impl SshProgram {
    /// As this process finds it.
    pub(super) fn of_process() -> Self {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let mut named = std::env::split_paths(&folders).map(|folder| folder.join(PROGRAM));
        let program = named.find(|path| path.is_absolute() && path.is_file());
        let provider = std::env::var_os(PROVIDER).map(PathBuf::from).filter(|path| path.is_absolute());
        Self { program, provider }
    }
}

/// Security keys, by way of SSH.
#[derive(Debug)]
pub(super) struct SshKeygen {
    keys: Arc<SecurityKeys>,
    ssh: SshProgram,
}

impl SshKeygen {
    /// With these keys.
    pub(super) fn new(keys: Arc<SecurityKeys>, ssh: SshProgram) -> Self {
        Self { keys, ssh }
    }

    /// Has one key sign, by what signs with it.
    async fn sign_with(
        &self,
        program: &Path,
        (key, file): (Fingerprint, &Path),
        line: &[u8],
    ) -> Result<Proof, NotSigned> {
        let mut command = Command::new(program);
        command.args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"]).arg(file);
        command.env_clear().env("LC_ALL", "C").env("SSH_ASKPASS", ASKED).env("SSH_ASKPASS_REQUIRE", "force");
        command.envs(self.ssh.provider.iter().map(|path| (PROVIDER, path)));
        command.current_dir("/").stdin(Stdio::piped());
        let started = |error: std::io::Error| NotSigned::Failed {
            what: format!("{} can't be started: {error}.", program.display()),
            mend: "Check OpenSSH's installation.".to_owned(),
        };
        let mut running = Running::start(command).map_err(started)?;
        let input = running.input();
        let write = async move {
            if let Some(mut input) = input {
                // One that ends before it has read all says why.
                let _ = input.write_all(line).await;
            }
        };
        let ((), ended) = tokio::join!(write, running.ended(SIGNATURE_BYTES));
        let Ended { status, output, words } = ended.map_err(started)?;
        let output = output.filter(|_| status.success());
        let text = output.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| failed(&words))?;
        let sig = SshSignature::without_armour(&text);
        let sig = sig.map_err(|_| NotSigned::Unproved("it isn't a signature of SSH's".to_owned()))?;
        Ok(Proof::Sshsig { key, sig: Bytes(sig) })
    }
}

#[async_trait]
impl Signer for SshKeygen {
    fn level(&self) -> Assurance {
        Assurance::L3
    }

    fn patience(&self) -> Duration {
        TOUCH
    }

    fn reachable(&self) -> Result<(), Phrase> {
        if self.ssh.program.is_none() {
            return Err(Phrase::new("level-no-program").with("program", PROGRAM));
        }
        if self.keys.files().is_empty() { Err(Phrase::new("level-no-key")) } else { Ok(()) }
    }

    async fn sign(
        &self,
        line: &Line,
        _: &ReviewRequest,
        _: &Shows<'_>,
        cancelled: CancellationToken,
    ) -> Result<Box<dyn Signature>, NotSigned> {
        let gone = || NotSigned::Failed {
            what: "No security key can be used here any more.".to_owned(),
            mend: "Add one in the settings, under security keys.".to_owned(),
        };
        let program = self.ssh.program.as_deref().ok_or_else(gone)?;
        let text = text_of(line)?;
        let mut last = gone();
        // One that isn't plugged in says so at once: the next is asked.
        for (key, file) in self.keys.files() {
            let signed = cancelled.run_until_cancelled(self.sign_with(program, (key, &file), text.as_bytes())).await;
            match signed.unwrap_or(Err(NotSigned::Cancelled)) {
                Err(why @ NotSigned::Failed { .. }) => last = why,
                Err(why) => return Err(why),
                Ok(proof) => return Ok(Box::new(Touched(proof))),
            }
        }
        Err(last)
    }
}

/// Why it failed, by its last words.
fn failed(words: &str) -> NotSigned {
    let said = words.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let said: String = said.chars().filter(|c| !c.is_control()).take(WORDS_CHARS).collect();
    let lower = words.to_lowercase();
    let has = |text: &str| lower.contains(text);
    let is_said = |word: &str| lower.split(|c: char| !c.is_alphanumeric()).any(|said| said == word);
    // To OpenSSH a PIN that isn't given is a wrong passphrase.
    if has("passphrase") || is_said("pin") {
        return NotSigned::Failed {
            what: "The security key asks for a PIN, or its file for a passphrase, and Review Gate can't ask you for \
                   either yet."
                .to_owned(),
            mend: "Take a key that needs neither: one made without `-O verify-required`, and whose file has no passphrase \
                   (`ssh-keygen -p` takes it off)."
                .to_owned(),
        };
    }
    let mend = if has("device not found") || has("no device") {
        "Plug the security key in, then approve again."
    } else {
        "Plug the security key in and touch it when it blinks; `ssh-keygen -Y sign` in a terminal says more."
    };
    NotSigned::Failed { what: format!("ssh-keygen says: {said}."), mend: mend.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_says_is_told_in_one_bounded_line() {
        let NotSigned::Failed { what, mend } = failed("debug\nCouldn't sign message: device not found\u{1b}[2J\r\n\n")
        else {
            panic!("it failed");
        };
        assert_eq!(what, "ssh-keygen says: Couldn't sign message: device not found[2J.");
        assert!(mend.starts_with("Plug"), "{mend}");
        let NotSigned::Failed { what, .. } = failed(&"x".repeat(5000)) else { panic!("it failed") };
        assert!(what.len() < 300, "{what}");
    }

    #[test]
    fn a_pin_that_is_asked_for_is_told_as_that() {
        for (words, told) in [
            ("Couldn't sign message: incorrect passphrase supplied to decrypt private key", true),
            ("Enter PIN for ED25519-SK key: \nCouldn't sign message: error in libcrypto", true),
            ("Couldn't sign message: /home/me/spinning: device not found", false),
        ] {
            let NotSigned::Failed { what, .. } = failed(words) else { panic!("it failed") };
            assert_eq!(what.contains("asks for a PIN"), told, "{what}");
        }
    }
}
