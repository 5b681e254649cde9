//! Templates: Handlebars without escaping, checked when they are read, and stopped when they go on for
//! too long.

mod budget;
mod diagnose;
mod helpers;
mod marks;
mod walk;

use std::collections::BTreeSet;

use gate_core::{Fault, bounds};
use handlebars::{Context, Handlebars, Output, RenderContext, Renderable, Template, TemplateErrorReason};
use serde_json::Value;

use self::budget::Limits;
pub(crate) use self::budget::Stop;
use crate::deep;
use crate::trouble::{Spot, Trouble};

/// Most opening brackets of a template, those of its text counted: it can't nest deeper than that.
pub(crate) const BRACKETS: usize = 8000;
/// Most tags of a template times its bytes: for each tag the parser counts lines from the begin.
const WORK: usize = 256 * 1024 * 1024;
/// Deepest nesting of blocks and expressions.
pub(crate) const NESTED: usize = 48;

/// A template that can be rendered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compiled {
    /// As it is written.
    pub(crate) source: String,
    pub(crate) uses: Uses,
    template: Template,
}

/// What a template refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Uses {
    /// The variables that are no items of its blocks, in order of their first use.
    pub(crate) variables: Vec<String>,
    pub(crate) partials: Vec<PartialUse>,
    /// The partials that it brings along.
    pub(crate) inline: BTreeSet<String>,
}

/// Where a template puts a partial in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartialUse {
    pub(crate) name: String,
    pub(crate) at: Option<Spot>,
    /// Whether the partial sees the prompt's arguments as they are, and not an item or another value.
    pub(crate) outer: bool,
    /// The variables that it is given.
    pub(crate) given: Vec<String>,
    /// Whether something stands there for the case that it is missing.
    pub(crate) fallback: bool,
}

/// Where a template's text stands in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor<'a> {
    /// Its lines are the file's, from this one on, which may be indented.
    Lines { first: u32, file: &'a str },
    /// It is written otherwise: everything is told of the place where it begins.
    At(Spot),
}

impl Anchor<'_> {
    fn spot(self, text: &str, line: usize, column: usize) -> Spot {
        match self {
            Anchor::At(spot) => spot,
            Anchor::Lines { first, file } => {
                let own = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
                let at = (first as usize).saturating_add(line).saturating_sub(1);
                let whole = file.split('\n').nth(at.saturating_sub(1)).unwrap_or_default();
                let indent = if whole.ends_with(own) { whole.chars().count() - own.chars().count() } else { 0 };
                Spot::new(at, column.saturating_add(indent))
            }
        }
    }
}

impl Compiled {
    /// Reads a template. What is wrong goes to `troubles`; absent where it can't be rendered.
    pub(crate) fn read(text: &str, anchor: Anchor<'_>, troubles: &mut Vec<Trouble>) -> Option<Self> {
        let brackets = text.bytes().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
        if brackets > BRACKETS {
            troubles.push(Trouble::new(
                Some(anchor.spot(text, 1, 1)),
                format!("The template has more than {BRACKETS} opening brackets."),
                "Divide it into several prompts.",
            ));
            return None;
        }
        if text.matches("{{").count().saturating_mul(text.len()) > WORK {
            troubles.push(Trouble::new(
                Some(anchor.spot(text, 1, 1)),
                "The template has too many tags for its length.",
                "Divide it into several prompts or partials.",
            ));
            return None;
        }
        let read = deep::on(deep::READING, || {
            let mut found = Vec::new();
            (compiled(text, &mut found), found)
        });
        let (read, found) = match read {
            Ok(read) => read,
            Err(fault) => (None, vec![walk::Found::error(1, 1, fault.message, "Simplify the template.")]),
        };
        troubles.extend(found.into_iter().map(|found| Trouble {
            at: Some(anchor.spot(text, found.line, found.column)),
            message: found.message,
            mend: found.mend,
            warning: found.hint,
        }));
        let (template, uses) = read?;
        let partials = uses
            .partials
            .into_iter()
            .map(|(partial, line, column)| PartialUse { at: Some(anchor.spot(text, line, column)), ..partial });
        let uses = Uses { variables: uses.variables, partials: partials.collect(), inline: uses.inline };
        Some(Self { source: text.to_owned(), uses, template })
    }
}

fn compiled(text: &str, found: &mut Vec<walk::Found>) -> Option<(Template, walk::Walked)> {
    let mut template = match Template::compile(text) {
        Ok(template) => template,
        Err(error) => {
            let (line, column) = error.pos().unwrap_or((1, 1));
            let closing = match error.reason() {
                TemplateErrorReason::MismatchingClosedHelper(open, close)
                | TemplateErrorReason::MismatchingClosedDecorator(open, close) => Some((open.clone(), close.clone())),
                _ => None,
            };
            found.push(diagnose::syntax(text, line, column, closing));
            return None;
        }
    };
    let walked = walk::walk(&template, found);
    if found.iter().any(|found| !found.hint) {
        return None;
    }
    marks::put(&mut template);
    Some((template, walked))
}

/// The partials that templates of one version may put in.
#[derive(Debug)]
pub(crate) struct Partials {
    registry: Handlebars<'static>,
}

impl Partials {
    pub(crate) fn new<'a>(partials: impl IntoIterator<Item = (&'a str, &'a Compiled)>) -> Self {
        let mut registry = Handlebars::new();
        registry.register_escape_fn(budget::counted);
        helpers::register(&mut registry);
        for (name, partial) in partials {
            let mut template = partial.template.clone();
            template.name = Some(name.to_owned());
            registry.register_template(name, template);
        }
        Self { registry }
    }
}

/// Renders texts one after the other, all within one bound of time and size.
///
/// # Errors
/// Why it was stopped, and of which template.
pub(crate) fn render(
    texts: &[&Compiled],
    partials: &Partials,
    data: Value,
    now: gate_core::Timestamp,
) -> Result<Vec<String>, Stop> {
    let limits = Limits { millis: bounds::PROMPT_RENDER_MILLIS, bytes: bounds::PROMPT_RENDERED_BYTES, now };
    let rendered = deep::on(deep::RENDERING, || {
        let _running = budget::begin(&limits);
        let context = Context::wraps(data).map_err(|error| Stop::Fault(Fault::internal(error.to_string())))?;
        texts.iter().map(|text| rendered(text, partials, &context)).collect::<Result<Vec<_>, Stop>>()
    });
    rendered.unwrap_or_else(|fault| Err(Stop::Fault(fault)))
}

fn rendered(text: &Compiled, partials: &Partials, context: &Context) -> Result<String, Stop> {
    let mut out = Text::default();
    let mut running = RenderContext::new(None);
    let outcome = text.template.render(&partials.registry, context, &mut running, &mut out);
    // What is too much may have been noticed after the last place that could say so.
    if let Some(stop) = budget::stopped() {
        return Err(stop);
    }
    match outcome {
        Ok(()) => Ok(out.0),
        Err(error) => Err(Stop::Template {
            partial: error.template_name.clone(),
            line: error.line_no,
            cause: error.reason().to_string(),
        }),
    }
}

/// What was rendered so far.
#[derive(Default)]
struct Text(String);

impl Output for Text {
    fn write(&mut self, text: &str) -> Result<(), std::io::Error> {
        budget::within(self.0.len().saturating_add(text.len())).map_err(std::io::Error::other)?;
        self.0.push_str(text);
        Ok(())
    }
}
