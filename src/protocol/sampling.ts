/** Servers asking the client's model, and for the roots it may work in. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Meta, RequestParams, Result, Role } from "./base.ts";
import type { AudioContent, ContentBlock, ImageContent, TextContent } from "./content.ts";
import type { TaskMetadata } from "./tasks.ts";
import type { Tool } from "./tools.ts";

/** What a model answers that was given no tools (TY-74). */
export type SamplingContent = TextContent | ImageContent | AudioContent;

/** The model wants a tool to be called (TY-77): `id` is repeated by the result, `input` are the arguments. */
export type ToolUseContent = {
  /** Tells it from other content. */
  type: "tool_use";
  id: string;
  /** One of the tools of the request. */
  name: string;
  input: JsonObject;
  /** Give it back unchanged in later messages: providers find in it what they have cached. */
  _meta?: Meta;
};

/**
 * What a tool the model asked for has answered (TY-78): `content`, `structuredContent` and `isError` are those of a
 * {@link CallToolResult}. A message that has one may have nothing else in it (L2.4).
 */
export type ToolResultContent = {
  /** Tells it from other content. */
  type: "tool_result";
  /** The `id` of the {@link ToolUseContent} it answers, in the message before. */
  toolUseId: string;
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  /** Give it back unchanged in later messages: providers find in it what they have cached. */
  _meta?: Meta;
};

/** One block of a message for a model that may call tools (TY-75). */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;

/**
 * One message of the conversation: what `role` said. `content` is one block or several ({@link contentAsList}); `_meta` is free
 * (TY-76).
 */
export type SamplingMessage = {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  _meta?: Meta;
};

/** Part of a model's `name`, such as `"sonnet"` (TY-82). */
export type ModelHint = { name?: string };
/** Which model the server would like (TY-82). Advice only. */
export type ModelPreferences = {
  /** Tried in order; the first that fits a model wins, before the priorities. */
  hints?: readonly ModelHint[];
  /** How much a low price matters, from 0 to 1. */
  costPriority?: number;
  /** How much a fast answer matters, from 0 to 1. */
  speedPriority?: number;
  /** How much a capable model matters, from 0 to 1. */
  intelligencePriority?: number;
};

/** Whether the model may (`mode` `"auto"`, the default), must (`"required"`) or must not (`"none"`) call tools (TY-79). */
export type ToolChoice = { mode?: "auto" | "required" | "none" };
/** Whose context the client may add to the messages (TY-81): nobody's, the asking server's, or that of all its servers. */
export type IncludeContext = "none" | "thisServer" | "allServers";

/** What `sampling/createMessage` asks the client's model (SS-86, L2.2). */
export type CreateMessageRequestParams = RequestParams & {
  /** The conversation so far, oldest first. Each use of a tool must be followed by its result (L2.4). */
  messages: readonly SamplingMessage[];
  /** Tokens the answer may have. The client must not exceed it. */
  maxTokens: number;
  /** Which model; the client may choose another. */
  modelPreferences?: ModelPreferences;
  /** The client may change it or leave it out. */
  systemPrompt?: string;
  /**
   * Default `"none"`. Anything else needs the capability `sampling.context`.
   * @deprecated in the protocol as of 2025-11-25, where it still works: put what the model has to know into the messages.
   */
  includeContext?: IncludeContext;
  /** How freely the model chooses its words; what the numbers mean is the provider's business. */
  temperature?: number;
  /** Texts at which the model stops. */
  stopSequences?: readonly string[];
  /** Passed on to the model's provider, which alone knows what it means. */
  metadata?: JsonObject;
  /** What the model may call. Needs the capability `sampling.tools`. */
  tools?: readonly Tool[];
  /** Default `{ mode: "auto" }`. Needs the capability `sampling.tools`. */
  toolChoice?: ToolChoice;
  /** Asks for the answer as a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/** Why the model stopped (TY-80). Providers have values of their own. */
export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/** The answer to a request without tools: one block of `content`, by `role`; `model` is the name of the one that wrote it (TY-71). */
export type CreateMessageResult = Result & {
  role: Role;
  content: SamplingContent;
  model: string;
  /** Absent where it is not known. */
  stopReason?: StopReason;
};
/**
 * The answer to a request with tools: like {@link CreateMessageResult}, `role` and `model` included, but `content` may be
 * several blocks and ask for tools (TY-72).
 */
export type CreateMessageResultWithTools = Result & {
  role: Role;
  content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  model: string;
  /** `"toolUse"` where the server is to call tools and ask again; absent where it is not known. */
  stopReason?: StopReason;
};

/** A directory or file the server may work in (TY-88). `name` is for people, `_meta` is free. */
export type Root = {
  /** Where it is: a `file:` URI. */
  uri: string;
  name?: string;
  _meta?: Meta;
};
/** The client's `roots`, all of them: the list has no pages (TY-88). */
export type ListRootsResult = Result & { roots: readonly Root[] };
