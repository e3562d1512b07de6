/**
 * Rounds that reached this node, and whose call waits at another one: they are passed on, and wait for what that node sends.
 *
 * The bus may lose messages, so the other node is asked again and again while a round waits. It takes the round once.
 */
import { onAbort } from "../base/abort.ts";
import { randomId } from "../base/bytes.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { ErrorCode, isErrorData, LimitExceededError, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import type { NodeCalls } from "./node-calls.ts";

/** Milliseconds after which the other node is asked again. This also shows whether it still lives. */
const REPEAT_MS = 2_000;
/** Times in a row that the stores may fail to ask the other node. Then the round is given up: its client waits for an engine no longer than that. */
const MAX_UNASKED = 3;
const MAX_PASSED = 1_000;

/** What errors call it. */
const ENDING = "The end of a round at another node";
/** Characters of an ending that is one message, or of one part of it: JSON in JSON is up to twice as long, and a store takes 1 Mi. */
export const MAX_PART = 400_000;
/** Characters of the longest ending. */
export const MAX_ENDING: number = 17 * 2 ** 20;

export type RoundEnding = { readonly result: JsonObject } | { readonly error: ErrorData };

/**
 * The stores are away, and another node runs the round. JSON-RPC -32603 with `data.reason` `storeUnavailable`. `delivery` is `unknown`: that node
 * goes on with the round, or has ended it.
 */
export class UnreachableRoundError extends McpError {
  override name = "UnreachableRoundError";

  constructor(cause: unknown) {
    const data = { reason: "storeUnavailable", delivery: "unknown", retryAfterMs: 1_000 };
    super(ErrorCode.InternalError, "The store is not available, and another node may have run the request", data, { cause });
  }
}

export interface PassingClient {
  /** Aborts when the client gives the request up. */
  readonly signal: AbortSignal;
  /** Takes what the other node says before the round ends, such as progress. */
  told(message: JsonObject): void;
}

export interface PassingServices {
  readonly number: number;
  readonly calls: Pick<NodeCalls, "ask">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

interface WaitingRound {
  readonly client: PassingClient;
  /** The parts of an ending that is too long for one message. */
  readonly parts: string[];
  /** Ends the wait; undefined if the other node has handed the round back. */
  resolve(ending: RoundEnding | undefined): void;
  reject(error: unknown): void;
}

export class PassedRounds {
  readonly #services: PassingServices;
  readonly #waiting = new Map<string, WaitingRound>();
  readonly #passing = new Set<Promise<unknown>>();

  constructor(services: PassingServices) {
    this.#services = services;
  }

  /**
   * Passes a round on, and resolves with how it has ended; undefined if the node is gone, or does not have the call.
   * @throws (rejects) the reason of the client's signal; UnreachableRoundError if the node has taken the round and the stores are away; what
   * the stores throw before that, and then only `delivery` "not-sent" says that the node has not taken it; LimitExceededError if too many rounds wait, or the round is too long
   */
  pass(node: number, round: JsonObject, client: PassingClient): Promise<RoundEnding | undefined> {
    const passing = this.#pass(node, round, client);
    const settled = passing.then(ignore, ignore).then(() => void this.#passing.delete(settled));
    this.#passing.add(settled);
    return passing;
  }

  async #pass(node: number, round: JsonObject, client: PassingClient): Promise<RoundEnding | undefined> {
    const { calls, number, report } = this.#services;
    client.signal.throwIfAborted();
    if (this.#waiting.size >= MAX_PASSED) throw new LimitExceededError("passed rounds", MAX_PASSED, undefined, ErrorCode.InternalError);
    const exchange = randomId();
    const ended = new AbortController();
    const taken = calls.ask(node, "round", { ...round, exchange, from: number });
    const outcome = new Promise<RoundEnding | undefined>((resolve, reject) =>
      this.#waiting.set(exchange, { client, parts: [], resolve, reject }),
    );
    const stop = onAbort(client.signal, () => {
      this.#waiting.get(exchange)?.reject(client.signal.reason);
      // After the round itself: a node cannot cancel what it does not know.
      taken.then(() => calls.ask(node, "roundCancelled", { exchange })).catch(report);
    });
    try {
      return await Promise.race([outcome, this.#untilLost(taken, () => calls.ask(node, "roundWaits", { exchange }), ended.signal)]);
    } finally {
      ended.abort();
      stop();
      this.#waiting.delete(exchange);
    }
  }

  /** Resolves when the other node does not take the round, or does not have it any more. @throws UnreachableRoundError */
  async #untilLost(first: Promise<boolean>, askAgain: () => Promise<boolean>, ended: AbortSignal): Promise<undefined> {
    const { clock, report } = this.#services;
    let isTaken = await first;
    for (let unasked = 0; isTaken;) {
      await sleep(clock, REPEAT_MS, ended);
      try {
        isTaken = await askAgain();
        unasked = 0;
      } catch (error) {
        report(error); // the stores are away, so nothing is known of the node
        if (++unasked === MAX_UNASKED) throw new UnreachableRoundError(error);
      }
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#passing);
  }

  // ---- messages of the other node ----

  /** Takes the next part of how a round has ended, or one that it has. Returns whether it still waits. @throws DamagedEntryError */
  part({ exchange, index, text }: JsonObject): boolean {
    const waiting = this.#waiting.get(exchange as string); // another value is no key
    if (waiting === undefined) return false;
    const isNext = typeof index === "number" && index >= 0 && index <= waiting.parts.length && index * MAX_PART <= MAX_ENDING;
    if (!Number.isInteger(index) || !isNext || typeof text !== "string" || text.length > MAX_PART)
      throw new DamagedEntryError(ENDING, "has a part that is not the next one");
    waiting.parts[index] = text;
    return true;
  }

  /** Takes how a round has ended. Returns whether it still waits. @throws DamagedEntryError */
  ended({ exchange, inParts, handedBack, ...ending }: JsonObject): boolean {
    const waiting = this.#waiting.get(exchange as string);
    if (waiting === undefined) return false;
    if (handedBack === true) waiting.resolve(undefined);
    else waiting.resolve(endingIn(inParts === true ? parseStored(ENDING, waiting.parts.join("")) : ending));
    return true;
  }

  /** Takes what the call says before the round ends. */
  told({ exchange, ...message }: JsonObject): boolean {
    const client = this.#waiting.get(exchange as string)?.client;
    client?.told(message);
    return client !== undefined;
  }
}

/** @throws DamagedEntryError if it is neither a result nor an error */
function endingIn(value: unknown): RoundEnding {
  const { result, error } = isJsonObject(value) ? value : {};
  if (isJsonObject(result)) return { result };
  if (isErrorData(error)) return { error };
  throw new DamagedEntryError(ENDING, "has no result and no error");
}

function ignore(): void {}
