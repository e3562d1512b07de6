/** One request of a client in a suspended call, as the call sees it: it came to this process, or another node has passed it on. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Progress } from "../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../protocol/capabilities.ts";
import type { InputResponses } from "../../protocol/input-required.ts";
import type { LoggingMessageNotificationParams } from "../../protocol/lifecycle.ts";
import type { RequestContext } from "../../session/request-context.ts";

export interface ClientRound {
  /** Aborts when the client gives the request up. */
  readonly signal: AbortSignal;
  readonly capabilities: ClientCapabilities;
  readonly inputResponses: InputResponses;
  /** Passes a log message on, if the client wants its level. */
  logged(params: JsonObject): void;
  progressed(step: Progress): MaybePromise<void>;
}

/** A request that came to this process. */
export function roundOf(context: RequestContext): ClientRound {
  return {
    signal: context.signal,
    capabilities: context.client.capabilities,
    inputResponses: context.inputResponses,
    logged: (params) => void context.log.sendBy(context, params as LoggingMessageNotificationParams), // checked by the server's codec
    progressed: ({ progress, total, message }) => context.progress(progress, total, message),
  };
}
