/**
 * What a client knows of its connection: the dispatcher, the codec that was agreed on, and who both sides are.
 *
 * Filled in by `negotiate.ts`; until then the codec is that of the newest handshake revision.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Clock } from "../base/clock.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { InitializeResult } from "../protocol/lifecycle.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/versions.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { codecFor } from "../wire/revisions.ts";
import type { ClientExtensions } from "../session/extension.ts";
import { compose, type Handler, type Middleware } from "../session/handler.ts";
import type { AnswerContext } from "./answer/answer-context.ts";
import type { CallOptions, OutgoingRequest } from "./call/outgoing-request.ts";

/** Never aborts: what middleware sees of a call without a signal. */
const NEVER: AbortSignal = new AbortController().signal;

export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  /** Absent where a stateless server does not say. */
  readonly info?: Implementation;
  readonly instructions?: string;
}

export class ClientLink {
  readonly dispatcher: Dispatcher;
  /** Answers the server: the callbacks of the user, inside the middleware for both ways. */
  answer: Handler<AnswerContext>;
  #callbacks: Handler<AnswerContext>;
  /** All that are in use, as one. */
  extensions: ClientExtensions | undefined;
  readonly #middleware: Middleware<OutgoingRequest>[] = [];
  identity: ClientIdentity;
  codec: Codec = codecFor(LATEST_HANDSHAKE_VERSION);
  server: ServerFacts = { capabilities: {} };
  /** What the server answered to the handshake; undefined until then, and on stateless revisions. */
  initializeResult: InitializeResult | undefined;

  /** Questions of the server that are being answered. */
  #answering = 0;
  #answeredAt = -Infinity;
  readonly #clock: Clock;

  constructor(dispatcher: Dispatcher, identity: ClientIdentity, clock: Clock, callbacks: Handler<AnswerContext>) {
    this.dispatcher = dispatcher;
    this.identity = identity;
    this.#clock = clock;
    this.answer = this.#callbacks = callbacks;
  }

  use(...middleware: readonly Middleware<OutgoingRequest>[]): void {
    this.#middleware.push(...middleware);
    const bothWays = this.#middleware.filter((layer) => "bothWays" in layer) as unknown as Middleware<AnswerContext>[]; // whatever the context
    this.answer = compose(bothWays, this.#callbacks);
  }

  extend(extensions: ClientExtensions): void {
    this.extensions = extensions;
    this.#callbacks = extensions.answering(this.#callbacks);
    this.use();
  }

  /** `send` inside all middleware. */
  around(send: Handler<OutgoingRequest>): Handler<OutgoingRequest> {
    return compose(this.#middleware, send);
  }

  outgoing(method: string, params: JsonObject, options: CallOptions, { version }: Codec = this.codec): OutgoingRequest {
    return {
      method,
      params,
      options,
      signal: options.signal ?? NEVER,
      protocolVersion: version,
      transport: this.dispatcher.context?.kind,
    };
  }

  /** Sends a request of the handshake, in the words of the revision that is offered. */
  async open(codec: Codec, method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const send = this.around((request) => this.dispatcher.request(method, request.params, request.options));
    return send(this.outgoing(method, params, options, codec));
  }

  agree(codec: Codec, server: ServerFacts): void {
    this.codec = codec;
    this.server = server;
    this.dispatcher.acceptsBatches = codec.acceptsBatches;
  }

  /** Somebody thinks about a question of the server until `answered` settles: time of ours, not of the server. */
  async wait<T>(answered: Promise<T>): Promise<T> {
    this.#answering++;
    try {
      return await answered;
    } finally {
      this.#answering--;
      this.#answeredAt = this.#clock.now();
    }
  }

  /** When the server was last held up by a question that we had not answered. */
  readonly heldUntil = (): number => (this.#answering > 0 ? this.#clock.now() : this.#answeredAt);
}
