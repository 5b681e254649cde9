//! What is kept of the arguments that a prompt was used with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ArgumentType, Prompt, PromptArgument};
use crate::ask::excerpt;
use crate::bounds;
use crate::markdown::visible;
use crate::secrets::{HIDDEN, names_a_secret, without_secrets};

/// An argument that a prompt was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GivenArgument {
    /// Its name.
    pub name: String,
    /// How its value begins, on one line; absent where it is or could be a secret.
    pub value: Option<String>,
}

/// What is kept of the arguments that a prompt was given, in the order in which it declares them: of each at most
/// [`bounds::PROMPT_KEPT_ARGUMENT_CHARS`], of all together [`bounds::PROMPT_KEPT_CHARS`], and no secret.
#[must_use]
pub fn kept_arguments(prompt: &Prompt, given: &BTreeMap<String, String>) -> Vec<GivenArgument> {
    let mut room = bounds::PROMPT_KEPT_CHARS;
    let mut kept = Vec::new();
    for argument in &prompt.arguments {
        let Some(value) = given.get(&argument.name).filter(|value| !value.is_empty()) else { continue };
        let value = shown(argument, value).map(|value| excerpt(&value, room.min(bounds::PROMPT_KEPT_ARGUMENT_CHARS)));
        room = room.saturating_sub(value.as_ref().map_or(0, |value| value.chars().count()));
        kept.push(GivenArgument { name: argument.name.clone(), value });
    }
    kept
}

/// A value without what could be a secret in it; absent where it is one.
fn shown(argument: &PromptArgument, value: &str) -> Option<String> {
    if argument.secret {
        return None;
    }
    // Whatever it can be stands in the prompt's file.
    if argument.kind == ArgumentType::Boolean || !argument.values.is_empty() {
        return Some(value.to_owned());
    }
    if names_a_secret(&argument.name) || names_a_secret(&argument.title) {
        return None;
    }
    let shown = visible(&without_secrets(value));
    (shown.trim() != HIDDEN).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::super::{PromptFormat, PromptOrigin};
    use super::*;

    fn prompt(arguments: Vec<PromptArgument>) -> Prompt {
        Prompt {
            id: "a".into(),
            title: "A".into(),
            description: String::new(),
            category: String::new(),
            version: String::new(),
            icon: String::new(),
            arguments,
            origin: PromptOrigin::Local,
            format: PromptFormat::Yaml,
        }
    }

    fn kept(arguments: Vec<PromptArgument>, given: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        kept_arguments(&prompt(arguments), &given).into_iter().map(|given| (given.name, given.value)).collect()
    }

    #[test]
    fn what_was_given_is_kept_in_the_order_of_the_file_and_on_one_line() {
        let kept = kept(
            ["why", "change", "empty", "missing"].map(PromptArgument::plain).into(),
            &[("change", "main..fix"), ("empty", ""), ("why", "It\nbroke\u{202e}.")],
        );
        let value = |text: &str| Some(text.to_owned());
        assert_eq!(
            kept,
            [("why".to_owned(), value("It broke⟨U+202E⟩.")), ("change".to_owned(), value("main..fix"))],
            "and what reorders text is seen"
        );
    }

    #[test]
    fn no_secret_is_kept_whether_it_is_declared_or_only_looks_like_one() {
        let declared = PromptArgument { secret: true, values: vec!["open".into()], ..PromptArgument::plain("door") };
        let titled = PromptArgument { title: "Your password".into(), ..PromptArgument::plain("word") };
        let level = PromptArgument {
            kind: ArgumentType::Enum,
            values: vec!["low".into()],
            ..PromptArgument::plain("level_token")
        };
        let kept = kept(
            vec![
                declared,
                titled,
                PromptArgument::plain("api_key"),
                level,
                PromptArgument::plain("note"),
                PromptArgument::plain("opaque"),
            ],
            &[
                ("door", "open"),
                ("word", "sesame"),
                ("api_key", "x"),
                ("level_token", "low"),
                ("note", "log in with token: hunter2"),
                ("opaque", "ghp_0123456789abcdefghij"),
            ],
        );
        let values: Vec<_> = kept.iter().map(|(_, value)| value.as_deref()).collect();
        assert_eq!(values, [None, None, None, Some("low"), Some("log in with token: …"), None], "{kept:?}");
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let names: Vec<String> = (0..bounds::PROMPT_ARGUMENTS).map(|n| format!("a{n}")).collect();
        let long = "x ".repeat(bounds::PROMPT_KEPT_CHARS);
        let given: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), long.as_str())).collect();
        let kept = kept(names.iter().map(|name| PromptArgument::plain(name)).collect(), &given);
        assert_eq!(kept.len(), names.len(), "each is named");
        let all: usize = kept.iter().filter_map(|(_, value)| value.as_ref()).map(|value| value.chars().count()).sum();
        assert!(all <= bounds::PROMPT_KEPT_CHARS + 2 * names.len(), "{all}");
        let first = kept[0].1.as_deref().unwrap_or_default();
        assert_eq!(first.chars().count(), bounds::PROMPT_KEPT_ARGUMENT_CHARS + 1, "its begin, and that it was cut");
    }
}
