//! Keys by the names that WebDriver gives them (W3C WebDriver, section 17.4.2).

/// Control.
pub const CONTROL: char = '\u{e009}';
/// Shift.
pub const SHIFT: char = '\u{e008}';
/// Enter.
pub const ENTER: char = '\u{e007}';
/// Escape.
pub const ESCAPE: char = '\u{e00c}';
