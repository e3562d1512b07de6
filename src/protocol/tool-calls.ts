/** Calling a tool, which may be answered with questions or become a task. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputResponseRequestParams } from "./input-required.ts";
import type { TaskMetadata } from "./tasks.ts";

/** What `tools/call` is given: the `name` of the tool, and its `arguments`, which must fit its input schema (TY-56). */
export type CallToolRequestParams = InputResponseRequestParams & {
  name: string;
  arguments?: JsonObject;
  /** Asks for the call to become a task (2025-11-25). */
  task?: TaskMetadata;
};
