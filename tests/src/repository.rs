//! A git repository that a test fills.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::run::Ran;

/// Makes these files the newest commit of a folder's repository, which is made where there is none. Gives the commit.
///
/// # Errors
/// When git isn't there or refuses.
pub async fn commit(folder: &Path, files: &[(&str, &str)]) -> Result<String> {
    let git = |words: &[&str]| {
        let mut command = tokio::process::Command::new("git");
        command.args(words).current_dir(folder);
        for (name, value) in [("GIT_AUTHOR", "t"), ("GIT_COMMITTER", "t")] {
            command.env(format!("{name}_NAME"), value).env(format!("{name}_EMAIL"), "t@example.invalid");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    };
    std::fs::create_dir_all(folder)?;
    if !folder.join(".git").exists() {
        Ran::of(git(&["init", "--quiet", "--initial-branch=main"])).await?.succeeded()?;
    }
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    Ran::of(git(&["add", "--all"])).await?.succeeded()?;
    Ran::of(git(&["commit", "--quiet", "--message", "Prompts"])).await?.succeeded()?;
    let head = Ran::of(git(&["rev-parse", "HEAD"])).await?.succeeded()?;
    Ok(head.stdout.trim().to_owned())
}
