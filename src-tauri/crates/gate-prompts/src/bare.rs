//! Text that a template gives back as it is.

/// The text with whatever Handlebars would read in it taken as text.
///
/// A run of braces with its backslashes becomes a literal, since what a backslash before a brace means
/// depends on how many there are of both.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['{', '\\']) {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let run = from.len() - from.trim_start_matches(['{', '\\']).len();
        let (run, after) = from.split_at(run);
        // A brace or a backslash at the end may have a tag behind it.
        if run.contains("{{") || after.is_empty() {
            out.push_str(&quoted(run));
        } else {
            out.push_str(run);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn quoted(run: &str) -> String {
    format!("{{{{default \"{}\"}}}}", run.replace('\\', "\\\\"))
}
