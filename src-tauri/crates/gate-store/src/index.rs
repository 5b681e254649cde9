//! The words of the record: a full-text index (SQLite FTS5) in a database of its own.
//!
//! It is made from the record and can be made anew at any time, so nothing in it is worth a sync or
//! a backup, and damage to it never touches the record. Its statements are written for a database
//! that the compiler doesn't know; tests check them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use gate_core::page::bad_cursor;
use gate_core::search::{Words, indexed, joined, said};
use gate_core::{Conversation, ConversationQuery, Found, Hit, Page, PermissionSaid, Place, Role, SessionUuid, bounds};
use sqlx::AssertSqlSafe;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use tokio::sync::Mutex;

use crate::error::StoreError;
use crate::files;
use crate::json::{from_json, to_json};
use crate::options::JournalMode;
use crate::store::Store;
use crate::tables::permission_said;

/// What the index holds; another number makes it anew.
const LAYOUT: i64 = 2;
/// Messages of one part of the index, as bits of their number. FTS5 reads everything that it has of a
/// word's beginning before it gives the first match: in a part, that is little, and a page of a common
/// word is found in the newest ones.
const PART_BITS: u32 = 16;
/// Messages that go into the index in one transaction, and bytes of their texts.
const BATCH: i64 = 500;
const BATCH_BYTES: i64 = 2 * 1024 * 1024;
/// Matches that are looked through for one page: where nearly none of them is in a conversation that
/// is looked for, the page is short, and its cursor leads on.
const LOOKED_THROUGH: usize = 10_000;
/// Matches that are looked up in the record at once, at first; each further time within a part, twice
/// as many.
const CHUNK: usize = 500;
/// Connections that read.
const READERS: u32 = 2;

/// The index beside a record.
#[derive(Debug, Clone)]
pub struct SearchIndex {
    store: Store,
    /// Another one after the index was found damaged.
    pool: Arc<RwLock<SqlitePool>>,
    path: PathBuf,
    /// Held while messages are brought in: none may come in twice.
    bringing_in: Arc<Mutex<()>>,
}

/// A match with what is asked about its message.
struct Match {
    message_id: i64,
    session_uuid: SessionUuid,
    role: Role,
}

impl SearchIndex {
    /// Opens the index, or makes it anew where it is missing, damaged, or of another record.
    ///
    /// # Errors
    /// When it can't be made.
    pub async fn open(store: &Store, path: &Path) -> Result<Self, StoreError> {
        let record_id = record_id(store).await?;
        let newest = newest_message(store).await?;
        if path.exists() {
            match connect(store, path).await {
                Ok(pool) => {
                    if fits(&pool, &record_id, newest).await {
                        return Ok(Self::of(store, pool, path));
                    }
                    pool.close().await;
                }
                Err(error) => tracing::warn!(%error, "the search index is made anew"),
            }
            remove(path)?;
        }
        let pool = connect(store, path).await?;
        make(&pool, &record_id).await?;
        Ok(Self::of(store, pool, path))
    }

    fn of(store: &Store, pool: SqlitePool, path: &Path) -> Self {
        let pool = Arc::new(RwLock::new(pool));
        Self { store: store.clone(), pool, path: path.to_owned(), bringing_in: Arc::default() }
    }

    fn pool(&self) -> SqlitePool {
        self.pool.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes the index anew where what was done with it found it damaged; it is empty then.
    async fn mended<T>(&self, done: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        let detail = match done {
            Err(StoreError::Index(detail)) => detail,
            done => return done.map(Some),
        };
        tracing::warn!(detail, "the search index is damaged and made anew");
        let _alone = self.bringing_in.lock().await;
        self.pool().close().await;
        remove(&self.path)?;
        let record_id = record_id(&self.store).await?;
        let pool = connect(&self.store, &self.path).await?;
        make(&pool, &record_id).await?;
        *self.pool.write().unwrap_or_else(PoisonError::into_inner) = pool;
        Ok(None)
    }

    /// Brings the next messages into the index. Returns how many are still missing.
    ///
    /// # Errors
    /// When SQLite fails; what was brought in before stays.
    pub async fn catch_up(&self) -> Result<u64, StoreError> {
        let done = self.bring_in().await;
        self.mended(done).await?;
        self.missing().await
    }

    async fn bring_in(&self) -> Result<(), StoreError> {
        let _alone = self.bringing_in.lock().await;
        let pool = self.pool();
        let indexed_to = indexed_to(&pool).await?;
        // Before the messages are looked at: one that comes in between is among them.
        let newest = newest_message(&self.store).await?;
        let last = self.last_of_batch(indexed_to).await?.unwrap_or(newest);
        let rows = sqlx::query!(
            r#"SELECT m.message_id, m.session_uuid, m.role, m.body, r.title,
                      a.selected AS "selected?: String", a.comments AS "comments?: String",
                      a.remarks AS "remarks?: String",
                      (SELECT group_concat(f.name, ' ') FROM attachments f
                       WHERE f.request_id = m.request_id AND f.position IS NOT NULL) AS "files?: String"
               FROM messages m
               JOIN review_requests r ON r.request_id = m.request_id
               LEFT JOIN replies a ON a.request_id = m.request_id
               WHERE m.message_id > ?1 AND m.message_id <= ?2 ORDER BY m.message_id"#,
            indexed_to,
            last,
        )
        .fetch_all(&self.store.readers)
        .await?;
        if last <= indexed_to {
            return Ok(());
        }
        let mut tx = pool.begin().await.map_err(of_index)?;
        for part in part_of(indexed_to)..=part_of(last) {
            // `session` is a column, so that what is found can be asked for one conversation alone. The
            // texts themselves are in the record.
            let make = format!(
                "CREATE VIRTUAL TABLE IF NOT EXISTS words_{part} USING fts5 (session, title, body, content = '',
                     contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2')"
            );
            sqlx::query(AssertSqlSafe(make)).execute(&mut *tx).await.map_err(of_index)?;
        }
        for row in &rows {
            let asks = row.role == Role::Agent.as_str();
            let title = row.title.as_deref().filter(|_| asks).unwrap_or_default();
            let body = match asks {
                true => indexed(&row.body),
                false => {
                    // Unlike a comment's JSON, this one's names are words that people look for.
                    let remarks: Vec<gate_core::Remark> =
                        row.remarks.as_deref().and_then(|text| from_json(text).ok()).unwrap_or_default();
                    let remarks = remarks.iter().flat_map(|remark| [remark.quote.as_str(), remark.body.as_str()]);
                    let words = [
                        Some(row.body.as_str()),
                        row.selected.as_deref(),
                        row.comments.as_deref(),
                        row.files.as_deref(),
                    ];
                    indexed(&words.into_iter().flatten().chain(remarks).collect::<Vec<_>>().join("\n"))
                }
            };
            let part = part_of(row.message_id);
            let insert = format!("INSERT INTO words_{part} (rowid, session, title, body) VALUES (?1, ?2, ?3, ?4)");
            sqlx::query(AssertSqlSafe(insert))
                .bind(row.message_id)
                .bind(one_word(&row.session_uuid))
                .bind(indexed(title))
                .bind(body)
                .execute(&mut *tx)
                .await
                .map_err(of_index)?;
        }
        sqlx::query("UPDATE about SET indexed_to = ?1").bind(last).execute(&mut *tx).await.map_err(of_index)?;
        tx.commit().await.map_err(of_index)
    }

    /// The last message of the next batch: so many, or so many bytes. Absent where there is none.
    async fn last_of_batch(&self, indexed_to: i64) -> Result<Option<i64>, StoreError> {
        let sizes = sqlx::query!(
            r#"SELECT message_id, octet_length(body) AS "bytes!: i64" FROM messages
               WHERE message_id > ?1 ORDER BY message_id LIMIT ?2"#,
            indexed_to,
            BATCH,
        )
        .fetch_all(&self.store.readers)
        .await?;
        let mut room = BATCH_BYTES;
        let mut last = None;
        for size in sizes {
            room -= size.bytes;
            if room < 0 && last.is_some() {
                break;
            }
            last = Some(size.message_id);
        }
        Ok(last)
    }

    /// How many messages of the record are not in the index yet.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn missing(&self) -> Result<u64, StoreError> {
        let missing = newest_message(&self.store).await? - indexed_to(&self.pool()).await?;
        Ok(u64::try_from(missing).unwrap_or(0))
    }

    /// Conversations that hold all of the words in one message, by their newest such message; `query`
    /// narrows them down.
    ///
    /// # Errors
    /// `invalid_cursor` for a place of another list; `too_large` and `too_many` of [`Words::parse`];
    /// or when SQLite fails.
    pub async fn find(
        &self,
        words: &Words,
        query: &ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Found>, StoreError> {
        let found = self.look_for(words, query, after).await;
        Ok(self.mended(found).await?.unwrap_or(Page { items: Vec::new(), next: None }))
    }

    async fn look_for(
        &self,
        words: &Words,
        query: &ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Found>, StoreError> {
        let pool = self.pool();
        let from = match after {
            None => indexed_to(&pool).await?.saturating_add(1),
            Some(Place::Message(message)) => message.min(indexed_to(&pool).await?.saturating_add(1)),
            Some(Place::Conversation { .. }) => return Err(bad_cursor().into()),
        };
        if from <= 1 {
            return Ok(Page { items: Vec::new(), next: None });
        }
        let expression = format!("{{title body}} : ({})", words.expression());
        let mut found: Vec<Match> = Vec::new();
        // Those of this page, those of the pages before, and those that aren't looked for.
        let mut known = HashSet::new();
        let (mut place, mut at_once, mut looked_through) = (from, CHUNK, 0);
        let next = loop {
            let part = part_of(place - 1);
            let ids = ids_before(&pool, &expression, place, at_once).await?;
            let mut matches = self.matches(&ids).await?;
            matches.retain(|candidate| known.insert(candidate.session_uuid));
            let sessions: Vec<SessionUuid> = matches.iter().map(|candidate| candidate.session_uuid).collect();
            let newest = self.store.looked_for(&sessions, query).await?;
            for candidate in matches {
                let Some(newest) = newest.get(&candidate.session_uuid) else { continue };
                // Nearly always, a conversation goes on in one go, and has nothing newer than the page.
                if *newest >= from && was_shown(&pool, &expression, &candidate, from, *newest).await? {
                    continue;
                }
                found.push(candidate);
                if found.len() > bounds::PAGE_ITEMS {
                    break;
                }
            }
            if found.len() > bounds::PAGE_ITEMS {
                found.truncate(bounds::PAGE_ITEMS);
                break found.last().map(|last| Place::Message(last.message_id));
            }
            if ids.len() < at_once {
                (place, at_once) = (first_of(part), CHUNK);
                if part == 0 {
                    break None;
                }
            } else {
                (place, at_once) = (ids.last().copied().unwrap_or(place), at_once * 2);
            }
            looked_through += ids.len();
            if looked_through >= LOOKED_THROUGH {
                break Some(Place::Message(place));
            }
        };
        let items = self.with_conversations(found, words).await?;
        Ok(Page { items, next })
    }

    /// The messages of matches that the record still holds, the newest first.
    async fn matches(&self, ids: &[i64]) -> Result<Vec<Match>, StoreError> {
        let ids = to_json(&ids)?;
        let rows = sqlx::query!(
            "SELECT m.message_id, m.session_uuid, m.role
             FROM json_each(?1) wanted JOIN messages m ON m.message_id = wanted.value
             ORDER BY m.message_id DESC",
            ids,
        )
        .fetch_all(&self.store.readers)
        .await?;
        let matches = rows.into_iter().map(|row| {
            let role = Role::parse(&row.role).ok_or_else(|| StoreError::Unexpected(format!("role {:?}", row.role)))?;
            Ok(Match { message_id: row.message_id, session_uuid: row.session_uuid.parse()?, role })
        });
        matches.collect()
    }

    async fn with_conversations(&self, found: Vec<Match>, words: &Words) -> Result<Vec<Found>, StoreError> {
        let sessions: Vec<SessionUuid> = found.iter().map(|hit| hit.session_uuid).collect();
        let messages: Vec<i64> = found.iter().map(|hit| hit.message_id).collect();
        let mut conversations = self.store.conversations_of(&sessions).await?;
        let texts = self.texts(&messages).await?;
        let items = found.into_iter().filter_map(|hit| {
            let at = conversations.iter().position(|conversation| conversation.session_uuid == hit.session_uuid)?;
            let conversation: Conversation = conversations.swap_remove(at);
            let found = texts.iter().find(|found| found.0 == hit.message_id);
            let (text, permission) = found.map_or(("", None), |(_, text, said)| (text, said.clone()));
            let pieces = words.piece_of(text);
            let hit = Some(Hit { message_id: hit.message_id, role: hit.role, permission, pieces });
            Some(Found { conversation, hit })
        });
        Ok(items.collect())
    }

    /// What is shown of messages: an agent's after its title, a person's with what they chose and
    /// commented; and what each says of a permission question.
    async fn texts(&self, messages: &[i64]) -> Result<Vec<(i64, String, Option<PermissionSaid>)>, StoreError> {
        let messages = to_json(&messages)?;
        let rows = sqlx::query!(
            r#"SELECT m.message_id, m.role, m.body, r.title, a.selected AS "selected?: String",
                      a.comments AS "comments?: String", a.remarks AS "remarks?: String",
                      a.decision AS "decision?: String",
                      CASE WHEN json_valid(r.permission) THEN r.permission ->> 'form' END AS "form?: String", r.ended,
                      CASE WHEN m.role = 'person' AND json_valid(r.permission) THEN r.permission -> 'rules' END
                          AS "rules?: String"
               FROM json_each(?1) wanted
               JOIN messages m ON m.message_id = wanted.value
               JOIN review_requests r ON r.request_id = m.request_id
               LEFT JOIN replies a ON a.request_id = m.request_id"#,
            messages,
        )
        .fetch_all(&self.store.readers)
        .await?;
        let mut texts = Vec::with_capacity(rows.len());
        for row in rows {
            let role = Role::parse(&row.role).ok_or_else(|| StoreError::Unexpected(format!("role {:?}", row.role)))?;
            let of = [&row.form, &row.rules, &row.decision, &row.selected, &row.ended].map(Option::as_deref);
            let permission = permission_said(role, of)?;
            let text = if role == Role::Agent {
                joined(row.title.into_iter().chain([row.body]).collect())
            } else {
                let selected: Vec<String> = row.selected.as_deref().map(from_json).transpose()?.unwrap_or_default();
                let comments: Vec<gate_core::LineComment> =
                    row.comments.as_deref().map(from_json).transpose()?.unwrap_or_default();
                let remarks: Vec<gate_core::Remark> =
                    row.remarks.as_deref().map(from_json).transpose()?.unwrap_or_default();
                said(&row.body, &selected, &comments, &remarks)
            };
            texts.push((row.message_id, text, permission));
        }
        Ok(texts)
    }

    /// Takes one message out of the index, if it is there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn forget(&self, message: i64) -> Result<(), StoreError> {
        let done = self.forget_one(message).await;
        self.mended(done).await.map(drop)
    }

    async fn forget_one(&self, message: i64) -> Result<(), StoreError> {
        // What is just being brought in goes after it has come.
        let _alone = self.bringing_in.lock().await;
        let pool = self.pool();
        if message > indexed_to(&pool).await? {
            return Ok(());
        }
        let delete = format!("DELETE FROM words_{} WHERE rowid = ?1", part_of(message));
        sqlx::query(AssertSqlSafe(delete)).bind(message).execute(&pool).await.map(drop).map_err(of_index)
    }

    /// Takes messages that the record no longer holds out of the index, the oldest first; returns how
    /// many it looked at, from `from` on, and where to go on.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn forget_deleted(&self, from: i64) -> Result<Option<i64>, StoreError> {
        let done = self.forget_some(from).await;
        Ok(self.mended(done).await?.flatten())
    }

    async fn forget_some(&self, from: i64) -> Result<Option<i64>, StoreError> {
        let pool = self.pool();
        let indexed_to = indexed_to(&pool).await?;
        if from >= indexed_to {
            return Ok(None);
        }
        let last_part = part_of(indexed_to);
        let (mut part, mut ids) = (part_of(from), Vec::new());
        while ids.is_empty() && part <= last_part {
            let select = format!("SELECT rowid FROM words_{part} WHERE rowid > ?1 ORDER BY rowid LIMIT ?2");
            ids = sqlx::query_scalar::<_, i64>(AssertSqlSafe(select))
                .bind(from)
                .bind(BATCH)
                .fetch_all(&pool)
                .await
                .map_err(of_index)?;
            part += 1;
        }
        let Some(last) = ids.last().copied() else { return Ok(None) };
        let looked_for = to_json(&ids)?;
        let kept = sqlx::query_scalar!(
            "SELECT m.message_id FROM json_each(?1) wanted JOIN messages m ON m.message_id = wanted.value",
            looked_for,
        )
        .fetch_all(&self.store.readers)
        .await?;
        let gone: Vec<i64> = ids.into_iter().filter(|id| !kept.contains(id)).collect();
        if !gone.is_empty() {
            let mut tx = pool.begin().await.map_err(of_index)?;
            for id in gone {
                let delete = format!("DELETE FROM words_{} WHERE rowid = ?1", part_of(id));
                sqlx::query(AssertSqlSafe(delete)).bind(id).execute(&mut *tx).await.map_err(of_index)?;
            }
            tx.commit().await.map_err(of_index)?;
        }
        Ok(Some(last))
    }

    /// Closes the index.
    pub async fn close(&self) {
        self.pool().close().await;
    }

    /// The index's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The part of the index that holds a message.
fn part_of(message_id: i64) -> i64 {
    message_id >> PART_BITS
}

/// The smallest number of a part's messages.
fn first_of(part: i64) -> i64 {
    part << PART_BITS
}

/// Matches before a message, the newest first: those of the nearest part only.
async fn ids_before(
    pool: &SqlitePool,
    expression: &str,
    message_id: i64,
    at_most: usize,
) -> Result<Vec<i64>, StoreError> {
    let part = part_of(message_id - 1);
    let select = format!(
        "SELECT rowid FROM words_{part} WHERE words_{part} MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3"
    );
    sqlx::query_scalar(AssertSqlSafe(select))
        .bind(expression)
        .bind(message_id)
        .bind(i64::try_from(at_most).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
        .map_err(of_index)
}

/// Whether a page before showed the conversation: it has a newer match, from `from` on.
async fn was_shown(
    pool: &SqlitePool,
    expression: &str,
    candidate: &Match,
    from: i64,
    newest: i64,
) -> Result<bool, StoreError> {
    let session = one_word(&candidate.session_uuid.to_string());
    let expression = format!("session : {session} AND {expression}");
    for part in part_of(from)..=part_of(newest.min(indexed_to(pool).await?)) {
        let select =
            format!("SELECT rowid FROM words_{part} WHERE words_{part} MATCH ?1 AND rowid BETWEEN ?2 AND ?3 LIMIT 1");
        let newer: Option<i64> = sqlx::query_scalar(AssertSqlSafe(select))
            .bind(&expression)
            .bind(from)
            .bind(newest)
            .fetch_optional(pool)
            .await
            .map_err(of_index)?;
        if newer.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An identifier as one word of the index.
fn one_word(id: &str) -> String {
    id.replace('-', "")
}

/// A failure of the index's own database: damage to it is none of the record.
fn of_index(error: sqlx::Error) -> StoreError {
    let error = StoreError::from(error);
    if error.says_damaged() { StoreError::Index(error.to_string()) } else { error }
}

async fn record_id(store: &Store) -> Result<String, StoreError> {
    Ok(sqlx::query_scalar!("SELECT record_id FROM record").fetch_one(&store.readers).await?)
}

/// The largest number that a message ever had; it may be deleted.
async fn newest_message(store: &Store) -> Result<i64, StoreError> {
    let newest = sqlx::query_scalar!(
        r#"SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0) AS "newest!: i64""#
    )
    .fetch_one(&store.readers)
    .await?;
    Ok(newest)
}

async fn connect(store: &Store, path: &Path) -> Result<SqlitePool, StoreError> {
    let journal_mode = match store.journal_mode() {
        JournalMode::Wal => SqliteJournalMode::Wal,
        JournalMode::Rollback => SqliteJournalMode::Delete,
    };
    files::keep_to_owner(path);
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(journal_mode)
        // After a power failure it may have lost its newest words, which are brought in again.
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(std::time::Duration::from_secs(5));
    let pool = SqlitePoolOptions::new()
        .max_connections(READERS)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await?;
    Ok(pool)
}

async fn make(pool: &SqlitePool, record_id: &str) -> Result<(), StoreError> {
    let mut tx = pool.begin().await?;
    sqlx::query("CREATE TABLE about (layout INTEGER NOT NULL, record_id TEXT NOT NULL, indexed_to INTEGER NOT NULL)")
        .execute(&mut *tx)
        .await?;
    sqlx::query("INSERT INTO about (layout, record_id, indexed_to) VALUES (?1, ?2, 0)")
        .bind(LAYOUT)
        .bind(record_id)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Whether the index is of this layout and of this record, and has nothing that the record lacks.
async fn fits(pool: &SqlitePool, record_id: &str, newest: i64) -> bool {
    let about: Result<(i64, String, i64), _> =
        sqlx::query_as("SELECT layout, record_id, indexed_to FROM about").fetch_one(pool).await;
    about.is_ok_and(|(layout, of, indexed_to)| layout == LAYOUT && of == record_id && indexed_to <= newest)
}

async fn indexed_to(pool: &SqlitePool) -> Result<i64, StoreError> {
    sqlx::query_scalar("SELECT indexed_to FROM about").fetch_one(pool).await.map_err(of_index)
}

/// Removes the index's files, so that it is made anew.
///
/// # Errors
/// When one can't be removed.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::Unexpected(format!("the search index can't be removed: {error}")));
            }
            _ => {}
        }
    }
    Ok(())
}
