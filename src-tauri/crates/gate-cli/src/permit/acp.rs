//! `review-gate permit acp`: stands between an ACP client and its agent. Hands every byte on in both directions, but for the
//! agent's questions whether it may: those go to the running gate, and the person's answer goes back in the client's place.
//!
//! Whatever goes wrong, the client is asked as it would have been without this: it never allows by itself. What is asked and
//! what an answer means in ACP is gate-core's (`AcpRequest`).

mod frames;
mod talk;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_link::Home;
use gate_os::programs::{self, Signals};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{exit, output};
use frames::{Frame, Frames};
use talk::{Asked, Heard, Talk};

/// The word in the place of a client.
pub(crate) const WORD: &str = "acp";
/// The longest line that is looked into, in bytes: an input as long as the gate takes, escaped. A longer one goes on unread.
const LINE_BYTES: usize = 16 * 1024 * 1024;
/// How long an agent may take to end that nobody listens to any more; and how long nothing may come after its end, where what
/// it has started has its output open.
const GOODBYE: Duration = Duration::from_secs(5);

/// What is known of the talk, by both directions.
type Known = Arc<Mutex<Talk>>;
/// What is said to the agent in its client's place.
type Answers = mpsc::UnboundedSender<Answer>;

/// An answer in the client's place.
#[derive(Debug)]
struct Answer {
    /// The question that it is of (its id, and which one it is of all), where it counts only while that is open; else absent.
    of: Option<(String, u64)>,
    line: Vec<u8>,
}

/// Runs an agent to its end, and gives its exit code; 128 and a signal's number where that has ended it.
pub(super) async fn run(home: &Home, agent: &[OsString]) -> u8 {
    let [program, words @ ..] = agent else {
        output::error("no agent is named; see `review-gate permit --help`.");
        return exit::USAGE;
    };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            output::error(&format!("{} can't be started: {error}.", program.to_string_lossy()));
            return exit::FAULT;
        }
    };
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else { return exit::FAULT };
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let known: Known = Arc::new(Mutex::new(Talk::new(name)));
    let (answers, answered) = mpsc::unbounded_channel();
    let (ends, ended) = oneshot::channel();
    let mut up = Box::pin(to_the_agent(gate_link::stdin(), stdin, &known, answered));
    let mut down = Box::pin(to_the_client(home, stdout, gate_link::stdout(), &known, answers, ended));
    let (mut told, mut is_up, mut is_down) = (Signals::heard(), true, true);
    let status = loop {
        tokio::select! {
            () = &mut up, if is_up => is_up = false,
            end = &mut down, if is_down => {
                is_down = false;
                // Nobody reads it any more, and it may not notice.
                if end == End::Client {
                    drop(up);
                    break timeout(GOODBYE, child.wait()).await.ok();
                }
            }
            signal = told.next() => signal.hand_on(&child),
            ended = child.wait() => {
                let _ = ends.send(());
                // A client that reads slowly has each byte, but doesn't keep this from being ended.
                if is_down {
                    tokio::select! {
                        _ = &mut down => {}
                        _ = told.next() => {}
                    }
                }
                break Some(ended);
            }
        }
    };
    match status {
        Some(Ok(status)) => code_of(status),
        Some(Err(_)) => exit::FAULT,
        None => {
            let _ = child.kill().await;
            exit::FAULT
        }
    }
}

fn code_of(status: ExitStatus) -> u8 {
    programs::exit_code(status).unwrap_or(exit::FAULT)
}

/// Hands on what the client says, to its end, and what the gate says in its place, between two lines.
async fn to_the_agent(
    client: impl AsyncRead + Unpin,
    mut agent: impl AsyncWrite + Unpin,
    known: &Known,
    mut answered: mpsc::UnboundedReceiver<Answer>,
) {
    let mut frames = Frames::new(client, LINE_BYTES);
    let mut is_within = false;
    loop {
        let said = tokio::select! {
            // What the client has said comes first: it may take back what the gate has an answer to.
            biased;
            frame = frames.next() => match frame {
                Ok(Some(Frame::Line(line))) => {
                    let instead = lock(known).heard_from_client(&line);
                    let mut done = said(&mut agent, &line).await;
                    for answer in instead {
                        done = done.and(said(&mut agent, &answer).await);
                    }
                    done
                }
                Ok(Some(Frame::Part { bytes, ends })) => {
                    is_within = !ends;
                    said(&mut agent, &bytes).await
                }
                Ok(None) | Err(_) => break,
            },
            Some(Answer { of, line }) = answered.recv(), if !is_within => {
                // One that was taken back meanwhile has its answer.
                let counts = of.is_none_or(|(id, number)| lock(known).over(&id, number));
                if counts { said(&mut agent, &line).await } else { Ok(()) }
            }
        };
        if said.is_err() {
            break;
        }
    }
    // Who would have been asked is gone.
    lock(known).close();
}

/// Which of both has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Agent,
    Client,
}

/// Hands on what the agent says, to its end, but for what the person is asked at the gate; and that, too, where nobody has
/// answered it there.
async fn to_the_client(
    home: &Home,
    agent: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
    known: &Known,
    answers: Answers,
    mut ended: oneshot::Receiver<()>,
) -> End {
    let mut frames = Frames::new(agent, LINE_BYTES);
    let mut asking = JoinSet::new();
    let (mut is_within, mut is_over) = (false, false);
    loop {
        let said = tokio::select! {
            _ = &mut ended, if !is_over => {
                is_over = true;
                Ok(())
            }
            Some(Ok(Done { of: (id, number), line, result })) = asking.join_next(), if !is_within => match result {
                Some(result) => {
                    let _ = answers.send(Answer { line: talk::answer(&id, &result), of: Some((id, number)) });
                    Ok(())
                }
                // One that was taken back meanwhile has its answer.
                None => {
                    let is_asked = lock(known).over(&id, number);
                    if is_asked { said(&mut client, &line).await } else { Ok(()) }
                }
            },
            frame = next(&mut frames, is_over) => match frame {
                Ok(Some(Frame::Line(line))) => {
                    let heard = lock(known).heard_from_agent(&line);
                    match heard {
                        Heard::Question(asked, withdrawn) => {
                            let of = (asked.id.clone(), asked.number);
                            asking.spawn(done(of, line, ask(home.clone(), *asked, withdrawn)));
                            Ok(())
                        }
                        Heard::TakenBack(answer) => {
                            let _ = answers.send(Answer { of: None, line: answer });
                            said(&mut client, &line).await
                        }
                        Heard::Other => said(&mut client, &line).await,
                    }
                }
                Ok(Some(Frame::Part { bytes, ends })) => {
                    is_within = !ends;
                    said(&mut client, &bytes).await
                }
                Ok(None) | Err(_) => return End::Agent,
            },
        };
        if said.is_err() {
            return End::Client;
        }
    }
}

/// What comes next of an agent; of one that is over, its output's end where nothing comes for long.
async fn next(frames: &mut Frames<impl AsyncRead + Unpin>, is_over: bool) -> io::Result<Option<Frame>> {
    match is_over {
        true => timeout(GOODBYE, frames.next()).await.unwrap_or_else(|_| Ok(frames.rest())),
        false => frames.next().await,
    }
}

/// A question that the gate knows no more of.
#[derive(Debug)]
struct Done {
    /// Its id, and which one it is of all.
    of: (String, u64),
    line: Vec<u8>,
    /// What the agent is answered; absent where its client is asked.
    result: Option<String>,
}

/// A question once it was asked. Where asking has failed in whatever way, its client is asked.
async fn done(of: (String, u64), line: Vec<u8>, asks: impl Future<Output = Option<String>> + Send + 'static) -> Done {
    let mut asking = JoinSet::new();
    asking.spawn(asks);
    let result = asking.join_next().await.and_then(Result::ok).flatten();
    Done { of, line, result }
}

/// Asks at the gate, and gives what the agent is answered; what drops it withdraws the question.
async fn ask(home: Home, asked: Asked, withdrawn: oneshot::Receiver<()>) -> Option<String> {
    let mut request = asked.request;
    request.question.path = super::path();
    let verdict = tokio::select! {
        verdict = super::verdict(&home, &request.question) => verdict,
        _ = withdrawn => None,
    };
    request.outcome(&verdict?)
}

async fn said(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).await?;
    to.flush().await
}

fn lock(known: &Known) -> MutexGuard<'_, Talk> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
