//! `review-gate config`: the settings, with a running gate or without one.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::settings::{ExportSettings, PreviewSettingsImport, ReadSettings, SaveSettings};
use gate_api::{Applies, Setting, SettingDifference, SettingSource};
use gate_app::{Origin, may_change};
use gate_core::{Code, Fault, bounds};
use gate_link::Home;
use gate_settings::{Overlay, SettingsFile, Values, Wanted, entry, setting_in_english, unknown_setting, written};
use serde_json::{Value, json};

use crate::client::{Client, at_terminal};
use crate::output::one_line;
use crate::{exit, output, settings};

/// Longest value that is shown on a line, in characters.
const VALUE_CHARS: usize = 400;

#[derive(Debug, Args)]
#[command(
    after_help = "With a running gate, a change holds at once where the setting allows it. Comments and everything else
in config.yaml stay as you wrote them.

Exit codes: 0 done; 1 not valid (validate); 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate config list
  review-gate config set window.theme dark
  review-gate config set waiting.clients '{codex: 290}'
  review-gate config unset notifications.quiet_hours
  review-gate config validate && review-gate config export > settings.yaml"
)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print a setting's value
    #[command(after_help = "Example:
  review-gate config get window.theme")]
    Get {
        /// The setting, e.g. `window.theme`
        key: String,
        /// Print JSON: the setting with all that is known of it
        #[arg(long)]
        json: bool,
    },
    /// Change a setting
    #[command(after_help = "Examples:
  review-gate config set window.font_size 16
  review-gate config set notifications.quiet_hours 22:00-07:30
  review-gate config set voice.vocabulary 'tokio,get hub -> GitHub'

What protects you gets safer only; it gets weaker in the window's settings or on a signed-in page.")]
    Set {
        /// The setting, e.g. `window.theme`
        key: String,
        /// Its value, as in config.yaml
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Print JSON: the setting as it is then
        #[arg(long)]
        json: bool,
    },
    /// Go back to a setting's default
    #[command(after_help = "Example:
  review-gate config unset window.theme")]
    Unset {
        /// The setting, e.g. `window.theme`
        key: String,
        /// Print JSON: the setting as it is then
        #[arg(long)]
        json: bool,
    },
    /// Print every setting with its value and where that comes from
    #[command(after_help = "Example:
  review-gate config list --json | jq -r '.[] | select(.set) | .key'")]
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Print the path of config.yaml
    #[command(after_help = "Example:
  $EDITOR \"$(review-gate config path)\"")]
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong with config.yaml, or with another file
    #[command(after_help = "Example:
  review-gate config validate settings.yaml")]
    Validate {
        /// The file; without one, config.yaml
        file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take over the settings of another file; what it doesn't name stays
    #[command(after_help = "Example:
  review-gate config import settings.yaml --dry-run")]
    Import {
        /// The file; `-` reads stdin
        file: PathBuf,
        /// Only say what would change
        #[arg(long)]
        dry_run: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the settings that are set as a file of their own, without secrets
    #[command(after_help = "Example:
  review-gate config export > settings.yaml")]
    Export,
}

/// Where the settings are asked for.
enum Source {
    /// The running gate, so that changes hold at once.
    Gate(Client),
    /// The file itself.
    File(SettingsFile, Overlay),
}

pub(crate) async fn run(home: &Home, arguments: ConfigArguments) -> Result<ExitCode, Fault> {
    let file = settings::file(home);
    match arguments.command {
        ConfigCommand::Path { json } => path(&file, json),
        ConfigCommand::Validate { file: other, json } => validate(&other.map_or(file, SettingsFile::at), json),
        command => {
            let source = match Client::running(home).await? {
                Some(client) => Source::Gate(client),
                None => Source::File(file, Overlay::of_process(Values::new())),
            };
            carry_out(source, command).await
        }
    }
}

async fn carry_out(mut source: Source, command: ConfigCommand) -> Result<ExitCode, Fault> {
    match command {
        ConfigCommand::Get { key, json } => {
            let setting = find(source.settings().await?, &key)?;
            match json {
                true => output::json(&setting_in_english(&setting)?)?,
                false => output::line(&one_line(&written(&setting.value), VALUE_CHARS)),
            }
        }
        ConfigCommand::Set { key, value, json } => {
            let known = entry(&key).ok_or_else(|| unknown_setting(&key))?;
            change(source, &key, known.read(&value), json).await?;
        }
        ConfigCommand::Unset { key, json } => change(source, &key, Value::Null, json).await?,
        ConfigCommand::List { json } => {
            let settings = source.settings().await?;
            match json {
                true => output::json(&settings.iter().map(setting_in_english).collect::<Result<Vec<_>, _>>()?)?,
                false => settings.iter().for_each(print),
            }
        }
        ConfigCommand::Import { file, dry_run, json } => import(source, &file, dry_run, json).await?,
        ConfigCommand::Export => output::line(source.export().await?.trim_end()),
        // They need neither a gate nor what it knows.
        ConfigCommand::Path { .. } | ConfigCommand::Validate { .. } => {}
    }
    Ok(ExitCode::from(exit::DONE))
}

impl Source {
    async fn settings(&mut self) -> Result<Vec<Setting>, Fault> {
        match self {
            Self::Gate(client) => Ok(client.ask(ReadSettings {}).await?.settings),
            Self::File(file, overlay) => {
                let loaded = file.load(overlay);
                for problem in &loaded.problems {
                    output::fault(problem);
                }
                Ok(gate_settings::settings(&loaded))
            }
        }
    }

    /// Changes settings, and gives all of them as they are then.
    async fn save(&mut self, values: Wanted) -> Result<Vec<Setting>, Fault> {
        match self {
            Self::Gate(client) => Ok(client.ask(SaveSettings { values, seen: Wanted::new() }).await?.settings),
            Self::File(file, overlay) => {
                let origin = if at_terminal() { Origin::Terminal } else { Origin::Script };
                may_change(&values, &file.load(overlay), origin)?;
                file.save(&values, &Wanted::new(), overlay)?;
                Ok(gate_settings::settings(&file.load(overlay)))
            }
        }
    }

    async fn preview(&mut self, text: String) -> Result<(Vec<SettingDifference>, Vec<Fault>), Fault> {
        match self {
            Self::Gate(client) => {
                let preview = client.ask(PreviewSettingsImport { text }).await?;
                Ok((preview.differences, preview.problems))
            }
            Self::File(file, _) => Ok(file.differences(&text)),
        }
    }

    async fn export(&mut self) -> Result<String, Fault> {
        match self {
            Self::Gate(client) => Ok(client.ask(ExportSettings {}).await?.text),
            Self::File(file, _) => file.export(),
        }
    }
}

fn find(settings: Vec<Setting>, key: &str) -> Result<Setting, Fault> {
    settings.into_iter().find(|setting| setting.key == key).ok_or_else(|| unknown_setting(key))
}

async fn change(mut source: Source, key: &str, value: Value, json: bool) -> Result<(), Fault> {
    let settings = source.save(Wanted::from([(key.to_owned(), value)])).await?;
    let setting = find(settings, key)?;
    if json {
        return output::json(&setting_in_english(&setting)?);
    }
    let value = one_line(&shown(&setting.value), VALUE_CHARS);
    let then = match (setting.source, setting.applies, &source) {
        (SettingSource::Environment | SettingSource::Flag, _, _) => {
            " The environment or an argument says so, which wins over config.yaml."
        }
        (_, Applies::NextStart, Source::Gate(_)) => " It holds when Review Gate is started the next time.",
        _ => "",
    };
    output::line(&format!("{key} is {value}.{then}"));
    Ok(())
}

/// A value for a person.
fn shown(value: &Value) -> String {
    Some(written(value)).filter(|text| !text.is_empty()).unwrap_or_else(|| "none".to_owned())
}

fn print(setting: &Setting) {
    let from = match setting.source {
        SettingSource::Default => "default",
        SettingSource::File => "config.yaml",
        SettingSource::Environment => "environment",
        SettingSource::Flag => "argument",
    };
    let value = one_line(&shown(&setting.value), VALUE_CHARS);
    let fault = if setting.fault.is_some() { ", see `review-gate config validate`" } else { "" };
    output::line(&format!("{:<32} {value}  ({from}{fault})", setting.key));
}

fn path(file: &SettingsFile, json: bool) -> Result<ExitCode, Fault> {
    match json {
        true => output::json(&json!({ "path": file.path(), "exists": file.path().exists() }))?,
        false => output::line(&file.path().display().to_string()),
    }
    Ok(ExitCode::from(exit::DONE))
}

fn validate(file: &SettingsFile, json: bool) -> Result<ExitCode, Fault> {
    let problems = file.load(&Overlay::default()).problems;
    let valid = problems.is_empty();
    if json {
        output::json(&json!({ "file": file.path(), "valid": valid, "problems": problems }))?;
    } else if valid {
        output::line(&format!("{} is valid.", file.path().display()));
    } else {
        for problem in &problems {
            output::line(&one_line(&format!("{} {}", problem.message, problem.mend), VALUE_CHARS * 4));
        }
    }
    Ok(ExitCode::from(if valid { exit::DONE } else { exit::NOT_APPROVED }))
}

async fn import(mut source: Source, file: &Path, dry_run: bool, json: bool) -> Result<(), Fault> {
    let text = text_of(file)?;
    let (differences, problems) = source.preview(text).await?;
    if let Some(first) = problems.first() {
        let more = problems.len() - 1;
        let others = if more > 0 { format!(" ({more} more)") } else { String::new() };
        return Err(Fault::new(
            Code::SettingRejected,
            format!("{}{others}", first.message),
            "Nothing was changed; `review-gate config validate FILE` names everything that is wrong with it.",
        ));
    }
    if !dry_run && !differences.is_empty() {
        let wanted = differences.iter().map(|difference| (difference.key.clone(), difference.to.clone())).collect();
        source.save(wanted).await?;
    }
    if json {
        return output::json(&json!({ "changed": !dry_run, "differences": differences }));
    }
    for difference in &differences {
        let from = if difference.from.is_null() { "default".to_owned() } else { shown(&difference.from) };
        let to = shown(&difference.to);
        output::line(&one_line(&format!("{}: {from} -> {to}", difference.key), VALUE_CHARS));
    }
    output::line(match (differences.is_empty(), dry_run) {
        (true, _) => "Everything is as the file says already.",
        (false, true) => "Nothing was changed; leave out --dry-run to take them over.",
        (false, false) => "Taken over.",
    });
    Ok(())
}

fn text_of(file: &Path) -> Result<String, Fault> {
    let unreadable = |error: std::io::Error| {
        Fault::new(
            Code::UnreadableFile,
            format!("{} can't be read: {error}.", file.display()),
            "Name a settings file that you may read; nothing was changed.",
        )
    };
    let mut text = String::new();
    // One byte more than allowed is enough to know that it is too large.
    let most = bounds::SETTINGS_BYTES as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_string(&mut text).map_err(unreadable)?;
    } else {
        std::fs::File::open(file).map_err(unreadable)?.take(most).read_to_string(&mut text).map_err(unreadable)?;
    }
    Ok(text)
}
