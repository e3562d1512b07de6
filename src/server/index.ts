/** `tenon/server`: defining a server. Runs everywhere; imports no schema library and nothing of Node's. */
export { McpServer, type McpServerOptions } from "./mcp-server.ts";
export { createFetchHandler, type FetchHandler, type HttpOptions } from "./fetch.ts";
export type { EventStore, Replay, StoredEvent } from "./http/event-store.ts";
export type { ToolHandler, ToolInput, ToolOptions, ToolOutput } from "./tools.ts";
export type { ReadResource, ReadTemplate, ResourceOptions, ResourceTemplateOptions } from "./resources.ts";
export type { ContentsInput, ResourceReturn } from "./resource-contents.ts";
export type { PromptHandler, PromptInput, PromptOptions, PromptReturn } from "./prompts.ts";
export type { Completer, Completers, Suggestions } from "./completions.ts";
export type { Registered } from "./registry.ts";
export type { FailureReport, OnError } from "./failures.ts";
export { audio, file, image, resourceLink, text, type BlockOptions, type ToolReturn } from "./content.ts";
export { ToolError, type ToolErrorOptions } from "./tool-error.ts";
export type { RequestContext } from "../session/request-context.ts";
export type { ServerSession } from "../session/server-session.ts";
export type { ContextLog } from "../session/context-log.ts";
export type { Handler, HandlerContext, Middleware } from "../session/handler.ts";
