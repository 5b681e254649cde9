//! A sample review request, sent the way an agent's client sends one: through `review-gate mcp`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::process::Owned;

const MESSAGE: &str = "\
I traced the double charge to the retry in `charge()`: after a timeout it sends the payment again, \
although the first attempt may have gone through.

**What I would change**

1. Send an *idempotency key* with every attempt, so that the bank recognises a repeat.
2. Retry three times at most, and only on time-outs.

| case | before | after |
|---|---|---|
| time-out, then success | charged twice | charged once |
| card declined | retried | reported at once |

This touches the payment path, so I would like your approval before I go on.
";

const DIFF: &str = "\
diff --git a/src/payment.py b/src/payment.py
--- a/src/payment.py
+++ b/src/payment.py
@@ -12,9 +12,11 @@ class Payment:
     def charge(self, amount):
-        while True:
+        key = self.order.idempotency_key
+        for attempt in range(3):
             try:
-                return self.bank.post(amount)
+                return self.bank.post(amount, key=key)
             except Timeout:
-                continue
+                log.warning(\"no answer from the bank, attempt %d\", attempt + 1)
+        raise PaymentUnavailable(self.order)
 
     def refund(self, amount):
         return self.bank.refund(amount)
";

/// A request on its way. Dropping it ends the relay; the request itself stays with the gate.
pub(crate) struct Sample {
    _relay: Owned,
    reply: Receiver<Result<String>>,
}

impl Sample {
    /// Starts a relay in `folder` and sends the request through it.
    pub(crate) fn send(program: &Path, folder: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("mcp").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.spawn().with_context(|| format!("can't start {} mcp", program.display()))?;
        let mut relay = Owned(child);
        let input = relay.0.stdin.take().context("the relay's input was asked for")?;
        let output = relay.0.stdout.take().context("the relay's output was asked for")?;
        let (sender, reply) = channel();
        std::thread::spawn(move || sender.send(Dialogue::new(input, output).ask()));
        Ok(Self { _relay: relay, reply })
    }

    /// The reply as the agent's model reads it, once it is there.
    pub(crate) fn poll(&mut self) -> Option<Result<String>> {
        match self.reply.try_recv() {
            Ok(reply) => Some(reply),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(anyhow!("the sample's relay ended without a reply"))),
        }
    }
}

/// JSON-RPC with the relay, one message a line.
struct Dialogue {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Dialogue {
    fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self { input, output: BufReader::new(output), last_id: 0 }
    }

    /// Asks, and goes on asking for the same request while it is pending.
    fn ask(mut self) -> Result<String> {
        let client =
            json!({ "name": "review-gate-sample", "title": "Sample agent", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.call("initialize", hello)?;
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let mut arguments = request();
        loop {
            let call = json!({ "name": "review_gate_chat", "arguments": arguments });
            let result = self.call("tools/call", call)?;
            let structured = result.get("structuredContent");
            let field = |name| structured.and_then(|content| content.get(name)).cloned();
            if field("status") == Some(json!("pending")) {
                arguments = json!({ "message": MESSAGE, "request_id": field("request_id") });
                continue;
            }
            let text = result.pointer("/content/0/text").and_then(Value::as_str);
            return text.map(str::to_owned).with_context(|| format!("the reply holds no text: {result}"));
        }
    }

    /// The result of a call, whatever notifications come before it.
    fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the relay closed its output before it answered `{method}`");
            }
            let mut message: Value = serde_json::from_str(&line).with_context(|| format!("not JSON: {line:?}"))?;
            if message.get("id") != Some(&json!(id)) {
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("`{method}` failed: {error}");
            }
            return Ok(message["result"].take());
        }
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes()).context("the relay closed its input")
    }
}

fn request() -> Value {
    json!({
        "title": "Retry payments with an idempotency key?",
        "message": MESSAGE,
        "context": "Sent by `cargo xtask run`: a sample, no agent waits for it.",
        "options": [
            { "label": "Go ahead", "description": "Change it as the diff shows", "recommended": true },
            { "label": "Key only", "description": "Keep retrying without a limit" },
            "Leave it to me"
        ],
        "approval": true,
        "diff": DIFF,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_diff_counts_right() {
        let lines = || DIFF.lines().skip(4);
        let old = lines().filter(|line| !line.starts_with('+')).count();
        let new = lines().filter(|line| !line.starts_with('-')).count();
        assert!(
            DIFF.contains(&format!("@@ -12,{old} +12,{new} @@")),
            "a hunk header that miscounts is refused: {old} old lines, {new} new ones"
        );
    }
}
