/**
 * `Server` of the official SDK 1.x on Tenon: its API is the official class, its connections and revisions are Tenon's.
 *
 * Handlers, parsing, errors, questions and tasks are inherited. `connect()` serves a transport with the Tenon server below, which is
 * `server.tenon`.
 */
import { Server as OfficialServer, type ServerOptions } from "mcp-sdk-v1/server/index.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { Implementation, Notification, Request, Result } from "mcp-sdk-v1/types.js";
import { AjvJsonSchemaValidator } from "mcp-sdk-v1/validation/ajv-provider.js";
import type { jsonSchemaValidator } from "mcp-sdk-v1/validation/types.js";
import { McpServer } from "tenon/server";
import type { Implementation as TenonInfo } from "tenon";
import { embedHandlers } from "tenon/internal/embedding";
import { ServedConnection } from "../below/served-connection.ts";
import type { OfficialParts } from "../below/official-parts.ts";

export * from "mcp-sdk-v1/server/index.js";

/** The official default validator, made when a schema is first needed: most servers need none, and it takes milliseconds. */
export function lateValidator(): jsonSchemaValidator {
  let made: AjvJsonSchemaValidator | undefined;
  return { getValidator: (schema) => (made ??= new AjvJsonSchemaValidator()).getValidator(schema) };
}

/** A server of the SDK 1.x. It serves every revision of the protocol, and `server.tenon` is the way to what 1.x does not have. */
export class Server<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> extends OfficialServer<RequestT, NotificationT, ResultT> {
  /**
   * The Tenon server below: `server.tenon.use(otel())`, new tools with scopes, `serveHttp(server.tenon)`. What is registered there stands
   * beside what is registered here. On a name that both have, Tenon's is served.
   */
  readonly tenon: McpServer;
  readonly #served: ServedConnection;

  /** Makes a server. Nothing is served yet. @throws TypeError if `info` has no name or no version */
  constructor(info: Implementation, options: ServerOptions = {}) {
    super(info, { jsonSchemaValidator: lateValidator(), ...options });
    const official = this as unknown as OfficialParts; // private for the compiler only: see official-parts.ts
    this.tenon = new McpServer(info as TenonInfo, {
      logging: false,
      ...(options.instructions !== undefined && { instructions: options.instructions }),
      onError: (error) => official._onerror(error instanceof Error ? error : new Error(String(error))),
    });
    this.#served = new ServedConnection(official, this.tenon);
    embedHandlers(
      this.tenon,
      this.#served.layer(() => this.fallbackRequestHandler),
    );
  }

  /** The transport of `connect()`; undefined if the server is not connected. */
  override get transport(): Transport | undefined {
    return #served in this ? this.#served.transport : undefined; // the official constructor may read it before this class is ready
  }

  /** Serves a transport until it ends. @throws Error if the server is connected already, or what the transport's `start` throws */
  override connect(transport: Transport): Promise<void> {
    return this.#served.connect(transport);
  }

  /** Closes the connection. The server can be connected again. */
  override async close(): Promise<void> {
    await this.#served.close();
  }
}
