/**
 * What a client knows of its connection: the dispatcher, the codec that was agreed on, and who both sides are.
 *
 * Filled in by `negotiate.ts`; until then the codec is that of the newest handshake revision.
 */
import type { Clock } from "../dispatch/clock.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/versions.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { codecFor } from "../wire/codecs.ts";

export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  /** Absent where a stateless server does not say. */
  readonly info?: Implementation;
  readonly instructions?: string;
}

export class ClientLink {
  readonly dispatcher: Dispatcher;
  identity: ClientIdentity;
  codec: Codec = codecFor(LATEST_HANDSHAKE_VERSION);
  server: ServerFacts = { capabilities: {} };

  /** Questions of the server that are being answered. */
  #answering = 0;
  #answeredAt = -Infinity;
  readonly #clock: Clock;

  constructor(dispatcher: Dispatcher, identity: ClientIdentity, clock: Clock) {
    this.dispatcher = dispatcher;
    this.identity = identity;
    this.#clock = clock;
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
