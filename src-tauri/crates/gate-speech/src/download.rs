//! `review-gate-voice download`: one file from a web server, whole and checked or not at all. The only part
//! that uses the network.
//!
//! A file is fetched to its name and `.part`. What is there of it is gone on with, at any later time and from
//! any other server: the hash of the whole says whether the pieces belong together.

mod part;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gate_core::{Code, Fault};
use gate_voice::models::Progress;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use part::Part;

/// Redirections that are followed: the usual place has one.
const REDIRECTS: u32 = 5;
/// How often progress is said.
const SAYING: Duration = Duration::from_millis(100);
/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// What is to be fetched.
#[derive(Debug, Clone)]
struct Wanted {
    url: String,
    file: PathBuf,
    bytes: u64,
    /// In small hexadecimal digits.
    sha256: String,
}

/// How long is waited for a server.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// For a connection, for an answer, and for each next piece.
    silence: Duration,
    /// After the first time that nothing came; doubled each time.
    pause: Duration,
    /// How many times in a row nothing may come.
    times: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), pause: Duration::from_millis(500), times: 6 }
    }
}

/// Why no more came.
#[derive(Debug)]
enum Stopped {
    /// It may go on if it is tried again: the cause.
    Broken(String),
    /// It won't.
    Refused(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

/// Fetches what the arguments name: `URL FILE --bytes N --sha256 HEX`. Ends at once when its standard input
/// ends; what is there then stays.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let Some(wanted) = Wanted::of(arguments) else {
        let usage = "Usage: review-gate-voice download URL FILE --bytes N --sha256 HEX\n";
        let _ = io::stderr().write_all(usage.as_bytes());
        return ExitCode::from(2);
    };
    thread::spawn(|| {
        // Whether it ends or breaks: nobody is there any more who wants the file.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        std::process::exit(0);
    });
    let mut output = io::stdout().lock();
    let say = |progress: Progress| {
        let mut line = serde_json::to_vec(&progress)?;
        line.push(b'\n');
        output.write_all(&line)
    };
    match fetch(&wanted, Patience::default(), say) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => crate::fault(&fault),
    }
}

impl Wanted {
    fn of(arguments: &[OsString]) -> Option<Self> {
        let [url, file, options @ ..] = arguments else { return None };
        let (mut bytes, mut sha256) = (None, None);
        for option in options.chunks(2) {
            match (option[0].to_str()?, option.get(1)?.to_str()?) {
                ("--bytes", value) => bytes = Some(value.parse().ok()?),
                ("--sha256", value) if value.len() == 64 => sha256 = Some(value.to_ascii_lowercase()),
                _ => return None,
            }
        }
        Some(Self { url: url.to_str()?.to_owned(), file: file.into(), bytes: bytes?, sha256: sha256? })
    }

    /// Whether the server is this machine.
    fn is_near(&self) -> bool {
        let authority = self.url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let host = authority.rsplit_once(':').map_or(authority, |(host, port)| match port.parse::<u16>() {
            Ok(_) => host,
            Err(_) => authority,
        });
        ["localhost", "127.0.0.1", "[::1]"].contains(&host)
    }
}

/// Fetches a file. `say` hears how far it is; when it fails, nobody listens any more.
fn fetch(wanted: &Wanted, patience: Patience, say: impl FnMut(Progress) -> io::Result<()>) -> Result<(), Fault> {
    let agent = agent(wanted, patience)?;
    let mut part = Part::open(&wanted.file, wanted.bytes)?;
    let mut saying = Saying { say, said: None };
    // Pieces of several downloads may not belong together; those of one do.
    let mut is_of_one = part.len() == 0;
    let mut nothing_came = 0;
    loop {
        while part.len() < wanted.bytes {
            let before = part.len();
            let cause = match piece(&agent, wanted, &mut part, &mut saying) {
                Ok(()) => "the server sends nothing more".to_owned(),
                Err(Stopped::Broken(cause)) => cause,
                Err(Stopped::Refused(fault)) => return Err(fault),
            };
            if part.len() == wanted.bytes {
                break;
            }
            nothing_came = if part.len() > before { 1 } else { nothing_came + 1 };
            if nothing_came >= patience.times {
                return Err(broken_off(&cause));
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "this program does nothing else meanwhile, and ends with its input"
            )]
            thread::sleep(patience.pause * 2_u32.pow(nothing_came - 1));
        }
        if part.sha256() == wanted.sha256 {
            break;
        }
        part.restart()?;
        if is_of_one {
            return Err(wrong("what came has another content"));
        }
        is_of_one = true;
    }
    saying.now(part.len(), wanted.bytes);
    part.finish(&wanted.file)
}

/// Asks for what is missing, and takes what comes.
fn piece(
    agent: &Agent,
    wanted: &Wanted,
    part: &mut Part,
    saying: &mut Saying<impl FnMut(Progress) -> io::Result<()>>,
) -> Result<(), Stopped> {
    let mut request = agent.get(&wanted.url);
    if part.len() > 0 {
        request = request.header(header::RANGE, format!("bytes={}-", part.len()));
    }
    let answer = request.call().map_err(|error| stopped(&error))?;
    let total = match answer.status() {
        StatusCode::OK => {
            // The whole file, be it because it doesn't know how to begin in the middle.
            part.restart()?;
            answer.body().content_length()
        }
        StatusCode::PARTIAL_CONTENT => match range(&answer) {
            Some((from, total)) if from == part.len() => total,
            _ => {
                part.restart()?;
                return Err(Stopped::Broken("the server sends another piece than was asked for".to_owned()));
            }
        },
        StatusCode::RANGE_NOT_SATISFIABLE if part.len() > 0 => {
            part.restart()?;
            return Err(Stopped::Broken("the server's file is shorter than what is here of it".to_owned()));
        }
        status => return Err(refused(status)),
    };
    if let Some(total) = total.filter(|total| *total != wanted.bytes) {
        return Err(wrong(&format!("what is there has {total} bytes instead of {}", wanted.bytes)).into());
    }
    let mut from = answer.into_body().into_reader();
    let mut bytes = vec![0; PIECE];
    loop {
        let got = match from.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(got) => got,
            Err(error) => return Err(Stopped::Broken(cause(&ureq::Error::from(error)))),
        };
        if part.len() + got as u64 > wanted.bytes {
            return Err(wrong("what is there is longer").into());
        }
        part.write(&bytes[..got])?;
        saying.sometimes(part.len(), wanted.bytes);
    }
}

/// Says how far it is, but not all the time.
struct Saying<S> {
    say: S,
    said: Option<Instant>,
}

impl<S: FnMut(Progress) -> io::Result<()>> Saying<S> {
    fn sometimes(&mut self, done: u64, total: u64) {
        if self.said.is_none_or(|said| said.elapsed() >= SAYING) {
            self.now(done, total);
        }
    }

    fn now(&mut self, done: u64, total: u64) {
        self.said = Some(Instant::now());
        // Whoever doesn't listen any more may still want the file; that is said by the input.
        let _ = (self.say)(Progress { done, total });
    }
}

fn agent(wanted: &Wanted, patience: Patience) -> Result<Agent, Fault> {
    let is_encrypted = wanted.url.starts_with("https://");
    if !is_encrypted && !wanted.url.starts_with("http://") {
        return Err(Fault::new(
            Code::Download,
            format!("{} is no address of a web server.", wanted.url),
            "Set voice.mirror to an address that begins with https://, or to nothing for the usual place.",
        ));
    }
    // The system's own certificates: some networks have one of theirs.
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let mut config = Agent::config_builder()
        .tls_config(tls)
        .https_only(is_encrypted)
        .http_status_as_error(false)
        .max_redirects(REDIRECTS)
        .user_agent(concat!("review-gate/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(patience.silence))
        .timeout_connect(Some(patience.silence))
        .timeout_recv_response(Some(patience.silence))
        .timeout_per_read(Some(patience.silence));
    if wanted.is_near() {
        // The environment's proxy doesn't reach this machine.
        config = config.proxy(None);
    }
    Ok(config.build().new_agent())
}

/// Where a piece begins, and how long the whole is.
fn range(answer: &Response<Body>) -> Option<(u64, Option<u64>)> {
    let range = answer.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (piece, total) = range.strip_prefix("bytes ")?.split_once('/')?;
    let from = piece.split('-').next()?.trim().parse().ok()?;
    Some((from, total.trim().parse().ok()))
}

fn refused(status: StatusCode) -> Stopped {
    let may_pass = status.is_server_error()
        || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS, StatusCode::RANGE_NOT_SATISFIABLE]
            .contains(&status);
    let said = format!("the server answers {status}");
    if may_pass {
        return Stopped::Broken(said);
    }
    Stopped::Refused(Fault::new(
        Code::Download,
        format!("The model isn't to be had there: {said}."),
        "If voice.mirror is set, look whether the model is there; or import it from a file.",
    ))
}

fn stopped(error: &ureq::Error) -> Stopped {
    match error {
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::Protocol(_)
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::BodyStalled => Stopped::Broken(cause(error)),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => Stopped::Refused(Fault::new(
            Code::Download,
            format!("The server can't be trusted: {error}."),
            "Look at the clock and the certificates of this machine; or import the model from a file.",
        )),
        _ => Stopped::Refused(Fault::new(
            Code::Download,
            format!("The model isn't to be had there: {error}."),
            "If voice.mirror is set, look at its address; or import the model from a file.",
        )),
    }
}

/// A broken connection in a few words.
fn cause(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "the server's name isn't known, or there is no network".to_owned(),
        ureq::Error::Timeout(_) => "the server is silent".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

fn broken_off(cause: &str) -> Fault {
    Fault::new(
        Code::Download,
        format!("The download broke off: {cause}."),
        "What is there is kept. Look at the network and go on with it; where huggingface.co isn't reached, set \
         voice.mirror, or import the model from a file.",
    )
}

fn wrong(what: &str) -> Fault {
    Fault::new(
        Code::Download,
        format!("The server has another file than the model: {what}."),
        "If voice.mirror is set, take another one or the usual place; or import the model from a file.",
    )
}
