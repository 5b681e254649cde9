//! What touches microphones, speech models and the network: the program `review-gate-voice`, which the gate
//! and the command line start for a moment or for as long as somebody may speak. It is a program of its own
//! so that a fault in a sound driver or in the speech engine ends nothing else. Keeps nothing, writes sound
//! nowhere but into the pipe that it was asked through, and knows nothing of requests.

mod abort;
mod baseline;
mod busy;
mod clean;
mod cut;
mod decode;
mod devices;
mod download;
mod engine;
mod listen;
mod microphone;
mod model_file;
mod recognise;
mod resample;
mod take_scheduler;
#[cfg(test)]
mod testing;
mod vad;
mod watch;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use gate_core::Fault;

const HELP: &str = "\
Listens and recognises speech for Review Gate, which starts it by itself.

This is a part of Review Gate, not a program to be used by hand: what it says
and hears on its pipes may change with every version. To transcribe a file, use
`review-gate transcribe FILE`; to see microphones and models, `review-gate voice`.

Usage: review-gate-voice PART

Parts:
  listen          gives what the microphone hears, as asked for on standard input
  devices         lists the microphones as JSON
  recognise       turns sound on standard input into text
  decode FILE     gives the sound in a WAV, MP3, FLAC, Ogg or M4A file
  download URL FILE --bytes N --sha256 HEX
                  downloads a speech model, or goes on with it
  baseline MODEL  turns sound into text as whisper.cpp does by itself, to compare

No sound is written to disk or sent anywhere; only `download` uses the network.
";

/// The program `review-gate-voice`, by its arguments without its own name. Exit codes: 0 when its input
/// ended in order or its work is done, 1 for a fault (as a line of JSON on standard error), 2 for arguments
/// that it doesn't know.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let words: Vec<&str> = arguments.iter().map(|argument| argument.to_str().unwrap_or_default()).collect();
    match words.as_slice() {
        ["listen"] => listen::run(),
        ["devices"] => devices::run(),
        ["recognise"] => recognise::run(),
        ["decode", _] => decode::run(arguments[1].as_ref()),
        ["download", ..] => download::run(&arguments[1..]),
        ["baseline", _] => baseline::run(arguments[1].as_ref(), None),
        ["baseline", _, threads] => baseline::run(arguments[1].as_ref(), threads.parse().ok()),
        ["--help" | "-h" | "help"] => print(HELP),
        ["--version" | "-V"] => print(concat!("review-gate-voice ", env!("CARGO_PKG_VERSION"), "\n")),
        _ => {
            let _ = io::Write::write_all(&mut io::stderr(), HELP.as_bytes());
            ExitCode::from(2)
        }
    }
}

fn print(text: &str) -> ExitCode {
    role(|| io::Write::write_all(&mut io::stdout(), text.as_bytes()))
}

/// What became of a part. That nobody listens any more is an end in order.
fn role(part: impl FnOnce() -> io::Result<()>) -> ExitCode {
    match part() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fault(&Fault::internal(format!("A pipe broke: {error}."))),
    }
}

/// Says a fault to whoever started this, as a line on standard error.
fn fault(fault: &Fault) -> ExitCode {
    let mut line = serde_json::to_vec(fault).unwrap_or_default();
    line.push(b'\n');
    let _ = io::Write::write_all(&mut io::stderr(), &line);
    ExitCode::FAILURE
}
