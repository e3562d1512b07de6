/**
 * Sends a client the steps of its request. The page of `tenon dev` and `tenon inspect` asks for them by a member of `_meta`, and gets them
 * in the `_meta` of the result.
 *
 * Security: names and times of steps are for the author of the server. Only a client on the same machine gets them: over stdio, in this
 * process, or at `tenon dev`.
 */
import { devHost } from "../../../base/dev-host.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { STEPS_KEY } from "../../../protocol/tenon-keys.ts";
import type { RequestContext } from "../../request-context.ts";

const LOCAL: ReadonlySet<string> = new Set(["stdio", "memory", "direct"]);

/** The result with the report of its request, if the client may have it. A handler that neither asked nor had a step has none. */
export function withReport(context: RequestContext, result: JsonObject): JsonObject {
  const report = context.questionChannel?.journal?.report;
  const isLocal = LOCAL.has(context.transport.kind) || devHost() !== undefined;
  if (report === undefined || !isLocal) return result;
  const { handler, steps } = report;
  return { ...result, _meta: { ...(result["_meta"] as JsonObject | undefined), [STEPS_KEY]: { handler, steps: [...steps] } } };
}
