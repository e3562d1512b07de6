/** Tools: what they are, and what they answer. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, Result } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** A JSON Schema whose root has the `type` of an object; 2020-12 unless `$schema` says otherwise (A8.1, A8.5). */
export type ObjectSchema = { type: "object"; [keyword: string]: unknown };

/** Hints about a tool (K1.5). Security: not to be trusted unless the server is. */
export type ToolAnnotations = {
  /** For people. A tool's own `title` comes before it. */
  title?: string;
  /** Whether it changes nothing around it. Default false. */
  readOnlyHint?: boolean;
  /** Whether it may destroy something and not only add. Default true; says nothing about a tool that only reads. */
  destructiveHint?: boolean;
  /** Whether a second call with the same arguments changes nothing more. Default false. */
  idempotentHint?: boolean;
  /** Default true: the tool reaches things outside. */
  openWorldHint?: boolean;
};

/** Whether a call may, must or must not become a task: `taskSupport` (N3, 2025-11-25). Absent is `"forbidden"`. */
export type ToolExecution = { taskSupport?: "forbidden" | "optional" | "required" };

/** A tool as servers list it (TY-54). Everything in it was written by the server; `_meta` is free. */
export type Tool = BaseMetadata &
  Icons & {
    /** What it does and when to use it, for the model. */
    description?: string;
    /** What its arguments must look like. */
    inputSchema: ObjectSchema;
    /** What `structuredContent` looks like. Any schema; before 2026-07-28 one that describes an object. */
    outputSchema?: JsonObject;
    /** What it does to its surroundings: hints, not promises. */
    annotations?: ToolAnnotations;
    /** Whether calls become tasks. 2025-11-25 only. */
    execution?: ToolExecution;
    _meta?: Meta;
  };

/** One page of `tools` (TY-55). */
export type ListToolsResult = PaginatedResult & CacheableResult & { tools: readonly Tool[] };

/** What a tool answers, for the model that called it (TY-57). */
export type CallToolResult = Result & {
  /** Blocks in order. Where there is `structuredContent`, its text as well, for clients that read nothing else (K1.7). */
  content: readonly ContentBlock[];
  /** Any JSON value; before 2026-07-28 an object. */
  structuredContent?: unknown;
  /** The tool failed, and `content` tells the model why. Default false. */
  isError?: boolean;
};
