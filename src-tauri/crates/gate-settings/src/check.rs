//! Whether a value can be what a setting is to be. The file, the page, the tool and the command line all
//! ask here, so that they say the same.

use gate_core::clients::Override;
use gate_core::proposal::ReviewRule;
use gate_core::{QuietHours, Rule, ask::excerpt, bounds};
use gate_texts::Texts;
use serde_json::{Map, Value};

use crate::schema::{self, Entry, PROGRAMS, Shape};

/// Longest text of a value that a message shows, in characters.
const SHOWN_CHARS: usize = 60;

/// What is wrong with a value, or with a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Where below the setting, e.g. a client's name; empty for the setting itself.
    pub below: Vec<String>,
    /// The setting, or the part of it, and what is wrong with it: a sentence.
    pub message: String,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// The value in its one form, without the parts that are wrong; absent where nothing of it holds, and
    /// for null, which says nothing.
    pub value: Option<Value>,
    /// What is wrong, in the value's order.
    pub wrong: Vec<Wrong>,
}

impl Checked {
    fn good(value: impl Into<Value>) -> Self {
        Self { value: Some(value.into()), wrong: Vec::new() }
    }
}

/// Checks a value of a setting.
#[must_use]
pub fn check(entry: &Entry, value: &Value) -> Checked {
    if value.is_null() {
        return Checked::default();
    }
    match entry.shape {
        Shape::Switch => one(entry, value, "true or false", switch(value).map(Value::Bool)),
        Shape::Number { min, max, unit } => {
            let unit =
                unit.map(|unit| format!(" {}", Texts::english().phrase(&schema::unit(unit)))).unwrap_or_default();
            let number = whole(value).filter(|number| (min..=max).contains(number));
            one(entry, value, &format!("a whole number from {min} to {max}{unit}"), number.map(Value::from))
        }
        Shape::Keys => {
            let fits = |keys: &&str| keys.chars().count() <= bounds::SETTING_CHARS && !keys.contains(char::is_control);
            let allowed =
                format!("keys as in CmdOrCtrl+Alt+G, up to {} characters, or empty for none", bounds::SETTING_CHARS);
            one(entry, value, &allowed, value.as_str().map(str::trim).filter(fits).map(Value::from))
        }
        Shape::Choice(values) => {
            let chosen = value.as_str().filter(|text| values.contains(text));
            one(entry, value, &either(values), chosen.map(Value::from))
        }
        Shape::Hours => {
            let read = match value.as_str().map(str::trim) {
                Some("") => Some(Value::Null),
                Some(hours) => QuietHours::parse(hours).map(|_| Value::from(hours)),
                None => None,
            };
            one(entry, value, "two times of the day as in 22:00-07:00, or empty for none", read)
        }
        Shape::Text => {
            let allowed = format!("a line of up to {} characters, or empty for none", bounds::SETTING_CHARS);
            one(entry, value, &allowed, line(value).map(Value::from))
        }
        Shape::Address => {
            let allowed = format!(
                "an address as https://models.example/whisper, or with http:// on this machine, without a name, up to {} \
                 characters, or empty for the usual place",
                bounds::SETTING_CHARS
            );
            let address = line(value).filter(|text| text.is_empty() || is_address(text));
            one(entry, value, &allowed, address.map(Value::from))
        }
        Shape::Hosts => list(entry, value, "a name such as gate.internal, without a port", is_host),
        Shape::Origins => list(entry, value, "a scheme and a host such as http://localhost:6274", is_origin),
        Shape::Words => {
            list(entry, value, "a word, or what is heard and what is written as in get hub -> GitHub", is_word)
        }
        Shape::Rules => {
            let allowed = "a level and what it is for as in L3; path=deploy/|infra/; words=production, which may name \
                           repository, branch, path and words";
            list(entry, value, allowed, |text| Rule::parse(text).is_ok())
        }
        Shape::ReviewRules => {
            let allowed = "who has to approve and what, as in person; path=migrations/|*.sql or agents:2; lines=400, which \
                           may name path, repository, proposer, lines, and category where it needs the person";
            list(entry, value, allowed, |text| ReviewRule::parse(text).is_ok())
        }
        Shape::Programs => list(entry, value, &PROGRAMS.join(", "), |text| PROGRAMS.contains(&text)),
        Shape::Waiting { min, max } => waiting(entry, value, min, max),
    }
}

/// A value that is good as a whole or not at all.
fn one(entry: &Entry, value: &Value, allowed: &str, good: Option<Value>) -> Checked {
    match good {
        Some(value) => Checked::good(value),
        None => wrong(entry, &[], value, allowed),
    }
}

fn wrong(entry: &Entry, below: &[&str], value: &Value, allowed: &str) -> Checked {
    let mut name = entry.key.to_owned();
    for part in below {
        name = format!("{name}.{}", excerpt(part, SHOWN_CHARS));
    }
    let message = format!("`{name}` is {}; it may be {allowed}.", shown(value));
    let below = below.iter().map(|part| (*part).to_owned()).collect();
    Checked { value: None, wrong: vec![Wrong { below, message }] }
}

/// A value as a message shows it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("{:?}", excerpt(text, SHOWN_CHARS)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

fn either(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn switch(value: &Value) -> Option<bool> {
    let text = match value {
        Value::Bool(on) => return Some(*on),
        other => other.as_str()?.to_ascii_lowercase(),
    };
    match text.as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A whole number, be it written with a point.
fn whole(value: &Value) -> Option<i64> {
    // Farther from zero a float no longer knows each whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT);
    value.as_i64().or_else(|| float.map(|number| number as i64))
}

fn list(entry: &Entry, value: &Value, allowed: &str, fits: fn(&str) -> bool) -> Checked {
    let Some(items) = value.as_array().filter(|items| items.len() <= bounds::SETTING_ITEMS) else {
        let many = format!("a list of up to {} texts, each {allowed}", bounds::SETTING_ITEMS);
        return wrong(entry, &[], value, &many);
    };
    let mut checked = Checked::default();
    let mut good = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let text = item.as_str().map(str::trim);
        match text.filter(|text| text.chars().count() <= bounds::SETTING_CHARS && fits(text)) {
            Some(text) => good.push(Value::from(text)),
            None => {
                let bounded = format!("{allowed}, up to {} characters", bounds::SETTING_CHARS);
                checked.wrong.extend(wrong(entry, &[&index.to_string()], item, &bounded).wrong);
            }
        }
    }
    checked.value = Some(Value::Array(good));
    checked
}

/// A bounded line.
fn line(value: &Value) -> Option<&str> {
    let fits = |text: &&str| text.chars().count() <= bounds::SETTING_CHARS && !text.contains(char::is_control);
    value.as_str().map(str::trim).filter(fits)
}

/// Whether files may be fetched from there: what goes over a network is encrypted, and a name or a password
/// would stand in the settings for everyone to read.
fn is_address(text: &str) -> bool {
    let is_plain = |rest: &str| !rest.contains(['@', '?', '#']) && !rest.contains(char::is_whitespace);
    let host = |rest: &str| rest.split('/').next().unwrap_or_default().to_ascii_lowercase();
    let has_host = |host: &str| !host.is_empty() && !host.starts_with(':');
    if let Some(rest) = text.strip_prefix("https://") {
        return is_plain(rest) && has_host(&host(rest));
    }
    let Some(rest) = text.strip_prefix("http://") else { return false };
    let host = host(rest);
    let (name, port) = match host.strip_prefix("[::1]") {
        Some(port) => ("[::1]", port),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let of_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    is_plain(rest) && of_port && ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

fn is_word(text: &str) -> bool {
    let (heard, write) = text.split_once("->").or_else(|| text.split_once('→')).unwrap_or((text, text));
    !text.contains(char::is_control) && !heard.trim().is_empty() && !write.trim().is_empty()
}

fn is_host(text: &str) -> bool {
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let has_port = inside.is_none() && text.contains(':');
    !text.is_empty() && !has_port && !text.contains(['/', '@', '?', '#']) && !text.contains(char::is_whitespace)
}

fn is_origin(text: &str) -> bool {
    let host = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    host.is_some_and(|host| !host.is_empty() && !host.contains('/') && !host.contains(char::is_whitespace))
}

fn waiting(entry: &Entry, value: &Value, min: i64, max: i64) -> Checked {
    let Some(clients) = value.as_object().filter(|clients| clients.len() <= bounds::SETTING_ITEMS) else {
        let many = format!("a table of up to {} clients' names, each with its seconds", bounds::SETTING_ITEMS);
        return wrong(entry, &[], value, &many);
    };
    let mut checked = Checked::default();
    let mut good = Map::new();
    for (name, value) in clients {
        if value.is_null() {
            continue;
        }
        let named = name.chars().count() <= bounds::SETTING_CHARS && Override::new(name, None, None).is_some();
        if !named {
            let message = format!(
                "`{}.{}` names no client; write a name, or one with a version as in codex >= 0.60, up to {} characters.",
                entry.key,
                excerpt(name, SHOWN_CHARS),
                bounds::SETTING_CHARS
            );
            checked.wrong.push(Wrong { below: vec![name.clone()], message });
            continue;
        }
        match seconds(value, min, max) {
            Some(value) => drop(good.insert(name.clone(), value)),
            None => {
                let allowed =
                    format!("a number of seconds from {min} to {max}, or such numbers for `stdio` and `http`");
                checked.wrong.extend(wrong(entry, &[name], value, &allowed).wrong);
            }
        }
    }
    checked.value = Some(Value::Object(good));
    checked
}

/// Seconds for both transports, or `{stdio: …, http: …}`.
fn seconds(value: &Value, min: i64, max: i64) -> Option<Value> {
    let number = |value: &Value| whole(value).filter(|number| (min..=max).contains(number)).map(Value::from);
    let Some(table) = value.as_object() else { return number(value) };
    let known = !table.is_empty() && table.keys().all(|name| name == "stdio" || name == "http");
    let read = || table.iter().map(|(name, value)| Some((name.clone(), number(value)?))).collect::<Option<_>>();
    known.then(read)?.map(Value::Object)
}
