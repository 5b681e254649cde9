//! A gate without windows, a repository, and clients that may propose and review in it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::CLIENTS;
use crate::options::Options;
use crate::served::Served;
use crate::wire::Peer;

/// Where the toolset is.
const PATH: &str = "/mcp/broker";
/// The files that a proposal changes.
const FILES: [&str; 3] = ["src/one.txt", "src/two.txt", "docs/three.txt"];

/// A running gate and its clients' tokens. Dropping it ends the gate and removes its home.
pub(super) struct Scene {
    served: Option<Served>,
    address: SocketAddr,
    programs: PathBuf,
    folder: TempDir,
    proposers: Vec<String>,
    reviewers: Vec<String>,
}

impl Scene {
    pub(super) fn new(options: &Options) -> Result<Self> {
        // Not below /tmp, which may be in memory; a socket's path may have 107 bytes.
        let near = options.json.parent().context("the figures are kept in a folder")?;
        let folder = tempfile::Builder::new().prefix("rg-").tempdir_in(std::path::absolute(near)?)?;
        let repository = folder.path().join("shop");
        git(folder.path(), &["init", "--quiet", "shop"])?;
        for file in FILES {
            let path = repository.join(file);
            std::fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            std::fs::write(path, "one\ntwo\nthree\n")?;
        }
        git(&repository, &["add", "--all"])?;
        git(&repository, &["-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "--quiet", "-m", "b"])?;
        let home = folder.path().join("home");
        std::fs::create_dir(&home)?;
        let (served, _) = Served::start(&options.programs, &home)?;
        let address = served.http()?;
        let shop = repository.to_string_lossy().into_owned();
        let token = |name: &str, number: usize| {
            served.says(&["token", "create", &format!("{name}-{number}"), "--folder", &shop])
        };
        let tokens = |name: &str| (0..CLIENTS).map(|number| token(name, number)).collect::<Result<Vec<_>>>();
        let (proposers, reviewers) = (tokens("proposer")?, tokens("reviewer")?);
        Ok(Self { served: Some(served), address, programs: options.programs.clone(), folder, proposers, reviewers })
    }

    pub(super) fn database(&self) -> PathBuf {
        self.folder.path().join("home/review-gate.db")
    }

    /// Stops the gate while something is done with its record, and starts it again.
    pub(super) fn while_stopped(&mut self, work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        self.served.take().context("a gate runs")?.stop()?;
        work(&self.database())?;
        let (served, _) = Served::start(&self.programs, &self.folder.path().join("home"))?;
        self.address = served.http()?;
        self.served = Some(served);
        Ok(())
    }

    pub(super) fn pid(&self) -> Result<u32> {
        Ok(self.served.as_ref().context("a gate runs")?.pid())
    }

    /// The client that has one of the tokens by which it is proposed. They are taken in turns.
    pub(super) fn proposer(&self, number: usize) -> Result<Peer> {
        self.client(&self.proposers, number)
    }

    /// The same of those by which it is reviewed.
    pub(super) fn reviewer(&self, number: usize) -> Result<Peer> {
        self.client(&self.reviewers, number)
    }

    fn client(&self, tokens: &[String], number: usize) -> Result<Peer> {
        Peer::open(self.address, PATH, tokens.get(number % tokens.len()).context("there are tokens")?)
    }
}

/// What a client submits, without a diff. No two are the same: it would be one that is sent again.
pub(super) fn proposal(client: usize, number: usize) -> Value {
    json!({
        "intent": format!("Retry webhook deliveries, {client}.{number}"),
        "description": "Deliveries that fail are tried again, three times, each after twice the time of the one before.",
    })
}

/// The same with a diff of three files.
pub(super) fn proposal_of_files(client: usize, number: usize) -> Value {
    let mut proposal = proposal(client, number);
    let one = |file: &&str| {
        format!(
            "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1,3 +1,3 @@\n one\n-two\n+two {client}.{number}\n three\n"
        )
    };
    proposal["diff"] = FILES.iter().map(one).collect::<String>().into();
    proposal
}

fn git(folder: &Path, words: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let status = command.stdin(Stdio::null()).status().context("git can't be run")?;
    if !status.success() {
        bail!("git {} failed", words.join(" "));
    }
    Ok(())
}
