//! A signed word that the prompts' repository has new commits. All that it can do is to have the repository looked at
//! now.

use gate_door::port::{NotTaken, Webhook};
use gate_prompts::sync::webhook::{Webhook as Said, read, verify};
use gate_prompts::sync::{Secret, Source};

use super::Prompts;

impl Prompts {
    /// Whether a secret is set for webhooks, and a repository that they could be about.
    pub(crate) fn expects_webhooks(&self) -> bool {
        self.signed_by().is_some()
    }

    /// Looks at a webhook, and has the repository looked at where it says that something was pushed.
    pub(crate) fn webhook(&self, webhook: &Webhook<'_>) -> Result<&'static str, NotTaken> {
        let (secret, source) = self.signed_by().ok_or(NotTaken::Unexpected)?;
        verify(&secret, webhook.body, Some(webhook.signature)).map_err(NotTaken::Unsigned)?;
        match read(webhook.event, webhook.body, &source).map_err(NotTaken::Unreadable)? {
            Said::Ping => Ok("pong"),
            Said::Push { matches: true } => match self.prompts_pushed(webhook.delivery) {
                true => Ok("syncing"),
                false => Ok("known already"),
            },
            Said::Push { matches: false } => Ok("not the branch that is served"),
            Said::Other => Ok("nothing to do"),
        }
    }

    /// What webhooks are signed with, and the repository that they are about.
    fn signed_by(&self) -> Option<(Secret, Source)> {
        let secret = Secret::new(self.settings.in_force().prompts.webhook_secret.trim());
        let source = self.prompts_source()?;
        (!secret.expose().is_empty()).then_some((secret, source))
    }
}
