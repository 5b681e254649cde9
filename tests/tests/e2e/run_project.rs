//! What an agent in a sandbox of `review-gate run` may write of its project and of its repository, and what of it is
//! guarded or told, since it counts outside, too.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Home, LIMIT, Ran};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::run::{ran, repository, running};

/// What it tries to write. Each line that it prints is one that it could.
const WRITES: &str = r#"
for file in .git/config .git/hooks/pre-commit .mcp.json .claude/settings.json .claude/agents/a.md .claude/skills/s/SKILL.md \
  .gemini/commands/c.toml .codex/config.toml opencode.json; do
  { echo evil >> "$file"; } 2>/dev/null && echo "$file was written"
  rm -rf "$file" 2>/dev/null && test ! -e "$file" && echo "$file was deleted"
  mv "$file" elsewhere 2>/dev/null && echo "$file was moved"
  # What lies on another mount is copied first.
  rm -rf elsewhere
done
{ echo evil > .git/hooks/pre-push; } 2>/dev/null && echo "a hook was made"
for folder in .git .git/hooks .claude .claude/agents .claude/skills .gemini/commands .codex; do
  mv "$folder" elsewhere 2>/dev/null && echo "$folder was moved"
  rm -rf elsewhere
done
git config core.fsmonitor evil 2>/dev/null && echo "git's settings were changed"
echo mine > file.txt && git add file.txt &&
  git -c user.name=a -c user.email=a@example.org commit --quiet --message x && echo committed
git status --short --untracked-files=all
"#;

#[tokio::test]
async fn the_project_is_written_and_what_configures_git_and_agents_is_not() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let configuration = [
        ".mcp.json",
        ".claude/settings.json",
        ".claude/agents/a.md",
        ".claude/skills/s/SKILL.md",
        ".gemini/commands/c.toml",
        ".codex/config.toml",
        "opencode.json",
    ];
    for file in configuration {
        let file = project.join(file);
        fs::create_dir_all(file.parent().context("it is in a folder")?)?;
        fs::write(&file, "{}")?;
    }
    // What is there already is no news of the sandbox.
    fs::write(project.join(".git/info/exclude"), "agent.sh\n.mcp.json\n.claude\n.gemini\n.codex\nopencode.json\n")?;
    let before = fs::read(project.join(".git/config"))?;
    let hook = project.join(".git/hooks/pre-commit");
    fs::create_dir_all(project.join(".git/hooks"))?;
    fs::write(&hook, "#!/bin/sh\n")?;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755))?;
    let ran = ran(&home, &[], WRITES).await?.succeeded()?;
    assert_eq!(ran.stdout, "committed\n", "that, and git sees nothing that was put there: {ran:?}");
    assert_eq!(fs::read(project.join(".git/config"))?, before, "git's settings are as they were");
    for file in configuration {
        assert_eq!(fs::read_to_string(project.join(file))?, "{}", "{file} is as it was");
    }
    assert_eq!(fs::read_to_string(&hook)?, "#!/bin/sh\n", "the hook is as it was");
    assert!(project.join("file.txt").is_file(), "what it is there for is outside as well");
    Ok(())
}

#[tokio::test]
async fn hooks_that_the_project_itself_has_are_not_the_agents_to_write() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let (hooks, hook) = (project.join("tools/hooks"), project.join("tools/hooks/pre-commit"));
    fs::create_dir_all(&hooks)?;
    fs::write(&hook, "#!/bin/sh\n")?;
    let mut command = Command::new("git");
    command.args(["config", "core.hooksPath", "tools/hooks"]).current_dir(&project).stdin(Stdio::null());
    Ran::of(command).await?.succeeded()?;
    let text = "{ echo evil >> tools/hooks/pre-commit; } 2>/dev/null && echo changed
{ echo evil > tools/hooks/pre-push; } 2>/dev/null && echo made
mv tools elsewhere 2>/dev/null && echo moved; echo x > tools/file && echo beside";
    let ran = ran(&home, &[], text).await?.succeeded()?;
    assert_eq!(ran.stdout, "beside\n", "{ran:?}");
    assert_eq!(fs::read_to_string(&hook)?, "#!/bin/sh\n");
    Ok(())
}

#[tokio::test]
async fn what_a_link_leads_git_to_is_not_the_agents_to_write() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let hook = project.join("real/pre-commit");
    fs::create_dir(project.join("real"))?;
    fs::write(&hook, "#!/bin/sh\n")?;
    symlink("real", project.join("tools"))?;
    let mut command = Command::new("git");
    command.args(["config", "core.hooksPath", "tools"]).current_dir(&project).stdin(Stdio::null());
    Ran::of(command).await?.succeeded()?;
    let text = "{ echo evil >> real/pre-commit; } 2>/dev/null && echo changed
{ echo evil > real/pre-push; } 2>/dev/null && echo made; mv real elsewhere 2>/dev/null && echo moved; true";
    let ran = ran(&home, &[], text).await?.succeeded()?;
    assert_eq!(ran.stdout, "", "git runs what is there, outside, too: {ran:?}");
    assert_eq!(fs::read_to_string(&hook)?, "#!/bin/sh\n");
    assert!(ran.stderr.contains("tools is reached by a link"), "the link itself can't be guarded: {ran:?}");
    Ok(())
}

#[tokio::test]
async fn a_work_tree_beside_its_repository_is_written_and_guarded_there() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let beside = home.folder().join("beside");
    let git = |words: Vec<OsString>| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        command.current_dir(&project).stdin(Stdio::null());
        Ran::of(command)
    };
    git(["commit", "--quiet", "--allow-empty", "--message", "x"].map(OsString::from).to_vec()).await?.succeeded()?;
    let add = ["worktree", "add", "--quiet"].map(OsString::from).into_iter().chain([beside.clone().into_os_string()]);
    git(add.collect()).await?.succeeded()?;
    fs::write(
        beside.join("agent.sh"),
        "echo x > f; git add f && git -c user.name=a -c user.email=a@example.org commit -qm y && echo committed
git config a.b c 2>/dev/null && echo settings; { echo x > \"$(git rev-parse --git-common-dir)/hooks/x\"; } 2>/dev/null && echo hooks
{ echo gitdir: /tmp > .git; } 2>/dev/null && echo link; true",
    )?;
    let mut command = home.command(["run", "--", "sh", "agent.sh"])?;
    command.current_dir(&beside);
    let ran = Ran::of(command).await?.succeeded()?;
    assert_eq!(ran.stdout, "committed\n", "{ran:?}");
    Ok(())
}

#[tokio::test]
async fn what_can_not_be_guarded_is_told() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let text = "echo '{}' > .mcp.json; mkdir -p .claude/skills/s .gemini/commands";
    let made = ran(&home, &[], text).await?.succeeded()?;
    for name in [".mcp.json", ".claude/skills", ".gemini/commands"] {
        assert!(made.stderr.contains(&format!("{name} is new")), "what wasn't there is told of: {name}: {made:?}");
    }

    let mut command = running(&home, &[], "echo ready; while ! test -e go; do read -r line; done; rm go")?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("it prints")?).lines();
    assert_eq!(lines.next_line().await?.as_deref(), Some("ready"));
    // As git does it.
    fs::copy(project.join(".git/config"), project.join(".git/config.lock"))?;
    fs::rename(project.join(".git/config.lock"), project.join(".git/config"))?;
    fs::write(project.join("go"), "")?;
    drop(child.stdin.take());
    let output = tokio::time::timeout(LIMIT, child.wait_with_output()).await??;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(".git/config was replaced outside"), "what lost its guard is told of: {said}");
    Ok(())
}

#[tokio::test]
async fn a_repository_that_an_agent_makes_of_its_folder_is_told() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let made = ran(&home, &[], "git init --quiet").await?.succeeded()?;
    let told = format!("{} is new", home.workspace().join(".git").display());
    assert!(made.stderr.contains(&told), "git obeys it outside, too: {made:?}");
    Ok(())
}

#[tokio::test]
async fn what_gits_settings_include_is_not_the_agents_to_write() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    for file in ["../.gitconfig", "../team/absent"] {
        let mut command = Command::new("git");
        command.args(["config", "--add", "include.path", file]).current_dir(&project).stdin(Stdio::null());
        Ran::of(command).await?.succeeded()?;
    }
    let included = project.join(".gitconfig");
    fs::write(&included, "[core]\n\tbare = false\n")?;
    let text = "git config --file .gitconfig core.fsmonitor ./evil 2>/dev/null && echo set
mv .gitconfig elsewhere 2>/dev/null && echo moved; mkdir team; echo > team/absent; echo x > beside && echo beside";
    let ran = ran(&home, &[], text).await?.succeeded()?;
    assert_eq!(ran.stdout, "beside\n", "git runs what that file names, outside, too: {ran:?}");
    assert_eq!(fs::read_to_string(&included)?, "[core]\n\tbare = false\n");
    assert!(ran.stderr.contains("team/absent is new"), "and obeys what wasn't there: {ran:?}");
    Ok(())
}

/// `review-gate run` in another folder than the agents'.
async fn ran_in(home: &Home, folder: &Path, words: &[&str], text: &str) -> Result<Ran> {
    fs::write(folder.join("agent.sh"), text)?;
    let before = ["run"].into_iter().chain(words.iter().copied());
    let mut command = home.command(before.chain(["--", "sh", "agent.sh"]))?;
    command.current_dir(folder);
    Ran::of(command).await
}

#[tokio::test]
async fn a_link_that_an_agent_has_planted_opens_no_other_repository_to_the_next() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let other = home.folder().join("other");
    let git = |folder: &Path, words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words).current_dir(folder);
        command.stdin(Stdio::null());
        Ran::of(command)
    };
    git(&project, &["init", "--quiet", &other.display().to_string()]).await?.succeeded()?;
    git(&other, &["commit", "--quiet", "--allow-empty", "--message", "x"]).await?.succeeded()?;
    let refs = other.join(".git/refs/heads");
    let before: Vec<_> = fs::read_dir(&refs)?.flatten().map(|entry| entry.file_name()).collect();

    let write = format!("git branch --quiet evil 2>/dev/null; touch {}/evil", refs.display());
    let link = format!("gitdir: {}/.git", other.display());
    let plants = [
        ("link", format!("mkdir link; echo '{link}' > link/.git")),
        ("symbolic", format!("mkdir symbolic; ln -s {}/.git symbolic/.git", other.display())),
        (
            "common",
            format!(
                "git init --quiet common; rm -rf common/.git/objects common/.git/refs; echo {}/.git > common/.git/commondir",
                other.display()
            ),
        ),
    ];
    for (name, plant) in &plants {
        let planted = ran(&home, &[], &format!("{plant}; {write}")).await?;
        assert!(project.join(name).join(".git").symlink_metadata().is_ok(), "an agent may write that: {planted:?}");
        let next = ran_in(&home, &project.join(name), &[], &write).await?;
        assert_eq!(next.code, Some(125), "{name}: the next agent, in that folder, isn't started: {next:?}");
        let mend = format!("`--write {}/.git`", other.display());
        assert!(next.stderr.contains(&mend), "{name}: what to do about it: {next:?}");
    }
    let after: Vec<_> = fs::read_dir(&refs)?.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(after, before, "nothing was written there");
    let named = other.join(".git").display().to_string();
    let next = ran_in(&home, &project.join("link"), &["--write", &named], &write).await?;
    assert!(next.code == Some(0) && refs.join("evil").is_file(), "a person may let it: {next:?}");
    Ok(())
}

#[tokio::test]
async fn a_submodule_is_written_since_its_repository_says_that_it_is_its_own() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let text = [
        "git init --quiet ../lib",
        "git -C ../lib -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message x",
        "git -c protocol.file.allow=always submodule --quiet add ../lib sub 2>/dev/null",
    ];
    let mut command = Command::new("sh");
    command.args(["-ec", &text.join("\n")]).current_dir(&project).stdin(Stdio::null());
    Ran::of(command).await?.succeeded()?;
    let text = "echo x > f && git add f && git -c user.name=a -c user.email=a@example.org commit --quiet --message y &&
echo committed; git config core.fsmonitor evil 2>/dev/null && echo settings; true";
    let ran = ran_in(&home, &project.join("sub"), &[], text).await?.succeeded()?;
    assert_eq!(ran.stdout, "committed\n", "{ran:?}");
    Ok(())
}
