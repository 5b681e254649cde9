//! What a template refers to, found in its tree: arguments, partials, and what isn't there.

use std::collections::BTreeSet;

use handlebars::Template;
use handlebars::template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, TemplateElement};

use super::helpers::{KNOWN, Known};
use super::{NESTED, PartialUse};
use crate::trouble::{listed, nearest};

/// What is wrong with a template, at a line and a column of it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) mend: String,
    pub(super) hint: bool,
}

impl Found {
    pub(super) fn error(line: usize, column: usize, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { line, column, message: message.into(), mend: mend.into(), hint: false }
    }
}

/// What a template refers to; partials with their line and column.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) variables: Vec<String>,
    pub(super) partials: Vec<(PartialUse, usize, usize)>,
    pub(super) inline: BTreeSet<String>,
}

pub(super) fn walk(template: &Template, found: &mut Vec<Found>) -> Walked {
    let mut walker = Walker { walked: Walked::default(), found, scopes: Vec::new(), at: (1, 1), depth: 0 };
    walker.template(template);
    walker.walked
}

/// A block in which names mean something else.
struct Scope {
    /// Whether it has another value in the middle, as `each` and `with` have.
    item: bool,
    /// The names that it gives: `as |name|`.
    names: Vec<String>,
}

struct Walker<'a> {
    walked: Walked,
    found: &'a mut Vec<Found>,
    scopes: Vec<Scope>,
    at: (usize, usize),
    depth: usize,
}

impl Walker<'_> {
    fn error(&mut self, message: impl Into<String>, mend: impl Into<String>) {
        self.found.push(Found::error(self.at.0, self.at.1, message, mend));
    }

    /// Goes one level deeper, if that is allowed.
    fn deeper(&mut self, into: impl FnOnce(&mut Self)) {
        if self.depth >= NESTED {
            if !self.found.iter().any(|found| found.message.contains(" deep")) {
                self.error(
                    format!("Blocks and brackets are nested more than {NESTED} deep here."),
                    "Move a part of it to a partial.",
                );
            }
            return;
        }
        self.depth += 1;
        into(self);
        self.depth -= 1;
    }

    fn template(&mut self, template: &Template) {
        self.deeper(|walker| {
            for (index, element) in template.elements.iter().enumerate() {
                if let Some(place) = template.mapping.get(index) {
                    walker.at = (place.0, place.1);
                }
                walker.element(element);
            }
        });
    }

    fn element(&mut self, element: &TemplateElement) {
        match element {
            TemplateElement::Expression(helper) | TemplateElement::HtmlExpression(helper) => self.expression(helper),
            TemplateElement::HelperBlock(helper) => self.block(helper),
            TemplateElement::PartialExpression(partial) | TemplateElement::PartialBlock(partial) => {
                self.partial(partial);
            }
            TemplateElement::DecoratorExpression(decorator) | TemplateElement::DecoratorBlock(decorator) => {
                self.decorator(decorator);
            }
            _ => {}
        }
    }

    fn expression(&mut self, helper: &HelperTemplate) {
        if helper.params.is_empty() && helper.hash.is_empty() {
            self.named(&helper.name);
        } else {
            self.call(helper, false);
        }
    }

    /// A name by itself: an argument, unless only a helper can be meant.
    fn named(&mut self, name: &Parameter) {
        match name {
            Parameter::Path(_) | Parameter::Name(_) => {
                let name = name.as_name().unwrap_or_default().to_owned();
                match KNOWN.iter().find(|known| known.name == name) {
                    Some(known) if known.name == "date" => {}
                    Some(known) if known.only_block || OF_HANDLEBARS.contains(&known.name) => self.error(
                        format!("`{name}` is a helper, and needs something to work on."),
                        format!("Write `{{{{{name} value}}}}`, or give the argument another name."),
                    ),
                    Some(_) | None => self.path(&name),
                }
            }
            other => self.parameter(other),
        }
    }

    /// A helper with what it is given.
    fn call(&mut self, helper: &HelperTemplate, block: bool) {
        let name = helper.name.as_name().unwrap_or_default().to_owned();
        match KNOWN.iter().find(|known| known.name == name) {
            Some(known) => self.fits(known, helper, block),
            None => self.unknown(&name, helper.params.is_empty() && helper.hash.is_empty(), block),
        }
        for parameter in helper.params.iter().chain(helper.hash.values()) {
            self.parameter(parameter);
        }
    }

    fn unknown(&mut self, name: &str, bare: bool, block: bool) {
        let near = nearest(name, KNOWN.iter().map(|known| known.name));
        let mend = match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None if block && bare => format!("Write `{{{{#if {name}}}}}` or `{{{{#each {name}}}}}`."),
            None => format!("The helpers are {}.", listed(KNOWN.iter().map(|known| known.name))),
        };
        self.error(format!("There is no helper `{}`.", gate_core::ask::excerpt(name, 60)), mend);
    }

    fn fits(&mut self, known: &Known, helper: &HelperTemplate, block: bool) {
        let (name, count) = (known.name, helper.params.len());
        if block && !known.block {
            self.error(format!("`{name}` is no block."), format!("Write `{{{{{name} …}}}}`, without `#`."));
        } else if !block && known.only_block {
            self.error(format!("`{name}` is a block."), format!("Write `{{{{#{name} …}}}}` … `{{{{/{name}}}}}`."));
        } else if count < known.values.0 || count > known.values.1 {
            let (least, most) = known.values;
            let takes = match (least, most) {
                (0, 0) => "no value".to_owned(),
                (1, 1) => "one value".to_owned(),
                (least, most) if least == most => format!("{least} values"),
                (least, most) => format!("{least} to {most} values"),
            };
            self.error(
                format!("`{name}` takes {takes}, and is given {count}."),
                "Put what belongs together in round brackets, and texts in quotes.",
            );
        }
        let mut strange: Vec<&String> =
            helper.hash.keys().filter(|option| !known.options.contains(&option.as_str())).collect();
        strange.sort();
        if let Some(strange) = strange.first() {
            let mend = match nearest(strange, known.options.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None if known.options.is_empty() => "Remove it: this helper has none.".to_owned(),
                None => format!("It has {}.", listed(known.options.iter().copied())),
            };
            self.error(format!("`{name}` has no option `{strange}`."), mend);
        }
    }

    fn block(&mut self, helper: &HelperTemplate) {
        // `{{{{raw}}}}`: what stands in it is text.
        if helper.name.as_name() == Some("raw") {
            return;
        }
        self.call(helper, true);
        let item = matches!(helper.name.as_name(), Some("each" | "with"));
        let names = match &helper.block_param {
            Some(BlockParam::Single(name)) => vec![name],
            Some(BlockParam::Pair((first, second))) => vec![first, second],
            Some(_) | None => Vec::new(),
        };
        let names = names.into_iter().filter_map(|name| name.as_name().map(str::to_owned)).collect();
        if let Some(template) = &helper.template {
            self.scopes.push(Scope { item, names });
            self.template(template);
            self.scopes.pop();
        }
        if let Some(inverse) = &helper.inverse {
            self.template(inverse);
        }
    }

    fn partial(&mut self, partial: &DecoratorTemplate) {
        for parameter in partial.params.iter().chain(partial.hash.values()) {
            self.parameter(parameter);
        }
        let name = match &partial.name {
            Parameter::Name(_) | Parameter::Path(_) => partial.name.as_name().unwrap_or_default().to_owned(),
            _ => {
                self.error(
                    "A partial's name has to stand in the template; it can't be worked out.",
                    "Choose between partials with `{{#if}}`.",
                );
                return;
            }
        };
        let name = name.trim_matches(['\'', '"', '[', ']']).to_owned();
        if name != "@partial-block" {
            let outer = partial.params.is_empty() && !self.scopes.iter().any(|scope| scope.item);
            let mut given: Vec<String> = partial.hash.keys().cloned().collect();
            given.sort();
            let fallback = partial.template.is_some();
            let partial = PartialUse { name, at: None, outer, given, fallback };
            self.walked.partials.push((partial, self.at.0, self.at.1));
        }
        if let Some(template) = &partial.template {
            self.template(template);
        }
    }

    fn decorator(&mut self, decorator: &DecoratorTemplate) {
        if decorator.name.as_name() != Some("inline") {
            let name = gate_core::ask::excerpt(decorator.name.as_name().unwrap_or_default(), 60);
            self.error(
                format!("There is no decorator `{name}`."),
                "The only one is `{{#*inline \"name\"}}` … `{{/inline}}`.",
            );
            return;
        }
        match decorator.params.first() {
            Some(Parameter::Literal(name)) if name.is_string() => {
                self.walked.inline.extend(name.as_str().map(str::to_owned));
            }
            _ => self.error("An inline partial needs a name in quotes.", "Write `{{#*inline \"name\"}}`."),
        }
        if let Some(template) = &decorator.template {
            self.template(template);
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        match parameter {
            Parameter::Path(_) => {
                let raw = parameter.as_name().unwrap_or_default().to_owned();
                self.path(&raw);
            }
            Parameter::Subexpression(inner) => {
                let element = inner.as_element().clone();
                let TemplateElement::Expression(helper) = &element else { return };
                let name = helper.name.as_name().unwrap_or_default();
                let bare = helper.params.is_empty() && helper.hash.is_empty();
                if bare && !KNOWN.iter().any(|known| known.name == name) {
                    // In brackets a name is a helper, and never an argument.
                    return self.unknown(name, true, false);
                }
                self.deeper(|walker| walker.expression(helper));
            }
            _ => {}
        }
    }

    /// What a path names, if it is an argument.
    fn path(&mut self, raw: &str) {
        let root = raw.strip_prefix("@root").map(|rest| rest.trim_start_matches(['.', '/']));
        if root.is_none() && raw.starts_with('@') {
            return;
        }
        let mut rest = root.unwrap_or(raw);
        let own = rest;
        for this in ["this.", "this/", "./"] {
            rest = rest.strip_prefix(this).unwrap_or(rest);
        }
        let of_this = own != rest;
        let mut up = 0;
        while let Some(after) = rest.strip_prefix("..") {
            rest = after.get(1..).unwrap_or_default();
            up += 1;
        }
        if rest.starts_with('@') {
            return;
        }
        let name = match rest.strip_prefix('[') {
            Some(quoted) => quoted.split(']').next().unwrap_or_default(),
            None => rest.split(['.', '/']).next().unwrap_or_default(),
        };
        if name.is_empty() || name == "this" {
            return;
        }
        let items = self.scopes.iter().filter(|scope| scope.item).count();
        let given = || self.scopes.iter().any(|scope| scope.names.iter().any(|given| given == name));
        if root.is_some() || (items <= up && !given()) || (up > 0 && items <= up) {
            if !self.walked.variables.iter().any(|known| known == name) {
                self.walked.variables.push(name.to_owned());
            }
        } else if !of_this && up == 0 && !given() {
            self.found.push(Found {
                hint: true,
                ..Found::error(
                    self.at.0,
                    self.at.1,
                    format!("In a block of `each` or `with`, `{name}` is a part of the item, and items have none."),
                    format!("Write `@root.{name}` for the argument, or `this` for the item."),
                )
            });
        }
    }
}

/// Helpers that Handlebars runs even where they are given nothing.
const OF_HANDLEBARS: &[&str] = &["lookup", "eq", "ne", "gt", "gte", "lt", "lte", "and", "or", "not", "len"];
