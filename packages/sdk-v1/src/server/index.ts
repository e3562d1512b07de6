/**
 * `Server` of the official SDK 1.x on Tenon: its API is the official class, its connections and revisions are Tenon's.
 *
 * Handlers, parsing, errors, questions and tasks are inherited. `connect()` serves a transport with the Tenon server below, which is
 * `server.tenon`.
 */
import { Server as OfficialServer, type ServerOptions } from "mcp-sdk-v1/server/index.js";
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { Implementation, Notification, Request, Result } from "mcp-sdk-v1/types.js";
import type { Implementation as TenonInfo, RequestStateOptions } from "tenon";
import { embedHandlers, McpServer } from "tenon/internal/embedding";
import { lateValidator } from "../below/late-validator.ts";
import { ServedConnection } from "../below/served-connection.ts";
import type { OfficialParts } from "../below/official-parts.ts";

export * from "mcp-sdk-v1/server/index.js";

/** What the original does not have. It ignores these options, so a server can have them on both. */
export interface LayerOptions {
  /**
   * Whether the handlers of tools, prompts and resources may run again from their first line, so that their questions (`elicitInput`,
   * `createMessage`, `listRoots`) reach clients on 2026-07-28, too. There a question is in the result of the call, and the client calls again
   * with its answer. The handler goes on where it waits; if the answer comes to another process, it runs again, and questions that were
   * answered return at once. So it must ask the same in the same order, and do what must happen once after its last question. Default
   * false: such a question is an error on 2026-07-28.
   */
  repeatableHandlers?: boolean;
  /**
   * How the state of such a call travels with its client, as for Tenon's servers: `keys` that all processes share, `ttl`, `store`. Default: a
   * random key of this process, for all of its servers.
   */
  requestState?: RequestStateOptions;
}

/** Servers that are made for one request each open what another one of this process has sealed. */
let processKeys: RequestStateOptions["keys"];
const keysOfProcess = (): NonNullable<RequestStateOptions["keys"]> => (processKeys ??= [crypto.getRandomValues(new Uint8Array(32))]);

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
  constructor(info: Implementation, options: ServerOptions & LayerOptions = {}) {
    super(info, { jsonSchemaValidator: lateValidator(), ...options });
    const { instructions, repeatableHandlers = false, requestState, taskStore } = options;
    const official = this as unknown as OfficialParts; // private for the compiler only: see official-parts.ts
    this.tenon = new McpServer(info as TenonInfo, {
      logging: false,
      ...(instructions !== undefined && { instructions }),
      ...(taskStore !== undefined && { lifespan: () => this.#addTasks(options.defaultTaskPollInterval) }),
      ...(repeatableHandlers && { requestState: { keys: keysOfProcess(), ...requestState } }),
      onError: (error) => official._onerror(error instanceof Error ? error : new Error(String(error))),
    });
    this.#served = new ServedConnection(official, this.tenon, repeatableHandlers);
    embedHandlers(
      this.tenon,
      this.#served.layer(() => this.fallbackRequestHandler),
    );
  }

  /** Before the first connection: tasks are an extension of Tenon's, and loading it takes milliseconds. */
  async #addTasks(pollInterval = 1_000): Promise<undefined> {
    const { tasks } = await import("tenon/ext/tasks");
    this.tenon.use(tasks({ pollInterval }));
    return undefined;
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
