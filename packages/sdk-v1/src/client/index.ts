/**
 * `Client` of the official SDK 1.x on Tenon: its API is the official class. On 2026-07-28, which the official one does not speak, Tenon's
 * client makes its calls.
 *
 * Over stdio and Streamable HTTP it asks the server for that revision first. With a server that does not speak it, and over other
 * transports, everything is the original's, from the handshake on.
 */
import { Client as OfficialClient, type ClientOptions } from "mcp-sdk-v1/client/index.js";
import type { AnyObjectSchema, SchemaOutput } from "mcp-sdk-v1/server/zod-compat.js";
import type { RequestOptions } from "mcp-sdk-v1/shared/protocol.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { Notification, Request, Result } from "mcp-sdk-v1/types.js";
import type { Client as TenonClient } from "tenon/client";
import { ClientBridge } from "../below/client-bridge.ts";
import type { OfficialClientParts } from "../below/client-parts.ts";
import { lateValidator } from "../below/late-validator.ts";
import { newestOf } from "../below/newest-servers.ts";

export * from "mcp-sdk-v1/client/index.js";

/** The bridge, if it is what an official client is connected to. */
const bridgeOf = (transport: Transport | undefined): ClientBridge | undefined =>
  transport instanceof ClientBridge ? transport : undefined;

/** A client of the SDK 1.x. It speaks every revision of the protocol. */
export class Client<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> extends OfficialClient<RequestT, NotificationT, ResultT> {
  /** Makes a client that is not connected. */
  constructor(info: ConstructorParameters<typeof OfficialClient>[0], options: ClientOptions = {}) {
    super(info, { jsonSchemaValidator: lateValidator(), ...options });
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
   * Connects to a server, on the newest revision that both speak. @throws Error if the client is connected already; McpError, or what the
   * transport throws, such as UnauthorizedError
   */
  override async connect(transport: Transport, options?: RequestOptions): Promise<void> {
    const open = super.transport === undefined && transport.sessionId === undefined ? newestOf(transport) : undefined;
    const bridge = open && new ClientBridge(this as unknown as OfficialClientParts, transport); // private for the compiler only: see client-parts.ts
    if (open === undefined || bridge === undefined || !(await bridge.open(open, options?.signal))) return super.connect(transport, options);
    await super.connect(bridge, options);
    await bridge.watchLists();
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
