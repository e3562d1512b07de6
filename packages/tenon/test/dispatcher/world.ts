/**
 * Two dispatchers, the calls between them, and what must hold whatever happens: the oracle of the simulation.
 *
 * Knows the dispatchers by their public interface only. What it finds wrong it writes down in `violations`.
 */
import type { Dispatcher, InboundRequest, Outbound, RawResult } from "../../src/dispatch/dispatcher.ts";
import type { MaybePromise } from "../../src/base/maybe-promise.ts";
import { coerceRequestId, type JsonObject, type RequestId } from "../../src/jsonrpc/message.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { GIVEN_IDS, type CallStep, type Plan, type Side } from "./steps.ts";
import { auditWire, keyOf } from "./audit.ts";
import { Wire } from "./wire.ts";

type Subject = typeof import("./subject.ts");

export type WorldKind = "direct" | "wire";

const CONNECTION_LIMITS = { maxInFlight: 4, handlerTimeout: 2000, handlerGrace: 500, maxMalformed: 1000 };
export const LIMITS: typeof CONNECTION_LIMITS & { timeout: number; maxTotalTimeout: number } = {
  timeout: 1000,
  maxTotalTimeout: 1500,
  ...CONNECTION_LIMITS,
};

/** What of a call step the callee has to know. */
type Wish = Pick<CallStep, "plan" | "then" | "touch">;

export interface Call {
  readonly nonce: number;
  readonly side: Side;
  readonly plan: Plan;
  readonly timeout: number;
  /** The latest it may settle, counted from its start. */
  readonly latest: number;
  readonly startedAt: number;
  readonly id: RequestId | undefined;
  readonly abort: AbortController;
  readonly reason: Error;
  /** A malformed response was sent to it. */
  broken: boolean;
  settled: boolean;
  answered: boolean;
}

export interface Handling {
  readonly side: Side;
  readonly nonce: number;
  readonly request: InboundRequest;
  readonly plan: Plan;
  /** When its slot is free even if the handler continues. */
  freeAt: number;
  running: boolean;
  /** Whether it has asked for its signal. */
  readonly listening: boolean;
  fired: number;
  steps: number;
  resolve?: (result: RawResult) => void;
  reject?: (reason: unknown) => void;
}

export class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly violations: string[] = [];
  readonly calls: Call[] = [];
  readonly handlings: Handling[] = [];
  readonly wire: Wire | undefined;
  /** One of the peers has ended the connection. */
  closing = false;
  /** Times a request with this key was cancelled before its response, as its handler saw it. */
  readonly cancels: Map<string, number> = new Map<string, number>();
  readonly #subject: Subject;
  readonly #dispatchers: readonly Dispatcher[];
  readonly #runs: Promise<void>[];
  readonly #crashed = new Set<number>();
  #nonces = 0;

  constructor(subject: Subject, kind: WorldKind, slowWrites: boolean) {
    this.#subject = subject;
    const options = ([0, 1] as const).map((side) => ({
      timeout: LIMITS.timeout,
      maxTotalTimeout: LIMITS.maxTotalTimeout,
      limits: CONNECTION_LIMITS,
      clock: this.clock,
      onError: (error: Error): void => this.#reported(side, error),
    }));
    if (kind === "wire") this.wire = new Wire(subject, slowWrites);
    this.#dispatchers =
      this.wire?.ends.map((end, i) => new subject.JsonRpcDispatcher(end, options[i]!)) ??
      subject.createDirectPair(options[0]!, options[1]!);
    this.#runs = this.#dispatchers.map((dispatcher, i) =>
      dispatcher.run(
        (request) => this.#handle(i as Side, request),
        () => {
          if (this.handlings.length % 7 === 3) throw new Error("notification crashed");
        },
      ),
    );
  }

  violated(what: string): void {
    this.violations.push(what);
  }

  notify(side: Side): void {
    void this.#dispatchers[side]!.notify("notifications/any", { side });
  }

  close(side: Side): Promise<void> {
    this.closing = true;
    return this.#dispatchers[side]!.close(new Error("closed by the simulation"));
  }

  /** Makes a call on a connection, or on the channel of a request. Resolves when it has settled, whatever the outcome. */
  call(step: Omit<CallStep, "do">, outbound: Outbound = this.#dispatchers[step.side]!): Promise<void> {
    const call = this.#createCall(step);
    this.calls.push(call);
    const { nonce, abort } = call;
    if (step.aborted) this.abort(call);
    const taken =
      call.id !== undefined &&
      this.calls.some((other) => other !== call && other.side === call.side && !other.settled && sameId(other.id, call.id));
    let last = -Infinity;
    const onProgress = ({ progress }: { progress: number }): MaybePromise<void> => {
      if (call.settled) this.violated(`call ${nonce}: progress after it settled`);
      if (progress <= last) this.violated(`call ${nonce}: progress went back`);
      last = progress;
      if (step.listening === "throws") throw new Error("progress crashed");
      if (step.listening === "rejects") return Promise.reject(new Error("progress crashed"));
      return step.listening === "slow" ? turn() : undefined;
    };
    const params: JsonObject = { nonce, wish: { plan: step.plan, then: step.then, touch: step.touch } satisfies Wish };
    const promise = outbound.request("work", params, {
      signal: abort.signal,
      ...(step.timeout === undefined ? {} : { timeout: step.timeout }),
      ...(step.listening === "none" ? {} : { onProgress }),
      ...(call.id === undefined ? {} : { requestId: call.id }),
    });
    return promise.then(
      (result) => this.#succeeded(call, result),
      (reason: unknown) =>
        this.#failed(
          call,
          reason as Error & { code?: number; data?: JsonObject },
          taken,
          outbound !== this.#dispatchers[step.side],
        ),
    );
  }

  abort(call: Call): void {
    call.abort.abort(call.reason);
  }

  #createCall({ side, plan, timeout = LIMITS.timeout, listening, id }: Omit<CallStep, "do">): Call {
    const nonce = ++this.#nonces;
    // The peer may still respond to an id whose call was cancelled: the responses could not be distinguished.
    const ambiguous = this.calls.some(
      (other) =>
        other.side === side &&
        !other.answered &&
        (other.settled || other.broken || other.abort.signal.aborted) &&
        sameId(other.id, id),
    );
    return {
      nonce,
      side,
      plan,
      timeout,
      latest: listening === "none" ? timeout : Math.max(timeout, LIMITS.maxTotalTimeout),
      startedAt: this.clock.now(),
      id: ambiguous ? undefined : id,
      abort: new AbortController(),
      reason: new Error(`call ${nonce} aborted`),
      broken: false,
      settled: false,
      answered: false,
    };
  }

  #settle(call: Call): void {
    if (call.settled) this.violated(`call ${call.nonce}: settled twice`);
    call.settled = true;
    if (this.clock.now() - call.startedAt > call.latest) this.violated(`call ${call.nonce}: settled too late`);
  }

  #succeeded(call: Call, result: JsonObject): void {
    this.#settle(call);
    call.answered = true;
    if (result["nonce"] !== call.nonce) this.violated(`call ${call.nonce}: got the result of ${String(result["nonce"])}`);
  }

  #failed(call: Call, error: Error & { code?: number; data?: JsonObject }, taken: boolean, nested: boolean): void {
    this.#settle(call);
    const waited = this.clock.now() - call.startedAt;
    call.answered = error.code === -32055 || error.code === -32603;
    const legal =
      error === call.reason
        ? call.abort.signal.aborted
        : error instanceof RangeError
          ? taken
          : error.code === -32000
            ? this.closing
            : error.code === -32001
              ? waited >= Math.min(call.timeout, LIMITS.maxTotalTimeout)
              : error.code === -32055
                ? error.data?.["nonce"] === call.nonce
                : error.code === -32603
                  ? this.#crashed.has(call.nonce) ||
                    error.data?.["limit"] === "limits.maxInFlight" ||
                    waited >= LIMITS.handlerTimeout
                  : error.code === -32600
                    ? call.broken || nested
                    : false;
    if (!legal) this.violated(`call ${call.nonce} (${call.plan}): failed with ${String(error)} after ${waited} ms`);
  }

  // ---- inbound requests ----

  #handle(side: Side, request: InboundRequest): MaybePromise<RawResult> {
    const { nonce, wish } = request.params as { nonce: number; wish: Wish };
    const now = this.clock.now();
    const handling: Handling = {
      side,
      nonce,
      request,
      plan: wish.plan,
      running: true,
      listening: wish.touch,
      fired: 0,
      steps: 0,
      freeAt: now + LIMITS.handlerTimeout + LIMITS.handlerGrace,
    };
    const others = this.handlings.filter((other) => other.side === side && other.running && other.freeAt > now);
    if (others.some((other) => !other.request.cancelled && other.request.requestId === request.requestId)) {
      this.violated(`request ${JSON.stringify(request.requestId)}: started while one with its id was in flight`);
    }
    // A cancelled handler that does not listen does not know since when it is cancelled.
    const slots = others.filter((other) => other.listening || !other.request.cancelled);
    if (slots.length >= LIMITS.maxInFlight) this.violated(`more than ${LIMITS.maxInFlight} handlers at a time`);
    this.handlings.push(handling);
    if (wish.touch) this.#listen(handling);
    const outcome = this.#carryOut(handling, wish);
    if (outcome instanceof Promise) return outcome.finally(() => (handling.running = false));
    handling.running = false;
    return outcome;
  }

  #listen(handling: Handling): void {
    const { request } = handling;
    request.signal.addEventListener("abort", () => {
      if (++handling.fired > 1) this.violated(`handler of ${handling.nonce}: signal fired twice`);
      if (!request.cancelled || this.closing) return;
      handling.freeAt = Math.min(handling.freeAt, this.clock.now() + LIMITS.handlerGrace);
      const key = keyOf(handling.side, request.requestId);
      this.cancels.set(key, (this.cancels.get(key) ?? 0) + 1);
    });
  }

  #carryOut(handling: Handling, wish: Wish): MaybePromise<RawResult> {
    const { nonce, request, side } = handling;
    switch (wish.plan) {
      case "now":
        return request.encode({ nonce });
      case "raw":
        return { nonce };
      case "refuse":
        handling.running = false;
        throw this.refusal(nonce);
      case "crash":
        handling.running = false;
        throw this.crash(nonce);
      case "unserialisable":
        this.#crashed.add(nonce);
        return { nonce, n: 1n };
      case "nest":
        return this.#nest(handling, wish.then);
      case "obey":
        return new Promise((resolve) => request.signal.addEventListener("abort", () => resolve({ nonce })));
      case "abortCaller": {
        const caller = this.calls.find((call) => call.nonce === nonce);
        if (caller !== undefined) this.abort(caller);
        break;
      }
      case "close":
        void this.close(side);
        break;
      case "wait":
      case "hang":
    }
    return new Promise((resolve, reject) => {
      handling.resolve = resolve;
      handling.reject = reject;
    });
  }

  async #nest({ nonce, request, side }: Handling, then: Plan): Promise<RawResult> {
    const plan = then === "nest" ? "now" : then;
    await this.call(
      { side, plan, then: "now", timeout: undefined, listening: "none", id: undefined, touch: false, aborted: false },
      request,
    );
    return request.encode({ nonce });
  }

  refusal(nonce: number): Error {
    return new this.#subject.McpError(-32055, "refused", { nonce });
  }

  crash(nonce: number): Error {
    this.#crashed.add(nonce);
    return new Error("handler crashed");
  }

  #reported(side: Side, error: Error & { code?: number }): void {
    const expected =
      error.message.endsWith("crashed") ||
      (error instanceof TypeError && error.message.includes("BigInt")) ||
      (error.code === -32000 && this.closing) ||
      error.message.includes("handlerGrace") ||
      // What faults bring about.
      (this.wire !== undefined && (error.code === -32600 || error.code === -32700));
    if (!expected) this.violated(`side ${side} reported ${String(error)}`);
  }

  // ---- the end ----

  /** A call was cancelled: its handler must know. */
  assertTold({ nonce, side, broken }: Call): void {
    const handling = this.handlings.find((handling) => handling.nonce === nonce && handling.side !== side);
    // A call with a malformed response has its response: it was not cancelled.
    if (broken || handling?.running !== true || handling.freeAt <= this.clock.now() || this.closing) return;
    if (!handling.request.cancelled) this.violated(`handler of ${nonce}: its signal did not abort`);
  }

  /** One peer ended the connection: no call waits any more, and every handler's signal has aborted. */
  async assertEnded(): Promise<void> {
    await turn();
    for (const call of this.calls) if (!call.settled) this.violated(`call ${call.nonce} (${call.plan}): not settled by the end`);
    if (this.clock.pending !== 0) this.violated(`${this.clock.pending} timers left after the end`);
    for (const { running, request, freeAt, nonce } of this.handlings) {
      if (running && freeAt > this.clock.now() && !request.signal.aborted)
        this.violated(`handler of ${nonce}: not told of the end`);
    }
  }

  /** Lets all time limits pass; everything must be over then, and every id and every slot free. */
  async settleDown(): Promise<void> {
    await this.clock.advance(10_000);
    if (this.closing) return;
    for (const call of this.calls) if (!call.settled) this.violated(`call ${call.nonce} (${call.plan}): never settled`);
    if (this.clock.pending !== 0) this.violated(`${this.clock.pending} timers left while nothing is going on`);
    const used = new Set<RequestId>([...GIVEN_IDS, ...this.calls.flatMap(({ id }) => id ?? [])]);
    const probe = { plan: "now", then: "now", timeout: undefined, listening: "none", touch: false, aborted: false } as const;
    for (const side of [0, 1] as const) {
      const before = this.calls.length;
      for (const id of used) {
        void this.call({ ...probe, side, id });
        await turn();
      }
      for (let i = 0; i < LIMITS.maxInFlight; i++) void this.call({ ...probe, plan: "wait", side, id: undefined });
      await turn();
      for (const handling of this.handlings) if (handling.running) handling.resolve?.({ nonce: handling.nonce });
      await turn();
      for (const call of this.calls.slice(before)) if (!call.answered) this.violated(`probe ${String(call.id)}: not answered`);
    }
  }

  /** Closes both ends; nothing may run after that. */
  async finish(): Promise<void> {
    let ended = false;
    void Promise.all([this.close(0), this.close(1), ...this.#runs]).then(() => (ended = true));
    await this.assertEnded();
    await this.clock.advance(5000);
    if (!ended) this.violated("close did not finish within 5 s");
    const crossed = this.wire?.log.length;
    for (const handling of this.handlings) handling.resolve?.({ nonce: handling.nonce });
    for (const call of this.calls) this.abort(call);
    await turn();
    if (this.wire?.log.length !== crossed) this.violated("something was written after close");
    this.violations.push(...auditWire(this.wire?.log ?? [], this.cancels));
  }
}

function sameId(a: RequestId | undefined, b: RequestId | undefined): boolean {
  return a !== undefined && b !== undefined && coerceRequestId(a) === coerceRequestId(b);
}
