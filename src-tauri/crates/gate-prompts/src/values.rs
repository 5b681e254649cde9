//! What a caller gives, all of it text, as what the arguments are.

use std::collections::BTreeMap;

use gate_core::ask::excerpt;
use gate_core::{ArgumentType, Code, Fault, PromptArgument, bounds};
use serde_json::{Map, Number, Value};

use crate::render_fault::RenderFault;
use crate::trouble::{listed, nearest};

/// The values of every argument of a prompt: what is given, else the default, else null. The latter two hold as well in
/// the place of what a client puts in later, where an optional argument can't be that.
///
/// # Errors
/// `prompt` for an argument that the prompt doesn't take, a missing one, or a value that it can't be;
/// `too_large` over [`bounds::PROMPT_ARGUMENT_BYTES`].
pub(crate) fn of(
    id: &str,
    arguments: &[PromptArgument],
    given: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, RenderFault> {
    if let Some(strange) = given.keys().find(|name| !arguments.iter().any(|argument| argument.name == **name)) {
        return Err(unknown(id, arguments, strange));
    }
    let mut values = Map::new();
    for argument in arguments {
        let text = given.get(&argument.name).map(String::as_str);
        let value = match text.filter(|text| !text.is_empty()) {
            Some(text) => match one(argument, text) {
                Err(_) if !argument.required && is_put_in_later(text) => argument.default.clone(),
                value => value?,
            },
            None if argument.required => return Err(missing(argument)),
            None => argument.default.clone(),
        };
        values.insert(argument.name.clone(), value);
    }
    Ok(values)
}

/// Whether it holds the place of what a client puts in by itself: opencode asks for a prompt with `$1`, `$2`, … for its
/// arguments, whatever they are, and replaces these in the text that it is given.
fn is_put_in_later(text: &str) -> bool {
    text.strip_prefix('$').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn unknown(id: &str, arguments: &[PromptArgument], strange: &str) -> RenderFault {
    let names = || arguments.iter().map(|argument| argument.name.as_str());
    let short = excerpt(strange, 60);
    let takes = if arguments.is_empty() {
        "It takes no arguments.".to_owned()
    } else {
        format!("It takes {}.", listed(names()))
    };
    let mend = match nearest(strange, names()) {
        Some(near) => format!("Did you mean `{near}`? {takes}"),
        None => takes,
    };
    let fault = Fault::new(Code::Prompt, format!("The prompt `{id}` has no argument `{short}`."), mend);
    RenderFault { fault, argument: Some(strange.to_owned()) }
}

fn missing(argument: &PromptArgument) -> RenderFault {
    let mut mend = match argument.description.as_str() {
        "" => "Give it a value.".to_owned(),
        description => format!("It is for: {}", sentence(&excerpt(description, 300))),
    };
    if !argument.values.is_empty() {
        mend.push(' ');
        mend.push_str(&choices(argument));
    }
    fault(argument, format!("The argument `{}` is missing.", argument.name), mend)
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

fn choices(argument: &PromptArgument) -> String {
    let shown = argument.values.iter().take(30).map(String::as_str);
    let more = if argument.values.len() > 30 { " and others" } else { "" };
    match argument.kind {
        ArgumentType::List => format!("It holds any of {}{more}.", listed(shown)),
        _ => format!("It is one of {}{more}.", listed(shown)),
    }
}

fn fault(argument: &PromptArgument, message: String, mend: String) -> RenderFault {
    RenderFault { fault: Fault::new(Code::Prompt, message, mend), argument: Some(argument.name.clone()) }
}

fn one(argument: &PromptArgument, text: &str) -> Result<Value, RenderFault> {
    if text.len() > bounds::PROMPT_ARGUMENT_BYTES {
        let fault = Fault::new(
            Code::TooLarge,
            format!("The argument `{}` has more than {} bytes.", argument.name, bounds::PROMPT_ARGUMENT_BYTES),
            "Give the path of a file, and let the agent read it.",
        );
        return Err(RenderFault { fault, argument: Some(argument.name.clone()) });
    }
    typed(argument, text).map_err(|mend| {
        let message = format!("The argument `{}` can't be `{}`.", argument.name, excerpt(text, 60));
        fault(argument, message, mend)
    })
}

/// A text as what the argument is.
///
/// # Errors
/// What it may be, in a sentence.
pub(crate) fn typed(argument: &PromptArgument, text: &str) -> Result<Value, String> {
    let bare = text.trim();
    match argument.kind {
        ArgumentType::String => Ok(Value::from(text)),
        // Blanks alone are as good as nothing.
        _ if bare.is_empty() && !argument.required => Ok(argument.default.clone()),
        ArgumentType::Number => number(bare).map(Value::Number).ok_or_else(|| "It is a number.".to_owned()),
        ArgumentType::Boolean => match bare.to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(Value::from(true)),
            "false" | "no" | "off" | "0" => Ok(Value::from(false)),
            _ => Err("It is `true` or `false`.".to_owned()),
        },
        ArgumentType::Enum => canonical(argument, bare).map(Value::from),
        ArgumentType::List => {
            let items = match serde_json::from_str::<Vec<Value>>(bare) {
                Ok(items) => items.into_iter().map(item).collect::<Result<Vec<_>, _>>()?,
                Err(_) => bare.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect(),
            };
            let items = items
                .into_iter()
                .map(|item| if argument.values.is_empty() { Ok(item) } else { canonical(argument, item.trim()) });
            Ok(Value::Array(items.map(|item| item.map(Value::from)).collect::<Result<_, _>>()?))
        }
    }
}

fn item(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err("It is a list of texts, as a JSON array or separated by commas.".to_owned())
        }
    }
}

fn canonical(argument: &PromptArgument, text: &str) -> Result<String, String> {
    let exact = argument.values.iter().find(|value| *value == text);
    let found = exact.or_else(|| argument.values.iter().find(|value| value.to_lowercase() == text.to_lowercase()));
    found.cloned().ok_or_else(|| match nearest(text, argument.values.iter().map(String::as_str)) {
        Some(near) => format!("Did you mean `{near}`? {}", choices(argument)),
        None => choices(argument),
    })
}

fn number(text: &str) -> Option<Number> {
    match text.parse::<i64>() {
        Ok(number) => Some(Number::from(number)),
        Err(_) => text.parse::<f64>().ok().and_then(Number::from_f64),
    }
}
