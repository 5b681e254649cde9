//! The edits: each hostile text in each way that an agent has to bring it about, and what is odd about files and paths by itself.

mod places;
mod texts;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use gate_core::permission::EditUnknown;

use super::tools::Call;

/// An edit, what it meets, and what is said of it where it can't be known.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) there: Vec<There>,
    pub(super) call: Call,
    pub(super) unknown: Option<EditUnknown>,
}

/// What lies in the folder.
#[derive(Debug, Clone)]
pub(super) enum There {
    File(&'static str, Vec<u8>),
    Mode(&'static str, u32),
    Folder(&'static str),
    /// A symbolic link, and where it leads.
    Link(&'static str, &'static str),
    /// Another name of a file.
    Twin(&'static str, &'static str),
    Pipe(&'static str),
    /// The folder itself is gone.
    Nothing,
}

impl There {
    pub(super) fn make(&self, folder: &Path) {
        let at = |name: &str| folder.join(name);
        match self {
            Self::File(name, bytes) => fs::write(at(name), bytes),
            Self::Mode(name, mode) => fs::set_permissions(at(name), fs::Permissions::from_mode(*mode)),
            Self::Folder(name) => fs::create_dir(at(name)),
            Self::Link(name, to) => symlink(to, at(name)),
            Self::Twin(name, of) => fs::hard_link(at(of), at(name)),
            Self::Pipe(name) => {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                let name = OsString::from(at(name));
                rustix::fs::mknodat(rustix::fs::CWD, name, rustix::fs::FileType::Fifo, mode, 0).map_err(Into::into)
            }
            Self::Nothing => fs::remove_dir(folder),
        }
        .unwrap_or_else(|error| panic!("{self:?}: {error}"));
    }
}

/// A file `a`.
fn file(text: &str) -> Vec<There> {
    vec![There::File("a", text.as_bytes().to_vec())]
}

fn edit(path: &str, old: &str, new: &str) -> Call {
    Call::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned(), all: false }
}

fn write(path: &str, content: &str) -> Call {
    Call::Write { path: path.to_owned(), content: content.to_owned() }
}

fn patch(lines: &str) -> String {
    format!("*** Begin Patch\n{lines}*** End Patch")
}

/// Lines of a patch, each with its mark.
fn marked(mark: char, text: &str) -> String {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() { String::new() } else { lines.split('\n').map(|line| format!("{mark}{line}\n")).collect() }
}

pub(super) fn cases() -> Vec<Case> {
    texts::cases().into_iter().chain(places::cases()).collect()
}
