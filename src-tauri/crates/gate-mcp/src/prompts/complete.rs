//! What the arguments of prompts may be, while they are typed.

use gate_core::ask::excerpt;
use gate_core::{ArgumentType, Caller, Code, Completes, Fault, PromptArgument};

use super::PromptPort;
use crate::completion::{Found, VALUES, fitting};

/// Values for an argument of a prompt: those that begin as it does, then those that hold it.
///
/// # Errors
/// `unknown_prompt`; `invalid_input` for an argument that the prompt doesn't have.
pub(crate) async fn argument(
    port: &dyn PromptPort,
    caller: &Caller,
    id: &str,
    name: &str,
    typed: &str,
) -> Result<Found, Fault> {
    let all = port.prompts();
    let Some(prompt) = all.get(id) else {
        let message = format!("There is no prompt {:?}.", excerpt(id, 80));
        return Err(Fault::new(Code::UnknownPrompt, message, "prompts/list names all of them."));
    };
    let Some(argument) = prompt.arguments.iter().find(|argument| argument.name == name) else {
        let message = format!("The prompt {id:?} has no argument {:?}.", excerpt(name, 80));
        return Err(Fault::new(Code::InvalidInput, message, "prompts/list names the arguments of each."));
    };
    match argument.kind {
        ArgumentType::List => {
            let Some(last) = Last::of(typed) else { return Ok(Found::default()) };
            let mut found = values(port, caller, argument, &last.typed).await?;
            let before = found.values.len();
            found.values.retain(|value| !last.taken.contains(value));
            let dropped = u64::try_from(before - found.values.len()).unwrap_or(u64::MAX);
            found.total = found.total.map(|total| total.saturating_sub(dropped));
            found.values = found.values.into_iter().map(|value| last.with(&value)).collect();
            Ok(found)
        }
        _ => values(port, caller, argument, typed).await,
    }
}

async fn values(
    port: &dyn PromptPort,
    caller: &Caller,
    argument: &PromptArgument,
    typed: &str,
) -> Result<Found, Fault> {
    if argument.kind == ArgumentType::Boolean {
        return Ok(fitting(["true", "false"].into_iter(), typed));
    }
    if !argument.values.is_empty() || argument.completes == Completes::Nothing {
        return Ok(fitting(argument.values.iter().map(String::as_str), typed));
    }
    let (mut values, mut has_more) = port.workspace_files(caller, typed).await?;
    has_more |= values.len() > VALUES;
    values.truncate(VALUES);
    let total = (!has_more).then(|| u64::try_from(values.len()).unwrap_or(u64::MAX));
    Ok(Found { values, total, has_more })
}

/// The last element of a list that is being typed, as JSON or between commas.
#[derive(Debug, PartialEq, Eq)]
struct Last<'a> {
    /// What stands before it, as it was typed.
    head: &'a str,
    /// The elements before it.
    taken: Vec<String>,
    /// What there is of it.
    typed: String,
    is_json: bool,
}

impl<'a> Last<'a> {
    /// Absent where the list is closed.
    fn of(typed: &'a str) -> Option<Self> {
        if typed.trim_start().starts_with('[') { Self::of_json(typed) } else { Some(Self::of_commas(typed)) }
    }

    fn of_commas(typed: &'a str) -> Self {
        let begin = typed.rfind(',').map_or(0, |comma| comma + 1);
        let (before, after) = typed.split_at(begin);
        let last = after.trim_start();
        let (head, _) = typed.split_at(typed.len() - last.len());
        let taken = before.split(',').map(str::trim).filter(|element| !element.is_empty());
        Self { head, taken: taken.map(str::to_owned).collect(), typed: last.to_owned(), is_json: false }
    }

    fn of_json(typed: &'a str) -> Option<Self> {
        let (mut begin, mut in_string, mut is_escaped) = (0, false, false);
        for (at, c) in typed.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if in_string => is_escaped = true,
                '"' => in_string = !in_string,
                '[' | ',' if !in_string => begin = at + 1,
                ']' if !in_string => return None,
                _ => {}
            }
        }
        let (before, after) = typed.split_at(begin);
        let last = after.trim_start();
        let (head, _) = typed.split_at(typed.len() - last.len());
        let taken = format!("{}]", before.trim_end_matches(','));
        let taken = serde_json::from_str(&taken).unwrap_or_default();
        let whole = if in_string { format!("{last}\"") } else { last.to_owned() };
        let last = serde_json::from_str(&whole).unwrap_or_else(|_| last.trim_matches('"').to_owned());
        Some(Self { head, taken, typed: last, is_json: true })
    }

    /// The whole list with this as its last element.
    fn with(&self, value: &str) -> String {
        let quoted = serde_json::Value::from(value);
        if self.is_json {
            return format!("{}{quoted}]", self.head);
        }
        // Between commas it would be two.
        if value.contains(',') {
            let all = self.taken.iter().map(String::as_str).chain([value]);
            return serde_json::Value::from_iter(all).to_string();
        }
        format!("{}{value}", self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(typed: &str) -> Option<(Vec<String>, String, String)> {
        Last::of(typed).map(|last| (last.taken.clone(), last.typed.clone(), last.with("new")))
    }

    fn is(taken: &[&str], typed: &str, with: &str) -> Option<(Vec<String>, String, String)> {
        Some((taken.iter().map(|&one| one.to_owned()).collect(), typed.to_owned(), with.to_owned()))
    }

    #[test]
    fn the_last_element_of_a_list_is_completed_and_the_rest_stays_as_it_was_typed() {
        assert_eq!(last(""), is(&[], "", "new"));
        assert_eq!(last("bu"), is(&[], "bu", "new"));
        assert_eq!(last("bugs,  st"), is(&["bugs"], "st", "bugs,  new"));
        assert_eq!(last("bugs,style,"), is(&["bugs", "style"], "", "bugs,style,new"));
        assert_eq!(last("["), is(&[], "", r#"["new"]"#));
        assert_eq!(last(r#"["bu"#), is(&[], "bu", r#"["new"]"#));
        assert_eq!(last(r#"["bu""#), is(&[], "bu", r#"["new"]"#));
        assert_eq!(last(r#"["a, b", "st"#), is(&["a, b"], "st", r#"["a, b", "new"]"#));
        assert_eq!(last(r#"["a\"b", "c\u00e9"#), is(&["a\"b"], "cé", r#"["a\"b", "new"]"#));
        assert_eq!(last(r#"["a", "\"#), is(&["a"], "\\", r#"["a", "new"]"#), "half an escape is no error");
        assert_eq!(last("[bu"), is(&[], "bu", r#"["new"]"#), "the quotation mark that is missing comes with it");
        assert_eq!(last(r#"["a"]"#), None, "what is closed is complete");
        let comma = Last::of("bugs, x").map(|last| last.with("a, b"));
        assert_eq!(comma.as_deref(), Some(r#"["bugs","a, b"]"#), "a value with a comma stays one value");
    }
}
