/** The params of a tool call. They are not in `tools.ts`: they can hold answers of sampling, and sampling names tools. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputResponseRequestParams } from "./input-required.ts";
import type { TaskMetadata } from "./tasks.ts";

/** Params of `tools/call` (MCP schema): the `name` of the tool, and its `arguments`, which must fit its input schema. */
export type CallToolRequestParams = InputResponseRequestParams & {
  name: string;
  arguments?: JsonObject;
  /** Requests that the call becomes a task (2025-11-25). */
  task?: TaskMetadata;
};
