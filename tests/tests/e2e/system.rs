//! Approvals that the system confirms: by the built service, the system's polkitd and PAM, and a person who types their
//! password where `pkttyagent` asks for it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use gate_tests::{Agent, Confirming, Home, LIMIT, PASSWORD, Prompts, Terminal, eventually};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

const L2: &str = "security:\n  require: L2\n";

/// Asks for an approval; gives the call and the request.
async fn asks(agent: &Agent, home: &Home, title: &str) -> Result<(i64, String)> {
    let call = agent.call(json!({"message": "May I?", "title": title, "approval": true})).await?;
    let named = || async {
        let pending = home.pending().await?;
        let request = pending.iter().find(|request| request["title"] == title);
        Ok(request.and_then(|request| request["request_id"].as_str().map(str::to_owned)))
    };
    Ok((call, eventually("it is asked", LIMIT, named).await?))
}

/// Approves at a terminal, up to where the system asks.
async fn approving(home: &Home, id: &str) -> Result<Terminal> {
    let line = format!("{} answer {id} --approve --text 'Go on.'", home.command_line()?.display());
    let mut terminal = Terminal::start(home, &line)?;
    let shown = terminal.shows(" to approve").await?.to_owned();
    assert!(shown.contains("This takes your system’s password or finger"), "it is told before: {shown}");
    let digits = shown.split("Type ").nth(1).and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    terminal.types(&format!("{digits}\n")).await?;
    Ok(terminal)
}

/// The first eight digits of a text.
fn eight(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).take(8).collect()
}

/// Approves, and types this where the system asks; how the answer ended.
async fn approve(home: &Home, id: &str, prompts: &mut Prompts, password: &str) -> Result<(Option<i32>, String)> {
    let mut answering = approving(home, id).await?;
    answering.next("only if that shows these digits:").await?;
    let told = eight(&answering.next("\n").await?);
    let prompt = prompts.next().await?;
    assert!(prompt.contains("Approve in Review Gate") && prompt.contains("Deploy"), "{prompt}");
    let asked = eight(prompt.rsplit_once("digits ").context("the prompt has digits")?.1);
    assert_eq!((told.len(), told.as_str()), (8, asked.as_str()), "both sides show the same: {prompt}");
    prompts.types(password).await?;
    answering.ended().await
}

#[tokio::test]
async fn a_password_confirms_an_approval_that_is_told_as_that_and_verifies() -> Result<()> {
    let Some(mut machine) = Confirming::enter()? else { return Ok(()) };
    let home = machine.home(L2)?;
    let gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let (call, id) = asks(&agent, &home, "Deploy").await?;
    assert_eq!(home.pending().await?[0]["needs"], json!({"level": "L2"}), "a script sees it, too");

    let (code, shown) = approving(&home, &id).await?.ended().await?;
    assert!(code == Some(4) && shown.contains("[not_signed]"), "nothing shows the prompt: {code:?} {shown}");
    let pid = gate.pid().context("the gate runs")?;
    assert!(shown.contains(&format!("pkttyagent --process {pid}")), "what helps can be typed as it stands: {shown}");

    let mut prompts = machine.prompts(&home, pid).await?;
    let (code, shown) = approve(&home, &id, &mut prompts, "wrong horse").await?;
    assert!(code == Some(4) && shown.contains("[not_signed]") && shown.contains("was wrong"), "{code:?} {shown}");
    assert_eq!(home.pending().await?.len(), 1, "its request waits");
    assert_eq!(home.run(["receipts", "--json"]).await?.json()?, json!([]), "nothing was given");

    let (code, shown) = approve(&home, &id, &mut prompts, PASSWORD).await?;
    assert_eq!(code, Some(0), "{shown}");
    let result = agent.result(call).await?;
    let text = result["content"][0]["text"].as_str().context("a text")?;
    assert!(text.starts_with("APPROVED by the person at a terminal, confirmed by the system (L2)."), "{text}");
    let outcome = &result["structuredContent"];
    assert_eq!((&outcome["assurance"], &outcome["decision"]), (&json!("L2"), &json!("approved")), "{outcome}");
    let receipt = outcome["receipt"].as_str().context("a receipt")?;
    home.run(["verify", receipt, "--require", "L2"]).await?.succeeded()?;
    let more = home.run(["verify", receipt, "--require", "L3"]).await?;
    assert_eq!(more.code, Some(1), "nobody touched a key: {more:?}");
    assert_eq!(home.run(["receipts", "--json"]).await?.json()?[0]["receipt"]["level"], "L2");
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!(status["service"]["reachable"], true, "{status}");
    assert_eq!(lines(&home)?.last().context("a line")?["proof"]["key"], status["service"]["key"], "its key signed it");

    machine.remove()?;
    let (_, id) = asks(&agent, &home, "Deploy again").await?;
    let line = format!("{} answer {id} --approve", home.command_line()?.display());
    let (code, shown) = Terminal::start(&home, &line)?.ended().await?;
    assert!(code == Some(4) && shown.contains("[level_unreachable]"), "{code:?} {shown}");
    assert!(shown.contains("sudo review-gated install") && !shown.contains("Type "), "before the act: {shown}");
    let off = home.run(["status"]).await?.succeeded()?.stdout;
    assert!(off.contains("sudo review-gated install"), "{off}");
    let alone = home.run(["verify", receipt, "--require", "L2"]).await?;
    assert!(alone.code == Some(1) && alone.stderr.contains("only that service says which key is its own"), "{alone:?}");
    home.run(["verify", receipt]).await?.succeeded()?;
    Ok(())
}

#[tokio::test]
async fn a_signature_of_ones_own_key_is_no_confirmation() -> Result<()> {
    let Some(machine) = Confirming::enter()? else { return Ok(()) };
    let home = machine.home(L2)?;
    let mut gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let (call, id) = asks(&agent, &home, "Deploy").await?;
    let mut prompts = machine.prompts(&home, gate.pid().context("the gate runs")?).await?;
    assert_eq!(approve(&home, &id, &mut prompts, PASSWORD).await?.0, Some(0));
    let real = agent.outcome(call).await?["receipt"].as_str().context("a receipt")?.to_owned();
    drop(agent);
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;

    // As a process of the person's can while the gate doesn't run.
    let key = Forger::new()?;
    let forged = key.forge(&home)?;
    let refused = home.run(["verify", &forged, "--require", "L2", "--json"]).await?;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let refused: Value = serde_json::from_str(&refused.stdout)?;
    assert_eq!(
        refused["problem"]["code"], "level",
        "its key is enrolled by a line, and isn't the service's: {refused}"
    );
    home.run(["verify", &real, "--require", "L2"]).await?.succeeded()?;
    Ok(())
}

/// The log's lines.
fn lines(home: &Home) -> Result<Vec<Value>> {
    let text = fs::read_to_string(home.path().join("receipts.log"))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// A process of the person's with a key of its own.
struct Forger(Ed25519KeyPair);

impl Forger {
    fn new() -> Result<Self> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).ok().context("a key")?;
        Ok(Self(Ed25519KeyPair::from_pkcs8(made.as_ref()).ok().context("a key")?))
    }

    /// The public key as SSH writes it.
    fn public(&self) -> Vec<u8> {
        let parts = [b"ssh-ed25519".as_slice(), self.0.public_key().as_ref()];
        parts.iter().flat_map(|part| [&u32::try_from(part.len()).unwrap_or(0).to_be_bytes(), *part].concat()).collect()
    }

    /// Enrols the key by a line, and has it sign the last approval once more; gives the name of that.
    fn forge(&self, home: &Home) -> Result<String> {
        let all = lines(home)?;
        let approval = all.iter().rfind(|line| line["level"] == "L2").context("an approval")?.clone();
        let last = all.last().context("a line")?.clone();
        let name = format!("SHA256:{}", STANDARD_NO_PAD.encode(digest(&SHA256, &self.public())));
        let seq = last["seq"].as_u64().context("a number")?;
        let enrols = json!({
            "v": 1, "kind": "key", "home": last["home"], "seq": seq + 1, "prev": name_of(&last), "at": last["at"],
            "key": name, "does": "begins", "public": STANDARD.encode(self.public()), "given": "desktop",
            "proof": {"type": "none"},
        });
        let mut forged = approval;
        let fields = forged.as_object_mut().context("an object")?;
        fields.insert("seq".to_owned(), (seq + 2).into());
        fields.insert("prev".to_owned(), name_of(&enrols).into());
        fields.remove("step");
        fields.remove("proof");
        let signature = STANDARD.encode(self.0.sign(canonical(&forged).as_bytes()));
        forged["proof"] = json!({"type": "ed25519", "key": name, "sig": signature});
        let mut log = fs::OpenOptions::new().append(true).open(home.path().join("receipts.log"))?;
        write!(log, "{}\n{}\n", canonical(&enrols), canonical(&forged))?;
        Ok(name_of(&forged))
    }
}

/// A line's name: the digest of it as it is written.
fn name_of(line: &Value) -> String {
    digest(&SHA256, canonical(line).as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line as it is written, with its fields in their order.
fn canonical(value: &Value) -> String {
    let Value::Object(fields) = value else { return value.to_string() };
    let fields: BTreeMap<_, _> = fields.iter().collect();
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{}:{}", json!(name), canonical(value))).collect();
    format!("{{{}}}", fields.join(","))
}
