//! The mark at the end of what is posted, by which it is found again. A reader doesn't see it.

use crate::workflow::ItemId;

/// How it begins and ends.
const BEGINS: &str = "<!-- review-gate:1 ";
const ENDS: &str = " -->";

/// A text with the mark of its item.
#[must_use]
pub fn marked(text: &str, item: ItemId) -> String {
    format!("{}\n\n{BEGINS}{item}{ENDS}", text.trim_end())
}

/// The item whose mark a text ends with, as the platform gives it back.
#[must_use]
pub fn marker_of(text: &str) -> Option<ItemId> {
    let last = text.trim_end().lines().next_back()?;
    last.strip_prefix(BEGINS)?.strip_suffix(ENDS)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_mark_is_found_at_the_end_alone() {
        let item = ItemId(Uuid::from_u128(9));
        let text = marked("A text.\n", item);
        assert_eq!(text, "A text.\n\n<!-- review-gate:1 00000000-0000-0000-0000-000000000009 -->");
        assert_eq!(marker_of(&format!("{text}\r\n")), Some(item), "platforms add line ends");
        assert_eq!(marker_of(&format!("{text}\nmore")), None, "what somebody quotes is no mark of theirs");
        assert_eq!(marker_of("<!-- review-gate:1 x -->"), None);
        assert_eq!(marker_of(""), None);
    }
}
