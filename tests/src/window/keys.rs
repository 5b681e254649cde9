//! Keys by the names that WebDriver gives them (W3C WebDriver, section 17.4.2).

/// Control.
pub const CONTROL: char = '\u{e009}';
/// Shift.
pub const SHIFT: char = '\u{e008}';
/// Enter.
pub const ENTER: char = '\u{e007}';
/// Escape.
pub const ESCAPE: char = '\u{e00c}';
/// Tab.
pub const TAB: char = '\u{e004}';
/// The arrow up.
pub const UP: char = '\u{e013}';
/// The arrow to the right.
pub const RIGHT: char = '\u{e014}';
/// The arrow down.
pub const DOWN: char = '\u{e015}';
