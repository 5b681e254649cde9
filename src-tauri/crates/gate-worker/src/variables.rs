//! Variables of an environment, by their names.

use std::ffi::{OsStr, OsString};

/// The value of a variable; absent where it is empty.
pub(crate) fn variable<'a>(all: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let found = all.iter().find(|(other, _)| is_named(&other.to_string_lossy(), name));
    found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
}

/// On Windows the same name may be written in other letters.
pub(crate) fn is_named(name: &str, wanted: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { name == wanted }
}
