/** Sampling and roots: a server uses the client's model, and learns where it may work. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Meta, RequestParams, Result, Role } from "./base.ts";
import type { AudioContent, ContentBlock, ImageContent, TextContent } from "./content.ts";
import type { TaskMetadata } from "./tasks.ts";
import type { Tool } from "./tools.ts";

/** What a model without tools returns. */
export type SamplingContent = TextContent | ImageContent | AudioContent;

/** The model wants to call a tool (MCP schema): the result repeats `id`, and `input` are the arguments. */
export type ToolUseContent = {
  /** Identifies this kind of content. */
  type: "tool_use";
  id: string;
  /** The name of one of the tools of the request. */
  name: string;
  input: JsonObject;
  /** Return it unchanged in later messages: providers use it to find what they have cached. */
  _meta?: Meta;
};

/**
 * The result of a tool that the model called (MCP schema): `content`, `structuredContent` and `isError` are as in a {@link
 * CallToolResult}. A message with such a block may contain only such blocks.
 */
export type ToolResultContent = {
  /** Identifies this kind of content. */
  type: "tool_result";
  /** The `id` of the {@link ToolUseContent} in the message before. */
  toolUseId: string;
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  /** Return it unchanged in later messages: providers use it to find what they have cached. */
  _meta?: Meta;
};

/** One block of a message for a model that may call tools. */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;

/**
 * One message of the conversation (MCP schema): its `role`, and `content` of one block or several ({@link contentAsList}); `_meta`
 * is free.
 */
export type SamplingMessage = {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  _meta?: Meta;
};

/** Part of a model's `name`, such as `"sonnet"` (MCP schema). */
export type ModelHint = { name?: string };
/** Which model the server prefers (MCP schema). Advice only. */
export type ModelPreferences = {
  /** Tried in order, before the priorities; the first that matches a model wins. */
  hints?: readonly ModelHint[];
  /** How much a low price matters, from 0 to 1. */
  costPriority?: number;
  /** How much a fast response matters, from 0 to 1. */
  speedPriority?: number;
  /** How much a capable model matters, from 0 to 1. */
  intelligencePriority?: number;
};

/** Whether the model may (`mode` `"auto"`, the default), must (`"required"`) or must not (`"none"`) call tools (MCP schema). */
export type ToolChoice = { mode?: "auto" | "required" | "none" };
/** Which context the client may add to the messages: none, this server's, or the context of all its servers. */
export type IncludeContext = "none" | "thisServer" | "allServers";

/** Params of `sampling/createMessage` (MCP schema). */
export type CreateMessageRequestParams = RequestParams & {
  /** The conversation so far, oldest first. Each use of a tool must be followed by its result. */
  messages: readonly SamplingMessage[];
  /** The most tokens of the result. The client must not exceed it. */
  maxTokens: number;
  /** The preferred model; the client may choose another. */
  modelPreferences?: ModelPreferences;
  /** The client may change or omit it. */
  systemPrompt?: string;
  /**
   * Default `"none"`. Any other value needs the capability `sampling.context`.
   * @deprecated in the protocol as of 2025-11-25, where it still works: put what the model has to know into the messages.
   */
  includeContext?: IncludeContext;
  /** The sampling temperature; its scale depends on the provider. */
  temperature?: number;
  /** Texts at which the model stops. */
  stopSequences?: readonly string[];
  /** Passed on to the model's provider; its meaning depends on the provider. */
  metadata?: JsonObject;
  /** The tools that the model may call. Needs the capability `sampling.tools`. */
  tools?: readonly Tool[];
  /** Default `{ mode: "auto" }`. Needs the capability `sampling.tools`. */
  toolChoice?: ToolChoice;
  /** Requests a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/** Why the model stopped. Providers have values of their own. */
export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/**
 * The result of a request without tools (MCP schema): one block of `content`, by `role`; `model` is the name of the model that
 * wrote it.
 */
export type CreateMessageResult = Result & {
  role: Role;
  content: SamplingContent;
  model: string;
  /** Absent if unknown. */
  stopReason?: StopReason;
};
/**
 * The result of a request with tools (MCP schema): like {@link CreateMessageResult}, `role` and `model` included, but `content` may
 * be several blocks and may call tools.
 */
export type CreateMessageResultWithTools = Result & {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  model: string;
  /** `"toolUse"` if the server must call tools and send their results; absent if unknown. */
  stopReason?: StopReason;
};

/** A directory or file that the server may work in (MCP schema). `name` is for people, `_meta` is free. */
export type Root = {
  /** Its location: a `file:` URI. */
  uri: string;
  name?: string;
  _meta?: Meta;
};
/** All `roots` of the client (MCP schema): the list has no pages. */
export type ListRootsResult = Result & { roots: readonly Root[] };
