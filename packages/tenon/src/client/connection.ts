/**
 * What a client knows of its connection to a server: the dispatcher, the agreed revision, and who both sides are.
 *
 * `opening.ts` fills it in. Until then it has the codec of the newest revision with a handshake.
 */
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { InitializeResult } from "../protocol/lifecycle.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/versions.ts";
import type { ClientExtensions } from "../session/extension.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Reading } from "../wire/deviations.ts";
import { codecFor } from "../wire/revisions.ts";

export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  /** Absent if a stateless server does not declare it. */
  readonly info?: Implementation | undefined;
  readonly instructions?: string | undefined;
}

/** One connection to one server. */
export class ServerConnection {
  readonly dispatcher: Dispatcher;
  identity: ClientIdentity;
  /** What happens to messages of the server that deviate. */
  readonly reading: Reading;
  codec: Codec = codecFor(LATEST_HANDSHAKE_VERSION);
  server: ServerFacts = { capabilities: {} };
  /** The result of the handshake. Undefined before it, and on stateless revisions. */
  initializeResult: InitializeResult | undefined;
  /** All extensions in use, joined into one. */
  extensions: ClientExtensions | undefined;

  constructor(dispatcher: Dispatcher, identity: ClientIdentity, reading: Reading) {
    this.dispatcher = dispatcher;
    this.identity = identity;
    this.reading = reading;
  }

  /** Sets the agreed revision and what the server declared. */
  agree(codec: Codec, server: ServerFacts): void {
    this.codec = codec;
    this.server = server;
    this.dispatcher.acceptsBatches = codec.acceptsBatches;
  }
}
