/** Runs a call of a tool with the option `once` or `confirm`. Loaded with the first one. A call that has its result asks no more. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { ToolCall } from "./options.ts";
import { refusalOf } from "./confirm.ts";
import { once } from "./once.ts";

/** @param run runs the handler, and makes a result of what it returns */
export async function runEffects(call: ToolCall, run: () => MaybePromise<CallToolResult>): Promise<CallToolResult> {
  const { options } = call;
  const confirmed = async (): Promise<CallToolResult> => {
    const refusal = options.confirm === undefined ? undefined : await refusalOf(call, options.confirm);
    return refusal ?? run();
  };
  return options.once === undefined ? confirmed() : once(call, options.once, confirmed);
}
