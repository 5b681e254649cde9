//! What is in a folder of prompts: which files, and what can't be one. Nothing here leads out of the folder.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gate_core::ask::excerpt;
use gate_core::prompt::checked_id;
use gate_core::{Code, Fault, PromptFormat, bounds};
use gate_os::files::Stamp;

use crate::trouble::{Spot, Trouble};

/// The folder of the partials.
pub(crate) const PARTIALS: &str = "_partials";
/// What a repository has beside its prompts.
const OF_REPOSITORIES: &[&str] = &["readme", "changelog", "contributing", "license", "code_of_conduct", "security"];

/// What a file is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Prompt { id: String, format: PromptFormat },
    Partial { name: String },
}

/// A file as the folder lists it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listed {
    pub(crate) path: PathBuf,
    /// Its path below the folder, `/` between the parts.
    pub(crate) file: String,
    pub(crate) kind: Kind,
    pub(crate) stamp: Stamp,
}

/// Whether whoever read the file then would have seen every change that came later in the stamp: the
/// clock of a file system may stand still for a while.
pub(crate) fn tells_since(stamp: &Stamp, read_at: SystemTime) -> bool {
    let long = std::time::Duration::from_secs(2);
    stamp.modified.is_some_and(|modified| read_at.duration_since(modified).is_ok_and(|since| since > long))
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Listing {
    /// By their path.
    pub(crate) files: Vec<Listed>,
    /// What isn't served, each with its path.
    pub(crate) troubles: Vec<(String, Trouble)>,
    /// Why the folder as a whole can't be read.
    pub(crate) fault: Option<Fault>,
}

/// Lists a folder. One that isn't there is an empty one.
pub(crate) fn list(folder: &Path) -> Listing {
    let mut listing = Listing::default();
    let root = match fs::canonicalize(folder) {
        Ok(root) => root,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return listing,
        Err(error) => return Listing { fault: Some(unreadable(folder, &error)), ..listing },
    };
    if let Err(error) = fs::read_dir(&root) {
        return Listing { fault: Some(unreadable(folder, &error)), ..listing };
    }
    let mut walk = Walk { root: &root, seen: 0, bytes: 0, full: false, listing: &mut listing };
    walk.folder(&root, "", 0);
    listing.files.sort_by(|a, b| a.file.cmp(&b.file));
    listing
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("The folder of prompts {} can't be read: {error}.", folder.display()),
        "Make it a folder that you may read, or choose another one in the settings.",
    )
}

struct Walk<'a> {
    root: &'a Path,
    seen: usize,
    bytes: u64,
    full: bool,
    listing: &'a mut Listing,
}

impl Walk<'_> {
    fn trouble(&mut self, file: &str, message: impl Into<String>, mend: impl Into<String>) {
        self.listing.troubles.push((file.to_owned(), Trouble::new(None, message, mend)));
    }

    fn folder(&mut self, folder: &Path, below: &str, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let mend = "Make it readable, or move it away.";
                return self.trouble(below, format!("This folder can't be read: {error}."), mend);
            }
        };
        // Sorted, so that what is left out over a bound is always the same.
        let mut entries: Vec<_> =
            entries.flatten().take(4 * bounds::PROMPT_FILES).map(|entry| (entry.file_name(), entry.path())).collect();
        entries.sort();
        for (name, path) in entries {
            if self.full {
                return;
            }
            self.seen += 1;
            if self.seen > 4 * bounds::PROMPT_FILES {
                self.full = true;
                let mend = "Divide it, or keep other files somewhere else.";
                return self.trouble(below, "The folder holds too many files to look at all of them.", mend);
            }
            let Some(name) = name.to_str() else {
                let shown = excerpt(&name.to_string_lossy(), 80);
                let mend = "Rename it in letters.";
                self.trouble(&join(below, &shown), "The file's name isn't valid UTF-8.", mend);
                continue;
            };
            let partials = below == PARTIALS || below.starts_with("_partials/") || join(below, name) == PARTIALS;
            if name.starts_with('.') || (name.starts_with('_') && !partials) || name.ends_with('~') {
                continue;
            }
            self.entry(&path, &join(below, name), depth);
        }
    }

    fn entry(&mut self, path: &Path, file: &str, depth: usize) {
        let Ok(own) = fs::symlink_metadata(path) else { return };
        let (path, metadata) = if own.file_type().is_symlink() {
            match fs::canonicalize(path) {
                Ok(target) if !target.starts_with(self.root) => {
                    let mend = "Copy what it leads to into the folder.";
                    return self.trouble(file, "This link leads out of the folder.", mend);
                }
                Ok(target) => match fs::metadata(&target) {
                    Ok(metadata) if metadata.is_dir() => {
                        let mend = "Copy the folder, or move its files here.";
                        return self.trouble(file, "Links to folders aren't followed.", mend);
                    }
                    Ok(metadata) => (target, metadata),
                    Err(_) => return,
                },
                Err(_) => return self.trouble(file, "This link leads nowhere.", "Remove it, or mend where it leads."),
            }
        } else {
            (path.to_path_buf(), own)
        };
        if metadata.is_dir() {
            if depth >= bounds::PROMPT_DEPTH {
                let message = format!("Folders are nested more than {} deep here.", bounds::PROMPT_DEPTH);
                return self.trouble(file, message, "Move its files up.");
            }
            return self.folder(&path, file, depth + 1);
        }
        let Some(kind) = kind(file) else { return };
        if !metadata.is_file() {
            let mend = "Remove it: a prompt is a file with text in it.";
            return self.trouble(file, "This is no ordinary file.", mend);
        }
        if let Kind::Prompt { id, .. } = &kind
            && let Err(fault) = checked_id(id)
        {
            return self.trouble(file, fault.message, fault.mend);
        }
        if self.listing.files.len() >= bounds::PROMPT_FILES {
            self.full = true;
            let message = format!(
                "The folder has more than {} files; this one and those after it are left out.",
                bounds::PROMPT_FILES
            );
            return self.trouble(file, message, "Keep fewer prompts in it.");
        }
        let bytes = metadata.len();
        // A file over its own bound is told when it is read.
        let counted = if bytes > bounds::PROMPT_FILE_BYTES as u64 { 0 } else { bytes };
        if self.bytes + counted > bounds::PROMPTS_BYTES as u64 {
            self.full = true;
            let message = format!(
                "The prompts have more than {} bytes together; this one and those after it are left out.",
                bounds::PROMPTS_BYTES
            );
            return self.trouble(file, message, "Keep fewer prompts in the folder.");
        }
        self.bytes += counted;
        let stamp = Stamp::of(&metadata);
        self.listing.files.push(Listed { path, file: file.to_owned(), kind, stamp });
    }
}

fn join(below: &str, name: &str) -> String {
    if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") }
}

/// How a file of this extension is written.
pub(crate) fn format_of(extension: &str) -> Option<PromptFormat> {
    match extension.to_lowercase().as_str() {
        "yaml" | "yml" => Some(PromptFormat::Yaml),
        "json" => Some(PromptFormat::Json),
        "md" => Some(PromptFormat::Markdown),
        _ => None,
    }
}

fn kind(file: &str) -> Option<Kind> {
    let (stem, extension) = file.rsplit_once('.')?;
    if extension.contains('/') {
        return None;
    }
    if let Some(name) = stem.strip_prefix("_partials/") {
        let partial = matches!(extension.to_lowercase().as_str(), "hbs" | "md" | "txt");
        return partial.then(|| Kind::Partial { name: name.to_owned() });
    }
    Some(Kind::Prompt { id: stem.to_owned(), format: format_of(extension)? })
}

/// Whether this is a repository's own page and no prompt.
pub(crate) fn of_repository(file: &str, text: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
    name.strip_suffix(".md").is_some_and(|stem| OF_REPOSITORIES.contains(&stem)) && !text.starts_with("---")
}

/// Reads a file's text.
///
/// # Errors
/// Why it can't be a prompt's text.
pub(crate) fn text(path: &Path) -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    let most = bounds::PROMPT_FILE_BYTES as u64 + 1;
    let read = File::open(path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("it is no ordinary file"));
        }
        file.take(most).read_to_end(&mut bytes)
    });
    if let Err(error) = read {
        return Err(Trouble::new(None, format!("The file can't be read: {error}."), "Make it readable for yourself."));
    }
    checked(bytes)
}

fn checked(bytes: Vec<u8>) -> Result<String, Trouble> {
    if bytes.len() > bounds::PROMPT_FILE_BYTES {
        let message = format!("The file has more than {} bytes.", bounds::PROMPT_FILE_BYTES);
        return Err(Trouble::new(None, message, "Divide it; what is long may be an argument."));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
        let at = Spot::of(&before, before.len());
        Trouble::new(Some(at), "The file isn't UTF-8 from here on.", "Save it as UTF-8.")
    })
}
