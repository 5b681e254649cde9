//! `repository` in place of `diff`: the gate itself reads the change from git, and an approval is for the trees that were
//! shown. Nothing of the repository's own runs, and nothing in it changes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, Ran, SignedPage, Spawning};
use serde_json::{Value, json};
use tokio::process::Command;

/// A repository in the folder that agents work in.
struct Repo {
    path: PathBuf,
}

impl Repo {
    /// With one commit.
    async fn new(home: &Home, name: &str) -> Result<Self> {
        let repo = Self { path: home.workspace().join(name) };
        fs::create_dir_all(&repo.path)?;
        repo.git(&["init", "--quiet", "--initial-branch=main"]).await?;
        repo.write("a.txt", "one\n")?;
        repo.write("sub/b.txt", "one\n")?;
        repo.commit("first").await?;
        Ok(repo)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(words).current_dir(&self.path);
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            command.env(format!("{who}_NAME"), "t").env(format!("{who}_EMAIL"), "t@example.invalid");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "protocol.file.allow");
        command.env("GIT_CONFIG_VALUE_0", "always");
        command
    }

    async fn git(&self, words: &[&str]) -> Result<String> {
        Ok(Ran::of(self.command(words)).await?.succeeded()?.stdout.trim().to_owned())
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let file = self.path.join(path);
        fs::create_dir_all(file.parent().context("a folder")?)?;
        Ok(fs::write(file, text)?)
    }

    async fn commit(&self, message: &str) -> Result<()> {
        self.git(&["add", "--all"]).await?;
        self.git(&["commit", "--quiet", "--no-verify", "-m", message]).await.map(drop)
    }

    /// The tree of everything as it lies there, by git's own word. Its index stays as it is.
    async fn worktree(&self) -> Result<String> {
        let index = self.path.with_extension("index");
        for words in [&["read-tree", "HEAD"][..], &["add", "--all"]] {
            let mut command = self.command(words);
            command.env("GIT_INDEX_FILE", &index);
            Ran::of(command).await?.succeeded()?;
        }
        let mut command = self.command(&["write-tree"]);
        command.env("GIT_INDEX_FILE", &index);
        Ok(Ran::of(command).await?.succeeded()?.stdout.trim().to_owned())
    }

    /// Every file in it, with what it holds.
    fn files(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut all = BTreeMap::new();
        list(&self.path, &mut all)?;
        Ok(all)
    }
}

fn list(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            all.insert(path.clone(), fs::read_link(&path)?.into_os_string().as_bytes().to_vec());
        } else if path.is_dir() {
            list(&path, all)?;
        } else {
            all.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(())
}

/// A question about a repository, with a title by which it is found.
fn about(title: &str, repository: Value) -> Value {
    json!({"message": "May I?", "title": title, "approval": true, "repository": repository})
}

/// The diff that is stored with a request.
async fn diff(home: &Home, id: &str) -> Result<String> {
    let rows = home.rows(&format!("SELECT diff FROM review_requests WHERE request_id = '{id}'")).await?;
    Ok(rows[0]["diff"].as_str().context("a diff")?.to_owned())
}

/// What a call is refused with: code and text.
async fn refused(agent: &Agent, arguments: Value) -> Result<(String, String)> {
    let call = agent.call(arguments.clone()).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["isError"], true, "{arguments} had to be refused: {result}");
    let code = result["_meta"]["review-gate/fault"]["code"].as_str().unwrap_or_default().to_owned();
    Ok((code, result["content"][0]["text"].as_str().unwrap_or_default().to_owned()))
}

/// What the gate keeps of repositories.
fn kept(home: &Home) -> usize {
    let entries = fs::read_dir(home.path().join("repositories")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name() != "scratch").count()
}

#[tokio::test]
async fn each_of_what_can_be_named_is_shown_and_approved_by_its_trees() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let repo = Repo::new(&home, "shop").await?;
    repo.write("a.txt", "two\n")?;
    repo.commit("second").await?;
    repo.write("a.txt", "three\n")?;
    repo.git(&["add", "a.txt"]).await?;
    repo.write("a.txt", "four\n")?;
    repo.write("new.txt", "new\n")?;
    let (first, second) =
        (repo.git(&["rev-parse", "HEAD~1^{tree}"]).await?, repo.git(&["rev-parse", "HEAD^{tree}"]).await?);
    let staged = repo.git(&["write-tree"]).await?;
    let worktree = repo.worktree().await?;
    let before = repo.files()?;
    for (what, base, tree, line, words) in [
        ("worktree", &second, &worktree, "+four", "Work tree of shop on"),
        ("staged", &second, &staged, "+three", "What is staged in shop on"),
        ("HEAD", &first, &second, "+two", "of shop on"),
        ("main~1..main", &first, &second, "+two", "main~1..main of shop on"),
    ] {
        let call = agent.call(about(what, json!({"path": "shop", "what": what}))).await?;
        let id = home.waiting(what).await?;
        assert!(diff(&home, &id).await?.contains(line), "{what} shows {line}");
        let listed = home.run(["requests"]).await?.succeeded()?.stdout;
        assert!(listed.contains(words) && listed.contains("made by Review Gate"), "{what}: {listed}");
        person.approves(&id, "").await?;
        let outcome = agent.outcome(call).await?;
        assert_eq!(outcome["git"], json!({"base": base, "tree": tree}), "{what}");
    }
    assert!(repo.files()? == before, "nothing in the repository changed");
    let call = agent.call(about("in words", json!({"path": "shop/sub"}))).await?;
    person.approves(&home.waiting("in words").await?, "").await?;
    let result = agent.result(call).await?;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains(&format!("only for tree {worktree} on tree {second}")), "{text}");
    Ok(())
}

#[tokio::test]
async fn what_was_shown_stands_when_the_work_tree_changes() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let repo = Repo::new(&home, "shop").await?;
    repo.write("a.txt", "shown\n")?;
    let shown = repo.worktree().await?;
    let call = agent.call(about("shown", json!({"path": "shop"}))).await?;
    let id = home.waiting("shown").await?;
    repo.write("a.txt", "other\n")?;
    repo.commit("and committed").await?;
    assert!(diff(&home, &id).await?.contains("+shown"), "the person sees what was there");
    person.approves(&id, "").await?;
    assert_eq!(agent.outcome(call).await?["git"]["tree"], shown.as_str(), "and approves that alone");
    assert_eq!(kept(&home), 1, "which is kept");
    Ok(())
}

#[tokio::test]
async fn the_same_question_about_the_same_trees_is_asked_once() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let repo = Repo::new(&home, "shop").await?;
    repo.write("a.txt", "two\n")?;
    let first = Agent::start(&home, "claude-code").await?;
    first.call(about("once", json!({"path": "shop"}))).await?;
    let id = home.waiting("once").await?;
    first.kill().await?;
    let second = Agent::start(&home, "claude-code").await?;
    let call = second.call(about("once", json!({"path": "shop", "what": "worktree"}))).await?;
    home.answer(&id, ["--approve"]).await?;
    assert_eq!(second.outcome(call).await?["request_id"], id.as_str(), "it finds the one that is there");
    repo.write("a.txt", "three\n")?;
    let call = second.call(about("once", json!({"path": "shop"}))).await?;
    let other = home.waiting("once").await?;
    assert_ne!(other, id, "another tree is another question");
    home.answer(&other, ["--request-changes"]).await?;
    second.outcome(call).await?;
    Ok(())
}

#[tokio::test]
async fn nothing_of_the_repository_s_own_runs() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let repo = Repo::new(&home, "shop").await?;
    let (trap, mark) = (home.folder().join("trap"), home.folder().join("mark"));
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $@\" >> {}\nexit 1\n", mark.display()))?;
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755))?;
    let program = trap.to_str().context("a path")?;
    repo.write(".gitattributes", "*.txt diff=odd\n")?;
    for key in ["core.fsmonitor", "diff.odd.textconv", "diff.odd.command", "diff.external", "core.pager", "gpg.program"]
    {
        repo.git(&["config", key, program]).await?;
    }
    repo.git(&["config", "log.showSignature", "true"]).await?;
    for hook in ["pre-commit", "post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
        fs::create_dir_all(repo.path.join(".git/hooks"))?;
        fs::copy(&trap, repo.path.join(".git/hooks").join(hook))?;
    }
    repo.write("a.txt", "two\n")?;
    Ran::of(repo.command(&["diff"])).await?;
    assert!(mark.exists(), "the person's own git runs it");
    fs::remove_file(&mark)?;
    let before = repo.files()?;
    for what in ["worktree", "HEAD"] {
        let call = agent.call(about(what, json!({"path": "shop", "what": what}))).await?;
        person.approves(&home.waiting(what).await?, "").await?;
        agent.outcome(call).await?;
    }
    assert!(!mark.exists(), "the gate runs nothing: {}", fs::read_to_string(&mark).unwrap_or_default());

    repo.write(".git/info/attributes", "a.txt filter=odd\n")?;
    repo.git(&["config", "filter.odd.clean", program]).await?;
    let (code, text) = refused(&agent, about("filtered", json!({"path": "shop"}))).await?;
    assert!(code == "repository" && text.contains("`a.txt`") && text.contains("Stage it first"), "{code}: {text}");
    assert!(!mark.exists(), "and no filter: {}", fs::read_to_string(&mark).unwrap_or_default());
    let after = repo.files()?;
    let changed: Vec<_> = before.iter().filter(|(path, holds)| after.get(*path) != Some(holds)).collect();
    assert!(changed.iter().all(|(path, _)| path.ends_with(".git/config")), "only what this test wrote: {changed:?}");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused_and_nothing_is_stored() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let repo = Repo::new(&home, "shop").await?;
    let work = home.workspace();
    fs::create_dir(work.join("plain"))?;
    let outside = home.folder().join("outside");
    fs::rename(&Repo::new(&home, "outside").await?.path, &outside)?;
    symlink(&outside, work.join("link"))?;
    // Repositories whose parts lie elsewhere, where nothing leads back.
    fs::create_dir(work.join("astray"))?;
    fs::write(work.join("astray/.git"), format!("gitdir: {}\n", outside.join(".git").display()))?;
    let borrowing = Repo::new(&home, "borrowing").await?;
    borrowing.write(".git/objects/info/alternates", &format!("{}\n", outside.join(".git/objects").display()))?;
    let unborn = Repo { path: work.join("unborn") };
    fs::create_dir(&unborn.path)?;
    unborn.git(&["init", "--quiet"]).await?;
    let absolute = outside.to_str().context("a path")?;
    for (repository, fault, said) in [
        (json!({"path": "../outside"}), "invalid_input", "outside"),
        (json!({"path": absolute}), "invalid_input", "which isn't in"),
        (json!({"path": "link"}), "invalid_input", "which isn't in"),
        (json!({"path": "astray"}), "repository", "isn't its own"),
        (json!({"path": "borrowing", "what": "HEAD"}), "repository", "isn't its own"),
        (json!({"path": "nowhere"}), "invalid_input", "there is no such folder"),
        (json!({"path": "shop/a.txt"}), "invalid_input", "it is no folder"),
        (json!({"path": "plain"}), "repository", "isn't in a git repository"),
        (json!({"path": "shop", "what": "no-such-branch"}), "invalid_input", "no commit `no-such-branch`"),
        (json!({"path": "shop", "what": "HEAD..nobody"}), "invalid_input", "no commit `nobody`"),
        (json!({"path": "shop", "what": "--output=x"}), "invalid_input", "--output=x"),
        (json!({"path": "shop", "what": "HEAD", "base": "a..b"}), "invalid_input", "a..b"),
        (json!({"path": "shop", "what": "HEAD..HEAD", "base": "HEAD"}), "invalid_input", "own base"),
        (json!({"path": "shop"}), "invalid_input", "no change"),
        (json!({"path": "shop", "what": "staged"}), "invalid_input", "Nothing is staged"),
        (json!({"path": "shop", "what": "HEAD..HEAD"}), "invalid_input", "changes no file"),
        (json!({"path": "unborn"}), "invalid_input", "no change"),
        (json!({"path": "shop", "commit": "HEAD"}), "invalid_input", "\"commit\""),
    ] {
        let (code, text) = refused(&agent, about("refused", repository.clone())).await?;
        assert!(code == fault && text.contains(said), "{repository} gave {code}: {text}");
    }
    let mut both = about("both", json!({"path": "shop"}));
    both["diff"] = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".into();
    let (code, text) = refused(&agent, both).await?;
    assert!(code == "invalid_input" && text.contains("`diff`") && text.contains("`repository`"), "{text}");

    repo.write("large.txt", &"a line of a large file\n".repeat(250_000))?;
    let (code, text) = refused(&agent, about("large", json!({"path": "shop"}))).await?;
    assert!(code == "too_large" && text.contains("Split the change"), "{code}: {text}");
    fs::remove_file(repo.path.join("large.txt"))?;
    for number in 0..2001 {
        repo.write(&format!("many/{number}"), "x\n")?;
    }
    let (code, text) = refused(&agent, about("many", json!({"path": "shop"}))).await?;
    assert!(code == "too_many" && text.contains("2000"), "{code}: {text}");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing was asked");
    assert_eq!(kept(&home), 0, "and nothing is kept");
    Ok(())
}

#[tokio::test]
async fn submodules_odd_names_and_first_commits_are_shown() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let (repo, part) = (Repo::new(&home, "shop").await?, Repo::new(&home, "part").await?);
    let from = part.path.to_str().context("a path")?;
    repo.git(&["submodule", "--quiet", "add", from, "vendor"]).await?;
    repo.commit("with a part").await?;
    let inner = Repo { path: repo.path.join("vendor") };
    inner.write("a.txt", "inner\n")?;
    let asked = async |title: &str, repository: Value| -> Result<String> {
        let call = agent.call(about(title, repository)).await?;
        let id = home.waiting(title).await?;
        let shown = diff(&home, &id).await?;
        home.answer(&id, ["--approve"]).await?;
        let outcome = agent.outcome(call).await?;
        assert!(outcome["git"]["tree"].is_string(), "{title}: {outcome}");
        Ok(shown)
    };
    let shown = asked("inside", json!({"path": "shop/vendor"})).await?;
    assert!(shown.contains("+inner"), "the part itself: {shown}");
    inner.commit("inner").await?;
    let shown = asked("outside", json!({"path": "shop"})).await?;
    assert!(shown.contains("+Subproject commit"), "as its commit: {shown}");

    fs::write(repo.path.join(OsStr::from_bytes(b"odd\xff.txt")), b"\xe9t\xe9\n")?;
    fs::write(repo.path.join("picture.bin"), b"\x00\x01\x02")?;
    let shown = asked("odd", json!({"path": "shop"})).await?;
    assert!(shown.contains("odd\\377.txt") && shown.contains("picture.bin"), "a name that is no text: {shown}");
    assert!(shown.contains("+\u{fffd}t\u{fffd}"), "and a text in another encoding");

    let unborn = Repo { path: home.workspace().join("unborn") };
    fs::create_dir(&unborn.path)?;
    unborn.git(&["init", "--quiet"]).await?;
    unborn.write("a.txt", "one\n")?;
    assert!(asked("first", json!({"path": "unborn"})).await?.contains("+one"), "on no commit");
    Ok(())
}

#[tokio::test]
async fn a_work_tree_beside_its_repository_is_shown_where_the_agent_works() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let repo = Repo::new(&home, "shop").await?;
    let beside = home.folder().join("beside");
    repo.git(&["worktree", "add", "--quiet", beside.to_str().context("a path")?]).await?;
    let agent = Agent::spawn_with(&home, Spawning { folder: Some(beside.clone()), ..Spawning::default() })?;
    agent.initialize("claude-code").await?;
    fs::write(beside.join("a.txt"), "beside\n")?;
    let call = agent.call(about("beside", json!({"path": "."}))).await?;
    let id = home.waiting("beside").await?;
    assert!(diff(&home, &id).await?.contains("+beside"), "its own files");
    home.answer(&id, ["--approve"]).await?;
    agent.outcome(call).await?;
    let (code, _) = refused(&agent, about("repo", json!({"path": repo.path}))).await?;
    assert_eq!(code, "invalid_input", "the other work tree isn't where this agent works");
    Ok(())
}

#[tokio::test]
async fn over_http_only_a_token_s_folders_are_read() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let repo = Repo::new(&home, "shop").await?;
    repo.write("a.txt", "two\n")?;
    let other = Repo::new(&home, "other").await?;
    other.write("a.txt", "two\n")?;
    let folder = repo.path.to_str().context("a path")?;
    let token = async |arguments: &str| -> Result<Http> {
        let mut http = Http::of(&home)?;
        http.token = home.at_a_terminal(&format!("token create {arguments}")).await?.trim().to_owned();
        http.initialize("editor").await?;
        Ok(http)
    };
    let refused = async |http: &Http, path: &str| -> Result<String> {
        let call = json!({"name": "review_gate_chat", "arguments": about("refused", json!({"path": path}))});
        let result = http.post("tools/call", call, &[]).await?.answer()?;
        assert_eq!(result["result"]["isError"], true, "{result}");
        Ok(result["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned())
    };
    let without = token("without").await?;
    assert!(refused(&without, folder).await?.contains("token create NAME --folder DIR"), "it says what to do");
    let with = token(&format!("with --folder {folder}")).await?;
    let text = refused(&with, other.path.to_str().context("a path")?).await?;
    assert!(text.contains("which isn't in"), "{text}");
    let answering = async {
        let id = home.waiting("over http").await?;
        person.approves(&id, "").await
    };
    let (response, answered) = tokio::join!(with.chat(about("over http", json!({"path": folder}))), answering);
    answered?;
    let outcome = response?.outcome()?;
    assert_eq!(outcome["git"]["tree"], repo.worktree().await?.as_str());
    let listed = home.at_a_terminal("token list").await?;
    assert!(listed.contains(folder), "{listed}");
    Ok(())
}
