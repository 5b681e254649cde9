//! A security key in software, for the real `ssh-keygen`: its middleware is compiled from `sk/software_key.c`, and does
//! what a test says when it is asked to sign.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use tokio::process::Command;

use crate::home::{Home, HomeOptions};
use crate::run::Ran;
use crate::skip::skip;

/// Whose the log is that enrols it.
const HOME: &str = "01934a51-7cde-7000-8000-000000000007";

/// A security key without a device.
#[derive(Debug)]
pub struct SoftwareKey {
    folder: TempDir,
    /// Its name, as `ssh-keygen -l` prints it.
    name: String,
}

impl SoftwareKey {
    /// Makes one that is touched as soon as it blinks; nothing where OpenSSH isn't there.
    ///
    /// # Errors
    /// When it can't be compiled or made.
    pub async fn new() -> Result<Option<Self>> {
        let mut key =
            Self { name: String::new(), folder: tempfile::Builder::new().prefix("rg-key-").tempdir_in("/tmp")? };
        key.does("touch")?;
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-shared", "-fPIC"]);
        compiler.arg(format!("-DSTATE=\"{}\"", key.state().display())).arg("-o").arg(key.provider());
        compiler.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("sk/software_key.c"));
        Ran::of(compiler).await?.succeeded()?;
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519-sk", "-N", "", "-C", "the blue one", "-f"]).arg(key.file());
        keygen.env("SSH_SK_PROVIDER", key.provider());
        match Ran::of(keygen).await {
            Ok(ran) => drop(ran.succeeded()?),
            Err(error) => {
                skip(&format!("ssh-keygen can't be run: {error}"))?;
                return Ok(None);
            }
        }
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-l", "-f"]).arg(key.file());
        let said = Ran::of(keygen).await?.succeeded()?.stdout;
        key.name = said.split(' ').nth(1).context("a name")?.to_owned();
        Ok(Some(key))
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn provider(&self) -> PathBuf {
        self.folder.path().join("key.so")
    }

    /// What signs with it.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("id_ed25519_sk")
    }

    /// Its public half, as SSH writes it.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn public(&self) -> Result<String> {
        Ok(fs::read_to_string(self.folder.path().join("id_ed25519_sk.pub"))?.trim().to_owned())
    }

    /// What it does when it is asked to sign: `touch`, `untouched`, `gone`, `pin` where it wants one, or `wait` until it is told something else.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn does(&self, what: &str) -> Result<()> {
        Ok(fs::write(self.state(), what)?)
    }

    /// A home with these settings whose programs find it.
    ///
    /// # Errors
    /// As [`Home::with`].
    pub fn home(&self, config: &str) -> Result<Home> {
        let env = vec![("SSH_SK_PROVIDER".into(), self.provider().into_os_string())];
        Home::with(HomeOptions { env, config: Some(config.to_owned()), ..HomeOptions::default() })
    }

    /// Enrols it in a home that never had a gate, as its window would have done: a line of the receipts, and by which
    /// file it is used.
    ///
    /// # Errors
    /// When that can't be written.
    pub fn enrol(&self, home: &Home) -> Result<()> {
        let public = self.public()?;
        let public = public.split(' ').nth(1).context("a public key")?;
        let name = &self.name;
        let line = format!(
            "{{\"at\":\"2026-11-01T09:00:00Z\",\"does\":\"begins\",\"given\":\"desktop\",\"home\":\"{HOME}\",\
             \"key\":\"{name}\",\"kind\":\"key\",\"proof\":{{\"type\":\"none\"}},\"public\":\"{public}\",\"seq\":1,\"v\":1}}\n"
        );
        fs::write(home.path().join("receipts.log"), line)?;
        let file = self.file();
        let used = serde_json::json!({ name: { "file": file, "comment": "the blue one" } });
        Ok(fs::write(home.path().join("keys.json"), used.to_string())?)
    }
}
