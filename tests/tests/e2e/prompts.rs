//! Prompts as agents' clients have them: clients that others wrote list, complete and get every one, and a file is
//! served within a second after it was saved.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Client, Control, Home, Http, LIMIT, Official, Ran, commit, eventually, inspector};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

/// The prompts that come with the program.
const BUILT_IN: [&str; 5] =
    ["code_review", "documentation_check", "performance_review", "security_review", "testing_review"];
/// How late a changed file may be on a machine that does other things, too. A second is promised.
const LATE: Duration = Duration::from_secs(5);
const LIST_CHANGED: &str = "notifications/prompts/list_changed";

fn home() -> Result<Home> {
    Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

fn write(home: &Home, file: &str, text: &str) -> Result<()> {
    let path = home.path().join("prompts").join(file);
    std::fs::create_dir_all(path.parent().context("a folder")?)?;
    // In one step, as editors do.
    let partial = path.with_extension("tmp");
    std::fs::write(&partial, text)?;
    std::fs::rename(partial, path).context("the file can't be written")
}

/// Values for the arguments that a prompt can't do without.
fn needed(prompt: &Value) -> Value {
    let none = Vec::new();
    let arguments = prompt["arguments"].as_array().unwrap_or(&none).iter();
    let required = arguments.filter(|argument| argument["required"] == true);
    required.filter_map(|argument| Some((argument["name"].as_str()?.to_owned(), json!("src/main.rs")))).collect()
}

async fn ask(client: &mut Client, task: Value) -> Result<Value> {
    client.call(&task).await?;
    client.result().await
}

/// A client lists the built-in prompts, completes the arguments of each, and gets each. Files are offered only
/// where the workspace is known.
async fn uses_every_built_in(client: &mut Client, files: bool) -> Result<()> {
    let listed = ask(client, json!({"do": "prompts"})).await?;
    let prompts = listed["prompts"].as_array().context("a list")?.clone();
    let names: Vec<_> = prompts.iter().filter_map(|prompt| prompt["name"].as_str()).collect();
    assert_eq!(names, BUILT_IN, "{listed}");
    for prompt in &prompts {
        let name = prompt["name"].as_str().unwrap_or_default();
        assert!(prompt["title"].as_str().is_some_and(|title| !title.is_empty()), "{name} has a title: {prompt}");
        assert!(prompt["description"].as_str().is_some_and(|text| text.len() > 20), "{name} says what it does");
        let arguments = prompt["arguments"].as_array().cloned().unwrap_or_default();
        assert!(!arguments.is_empty(), "{name} has arguments");
        let mut suggested = Vec::new();
        for argument in &arguments {
            let task = json!({"do": "suggest", "prompt": name, "name": argument["name"], "value": ""});
            suggested.extend(ask(client, task).await?["values"].as_array().cloned().unwrap_or_default());
        }
        assert_eq!(suggested.contains(&json!("lib.rs")), files, "{name} offers files: {suggested:?}");
        let levels = ["error", "warning", "info"].map(Value::from);
        let offers = name != "code_review" || levels.iter().all(|level| suggested.contains(level));
        assert!(offers, "the levels of severity are offered: {suggested:?}");
        let got = ask(client, json!({"do": "prompt", "name": name, "arguments": needed(prompt)})).await?;
        let text = got["texts"][0].as_str().with_context(|| format!("{name}: {got}"))?;
        assert!(text.contains("review_gate_chat") && !text.contains("{{"), "{name} is rendered: {text}");
    }
    let fault = ask(client, json!({"do": "prompt", "name": "no_such", "arguments": {}})).await?;
    assert_eq!(fault["code"], -32602, "{fault}");
    Ok(())
}

#[tokio::test]
async fn clients_of_others_list_complete_and_get_every_built_in() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    std::fs::write(home.workspace().join("lib.rs"), "")?;
    for official in [Official::Python, Official::PythonInitialize, Official::TypeScript, Official::TypeScriptSdk] {
        let Some(mut client) = Client::start(official, &home).await? else { return Ok(()) };
        uses_every_built_in(&mut client, true).await.with_context(|| format!("{official:?}"))?;
    }
    let Some(mut client) = Client::start_over_http(Official::Python, &home).await? else { return Ok(()) };
    uses_every_built_in(&mut client, false).await.context("over HTTP")
}

/// The inspector's command line with these arguments; absent where it isn't installed.
async fn inspected(home: &Home, arguments: &[&str]) -> Result<Option<Value>> {
    let Some(mut command) = inspector()? else { return Ok(None) };
    home.dress(&mut command);
    command.arg("--cli").arg(gate_tests::bin("review-gate")?).arg("mcp").args(arguments);
    for (name, value) in home.env() {
        command.arg("-e").arg(format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
    }
    Ran::of(command).await?.json().map(Some)
}

#[tokio::test]
async fn the_inspector_lists_and_gets_every_built_in() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(listed) = inspected(&home, &["--method", "prompts/list"]).await? else { return Ok(()) };
    let prompts = listed["prompts"].as_array().context("a list")?;
    assert_eq!(prompts.iter().filter_map(|prompt| prompt["name"].as_str()).collect::<Vec<_>>(), BUILT_IN);
    let skills = inspected(&home, &["--method", "skills/list"]).await?.context("the inspector is there")?;
    assert_eq!(skills["skills"].as_array().map(Vec::len), Some(BUILT_IN.len()), "each is a skill as well: {skills}");
    for prompt in prompts {
        let name = prompt["name"].as_str().unwrap_or_default();
        let mut arguments =
            vec!["--method".to_owned(), "prompts/get".to_owned(), "--prompt-name".to_owned(), name.to_owned()];
        for (argument, value) in needed(prompt).as_object().into_iter().flatten() {
            arguments
                .extend(["--prompt-args".to_owned(), format!("{argument}={}", value.as_str().unwrap_or_default())]);
        }
        let words: Vec<_> = arguments.iter().map(String::as_str).collect();
        let got = inspected(&home, &words).await?.context("the inspector is there")?;
        let text = got["messages"][0]["content"]["text"].as_str().with_context(|| format!("{name}: {got}"))?;
        assert!(text.contains("review_gate_chat"), "{name}: {text}");
    }
    Ok(())
}

async fn rendered(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let call = agent.request("prompts/get", json!({"name": name, "arguments": arguments})).await?;
    agent.wait(call).await
}

/// What the gate answers to a command over a connection of its own; null where it refuses.
async fn asked(home: &Home, command: Value) -> Result<Value> {
    Ok(Control::open(home).await?.command(command).await?.unwrap_or_default())
}

#[tokio::test]
async fn a_saved_file_is_served_within_a_second_and_a_broken_one_keeps_its_last_good_version() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "agent").await?;
    let begin = Instant::now();
    write(&home, "team/hello.yaml", "title: Hello\ntemplate: Hello {{name}}, one.\n")?;
    agent.notification(LIST_CHANGED).await?;
    assert!(begin.elapsed() < LATE, "a new folder and its file are noticed, after {:?}", begin.elapsed());
    let got = rendered(&agent, "team/hello", json!({"name": "Ada"})).await?;
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "Hello Ada, one.", "{got}");

    let begin = Instant::now();
    write(&home, "team/hello.yaml", "title: Hello\ntemplate: Hello {{name}}, two.\n")?;
    let says_two = || async {
        let got = rendered(&agent, "team/hello", json!({"name": "Ada"})).await?;
        Ok((got["result"]["messages"][0]["content"]["text"] == "Hello Ada, two.").then_some(()))
    };
    eventually("the change is served", LIMIT, says_two).await?;
    assert!(begin.elapsed() < LATE, "after {:?}", begin.elapsed());

    write(&home, "team/hello.yaml", "title: Hello\ntemplate: 'Hello {{#if name}'\n")?;
    let is_told = || async {
        let checked = home.run(["prompts", "check"]).await?;
        Ok((!checked.stdout.is_empty() && checked.stdout.contains("team/hello.yaml:2")).then_some(checked.stdout))
    };
    eventually("the broken file is named with its line", LIMIT, is_told).await?;
    let is_kept = || async {
        let library = asked(&home, json!({"command": "prompts"})).await?;
        let mut problems = library["library"]["problems"].as_array().into_iter().flatten();
        let kept = problems.any(|problem| problem["file"] == "team/hello.yaml" && problem["served"] == true);
        Ok(kept.then_some(()))
    };
    eventually("the gate says that the file is broken and served", LIMIT, is_kept).await?;
    let got = rendered(&agent, "team/hello", json!({"name": "Ada"})).await?;
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "Hello Ada, two.", "the last good version: {got}");

    let wrong = rendered(&agent, "team/hello", json!({"nmae": "Ada"})).await?;
    let message = wrong["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("nmae") && message.contains("name"), "the name that was meant is told: {wrong}");
    std::fs::remove_dir_all(home.path().join("prompts"))?;
    let is_gone = || async { Ok(rendered(&agent, "team/hello", json!({})).await?["error"].is_object().then_some(())) };
    eventually("what is deleted is gone", LIMIT, is_gone).await?;
    assert!(rendered(&agent, "code_review", json!({})).await?["result"].is_object(), "and the others are there");
    Ok(())
}

#[tokio::test]
async fn a_prompt_that_was_used_knows_by_whom_and_how_the_review_ended() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "codex").await?;
    assert!(rendered(&agent, "code_review", json!({})).await?["result"].is_object());
    let call = agent.call(json!({"message": "Merge?", "title": "Merge", "approval": true})).await?;
    let id = home.waiting("Merge").await?;
    home.answer(&id, ["--approve"]).await?;
    agent.result(call).await?;
    let led_to_review = || async {
        let view = asked(&home, json!({"command": "prompt", "prompt_id": "code_review"})).await?;
        Ok((view["prompt"]["used_by"][0]["review"]["decision"] == "approved").then_some(view))
    };
    let view = eventually("the use led to the review", LIMIT, led_to_review).await?;
    let client = &view["prompt"]["used_by"][0]["client"];
    assert_eq!((client, &view["prompt"]["entry"]["uses"]), (&json!("codex"), &json!(1)), "{view}");
    Ok(())
}

/// The files below a folder in which these words stand.
fn files_with(folder: &Path, words: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_with(&path, words)?);
        } else if path.is_file() {
            // The gate still runs, and what was there a moment ago may be gone.
            let bytes = std::fs::read(&path).unwrap_or_default();
            found.extend(bytes.windows(words.len()).any(|part| part == words.as_bytes()).then_some(path));
        }
    }
    Ok(found)
}

#[tokio::test]
async fn what_a_prompt_was_given_is_kept_with_its_use_and_no_secret_of_it_is() -> Result<()> {
    let home = home()?;
    let text = "arguments: [change, {name: door, secret: true}, api_key, note]\n\
                template: '{{change}} {{door}} {{api_key}} {{note}}'\n";
    write(&home, "deploy.yaml", text)?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "codex").await?;
    let given = json!({"change": "main..fix", "door": "sesame", "api_key": "sesame", "note": "with token: sesame"});
    let got = rendered(&agent, "deploy", given).await?;
    let told = &got["result"]["messages"][0]["content"]["text"];
    assert_eq!(told, "main..fix sesame sesame with token: sesame", "the agent gets all of it: {got}");
    let is_kept = || async {
        let view = asked(&home, json!({"command": "prompt", "prompt_id": "deploy"})).await?;
        let used = &view["prompt"]["used_by"][0];
        Ok(used.is_object().then(|| used["arguments"].clone()))
    };
    let kept = eventually("the use is kept", LIMIT, is_kept).await?;
    let expected = json!([
        {"name": "change", "value": "main..fix"},
        {"name": "door", "value": null},
        {"name": "api_key", "value": null},
        {"name": "note", "value": "with token: …"},
    ]);
    assert_eq!(kept, expected, "as the file declares them");
    assert!(!files_with(home.path(), "main..fix")?.is_empty(), "what is kept is in a file");
    assert_eq!(files_with(home.path(), "sesame")?, Vec::<PathBuf>::new(), "and no secret is in any");
    Ok(())
}

#[tokio::test]
async fn a_prompt_is_written_restored_and_deleted_and_no_version_is_lost() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let text = |words: &str| json!({"format": "yaml", "text": format!("title: Mine\ntemplate: {words}\n")});
    let save = |id: &str, words: &str, seen: Value| json!({"command": "save_prompt", "prompt_id": id, "prompt": text(words), "seen": seen});
    let first = control.command(save("mine", "one", Value::Null)).await?.unwrap_or_default();
    let seen = first["prompt"]["sha256"].clone();
    assert_eq!(
        control.command(save("mine", "two", Value::Null)).await?.err().context("a fault")?["code"],
        "name_taken"
    );
    let second = control.command(save("mine", "two", seen.clone())).await?.unwrap_or_default();
    let late = control.command(save("mine", "three", seen)).await?.err().context("a fault")?;
    assert_eq!(late["code"], "prompt_conflict", "somebody else changed it: {late}");
    let broken =
        json!({"command": "save_prompt", "prompt_id": "other", "prompt": {"format": "yaml", "text": "title: [\n"}});
    assert_eq!(control.command(broken).await?.err().context("a fault")?["code"], "prompt", "nothing broken is saved");
    let out = control.command(save("../out", "x", Value::Null)).await?.err().context("a fault")?;
    assert_eq!(out["code"], "invalid_input", "no id leads out of the folder");

    let delete = json!({"command": "delete_prompt", "prompt_id": "mine", "seen": second["prompt"]["sha256"]});
    control.command(delete).await?.ok().context("deleted")?;
    assert!(!home.path().join("prompts/mine.yaml").exists());
    let versions =
        control.command(json!({"command": "prompt_versions", "prompt_id": "mine"})).await?.unwrap_or_default();
    let versions = versions["versions"].as_array().context("versions")?.clone();
    let causes: Vec<_> = versions.iter().filter_map(|version| version["cause"].as_str()).collect();
    assert_eq!(causes, ["deleted", "saved", "saved"], "{versions:?}");
    let oldest = versions.last().context("a version")?["version_id"].clone();
    let restored =
        control.command(json!({"command": "restore_prompt", "prompt_id": "mine", "version_id": oldest})).await?;
    assert_eq!(restored.unwrap_or_default()["prompt"]["text"], "title: Mine\ntemplate: one\n");
    let file = std::fs::read_to_string(home.path().join("prompts/mine.yaml"))?;
    assert_eq!(file, "title: Mine\ntemplate: one\n", "and it is in its file again");
    Ok(())
}

#[tokio::test]
async fn a_terminal_lists_checks_shows_and_imports_prompts() -> Result<()> {
    let home = home()?;
    let list = home.run(["prompts", "list", "--json"]).await?.json()?;
    assert_eq!(list.as_array().map(Vec::len), Some(BUILT_IN.len()), "without a gate: {list}");
    write(&home, "deploy.md", "---\ndescription: Before a deploy\n---\nDeploy {{service}} to {{stage}}.\n")?;
    let shown = home.run(["prompts", "show", "deploy", "service=api", "stage=live"]).await?.succeeded()?;
    assert_eq!(shown.stdout.trim(), "Deploy api to live.");
    let wrong = home.run(["prompts", "show", "deplo"]).await?;
    assert!(wrong.stderr.contains("deplo") && wrong.stderr.contains("prompts list"), "{}", wrong.stderr);

    let team = home.folder().join("team");
    std::fs::create_dir_all(&team)?;
    std::fs::write(team.join("good.yaml"), "template: Good.\n")?;
    std::fs::write(team.join("bad.yaml"), "title: Bad\ntemplat: typo\n")?;
    let checked = home.run(["prompts", "check", &team.display().to_string()]).await?;
    assert_eq!(checked.code, Some(1), "a broken file: {}", checked.stdout);
    assert!(checked.stdout.contains("bad.yaml:"), "{}", checked.stdout);

    let commands = home.folder().join("commands");
    std::fs::create_dir_all(commands.join("git"))?;
    std::fs::write(commands.join("git/squash.md"), "Squash $ARGUMENTS, and keep {{braces}}.\n")?;
    let path = commands.display().to_string();
    let dry = home.run(["prompts", "import", &path, "--dry-run"]).await?.succeeded()?;
    assert!(dry.stdout.contains("git/squash") && dry.stdout.contains("would be new"), "{}", dry.stdout);
    home.run(["prompts", "import", &path]).await?.succeeded()?;
    let shown = home.run(["prompts", "show", "git/squash", "arguments=the last three"]).await?.succeeded()?;
    assert_eq!(shown.stdout.trim(), "Squash the last three, and keep {{braces}}.");
    let again = home.run(["prompts", "import", &path]).await?.succeeded()?;
    assert!(again.stdout.contains("is there already as it is"), "{}", again.stdout);
    Ok(())
}

#[tokio::test]
async fn an_import_says_what_it_would_do_and_is_taken_back() -> Result<()> {
    let home = home()?;
    write(&home, "same.yaml", "template: Same.\n")?;
    write(&home, "other.yaml", "template: Mine.\n")?;
    let _gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let files = json!([
        {"name": "same.yaml", "text": "template: Same.\n"},
        {"name": "other.yaml", "text": "template: Theirs.\n"},
        {"name": "new.yaml", "text": "template: New.\n"},
        {"name": "code_review.yaml", "text": "template: Look.\n"},
        {"name": "broken.yaml", "text": "title: Broken\ntemplate: 'Hello {{#if who}'\n"},
    ]);
    let look = json!({"command": "preview_prompt_import", "path": "", "files": files});
    let plan = control.command(look).await?.unwrap_or_default();
    let prompts = plan["import"]["prompts"].as_array().context("a plan")?;
    let found: Vec<_> = prompts.iter().map(|prompt| (&prompt["id"], &prompt["change"], &prompt["hides"])).collect();
    let expected = [
        ("same", "same", Value::Null),
        ("other", "changed", Value::Null),
        ("new", "new", Value::Null),
        ("code_review", "new", json!("built_in")),
    ];
    let expected = expected.map(|(id, change, hides)| (json!(id), json!(change), hides));
    assert_eq!(found, expected.iter().map(|(id, change, hides)| (id, change, hides)).collect::<Vec<_>>());
    let problem = &plan["import"]["problems"][0];
    let place = (&problem["file"], &problem["line"], &problem["column"]);
    assert_eq!(place, (&json!("broken.yaml"), &json!(2), &json!(11)), "what is broken says where: {plan}");

    let ids = json!(["same", "other", "new", "code_review"]);
    let take = json!({"command": "import_prompts", "path": "", "files": files, "ids": ids});
    let made = control.command(take).await?.unwrap_or_default();
    let read = |file: &str| std::fs::read_to_string(home.path().join("prompts").join(file)).unwrap_or_default();
    assert_eq!((read("other.yaml").as_str(), read("new.yaml").as_str()), ("template: Theirs.\n", "template: New.\n"));
    let prompts = made["import"]["prompts"].as_array().context("what was made")?;
    let written = prompts.iter().filter(|prompt| prompt["version_id"].is_string());
    let written: Vec<_> = written.map(|one| json!({"prompt_id": one["id"], "version_id": one["version_id"]})).collect();
    assert_eq!(written.len(), 3, "what was there as it is isn't written: {made}");

    // One of them is changed since.
    write(&home, "new.yaml", "template: New, and mine.\n")?;
    let undo = json!({"command": "undo_prompt_import", "imported": written});
    let undone = control.command(undo).await?.unwrap_or_default();
    assert_eq!(undone, json!({"kept": ["new"]}));
    assert_eq!(read("new.yaml"), "template: New, and mine.\n", "that stays");
    assert_eq!((read("other.yaml").as_str(), read("code_review.yaml").as_str()), ("template: Mine.\n", ""));
    let deleted = asked(&home, json!({"command": "deleted_prompts"})).await?;
    assert_eq!(deleted["deleted"][0]["prompt_id"], "code_review", "and what was taken out can come back: {deleted}");
    Ok(())
}

#[tokio::test]
async fn an_import_of_which_one_cant_be_written_leaves_all_as_it_was() -> Result<()> {
    let home = home()?;
    write(&home, "other.yaml", "template: Mine.\n")?;
    // Where its file would be there is a folder.
    let folder = home.path().join("prompts/blocked.yaml");
    std::fs::create_dir(&folder)?;
    let _gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let files = json!([
        {"name": "other.yaml", "text": "template: Theirs.\n"},
        {"name": "new.yaml", "text": "template: New.\n"},
        {"name": "blocked.yaml", "text": "template: Blocked.\n"},
    ]);
    let ids = json!(["other", "new", "blocked"]);
    let take = json!({"command": "import_prompts", "path": "", "files": files, "ids": ids});
    let fault = control.command(take.clone()).await?.err().context("a fault")?;
    let said = fault["message"].as_str().unwrap_or_default();
    assert!(said.starts_with("None of the 3 prompts was saved, because of `blocked`: "), "{fault}");
    let read = |file: &str| std::fs::read_to_string(home.path().join("prompts").join(file)).ok();
    assert_eq!((read("other.yaml").as_deref(), read("new.yaml")), (Some("template: Mine.\n"), None));
    let versions = asked(&home, json!({"command": "prompt_versions", "prompt_id": "other"})).await?;
    let versions = versions["versions"].as_array().context("versions")?;
    assert!(versions.iter().all(|version| version["cause"] != "imported"), "nor is a version kept: {versions:?}");

    std::fs::remove_dir(&folder)?;
    control.command(take).await?.ok().context("now there is room for all of them")?;
    assert_eq!(read("blocked.yaml").as_deref(), Some("template: Blocked.\n"));
    assert_eq!(read("other.yaml").as_deref(), Some("template: Theirs.\n"));
    Ok(())
}

/// A body's signature as GitHub writes it into `X-Hub-Signature-256`.
fn signature(secret: &str, body: &[u8]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    Ok(format!("sha256={}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

#[tokio::test]
async fn prompts_come_from_a_repository_and_a_signed_webhook_brings_the_next_commit_at_once() -> Result<()> {
    let home = home()?;
    let upstream = home.folder().join("upstream");
    let first = commit(&upstream, &[("prompts/greet.yaml", "template: Hello one.\n")]).await?;
    let config = format!(
        "prompts:\n  repository: file://{}\n  subfolder: prompts\n  interval_seconds: 86400\n  webhook_secret: s3cret\n",
        upstream.display()
    );
    std::fs::write(home.path().join("config.yaml"), config)?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "agent").await?;
    let says = |text: &'static str| {
        let agent = &agent;
        move || async move {
            let got = rendered(agent, "greet", json!({})).await?;
            Ok((got["result"]["messages"][0]["content"]["text"] == text).then_some(()))
        }
    };
    eventually("the repository's prompt is served", LIMIT, says("Hello one.")).await?;
    let synced = home.run(["prompts", "sync", "--json"]).await?.json()?;
    assert_eq!((&synced["status"], &synced["commit"]), (&json!("success"), &json!(first)), "{synced}");

    let second = commit(&upstream, &[("prompts/greet.yaml", "template: Hello two.\n")]).await?;
    let http = Http::of(&home)?;
    // A forge names its repositories by their path.
    let name = upstream.display().to_string();
    let repository = json!({"full_name": name.trim_matches('/'), "default_branch": "main"});
    let bytes = json!({"ref": "refs/heads/main", "repository": repository}).to_string().into_bytes();
    let head = |signature: &str| {
        let told = [("x-github-event", "push"), ("x-hub-signature-256", signature), ("x-github-delivery", "1")];
        let mut head = http.head(&told);
        // GitHub has no token.
        head.retain(|(name, _)| name != "authorization");
        head
    };
    let forged = http.send("POST", "/webhooks/github", &head("sha256=00"), &bytes).await?;
    assert_eq!(forged.status, 401, "{}", forged.body);
    let good = signature("s3cret", &bytes)?;
    let taken = http.send("POST", "/webhooks/github", &head(&good), &bytes).await?;
    assert_eq!(taken.status, 202, "{}", taken.body);
    eventually("the next commit is served", LIMIT, says("Hello two.")).await?;
    let brought = || async {
        let brought = asked(&home, json!({"command": "synced_prompts"})).await?;
        let expected = json!([{"prompt_id": "greet", "change": "changed"}]);
        Ok((brought["commit"] == second && brought["changes"] == expected).then_some(()))
    };
    eventually("what the commit brought is known", LIMIT, brought).await?;

    let config = home.run(["config", "list", "--json"]).await?.stdout;
    let call = agent.request("tools/call", json!({"name": "review_gate_get_config", "arguments": {}})).await?;
    let seen = agent.wait(call).await?.to_string();
    assert!(!seen.contains("s3cret") && !seen.contains("webhook_secret"), "no agent sees a secret");
    assert!(!home.run(["config", "export"]).await?.stdout.contains("s3cret"), "and no export has it");
    assert!(config.contains("prompts.webhook_secret"), "the person sees that it is set");
    Ok(())
}
