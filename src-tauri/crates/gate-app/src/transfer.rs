//! The record out to a file, and a file into the record.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use gate_api::Answer;
use gate_core::export::{ExportFormat, ExportedConversation, FORMAT, VERSION, to_markdown};
use gate_core::{Code, Fault, SessionUuid};
use gate_store::{Imported, read_export};
use tokio::sync::mpsc;

use crate::clock::now;
use crate::gate::{Gate, unknown_session};

/// Conversations that are looked up at once.
const AT_ONCE: u32 = 500;
/// Conversations that were read from a file and wait to be stored.
const READ_AHEAD: usize = 4;

impl Gate {
    /// Writes one conversation, or all of them, to a new file.
    pub(crate) async fn export(
        &self,
        session: Option<SessionUuid>,
        format: ExportFormat,
        path: Option<&str>,
    ) -> Result<Answer, Fault> {
        let path = match path {
            Some(path) => absolute(path)?,
            None => self.export_path(session, format)?,
        };
        let partial = partial_of(&path);
        let written = self.write_export(session, format, &path, &partial).await;
        if written.is_err() {
            // It may not have been made.
            let _ = std::fs::remove_file(&partial);
        }
        let conversations = written?;
        Ok(Answer::Exported { path: path.display().to_string(), conversations })
    }

    async fn write_export(
        &self,
        session: Option<SessionUuid>,
        format: ExportFormat,
        path: &Path,
        partial: &Path,
    ) -> Result<u64, Fault> {
        if path.exists() {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{} exists already.", path.display()),
                "Name another file, or move that one away.",
            ));
        }
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(partial);
        let mut out = BufWriter::new(file.map_err(|error| unwritable(path, &error))?);
        let mut count = 0;
        if format == ExportFormat::Json {
            let head = format!(
                "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"exported_at\":\"{}\",\"conversations\":[",
                now()
            );
            out.write_all(head.as_bytes()).map_err(|error| unwritable(path, &error))?;
        }
        let mut after = None;
        loop {
            let sessions = match session {
                Some(session) => vec![session],
                None => self.inner.store.sessions_after(after, AT_ONCE).await?,
            };
            let Some(last) = sessions.last().copied() else { break };
            for each in sessions {
                let Some(exported) = self.inner.store.export(each).await? else {
                    // It was deleted meanwhile, unless it is the one that was asked for.
                    if session.is_some() {
                        return Err(unknown_session(each));
                    }
                    continue;
                };
                let text = tokio::task::spawn_blocking(move || written(&exported, format, count == 0)).await;
                let text = text.map_err(|error| Fault::internal(error.to_string()))??;
                out.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))?;
                count += 1;
            }
            after = Some(last);
            if session.is_some() {
                break;
            }
        }
        if format == ExportFormat::Json {
            out.write_all(b"\n]}\n").map_err(|error| unwritable(path, &error))?;
        }
        let file = out.into_inner().map_err(|error| unwritable(path, error.error()))?;
        file.sync_all().map_err(|error| unwritable(path, &error))?;
        std::fs::rename(partial, path).map_err(|error| unwritable(path, &error))?;
        Ok(count)
    }

    /// A new file in the person's download folder.
    fn export_path(&self, session: Option<SessionUuid>, format: ExportFormat) -> Result<PathBuf, Fault> {
        let folder = self.inner.exports.clone();
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        let ending = match format {
            ExportFormat::Markdown => "md",
            ExportFormat::Json => "json",
        };
        let what = session.map_or_else(|| "all".to_owned(), |session| session.to_string());
        let names = (1..1000).map(|number| match number {
            1 => format!("review-gate-{what}.{ending}"),
            number => format!("review-gate-{what}-{number}.{ending}"),
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

    /// Reads a file that was exported as JSON into the record.
    pub(crate) async fn import(&self, path: &str) -> Result<Answer, Fault> {
        let path = absolute(path)?;
        let file = File::open(&path).map_err(|error| {
            Fault::new(
                Code::UnreadableFile,
                format!("{} can't be read: {error}.", path.display()),
                "Name a file that `review-gate export --format json` made.",
            )
        })?;
        let (send, mut conversations) = mpsc::channel(READ_AHEAD);
        let reading = tokio::task::spawn_blocking(move || {
            read_export(file, |conversation| send.blocking_send(conversation).is_ok())
        });
        let (mut new, mut messages, mut known) = (0, 0, 0);
        let mut stored = Ok(());
        while let Some(conversation) = conversations.recv().await {
            match self.inner.store.import(&conversation).await {
                Ok(Imported::New(entries)) => (new, messages) = (new + 1, messages + entries),
                Ok(Imported::Known) => known += 1,
                Err(error) => {
                    stored = Err(Fault::from(error));
                    break;
                }
            }
        }
        drop(conversations);
        let read = reading.await.map_err(|error| Fault::internal(error.to_string()))?;
        if new > 0 {
            self.inner.said.notify_one();
            self.conversations_changed();
        }
        stored?;
        read?;
        Ok(Answer::Imported { conversations: new, messages, known })
    }
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
        ExportFormat::Markdown => to_markdown(exported),
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

fn partial_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be written: {error}.", path.display()),
        "Name a file in a folder that you may write to, on a disk with free space.",
    )
}
