//! What tools take, once it is held against its bounds.

use gate_core::reply::Side;
use gate_core::{Code, Fault, SessionUuid};

use crate::input::{Fields, Id, Word};

/// What a tool takes, once it is held against its bounds.
pub(crate) trait Takes: Fields {
    /// What comes of it.
    type Checked: Send;

    /// The session that it names.
    fn session(&self) -> Option<SessionUuid>;

    /// The same within its bounds.
    ///
    /// # Errors
    /// `invalid_input`, `too_large` and `too_many` that name the field.
    fn checked(self) -> Result<Self::Checked, Fault>;
}

/// The session of an earlier result.
pub(crate) const SESSION_INPUT: Id<SessionUuid> = Id::new();
/// The side of a diff.
pub(crate) const SIDE: Word<Side> = Word { all: &[Side::Old, Side::New], name: side_word, read: side };

fn side_word(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

fn side(text: &str) -> Option<Side> {
    [Side::Old, Side::New].into_iter().find(|side| side_word(*side) == text)
}

/// Whether a call waits, and for how long at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) is_on: bool,
    pub(crate) seconds: Option<u64>,
}

/// A field that has to be there.
pub(crate) fn needed<T>(field: &str, value: Option<T>) -> Result<T, Fault> {
    value.ok_or_else(|| {
        Fault::new(
            Code::InvalidInput,
            format!("`{field}` is missing."),
            "Pass the field as the tool's input schema says.",
        )
    })
}

/// A text that has to be there and hold something.
pub(crate) fn filled(field: &str, value: Option<String>) -> Result<String, Fault> {
    needed(field, blank_to_none(value))
}

pub(crate) fn blank_to_none(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Declares what comes of what a tool takes, within its bounds; `of` the field for the session, where there is one.
macro_rules! takes {
    (@session $input:ident) => { None };
    (@session $input:ident $session:ident) => { $input.$session };
    ($name:ident $(of $session:ident)? => $checked:ty: |$input:ident| $body:block) => {
        impl $crate::answer::Takes for $name {
            type Checked = $checked;

            fn session(&self) -> Option<gate_core::SessionUuid> {
                $crate::answer::takes!(@session self $($session)?)
            }

            fn checked(self) -> Result<$checked, gate_core::Fault> {
                let $input = self;
                $body
            }
        }
    };
}
pub(crate) use takes;
