//! What changed since a subscriber was told last, and which resources that touches.

use std::collections::HashSet;

use gate_core::SessionUuid;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::port::Change;
use crate::uri::Target;

/// Changes that are told together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Some changes were missed: anything may be other.
    everything: bool,
    /// The list of conversations is another.
    list: bool,
    config: bool,
    prompts: bool,
    conversations: HashSet<SessionUuid>,
    checkpoints: HashSet<SessionUuid>,
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
            Change::Began(session) => {
                self.list = true;
                self.conversations.insert(session);
            }
            Change::Conversation(session) => {
                self.conversations.insert(session);
            }
            Change::Checkpoints(session) => {
                self.checkpoints.insert(session);
            }
            Change::Config => self.config = true,
            Change::Prompts => self.prompts = true,
            Change::Anything => self.everything = true,
        }
    }

    /// Whether a resource reads otherwise than before.
    pub(super) fn touches(&self, target: &Target) -> bool {
        let touched = match target {
            Target::Conversations | Target::Active => self.list || !self.conversations.is_empty(),
            Target::Conversation(session) | Target::Session(session) => self.conversations.contains(session),
            Target::Checkpoints(session) => self.checkpoints.contains(session),
            Target::Config => self.config,
            Target::Templates | Target::Template(_) | Target::Skills | Target::Skill(_) => self.prompts,
            // What is attached stays as it is.
            Target::Attachment(_) => return false,
        };
        touched || self.everything
    }

    /// Whether `resources/list` reads otherwise than before.
    pub(super) fn touches_list(&self) -> bool {
        self.list || self.prompts || self.everything
    }

    /// Whether `prompts/list` reads otherwise than before.
    pub(super) fn touches_prompts(&self) -> bool {
        self.prompts || self.everything
    }
}

#[cfg(test)]
mod tests {
    use gate_core::AttachmentId;
    use tokio::sync::broadcast;
    use uuid::Uuid;

    use super::*;

    const ONE: SessionUuid = SessionUuid(Uuid::from_u128(1));
    const OTHER: SessionUuid = SessionUuid(Uuid::from_u128(2));

    /// What is touched, by name; whether the lists are, as `list` and `prompts`.
    fn touched(news: &News) -> Vec<&'static str> {
        let targets = [
            ("conversations", Target::Conversations),
            ("active", Target::Active),
            ("conversation", Target::Conversation(ONE)),
            ("session", Target::Session(ONE)),
            ("checkpoints", Target::Checkpoints(ONE)),
            ("other conversation", Target::Conversation(OTHER)),
            ("other session", Target::Session(OTHER)),
            ("other checkpoints", Target::Checkpoints(OTHER)),
            ("config", Target::Config),
            ("attachment", Target::Attachment(AttachmentId(Uuid::from_u128(1)))),
            ("templates", Target::Templates),
            ("template", Target::Template("a".into())),
            ("skills", Target::Skills),
            ("skill", Target::Skill("a".into())),
        ];
        let touched = targets.into_iter().filter(|(_, target)| news.touches(target)).map(|(name, _)| name);
        let lists = [("list", news.touches_list()), ("prompts", news.touches_prompts())];
        touched.chain(lists.into_iter().filter(|(_, touched)| *touched).map(|(name, _)| name)).collect()
    }

    #[tokio::test]
    async fn a_change_touches_what_shows_it_and_nothing_else() {
        let (sender, mut changes) = broadcast::channel(8);
        for (change, expected) in [
            (Change::Began(ONE), &["conversations", "active", "conversation", "session", "list"][..]),
            (Change::Conversation(ONE), &["conversations", "active", "conversation", "session"]),
            (Change::Checkpoints(ONE), &["checkpoints"]),
            (Change::Config, &["config"]),
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
            sender.send(change).unwrap();
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
