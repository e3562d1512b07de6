/** Tools: their definitions and results. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, Result } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** A JSON Schema whose root has the `type` object (MCP schema); dialect 2020-12 unless `$schema` names another. */
export type ObjectSchema = { type: "object"; [keyword: string]: unknown };

/** Hints about a tool. Security: do not trust them unless you trust the server. */
export type ToolAnnotations = {
  /** A title for people. The tool's own `title` has priority. */
  title?: string;
  /** Whether the tool changes nothing in its environment. Default false. */
  readOnlyHint?: boolean;
  /** Whether it may destroy something and not only add. Default true; without meaning for a tool that only reads. */
  destructiveHint?: boolean;
  /** Whether a second call with the same arguments changes nothing more. Default false. */
  idempotentHint?: boolean;
  /** Whether the tool reaches things outside its host. Default true. */
  openWorldHint?: boolean;
};

/** Whether a call may, must or must not become a task: `taskSupport` (MCP schema 2025-11-25). Absent means `"forbidden"`. */
export type ToolExecution = { taskSupport?: "forbidden" | "optional" | "required" };

/** A tool as servers list it (MCP schema). The server wrote everything in it; `_meta` is free. */
export type Tool = BaseMetadata &
  Icons & {
    /** What it does and when to use it, for the model. */
    description?: string;
    /** The schema of its arguments. */
    inputSchema: ObjectSchema;
    /** The schema of `structuredContent`. Any schema; before 2026-07-28 one that describes an object. */
    outputSchema?: JsonObject;
    /** What it does to its environment: hints, not guarantees. */
    annotations?: ToolAnnotations;
    /** Whether calls become tasks. 2025-11-25 only. */
    execution?: ToolExecution;
    _meta?: Meta;
  };

/** One page of `tools` (MCP schema). */
export type ListToolsResult = PaginatedResult & CacheableResult & { tools: readonly Tool[] };

/** What a tool returns to the model that called it (MCP schema). */
export type CallToolResult = Result & {
  /** Blocks in order. If there is `structuredContent`, they should contain its text too, for clients that read only `content`. */
  content: readonly ContentBlock[];
  /** Any JSON value; before 2026-07-28 an object. */
  structuredContent?: unknown;
  /** The tool failed, and `content` tells the model why. Default false. */
  isError?: boolean;
};
