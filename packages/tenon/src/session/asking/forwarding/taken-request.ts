/**
 * A continued request that arrived at another node, as its handler sees it here.
 *
 * The other node has authenticated it, and runs its middleware. It tells this one what the call needs. HTTP headers stay there, so the
 * handler sees the headers of the last request that came to this node itself.
 */
import { onAbort } from "../../../base/abort.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { TakenRound } from "../../../cluster/taken-rounds.ts";
import type { InboundRequest, LeakedHandlers, RawResult } from "../../../dispatch/dispatcher.ts";
import { NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../../jsonrpc/message.ts";
import type { InputResponses } from "../../../protocol/input-required.ts";
import type { RequirementCheck, TransportContext } from "../../../transport/transport-context.ts";
import type { ClientIdentity } from "../../../wire/codec.ts";
import { RequestContext } from "../../request-context.ts";

/** A round as one node passes it to another. */
export interface PassedRound {
  readonly state: string;
  /** See `RoundForwarding.markOf`. */
  readonly mark: string;
  readonly id: RequestId;
  readonly meta: JsonObject;
  readonly inputResponses: InputResponses;
  readonly client: ClientIdentity;
  /** See `TransportContext.address`. */
  readonly address?: string;
}

/** The context of a request that came to another node. @param last of the last request of the call that came to this node */
export function takenContext(last: RequestContext, round: PassedRound, taken: TakenRound): RequestContext {
  const { connection, codec, lifespan } = last;
  const params: JsonObject = { ...last.params, _meta: round.meta, inputResponses: round.inputResponses };
  const request = new TakenRequest({ last, params, round, taken });
  const context = new RequestContext(request, connection, params, lifespan, { codec, identity: round.client });
  context.principal = last.principal;
  return context;
}

interface TakenRequestOptions {
  readonly last: RequestContext;
  readonly params: JsonObject;
  readonly round: PassedRound;
  readonly taken: TakenRound;
}

class TakenRequest implements InboundRequest {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly transport: TransportContext;
  leaks: LeakedHandlers | undefined;
  readonly #taken: TakenRound;
  readonly #abort = new AbortController();

  constructor({ last, params, round, taken }: TakenRequestOptions) {
    this.requestId = round.id;
    this.method = last.method;
    this.params = params;
    this.transport = takenTransport(last.transport, round, taken);
    this.#taken = taken;
    onAbort(taken.signal, () => this.stop(taken.signal.reason));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get cancelled(): boolean {
    return this.#taken.signal.aborted;
  }

  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** On stateless revisions, which alone have such rounds, a server sends no requests. */
  async request(method: string): Promise<JsonObject> {
    throw new NoBackChannelError(method);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#taken.tell({ method, ...(params !== undefined && { params }) });
  }

  /** The other node encodes it. */
  encode(result: JsonObject): RawResult {
    return result;
  }

  // The request itself is at the other node, which limits its time and sends its response.
  ignore(): void {}
  keepOpen(): void {}
  release(): void {}
}

function takenTransport(last: TransportContext, { address }: PassedRound, taken: TakenRound): TransportContext {
  const { kind, auth, principal, requirements } = last;
  const header = (name: string): string | undefined => last.header?.(name);
  return { kind, header, auth, principal, address, requirements: requirements && handingBack(requirements, taken) };
}

/** Only the node that has the request can send the challenge for a scope that is missing, so it gets the round back. */
function handingBack(requirements: RequirementCheck, taken: TakenRound): RequirementCheck {
  return {
    check(required) {
      try {
        requirements.check(required);
      } catch (error) {
        taken.handBack();
        throw error;
      }
    },
  };
}
