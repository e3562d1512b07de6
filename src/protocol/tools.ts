/** Tools: what they are, and what they answer. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, Result } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** A JSON Schema whose root describes an object; 2020-12 unless `$schema` says otherwise. */
export type ObjectSchema = { type: "object"; [keyword: string]: unknown };

/** Hints about a tool. Not to be trusted unless the server is. */
export type ToolAnnotations = {
  title?: string;
  /** Default false. */
  readOnlyHint?: boolean;
  /** Default true; says nothing about a tool that only reads. */
  destructiveHint?: boolean;
  /** Default false. */
  idempotentHint?: boolean;
  /** Default true: the tool reaches things outside. */
  openWorldHint?: boolean;
};

/** Whether a call may, must or must not become a task (2025-11-25). Absent is `"forbidden"`. */
export type ToolExecution = { taskSupport?: "forbidden" | "optional" | "required" };

export type Tool = BaseMetadata &
  Icons & {
    description?: string;
    inputSchema: ObjectSchema;
    /** What `structuredContent` looks like. Any schema; before 2026-07-28 one that describes an object. */
    outputSchema?: JsonObject;
    annotations?: ToolAnnotations;
    /** 2025-11-25 only. */
    execution?: ToolExecution;
    _meta?: Meta;
  };

export type ListToolsResult = PaginatedResult & CacheableResult & { tools: readonly Tool[] };

export type CallToolResult = Result & {
  content: readonly ContentBlock[];
  /** Any JSON value; before 2026-07-28 an object. */
  structuredContent?: unknown;
  /** The tool failed, and `content` tells the model why. Default false. */
  isError?: boolean;
};
