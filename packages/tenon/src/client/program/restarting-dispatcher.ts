/**
 * A connection to a program that is started again when it ends (option `restart`).
 *
 * Pending calls fail and are never repeated, because the client cannot know what the program did. New calls wait until the
 * program runs again. The new program gets the state of the old one: handshake, log level, subscriptions to resources.
 * Streams of changes on stateless revisions reconnect by themselves (`client/listen/stateless.ts`). A program is restarted only if
 * a revision was agreed before.
 */
import { ConnectionClosedError, ConnectionLostError, toClosedError } from "../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { type Clock, sleep, systemClock } from "../../base/clock.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions, TransportContext } from "../../dispatch/dispatcher.ts";
import type { JsonRpcDispatcher, JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import { reportTo } from "../../base/report-to.ts";
import { withDefaults } from "../../dispatch/limits.ts";
import { abortOf } from "../../dispatch/pending.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import { ProgramGate } from "./gate.ts";
import { RestartPace, type RestartOptions } from "./restart-pace.ts";
import { SessionMemory } from "../session-memory.ts";

export type Start = (signal: AbortSignal | undefined) => Promise<JsonRpcDispatcher>;

/**
 * Starts a program, and starts it again whenever it has ended.
 * @throws RangeError if a limit is out of range; what `start` throws the first time
 */
export async function openRestarting(
  start: Start,
  restart: RestartOptions,
  options: JsonRpcDispatcherOptions,
  signal: AbortSignal | undefined,
): Promise<Dispatcher> {
  const pace = new RestartPace(restart);
  return new RestartingDispatcher(await start(signal), start, pace, options);
}

class RestartingDispatcher implements Dispatcher {
  readonly #start: Start;
  readonly #pace: RestartPace;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #report: (error: unknown) => void;
  readonly #memory = new SessionMemory();
  readonly #closing = new AbortController();
  /** Shut while no program can be called. */
  readonly #gate: ProgramGate;
  #program: JsonRpcDispatcher;
  /** Settles when the program has ended. */
  #ended: Promise<void> = Promise.resolve();
  /** Settles when the program has ended for good. */
  #done: Promise<void> = Promise.resolve();
  #handlers: [OnRequest, OnNotification] | undefined;
  /** Whether a session has to be restored; undefined until a revision is agreed. */
  #stateful: boolean | undefined;

  constructor(program: JsonRpcDispatcher, start: Start, pace: RestartPace, options: JsonRpcDispatcherOptions) {
    this.#program = program;
    this.#start = start;
    this.#pace = pace;
    this.#clock = options.clock ?? systemClock;
    this.#timeout = withDefaults(options).timeout;
    this.#report = (error) => reportTo(options.onError, error);
    this.#gate = new ProgramGate(this.#clock);
  }

  get context(): TransportContext {
    return this.#program.context;
  }

  get pauses(): Pauses | undefined {
    return this.#program.pauses;
  }

  get acceptsBatches(): boolean {
    return this.#program.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#program.acceptsBatches = legal;
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#program.notify(method, params);
  }

  run(...handlers: [OnRequest, OnNotification]): Promise<void> {
    this.#ended = this.#program.run(...handlers);
    this.#handlers = handlers;
    return (this.#done = this.#keepRunning());
  }

  async close(reason?: unknown): Promise<void> {
    if (!this.#closing.signal.aborted) this.#gate.refuse(toClosedError(reason));
    this.#closing.abort();
    await this.#program.close(reason);
    await this.#done;
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { timeout = this.#timeout } = options;
    for (;;) {
      if (!this.#gate.isOpen) await this.#gate.pass(method, { timeout, abort: abortOf(options) });
      let sent = false;
      const onId: RequestOptions["onId"] = (id) => {
        sent = true;
        options.onId?.(id);
      };
      const program = this.#program;
      try {
        const result = await program.request(method, params, { ...options, onId });
        this.#note(method, params, result);
        return result;
      } catch (error) {
        if (!(error instanceof ConnectionClosedError) || !this.#mayRestart) throw error;
        if (program === this.#program) this.#gate.shut();
        if (sent) throw new ConnectionLostError(`${error.message}; it is started again`, "unknown", { cause: error });
      }
    }
  }

  get #mayRestart(): boolean {
    return this.#stateful !== undefined && !this.#closing.signal.aborted;
  }

  #note(method: string, params: JsonObject, result: JsonObject): void {
    if (method === "initialize" || method === "server/discover") {
      this.#stateful = method === "initialize";
      this.#memory.opened(params, result);
    } else this.#memory.note(method, params);
  }

  // ---- starting again ----

  async #keepRunning(): Promise<void> {
    await this.#ended;
    let failure: unknown;
    while (this.#mayRestart) {
      this.#gate.shut();
      // A call on an ended connection fails with the reason.
      this.#report(failure ?? (await this.#program.request("ping").catch((error: unknown) => error)));
      try {
        await this.#pause();
        await this.#startAgain();
        this.#gate.open();
        failure = undefined;
      } catch (error) {
        failure = error;
      }
      await this.#ended;
    }
  }

  /** Waits until the program may be started. @throws when this side closes */
  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    const blocked = this.#pace.blocked(this.#clock.now());
    if (blocked > 0) {
      const refusal = new ConnectionLostError(this.#pace.refusal, "not-sent");
      this.#gate.refuse(refusal);
      this.#report(refusal);
      await sleep(this.#clock, blocked, signal);
      this.#gate.shut();
    }
    await sleep(this.#clock, this.#pace.wait(this.#clock.now()), signal);
    this.#pace.started(this.#clock.now());
  }

  async #startAgain(): Promise<void> {
    const program = await this.#start(this.#closing.signal);
    program.acceptsBatches = this.#program.acceptsBatches;
    this.#program = program;
    if (this.#closing.signal.aborted) return program.close(); // the connection was closed while the program started
    this.#ended = program.run(...this.#handlers!); // `run` has set them
    try {
      await this.#restore(program);
    } catch (error) {
      await program.close(error);
      throw error;
    }
  }

  /** Restores the state of the old program in the new one. */
  async #restore(program: JsonRpcDispatcher): Promise<void> {
    const announce = (method: string, params?: JsonObject): void => void this.#handlers?.[1](method, params);
    if (this.#stateful !== true) return this.#memory.announceGap({ announce });
    await this.#memory.restore({
      call: (method, params) => program.request(method, params),
      tellInitialized: async () => program.notify("notifications/initialized"),
      announce,
      report: this.#report,
    });
  }
}
