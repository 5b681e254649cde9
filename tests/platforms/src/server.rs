//! The server that both platforms are behind: connections, what was heard, and what goes wrong when.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sha1::{Digest as _, Sha1};

use crate::http::{Answer, Request};

/// Something that goes wrong with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This is answered, and nothing done: 429 with its headers, a page of a proxy's.
    Says {
        /// The status.
        status: u16,
        /// Headers.
        head: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// 502.
    Broken {
        /// Whether it was carried out before.
        acts: bool,
    },
    /// The connection ends without an answer.
    Reset {
        /// Whether it was carried out before.
        acts: bool,
    },
    /// It is carried out, and half of the answer's body arrives.
    Half,
    /// It is read, and nothing is said until the other side goes.
    Silent,
    /// The answer's body has no end.
    Endless,
    /// Before it is carried out, somebody pushes: all pull requests have this head from now on.
    HeadMoves(String),
    /// The token isn't known any more, from this request on.
    Revoked,
}

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Its method.
    pub method: String,
    /// Its path and query.
    pub target: String,
    /// Its head, names in small letters.
    pub head: Vec<(String, String)>,
    /// Its body.
    pub body: String,
    /// What was answered; absent where nothing was.
    pub status: Option<u16>,
}

impl Heard {
    /// Whether it changes something if it is carried out: GraphQL's questions are no such.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.method != "GET" && !(self.target.ends_with("/graphql") && self.body.contains("\"query\":\"query"))
    }
}

/// What a reader sees of what was posted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    now: Instant,
    late: Duration,
    shown_until: Option<Instant>,
}

impl Sight {
    pub(crate) fn sees(&self, made: Instant) -> bool {
        made + self.late <= self.now || self.shown_until.is_some_and(|until| made <= until)
    }

    /// That of whoever has just made something: it stands in the answer.
    pub(crate) fn of_all(self) -> Self {
        Self { now: Instant::now(), late: Duration::ZERO, ..self }
    }
}

/// What a platform does with a request.
pub(crate) trait Platform: Send + 'static {
    fn answer(&mut self, request: &Request, sight: Sight) -> Answer;
    fn head_moves(&mut self, to: &str);
    /// Forgets the token of a request.
    fn revoke(&mut self, request: &Request);
}

/// A running platform. Its thread ends with it.
#[derive(Debug)]
pub(crate) struct Server<P> {
    address: SocketAddr,
    shared: Arc<Shared<P>>,
}

#[derive(Debug)]
struct Shared<P> {
    platform: Mutex<P>,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    heard: Vec<Heard>,
    faults: Vec<Planned>,
    late: Duration,
    shown_until: Option<Instant>,
    ended: bool,
}

/// A fault that waits for its request.
#[derive(Debug)]
struct Planned {
    /// So many requests that fit come first.
    after: usize,
    method: Option<String>,
    part: String,
    fault: Fault,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Platform> Server<P> {
    pub(crate) fn start(platform: P) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let log = Log { heard: Vec::new(), faults: Vec::new(), late: Duration::ZERO, shown_until: None, ended: false };
        let shared = Arc::new(Shared { platform: Mutex::new(platform), log: Mutex::new(log) });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if locked(&serving.log).ended {
                    return;
                }
                let serving = Arc::clone(&serving);
                thread::spawn(move || serving.serve(stream));
            }
        });
        Ok(Self { address, shared })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn platform(&self) -> MutexGuard<'_, P> {
        locked(&self.shared.platform)
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        locked(&self.shared.log).heard.clone()
    }

    /// The request after `after` others with this method whose target or body has this part goes wrong.
    pub(crate) fn fails(&self, after: usize, method: Option<&str>, part: &str, fault: Fault) {
        let planned = Planned { after, method: method.map(str::to_owned), part: part.to_owned(), fault };
        locked(&self.shared.log).faults.push(planned);
    }

    pub(crate) fn late(&self, late: Duration) {
        locked(&self.shared.log).late = late;
    }

    pub(crate) fn show(&self) {
        locked(&self.shared.log).shown_until = Some(Instant::now());
    }
}

impl<P> Drop for Server<P> {
    fn drop(&mut self) {
        locked(&self.shared.log).ended = true;
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
    }
}

impl Log {
    /// The fault of this request, if it is its turn.
    fn turn(&mut self, request: &Request, body: &str) -> Option<Fault> {
        let fits = |planned: &Planned| {
            planned.method.as_ref().is_none_or(|method| *method == request.method)
                && (request.target.contains(&planned.part) || body.contains(&planned.part))
        };
        let mut due = None;
        for (index, planned) in self.faults.iter_mut().enumerate().filter(|(_, planned)| fits(planned)) {
            if planned.after > 0 {
                planned.after -= 1;
            } else if due.is_none() {
                due = Some(index);
            }
        }
        due.map(|index| self.faults.remove(index).fault)
    }
}

impl<P: Platform> Shared<P> {
    fn serve(&self, mut stream: TcpStream) {
        let Ok(Some(request)) = Request::read(&stream) else { return };
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let (index, fault, sight) = {
            let mut log = locked(&self.log);
            let fault = log.turn(&request, &body);
            let (method, target, head) = (request.method.clone(), request.target.clone(), request.head.clone());
            log.heard.push(Heard { method, target, head, body, status: None });
            let sight = Sight { now: Instant::now(), late: log.late, shown_until: log.shown_until };
            (log.heard.len() - 1, fault, sight)
        };
        let answer = self.answer(&request, sight, fault.as_ref());
        let status =
            answer.as_ref().filter(|_| !matches!(fault, Some(Fault::Reset { .. }))).map(|answer| answer.status);
        locked(&self.log).heard[index].status = status;
        // Whoever asked may be gone.
        let _ = deliver(&mut stream, answer.as_ref(), fault.as_ref());
    }

    /// What there is to be said, once it is carried out, if it is.
    fn answer(&self, request: &Request, sight: Sight, fault: Option<&Fault>) -> Option<Answer> {
        let mut platform = locked(&self.platform);
        match fault {
            Some(Fault::Says { status, head, body }) => {
                return Some(Answer { status: *status, head: head.clone(), body: body.clone() });
            }
            Some(Fault::Reset { acts: false } | Fault::Silent) => return None,
            Some(Fault::Broken { acts }) => {
                if *acts {
                    platform.answer(request, sight);
                }
                return Some(Answer::refused(502, "Server Error"));
            }
            Some(Fault::HeadMoves(to)) => platform.head_moves(to),
            Some(Fault::Revoked) => platform.revoke(request),
            Some(Fault::Reset { acts: true } | Fault::Half | Fault::Endless) | None => {}
        }
        Some(tagged(request, platform.answer(request, sight)))
    }
}

/// Conditional requests: both platforms answer reads with an ETag, and 304 where it fits.
fn tagged(request: &Request, answer: Answer) -> Answer {
    if request.method != "GET" || answer.status != 200 {
        return answer;
    }
    let hash: String = Sha1::digest(answer.body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("W/\"{hash}\"");
    if request.header("if-none-match") == Some(&etag) {
        return Answer { status: 304, head: Vec::new(), body: String::new() }.with("etag", etag);
    }
    answer.with("etag", etag)
}

fn deliver(stream: &mut TcpStream, answer: Option<&Answer>, fault: Option<&Fault>) -> io::Result<()> {
    match (answer, fault) {
        (_, Some(Fault::Reset { .. })) => stream.shutdown(Shutdown::Both),
        (_, Some(Fault::Silent)) => stream.read(&mut [0]).map(drop),
        (_, Some(Fault::Endless)) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[")?;
            loop {
                stream.write_all(&[b' '; 65_536])?;
            }
        }
        (Some(answer), Some(Fault::Half)) => answer.write(stream, answer.body.len() / 2),
        (Some(answer), _) => answer.write(stream, usize::MAX),
        (None, _) => Ok(()),
    }
}
