//! What changed since a subscriber was told last, and which resources that touches.

use std::collections::HashSet;

use gate_core::proposal::ReviewId;
use gate_core::{Owner, SessionUuid};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::port::{Change, ConnectionPort};
use crate::resource::Resource;
use crate::resources::All;

/// Changes that are told together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Some changes were missed: anything may be other.
    everything: bool,
    changes: HashSet<Change>,
}

impl News {
    /// Waits for a change, and takes every one that is there with it. Absent when none will come.
    pub(super) async fn next(changes: &mut Receiver<Change>) -> Option<Self> {
        let mut news = Self::default();
        match changes.recv().await {
            Ok(change) => news.add(change),
            Err(RecvError::Lagged(_)) => news.everything = true,
            Err(RecvError::Closed) => return None,
        }
        loop {
            match changes.try_recv() {
                Ok(change) => news.add(change),
                Err(TryRecvError::Lagged(_)) => news.everything = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Some(news),
            }
        }
    }

    fn add(&mut self, change: Change) {
        match change {
            Change::Anything => self.everything = true,
            change => drop(self.changes.insert(change)),
        }
    }

    /// Without what changed in sessions and reviews that the client may not see; of what it doesn't hear anyway, nothing is asked.
    pub(super) async fn seen_by(
        mut self,
        client: &Owner,
        gate: &dyn ConnectionPort,
        hears: impl Fn(&Change) -> bool,
    ) -> Self {
        let heard = || self.changes.iter().filter(|change| hears(change));
        let sessions: HashSet<SessionUuid> = heard().filter_map(Change::session).collect();
        let reviews: HashSet<ReviewId> = heard().filter_map(Change::review).collect();
        for session in sessions {
            if !gate.sees(session, client).await {
                self.changes.retain(|change| change.session() != Some(session));
            }
        }
        for review in reviews {
            if !gate.sees_review(review, client).await {
                self.changes.retain(|change| change.review() != Some(review));
            }
        }
        self
    }

    /// Whether a resource reads otherwise than before.
    pub(super) fn touches(&self, resource: &dyn Resource) -> bool {
        let touched = |change: &Change| match change {
            Change::Resource(uri) => *uri == resource.uri(),
            change => resource.reads_otherwise(change),
        };
        resource.may_change() && (self.everything || self.changes.iter().any(touched))
    }

    /// Whether `resources/list` reads otherwise than before.
    pub(super) fn touches_list(&self, all: &All) -> bool {
        let touched = |change: &Change| all.iter().any(|resources| resources.is_listed_otherwise(change));
        self.everything || self.changes.iter().any(touched)
    }

    /// Whether `prompts/list` reads otherwise than before.
    pub(super) fn touches_prompts(&self) -> bool {
        self.everything || self.changes.contains(&Change::Prompts)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::broadcast;
    use uuid::Uuid;

    use super::*;
    use crate::config::CONFIG;
    use crate::fake_gate::resources;
    use crate::resources::named;

    const ONE: SessionUuid = SessionUuid(Uuid::from_u128(1));
    const OTHER: SessionUuid = SessionUuid(Uuid::from_u128(2));

    /// What is touched, by name; whether the lists are, as `list` and `prompts`.
    fn touched(news: &News) -> Vec<&'static str> {
        let all = resources();
        let below = |path: &str| format!("file://review-gate/{path}");
        let targets = [
            ("conversations", below("conversations")),
            ("active", below("conversations/active")),
            ("conversation", below(&format!("conversations/{ONE}"))),
            ("session", below(&format!("sessions/{ONE}"))),
            ("checkpoints", below(&format!("checkpoints/{ONE}"))),
            ("other conversation", below(&format!("conversations/{OTHER}"))),
            ("other session", below(&format!("sessions/{OTHER}"))),
            ("other checkpoints", below(&format!("checkpoints/{OTHER}"))),
            ("config", below("config")),
            ("attachment", below(&format!("attachments/{ONE}"))),
            ("templates", below("templates")),
            ("template", below("templates/a")),
            ("skills", "skill://index.json".to_owned()),
            ("skill", "skill://a/SKILL.md".to_owned()),
        ];
        let is_touched = |uri: &str| named(&all, uri).is_some_and(|(resource, _)| news.touches(resource.as_ref()));
        let touched = targets.into_iter().filter(|(_, uri)| is_touched(uri)).map(|(name, _)| name);
        let lists = [("list", news.touches_list(&all)), ("prompts", news.touches_prompts())];
        touched.chain(lists.into_iter().filter(|(_, touched)| *touched).map(|(name, _)| name)).collect()
    }

    #[tokio::test]
    async fn a_change_touches_what_shows_it_and_nothing_else() {
        let (sender, mut changes) = broadcast::channel(8);
        for (change, expected) in [
            (Change::Began(ONE), &["conversations", "active", "conversation", "session", "list"][..]),
            (Change::Conversation(ONE), &["conversations", "active", "conversation", "session"]),
            (Change::Checkpoints(ONE), &["checkpoints"]),
            (Change::Resource(CONFIG.to_owned()), &["config"]),
            (Change::Prompts, &["templates", "template", "skills", "skill", "list", "prompts"]),
            (
                Change::Anything,
                &[
                    "conversations",
                    "active",
                    "conversation",
                    "session",
                    "checkpoints",
                    "other conversation",
                    "other session",
                    "other checkpoints",
                    "config",
                    "templates",
                    "template",
                    "skills",
                    "skill",
                    "list",
                    "prompts",
                ],
            ),
        ] {
            sender.send(change.clone()).unwrap();
            let news = News::next(&mut changes).await.unwrap();
            assert_eq!(touched(&news), expected, "{change:?}");
        }
    }

    #[tokio::test]
    async fn changes_that_came_together_are_told_once_and_missed_ones_touch_everything() {
        let (sender, mut changes) = broadcast::channel(4);
        for change in [Change::Conversation(ONE), Change::Conversation(ONE), Change::Checkpoints(OTHER)] {
            sender.send(change).unwrap();
        }
        let news = News::next(&mut changes).await.unwrap();
        assert_eq!(touched(&news), ["conversations", "active", "conversation", "session", "other checkpoints"]);
        for _ in 0..10 {
            sender.send(Change::Checkpoints(OTHER)).unwrap();
        }
        let all = News::next(&mut changes).await.unwrap();
        assert_eq!(touched(&all).len(), 15, "all that can change, and the lists: {all:?}");
        drop(sender);
        assert_eq!(News::next(&mut changes).await, None, "and the end is the end");
    }
}
