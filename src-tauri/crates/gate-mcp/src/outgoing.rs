//! Messages on their way to a relay, as lines. Knows nothing of what they mean, but that a list of tools was written
//! before.
//!
//! rmcp's own writer has a task for each message and keeps a buffer as large as the largest of them for as long as the
//! agent lives. Here a line is written where it is sent, as far as the connection takes it, and then it is gone.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, JsonRpcMessage, JsonRpcResponse, JsonRpcVersion2_0, ListToolsResult, RequestId, ResultType,
    ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use crate::toolset::Served;

/// Room beside a list that was written before, in bytes, for what is written around it.
const ENVELOPE: usize = 256;

/// The end of a connection that messages are written to.
pub(crate) struct Outgoing<W> {
    served: Arc<Served>,
    /// Absent once it is closed, and while a line is being written: whoever is given up in the middle of one takes the
    /// writer along, since nothing may follow half a line.
    writer: Arc<Mutex<Option<W>>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Outgoing<W> {
    /// Writes to a client that these tools are served to.
    pub(crate) fn new(writer: W, served: Arc<Served>) -> Self {
        Self { served, writer: Arc::new(Mutex::new(Some(writer))) }
    }

    /// Sends a message. What the connection takes at once is with it when this returns; the rest is written while the
    /// result is waited for.
    pub(crate) fn send(
        &self,
        message: &TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static + use<W> {
        begun(write(Arc::clone(&self.writer), line(&self.served, message)))
    }

    /// Closes the connection after what is being written.
    pub(crate) async fn close(&self) {
        drop(self.writer.lock().await.take());
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: Arc<Mutex<Option<W>>>,
    line: serde_json::Result<Vec<u8>>,
) -> io::Result<()> {
    let line = line?;
    let mut place = writer.lock().await;
    let mut taken = place.take().ok_or(io::ErrorKind::NotConnected)?;
    taken.write_all(&line).await?;
    taken.flush().await?;
    *place = Some(taken);
    Ok(())
}

/// Begins at once what is waited for later: what doesn't have to wait needs no task to be woken for it.
fn begun<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> + Send + 'static {
    let mut future = Box::pin(future);
    let so_far = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    async move {
        match so_far {
            Poll::Ready(output) => output,
            Poll::Pending => future.await,
        }
    }
}

fn line(served: &Served, message: &TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Vec<u8>> {
    let mut line = match Listed::of(served, message) {
        Some(listed) => {
            let mut line = Vec::with_capacity(listed.result.tools.get().len() + ENVELOPE);
            serde_json::to_writer(&mut line, &listed)?;
            line
        }
        None => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// A response that holds all tools, as rmcp has it, with their list as it was written before.
#[derive(Serialize)]
struct Listed<'a> {
    jsonrpc: JsonRpcVersion2_0,
    id: &'a RequestId,
    result: ListedResult<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<CacheScope>,
    tools: &'a RawValue,
}

impl<'a> Listed<'a> {
    fn of(served: &'a Served, message: &'a TxJsonRpcMessage<RoleServer>) -> Option<Self> {
        let JsonRpcMessage::Response(JsonRpcResponse { jsonrpc, id, result }) = message else { return None };
        let ServerResult::ListToolsResult(list) = result else { return None };
        let ListToolsResult { result_type, meta: None, next_cursor: None, ttl_ms, cache_scope, tools } = list else {
            return None;
        };
        let result = ListedResult {
            result_type: result_type.as_ref(),
            ttl_ms: *ttl_ms,
            cache_scope: *cache_scope,
            tools: served.written(tools)?,
        };
        Some(Self { jsonrpc: *jsonrpc, id, result })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gate_core::clients::ResultForm;
    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, DuplexStream};

    use super::*;
    use crate::fake_gate::FakeGate;
    use crate::toolsets::{GATE, Gate};

    /// A generous limit for what has to come.
    const LIMIT: Duration = Duration::from_secs(20);

    fn served() -> Arc<Served> {
        let gate: Arc<dyn Gate> = Arc::new(FakeGate::default());
        GATE.served(&gate)
    }

    /// A connection that takes this many bytes before somebody reads.
    fn connection(room: usize) -> (Outgoing<DuplexStream>, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(room);
        (Outgoing::new(ours, served()), theirs)
    }

    fn response(id: i64, result: ServerResult) -> TxJsonRpcMessage<RoleServer> {
        JsonRpcMessage::response(result, RequestId::Number(id))
    }

    fn empty(id: i64) -> TxJsonRpcMessage<RoleServer> {
        response(id, ServerResult::empty(()))
    }

    #[test]
    fn a_list_of_tools_is_written_before_and_is_as_rmcp_writes_it() {
        let served = served();
        for form in [ResultForm::Structured, ResultForm::ContentAlone] {
            let mut modern = ListToolsResult::with_all_items(served.listed(form).to_vec());
            let legacy = ListToolsResult { result_type: None, ..modern.clone() };
            (modern.ttl_ms, modern.cache_scope) = (Some(7), Some(CacheScope::Private));
            for list in [legacy, modern] {
                assert!(served.written(&list.tools).is_some(), "{form:?}: it is known");
                let message = response(7, list.into());
                let ours: Value = serde_json::from_slice(&line(&served, &message).unwrap()).unwrap();
                assert_eq!(ours, serde_json::to_value(&message).unwrap(), "{form:?}");
            }
        }
        let mut some = ListToolsResult::with_all_items(served.tools().to_vec());
        some.tools.pop();
        assert!(served.written(&some.tools).is_none(), "another list is none of them");
        let message = response(7, some.into());
        let ours: Value = serde_json::from_slice(&line(&served, &message).unwrap()).unwrap();
        assert_eq!(ours, serde_json::to_value(&message).unwrap(), "and is written as it is");
    }

    #[tokio::test]
    async fn what_the_connection_takes_is_with_it_before_anyone_waits_for_that() {
        let (out, theirs) = connection(1024);
        let sent = out.send(&empty(1));
        let mut lines = BufReader::new(theirs).lines();
        let line = tokio::time::timeout(LIMIT, lines.next_line()).await.expect("it is there").unwrap();
        assert_eq!(line.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        sent.await.unwrap();
    }

    #[tokio::test]
    async fn lines_come_whole_and_in_order_however_little_the_connection_takes() {
        let (out, theirs) = connection(5);
        let sent: Vec<_> = (0..20).map(|id| out.send(&empty(id))).collect();
        // The last one is waited for first.
        let sending = sent.into_iter().rev().map(tokio::spawn).collect::<Vec<_>>();
        let mut lines = BufReader::new(theirs).lines();
        for id in 0..20 {
            let line = tokio::time::timeout(LIMIT, lines.next_line()).await.expect("it comes").unwrap();
            assert_eq!(line, Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)));
        }
        for sending in sending {
            sending.await.unwrap().unwrap();
        }
        out.close().await;
        assert_eq!(lines.next_line().await.unwrap(), None, "then it is closed");
        assert!(out.send(&empty(20)).await.is_err(), "for good");
    }

    #[tokio::test]
    async fn nothing_follows_half_a_line() {
        let (out, mut theirs) = connection(5);
        drop(out.send(&empty(1)));
        assert!(out.send(&empty(2)).await.is_err(), "the connection is over");
        let mut all = String::new();
        theirs.read_to_string(&mut all).await.unwrap();
        assert_eq!(all, r#"{"jso"#, "and what came of the line is all");
    }
}
