//! A web page of a stranger, in a real browser: it tries to read from the gate and to ask through it,
//! with and without the token, and can do neither.

use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Http, LIMIT, Window, skip};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

/// WebKitGTK's own browser, which comes with the library.
const BROWSERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
];

const PAGE: &str = r#"<!doctype html><title>A stranger</title><body><script>
const gate = 'http://GATE', token = 'TOKEN';
const ask = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {
  name: 'review_gate_chat', arguments: { message: 'From a page' }, _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'page', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {} } } };
const body = JSON.stringify(ask);
const good = { 'content-type': 'application/json', accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'review_gate_chat' };
const read = async (path, options) => (await (await fetch(gate + path, options)).text()).slice(0, 200);
const loads = (element, property, value) => new Promise((done, fail) => {
  element.onload = () => done('loaded'); element.onerror = () => fail(new Error('refused'));
  element[property] = value; document.body.append(element);
});
const tries = {
  'reads that it is alive': () => read('/healthz'),
  'asks without a token': () => read('/mcp', { method: 'POST', headers: good, body }),
  'asks with the token': () => read('/mcp', { method: 'POST', headers: { ...good, authorization: 'Bearer ' + token }, body }),
  'asks as plain text': () => read('/mcp', { method: 'POST', headers: { 'content-type': 'text/plain' }, body }),
  'asks without reading': async () => {
    const response = await fetch(gate + '/mcp', { method: 'POST', mode: 'no-cors', body });
    if (response.type === 'opaque') throw new Error('opaque');
    return response.type;
  },
  'listens to events': () => new Promise((done, fail) => {
    const source = new EventSource(gate + '/mcp');
    source.onopen = () => done('open'); source.onerror = () => { source.close(); fail(new Error('refused')); };
  }),
  'opens a socket': () => new Promise((done, fail) => {
    const socket = new WebSocket(gate.replace('http', 'ws') + '/mcp');
    socket.onopen = () => done('open'); socket.onerror = () => fail(new Error('refused'));
  }),
  'loads a picture': () => loads(new Image(), 'src', gate + '/healthz'),
  'sends a form': () => new Promise((done, fail) => {
    const form = document.createElement('form'), field = document.createElement('input');
    const frame = document.createElement('iframe');
    Object.assign(form, { method: 'post', enctype: 'text/plain', action: gate + '/mcp', target: 'frame' });
    Object.assign(field, { name: body.slice(0, -1) + ',"x":"', value: '"}' });
    frame.name = 'frame'; form.append(field); document.body.append(frame, form);
    frame.onload = () => { try { done(frame.contentDocument.body.innerText); } catch (error) { fail(error); } };
    form.submit();
  }),
};
(async () => {
  const results = {};
  for (const [name, attempt] of Object.entries(tries)) {
    results[name] = await Promise.race([
      attempt().then((got) => ({ got: String(got) }), (error) => ({ refused: String(error) })),
      new Promise((done) => setTimeout(() => done({ refused: 'nothing came' }), 3000)),
    ]);
  }
  await fetch('/report', { method: 'POST', body: JSON.stringify(results) });
})();
</script>"#;

/// Serves the page, until the report has come.
async fn report(listener: TcpListener, page: String) -> Result<Value> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        let request = request(&mut stream).await?;
        let found = request.strip_prefix("POST /report ").and_then(|rest| rest.split_once("\r\n\r\n"));
        let (status, body) = match (request.starts_with("GET / "), found) {
            (true, _) => ("200 OK", page.as_str()),
            (_, Some(_)) => ("200 OK", ""),
            _ => ("404 Not Found", ""),
        };
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: text/html\r\nconnection: close\r\n");
        stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
        if let Some((_, report)) = found {
            return serde_json::from_str(report).context("the page reports JSON");
        }
    }
}

/// A request with its body.
async fn request(stream: &mut TcpStream) -> Result<String> {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    loop {
        let count = stream.read(&mut bytes).await?;
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if count == 0 {
                return Ok(text);
            }
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return Ok(text);
        }
    }
}

#[tokio::test]
async fn a_strangers_page_can_neither_read_nor_ask() -> Result<()> {
    let Some(browser) = BROWSERS.iter().find(|path| std::path::Path::new(path).exists()) else {
        return skip("WebKitGTK's MiniBrowser isn't there");
    };
    let Some(window) = Window::with_config("network:\n  port: 0\n").await? else { return Ok(()) };
    let home = window.home();
    let _gate = home.serve().await?;
    let http = Http::of(home)?;
    let page = PAGE.replace("GATE", &http.address).replace("TOKEN", &http.token);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let place = format!("http://{}/", listener.local_addr()?);
    let mut command = Command::new(browser);
    home.dress(&mut command);
    command.arg("--private").arg(&place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _browser = command.spawn().context("the browser can't be started")?;
    let results = tokio::time::timeout(LIMIT * 2, report(listener, page)).await.context("no report in time")??;
    let results = results.as_object().context("results by their names")?;
    assert_eq!(results.len(), 9, "all was tried: {results:?}");
    for (name, result) in results {
        assert!(result["got"].is_null() && result["refused"].is_string(), "a page that {name}: {result}");
    }
    assert!(home.pending().await?.is_empty(), "no page has asked anything");
    let traces =
        home.rows("SELECT (SELECT count(*) FROM review_requests) + (SELECT count(*) FROM http_sessions) AS n").await?;
    assert_eq!(traces, [json!({"n": 0})], "none has left a trace");
    Ok(())
}
