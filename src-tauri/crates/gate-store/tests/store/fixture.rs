//! A folder with a record in it, and what was said there.

use std::path::PathBuf;

use gate_core::{
    AnsweredFrom, Ask, AttachmentId, Caller, Choice, Code, Decision, Declared, Digest, Draft, Fault, LineComment,
    Owner, OwnerId, Remark, Reply, RequestId, SessionUuid, Side, Timestamp,
};
use gate_store::{NewRequest, OpenOptions, Opened, Store, StoreError};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// 2026-11-21, in milliseconds since the Unix epoch.
pub(crate) const NOW: i64 = 1_795_232_961_125;

pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.file("review-gate.db")
    }

    pub(crate) fn backups(&self) -> PathBuf {
        self.file("backups")
    }

    pub(crate) fn options(&self) -> OpenOptions {
        OpenOptions { backups: Some(self.backups()), ..OpenOptions::new(self.database(), Timestamp(NOW)) }
    }

    pub(crate) async fn open(&self) -> Result<Opened, StoreError> {
        Store::open(&self.options()).await
    }

    /// Opens a record that must be well.
    pub(crate) async fn open_well(&self) -> Result<Store, Box<dyn std::error::Error>> {
        let opened = self.open().await?;
        match opened.recovery {
            None => Ok(opened.store),
            Some(recovery) => Err(format!("nothing was damaged, and yet: {recovery:?}").into()),
        }
    }

    /// How many rows a table has.
    pub(crate) fn count(&self, table: &str) -> Result<i64, Box<dyn std::error::Error>> {
        self.number(&format!("SELECT count(*) FROM {table}"))
    }

    /// Damages the first page of an index, which a quick look finds: the rows themselves can all be read.
    pub(crate) fn spoil_index(&self, index: &str) -> Outcome {
        let page = self.number(&format!("SELECT rootpage FROM sqlite_schema WHERE name = '{index}'"))?;
        let page = usize::try_from(page)?;
        let mut bytes = std::fs::read(self.database())?;
        bytes[(page - 1) * 4096..page * 4096].fill(0);
        Ok(std::fs::write(self.database(), &bytes)?)
    }

    /// The number that a statement gives to the `sqlite3` program.
    fn number(&self, statement: &str) -> Result<i64, Box<dyn std::error::Error>> {
        let output = std::process::Command::new("sqlite3").arg(self.database()).arg(statement).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }

    /// The folders below one of this name: what was set aside.
    pub(crate) fn set_aside(&self, name: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.file(name)).into_iter().flatten();
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
    }
}

pub(crate) async fn ask(store: &Store, message: &str, at: i64) -> Result<NewRequest, StoreError> {
    ask_in(store, SessionUuid(Uuid::now_v7()), message, at).await
}

pub(crate) async fn ask_in(
    store: &Store,
    session_uuid: SessionUuid,
    message: &str,
    at: i64,
) -> Result<NewRequest, StoreError> {
    ask_as(store, token("test"), session_uuid, message, at).await
}

/// The same, by a client of its own.
pub(crate) async fn ask_as(
    store: &Store,
    owner: Owner,
    session_uuid: SessionUuid,
    message: &str,
    at: i64,
) -> Result<NewRequest, StoreError> {
    let choice = |label: &str| Choice { label: label.to_owned(), description: None, recommended: false };
    let request_id = RequestId(Uuid::now_v7());
    let new = NewRequest {
        request_id,
        session_uuid,
        ask: Ask { message: message.to_owned(), options: vec![choice("now"), choice("later")], ..Ask::default() },
        caller: Caller { client: "test".to_owned(), client_version: "1".to_owned(), workspace: "/w".to_owned() },
        declared: Declared::default(),
        relay: None,
        owner,
        call_key: format!("relay:{request_id}"),
        question: format!("digest of {message}"),
        now: Timestamp(at),
    };
    store.ask(&new).await?;
    Ok(new)
}

/// The client with a token of this name.
pub(crate) fn token(name: &str) -> Owner {
    OwnerId::Token(name.to_owned()).into()
}

pub(crate) fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

/// Replies to a request as whoever has just read it does.
pub(crate) async fn reply(
    store: &Store,
    request: RequestId,
    decision: Option<Decision>,
    draft: &Draft,
    from: AnsweredFrom,
    at: Timestamp,
) -> Result<Reply, StoreError> {
    let read = store.request(request).await?;
    let read = read.ok_or_else(|| StoreError::Unexpected(format!("there is no request {request}")))?;
    store.answer(request, Digest::of_question(&read.ask)?, decision, draft, from, at).await
}

pub(crate) async fn answer(store: &Store, request: RequestId, words: &str) -> Result<Reply, StoreError> {
    reply(store, request, Some(Decision::Approved), &text(words), AnsweredFrom::Desktop, Timestamp(NOW)).await
}

/// Questions with replies of every kind: with a choice, a comment on a line, a file; and one that
/// waits.
pub(crate) async fn conversations(
    store: &Store,
    count: usize,
) -> Result<Vec<(RequestId, Reply)>, Box<dyn std::error::Error>> {
    let mut replies = Vec::new();
    for number in 0..count {
        let asked = ask(store, &format!("Question {number}? {}", "Because. ".repeat(40)), NOW).await?;
        let mut draft = text(&format!("Reply {number}: yes, but mind the gap – {}", "words ".repeat(20 * number)));
        if number % 2 == 0 {
            draft.selected.push("now".to_owned());
        }
        if number % 3 == 0 {
            draft.remarks.push(Remark { quote: "Because.".into(), body: format!("Why {number}?") });
            draft.comments.push(LineComment {
                file: "a.rs".into(),
                start_line: (number % 2 == 0).then_some(3),
                line: 7,
                side: Side::New,
                body: "why?".into(),
            });
        }
        if number % 4 == 0 {
            let id = AttachmentId(Uuid::now_v7());
            let bytes = format!("attachment {number} ").repeat(400);
            store.attach(asked.request_id, id, "notes.txt", bytes.as_bytes(), Timestamp(NOW)).await?;
            draft.attachments.push(id);
        }
        let decision = (number % 2 == 0).then_some(Decision::ChangesRequested);
        let from = AnsweredFrom::Desktop;
        let given = reply(store, asked.request_id, decision, &draft, from, Timestamp(NOW)).await?;
        replies.push((asked.request_id, given));
    }
    ask(store, "And this one?", NOW).await?;
    Ok(replies)
}

/// Every reply is there as it was given, with the bytes of its files.
pub(crate) async fn all_there(store: &Store, replies: &[(RequestId, Reply)], what: &str) -> Outcome {
    for (request, given) in replies {
        let found = store.standing(*request).await?.and_then(|standing| standing.reply);
        assert_eq!(found.as_ref(), Some(given), "{what}: a committed reply is there, word for word");
        for attachment in &given.attachments {
            let bytes = store.attachment_bytes(attachment.attachment_id).await?.unwrap_or_default();
            assert_eq!(bytes.len() as u64, attachment.size, "{what}: with the bytes of its files");
            assert!(bytes.starts_with(b"attachment "), "{what}: as they were");
        }
    }
    Ok(())
}

pub(crate) async fn reply_text(store: &Store, request: RequestId) -> Result<Option<String>, StoreError> {
    Ok(store.standing(request).await?.and_then(|standing| standing.reply).map(|reply| reply.text))
}

pub(crate) fn code<T>(result: Result<T, StoreError>) -> Option<Code> {
    result.err().map(|error| Fault::from(error).code)
}

/// The number for this run: `full` in a campaign (`cargo xtask campaign`), `short` in any other.
pub(crate) fn campaign<T>(full: T, short: T) -> T {
    if crate::shared_campaign::is_on() { full } else { short }
}

/// The same numbers at every run (xorshift).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap_or(0)
    }
}

/// Runs a statement with the `sqlite3` program, as somebody else would.
pub(crate) fn sqlite3(database: &std::path::Path, statement: &str) -> Outcome {
    let output = std::process::Command::new("sqlite3").arg(database).arg(statement).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
