//! Approvals that are confirmed, on a real store and a real log: by a double of the system's service, and by a security key
//! in software, which the real `ssh-keygen` has sign.

mod skip;
mod system;
mod unheard;

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use async_trait::async_trait;
use gate_api::subjects::keys::{AddSecurityKey, ListSecurityKeys, RemoveSecurityKey};
use gate_api::subjects::requests::{CancelSigning, SendNow, SendReply};
use gate_api::{ApprovalNeeds, Done, Origin, Phrase};
use gate_core::{AnsweredFrom, Ask, Assurance, Code, Decision, Digest, Draft, Fault, RequestId, RequestStatus};
use gate_mcp::Call;
use gate_receipts::{Decided, Head, HomeId, Level, Line, Proof, Said, SigningKey};
use gate_service::{Reached, Refused, Why};
use gate_settings::Values;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::watch;

use super::{SshProgram, Ways};
use crate::host::Allows;
use crate::slices::Gate;
use crate::slices::system::{Confirmation, Service, Shows};
use crate::tests::{Outcome, call, open_to_sign};

const DIGITS: &str = "1234 5678";
/// Longest time that something is waited for.
const LIMIT: Duration = Duration::from_secs(60);

/// The system's service, with a person at its prompt who does what the test says once it is let.
#[derive(Debug)]
struct Double {
    /// The messages of the questions that were asked about.
    asked: watch::Sender<Vec<String>>,
    says: watch::Receiver<Option<Result<(), Why>>>,
    /// Why it can't be reached; nothing where it can.
    away: Mutex<Option<Why>>,
    own: Arc<SigningKey>,
    /// What it signs with: its own, but for a forger's.
    signs: Arc<SigningKey>,
    noted: Arc<Mutex<Noted>>,
}

#[derive(Debug, Default)]
struct Noted {
    again: usize,
    heads: Vec<Head>,
}

fn made() -> Result<Arc<SigningKey>, Box<dyn std::error::Error>> {
    Ok(Arc::new(SigningKey::from_pkcs8(&SigningKey::generate()?)?))
}

#[async_trait]
impl Service for Double {
    async fn known(&self, _: HomeId) -> Result<Reached, Refused> {
        let heads = self.noted.lock().expect("nobody broke it").heads.clone();
        Ok(Reached { version: "1".to_owned(), key: self.own.public().clone(), heads })
    }

    async fn reachable(&self, home: HomeId) -> Result<Reached, Refused> {
        let away = *self.away.lock().expect("nobody broke it");
        match away {
            Some(why) => Err(Refused::new(why, "It can't be reached.")),
            None => self.known(home).await,
        }
    }

    async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: &Shows<'_>,
    ) -> Result<Box<dyn Confirmation>, Refused> {
        let Said::Decided(decided) = &line.said else { panic!("it is a receipt") };
        assert_eq!(
            decided.content.ask,
            Some(Digest::of_bytes(question.as_bytes())),
            "the question comes with its line"
        );
        assert_eq!((decided.level, &line.proof), (Level::L2, &Proof::None {}));
        let asked: serde_json::Value = serde_json::from_str(question).expect("it is a question");
        on_digits(DIGITS);
        self.asked.send_modify(|all| all.push(asked["message"].to_string()));
        let mut says = self.says.clone();
        let said = says.wait_for(Option::is_some).await.ok().and_then(|said| *said).unwrap_or(Err(Why::Cancelled));
        said.map_err(|why| Refused::new(why, format!("It says {why:?}.")))?;
        let signed = self.signs.sign(line.clone()).expect("it can be written");
        Ok(Box::new(Given { signed, key: Arc::clone(&self.signs), noted: Arc::clone(&self.noted) }))
    }
}

/// What the person has confirmed.
#[derive(Debug)]
struct Given {
    signed: Line,
    key: Arc<SigningKey>,
    noted: Arc<Mutex<Noted>>,
}

#[async_trait]
impl Confirmation for Given {
    fn line(&self) -> &Line {
        &self.signed
    }

    async fn again(&mut self, line: &Line) -> Result<(), Refused> {
        let (Said::Decided(first), Said::Decided(then)) = (&self.signed.said, &line.said) else { panic!("receipts") };
        let same = Decided { from: first.from, expires: first.expires, ..then.clone() };
        assert_eq!(*first, same, "nobody has confirmed another one");
        assert!(then.from >= first.from && line.seq > self.signed.seq);
        self.signed = self.key.sign(line.clone()).expect("it can be written");
        self.noted.lock().expect("nobody broke it").again += 1;
        Ok(())
    }

    async fn kept(self: Box<Self>) -> Result<(), Refused> {
        let head = self.signed.head().expect("it can be written");
        self.noted.lock().expect("nobody broke it").heads.insert(0, head);
        Ok(())
    }
}

struct Scene {
    folder: TempDir,
    gate: Gate,
    system: Arc<Double>,
    asked: watch::Receiver<Vec<String>>,
    says: watch::Sender<Option<Result<(), Why>>>,
}

/// A gate whose approvals have to be as sure as this, with a service that has them confirmed.
async fn scene(require: &str) -> Result<Scene, Box<dyn std::error::Error>> {
    let own = made()?;
    scene_with(require, Arc::clone(&own), own).await
}

/// The same with a service whose key is `own`, and signatures by another one.
async fn scene_with(
    require: &str,
    own: Arc<SigningKey>,
    signs: Arc<SigningKey>,
) -> Result<Scene, Box<dyn std::error::Error>> {
    scene_of(own, signs, Values::from([("security.require", json!(require))])).await
}

/// A gate as of [`scene`], whose replies can be taken back for so many seconds.
async fn scene_where(require: &str, undo_seconds: serde_json::Value) -> Result<Scene, Box<dyn std::error::Error>> {
    let own = made()?;
    let settings = [("security.require", json!(require)), ("window.undo_seconds", undo_seconds)];
    scene_of(Arc::clone(&own), own, Values::from(settings)).await
}

async fn scene_of(
    own: Arc<SigningKey>,
    signs: Arc<SigningKey>,
    settings: Values,
) -> Result<Scene, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (asked, was_asked) = watch::channel(Vec::new());
    let (say, says) = watch::channel(None);
    let system = Arc::new(Double { asked, says, away: Mutex::default(), own, signs, noted: Arc::default() });
    let gate = open_with(&folder, settings, Some(Arc::clone(&system) as Arc<dyn Service>)).await?;
    Ok(Scene { folder, gate, system, asked: was_asked, says: say })
}

/// A gate in this folder whose approvals have to be as sure as this, on a system with this service.
async fn open_by(folder: &TempDir, require: &str, system: Option<Arc<dyn Service>>) -> Result<Gate, Fault> {
    open_with(folder, Values::from([("security.require", json!(require))]), system).await
}

async fn open_with(folder: &TempDir, settings: Values, system: Option<Arc<dyn Service>>) -> Result<Gate, Fault> {
    open_to_sign(folder, true, settings, Allows::default(), Ways { system, ..Ways::default() }).await
}

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

async fn asked(gate: &Gate, key: &str) -> Result<RequestId, Fault> {
    let call = call(key, key);
    let call = Call { ask: Ask { approval: true, ..call.ask.clone() }, ..call };
    Ok(gate.inner.requests.ask(call).await?.request_id)
}

async fn send(gate: &Gate, request_id: RequestId, decision: Option<Decision>, words: &str) -> Result<Done, Fault> {
    let digest = gate.inner.requests.question(request_id).await?.digest;
    gate.execute(SendReply { request_id, digest, decision, draft: text(words) }, Origin::Desktop).await
}

const APPROVED: Option<Decision> = Some(Decision::Approved);

fn code<T>(done: Result<T, Fault>) -> Option<Code> {
    done.err().map(|fault| fault.code)
}

/// Sends an approval, and waits until the person is asked to confirm it.
async fn sending(
    scene: &Scene,
    request: RequestId,
) -> Result<tokio::task::JoinHandle<Result<Done, Fault>>, Box<dyn std::error::Error>> {
    let (gate, mut seen) = (scene.gate.clone(), scene.asked.clone());
    seen.mark_unchanged();
    let sent = tokio::spawn(async move { send(&gate, request, APPROVED, "go").await });
    seen.changed().await?;
    Ok(sent)
}

/// A reply that wasn't sent: its request waits for the person, with what they wrote, and there is no receipt.
async fn is_a_draft(gate: &Gate, request: RequestId) -> Outcome {
    let view = gate.inner.requests.open_request(request).await?;
    assert_eq!((view.status, view.draft.text.as_str()), (RequestStatus::Pending, "go"), "what was written is there");
    assert_eq!(gate.inner.queue.board.all().iter().filter(|summary| summary.request_id == request).count(), 1);
    assert_eq!(gate.inner.receipts.list(100).await?.len(), 0, "nothing was given");
    Ok(())
}

#[tokio::test]
async fn what_is_declined_or_cancelled_stays_a_draft_and_its_request_waits() -> Outcome {
    for declined in [true, false] {
        let scene = scene("L2").await?;
        let request = asked(&scene.gate, "relay:1").await?;
        let sent = sending(&scene, request).await?;
        if declined {
            scene.says.send_replace(Some(Err(Why::Declined)));
        } else {
            scene.gate.execute(CancelSigning { request_id: request }, Origin::Desktop).await?;
        }
        assert_eq!(code(sent.await?), Some(Code::NotSigned));
        is_a_draft(&scene.gate, request).await?;
        send(&scene.gate, request, None, "Not yet.").await?;
        scene.gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
        assert_eq!(scene.gate.inner.requests.closed(request).await?.text, "Not yet.", "and it can be answered");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_cancelled_before_anybody_was_asked_asks_nobody() -> Outcome {
    for undo_seconds in [0, 5] {
        let scene = scene_where("L2", json!(undo_seconds)).await?;
        scene.says.send_replace(Some(Ok(())));
        let request = asked(&scene.gate, "relay:1").await?;
        let requests = &scene.gate.inner.requests;
        let (shown, draft) = (requests.question(request).await?.digest, text("go"));
        let sent = requests.answer_from_window(request, shown, APPROVED, &draft, AnsweredFrom::Desktop.into());
        let mut sent = pin!(sent);
        let begun = sent.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(begun.is_pending(), "it is on its way to the record");
        scene.gate.execute(CancelSigning { request_id: request }, Origin::Desktop).await?;
        assert_eq!(code(sent.await), Some(Code::NotSigned), "held for {undo_seconds} s");
        assert!(scene.asked.borrow().is_empty(), "no prompt comes up for what was cancelled");
        is_a_draft(&scene.gate, request).await?;
        send(&scene.gate, request, APPROVED, "go").await?;
        assert_eq!(scene.asked.borrow().len(), 1, "and it can be approved again");
    }
    Ok(())
}

#[tokio::test]
async fn while_somebody_is_waited_for_others_are_answered_and_the_agent_hears_pending() -> Outcome {
    let scene = scene("L2").await?;
    let (first, second) = (asked(&scene.gate, "relay:1").await?, asked(&scene.gate, "relay:2").await?);
    let sent = sending(&scene, first).await?;
    let again = Call { request_id: Some(first), ..call("another:1", "") };
    let again = scene.gate.inner.requests.ask(again).await?;
    assert!(again.outcome.is_none(), "nobody has approved anything yet");
    send(&scene.gate, second, Some(Decision::ChangesRequested), "Not so.").await?;
    scene.gate.execute(SendNow { request_id: second }, Origin::Desktop).await?;
    assert_eq!(scene.gate.inner.requests.closed(second).await?.text, "Not so.", "it needs nothing of the sort");
    assert_eq!(scene.gate.inner.queue.board.len(), 0, "the first one is off the queue meanwhile");
    scene.gate.execute(CancelSigning { request_id: first }, Origin::Desktop).await?;
    assert_eq!(code(sent.await?), Some(Code::NotSigned));
    assert_eq!(scene.asked.borrow().as_slice(), ["\"relay:1\""], "the person was asked once");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_reached_is_told_before_the_act_and_only_approvals_take_it() -> Outcome {
    let scene = scene("L3").await?;
    let request = asked(&scene.gate, "relay:1").await?;
    let needs = scene.gate.inner.requests.open_request(request).await?.needs;
    let missing = Some(Phrase::new("level-no-program").with("program", "ssh-keygen"));
    assert_eq!(
        needs,
        Some(ApprovalNeeds { level: Assurance::L3, missing, page_key: false }),
        "a confirmation by the system is too little"
    );
    assert_eq!(code(send(&scene.gate, request, APPROVED, "go").await), Some(Code::LevelUnreachable));
    assert_eq!(scene.asked.borrow().len(), 0, "nobody was asked");
    send(&scene.gate, request, Some(Decision::ChangesRequested), "Not so.").await?;
    let plain = scene.gate.inner.requests.ask(call("relay:2", "Which one?")).await?.request_id;
    assert_eq!(scene.gate.inner.requests.open_request(plain).await?.needs, None, "it asks for no approval");
    Ok(())
}

#[tokio::test]
async fn the_surest_that_the_person_or_the_agent_asks_for_is_taken() -> Outcome {
    let folder = tempfile::tempdir()?;
    let rules = json!(["L3; words=production", "L2; repository=/w"]);
    let settings = Values::from([("security.require_for", rules)]);
    let gate = open_to_sign(&folder, true, settings, Allows::default(), Ways::default()).await?;
    let level = async |key: &str, workspace: &str, require: Option<Assurance>| {
        let mut call = call(key, key);
        call.caller.workspace = workspace.to_owned();
        call.ask = Ask { approval: true, require, ..call.ask };
        let request = gate.inner.requests.ask(call).await?.request_id;
        Ok::<_, Fault>(gate.inner.requests.open_request(request).await?.needs.map(|needs| needs.level))
    };
    assert_eq!(level("a", "/elsewhere", None).await?, None, "the act is enough");
    assert_eq!(level("b", "/w/shop", None).await?, Some(Assurance::L2));
    assert_eq!(level("production", "/w/shop", None).await?, Some(Assurance::L3));
    assert_eq!(level("c", "/elsewhere", Some(Assurance::L3)).await?, Some(Assurance::L3), "an agent may ask for more");
    assert_eq!(level("production now", "/w", Some(Assurance::L1)).await?, Some(Assurance::L3), "and never for less");
    Ok(())
}

/// A security key in software, in a folder of its own.
struct SoftwareKey(TempDir);

impl SoftwareKey {
    /// Makes one that is touched at once; absent where OpenSSH isn't there.
    fn new() -> Result<Option<Self>, Box<dyn std::error::Error>> {
        let key = Self(tempfile::tempdir()?);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sk/software_key.c");
        let state = format!("-DSTATE=\"{}\"", key.0.path().join("state").display());
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-shared", "-fPIC", "-o"]).arg(key.provider());
        assert!(compiler.arg(state).arg(source).status()?.success(), "the linker of every build compiles it");
        key.does("touch")?;
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519-sk", "-N", "", "-C", "the blue one", "-f"]).arg(key.file());
        match keygen.env("SSH_SK_PROVIDER", key.provider()).status() {
            Ok(status) => assert!(status.success(), "a key is made"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                skip::left_out("ssh-keygen");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Some(key))
    }

    fn provider(&self) -> PathBuf {
        self.0.path().join("key.so")
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("id_ed25519_sk")
    }

    /// What it does when it is asked to sign.
    fn does(&self, what: &str) -> std::io::Result<()> {
        std::fs::write(self.0.path().join("state"), what)
    }

    /// Whether it was asked to sign.
    fn blinks(&self) -> bool {
        self.0.path().join("state.asked").exists()
    }

    /// As often as this it has signed.
    fn counts(&self, count: u32) -> std::io::Result<()> {
        std::fs::write(self.0.path().join("state.count"), count.to_string())
    }

    fn ways(&self) -> Ways {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let program =
            std::env::split_paths(&folders).map(|folder| folder.join("ssh-keygen")).find(|path| path.is_file());
        Ways { ssh: SshProgram { program, provider: Some(self.provider()) }, ..Ways::default() }
    }
}

/// A gate whose approvals have to be touched, with a key that is enrolled.
async fn touched(folder: &TempDir, key: &SoftwareKey) -> Result<Gate, Box<dyn std::error::Error>> {
    let settings = Values::from([("security.require", json!("L3"))]);
    let gate = open_to_sign(folder, true, settings, Allows::default(), key.ways()).await?;
    let request = asked(&gate, "relay:0").await?;
    let missing = gate.inner.requests.open_request(request).await?.needs.and_then(|needs| needs.missing);
    assert_eq!(missing, Some(Phrase::new("level-no-key")), "none is enrolled");
    let file = format!("{}.pub", key.file().display());
    let listed = gate.execute(AddSecurityKey { file }, Origin::Desktop).await?;
    assert_eq!(listed.keys.iter().map(|key| key.comment.as_str()).collect::<Vec<_>>(), ["the blue one"]);
    let needs = gate.inner.requests.open_request(request).await?.needs;
    assert_eq!(needs, Some(ApprovalNeeds { level: Assurance::L3, missing: None, page_key: false }));
    Ok(gate)
}

#[tokio::test]
async fn a_touch_signs_the_receipt_and_the_result_says_so() -> Outcome {
    let Some(key) = SoftwareKey::new()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gate = touched(&folder, &key).await?;
    let request = asked(&gate, "relay:1").await?;
    let said = text("go");
    let digest = gate.inner.requests.question(request).await?.digest;
    let reply = SendReply { request_id: request, digest, decision: APPROVED, draft: said };
    gate.execute(reply, Origin::Desktop).await?;
    let held = gate.inner.receipts.list(1).await?.pop().ok_or("a receipt")?;
    assert_eq!(held.decided.level, Level::L3);
    assert!(matches!(held.line.proof, Proof::Sshsig { .. }), "{:?}", held.line.proof);
    assert!(gate.inner.queue.board.is_held(request), "it can still be taken back");
    gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    let outcome = gate.inner.requests.closed(request).await?;
    assert_eq!((outcome.assurance, outcome.receipt), (Some(Assurance::L3), Some(held.id)));
    assert!(
        outcome.for_model(true, false).starts_with("APPROVED by the person in the window, with a security key (L3)")
    );
    let after = gate.inner.receipts.list(1).await?.pop().ok_or("a receipt")?.after;
    assert!(after.released.is_some(), "it is good at once, although it leaves time for the touch");
    Ok(())
}

#[tokio::test]
async fn what_nobody_touched_or_a_copy_signed_is_no_signature() -> Outcome {
    let Some(key) = SoftwareKey::new()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gate = touched(&folder, &key).await?;
    let request = asked(&gate, "relay:1").await?;
    for (does, says) in [("untouched", "nobody touched"), ("gone", "device not found")] {
        key.does(does)?;
        let fault = send(&gate, request, APPROVED, "go").await.err().ok_or("it isn't sent")?;
        assert!(fault.code == Code::NotSigned && fault.message.contains(says), "{does}: {fault}");
        is_a_draft(&gate, request).await?;
    }
    key.does("touch")?;
    key.counts(7)?;
    send(&gate, request, APPROVED, "go").await?;
    let next = asked(&gate, "relay:2").await?;
    key.counts(7)?;
    let fault = send(&gate, next, APPROVED, "go").await.err().ok_or("it isn't sent")?;
    assert!(fault.code == Code::NotSigned && fault.message.contains("copied"), "{fault}");
    key.counts(20)?;
    send(&gate, next, APPROVED, "go").await?;
    let warned = gate.inner.bus.warnings();
    assert!(
        warned.iter().any(|fault| fault.message.contains("signed 12 times")),
        "what it skipped is told: {warned:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_key_that_waits_is_let_go_when_nobody_waits_for_it_and_one_that_is_removed_signs_nothing() -> Outcome {
    let Some(key) = SoftwareKey::new()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gate = touched(&folder, &key).await?;
    let request = asked(&gate, "relay:1").await?;
    key.does("wait")?;
    let sent = tokio::spawn({
        let gate = gate.clone();
        async move { send(&gate, request, APPROVED, "go").await }
    });
    let blinks = async {
        // Reading the record takes another thread: whoever waits for this one goes on meanwhile.
        while !key.blinks() {
            gate.inner.requests.question(request).await?;
        }
        Ok::<_, Fault>(())
    };
    tokio::time::timeout(LIMIT, blinks).await??;
    gate.execute(CancelSigning { request_id: request }, Origin::Desktop).await?;
    assert_eq!(code(sent.await?), Some(Code::NotSigned));
    is_a_draft(&gate, request).await?;
    key.does("touch")?;
    let name = gate.execute(ListSecurityKeys {}, Origin::Script).await?.keys.pop().ok_or("a key")?.key;
    let refused = gate.execute(RemoveSecurityKey { key: name.clone() }, Origin::Terminal).await;
    assert!(refused.is_err(), "a terminal is anybody's");
    let left = gate.execute(RemoveSecurityKey { key: name.clone() }, Origin::Desktop).await?;
    assert!(left.keys.is_empty(), "{left:?}");
    assert_eq!(code(send(&gate, request, APPROVED, "go").await), Some(Code::LevelUnreachable));
    assert_eq!(code(gate.execute(RemoveSecurityKey { key: name }, Origin::Desktop).await), Some(Code::InvalidInput));
    Ok(())
}

#[tokio::test]
async fn a_key_is_known_after_a_restart_and_a_file_alone_enrols_none() -> Outcome {
    let Some(key) = SoftwareKey::new()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let before = touched(&folder, &key).await?;
    let keys = std::fs::read(data(&before).join("keys.json"))?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    let settings = Values::from([("security.require", json!("L3"))]);
    let after = open_to_sign(&folder, true, settings.clone(), Allows::default(), key.ways()).await?;
    let request = asked(&after, "relay:1").await?;
    send(&after, request, APPROVED, "go").await?;
    let elsewhere = tempfile::tempdir()?;
    let other = open_to_sign(&elsewhere, true, settings.clone(), Allows::default(), key.ways()).await?;
    let planted = data(&other).join("keys.json");
    other.inner.receipts.close().await;
    other.inner.store.close().await;
    std::fs::write(planted, keys)?;
    let other = open_to_sign(&elsewhere, true, settings, Allows::default(), key.ways()).await?;
    let request = asked(&other, "relay:1").await?;
    assert_eq!(code(send(&other, request, APPROVED, "go").await), Some(Code::LevelUnreachable), "no line enrols it");
    Ok(())
}

fn data(gate: &Gate) -> PathBuf {
    gate.inner.host.home.data_folder().to_owned()
}

#[test]
fn the_catalogues_have_what_is_said_of_levels() {
    let said = [
        Phrase::new("level-needs").with("level", "L3"),
        Phrase::new("level-nothing"),
        Phrase::new("level-no-key"),
        Phrase::new("level-no-program").with("program", "ssh-keygen"),
    ];
    let faults: Vec<_> = said.iter().filter_map(gate_texts::testing::fault).collect();
    assert_eq!(faults, Vec::<String>::new());
}
