/**
 * Keeps results for as long as the server declares them fresh (requirements J1–J8).
 *
 * Client middleware, of one client and so of one server, one revision and one caller: nothing private can reach anybody
 * else. A change the server tells of ends the freshness at once, also of results that are still on their way.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { methodsWith } from "../../protocol/methods.ts";
import type { Clock } from "../../base/clock.ts";
import type { Handler, Middleware } from "../../session/handler.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { Inbox } from "../inbox.ts";

/** Results kept, and their characters in total; the oldest go first. */
const MAX_ENTRIES = 1_000;
const MAX_SIZE = 16 * 2 ** 20;
/** Longest freshness that is believed, in ms. */
const MAX_TTL = 24 * 60 * 60_000;

/** The requests whose results can be kept. */
export const CACHEABLE_METHODS: ReadonlySet<string> = /* @__PURE__ */ methodsWith("cacheable");

/** What a notification makes stale: results of these methods. */
const STALE_AFTER: ReadonlyMap<string, readonly string[]> = new Map([
  ["notifications/tools/list_changed", ["tools/list"]],
  ["notifications/prompts/list_changed", ["prompts/list"]],
  ["notifications/resources/list_changed", ["resources/list", "resources/templates/list"]],
]);

interface Entry {
  readonly method: string;
  /** The result as JSON: everybody gets one of his own, and its size is known. */
  readonly text: string;
  readonly until: number;
}

export class ResponseCache {
  readonly #clock: Clock;
  /** By method and params, oldest first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  /** Counts changes: a result asked for before one must not be kept after it. */
  #changes = 0;

  constructor(inbox: Inbox, clock: Clock) {
    this.#clock = clock;
    inbox.subscribe((method, params) => this.#changed(method, params));
  }

  /** For the requests of {@link CACHEABLE_METHODS}. */
  readonly middleware: Middleware<OutgoingRequest> = (next) => (request) => this.#handle(request, next);

  async #handle(request: OutgoingRequest, next: Handler<OutgoingRequest>): Promise<JsonObject> {
    const { method, params } = request;
    const key = keyOf(method, params);
    if (key === undefined) return next(request);
    const kept = this.#entries.get(key);
    if (kept !== undefined && kept.until > this.#clock.now()) return JSON.parse(kept.text) as JsonObject; // as it was kept
    const changes = this.#changes;
    try {
      const result = await next(request);
      if (changes === this.#changes) this.#keep(key, method, result);
      return result;
    } catch (error) {
      // A cursor the server no longer takes: the pages before it are of another list (J7).
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

/** The method and the params without `_meta`, as text; undefined for the later rounds of a request, which are nobody else's (J3). */
function keyOf(method: string, params: JsonObject): string | undefined {
  const { _meta: _, ...rest } = params;
  if (rest["inputResponses"] !== undefined || rest["requestState"] !== undefined) return undefined;
  return method + JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
