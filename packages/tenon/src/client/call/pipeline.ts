/**
 * Composes the layers through which a client sends a request and gets its result.
 *
 *   extensions → rounds → middleware → codec → dispatcher
 *
 * Extensions see a call once, around all its rounds. Each round passes the middleware and the codec, and the dispatcher sends it.
 * A question of the server passes: middleware for both ways → extensions → the user's callbacks.
 */
import { systemClock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { RequestMethod, ResultOf } from "../../protocol/messages.ts";
import { ASKING_METHODS } from "../../protocol/methods.ts";
import type { CreateTaskResult } from "../../protocol/tasks.ts";
import { assertAtLeast, assertDuration } from "../../base/number-options.ts";
import { withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import { compose, onlyFor, type Handler, type Middleware } from "../../session/handler.ts";
import type { Codec } from "../../wire/codec.ts";
import type { Answers } from "../answer/answers.ts";
import { answersUnderWay } from "../answer/nesting.ts";
import type { SessionOptions } from "../session-options.ts";
import type { AskedRequest } from "../answer/callbacks.ts";
import { InputRequiredError } from "../errors.ts";
import { reviveNotFound } from "./not-found.ts";
import type { RoundHost } from "./questions.ts";
import { assertCallOptions, type CallOptions, type OutgoingRequest } from "./outgoing-request.ts";
import { CallTime, nextRound, type Demand } from "./rounds.ts";

type Layer = Middleware<OutgoingRequest>;

type RequestParts = Pick<OutgoingRequest, "method" | "params" | "options">;

const NEVER_ABORTED: AbortSignal = new AbortController().signal;

interface PipelineHost<Session> extends Omit<RoundHost, "clock" | "visitTimeout" | "maxInFlight"> {
  readonly answers: Answers<Session>;
  readonly options: SessionOptions<Session>;
}

const NO_OPTIONS: CallOptions = {};
const DEFAULT_ROUNDS = 10;
/** Milliseconds. */
const DEFAULT_VISIT = 600_000;

export class Pipeline<Session> {
  readonly #host: PipelineHost<Session> & RoundHost;
  readonly #limits: DispatcherLimits;
  readonly #maxRounds: number;
  readonly #middleware: Layer[];
  #handler!: Handler<OutgoingRequest>;
  /** Sends one round of a call: middleware, codec, dispatcher. */
  #round!: Handler<OutgoingRequest>;

  /** @throws RangeError if `limits.maxRounds` or a time limit is out of range */
  constructor({ connection, answers, inbox, ended, options, report }: PipelineHost<Session>) {
    const { clock = systemClock, visitTimeout = DEFAULT_VISIT, limits: { maxRounds = DEFAULT_ROUNDS } = {}, middleware = [] } = options;
    assertDuration("visitTimeout", visitTimeout);
    this.#limits = withDefaults(options);
    const { maxInFlight } = this.#limits;
    this.#host = { connection, answers, inbox, ended, options, report, clock, visitTimeout, maxInFlight };
    this.#maxRounds = assertAtLeast("limits.maxRounds", maxRounds, 0);
    this.#middleware = [...middleware];
    this.compose();
  }

  // ---- composition ----

  /** Composes the layers. Call it again when one of them has changed. */
  compose(): void {
    const { connection, answers } = this.#host;
    const { extensions } = connection;
    this.#round = compose(this.#middleware, this.#exchange);
    this.#handler = extensions?.middleware(this.#call) ?? this.#call;

    const callbacks = extensions?.wrapInbound(answers.callbacks) ?? answers.callbacks;
    // A layer for both ways takes requests of either direction; its type names one direction only.
    answers.handler = compose(
      this.#middleware.filter((layer) => "bothWays" in layer) as unknown as Middleware<AskedRequest<Session>>[],
      callbacks,
    );
  }

  /** Adds a layer of middleware inside the existing ones, for all requests or for some methods. */
  use(layer: Layer, only?: ReadonlySet<string>): void {
    this.#middleware.push(only === undefined ? layer : onlyFor(only, layer));
    this.compose();
  }

  // ---- the layers, from the outermost to the innermost ----

  /** Sends a request and resolves with its checked result. */
  async request(method: string, params: JsonObject, options?: CallOptions): Promise<JsonObject> {
    if (options === undefined) return await this.#handler(this.#outgoing({ method, params, options: NO_OPTIONS }));
    assertCallOptions(method, options);
    const { meta } = options;
    const body = meta === undefined ? params : { ...params, _meta: { ...(params["_meta"] as RequestMeta | undefined), ...meta } };
    return await this.#handler(this.#outgoing({ method, params: body, options }));
  }

  /** Sends a call. A call that a callback makes counts as nested in the question of that callback. */
  readonly #call = (request: OutgoingRequest): MaybePromise<JsonObject> => {
    const send = this.#mayHaveRounds() ? this.#inRounds : this.#round;
    return answersUnderWay === 0 ? send(request) : this.#host.answers.nesting.call(async () => send(request));
  };

  /** Whether the server may ask for something before it gives a result. */
  #mayHaveRounds(): boolean {
    const { codec, identity } = this.#host.connection;
    return this.#maxRounds > 0 && (codec.stateless || identity.capabilities.elicitation?.url !== undefined);
  }

  /** Sends a request, and sends it again with answers for as long as the server asks for something. */
  readonly #inRounds = async (request: OutgoingRequest): Promise<JsonObject> => {
    const { clock } = this.#host;
    const maxRounds = this.#maxRounds;
    let next = request;
    let time: CallTime | undefined;
    for (let round = 0; ; round++) {
      const began = clock.now();
      let demand: Demand;
      try {
        const result = await this.#round(next);
        if (!this.#isAsking(result)) return result;
        demand = result;
      } catch (error) {
        if (!this.#isRefusedUntilVisit(request, error)) throw error;
        demand = error;
      }
      time ??= new CallTime(this.#timesOf(request));
      time.requested(clock.now() - began);
      if (round === maxRounds) throw new LimitExceededError("limits.maxRounds", maxRounds);
      next = await nextRound(this.#host, demand, { request, time });
    }
  };

  #isAsking(result: JsonObject): result is InputRequiredResult {
    return result["resultType"] === "input_required" && this.#host.connection.codec.stateless;
  }

  /** True only for calls: for example, the result of a task is never repeated. */
  #isRefusedUntilVisit({ method }: OutgoingRequest, error: unknown): error is UrlElicitationRequiredError {
    return error instanceof UrlElicitationRequiredError && !this.#host.connection.codec.stateless && ASKING_METHODS.has(method);
  }

  #timesOf({ options }: OutgoingRequest): { timeout: number; maxTotalTimeout: number } {
    const { timeout = this.#limits.timeout } = options;
    return { timeout, maxTotalTimeout: options.maxTotalTimeout ?? Math.max(this.#limits.maxTotalTimeout, timeout) };
  }

  /** The innermost layer: encodes the request in its revision, sends it, and decodes the result. */
  readonly #exchange: Handler<OutgoingRequest> = async ({ method, params, options }) => {
    const { codec, dispatcher, identity, reading, extensions } = this.#host.connection;
    const sent = codec.encodeRequest(method, params, identity);
    let raw: JsonObject;
    try {
      raw = await dispatcher.request(method, sent, options);
    } catch (error) {
      throw codec.stateless ? reviveNotFound(error, method, params) : error;
    }
    return codec.decodeResult(method, raw, extensions?.resultTypes(method), reading);
  };

  // ---- the handshake ----

  /** Sends a request of the handshake through the middleware, in the revision that is offered. */
  async open(opening: RequestParts, codec: Codec): Promise<JsonObject> {
    const { dispatcher } = this.#host.connection;
    const send = compose(this.#middleware, ({ method, params, options }) => dispatcher.request(method, params, options));
    return send({ ...this.#outgoing(opening, codec), ended: this.#host.ended });
  }

  #outgoing({ method, params, options }: RequestParts, codec: Codec = this.#host.connection.codec): OutgoingRequest {
    const { context } = this.#host.connection.dispatcher;
    return {
      method,
      params,
      options,
      signal: options.signal ?? NEVER_ABORTED,
      protocolVersion: codec.version,
      transport: context?.kind,
      endpoint: context?.endpoint,
    };
  }
}

/** The result of a request that asks for nothing and is no task. */
type Complete<M extends RequestMethod> = Exclude<ResultOf<M>, InputRequiredResult | CreateTaskResult>;

/** Rules out the other kinds of result. @throws InputRequiredError if the server asks for something that the client did not answer */
export function complete<M extends "tools/call" | "resources/read" | "prompts/get">(method: M, result: ResultOf<M>): Complete<M> {
  if (result.resultType === "input_required") throw new InputRequiredError(method, result);
  return result as Complete<M>; // the extension of tasks has waited for results of tasks
}
