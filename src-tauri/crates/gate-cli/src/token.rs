//! `review-gate token`: who may come in over HTTP.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::connections::{CreateToken, ListTokens, RevokeToken, RotateToken, TokenEntry};
use gate_core::{Code, Fault, Timestamp};
use gate_link::Home;
use serde_json::json;

use crate::client::Client;
use crate::output::one_line;
use crate::{exit, output};

/// Longest name that is shown, in characters.
const NAME_CHARS: usize = 60;
/// Longest path that is shown, in characters.
const FOLDER_CHARS: usize = 200;

#[derive(Debug, Args)]
#[command(
    after_help = "Your own token is in the file `token` of the gate's home. A client that gets a token of its own
is named in the record, and can be shut out without changing anything for the others.

Examples:
  review-gate token create laptop-codex      print a new token, once
  review-gate token create board --reads-all one that reads what every agent asked
  review-gate token create ci --folder .     one whose client may name repositories in this folder
  review-gate token list
  review-gate token revoke laptop-codex      shut that client out
  review-gate token rotate                   replace your own token"
)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token for one client and print it; it can't be read again
    #[command(after_help = "Examples:
  review-gate token create laptop-codex
  review-gate token create ci --folder . --json    the client may name repositories in this folder
  review-gate token create bot-a --owner bots --may review    it reviews, but nothing of bot-b's, which is --owner bots, too")]
    Create {
        /// The client's name
        name: String,
        /// Let it read what every agent asked and was answered, not only its own
        #[arg(long)]
        reads_all: bool,
        /// Let the gate read repositories in this folder for it (`repository` of review_gate_chat), where its reviews
        /// belong, too; may be given again
        #[arg(long, value_name = "DIR", visible_alias = "workspace")]
        folder: Vec<PathBuf>,
        /// Whose it is: all tokens of one owner are one party, which never reviews its own proposals
        #[arg(long)]
        owner: Option<String>,
        /// What it lets its client do in reviews, beside reading and commenting: propose, review; without it both
        #[arg(long, value_name = "WHAT", value_delimiter = ',')]
        may: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the clients' tokens
    #[command(after_help = "Example:
  review-gate token list --json | jq '.[].name'")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a client's token worthless, at once
    #[command(after_help = "Example:
  review-gate token revoke laptop-codex")]
    Revoke {
        /// The client's name
        name: String,
    },
    /// Replace your own token; clients that use it need the new one
    #[command(after_help = "Example:
  review-gate token rotate    the new one is in the file `token` of the gate's home")]
    Rotate,
}

pub(crate) async fn run(home: &Home, arguments: TokenArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    match arguments.command {
        TokenCommand::Create { name, reads_all, folder, owner, may, json } => {
            let folders = folder.iter().map(|folder| whole(folder)).collect::<Result<_, _>>()?;
            let token = client.ask(CreateToken { name: name.clone(), reads_all, folders, owner, may }).await?.token;
            match json {
                true => output::json(&json!({ "name": name, "token": token }))?,
                false => output::line(&token),
            }
        }
        TokenCommand::List { json } => {
            let tokens = client.ask(ListTokens {}).await?.tokens;
            match json {
                true => output::json(&tokens)?,
                false => list(&tokens),
            }
        }
        TokenCommand::Revoke { name } => {
            client.ask(RevokeToken { name: name.clone() }).await?;
            let name = one_line(&name, NAME_CHARS);
            output::line(&format!("Revoked. {name} is shut out; what it had asked stays open."));
        }
        TokenCommand::Rotate => {
            client.ask(RotateToken {}).await?;
            output::line(&format!("Your new token is in {}. The old one is worthless.", home.token_file().display()));
        }
    }
    Ok(ExitCode::from(exit::DONE))
}

fn list(tokens: &[TokenEntry]) {
    if tokens.is_empty() {
        output::line("No client has a token of its own. Make one with `review-gate token create NAME`.");
    }
    for token in tokens {
        let used = token.used_at.map_or("never used".to_owned(), |at| format!("used {}", day(at)));
        let revoked = token.revoked_at.map_or(String::new(), |at| format!(", revoked {}", day(at)));
        let name = one_line(&token.name, NAME_CHARS);
        let reads = if token.reads_all { ", reads all" } else { "" };
        let folders: String =
            token.folders.iter().map(|folder| format!(", in {}", one_line(folder, FOLDER_CHARS))).collect();
        let owner = token.owner.as_deref().map(|owner| format!(", of {}", one_line(owner, NAME_CHARS)));
        let may = match token.may.as_slice() {
            [only] => format!(", may {only}"),
            _ => String::new(),
        };
        let owner = owner.unwrap_or_default();
        output::line(&format!("{name}  made {}, {used}{reads}{owner}{may}{folders}{revoked}", day(token.created_at)));
    }
}

/// A folder's absolute path, as text: the gate works elsewhere.
fn whole(folder: &Path) -> Result<String, Fault> {
    let path = std::path::absolute(folder).ok().and_then(|path| path.into_os_string().into_string().ok());
    path.ok_or_else(|| {
        Fault::new(
            Code::InvalidInput,
            format!("{} can't be named to the gate.", folder.display()),
            "Name a folder whose path is plain text.",
        )
    })
}

/// The day of a point in time: the first ten characters of RFC 3339.
fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}
