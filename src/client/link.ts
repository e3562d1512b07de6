/**
 * What a client knows of its connection: the dispatcher, the codec that was agreed on, and who both sides are.
 *
 * Filled in by `negotiate.ts`; until then the codec is that of the newest handshake revision.
 */
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

  constructor(dispatcher: Dispatcher, identity: ClientIdentity) {
    this.dispatcher = dispatcher;
    this.identity = identity;
  }

  agree(codec: Codec, server: ServerFacts): void {
    this.codec = codec;
    this.server = server;
    this.dispatcher.acceptsBatches = codec.acceptsBatches;
  }
}
