//! `review-gate answer`: a reply from a terminal.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use gate_api::subjects::requests::{Attach, ListRequests, Question, ReadQuestion, SendReply};
use gate_core::{Ask, Code, Decision, Digest, Draft, Fault, RequestId, bounds};
use gate_link::Home;
use serde_json::json;

use crate::choosing::chosen;
use crate::client::{Client, at_terminal};
use crate::deciding::Deciding;
use crate::output::one_line;
use crate::{ending, exit, input, output, spoken};

/// Longest headline that is shown, in characters.
const HEADLINE_CHARS: usize = 200;

#[derive(Debug, Args)]
#[command(
    after_help = "Where terminals may decide (`review-gate serve --terminal`, or the guard security.terminal_answers that you
switch on in the window), --approve and --request-changes show all of the question and ask for four digits. A process
without a terminal, or below an agent, answers only where scripts may: under `review-gate serve --allow-scripts`.

An answer belongs to one question, which it names by its digest: where the request asks something else
by the time, it is refused. Without --digest that is the question as it is read just now, and shown.

Examples:
  review-gate answer 0193c1f0-… --approve
  review-gate answer 4c0d9f2a --request-changes --text 'Rename the flag first'
  review-gate answer 4c0d9f2a --choose 2                 the second option that `review-gate requests` shows
  review-gate answer 4c0d9f2a --choose 1,3               or --choose 1 --choose 3, where several may be chosen
  review-gate answer 4c0d9f2a --choose 'Key only' --text 'and log it'
  git diff | review-gate answer 4c0d9f2a --text - --attach screenshot.png
  review-gate answer 4c0d9f2a --voice
  review-gate answer 4c0d9f2a --approve --digest 4f1c…  only what `review-gate requests --json` has shown"
)]
pub(crate) struct AnswerArguments {
    /// The request's id, or its last characters
    id: String,
    /// The text; `-` reads it from stdin
    #[arg(long, value_name = "T")]
    text: Option<String>,
    /// Speak the text; it is shown before it is sent
    #[arg(long, conflicts_with = "text")]
    voice: bool,
    /// An option to choose, by its number or its label; may be repeated
    #[arg(long, value_name = "OPTION")]
    choose: Vec<String>,
    /// Approve
    #[arg(long, conflicts_with = "request_changes")]
    approve: bool,
    /// Request changes
    #[arg(long)]
    request_changes: bool,
    /// A file to attach; may be repeated
    #[arg(long, value_name = "FILE")]
    attach: Vec<PathBuf>,
    /// The digest of the question that was shown before, as `review-gate requests --json` has it
    #[arg(long, value_name = "D")]
    digest: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: AnswerArguments) -> Result<ExitCode, Fault> {
    let shown: Option<Digest> = arguments.digest.as_deref().map(str::parse).transpose()?;
    let files = arguments.attach.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let text = match arguments.text.as_deref() {
        Some("-") => input::stdin()?,
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    let decision = match (arguments.approve, arguments.request_changes) {
        (true, _) => Some(Decision::Approved),
        (_, true) => Some(Decision::ChangesRequested),
        _ => None,
    };
    let mut client = Client::needed(home).await?;
    let request_id = find(&mut client, &arguments.id).await?;
    // Options are chosen from what is read here; where the request asks something else by then, the gate refuses.
    let question = client.ask(ReadQuestion { request_id }).await?;
    let Question { ask, digest } = &question;
    if !arguments.json {
        output::line(&headline(ask, *digest));
    }
    let digest = shown.unwrap_or(*digest);
    let mut selected = arguments.choose;
    if !selected.is_empty() {
        selected = chosen(ask, &selected)?;
    }
    let text = match arguments.voice {
        false => text,
        true => match spoken::ask(home, &about(ask.clone())).await? {
            Some(text) => text,
            None => {
                output::line("Nothing was sent.");
                return Ok(ExitCode::from(exit::PENDING));
            }
        },
    };
    let written = async |client: &mut Client| {
        let mut draft = Draft { text, selected, ..Draft::default() };
        for (name, bytes) in files {
            let attached = client.ask(Attach { request_id, name, data: STANDARD.encode(bytes) }).await?;
            draft.attachments.push(attached.attachment.attachment_id);
        }
        Ok::<_, Fault>(draft)
    };
    match decision {
        Some(decision) if at_terminal() => {
            let deciding = Deciding { request_id, digest, decision };
            if !deciding.send(&mut client, &question, written).await? {
                output::aside("Nothing was sent.");
                return Ok(ExitCode::from(exit::PENDING));
            }
        }
        _ => {
            let draft = written(&mut client).await?;
            client.ask(SendReply { request_id, digest, decision, draft }).await?;
        }
    }
    if arguments.json {
        output::json(&json!({ "request_id": request_id, "digest": digest, "answered": true, "decision": decision }))?;
    } else {
        output::line("Sent.");
    }
    Ok(ExitCode::from(exit::DONE))
}

/// The request with this id, or the only pending one whose id ends so.
async fn find(client: &mut Client, id: &str) -> Result<RequestId, Fault> {
    if let Some(whole) = ending::whole(id)? {
        return Ok(whole);
    }
    let requests = client.ask(ListRequests {}).await?.requests;
    match ending::of(id, requests.iter().map(|pending| pending.request.request_id)).as_slice() {
        [one] => Ok(*one),
        [] => Err(Fault::new(
            Code::UnknownRequest,
            format!("No pending request has an id that ends in {id:?}."),
            "List them with `review-gate requests`.",
        )),
        many => Err(Fault::new(
            Code::InvalidInput,
            format!("{} pending requests have an id that ends in {id:?}.", many.len()),
            "Give more of the id.",
        )),
    }
}

/// What is answered: the question's headline, and how its digest begins.
fn headline(ask: &Ask, digest: Digest) -> String {
    format!("{} · question {}…", one_line(&ask.headline(), HEADLINE_CHARS), digest.beginning())
}

/// What a question is about, for the words that are likely to be said.
fn about(ask: Ask) -> Vec<String> {
    [Some(ask.message), ask.title, ask.context, ask.diff].into_iter().flatten().collect()
}

fn read(path: &Path) -> Result<(String, Vec<u8>), Fault> {
    let unreadable = |error: std::io::Error| {
        Fault::new(
            Code::UnreadableFile,
            format!("{} can't be read: {error}.", path.display()),
            "Check the path and its permissions; nothing was sent.",
        )
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to know that it is too large, whatever the file is.
    file.take(bounds::ATTACHMENT_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > bounds::ATTACHMENT_BYTES {
        return Err(Fault::new(
            Code::TooLarge,
            format!("{} is larger than {} bytes.", path.display(), bounds::ATTACHMENT_BYTES),
            "Attach a smaller file; nothing was sent.",
        ));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, bytes))
}
