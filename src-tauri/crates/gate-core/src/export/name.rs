//! What the file of an exported conversation is called.

use crate::clients::english_name;
use crate::conversation::Conversation;

/// Longest part of a name that is made of a title, and of an agent's name, in bytes: systems take 255 bytes in all.
const TITLE_BYTES: usize = 100;
const AGENT_BYTES: usize = 40;

/// The name without its ending: title, agent and `day`, e.g. `retry-webhook-deliveries-claude-code-2026-11-21`. It is
/// made of small letters and digits of any script and of hyphens, which every system takes.
#[must_use]
pub fn file_stem(conversation: &Conversation, day: &str) -> String {
    let title = match slug(&conversation.title, TITLE_BYTES) {
        title if title.is_empty() => "conversation".to_owned(),
        title => title,
    };
    let agent = slug(&english_name(&conversation.client), AGENT_BYTES);
    let parts: Vec<&str> = [title.as_str(), agent.as_str(), day].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

/// The first words of a text, as many as there is room for; of a word that is longer by itself, its beginning.
fn slug(text: &str, most: usize) -> String {
    let mut slug = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if slug.is_empty() {
            slug.extend(word.chars().scan(0, |bytes, c| {
                *bytes += c.len_utf8();
                (*bytes <= most).then_some(c)
            }));
        } else if slug.len() + 1 + word.len() <= most {
            slug.push('-');
            slug.push_str(&word);
        } else {
            break;
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionUuid;
    use crate::session::SessionStatus;
    use crate::timestamp::Timestamp;

    fn named(title: &str, client: &str) -> String {
        let conversation = Conversation {
            session_uuid: SessionUuid(uuid::Uuid::from_u128(7)),
            title: title.to_owned(),
            status: SessionStatus::Completed,
            client: client.to_owned(),
            client_version: String::new(),
            workspace: String::new(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
            messages: 0,
            progress: None,
        };
        file_stem(&conversation, "2026-11-21")
    }

    #[test]
    fn a_file_is_called_by_what_was_asked_who_asked_and_when() {
        assert_eq!(named("Retry webhooks?", "claude-code"), "retry-webhooks-claude-code-2026-11-21");
        assert_eq!(named("Rename `Account` – or not", "codex-mcp-client"), "rename-account-or-not-codex-2026-11-21");
        assert_eq!(named("", "x"), "conversation-x-2026-11-21", "what has asked nothing");
        assert_eq!(named("删除旧表？", "cursor"), "删除旧表-cursor-2026-11-21", "letters of any script");
    }

    #[test]
    fn nothing_in_a_name_means_something_to_a_system_and_none_is_too_long() {
        let hostile = ["../../etc/passwd", "a\u{202e}b\nc\0d", "CON", "x: y|z<>\"*?\\", "...", " . "];
        for title in hostile {
            let name = named(title, title);
            assert!(name.ends_with("-2026-11-21"), "{name:?} is no name of a device, and ends in no dot");
            assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-') && !name.starts_with('-'), "{name:?}");
        }
        for long in ["word ".repeat(200), "x".repeat(1000), "长".repeat(1000), "İ".repeat(500)] {
            let name = named(&long, &long);
            assert!(name.len() <= TITLE_BYTES + AGENT_BYTES + 12, "{} bytes", name.len());
            assert!(name.len() > TITLE_BYTES / 2, "as much as there is room for: {name}");
        }
    }
}
