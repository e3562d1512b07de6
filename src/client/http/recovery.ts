/**
 * Makes a call over HTTP again where that is safe, once for each way it can fail (C10, C14, F1.7, F3.6).
 *
 * What the caller of a call that changes something gets is the failure: only they know whether to try again.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError, ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import type { Cursor, PaginatedResult } from "../../protocol/base.ts";
import { READING_METHODS } from "../../protocol/methods.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import { SessionLostError } from "./errors.ts";
import type { HttpSession } from "./session.ts";
import { listsTool, type HttpTools } from "./tools.ts";
import { pages } from "../call/pages.ts";

const UNTRIED: readonly Remedy[] = [];
/** What is done before a call is made again: learn its headers, wait for a new session, or nothing. */
type Remedy = "headers" | "session" | "again";

/** A call, and what was done for it already. */
interface Attempt {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  readonly tried: readonly Remedy[];
}

/** The connection, as recovery sees it. */
export interface RecoverableConnection {
  readonly session: Pick<HttpSession, "renewing">;
  readonly tools: HttpTools;
  readonly closing: boolean;
  /** Makes a call once. */
  attempt(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject>;
  report(error: unknown): void;
}

export class HttpRecovery {
  readonly #connection: RecoverableConnection;

  constructor(connection: RecoverableConnection) {
    this.#connection = connection;
  }

  /** Makes a call, more than once if need be. @throws what it failed with last */
  request(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    return this.#attempt({ method, params, options, tried: UNTRIED });
  }

  #attempt(attempt: Attempt): Promise<JsonObject> {
    const { method, params, options } = attempt;
    return this.#connection.attempt(method, params, options).catch((error: unknown) => this.#recover(error, attempt));
  }

  async #recover(error: unknown, attempt: Attempt): Promise<JsonObject> {
    const { params, options, tried } = attempt;
    const remedy = this.#remedyFor(error, attempt);
    if (remedy === undefined || tried.includes(remedy)) throw error;
    if (remedy === "headers" && !(await this.#learnAgain(params))) throw error;
    if (remedy === "session") await this.#connection.session.renewing;
    options.signal?.throwIfAborted();
    return this.#attempt({ ...attempt, tried: [...tried, remedy] });
  }

  #remedyFor(error: unknown, { method, params, options }: Attempt): Remedy | undefined {
    if (!McpError.isMcpError(error) || this.#connection.closing) return undefined;
    if (error.code === ErrorCode.HeaderMismatch && method === "tools/call") return "headers";
    if (!(error instanceof ConnectionLostError) || error.outcome === "not-sent") return undefined;
    // An id of the caller's own must not be used twice.
    if (options.requestId !== undefined || !this.isRepeatable(method, params)) return undefined;
    return error instanceof SessionLostError ? "session" : "again";
  }

  /** Whether sending that request twice does no more than sending it once. */
  isRepeatable(method: string, params: JsonObject | undefined): boolean {
    return READING_METHODS.has(method) || (method === "tools/call" && this.#connection.tools.isRepeatable(params?.["name"]));
  }

  /** Reads the list again until the tool of a call is in it. False where that fails. */
  async #learnAgain(params: JsonObject | undefined): Promise<boolean> {
    const { progressToken: _, ...meta } = { ...(params?.["_meta"] as JsonObject | undefined) }; // stateless: an object, encoded by us
    const connection = this.#connection;
    const fetchPage = (cursor: Cursor | undefined): Promise<JsonObject & PaginatedResult> =>
      connection.attempt("tools/list", { _meta: meta, ...(cursor !== undefined && { cursor }) }, {});
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
