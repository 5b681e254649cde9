//! A repository, and the log of receipts that a test writes beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use gate_tests::{Home, Ran};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

const HOME: &str = "01934a51-7cde-7000-8000-000000000001";
pub(super) const MINUTE: i64 = 60;
pub(super) const DAY: i64 = 24 * 60 * MINUTE;

/// A home without a gate, a repository, and the log of receipts that this test writes.
pub(super) struct Scene {
    pub(super) home: Home,
    pub(super) repo: PathBuf,
    log: Vec<String>,
}

/// How a receipt is made, where it isn't an approval in the window of five minutes ago.
#[derive(Clone, Copy)]
pub(super) struct Making {
    /// Seconds from now to when it was given.
    pub(super) at: i64,
    /// Seconds from then to the end of its hold.
    pub(super) held: i64,
    pub(super) level: &'static str,
    pub(super) given: &'static str,
    pub(super) decision: &'static str,
}

pub(super) const APPROVED: Making =
    Making { at: -5 * MINUTE, held: 0, level: "L1", given: "desktop", decision: "approved" };

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Now, in seconds. All moments of one line are told from one now: the clock goes on between two looks.
fn now() -> Result<i64> {
    Ok(i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())?)
}

/// RFC 3339 of a moment in seconds.
async fn moment(seconds: i64) -> Result<String> {
    let mut date = Command::new("date");
    date.args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%SZ"]);
    Ok(Ran::of(date).await?.succeeded()?.stdout.trim().to_owned())
}

impl Scene {
    /// With one commit of a person's.
    pub(super) async fn new() -> Result<Self> {
        Self::of(Home::new()?).await
    }

    /// The same beside a home that is there.
    pub(super) async fn of(home: Home) -> Result<Self> {
        let repo = home.workspace().join("shop");
        fs::create_dir_all(&repo)?;
        let scene = Self { home, repo, log: Vec::new() };
        scene.git(&["init", "--quiet", "--initial-branch=main"]).await?;
        let lines: String = (1..=20).map(|line| format!("{line}\n")).collect();
        scene.write("a.txt", &lines)?;
        scene.write("b.txt", "one\n")?;
        scene.commit("first").await?;
        Ok(scene)
    }

    pub(super) fn command(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(words);
        self.home.dress(&mut command);
        command.current_dir(folder);
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            command.env(format!("{who}_NAME"), "t").env(format!("{who}_EMAIL"), "t@example.invalid");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", ":");
        command
    }

    pub(super) async fn git(&self, words: &[&str]) -> Result<String> {
        Ok(Ran::of(self.command(&self.repo, words)).await?.succeeded()?.stdout.trim().to_owned())
    }

    /// How git ends, whether it fails or not.
    pub(super) async fn tries(&self, words: &[&str]) -> Result<Ran> {
        Ran::of(self.command(&self.repo, words)).await
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<()> {
        Ok(fs::write(self.repo.join(path), text)?)
    }

    pub(super) async fn commit(&self, message: &str) -> Result<()> {
        self.git(&["add", "--all"]).await?;
        self.git(&["commit", "--quiet", "--no-verify", "--message", message]).await.map(drop)
    }

    pub(super) async fn tree(&self, of: &str) -> Result<String> {
        self.git(&["rev-parse", &format!("{of}^{{tree}}")]).await
    }

    /// Appends a line, given its fields in their canonical order but for what every line has; gives its digest.
    fn say(&mut self, before: &str, kind: &str, level: &str, after: (&str, &str)) -> Result<String> {
        let prev = self.log.last().map(|line| format!("\"prev\":\"{}\",", digest(line))).unwrap_or_default();
        let seq = self.log.len() + 1;
        let (reply, receipt) = after;
        let line = format!(
            "{{{before}\"home\":\"{HOME}\",\"kind\":\"{kind}\",{level}{prev}\"proof\":{{\"type\":\"none\"}},{receipt}{reply}\
             \"seq\":{seq},\"v\":1}}"
        );
        self.log.push(line.clone());
        let text: String = self.log.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.home.path().join("receipts.log"), text)?;
        Ok(digest(&line))
    }

    /// A receipt for a tree, shown on another.
    pub(super) async fn give(&mut self, base: &str, tree: &str, making: Making) -> Result<String> {
        let Making { at, held, level, given, decision } = making;
        let given_at = now()? + at;
        let (at, from) = (moment(given_at).await?, moment(given_at + held).await?);
        let expires = match decision {
            "approved" => format!("\"expires\":\"{}\",", moment(given_at + held + 30 * DAY).await?),
            _ => String::new(),
        };
        let (about, ask, reply) = (digest("about"), digest("ask"), digest("reply"));
        let before = format!(
            "\"about\":\"{about}\",\"at\":\"{at}\",\"content\":{{\"ask\":\"{ask}\",\"git\":{{\"base\":\"{base}\",\
             \"tree\":\"{tree}\"}}}},\"decision\":\"{decision}\",{expires}\"from\":\"{from}\",\"given\":\"{given}\","
        );
        let reply = format!("\"reply\":\"{reply}\",\"request\":\"{HOME}\",");
        self.say(&before, "decided", &format!("\"level\":\"{level}\","), (&reply, ""))
    }

    /// An approval of what is staged now; gives its receipt.
    pub(super) async fn approve_staged(&mut self) -> Result<String> {
        let (base, tree) = (self.tree("HEAD").await?, self.git(&["write-tree"]).await?);
        self.give(&base, &tree, APPROVED).await
    }

    /// Changes a file, has that approved, and commits it.
    pub(super) async fn approved_commit(&mut self, path: &str, text: &str) -> Result<String> {
        self.write(path, text)?;
        self.git(&["add", "--all"]).await?;
        let receipt = self.approve_staged().await?;
        self.git(&["commit", "--quiet", "--no-verify", "--message", text]).await?;
        Ok(receipt)
    }

    pub(super) async fn withdraw(&mut self, receipt: &str) -> Result<()> {
        let before = format!("\"at\":\"{}\",\"given\":\"desktop\",", moment(now()?).await?);
        self.say(&before, "withdrawn", "", ("", &format!("\"receipt\":\"{receipt}\","))).map(drop)
    }

    pub(super) async fn verify_in(&self, folder: &Path, words: &[&str]) -> Result<Ran> {
        let mut command = self.home.command(["verify"].iter().chain(words).copied())?;
        command.current_dir(folder);
        Ran::of(command).await
    }

    pub(super) async fn verify(&self, words: &[&str]) -> Result<Ran> {
        self.verify_in(&self.repo, words).await
    }

    /// What it says to programs where it is good.
    pub(super) async fn good(&self, words: &[&str]) -> Result<Value> {
        let ran = self.verify(&[words, &["--json"]].concat()).await?;
        ensure!(ran.code == Some(0), "{words:?} is good: {ran:?}");
        Ok(serde_json::from_str(&ran.stdout)?)
    }

    /// Why it isn't, in a word.
    pub(super) async fn refused(&self, words: &[&str]) -> Result<String> {
        let ran = self.verify(&[words, &["--json"]].concat()).await?;
        ensure!(ran.code == Some(1), "{words:?} isn't good: {ran:?}");
        let said: Value = serde_json::from_str(&ran.stdout)?;
        Ok(said["problem"]["code"].as_str().context("a code")?.to_owned())
    }
}
