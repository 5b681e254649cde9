//! The yardstick for calls: the least that an MCP server can be with rmcp, on stdin and stdout or,
//! with `--http`, over Streamable HTTP. One tool, `echo`, that gives back its `text`.

use std::convert::Infallible;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::sync::{Arc, LazyLock};

use anyhow::Result;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

/// As many as the gate has.
const WORKERS: usize = 2;

/// Made once, so that the yardstick is not slower than it has to be.
static ECHO: LazyLock<Tool> = LazyLock::new(|| {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let schema: Map<String, Value> = schema.as_object().cloned().unwrap_or_default();
    Tool::new("echo", "Gives back its text.", Arc::new(schema))
});

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![ECHO.clone()]))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == "echo").then(|| ECHO.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(text)])))
    }
}

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--http") {
        return Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?.block_on(over_http());
    }
    Builder::new_current_thread().enable_all().build()?.block_on(over_stdio())
}

async fn over_stdio() -> Result<()> {
    Echo.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

/// Serves on a free port of 127.0.0.1, which is the first line that it prints, at every path.
async fn over_http() -> Result<()> {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, StreamableHttpServerConfig::default());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        tokio::spawn(async move {
            let respond = service_fn(move |request| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.handle(request).await) }
            });
            // It ends when the client goes, in whatever way.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), respond).await;
        });
    }
}
