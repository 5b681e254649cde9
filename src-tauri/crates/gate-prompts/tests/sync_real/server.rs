//! A web server on loopback that runs `git http-backend` for each request, and can be as bad as servers are.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// How it behaves from now on.
#[derive(Clone, Default)]
pub(crate) struct Behaviour {
    /// What `Authorization` has to be.
    pub(crate) wants: Option<String>,
    /// After how many bytes of a pack the connection is cut.
    pub(crate) cut: Option<usize>,
    /// It leads every request to this place.
    pub(crate) moved: Option<String>,
    /// It reads requests and never answers.
    pub(crate) silent: bool,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
}

pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    behaviour: Mutex<Behaviour>,
    asked: tokio::sync::watch::Sender<Vec<Asked>>,
    /// How many silent connections were closed by the other side.
    left: tokio::sync::watch::Sender<usize>,
}

impl Server {
    /// Shows every repository below this folder. Its thread ends with the test's process.
    pub(crate) fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            root: root.to_owned(),
            behaviour: Mutex::default(),
            asked: tokio::sync::watch::Sender::new(Vec::new()),
            left: tokio::sync::watch::Sender::new(0),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || shared.answer(stream));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().expect("a lock") = behaviour;
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.borrow().clone()
    }

    pub(crate) async fn until_asked(&self, times: usize) {
        self.shared.asked.subscribe().wait_for(|asked| asked.len() >= times).await.expect("it runs");
    }

    pub(crate) async fn until_left(&self, times: usize) {
        self.shared.left.subscribe().wait_for(|left| *left >= times).await.expect("it runs");
    }
}

impl Shared {
    /// One request for each connection.
    fn answer(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut parts = line.split_ascii_whitespace();
        let (method, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
                None => break,
            }
        }
        let header = |name: &str| headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone());
        let mut body = vec![0; header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        let behaviour = self.behaviour.lock().ok()?.clone();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let authorization = header("authorization");
        self.asked
            .send_modify(|asked| asked.push(Asked { path: path.to_owned(), authorization: authorization.clone() }));
        let mut stream = stream;
        if behaviour.silent {
            // Ends when the other side goes.
            let _ = reader.read(&mut [0]);
            self.left.send_modify(|left| *left += 1);
            return None;
        }
        if let Some(place) = behaviour.moved {
            let answer = format!("HTTP/1.1 301 Moved\r\nLocation: {place}{target}\r\nContent-Length: 0\r\n\r\n");
            return stream.write_all(answer.as_bytes()).ok();
        }
        if behaviour.wants.is_some() && behaviour.wants != authorization {
            let answer = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            return stream.write_all(answer.as_bytes()).ok();
        }
        let mut backend = Command::new("git");
        backend.arg("http-backend").env("GIT_PROJECT_ROOT", &self.root).env("GIT_HTTP_EXPORT_ALL", "1");
        backend.env("PATH_INFO", path).env("QUERY_STRING", query).env("REQUEST_METHOD", method);
        backend.env("CONTENT_LENGTH", body.len().to_string()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for (name, variable) in [
            ("content-type", "CONTENT_TYPE"),
            ("content-encoding", "HTTP_CONTENT_ENCODING"),
            ("git-protocol", "GIT_PROTOCOL"),
        ] {
            if let Some(value) = header(name) {
                backend.env(variable, value);
            }
        }
        let mut child = backend.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        child.stdin.take()?.write_all(&body).ok()?;
        let output = child.wait_with_output().ok()?.stdout;
        let end = output.windows(4).position(|four| four == b"\r\n\r\n")?;
        let (head, content) = (String::from_utf8_lossy(&output[..end]).into_owned(), &output[end + 4..]);
        let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
        let start =
            format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", content.len());
        stream.write_all(start.as_bytes()).ok()?;
        let pack = content.windows(4).any(|four| four == b"PACK");
        let sent = behaviour.cut.filter(|_| pack).map_or(content.len(), |cut| cut.min(content.len()));
        stream.write_all(&content[..sent]).ok()
    }
}
