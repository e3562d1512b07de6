/** Keeps the results of a server that are too long, and reads them for their callers. Loaded with the first call of a server whose results spill. */
import { andThen, attempt, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import type { Middleware } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { uriOf } from "../../spill/names.ts";
import { readLink, readMore } from "../../spill/read-more.ts";
import { isPreview, isTooLong, spill } from "../../spill/spill.ts";
import { storeFor } from "../../state/stores.ts";
import { resultForModel } from "./tool-error.ts";
import type { ServedTool } from "./tools.ts";

/** The result of a tool, with a preview in the place of a text that is too long. */
export function spilled(name: string, tool: ServedTool, result: JsonObject, context: RequestContext): MaybePromise<JsonObject> {
  const { spill: own, output, listed } = tool;
  if (own === undefined) return result;
  const spilling = { ...own, hasOutput: (output ?? listed?.["outputSchema"]) !== undefined };
  if (isPreview(result) || !isTooLong(result, spilling)) return result;
  return spill(result, { ...spilling, context, store: storeFor(context, undefined), name });
}

export interface SpillingServer {
  /** The tool that a call names. */
  readonly toolOf: (context: RequestContext) => ServedTool | undefined;
  readonly recover: (error: unknown, context: RequestContext) => JsonObject | undefined;
}

/** A layer around the middleware, so that a result that middleware keeps is whole, and each caller gets a link of its own. */
export function spillLayer({ toolOf, recover }: SpillingServer): Middleware<RequestContext> {
  return (next) => (context) => {
    const failed = (error: unknown): JsonObject => {
      const [block] = resultForModel(error)?.content ?? [];
      const above = toolOf(context)?.spill?.settings.above ?? Infinity;
      const result = block?.type === "text" && block.text.length > above ? recover(error, context) : undefined;
      if (result === undefined) throw error;
      return result;
    };
    return andThen(
      attempt(() => next(context), failed),
      (result) => {
        const tool = toolOf(context);
        return tool === undefined ? result : spilled(context.params["name"] as string, tool, result, context); // checked by the codec
      },
    );
  };
}

/** Runs `read_more`. */
export function readKept(given: JsonObject, context: RequestContext): Promise<CallToolResult> {
  return readMore(given, context, storeFor(context, undefined));
}

export function readKeptLink(id: string, context: RequestContext): Promise<string | undefined> {
  return readLink(uriOf(id), context, storeFor(context, undefined));
}
