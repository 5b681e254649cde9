//! `review-gate link`: shows the gate in a browser.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use clap::Args;
use gate_api::subjects::connections::{MakeLink, SignOut};
use gate_app::LinkPage;
use gate_core::{Code, Fault, Timestamp};
use gate_link::Home;
use serde::Deserialize;
use serde_json::json;
use tokio::process::Command;

use crate::client::Client;
use crate::{exit, output};

/// What opens a file in the person's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
/// How long a browser may take to open a link that it was handed, and to sign in.
const OPENING: Duration = Duration::from_secs(30);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
#[command(
    after_help = "The link signs in the browser that opens it first, within ten minutes; that browser stays signed in for
30 days, or until nobody has used it for 72 hours. Give it to nobody: whoever has it can answer for you.

With --open it is handed to your browser by a file that only you can read and that is gone afterwards. Don't put a
link into a command line, as in `xdg-open LINK`: every user of this machine can read those.

The page is on this machine's loopback. From another machine, forward the port first; any local port
does, if you write it into the link:
  ssh -L 8321:127.0.0.1:8321 you@this-machine

Examples:
  review-gate link
  review-gate link --open                     open it in this machine's browser
  review-gate link --sign-out                 sign every browser out"
)]
pub(crate) struct LinkArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Open the link in your browser instead of printing it
    #[arg(long, conflicts_with = "sign_out")]
    open: bool,
    /// Sign every browser out instead, and make links that nobody used worthless
    #[arg(long)]
    sign_out: bool,
}

pub(crate) async fn run(home: &Home, arguments: &LinkArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    if arguments.sign_out {
        client.ask(SignOut {}).await?;
        match arguments.json {
            true => output::json(&json!({ "signed_out": true }))?,
            false => output::line("Every browser is signed out. `review-gate link` makes a new link."),
        }
        return Ok(ExitCode::from(exit::DONE));
    }
    let link = client.ask(MakeLink {}).await?;
    if arguments.open {
        let signed_in = opened(home, &link.url).await?;
        match (arguments.json, signed_in) {
            (true, _) => output::json(&json!({ "opened": true, "signed_in": signed_in }))?,
            (false, true) => output::line("The page is in your browser, which is signed in."),
            (false, false) => {
                output::line(
                    "No browser has signed in. If the page isn't in yours, open what `review-gate link` prints.",
                );
            }
        }
        return Ok(ExitCode::from(exit::DONE));
    }
    match arguments.json {
        true => output::json(&json!({ "ui": link.url, "expires_at": link.expires_at }))?,
        false => {
            output::line(&link.url);
            output::line("Open it in a browser: it signs that one in, once, within ten minutes.");
            if let Some(forward) = forward(&link.url) {
                output::line(&forward);
            }
        }
    }
    Ok(ExitCode::from(exit::DONE))
}

/// Hands a link to the person's browser by a file of theirs alone, since the arguments of a program are everybody's to
/// read. Gives whether a browser has signed in by it; one that was before doesn't. The file is gone after that.
async fn opened(home: &Home, url: &str) -> Result<bool, Fault> {
    // The gate's own list of browsers.
    let browsers = home.token_file().with_file_name("browsers");
    let before = sign_ins(&browsers);
    let page = LinkPage::leading_to(home.data_folder(), url)?;
    let mut opener = Command::new(OPENER)
        .arg(page.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| no_browser(&error.to_string()))?;
    let signed_in = async {
        while !has_new(before.as_ref(), sign_ins(&browsers).as_ref()) {
            tokio::time::sleep(LOOK).await;
        }
    };
    let failed = async {
        match opener.wait().await {
            // It may end long before the browser has read the file.
            Ok(status) if status.success() => std::future::pending().await,
            Ok(status) => no_browser(&status.to_string()),
            Err(error) => no_browser(&error.to_string()),
        }
    };
    tokio::select! {
        () = signed_in => Ok(true),
        fault = failed => Err(fault),
        () = tokio::time::sleep(OPENING) => Ok(false),
        // So that the file goes then, too.
        _ = tokio::signal::ctrl_c() => Ok(false),
    }
}

/// What of a browser in the gate's list changes when it signs in, and not while it is used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct SignIn {
    key: String,
    /// When it is over.
    until: Timestamp,
}

/// Who has signed in, by the gate's list; nothing where it can't be read.
fn sign_ins(file: &Path) -> Option<BTreeSet<SignIn>> {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(BTreeSet::new()),
        Err(_) => return None,
    };
    let all: Vec<serde_json::Value> = serde_json::from_slice(&bytes).ok()?;
    Some(all.into_iter().filter_map(|each| serde_json::from_value(each).ok()).collect())
}

/// Whether somebody has signed in since.
fn has_new(before: Option<&BTreeSet<SignIn>>, now: Option<&BTreeSet<SignIn>>) -> bool {
    before.zip(now).is_some_and(|(before, now)| !now.is_subset(before))
}

fn no_browser(why: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("`{OPENER}` opened no browser: {why}."),
        "Open the link that `review-gate link` prints by hand.",
    )
}

/// How the link is reached from where the person sits, if that is another machine.
fn forward(url: &str) -> Option<String> {
    std::env::var_os("SSH_CONNECTION").filter(|value| !value.is_empty())?;
    let port = url.trim_start_matches("http://localhost:").split('/').next()?;
    Some(format!("From your own machine, first: ssh -L {port}:127.0.0.1:{port} and this machine's name."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_is_used_has_not_signed_in_by_that() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("browsers");
        let at = |day: u32| format!("2026-12-{day:02}T10:00:00Z");
        let browser = |key: &str, until: u32, unused_until: u32| {
            json!({"key": key, "host": "localhost:8321", "port": 8321, "until": at(until),
                   "unused_until": at(unused_until), "linked_by": "person"})
        };
        let written = |browsers: &[serde_json::Value]| {
            std::fs::write(&file, json!(browsers).to_string())?;
            Ok::<_, std::io::Error>(sign_ins(&file))
        };
        assert_eq!(sign_ins(&file), Some(BTreeSet::new()), "nobody ever signed in");
        let with_cookie = json!({"session": "of an older release"});
        let before = written(&[with_cookie, browser("old", 20, 4)])?;
        let since = |now: Option<BTreeSet<SignIn>>| has_new(before.as_ref(), now.as_ref());
        assert!(!since(written(&[browser("old", 20, 5)])?), "an old tab was used");
        assert!(!since(written(&[])?), "somebody has signed out");
        assert!(since(written(&[browser("old", 20, 5), browser("new", 21, 6)])?), "another one has signed in");
        assert!(since(written(&[browser("old", 21, 6)])?), "the same one has signed in anew");
        std::fs::write(&file, "[{")?;
        assert!(!since(sign_ins(&file)), "of what can't be read nothing is believed");
        Ok(())
    }
}
