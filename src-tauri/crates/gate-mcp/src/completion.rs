//! What is offered for an argument that is being typed, of a prompt or of a resource's template.

use rmcp::model::{CompleteResult, CompletionInfo, ErrorData};

/// Most values of one completion (MCP, "Completion Results").
pub(crate) const MOST: u32 = 100;
pub(crate) const VALUES: usize = MOST as usize;
/// Longest identifier.
const ID_BYTES: usize = 36;

/// The values of one completion.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The best first, at most [`VALUES`].
    pub(crate) values: Vec<String>,
    /// How many there are in all, where that is known.
    pub(crate) total: Option<u64>,
    /// Whether there are more.
    pub(crate) has_more: bool,
}

impl Found {
    /// The first ones of all that there are.
    pub(crate) fn among<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        Self::of(all.take(VALUES).map(str::to_owned).collect(), total)
    }

    /// There is nothing to offer.
    pub(crate) fn none() -> Self {
        Self::of(Vec::new(), 0)
    }

    /// The first identifiers of so many.
    pub(crate) fn identifiers(first: &[impl ToString], total: u64) -> Self {
        Self::of(first.iter().map(ToString::to_string).collect(), total)
    }

    fn of(values: Vec<String>, total: u64) -> Self {
        let has_more = total > u64::try_from(values.len()).unwrap_or(u64::MAX);
        Self { values, total: Some(total), has_more }
    }

    /// As `completion/complete` gives it.
    pub(crate) fn result(self) -> Result<CompleteResult, ErrorData> {
        let Self { values, total, has_more } = self;
        let total = total.and_then(|total| u32::try_from(total).ok());
        let info = CompletionInfo::with_pagination(values, total, has_more);
        info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }
}

/// Those that begin so, then those that hold it, of either case; each in the order that they came.
pub(crate) fn fitting<'a>(all: impl Iterator<Item = &'a str>, typed: &str) -> Found {
    let typed = typed.to_lowercase();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for value in all {
        match value.to_lowercase().find(&typed) {
            Some(0) => first.push(value),
            Some(_) => then.push(value),
            None => {}
        }
    }
    first.append(&mut then);
    Found::among(first.into_iter())
}

/// What was typed of an identifier, as identifiers are written; absent where none begins so.
pub(crate) fn beginning(begun: &str) -> Option<String> {
    let fits = begun.len() <= ID_BYTES && begun.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    fits.then(|| begun.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_begin_an_identifier_is_looked_for() {
        assert_eq!(beginning(""), Some(String::new()), "nothing typed begins them all");
        assert_eq!(beginning("0190A6e4-"), Some("0190a6e4-".to_owned()));
        for begun in ["%", "_", "0190%", "x", "0190a6e4-7a10-7000-8000-0000000000011"] {
            assert_eq!(beginning(begun), None, "{begun:?}");
        }
    }

    #[test]
    fn what_begins_so_comes_before_what_holds_it() {
        let all = ["debug", "Bug", "style", "bugs"];
        let found = fitting(all.into_iter(), "bUG");
        assert_eq!(
            (found.values, found.total, found.has_more),
            (vec!["Bug".to_owned(), "bugs".to_owned(), "debug".to_owned()], Some(3), false)
        );
        assert_eq!(fitting(all.into_iter(), "").values, all, "nothing typed fits all, in their order");
    }
}
