/**
 * Rounds whose handler waits at another node: passed on to that node, and taken from others. Loaded if the server has stores.
 *
 * Only an optimisation: a round that cannot be passed on runs the handler again with its journal. If both happen, because the other node
 * was slow or a message was lost, the claim decides which of the two runs new steps.
 */
import { hashed } from "../../../base/hash.ts";
import type { Clock } from "../../../base/clock.ts";
import { canonicalJson } from "../../../base/json-values.ts";
import type { ClusterStores } from "../../../storage/shared-stores.ts";
import { UnreachableRoundError, type RoundEnding } from "../../../cluster/passed-rounds.ts";
import { RoundNodes } from "../../../cluster/round-nodes.ts";
import type { TakenRound } from "../../../cluster/taken-rounds.ts";
import { LimitExceededError, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { RequestContext } from "../../request-context.ts";
import type { SuspendedHandler } from "../rounds/suspended-handlers.ts";
import { takenContext, type PassedRound } from "./taken-request.ts";

export interface ForwardingServices {
  readonly clock: Clock;
  readonly warn: (warning: Error) => void;
  /** What the client gets if a handler failed: a result. @throws McpError */
  readonly failed: (error: unknown, context: RequestContext) => JsonObject;
}

export interface HandlerHolder {
  /** Removes and returns the handler that waits for that state, if its mark is the same. */
  take(state: string, mark: string): SuspendedHandler | undefined;
  /** Goes on with a handler for a later request. */
  resume(context: RequestContext, waiting: SuspendedHandler): Promise<JsonObject>;
}

export interface RoundAddress {
  readonly node: number;
  readonly state: string;
  readonly mark: string;
}

/** What came of passing a round on: its result, or whether the other node may have run it. Then it must run here. */
export type Passed = { readonly result: JsonObject } | { readonly mayHaveRun: boolean };

export class RoundForwarding {
  readonly #services: ForwardingServices;
  readonly #holder: HandlerHolder;
  readonly #nodes: RoundNodes;

  constructor({ keyed, bus }: Pick<ClusterStores, "keyed" | "bus">, services: ForwardingServices, holder: HandlerHolder) {
    const { clock, warn } = services;
    this.#services = services;
    this.#holder = holder;
    const report = (error: unknown): void => warn(error instanceof Error ? error : new Error(String(error)));
    this.#nodes = new RoundNodes({
      keyed,
      bus,
      clock,
      report,
      begin: (round, taken) => this.#begin(round as unknown as PassedRound, taken), // a node wrote it
    });
  }

  /** The number under which other nodes find the handlers that wait here; undefined while there is none. */
  number(): Promise<number | undefined> {
    return this.#nodes.number();
  }

  /**
   * Names the call, its principal and the login of a request. A handler goes on at another node only if all three are the same: it would
   * otherwise see the rights of the earlier request.
   */
  async markOf({ transport: { auth } }: RequestContext, binding: string): Promise<string> {
    return hashed(canonicalJson([binding, auth ?? null, auth?.dangerouslyGetToken?.() ?? null]));
  }

  /** Passes a round on. @throws (rejects) McpError what the call failed with; the reason of the request's signal */
  async pass(context: RequestContext, { node, state, mark }: RoundAddress): Promise<Passed> {
    const { signal, requestId: id, meta, inputResponses, client, transport } = context;
    const address = transport.address === undefined ? {} : { address: transport.address };
    const round: PassedRound = { state, mark, id, meta, inputResponses, client, ...address };
    let ending: RoundEnding | undefined;
    try {
      ending = await this.#nodes.pass(node, { ...round }, { signal, told: (message) => tell(context, message) });
    } catch (error) {
      return this.#notPassed(context, error);
    }
    if (ending === undefined) return { mayHaveRun: true };
    if ("error" in ending) throw McpError.fromErrorData(ending.error);
    return ending;
  }

  #notPassed({ signal }: RequestContext, cause: unknown): Passed {
    signal.throwIfAborted();
    if (cause instanceof UnreachableRoundError) throw cause; // the handler runs there, and must not run here too
    const isTooMuch = cause instanceof LimitExceededError; // a long answer of a client is no fault that the operator must know of
    if (!isTooMuch) this.#services.warn(new Error("A round is not passed to the node where its handler waits: it runs again", { cause }));
    return { mayHaveRun: !isTooMuch && !isUnsent(cause) };
  }

  /** What another node has passed on. A node that stood still takes nothing: the round may run again elsewhere already. */
  #begin(round: PassedRound, taken: TakenRound): Promise<JsonObject> | undefined {
    const waiting = this.#nodes.isAwake ? this.#holder.take(round.state, round.mark) : undefined;
    if (waiting === undefined) return undefined;
    const context = takenContext(waiting.context, round, taken);
    return this.#holder.resume(context, waiting).catch((error: unknown) => this.#services.failed(error, context));
  }

  /** See {@link RoundNodes.leave}. */
  leave(ms: number): Promise<void> {
    return this.#nodes.leave(ms);
  }
}

/** Whether the stores say that nothing was sent to the other node. */
function isUnsent(error: unknown): boolean {
  const data = McpError.isMcpError(error) ? error.data : undefined; // of any kind
  return isJsonObject(data) && data["delivery"] === "not-sent";
}

function tell({ outbound }: RequestContext, { method, params }: JsonObject): void {
  void outbound.notify(method as string, params as JsonObject | undefined); // a node wrote it
}
