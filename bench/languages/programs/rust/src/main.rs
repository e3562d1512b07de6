//! A server and a client of rmcp, the official Rust SDK: the peer of the benchmark and of the lab's interoperability run.
//!
//! ```text
//! rmcp-peer server bench|interop stdio
//! rmcp-peer server bench|interop http <port> json|sse <2025|2026>
//! rmcp-peer client <2025|2026> stdio <command> [arguments]
//! rmcp-peer client <2025|2026> http <url>
//! ```
#![allow(deprecated)] // Sampling and resources/subscribe belong to 2025-11-25, which is served here too.

mod client;
mod interop;
mod server;

use axum::serve::ListenerExt;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use server::Peer;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["client", family, transport, target @ ..] => client::run(family, transport, target).await,
        ["server", tools, "stdio"] => {
            let service = Peer::new(*tools == "interop").serve(rmcp::transport::stdio()).await?;
            service.waiting().await?;
            Ok(())
        }
        ["server", tools, "http", port, response, family] => {
            serve_http(Peer::new(*tools == "interop"), port, *response == "json", *family == "2025").await
        }
        _ => Err("usage: rmcp-peer server|client …".into()),
    }
}

/// JSON replies exist without sessions only: a server that is asked for them at 2025-11-25 has none.
async fn serve_http(peer: Peer, port: &str, json: bool, sessions: bool) -> Result<(), Failure> {
    let mut config = StreamableHttpServerConfig::default();
    config.json_response = json;
    config.legacy_session_mode = sessions && !json;
    let service: StreamableHttpService<Peer, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(peer.clone()), Default::default(), config);
    // Without this an event stream waits 40 ms for the acknowledgement of its head (Nagle's algorithm).
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
