//! The command line: exit codes, JSON, help, and who may answer.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, Ran, Terminal, eventually};
use serde_json::{Value, json};

#[tokio::test]
async fn ask_prints_the_reply_and_its_exit_code_tells_what_it_was() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    for (answer, arguments, code, decision) in [
        (vec!["--approve"], vec!["--approval"], 0, json!("approved")),
        (vec!["--request-changes"], vec!["--approval"], 1, json!("changes_requested")),
        (vec!["--text", "words only"], vec!["--approval"], 1, Value::Null),
        (vec!["--choose", "b"], vec!["--option", "a", "--option", "b"], 0, Value::Null),
    ] {
        // This test answers, which is nobody.
        let asked = ["ask", "Shall I?", "--title", "From a script", "--require", "L0"];
        let all = asked.into_iter().chain(arguments.clone());
        let asking = tokio::spawn(Ran::of(home.command(all)?));
        let id = home.waiting("From a script").await?;
        home.answer(&id, answer).await?;
        let ran = asking.await??;
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        let outcome: Value = serde_json::from_str(&ran.stdout)?;
        assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("answered"), &decision), "{outcome}");
    }
    let asking = tokio::spawn(Ran::of(home.command(["ask", "Shall I?", "--title", "Closed", "--approval"])?));
    let dismiss = json!({"command": "dismiss", "request_id": home.waiting("Closed").await?});
    assert!(Control::open(&home).await?.command(dismiss).await?.is_ok(), "a person may close a request");
    let closed = asking.await??;
    assert_eq!(closed.code, Some(1), "what was closed isn't approved: {}", closed.stdout);
    let sessions = home.rows("SELECT status FROM conversations").await?;
    let through = vec![json!({"status": "completed"}); 5];
    assert_eq!(sessions, through, "who has its answer asks no more, which isn't to have gone quiet");
    let late = home.run(["ask", "Anyone?", "--timeout", "1"]).await?;
    assert_eq!(late.code, Some(3), "still pending: {}", late.stdout);
    assert_eq!(home.pending().await?.len(), 1, "and the request stays open");
    Ok(())
}

#[tokio::test]
async fn ask_starts_a_gate_and_answer_does_not() -> Result<()> {
    let home = Home::with_scripts()?;
    let answer = home.run(["answer", "0000", "--text", "t"]).await?;
    assert_eq!(answer.code, Some(4), "where no gate runs nothing waits: {answer:?}");
    assert!(answer.stderr.contains("[gate_unreachable]"), "the fault has its code: {}", answer.stderr);
    assert_eq!(answer.stderr.trim_end().lines().count(), 1, "an error is one line: {}", answer.stderr);
    assert!(home.gate().is_none(), "looking starts nothing");
    let ask = home.run(["ask", "Anyone?", "--timeout", "1"]).await?;
    assert_eq!(ask.code, Some(3), "a question starts the gate that keeps it: {ask:?}");
    assert_eq!(home.pending().await?.len(), 1, "and it waits there");
    for _ in 0..2 {
        let stop = home.run(["stop"]).await?;
        assert_eq!(stop.code, Some(0), "stopping is no error, with or without a gate: {stop:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_process_without_a_terminal_answers_only_where_the_settings_say_so() -> Result<()> {
    let home = Home::with_config("security:\n  scripted_answers: false\n")?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Mine", "approval": true})).await?;
    let id = home.waiting("Mine").await?;
    let refused = home.run(["answer", &id, "--approve"]).await?;
    assert_eq!(refused.code, Some(4), "an agent with a shell must not answer for the person: {refused:?}");
    assert!(refused.stderr.contains("[scripted_answers_off]"), "the fault has its code: {}", refused.stderr);
    assert_eq!(home.pending().await?.len(), 1, "nothing was answered");

    let program = gate_tests::bin("review-gate")?;
    let line = format!("{} answer {id} --approve", program.display());
    let (code, shown) = Terminal::below(&home, &line)?.ended().await?;
    assert_eq!(code, Some(4), "this process is the agent's, and so is a terminal that it makes: {shown}");
    assert!(shown.contains("[scripted_answers_off]"), "the fault has its code: {shown}");
    let (code, shown) = Terminal::start(&home, &line)?.ended().await?;
    assert_eq!(code, Some(4), "any process may have a terminal: {shown}");
    assert!(shown.contains("[terminal_answers_off]") && shown.contains("serve --terminal"), "what to do: {shown}");
    assert_eq!(home.pending().await?.len(), 1, "nothing was answered");
    let line = format!("{} answer {id} --text 'Not yet.'", program.display());
    let (code, shown) = Terminal::start(&home, &line)?.ended().await?;
    assert_eq!(code, Some(0), "text goes from there: {shown}");
    let outcome = agent.outcome(call).await?;
    assert_eq!(
        (&outcome["decision"], &outcome["answered_from"], &outcome["assurance"]),
        (&Value::Null, &json!("terminal"), &json!("L0")),
        "and decides nothing: {outcome}"
    );
    Ok(())
}

#[tokio::test]
async fn an_answer_is_taken_for_the_question_that_was_shown_and_for_no_other() -> Result<()> {
    let home = Home::with_scripts()?;
    let mut gate = home.serve().await?;
    let asked = home.run(["ask", "May I fix the typo?", "--title", "Typo", "--approval", "--timeout", "1"]).await?;
    assert_eq!(asked.code, Some(3), "nobody has answered: {asked:?}");
    let id = home.waiting("Typo").await?;
    let shown = || async {
        let request = home.pending().await?.pop().context("one request waits")?;
        Ok::<_, anyhow::Error>(request["digest"].as_str().context("it has a digest")?.to_owned())
    };
    let typo = shown().await?;
    let none = home.run(["answer", &id, "--approve", "--digest", "898f6a5e"]).await?;
    assert!(none.stderr.contains("[invalid_input]"), "some digits aren't a digest: {}", none.stderr);

    gate.kill().await?;
    home.change("UPDATE messages SET body = 'May I drop the database?'").await?;
    let _gate = home.serve().await?;
    let refused = home.run(["answer", &id, "--approve", "--digest", &typo]).await?;
    assert_eq!(refused.code, Some(4), "what was shown isn't what would be approved: {refused:?}");
    assert!(refused.stderr.contains("[changed_question]"), "the fault has its code: {}", refused.stderr);
    let now = shown().await?;
    assert_ne!(now, typo, "it waits, and says itself that it is another question");

    let sent = home.run(["answer", &id, "--approve", "--digest", &now]).await?.succeeded()?;
    let begins = now.get(..8).context("it has 64 digits")?;
    assert_eq!(sent.stdout, format!("Typo · question {begins}…\nSent.\n"), "it says what is answered");
    Ok(())
}

#[tokio::test]
async fn every_command_has_help_with_an_example_and_errors_of_one_line() -> Result<()> {
    let home = Home::with_scripts()?;
    for command in [
        vec![],
        vec!["mcp"],
        vec!["serve"],
        vec!["status"],
        vec!["requests"],
        vec!["answer"],
        vec!["ask"],
        vec!["link"],
        vec!["config"],
        vec!["config", "get"],
        vec!["config", "set"],
        vec!["config", "unset"],
        vec!["config", "list"],
        vec!["config", "path"],
        vec!["config", "validate"],
        vec!["config", "import"],
        vec!["config", "export"],
    ] {
        let shown = format!("{command:?}");
        let help = home.run(command.into_iter().chain(["--help"])).await?.succeeded()?.stdout;
        assert!(help.contains("Example"), "{shown} --help shows an example: {help}");
        assert!(!help.contains('\u{1b}'), "no colours where the output is no terminal: {help:?}");
    }
    for wrong in [vec!["nonsense"], vec!["answer"], vec!["ask", "x", "--timeout", "0"], vec!["mcp", "--toolset"]] {
        let ran = home.run(wrong.clone()).await?;
        assert_eq!(ran.code, Some(2), "{wrong:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{wrong:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("--help"), "{wrong:?} says where to look: {}", ran.stderr);
    }
    let toolset = home.run(["mcp", "--toolset", "kitchen"]).await?;
    assert!(toolset.stderr.contains("gate, broker, workflow, gsd, all"), "the toolsets are named: {}", toolset.stderr);
    let both = home.run(["mcp", "--toolset", "broker", "--toolset", "gsd"]).await?;
    assert!(both.stderr.contains("in the place of another"), "one broker by two names: {}", both.stderr);
    Ok(())
}

#[tokio::test]
async fn lists_and_status_speak_to_people_and_to_programs() -> Result<()> {
    let home = Home::with_scripts()?;
    let off = home.run(["status"]).await?.succeeded()?;
    assert!(off.stdout.contains("No gate is running"), "{}", off.stdout);
    let gate = home.serve().await?;
    let empty = home.run(["requests"]).await?.succeeded()?;
    assert_eq!(empty.stdout, "Nothing is waiting.\n");
    let agent = Agent::start(&home, "cursor-vscode").await?;
    let options = json!([{"label": "Park it", "recommended": true}, "Drop it"]);
    agent
        .call(json!({"message": "First line\nSecond line", "title": "Which?", "options": options, "approval": true}))
        .await?;
    let id = home.waiting("Which?").await?;
    let list = home.run(["requests"]).await?.succeeded()?.stdout;
    for part in ["Which?", "Cursor", &id, "| Second line", "1 ○ Park it  (recommended)", "needs --approve"] {
        assert!(list.contains(part), "{part:?} is shown: {list}");
    }
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!(
        (&status["running"], &status["pending"], &status["pid"], &status["window"]),
        (&json!(true), &json!(1), &json!(gate.pid()), &json!(false)),
        "{status}"
    );
    let short = id.get(id.len() - 8..).context("an id is longer than that")?;
    home.answer(short, ["--approve", "--json"]).await?;
    let none = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("the end of a short id stands for the whole", LIMIT, none).await
}

#[tokio::test]
async fn options_are_chosen_by_the_numbers_that_the_list_shows() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor-vscode").await?;
    let options = json!(["Key only", "Both", "Neither, thanks"]);
    let one = agent.call(json!({"message": "m", "title": "One", "options": options})).await?;
    let several = json!({"message": "m", "title": "Several", "options": options, "allow_multiple": true});
    let several = agent.call(several).await?;
    let (first, second) = (home.waiting("One").await?, home.waiting("Several").await?);
    let list = home.run(["requests"]).await?.succeeded()?.stdout;
    for line in ["  1 ○ Key only", "  3 ○ Neither, thanks", "several may be chosen"] {
        assert!(list.contains(line), "{line:?} is shown: {list}");
    }
    for (choose, cause) in [("4", "There is no option 4"), ("0", "There is no option 0"), ("1,2", "takes one")] {
        let refused = home.run(["answer", &first, "--choose", choose]).await?;
        assert_eq!(refused.code, Some(4), "{choose}: {refused:?}");
        let named = [cause, "1 Key only | 2 Both | 3 Neither, thanks", "[invalid_input]"];
        assert!(named.iter().all(|part| refused.stderr.contains(part)), "{choose}: {}", refused.stderr);
    }
    home.answer(&first, ["--choose", "2"]).await?;
    assert_eq!(agent.outcome(one).await?["selected"], json!(["Both"]));
    home.answer(&second, ["--choose", "1,3"]).await?;
    assert_eq!(agent.outcome(several).await?["selected"], json!(["Key only", "Neither, thanks"]));
    let none = agent.call(json!({"message": "m", "title": "None"})).await?;
    let refused = home.run(["answer", &home.waiting("None").await?, "--choose", "1"]).await?;
    assert!(refused.stderr.contains("This request offers no options."), "{}", refused.stderr);
    assert_eq!(agent.take(none), None, "nothing was answered");
    Ok(())
}

#[tokio::test]
async fn the_list_says_what_is_put_off_and_whether_the_agent_still_waits() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor-vscode").await?;
    agent.call(json!({"message": "m", "title": "Later"})).await?;
    let id = home.waiting("Later").await?;
    let list = home.run(["requests"]).await?.succeeded()?.stdout;
    assert!(list.contains("  waits until ") && !list.contains("put off"), "the agent waits: {list}");
    let later = |list: Vec<Value>| list.into_iter().find(|row| row["title"] == "Later").unwrap_or_default();
    let waiting = later(home.pending().await?);
    assert_eq!((&waiting["agent"], &waiting["put_off"]), (&json!("waiting"), &json!(false)), "{waiting}");
    assert!(waiting["waits_until"].is_string(), "{waiting}");

    let snooze = json!({"command": "snooze", "request_id": id, "until": null});
    assert!(Control::open(&home).await?.command(snooze).await?.is_ok());
    agent.kill().await?;
    let gone = || async {
        let row = later(home.pending().await?);
        Ok((row["agent"] == "gone").then_some(row))
    };
    let row = eventually("the gate's notice that the agent has gone", LIMIT, gone).await?;
    assert_eq!(
        (&row["waits_until"], &row["put_off"], &row["put_off_until"]),
        (&Value::Null, &json!(true), &Value::Null),
        "{row}"
    );
    let list = home.run(["requests"]).await?.succeeded()?.stdout;
    for line in ["\n  put off\n", "\n  agent isn’t waiting · your reply is kept for it\n"] {
        assert!(list.contains(line), "{line:?} is shown: {list}");
    }
    Ok(())
}
