//! The app's own arguments, and the words it prints before there is a window.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use gate_core::Fault;
use gate_core::ask::excerpt;
use gate_core::markdown::visible;

const HELP: &str = "review-gate-desktop: Review Gate's tray and windows

Usage: review-gate-desktop [--hidden]

  --hidden    start in the tray, without showing the window
  --version   print the version
  --help      print this

Starting it twice brings the first one to the front, as soon as nobody types
where it isn't seen that you have done it. Example:
  review-gate-desktop --hidden";

/// What the app was started with.
pub(crate) struct Arguments {
    /// Start without showing the window.
    pub(crate) hidden: bool,
}

/// What to print instead of starting.
pub(crate) struct Words {
    text: String,
    code: u8,
}

impl Arguments {
    pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, Words> {
        let mut parsed = Self { hidden: false };
        for argument in arguments {
            match argument.to_str() {
                Some("--hidden") => parsed.hidden = true,
                Some("--help" | "-h") => return Err(Words { text: HELP.to_owned(), code: 0 }),
                Some("--version" | "-V") => {
                    return Err(Words {
                        text: concat!("review-gate-desktop ", env!("CARGO_PKG_VERSION")).to_owned(),
                        code: 0,
                    });
                }
                _ => {
                    let text = format!("review-gate-desktop: unknown argument {argument:?}; see --help.");
                    return Err(Words { text, code: 2 });
                }
            }
        }
        Ok(parsed)
    }
}

pub(crate) fn print(words: &Words) -> ExitCode {
    let _ = if words.code == 0 {
        writeln!(std::io::stdout(), "{}", words.text)
    } else {
        writeln!(std::io::stderr(), "{}", words.text)
    };
    ExitCode::from(words.code)
}

pub(crate) fn print_fault(fault: &Fault) -> ExitCode {
    let text = visible(&excerpt(&format!("{} {} [{}]", fault.message, fault.mend, fault.code.as_str()), 2000));
    let _ = writeln!(std::io::stderr(), "review-gate-desktop: {text}");
    ExitCode::from(4)
}
