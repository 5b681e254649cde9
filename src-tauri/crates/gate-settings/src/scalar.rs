//! Single values of YAML (1.2, "Core Schema"): what a plain scalar stands for, and how a value is written.

use serde_json::{Number, Value};

/// What a plain scalar stands for.
pub(crate) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with(['+', '-'])).map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8).ok().filter(|_| !digits.starts_with(['+', '-'])).map(Number::from);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let allowed = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-');
    if !digits.chars().all(allowed) {
        return None;
    }
    let whole = text.strip_prefix('+').unwrap_or(text);
    match whole.parse::<i64>() {
        Ok(number) => Some(Number::from(number)),
        Err(_) => whole.parse::<f64>().ok().and_then(Number::from_f64),
    }
}

/// A value on one line, as it stands behind a key.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| format!("{}: {}", string(name), flow(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// An entry of a table on lines of its own, each `indent` blanks in and ended by `newline`.
pub(crate) fn block(name: &str, value: &Value, indent: usize, newline: &str) -> String {
    let margin = " ".repeat(indent);
    let deeper = |rest: String| format!("{margin}{}:{newline}{rest}", string(name));
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            deeper(entries.iter().map(|(name, value)| block(name, value, indent + 2, newline)).collect())
        }
        Value::Array(items) if !items.is_empty() => {
            deeper(items.iter().map(|item| format!("{margin}  - {}{newline}", flow(item))).collect())
        }
        other => format!("{margin}{}: {}{newline}", string(name), flow(other)),
    }
}

/// A text: plain where nobody could read it as anything else, quoted otherwise.
pub(crate) fn string(text: &str) -> String {
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '/' | '+' | '-');
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null" | "nan" | "inf"
    );
    if begins && !word && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')) {
        // What JSON escapes, YAML reads.
        let escaped: String = text.chars().map(escaped).collect();
        return format!("\"{escaped}\"");
    }
    format!("'{}'", text.replace('\'', "''"))
}

fn escaped(letter: char) -> String {
    match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
            format!("\\u{:04x}", u32::from(letter))
        }
        letter => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_scalar_stands_for_what_the_core_schema_says() {
        for (text, value) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("true", json!(true)),
            ("FALSE", json!(false)),
            ("yes", json!("yes")),
            ("14", json!(14)),
            ("+14", json!(14)),
            ("-3", json!(-3)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.5", json!(1.5)),
            ("1e3", json!(1000.0)),
            ("1_000", json!("1_000")),
            ("22:00-07:00", json!("22:00-07:00")),
            ("127.0.0.1", json!("127.0.0.1")),
            (".inf", json!(".inf")),
        ] {
            assert_eq!(resolve(text), value, "{text:?}");
        }
    }

    #[test]
    fn texts_are_quoted_where_they_could_be_read_as_something_else() {
        for (text, written) in [
            ("dark", "dark"),
            ("zh-CN", "zh-CN"),
            ("on", "'on'"),
            ("14", "'14'"),
            ("", "''"),
            ("22:00-07:00", "'22:00-07:00'"),
            ("it's", "'it''s'"),
            ("a\nb", "\"a\\nb\""),
            ("#x", "'#x'"),
            ("codex >= 0.60", "'codex >= 0.60'"),
        ] {
            assert_eq!(string(text), written, "{text:?}");
        }
    }
}
