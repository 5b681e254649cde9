//! `review-gate export` and `import`: the record out to a file, and a file into the record.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use gate_api::subjects::conversations::{Export, Import};
use gate_core::export::ExportFormat;
use gate_core::{Code, Fault, SessionUuid};
use gate_link::Home;

use crate::client::Client;
use crate::output::counted;
use crate::{exit, output};

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Markdown, to be read
    Md,
    /// JSON, to be imported elsewhere
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  review-gate export 0193… > review.md
  review-gate export --format json --output record.json")]
pub(crate) struct ExportArguments {
    /// The session; without it, everything
    session: Option<SessionUuid>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
    /// A file that doesn't exist yet, or a folder, in which it gets a name; without it, standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate import record.json

Conversations that are here already are left as they are, and one that breaks a rule holds up no other.
Exit codes: 0 all of them are here now; 4 some were refused, or the file can't be read.")]
pub(crate) struct ImportArguments {
    /// A file that `review-gate export --format json` made
    file: PathBuf,
}

pub(crate) async fn export(home: &Home, arguments: ExportArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    let format = match arguments.format {
        Format::Md => ExportFormat::Markdown,
        Format::Json => ExportFormat::Json,
    };
    let command =
        |path: &Path| Export { session_uuid: arguments.session, format, path: Some(path.display().to_string()) };
    if let Some(file) = &arguments.output {
        let file = absolute(file)?;
        let exported = client.ask(command(&file)).await?;
        output::line(&format!("{} of {}", exported.path, counted(exported.conversations, "conversation")));
        return Ok(ExitCode::from(exit::DONE));
    }
    // The gate writes files; this one is only passed on.
    let passing = Passing(home.data_folder().join(format!("export-{}.tmp", std::process::id())));
    client.ask(command(&passing.0)).await?;
    let mut file = File::open(&passing.0).map_err(|error| unreadable(&passing.0, &error))?;
    match io::copy(&mut file, &mut io::stdout().lock()) {
        Ok(_) => Ok(ExitCode::from(exit::DONE)),
        // Whoever reads has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::from(exit::DONE)),
        Err(error) => Err(Fault::internal(format!("The export can't be printed: {error}."))),
    }
}

pub(crate) async fn import(home: &Home, arguments: &ImportArguments) -> Result<ExitCode, Fault> {
    let file = absolute(&arguments.file)?;
    File::open(&file).map_err(|error| unreadable(&file, &error))?;
    let mut client = Client::started(home).await?;
    let path = file.display().to_string();
    let imported = client.ask(Import { path }).await?;
    let mut line = format!(
        "{} with {}",
        counted(imported.conversations, "new conversation"),
        counted(imported.messages, "message")
    );
    if imported.known > 0 {
        line = format!("{line}; {} were here already", imported.known);
    }
    output::line(&line);
    for reason in &imported.reasons {
        output::error(reason);
    }
    if imported.refused > 0 {
        output::error(&format!("{} refused; nothing of them was stored", counted(imported.refused, "conversation")));
        return Ok(ExitCode::from(exit::FAULT));
    }
    Ok(ExitCode::from(exit::DONE))
}

/// A file that goes when it has been passed on.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // It may not have been made.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Fault> {
    std::path::absolute(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be read: {error}.", path.display()),
        "Name a file that exists and that you may read.",
    )
}
