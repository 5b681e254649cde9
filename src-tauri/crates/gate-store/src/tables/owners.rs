//! Whose conversations are, and with them everything in them. Who may have what is whose is decided elsewhere.

use gate_core::{AttachmentId, Owner, OwnerId, RequestId, SessionUuid};

use crate::error::StoreError;
use crate::store::Store;

/// A session, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    /// The session.
    pub session_uuid: SessionUuid,
    /// Absent while it is nobody's.
    pub owner: Option<Owner>,
}

/// Reads whose conversations are; `$tail` says which.
macro_rules! owned {
    ($tail:literal, $argument:expr) => {
        sqlx::query!("SELECT c.session_uuid, c.owner, c.heirs FROM conversations c " + $tail, $argument).map(
            |row| -> Result<Owned, StoreError> {
                let owner = row.owner.as_deref().map(owner_id).transpose()?;
                let owner = owner.map(|id| Owner { id, heirs: row.heirs });
                Ok(Owned { session_uuid: row.session_uuid.parse()?, owner })
            },
        )
    };
}

/// One that can't be read is nobody's whom a caller could be.
fn owner_id(text: &str) -> Result<OwnerId, StoreError> {
    OwnerId::parse(text).ok_or_else(|| StoreError::Unexpected(format!("owner {text:?}")))
}

impl Store {
    /// Whose a session is; absent where there is none.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn owner_of_session(&self, session: SessionUuid) -> Result<Option<Owned>, StoreError> {
        let session = session.to_string();
        owned!("WHERE c.session_uuid = ?1", session).fetch_optional(&self.readers).await?.transpose()
    }

    /// The session of a request, and whose it is; absent where there is no such request.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn owner_of_request(&self, request: RequestId) -> Result<Option<Owned>, StoreError> {
        let request = request.to_string();
        let found =
            owned!("JOIN review_requests r ON r.session_uuid = c.session_uuid WHERE r.request_id = ?1", request);
        found.fetch_optional(&self.readers).await?.transpose()
    }

    /// The session of an attachment, and whose it is; absent where there is no such attachment.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn owner_of_attachment(&self, attachment: AttachmentId) -> Result<Option<Owned>, StoreError> {
        let attachment = attachment.to_string();
        let found = owned!(
            "JOIN review_requests r ON r.session_uuid = c.session_uuid
             JOIN attachments a ON a.request_id = r.request_id WHERE a.attachment_id = ?1",
            attachment
        );
        found.fetch_optional(&self.readers).await?.transpose()
    }

    /// Makes a session another's, or nobody's. False where it isn't the one's any more that it was found to be.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn hand_over(&self, found: &Owned, to: Option<&Owner>) -> Result<bool, StoreError> {
        let session = found.session_uuid.to_string();
        let from = found.owner.as_ref().map(|owner| owner.id.to_string());
        let owner = to.map(|owner| owner.id.to_string());
        let heirs = to.and_then(|owner| owner.heirs.as_deref());
        let done = sqlx::query!(
            "UPDATE conversations SET owner = ?2, heirs = ?3 WHERE session_uuid = ?1 AND owner IS ?4",
            session,
            owner,
            heirs,
            from,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}
