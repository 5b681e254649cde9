//! The record out to a file, and a file into the record.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gate_api::subjects::conversations::{Exported, Imported};
use gate_core::export::{ExportFormat, ExportedConversation, FORMAT, VERSION, file_stem, to_markdown};
use gate_core::{Code, Fault, SessionUuid, Timestamp};
use gate_store::read_export;
use gate_texts::Texts;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::Conversations;
use crate::unknown::unknown_session;
use crate::work::blocking;

/// Conversations that are looked up at once.
const AT_ONCE: u32 = 500;
/// Faults that a conversation has by itself: the others of its file are not held up by it.
const OF_ONE_CONVERSATION: [Code; 4] = [Code::InvalidInput, Code::TooLarge, Code::TooMany, Code::InvalidDiff];
/// Most refused conversations that are named.
const REFUSED_NAMED: usize = 10;
/// Conversations that were read from a file and wait to be stored.
const READ_AHEAD: usize = 4;

impl Conversations {
    /// Writes one conversation, or all of them, to a new file.
    pub(crate) async fn export(
        &self,
        session: Option<SessionUuid>,
        format: ExportFormat,
        path: Option<&str>,
    ) -> Result<Exported, Fault> {
        let (named, exports) = (path.map(str::to_owned), self.folders.exports.clone());
        let (id, stem) = (self.bus.new_id(), self.stem_of(session).await?);
        let begun = blocking(move || {
            let path = match named.as_deref().map(absolute).transpose()? {
                Some(folder) if folder.is_dir() => free_path(&folder, &stem, format)?,
                Some(path) => path,
                None => {
                    std::fs::create_dir_all(&exports).map_err(|error| unwritable(&exports, &error))?;
                    free_path(&exports, &stem, format)?
                }
            };
            if path.exists() {
                return Err(exists(&path));
            }
            let partial = partial_of(&path, id);
            let out = create_new(&path, &partial)?;
            Ok((path, partial, out))
        });
        let (path, partial, out) = begun.await?;
        let written = self.write_export(session, format, &path, out).await;
        let whole = path.clone();
        let conversations = blocking(move || {
            let finished = written.and_then(|count| finish(&partial, &whole).map(|()| count));
            if finished.is_err() {
                // It may have been finished and then gone.
                let _ = std::fs::remove_file(&partial);
            }
            finished
        });
        Ok(Exported { conversations: conversations.await?, path: path.display().to_string() })
    }

    /// What the file is called, without its ending.
    async fn stem_of(&self, session: Option<SessionUuid>) -> Result<String, Fault> {
        let Some(session) = session else { return Ok(format!("review-gate-all-{}", self.day_of(self.bus.now()))) };
        let conversation = self.store.conversation(session).await?.ok_or_else(|| unknown_session(session))?;
        Ok(file_stem(&conversation, &self.day_of(conversation.created_at)))
    }

    /// The day of a moment as the person's calendar has it, `2026-11-21`.
    fn day_of(&self, at: Timestamp) -> String {
        let here = Timestamp(at.0.saturating_add(i64::from(self.bus.local_offset(at)) * 1000));
        here.to_string().chars().take(10).collect()
    }

    async fn write_export(
        &self,
        session: Option<SessionUuid>,
        format: ExportFormat,
        path: &Path,
        mut out: BufWriter<File>,
    ) -> Result<u64, Fault> {
        let mut count = 0;
        if format == ExportFormat::Json {
            let head = format!(
                "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"exported_at\":\"{}\",\"conversations\":[",
                self.bus.now()
            );
            out.write_all(head.as_bytes()).map_err(|error| unwritable(path, &error))?;
        }
        let mut after = None;
        loop {
            let sessions = match session {
                Some(session) => vec![session],
                None => self.store.sessions_after(after, AT_ONCE).await?,
            };
            let Some(last) = sessions.last().copied() else { break };
            for each in sessions {
                let Some(exported) = self.store.export(each).await? else {
                    // It was deleted meanwhile, unless it is the one that was asked for.
                    if session.is_some() {
                        return Err(unknown_session(each));
                    }
                    continue;
                };
                let shown = path.to_owned();
                let writing = blocking(move || {
                    let text = written(&exported, format, count == 0)?;
                    out.write_all(text.as_bytes()).map_err(|error| unwritable(&shown, &error))?;
                    Ok(out)
                });
                out = writing.await?;
                count += 1;
            }
            after = Some(last);
            if session.is_some() {
                break;
            }
        }
        let shown = path.to_owned();
        let syncing = blocking(move || {
            if format == ExportFormat::Json {
                out.write_all(b"\n]}\n").map_err(|error| unwritable(&shown, &error))?;
            }
            let file = out.into_inner().map_err(|error| unwritable(&shown, error.error()))?;
            file.sync_all().map_err(|error| unwritable(&shown, &error))
        });
        syncing.await?;
        Ok(count)
    }

    /// Reads a file that was exported as JSON into the record.
    pub(crate) async fn import(self: &Arc<Self>, path: &str) -> Result<Imported, Fault> {
        let path = absolute(path)?;
        let file = blocking(move || opened(&path)).await?;
        let (send, mut conversations) = mpsc::channel(READ_AHEAD);
        let reading = tokio::task::spawn_blocking(move || {
            read_export(file, |conversation| send.blocking_send(conversation).is_ok())
        });
        let (mut new, mut messages, mut known, mut refused) = (0, 0, 0, Vec::new());
        let mut stored = Ok(());
        while let Some(conversation) = conversations.recv().await {
            match self.store.import(&conversation, self.bus.now()).await.map_err(Fault::from) {
                Ok(gate_store::Imported::New(entries)) => (new, messages) = (new + 1, messages + entries),
                Ok(gate_store::Imported::Known) => known += 1,
                Err(fault) if OF_ONE_CONVERSATION.contains(&fault.code) => refused.push(fault.message),
                Err(fault) => {
                    stored = Err(fault);
                    break;
                }
            }
        }
        drop(conversations);
        let read = reading.await.map_err(|error| Fault::internal(error.to_string()))?;
        if new > 0 {
            self.search.said();
            self.conversations_changed();
            self.back_up_soon();
        }
        stored?;
        read?;
        let refused_count = refused.len() as u64;
        refused.truncate(REFUSED_NAMED);
        Ok(Imported { conversations: new, messages, known, refused: refused_count, reasons: refused })
    }

    /// What was imported has no second copy until it is in a backup.
    fn back_up_soon(self: &Arc<Self>) {
        if self.settings.in_force().storage.backups == 0 {
            return;
        }
        let conversations = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(fault) = conversations.back_up().await {
                conversations.bus.warn(fault);
            }
        });
    }
}

/// A new file in a folder. It blocks.
fn free_path(folder: &Path, stem: &str, format: ExportFormat) -> Result<PathBuf, Fault> {
    let ending = format.ending();
    let names = (1..1000).map(|number| match number {
        1 => format!("{stem}.{ending}"),
        number => format!("{stem}-{number}.{ending}"),
    });
    let mut free = names.map(|name| folder.join(name)).filter(|path| !path.exists());
    free.next().ok_or_else(|| {
        Fault::new(
            Code::TooMany,
            format!("{} holds a thousand exports of this already.", folder.display()),
            "Move them away.",
        )
    })
}

/// A file that is to be read. It blocks.
fn opened(path: &Path) -> Result<File, Fault> {
    // A pipe's end would be waited for without an end.
    if !std::fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Err(unreadable(path, "it is no file"));
    }
    File::open(path).map_err(|error| unreadable(path, &error.to_string()))
}

/// A conversation as it stands in the file.
fn written(exported: &ExportedConversation, format: ExportFormat, first: bool) -> Result<String, Fault> {
    let between = match (format, first) {
        (ExportFormat::Markdown, true) => "",
        (ExportFormat::Markdown, false) => "\n\n",
        (ExportFormat::Json, true) => "\n",
        (ExportFormat::Json, false) => ",\n",
    };
    let text = match format {
        ExportFormat::Markdown => to_markdown(exported, &Texts::english()),
        ExportFormat::Json => serde_json::to_string(exported).map_err(|error| Fault::internal(error.to_string()))?,
    };
    Ok(format!("{between}{text}"))
}

fn absolute(path: &str) -> Result<PathBuf, Fault> {
    let path = PathBuf::from(path);
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Fault::new(Code::InvalidInput, "`path` is not absolute.", "Name the file by its whole path."))
}

/// Where a file is written until it is whole: a name that nobody else has.
fn partial_of(path: &Path, id: Uuid) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.partial", id.simple()));
    PathBuf::from(name)
}

fn create_new(path: &Path, partial: &Path) -> Result<BufWriter<File>, Fault> {
    let file = gate_os::files::private().write(true).create_new(true).open(partial);
    Ok(BufWriter::new(file.map_err(|error| unwritable(path, &error))?))
}

/// Gives the whole file its name; one that got that name meanwhile stays.
fn finish(partial: &Path, path: &Path) -> Result<(), Fault> {
    match std::fs::hard_link(partial, path) {
        Ok(()) => {
            // The file has its own name already.
            let _ = std::fs::remove_file(partial);
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists(path)),
        // Some file systems know no links.
        Err(_) => std::fs::rename(partial, path).map_err(|error| unwritable(path, &error)),
    }
}

fn exists(path: &Path) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("{} exists already.", path.display()),
        "Name another file, or move that one away.",
    )
}

fn unreadable(path: &Path, why: &str) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be read: {why}.", path.display()),
        "Name a file that `review-gate export --format json` made.",
    )
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be written: {error}.", path.display()),
        "Name a file in a folder that you may write to, on a disk with free space.",
    )
}
