//! Downloads from a server on this machine that behaves as servers and networks do on bad days.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;

/// How one connection is answered.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// All that was asked for, or its first bytes; then it closes the connection.
    Sends(usize),
    /// The whole file, whatever was asked for.
    KnowsNoRange,
    /// A piece that begins elsewhere.
    SendsAnotherPiece,
    /// An answer without a body.
    Answers(u16),
    /// A length that is another file's.
    SaysAnotherLength,
    /// As many bytes, and then nothing, with the connection open.
    FallsSilent(usize),
    /// To another address of the same server.
    Redirects,
}

const ALL: Does = Does::Sends(usize::MAX);

/// A server that answers each connection as it is told, the last way for ever, and remembers what was asked.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Option<String>>>>,
}

impl Server {
    fn new(content: Vec<u8>, does: &[Does]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/ggml-test.bin", listener.local_addr().expect("its address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (heard, mut does) = (Arc::clone(&asked), VecDeque::from(does.to_vec()));
        thread::spawn(move || {
            let mut open = Vec::new();
            while let Ok((stream, _)) = listener.accept() {
                let how = if does.len() > 1 { does.pop_front() } else { does.front().copied() };
                let range = asked_for(&stream);
                // Before it is answered: whoever has the answer may look at once.
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(range.clone());
                answer(&stream, &content, range.as_deref(), how.unwrap_or(ALL));
                if matches!(how, Some(Does::FallsSilent(_))) {
                    open.push(stream);
                }
            }
        });
        Self { url, asked }
    }

    /// The ranges that were asked for.
    fn asked(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads one request; gives its range.
fn asked_for(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines();
    let mut range = None;
    while let Some(Ok(line)) = lines.next() {
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("range")
        {
            range = Some(value.to_owned());
        }
    }
    range
}

/// Answers it.
fn answer(mut stream: &TcpStream, content: &[u8], range: Option<&str>, does: Does) {
    let from = range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let from = from.filter(|_| !matches!(does, Does::KnowsNoRange)).unwrap_or(0);
    let all = content.len();
    let rest = content.get(from..).unwrap_or_default();
    let head = |from: usize, rest: &[u8]| match from {
        0 => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", rest.len()),
        _ => format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{all}\r\n\r\n",
            rest.len(),
            all - 1
        ),
    };
    let (head, body) = match does {
        _ if from >= all => ("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n".to_owned(), &[][..]),
        Does::Sends(bytes) | Does::FallsSilent(bytes) => (head(from, rest), &rest[..rest.len().min(bytes)]),
        Does::KnowsNoRange => (head(0, content), content),
        Does::SendsAnotherPiece => (head(from + 1, &rest[1..]), &rest[1..]),
        Does::Answers(status) => (format!("HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n"), &[][..]),
        Does::SaysAnotherLength => (format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", all + 1), content),
        Does::Redirects => {
            // This server answers once on a connection, and the client goes on at once.
            let head =
                "HTTP/1.1 302 Found\r\nLocation: /elsewhere.bin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            (head.to_owned(), &[][..])
        }
    };
    // The other side may have had enough.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// A file that is to be fetched into a folder of its own.
struct Trial {
    _folder: TempDir,
    wanted: Wanted,
    server: Server,
    content: Vec<u8>,
    patience: Patience,
}

const LENGTH: usize = 300_000;
const PATIENT: Patience = Patience { silence: Duration::from_secs(60), pause: Duration::from_millis(1), times: 3 };
/// For servers that fall silent. The others may take their time on a machine that is busy.
const QUICK: Patience = Patience { silence: Duration::from_millis(400), ..PATIENT };

impl Trial {
    fn new(does: &[Does]) -> Self {
        let content: Vec<u8> = (0..LENGTH).map(|at| (at * 7 % 251) as u8).collect();
        let folder = tempfile::tempdir().expect("a folder for tests");
        let server = Server::new(content.clone(), does);
        let sha256 = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        let file = folder.path().join("ggml-test.bin");
        let wanted = Wanted { url: server.url.clone(), file, bytes: LENGTH as u64, sha256 };
        let falls_silent = does.iter().any(|does| matches!(does, Does::FallsSilent(_)));
        let patience = if falls_silent { QUICK } else { PATIENT };
        Self { _folder: folder, wanted, server, content, patience }
    }

    fn fetch(&self) -> Result<(), Fault> {
        fetch(&self.wanted, self.patience, |_| Ok(()))
    }

    fn part(&self) -> PathBuf {
        self.wanted.file.with_file_name("ggml-test.bin.part")
    }

    fn is_there(&self) -> bool {
        fs::read(&self.wanted.file).is_ok_and(|there| there == self.content) && !self.part().exists()
    }

    fn asked(&self) -> Vec<Option<String>> {
        self.server.asked()
    }

    /// That it is refused so, and no file has its name.
    fn refused(&self, code: Code, says: &str) {
        let fault = self.fetch().expect_err("it is refused");
        assert_eq!(fault.code, code, "{fault}");
        assert!(fault.message.contains(says), "{fault}");
        assert!(!self.wanted.file.exists(), "what isn't whole has no name");
    }
}

fn range(from: usize) -> Option<String> {
    Some(format!("bytes={from}-"))
}

#[test]
fn a_file_comes_whole_and_says_how_far_it_is() {
    let trial = Trial::new(&[ALL]);
    let mut said = Vec::new();
    fetch(&trial.wanted, trial.patience, |progress| {
        said.push(progress);
        Ok(())
    })
    .expect("it comes");
    assert!(trial.is_there());
    assert_eq!(said.last(), Some(&Progress { done: LENGTH as u64, total: LENGTH as u64 }), "the end is always said");
    assert!(said.is_sorted_by_key(|progress| progress.done));
}

#[test]
fn a_broken_connection_goes_on_where_it_was() {
    let trial = Trial::new(&[Does::Sends(100_000), Does::Sends(50_000), Does::Answers(503), ALL]);
    trial.fetch().expect("it comes");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [None, range(100_000), range(150_000), range(150_000)]);
}

#[test]
fn what_is_there_from_before_is_gone_on_with() {
    let trial = Trial::new(&[ALL]);
    fs::write(trial.part(), &trial.content[..123_456]).expect("a folder for tests");
    trial.fetch().expect("it comes");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [range(123_456)]);
}

#[test]
fn what_is_whole_already_is_not_asked_for() {
    let trial = Trial::new(&[ALL]);
    fs::write(trial.part(), &trial.content).expect("a folder for tests");
    trial.fetch().expect("it is there");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), []);
}

#[test]
fn a_part_that_belongs_to_another_file_costs_one_more_try() {
    for part in [&[1; 1000][..], &[1; LENGTH], &[1; LENGTH + 1]] {
        let trial = Trial::new(&[ALL]);
        fs::write(trial.part(), part).expect("a folder for tests");
        trial.fetch().expect("it comes from its beginning");
        assert!(trial.is_there(), "{} bytes", part.len());
    }
}

#[test]
fn a_server_without_ranges_begins_anew() {
    let trial = Trial::new(&[Does::Sends(100_000), Does::KnowsNoRange]);
    trial.fetch().expect("it comes");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [None, range(100_000)]);
}

#[test]
fn a_server_that_gets_ranges_wrong_begins_anew() {
    let trial = Trial::new(&[Does::Sends(100_000), Does::SendsAnotherPiece, ALL]);
    trial.fetch().expect("it comes");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [None, range(100_000), None]);
    let trial = Trial::new(&[Does::Answers(416), ALL]);
    fs::write(trial.part(), [1; 10]).expect("a folder for tests");
    trial.fetch().expect("it comes");
    assert_eq!(trial.asked(), [range(10), None]);
}

#[test]
fn another_file_is_refused() {
    let mut trial = Trial::new(&[ALL]);
    trial.wanted.sha256 = "0".repeat(64);
    trial.refused(Code::Download, "another content");
    assert_eq!(fs::metadata(trial.part()).map(|part| part.len()).ok(), Some(0), "and nothing of it is gone on with");
    Trial::new(&[Does::SaysAnotherLength]).refused(Code::Download, "300001 bytes instead of 300000");
}

#[test]
fn a_file_that_is_not_there_is_said_at_once() {
    let trial = Trial::new(&[Does::Answers(404)]);
    trial.refused(Code::Download, "404");
    assert_eq!(trial.asked().len(), 1, "asking again changes nothing");
}

#[test]
fn a_server_that_falls_silent_is_left_and_tried_again() {
    let trial = Trial::new(&[Does::FallsSilent(100_000), ALL]);
    trial.fetch().expect("it comes");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [None, range(100_000)]);
}

#[test]
fn it_gives_up_when_nothing_comes_and_keeps_what_is_there() {
    let trial = Trial::new(&[Does::Sends(100_000), Does::FallsSilent(0)]);
    trial.refused(Code::Download, "the server is silent");
    assert_eq!(fs::metadata(trial.part()).map(|part| part.len()).ok(), Some(100_000));
    assert_eq!(trial.asked().len(), 3, "one that came, and two that didn't");
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let mut trial = Trial::new(&[ALL]);
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    trial.wanted.url = format!("http://{port}/x");
    trial.refused(Code::Download, "broke off");
    for url in ["ftp://a.b/c", "file:///a", "models", ""] {
        trial.wanted.url = url.to_owned();
        trial.refused(Code::Download, "no address of a web server");
    }
}

#[test]
fn a_redirection_is_followed_but_not_for_ever() {
    let trial = Trial::new(&[Does::Redirects, ALL]);
    fs::write(trial.part(), &trial.content[..1000]).expect("a folder for tests");
    trial.fetch().expect("it comes from there");
    assert!(trial.is_there());
    assert_eq!(trial.asked(), [range(1000), range(1000)], "and goes on there");
    let trial = Trial::new(&[Does::Redirects]);
    trial.refused(Code::Download, "isn't to be had there");
    assert_eq!(trial.asked().len(), REDIRECTS as usize + 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_with_what_is_missing() {
    let trial = Trial::new(&[ALL]);
    std::os::unix::fs::symlink("/dev/full", trial.part()).expect("a folder for tests");
    trial.refused(Code::DiskFull, "1 MB of the model are missing");
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let mut trial = Trial::new(&[ALL]);
    trial.wanted.file = trial.wanted.file.join("none/ggml-test.bin");
    trial.refused(Code::ReadOnly, "can't be written");
}

#[test]
fn two_dont_write_the_same_file() {
    let trial = Trial::new(&[ALL]);
    let other = Part::open(&trial.wanted.file, 1).expect("the first one");
    trial.refused(Code::Download, "Another program downloads");
    drop(other);
    trial.fetch().expect("it comes");
}

#[test]
fn arguments_say_what_is_wanted() {
    let hash = "A".repeat(64);
    let read = |words: &[&str]| Wanted::of(&words.iter().map(OsString::from).collect::<Vec<_>>());
    let good = read(&["http://localhost:80/a", "/a", "--sha256", &hash, "--bytes", "7"]).expect("all is there");
    assert_eq!((good.bytes, good.sha256.as_str()), (7, "a".repeat(64).as_str()));
    assert!(good.is_near());
    for words in [
        &["http://a"][..],
        &["http://a", "/a"],
        &["http://a", "/a", "--bytes", "7"],
        &["http://a", "/a", "--bytes", "many", "--sha256", &hash],
        &["http://a", "/a", "--bytes", "7", "--sha256", "abc"],
        &["http://a", "/a", "--bytes", "7", "--sha256"],
    ] {
        assert!(read(words).is_none(), "{words:?}");
    }
    let near = |url: &str| Wanted { url: url.to_owned(), ..good.clone() }.is_near();
    assert!(near("http://[::1]/a") && near("http://[::1]:8/a") && near("http://127.0.0.1/a"));
    assert!(!near("https://localhost.a.b/c") && !near("https://a.b/localhost"));
}
