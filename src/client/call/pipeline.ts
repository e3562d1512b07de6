/**
 * The way of a request out of a client and of its result back, and how its layers are put together.
 *
 *   extensions → rounds → middleware → codec → dispatcher
 *
 * Extensions see a call once, from before its first round to after its last. Each round passes the middleware, then the
 * codec, and leaves by the dispatcher. What the server asks takes the way in: middleware for both ways → extensions →
 * callbacks of the user.
 */
import { systemClock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import { ASKING_METHODS } from "../../protocol/methods.ts";
import { assertAtLeast, assertDuration, withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import { compose, type Handler, type Middleware } from "../../session/handler.ts";
import type { Codec } from "../../wire/codec.ts";
import type { Answers } from "../answer/answers.ts";
import { answersUnderWay } from "../answer/nesting.ts";
import type { SessionOptions } from "../session-options.ts";
import type { AskedRequest } from "../answer/callbacks.ts";
import { skippingMalformedItems } from "./malformed-items.ts";
import type { CallOptions, OutgoingRequest } from "./outgoing-request.ts";
import { CallTime, nextRound, type Demand, type RoundHost } from "./rounds.ts";

type Layer = Middleware<OutgoingRequest>;

/** What a caller gives for a request. */
type RequestParts = Pick<OutgoingRequest, "method" | "params" | "options">;

/** What middleware sees of a call without a signal: it never aborts. */
const NEVER: AbortSignal = new AbortController().signal;

/** What the pipeline needs of the session. */
interface PipelineHost<Session> extends Omit<RoundHost, "clock" | "visitTimeout" | "maxInFlight"> {
  readonly answers: Answers<Session>;
  readonly options: SessionOptions<Session>;
}

const DEFAULT_ROUNDS = 10;
/** Milliseconds. */
const DEFAULT_VISIT = 600_000;

export class Pipeline<Session> {
  readonly #host: PipelineHost<Session> & RoundHost;
  readonly #limits: DispatcherLimits;
  readonly #maxRounds: number;
  readonly #middleware: Layer[];
  #handler!: Handler<OutgoingRequest>;
  /** One round of a call: everything inside the rounds. */
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

  // ---- putting it together ----

  /** Puts the layers together: at the start, and again whenever one of them has changed. */
  compose(): void {
    const { connection, answers } = this.#host;
    const { extensions } = connection;
    this.#round = compose(this.#middleware, this.#exchange);
    this.#handler = extensions?.middleware(this.#call) ?? this.#call;

    const callbacks = extensions?.answering(answers.callbacks) ?? answers.callbacks;
    // A layer for both ways takes requests of either direction, which its type as a layer of calls does not say.
    answers.handler = compose(this.#middleware.filter(isForBothWays) as unknown as Middleware<AskedRequest<Session>>[], callbacks);
  }

  /** Adds a layer of middleware inside those that are there, for all requests or for those of some methods. */
  use(layer: Layer, only?: ReadonlySet<string>): void {
    this.#middleware.push(only === undefined ? layer : onlyFor(only, layer));
    this.compose();
  }

  // ---- the layers, from the outermost to the innermost ----

  /** Sends a request and resolves with its checked result. */
  async request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { meta } = options;
    const body = meta === undefined ? params : { ...params, _meta: { ...(params["_meta"] as RequestMeta | undefined), ...meta } };
    return await this.#handler(this.#outgoing({ method, params: body, options }));
  }

  /** A call that is made from an answer of this client is counted with it: its questions are as deep. */
  readonly #call = (request: OutgoingRequest): MaybePromise<JsonObject> => {
    const send = this.#mayHaveRounds() ? this.#inRounds : this.#round;
    return answersUnderWay === 0 ? send(request) : this.#host.answers.nesting.call(async () => send(request));
  };

  /** Whether the server may want something before it gives a result. */
  #mayHaveRounds(): boolean {
    const { codec, identity } = this.#host.connection;
    return this.#maxRounds > 0 && (codec.stateless || identity.capabilities.elicitation?.url !== undefined);
  }

  /** Sends a request. While the server asks for something first, gets that and sends it again. */
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
      next = await nextRound(this.#host, demand, { request, round, time });
    }
  };

  #isAsking(result: JsonObject): result is InputRequiredResult {
    return result["resultType"] === "input_required" && this.#host.connection.codec.stateless;
  }

  /** Calls only: the result of a task, for example, stays what it is. */
  #isRefusedUntilVisit({ method }: OutgoingRequest, error: unknown): error is UrlElicitationRequiredError {
    return error instanceof UrlElicitationRequiredError && !this.#host.connection.codec.stateless && ASKING_METHODS.has(method);
  }

  #timesOf({ options }: OutgoingRequest): { timeout: number; maxTotalTimeout: number } {
    const { timeout = this.#limits.timeout } = options;
    return { timeout, maxTotalTimeout: options.maxTotalTimeout ?? Math.max(this.#limits.maxTotalTimeout, timeout) };
  }

  /** Innermost: writes the request in the words of the revision, sends it, and reads the result. */
  readonly #exchange: Handler<OutgoingRequest> = async ({ method, params, options }) => {
    const { connection, report } = this.#host;
    const { codec, dispatcher, identity, extensions } = connection;
    const raw = await dispatcher.request(method, codec.encodeRequest(method, params, identity), options);
    const decode = (result: JsonObject): JsonObject => codec.decodeResult(method, result, extensions?.resultTypes(method));
    return (this.#host.options.skipMalformedItems ? skippingMalformedItems(method, decode, report) : decode)(raw);
  };

  // ---- beside it ----

  /** Sends a request of the handshake: through the middleware, in the words of the revision that is offered. */
  async open(opening: RequestParts, codec: Codec): Promise<JsonObject> {
    const { dispatcher } = this.#host.connection;
    const send = compose(this.#middleware, ({ method, params, options }) => dispatcher.request(method, params, options));
    return send(this.#outgoing(opening, codec));
  }

  #outgoing({ method, params, options }: RequestParts, codec: Codec = this.#host.connection.codec): OutgoingRequest {
    return {
      method,
      params,
      options,
      signal: options.signal ?? NEVER,
      protocolVersion: codec.version,
      transport: this.#host.connection.dispatcher.context?.kind,
    };
  }
}

/** A layer that only the requests of some methods pass. */
function onlyFor(methods: ReadonlySet<string>, layer: Layer): Layer {
  return (next) => {
    const wrapped = layer(next);
    return (request) => (methods.has(request.method) ? wrapped(request) : next(request));
  };
}

/** Whether a layer also wraps what the client answers: it is a `TwoWayMiddleware`, for requests of either direction. */
function isForBothWays(layer: object): boolean {
  return "bothWays" in layer;
}
