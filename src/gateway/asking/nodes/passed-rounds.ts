/**
 * Rounds that reached this node, and whose call is held by another one: they are passed on, and wait for what that node sends.
 *
 * The bus may lose messages, so a round is passed on again and again while it waits. The other node takes it once.
 */
import { onAbort } from "../../../base/abort.ts";
import { randomId } from "../../../base/bytes.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Progress } from "../../../dispatch/dispatcher.ts";
import { McpError, type ErrorData } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { NodeCalls } from "../../../server/http/nodes/node-calls.ts";
import type { ClientRound } from "../client-round.ts";

/** Milliseconds after which a round that waits is passed on again. This also shows whether its node still lives. */
const REPEAT_MS = 2_000;

/** Where a round belongs. */
export interface RoundAddress {
  /** The number of the node that holds the call. */
  readonly node: number;
  readonly call: string;
  readonly round: number;
}

/** What passing on needs. */
export interface PassingServices {
  /** The number of this node. */
  readonly number: number;
  readonly calls: Pick<NodeCalls, "ask">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

interface WaitingRound {
  readonly client: ClientRound;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

export class PassedRounds {
  readonly #services: PassingServices;
  readonly #waiting = new Map<string, WaitingRound>();

  constructor(services: PassingServices) {
    this.#services = services;
  }

  /**
   * Passes a round on, and resolves with what comes next in its call; undefined if the node is gone, or does not have the call.
   * @throws McpError what the call failed with; the reason of the client's signal
   */
  async pass({ node, call, round }: RoundAddress, client: ClientRound): Promise<JsonObject | undefined> {
    const { calls, number, report } = this.#services;
    client.signal.throwIfAborted();
    const exchange = randomId();
    const ended = new AbortController();
    const { capabilities, inputResponses } = client;
    const passOn = (): Promise<boolean> => calls.ask(node, "round", { exchange, from: number, call, round, capabilities, inputResponses });
    const taken = passOn();
    const outcome = new Promise<JsonObject>((resolve, reject) => this.#waiting.set(exchange, { client, resolve, reject }));
    const stop = onAbort(client.signal, () => {
      this.#waiting.get(exchange)?.reject(client.signal.reason);
      // After the round itself: a node cannot cancel what it does not know.
      taken.then(() => calls.ask(node, "roundCancelled", { exchange })).catch(report);
    });
    try {
      return await Promise.race([outcome, this.#untilLost(taken, passOn, ended.signal)]);
    } finally {
      ended.abort();
      stop();
      this.#waiting.delete(exchange);
    }
  }

  /** Resolves when the other node does not take the round, or not any more. */
  async #untilLost(first: Promise<boolean>, passOn: () => Promise<boolean>, ended: AbortSignal): Promise<undefined> {
    const { clock, report } = this.#services;
    let isTaken = await first;
    while (isTaken) {
      await sleep(clock, REPEAT_MS, ended);
      isTaken = await passOn().catch((error: unknown) => {
        report(error);
        return true; // the stores are away, so nothing is known of the node
      });
    }
  }

  /** Takes how a round has ended. Returns whether it still waits. */
  ended({ exchange, result, error }: JsonObject): boolean {
    const waiting = this.#waiting.get(exchange as string);
    if (error === undefined) waiting?.resolve(result as JsonObject);
    else waiting?.reject(McpError.fromErrorData(error as ErrorData)); // a node wrote it, as all of this
    return waiting !== undefined;
  }

  /** Takes progress and log messages of the call. */
  told({ exchange, progress, logged }: JsonObject): MaybePromise<boolean> {
    const client = this.#waiting.get(exchange as string)?.client;
    if (logged !== undefined) client?.logged(logged as JsonObject);
    if (progress !== undefined) void client?.progressed(progress as unknown as Progress);
    return client !== undefined;
  }
}
