/** Failures that only a client can have. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { SchemaIssue } from "../schema/standard-schema.ts";
import type { ToolResult } from "./result.ts";

/** What is wrong with the structured content of a tool. */
export type ToolOutputFault = "missing" | "invalid" | "schema";

interface OutputFault {
  readonly toolName: string;
  readonly reason: ToolOutputFault;
  readonly result: CallToolResult;
  readonly issues?: readonly SchemaIssue[];
  readonly cause?: unknown;
}

/** A tool returned a result that its own output schema does not allow. The result is in `result`. */
export class ToolOutputValidationError extends Error {
  override name = "ToolOutputValidationError";
  /** The tool that was called. */
  readonly toolName: string;
  /** `missing`: no structured content; `invalid`: it does not fit; `schema`: the schema itself cannot be used. */
  readonly reason: ToolOutputFault;
  /** What does not match the schema, and where; empty unless `reason` is `invalid`. */
  readonly issues: readonly SchemaIssue[];
  /** The result of the tool, unchecked. */
  readonly result: CallToolResult;

  /** @internal */
  constructor(message: string, fault: OutputFault) {
    super(message, fault.cause === undefined ? undefined : { cause: fault.cause });
    this.toolName = fault.toolName;
    this.reason = fault.reason;
    this.issues = fault.issues ?? [];
    this.result = fault.result;
  }
}

/** A tool that was called through `client.call` failed. `message` is the text of its result. */
export class FailedToolError extends Error {
  override name = "FailedToolError";
  /** The tool that was called. */
  readonly toolName: string;
  /** Its whole result. */
  readonly result: ToolResult;

  /** @internal */
  constructor(toolName: string, result: ToolResult) {
    super(result.text || `Tool ${toolName} failed`);
    this.toolName = toolName;
    this.result = result;
  }
}

/**
 * The server asks for something that this client cannot answer by itself. Its questions are in `result`, for callers that answer
 * by hand.
 */
export class InputRequiredError extends Error {
  override name = "InputRequiredError";
  /** The server's result: its questions in `inputRequests`, and the `requestState` to send back. */
  readonly result: JsonObject;

  /** @internal The message ends with the message of the cause, which says why the client cannot answer. */
  constructor(method: string, result: JsonObject, options?: ErrorOptions) {
    const why = options?.cause instanceof Error ? `: ${options.cause.message}` : "";
    super(`The server asks for input before it gives a result of "${method}"${why}`, options);
    this.result = result;
  }
}
