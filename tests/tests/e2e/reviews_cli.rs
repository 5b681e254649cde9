//! `review-gate reviews` at a terminal, with a real repository and agents of two clients: what they propose and approve is
//! seen, taken over and ended there, and a commit is told from what was approved.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gate_tests::{Home, Peer, Ran, SignedPage, Terminal, commit, makes_it};
use serde_json::{Value, json};
use tokio::process::Command;

/// Scripts may look, and what is answered can't be taken back.
const CONFIG: &str = "security:\n  scripted_answers: true\nwindow:\n  undo_seconds: 0\n";
/// A file of two parts that don't meet in a diff.
const FILE: &str = "steps.txt";

struct Scene {
    home: Home,
    repo: PathBuf,
}

impl Scene {
    async fn new(config: &str) -> Result<Self> {
        let home = Home::with_config(config)?;
        let repo = home.workspace();
        let lines: String = (1..=20).map(|line| format!("{line}\n")).collect();
        commit(&repo, &[(FILE, &lines), ("notes.txt", "one\ntwo\nthree\n"), ("other.txt", "o\n")]).await?;
        let scene = Self { home, repo };
        for (key, value) in [("user.name", "t"), ("user.email", "t@example.invalid")] {
            scene.git(&["config", key, value]).await?;
        }
        Ok(scene)
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words);
        self.home.dress(&mut command);
        command.current_dir(&self.repo).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    async fn git(&self, words: &[&str]) -> Result<String> {
        Ok(Ran::of(self.command("git", words)).await?.succeeded()?.stdout)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        Ok(std::fs::write(self.repo.join(path), text)?)
    }

    /// The file with another word in the place of a line.
    fn says(&self, line: &str, word: &str) -> Result<()> {
        let text = std::fs::read_to_string(self.repo.join(FILE))?;
        self.write(FILE, &text.replace(&format!("\n{line}\n"), &format!("\n{word}\n")))
    }

    async fn stage(&self) -> Result<()> {
        self.git(&["add", "--all"]).await.map(drop)
    }

    /// What `reviews` says to a script.
    async fn reviews(&self, words: &[&str]) -> Result<Ran> {
        let mut command = self.home.command(["reviews"].iter().chain(words).copied())?;
        command.current_dir(&self.repo);
        Ran::of(command).await
    }

    /// What `reviews check --json` says of this, whose exit code has to say the same.
    async fn check(&self, words: &[&str]) -> Result<Value> {
        let ran = self.reviews(&[&["check", "--json"][..], words].concat()).await?;
        let said: Value = serde_json::from_str(&ran.stdout).with_context(|| format!("{ran:?}"))?;
        let code = if said["good"] == true { 0 } else { 1 };
        ensure!(ran.code == Some(code), "the exit code and the word say the same: {ran:?}");
        Ok(said)
    }

    /// How `git commit` ends below a process that calls itself an agent.
    async fn commits_as_an_agent(&self) -> Result<Ran> {
        self.agent_runs(&self.repo, "git commit --quiet --message agents").await
    }

    /// The same of a line for the shell, in this folder.
    async fn agent_runs(&self, folder: &Path, line: &str) -> Result<Ran> {
        let line = format!("{line}; exit $?");
        let mut command = self.command("bash", &["-c", "exec -a claude bash -c \"$0\"", &line]);
        command.current_dir(folder);
        Ran::of(command).await
    }

    /// How `reviews` ends at a terminal, and what it says there.
    async fn at_a_terminal(&self, words: &str) -> Result<(Option<i32>, String)> {
        let line = format!("{} reviews {words}", self.home.command_line()?.display());
        Terminal::start(&self.home, &line)?.ended().await
    }

    /// A review that the person has taken and approved.
    async fn approved_by_the_person(&self, proposer: &Peer, intent: &str, diff: &str) -> Result<Value> {
        let review = proposer.proposes(intent, diff).await?["review_id"].clone();
        self.home.at_a_terminal(&format!("reviews take {}", end(&review)?)).await?;
        let person = SignedPage::sign_in(&self.home).await?;
        person.approves(&self.home.waiting(intent).await?, "").await?;
        proposer.sees(&review, "approved").await?;
        Ok(review)
    }
}

/// The end of an id, as a person types it.
fn end(id: &Value) -> Result<&str> {
    let id = id.as_str().context("an id")?;
    id.get(id.len() - 12..).context("it is long enough")
}

#[tokio::test]
async fn only_what_two_agents_have_agreed_on_is_committed_behind_the_hook() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let listed = scene.reviews(&["list"]).await?.succeeded()?.stdout;
    assert!(listed.contains("No agent has proposed anything yet."), "{listed}");
    let mut install = scene.home.command(["install", "git", "--reviews"])?;
    install.current_dir(&scene.repo);
    let said = Ran::of(install).await?.succeeded()?.stdout;
    assert!(said.contains("pre-commit: written.") && !said.contains("pre-push"), "one hook: {said}");

    scene.says("15", "fifteen")?;
    let diff = scene.git(&["diff"]).await?;
    let review = proposer.proposes("Say fifteen in letters.", &diff).await?["review_id"].clone();
    let listed = scene.reviews(&["list", "--status", "created", "--json"]).await?.json()?;
    assert_eq!((&listed[0]["review_id"], listed.as_array().map(Vec::len)), (&review, Some(1)), "{listed}");
    let shown = scene.reviews(&["diff", end(&review)?]).await?.succeeded()?.stdout;
    assert!(shown.contains("-15\n+fifteen\n"), "the end of its id names it: {shown}");
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!((&said["problem"]["code"], &said["review"]), (&json!("nothing"), &json!(null)), "{said}");
    let refused = scene.commits_as_an_agent().await?;
    assert!(refused.code != Some(0) && refused.stderr.contains("NOT APPROVED: what is staged"), "{refused:?}");

    reviewer.judges(&review, "approved", "It reads better.").await?;
    let shown = scene.reviews(&["show", end(&review)?]).await?.succeeded()?.stdout;
    for part in ["Say fifteen in letters.", "approved by agents", "It reads better.", "needs 1 agent"] {
        assert!(shown.contains(part), "{part} is shown: {shown}");
    }
    let said = scene.check(&["--staged"]).await?;
    assert_eq!((&said["how"], &said["review"]["review_id"]), (&json!("exact"), &review), "{said}");
    scene.write("other.txt", "o\nand more\n")?;
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(
        (&said["problem"]["code"], &said["problem"]["extra"]),
        (&json!("differs"), &json!(["other.txt"])),
        "nothing goes in beside it: {said}"
    );
    assert_ne!(scene.commits_as_an_agent().await?.code, Some(0));
    scene.git(&["checkout", "--quiet", "HEAD", "other.txt"]).await?;
    scene.says("fifteen", "15 and a half")?;
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(said["problem"]["paths"], json!([FILE]), "nor is it changed on the way: {said}");
    scene.says("15 and a half", "fifteen")?;
    scene.stage().await?;
    let done = scene.commits_as_an_agent().await?;
    assert_eq!(done.code, Some(0), "it is what was approved: {done:?}");
    assert_eq!(scene.check(&[]).await?["how"], "exact", "and so is the commit");

    scene.git(&["reset", "--quiet", "--hard", "HEAD~1"]).await?;
    scene.says("2", "two")?;
    scene.git(&["commit", "--quiet", "--all", "--no-verify", "--message", "meanwhile"]).await?;
    scene.says("15", "fifteen")?;
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(said["how"], "equivalent", "the same patch on another base: {said}");

    scene.home.at_a_terminal(&format!("reviews close {} --outcome abandoned", end(&review)?)).await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(said["problem"]["code"], "nothing", "what was given up approves nothing any more: {said}");
    Ok(())
}

#[tokio::test]
async fn what_the_person_takes_is_decided_by_its_request_and_counts_by_its_receipt() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let review = proposer.proposes("Say it in German.", &makes_it("zwei")).await?["review_id"].clone();
    let id = end(&review)?;
    let script = scene.reviews(&["take", id]).await?;
    assert!(script.code == Some(4), "a script takes nothing, whatever is allowed to it: {script:?}");
    let taken = scene.home.at_a_terminal(&format!("reviews take {id} --json")).await?;
    let request = serde_json::from_str::<Value>(taken.trim())?["request_id"].clone();
    let request = request.as_str().context("a request")?;
    assert_eq!(reviewer.status(&review).await?["status"], "awaiting_person", "no agent decides it");
    let shown = scene.reviews(&["show", id]).await?.succeeded()?.stdout;
    assert!(shown.contains(&format!("review-gate answer {request} --approve")), "it says how to answer: {shown}");

    let comment = format!("reviews comment {id} 'Why not in French?' --file notes.txt --line 2");
    scene.home.at_a_terminal(&comment).await?;
    let view = scene.reviews(&["show", id, "--json"]).await?.json()?;
    let thread = &view["threads"][0];
    assert_eq!(thread["place"], json!({"file": "notes.txt", "line": 2, "side": "new"}), "{view}");
    let thread = end(&thread["thread_id"])?.to_owned();
    scene.home.at_a_terminal(&format!("reviews comment {id} 'Never mind.' --thread {thread}")).await?;
    let shown = scene.reviews(&["show", id]).await?.succeeded()?.stdout;
    assert!(shown.contains("notes.txt:2") && shown.contains("| Never mind."), "both are in one thread: {shown}");

    for (place, there) in [("--file notes.txt --line 99", "shows 1–3"), ("--file other.txt", "it changes notes.txt")]
    {
        let (code, shown) = scene.at_a_terminal(&format!("comment {id} 'And here?' {place}")).await?;
        assert!(code == Some(4) && shown.contains(there), "nothing is said where the round has nothing: {shown}");
    }

    scene.home.at_a_terminal(&format!("reviews give-back {id}")).await?;
    assert_eq!(reviewer.status(&review).await?["status"], "created", "agents may have it again");
    let (code, shown) = scene.at_a_terminal(&format!("give-back {id}")).await?;
    assert!(
        code == Some(4) && shown.contains("Only what waits for you is given back"),
        "it is theirs already: {shown}"
    );
    assert!(!shown.contains("claim_review"), "a person has no tools of agents: {shown}");
    let taken = scene.home.at_a_terminal(&format!("reviews take {id}")).await?;
    assert!(taken.contains("It is yours to decide.") && taken.contains("review-gate answer"), "{taken}");
    let person = SignedPage::sign_in(&scene.home).await?;
    person.approves(&scene.home.waiting("Say it in German.").await?, "").await?;
    proposer.sees(&review, "approved").await?;
    scene.write("notes.txt", "one\nzwei\nthree\n")?;
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    let by = (&said["how"], &said["review"]["approved_by"]);
    assert_eq!(by, (&json!("exact"), &json!("person")), "{said}");

    let receipt = said["review"]["receipt"].as_str().context("a receipt")?;
    scene.home.at_a_terminal(&format!("revoke {receipt} --yes")).await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(said["problem"]["code"], "person", "what they take back counts no more: {said}");
    let (code, shown) = Terminal::start(
        &scene.home,
        &format!("cd {} && {} reviews check --staged", scene.repo.display(), scene.home.command_line()?.display()),
    )?
    .ended()
    .await?;
    assert!(code == Some(1) && shown.contains("the person's approval doesn't count"), "{code:?} {shown}");
    Ok(())
}

#[tokio::test]
async fn a_receipt_of_another_round_is_no_approval_of_this_one() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let one = scene.approved_by_the_person(&proposer, "Say it in German.", &makes_it("zwei")).await?;
    let other = scene.approved_by_the_person(&proposer, "Say it in French.", &makes_it("deux")).await?;
    scene.write("notes.txt", "one\nzwei\nthree\n")?;
    scene.stage().await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!((&said["how"], &said["review"]["review_id"]), (&json!("exact"), &one), "{said}");
    let receipt = said["review"]["receipt"].as_str().context("a receipt")?;
    scene.home.at_a_terminal(&format!("revoke {receipt} --yes")).await?;
    let said = scene.check(&["--staged"]).await?;
    assert_eq!(said["problem"]["code"], "person", "what they take back counts no more: {said}");

    let (one, other) = (one.as_str().context("an id")?, other.as_str().context("an id")?);
    let decided = |review: &str| format!("subject = '{review}' AND type = 'person_decided'");
    let of_other = |what: &str| format!("(SELECT {what} FROM events WHERE {})", decided(other));
    for (put, why) in [
        (
            format!("json_set(data, '$.reply.receipt', {})", of_other("json_extract(data, '$.reply.receipt')")),
            "of something else",
        ),
        (of_other("data"), other),
    ] {
        scene.home.change(&format!("UPDATE events SET data = {put} WHERE {}", decided(one))).await?;
        let said = scene.check(&["--staged"]).await?;
        assert_eq!(
            said["problem"]["code"], "person",
            "a good receipt of another round doesn't count for this one: {said}"
        );
        let message = said["problem"]["message"].as_str().context("why")?;
        assert!(message.contains(why), "it says what was approved: {message}");
    }
    Ok(())
}

#[tokio::test]
async fn what_git_commits_is_looked_at_in_whichever_way_it_is_staged_and_in_no_other_index() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let mut install = scene.home.command(["install", "git", "--reviews"])?;
    install.current_dir(&scene.repo);
    Ran::of(install).await?.succeeded()?;
    let review = proposer.proposes("Say it in German.", &makes_it("zwei")).await?["review_id"].clone();
    reviewer.judges(&review, "approved", "Good.").await?;
    let linked = scene.repo.with_file_name("linked");
    scene.git(&["worktree", "add", "--quiet", "--detach", &linked.to_string_lossy()]).await?;
    let commit = "git commit --quiet --message agents";
    for (folder, way) in [
        (&scene.repo, format!("{commit} --all")),
        (&scene.repo, format!("yes | {commit} --patch")),
        (&scene.repo, format!("git add other.txt && {commit} --only notes.txt")),
        (&linked, format!("{commit} --all")),
        (&linked, format!("git add notes.txt && {commit}")),
    ] {
        for word in ["zwei", "deux"] {
            std::fs::write(folder.join("notes.txt"), format!("one\n{word}\nthree\n"))?;
            let beside = if way.contains("other.txt") { "o\nand more\n" } else { "o\n" };
            std::fs::write(folder.join("other.txt"), beside)?;
            let ran = scene.agent_runs(folder, &way).await?;
            assert_eq!(ran.code == Some(0), word == "zwei", "{way} of {word} in {}: {ran:?}", folder.display());
            let mut reset =
                scene.command("git", &["reset", "--quiet", "--hard", if word == "zwei" { "HEAD~1" } else { "HEAD" }]);
            reset.current_dir(folder);
            Ran::of(reset).await?.succeeded()?;
        }
    }
    scene.write("notes.txt", "one\nzwei\nthree\n")?;
    scene.stage().await?;
    for index in ["../elsewhere", ".git/worktrees/linked/index"] {
        let line = format!("cp .git/index ../elsewhere; GIT_INDEX_FILE={index} {commit}");
        let ran = scene.agent_runs(&scene.repo, &line).await?;
        assert!(ran.code != Some(0) && ran.stderr.contains("no index of this repository's"), "{index}: {ran:?}");
    }
    let done = scene.commits_as_an_agent().await?;
    assert_eq!(done.code, Some(0), "the repository's own index is looked at: {done:?}");
    Ok(())
}

#[tokio::test]
async fn patches_of_reviewers_are_seen_and_settled_at_a_terminal() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let review = proposer.proposes("Say it in another language.", &makes_it("zwei")).await?["review_id"].clone();
    let id = end(&review)?;
    let claim = reviewer.does("claim_review", json!({"review_id": review})).await?;
    let mut patches = Vec::new();
    for word in ["deux", "dos"] {
        let patch = json!({"review_id": review, "diff": makes_it(word), "claim_token": claim["claim_token"]});
        patches.push(reviewer.does("submit_patch", patch).await?["patch_id"].clone());
    }
    let shown = scene.reviews(&["diff", id, "--patch", end(&patches[0])?]).await?.succeeded()?.stdout;
    assert!(shown.contains("+deux"), "{shown}");
    scene.home.at_a_terminal(&format!("reviews reject-patch {id} {}", end(&patches[1])?)).await?;
    scene.home.at_a_terminal(&format!("reviews accept-patch {id} {}", end(&patches[0])?)).await?;
    let shown = scene.reviews(&["show", id]).await?.succeeded()?.stdout;
    for part in ["round 2", "a round by now", "turned down"] {
        assert!(shown.contains(part), "{part} is shown: {shown}");
    }
    let shown = scene.reviews(&["diff", id]).await?.succeeded()?.stdout;
    assert!(shown.contains("+deux"), "the newest round is the patch: {shown}");
    let shown = scene.reviews(&["diff", id, "--round", "1"]).await?.succeeded()?.stdout;
    assert!(shown.contains("+zwei"), "the first stays as it was: {shown}");
    let none = scene.reviews(&["show", "ffffffff"]).await?;
    assert!(none.code == Some(4) && none.stderr.contains("[unknown_review]"), "{none:?}");
    Ok(())
}

#[tokio::test]
async fn an_open_thread_follows_its_line_and_reviews_of_the_same_file_are_named() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let review = proposer.proposes("Say it in German.", &makes_it("zwei")).await?["review_id"].clone();
    let id = end(&review)?;
    let asked = json!({"review_id": review, "body": "Why German?", "file": "notes.txt", "line": 2, "side": "new"});
    reviewer.does("post_message", asked).await?;
    let other = proposer.proposes("Say it in French.", &makes_it("deux")).await?;
    assert_eq!(other["overlaps"], json!([review]), "its proposer is told of it: {other}");

    let longer = makes_it("zero\n+zwei").replace("+1,3", "+1,4");
    proposer.does("submit_proposal", json!({"intent": "Say it.", "diff": longer, "review_id": review})).await?;
    let thread = reviewer.does("get_messages", json!({"review_id": review})).await?["threads"][0].clone();
    assert_eq!((&thread["round"], &thread["line"]), (&json!(1), &json!(2)), "where it began: {thread}");
    assert_eq!(thread["stands"], json!({"file": "notes.txt", "line": 3}), "and where it is: {thread}");
    let claim = reviewer.does("claim_review", json!({"review_id": review})).await?;
    assert_eq!(claim["threads"][0]["stands"]["line"], 3, "whoever reviews the next round is told, too: {claim}");
    let shown = scene.reviews(&["show", id]).await?.succeeded()?.stdout;
    assert!(shown.contains("notes.txt:2 (round 1; in round 2 notes.txt:3)"), "{shown}");
    assert!(shown.contains("changes these files, too: Say it in French."), "{shown}");

    let gone = json!({"intent": "Say it.", "diff": makes_it("drei"), "review_id": review});
    proposer.does("submit_proposal", gone).await?;
    let shown = scene.reviews(&["show", id]).await?.succeeded()?.stdout;
    assert!(shown.contains("notes.txt:2 (round 1; not in round 3)"), "{shown}");
    let view = scene.reviews(&["show", id, "--json"]).await?.json()?;
    let follows = json!({"place": {"file": "notes.txt", "side": "new"}, "quoted": ["zwei"]});
    assert_eq!(view["threads"][0]["follows"], follows, "the window quotes it at its file: {view}");
    Ok(())
}

#[tokio::test]
async fn what_is_closed_as_applied_is_looked_for_and_told_where_it_is_something_else() -> Result<()> {
    let scene = Scene::new(CONFIG).await?;
    let _gate = scene.home.serve().await?;
    let proposer = Peer::over_stdio(&scene.home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&scene.home, "codex").await?;
    let commit = ["commit", "--quiet", "--all", "--message", "as approved"];
    scene.says("15", "fifteen")?;
    let diff = scene.git(&["diff"]).await?;
    let review = proposer.proposes("Say fifteen in letters.", &diff).await?["review_id"].clone();
    reviewer.judges(&review, "approved", "Good.").await?;
    scene.git(&commit).await?;
    let closed = proposer.does("close_review", json!({ "review_id": review, "commit": "HEAD" })).await?;
    assert_eq!((&closed["outcome"], &closed["applied"]["found"]), (&json!("applied"), &json!("exact")), "{closed}");
    let shown = scene.reviews(&["show", end(&review)?]).await?.succeeded()?.stdout;
    assert!(shown.contains("closed: applied as approved"), "{shown}");

    scene.says("3", "three")?;
    let diff = scene.git(&["diff"]).await?;
    let review = proposer.proposes("Say three in letters.", &diff).await?["review_id"].clone();
    reviewer.judges(&review, "approved", "Good.").await?;
    scene.says("three", "tree")?;
    scene.write("other.txt", "o\nand more\n")?;
    scene.git(&commit).await?;
    let refused = proposer.refused("close_review", json!({ "review_id": review, "commit": "gone" })).await?;
    assert_eq!(refused.code, "invalid_input", "{refused:?}");
    let closed = proposer.does("close_review", json!({ "review_id": review, "commit": "HEAD" })).await?;
    let differs = (&closed["applied"]["results"][0]["paths"], &closed["applied"]["results"][0]["extra"]);
    assert_eq!(differs, (&json!([FILE]), &json!(["other.txt"])), "{closed}");
    assert!(closed["next"].as_str().is_some_and(|next| next.contains("isn't what was approved")), "{closed}");
    let shown = scene.reviews(&["show", end(&review)?]).await?.succeeded()?.stdout;
    for part in ["applied, but not as approved", "otherwise than approved: steps.txt", "not approved: other.txt"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    Ok(())
}
