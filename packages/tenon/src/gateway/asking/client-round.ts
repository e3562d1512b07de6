/** One request of a client in a suspended call, as the call sees it: it came to this process, or another node has passed it on. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { PassingClient } from "../../cluster/passed-rounds.ts";
import type { TakenRound } from "../../cluster/taken-rounds.ts";
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

export function roundOf(context: RequestContext): ClientRound {
  return {
    signal: context.signal,
    capabilities: context.client.capabilities,
    inputResponses: context.inputResponses,
    logged: (params) => void context.log.sendBy(context, params as LoggingMessageNotificationParams), // checked by the server's codec
    progressed: ({ progress, total, message }) => context.progress(progress, total, message),
  };
}

// ---- between nodes ----

/** What the node that holds the call needs of a request, and which round of which call it is. */
export function passedRoundOf(at: { readonly call: string; readonly round: number }, client: ClientRound): JsonObject {
  const { capabilities, inputResponses } = client;
  return { ...at, capabilities, inputResponses };
}

/** Tells the client of a request what the node that holds its call says of it. */
export function tellClient(client: ClientRound): PassingClient {
  return {
    signal: client.signal,
    told: ({ logged, progress }) => {
      if (logged !== undefined) client.logged(logged as JsonObject); // a node wrote it, as all of this
      if (progress !== undefined) void client.progressed(progress as unknown as Progress);
    },
  };
}

/** A request that another node has passed on. */
export class PassedRound implements ClientRound {
  readonly capabilities: ClientCapabilities;
  readonly inputResponses: InputResponses;
  readonly #taken: TakenRound;

  constructor({ capabilities, inputResponses }: JsonObject, taken: TakenRound) {
    this.capabilities = capabilities as ClientCapabilities; // a node wrote it
    this.inputResponses = inputResponses as InputResponses;
    this.#taken = taken;
  }

  get signal(): AbortSignal {
    return this.#taken.signal;
  }

  logged(logged: JsonObject): void {
    void this.#taken.tell({ logged });
  }

  progressed({ progress, total, message }: Progress): Promise<void> {
    return this.#taken.tell({ progress: { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) } });
  }
}
