//! Prompts from elsewhere: other tools' files, clients' slash commands, and folders of prompts like ours.
//!
//! An import is only planned here: which prompts there would be, as texts. Whoever asked chooses and saves.

mod command;
mod feedback;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gate_core::prompt::{PROBLEMS_TOLD, checked_id};
use gate_core::{Code, Fault, PromptFormat, PromptOrigin, PromptProblem, bounds};

use crate::file;
use crate::folder::{self, Kind, format_of};
use crate::trouble::Trouble;

/// What an import would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// What the file or folder is, in words.
    pub kind: String,
    /// The prompts, at most [`bounds::PROMPT_IMPORTS`].
    pub prompts: Vec<ImportedPrompt>,
    /// What can't be imported, each with why; at most [`PROBLEMS_TOLD`].
    pub problems: Vec<PromptProblem>,
}

/// One prompt of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPrompt {
    /// Its id here.
    pub id: String,
    /// What a person reads.
    pub title: String,
    /// Where it comes from: the path below the folder, or the place in the file.
    pub from: String,
    /// What its file would hold.
    pub text: String,
    /// How that is written.
    pub format: PromptFormat,
}

/// What importing this file or folder would make; `~` stands for the home folder. It reads, and blocks.
///
/// # Errors
/// `unreadable_file` where there is nothing that can be read; `too_large` for a file over
/// [`bounds::PROMPT_IMPORT_BYTES`]; `invalid_input` for a path that isn't absolute, or that holds no prompts.
pub fn plan(path: &str) -> Result<Import, Fault> {
    let path = expanded(path.trim())?;
    let metadata = std::fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
    let mut gathered = Gathered::default();
    let kind = if metadata.is_dir() {
        from_folder(&path, &mut gathered)?
    } else if metadata.is_file() {
        if metadata.len() > bounds::PROMPT_IMPORT_BYTES as u64 {
            let message = format!("The file has more than {} bytes.", bounds::PROMPT_IMPORT_BYTES);
            return Err(Fault::new(Code::TooLarge, message, "Export fewer prompts at once."));
        }
        from_file(&path, &mut gathered)?
    } else {
        return Err(Fault::new(
            Code::UnreadableFile,
            format!("{} is no ordinary file or folder.", path.display()),
            "Name a file or a folder with prompts.",
        ));
    };
    if gathered.prompts.is_empty() && gathered.problems.is_empty() {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("{} holds no prompts that can be imported.", path.display()),
            "Name a folder of slash commands or of prompts, or an exported JSON file of prompts.",
        ));
    }
    Ok(gathered.into_import(kind))
}

/// What importing files of these names and texts would make.
///
/// # Errors
/// `too_large` for more than [`bounds::PROMPT_IMPORT_BYTES`] together.
pub fn plan_files(files: Vec<(String, String)>) -> Result<Import, Fault> {
    if files.iter().map(|(_, text)| text.len()).sum::<usize>() > bounds::PROMPT_IMPORT_BYTES {
        let message = format!("The files have more than {} bytes.", bounds::PROMPT_IMPORT_BYTES);
        return Err(Fault::new(Code::TooLarge, message, "Import fewer at once."));
    }
    let (mut gathered, mut kinds) = (Gathered::default(), BTreeSet::new());
    for (name, text) in files {
        match of_text(Path::new(&name), text, &mut gathered) {
            Some(kind) => {
                kinds.insert(kind);
            }
            None => gathered.problem(&name, &Trouble::new(None, NO_PROMPTS, "Choose `.json`, `.yaml` or `.md` files.")),
        }
    }
    let kind = match kinds.len() {
        1 => kinds.first().map(|kind| (*kind).to_owned()),
        _ => None,
    };
    Ok(gathered.into_import(kind.unwrap_or_else(|| "files".to_owned())))
}

/// What is said of a file that is neither of ours nor another tool's.
const NO_PROMPTS: &str = "Prompts can't be imported from such a file.";

fn expanded(path: &str) -> Result<PathBuf, Fault> {
    let home = || std::env::home_dir().filter(|home| home.is_absolute());
    let expanded = match (path, path.strip_prefix("~/")) {
        ("~", _) => home(),
        (_, Some(rest)) => home().map(|home| home.join(rest)),
        _ => Some(PathBuf::from(path)),
    };
    expanded.filter(|path| path.is_absolute()).ok_or_else(|| {
        let message = format!("`{}` is no absolute path.", gate_core::ask::excerpt(path, 80));
        Fault::new(Code::InvalidInput, message, "Begin it with `/`, a drive, or `~/` for your home folder.")
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    let message = format!("{} can't be read: {error}.", path.display());
    Fault::new(Code::UnreadableFile, message, "Check the path, and that you may read it.")
}

/// What was found so far.
#[derive(Debug, Default)]
struct Gathered {
    prompts: Vec<ImportedPrompt>,
    problems: Vec<PromptProblem>,
    taken: BTreeSet<String>,
}

impl Gathered {
    fn into_import(self, kind: String) -> Import {
        let Self { prompts, mut problems, .. } = self;
        problems.truncate(PROBLEMS_TOLD);
        Import { kind, prompts, problems }
    }

    fn problem(&mut self, from: &str, trouble: &Trouble) {
        self.problems.push(trouble.of_file(from, PromptOrigin::Local, false));
    }

    /// Takes a prompt under the id that is nearest to `name` and free. What makes no prompt is a problem.
    fn add(&mut self, name: &str, title: &str, from: &str, text: String, format: PromptFormat) {
        if self.prompts.len() >= bounds::PROMPT_IMPORTS {
            if self.prompts.len() == bounds::PROMPT_IMPORTS {
                let message = format!("More than {} prompts can't be imported at once.", bounds::PROMPT_IMPORTS);
                self.problem(from, &Trouble::new(None, message, "Import the rest from a folder of its own."));
            }
            return;
        }
        if text.len() > bounds::PROMPT_FILE_BYTES {
            let message = format!("This prompt has more than {} bytes.", bounds::PROMPT_FILE_BYTES);
            return self.problem(from, &Trouble::new(None, message, "Shorten it."));
        }
        let read = file::read(&text, format);
        if read.draft.is_none() {
            for trouble in read.troubles.iter().filter(|trouble| !trouble.warning) {
                self.problem(from, trouble);
            }
            return;
        }
        let base = sanitised(name);
        let free = (1..).map(|n| if n == 1 { base.clone() } else { format!("{base}_{n}") });
        let Some(id) = free.take(bounds::PROMPT_IMPORTS + 1).find(|id| !self.taken.contains(&id.to_lowercase())) else {
            return;
        };
        if let Err(fault) = checked_id(&id) {
            return self.problem(from, &Trouble::new(None, fault.message, fault.mend));
        }
        self.taken.insert(id.to_lowercase());
        let title = if title.is_empty() { id.clone() } else { title.to_owned() };
        self.prompts.push(ImportedPrompt { id, title, from: from.to_owned(), text, format });
    }
}

/// An id like this name: what an id can't hold becomes `_`.
fn sanitised(name: &str) -> String {
    let part = |part: &str| {
        let kept: String =
            part.trim().chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' }).collect();
        let kept = kept.trim_start_matches(['.', '_']).trim_end_matches(['.', '_', ' ']);
        if kept.is_empty() { "prompt".to_owned() } else { kept.chars().take(80).collect() }
    };
    let parts: Vec<String> = name.split('/').filter(|part| !part.is_empty()).map(part).collect();
    if parts.is_empty() { "prompt".to_owned() } else { parts.join("/") }
}

fn from_file(path: &Path, gathered: &mut Gathered) -> Result<String, Fault> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    let name = words(path.file_name());
    let Ok(text) = String::from_utf8(bytes) else {
        gathered.problem(&name, &Trouble::new(None, "The file isn't UTF-8.", "Save it as UTF-8."));
        return Ok("file".to_owned());
    };
    of_text(path, text, gathered).map(str::to_owned).ok_or_else(|| {
        Fault::new(
            Code::InvalidInput,
            format!("`{name}` is no file that prompts can be imported from."),
            "Name a `.json`, `.yaml` or `.md` file, or a folder.",
        )
    })
}

/// Takes what a file holds, and gives what it is; absent where its name says that no prompts are in it.
fn of_text(path: &Path, text: String, gathered: &mut Gathered) -> Option<&'static str> {
    let (name, stem) = (words(path.file_name()), words(path.file_stem()));
    let format = path.extension().and_then(|extension| extension.to_str()).and_then(format_of)?;
    Some(match format {
        PromptFormat::Json if feedback::prompts(&text, gathered) => feedback::KIND,
        PromptFormat::Markdown if command::is(&text, path) => {
            command::add(&stem, &name, &text, gathered);
            command::kind(path)
        }
        format => {
            own(&stem, &name, text, format, gathered);
            OWN
        }
    })
}

fn words(of_path: Option<&OsStr>) -> String {
    of_path.map(|words| words.to_string_lossy().into_owned()).unwrap_or_default()
}

const OWN: &str = "Review Gate prompts";

fn own(name: &str, from: &str, text: String, format: PromptFormat, gathered: &mut Gathered) {
    let title = file::read(&text, format).draft.map(|draft| draft.title.clone()).unwrap_or_default();
    gathered.add(name, &title, from, text, format);
}

fn from_folder(path: &Path, gathered: &mut Gathered) -> Result<String, Fault> {
    // A project's folder means the commands in it.
    let inside = [".claude/commands", ".cursor/commands"].map(|below| path.join(below));
    let path = inside.iter().find(|inside| inside.is_dir()).map_or(path, PathBuf::as_path);
    let listing = folder::list(path);
    if let Some(fault) = listing.fault {
        return Err(fault);
    }
    for (file, trouble) in &listing.troubles {
        gathered.problem(file, trouble);
    }
    let (mut commands, mut prompts) = (0, 0);
    for listed in &listing.files {
        let Kind::Prompt { id, format } = &listed.kind else {
            let mend = "Copy it to `_partials` in your folder of prompts.";
            gathered.problem(&listed.file, &Trouble::new(None, "Partials aren't imported.", mend));
            continue;
        };
        let text = match folder::text(&listed.path) {
            Ok(text) => text,
            Err(trouble) => {
                gathered.problem(&listed.file, &trouble);
                continue;
            }
        };
        if folder::of_repository(&listed.file, &text) {
            continue;
        }
        if *format == PromptFormat::Json && feedback::prompts(&text, gathered) {
            prompts += 1;
        } else if *format == PromptFormat::Markdown && command::is(&text, &listed.path) {
            commands += 1;
            command::add(id, &listed.file, &text, gathered);
        } else {
            prompts += 1;
            own(id, &listed.file, text, *format, gathered);
        }
    }
    let kind = match (commands, prompts) {
        (0, _) => OWN,
        (_, 0) => command::kind(path),
        _ => "slash commands and Review Gate prompts",
    };
    Ok(kind.to_owned())
}

#[cfg(test)]
pub(crate) fn command_template(body: &str) -> (String, Vec<String>) {
    command::template(body)
}
