//! The server. Its routers are made once and shared: the documented form that the macros do not choose by themselves.
use std::sync::{Arc, LazyLock, Mutex};

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::sync::broadcast;

use crate::interop::NOTE;

static BENCH: LazyLock<ToolRouter<Peer>> = LazyLock::new(Peer::bench_router);
static INTEROP: LazyLock<ToolRouter<Peer>> = LazyLock::new(|| Peer::bench_router() + Peer::interop_router());

/// What all sessions share.
#[derive(Clone)]
pub struct Peer {
    pub waited: Arc<Mutex<&'static str>>,
    pub updates: broadcast::Sender<()>,
    interop: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub struct Add {
    a: f64,
    b: f64,
}

#[derive(schemars::JsonSchema)]
#[allow(dead_code)] // only its schema is used
pub struct Sum {
    sum: f64,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub struct Echo {
    text: String,
}

pub fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

#[tool_router(router = bench_router)]
impl Peer {
    pub fn new(interop: bool) -> Self {
        Self { waited: Arc::new(Mutex::new("nothing")), updates: broadcast::channel(16).0, interop }
    }

    fn router(&self) -> &'static ToolRouter<Peer> {
        if self.interop { &INTEROP } else { &BENCH }
    }

    #[tool(description = "Add two numbers", output_schema = schema_for_output::<Sum>())]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Result<CallToolResult, ErrorData> {
        let sum = a + b;
        let mut result = said(sum.to_string());
        result.structured_content = Some(serde_json::json!({ "sum": sum }));
        Ok(result)
    }

    #[tool(description = "Return the text that was sent")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> Result<CallToolResult, ErrorData> {
        Ok(said(text))
    }
}

#[tool_handler(router = self.router())]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = match self.interop {
            false => ServerCapabilities::builder().enable_tools().build(),
            true => ServerCapabilities::builder()
                .enable_tools()
                .enable_prompts()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        };
        ServerConfig::new(capabilities).with_server_info(Implementation::new("rmcp", "1.0.0"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(NOTE, "note")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != NOTE {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("a note", NOTE)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let name = PromptArgument::new("name").with_required(true);
        let greet = Prompt::new("greet", None::<String>, Some(vec![name]));
        Ok(ListPromptsResult::with_all_items(vec![greet]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = arguments.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        let message = PromptMessage::new_text(Role::User, format!("Hello {name}"));
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut updates = self.updates.subscribe();
        loop {
            tokio::select! {
                _ = context.cancelled() => return Ok(()),
                update = updates.recv() => {
                    if update.is_err() || context.sink().notify_resource_updated(NOTE).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
