//! The client of the interoperability run: asks a server for what all of them have, and prints what it got as lines of JSON.
use std::future::Future;
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use crate::Failure;
use crate::interop::NOTE;

const ODD_TEXT: &str = "héllo 世界 \"quoted\"\\n";

struct Answers {
    progress: mpsc::UnboundedSender<f64>,
    updates: mpsc::UnboundedSender<String>,
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().enable_sampling().build();
        ClientConfig::new(capabilities, Implementation::new("rmcp", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Bo" })))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("hi"), "none".into()))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(params.progress);
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.updates.send(params.uri);
    }
}

struct Asking {
    client: RunningService<RoleClient, Answers>,
    stateless: bool,
    progress: Mutex<mpsc::UnboundedReceiver<f64>>,
    updates: Mutex<mpsc::UnboundedReceiver<String>>,
}

pub async fn run(family: &str, transport: &str, target: &[&str]) -> Result<(), Failure> {
    let (progress, progress_seen) = mpsc::unbounded_channel();
    let (updates, updates_seen) = mpsc::unbounded_channel();
    let answers = Answers { progress, updates };
    let mode = match family {
        "2025" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    };
    let client = if transport == "stdio" {
        let mut command = tokio::process::Command::new(target[0]);
        command.args(&target[1..]);
        answers.serve_with_lifecycle(TokioChildProcess::new(command)?, mode).await?
    } else {
        answers.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(target[0]), mode).await?
    };
    let asking = Asking {
        client,
        stateless: family == "2026",
        progress: Mutex::new(progress_seen),
        updates: Mutex::new(updates_seen),
    };
    asking.checks().await;
    asking.client.cancel().await?;
    Ok(())
}

async fn check(name: &str, value: impl Future<Output = Result<Value, Failure>>) {
    let line = match timeout(Duration::from_secs(15), value).await {
        Ok(Ok(value)) => json!({ "check": name, "value": value }),
        Ok(Err(error)) => json!({ "check": name, "error": error.to_string() }),
        Err(_) => json!({ "check": name, "error": "no end after 15 seconds" }),
    };
    println!("{line}");
}

/// The values of a channel until there are as many as wanted, or for ten seconds.
async fn gather<T>(values: &Mutex<mpsc::UnboundedReceiver<T>>, wanted: usize) -> Vec<T> {
    let mut values = values.lock().await;
    let mut got = Vec::new();
    while got.len() < wanted {
        match timeout(Duration::from_secs(10), values.recv()).await {
            Ok(Some(value)) => got.push(value),
            _ => break,
        }
    }
    got
}

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    match arguments {
        Value::Object(arguments) => CallToolRequestParams::new(name).with_arguments(arguments),
        _ => CallToolRequestParams::new(name),
    }
}

fn text(result: &CallToolResult) -> Value {
    serde_json::to_value(&result.content).map(|content| content[0]["text"].clone()).unwrap_or_default()
}

impl Asking {
    async fn call(&self, name: &'static str, arguments: Value) -> Result<CallToolResult, Failure> {
        Ok(self.client.call_tool(params(name, arguments)).await?)
    }

    async fn said(&self, name: &'static str, arguments: Value) -> Result<Value, Failure> {
        Ok(text(&self.call(name, arguments).await?))
    }

    async fn checks(&self) {
        check("revision", async { self.revision() }).await;
        check("lists", self.lists()).await;
        check("call", async {
            let result = self.call("add", json!({ "a": 2, "b": 3 })).await?;
            Ok(json!({ "text": text(&result), "structured": result.structured_content }))
        })
        .await;
        check("text", self.said("echo", json!({ "text": ODD_TEXT }))).await;
        check("resource", async {
            let result = self.client.read_resource(ReadResourceRequestParams::new(NOTE)).await?;
            Ok(serde_json::to_value(&result.contents)?[0]["text"].clone())
        })
        .await;
        check("prompt", async {
            let name = Map::from_iter([("name".to_string(), json!("Bo"))]);
            let result = self.client.get_prompt(GetPromptRequestParams::new("greet").with_arguments(name)).await?;
            Ok(serde_json::to_value(&result.messages)?[0]["content"]["text"].clone())
        })
        .await;
        check("tool error", async {
            let result = self.call("fail", Value::Null).await?;
            Ok(json!({ "isError": result.is_error, "text": text(&result) }))
        })
        .await;
        check("unknown tool", self.refused("nope", Value::Null)).await;
        check("wrong arguments", self.refused("add", json!({ "a": "x", "b": 3 }))).await;
        check("progress", async {
            self.call("steps", json!({ "count": 5 })).await?;
            Ok(json!(gather(&self.progress, 5).await))
        })
        .await;
        check("cancellation", self.cancellation()).await;
        check("elicitation", self.said("ask", Value::Null)).await;
        check("sampling", self.said("sample", Value::Null)).await;
        check("subscription", self.subscription()).await;
    }

    fn revision(&self) -> Result<Value, Failure> {
        if self.stateless {
            return Ok(json!("2026-07-28")); // asked for and nothing else accepted
        }
        let info = self.client.peer_info().ok_or("no information about the server")?;
        Ok(json!(info.protocol_version))
    }

    async fn lists(&self) -> Result<Value, Failure> {
        let mut tools: Vec<_> = self.client.list_all_tools().await?.into_iter().map(|tool| tool.name).collect();
        tools.sort();
        let resources: Vec<_> = self.client.list_all_resources().await?.into_iter().map(|one| one.uri).collect();
        let prompts: Vec<_> = self.client.list_all_prompts().await?.into_iter().map(|one| one.name).collect();
        Ok(json!({ "tools": tools, "resources": resources, "prompts": prompts }))
    }

    async fn refused(&self, name: &'static str, arguments: Value) -> Result<Value, Failure> {
        match self.client.call_tool(params(name, arguments)).await {
            Ok(result) if result.is_error != Some(true) => Ok(json!("no error")),
            _ => Ok(json!("refused")),
        }
    }

    /// The last answer of `waited`, which is the wanted one unless ten seconds pass.
    async fn until(&self, wanted: &str) -> Result<Value, Failure> {
        for _ in 0..500 {
            if self.said("waited", Value::Null).await? == wanted {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.said("waited", Value::Null).await
    }

    async fn cancellation(&self) -> Result<Value, Failure> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("wait", Value::Null)));
        let handle = self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        self.until("waiting").await?;
        handle.cancel(None).await?;
        self.until("cancelled").await
    }

    async fn subscription(&self) -> Result<Value, Failure> {
        if !self.stateless {
            self.client.subscribe(SubscribeRequestParams::new(NOTE)).await?;
            self.call("touch", Value::Null).await?;
            return Ok(json!(gather(&self.updates, 1).await));
        }
        let filter = SubscriptionFilter::builder().resource_subscriptions([NOTE]).build();
        let mut subscription = self.client.listen(filter).await?;
        self.call("touch", Value::Null).await?;
        match timeout(Duration::from_secs(10), subscription.next()).await?? {
            Some(ServerNotification::ResourceUpdatedNotification(updated)) => Ok(json!([updated.params.uri])),
            other => Ok(json!(format!("{other:?}"))),
        }
    }
}
