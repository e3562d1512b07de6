/** The progress of a request as its two sides report it: of a call, and of a question to the client. */
import type { ProgressToken } from "../protocol/base.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** How far a request is, as the side that handles it says. */
export interface ReportedProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * The params of `notifications/progress`; undefined if there is nothing to send: no token, no growth, or a number that JSON cannot express.
 * An infinite `total` is omitted.
 * @param before the progress that was sent last
 */
export function progressParams(
  progressToken: ProgressToken | undefined,
  { progress, total, message }: ReportedProgress,
  before: number,
): JsonObject | undefined {
  if (progressToken === undefined || !Number.isFinite(progress) || progress <= before) return undefined;
  // A member that is added to an object has its place elsewhere, which costs as much as the object.
  const params: JsonObject = Number.isFinite(total) ? { progressToken, progress, total } : { progressToken, progress };
  if (message !== undefined) params["message"] = message;
  return params;
}
