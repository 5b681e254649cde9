//! The request that a permission question is asked by: its headline, its message and its options.

use crate::ask::{Ask, excerpt};
use crate::bounds;
use crate::permission::{Permission, PermissionKind, PermissionShown};
use crate::unseen::visible;

/// Most files that a message names.
const FILES: usize = 20;

impl Permission {
    /// The request. `diff` is what an edit would do to the files as they are.
    ///
    /// # Errors
    /// `too_large`, naming the field.
    pub fn into_ask(self, diff: Option<String>) -> Result<Ask, crate::Fault> {
        let shown = self.shown();
        let title = visible(&excerpt(&self.headline(&shown), bounds::TITLE_CHARS - 1));
        let title = if title.trim().is_empty() { excerpt(&self.tool, bounds::TITLE_CHARS - 1) } else { title };
        Ask {
            message: self.message(&shown),
            // What is made visible is longer than what it stands for.
            title: Some(excerpt(&title, bounds::TITLE_CHARS - 1)),
            options: self.options(),
            approval: true,
            diff,
            permission: Some(Box::new(self)),
            ..Ask::default()
        }
        .checked()
    }

    /// The programs, the files or the address.
    fn headline(&self, shown: &PermissionShown) -> String {
        match shown {
            PermissionShown::Command { programs, text } if programs.is_empty() => text.clone(),
            PermissionShown::Command { programs, .. } => programs.join(", "),
            PermissionShown::Files => {
                let names = self.files.iter().map(|file| file.path.rsplit('/').next().unwrap_or_default());
                let names = names.collect::<Vec<_>>().join(", ");
                if names.is_empty() { self.tool.clone() } else { names }
            }
            PermissionShown::Fetch { address, host, .. } => host.clone().unwrap_or_else(|| address.clone()),
            PermissionShown::McpTool { server, tool, .. } => format!("{server}: {tool}"),
            PermissionShown::Other { .. } => self.tool.clone(),
        }
    }

    /// What it is, for whoever sees the message alone: lists, records, exports, and the agent that reads its conversation
    /// again. All of it stands in the permission. What is known of the person's files alone isn't in it.
    fn message(&self, shown: &PermissionShown) -> String {
        match shown {
            PermissionShown::Command { text, .. } => format!("May it run this?\n\n{}", fenced(text)),
            PermissionShown::Files => {
                let said = match self.kind {
                    PermissionKind::Write => "May it write this file?",
                    _ if self.files.len() == 1 => "May it change this file?",
                    _ => "May it change these files?",
                };
                let mut names: Vec<_> = self.files.iter().take(FILES).map(|file| file.path.as_str()).collect();
                if self.files.len() > FILES {
                    names.push("…");
                }
                format!("{said}\n\n{}", fenced(&names.join("\n")))
            }
            PermissionShown::Fetch { address, .. } => format!("May it fetch this?\n\n{}", fenced(address)),
            PermissionShown::McpTool { server, tool, arguments } => {
                format!("May it call this tool?\n\n{}", fenced(&format!("{server}: {tool}\n{arguments}")))
            }
            PermissionShown::Other { arguments } => {
                format!("May it use this tool?\n\n{}", fenced(&format!("{}\n{arguments}", self.tool)))
            }
        }
    }
}

/// A text as a block of code that nothing in it ends, cut where it is long.
fn fenced(text: &str) -> String {
    let end = (0..=bounds::PERMISSION_MESSAGE_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let (shown, rest) = text.split_at(end.unwrap_or(0));
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let more = if rest.is_empty() { String::new() } else { format!("\n\n… and {} bytes more.", rest.len()) };
    format!("{fence}\n{shown}\n{fence}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::permission::{EditUnknown, PermissionForm};
    use crate::permitting::{PermissionAnswer, PermissionQuestion, PermissionVerdict};
    use crate::reply::Decision;

    fn question(tool: &str, input: &str) -> PermissionQuestion {
        let value = serde_json::json!({"form": "claude_hook", "tool": tool, "input": input, "folder": "/w"});
        serde_json::from_value(value).expect("it is a question")
    }

    fn asked(question: &PermissionQuestion) -> Ask {
        question.permission().and_then(|asked| asked.into_ask(None)).expect("it can be asked")
    }

    #[test]
    fn a_command_of_a_megabyte_is_asked_whole() {
        let command = "cat <<'E' > x\n".to_owned() + &"\"\\\u{1}ü\n".repeat(150_000) + "E";
        assert!(command.len() > 1024 * 1024 / 2, "{}", command.len());
        let input = serde_json::json!({ "command": command }).to_string();
        let ask = asked(&question("Bash", &input));
        let permission = ask.permission.as_deref().expect("it is one");
        assert_eq!(permission.input, input, "nothing of it is lost");
        assert!(
            matches!(permission.shown(), PermissionShown::Command { text, .. } if text == command),
            "and all of it is shown"
        );
        assert!(ask.message.len() < 8 * 1024, "lists have its beginning alone: {}", ask.message.len());
        let mut other = ask.clone();
        other.permission.as_mut().expect("it is one").input.push(' ');
        assert_ne!(Digest::of_question(&ask), Digest::of_question(&other), "the last byte counts");
    }

    #[test]
    fn a_message_says_nothing_of_what_stands_in_a_file() {
        let input = r#"{"file_path":"/w/a","old_string":"secret","new_string":"x"}"#;
        let message = |unknown| {
            let mut permission = question("Edit", input).permission().expect("it can be asked");
            permission.unknown = unknown;
            permission.into_ask(None).expect("it can be asked").message
        };
        assert_eq!(message(Some(EditUnknown::NotFound)), message(None), "agents read it");
    }

    #[test]
    fn nothing_in_a_command_leaves_its_block() {
        let ask = asked(&question("Bash", r#"{"command":"a\n````\n[x](y)\n```"}"#));
        assert_eq!(ask.message, "May it run this?\n\n`````\na\n````\n[x](y)\n```\n`````");
    }

    #[test]
    fn each_answer_comes_back_from_the_record_as_it_was_given() {
        let mut question = question("Bash", r#"{"command":"npm test","description":"d"}"#);
        let rule = r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#;
        question.offered = vec![rule.to_owned(), rule.to_owned()];
        let ask = asked(&question);
        assert_eq!(ask.permission.as_deref().and_then(|asked| asked.says.as_deref()), Some("d"));
        let read = |answer: &PermissionAnswer| {
            let (decision, draft) = answer.as_reply(&ask)?;
            draft.check_as_reply(&ask, Some(decision))?;
            PermissionVerdict::of_answer(&ask, Some(decision), &draft.text, &draft.selected)
        };
        let allow = |input: Option<&str>, rule: Option<&str>| {
            Ok(PermissionVerdict::Allow { input: input.map(str::to_owned), rule: rule.map(str::to_owned) })
        };
        assert_eq!(read(&PermissionAnswer::Once), allow(None, None));
        assert_eq!(read(&PermissionAnswer::Rule { id: "2".to_owned() }), allow(None, Some(rule)));
        let edited = PermissionAnswer::Edited { text: "npm t".to_owned() };
        assert_eq!(read(&edited), allow(Some(r#"{"command":"npm t","description":"d"}"#), None));
        let denied = |reason: &str| PermissionAnswer::Deny { reason: reason.to_owned() };
        assert_eq!(read(&denied("no")), Ok(PermissionVerdict::Deny { reason: Some("no".to_owned()) }));
        assert_eq!(read(&denied("")), Ok(PermissionVerdict::Deny { reason: None }));
        assert!(read(&PermissionAnswer::Rule { id: "3".to_owned() }).is_err(), "no other rule was offered");
        for (decision, text, selected) in [(None, "", vec![]), (Some(Decision::Approved), "yes", vec![])] {
            let odd = PermissionVerdict::of_answer(&ask, decision, text, &selected);
            assert!(odd.is_err(), "what isn't one of the answers allows nothing: {odd:?}");
        }
    }

    #[test]
    fn an_agent_is_given_no_answer_that_it_does_not_take() {
        let question = PermissionQuestion {
            form: PermissionForm::CodexHook,
            offered: vec!["{}".to_owned()],
            ..question("Bash", r#"{"command":"a"}"#)
        };
        let ask = asked(&question);
        assert!(ask.options.is_empty(), "neither a rule nor a changed input: {:?}", ask.options);
        for answer in [PermissionAnswer::Edited { text: "b".to_owned() }, PermissionAnswer::Rule { id: "1".to_owned() }]
        {
            assert!(answer.as_reply(&ask).is_err(), "{answer:?}");
        }
        let plain = Ask { message: "m".to_owned(), approval: true, ..Ask::default() };
        let other = PermissionAnswer::Once.as_reply(&plain).err().map(|fault| fault.code);
        assert_eq!(other, Some(crate::Code::OtherKind), "an approval isn't allowed by a permission's answer");
    }
}
