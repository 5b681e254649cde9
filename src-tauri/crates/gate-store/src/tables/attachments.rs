//! Attachments: names and types in one table, bytes once for each content in another.

use gate_core::ask::at_most_chars;
use gate_core::ids::unknown_request;
use gate_core::{Attachment, AttachmentId, Code, Fault, OwnerId, RequestId, Timestamp, bounds};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::files;
use crate::json::to_json;
use crate::rows::{Attached, AttachmentRow, BlobRow};
use crate::store::Store;

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
        let stored = Stored { id, request, name, bytes, position: None, at: now };
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let attachment = stored.insert(&mut tx).await?;
        tx.commit().await?;
        Ok(attachment)
    }

    /// Attachments whose identifier begins so, the latest first, and how many there are in all; of one owner, where one
    /// is named.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn attachments_like(
        &self,
        beginning: &str,
        most: u32,
        owner: Option<&OwnerId>,
    ) -> Result<(Vec<AttachmentId>, u64), StoreError> {
        let (from, to) = super::conversations::range_of(beginning);
        let owner = owner.map(ToString::to_string);
        let found = sqlx::query_scalar!(
            "SELECT a.attachment_id FROM attachments a
             JOIN review_requests r ON r.request_id = a.request_id
             JOIN conversations c ON c.session_uuid = r.session_uuid
             WHERE a.attachment_id >= ?1 AND a.attachment_id < ?2 AND (?4 IS NULL OR c.owner = ?4)
             ORDER BY a.attachment_id DESC LIMIT ?3",
            from,
            to,
            most,
            owner,
        )
        .fetch_all(&self.readers)
        .await?;
        let count = sqlx::query_scalar!(
            "SELECT count(*) FROM attachments a
             JOIN review_requests r ON r.request_id = a.request_id
             JOIN conversations c ON c.session_uuid = r.session_uuid
             WHERE a.attachment_id >= ?1 AND a.attachment_id < ?2 AND (?3 IS NULL OR c.owner = ?3)",
            from,
            to,
            owner,
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
        Ok(Attached::read(&self.readers, id).await?.map(Attached::into_attachment))
    }

    /// The request that a file was attached to.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn request_of_attachment(&self, id: AttachmentId) -> Result<Option<RequestId>, StoreError> {
        Ok(Attached::read(&self.readers, id).await?.map(|attached| attached.row.request_id))
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
        let found = Attached::of_replies(&self.readers, &to_json(&[request])?).await?;
        Ok(found.into_iter().map(Attached::into_attachment).collect())
    }
}

/// A file that is stored. Its type is found in its bytes.
pub(crate) struct Stored<'a> {
    pub(crate) id: AttachmentId,
    pub(crate) request: RequestId,
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
    /// Its place in the reply; absent while it belongs to a draft.
    pub(crate) position: Option<usize>,
    pub(crate) at: Timestamp,
}

impl Stored<'_> {
    /// # Errors
    /// When SQLite fails, as it does where there is one of this identifier.
    pub(crate) async fn insert(self, to: &mut SqliteConnection) -> Result<Attachment, StoreError> {
        let (sha256, mime_type) = (files::sha256(self.bytes), sniff(self.bytes));
        BlobRow { sha256: &sha256, bytes: self.bytes }.insert_missing(to).await?;
        let row = AttachmentRow {
            attachment_id: self.id,
            request_id: self.request,
            sha256: sha256.into(),
            name: (&self.name).into(),
            mime_type: mime_type.into(),
            position: self.position,
            created_at: self.at.0,
        };
        row.insert(to).await?;
        let size = self.bytes.len() as u64;
        Ok(Attachment { attachment_id: self.id, name: self.name, mime_type: mime_type.to_owned(), size })
    }
}

/// The last part of a path of any platform, so that a name can't lead out of a folder.
pub(crate) fn file_name(name: &str) -> String {
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
