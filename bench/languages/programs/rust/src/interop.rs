//! The tools that the interoperability run alone has: an error, progress, a call that waits, questions, an update.
use std::time::Duration;

use rmcp::handler::server::tool::InputResponses as Answers;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, schemars, tool, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{Peer, said};

pub const NOTE: &str = "mem://note";

#[derive(Deserialize, schemars::JsonSchema)]
pub struct Steps {
    count: u32,
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn question() -> ElicitRequestParams {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Who?".into(),
        requested_schema: serde_json::from_value(schema).expect("a schema"),
    }
}

fn sampling() -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text("Say hi")], 10)
}

/// What a call of 2026-07-28 answers first: the request that the client has to serve.
fn needs(name: &str, request: InputRequest) -> CallToolResponse {
    let mut requests = InputRequests::new();
    requests.insert(name.to_string(), request);
    InputRequiredResult::new(Some(requests), Some("asked".into())).into()
}

#[tool_router(router = interop_router, vis = "pub")]
impl Peer {
    #[tool(description = "fail")]
    async fn fail(&self) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text("it failed")]))
    }

    #[tool(description = "steps")]
    async fn steps(
        &self,
        Parameters(Steps { count }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for step in 1..=count {
                let progress = ProgressNotificationParam::new(token.clone(), step.into()).with_total(count.into());
                context.peer.notify_progress(progress).await.map_err(internal)?;
            }
        }
        Ok(said("done"))
    }

    #[tool(description = "wait")]
    async fn wait(&self, context: RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
        let set = |state| *self.waited.lock().expect("no panic") = state;
        set("waiting");
        tokio::select! {
            _ = context.ct.cancelled() => { set("cancelled"); Ok(said("cancelled")) }
            _ = tokio::time::sleep(Duration::from_secs(20)) => { set("ended"); Ok(said("not cancelled")) }
        }
    }

    #[tool(description = "waited")]
    async fn waited(&self) -> Result<CallToolResult, ErrorData> {
        Ok(said(*self.waited.lock().expect("no panic")))
    }

    #[tool(description = "ask")]
    async fn ask(
        &self,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer: Value = match (answers, is_stateless(&context)) {
            (Some(answers), _) => answers.get("name").cloned().unwrap_or_default(),
            (None, true) => return Ok(needs("name", InputRequest::Elicitation(ElicitRequest::new(question())))),
            (None, false) => {
                let result = context.peer.create_elicitation(question()).await.map_err(internal)?;
                serde_json::to_value(result).map_err(internal)?
            }
        };
        let part = |value: &Value| value.as_str().unwrap_or_default().to_string();
        Ok(said(format!("{}:{}", part(&answer["action"]), part(&answer["content"]["name"]))).into())
    }

    #[tool(description = "sample")]
    async fn sample(
        &self,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer: Value = match (answers, is_stateless(&context)) {
            (Some(answers), _) => answers.get("text").cloned().unwrap_or_default(),
            (None, true) => return Ok(needs("text", InputRequest::CreateMessage(CreateMessageRequest::new(sampling())))),
            (None, false) => {
                let result = context.peer.create_message(sampling()).await.map_err(internal)?;
                serde_json::to_value(result).map_err(internal)?
            }
        };
        let content = if answer["content"].is_array() { &answer["content"][0] } else { &answer["content"] };
        Ok(said(format!("sampled: {}", content["text"].as_str().unwrap_or_default())).into())
    }

    #[tool(description = "touch")]
    async fn touch(&self, context: RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
        if is_stateless(&context) {
            let _ = self.updates.send(()); // an error says that no client listens
        } else {
            let updated = ResourceUpdatedNotificationParam::new(NOTE);
            context.peer.notify_resource_updated(updated).await.map_err(internal)?;
        }
        Ok(said("touched"))
    }
}
