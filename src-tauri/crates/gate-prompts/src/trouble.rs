//! What is wrong with a file, before it is known whose file it is.

use gate_core::{PromptOrigin, PromptProblem};

/// A place in a text; both numbers count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Spot {
    pub(crate) fn new(line: usize, column: usize) -> Self {
        Self { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// Where the byte at this offset stands.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or(before);
        Self::new(line, last.chars().count() + 1)
    }
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// Where; absent where it is about the whole text.
    pub(crate) at: Option<Spot>,
    /// What is wrong, in a sentence.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) mend: String,
    /// Whether the text makes a prompt all the same.
    pub(crate) warning: bool,
}

impl Trouble {
    pub(crate) fn new(at: Option<Spot>, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { at, message: message.into(), mend: mend.into(), warning: false }
    }

    pub(crate) fn hint(at: Option<Spot>, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { warning: true, ..Self::new(at, message, mend) }
    }

    pub(crate) fn of_file(&self, file: &str, origin: PromptOrigin, served: bool) -> PromptProblem {
        PromptProblem {
            file: file.to_owned(),
            origin,
            line: self.at.map(|at| at.line),
            column: self.at.map(|at| at.column),
            message: self.message.clone(),
            mend: self.mend.clone(),
            served,
            warning: self.warning,
        }
    }
}

/// The known name that is nearest to what was typed, if one is near.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let near = known.into_iter().map(|name| (strsim::damerau_levenshtein(&name.to_lowercase(), &typed), name)).min();
    near.filter(|(far, name)| *far <= (name.chars().count() / 3).max(1) && *far < name.chars().count())
        .map(|(_, name)| name)
}

/// `a`, `b` and `c`, each in backquotes.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
