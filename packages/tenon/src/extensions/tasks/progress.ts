/** Progress of a task, read from the params of a notification or from `_meta`. */
import type { Progress } from "../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** The progress without other members; undefined if it has no number. */
export function progressIn({ progress, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== "number") return undefined;
  const step: Progress = { progress };
  if (typeof total === "number") step.total = total;
  if (typeof message === "string") step.message = message;
  return step;
}
