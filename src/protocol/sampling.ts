/** Servers asking the client's model, and for the roots it may work in. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Meta, RequestParams, Result, Role } from "./base.ts";
import type { AudioContent, ContentBlock, ImageContent, TextContent } from "./content.ts";
import type { TaskMetadata } from "./tasks.ts";
import type { Tool } from "./tools.ts";

export type SamplingContent = TextContent | ImageContent | AudioContent;

/** The model wants a tool to be called. */
export type ToolUseContent = {
  type: "tool_use";
  id: string;
  /** One of the tools of the request. */
  name: string;
  input: JsonObject;
  _meta?: Meta;
};

/** What a tool the model asked for has answered. */
export type ToolResultContent = {
  type: "tool_result";
  toolUseId: string;
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
};

export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;

export type SamplingMessage = {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  _meta?: Meta;
};

/** Part of a model's name. */
export type ModelHint = { name?: string };
/** Advice only. Priorities go from 0 to 1; hints are tried in order. */
export type ModelPreferences = {
  hints?: readonly ModelHint[];
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
};

/** Default `"auto"`. */
export type ToolChoice = { mode?: "auto" | "required" | "none" };
export type IncludeContext = "none" | "thisServer" | "allServers";

export type CreateMessageRequestParams = RequestParams & {
  messages: readonly SamplingMessage[];
  /** The client must not exceed it. */
  maxTokens: number;
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  /**
   * Anything but `"none"` needs the capability `sampling.context`.
   * @deprecated in the protocol as of 2025-11-25, where it still works: put what the model has to know into the messages.
   */
  includeContext?: IncludeContext;
  temperature?: number;
  stopSequences?: readonly string[];
  /** For the model's provider. */
  metadata?: JsonObject;
  /** Needs the capability `sampling.tools`. */
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  /** 2025-11-25 only. */
  task?: TaskMetadata;
};

export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/** The answer to a request without tools: one block. */
export type CreateMessageResult = Result & {
  role: Role;
  content: SamplingContent;
  model: string;
  stopReason?: StopReason;
};
/** The answer to a request with tools. */
export type CreateMessageResultWithTools = Result & {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  model: string;
  stopReason?: StopReason;
};

/** A directory or file the server may work in. */
export type Root = {
  /** A `file:` URI. */
  uri: string;
  name?: string;
  _meta?: Meta;
};
export type ListRootsResult = Result & { roots: readonly Root[] };
