/**
 * Rounds of calls that wait at this node, as other nodes pass them on: what the calls say is sent back there.
 *
 * The node that passes a round on says every two seconds that it still waits. If it is silent for long, its client is gone.
 */
import { unref, type Clock, type Timer } from "../base/clock.ts";
import { ErrorCode, isErrorData, LimitExceededError, McpError, toErrorData, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { NodeCalls } from "./node-calls.ts";
import { MAX_ENDING, MAX_PART, type RoundEnding } from "./passed-rounds.ts";

const MAX_TAKEN = 1_000;
/** Milliseconds after which a round is cancelled whose node is silent. A store may be away for some of them. */
const SILENT_MS = 30_000;
/** Messages before the end of a round that may wait to be sent. */
const MAX_UNSENT = 1_000;

/** Begins a round of another node. Returns how it goes on; undefined if its call does not wait here. */
export type BeginRound = (round: JsonObject, taken: TakenRound) => Promise<JsonObject> | undefined;

export interface TakingServices {
  readonly calls: Pick<NodeCalls, "ask" | "tell">;
  readonly begin: BeginRound;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

export class TakenRounds {
  readonly #services: TakingServices;
  readonly #taken = new Map<string, TakenRound>();
  readonly #running = new Set<Promise<void>>();
  #refusing = false;

  constructor(services: TakingServices) {
    this.#services = services;
  }

  /** Takes a round, once. Returns whether its call waits here. */
  take({ exchange, from, ...round }: JsonObject): boolean {
    const id = exchange as string; // a node wrote it, as all of this
    if (this.#taken.has(id)) return true;
    if (this.#refusing || this.#taken.size >= MAX_TAKEN) return false;
    const taken = new TakenRound({ ...this.#services, exchange: id, from: from as number, forget: () => this.#taken.delete(id) });
    const outcome = this.#services.begin(round, taken);
    if (outcome === undefined) return false;
    this.#taken.set(id, taken);
    const running = taken.run(outcome).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return true;
  }

  /** The node still waits for a round. Returns whether this node has it. */
  waits({ exchange }: JsonObject): boolean {
    const taken = this.#taken.get(exchange as string);
    taken?.heard();
    return taken !== undefined;
  }

  /** The client of a round has given it up. */
  cancelled({ exchange }: JsonObject): boolean {
    const taken = this.#taken.get(exchange as string);
    taken?.cancel("The client has given the request up");
    return taken !== undefined;
  }

  async settled(): Promise<void> {
    this.#refusing = true;
    await Promise.all(this.#running);
  }

  close(): void {
    this.#refusing = true;
    for (const taken of [...this.#taken.values()]) taken.cancel("The node ends");
  }
}

interface TakenRoundOptions extends TakingServices {
  readonly exchange: string;
  /** The node that has passed the round on. */
  readonly from: number;
  readonly forget: () => void;
}

export class TakenRound {
  readonly #options: TakenRoundOptions;
  readonly #abort = new AbortController();
  /** Resolves when all messages so far were sent, in order. */
  #sent: Promise<void> = Promise.resolve();
  #unsent = 0;
  #handedBack = false;
  #timer: Timer;
  /** Set when the round has ended. */
  #ending: RoundEnding | { readonly handedBack: true } | undefined;
  #sending = false;

  constructor(options: TakenRoundOptions) {
    this.#options = options;
  }

  /** Aborts when the client gives the request up, or its node is gone. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Sends a message to the client's node, in order. It may be lost. Nothing is sent after the end of the round. */
  tell(message: JsonObject): Promise<void> {
    const { calls, report, from, exchange } = this.#options;
    if (this.#ending !== undefined || this.signal.aborted) return this.#sent;
    if (this.#unsent >= MAX_UNSENT) {
      report(new LimitExceededError("unsent messages of a round", MAX_UNSENT, undefined, ErrorCode.InternalError));
      return this.#sent;
    }
    this.#unsent++;
    this.#sent = this.#sent.then(() => calls.tell(from, "roundTold", { exchange, ...message })).catch(report);
    return (this.#sent = this.#sent.then(() => void this.#unsent--));
  }

  /** Lets the client's node run the round itself: only that node can do what the call needs. The outcome here is ignored. */
  handBack(): void {
    this.#handedBack = true;
  }

  cancel(reason: string): void {
    this.#options.clock.clearTimer(this.#timer);
    this.#options.forget();
    this.#abort.abort(new Error(reason));
  }

  /** The other node still waits. */
  heard(): void {
    const { clock } = this.#options;
    clock.clearTimer(this.#timer);
    this.#timer = clock.setTimer(SILENT_MS, () => this.cancel("The node of the client is gone"));
    unref(this.#timer);
    // It waits for an ending that could not be sent.
    if (this.#ending !== undefined) void this.#sendEnding();
  }

  /** Sends how the round ends. Never rejects. */
  async run(outcome: Promise<JsonObject>): Promise<void> {
    this.heard();
    const ending: RoundEnding = await outcome.then(
      (result) => ({ result }),
      (error: unknown) => ({ error: this.#errorOf(error) }),
    );
    await this.#sent;
    this.#ending = this.#handedBack ? { handedBack: true } : ending;
    await this.#sendEnding();
  }

  /** Sends the ending. If the stores are away, the other node asks again. */
  async #sendEnding(): Promise<void> {
    const { clock, forget, report } = this.#options;
    if (this.#sending || this.signal.aborted) return;
    this.#sending = true;
    try {
      await this.#send(this.#ending!); // set before
      clock.clearTimer(this.#timer);
      forget();
    } catch (error) {
      report(error);
    } finally {
      this.#sending = false;
    }
  }

  async #send(ending: object): Promise<void> {
    const { calls, from, exchange } = this.#options;
    const text = this.#textOf(ending);
    if (text.length <= MAX_PART) return void (await calls.ask(from, "roundEnded", { ...(JSON.parse(text) as JsonObject), exchange }));
    for (let index = 0; index * MAX_PART < text.length; index++) {
      const part = { exchange, index, text: text.slice(index * MAX_PART, (index + 1) * MAX_PART) };
      if (!(await calls.ask(from, "roundPart", part))) return; // it waits no more
    }
    await calls.ask(from, "roundEnded", { exchange, inParts: true });
  }

  /** The ending as JSON; an error in its place if it has no JSON form, or is too long. */
  #textOf(ending: object): string {
    try {
      const text = JSON.stringify(ending);
      if (text.length > MAX_ENDING) throw new LimitExceededError("result of a round", MAX_ENDING, text.length, ErrorCode.InternalError);
      return text;
    } catch (error) {
      return JSON.stringify({ error: this.#errorOf(error) });
    }
  }

  #errorOf(error: unknown): ErrorData {
    if (McpError.isMcpError(error) && isErrorData(error)) return toErrorData(error);
    if (!this.signal.aborted) this.#options.report(error);
    return { code: ErrorCode.InternalError, message: "Internal error" };
  }
}
