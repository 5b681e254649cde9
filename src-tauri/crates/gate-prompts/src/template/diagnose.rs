//! Why a template can't be parsed, in words for whoever wrote it. The parser says where it stopped; what
//! is wrong stands before that place more often than at it.

use gate_core::ask::excerpt;

use super::walk::Found;

/// A tag, from its `{{` on.
struct Tag<'a> {
    at: usize,
    inside: &'a str,
}

pub(super) fn syntax(text: &str, line: usize, column: usize, closing: Option<(String, String)>) -> Found {
    if let Some((open, close)) = closing {
        return Found::error(
            line,
            column,
            format!("`{}` is closed by `{{{{/{}}}}}`.", tag_of(&open), excerpt(&close, 40)),
            format!("Close blocks in the reverse order, here with `{{{{/{}}}}}`.", excerpt(&open, 40)),
        );
    }
    let place = |at: usize| {
        let spot = crate::trouble::Spot::of(text, at);
        (spot.line as usize, spot.column as usize)
    };
    let mut open: Vec<Tag<'_>> = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("{{")).map(|found| from + found) {
        if text.get(..at).is_some_and(|before| before.ends_with('\\')) {
            from = at + 2;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = if rest.starts_with("{{!--") { rest.find("--}}").map(|end| end + 2) } else { rest.find("}}") };
        let Some(end) = end else {
            let (line, column) = place(at);
            let mend = "Close it with `}}`, or write `\\{{` for two braces that are text.";
            return Found::error(line, column, "This `{{` is never closed.", mend);
        };
        let inside = rest.get(2..end).unwrap_or_default().trim_matches(['~', '{', ' ']);
        if let Some(name) = inside.strip_prefix('/') {
            let name = name.trim();
            match open.pop() {
                None => {
                    let (line, column) = place(at);
                    return Found::error(
                        line,
                        column,
                        format!("`{{{{/{}}}}}` closes a block that was never opened.", excerpt(name, 40)),
                        format!("Remove it, or write `{{{{#{}}}}}` before it.", excerpt(name, 40)),
                    );
                }
                Some(tag) if name_of(tag.inside) != name => {
                    let (line, column) = place(at);
                    let open = name_of(tag.inside);
                    return Found::error(
                        line,
                        column,
                        format!("`{}` is closed by `{{{{/{}}}}}`.", tag_of(tag.inside), excerpt(name, 40)),
                        format!("Close blocks in the reverse order, here with `{{{{/{}}}}}`.", excerpt(open, 40)),
                    );
                }
                Some(_) => {}
            }
        } else if inside.starts_with('#') {
            open.push(Tag { at, inside });
        }
        from = at + end + 2;
    }
    // A tag that can't be read stops the parser at it; a block that isn't closed, at the block.
    let stopped = offset(text, line, column);
    let broken = text.get(..stopped.saturating_add(2).min(text.len())).or(text.get(..stopped)).and_then(|before| {
        let at = before.rfind("{{")?;
        let rest = text.get(at..)?;
        let end = rest.find("}}")? + 2;
        (at + end > stopped).then(|| (at, rest.get(..end).unwrap_or_default()))
    });
    if let Some((at, tag)) = broken
        && !(tag.starts_with("{{#") && open.iter().any(|open| open.at == at))
    {
        let (line, column) = place(at);
        return Found::error(
            line,
            column,
            format!("`{}` can't be read.", excerpt(tag, 60)),
            "Between the braces stands a name, or a helper with its values: `{{name}}`, `{{join names sep=\", \"}}`.",
        );
    }
    if let Some(tag) = open.last() {
        let (line, column) = place(tag.at);
        let name = excerpt(name_of(tag.inside), 40);
        return Found::error(
            line,
            column,
            format!("`{}` is never closed.", tag_of(tag.inside)),
            format!("Write `{{{{/{name}}}}}` where it ends."),
        );
    }
    Found::error(line, column, "The template can't be read here.", "Look for a `{{` too many, or write it as `\\{{`.")
}

/// `{{#if …}}` for what is inside.
fn tag_of(inside: &str) -> String {
    format!("{{{{#{}}}}}", excerpt(inside.trim_start_matches(['#', '>', '*', '~', ' ']), 40))
}

fn name_of(inside: &str) -> &str {
    inside.trim_start_matches(['#', '>', '*', '~', ' ']).split([' ', '\n', '\t', '~']).next().unwrap_or_default()
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at)
}
