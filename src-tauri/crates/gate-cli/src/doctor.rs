//! `review-gate doctor`: why nothing pops up.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::doctor::TestRequest;
use gate_api::{DoctorReport, Finding, Level};
use gate_core::Fault;
use gate_doctor::{Environment, examine, has_fault};
use gate_link::Home;
use gate_texts::Texts;
use serde_json::Value;

use crate::client::Client;
use crate::output::{counted, one_line};
use crate::progress::Progress;
use crate::{exit, output};

/// Longest text of a finding that is shown, in characters.
const TEXT_CHARS: usize = 1200;
/// Longest word on what is being looked at, in characters: what a narrow terminal has.
const PROGRESS_CHARS: usize = 60;

#[derive(Debug, Args)]
#[command(
    after_help = "Looks at the programs, the folders, the running gate, the record, the desktop and each client's
configuration, and starts what each client starts to see whether it answers. It changes nothing. What
it prints names neither you nor your home folder and holds no secret: paste it into a bug report.

Exit codes: 0 nothing is at fault; 1 something is; 4 it can't look.

Examples:
  review-gate doctor
  review-gate doctor --popup          also show a request, to see whether you see it
  review-gate doctor --json | jq '.findings[] | select(.level == \"fault\") | .command'"
)]
pub(crate) struct DoctorArguments {
    /// Show a request in the window, and wait until it is answered or closed
    #[arg(long)]
    popup: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: &DoctorArguments) -> Result<ExitCode, Fault> {
    let environment = Environment::of_process(home.clone())?;
    let progress = Progress::begin();
    let mut report =
        examine(&environment, |what| progress.say(&one_line(&format!("Looking at {what}…"), PROGRESS_CHARS))).await;
    let mut shown = Ok(());
    if arguments.popup {
        progress.say("Answer or close the request that comes up, or that a notification tells of…");
        shown = popup(home).await.map(|finding| report.findings.push(environment.privacy().cleaned(finding)));
        report.findings.sort_by_key(|finding| finding.level);
    }
    progress.end();
    match arguments.json {
        true => output::json(&in_english(&report)?)?,
        false => print(&report),
    }
    // What was found is worth telling without it.
    shown?;
    Ok(ExitCode::from(if has_fault(&report.findings) { exit::NOT_APPROVED } else { exit::DONE }))
}

/// A report as scripts read it.
fn in_english(report: &DoctorReport) -> Result<Value, Fault> {
    let said = |phrase| Value::from(Texts::english().phrase(phrase));
    let mut told = serde_json::to_value(report).map_err(|error| Fault::internal(error.to_string()))?;
    for (at, finding) in report.findings.iter().enumerate() {
        told["findings"][at]["title"] = said(&finding.title);
        told["findings"][at]["cause"] = said(&finding.cause);
        told["findings"][at]["mend"] = finding.mend.as_ref().map(said).into();
    }
    Ok(told)
}

/// Has the gate show a request, and starts it where none runs.
async fn popup(home: &Home) -> Result<Finding, Fault> {
    Ok(Client::started(home).await?.ask(TestRequest {}).await?.finding)
}

fn print(report: &DoctorReport) {
    let number = |level| report.findings.iter().filter(|finding| finding.level == level).count();
    output::line(&format!(
        "Review Gate {}: {}, {}, {} good.",
        env!("CARGO_PKG_VERSION"),
        counted(number(Level::Fault), "fault"),
        counted(number(Level::Warning), "warning"),
        number(Level::Good)
    ));
    let said = |phrase| Texts::english().phrase(phrase);
    let mut last = None;
    for finding in &report.findings {
        let apart = matches!(finding.level, Level::Fault | Level::Warning) || last != Some(finding.level);
        if apart {
            output::line("");
        }
        last = Some(finding.level);
        output::line(&format!(
            "{:<8} {}: {}",
            mark(finding.level),
            said(&finding.title),
            one_line(&said(&finding.cause), TEXT_CHARS)
        ));
        if let Some(mend) = &finding.mend {
            output::line(&format!("         {}", one_line(&said(mend), TEXT_CHARS)));
        }
        if let Some(command) = &finding.command {
            output::line(&format!("         $ {}", one_line(command, TEXT_CHARS)));
        }
    }
}

fn mark(level: Level) -> &'static str {
    match level {
        Level::Fault => "FAULT",
        Level::Warning => "warning",
        Level::Note => "note",
        Level::Good => "good",
        Level::Skipped => "skipped",
    }
}

#[cfg(test)]
mod tests {
    use gate_api::Phrase;
    use serde_json::json;

    use super::*;

    #[test]
    fn scripts_read_sentences_in_english() -> Result<(), Fault> {
        let finding = |mend| Finding {
            check: "token".to_owned(),
            title: Phrase::new("check-token"),
            level: Level::Warning,
            cause: Phrase::new("finding-token-empty").with("path", "~/token"),
            mend,
            command: None,
        };
        let mend = Phrase::new("finding-mend-token-empty");
        let told = in_english(&DoctorReport { findings: vec![finding(Some(mend)), finding(None)], took_ms: 7 })?;
        let as_told = |mend: Option<&str>| {
            let (title, cause) = ("Token", "~/token holds no token.");
            json!({"check": "token", "title": title, "level": "warning", "cause": cause, "mend": mend, "command": null})
        };
        let mend = "Start the gate again: it makes a new one.";
        assert_eq!(told, json!({"findings": [as_told(Some(mend)), as_told(None)], "took_ms": 7}));
        Ok(())
    }
}
