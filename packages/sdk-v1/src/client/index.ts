/**
 * `Client` of the official SDK 1.x on Tenon: its API is the official class. On 2026-07-28, which the official one does not speak, Tenon's
 * client makes its calls.
 *
 * With a handshake everything is the original's. Over stdio and Streamable HTTP a server that refuses the handshake is spoken to on the newest
 * revision, and with `newestFirst` each server that speaks it.
 */
import { Client as OfficialClient, type ClientOptions } from "mcp-sdk-v1/client/index.js";
import type { AnyObjectSchema, SchemaOutput } from "mcp-sdk-v1/server/zod-compat.js";
import type { RequestOptions } from "mcp-sdk-v1/shared/protocol.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { Implementation, Notification, Request, Result } from "mcp-sdk-v1/types.js";
import type { Client as TenonClient } from "tenon/client";
import { ClientBridge } from "../below/client-bridge.ts";
import type { OfficialClientParts } from "../below/client-parts.ts";
import { refusesHandshake, tryHandshake } from "../below/first-attempt.ts";
import { lateValidator } from "../below/late-validator.ts";
import { newestOf, type OpenNewest } from "../below/newest-servers.ts";

export * from "mcp-sdk-v1/client/index.js";

/** The bridge, if it is what an official client is connected to. */
const bridgeOf = (transport: Transport | undefined): ClientBridge | undefined =>
  transport instanceof ClientBridge ? transport : undefined;

/** What the original does not have. It ignores these options, so a client can have them on both. */
export interface LayerClientOptions {
  /**
   * Whether the client asks a server over stdio or Streamable HTTP for the newest revision before it makes a handshake. There the transport has no
   * session (`sessionId`, resumption tokens), and handlers of 1.x ask only with `repeatableHandlers`. Costs one request with servers that do not
   * speak it; a program that does not answer it gets its handshake after 5 s. Default false: only servers that refuse the handshake are asked.
   */
  newestFirst?: boolean;
}

/** A client of the SDK 1.x. It speaks every revision of the protocol. */
export class Client<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> extends OfficialClient<RequestT, NotificationT, ResultT> {
  readonly #newestFirst: boolean;

  /** Makes a client that is not connected. */
  constructor(info: Implementation, options: ClientOptions & LayerClientOptions = {}) {
    super(info, { jsonSchemaValidator: lateValidator(), ...options });
    this.#newestFirst = options.newestFirst ?? false;
  }

  /**
   * The Tenon client below, on revisions without a handshake: `client.tenon?.listen()`, `client.tenon?.tools()`. Undefined while the client is
   * not connected, and on the revisions that the original speaks.
   */
  get tenon(): TenonClient | undefined {
    return bridgeOf(super.transport)?.tenon;
  }

  /** The transport of `connect()`; undefined if the client is not connected. */
  override get transport(): Transport | undefined {
    const transport = super.transport;
    return bridgeOf(transport)?.owner ?? transport;
  }

  /**
   * Connects to a server: by the handshake, or on the newest revision if the server refuses that. With `newestFirst` the other way round.
   * @throws Error if the client is connected already; McpError, or what the transport throws, such as UnauthorizedError
   */
  override async connect(transport: Transport, options?: RequestOptions): Promise<void> {
    const open = super.transport === undefined && transport.sessionId === undefined ? newestOf(transport) : undefined;
    if (open === undefined) return super.connect(transport, options);
    if (this.#newestFirst) return (await this.#connectNewest(open, transport, options)) ? undefined : super.connect(transport, options);
    const failure = await tryHandshake(this, transport, {
      connect: () => super.connect(transport, options),
      ended: () => super.transport && this.#parts._onclose(),
    });
    if (failure === undefined || (refusesHandshake(failure) && (await this.#connectNewest(open, transport, options)))) return;
    this.onclose?.();
    throw failure;
  }

  /** Resolves with false if the server does not speak the newest revision. */
  async #connectNewest(open: OpenNewest, transport: Transport, options?: RequestOptions): Promise<boolean> {
    const bridge = new ClientBridge(this.#parts, transport);
    if (!(await bridge.open(open, options?.signal))) return false;
    await super.connect(bridge, options);
    await bridge.watchLists();
    return true;
  }

  get #parts(): OfficialClientParts {
    return this as unknown as OfficialClientParts; // private for the compiler only: see client-parts.ts
  }

  /** Handles the notifications of a method from now on, in the place of an earlier handler. */
  override setNotificationHandler<Schema extends AnyObjectSchema>(
    schema: Schema,
    handler: (notification: SchemaOutput<Schema>) => void | Promise<void>,
  ): void {
    super.setNotificationHandler(schema, handler);
    void bridgeOf(super.transport)?.watchLists();
  }
}

const original = OfficialClient.prototype as unknown as { isToolTask(name: string): boolean }; // private for the compiler only
Object.defineProperty(Client.prototype, "isToolTask", {
  writable: true, // as a method of a class is
  value(this: Client, name: string): boolean {
    const bridge = bridgeOf(Object.getOwnPropertyDescriptor(this, "_transport")?.value as Transport | undefined);
    return bridge?.hasTasks ?? original.isToolTask.call(this, name);
  },
});
