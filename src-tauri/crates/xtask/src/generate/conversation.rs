//! Conversations as they stand in an exported file (`gate-core/src/export.rs` owns the format), made
//! from a seed: the same for the same number and plan.

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::words::{Random, Vocabulary, chinese};

/// A word that a handful of messages hold, however many there are.
pub(crate) const RARE: &str = "quorlaxine";
/// How many messages hold it.
const RARE_MESSAGES: u64 = 5;
/// The first conversation begins then: 2024-11-01T00:00:00Z, in milliseconds since the Unix epoch.
const FIRST: u64 = 1_730_419_200_000;
/// From there to the beginning of the last one.
const SPAN_MILLIS: u64 = 715 * 24 * 3600 * 1000;
/// Messages of the largest conversations, where the average is 50.
const LARGEST: u64 = 1000;

const CLIENTS: &[&str] = &["claude-code", "cursor", "codex", "vscode", "windsurf", "zed", "goose", "my-own-agent"];
const WORKSPACES: &[&str] = &[
    "/home/you/shop",
    "/home/you/shop/frontend",
    "/home/you/payments",
    "/home/you/infra",
    "/home/you/docs",
    "/home/you/mobile",
    "/home/you/compiler",
    "/home/you/notebooks",
    "/home/you/games/chess",
    "/home/you/blog",
    "/home/you/data/import",
    "/home/you/scratch",
];
const ASKED: &[&str] = &["Shall I go on?", "Which of these do you want?", "Is that what you meant?", "May I merge it?"];
const CHECKPOINTS: &[&str] = &["before the migration", "tests pass", "after the review", "plan agreed", "first draft"];
const STEPS: &[&str] = &["read the code", "write a test", "change it", "run the tests", "write the changelog"];
const CODE: &[&str] = &[
    "fn charge(order: &Order) -> Result<Receipt> {\n    let key = order.idempotency_key();\n    bank.post(order.total(), key)\n}",
    "SELECT_LIMIT = 50\n\ndef page(rows, cursor):\n    return rows[cursor:cursor + SELECT_LIMIT]",
    "await queue.push({ id, retries: 3 });\nlog.info('queued', id);",
];

/// What is to be made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// 1 or more.
    pub(crate) conversations: u64,
    /// Questions and replies of all of them together, at least one for each conversation.
    pub(crate) messages: u64,
    pub(crate) seed: u64,
}

/// A conversation, ready to be written.
pub(crate) struct Made {
    pub(crate) session_uuid: String,
    pub(crate) has_checkpoints: bool,
    pub(crate) json: Value,
}

impl Plan {
    /// How many messages each conversation has: half of them one to three, one in fifty a thousand where
    /// the average is 50. They sum up to [`Self::messages`].
    pub(crate) fn sizes(&self) -> Vec<u64> {
        let mut random = Random::new(self.seed, u64::MAX);
        let mut wanted: Vec<u64> = (0..self.conversations)
            .map(|_| match random.below(100) {
                0..50 => random.within(1, 3),
                50..83 => random.within(4, 40),
                83..98 => random.within(40, 250),
                _ => LARGEST,
            })
            .collect();
        if let Some(first) = wanted.first_mut() {
            *first = LARGEST;
        }
        let sum: u64 = wanted.iter().sum();
        let free = self.messages.saturating_sub(self.conversations);
        let mut sizes: Vec<u64> = wanted.iter().map(|size| 1 + free * size / sum.max(1)).collect();
        let missing = self.messages.saturating_sub(sizes.iter().sum());
        for size in sizes.iter_mut().take(usize::try_from(missing).unwrap_or(usize::MAX)) {
            *size += 1;
        }
        sizes
    }

    /// One conversation with so many messages; `before` is how many messages the ones before it have.
    pub(crate) fn conversation(&self, vocabulary: &Vocabulary, number: u64, size: u64, before: u64) -> Made {
        let random = Random::new(self.seed, number);
        let begin = FIRST + SPAN_MILLIS / self.conversations.max(1) * number;
        let rare = (self.messages / RARE_MESSAGES).max(1);
        let mut writer = Writer { vocabulary, random, now: begin, is_chinese: false, named: 0, number };
        writer.is_chinese = writer.random.in_percent(3);
        let session_uuid = writer.uuid();
        let mut entries = Vec::new();
        let mut first_title = String::new();
        for question in 0..size.div_ceil(2) {
            let place = before + question * 2;
            let holds_rare = (place..before + size).take(2).any(|message| message % rare == rare / 2);
            let has_reply = question * 2 + 1 < size;
            let (title, asked, replied) = writer.exchange(holds_rare, has_reply);
            if question == 0 {
                first_title = title;
            }
            entries.push(asked);
            entries.extend(replied);
        }
        let progress = writer.random.in_percent(40).then(|| writer.progress());
        let checkpoints = if writer.random.in_percent(10) { writer.checkpoints(size, begin) } else { Vec::new() };
        let status = match writer.random.below(100) {
            0..70 => "completed",
            70..92 => "timeout",
            _ => "stale",
        };
        let over_http = writer.random.in_percent(20);
        let json = json!({
            "session_uuid": session_uuid,
            "title": first_title,
            "status": status,
            "client": writer.random.one_of(CLIENTS),
            "client_version": format!("{}.{}.{}", number % 3, number % 17, number % 29),
            "workspace": writer.random.one_of(WORKSPACES),
            "created_at": rfc3339(begin),
            "updated_at": rfc3339(writer.now),
            "messages": size,
            "progress": progress,
            "transport": if over_http { "http" } else { "stdio" },
            "protocol_version": "2025-11-25",
            "capabilities": "{}",
            "entries": entries,
            "visible": null,
            "checkpoints": checkpoints,
            "restores": [],
        });
        Made { session_uuid, has_checkpoints: json["checkpoints"] != json!([]), json }
    }
}

/// Where the writing of a conversation is.
struct Writer<'a> {
    vocabulary: &'a Vocabulary,
    random: Random,
    /// Milliseconds since the Unix epoch; moves on.
    now: u64,
    is_chinese: bool,
    /// Identifiers so far.
    named: u64,
    number: u64,
}

impl Writer<'_> {
    /// A UUID of version 7 (RFC 9562, section 5.7) of the present moment. What is random otherwise
    /// holds the conversation's number and the identifier's, so that no two are alike.
    fn uuid(&mut self) -> String {
        self.named += 1;
        let (now, noise) = (self.now, self.random.next());
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:06x}{:06x}",
            now >> 16,
            now & 0xffff,
            noise & 0xfff,
            0x8000 | (noise >> 12 & 0x3fff),
            self.number & 0xff_ffff,
            self.named & 0xff_ffff,
        )
    }

    fn pass(&mut self, low_seconds: u64, high_seconds: u64) {
        self.now += self.random.within(low_seconds * 1000, high_seconds * 1000);
    }

    /// A question and, if there is one, its reply; and the question's headline.
    fn exchange(&mut self, holds_rare: bool, has_reply: bool) -> (String, Value, Option<Value>) {
        self.pass(5, 900);
        let request_id = self.uuid();
        let title = self.title();
        let mut message = self.question();
        if holds_rare {
            message.push_str(&format!("\n\nIt is about {RARE}."));
        }
        let options = if self.random.in_percent(30) { self.options() } else { Vec::new() };
        let diff = self.random.in_percent(8).then(|| self.diff());
        let (asked_at, approval) = (self.now, diff.is_some() || self.random.in_percent(15));
        self.pass(3, 600);
        let status = match has_reply {
            true => "answered",
            false if self.random.in_percent(70) => "cancelled",
            false => "expired",
        };
        let ask = json!({
            "message": message,
            "title": title,
            "context": null,
            "urgent": self.random.in_percent(3),
            "options": options,
            "allow_multiple": false,
            "approval": approval,
            "diff": diff,
        });
        let replied = has_reply.then(|| self.reply(&request_id, &ask));
        let asked = json!({
            "request_id": request_id, "created_at": rfc3339(asked_at), "role": "agent",
            "ask": ask, "status": status, "closed_at": rfc3339(self.now),
        });
        (title, asked, replied)
    }

    fn title(&mut self) -> String {
        if self.is_chinese {
            return chinese(&mut self.random, 4);
        }
        let count = self.random.within(2, 8);
        self.vocabulary.sentences(&mut self.random, count)
    }

    /// 20 to 120 words of Markdown.
    fn question(&mut self) -> String {
        if self.is_chinese {
            let count = self.random.within(20, 80);
            return chinese(&mut self.random, count);
        }
        // Two draws: most are short.
        let count = self.random.within(20, 120).min(self.random.within(20, 120));
        let mut text = self.vocabulary.sentences(&mut self.random, count);
        if self.random.in_percent(25) {
            let items = self.random.within(2, 4);
            for _ in 0..items {
                let words = self.random.within(3, 8);
                text.push_str(&format!("\n- **{}** ", self.vocabulary.word(&mut self.random)));
                text.push_str(&self.vocabulary.words(&mut self.random, words));
            }
        }
        if self.random.in_percent(12) {
            text.push_str(&format!("\n\n```\n{}\n```\n", self.random.one_of(CODE)));
        }
        text.push_str("\n\n");
        text.push_str(self.random.one_of(ASKED));
        text
    }

    fn options(&mut self) -> Vec<Value> {
        let count = self.random.within(2, 4);
        let option = |number| {
            let label = format!("{number}. {}", self.vocabulary.words(&mut self.random, 2));
            json!({"label": label, "recommended": number == 1})
        };
        (1..=count).map(option).collect()
    }

    fn diff(&mut self) -> String {
        let file = self.vocabulary.word(&mut self.random).to_owned();
        let mut line = || self.vocabulary.words(&mut self.random, 5);
        let (same, old, new, more) = (line(), line(), line(), line());
        format!("--- a/src/{file}.rs\n+++ b/src/{file}.rs\n@@ -1,2 +1,3 @@\n {same}\n-{old}\n+{new}\n+{more}\n")
    }

    /// 1 to 40 words, a decision where one was asked for, sometimes a comment on a line of the diff.
    fn reply(&mut self, request_id: &str, ask: &Value) -> Value {
        let count = self.random.within(1, 40).min(self.random.within(1, 40));
        let text = match self.is_chinese {
            true => chinese(&mut self.random, count),
            false => self.vocabulary.sentences(&mut self.random, count),
        };
        let approved = self.random.in_percent(75);
        let decision = if approved { "approved" } else { "changes_requested" };
        let decision = (ask["approval"] == true).then_some(decision);
        let first = ask["options"][0]["label"].as_str().filter(|_| self.random.in_percent(60));
        let file = ask["diff"].as_str().and_then(|diff| diff.lines().nth(1)?.strip_prefix("+++ b/"));
        let comments: Vec<Value> = file
            .filter(|_| !approved)
            .map(|file| json!({"file": file, "line": 2, "side": "new", "body": self.vocabulary.words(&mut self.random, 6)}))
            .into_iter()
            .collect();
        let from = match self.random.below(100) {
            0..80 => "desktop",
            80..90 => "browser",
            _ => "terminal",
        };
        json!({
            "request_id": request_id, "created_at": rfc3339(self.now), "role": "person",
            "text": text, "decision": decision, "selected": Vec::from_iter(first), "comments": comments,
            "attachments": [], "answered_from": from, "delivered_at": rfc3339(self.now + 5),
        })
    }

    fn progress(&mut self) -> Value {
        let done = usize::try_from(self.random.below(STEPS.len() as u64 + 1)).unwrap_or(0);
        let at = rfc3339(self.now);
        let step = |(index, name): (usize, &&str)| match index < done {
            true => json!({"name": name, "state": "completed", "started_at": null, "ended_at": at}),
            false => json!({"name": name, "state": "pending", "started_at": null, "ended_at": null}),
        };
        let steps: Vec<Value> = STEPS.iter().enumerate().map(step).collect();
        json!({
            "progress_percent": done * 100 / STEPS.len(),
            "status_message": self.vocabulary.words(&mut self.random, 6),
            "step_name": STEPS.get(done),
            "steps": steps,
            "updated_at": at,
        })
    }

    /// One to five, spread over the conversation.
    fn checkpoints(&mut self, size: u64, begin: u64) -> Vec<Value> {
        let count = self.random.within(1, CHECKPOINTS.len() as u64);
        let end = self.now;
        let made = (1..).zip(CHECKPOINTS).take(usize::try_from(count).unwrap_or(0)).map(|(number, name)| {
            let after = (size * number / (count + 1)).max(1);
            self.now = begin + (end - begin) * number / (count + 1);
            json!({
                "checkpoint_id": self.uuid(),
                "name": name,
                "description": self.vocabulary.words(&mut self.random, 8),
                "messages": after,
                "progress": null,
                "created_at": rfc3339(self.now),
                "after_entries": after,
                "visible": [[0, after]],
            })
        });
        let made = made.collect();
        self.now = end;
        made
    }
}

/// A moment as exported files have it.
pub(crate) fn rfc3339(millis: u64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000).ok();
    moment.and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default()
}

#[cfg(test)]
#[path = "conversation/tests.rs"]
mod tests;
