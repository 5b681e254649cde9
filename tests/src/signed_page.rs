//! The gate's page as a program can play it: signs in by a link with a key of its own, and signs what it asks for, as
//! `ui/src/state/signing.ts` does. With a link of a person's it is how tests answer at the default settings.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::home::Home;
use crate::http::{Http, Response};

/// A key as a browser makes it when it signs in.
#[derive(Debug)]
pub struct PageKey(EcdsaKeyPair);

/// What is signed of a request besides its body.
#[derive(Debug, Clone, Copy)]
pub struct Signing<'a> {
    /// What the page calls the gate by, with the port.
    pub host: &'a str,
    /// The path of what is asked.
    pub path: &'a str,
    /// The line that the gate gave; empty to get one.
    pub line: &'a str,
    /// Its number on that line; 0 to get one.
    pub number: u64,
}

impl PageKey {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new() -> Result<Self> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).ok().context("a key")?;
        Ok(Self(EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).ok().context("a key")?))
    }

    /// The public key as a page sends it.
    #[must_use]
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The value of `Authorization` for this request.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn authorization(&self, of: Signing<'_>, body: &[u8]) -> Result<String> {
        let Signing { host, path, line, number } = of;
        let (key, digest) = (sha256(self.0.public_key().as_ref()), sha256(body));
        let text = format!("review-gate page 1\nhttp://{host}\nPOST\n{path}\n{line}\n{number}\n{digest}");
        let made = self.0.sign(&SystemRandom::new(), text.as_bytes()).ok().context("a signature")?;
        let signature = URL_SAFE_NO_PAD.encode(made);
        Ok(format!("Review-Gate key={key}, line={line}, number={number}, digest={digest}, signature={signature}"))
    }
}

fn sha256(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A page that has signed in, and has a line.
#[derive(Debug)]
pub struct SignedPage {
    /// The gate that it is of.
    pub http: Http,
    /// What it calls the gate by.
    pub host: String,
    /// Its key.
    pub key: PageKey,
    /// Its line.
    pub line: String,
    next: AtomicU64,
}

impl SignedPage {
    /// Follows a link that a person has been given.
    ///
    /// # Errors
    /// When it signs nobody in.
    pub async fn sign_in(home: &Home) -> Result<Self> {
        Self::follow(home, &home.link().await?).await
    }

    /// Follows this link.
    ///
    /// # Errors
    /// When it signs nobody in.
    pub async fn follow(home: &Home, link: &Value) -> Result<Self> {
        Self::follow_by(Http::of(home)?, link).await
    }

    /// Follows this link by this way, as through a forwarded port.
    ///
    /// # Errors
    /// When it signs nobody in.
    pub async fn follow_by(http: Http, link: &Value) -> Result<Self> {
        let key = PageKey::new()?;
        let (host, code) = link_parts(link)?;
        let response = send_code(&http, &key, &host, &code, &[]).await?;
        if response.status != 200 {
            bail!("the link signs nobody in: {response:?}");
        }
        let line = line_of(&response)?;
        Ok(Self { http, host, key, line, next: AtomicU64::new(1) })
    }

    /// The same page after it was loaded anew: it has its key, and a new line.
    ///
    /// # Errors
    /// When it isn't signed in any more.
    pub async fn again(mut self, home: &Home) -> Result<Self> {
        self.renew(home).await?;
        Ok(self)
    }

    /// Goes on at the gate that runs by now, at the same address, with a new line.
    ///
    /// # Errors
    /// When none answers, or the page isn't signed in any more.
    pub async fn renew(&mut self, home: &Home) -> Result<()> {
        self.http = Http::of(home)?;
        self.next = AtomicU64::new(1);
        self.line = line_of(&self.here().await?)?;
        Ok(())
    }

    /// Asks for a line.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn here(&self) -> Result<Response> {
        let path = "/ui/here";
        let signing = Signing { host: &self.host, path, line: "", number: 0 };
        let shown = self.key.authorization(signing, b"")?;
        self.send(path, &shown, b"").await
    }

    /// What it signs next, for this path and body.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn signed(&self, path: &str, body: &[u8]) -> Result<String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.key.authorization(Signing { host: &self.host, path, line: &self.line, number }, body)
    }

    /// Sends what was signed so.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn send(&self, path: &str, signed: &str, body: &[u8]) -> Result<Response> {
        let head = [
            ("host", self.host.as_str()),
            ("authorization", signed),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        self.http.send("POST", path, &owned(&head), body).await
    }

    /// Gives a command; a refusal is its fault's code.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn command(&self, command: Value) -> Result<Result<Value, String>> {
        let body = command.to_string();
        let path = "/ui/command";
        let response = self.send(path, &self.signed(path, body.as_bytes())?, body.as_bytes()).await?;
        let answer: Value = serde_json::from_str(&response.body).with_context(|| format!("{response:?}"))?;
        Ok(match response.status {
            200 => Ok(answer),
            _ => Err(answer["code"].as_str().unwrap_or_default().to_owned()),
        })
    }

    /// Gives a command that is carried out; gives its answer.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn does(&self, command: Value) -> Result<Value> {
        let name = command["command"].clone();
        self.command(command).await?.map_err(|code| anyhow!("{name} was refused: {code}"))
    }

    /// Answers a request with an approval, which is held for as long as it can be taken back.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn reply(&self, id: &str, text: &str) -> Result<()> {
        self.replies(id, "approved", text).await
    }

    /// Answers a request with this decision, which is held for as long as it can be taken back.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn replies(&self, id: &str, decision: &str, text: &str) -> Result<()> {
        self.send_reply(id, Some(decision), json!({"text": text})).await
    }

    /// Approves, and says that it may go now.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn approves(&self, id: &str, text: &str) -> Result<()> {
        self.answers(id, Some("approved"), json!({"text": text})).await
    }

    /// Gives a text and no decision, and says that it may go now.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn writes(&self, id: &str, text: &str) -> Result<()> {
        self.answers(id, None, json!({"text": text})).await
    }

    /// Answers with this decision and what of a draft isn't empty, and says that it may go now.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn answers(&self, id: &str, decision: Option<&str>, draft: Value) -> Result<()> {
        self.send_reply(id, decision, draft).await?;
        match self.command(json!({"command": "send_now", "request_id": id})).await? {
            // Its time was over before, on a busy machine.
            Err(code) if code != "too_late" => bail!("it may not go now: {code}"),
            _ => Ok(()),
        }
    }

    async fn send_reply(&self, id: &str, decision: Option<&str>, mut draft: Value) -> Result<()> {
        for (name, empty) in
            [("text", json!("")), ("selected", json!([])), ("comments", json!([])), ("attachments", json!([]))]
        {
            if draft[name].is_null() {
                draft[name] = empty;
            }
        }
        let opened = self.does(json!({"command": "open_request", "request_id": id})).await?;
        let reply = json!({
            "command": "send_reply", "request_id": id, "digest": opened["request"]["digest"], "decision": decision,
            "draft": draft,
        });
        self.does(reply).await.map(drop)
    }
}

/// Sends what a page sends that was opened by a link with this code, with these headers instead of its own.
///
/// # Errors
/// When the connection breaks.
pub async fn send_code(
    http: &Http,
    key: &PageKey,
    host: &str,
    code: &str,
    further: &[(&str, &str)],
) -> Result<Response> {
    let path = "/ui/sign-in";
    let body = json!({"code": code, "key": key.public()}).to_string();
    let shown = key.authorization(Signing { host, path, line: "", number: 0 }, body.as_bytes())?;
    let head = [
        ("host", host),
        ("authorization", shown.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ];
    let own = head.into_iter().filter(|(name, _)| further.iter().all(|(other, _)| other != name));
    let head: Vec<_> = own.chain(further.iter().copied()).collect();
    http.send("POST", path, &owned(&head), body.as_bytes()).await
}

/// What a link calls the gate by, and its code.
///
/// # Errors
/// When it is no link.
pub fn link_parts(link: &Value) -> Result<(String, String)> {
    let link = link.as_str().context("a link")?;
    let (host, code) =
        link.strip_prefix("http://").and_then(|link| link.split_once("/#code=")).context("a link to a page")?;
    Ok((host.to_owned(), code.to_owned()))
}

fn line_of(response: &Response) -> Result<String> {
    let here: Value = serde_json::from_str(&response.body).with_context(|| format!("{response:?}"))?;
    here["line"].as_str().map(str::to_owned).with_context(|| format!("no line: {response:?}"))
}

fn owned(head: &[(&str, &str)]) -> Vec<(String, String)> {
    head.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
