//! Attachments: names and types in one table, bytes once for each content in another.

use gate_core::ask::at_most_chars;
use gate_core::{Attachment, AttachmentId, Code, Fault, RequestId, Timestamp, bounds};
use sha2::{Digest, Sha256};
use sqlx::Connection;

use crate::drafts::unknown_request;
use crate::error::StoreError;
use crate::open::Store;

struct AttachmentRow {
    attachment_id: String,
    name: String,
    mime_type: String,
    size: i64,
}

impl AttachmentRow {
    fn into_attachment(self) -> Result<Attachment, StoreError> {
        Ok(Attachment {
            attachment_id: self.attachment_id.parse()?,
            name: self.name,
            mime_type: self.mime_type,
            size: u64::try_from(self.size).unwrap_or(0),
        })
    }
}

impl Store {
    /// Stores a file for a request. Its type is found in its bytes; folders in `name` are dropped.
    ///
    /// # Errors
    /// `too_large` over [`bounds::ATTACHMENT_BYTES`] and for a name over
    /// [`bounds::ATTACHMENT_NAME_CHARS`]; `unknown_request`; or when SQLite fails.
    pub async fn attach(
        &self,
        request: RequestId,
        id: AttachmentId,
        name: &str,
        bytes: &[u8],
        now: Timestamp,
    ) -> Result<Attachment, StoreError> {
        let name = file_name(name);
        at_most_chars("name", &name, bounds::ATTACHMENT_NAME_CHARS)?;
        if bytes.len() > bounds::ATTACHMENT_BYTES {
            return Err(Fault::new(
                Code::TooLarge,
                format!("{name:?} has {} bytes; an attachment may have {}.", bytes.len(), bounds::ATTACHMENT_BYTES),
                "Attach a smaller file, or write where the agent finds it.",
            )
            .into());
        }
        if self.status(request).await?.is_none() {
            return Err(unknown_request(request).into());
        }
        let sha256 = hex(&Sha256::digest(bytes));
        let mime_type = sniff(bytes);
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let (attachment_id, request_id) = (id.to_string(), request.to_string());
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        sqlx::query!(
            "INSERT INTO blobs (sha256, size, bytes) VALUES (?1, ?2, ?3) ON CONFLICT (sha256) DO NOTHING",
            sha256,
            size,
            bytes,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "INSERT INTO attachments (attachment_id, request_id, sha256, name, mime_type, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            attachment_id,
            request_id,
            sha256,
            name,
            mime_type,
            now.0,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Attachment { attachment_id: id, name, mime_type: mime_type.to_owned(), size: bytes.len() as u64 })
    }

    /// Attachments whose identifier begins so, the latest first, and how many there are in all.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn attachments_like(&self, beginning: &str, most: u32) -> Result<(Vec<AttachmentId>, u64), StoreError> {
        let (from, to) = crate::conversations::range_of(beginning);
        let found = sqlx::query_scalar!(
            "SELECT attachment_id FROM attachments WHERE attachment_id >= ?1 AND attachment_id < ?2
             ORDER BY attachment_id DESC LIMIT ?3",
            from,
            to,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        let count = sqlx::query_scalar!(
            "SELECT count(*) FROM attachments WHERE attachment_id >= ?1 AND attachment_id < ?2",
            from,
            to,
        )
        .fetch_one(&self.readers)
        .await?;
        let found = found.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect::<Result<_, _>>()?;
        Ok((found, u64::try_from(count).unwrap_or(0)))
    }

    /// What an attachment is.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn attachment(&self, id: AttachmentId) -> Result<Option<Attachment>, StoreError> {
        let attachment_id = id.to_string();
        let row = sqlx::query_as!(
            AttachmentRow,
            "SELECT a.attachment_id, a.name, a.mime_type, b.size
             FROM attachments a JOIN blobs b ON b.sha256 = a.sha256 WHERE a.attachment_id = ?1",
            attachment_id,
        )
        .fetch_optional(&self.readers)
        .await?;
        row.map(AttachmentRow::into_attachment).transpose()
    }

    /// An attachment's bytes.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn attachment_bytes(&self, id: AttachmentId) -> Result<Option<Vec<u8>>, StoreError> {
        let attachment_id = id.to_string();
        let bytes = sqlx::query_scalar!(
            "SELECT b.bytes FROM attachments a JOIN blobs b ON b.sha256 = a.sha256 WHERE a.attachment_id = ?1",
            attachment_id,
        )
        .fetch_optional(&self.readers)
        .await?;
        Ok(bytes)
    }

    /// The attachments of a reply, in its order.
    pub(crate) async fn reply_attachments(&self, request: RequestId) -> Result<Vec<Attachment>, StoreError> {
        let request_id = request.to_string();
        let rows = sqlx::query_as!(
            AttachmentRow,
            "SELECT a.attachment_id, a.name, a.mime_type, b.size
             FROM attachments a JOIN blobs b ON b.sha256 = a.sha256
             WHERE a.request_id = ?1 AND a.position IS NOT NULL ORDER BY a.position",
            request_id,
        )
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(AttachmentRow::into_attachment).collect()
    }
}

/// Stores an attachment of a reply with its bytes, as it was in another record.
pub(crate) async fn place(
    tx: &mut sqlx::Transaction<'_, sqlx::Sqlite>,
    request_id: &str,
    attachment: &Attachment,
    bytes: &[u8],
    position: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (sha256, attachment_id) = (hex(&Sha256::digest(bytes)), attachment.attachment_id.to_string());
    let (name, mime_type) = (file_name(&attachment.name), sniff(bytes));
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    sqlx::query!(
        "INSERT INTO blobs (sha256, size, bytes) VALUES (?1, ?2, ?3) ON CONFLICT (sha256) DO NOTHING",
        sha256,
        size,
        bytes,
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "INSERT INTO attachments (attachment_id, request_id, sha256, name, mime_type, position, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        attachment_id,
        request_id,
        sha256,
        name,
        mime_type,
        position,
        now.0,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The last part of a path of any platform, so that a name can't lead out of a folder.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).collect();
    match clean.trim() {
        "" | "." | ".." => "attachment".to_owned(),
        name => name.to_owned(),
    }
}

/// The media type that the first bytes show; text is told from other bytes by being UTF-8 without
/// control characters.
fn sniff(bytes: &[u8]) -> &'static str {
    if let Some(kind) = infer::get(bytes) {
        return kind.mime_type();
    }
    let text = std::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(|c| c.is_control() && !c.is_whitespace()));
    if text { "text/plain" } else { "application/octet-stream" }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out_of_a_folder() {
        for (given, kept) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\a\\b.txt", "b.txt"),
            ("..", "attachment"),
            ("é/名.png", "名.png"),
            ("a\u{0}b", "ab"),
        ] {
            assert_eq!(file_name(given), kept, "{given:?} keeps only its last part");
        }
    }

    #[test]
    fn the_type_comes_from_the_bytes() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n0000"), "image/png");
        assert_eq!(sniff("grüße\n".as_bytes()), "text/plain");
        assert_eq!(sniff(&[0, 1, 2, 255]), "application/octet-stream");
    }
}
