//! Whose sessions are, on a real store: to others, what is an agent's is as if it were not there.

use gate_api::Origin;
use gate_api::subjects::connections::CreateToken;
use gate_api::subjects::conversations::{DeleteConversation, GiveSession};
use gate_core::{
    AttachmentId, Code, ConversationQuery, Fault, Owner, OwnerId, Process, ProgressUpdate, SessionUuid, Timestamp,
};
use gate_mcp::{Asked, Call, ChatPort, ConfigPort, ConnectionPort, RecordPort, Whose};
use uuid::Uuid;

use crate::slices::Gate;
use crate::tests::{Outcome, answer, call, gate, own, token as asking};
use crate::unknown::{unknown_attachment, unknown_request, unknown_session};

fn token(name: &str) -> Owner {
    OwnerId::Token(name.to_owned()).into()
}

fn shared() -> Owner {
    OwnerId::SharedToken.into()
}

/// A client of this name in this folder.
fn client(process: Process, name: &str, folder: &str) -> Owner {
    Owner::of_process(process, name, folder)
}

/// A process that nobody will ever have started.
fn ended() -> Process {
    Process { pid: u32::MAX, began: "never".to_owned() }
}

/// The process that started this one: it runs.
#[cfg(target_os = "linux")]
pub(super) async fn running() -> Result<Process, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let home = gate_link::Home::at(folder.path());
    let lock = gate_link::GateLock::try_acquire(&home)?.ok_or("nobody else has this home")?;
    let listener = gate_link::listen(&lock, gate_link::Socket::Mcp)?;
    let _stream = tokio::net::UnixStream::connect(home.socket(gate_link::Socket::Mcp)).await?;
    Ok(listener.accept().await?.1.starter.ok_or("the kernel names it")?)
}

async fn ask(gate: &Gate, owner: &Owner, key: &str, message: &str) -> Result<Asked, Fault> {
    gate.inner.requests.ask(Call { owner: owner.clone(), ..call(key, message) }).await
}

/// Comes back for a request.
async fn fetch(gate: &Gate, owner: &Owner, key: &str, asked: &Asked) -> Result<Asked, Fault> {
    let request_id = Some(asked.request_id);
    gate.inner.requests.ask(Call { owner: owner.clone(), request_id, ..call(key, "") }).await
}

fn whose(owner: &Owner, session: SessionUuid) -> Whose {
    let Call { caller, declared, call_key, .. } = call(&format!("call:{}", Uuid::now_v7()), "");
    Whose { session_uuid: Some(session), caller, declared, agent: None, owner: owner.clone(), call_key }
}

fn percent(percent: u8) -> ProgressUpdate {
    ProgressUpdate { progress_percent: Some(percent), ..ProgressUpdate::default() }
}

/// The sessions that a caller is listed.
async fn listed(gate: &Gate, owner: &Owner) -> Result<Vec<SessionUuid>, Fault> {
    let page = RecordPort::conversations(gate, ConversationQuery::default(), None, owner).await?;
    let listed: Vec<_> = page.items.into_iter().map(|found| found.conversation.session_uuid).collect();
    let (completed, count) = RecordPort::sessions_like(gate, "", 100, owner).await?;
    assert_eq!((completed.len(), count), (listed.len(), listed.len() as u64), "what is completed is what is listed");
    Ok(listed)
}

#[tokio::test]
async fn to_others_what_is_an_agents_is_as_if_it_were_not_there() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = ask(&gate, &token("one"), "one:1", "The password?").await?;
    let (request, session) = (asked.request_id, asked.session_uuid);
    let attachment = AttachmentId(Uuid::now_v7());
    gate.inner.store.attach(request, attachment, "a.txt", b"secret", Timestamp(1)).await?;
    let process = client(ended(), "test", "/w");
    for (number, other) in [token("other"), shared(), own(), process, OwnerId::Holder.into()].iter().enumerate() {
        let (by_id, by_session) = (unknown_request(request), unknown_session(session));
        let key = format!("other {number}:1");
        assert_eq!(fetch(&gate, other, &key, &asked).await.err().as_ref(), Some(&by_id), "{other:?} resumes nothing");
        let within = Call { owner: other.clone(), session_uuid: Some(session), ..call(&key, "May I?") };
        assert_eq!(gate.inner.requests.ask(within).await.err().as_ref(), Some(&by_session), "{other:?} asks elsewhere");
        assert_eq!(ChatPort::look(&gate, request, other).await.err().as_ref(), Some(&by_id), "tasks are requests");
        let bytes = ChatPort::attachment(&gate, attachment, other).await;
        assert_eq!(bytes.err(), Some(unknown_attachment(attachment)), "{other:?} reads no file");
        assert_eq!(ChatPort::attachments_like(&gate, "", 9, other).await?, (Vec::new(), 0));

        let named = || whose(other, session);
        let refused = [
            RecordPort::report(&gate, named(), percent(9)).await.err(),
            RecordPort::context(&gate, named(), None).await.err(),
            RecordPort::create_checkpoint(&gate, named(), "mine".to_owned(), None).await.err(),
            RecordPort::list_checkpoints(&gate, named()).await.err(),
            RecordPort::restore(&gate, named(), "mine".to_owned()).await.err(),
            RecordPort::undo_restore(&gate, named(), None).await.err(),
            ConfigPort::update_config(&gate, named(), serde_json::Map::new()).await.err(),
        ];
        for (tool, fault) in refused.iter().enumerate() {
            assert_eq!(fault.as_ref(), Some(&by_session), "tool {tool} for {other:?}");
        }
        assert_eq!(RecordPort::conversation(&gate, session, None, other).await?, None);
        assert_eq!(RecordPort::session(&gate, session, other).await?, None);
        assert_eq!(RecordPort::checkpoints(&gate, session, other).await?, None);
        assert_eq!(listed(&gate, other).await?, [], "{other:?} is listed nothing");
        assert!(!ConnectionPort::sees(&gate, session, other).await, "and hears of nothing");
    }
    let own = token("one");
    assert_eq!(listed(&gate, &own).await?, [session], "its owner has it all the same");
    assert_eq!(ChatPort::attachments_like(&gate, "", 9, &own).await?, (vec![attachment], 1));
    assert!(ConnectionPort::sees(&gate, session, &own).await);
    answer(&gate, &asked, "hunter2").await?;
    let fetched = fetch(&gate, &own, "one:2", &asked).await?;
    assert_eq!(gate.inner.requests.closed(fetched.request_id).await?.text, "hunter2");
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_next_client_of_the_same_folder_is_heir_to_what_it_names() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (first, living) = (client(ended(), "codex", "/w"), running().await?);
    let asked = ask(&gate, &first, "first:1", "May I?").await?;
    drop(asked.attendance);
    let asked = Asked { attendance: None, ..asked };
    answer(&gate, &asked, "yes").await?;
    for (name, folder) in [("codex", "/other"), ("cursor", "/w")] {
        let other = client(living.clone(), name, folder);
        let refused = fetch(&gate, &other, "other:1", &asked).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::UnknownRequest), "{name} in {folder} is no heir");
    }
    let heir = client(living, "codex", "/w");
    assert_eq!(listed(&gate, &heir).await?, [], "nothing comes to an heir by itself");
    assert!(RecordPort::session(&gate, asked.session_uuid, &heir).await?.is_some(), "but it may read what it names");
    let fetched = fetch(&gate, &heir, "heir:1", &asked).await?;
    assert_eq!(gate.inner.requests.closed(fetched.request_id).await?.text, "yes");
    assert_eq!(listed(&gate, &heir).await?, [asked.session_uuid], "what it has gone on in is its own");
    let late = client(Process { pid: u32::MAX, began: "later".to_owned() }, "codex", "/w");
    let refused = fetch(&gate, &late, "late:1", &asked).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::UnknownRequest), "and no one else's while it runs");
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_same_question_finds_the_reply_for_an_heir_only() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let living = running().await?;
    let first = ask(&gate, &client(ended(), "codex", "/w"), "first:1", "May I?").await?;
    drop(first.attendance);
    let first = Asked { attendance: None, ..first };
    let stranger = ask(&gate, &client(living.clone(), "codex", "/other"), "stranger:1", "May I?").await?;
    assert_ne!(stranger.request_id, first.request_id, "an open question of another's is not adopted");
    answer(&gate, &first, "yes").await?;
    let stranger = ask(&gate, &client(living.clone(), "codex", "/other"), "stranger:2", "May I?").await?;
    assert_ne!(stranger.request_id, first.request_id, "nor is its answer given away");
    let heir = ask(&gate, &client(living, "codex", "/w"), "heir:1", "May I?").await?;
    assert_eq!(heir.request_id, first.request_id, "the heir is not asked to ask again");
    Ok(())
}

#[tokio::test]
async fn under_the_shared_token_ids_work_and_nothing_is_listed() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = ask(&gate, &shared(), "http-1:1", "May I?").await?;
    answer(&gate, &asked, "yes").await?;
    let fetched = fetch(&gate, &shared(), "http-2:1", &asked).await?;
    assert_eq!(gate.inner.requests.closed(fetched.request_id).await?.text, "yes");
    assert!(RecordPort::session(&gate, asked.session_uuid, &shared()).await?.is_some(), "its id is enough");
    assert_eq!(listed(&gate, &shared()).await?, [], "but others with this token can't look for it");
    Ok(())
}

#[tokio::test]
async fn what_a_script_asked_is_whose_the_id_is() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let holder = OwnerId::Holder.into();
    let asked = ask(&gate, &holder, "ask:1", "Deploy?").await?;
    for caller in [token("one"), shared(), own()] {
        let key = format!("{}:1", Uuid::now_v7());
        assert_eq!(fetch(&gate, &caller, &key, &asked).await?.request_id, asked.request_id, "{caller:?} was given it");
        assert_eq!(listed(&gate, &caller).await?, [], "and it becomes nobody's own");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_there_before_owners_is_whose_it_is_first() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = ask(&gate, &own(), "old:1", "May I?").await?;
    let found = gate.inner.store.owner_of_session(asked.session_uuid).await?.ok_or("it is there")?;
    gate.inner.store.hand_over(&found, None).await?;
    assert_eq!(listed(&gate, &own()).await?, [], "nobody is listed it");
    for reader in [token("one"), token("other")] {
        assert!(RecordPort::session(&gate, asked.session_uuid, &reader).await?.is_some(), "who has the id reads it");
    }
    RecordPort::report(&gate, whose(&token("one"), asked.session_uuid), percent(1)).await?;
    assert_eq!(listed(&gate, &token("one")).await?, [asked.session_uuid], "whoever goes on in it has it");
    let late = RecordPort::report(&gate, whose(&token("other"), asked.session_uuid), percent(2)).await;
    assert_eq!(late.err().map(|fault| fault.code), Some(Code::UnknownSession), "and then nobody else does");
    Ok(())
}

#[tokio::test]
async fn the_person_gives_a_session_away_and_lets_a_token_read_all() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = ask(&gate, &own(), "own:1", "May I?").await?;
    let session_uuid = asked.session_uuid;
    let give = |client: Option<&str>| GiveSession { session_uuid, client: client.map(str::to_owned) };
    let code = |refused: Option<Fault>| refused.map(|fault| fault.code);
    let create = |name: &str, reads_all: bool| CreateToken { reads_all, ..asking(name) };
    let refused = gate.execute(create("reader", true), Origin::Script).await.err();
    assert_eq!(code(refused), Some(Code::ScriptedAnswersOff), "an agent with a shell doesn't let itself read all");
    gate.execute(create("reader", true), Origin::Terminal).await?;
    gate.execute(create("laptop", false), Origin::Terminal).await?;
    assert_eq!(listed(&gate, &token("reader")).await?, [session_uuid]);
    assert!(ConnectionPort::sees(&gate, session_uuid, &token("reader")).await, "it hears of it, too");
    let spoke = RecordPort::report(&gate, whose(&token("reader"), session_uuid), percent(1)).await.err();
    assert_eq!(code(spoke), Some(Code::UnknownSession), "to read isn't to speak");
    assert_eq!(code(fetch(&gate, &token("reader"), "r:1", &asked).await.err()), Some(Code::UnknownRequest));

    assert_eq!(code(gate.execute(give(Some("nobody")), Origin::Desktop).await.err()), Some(Code::UnknownToken));
    let scripted = gate.execute(give(Some("laptop")), Origin::Script).await.err();
    assert_eq!(code(scripted), Some(Code::ScriptedAnswersOff), "nor does it take what is another's");
    gate.execute(give(Some("laptop")), Origin::Desktop).await?;
    assert_eq!((listed(&gate, &own()).await?, listed(&gate, &token("laptop")).await?), (vec![], vec![session_uuid]));
    gate.execute(give(None), Origin::Terminal).await?;
    RecordPort::report(&gate, whose(&own(), session_uuid), percent(1)).await?;
    assert_eq!(listed(&gate, &own()).await?, [session_uuid], "what is nobody's has whoever names it first");

    gate.inner.connections.revoke_token("reader").await?;
    assert_eq!(listed(&gate, &token("reader")).await?, [], "a revoked token reads nothing");
    Ok(())
}

#[tokio::test]
async fn who_has_read_a_request_reads_it_no_longer_when_it_is_given_away() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = ask(&gate, &own(), "own:1", "May I?").await?;
    let code = |refused: Option<Fault>| refused.map(|fault| fault.code);
    for key in ["own:2", "own:3"] {
        fetch(&gate, &own(), key, &asked).await?;
    }
    assert_eq!(code(fetch(&gate, &token("laptop"), "l:1", &asked).await.err()), Some(Code::UnknownRequest));
    gate.execute(asking("laptop"), Origin::Terminal).await?;
    let session_uuid = asked.session_uuid;
    gate.execute(GiveSession { session_uuid, client: Some("laptop".to_owned()) }, Origin::Desktop).await?;
    assert_eq!(code(fetch(&gate, &own(), "own:4", &asked).await.err()), Some(Code::UnknownRequest));
    fetch(&gate, &token("laptop"), "l:2", &asked).await?;

    answer(&gate, &asked, "yes").await?;
    gate.execute(DeleteConversation { session_uuid }, Origin::Desktop).await?;
    assert_eq!(code(fetch(&gate, &token("laptop"), "l:3", &asked).await.err()), Some(Code::UnknownRequest));
    Ok(())
}
