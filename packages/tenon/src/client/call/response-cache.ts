/**
 * Caches results for as long as the server declares them fresh (MCP 2026-07-28, Caching).
 *
 * It is middleware of one client, so it holds results of one server, one revision and one user only. A change notification
 * drops the results it concerns, also of requests that are still pending.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { methodsWith } from "../../protocol/methods.ts";
import type { Clock } from "../../base/clock.ts";
import type { Handler, Middleware } from "../../session/handler.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { Inbox } from "../inbox.ts";

/** Most results, and most characters of all results together. The oldest are evicted first. */
const MAX_ENTRIES = 1_000;
const MAX_SIZE = 16 * 2 ** 20;
/** Longest lifetime of an entry, in ms, whatever the server says. */
const MAX_TTL = 24 * 60 * 60_000;

export const CACHEABLE_METHODS: ReadonlySet<string> = /* @__PURE__ */ methodsWith("cacheable");

/** The methods whose results a notification makes stale. */
const STALE_AFTER: ReadonlyMap<string, readonly string[]> = new Map([
  ["notifications/tools/list_changed", ["tools/list"]],
  ["notifications/prompts/list_changed", ["prompts/list"]],
  ["notifications/resources/list_changed", ["resources/list", "resources/templates/list"]],
]);

interface CachedResponse {
  readonly method: string;
  /** The result as JSON. Every caller gets its own copy, and the size is known. */
  readonly text: string;
  readonly until: number;
}

export class ResponseCache {
  readonly #clock: Clock;
  /** By method and params, oldest first. */
  readonly #entries = new Map<string, CachedResponse>();
  #size = 0;
  /** Counts changes. A result that was requested before a change is not cached after it. */
  #changes = 0;

  constructor(inbox: Inbox, clock: Clock) {
    this.#clock = clock;
    inbox.subscribe((method, params) => this.#changed(method, params));
  }

  /** Middleware for the requests of {@link CACHEABLE_METHODS}. */
  readonly middleware: Middleware<OutgoingRequest> = (next) => (request) => this.#handle(request, next);

  async #handle(request: OutgoingRequest, next: Handler<OutgoingRequest>): Promise<JsonObject> {
    const { method, params } = request;
    const key = keyOf(method, params);
    if (key === undefined) return next(request);
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.until > this.#clock.now()) return JSON.parse(entry.text) as JsonObject; // it was cached as such
    const changes = this.#changes;
    try {
      const result = await next(request);
      if (changes === this.#changes) this.#keep(key, method, result);
      return result;
    } catch (error) {
      // The server no longer accepts this cursor, so the cached pages belong to an old list.
      if (params["cursor"] !== undefined && McpError.isMcpError(error) && error.code === ErrorCode.InvalidParams) this.#dropAll(method);
      throw error;
    }
  }

  #keep(key: string, method: string, result: JsonObject): void {
    const ttl = result["ttlMs"];
    this.#drop(key);
    if (typeof ttl !== "number" || !(ttl > 0) || (result["resultType"] ?? "complete") !== "complete") return;
    const text = JSON.stringify(result);
    this.#entries.set(key, { method, text, until: this.#clock.now() + Math.min(ttl, MAX_TTL) });
    this.#size += text.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#size <= MAX_SIZE) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.text.length ?? 0;
    this.#entries.delete(key);
  }

  #dropAll(method: string): void {
    for (const [key, entry] of this.#entries) if (entry.method === method) this.#drop(key);
  }

  #changed(notification: string, { uri }: JsonObject): void {
    const methods = STALE_AFTER.get(notification);
    for (const method of methods ?? []) this.#dropAll(method);
    const isUpdate = notification === "notifications/resources/updated" && typeof uri === "string";
    if (isUpdate) this.#drop(keyOf("resources/read", { uri })!);
    if (methods !== undefined || isUpdate) this.#changes++;
  }
}

/** The cache key: method and params without `_meta`. Undefined for later rounds of a call, whose results are not cached. */
function keyOf(method: string, params: JsonObject): string | undefined {
  const { _meta: _, ...rest } = params;
  if (rest["inputResponses"] !== undefined || rest["requestState"] !== undefined) return undefined;
  return method + JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
