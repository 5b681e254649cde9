//! [`Forge`]: what is asked of a platform, whichever it is.

use std::fmt;
use std::sync::Arc;

use crate::base::Base;
use crate::error::{ForgeError, Happened};
use crate::model::{Access, Account, Found, Issue, Pull, PullId, Repository, Review, Seen, Thread};
use crate::write::{Done, Prepared, Write};

/// A platform with the token of one user. Its calls block until there is an answer: async code goes through [`asked`].
///
/// Each call is one request, or one for each page of a list. Errors are [`ForgeError`]'s; a name that can't be one is
/// [`ForgeError::Invalid`] before anything is sent.
pub trait Forge: fmt::Debug + Send + Sync {
    /// Where it is.
    fn base(&self) -> &Base;

    /// Whose the token is.
    ///
    /// # Errors
    /// [`ForgeError::Auth`] where it is nobody's.
    fn me(&self) -> Result<Account, ForgeError>;

    /// A project.
    ///
    /// # Errors
    /// Refused with 404, too, where the token's user may not see it.
    fn repository(&self, project: &str) -> Result<Repository, ForgeError>;

    /// What somebody may do in a project.
    ///
    /// # Errors
    /// None for not being told: that is [`Access::Unknown`].
    fn access(&self, project: &str, who: &Account) -> Result<Access, ForgeError>;

    /// A pull request.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn pull(&self, pull: &PullId) -> Result<Pull, ForgeError>;

    /// A pull request if it may have changed since the ETag was given.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn changed(&self, pull: &PullId, etag: Option<&str>) -> Result<Seen<Pull>, ForgeError>;

    /// The newest commit of a pull request.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn head(&self, pull: &PullId) -> Result<String, ForgeError> {
        self.pull(pull).map(|pull| pull.head)
    }

    /// The labels of a pull request.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn labels(&self, pull: &PullId) -> Result<Vec<String>, ForgeError> {
        self.pull(pull).map(|pull| pull.labels)
    }

    /// The commit that two have in common.
    ///
    /// # Errors
    /// Refused where they have none.
    fn merge_base(&self, project: &str, base: &str, head: &str) -> Result<String, ForgeError>;

    /// Pull requests from a branch of the project itself, in every state, the newest first.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn pulls_from(&self, project: &str, branch: &str) -> Result<Vec<Pull>, ForgeError>;

    /// Open pull requests anywhere that ask for a review by this user: a hundred, those that changed last.
    ///
    /// # Errors
    /// [`ForgeError`]'s.
    fn waiting(&self, me: &Account, etag: Option<&str>) -> Result<Seen<Vec<PullId>>, ForgeError>;

    /// The threads of a pull request that can be resolved, all of them, the oldest first.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn threads(&self, pull: &PullId) -> Result<Vec<Thread>, ForgeError>;

    /// One thread.
    ///
    /// # Errors
    /// Refused with 404 where there is none of that name.
    fn thread(&self, pull: &PullId, id: &str) -> Result<Thread, ForgeError>;

    /// The reviews of a pull request, the token's user's pending one among them; GitLab has none.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn reviews(&self, pull: &PullId) -> Result<Vec<Review>, ForgeError>;

    /// The threads that a review holds, also one that only its author sees: what was taken of what was sent.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] on GitLab.
    fn held_by(&self, pull: &PullId, review: &Review) -> Result<Vec<Thread>, ForgeError>;

    /// What this user posted to a pull request that ends in one of the markers: reviews, comments, threads and answers, those
    /// among them that only they see. Text that merely quotes a marker isn't ours. What was posted may be found late.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn find(&self, pull: &PullId, me: &Account, markers: &[String]) -> Result<Vec<Found>, ForgeError>;

    /// An issue.
    ///
    /// # Errors
    /// As [`Forge::repository`].
    fn issue(&self, project: &str, number: u64) -> Result<Issue, ForgeError>;

    /// The request that a write becomes. Sends nothing.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] for what this platform doesn't have.
    fn prepare(&self, write: &Write) -> Result<Prepared, ForgeError>;

    /// Sends a write.
    ///
    /// # Errors
    /// Where [`ForgeError::happened`] is `Maybe`, what it makes is to be looked for before it is sent again.
    fn perform(&self, prepared: &Prepared) -> Result<Done, ForgeError>;
}

/// Asks from async code: on a thread of the runtime's for what blocks.
///
/// # Errors
/// The call's; [`ForgeError::Unreachable`] where the runtime ends meanwhile.
pub async fn asked<T: Send + 'static>(
    forge: &Arc<dyn Forge>,
    ask: impl FnOnce(&dyn Forge) -> Result<T, ForgeError> + Send + 'static,
) -> Result<T, ForgeError> {
    let forge = Arc::clone(forge);
    let ended = tokio::task::spawn_blocking(move || ask(forge.as_ref())).await;
    ended.unwrap_or_else(|_| {
        Err(ForgeError::Unreachable { cause: "the gate ends".to_owned(), happened: Happened::Maybe })
    })
}
