//! The record on real SQLite files: what is stored is found again, faults change nothing.

use gate_core::search::Words;
use gate_core::{
    AnsweredFrom, Ask, AttachmentId, Caller, Choice, Code, ConversationQuery, Decision, Declared, Draft, Fault,
    GivenArgument, LineComment, Progress, PromptFormat, PromptOrigin, PromptVersionId, Remark, RequestId,
    RequestStatus, SessionUuid, SettingChangeId, Side, Snippet, SnippetId, Timestamp, bounds,
};
use gate_store::{
    NewRequest, OpenOptions, PromptCount, SearchIndex, Store, StoreError, StoredDeletedPrompt, StoredPromptVersion,
    StoredSettingChange,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::fixture::{reply, token};

type Outcome = Result<(), Box<dyn std::error::Error>>;

struct Fixture {
    folder: TempDir,
    store: Store,
}

impl Fixture {
    async fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let store = open(&folder, None).await?;
        Ok(Self { folder, store })
    }

    async fn ask(&self, message: &str, call_key: &str, at: i64) -> Result<NewRequest, StoreError> {
        let choice = |label: &str| Choice { label: label.to_owned(), description: None, recommended: false };
        let new = NewRequest {
            request_id: RequestId(Uuid::now_v7()),
            session_uuid: SessionUuid(Uuid::now_v7()),
            ask: Ask {
                message: message.to_owned(),
                options: vec![choice("a"), choice("b")],
                allow_multiple: true,
                ..Ask::default()
            },
            caller: Caller { client: "test".to_owned(), client_version: "1".to_owned(), workspace: "/w".to_owned() },
            declared: Declared::default(),
            relay: None,
            owner: token(call_key),
            call_key: call_key.to_owned(),
            question: format!("digest of {message}"),
            now: Timestamp(at),
        };
        self.store.ask(&new).await?;
        Ok(new)
    }
}

async fn open(folder: &TempDir, max_pages: Option<u32>) -> Result<Store, StoreError> {
    let options = OpenOptions { max_pages, ..OpenOptions::new(folder.path().join("review-gate.db"), Timestamp(0)) };
    Ok(Store::open(&options).await?.store)
}

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

fn code<T>(result: Result<T, StoreError>) -> Option<Code> {
    result.err().map(|error| Fault::from(error).code)
}

#[tokio::test]
async fn a_reply_survives_closing_and_opening_the_file() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "r:1", 1000).await?;
    let id = AttachmentId(Uuid::now_v7());
    let picture = b"\x89PNG\r\n\x1a\n0000";
    fixture.store.attach(asked.request_id, id, "../shot.png", picture, Timestamp(1500)).await?;
    let draft = Draft {
        text: "Yes, but…".to_owned(),
        selected: vec!["b".to_owned(), "a".to_owned()],
        comments: vec![LineComment {
            file: "a.rs".into(),
            start_line: None,
            line: 3,
            side: Side::New,
            body: "why?".into(),
        }],
        attachments: vec![id],
        remarks: vec![Remark { quote: "May I?".into(), body: "Which one?".into() }],
    };
    let decision = Some(Decision::ChangesRequested);
    let given =
        reply(&fixture.store, asked.request_id, decision, &draft, AnsweredFrom::Desktop, Timestamp(2000)).await?;
    fixture.store.close().await;

    let again = open(&fixture.folder, None).await?;
    let found = again.standing(asked.request_id).await?.and_then(|standing| standing.reply);
    assert_eq!(found.as_ref(), Some(&given), "what was committed is read again, whole");
    assert_eq!(given.selected, ["a", "b"], "options come in the order in which they were offered");
    assert_eq!(given.attachments[0].name, "shot.png", "folders in a name are dropped");
    assert_eq!(given.attachments[0].mime_type, "image/png", "the type is found in the bytes");
    assert_eq!(again.attachment_bytes(id).await?.as_deref(), Some(&picture[..]));
    assert_eq!(again.pending().await?, vec![], "an answered request is no longer pending");
    Ok(())
}

#[tokio::test]
async fn the_first_answer_wins_and_a_second_changes_nothing() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "r:1", 1000).await?;
    reply(&fixture.store, asked.request_id, None, &text("first"), AnsweredFrom::Desktop, Timestamp(2)).await?;
    let (approved, from) = (Some(Decision::Approved), AnsweredFrom::Terminal);
    let second = reply(&fixture.store, asked.request_id, approved, &text("second"), from, Timestamp(3)).await;
    assert_eq!(code(second), Some(Code::NotPending));
    let kept = fixture.store.standing(asked.request_id).await?.and_then(|standing| standing.reply);
    assert_eq!(kept.map(|reply| (reply.text, reply.decision)), Some(("first".to_owned(), None)), "no approval appears");
    Ok(())
}

#[tokio::test]
async fn pending_requests_are_urgent_first_then_oldest_first() -> Outcome {
    let fixture = Fixture::new().await?;
    let old = fixture.ask("old", "r:1", 1).await?;
    let newer = fixture.ask("newer", "r:2", 2).await?;
    let mut urgent = fixture.ask("unused", "r:3", 3).await?;
    fixture.store.close_request(urgent.request_id, RequestStatus::Cancelled, Timestamp(4)).await?;
    urgent.request_id = RequestId(Uuid::now_v7());
    urgent.call_key = "r:4".to_owned();
    urgent.ask.urgent = true;
    fixture.store.ask(&urgent).await?;
    let order: Vec<_> = fixture.store.pending().await?.iter().map(|request| request.request_id).collect();
    assert_eq!(order, [urgent.request_id, old.request_id, newer.request_id]);
    Ok(())
}

#[tokio::test]
async fn several_requests_are_closed_together_and_those_that_are_closed_already_left_out() -> Outcome {
    let fixture = Fixture::new().await?;
    let (answered, waiting) = (fixture.ask("old", "r:1", 1).await?, fixture.ask("newer", "r:2", 2).await?);
    let stays = fixture.ask("stays", "r:3", 3).await?;
    reply(&fixture.store, answered.request_id, None, &text("yes"), AnsweredFrom::Desktop, Timestamp(4)).await?;
    let both = [answered.request_id, waiting.request_id];
    let closed = fixture.store.close_requests(&both, RequestStatus::Cancelled, Timestamp(9)).await?;
    assert_eq!(closed, [waiting.request_id], "an answer stays an answer");
    assert_eq!(fixture.store.status(answered.request_id).await?, Some(RequestStatus::Answered));
    assert_eq!(fixture.store.status(stays.request_id).await?, Some(RequestStatus::Pending), "nobody named it");
    let times = fixture.store.times(waiting.request_id).await?.ok_or("it is known")?;
    assert_eq!((times.status, times.closed_at), (RequestStatus::Cancelled, Some(Timestamp(9))));
    let latest = fixture.store.conversations(&ConversationQuery::default(), None).await?.items;
    assert_eq!(latest.first().map(|each| each.session_uuid), Some(waiting.session_uuid), "it changed last");
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_sent_again_finds_its_request() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "relay:7", 1).await?;
    assert_eq!(fixture.store.request_of_call("relay:7").await?, Some(asked.request_id));
    assert_eq!(fixture.store.request_of_call("relay:8").await?, None, "another call has another request");
    let since = fixture.store.bind_call("relay:8", asked.request_id, Timestamp(50)).await?;
    assert_eq!(since, Timestamp(50));
    let since = fixture.store.bind_call("relay:8", asked.request_id, Timestamp(90)).await?;
    assert_eq!(since, Timestamp(50), "the client's patience counts from the first time");
    Ok(())
}

#[tokio::test]
async fn a_reply_is_undelivered_until_its_call_is_marked() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "relay:7", 1).await?;
    assert_eq!(fixture.store.undelivered(asked.session_uuid).await?, [], "nothing is answered yet");
    reply(&fixture.store, asked.request_id, None, &text("yes"), AnsweredFrom::Desktop, Timestamp(2)).await?;
    assert_eq!(fixture.store.undelivered(asked.session_uuid).await?, [(asked.request_id, Timestamp(2))]);
    fixture.store.mark_delivered("relay:7", Timestamp(3)).await?;
    assert_eq!(fixture.store.undelivered(asked.session_uuid).await?, [], "it is not delivered twice");
    Ok(())
}

#[tokio::test]
async fn a_draft_is_kept_until_it_is_sent() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "r:1", 1).await?;
    fixture.store.save_draft(asked.request_id, &text("half a tho"), Timestamp(2)).await?;
    fixture.store.save_draft(asked.request_id, &text("half a thought"), Timestamp(3)).await?;
    assert_eq!(fixture.store.draft(asked.request_id).await?, text("half a thought"));
    let words = text("from a terminal");
    reply(&fixture.store, asked.request_id, None, &words, AnsweredFrom::Terminal, Timestamp(4)).await?;
    assert_eq!(fixture.store.draft(asked.request_id).await?, text("half a thought"), "another's reply costs no text");
    let unknown = fixture.store.save_draft(RequestId(Uuid::now_v7()), &text("x"), Timestamp(5)).await;
    assert_eq!(code(unknown), Some(Code::UnknownRequest));
    Ok(())
}

#[tokio::test]
async fn a_draft_that_was_sent_goes_however_its_text_was_written() -> Outcome {
    let fixture = Fixture::new().await?;
    // What a program wrote that knew fewer fields, or wrote them otherwise.
    for (written, sent) in [
        (r#"{"text":"yes","selected":["a"],"comments":[],"attachments":[]}"#, true),
        (r#"{ "selected": ["a"], "text": "yes" }"#, true),
        (r#"{"text":"yes","selected":["b"]}"#, false),
        (r#"{"text":"yes"}"#, false),
    ] {
        let asked = fixture.ask("May I?", &format!("r:{written}"), 1).await?;
        let draft = Draft { selected: vec!["a".to_owned()], ..text("yes") };
        fixture.store.save_draft(asked.request_id, &draft, Timestamp(2)).await?;
        let statement = format!("UPDATE drafts SET draft = '{written}' WHERE request_id = '{}'", asked.request_id);
        let database = fixture.folder.path().join("review-gate.db");
        let status = std::process::Command::new("sqlite3").arg(&database).arg(statement).status()?;
        assert!(status.success(), "the test can write a draft");
        reply(&fixture.store, asked.request_id, None, &draft, AnsweredFrom::Desktop, Timestamp(3)).await?;
        let left = fixture.store.draft(asked.request_id).await?;
        assert_eq!(left == Draft::default(), sent, "only what was sent goes, and all of that: {written}");
    }
    Ok(())
}

#[tokio::test]
async fn the_same_content_is_stored_once_and_the_bound_is_exact() -> Outcome {
    let fixture = Fixture::new().await?;
    let asked = fixture.ask("May I?", "r:1", 1).await?;
    let bytes = vec![7; bounds::ATTACHMENT_BYTES];
    for name in ["a", "b"] {
        fixture.store.attach(asked.request_id, AttachmentId(Uuid::now_v7()), name, &bytes, Timestamp(1)).await?;
    }
    let size = std::fs::metadata(fixture.folder.path().join("review-gate.db-wal"))?.len();
    assert!(size < 2 * bounds::ATTACHMENT_BYTES as u64, "the second copy takes no space: {size}");
    let large = vec![7; bounds::ATTACHMENT_BYTES + 1];
    let refused = fixture.store.attach(asked.request_id, AttachmentId(Uuid::now_v7()), "c", &large, Timestamp(1)).await;
    assert_eq!(code(refused), Some(Code::TooLarge), "one byte more is refused");
    let name = "n".repeat(bounds::ATTACHMENT_NAME_CHARS + 1);
    let refused = fixture.store.attach(asked.request_id, AttachmentId(Uuid::now_v7()), &name, b"x", Timestamp(1)).await;
    assert_eq!(code(refused), Some(Code::TooLarge), "a name that no file system takes is refused");
    Ok(())
}

#[tokio::test]
async fn a_full_disk_loses_neither_request_nor_draft() -> Outcome {
    let folder = tempfile::tempdir()?;
    let store = open(&folder, None).await?;
    let fixture = Fixture { folder, store };
    let asked = fixture.ask("May I?", "r:1", 1).await?;
    fixture.store.save_draft(asked.request_id, &text("typed"), Timestamp(2)).await?;
    fixture.store.close().await;
    let pages = 40;
    let store = open(&fixture.folder, Some(pages)).await?;
    let long = text(&"x".repeat(bounds::REPLY_BYTES));
    let full = reply(&store, asked.request_id, None, &long, AnsweredFrom::Desktop, Timestamp(3)).await;
    assert_eq!(code(full), Some(Code::DiskFull));
    assert_eq!(store.status(asked.request_id).await?, Some(RequestStatus::Pending), "nothing was answered");
    assert_eq!(store.draft(asked.request_id).await?, text("typed"), "what was typed is still there");
    store.close().await;
    let store = open(&fixture.folder, None).await?;
    reply(&store, asked.request_id, None, &long, AnsweredFrom::Desktop, Timestamp(4)).await?;
    Ok(())
}

/// A search reads the index part by part; its messages lie in four of them, one of which is empty.
#[tokio::test]
async fn a_search_goes_through_all_parts_of_the_index() -> Outcome {
    let fixture = Fixture::new().await?;
    let database = fixture.folder.path().join("review-gate.db");
    let index = SearchIndex::open(&fixture.store, &fixture.folder.path().join("search.db")).await?;
    let words = Words::parse("webho")?.ok_or("words")?;
    let everything = ConversationQuery::default();
    assert_eq!(index.find(&words, &everything, None).await?.items.len(), 0, "nothing is in it yet");
    assert_eq!(index.forget_deleted(0).await?, None);

    let mut sessions = Vec::new();
    for numbers_from in [0, 65_534, 65_535, 200_000] {
        let statement = format!("UPDATE sqlite_sequence SET seq = {numbers_from} WHERE name = 'messages'");
        let status = std::process::Command::new("sqlite3").arg(&database).arg(statement).status()?;
        assert!(status.success(), "the test can leave numbers out");
        for _ in 0..20 {
            let number = sessions.len();
            let asked = fixture.ask(&format!("Shall I retry the webhook? {number}"), &format!("r:{number}"), 1).await?;
            sessions.push(asked.session_uuid);
            if numbers_from == 65_534 {
                break;
            }
        }
    }
    while index.catch_up().await? > 0 {}
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = index.find(&words, &everything, after).await?;
        found.extend(page.items.into_iter().map(|found| found.conversation.session_uuid));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    sessions.reverse();
    assert_eq!(found, sessions, "every conversation once, the newest first");

    let (mut looked_at, mut from) = (0, 0);
    while let Some(last) = index.forget_deleted(from).await? {
        (looked_at, from) = (looked_at + 1, last);
    }
    assert_eq!((looked_at, from), (3, 200_020), "each part that holds something is looked at");
    Ok(())
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_as_it_is() -> Outcome {
    let fixture = Fixture::new().await?;
    fixture.store.close().await;
    let path = fixture.folder.path().join("review-gate.db");
    let status = std::process::Command::new("sqlite3")
        .arg(&path)
        .arg("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99991231235959, 'later', 1, x'00', 0)")
        .status()?;
    assert!(status.success(), "the test can write a later migration");
    let before = std::fs::read(&path)?;
    let refused = open(&fixture.folder, None).await;
    assert_eq!(code(refused), Some(Code::DatabaseNewer));
    assert_eq!(std::fs::read(&path)?, before, "the file is left as it is");
    Ok(())
}

async fn snippet(store: &Store, name: &str, text: &str) -> Result<SnippetId, StoreError> {
    let id = SnippetId(Uuid::now_v7());
    store.save_snippet(None, id, name, text, Timestamp(1)).await?;
    Ok(id)
}

#[tokio::test]
async fn snippets_are_kept_changed_and_come_by_their_use() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let (tests, ship) =
        (snippet(store, " Tests first ", "Write a test first.").await?, snippet(store, "Ship it", "Go.").await?);
    let unused = snippet(store, "Later", "Not now.").await?;
    store.use_snippet(ship, Timestamp(5)).await?;
    store.use_snippet(tests, Timestamp(6)).await?;
    store.use_snippet(tests, Timestamp(7)).await?;
    store.save_snippet(Some(tests), SnippetId(Uuid::now_v7()), "TESTS first", "Please test.", Timestamp(8)).await?;
    fixture.store.close().await;

    let again = open(&fixture.folder, None).await?;
    let found = again.snippets(Timestamp(9)).await?;
    let order: Vec<_> = found.iter().map(|snippet| snippet.snippet_id).collect();
    assert_eq!(order, [tests, ship, unused], "what is used most comes first");
    let (name, text) = ("TESTS first".to_owned(), "Please test.".to_owned());
    let changed = Snippet { snippet_id: tests, name, text, uses: 2, used_at: Some(Timestamp(7)) };
    assert_eq!(found.first(), Some(&changed), "a change keeps its uses");
    again.delete_snippet(tests).await?;
    assert_eq!(again.snippets(Timestamp(9)).await?.len(), 2, "a deleted one is gone");
    assert_eq!(code(again.delete_snippet(tests).await), Some(Code::UnknownSnippet));
    assert_eq!(code(again.use_snippet(tests, Timestamp(9)).await), Some(Code::UnknownSnippet));
    let gone = again.save_snippet(Some(tests), tests, "back", "x", Timestamp(9)).await;
    assert_eq!(code(gone), Some(Code::UnknownSnippet), "a change brings nothing back");
    Ok(())
}

#[tokio::test]
async fn snippets_have_names_of_their_own_and_an_end() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let first = snippet(store, "Ärger", "x").await?;
    assert_eq!(code(snippet(store, "ärger ", "y").await), Some(Code::NameTaken), "whatever its case");
    let other = snippet(store, "other", "x").await?;
    let renamed = store.save_snippet(Some(other), other, "ÄRGER", "x", Timestamp(2)).await;
    assert_eq!(code(renamed), Some(Code::NameTaken));
    assert_eq!(code(snippet(store, "", "x").await), Some(Code::InvalidInput));
    for number in 2..bounds::SNIPPETS {
        snippet(store, &format!("name {number}"), "x").await?;
    }
    assert_eq!(code(snippet(store, "one more", "x").await), Some(Code::TooMany));
    store.save_snippet(Some(first), first, "renamed", "y", Timestamp(3)).await?;
    store.delete_snippet(first).await?;
    snippet(store, "one more", "x").await?;
    Ok(())
}

#[tokio::test]
async fn a_diff_is_compared_with_the_last_one_that_was_answered_before_it() -> Outcome {
    let fixture = Fixture::new().await?;
    let template = fixture.ask("first", "r:0", 1).await?;
    let session_uuid = template.session_uuid;
    let ask = async |call: &str, diff: Option<&str>, at: i64| -> Result<RequestId, StoreError> {
        let request_id = RequestId(Uuid::now_v7());
        let diff = diff.map(|name| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n"));
        let ask = Ask { message: "Now?".to_owned(), diff, ..Ask::default() };
        let call_key = call.to_owned();
        let new = NewRequest { request_id, session_uuid, ask, call_key, now: Timestamp(at), ..template.clone() };
        fixture.store.ask(&new).await?;
        Ok(request_id)
    };
    let before = async |request| -> Result<Option<String>, StoreError> {
        let diff = fixture.store.diff_before(request).await?;
        Ok(diff.and_then(|diff| diff.lines().next().map(str::to_owned)))
    };
    let answered =
        async |request| reply(&fixture.store, request, None, &text("ok"), AnsweredFrom::Desktop, Timestamp(9)).await;
    let (one, two) = (ask("r:1", Some("one"), 2).await?, ask("r:2", Some("two"), 3).await?);
    let (plain, open) = (ask("r:3", None, 4).await?, ask("r:4", Some("open"), 5).await?);
    let now = ask("r:5", Some("now"), 6).await?;
    assert_eq!(before(now).await?, None, "nothing was answered yet");
    answered(one).await?;
    assert_eq!(before(now).await?.as_deref(), Some("--- a/one"));
    answered(two).await?;
    answered(plain).await?;
    assert_eq!(before(now).await?.as_deref(), Some("--- a/two"), "the latest that has a diff");
    answered(open).await?;
    assert_eq!(before(open).await?.as_deref(), Some("--- a/two"), "what came later doesn't count");
    assert_eq!(before(one).await?, None, "nor does it itself");
    let elsewhere = fixture.ask("another session", "r:6", 9).await?;
    assert_eq!(before(elsewhere.request_id).await?, None);
    Ok(())
}

#[tokio::test]
async fn the_newest_changes_of_settings_are_remembered_with_who_made_them() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let id = || SettingChangeId(Uuid::now_v7());
    let change = |number: usize, by: &str| StoredSettingChange {
        change_id: id(),
        save_id: id(),
        key: format!("window.number_{number}"),
        from: "null".to_owned(),
        to: number.to_string(),
        by: by.to_owned(),
        client: (by == "agent").then(|| "Claude Code".to_owned()),
        session_uuid: None,
        at: Timestamp(i64::try_from(number).unwrap_or_default()),
        undone_at: None,
    };
    let (first, second) = (change(0, "person"), change(1, "agent"));
    store.add_setting_changes(&[first.clone(), second.clone()]).await?;
    assert_eq!(store.setting_changes().await?, [second.clone(), first.clone()], "the latest first");
    store.undo_setting_changes(&[first.change_id], Timestamp(9)).await?;
    store.close().await;
    let again = open(&fixture.folder, None).await?;
    let undone = StoredSettingChange { undone_at: Some(Timestamp(9)), ..first };
    assert_eq!(again.setting_changes().await?, [second, undone], "also after a restart");
    let many: Vec<_> = (2..bounds::SETTING_CHANGES + 2).map(|number| change(number, "file")).collect();
    again.add_setting_changes(&many).await?;
    let kept = again.setting_changes().await?;
    assert_eq!(kept.len(), bounds::SETTING_CHANGES, "and no more than the bound");
    assert!(kept.iter().all(|change| change.by == "file"), "the oldest are forgotten");
    Ok(())
}

#[tokio::test]
async fn reports_at_the_same_time_are_all_stored_and_the_wrong_one_hears_of_it_alone() -> Outcome {
    let fixture = Fixture::new().await?;
    let mut sessions = Vec::new();
    for number in 0..12 {
        sessions.push(fixture.ask("m", &format!("call {number}"), 1).await?.session_uuid);
    }
    let unknown = SessionUuid(Uuid::now_v7());
    let of = |percent: u8| Progress {
        progress_percent: Some(percent),
        status_message: None,
        step_name: None,
        steps: Vec::new(),
        updated_at: Timestamp(i64::from(percent)),
    };
    let mut all = tokio::task::JoinSet::new();
    for (session, percent) in sessions.iter().copied().chain([unknown]).zip(0..) {
        let (store, progress) = (fixture.store.clone(), of(percent));
        all.spawn(async move { (session, store.set_progress(session, &progress).await) });
    }
    // One that nobody waits for any more mustn't take the others along.
    let zero = of(0);
    let given_up = fixture.store.set_progress(sessions[0], &zero);
    let _ = tokio::time::timeout(std::time::Duration::ZERO, given_up).await;
    while let Some(done) = all.join_next().await {
        let (session, written) = done?;
        assert_eq!(written.is_ok(), session != unknown, "only what refers to no session is refused");
    }
    for (session, percent) in sessions.into_iter().zip(0..) {
        let found = fixture.store.conversation(session).await?.and_then(|conversation| conversation.progress);
        assert_eq!(found, Some(of(percent)));
    }
    Ok(())
}

fn version(prompt: &str, at: i64, text: &str, cause: &str) -> StoredPromptVersion {
    StoredPromptVersion {
        version_id: PromptVersionId(Uuid::now_v7()),
        prompt_id: prompt.into(),
        origin: PromptOrigin::Local,
        format: PromptFormat::Markdown,
        cause: cause.into(),
        text: text.into(),
        sha256: format!("digest of {text}"),
        commit: String::new(),
        at: Timestamp(at),
    }
}

#[tokio::test]
async fn versions_of_a_prompt_are_kept_up_to_a_bound_and_the_newest_is_known() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let all: Vec<_> =
        (0..=bounds::PROMPT_VERSIONS).map(|n| version("team/a", n as i64, &format!("text {n}"), "found")).collect();
    store.add_prompt_versions(&all).await?;
    store.add_prompt_versions(&[version("b", 1, "b", "saved"), version("b", 2, "", "deleted")]).await?;
    let kept = store.prompt_versions("team/a").await?;
    assert_eq!(kept.len(), bounds::PROMPT_VERSIONS, "the oldest made room");
    assert_eq!(kept.first(), all.last(), "the newest comes first, as it was");
    assert_eq!(kept.last().map(|oldest| oldest.text.as_str()), Some("text 1"));
    let newest = store.newest_prompt_versions(PromptOrigin::Local).await?;
    let expected = format!("digest of text {}", bounds::PROMPT_VERSIONS);
    assert_eq!(newest.get("team/a"), Some(&expected));
    assert_eq!(newest.get("b"), None, "its file is gone");
    assert_eq!(store.newest_prompt_versions(PromptOrigin::Synced).await?.len(), 0, "the folders are apart");
    let synced = StoredPromptVersion { origin: PromptOrigin::Synced, ..version("b", 7, "of all", "synced") };
    store.add_prompt_versions(&[synced]).await?;
    let mut times = store.prompt_times().await?;
    times.sort();
    let newest = Timestamp(bounds::PROMPT_VERSIONS as i64);
    let expected = [
        ("b", PromptOrigin::Synced, Timestamp(7)),
        ("b", PromptOrigin::Local, Timestamp(2)),
        ("team/a", PromptOrigin::Local, newest),
    ];
    assert_eq!(times, expected.map(|(id, origin, at)| (id.to_owned(), origin, at)), "each in its folder, gone or not");
    Ok(())
}

#[tokio::test]
async fn a_commit_is_known_by_what_it_did_and_a_deleted_prompt_by_its_last_text() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let synced = |prompt: &str, commit: &str, cause: &str| StoredPromptVersion {
        origin: PromptOrigin::Synced,
        commit: commit.into(),
        ..version(prompt, 1, "x", cause)
    };
    let first = ["a", "b", "c"].map(|prompt| synced(prompt, "1", "synced"));
    store.add_prompt_versions(&first).await?;
    let second = [synced("b", "2", "synced"), synced("c", "2", "deleted"), synced("d", "2", "synced")];
    store.add_prompt_versions(&second).await?;
    store.add_prompt_versions(&[version("b", 3, "mine", "saved")]).await?;
    let changes = store.prompts_of_commit("2").await?;
    let seen: Vec<_> = changes.iter().map(|one| (one.prompt_id.as_str(), one.before, one.after)).collect();
    assert_eq!(seen, [("b", true, true), ("c", true, false), ("d", false, true)], "changed, gone and new");
    let first = store.prompts_of_commit("1").await?;
    assert_eq!(first.iter().filter(|one| !one.before && one.after).count(), 3, "with the first all are new");
    assert!(store.prompts_of_commit("").await?.is_empty(), "what comes from no commit is of none");

    let last = version("gone", 5, "last words", "saved");
    store.add_prompt_versions(&[last.clone(), version("gone", 6, "", "deleted")]).await?;
    let back = [("x", "saved"), ("", "deleted"), ("x", "restored")];
    store.add_prompt_versions(&back.map(|(text, cause)| version("back", 7, text, cause))).await?;
    let expected = StoredDeletedPrompt { prompt_id: "gone".into(), at: Timestamp(6), version_id: last.version_id };
    assert_eq!(store.deleted_prompts(10).await?, [expected], "what came back isn't deleted");
    Ok(())
}

#[tokio::test]
async fn a_prompts_use_leads_to_the_review_that_came_of_it() -> Outcome {
    let fixture = Fixture::new().await?;
    let store = &fixture.store;
    let kept = |value: Option<&str>| GivenArgument { name: "change".into(), value: value.map(str::to_owned) };
    let (shown, secret) = ([kept(Some("main..fix"))], [kept(None)]);
    store.use_prompt("code_review", "codex", "/work", &shown, Timestamp(10)).await?;
    store.use_prompt("code_review", "cursor", "/work", &secret, Timestamp(20)).await?;
    store.use_prompt("other", "codex", "/elsewhere", &[], Timestamp(30)).await?;
    let request = fixture.ask("Look at this", "r:1", 20).await?.request_id;
    assert!(!store.review_follows_prompt(request, "codex", "/work", Timestamp(11)).await?, "that was too long ago");
    assert!(store.review_follows_prompt(request, "codex", "/work", Timestamp(10)).await?);
    assert!(!store.review_follows_prompt(request, "codex", "/work", Timestamp(0)).await?, "each has one review");
    let uses = store.prompt_uses("code_review", 10).await?;
    let seen: Vec<_> = uses.iter().map(|used| (used.client.as_str(), used.review)).collect();
    assert_eq!(seen, [("cursor", None), ("codex", Some((RequestStatus::Pending, None)))], "the latest first");
    let with: Vec<_> = uses.iter().map(|used| used.arguments.as_slice()).collect();
    assert_eq!(with, [secret.as_slice(), shown.as_slice()], "each with what it was given");
    let counts = store.prompt_counts().await?;
    assert_eq!(counts.get("code_review"), Some(&PromptCount { uses: 2, used_at: Timestamp(20) }));
    store.use_prompt("code_review", "cursor", "/x", &[], Timestamp(40)).await?;
    assert_eq!(store.prompt_clients("code_review").await?, [("cursor".to_owned(), 2), ("codex".to_owned(), 1)]);
    Ok(())
}
