/**
 * Decides whether a failed call over HTTP is made again, and prepares that. Each remedy is tried once.
 *
 * A call that changes something is not repeated: only its caller knows whether to try again.
 */
import { ErrorCode, McpError, ConnectionLostError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { Cursor, PaginatedResult } from "../../../protocol/base.ts";
import { READING_METHODS } from "../../../protocol/methods.ts";
import type { RequestOptions } from "../../../dispatch/dispatcher.ts";
import { abortOf } from "../../../dispatch/pending.ts";
import { pages } from "../../call/pages.ts";
import type { HttpConnection } from "../connection.ts";
import { listsTool } from "../tools.ts";

/** What to do before a call is made again: learn its headers, wait for a new session, or nothing. With `login` the user may be asked. */
type Remedy = "headers" | "session" | "login" | "again";

interface FailedCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  readonly tried: Remedy[];
}

export class HttpRecovery {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  /** Resolves when the call may be made again. @throws its error if it may not; `signal.reason` */
  async recover(error: unknown, call: FailedCall): Promise<void> {
    const { params, options, tried } = call;
    const remedy = this.#remedyFor(error, call);
    if (remedy === undefined || tried.includes(remedy)) throw error;
    if (remedy === "headers" && !(await this.#learnAgain(params))) throw error;
    if (remedy === "session") await this.#connection.session.renewing;
    abortOf(options)?.throwIfAborted();
    tried.push(remedy);
  }

  #remedyFor(error: unknown, { method, params, options }: FailedCall): Remedy | undefined {
    if (!McpError.isMcpError(error) || this.#connection.closing) return undefined;
    if (error.code === ErrorCode.HeaderMismatch && method === "tools/call") return "headers";
    const remedy = this.#connection.session.remedyFor(error);
    if (remedy === "login") return remedy; // what was refused for its credentials was not done
    if (remedy === undefined && (!(error instanceof ConnectionLostError) || error.outcome === "not-sent")) return undefined;
    // An id that the caller chose must not be used twice.
    if (options.requestId !== undefined || !this.isRepeatable(method, params)) return undefined;
    return remedy ?? "again";
  }

  /** Whether sending the request twice has the same effect as sending it once. */
  isRepeatable(method: string, params: JsonObject | undefined): boolean {
    return READING_METHODS.has(method) || (method === "tools/call" && this.#connection.tools.isRepeatable(params?.["name"]));
  }

  /** Reads the list again until it contains the tool of the call. Returns false if that fails. */
  async #learnAgain(params: JsonObject | undefined): Promise<boolean> {
    const { progressToken: _, ...meta } = { ...(params?.["_meta"] as JsonObject | undefined) }; // stateless: the codec has put an object there
    const connection = this.#connection;
    const fetchPage = (cursor: Cursor | undefined): Promise<JsonObject & PaginatedResult> =>
      connection.call("tools/list", { _meta: meta, ...(cursor !== undefined && { cursor }) });
    try {
      for await (const page of pages(fetchPage)) {
        connection.tools.learn(page, true);
        if (typeof page.nextCursor !== "string" || listsTool(page, params?.["name"])) return true;
      }
    } catch (error) {
      connection.report(error);
    }
    return false;
  }
}
