//! The helpers that templates have beside those of Handlebars. None of them reads a file, asks the network
//! or starts anything.

use gate_core::{Timestamp, bounds};
use handlebars::{
    Context, Handlebars, Helper, HelperDef, JsonRender, JsonTruthy, RenderContext, RenderError, RenderErrorReason,
    ScopedJson,
};
use serde_json::Value;
use time::OffsetDateTime;

use super::budget;
use super::marks::{ENTER, LEAVE, STEP};

/// A helper as it is checked when a template is read.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// How many values it takes at least and at most.
    pub(super) values: (usize, usize),
    /// The options that it has.
    pub(super) options: &'static [&'static str],
    /// Whether something may stand between its begin and its end.
    pub(super) block: bool,
    /// Whether it has to.
    pub(super) only_block: bool,
}

const fn known(name: &'static str, values: (usize, usize), options: &'static [&'static str], block: bool) -> Known {
    Known { name, values, options, block, only_block: false }
}

const fn block(name: &'static str, options: &'static [&'static str]) -> Known {
    Known { name, values: (1, 1), options, block: true, only_block: true }
}

/// Every helper.
pub(super) const KNOWN: &[Known] = &[
    block("if", &["includeZero"]),
    block("unless", &["includeZero"]),
    block("each", &[]),
    block("with", &[]),
    known("lookup", (2, 2), &[], false),
    known("eq", (2, 2), &[], true),
    known("ne", (2, 2), &[], true),
    known("gt", (2, 2), &[], true),
    known("gte", (2, 2), &[], true),
    known("lt", (2, 2), &[], true),
    known("lte", (2, 2), &[], true),
    known("and", (2, 2), &[], true),
    known("or", (2, 2), &[], true),
    known("not", (1, 1), &[], true),
    known("len", (1, 1), &[], false),
    known("list", (1, 1), &[], false),
    known("join", (1, 1), &["sep"], false),
    known("code", (1, 1), &["lang"], false),
    known("date", (0, 0), &["format"], false),
    known("upper", (1, 1), &[], false),
    known("lower", (1, 1), &[], false),
    known("default", (1, 8), &[], false),
    known("json", (1, 1), &[], false),
    known("indent", (1, 1), &["by"], false),
];

pub(super) fn register(registry: &mut Handlebars<'static>) {
    for (name, make) in OWN {
        registry.register_helper(name, Box::new(Own { name, make: *make }));
    }
    for name in [STEP, ENTER, LEAVE] {
        registry.register_helper(name, Box::new(Mark(name)));
    }
    registry.unregister_helper("log");
}

/// A mark: it gives nothing, and may stop everything.
struct Mark(&'static str);

impl HelperDef for Mark {
    fn call<'reg: 'rc, 'rc>(
        &self,
        h: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn handlebars::Output,
    ) -> handlebars::HelperResult {
        match self.0 {
            ENTER => budget::enter(),
            LEAVE => budget::leave(),
            _ => {
                let bytes = h.param(0).and_then(|param| param.value().as_u64()).unwrap_or(0);
                budget::step(usize::try_from(bytes).unwrap_or(usize::MAX))
            }
        }
    }
}

type Make = fn(&Helper<'_>) -> Result<String, String>;

const OWN: &[(&str, Make)] = &[
    ("list", list),
    ("join", join),
    ("code", code),
    ("date", date),
    ("upper", |h| Ok(text(h, 0).to_uppercase())),
    ("lower", |h| Ok(text(h, 0).to_lowercase())),
    ("default", default),
    ("json", json),
    ("indent", indent),
];

struct Own {
    name: &'static str,
    make: Make,
}

impl HelperDef for Own {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        h: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        running: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        budget::step(0)?;
        // An argument may have a helper's name: by itself it is the argument.
        if h.params().is_empty() && h.hash().is_empty() {
            let value = running.evaluate(context, self.name)?;
            if self.name != "date" || !value.is_missing() {
                return Ok(ScopedJson::Derived(value.as_json().clone()));
            }
        }
        let made = (self.make)(h).map_err(|why| RenderErrorReason::Other(format!("`{}`: {why}", self.name)))?;
        if made.len() > bounds::PROMPT_RENDERED_BYTES {
            budget::within(made.len()).map_err(|why| RenderErrorReason::Other(why.to_owned()))?;
        }
        budget::step(0)?;
        Ok(ScopedJson::Derived(Value::String(made)))
    }
}

fn text(h: &Helper<'_>, index: usize) -> String {
    h.param(index).map(|param| param.value().render()).unwrap_or_default()
}

fn option(h: &Helper<'_>, name: &str) -> Option<String> {
    h.hash_get(name).filter(|value| !value.value().is_null()).map(|value| value.value().render())
}

/// The texts of a list; of anything else, it, unless it is empty.
fn items(h: &Helper<'_>) -> Vec<String> {
    match h.param(0).map(handlebars::PathAndJson::value) {
        Some(Value::Array(items)) => items.iter().map(JsonRender::render).collect(),
        Some(other) if !other.render().is_empty() => vec![other.render()],
        Some(_) | None => Vec::new(),
    }
}

fn list(h: &Helper<'_>) -> Result<String, String> {
    let bullets = items(h).into_iter().map(|item| format!("- {}", item.replace('\n', "\n  ")));
    Ok(bullets.collect::<Vec<_>>().join("\n"))
}

fn join(h: &Helper<'_>) -> Result<String, String> {
    let separator = option(h, "sep").unwrap_or_else(|| ", ".to_owned());
    let items = items(h);
    let length = items.iter().map(|item| item.len() + separator.len()).fold(0, usize::saturating_add);
    bounded(length)?;
    Ok(items.join(&separator))
}

fn code(h: &Helper<'_>) -> Result<String, String> {
    let text = text(h, 0);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let language = option(h, "lang").unwrap_or_default();
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    Ok(format!("{fence}{}\n{text}{end}{fence}", language.trim().replace(['`', '\n'], "")))
}

fn default(h: &Helper<'_>) -> Result<String, String> {
    let given = h.params().iter().map(handlebars::PathAndJson::value).find(|value| value.is_truthy(true));
    Ok(given.map(JsonRender::render).unwrap_or_default())
}

fn json(h: &Helper<'_>) -> Result<String, String> {
    let value = h.param(0).map_or(&Value::Null, handlebars::PathAndJson::value);
    serde_json::to_string_pretty(value).map_err(|error| error.to_string())
}

fn indent(h: &Helper<'_>) -> Result<String, String> {
    let by = match option(h, "by") {
        None => 2,
        Some(by) => by.parse::<usize>().ok().filter(|by| *by <= 40).ok_or("`by` is a number from 0 to 40.")?,
    };
    let (text, margin) = (text(h, 0), " ".repeat(by));
    bounded(text.len().saturating_add(by.saturating_mul(text.lines().count())))?;
    let lines = text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{margin}{line}") });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn bounded(length: usize) -> Result<(), String> {
    budget::within(length).map_err(str::to_owned)
}

fn date(h: &Helper<'_>) -> Result<String, String> {
    let format = option(h, "format").unwrap_or_else(|| "YYYY-MM-DD".to_owned());
    Ok(dated(budget::now(), &format))
}

/// A moment in UTC: `YYYY`, `MMMM`, `MM`, `DD`, `dddd`, `HH`, `mm` and `ss` are put in, the rest stays.
fn dated(now: Timestamp, format: &str) -> String {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(now.0.div_euclid(1000)) else { return now.to_string() };
    let parts: [(&str, String); 8] = [
        ("YYYY", at.year().to_string()),
        ("MMMM", at.month().to_string()),
        ("MM", format!("{:02}", u8::from(at.month()))),
        ("DD", format!("{:02}", at.day())),
        ("dddd", at.weekday().to_string()),
        ("HH", format!("{:02}", at.hour())),
        ("mm", format!("{:02}", at.minute())),
        ("ss", format!("{:02}", at.second())),
    ];
    let mut out = String::new();
    let mut rest = format;
    while let Some(letter) = rest.chars().next() {
        match parts.iter().find(|(token, _)| rest.starts_with(token)) {
            Some((token, value)) => {
                out.push_str(value);
                rest = rest.get(token.len()..).unwrap_or_default();
            }
            None => {
                out.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}
