//! Marks put into a template that is otherwise left as written: where a block begins, and where a partial
//! begins and ends. What stands at the marks keeps rendering within its bounds (`budget.rs`), whatever the
//! template does between them.

use std::sync::LazyLock;

use handlebars::Template;
use handlebars::template::{Parameter, TemplateElement, TemplateMapping};
use serde_json::Value;

pub(super) const STEP: &str = "__step";
pub(super) const ENTER: &str = "__enter";
pub(super) const LEAVE: &str = "__leave";

/// One of each mark, with the parser's own idea of its place.
static MARKS: LazyLock<Option<(Template, Template, Template)>> = LazyLock::new(|| {
    let mark = |name: &str| Template::compile(&format!("{{{{{name} 1}}}}")).ok();
    Some((mark(STEP)?, mark(ENTER)?, mark(LEAVE)?))
});

/// Puts the marks into a template that is a prompt's text or a partial.
pub(super) fn put(template: &mut Template) {
    let Some((step, enter, leave)) = MARKS.as_ref() else { return };
    body(template, step, Some((enter, leave)));
}

/// Marks a text, and what stands in its blocks. `edges` where it is put in as a whole.
fn body(template: &mut Template, step: &Template, edges: Option<(&Template, &Template)>) {
    let mut bytes = 0_usize;
    for element in &mut template.elements {
        match element {
            TemplateElement::RawString(text) => bytes = bytes.saturating_add(text.len()),
            TemplateElement::HelperBlock(helper) => {
                for inner in helper.template.iter_mut().chain(helper.inverse.iter_mut()) {
                    body(inner, step, None);
                }
            }
            TemplateElement::DecoratorBlock(decorator) => {
                // An inline partial: what is between its ends is put in elsewhere.
                if let (Some(inner), Some((_, enter, leave))) = (decorator.template.as_mut(), MARKS.as_ref()) {
                    body(inner, step, Some((enter, leave)));
                }
            }
            TemplateElement::PartialBlock(partial) => {
                if let Some(inner) = partial.template.as_mut() {
                    body(inner, step, None);
                }
            }
            // Nothing is escaped anyway; written so, its value is counted as well.
            TemplateElement::HtmlExpression(helper) => *element = TemplateElement::Expression(helper.clone()),
            _ => {}
        }
    }
    let place = template.mapping.first().cloned();
    let mut first: Vec<(TemplateElement, Option<TemplateMapping>)> = Vec::new();
    if let Some((enter, _)) = edges {
        first.extend(enter.elements.first().map(|mark| (mark.clone(), enter.mapping.first().cloned())));
    }
    if let Some(TemplateElement::Expression(mark)) = step.elements.first() {
        let mut mark = mark.clone();
        mark.params = vec![Parameter::Literal(Value::from(bytes))];
        first.push((TemplateElement::Expression(mark), step.mapping.first().cloned()));
    }
    for (mark, own) in first.into_iter().rev() {
        if let Some(place) = place.clone().or(own) {
            template.elements.insert(0, mark);
            template.mapping.insert(0, place);
        }
    }
    if let Some((_, leave)) = edges
        && let (Some(mark), Some(place)) = (leave.elements.first(), leave.mapping.first())
    {
        template.elements.push(mark.clone());
        template.mapping.push(place.clone());
    }
}
